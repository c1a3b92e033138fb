"""From when on a die lies still: its last pictures are held against what it looks like in the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.track_motion import Motion
from vision.frame import Image

Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]
Known = NDArray[np.bool_]

KEPT = 150
"""Pictures that are kept: settling is seen late, and looked back for."""
STILL_FRAMES = 9
"""Pictures in a row that show no movement before a die counts as settled."""
REST_FRAMES = 6
"""The last of them, by which its rest is known."""
STILL_PX = 0.2
"""Movement of what shows, root mean square, that is none while a die is watched for coming to rest."""
_HIDDEN = 0.75
"""A die of which so much less shows than at rest was partly hidden."""
_LEAST_BARE, _ALL_BARE = 0.25, 0.96
"""Share of its outline that a hand must leave for the rest to be told by what shows; and from which on nothing hides it."""
AT_REST_PX = 0.35
"""The same, looked back at from its rest."""
AT_REST_MM = 0.385
"""How far from its rest the part of a die that moves most may be, for it to lie still."""
_LEVELS = tuple(AT_REST_MM * float(np.exp(0.4 * step)) for step in (-1.4, -0.8, -0.4, 0.0, 0.4, 0.8, 1.4))
"""A movement so small is known to some tenths of itself: the moment is the mean of those at which each of these is passed."""
_LAY_MM = 0.16
"""How far from where it lay such a die's pictures show it."""
_SLOWING = 0.5
"""How far from its rest, over that at which it no longer moves, a rocking die is in the picture after it last moved."""
PLATEAU = 5
"""Pictures in a row that show a die still in another light."""
_DRAWN_BACK = 5
"""Pictures in which a hand's shadow goes."""
_SAME_PLACE_PX, _SAME_AREA = 0.25, 0.06
_RIM_PX = 14


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A part of a picture at a moment."""

    t_ns: int
    left: int
    top: int
    part: Image
    own: Mask | None = None
    """255 where it shows the die's colour."""
    other: Mask | None = None
    """255 where it shows neither that nor the empty table in its usual light: a hand, a shadow."""

    def cut(self, left: int, top: int, width: int, height: int) -> Image | None:
        """A smaller part of it, by the picture's px; None where it reaches out of this one."""
        x, y = left - self.left, top - self.top
        if x < 0 or y < 0 or x + width > self.part.shape[1] or y + height > self.part.shape[0]:
            return None
        return self.part[y : y + height, x : x + width]


class Looks:
    """The last pictures of one die's surroundings."""

    def __init__(self, reach_px: int, px_per_mm: float) -> None:
        self._reach, self._px_per_mm = reach_px, px_per_mm
        self._kept: deque[Look] = deque(maxlen=KEPT)

    def clear(self) -> None:
        self._kept.clear()

    def kept(self) -> tuple[Look, ...]:
        """The pictures that are remembered, in order."""
        return tuple(self._kept)

    def keep(
        self,
        image: Image,
        middle_px: tuple[float, float],
        t_ns: int,
        labels: Mask,
        number: int,
        changed: Mask | None = None,
    ) -> None:
        """Remembers what is around a place, where it is labelled `number`, and where it has `changed` from the empty table."""
        wide = self._reach + _RIM_PX
        left, top = max(0, round(middle_px[0]) - wide), max(0, round(middle_px[1]) - wide)
        area = (slice(top, top + 2 * wide + 1), slice(left, left + 2 * wide + 1))
        own = cv2.inRange(labels[area], number, number).astype(np.uint8, copy=False)
        other = None if changed is None else cv2.subtract(changed[area], own).astype(np.uint8, copy=False)
        self._kept.append(Look(t_ns, left, top, image[area].copy(), own, other))

    def still_since(self, middle_px: tuple[float, float], hull_px: NDArray[np.int32]) -> tuple[int, int] | None:
        """Between which two moments (ns), most likely half-way, the die came to rest whose outline lies here now; None while it
        moves."""
        if len(self._kept) < STILL_FRAMES + 1:
            return None
        left, top = round(middle_px[0]) - self._reach, round(middle_px[1]) - self._reach
        side = 2 * self._reach + 1
        looks = list(self._kept)
        cuts = [look.cut(left, top, side, side) for look in looks[-STILL_FRAMES:]]
        parts = [cut.astype(np.float32) for cut in cuts if cut is not None and cut.shape[:2] == (side, side)]
        if len(parts) < STILL_FRAMES:
            return None
        own = np.zeros((side, side), np.uint8)
        cv2.fillConvexPoly(own, hull_px - np.array([left, top], np.int32), 255)
        inside = cv2.dilate(own, np.ones((3, 3), np.uint8)) > 0
        if not _alike_all(parts, inside):
            return None
        # Its rest is what the last pictures show: the first of them may have moved still, less than tells.
        past = _Past(looks, left, top, inside, _Rest.of(parts[-REST_FRAMES:], inside), self._px_per_mm)
        return past.at_rest_from(len(looks) - REST_FRAMES)


@dataclass(frozen=True, slots=True, eq=False)
class _Past:
    """The pictures of a die up to its rest."""

    looks: Sequence[Look]
    left: int
    top: int
    inside: NDArray[np.bool_]
    rest: _Rest
    px_per_mm: float
    looked_at: dict[int, Known | None] = field(default_factory=dict)
    """What was found bare in each picture; looking again takes as long."""
    moved: dict[int, bool | None] = field(default_factory=dict)

    def at_rest_from(self, still: int) -> tuple[int, int]:
        """Between which moments, ns, it came to lie as in picture `still` and after."""
        at = still
        while at > 0 and not self._ends(at - 1):
            at -= 1
        other = self._lit_otherwise(at)
        if other is not None:
            until, rest = other
            return replace(self, rest=rest, moved={}).at_rest_from(until)
        away: dict[int, float | None] = {}
        bands = [self._passed(level, still, away) for level in _LEVELS]
        early, late = (float(np.mean(ends)) for ends in zip(*bands, strict=True))
        middle = (early + late) / 2
        half = max((late - early) / 2, *(abs((one + other) / 2 - middle) for one, other in bands))
        half = max(half, self._usual_ns() / 2)
        return round(middle - half), round(middle + half)

    def _passed(self, level_mm: float, still: int, away: dict[int, float | None]) -> tuple[float, float]:
        """Between which moments it came nearer to its rest than this; `away` keeps what was looked at."""

        def off(n: int) -> float | None:
            if n not in away:
                away[n] = self._away_mm(n)
            return away[n]

        def moves(n: int) -> bool | None:
            value = off(n) if n >= 0 else np.inf
            return None if value is None else value > level_mm

        since = at = still

        def swings(n: int) -> bool:
            """Moved, and not for one picture alone: it may flicker, but a die that rocks through its rest slows down."""
            after = off(n + 1)
            slowing = after is not None and after > _SLOWING * level_mm
            return moves(n) is True and (slowing or moves(n - 1) is not False or moves(n - 2) is True)

        while at > 0 and not swings(at - 1):
            at -= 1
            since = at if moves(at) is False else since
        earlier, later = self.looks[max(at - 1, 0)].t_ns, self.looks[since].t_ns
        before, after = off(max(at - 1, 0)), off(since)
        if since != at or before is None or after is None or not level_mm < before < np.inf:
            return float(earlier), float(later)
        moment = later - (later - earlier) * (level_mm - after) / (before - after)
        return moment, moment

    def _away_mm(self, n: int) -> float | None:
        """How far the part of it that moved most was from its rest; None where something hid it."""
        part = self._part(n)
        if part is None:
            return np.inf
        bare = self._bare(n)
        if self._is_hidden(n, bare):
            return None
        return self.rest.most_px(part, bare) / self.px_per_mm

    def _usual_ns(self) -> float:
        return float(np.median(np.diff([look.t_ns for look in self.looks])))

    def _ends(self, n: int) -> bool:
        """Whether stillness ends there, looked back at.

        Two looks in a row that moved end it: one alone may be a flicker, if all was still before. What was hidden says nothing.
        """
        return self._moves(n) is True and (self._moves(n - 1) is not False or self._moves(n - 2) is True)

    def _moves(self, n: int) -> bool | None:
        """None where something hid the die."""
        if n not in self.moved:
            self.moved[n] = self._has_moved(n)
        return self.moved[n]

    def _has_moved(self, n: int) -> bool | None:
        part = self._part(n)
        if part is None:
            return True
        bare = self._bare(n)
        return None if self._is_hidden(n, bare) else self.rest.off(part, bare) > AT_REST_PX

    def _is_hidden(self, n: int, bare: Known | None) -> bool:
        """Whether what shows of it is too little to tell, or less than what no hand covers."""
        share = 1.0 if bare is None else float(bare.mean())
        shown = _shown(self.looks[n], self.left, self.top, self.inside)
        return share < _LEAST_BARE or shown < _HIDDEN * share * self._shown_at_rest()

    def _bare(self, n: int) -> Known | None:
        """Which pixels of its outline no hand covers, one that reaches in from farther off; None for all."""
        if n not in self.looked_at:
            self.looked_at[n] = self._found_bare(n)
        return self.looked_at[n]

    def _found_bare(self, n: int) -> Known | None:
        look, side = self.looks[n], self.inside.shape[0]
        if look.other is None or not look.other.any():
            return None
        _, parts = cv2.connectedComponents(cv2.morphologyEx(look.other, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)))
        rim = np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]])
        reaching = np.isin(parts, np.unique(rim[rim > 0])).astype(np.uint8)
        x, y = self.left - look.left, self.top - look.top
        hand = reaching[y : y + side, x : x + side]
        bare = hand[self.inside] == 0
        return None if bare.mean() >= _ALL_BARE else np.asarray(bare, np.bool_)

    def _part(self, n: int) -> Floats | None:
        side = self.inside.shape[0]
        cut = self.looks[n].cut(self.left, self.top, side, side) if n >= 0 else None
        return cut.astype(np.float32) if cut is not None and cut.shape[:2] == (side, side) else None

    def _shown_at_rest(self) -> float:
        return _shown(self.looks[-1], self.left, self.top, self.inside)

    def _lit_otherwise(self, at: int) -> tuple[int, _Rest] | None:
        """Whether it lay there already, under the shadow of a hand that drew back just before picture `at`: until which picture,
        and what it looked like."""
        outline = self._outline(range(len(self.looks) - REST_FRAMES, len(self.looks)))
        for until in range(at - 1, max(at - 1 - _DRAWN_BACK, PLATEAU - 2), -1):
            which = range(until - PLATEAU + 1, until + 1)
            parts = [part for n in which if (part := self._part(n)) is not None]
            if len(parts) < PLATEAU or not _alike_all(parts, self.inside):
                continue
            then = self._outline(which)
            if outline is None or then is None or abs(then[2] / outline[2] - 1) > _SAME_AREA:
                continue
            if np.hypot(then[0] - outline[0], then[1] - outline[1]) >= _SAME_PLACE_PX:
                continue
            rest = _Rest.of(parts, self.inside)
            # A die that rocks is nearly still where it turns back.
            if sorted(rest.most_px(part) for part in parts)[-2] <= _LAY_MM * self.px_per_mm:
                return until, rest
        return None

    def _outline(self, which: Sequence[int]) -> tuple[float, float, float] | None:
        """Middle and area of what shows its colour, px, over some pictures."""
        found = []
        for n in which:
            own = self.looks[n].own
            spots = None if own is None else cv2.findNonZero(own)
            if spots is None:
                return None
            points = spots.reshape(-1, 2) + np.array([self.looks[n].left - self.left, self.looks[n].top - self.top])
            here = ((points >= 0) & (points < self.inside.shape[0])).all(axis=1)
            points = points[here][self.inside[points[here][:, 1], points[here][:, 0]]]
            if len(points) < PLATEAU:
                return None
            found.append((*points.mean(axis=0), len(points)))
        x, y, area = np.mean(found, axis=0)
        return float(x), float(y), float(area)


def _shown(look: Look, left: int, top: int, inside: NDArray[np.bool_]) -> float:
    """Share of a die's outline in which its colour shows."""
    if look.own is None:
        return 1.0
    x, y = left - look.left, top - look.top
    own = look.own[max(y, 0) : y + inside.shape[0], max(x, 0) : x + inside.shape[1]]
    if x < 0 or y < 0 or own.shape != inside.shape:
        return 0.0
    return float((own[inside] > 0).mean())


@dataclass(frozen=True, slots=True, eq=False)
class _Rest:
    """What a die at rest looks like, and by how much its pictures differ from that by noise alone."""

    inside: NDArray[np.bool_]
    colours: Floats
    noise: float
    slope: float
    motion: Motion

    @classmethod
    def of(cls, parts: Sequence[Floats], inside: NDArray[np.bool_]) -> _Rest:
        mean = np.asarray(np.mean(parts, axis=0, dtype=np.float32), np.float32)
        colours = mean[inside]
        squares = float(np.median([_off(part[inside], colours) for part in parts]))
        # They differ from their own mean by less than another one does.
        noise = squares * (len(parts) + 1) / max(len(parts) - 1, 1)
        motion = Motion.of(mean, inside, noise / max(colours.size, 1))
        return cls(inside, colours, noise, _slope_within(mean, inside), motion)

    def off(self, part: Floats, bare: Known | None = None) -> float:
        """How far what shows is from its rest, px, root mean square; `bare`: which of its pixels nothing hides."""
        share = 1.0 if bare is None else float(bare.mean())
        left = self.motion.unlit(self._change(part, bare), bare)
        return _moved(float((left**2).sum()), share * self.noise, share * self.slope)

    def most_px(self, part: Floats, bare: Known | None = None) -> float:
        """How far the part of it that moved most is from its rest."""
        return self.motion.most_px(self._change(part, bare), bare)

    def _change(self, part: Floats, bare: Known | None) -> Floats:
        values = part[self.inside]
        shown = slice(None) if bare is None else bare
        light = _light(values[shown], self.colours[shown])
        return np.asarray(values * np.float32(light) - self.colours, np.float32)


def _off(colours: Floats, rest: Floats) -> float:
    """Sum of squares by which pixels differ, but for their light."""
    return float(((_same_light(colours, rest) - rest) ** 2).sum())


def _alike_all(parts: Sequence[Floats], inside: NDArray[np.bool_]) -> bool:
    """Whether pictures show no movement, neither to and fro nor on and on; one of them may flicker."""
    mean = np.asarray(np.mean(parts, axis=0, dtype=np.float32), np.float32)
    slope = _slope_within(mean, inside)
    rest = mean[inside]
    lit = [_same_light(part[inside], rest) for part in parts]
    offs = [float(((part - rest) ** 2).sum()) for part in lit]
    noise = float(np.median(offs))
    half = len(lit) // 2
    drift = ((np.mean(lit[:half], axis=0) - np.mean(lit[half:], axis=0)) ** 2).sum() - 4 * noise / len(lit)
    return _moved(float(drift), 0.0, slope) <= STILL_PX and _moved(sorted(offs)[-2], noise, slope) <= STILL_PX


def rest_of(image: Image, middle_px: tuple[float, float], reach_px: int) -> Look:
    """What shows around a die at rest."""
    left, top = max(0, round(middle_px[0]) - reach_px), max(0, round(middle_px[1]) - reach_px)
    part = image[top : top + 2 * reach_px + 1, left : left + 2 * reach_px + 1].copy()
    return Look(0, left, top, part)


def moved_px(rest: Look, image: Image, noise: float) -> float:
    """How far what shows has moved from its rest, px, root mean square; large where something else shows."""
    now = image[rest.top : rest.top + rest.part.shape[0], rest.left : rest.left + rest.part.shape[1]]
    was = rest.part.astype(np.float32)
    return _moved(float(((now - was) ** 2).sum()), 2 * noise**2 * was.size, _slope(was))


def same_face(before: Image, after: Image) -> float:
    """How alike two pictures of a die are, 0 to 1, in the best of all turns on the table."""
    a, b = (cv2.GaussianBlur(part, (0, 0), 1.0).astype(np.float32) for part in (before, after))
    side = min(a.shape[0], a.shape[1], b.shape[0], b.shape[1])
    a, b = a[:side, :side], b[:side, :side]
    rows, columns = np.mgrid[:side, :side] - (side - 1) / 2
    disc = np.hypot(rows, columns) < 0.36 * side
    best = -1.0
    for turn in range(0, 360, 6):
        matrix = cv2.getRotationMatrix2D(((side - 1) / 2, (side - 1) / 2), float(turn), 1.0)
        turned = cv2.warpAffine(b, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE)
        best = max(best, _alike(a[disc], turned[disc]))
    return best


def _alike(one: Floats, other: Floats) -> float:
    a, b = one - one.mean(axis=0), other - other.mean(axis=0)
    return float((a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum() + 1e-6))


def _slope(part: Floats) -> float:
    """Sum of squared slopes, less what noise alone would give."""
    across = (part[:, 2:] - part[:, :-2]) / 2
    down = (part[2:] - part[:-2]) / 2
    return float((across**2).sum() + (down**2).sum())


def _slope_within(part: Floats, inside: NDArray[np.bool_]) -> float:
    across, down = np.zeros_like(part), np.zeros_like(part)
    across[:, 1:-1] = (part[:, 2:] - part[:, :-2]) / 2
    down[1:-1] = (part[2:] - part[:-2]) / 2
    return float((across[inside] ** 2).sum() + (down[inside] ** 2).sum())


def _same_light(part: Floats, rest: Floats) -> Floats:
    """A part of a picture under the light of another: a hand's shadow that passes over a die moves nothing."""
    return np.asarray(part * np.float32(_light(part, rest)), np.float32)


def _light(part: Floats, rest: Floats) -> float:
    return float((part * rest).sum()) / max(float((part * part).sum()), 1.0)


def _moved(squares: float, noise: float, slope: float) -> float:
    return float(np.sqrt(2 * max(squares - noise, 0.0) / max(slope, 1.0)))

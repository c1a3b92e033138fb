"""Hands and forearms over a table that was seen empty: cut out, told from each other, divided at the wrist.

No colour of skin is assumed: a hand is what differs from the empty table otherwise than a shadow does and comes in over the
picture's border. Lengths are as they show on the table's plane; what is higher shows a little larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.track_colour import Ground, shadow_like
from vision.frame import Image
from vision.observation import Point, Polygon
from vision.table import TablePose

Mask = NDArray[np.uint8]
Floats = NDArray[np.float64]

LEAST_MM2 = 700.0
"""What covers less of the table is no hand: a fingertip that has come in covers more."""
LEAST_ENTRY_MM = 10.0
"""Width of what comes in over the border."""
FRONT_MM = 32.0
"""From the foremost fingertip back: the part whose middle is followed."""
WRIST_MM = (115.0, 215.0)
"""From the foremost fingertip back to the wrist, of fists and long hands."""
USUAL_WRIST_MM = 180.0
"""Where no narrowing tells it: loose sleeves."""
_NARROWS = 0.86
"""Of the palm's width, at the wrist."""
_BIN_MM = 6.0
_LEAST_CHANGE = 9.0
_NOISES = 5.0
_HARD = 0.17
"""Spread of the logarithm of light, beside the ground's, over 8 mm at an edge; a hand's shadow runs out over more."""
_RIMS = ((0, slice(None)), (-1, slice(None)), (slice(None), 0), (slice(None), -1))
_GAP_PX = 5
_SAME_MM = 60.0
"""Between two pictures a hand's front goes less far."""


@dataclass(frozen=True, slots=True, eq=False)
class HandShape:
    """One thing that comes in over the border, in one picture."""

    entry: Point
    """Middle of where it crosses the picture's border, mm."""
    outward: Point
    """Unit direction from its front to where it comes from."""
    front: Point
    """Middle of its foremost part."""
    palm: Point
    """Middle of the largest circle in the hand."""
    palm_radius: float | None
    """Of that circle, mm; None where the picture's border cuts it off."""
    hand: Polygon
    forearm: Polygon
    """Empty where the wrist is not in the picture."""
    arms: int
    """How many arms come in over the border: more than one where hands overlap, none where a sleeve can't be told from the
    table."""
    entries: tuple[Point, ...]
    shadow_mm: float | None
    """How far its shadow falls off it; None where none is seen."""


class HandCutter:
    """Finds hands in pictures of one table. Works on pictures reduced by two."""

    def __init__(self, pose: TablePose, ground: Ground) -> None:
        """`ground`: the empty table in pictures of the size that will be cut."""
        self._mean = _halved(ground.mean)
        self._grey = cv2.cvtColor(self._mean, cv2.COLOR_BGR2GRAY).astype(np.float32)
        self._limit = max(_LEAST_CHANGE, _NOISES * ground.noise / 2)
        height, width = self._mean.shape[:2]
        rows, columns = np.mgrid[:height, :width].astype(np.float64)
        # The middle of a reduced pixel lies between the middles of the two it is made of.
        places = np.stack([2 * columns + 0.5, 2 * rows + 0.5], axis=-1).reshape(-1, 2)
        self._mm = pose.to_mm(places).reshape(height, width, 2)
        across = np.linalg.norm(self._mm[height // 2, width // 2 + 1] - self._mm[height // 2, width // 2])
        self.mm_per_px = float(across)
        self._border = _border(height, width)

    def cut(self, image: Image, known: Sequence[tuple[Point, Point]] = ()) -> list[HandShape]:
        """The hands in a picture, largest first. `known`: entry and front of hands in the last one; near these, what does not
        hang together with the border is a hand too."""
        small = _halved(image)
        blue, green, red = cv2.split(cv2.absdiff(small, self._mean))
        changed = cv2.max(cv2.max(blue, green), red) > self._limit
        foreign = np.zeros(changed.shape, np.uint8)
        where = np.flatnonzero(changed)
        if len(where) * self.mm_per_px**2 < LEAST_MM2:
            return []
        dark = shadow_like(
            small.reshape(-1, 3)[where].astype(np.float32), self._mean.reshape(-1, 3)[where].astype(np.float32)
        )
        foreign.reshape(-1)[where[~dark]] = 255
        shadow = np.zeros(changed.shape, np.uint8)
        shadow.reshape(-1)[where[dark]] = 255
        hard = self._hard(small, shadow, foreign)
        foreign |= hard
        shadow[hard > 0] = 0
        closed = cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        closed = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)
        # What the border cuts off must reach it still.
        for rim in _RIMS:
            closed[rim] = np.maximum(closed[rim], foreign[rim])
        count, marked, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
        labels = np.asarray(marked, np.int32)
        order = sorted(range(1, count), key=lambda n: -stats[n][cv2.CC_STAT_AREA])
        found = []
        for n in order:
            if stats[n][cv2.CC_STAT_AREA] * self.mm_per_px**2 < LEAST_MM2:
                break
            entries = self._entries(labels, n)
            arms = len(entries)
            if not entries:
                entries = self._known_entry(labels == n, known)
            if entries:
                shape = self._shape(labels == n, entries, arms, shadow)
                if shape is not None:
                    found.append(shape)
        return found

    def _hard(self, small: Image, shadow: Mask, foreign: Mask) -> Mask:
        """What is dark as a shadow is but has hard edges: skin or cloth of the table's own hue, darker than it."""
        x, y, width, height = cv2.boundingRect(shadow)
        if width < 8 or height < 8:
            return np.zeros_like(shadow)
        part = (slice(y, y + height), slice(x, x + width))
        light = cv2.cvtColor(small[part], cv2.COLOR_BGR2GRAY).astype(np.float32) + 4
        ratio = np.log(light / (self._grey[part] + 4))
        mean, square = cv2.boxFilter(ratio, -1, (5, 5)), cv2.boxFilter(ratio * ratio, -1, (5, 5))
        spread = np.sqrt(np.maximum(square - mean * mean, 0))
        dark, known = shadow[part], foreign[part]
        edges = np.where((spread > _HARD) & (dark > 0), np.uint8(255), np.uint8(0)) | known
        # An arm's sides end at the picture's border: there they are joined.
        for rim in _RIMS:
            edges[rim] = np.maximum(edges[rim], dark[rim])
        closed = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8)).astype(np.uint8, copy=False)
        contours, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        filled = np.zeros_like(closed)
        cv2.drawContours(filled, contours, -1, 255, cv2.FILLED)
        found = np.zeros_like(shadow)
        found[part] = cv2.morphologyEx(filled & dark, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        return found

    def _entries(self, labels: NDArray[np.int32], number: int) -> list[tuple[Floats, float]]:
        """Where it crosses the border: the middle of each stretch, mm, and its width."""
        rows, columns = self._border
        mine = labels[rows, columns] == number
        if not mine.any():
            return []
        at = np.flatnonzero(mine)
        breaks = np.flatnonzero(np.diff(at) > _GAP_PX)
        runs = np.split(at, breaks + 1)
        if len(runs) > 1 and at[0] + len(mine) - at[-1] <= _GAP_PX:
            runs[0] = np.concatenate([runs.pop(), runs[0]])
        entries = []
        for run in runs:
            ends = self._mm[rows[run], columns[run]]
            width = float(np.linalg.norm(ends[-1] - ends[0]))
            if width >= LEAST_ENTRY_MM:
                entries.append((ends.mean(axis=0), width))
        return sorted(entries, key=lambda entry: -entry[1])

    def _known_entry(self, mine: NDArray[np.bool_], known: Sequence[tuple[Point, Point]]) -> list[tuple[Floats, float]]:
        """Where the known hand came in that is nearest to this."""
        rows, columns = np.nonzero(mine)
        places = self._mm[rows[::4], columns[::4]]
        near = [(float(np.hypot(*(places - np.array(front)).T).min()), n) for n, (_, front) in enumerate(known)]
        if not near or min(near)[0] > _SAME_MM:
            return []
        return [(np.array(known[min(near)[1]][0]), 0.0)]

    def _shape(
        self, mine: NDArray[np.bool_], entries: list[tuple[Floats, float]], arms: int, shadow: Mask
    ) -> HandShape | None:
        rows, columns = np.nonzero(mine)
        places = self._mm[rows, columns]
        entry = entries[0][0]
        away = np.hypot(*(places - entry).T)
        reach = float(np.percentile(away, 99.7))
        if reach < 12.0:
            return None
        front = places[away > reach - min(FRONT_MM, 0.6 * reach)].mean(axis=0)
        axis = (front - entry) / max(float(np.linalg.norm(front - entry)), 1e-6)
        along = (places - entry) @ axis
        wrist = _wrist(along, self.mm_per_px)
        of_hand = along >= wrist
        hand = np.zeros(mine.shape, np.uint8)
        hand[rows[of_hand], columns[of_hand]] = 255
        palm, radius = self._palm(hand)
        arm = np.zeros(mine.shape, np.uint8)
        arm[rows[~of_hand], columns[~of_hand]] = 255
        return HandShape(
            _point(entry),
            _point(-axis),
            _point(front),
            palm,
            radius,
            self._outline(hand),
            self._outline(arm),
            arms,
            tuple(_point(place) for place, _ in entries),
            self._shadow(mine, hand, shadow),
        )

    def _palm(self, hand: Mask) -> tuple[Point, float | None]:
        x, y, width, height = cv2.boundingRect(hand)
        part = cv2.copyMakeBorder(hand[y : y + height, x : x + width], 1, 1, 1, 1, cv2.BORDER_CONSTANT)
        deep = cv2.distanceTransform(part, cv2.DIST_L2, 3)
        _, most, _, (u, v) = cv2.minMaxLoc(deep)
        column, row = min(x + u - 1, hand.shape[1] - 1), min(y + v - 1, hand.shape[0] - 1)
        rim = min(column, row, hand.shape[1] - 1 - column, hand.shape[0] - 1 - row)
        radius = float(most) * self.mm_per_px if rim > most + 1 else None
        return _point(self._mm[row, column]), radius

    def _outline(self, mask: Mask) -> Polygon:
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        if not contours:
            return ()
        contour = max(contours, key=cv2.contourArea)
        if cv2.contourArea(contour) * self.mm_per_px**2 < 60.0:
            return ()
        corners = cv2.approxPolyDP(contour, 1.0, closed=True).reshape(-1, 2)
        return tuple(_point(self._mm[v, u]) for u, v in corners) if len(corners) >= 3 else ()

    def _shadow(self, mine: NDArray[np.bool_], hand: Mask, shadow: Mask) -> float | None:
        """How far the shadow of the hand (not the arm) reaches from it."""
        x, y, width, height = cv2.boundingRect(hand)
        rim = round(110.0 / self.mm_per_px)
        left, top = max(0, x - rim), max(0, y - rim)
        part = shadow[top : y + height + rim, left : x + width + rim]
        around = np.where(mine[top : y + height + rim, left : x + width + rim], np.uint8(0), np.uint8(255))
        part = cv2.morphologyEx(part, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)
        own = cv2.countNonZero(hand)
        if cv2.countNonZero(part) < 0.04 * own:
            return None
        away = cv2.distanceTransform(around, cv2.DIST_L2, 3)[part > 0] * self.mm_per_px
        return float(np.percentile(away, 90))


def _wrist(along: Floats, mm_per_px: float) -> float:
    """How far from the border, along the arm, the wrist is; below everything where it is not in the picture."""
    far = float(np.percentile(along, 99.7))
    length = far - float(along.min())
    if length < WRIST_MM[0]:
        return -np.inf
    back_to = np.maximum(far - along, 0.0)
    counts = np.bincount((back_to / _BIN_MM).astype(np.intp))
    width = np.convolve(counts * mm_per_px**2 / _BIN_MM, np.ones(3) / 3, mode="same")
    back = (np.arange(len(counts)) + 0.5) * _BIN_MM
    # The border cuts the last of it off aslant.
    near = (back >= WRIST_MM[0]) & (back <= min(WRIST_MM[1], length - 2 * _BIN_MM))
    if not near.any():
        return far - USUAL_WRIST_MM if length > USUAL_WRIST_MM else -np.inf
    palm = float(width[(back > 40.0) & (back < WRIST_MM[0] + 30.0)].max())
    at = int(np.flatnonzero(near)[np.argmin(width[near])])
    if width[at] > _NARROWS * palm:
        return far - USUAL_WRIST_MM if length > USUAL_WRIST_MM else -np.inf
    return far - float(back[at])


def _halved(image: Image) -> Image:
    height, width = image.shape[:2]
    return cv2.resize(image, (width // 2, height // 2), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def _border(height: int, width: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the picture's rim, once around."""
    top = [(0, u) for u in range(width)]
    right = [(v, width - 1) for v in range(1, height)]
    bottom = [(height - 1, u) for u in range(width - 2, -1, -1)]
    left = [(v, 0) for v in range(height - 2, 0, -1)]
    ring = np.array(top + right + bottom + left, np.intp)
    return ring[:, 0], ring[:, 1]


def _point(place: Floats) -> Point:
    return round(float(place[0]), 2), round(float(place[1]), 2)

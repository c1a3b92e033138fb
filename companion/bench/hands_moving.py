"""How well hands over the Arena are told: films of two players' hands, shown picture by picture."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.virtual.dice_stills import TABLE_MM
from companion.virtual.hand_film import CLEAR_MM, COME_S, KEPT_MM, STRIKE_S, HandFilm, Play, hand_film
from vision.arena_hands import ArenaHand, ArenaHands, Closing, Seat
from vision.dice.track_colour import Ground
from vision.table import Lens, TablePose, locate_table

EMPTY_PICTURES = 4
SEAT_MM = 320.0
"""From the table's middle to a player."""
_RATES = (120, 90, 120, 60)


@dataclass(slots=True)
class HandsTally:
    """What was counted over films."""

    films: int = 0
    hands: int = 0
    """Hands in pictures, from when they wait over the table until they meet."""
    found: int = 0
    whose: Counter[str] = field(default_factory=Counter)
    invented: int = 0
    """Hands told where none is."""
    palm_in_hand: int = 0
    share_right: list[float] = field(default_factory=list)
    """Of a hand's outline, what is told to be hand, less what is told to be hand and is arm or table."""
    closing: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)
    speed_off: list[float] = field(default_factory=list)
    speed_share: list[float] = field(default_factory=list)
    """Off by how many of the stated errors."""
    frame_ms: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def line(self, name: str) -> dict[str, Any]:
        """One JSON object of the figures."""
        seen = max(self.hands, 1)
        return {
            "set": name,
            "films": self.films,
            "hands": self.hands,
            "found": round(self.found / seen, 4),
            "invented": self.invented,
            "whose_right": round(self.whose["right"] / max(self.found, 1), 4),
            "whose_wrong": self.whose["wrong"],
            "palm_in_hand": round(self.palm_in_hand / max(self.found, 1), 4),
            "hand_overlap_median": _rounded(self.share_right, 50),
            "closing_right": self.closing["right"],
            "closing_unsure": self.closing["unsure"],
            "closing_wrong": self.closing["wrong"],
            "raised_right": self.raised["right"],
            "raised_unknown": self.raised["unknown"],
            "raised_wrong": self.raised["wrong"],
            "speed_off_median": _rounded(self.speed_off, 50),
            "speed_off_95": _rounded(self.speed_off, 95),
            "speed_within_2_errors": round(float(np.mean(np.array(self.speed_share) <= 2)), 4)
            if self.speed_share
            else None,
            "ms_a_frame": _rounded(self.frame_ms, 50),
            "ms_a_frame_99": _rounded(self.frame_ms, 99),
            "misses": self.misses[:40],
        }


def hands(films: int, seed: int) -> dict[str, Any]:
    """Films of two hands, every play in turn, at 60 to 120 pictures a second."""
    tally = HandsTally()
    for n in range(films):
        _count(hand_film(seed, n, _RATES[n // 4 % len(_RATES)]), tally)
    return tally.line("hands")


def hands_of(film: HandFilm) -> tuple[ArenaHands, TablePose]:
    """A follower of hands set up as a table is: lens measured, table seen empty, seats known."""
    empty = [film.empty(80_000 + n) for n in range(EMPTY_PICTURES)]
    pose = locate_table(empty[0], TABLE_MM, Lens(film.camera.matrix, film.camera.coefficients))
    seats = [Seat(hand.seat, *_seat_mm(hand.from_deg)) for hand in film.hands]
    return ArenaHands(pose, Ground.of(empty), seats), pose


def _seat_mm(from_deg: float) -> tuple[float, float]:
    side = math.radians(90.0 * round(from_deg / 90.0))
    return TABLE_MM[0] / 2 + SEAT_MM * math.sin(side), TABLE_MM[1] / 2 - SEAT_MM * math.cos(side)


def _count(film: HandFilm, tally: HandsTally) -> None:
    follower, pose = hands_of(film)
    tally.films += 1
    low = False
    told: list[ArenaHand] = []
    meets = film.touch_s if film.touch_s is not None else film.end_s
    for picture, t_ns in film.pictures():
        start = time.process_time()
        told = follower.feed(picture, t_ns)
        tally.frame_ms.append((time.process_time() - start) * 1000)
        seconds = t_ns / 1e9
        if not low and seconds > (COME_S + STRIKE_S) / 2:
            # Both take up a die there.
            low = True
            for hand in film.hands:
                follower.at_table(hand.seat)
        if COME_S <= seconds < meets - 0.01:
            _count_hands(film, pose, told, seconds, tally)
    _count_raised(film, told, tally)
    asked = film.touch_s if film.touch_s is not None else film.end_s
    answer = follower.closing("A", "B", round(asked * 1e9))
    wanted = _wanted(film)
    state = "unsure" if answer is Closing.UNSURE else "right" if answer in wanted else "wrong"
    tally.closing[state] += 1
    if state != "right":
        came = film.came()
        tally.misses.append(f"{film.name}: {answer} for {'/'.join(sorted(wanted))} {came and [round(c) for c in came]}")


def _wanted(film: HandFilm) -> set[Closing]:
    """What may rightly be said: hands that came neither far nor hardly at all may be said to have come or not."""
    came = film.came()
    if came is None:
        return {Closing.NEITHER}
    may = [({True} if far >= CLEAR_MM else {False} if far <= KEPT_MM else {True, False}) for far in came]
    names = {
        (True, True): Closing.BOTH,
        (True, False): Closing.ONE,
        (False, True): Closing.OTHER,
        (False, False): Closing.NEITHER,
    }
    return {names[one, other] for one in may[0] for other in may[1]}


def _count_hands(film: HandFilm, pose: TablePose, told: list[ArenaHand], seconds: float, tally: HandsTally) -> None:
    left = list(told)
    for n, hand in enumerate(film.hands):
        shown = _shown(film, pose, n, seconds)
        middle = np.concatenate(shown).mean(axis=0)
        tally.hands += 1
        near = [each for each in left if float(np.hypot(*(np.array(each.palm_mm) - middle))) < 90.0]
        if not near:
            continue
        mine = min(near, key=lambda each: float(np.hypot(*(np.array(each.palm_mm) - middle))))
        left.remove(mine)
        tally.found += 1
        tally.whose["none" if mine.seat is None else "right" if mine.seat == hand.seat else "wrong"] += 1
        own, said = _raster(shown), _raster([np.array(mine.hand_mm)])
        u, v = round(mine.palm_mm[0]) + 60, round(mine.palm_mm[1]) + 60
        tally.palm_in_hand += bool(own[min(max(v, 0), own.shape[0] - 1), min(max(u, 0), own.shape[1] - 1)])
        tally.share_right.append(float((own & said).sum() / max((own | said).sum(), 1)))
        if mine.speed is not None and mine.speed_err is not None:
            off = abs(mine.speed - _truly(film, n, seconds))
            tally.speed_off.append(off)
            tally.speed_share.append(off / mine.speed_err)
    tally.invented += len(left)


def _truly(film: HandFilm, n: int, seconds: float) -> float:
    """A hand's speed toward the other now."""
    middles = [np.concatenate(hand.outlines(seconds)).mean(axis=0) for hand in film.hands]
    toward = middles[1 - n] - middles[n]
    return float(np.array(film.velocity(n, seconds)) @ toward / np.linalg.norm(toward))


def _shown(film: HandFilm, pose: TablePose, n: int, seconds: float) -> list[NDArray[np.float64]]:
    """Fingers and palm as they show on the table's plane."""
    height = film.hands[n].place(seconds)[2]
    return [pose.to_mm(film.camera.project(part, height)) for part in film.hands[n].outlines(seconds)]


def _raster(polygons: list[NDArray[np.float64]]) -> NDArray[np.bool_]:
    mask = np.zeros((round(TABLE_MM[1]) + 120, round(TABLE_MM[0]) + 120), np.uint8)
    for polygon in polygons:
        cv2.fillPoly(mask, [np.round(polygon + 60).astype(np.int32)], 1)
    return mask > 0


def _count_raised(film: HandFilm, told: list[ArenaHand], tally: HandsTally) -> None:
    if film.touch_s is not None:
        return
    for n, hand in enumerate(film.hands):
        mine = [each for each in told if each.seat == hand.seat]
        said = mine[0].raised if len(mine) == 1 else None
        truly = film.play is Play.RAISED and n == 0
        state = "unknown" if said is None else "right" if said == truly else "wrong"
        tally.raised[state] += 1
        if state != "right":
            tally.misses.append(f"{film.name}: hand {hand.seat} raised {said} for {truly}")


def _rounded(values: list[float], percentile: float) -> float | None:
    return round(float(np.percentile(values, percentile)), 3) if values else None

"""How well moving dice are told: films of throws around the string, of pushes and of dice taken up, shown to the tracker."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from companion.virtual.dice_film import RATES, Act, RollFilm, roll_film, touched_film
from companion.virtual.dice_stills import TABLE_MM
from vision.arena import find_arena
from vision.dice.eye import eye_of
from vision.dice.track import DiceEvent, DiceEventKind, DiceTracker, TrackedDie
from vision.dice.track_colour import Ground, colour_at
from vision.table import Lens, TablePose, locate_table

EMPTY_PICTURES = 4
FRAMES_RIGHT = 2.0
UNSURE_FRAMES = 5.0
"""A settle time is right within so many frames."""
KNOCK_ERR_NS = 500_000
_BESIDE_THE_ACT = frozenset({DiceEventKind.APPEARED, DiceEventKind.DECIDED, DiceEventKind.HIDDEN, DiceEventKind.SHOWN})


@dataclass(slots=True)
class MovingTally:
    """What was counted over films. A die counts once."""

    dice: int = 0
    found: int = 0
    """Settled once, and nothing else was told of them."""
    settle_right: int = 0
    settle_unsure: int = 0
    """The band of the settle time that was told is wider than UNSURE_FRAMES: something hid the die then."""
    settle_frames: list[float] = field(default_factory=list)
    """How many frames too late, for each die that settled."""
    inside_right: int = 0
    unsure: int = 0
    """No first touch seen, or so near the string that it is asked."""
    wrong: int = 0
    touch_ms: list[float] = field(default_factory=list)
    touch_mm: list[float] = field(default_factory=list)
    touches: int = 0
    in_band: int = 0
    """Touches of which the die's true first point of contact lies within the band that was told."""
    acts: Counter[str] = field(default_factory=Counter)
    """Of dice that were not thrown: what was to be told and was, "<act>", or what was told instead, "<act>: <told>"."""
    frame_ms: list[float] = field(default_factory=list)
    task_ms: list[float] = field(default_factory=list)
    """Of a core, for each throw's first touch; no picture waits for it."""
    misses: list[str] = field(default_factory=list)
    """Dice whose side was told wrongly, or whose rest beyond what its band says."""
    behind: int = 0
    """By how many pictures the tracker was ever behind, had each come at its time."""

    def line(self, name: str) -> dict[str, Any]:
        """One JSON object of the figures."""
        thrown = max(1, self.dice)
        told = {
            "set": name,
            "dice": self.dice,
            "found": round(self.found / thrown, 4),
            "settle_within_2_frames": round(self.settle_right / thrown, 4),
            "settle_unsure": round(self.settle_unsure / thrown, 4),
            "settle_frames_median": _rounded(self.settle_frames, 50),
            "settle_frames_worst": _rounded([abs(late) for late in self.settle_frames], 100),
            "inside_right": round(self.inside_right / thrown, 4),
            "unsure": round(self.unsure / thrown, 4),
            "wrong": self.wrong,
            "touch_ms_median": _rounded([abs(late) for late in self.touch_ms], 50),
            "touch_mm_median": _rounded(self.touch_mm, 50),
            "touch_mm_95": _rounded(self.touch_mm, 95),
            "band_holds": round(self.in_band / self.touches, 4) if self.touches else None,
            "ms_a_frame": _rounded(self.frame_ms, 50),
            "ms_a_frame_99": _rounded(self.frame_ms, 99),
            "ms_a_frame_worst": _rounded(self.frame_ms, 100),
            "frames_behind_worst": self.behind,
            "ms_a_touch": _rounded(self.task_ms, 50),
            "ms_a_touch_worst": _rounded(self.task_ms, 100),
            "frames_a_second_of_a_core": self.rate(),
            "misses": self.misses[:40],
        }
        return told | ({"acts": dict(sorted(self.acts.items()))} if self.acts else {})

    def rate(self) -> float | None:
        """Pictures a second that one core follows, first touches included."""
        spent = (sum(self.frame_ms) + sum(self.task_ms)) / 1000
        return round(len(self.frame_ms) / spent, 1) if spent else None


def throws(films: int, seed: int, knocks: bool = False) -> dict[str, Any]:
    """Films of throws, every fourth with two dice. `knocks`: a pad feels each touch of the table."""
    tally = MovingTally()
    for n in range(films):
        film = roll_film(seed, n, 2 if n % 4 == 3 else 1, RATES[n // 4 % len(RATES)])
        count_throws(f"film {n}", film, _told(film, tally, knocks), tally)
    return tally.line("throws-knock" if knocks else "throws")


def touched(films: int, seed: int) -> dict[str, Any]:
    """Films of dice that are pushed or taken up."""
    tally = MovingTally()
    wanted = {Act.PUSHED: DiceEventKind.PUSHED, Act.TAKEN_UP: DiceEventKind.TAKEN_UP}
    for n in range(films):
        act = (Act.PUSHED, Act.TAKEN_UP)[n % 2]
        told = [event.kind for event in _told(touched_film(seed, n, act), tally, knocks=False)]
        last = [kind for kind in told if kind not in _BESIDE_THE_ACT]
        right = wanted[act] in last and DiceEventKind.SETTLED not in last[1:]
        tally.acts[act.value if right else f"{act}: {', '.join(last) or 'nothing'}"] += 1
    return tally.line("touched")


def tracker_of(film: RollFilm) -> DiceTracker:
    """A tracker set up as a table is: lens measured, table seen empty, the loop found there, each colour taken from a picture of
    the die alone."""
    empty = [film.empty(80_000 + n) for n in range(EMPTY_PICTURES)]
    ground = Ground.of(empty)
    pose = locate_table(empty[0], TABLE_MM, Lens(film.camera.matrix, film.camera.coefficients))
    return DiceTracker(pose, ground, _enrolled(film, pose, ground), find_arena(empty[0], pose))


def _enrolled(film: RollFilm, pose: TablePose, ground: Ground) -> list[TrackedDie]:
    width, height = film.camera.size
    eye = eye_of(pose, width, height)
    dice = []
    for n, (picture, (x, y)) in enumerate(film.enrolment()):
        size = film.dice[n].die.size_mm
        shown = eye.shown(np.array([[x, y, size / 2], [x + size, y, size / 2]]))
        middle, beside = pose.to_px(shown)
        radius = 0.45 * float(np.linalg.norm(beside - middle))
        colour = colour_at(picture, ground, (float(middle[0]), float(middle[1])), radius)
        dice.append(TrackedDie(str(n), colour, size, film.dice[n].die.sides))
    return dice


def _told(film: RollFilm, tally: MovingTally, knocks: bool) -> list[DiceEvent]:
    tracker = tracker_of(film)
    told: list[DiceEvent] = []
    felt = sorted(_knocks(film)) if knocks else []
    late_ms = 0.0
    for picture, t_ns in film.pictures():
        while felt and felt[0] <= t_ns:
            tracker.knock(felt.pop(0), KNOCK_ERR_NS)
        start = time.process_time()
        told += tracker.feed(picture, t_ns)
        took_ms = (time.process_time() - start) * 1000
        tally.frame_ms.append(took_ms)
        late_ms = max(late_ms + took_ms - 1000 / film.fps, 0.0)
        tally.behind = max(tally.behind, math.ceil(late_ms * film.fps / 1000))
        for task in tracker.tasks():
            start = time.process_time()
            touch = task.run()
            tally.task_ms.append((time.process_time() - start) * 1000)
            told += tracker.decided(task.number, touch)
    return told


def _knocks(film: RollFilm) -> Iterator[int]:
    for truth in film.truth():
        if truth["touch_s"] is not None:
            yield round(truth["touch_s"] * 1e9)


def count_throws(name: str, film: RollFilm, told: list[DiceEvent], tally: MovingTally) -> None:
    """What was told of a film's throws against its truth; `name` stands before what is missed."""
    for n, truth in enumerate(film.truth()):
        tally.dice += 1
        mine = [event for event in told if event.die == str(n)]
        settled = [event for event in mine if event.kind is DiceEventKind.SETTLED]
        # What was told of a rest on an edge is withdrawn.
        settled = settled[sum(event.kind is DiceEventKind.UNSETTLED for event in mine) :]
        if len(settled) != 1:
            tally.unsure += 1
            continue
        tally.found += 1
        late = (settled[0].t_ns / 1e9 - truth["settle_s"]) * film.fps
        tally.settle_frames.append(late)
        right = abs(late) <= FRAMES_RIGHT
        tally.settle_right += right
        told_unsure = settled[0].t_err_ns / 1e9 * film.fps > UNSURE_FRAMES
        tally.settle_unsure += not right and told_unsure
        if not right and not told_unsure:
            tally.misses.append(f"{name}, die {n}: told at rest {late:+.1f} frames late")
        touch = [event.touch for event in mine if event.kind is DiceEventKind.DECIDED][-1]
        if touch is None:
            tally.unsure += 1
            continue
        tally.touch_ms.append((touch.t_ns / 1e9 - truth["touch_s"]) * 1000)
        tally.touches += 1
        tally.in_band += math.dist(touch.contact_mm, truth["contact_mm"]) <= touch.contact_err_mm
        x, y = truth["touch_mm"]
        tally.touch_mm.append(float(np.hypot(touch.x_mm - x, touch.y_mm - y)))
        if touch.inside is None:
            tally.unsure += 1
        elif touch.inside == (truth["depth_mm"] > 0):
            tally.inside_right += 1
        else:
            tally.wrong += 1
            side = "inside" if touch.inside else "outside"
            tally.misses.append(f"{name}, die {n}: told {side}, first touched {truth['depth_mm']:+.1f} mm inside")


def _rounded(values: list[float], percentile: float) -> float | None:
    return round(float(np.percentile(values, percentile)), 2) if values else None

"""Watches a stream of pictures: tells when the table moves, and looks at it once it has settled.

A moving picture becomes SETTLED after `settle_ms` without motion, counted by the pictures' own times. It is looked at twice
before that moment is over; where the two looks disagree a third one decides, and what stays in dispute becomes unknown. A
hand that rests over the table makes it COVERED: what can be seen is told, with the hidden areas, and nothing else.
A picture that came settled (one of a directory) is looked at by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np

from vision.agree import agreed, doubting_hidden_stars, same_scene
from vision.errors import VisionError
from vision.frame import Frame
from vision.hands import areas_mm, areas_reaching_in, share_hidden
from vision.look import Before
from vision.observation import Activity, ActivityChange, Observation, Polygon, SceneReading
from vision.settle import Mask, Plane, Reduced, Stillness, reduce
from vision.table import TablePose

MS = 1_000_000
"""Nanoseconds in a millisecond."""
LEAP_MS = 10_000.0
LEAP_STEPS = 10
"""Pictures further apart than this, and than so many of the steps before, say that a clock was set."""


class LooksAtTables(Protocol):
    """What the watcher looks with (vision.look.Look)."""

    def locate(self, frame: Frame) -> TablePose:
        """Where the table is. Raises VisionError where that can't be seen."""

    def read(
        self,
        frame: Frame,
        hidden_mm: Sequence[Polygon] = (),
        pose: TablePose | None = None,
        before: Before | None = None,
    ) -> SceneReading:
        """The scene of a settled picture; what `before` read and has not changed need not be read again."""


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """How patient the watcher is. Times in ms of the pictures' own clock."""

    settle_ms: float = 400.0
    """Without motion for so long, the table has settled."""
    confirm_ms: float = 120.0
    """The first look is taken so long before the table counts as settled, the confirming look at that moment."""
    retry_ms: float = 1000.0
    """While the table is lost, it is looked for again so often."""
    frozen_ms: float | None = None
    """A live camera that repeats the very same picture for so long has frozen; None for sources that may (recordings)."""
    outside_mm: float = 15.0
    """Motion further outside the table rectangle does not count."""
    accept_ms: float = 15_000.0
    """A change that reaches in from the edge and lies still so long is the table's new look, unless it looks like a hand."""
    blind_share: float = 0.6
    """With more of the table hidden than this nothing is told at all."""


@dataclass(frozen=True, slots=True, eq=False)
class _Background:
    """The table as it was last seen with nothing reaching in."""

    plane: Plane
    pose: TablePose
    scene: SceneReading


class Watcher:
    """Takes one source's frames in order; not for use from two threads.

    `last_frame` is the picture that led to the last Observation (a copy: frames may live in shared memory).
    """

    def __init__(self, look: LooksAtTables, source: str = "camera", settings: WatchSettings | None = None) -> None:
        self.last_frame: Frame | None = None
        self.activity: Activity | None = None
        self._look = look
        self._source = source
        self._settings = settings if settings is not None else WatchSettings()
        self._stillness = Stillness()
        self._within: Mask | None = None
        self._pose: TablePose | None = None
        self._background: _Background | None = None
        self._only_change_hides = False
        self._looks: list[SceneReading] = []
        self._looked_at: Frame | None = None
        self._look_after_ns = 0
        self._decided = False
        self._told: SceneReading | None = None
        self._clear: SceneReading | None = None
        self._text = ""
        self._bumped = False
        self._last_t_ns: int | None = None
        self._last_step_ns = 0
        self._last_small: Plane | None = None
        self._same_since_ns = 0
        self._covered_since_ns: int | None = None

    def feed(self, frame: Frame) -> tuple[Observation | ActivityChange, ...]:
        """Takes the next frame; what there is to tell, in order. Most frames tell nothing."""
        if frame.settled:
            return self._settled_picture(frame)
        small = reduce(frame.image)
        if self._leaps(frame.t_ns):
            # The source began again, or its clock was set: no stillness reaches across that.
            self._stillness.restart(small, frame.t_ns)
            self._unsettle()
            self._same_since_ns = frame.t_ns
        frozen = self._frozen(small, frame.t_ns)
        if self._stillness.feed(small, frame.t_ns, self._within):
            return self._moved(frame)
        if frozen:
            return self._change(frame, Activity.LOST, _FROZEN)
        if self._text == _FROZEN and self._decided:
            self._unsettle()  # what happened meanwhile was not seen
        if self._decided and not self._accepts_change(frame):
            return ()
        return self._wait(frame, small)

    def look_again(self) -> None:
        """The pictures were gone for a while: what the table shows now is looked at and told anew."""
        self.activity = None
        self._unsettle()

    def end(self) -> tuple[Observation | ActivityChange, ...]:
        """The recording is over: what was looked at, but not yet confirmed, is told as far as it is known."""
        if self._decided or not self._looks or self._looked_at is None:
            return ()
        return self._settle(self._looked_at)

    # Directory pictures

    def _settled_picture(self, frame: Frame) -> tuple[Observation | ActivityChange, ...]:
        try:
            scene = self._look.read(frame)
        except VisionError as error:
            return self._change(frame, Activity.LOST, _said(frame, error))
        self._looked_at = _kept(frame)
        change = self._change(frame, *self._activity_of(scene))
        return (*change, self._tell(self._looked_at, scene))

    # Moving pictures

    def _moved(self, frame: Frame) -> tuple[Observation | ActivityChange, ...]:
        self._unsettle()
        if self.activity is Activity.LOST and self._text != _FROZEN:
            return ()
        # What is wrong with the table (a covered marker) stays said while hands move over it.
        lasting = self.activity in (Activity.SETTLED, Activity.MOVING)
        return self._change(frame, Activity.MOVING, self._text if lasting else "")

    def _leaps(self, t_ns: int) -> bool:
        """Whether time goes back with this picture, or further on at once than these pictures' time goes."""
        last, self._last_t_ns = self._last_t_ns, t_ns
        if last is None:
            return False
        step, before, self._last_step_ns = t_ns - last, self._last_step_ns, t_ns - last
        return step < 0 or step > max(LEAP_MS * MS, LEAP_STEPS * before)

    def _unsettle(self) -> None:
        self._looks = []
        self._decided = False
        self._look_after_ns = 0
        self._covered_since_ns = None

    def _wait(self, frame: Frame, small: Reduced) -> tuple[Observation | ActivityChange, ...]:
        settings = self._settings
        still_ms = (frame.t_ns - self._stillness.still_since_ns) / MS
        wanted_ms = settings.settle_ms - (settings.confirm_ms if not self._looks else 0.0)
        if still_ms < wanted_ms or frame.t_ns < self._look_after_ns:
            return ()
        try:
            self._look_once_more(frame, small)
        except VisionError as error:
            self._looks = []
            self._look_after_ns = frame.t_ns + round(settings.retry_ms * MS)
            return self._change(frame, Activity.LOST, _said(frame, error))
        return self._settle(frame) if self._enough_looks(still_ms) else ()

    def _look_once_more(self, frame: Frame, small: Reduced) -> None:
        self._looked_at = _kept(frame)
        self._pose = self._look.locate(frame)
        self._watch_only(self._pose, small)
        hidden, before = self._since_clear(self._pose, small.factor)
        scene = self._look.read(frame, hidden, self._pose, before)
        self._only_change_hides = bool(hidden) and len(scene.hidden_mm) == len(hidden)
        self._looks.append(scene)

    def _enough_looks(self, still_ms: float) -> bool:
        looks = self._looks
        if still_ms < self._settings.settle_ms:
            return False
        if self._settings.confirm_ms <= 0 or len(looks) >= 3:
            return True
        return len(looks) == 2 and same_scene(looks[0], looks[1])

    def _settle(self, frame: Frame) -> tuple[Observation | ActivityChange, ...]:
        scene = agreed(self._looks)
        self._decided = True
        self._looks = []
        self._covered_since_ns = frame.t_ns if self._only_change_hides else None
        mean = self._stillness.mean
        if not scene.hidden_mm and mean is not None and self._pose is not None:
            self._background = _Background(mean.copy(), self._pose, scene)
        change = self._change(frame, *self._activity_of(scene))
        if share_hidden(scene.hidden_mm, scene.table_mm) > self._settings.blind_share:
            return change
        return (*change, self._tell(frame, scene))

    def _activity_of(self, scene: SceneReading) -> tuple[Activity, str]:
        if scene.hidden_mm:
            return Activity.COVERED, _COVERED
        return Activity.SETTLED, "; ".join([*([_BUMPED] if self._bumped else []), *scene.warnings])

    def _accepts_change(self, frame: Frame) -> bool:
        """Whether what reached in has lain there so long, unlike a hand, that it must be the table's new look."""
        since = self._covered_since_ns
        if since is None or frame.t_ns - since < self._settings.accept_ms * MS:
            return False
        self._background = None
        self._unsettle()
        return True

    def _watch_only(self, pose: TablePose, small: Reduced) -> None:
        """Motion counts over the table and a little around it, as it lies in the picture now."""
        width, height = pose.table_mm
        m = self._settings.outside_mm
        corners = pose.to_px([(-m, -m), (width + m, -m), (width + m, height + m), (-m, height + m)])
        within = np.zeros(small.plane.shape[:2], np.uint8)
        cv2.fillConvexPoly(within, np.round(corners / small.factor).astype(np.int32), 255)
        self._within = within

    def _since_clear(self, pose: TablePose, factor: int) -> tuple[tuple[Polygon, ...], Before | None]:
        """Where something reaches in that was not there when the table was last seen clear; and that look, if any."""
        mean, clear = self._stillness.mean, self._background
        self._bumped = clear is not None and not _same_view(clear.pose, pose)
        if mean is None or clear is None or clear.plane.shape != mean.shape or self._bumped:
            return (), None
        changed, hints = self._stillness.differences(clear.plane, mean, self._within)
        hidden = areas_reaching_in(changed, pose, factor)
        return hidden, Before(clear.scene, areas_mm(hints, pose, factor))

    # Telling

    def _tell(self, frame: Frame, scene: SceneReading) -> Observation:
        scene = doubting_hidden_stars(scene, self._clear)
        if not scene.hidden_mm:
            self._clear = scene
        changed = self._told is None or not same_scene(self._told, scene)
        self._told = scene
        self.last_frame = self._looked_at
        return Observation(self._source, frame.t_ns, frame.t_err_ns, frame.frame_id, frame.name, scene, changed)

    def _change(self, frame: Frame, activity: Activity, text: str = "") -> tuple[ActivityChange, ...]:
        if activity is self.activity and text == self._text:
            return ()
        self.activity, self._text = activity, text
        return (ActivityChange(self._source, frame.t_ns, activity, text),)

    def _frozen(self, small: Reduced, t_ns: int) -> bool:
        same = self._last_small is not None and np.array_equal(self._last_small, small.plane)
        self._last_small = small.plane
        if not same:
            self._same_since_ns = t_ns
        limit = self._settings.frozen_ms
        return limit is not None and same and t_ns - self._same_since_ns >= limit * MS


_COVERED = "a hand or another thing is in the way: take it off the table"
_BUMPED = "the camera or the table was moved: it is seen where it lies now"
_FROZEN = "the camera repeats one and the same picture: check its cable, then start it again"


def _said(frame: Frame, error: VisionError) -> str:
    """The error's line, with the picture's name where it has one."""
    return f"{frame.name}: {error}" if frame.name else str(error)


def _kept(frame: Frame) -> Frame:
    """The frame with a picture of its own: the source may write the next one over it."""
    return replace(frame, image=frame.image.copy())


def _same_view(one: TablePose, other: TablePose) -> bool:
    """Whether the camera and the table stand to each other as before: corners within 2 mm."""
    width, height = one.table_mm
    corners = one.to_px([(0, 0), (width, 0), (width, height), (0, height)])
    moved = other.to_mm(corners) - one.to_mm(corners)
    return bool(np.abs(moved).max() < 2.0)

"""The loop of string taken from the camera: found by itself, or chosen by one tap where there are several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInputError
from companion.service.offering import Offering
from vision.arena import NO_ARENA, Arena, ArenaState, arena_at, find_arena
from vision.errors import VisionError
from vision.frame import Image
from vision.hands import find_reach, hidden_areas
from vision.observation import Polygon
from vision.table import Lens, PoseTracker, TablePose

Json = Any
_SAYS = {
    ArenaState.FOUND: "Is this the loop? If not, tap the string that it should be.",
    ArenaState.HELD: "Is this the loop? If not, tap the string that it should be.",
    ArenaState.NONE: "No closed string to be seen: lay it closed on the table, on a ground that differs from it.",
    ArenaState.SEVERAL: "More than one loop to be seen: tap the string that counts, or take the others away.",
}
_NO_LOOP_THERE = "no closed string passes or lies around there: tap the string itself, and close it where it is open"
_HIDDEN = "A part of the string is hidden: take away what lies over it."


@dataclass(frozen=True, slots=True)
class TakenLoop:
    """A loop that somebody said is the one."""

    arena: Arena
    at_mm: tuple[float, float]
    """A point inside, by which it is found again among others."""


class LoopTaking(Offering):
    """The loop of one table. Every method may be called from any thread."""

    def __init__(self, table_mm: tuple[float, float], lens: Lens | None = None) -> None:
        """`table_mm`: the table's size; its markers are in the picture."""
        super().__init__("Lay the string on the table, closed, and take your hands away.")
        self.taken: TakenLoop | None = None
        """Once somebody said so."""
        self._tracker = PoseTracker(table_mm, lens)
        self._pose: TablePose | None = None
        self._hidden: tuple[Polygon, ...] = ()
        self._arena = NO_ARENA

    # What the camera says

    def offer(self, image: Image) -> None:
        """A settled picture."""
        try:
            pose = self._tracker.locate(image)
        except VisionError as error:
            self._saw(image, None, (), NO_ARENA, str(error))
            return
        reach = find_reach(image, pose)
        hidden = () if reach is None else hidden_areas(reach, pose)
        arena = find_arena(image, pose, hidden)
        self._saw(image, pose, hidden, arena, _HIDDEN if any(arena.unseen) else _SAYS[arena.state])

    def _saw(self, image: Image, pose: TablePose | None, hidden: tuple[Polygon, ...], arena: Arena, note: str) -> None:
        with self._changed:
            self._picture, self._pose, self._hidden, self._arena, self._note = image, pose, hidden, arena, note
            if self._recorded:
                self._decided.clear()
            self._show()

    # What people say

    def point(self, across: float, down: float) -> None:
        """Chooses the loop at a place of the picture, as shares of its width and height.

        Raises BadInputError where none is there.
        """
        if not (0 <= across <= 1 and 0 <= down <= 1):
            raise BadInputError("tap within the picture")
        with self._changed:
            image, pose, hidden = self._picture, self._pose, self._hidden
        if image is None or pose is None:
            raise BadInputError("the table isn't seen yet: see to it that its markers are in the picture")
        height, width = image.shape[:2]
        ((x, y),) = pose.to_mm([(across * width - 0.5, down * height - 0.5)])
        arena = arena_at(image, pose, (float(x), float(y)), hidden)
        if arena.state is ArenaState.NONE:
            raise BadInputError(_NO_LOOP_THERE)
        self._saw(image, pose, hidden, arena, _HIDDEN if any(arena.unseen) else _SAYS[arena.state])

    def keep(self) -> None:
        """This is the loop. Raises BadInputError where there is none, or more than one."""
        with self._changed:
            if not self._arena.is_one:
                raise BadInputError("no one loop is found yet: tap the string that counts")
            self.taken = TakenLoop(self._arena, _inner_point(self._arena))
            self._done = True
            self._next("Kept.")

    def look_again(self) -> None:
        """The next still picture is looked at anew."""
        with self._changed:
            self._again = True
            self._next("Hold still: it is looked at again.")

    def end(self) -> None:
        """Nothing is kept."""
        with self._changed:
            self._done = True
            self._show()

    # What the page shows

    def view(self) -> Mapping[str, Json]:
        """Everything that the page shows, JSON-able."""
        with self._changed:
            return {
                "version": self._version,
                "note": self._note,
                "ended": self._ended,
                "lost": self._lost,
                "done": self._done,
                "kept": self.taken is not None,
                "seen": self._picture is not None,
                "state": self._arena.state.value,
                "can_keep": self._arena.is_one,
                "across_mm": _across_mm(self._arena),
                "colour": list(self._arena.colour) if self._arena.is_one and self._arena.colour is not None else None,
            }

    # Inside

    def _outline(self) -> NDArray[np.float64] | None:
        if self._pose is None or len(self._arena.polygon_mm) < 3 or not self._arena.is_one:
            return None
        return np.asarray(self._pose.to_px(self._arena.polygon_mm), np.float64)


def _across_mm(arena: Arena) -> list[int] | None:
    """Width and height of the loop."""
    if not arena.is_one:
        return None
    corners = np.asarray(arena.polygon_mm)
    return [round(float(part)) for part in np.ptp(corners, axis=0)]


def _inner_point(arena: Arena) -> tuple[float, float]:
    """A point well inside, which need not be the corners' middle."""
    corners = np.asarray(arena.polygon_mm)
    middle = corners.mean(axis=0)
    tried = [middle, *(middle + share * (corner - middle) for corner in corners[::8] for share in (0.3, 0.6))]
    best = max(tried, key=lambda point: arena.distance(float(point[0]), float(point[1])))
    return round(float(best[0]), 1), round(float(best[1]), 1)

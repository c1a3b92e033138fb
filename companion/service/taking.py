"""Enrolment from the camera: one card at a time is taken, shown, named and kept as a scan in a directory.

Every scan is written when it is kept: whatever ends the service, what was kept stays, and the next start goes on with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInputError
from companion.files import write_whole
from companion.service.offering import Offering, jpeg, png
from vision.cards.deck import Reference, make_reference, read_scan
from vision.cards.likeness import most_like
from vision.cards.taking import Taken, take_card
from vision.errors import VisionError
from vision.frame import Image
from vision.scans import BACK, are_scans, can_be_id, is_back, side_of
from vision.table import PoseTracker

Json = Any
_NUMBERED = re.compile(r"(.*?)(\d+)")


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """A card as it was found, waiting for a word."""

    number: int
    taken: Taken
    like: str | None
    """A side that is kept already and looks like this one."""


class Taking(Offering):
    """The cards of one deck on their way into a directory. Every method may be called from any thread."""

    def __init__(
        self,
        folder: Path,
        name: str,
        size_mm: tuple[float, float],
        ids: Sequence[str] = (),
        table_mm: tuple[float, float] | None = None,
    ) -> None:
        """`name` is the deck's, for people; `ids`: the cards that are expected, in order. `table_mm`: the table's size where its
        markers are in the picture; a card must then have its own size.

        Raises BadInputError where the directory can't be used, BadDeckScansError where a scan in it can't be read.
        """
        super().__init__("Lay one card on the table.")
        self.folder = folder
        self._name = name
        self._size_mm = size_mm
        self._ids = tuple(ids)
        self._tracker = PoseTracker(table_mm) if table_mm is not None else None
        self._takes = 0
        self._take: Take | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            scans = are_scans(folder.iterdir())
        except OSError as error:
            raise BadInputError(f"{folder}: scans can't be kept there ({error.strerror})") from None
        self._kept: dict[str, Reference] = {path.stem: self._reference(path.stem, read_scan(path)) for path in scans}
        self._files: dict[str, Path] = {path.stem: path for path in scans}

    # What the camera says

    def offer(self, image: Image) -> None:
        """A settled picture; one without a card is passed over."""
        with self._changed:
            self._picture = image
        taken = self._found(image)
        like = self._like(taken) if taken is not None else None
        with self._changed:
            self._takes += 1
            self._take = None if taken is None else Take(self._takes, taken, like)
            if taken is not None:
                self._note = ""
                self._decided.clear()
            self._show()

    # What people say

    def keep(self, take: int, side: str, *, again: bool = False) -> str:
        """Keeps a take as the picture of a card, or of a back (`back`, `back-red`); the scan's name.

        `again` where that side has one already, and this is a further picture of it. Raises BadInputError.
        """
        side = side.strip()
        with self._changed:
            current = self._current(take)
            if not is_back(side) and not can_be_id(side):
                raise BadInputError(f"{side!r} can't name a card: use no / or @; back and back-... name the other side")
            if len(side) > 80 or not side.isprintable() or "/" in side or "@" in side or side.startswith("."):
                raise BadInputError(f"{side[:80]!r} can't be the name of a file: make it short, without / and @")
            stem = self._stem(side, again=again)
            reference = self._reference(stem, current.taken.scan)
            path = self.folder / f"{stem}.png"
            write_whole(path, lambda stream: stream.write(png(current.taken.scan)))
            self._kept[stem], self._files[stem] = reference, path
            self._next(f"Kept as {stem}. Take it away and lay the next card.")
            return stem

    def turn(self, take: int) -> None:
        """Turns a take by a quarter, clockwise."""
        with self._changed:
            current = self._current(take)
            turned = cv2.rotate(current.taken.scan, cv2.ROTATE_90_CLOCKWISE).astype(current.taken.scan.dtype)
            self._takes += 1
            self._take = replace(current, number=self._takes, taken=replace(current.taken, scan=turned))
            self._show()

    def drop(self, take: int, *, again: bool) -> None:
        """Takes no notice of a take; `again` where the card is to be taken once more."""
        with self._changed:
            self._current(take)
            self._again = again
            self._next("Hold still: it is taken again." if again else "Left out. Lay the next card.")

    def remove(self, stem: str) -> None:
        """Throws a kept scan away. Raises BadInputError where there is none."""
        with self._changed:
            path = self._files.get(stem)
            if path is None:
                raise BadInputError(f"{stem!r} is not among the kept scans")
            path.unlink(missing_ok=True)
            del self._files[stem], self._kept[stem]
            self._show()

    def finish(self) -> None:
        """All cards are taken. Raises BadInputError where there is none."""
        with self._changed:
            if not any(not is_back(side_of(stem)) for stem in self._kept):
                raise BadInputError("no card is kept yet: keep at least one")
            self._done = True
            self._show()

    # What the page shows

    def view(self) -> Mapping[str, Json]:
        """Everything that the page shows, JSON-able."""
        with self._changed:
            take = self._take
            return {
                "version": self._version,
                "deck": self._name,
                "size_mm": list(self._size_mm),
                "note": self._note,
                "ended": self._ended,
                "done": self._done,
                "take": None
                if take is None
                else {
                    "number": take.number,
                    "faults": [fault.value for fault in take.taken.faults],
                    "like": take.like,
                    "suggested": self._suggested(),
                    "width": take.taken.scan.shape[1],
                    "height": take.taken.scan.shape[0],
                },
                "kept": list(self._files),
                "missing": [card for card in self._ids if card not in self._sides()],
                "has_back": any(is_back(side) for side in self._sides()),
            }

    def take_picture(self, number: int) -> bytes | None:
        """A take's cut-out as PNG."""
        with self._changed:
            take = self._take
        return png(take.taken.scan) if take is not None and take.number == number else None

    def scan(self, stem: str) -> bytes | None:
        """A kept scan, small, as JPEG."""
        with self._changed:
            reference = self._kept.get(stem)
        if reference is None:
            return None
        picture = reference.picture
        upright = cv2.rotate(picture, cv2.ROTATE_90_COUNTERCLOCKWISE) if reference.turned else picture
        return jpeg(upright)

    # Inside

    def _found(self, image: Image) -> Taken | None:
        try:
            pose = self._tracker.locate(image) if self._tracker is not None else None
        except VisionError as error:
            self._note = str(error)
            return None
        taken = take_card(image, self._size_mm, pose)
        if taken is None:
            self._note = "No card found. Lay one card alone on a plain ground that differs from its edge."
        return taken

    def _like(self, taken: Taken) -> str | None:
        with self._changed:
            references = tuple(self._kept.items())
        known = [reference for _, reference in references]
        found = most_like(self._reference("take", taken.scan), known, _sorted(self._size_mm))
        return side_of(references[found][0]) if found is not None else None

    def _reference(self, stem: str, scan: Image) -> Reference:
        side = side_of(stem)
        return make_reference(scan, None if is_back(side) else side, _sorted(self._size_mm), stem)

    def _current(self, number: int) -> Take:
        if self._take is None or self._take.number != number:
            raise BadInputError("this card is no longer the one on the table; look at the page again")
        return self._take

    def _stem(self, side: str, *, again: bool) -> str:
        if side not in self._files:
            return side
        if not again:
            raise BadInputError(
                f"{side} is kept already: give this card another name, or keep it as a second picture of {side}"
            )
        return next(f"{side}@{n}" for n in range(2, 1000) if f"{side}@{n}" not in self._files)

    def _sides(self) -> set[str]:
        return {side_of(stem) for stem in self._files}

    def _suggested(self) -> str:
        """The next id that is expected; else one number on from the last; the back last."""
        sides = self._sides()
        waiting = [card for card in self._ids if card not in sides]
        if waiting:
            return waiting[0]
        if self._ids:
            return BACK if BACK not in sides else ""
        cards = [stem for stem in self._files if not is_back(side_of(stem))]
        numbered = _NUMBERED.fullmatch(side_of(cards[-1])) if cards else None
        if numbered is None:
            return "" if cards else "card-01"
        text, digits = numbered.groups()
        return f"{text}{int(digits) + 1:0{len(digits)}d}"

    def _outline(self) -> NDArray[np.float64] | None:
        return None if self._take is None else self._take.taken.corners_px

    def _next(self, note: str) -> None:
        self._take = None
        super()._next(note)


def _sorted(size_mm: tuple[float, float]) -> tuple[float, float]:
    return min(size_mm), max(size_mm)

"""Enrolment of dice from the camera: a die is named, laid with each face up in turn, tested against itself and enrolled.

Every picture is written when it is kept: whatever ends the service, what was kept stays, and the next start goes on with it. The
die is enrolled in one step at the end, in the store that `hoshiban enrol-die` fills from a directory.
"""

from __future__ import annotations

import re
import shutil
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInputError
from companion.service.kept_faces import KeptFace, KeptFaces, copied, face_name, has_pictures
from companion.service.live_look import LiveLook
from companion.service.offering import Offering, png
from vision.cards.store import data_directory
from vision.dice.enrolled import BLANK, EnrolledDie
from vision.dice.selftest import alike_faces, misread
from vision.dice.store import check_die_name, install_die, kept_die
from vision.dice.taking import Missing, Taken, take_die
from vision.errors import VisionError
from vision.frame import Image

Json = Any
SIDES = (8, 10)
LARGEST_FLAT_PX = 1024
_PNG = b"\x89PNG\r\n\x1a\n"
_WHOLE = re.compile(r"\d{1,3}")


class Step(StrEnum):
    """What is to be done next."""

    NAMING = "naming"
    FACES = "faces"
    TESTING = "testing"
    TESTED = "tested"
    """The test had something to say: enrol it all the same, or go on with its faces."""
    ENROLLED = "enrolled"


class Before(StrEnum):
    """What becomes of pictures that a die of this name has from before."""

    ASK = ""
    MORE = "more"
    """They are kept, and more are added."""
    ANEW = "anew"
    """They are thrown away."""


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A die in the store."""

    die: EnrolledDie
    where: Path


@dataclass(frozen=True, slots=True, eq=False)
class _Take:
    number: int
    taken: Taken
    like: str | None


class DieTaking(Offering):
    """Dice on their way into the store. Every method may be called from any thread."""

    moved_is_new = True

    def __init__(self, folder: Path | None = None, name: str = "", sides: int | None = None) -> None:
        """`folder`: where the pictures are kept, else with the user's data; `name`, `sides`: of the first die, where known."""
        super().__init__("")
        self.enrolled: list[Enrolled] = []
        """In order."""
        self._folder = folder
        self._proposed = (name, sides)
        self._step = Step.NAMING
        self._die = ("", 8)
        self._kept: KeptFaces | None = None
        self._asked: dict[str, Json] | None = None
        self._takes, self._passing = 0, False
        self._take: _Take | None = None
        self._waiting: Image | None = None
        self._problems: tuple[str, ...] = ()
        self._tested: EnrolledDie | None = None
        self._live = LiveLook()

    # What the camera says

    def offer(self, image: Image) -> None:
        """A settled picture. Before a die is named it waits for that."""
        with self._changed:
            self._picture = image
            if self._step is not Step.FACES:
                self._waiting = image
                self._decided.clear()
                return
            sides = self._die[1]
        self._took(take_die(image, sides))

    def _took(self, taken: Taken | Missing) -> None:
        with self._changed:
            if self._kept is None or self._step is not Step.FACES:
                return
            if isinstance(taken, Missing):
                self._note = _sentence(taken.value)
                self._passing = self._recorded
                if self._recorded:
                    self._take = None
                    self._decided.clear()
                elif self._take is None:
                    self._decided.set()
            else:
                self._takes += 1
                self._take = _Take(self._takes, taken, self._kept.like(taken.view))
                self._note, self._passing = "", False
                self._decided.clear()
            self._show()

    # What people say: the die

    def begin(self, name: str, sides: int, before: Before = Before.ASK) -> None:
        """Begins a die, or goes on with one. Raises BadInputError, where `before` must be said too."""
        if sides not in SIDES:
            raise BadInputError("a die has 8 or 10 sides: others are not known yet")
        try:
            check_die_name(name)
        except VisionError as error:
            raise BadInputError(str(error)) from None
        stored = data_directory() / "dice" / name
        folder = self._folder or data_directory() / "die-pictures" / name
        with self._changed:
            self._must_be(Step.NAMING)
            if stored.is_dir() and before is Before.ASK:
                self._asked = {"name": name, "sides": sides, "pictures": has_pictures(folder)}
                self._show()
                raise BadInputError(
                    f"a die named {name} is enrolled already: take another name, add pictures to it, or begin it anew"
                )
            if before is Before.ANEW and self._folder is None:
                shutil.rmtree(folder, ignore_errors=True)
            elif stored.is_dir() and not has_pictures(folder):
                copied(stored, folder)
            self._kept = KeptFaces(folder, sides)
            self._die, self._asked, self._step = (name, sides), None, Step.FACES
            count = len(self._kept)
            gone_on = f"{count} {'picture is' if count == 1 else 'pictures are'} kept from before. " if count else ""
            self._again = True
            self._next(f"{gone_on}Lay the die on a plain ground, one face up, and take your hand away.")
        self._offer_waiting()

    def finish(self) -> None:
        """All faces are taken: the die is tested against itself, and enrolled where nothing speaks against it.

        Raises BadInputError.
        """
        with self._changed:
            kept = self._faces()
            if not any(each.symbol is not None for each in kept):
                raise BadInputError("no face that shows something is kept yet: keep at least one")
            self._take, self._step = None, Step.TESTING
            self._show()
        self._work(lambda: self._test(kept))

    def store(self) -> None:
        """Enrols the die although the test had something to say. Raises BadInputError."""
        with self._changed:
            self._must_be(Step.TESTED)
            self._step = Step.TESTING
            self._show()
        self._work(self._install)

    def back(self) -> None:
        """Goes on with the die's faces after a test. Raises BadInputError."""
        with self._changed:
            self._must_be(Step.TESTED)
            self._to_faces("Lay the die with the face up that you want to take.")
        self._offer_waiting()

    def another(self) -> None:
        """Goes on with another die. Raises BadInputError."""
        with self._changed:
            self._must_be(Step.ENROLLED)
            self._proposed, self._step, self._kept, self._folder = ("", self._die[1]), Step.NAMING, None, None
            self._show()

    def end(self) -> None:
        """All dice are enrolled; kept pictures of one that isn't stay where they are. Raises BadInputError during a test."""
        with self._changed:
            if self._step is Step.TESTING:
                raise BadInputError("the die is being tested: wait a moment")
            self._done = True
            self._show()

    # What people say: its faces

    def keep(self, take: int, face: str, *, again: bool = False) -> str:
        """Keeps a take as a picture of a face; the file's name. `again`: a further picture of a face that is kept.

        Raises BadInputError.
        """
        name = face_name(face)
        with self._changed:
            kept, current = self._faces(), self._current(take)
            if name == BLANK and current.taken.is_inked:
                raise BadInputError("something is to be seen on this face: name what it shows, or take it again")
            if name != BLANK and current.taken.symbol is None:
                raise BadInputError("nothing is to be seen on this face: name it blank, or take it again")
            if name != BLANK and name in kept.names and not again:
                raise BadInputError(
                    f"{name} is kept already: name this face otherwise, or keep it as a further picture"
                )
            path = kept.add(name, current.taken).path
            self._next(f"Kept as {path.stem}. Lay the die with the next face up, and take your hand away.")
            return path.name

    def keep_flat(self, face: str, data: bytes) -> str:
        """Keeps a flat picture of a symbol (PNG); the file's name. Raises BadInputError."""
        name = face_name(face)
        if name == BLANK:
            raise BadInputError(
                "a blank face needs no flat picture: with flat pictures the other faces are taken to be blank"
            )
        picture = _flat_picture(data)
        with self._changed:
            path = self._faces().add_flat(name, picture).path
            self._note = f"Kept as {path.stem}."
            self._show()
            return path.name

    def drop(self, take: int, *, again: bool) -> None:
        """Takes no notice of a take; `again` where it is to be taken once more. Raises BadInputError."""
        with self._changed:
            self._current(take)
            self._again = again
            self._next("Hold still: it is taken again." if again else "Left out. Lay the die with the next face up.")

    def pass_over(self) -> None:
        """Goes on from a picture in which nothing could be taken."""
        with self._changed:
            self._passing = False
            self._next("Lay the die with the next face up.")

    def remove(self, file: str) -> None:
        """Throws a kept picture away. Raises BadInputError."""
        with self._changed:
            self._faces().remove(file)
            self._show()

    # What the page shows

    def view(self) -> Mapping[str, Json]:
        """Everything that the page shows, JSON-able."""
        with self._changed:
            kept = list(self._kept) if self._kept is not None else []
            return {
                "version": self._version,
                "step": self._step.value,
                "note": self._note,
                "ended": self._ended,
                "lost": self._lost,
                "done": self._done,
                "proposed": {"name": self._proposed[0], "sides": self._proposed[1]},
                "asked": self._asked,
                "die": self._die_view(),
                "take": self._take_view(),
                "passing": self._passing,
                "kept": [{"file": each.path.name, "face": each.face, "flat": each.ground is None} for each in kept],
                "faces": list(dict.fromkeys(each.face for each in kept)),
                "problems": list(self._problems),
                "enrolled": [_enrolled_view(each) for each in self.enrolled],
            }

    def live(self) -> Mapping[str, Json]:
        """What the camera sees now: a number that changes with the picture, and a line where no die can be taken."""
        with self._changed:
            newest, sides = self._newest, self._die[1] if self._step is Step.FACES else None
        number, says = self._live.look(newest, sides)
        with self._changed:
            return {"number": number, "says": says, "stale": self._lost or self._ended}

    def live_picture(self) -> bytes | None:
        """The die as the camera saw it in the last look, else all that it saw; JPEG."""
        return self._live.picture

    def take_picture(self, number: int) -> bytes | None:
        """A take's cut-out as PNG, its top face framed."""
        take = self._take_of(number)
        if take is None:
            return None
        framed = take.taken.picture.copy()
        corners = np.rint(take.taken.top_px * 16).astype(np.int32)
        cv2.polylines(framed, [corners], True, (140, 30, 220), 1, cv2.LINE_AA, 4)
        return png(framed)

    def ink_picture(self, number: int) -> bytes | None:
        """What is read off a take's top face, as PNG."""
        take = self._take_of(number)
        return None if take is None else png(take.taken.ink())

    def kept_picture(self, file: str) -> bytes | None:
        """A kept picture, small, as JPEG."""
        with self._changed:
            kept = self._kept.get(file) if self._kept is not None else None
        return None if kept is None else kept.small

    # Inside

    def _test(self, kept: KeptFaces) -> None:
        name, sides = self._die
        die = kept_die(kept.folder, name, sides)
        photographs = [(each.path.stem, each.face, _picture(each)) for each in kept if each.ground is not None]
        pairs = alike_faces(die)
        problems = [f"{pair.a} and {pair.b} look much alike: they may stay unread." for pair in pairs]
        told = {face for pair in pairs for face in (pair.a, pair.b)}
        for miss in misread(die, [each for each in photographs if each[1] not in told]):
            said = "is not read with certainty" if miss.read is None else f"is read as {miss.read}"
            problems.append(f"The picture {miss.picture} {said} once it is turned: throw it away, or take it again.")
        problems += _counted(die, kept)
        with self._changed:
            self._tested, self._problems = die, tuple(problems)
            if problems:
                self._step = Step.TESTED
                self._show()
                return
        self._install()

    def _install(self) -> None:
        with self._changed:
            kept, die = self._kept, self._tested
            if kept is None or die is None:
                return
        where = install_die(kept.folder, die.name, die.sides)
        if self._folder is None:
            shutil.rmtree(kept.folder, ignore_errors=True)
        with self._changed:
            self.enrolled.append(Enrolled(die, where))
            self._step, self._problems, self._kept = Step.ENROLLED, (), None
            self._next(f"{die.name} is enrolled.")

    def _work(self, job: Callable[[], None]) -> None:
        threading.Thread(target=self._guarded, args=(job,), name="die-test", daemon=True).start()

    def _guarded(self, job: Callable[[], None]) -> None:
        try:
            job()
        except (VisionError, BadInputError, OSError) as error:
            with self._changed:
                self._to_faces(_sentence(str(error)))
            self._offer_waiting()

    def _to_faces(self, note: str) -> None:
        self._step, self._problems, self._again = Step.FACES, (), True
        self._next(note)

    def _offer_waiting(self) -> None:
        """What came while no face could be taken comes now."""
        with self._changed:
            waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self.offer(waiting)

    def _must_be(self, step: Step) -> None:
        """Raises BadInputError in another step."""
        if self._step is not step:
            raise BadInputError("this can't be done now; look at the page again")

    def _faces(self) -> KeptFaces:
        """The kept pictures of the die whose faces are taken now. Raises BadInputError in another step."""
        self._must_be(Step.FACES)
        if self._kept is None:
            raise BadInputError("no die is begun yet: give it a name first")
        return self._kept

    def _current(self, number: int) -> _Take:
        take = self._take_of(number)
        if take is None:
            raise BadInputError("this face is no longer the one on the table; look at the page again")
        return take

    def _take_of(self, number: int) -> _Take | None:
        with self._changed:
            return self._take if self._take is not None and self._take.number == number else None

    def _die_view(self) -> Json:
        if self._kept is None:
            return None
        colour = self._kept.colour
        return {"name": self._die[0], "sides": self._die[1], "colour": None if colour is None else list(colour)}

    def _take_view(self) -> Json:
        take = self._take
        if take is None:
            return None
        return {
            "number": take.number,
            "faults": [fault.value for fault in take.taken.faults],
            "blank": take.taken.is_blank,
            "like": None if take.like == BLANK else take.like,
            "suggested": BLANK if take.taken.is_blank else self._suggested(),
            "px": round(take.taken.size_px),
        }

    def _suggested(self) -> str:
        """The least number that is not kept yet, where faces are numbers; nothing where they are anything else."""
        names = [name for name in self._kept.names if name != BLANK] if self._kept is not None else []
        if not names or not all(_WHOLE.fullmatch(name) for name in names):
            return ""
        numbers = {int(name) for name in names}
        return next((str(n) for n in range(min(numbers), min(numbers) + self._die[1]) if n not in numbers), "")

    def _outline(self) -> NDArray[np.float64] | None:
        return None if self._take is None else self._take.taken.outline_px

    def _next(self, note: str) -> None:
        self._take, self._note = None, note
        if self._waiting is None:  # else that picture comes first
            self._decided.set()
        self._show()


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def _counted(die: EnrolledDie, kept: KeptFaces) -> list[str]:
    """What the number of faces leaves open."""
    named = [name for name in kept.names if name != BLANK]
    sides = die.sides or SIDES[-1]
    if len(kept.names) > sides:
        return [f"{len(kept.names)} faces are kept, but the die has {sides} sides: one face may have two names."]
    if len(named) < sides and not die.has_blank:
        few = f"{len(named)} of {sides} faces are kept and none of them is blank"
        return [f"{few}: what else may lie on top will stay unread. Take the others too; a blank one is named blank."]
    return []


def _enrolled_view(enrolled: Enrolled) -> Json:
    die = enrolled.die
    return {
        "name": die.name,
        "sides": die.sides,
        "faces": [face.name for face in die.faces],
        "colour": None if die.colour is None else list(die.colour),
    }


def _picture(kept: KeptFace) -> Image:
    image = cv2.imdecode(np.frombuffer(kept.path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise BadInputError(f"{kept.path}: not a picture that can be read any more; throw it away")
    return image.astype(np.uint8, copy=False)


def _flat_picture(data: bytes) -> Image:
    """A PNG that is not too large to be unpacked. Raises BadInputError."""
    if len(data) < 24 or not data.startswith(_PNG):
        raise BadInputError("the flat picture must be a PNG")
    width, height = struct.unpack(">II", data[16:24])
    if not 16 <= min(width, height) <= max(width, height) <= LARGEST_FLAT_PX:
        raise BadInputError(f"the flat picture must have 16 to {LARGEST_FLAT_PX} pixels a side")
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise BadInputError("the flat picture can't be read: save it again as PNG")
    return image.astype(np.uint8, copy=False)

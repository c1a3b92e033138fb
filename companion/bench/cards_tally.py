"""Counts what a reader made of cards whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from vision.observation import CardReading, Face, Point

REACH_MM = 10.0
"""A reading belongs to a card whose middle is no farther than this from its own."""
ANGLE_DEG = 3.0
HALF, THIRD = 0.5, 1 / 3
"""Shares of a card in sight from which on it counts: with the others, or by itself as a card mostly covered."""


@dataclass(frozen=True, slots=True)
class ShownCard:
    """A card as it truly lies."""

    card: str | None
    """None face down."""
    x_mm: float
    y_mm: float
    angle_deg: float
    visible: float
    """Share that neither a later card nor a hand hides."""
    corners_px: tuple[Point, ...]
    """Top left, top right, bottom right, bottom left of its own frame."""
    known: bool = True
    """False for a card that the reader was never shown: every name for it is wrong."""
    either_way: bool = False
    """True where what is in sight looks the same both ways round: its top can't be told."""
    decidable: bool = True
    """False where what is in sight is the same on another card of the deck: no name is asked for then."""

    @classmethod
    def of(cls, truth: dict[str, Any]) -> ShownCard:
        """A card of a truth file, or of the renderer's truth."""
        return cls(
            truth["card"],
            float(truth["x"]),
            float(truth["y"]),
            float(truth["angle"]),
            float(truth["visible"]),
            tuple((float(x), float(y)) for x, y in truth["corners_px"]),
        )


class Fault(StrEnum):
    """What was not right about a card."""

    LOST = "lost"
    """The table itself was not found."""
    UNSEEN = "unseen"
    """No reading at its place."""
    UNSURE = "unsure"
    """Below the acting threshold: the reading asks."""
    TURNED = "turned"
    """Its name is right, but its top is told wrong or not at all, or its angle is off by more than 3 degrees."""
    WRONG = "wrong"
    """Another card, or the other side, above the acting threshold."""
    INVENTED = "invented"
    """Stated where no card lies."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A card that was not read right, or a reading of none."""

    fault: Fault
    shown: ShownCard | None
    reading: CardReading | None


@dataclass(slots=True)
class Counts:
    """Of cards that are about equally well in sight."""

    cards: int = 0
    found: int = 0
    undecidable: int = 0
    """What is in sight of them is the same on another card: in none of the counts below."""
    up: int = 0
    identity: int = 0
    orientation: int = 0
    down: int = 0
    face_down: int = 0

    def line(self) -> dict[str, Any]:
        """Counts, and the shares that follow from them; None where there was nothing to count."""
        return {
            "cards": self.cards,
            "found": self.found,
            "detection": share(self.found, self.cards),
            "undecidable": self.undecidable,
            "up": self.up,
            "identity_right": self.identity,
            "identity": share(self.identity, self.up),
            "orientation_right": self.orientation,
            "orientation": share(self.orientation, self.up),
            "down": self.down,
            "face_down_right": self.face_down,
            "face_down": share(self.face_down, self.down),
        }


@dataclass(slots=True)
class KindCounts:
    """Of pictures of one kind."""

    cards: int = 0
    """At least half in sight."""
    right: int = 0
    """Of these, wholly right."""
    wrong: int = 0
    """Wrong ones and invented ones, of all."""


@dataclass(slots=True)
class Tally:
    """What a set of pictures came to."""

    pictures: int = 0
    lost: int = 0
    """Pictures in which the table was not found."""
    half: Counts = field(default_factory=Counts)
    third: Counts = field(default_factory=Counts)
    wrong: int = 0
    turned: int = 0
    """Right names whose top or angle is told wrong, or not at all."""
    invented: int = 0
    ms: list[float] = field(default_factory=list)
    look_ms: list[float] = field(default_factory=list)
    strangers: int = 0
    """Cards that the reader was never shown; counted nowhere else but where they are named."""
    by_kind: dict[str, KindCounts] = field(default_factory=dict)

    def add(
        self, shown: Sequence[ShownCard], readings: Sequence[CardReading] | None, kinds: Sequence[str] = ()
    ) -> list[Miss]:
        """Counts a picture and gives what was not right about it. `readings` is None where the table was not found."""
        self.pictures += 1
        self.lost += readings is None
        pairs, left = matched(shown, readings or ())
        misses = [Miss(Fault.INVENTED, None, reading) for reading in left if reading.face is not None]
        self.invented += len(misses)
        faults = [
            Fault.LOST if readings is None else fault_of(card, reading)
            for card, reading in zip(shown, pairs, strict=True)
        ]
        for card, reading, fault in zip(shown, pairs, faults, strict=True):
            self.wrong += fault is Fault.WRONG
            self.turned += fault is Fault.TURNED
            self.strangers += not card.known
            counts = self._counts(card)
            if counts is not None:
                _count(counts, card, reading, fault)
            if fault is not None and ((_asked(card) and card.visible >= HALF) or fault in (Fault.WRONG, Fault.TURNED)):
                misses.append(Miss(fault, card, reading))
        for kind in kinds:
            total = self.by_kind.setdefault(kind, KindCounts())
            half = [fault for card, fault in zip(shown, faults, strict=True) if _asked(card) and card.visible >= HALF]
            total.cards += len(half)
            total.right += half.count(None)
            total.wrong += faults.count(Fault.WRONG) + sum(miss.fault is Fault.INVENTED for miss in misses)
        return misses

    def _counts(self, card: ShownCard) -> Counts | None:
        if not card.known:
            return None
        return self.half if card.visible >= HALF else self.third if card.visible >= THIRD else None

    def line(self, name: str) -> dict[str, Any]:
        """The set's line: cards at least half in sight, then those between a third and a half, faults, and milliseconds of one
        thread's own time a picture, for the cards alone and for the whole look."""
        line = {"set": name, "pictures": self.pictures, "lost": self.lost, **self.half.line()}
        line |= {"third": self.third.line(), "wrong": self.wrong, "turned": self.turned, "invented": self.invented}
        line |= {"ms": _middle(self.ms), "ms_p95": _high(self.ms), "look_ms": _middle(self.look_ms)}
        if self.strangers:
            line["strangers"] = self.strangers
        if self.by_kind:
            line["by_kind"] = {kind: asdict(counts) for kind, counts in sorted(self.by_kind.items())}
        return line


def matched(
    shown: Sequence[ShownCard], readings: Sequence[CardReading]
) -> tuple[list[CardReading | None], list[CardReading]]:
    """For each card the reading at its place, nearest pairs first, and the readings that are left over."""
    gaps = sorted(
        (float(np.hypot(reading.x_mm - card.x_mm, reading.y_mm - card.y_mm)), c, r)
        for c, card in enumerate(shown)
        for r, reading in enumerate(readings)
    )
    pairs: list[CardReading | None] = [None] * len(shown)
    taken: set[int] = set()
    for gap, c, r in gaps:
        if gap <= REACH_MM and pairs[c] is None and r not in taken:
            pairs[c] = readings[r]
            taken.add(r)
    return pairs, [reading for r, reading in enumerate(readings) if r not in taken]


def fault_of(card: ShownCard, reading: CardReading | None) -> Fault | None:
    """What is not right about a reading of a card; None where all is right."""
    if reading is None:
        return Fault.UNSEEN
    if reading.face is None:
        return Fault.UNSURE
    if not card.known or reading.card != card.card or (reading.face is Face.UP) != (card.card is not None):
        return Fault.WRONG
    if card.card is not None and not _turned_right(card, reading.angle_deg, reading):
        return Fault.TURNED
    return None


def _turned_right(card: ShownCard, angle_deg: float | None, reading: CardReading) -> bool:
    if not card.either_way:
        return angle_deg is not None and _off(angle_deg, card.angle_deg) <= ANGLE_DEG
    # The picture shows no top: the sides of the outline that was found tell the angle, one way or the other.
    (x0, y0), (x1, y1) = reading.corners_px[0], reading.corners_px[3]
    (u0, v0), (u1, v1) = card.corners_px[0], card.corners_px[3]
    found, true = (np.degrees(np.arctan2(y1 - y0, x1 - x0)), np.degrees(np.arctan2(v1 - v0, u1 - u0)))
    off = _off(float(found), float(true))
    return min(off, 180 - off) <= ANGLE_DEG


def _count(counts: Counts, card: ShownCard, reading: CardReading | None, fault: Fault | None) -> None:
    counts.cards += 1
    counts.found += reading is not None
    if not card.decidable:
        counts.undecidable += 1
    elif card.card is None:
        counts.down += 1
        counts.face_down += fault is None
    else:
        counts.up += 1
        counts.identity += fault in (None, Fault.TURNED)
        counts.orientation += fault is None


def _off(a: float, b: float) -> float:
    return abs((a - b + 180) % 360 - 180)


def _asked(card: ShownCard) -> bool:
    """Whether its name can be asked for."""
    return card.known and card.decidable


def share(part: int, whole: int) -> float | None:
    """A share to four digits; None of nothing."""
    return round(part / whole, 4) if whole else None


def _middle(values: Sequence[float]) -> float | None:
    return round(float(np.median(values)), 1) if values else None


def _high(values: Sequence[float]) -> float | None:
    return round(float(np.percentile(values, 95)), 1) if values else None

"""What a settled picture shows of a Shuhari table, in the game's own terms: the row with its stage cards, the piles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count, takewhile

from calibration.zones import Layout, Zone
from companion.adjudicator.places import OnSpot, cards_in, is_hidden, on_spot
from companion.rules.shuhari.facts import Stage
from vision.observation import CardReading, Face, SceneReading

ROW = "row"
"""The zone of the row; "row-2", "row-3" and so on where it goes on below."""
DECK, PILE = "deck", "discard"
LEAN_DEG = 25.0
"""A card that lies within so much of upright or sideways lies so; between, nobody can say."""
BESIDE_MM = (50.0, 70.0)
"""Two cards of the row whose middles are nearer than this both ways lie over each other."""
CARD_MM, ROOM_MM = 63.0, 75.0
"""A card's width, and the least room that one takes in the row."""
REACH_MM = (40.0, 75.0)
"""How far a stage card's middle may be from that of the card which it lies on, across and along the row's cards."""


class Lie(StrEnum):
    """How a card of the row lies."""

    UPRIGHT = "upright"
    SIDEWAYS = "sideways"
    ASKEW = "askew"
    """Between the two, or its angle could not be read."""


@dataclass(frozen=True, slots=True)
class Display:
    """A stage display card on a card of the row."""

    card: str
    stage: Stage | None
    """What it announces; None where the deck doesn't say."""
    confidence: float


@dataclass(frozen=True, slots=True)
class RowCard:
    """A card of the row."""

    index: int
    """Of its reading in the scene."""
    reading: CardReading
    lie: Lie
    copy: int = 1
    """1 for the first of its id in the row, 2 for the second."""
    display: Display | None = None
    hidden_before: int = 0
    """How many cards may lie unseen before this one: those that fit where something lies over the row's free room."""

    @property
    def card(self) -> str | None:
        """Its id; None where it could not be read for sure, or lies face down."""
        return self.reading.card

    @property
    def is_down(self) -> bool:
        """Whether its back shows."""
        return self.reading.face is Face.DOWN


@dataclass(frozen=True, slots=True)
class ShuhariTable:
    """Everything that matters of a scene."""

    row: tuple[RowCard, ...]
    """From the first on: row by row, left to right."""
    strays: tuple[str, ...]
    """Stage cards among the row that lie on none of its cards."""
    unclear: tuple[str, ...]
    """Cards of the row over which something lies that can't be read: none of the row's own, which lie side by side."""
    deck: OnSpot
    pile: OnSpot
    row_hidden: bool = False
    """Something lies over the row, so that cards of it may be out of sight."""


def row_zones(layout: Layout) -> tuple[Zone, ...]:
    """The zones of the row in order. Raises BadProfileError where there is none."""
    more = takewhile(layout.zones.__contains__, (f"{ROW}-{n}" for n in count(2)))
    return (layout.zone(ROW), *(layout.zones[name] for name in more))


def table_of(scene: SceneReading, displays: Mapping[str, Stage | None], layout: Layout) -> ShuhariTable:
    """Reads a scene; `displays` are the stage cards. Raises BadProfileError where a zone is missing."""
    zones = row_zones(layout)
    row: list[RowCard] = []
    stages: list[CardReading] = []
    passed = 0
    for zone in zones:
        lying = cards_in(scene, zone, margin_mm=0.0)
        stages += [reading for _, reading in lying if reading.card in displays]
        cards = [(index, reading) for index, reading in lying if reading.card not in displays]
        end = zone.x_mm
        for index, reading in sorted(cards, key=lambda c: c[1].x_mm):
            passed += _hidden_between(scene, zone, end, reading.x_mm - CARD_MM / 2)
            row.append(RowCard(index, reading, lie_of(reading), hidden_before=passed))
            end = reading.x_mm + CARD_MM / 2
        passed += _hidden_between(scene, zone, end, zone.x_mm + zone.width_mm)
    row, unclear = _without_unclear(row)
    row = _numbered(row)
    strays = []
    for stage in stages:
        place = _under(stage, row)
        if place is None:
            strays.append(stage.card or "")
        else:
            display = Display(stage.card or "", displays[stage.card or ""], stage.confidence)
            row[place] = replace(row[place], display=display)
    return ShuhariTable(
        tuple(row),
        tuple(strays),
        unclear,
        on_spot(scene, layout.zone(DECK)),
        on_spot(scene, layout.zone(PILE)),
        is_hidden(scene, *zones),
    )


def _hidden_between(scene: SceneReading, zone: Zone, left_mm: float, right_mm: float) -> int:
    """How many cards fit into the free room of a part of the row between two x, where something lies over it."""
    fitting = int((right_mm - left_mm) // ROOM_MM)
    if fitting < 1 or not is_hidden(scene, replace(zone, x_mm=left_mm, width_mm=right_mm - left_mm)):
        return 0
    return fitting


def lie_of(reading: CardReading) -> Lie:
    """How a card lies, whichever end is up."""
    if reading.angle_deg is None:
        return Lie.ASKEW
    turn = reading.angle_deg % 180
    if min(turn, 180 - turn) <= LEAN_DEG:
        return Lie.UPRIGHT
    return Lie.SIDEWAYS if abs(turn - 90) <= LEAN_DEG else Lie.ASKEW


def _without_unclear(row: Sequence[RowCard]) -> tuple[list[RowCard], tuple[str, ...]]:
    """The row without unread things over a card that was read, and the cards over which they lie. Of unread things that lie over
    each other one is a card of the row, and the others lie on it."""
    read = [card for card in row if card.card is not None]
    over = {id(card): under.card for card in row if card.card is None for under in read if _overlap(card, under)}
    kept: list[RowCard] = []
    for card in row:
        lies_on_one = card.card is None and any(other.card is None and _overlap(card, other) for other in kept)
        if id(card) not in over and not lies_on_one:
            kept.append(card)
    return kept, tuple(sorted({card or "" for card in over.values()}))


def _overlap(one: RowCard, other: RowCard) -> bool:
    a, b = one.reading, other.reading
    return abs(a.x_mm - b.x_mm) < BESIDE_MM[0] and abs(a.y_mm - b.y_mm) < BESIDE_MM[1]


def _numbered(row: Sequence[RowCard]) -> list[RowCard]:
    """The cards with their copies counted."""
    seen: dict[str, int] = {}
    numbered = []
    for card in row:
        copy = 1
        if card.card is not None:
            copy = seen[card.card] = seen.get(card.card, 0) + 1
        numbered.append(replace(card, copy=copy))
    return numbered


def _under(stage: CardReading, row: Sequence[RowCard]) -> int | None:
    """The place in the row of the card that a stage card lies on."""
    across, along = REACH_MM
    near = [
        (abs(card.reading.x_mm - stage.x_mm) / across + abs(card.reading.y_mm - stage.y_mm) / along, place)
        for place, card in enumerate(row)
        if abs(card.reading.x_mm - stage.x_mm) <= across and abs(card.reading.y_mm - stage.y_mm) <= along
    ]
    return min(near)[1] if near else None

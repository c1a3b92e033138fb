"""Ahuha Ahukaha as it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.games.book import Book
from companion.games.codec import FactCodec
from companion.games.phrases import Phrase
from companion.rules.ahuha import RULES, AhuhaSettings, AhuhaSetup, AhuhaState
from companion.rules.ahuha.facts import (
    FACTS,
    AsitaShown,
    CardLaid,
    CardPlaced,
    CardRevealed,
    Dealt,
    EffectTold,
    Fact,
    FrozenPlaced,
    FrozenTaken,
    RoundEnded,
    SeatsSwapped,
    SeriesEnded,
    YonoTigiriShown,
)
from companion.rules.ahuha.setup import ROUNDS, SEATS, cards_of, helpers_of
from companion.rules.cards import CardData

PHRASES = (
    Phrase(Dealt, ("deal|deals|dealt",)),
    Phrase(CardLaid, ("{seat} lays|lay|laid (a card)",)),
    Phrase(CardRevealed, ("{seat} plays|play|played|reveals|revealed|turns {card}",)),
    Phrase(
        EffectTold,
        ("effect {outcome} [by {seats:seats}] [with {card}] [asked {asked:words}]",),
    ),
    Phrase(FrozenTaken, ("{seat} takes|take|took frozen (from the) {side}",)),
    Phrase(FrozenPlaced, ("{seat} places|place|placed frozen (on the) {side}",)),
    Phrase(CardPlaced, ("{seat} brings|bring|brought {card} home {orientation}",)),
    Phrase(RoundEnded, ("round ends|ended",)),
    Phrase(AsitaShown, ("{seat} turns|turned up asita",)),
    Phrase(YonoTigiriShown, ("{seat} turns|turned up yono tigiri",)),
    Phrase(SeriesEnded, ("series ends|ended",)),
    Phrase(SeatsSwapped, ("{first:seat} and {second:seat} swap|swapped (seats)",)),
)


def _build(seats: Sequence[str], lead: str, cards: Mapping[str, CardData], settings: AhuhaSettings) -> AhuhaSetup:
    if len(seats) != SEATS:
        raise ValueError(f"it is for three players, not {len(seats)} ({', '.join(seats)})")
    if lead not in seats:
        raise ValueError(f"lead: {lead} is none of the players {', '.join(seats)}")
    first, second, third = seats
    return AhuhaSetup((first, second, third), cards_of(cards), settings, helpers_of(cards))


def _check(_state: AhuhaState, _fact: Any) -> None:
    """Nothing beyond players and cards: whatever else is told can have happened."""


def _heading(state: AhuhaState) -> str:
    series = f"Series {state.series}"
    if not state.is_dealt:
        return series
    return f"{series}, round {state.round.number}" if state.round.number <= ROUNDS else f"{series}, points"


BOOK: Book[AhuhaSetup, AhuhaState, Fact, AhuhaSettings] = Book(
    game="ahuha",
    title="Ahuha Ahukaha",
    rules=RULES,
    facts=FactCodec(FACTS),
    settings=AhuhaSettings,
    phrases=PHRASES,
    build=_build,
    check=_check,
    heading=_heading,
)

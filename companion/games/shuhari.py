"""Shuhari as it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.errors import BadInputError
from companion.games.book import Book
from companion.games.codec import FactCodec
from companion.games.phrases import Phrase
from companion.rules.cards import CardData
from companion.rules.shuhari import RULES, ShuhariSettings, ShuhariSetup, ShuhariState
from companion.rules.shuhari.facts import (
    FACTS,
    CardDrawn,
    CardPlayed,
    CardShown,
    CardTaken,
    ChartMarked,
    DeckRenewed,
    DeckSearched,
    Fact,
    HandPutAway,
    PlayDeclared,
    StageShown,
    TrickCleared,
)
from companion.rules.shuhari.setup import cards_of, displays_of

PHRASES = (
    Phrase(CardPlayed, ("{seat} plays|play|played {card} [as {declared}] [from slot {slot}]",)),
    Phrase(PlayDeclared, ("{seat} declares|declared|says|said {play}",)),
    Phrase(StageShown, ("stage {stage}",)),
    Phrase(CardDrawn, ("{seat} draws|draw|drew [to slot {slot}]",)),
    Phrase(DeckSearched, ("{seat} searches|searched (the deck) [through {looked}] [to slot {slot}]",)),
    Phrase(CardTaken, ("{seat} takes|take|took {card} [to slot {slot}]",)),
    Phrase(DeckRenewed, ("deck renewed|reshuffled",)),
    Phrase(CardShown, ("{seat} shows|show|showed {card} [in slot {slot}]",)),
    Phrase(HandPutAway, ("{seat} puts|put away {cards}",)),
    Phrase(ChartMarked, ("{seat} marks|mark|marked {art} {stage}",)),
    Phrase(TrickCleared, ("trick cleared",)),
)


def _build(seats: Sequence[str], lead: str, cards: Mapping[str, CardData], settings: ShuhariSettings) -> ShuhariSetup:
    return ShuhariSetup(tuple(seats), lead, cards_of(cards), settings, displays_of(cards))


def _check(_state: ShuhariState, fact: Any) -> None:
    """Raises BadInputError for a search through less than one card."""
    if isinstance(fact, DeckSearched) and fact.looked < 1:
        raise BadInputError(f"nobody searches through {fact.looked} cards: at least 1 is looked at")


def _heading(state: ShuhariState) -> str:
    return f"Trick {state.trick.number}" if not state.over else "After the game"


BOOK: Book[ShuhariSetup, ShuhariState, Fact, ShuhariSettings] = Book(
    game="shuhari",
    title="Shuhari",
    rules=RULES,
    facts=FactCodec(FACTS),
    settings=ShuhariSettings,
    phrases=PHRASES,
    build=_build,
    check=_check,
    heading=_heading,
)

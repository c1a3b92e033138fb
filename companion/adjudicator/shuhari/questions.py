"""The questions that a Shuhari table may have to ask, with what each answer does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from companion.adjudicator.resolution import Option, Question
from companion.adjudicator.shuhari.table import RowCard
from companion.adjudicator.shuhari.view import card_name
from companion.games.codec import FactCodec
from companion.rules.shuhari.facts import (
    FACTS,
    CardPlayed,
    Play,
    PlayDeclared,
    Suit,
    TrickCleared,
)
from companion.rules.shuhari.setup import ShuhariSetup

CODEC: FactCodec[Any] = FactCodec(FACTS)
OFFERED = 3
"""Cards offered as answers; any other can be told on the page."""
ROW_KEY = "row:"
"""How the keys of questions about the row begin."""


def which_card(
    setup: ShuhariSetup, seat: str, lying: RowCard, is_possible: Callable[[str], bool], declared: Play | None
) -> Question | None:
    """A card that could not be read for sure; None where nothing speaks for any card that is still possible."""
    known = [card for card, _ in lying.reading.candidates if card in setup.cards and is_possible(card)]
    if not known:
        return None
    return Question(
        key=f"{ROW_KEY}which:{seat}",
        text=f"Which card did {seat} play?",
        detail="It could not be read for sure. If it is none of these, tell it by hand, or straighten it.",
        options=tuple(_played(setup, seat, card, declared) for card in known[:OFFERED]),
        crops=(f"card:{lying.index}",),
    )


def cannot_be(
    setup: ShuhariSetup, seat: str, lying: RowCard, is_possible: Callable[[str], bool], declared: Play | None, hold: str
) -> Question:
    """A card that can't come from this hand: misread, or there twice."""
    best = lying.card or ""
    others = [
        card for card, _ in lying.reading.candidates if card != best and card in setup.cards and is_possible(card)
    ]
    name = card_name(best, setup.cards.get(best))
    again = CODEC.to_json(CardPlayed(seat, best, declared))
    return Question(
        key=f"{ROW_KEY}which:{seat}",
        text=f"{seat}'s card looks like {name}, which is known to be elsewhere. Which card is it?",
        detail="If it really is that card, say so: it is recorded and judged.",
        options=(
            *(_played(setup, seat, card, declared) for card in others[:OFFERED]),
            Option("again", f"It is {name}", tell=(again,)),
            Option("wait", "Wait: it will be changed", hold=(hold,)),
        ),
        crops=(f"card:{lying.index}",),
    )


def is_it_so(setup: ShuhariSetup, seat: str, card: str, declared: Play | None, hold: str, why: str) -> Question:
    """A weak reading that would be against the rules."""
    name = card_name(card, setup.cards.get(card))
    told = CODEC.to_json(CardPlayed(seat, card, declared))
    return Question(
        key=f"{ROW_KEY}weak:{seat}",
        text=f"Did {seat} play {name}{_said(declared)}?",
        detail=f"It could not be read for sure, and it would be against the rules: {why}",
        options=(
            Option("yes", "Yes, as it lies", tell=(told,)),
            Option("no", "No: it will be straightened, or told by hand", hold=(hold,)),
        ),
    )


def another_card(seat: str, seq: int, was: CardPlayed, shown: str, setup: ShuhariSetup, hold: str) -> Question:
    """A recorded card is gone, and another lies in its place: one of the two readings is wrong."""
    before, now = (card_name(card, setup.cards.get(card)) for card in (was.card, shown))
    act = CODEC.to_json(CardPlayed(seat, shown, was.declared, was.slot))
    return Question(
        key=f"{ROW_KEY}another:{seq}",
        text=f"{seat} played {before}, it was recorded; now {now} lies there. Which is right?",
        options=(
            Option("now", f"{now}: correct the record", correct=((seq, act),)),
            Option("before", f"{before}: the other will be taken away", hold=(hold,)),
        ),
    )


def rest_or_break(seat: str, card: str, suit: Suit | None) -> Question:
    """A card laid upright that may break the mold, under no stage card, and the game went on."""
    return Question(
        key=f"{ROW_KEY}declare:{card}",
        text=f"Did {seat} break the mold with {card}, or is it a rest?",
        detail=f"It doesn't practise {suit}. A rest lies sideways; a card that breaks the mold lies under a stage card.",
        options=tuple(
            Option(play.value, label, tell=(CODEC.to_json(PlayDeclared(seat, play)),))
            for play, label in ((Play.REST, "A rest"), (Play.BREAK, "It breaks the mold"))
        ),
    )


def turned_sideways(seat: str, card: str, hold: str) -> Question:
    """A card that practises was turned sideways after it was recorded."""
    return Question(
        key=f"{ROW_KEY}turned:{card}",
        text=f"{card} was turned sideways. Does {seat} rest with it?",
        options=(
            Option("rest", "Yes, it is a rest", tell=(CODEC.to_json(PlayDeclared(seat, Play.REST)),)),
            Option("no", "No, it was only moved", hold=(hold,)),
        ),
    )


def cleared_early(trick: int, lay: int, length: int, hold: str) -> Question:
    """The row is empty before the trick was complete in the record."""
    return Question(
        key=f"{ROW_KEY}cleared:{trick}",
        text=f"The row was cleared, but trick {trick} has {lay} of its {length} cards. Is it over?",
        detail="If cards were missed, tell them by hand first; or lay the row out once more.",
        options=(
            Option("over", "Yes, it is over", tell=(CODEC.to_json(TrickCleared()),)),
            Option("again", "No: the cards will lie there again", hold=(hold,)),
        ),
    )


def as_it_lies(setup: ShuhariSetup, trick: int, facts: Iterable[CardPlayed], hold: str) -> Question:
    """What was taken back and still lies on the table. `hold` is the evidence that keeps it from being asked again."""
    facts = tuple(facts)
    named = ", ".join(f"{fact.seat}'s {card_name(fact.card, setup.cards.get(fact.card))}" for fact in facts)
    return Question(
        key=f"again:{trick}:?",
        text=f"Taken back, but still on the table: {named}. Record it as it lies?",
        options=(
            Option("record", "Yes, as it lies", tell=tuple(CODEC.to_json(fact) for fact in facts)),
            Option("change", "No, it will be changed", hold=(hold,)),
        ),
        renewed=True,
    )


def _played(setup: ShuhariSetup, seat: str, card: str, declared: Play | None) -> Option:
    art = setup.arts.get(card)
    told = CODEC.to_json(CardPlayed(seat, card, declared if art is not None else None))
    return Option(card, card_name(card, setup.cards.get(card)), tell=(told,))


def _said(declared: Play | None) -> str:
    match declared:
        case Play.REST:
            return " as a rest"
        case Play.BREAK:
            return " to break the mold"
        case _:
            return ""

"""The questions that a Shuhari table may have to ask, with what each answer does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from companion.adjudicator import asking
from companion.adjudicator.resolution import Option, Question
from companion.adjudicator.shuhari.table import RowCard
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
ROW_KEY = "row:"
"""How the keys of questions about the row begin."""


def which_card(
    setup: ShuhariSetup, seat: str, lying: RowCard, is_possible: Callable[[str], bool], declared: Play | None
) -> Question | None:
    """A card that could not be read for sure; None where nothing speaks for any card that is still possible."""
    answers = _likely(setup, seat, lying, is_possible, declared)
    return asking.which_card(f"{ROW_KEY}which:{seat}", f"Which card did {seat} play?", answers, lying.index)


def cannot_be(
    setup: ShuhariSetup, seat: str, lying: RowCard, is_possible: Callable[[str], bool], declared: Play | None, hold: str
) -> Question:
    """A card that can't come from this hand: misread, or there twice."""
    best = lying.card or ""
    name = setup.named(best)
    return asking.cannot_be(
        f"{ROW_KEY}which:{seat}",
        f"{seat}'s card looks like {name}, which is known to be elsewhere. Which card is it?",
        "If it really is that card, say so: it is recorded and judged.",
        _likely(setup, seat, lying, is_possible, declared),
        Option("again", f"It is {name}", tell=(CODEC.to_json(CardPlayed(seat, best, declared)),)),
        hold,
        lying.index,
    )


def is_it_so(setup: ShuhariSetup, seat: str, card: str, declared: Play | None, hold: str, why: str) -> Question:
    """A weak reading that would be against the rules."""
    text = f"Did {seat} play {setup.named(card)}{_said(declared)}?"
    told = CODEC.to_json(CardPlayed(seat, card, declared))
    return asking.is_it_so(f"{ROW_KEY}weak:{seat}", text, told, hold, why)


def another_card(seat: str, seq: int, was: CardPlayed, shown: str, setup: ShuhariSetup, hold: str) -> Question:
    """A recorded card is gone, and another lies in its place: one of the two readings is wrong."""
    before, now = (setup.named(card) for card in (was.card, shown))
    act = CODEC.to_json(CardPlayed(seat, shown, was.declared, was.slot))
    text = f"{seat} played {before}, it was recorded; now {now} lies there. Which is right?"
    return asking.another_card(f"{ROW_KEY}another:{seq}", text, now, (seq, act), before, hold)


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
    named = ", ".join(f"{fact.seat}'s {setup.named(fact.card)}" for fact in facts)
    return asking.as_it_lies(f"again:{trick}:?", named, map(CODEC.to_json, facts), hold)


def _likely(
    setup: ShuhariSetup, seat: str, lying: RowCard, is_possible: Callable[[str], bool], declared: Play | None
) -> Iterator[Option]:
    """The other cards for which something speaks and that can come from this hand, as answers."""
    for card, _ in lying.reading.candidates:
        if card != lying.card and card in setup.cards and is_possible(card):
            yield _played(setup, seat, card, declared)


def _played(setup: ShuhariSetup, seat: str, card: str, declared: Play | None) -> Option:
    art = setup.arts.get(card)
    told = CODEC.to_json(CardPlayed(seat, card, declared if art is not None else None))
    return Option(card, setup.named(card), tell=(told,))


def _said(declared: Play | None) -> str:
    match declared:
        case Play.REST:
            return " as a rest"
        case Play.BREAK:
            return " to break the mold"
        case _:
            return ""

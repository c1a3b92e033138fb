"""Hoshi Battle as it is written. Times are told in seconds, with six decimals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.errors import BadInputError
from companion.games.book import Book
from companion.games.codec import FactCodec
from companion.games.phrases import Nested, Phrase
from companion.games.words import Many
from companion.rules.cards import CardData
from companion.rules.hoshi_battle import RULES, HoshiBattleSettings, HoshiBattleSetup, HoshiBattleState
from companion.rules.hoshi_battle.facts import (
    FACTS,
    ActAttested,
    CardDeclined,
    CardsDealt,
    CardsKept,
    CardsPassed,
    CardsPlaced,
    DeckBrought,
    DieFell,
    DiePickedUp,
    DiePutBack,
    DieRolled,
    DieTaken,
    DuelCardRevealed,
    EffectTold,
    Fact,
    FoulSeen,
    HandLowered,
    HandRaised,
    HandsTouched,
    HeroExiled,
    HeroRevealed,
    OpponentChosen,
    PlayBegan,
    SaveRolled,
    StonesCounted,
    SwingMissed,
    TimeoutCalled,
    Told,
    TouchRuled,
)
from companion.rules.hoshi_battle.setup import cards_of

_TOLD = Nested(Phrase(Told, ("{kind} {seat} [amount {amount}] [rolled {rolled}] [as {counts}] [for {lasts}]",)))
_WHEN = "[at {at_us:time}]"
_ABOUT = "[within {within_us:time}]"
PHRASES = (
    Phrase(DeckBrought, ("{seat} brings heroes {heroes:cards} duels {duels:cards}",)),
    Phrase(CardsDealt, ("{seat} gets {count} {kind} (cards)",)),
    Phrase(CardsPassed, ("{seat} passes {count} {kind} (cards) to {to:seat}",)),
    Phrase(CardsKept, ("{seat} keeps {count} {kind} (cards)",)),
    Phrase(OpponentChosen, ("{seat} challenges|chooses {opponent:seat}",)),
    Phrase(CardsPlaced, ("{seat} places|lays (cards) [hero {hero}] [duel {duel}]",)),
    Phrase(HeroRevealed, ("{seat} reveals hero {card}",)),
    Phrase(DuelCardRevealed, ("{seat} reveals card {card}",)),
    Phrase(CardDeclined, ("{seat} declines",)),
    Phrase(EffectTold, ("{seat} tells of {card} : {outcomes}",), {"outcomes": Many(_TOLD)}),
    Phrase(DieTaken, ("{seat} takes d{sides} [die {die}]",)),
    Phrase(StonesCounted, ("{seat} has {count} stones|stone",)),
    Phrase(PlayBegan, (f"play begins|began {_WHEN} [counted {{counted}}]",)),
    Phrase(
        DieRolled,
        (
            "{seat} rolls|rolled {face} [{inside:inside}] [die {die}] [with d{sides}]"
            f" {_WHEN} {_ABOUT} [released {{released_us:time}}]",
        ),
    ),
    Phrase(DiePickedUp, (f"{{seat}} picks|picked up [die {{die}}] {_WHEN} {_ABOUT}",)),
    Phrase(DiePutBack, (f"{{seat}} puts|put back {{face}} [die {{die}}] {_WHEN}",)),
    Phrase(DieFell, (f"{{seat}} drops|dropped [die {{die}}] {_WHEN}",)),
    Phrase(SwingMissed, (f"{{seat}} misses|missed {_WHEN}",)),
    Phrase(HandRaised, (f"{{seat}} raises|raised (the hand) {_WHEN}",)),
    Phrase(HandLowered, (f"{{seat}} lowers|lowered (the hand) {_WHEN}",)),
    Phrase(
        HandsTouched, (f"{{by:toucher}} touches|touch|touched {_WHEN} {_ABOUT} [on {{where}}] [unsure of {{doubt}}]",)
    ),
    Phrase(TouchRuled, ("touch ruled {ruling} [of {seat}]",)),
    Phrase(ActAttested, ("attested {seat} {act:word} {done}",)),
    Phrase(SaveRolled, ("{seat} saves with {face} [on d{sides}]",)),
    Phrase(TimeoutCalled, (f"{{seat}} calls|called timeout|time-out {_WHEN}",)),
    Phrase(HeroExiled, ("{seat} exiles (the hero)",)),
    Phrase(FoulSeen, (f"{{seat}} fouls|fouled {{foul}} {_WHEN}",)),
)
MOST_SIDES = 100


def _build(
    seats: Sequence[str], lead: str, cards: Mapping[str, CardData], settings: HoshiBattleSettings
) -> HoshiBattleSetup:
    heroes, duels = cards_of(cards)
    return HoshiBattleSetup(tuple(seats), lead, heroes, duels, settings)


def _check(_state: HoshiBattleState, fact: Any) -> None:
    """Raises BadInputError for counts that can't be."""
    count = getattr(fact, "count", None)
    if count is not None and count < 0:
        raise BadInputError(f"there can't be {count} of them: a count is 0 or more")
    sides = getattr(fact, "sides", None)
    if sides is not None and not 1 <= sides <= MOST_SIDES:
        raise BadInputError(f"no die has {sides} sides")
    if getattr(fact, "die", 0) not in (0, 1):
        raise BadInputError("die: 0 is the Hero's own, 1 an additional one")
    if isinstance(fact, EffectTold) and not fact.outcomes:
        raise BadInputError("no outcome was told; where the card did nothing, say so: nothing")


def _heading(state: HoshiBattleState) -> str:
    if state.duel is None:
        return "Before the next Duel" if state.done else "Preparation"
    return f"Duel {state.duel.number}, round {state.duel.round}" if state.duel.round else f"Duel {state.duel.number}"


BOOK: Book[HoshiBattleSetup, HoshiBattleState, Fact, HoshiBattleSettings] = Book(
    game="hoshi-battle",
    title="Hoshi Battle",
    rules=RULES,
    facts=FactCodec(FACTS),
    settings=HoshiBattleSettings,
    phrases=PHRASES,
    build=_build,
    check=_check,
    heading=_heading,
)

"""Counts legal ways to play Shuhari on from a known deal, as proof that the rules allow what they should and nothing else.

One step is one decision: a card played as something (lead, practice, rest, break or aid; a card that may be two of them is two
ways), the card that a Review card takes, or the card that a Preparation card keeps of the top four. Copies of one card are one
way. Whatever nobody decides is no step: drawing the top card, clearing the field, the hand without art cards that a leader shows
and draws anew. The cards that a Preparation card doesn't keep go under the deck in the order in which they lay.

The deck's order is known, that of a shuffled pile is not: a line of play ends where the pile would have to be shuffled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from companion.errors import BadInputError
from companion.rules.shuhari.aids import pile_size, takes
from companion.rules.shuhari.facts import (
    CardDrawn,
    CardPlayed,
    CardTaken,
    DeckSearched,
    Fact,
    HandPutAway,
    Play,
    TrickCleared,
)
from companion.rules.shuhari.fold import apply, start
from companion.rules.shuhari.knowledge import playable
from companion.rules.shuhari.settings import ShortDeck, ShownHand
from companion.rules.shuhari.setup import HAND, LOOK, ShuhariSetup
from companion.rules.shuhari.state import Due, Phase, ShuhariState
from companion.virtual.deals import lead_of, read_deal

BUILTIN = "shuhari-deal.toml"

Cards = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KnownDeal:
    """A deal with every hand open."""

    lead: str
    hands: Mapping[str, Cards]
    """By seat."""
    deck: Cards
    """The other cards, from the top."""


class Position(NamedTuple):
    """A point in the play: the public state, every hand, and the deck from the top."""

    state: ShuhariState
    hands: Mapping[str, Cards]
    deck: Cards


class Decision(NamedTuple):
    """One way to go on, and the hands and the deck after it."""

    fact: Fact
    hands: Mapping[str, Cards]
    deck: Cards


def perft(setup: ShuhariSetup, deal: KnownDeal, depth: int) -> tuple[int, ...]:
    """How many sequences of 1, 2, ... `depth` decisions are legal from the first lead on."""
    counts = [0] * depth
    _count(Position(start(replace(setup, lead=deal.lead)), deal.hands, deal.deck), 0, counts)
    return tuple(counts)


def _count(position: Position, level: int, counts: list[int]) -> None:
    if level == len(counts):
        return
    position = settled(position)
    ways = list(decisions(position))
    counts[level] += len(ways)
    if level + 1 < len(counts):
        for fact, hands, deck in ways:
            _count(Position(apply(position.state, fact), hands, deck), level + 1, counts)


def settled(position: Position) -> Position:
    """The position after all that nobody decides, at the next decision; where there is none any more, where the play ends."""
    following = _undecided(position)
    while following is not None:
        position = following
        following = _undecided(position)
    return position


def _undecided(position: Position) -> Position | None:
    """The position after the next act where that act is no decision."""
    state, hands, deck = position
    seat = state.turn
    match state.phase:
        case Phase.CLEAR:
            return Position(apply(state, TrickCleared()), hands, deck)
        case Phase.REFILL if deck and state.trick.due in (None, Due.DRAW):
            drawn = {**hands, seat: (*hands[seat], deck[0])}
            return Position(apply(state, CardDrawn(seat)), drawn, deck[1:])
        case Phase.PLAY if not playable(state, hands[seat]):
            hand = hands[seat]
            under = hand if state.setup.settings.shown_hand is ShownHand.BOTTOM else ()
            return Position(apply(state, HandPutAway(seat, hand)), {**hands, seat: ()}, (*deck, *under))
        case _:
            return None


def decisions(position: Position) -> Iterator[Decision]:
    """The ways to go on from a settled position; none where the play ends."""
    state = position.state
    if state.phase is Phase.PLAY:
        yield from _plays(position)
    elif state.phase is Phase.REFILL and state.trick.due is Due.TAKE:
        yield from _takings(position)
    elif state.phase is Phase.REFILL and state.trick.due is Due.SEARCH:
        yield from _keepings(position)


def _plays(position: Position) -> Iterator[Decision]:
    state, hands, deck = position
    seat = state.turn
    for play, cards in playable(state, hands[seat]).items():
        for card in dict.fromkeys(cards):
            left = {**hands, seat: _without(hands[seat], card)}
            yield Decision(CardPlayed(seat, card, Play(play)), left, deck)


def _takings(position: Position) -> Iterator[Decision]:
    state, hands, deck = position
    seat = state.turn
    for card in takes(state):
        yield Decision(CardTaken(seat, card), {**hands, seat: (*hands[seat], card)}, deck)


def _keepings(position: Position) -> Iterator[Decision]:
    state, hands, deck = position
    seat, seen = state.turn, deck[:LOOK]
    shuffles = state.setup.settings.short_deck is ShortDeck.RENEW and pile_size(state.pool) > 0
    if len(seen) < LOOK and shuffles:
        return
    for card in dict.fromkeys(seen):
        kept = {**hands, seat: (*hands[seat], card)}
        yield Decision(DeckSearched(seat, len(seen)), kept, deck[LOOK:] + _without(seen, card))


def _without(cards: Cards, card: str) -> Cards:
    """The cards with one copy of a card less."""
    index = cards.index(card)
    return cards[:index] + cards[index + 1 :]


def load_deal(where: str, setup: ShuhariSetup) -> KnownDeal:
    """A deal from a TOML file, or the one that comes with the program ("builtin"). Raises BadInputError naming file and field.

    It holds `lead`, `[hands]` seat = [seven card ids], and `deck` = [the other card ids, from the top].
    """
    raw = read_deal(where, BUILTIN)
    lead = lead_of(raw, where, setup.seats, setup.lead)
    rows = raw.get("hands")
    if not isinstance(rows, dict) or set(rows) != set(setup.seats):
        raise BadInputError(f"{where}: hands: must hold one list of cards for each of {', '.join(setup.seats)}")
    hands = {seat: _cards(rows[seat], f"{where}: hands.{seat}", HAND, setup) for seat in setup.seats}
    deck = _cards(raw.get("deck"), f"{where}: deck", setup.size - HAND * len(setup.seats), setup)
    dealt = Counter([*deck, *(card for hand in hands.values() for card in hand)])
    for card, data in setup.cards.items():
        if dealt[card] != data.copies:
            raise BadInputError(f"{where}: {card}: must be dealt {_times(data.copies)}, not {_times(dealt[card])}")
    return KnownDeal(lead, hands, deck)


def _cards(raw: Any, what: str, count: int, setup: ShuhariSetup) -> Cards:
    if not isinstance(raw, list) or len(raw) != count or not all(isinstance(card, str) for card in raw):
        raise BadInputError(f"{what}: must be a list of {count} card ids")
    stranger = next((card for card in raw if card not in setup.cards), None)
    if stranger is not None:
        raise BadInputError(f"{what}: {stranger!r} is no card of the deck")
    return tuple(raw)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"

"""Counts legal ways to play a series of Ahuha Ahukaha on from a known deal with open hands.

One decision is one card chosen by one player: a card of the hand laid in the Field, or, when frozen cards are passed, a card
put down as the new frozen card. Players decide one after the other, clockwise from the first seat, each not knowing of the
others. All else follows: hands are raised truthfully, what nobody knows of an effect brings nothing, a card goes Home in the
ways that draw no `illegal` finding, and in the seventh round there is nothing to choose. Were there two such ways, both
would count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.errors import BadInputError
from companion.rules.ahuha.answers import asked_by
from companion.rules.ahuha.effects import EffectKind
from companion.rules.ahuha.facts import (
    CardLaid,
    CardPlaced,
    CardRevealed,
    Dealt,
    EffectTold,
    Fact,
    FrozenPlaced,
    FrozenTaken,
    Orientation,
    Side,
    Told,
)
from companion.rules.ahuha.knowledge import frozen_place
from companion.rules.ahuha.rules import RULES
from companion.rules.ahuha.setup import HAND, ROUNDS, AhuhaSetup
from companion.rules.ahuha.state import AhuhaState, Phase
from companion.rules.ahuha.turns import effect_of_active
from companion.rules.core import Level
from companion.virtual.deals import read_deal

DEAL = "ahuha-deal.toml"
"""The deal that comes with the program."""
SEATS = 3


@dataclass(frozen=True, slots=True)
class KnownDeal:
    """A deal with every card open."""

    hands: Mapping[str, tuple[str, ...]]
    """By seat."""
    frozen: tuple[str, ...]
    """The n-th lies on the left of the n-th seat."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A point in the play: the public state, the cards behind it, and what was chosen so far of three choices."""

    state: AhuhaState
    hands: tuple[tuple[str, ...], ...]
    """By place."""
    frozen: tuple[str, ...]
    chosen: tuple[str, ...] = ()
    passes: bool = False
    """The choices are frozen cards, not cards for the Field."""


def perft(setup: AhuhaSetup, deal: KnownDeal, depth: int) -> tuple[int, ...]:
    """How many sequences of 1, 2, ... `depth` decisions are legal from the deal on; 0 where the series is over before."""
    state = RULES.apply(RULES.start(setup), Dealt())
    counts = [0] * depth
    _count(_Node(state, tuple(deal.hands[seat] for seat in setup.seats), deal.frozen), 0, counts)
    return tuple(counts)


def _count(node: _Node, level: int, counts: list[int]) -> None:
    if level == len(counts) or node.state.phase is Phase.COUNT:
        return
    for following in _decisions(node):
        counts[level] += 1
        _count(following, level + 1, counts)


def _decisions(node: _Node) -> Iterator[_Node]:
    place = len(node.chosen)
    for card in node.hands[place]:
        kept = tuple(held for held in node.hands[place] if held != card)
        hands = (*node.hands[:place], kept, *node.hands[place + 1 :])
        after = replace(node, hands=hands, chosen=(*node.chosen, card))
        if place < SEATS - 1:
            yield after
        elif node.passes:
            yield from _settled(_placed_frozen(after))
        else:
            yield from _settled(_revealed(after))


def _tell(state: AhuhaState, *facts: Fact) -> AhuhaState | None:
    """After facts of which none is against the rules."""
    for fact in facts:
        if any(finding.level is Level.ILLEGAL for finding in RULES.judge(state, fact)):
            return None
        state = RULES.apply(state, fact)
    return state


def _revealed(node: _Node) -> _Node | None:
    seats = node.state.seats
    facts = [CardRevealed(seat, card) for seat, card in zip(seats, node.chosen, strict=True)]
    state = _tell(node.state, *map(CardLaid, seats), *facts)
    return None if state is None else _Node(state, node.hands, node.frozen)


def _placed_frozen(node: _Node) -> _Node | None:
    state = _tell(node.state, *[FrozenPlaced(seat, Side.LEFT) for seat in node.state.seats])
    return None if state is None else _Node(state, node.hands, node.chosen)


def _settled(node: _Node | None) -> Iterator[_Node]:
    """Every way to play on to the next choice."""
    if node is None:
        return
    state = node.state
    if state.phase is Phase.LAY and state.round.number == ROUNDS:
        chosen = tuple(node.frozen[frozen_place(state.setup, place)] for place in range(SEATS))
        yield from _settled(_revealed(replace(node, chosen=chosen)))
    elif state.phase is Phase.EFFECT:
        told = _tell(state, _effect(node))
        if told is not None:
            yield from _settled(replace(node, state=told))
    elif state.phase is not Phase.HOSIAHI:
        yield node
    elif state.round.passing == 0:
        yield from _taken_frozen(node)
    else:
        for home in _homes(state):
            yield from _settled(replace(node, state=home))


def _effect(node: _Node) -> EffectTold:
    state = node.state
    if effect_of_active(state, state.round).kind is not EffectKind.RAISE_HANDS:
        return EffectTold(Told.NOTHING)
    asked = set(state.setup.names(asked_by(state)))
    raised = [seat for seat, hand in zip(state.seats, node.hands, strict=True) if asked & set(hand)]
    return EffectTold(Told.HANDS, tuple(raised))


def _taken_frozen(node: _Node) -> Iterator[_Node]:
    state = _tell(node.state, *[FrozenTaken(seat, Side.RIGHT) for seat in node.state.seats])
    if state is not None:
        hands = tuple((*hand, node.frozen[place - 1]) for place, hand in enumerate(node.hands))
        yield _Node(state, hands, (), passes=True)


def _homes(state: AhuhaState) -> Iterator[AhuhaState]:
    """The active card goes Home, alone or with one that it meets: every way that is legal and ends the turn."""
    current = state.round
    active = current.active or 0
    turn = current.number, active
    for way in Orientation:
        lying = _tell(state, CardPlaced(state.seats[active], current.cards[active] or "", way))
        if lying is None:
            continue
        if (lying.round.number, lying.round.active) != turn:
            yield lying
            continue
        for seat, card in _could_meet(lying):
            after = _tell(lying, CardPlaced(seat, card, Orientation.UPRIGHT))
            if after is not None and (after.round.number, after.round.active) != turn:
                yield after


def _could_meet(state: AhuhaState) -> Iterator[tuple[str, str]]:
    """The cards of the Field and those that lie horizontally in a Home, each with its seat."""
    current = state.round
    for place, seat in enumerate(state.seats):
        card = current.cards[place]
        if card is not None and current.field >> place & 1:
            yield seat, card
        for placed in state.homes[place]:
            if placed.orientation is Orientation.HORIZONTAL:
                yield seat, placed.card


def load_deal(where: str, setup: AhuhaSetup) -> KnownDeal:
    """A deal from a TOML file, or the one that comes with the program ("builtin"). Raises BadInputError naming file and field.

    It holds `[hands]` seat = [six card ids], and `frozen` = [three card ids].
    """
    raw = read_deal(where, DEAL)
    table = raw.get("hands")
    if not isinstance(table, dict) or set(table) != set(setup.seats):
        raise BadInputError(f"{where}: hands: must hold one list of cards for each of {', '.join(setup.seats)}")
    hands = {seat: _cards(table[seat], HAND, f"{where}: hands.{seat}", setup) for seat in setup.seats}
    frozen = _cards(raw.get("frozen"), SEATS, f"{where}: frozen", setup)
    dealt = [card for cards in (*hands.values(), frozen) for card in cards]
    twice = next((card for n, card in enumerate(dealt) if card in dealt[:n]), None)
    if twice is not None:
        raise BadInputError(f"{where}: {twice} was dealt twice")
    return KnownDeal(hands, frozen)


def _cards(raw: Any, number: int, what: str, setup: AhuhaSetup) -> tuple[str, ...]:
    if not isinstance(raw, list) or len(raw) != number or not all(card in setup.ids for card in raw):
        raise BadInputError(f"{what}: must be {number} cards of the deck")
    return tuple(raw)

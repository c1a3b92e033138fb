"""Exact counts of the ways in which hidden cards can have gone: deals, frozen cards and passes.

A world is a deal of all cards to the three hands and the three frozen places together with every choice of a card to pass
on. Seen backwards from now, a card that was shown goes back into the hand it came from and is then like any other of its
kind; so the worlds are counted backwards over hands that are known by kinds only. Kinds are what the counted answers tell
apart.

Frozen place n lies between seat n and the next one clockwise, n + 1: on the left of n, on the right of n + 1.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, factorial

Vector = tuple[int, ...]
"""Cards by kind."""

PASS = -1
"""Event: everyone took the frozen card on the right, then everyone placed one on the left."""
UNSEEN = 0
"""As the kind of a shown card plus one: a card was parted with and nobody saw which."""


def shown_event(place: int, kind: int | None) -> int:
    """Event: a seat parted with a card of a kind from its hand; None where nobody saw it."""
    return place << 8 | (UNSEEN if kind is None else kind + 1)


Answer = tuple[int, int, bool]
"""Event: place, set of kinds asked for as bits, whether the hand was said to hold one."""
Event = int | Answer
State = tuple[Vector, Vector, Vector, Vector, Vector]
"""Three hands by kind, the frozen places' kinds, and what is hidden elsewhere by kind."""


@lru_cache(maxsize=1 << 14)
def draws(pool: Vector, size: int) -> tuple[tuple[int, Vector, Vector], ...]:
    """Every make-up of so many cards from a pool: in how many ways, the cards, what is left."""
    if not pool:
        return ((1, (), ()),) if size == 0 else ()
    found = []
    for taken in range(min(pool[0], size) + 1):
        ways = comb(pool[0], taken)
        left = pool[0] - taken
        found += [(ways * n, (taken, *cards), (left, *rest)) for n, cards, rest in draws(pool[1:], size - taken)]
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def count(hidden: Vector, hands: Vector, frozen: Vector, events: tuple[Event, ...]) -> int:
    """How many worlds agree with the events, the latest first, that lead back to the earliest answer.

    `hidden` holds the hidden cards by kind, `hands` how many each hand has now, `frozen` the kinds of the frozen places, -1
    where hidden. Passes before the earliest answer are the caller's: each multiplies the count by its choices.
    """
    if PASS in events:
        return _moving(hidden, hands, frozen, events)
    return _apart(hidden, hands, events)


def _apart(hidden: Vector, hands: Vector, events: tuple[Event, ...]) -> int:
    """Without passes each hand stands for itself, and hands of which nothing was said are dealt the rest."""
    asked = {event[0] for event in events if isinstance(event, tuple)}
    pools = {hidden: 1}
    for place in sorted(asked):
        own = [event for event in events if (event[0] if isinstance(event, tuple) else event >> 8) == place]
        after: dict[Vector, int] = {}
        for pool, ways in pools.items():
            for more, hand, rest in draws(pool, hands[place]):
                for left, number in _one_hand(hand, rest, own):
                    after[left] = after.get(left, 0) + ways * more * number
        pools = after
    rest_hands = [size for place, size in enumerate(hands) if place not in asked]
    total = sum(pools.values())
    if not total:
        return 0
    left_over = sum(next(iter(pools)))
    if left_over < sum(rest_hands):
        return 0
    total *= factorial(left_over)
    for size in rest_hands:
        total //= factorial(size)
    return total


def _one_hand(hand: Vector, pool: Vector, events: list[Event]) -> list[tuple[Vector, int]]:
    """A hand led back through its events: what can be left in the pool, and in how many ways."""
    states = {(hand, pool): 1}
    for event in events:
        after: dict[tuple[Vector, Vector], int] = {}
        for (cards, rest), ways in states.items():
            if isinstance(event, tuple):
                if _agrees(cards, event):
                    after[cards, rest] = ways
            elif event & 255:
                after[_plus(cards, (event & 255) - 1), rest] = ways
            else:
                for kind, number in enumerate(rest):
                    if number:
                        key = _plus(cards, kind), _minus(rest, kind)
                        after[key] = after.get(key, 0) + ways * number
        states = after
    return [(rest, ways) for (_, rest), ways in states.items()]


def _agrees(cards: Vector, answer: Answer) -> bool:
    _, kinds, has = answer
    holds = any(number and kinds >> kind & 1 for kind, number in enumerate(cards))
    return holds is has


def _plus(cards: Vector, kind: int) -> Vector:
    return (*cards[:kind], cards[kind] + 1, *cards[kind + 1 :])


def _minus(cards: Vector, kind: int) -> Vector:
    return (*cards[:kind], cards[kind] - 1, *cards[kind + 1 :])


def _moving(hidden: Vector, hands: Vector, frozen: Vector, events: tuple[Event, ...]) -> int:
    """With passes: all three hands and the frozen places are led back together."""
    states = _dealt(hidden, hands, frozen)
    for event in events:
        if event == PASS:
            states = _unpass(states)
        elif isinstance(event, tuple):
            states = {state: ways for state, ways in states.items() if _agrees(state[event[0]], event)}
        else:
            states = _unplay(states, event)
    return sum(ways * factorial(sum(state[4])) for state, ways in states.items())


def _dealt(hidden: Vector, hands: Vector, frozen: Vector) -> dict[State, int]:
    """Every way in which the hidden cards can lie now."""
    states: dict[State, int] = {}
    for first_ways, first, after_first in draws(hidden, hands[0]):
        for second_ways, second, after_second in draws(after_first, hands[1]):
            for third_ways, third, rest in draws(after_second, hands[2]):
                ways = first_ways * second_ways * third_ways
                for more, places, pool in _frozen(rest, frozen):
                    key = first, second, third, places, pool
                    states[key] = states.get(key, 0) + ways * more
    return states


@lru_cache(maxsize=1 << 12)
def _frozen(pool: Vector, frozen: Vector) -> tuple[tuple[int, Vector, Vector], ...]:
    found: list[tuple[int, Vector, Vector]] = [(1, (), pool)]
    for known in frozen:
        after: list[tuple[int, Vector, Vector]] = []
        for ways, places, rest in found:
            if known >= 0:
                after.append((ways, (*places, known), rest))
                continue
            after += [(ways * n, (*places, kind), _minus(rest, kind)) for kind, n in enumerate(rest) if n]
        found = after
    return tuple(found)


def _unplay(states: dict[State, int], event: int) -> dict[State, int]:
    """A card goes back into the hand it was played from."""
    place, kind = event >> 8, (event & 255) - 1
    after: dict[State, int] = {}
    for state, ways in states.items():
        pool = state[4]
        if kind >= 0:
            key = _with_hand(state, place, _plus(state[place], kind), pool)
            after[key] = after.get(key, 0) + ways
            continue
        for drawn, number in enumerate(pool):
            if number:
                key = _with_hand(state, place, _plus(state[place], drawn), _minus(pool, drawn))
                after[key] = after.get(key, 0) + ways * number
    return after


def _with_hand(state: State, place: int, hand: Vector, pool: Vector) -> State:
    first, second, third, frozen, _ = state
    if place == 0:
        return hand, second, third, frozen, pool
    return (first, hand, third, frozen, pool) if place == 1 else (first, second, hand, frozen, pool)


def _unpass(states: dict[State, int]) -> dict[State, int]:
    """Each seat takes the card on its left back and returns one of its cards to the place on its right."""
    after: dict[State, int] = {}
    for (first, second, third, frozen, pool), ways in states.items():
        ones = _returns(first, frozen[0])
        twos = _returns(second, frozen[1])
        threes = _returns(third, frozen[2])
        for n1, kind1, hand1 in ones:
            for n2, kind2, hand2 in twos:
                more = ways * n1 * n2
                for n3, kind3, hand3 in threes:
                    key = hand1, hand2, hand3, (kind2, kind3, kind1), pool
                    after[key] = after.get(key, 0) + more * n3
    return after


@lru_cache(maxsize=1 << 14)
def _returns(hand: Vector, placed: int) -> tuple[tuple[int, int, Vector], ...]:
    """After taking back what it placed: in how many ways a hand can return a card of which kind, and what it keeps."""
    full = _plus(hand, placed)
    return tuple((number, kind, _minus(full, kind)) for kind, number in enumerate(full) if number)

"""Exact counts of the ways in which hidden cards can have gone: deals, frozen cards and passes.

A world is a deal of all cards to the three hands and the three frozen places together with every choice of a card to pass
on. Seen backwards from now, a card that was shown goes back into the hand it came from and is then like any other of its
kind; so the worlds are counted backwards over hands that are known by kinds only. Kinds are what the counted answers tell
apart.

Frozen place n lies between seat n and the next one clockwise, n + 1: on the left of n, on the right of n + 1.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, factorial, perm

Vector = tuple[int, ...]
"""Cards by kind."""

PASS = -1
"""Event: everyone took the frozen card on the right, then everyone placed one on the left."""
UNSEEN = 0
"""In place of a card's kind plus one: a card was parted with and nobody saw which."""


Answer = tuple[int, int, bool]
"""Event: place, set of kinds asked for as bits, whether the hand was said to hold one."""
Event = int | Answer
"""An answer, `PASS`, or a card parted with: the place times 256, plus the card's kind plus one, or `UNSEEN`."""


@lru_cache(maxsize=1 << 16)
def draws(pool: Vector, size: int) -> tuple[tuple[int, Vector, Vector], ...]:
    """Every make-up of so many cards from a pool: in how many ways, the cards, what is left."""
    if len(pool) == 1:
        return ((comb(pool[0], size), (size,), (pool[0] - size,)),) if size <= pool[0] else ()
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
    used = _used(hidden, frozen, events)
    if len(used) < len(hidden):
        return count(*_of_kinds(used, hidden, frozen, events, hands))
    if events.count(PASS) >= MANY_PASSES:
        return count_together(hidden, hands, frozen, events)
    return count_by_seats(hidden, hands, frozen, events)


def _used(hidden: Vector, frozen: Vector, events: tuple[Event, ...]) -> tuple[int, ...]:
    """The kinds of which there is a card in play; at least one."""
    shown = {(event & 255) - 1 for event in events if isinstance(event, int) and event != PASS}
    shown.update(frozen)
    return tuple([kind for kind, number in enumerate(hidden) if number or kind in shown]) or (0,)


def _of_kinds(
    used: tuple[int, ...], hidden: Vector, frozen: Vector, events: tuple[Event, ...], hands: Vector
) -> tuple[Vector, Vector, Vector, tuple[Event, ...]]:
    """The same question with these kinds alone."""
    new = {kind: place for place, kind in enumerate(used)}
    renamed: list[Event] = []
    for event in events:
        if isinstance(event, tuple):
            renamed.append((event[0], sum(1 << place for kind, place in new.items() if event[1] >> kind & 1), event[2]))
        elif event == PASS or not event & 255:
            renamed.append(event)
        else:
            renamed.append(event >> 8 << 8 | new[(event & 255) - 1] + 1)
    at = tuple([new.get(kind, -1) for kind in frozen])
    return tuple([hidden[kind] for kind in used]), hands, at, tuple(renamed)


MANY_PASSES = 3
"""From so many passes on it is quicker to lead the seats back together than one by one."""


def count_by_seats(hidden: Vector, hands: Vector, frozen: Vector, events: tuple[Event, ...]) -> int:
    """As `count`: the seats are led back one after the other.

    They share what is hidden and, where cards were passed twice or more, the cards on their way: what a seat takes back must
    be what the next one returned.
    """
    moves = PASS in events
    asked = {event[0] for event in events if isinstance(event, tuple)}
    chosen = (0, 1, 2) if moves else tuple(sorted(asked))
    states: dict[tuple[Vector, Vector | None, Vector], int] = {(hidden, None, ()): 1}
    for place in chosen:
        is_last = moves and place == chosen[-1]
        states = _seat(states, hands[place], frozen[place] if moves else None, _own(events, place), is_last=is_last)
    total, left = 0, 0
    for (pool, taken, returned), ways in states.items():
        if (taken or ()) == returned:
            total, left = total + ways, sum(pool)
    others = [size for place, size in enumerate(hands) if place not in chosen]
    if not total or left < sum(others):
        return 0
    total *= factorial(left)
    for size in others:
        total //= factorial(size)
    return total


def _own(events: tuple[Event, ...], place: int) -> tuple[Event, ...]:
    """The events that concern one seat."""
    return tuple(
        [event for event in events if event == PASS or (event[0] if isinstance(event, tuple) else event >> 8) == place]
    )


def _seat(
    states: dict[tuple[Vector, Vector | None, Vector], int],
    size: int,
    frozen: int | None,
    own: tuple[Event, ...],
    *,
    is_last: bool,
) -> dict[tuple[Vector, Vector | None, Vector], int]:
    """One more seat is given its cards and led back.

    A state is what is left of the hidden cards, what the seat before took back (None before the first), and what the first
    seat returned, which the last one must take back.
    """
    after: dict[tuple[Vector, Vector | None, Vector], int] = {}
    for (pool, before, first), ways in states.items():
        for more, hand, rest in draws(pool, size):
            for number, placed, left in _placed(rest, frozen):
                for unseen, taken, returned, times in _led_back(hand, placed, own, first if is_last else None, before):
                    drawn, last = _without(left, unseen)
                    if not drawn:
                        continue
                    key = last, taken, returned if before is None else first
                    after[key] = after.get(key, 0) + ways * more * number * times * drawn
    return after


@lru_cache(maxsize=1 << 14)
def _placed(pool: Vector, frozen: int | None) -> tuple[tuple[int, int, Vector], ...]:
    """What can lie in a seat's frozen place: in how many ways, the kind, what is left. None where it doesn't matter."""
    if frozen is None or frozen >= 0:
        return ((1, -1 if frozen is None else frozen, pool),)
    return tuple([(number, kind, _minus(pool, kind)) for kind, number in enumerate(pool) if number])


def _without(pool: Vector, unseen: Vector) -> tuple[int, Vector]:
    """The ways to have drawn the cards that nobody saw, and what is left."""
    if not any(unseen):
        return 1, pool
    ways = 1
    for number, drawn in zip(pool, unseen, strict=True):
        ways *= perm(number, drawn)
    return ways, tuple([number - drawn for number, drawn in zip(pool, unseen, strict=True)])


@lru_cache(maxsize=1 << 16)
def _led_back(
    hand: Vector, placed: int, own: tuple[Event, ...], taking: Vector | None, returning: Vector | None
) -> tuple[tuple[Vector, Vector, Vector, int], ...]:
    """A seat led back through its events: unseen cards by kind, kinds taken back and returned on the way, number of ways.

    At the latest pass it takes back what lies in its frozen place, at earlier ones a card of any kind or those that `taking`
    names; what it returns at the earliest pass went around no further, at later ones it is any card or those that `returning`
    names.
    """
    passes = own.count(PASS)
    nothing = (0,) * len(hand)
    states: dict[tuple[Vector, Vector, Vector, Vector], int] = {(hand, nothing, (), ()): 1}
    undone = 0
    for event in own:
        if event == PASS:
            kind = placed if undone == 0 else None if taking is None else taking[undone - 1]
            undone += 1
            back = None if returning is None or undone == passes else returning[undone - 1]
            states = _unpass(states, kind, back, is_latest=undone == 1, is_first=undone == passes)
        elif isinstance(event, tuple):
            states = {state: ways for state, ways in states.items() if _agrees(state[0], event)}
        else:
            states = _unplay(states, event & 255)
        if not states:
            return ()
    found: dict[tuple[Vector, Vector, Vector], int] = {}
    for (_, unseen, taken, returned), ways in states.items():
        key = unseen, taken, returned
        found[key] = found.get(key, 0) + ways
    return tuple([(*key, ways) for key, ways in found.items()])


Led = dict[tuple[Vector, Vector, Vector, Vector], int]
"""Hand, unseen cards, kinds taken back and kinds returned so far; in how many ways."""


def _agrees(cards: Vector, answer: Answer) -> bool:
    _, kinds, has = answer
    for kind, number in enumerate(cards):
        if number and kinds >> kind & 1:
            return has
    return not has


def _plus(cards: Vector, kind: int) -> Vector:
    return (*cards[:kind], cards[kind] + 1, *cards[kind + 1 :])


def _minus(cards: Vector, kind: int) -> Vector:
    return (*cards[:kind], cards[kind] - 1, *cards[kind + 1 :])


def _unplay(states: Led, shown: int) -> Led:
    """A card goes back into the hand it was played from."""
    if shown != UNSEEN:
        return {(_plus(hand, shown - 1), *rest): ways for (hand, *rest), ways in states.items()}  # type: ignore[misc]
    after: Led = {}
    for (hand, unseen, taken, returned), ways in states.items():
        for kind in range(len(hand)):
            key = _plus(hand, kind), _plus(unseen, kind), taken, returned
            after[key] = after.get(key, 0) + ways
    return after


def _unpass(states: Led, kind: int | None, back: int | None, *, is_latest: bool, is_first: bool) -> Led:
    """The seat takes the card on its left back and returns one of its cards to the right; None for any kind."""
    after: Led = {}
    for (hand, unseen, taken, returned), ways in states.items():
        kinds = range(len(hand))
        for took in kinds if kind is None else (kind,):
            full = _plus(hand, took)
            all_taken = taken if is_latest else (*taken, took)
            for gave in kinds if back is None else (back,):
                if full[gave]:
                    all_returned = returned if is_first else (*returned, gave)
                    key = _minus(full, gave), unseen, all_taken, all_returned
                    after[key] = after.get(key, 0) + ways * full[gave]
    return after


State = tuple[Vector, Vector, Vector, Vector, Vector]
"""Three hands by kind, the frozen places' kinds, and what is hidden elsewhere by kind."""


def count_together(hidden: Vector, hands: Vector, frozen: Vector, events: tuple[Event, ...]) -> int:
    """As `count`, with at least one pass: all three hands and the frozen places are led back together."""
    states = _now(hidden, hands, frozen)
    for event in events:
        if event == PASS:
            states = _unpass_all(states)
        elif isinstance(event, tuple):
            states = {state: ways for state, ways in states.items() if _agrees(state[event[0]], event)}
        else:
            states = _unplay_one(states, event)
    return sum(ways * factorial(sum(state[4])) for state, ways in states.items())


def _now(hidden: Vector, hands: Vector, frozen: Vector) -> dict[State, int]:
    """Every way in which the hidden cards can lie now."""
    states: dict[State, int] = {}
    for first_ways, first, after_first in draws(hidden, hands[0]):
        for second_ways, second, after_second in draws(after_first, hands[1]):
            for third_ways, third, rest in draws(after_second, hands[2]):
                ways = first_ways * second_ways * third_ways
                for more, places, pool in _all_frozen(rest, frozen):
                    key = first, second, third, places, pool
                    states[key] = states.get(key, 0) + ways * more
    return states


@lru_cache(maxsize=1 << 12)
def _all_frozen(pool: Vector, frozen: Vector) -> tuple[tuple[int, Vector, Vector], ...]:
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


def _unplay_one(states: dict[State, int], event: int) -> dict[State, int]:
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


def _unpass_all(states: dict[State, int]) -> dict[State, int]:
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

"""Counting by leading all three hands and the frozen places back together."""

from __future__ import annotations

from functools import lru_cache

from companion.rules.ahuha.bags import Bag, contents, is_part, one, orders, renamed
from companion.rules.ahuha.stretches import DRAWS, TAKES, Step, Stretch, agrees, asks_only, hands_now, returns
from companion.rules.ahuha.work import Work

State = tuple[Bag, Bag, Bag, Bag, Bag, Bag, Bag]
"""By place the hands, then by frozen place its card, then what is hidden elsewhere."""


def patterns_together(
    pool: Bag, hands: tuple[int, ...], frozen: tuple[int, ...], stretches: tuple[Stretch, ...], work: Work
) -> int:
    """In how many patterns the pool can lie, where cards were passed at least once. Raises TooManyWaysError."""
    states, steps = _now(pool, hands, frozen, stretches[0], work)
    last = len(stretches) - 1
    for at, stretch in enumerate(stretches):
        if at:
            steps = stretch.steps
            if at == last and all(map(asks_only, steps)):
                work.spend(2 * len(states))
                return _at_first_pass(states, stretches[at - 1].names, steps)
            states = _unpass(states, stretches[at - 1].names, work)
        for place in range(3):
            for step in steps[place]:
                work.spend(len(states) * (len(contents(pool)) if step[0] == DRAWS else 1))
                states = _step_back(states, place, step)
    return sum([ways * orders(state[6]) for state, ways in states.items()])


def _now(
    pool: Bag, hands: tuple[int, ...], frozen: tuple[int, ...], latest: Stretch, work: Work
) -> tuple[dict[State, int], tuple[tuple[Step, ...], ...]]:
    """Every way in which the hidden cards can lie now by the latest answers, and the steps before those."""
    found: list[tuple[tuple[Bag, ...], Bag, int]] = [((), pool, 1)]
    before = []
    for place in range(3):
        held, steps = hands_now(pool, hands[place], latest.steps[place])
        before.append(steps)
        work.spend(len(found) * len(held))
        found = [
            ((*lying, hand), rest - hand, ways * n)
            for lying, rest, ways in found
            for hand, n in held
            if is_part(hand, rest)
        ]
    for kind in frozen:
        if kind >= 0:
            found = [((*lying, one(kind)), rest, ways) for lying, rest, ways in found]
        else:
            work.spend(len(found) * len(contents(pool)))
            found = [((*lying, card), rest - card, ways) for lying, rest, ways in found for _, card in contents(rest)]
    states: dict[State, int] = {(*lying, rest): ways for lying, rest, ways in found}  # type: ignore[misc]
    return states, tuple(before)


def _step_back(states: dict[State, int], place: int, step: Step) -> dict[State, int]:
    what, cards = step
    if what == TAKES:
        return {_with_hand(state, place, state[place] + cards, state[6]): ways for state, ways in states.items()}
    if what != DRAWS:
        return {state: ways for state, ways in states.items() if agrees(state[place], step)}
    after: dict[State, int] = {}
    for state, ways in states.items():
        for _, drawn in contents(state[6]):
            key = _with_hand(state, place, state[place] + drawn, state[6] - drawn)
            after[key] = after.get(key, 0) + ways
    return after


def _with_hand(state: State, place: int, hand: Bag, pool: Bag) -> State:
    first, second, third, left_of_first, left_of_second, left_of_third, _ = state
    if place == 0:
        return hand, second, third, left_of_first, left_of_second, left_of_third, pool
    if place == 1:
        return first, hand, third, left_of_first, left_of_second, left_of_third, pool
    return first, second, hand, left_of_first, left_of_second, left_of_third, pool


def _at_first_pass(states: dict[State, int], names: tuple[int, ...], steps: tuple[tuple[Step, ...], ...]) -> int:
    """The patterns at the earliest pass, where only answers come before it: which cards were returned is only counted."""
    first, second, third = steps
    total = 0
    for (one_held, two_held, three_held, one_placed, two_placed, three_placed, pool), ways in states.items():
        ones = returns(renamed(one_held + one_placed, names), first)
        if ones:
            twos = returns(renamed(two_held + two_placed, names), second)
            if twos:
                threes = returns(renamed(three_held + three_placed, names), third)
                total += ways * ones * twos * threes * orders(pool)
    return total


def _unpass(states: dict[State, int], names: tuple[int, ...], work: Work) -> dict[State, int]:
    """Each seat takes the card on its left back and returns one of its cards to the place on its right."""
    merged: dict[State, int] = {}
    work.spend(2 * len(states))
    for state, ways in states.items():
        key: State = tuple([renamed(cards, names) for cards in state])  # type: ignore[assignment]
        merged[key] = merged.get(key, 0) + ways
    after: dict[State, int] = {}
    get = after.get
    for (first, second, third, one_placed, two_placed, three_placed, pool), ways in merged.items():
        ones = _returns(first + one_placed)
        twos = _returns(second + two_placed)
        threes = _returns(third + three_placed)
        work.spend(len(ones) * len(twos) * len(threes))
        for number, gave_one, kept_one in ones:
            for more, gave_two, kept_two in twos:
                times = ways * number * more
                for most, gave_three, kept_three in threes:
                    key = kept_one, kept_two, kept_three, gave_two, gave_three, gave_one, pool
                    after[key] = get(key, 0) + times * most
    return after


@lru_cache(maxsize=1 << 14)
def _returns(full: Bag) -> tuple[tuple[int, Bag, Bag], ...]:
    """In how many ways a hand can return a card of which kind, and what it keeps."""
    return tuple([(number, card, full - card) for number, card in contents(full)])

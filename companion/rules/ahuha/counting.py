"""Exact counts of the ways in which hidden cards can have gone: deals, frozen cards and passes.

A world is a deal of all cards to the three hands and the three frozen places together with every choice of a card to pass
on. Seen backwards from now, a card that was shown goes back into the hand it came from and is then like any other of its
kind; so the worlds are counted backwards over cards that are known by kinds only. Kinds are what the counted answers tell
apart; what no earlier answer tells apart any more becomes one kind on the way back.

What is counted are patterns: which kind lies in which place, with the cards of a hand in a row. Each stands for as many
worlds: the product of n! over the kinds, divided by the product of n! over the hands.

Frozen place n lies between seat n and the next one clockwise, n + 1: on the left of n, on the right of n + 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import factorial, prod

from companion.rules.ahuha.all_together import patterns_together
from companion.rules.ahuha.bags import Bag, bag_of
from companion.rules.ahuha.by_seats import patterns_by_seats
from companion.rules.ahuha.stretches import PASS, Event, Stretch, stretches_of
from companion.rules.ahuha.work import MOST_STEPS, TooManyWaysError, Work

Vector = tuple[int, ...]
"""Cards by kind."""
MANY_PASSES = 3
"""From so many passes on it is quicker to lead the seats back together than one by one."""


@lru_cache(maxsize=1 << 16)
def count(
    hidden: Vector, hands: Vector, frozen: Vector, events: tuple[Event, ...], most: int | None = MOST_STEPS
) -> int | None:
    """How many worlds agree with the events, the latest first, that lead back to the earliest answer.

    `hidden` holds the hidden cards by kind, `hands` how many each hand has now, `frozen` the kinds of the frozen places, -1
    where hidden. Passes before the earliest answer are the caller's: each multiplies the count by its choices. None where it
    takes more than `most` steps.
    """
    counting = count_together if events.count(PASS) >= MANY_PASSES else count_by_seats
    return counting(hidden, hands, frozen, events, most)


def count_by_seats(
    hidden: Vector, hands: Vector, frozen: Vector, events: tuple[Event, ...], most: int | None = None
) -> int | None:
    """As `count`: each seat is led back by itself, then the three are put together."""
    return _count(patterns_by_seats, hidden, hands, frozen, events, most)


def count_together(
    hidden: Vector, hands: Vector, frozen: Vector, events: tuple[Event, ...], most: int | None = None
) -> int | None:
    """As `count`, with at least one pass: all three hands and the frozen places are led back together."""
    return _count(patterns_together, hidden, hands, frozen, events, most)


Patterns = Callable[[Bag, Vector, Vector, tuple[Stretch, ...], Work], int]


def _count(
    patterns: Patterns, hidden: Vector, hands: Vector, frozen: Vector, events: tuple[Event, ...], most: int | None
) -> int | None:
    try:
        found = patterns(bag_of(hidden), hands, frozen, stretches_of(len(hidden), events), Work(most))
    except TooManyWaysError:
        return None
    return found * prod(map(factorial, hidden)) // prod(map(factorial, hands))

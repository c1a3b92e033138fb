"""Bags of cards that are known by kind only, each packed into one number: six bits a kind, of which the highest stays free.

Two bags are put together by adding; the free bits show whether one is part of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import factorial

Bag = int
"""Kind k's number of cards, 0 to 31, in bits 6k to 6k + 4."""
BITS = 6
KINDS = 21
"""At most so many kinds: each card its own."""
FREE_BITS = sum(1 << BITS * kind + BITS - 1 for kind in range(KINDS))
_NUMBER = (1 << BITS - 1) - 1
_ALL_BUT_ONE = (1 << BITS) - 1


def bag_of(numbers: Iterable[int]) -> Bag:
    """A bag from the numbers of cards by kind."""
    return sum([number << BITS * kind for kind, number in enumerate(numbers)])


def one(kind: int) -> Bag:
    """A single card."""
    return 1 << BITS * kind


def mask_of(kinds: Iterable[int]) -> int:
    """What cuts these kinds out of a bag with `&`."""
    return sum(_NUMBER << BITS * kind for kind in kinds)


def is_part(bag: Bag, pool: Bag) -> bool:
    """Whether a pool holds all these cards."""
    return ((pool | FREE_BITS) - bag) & FREE_BITS == FREE_BITS


@lru_cache(maxsize=1 << 16)
def contents(bag: Bag) -> tuple[tuple[int, Bag], ...]:
    """The kinds in a bag: how many cards, and one of them as a bag."""
    found = []
    unit = 1
    while bag:
        number = bag & _NUMBER
        if number:
            found.append((number, unit))
        bag >>= BITS
        unit <<= BITS
    return tuple(found)


def cards_in(bag: Bag) -> int:
    """How many cards a bag holds: 64 leaves 1 when divided by 63, so a bag leaves the sum of its numbers."""
    return bag % _ALL_BUT_ONE


@lru_cache(maxsize=1 << 16)
def orders(bag: Bag) -> int:
    """In how many ways the kinds of a bag can lie in a row."""
    total, ways = 0, 1
    for number, _ in contents(bag):
        total += number
        ways *= factorial(number)
    return factorial(total) // ways


@lru_cache(maxsize=1 << 12)
def draws(pool: Bag, size: int) -> tuple[tuple[Bag, int], ...]:
    """Every bag of so many cards from a pool, with its `orders`."""
    bags = [(0, size)]
    kinds = contents(pool)
    left = cards_in(pool)
    for number, unit in kinds:
        left -= number
        bags = [
            (bag + taken * unit, missing - taken)
            for bag, missing in bags
            for taken in range(max(0, missing - left), min(number, missing) + 1)
        ]
    return tuple([(bag, orders(bag)) for bag, missing in bags if not missing])


@lru_cache(maxsize=1 << 16)
def renamed(bag: Bag, names: tuple[int, ...]) -> Bag:
    """The same cards where kind k is called `names[k]`; kinds that share a name become one."""
    found = 0
    for kind, name in enumerate(names):
        found += (bag >> BITS * kind & _NUMBER) << BITS * name
    return found

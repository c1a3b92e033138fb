"""What happened to the hands, cut at the passes, as steps that lead a hand back in time."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from companion.rules.ahuha.bags import KINDS, Bag, contents, draws, mask_of, one

PASS = -1
"""Event: everyone took the frozen card on the right, then everyone placed one on the left."""
UNSEEN = 0
"""In place of a card's kind plus one: a card was parted with and nobody saw which."""

Answer = tuple[int, int, bool]
"""Event: place, set of kinds asked for as bits, whether the hand was said to hold one."""
Event = int | Answer
"""An answer, `PASS`, or a card parted with: the place times 256, plus the card's kind plus one, or `UNSEEN`."""

TAKES, DRAWS, HAS, LACKS = range(4)
"""Steps: cards that were shown go back into the hand; one that nobody saw does; an answer said yes; an answer said no."""
Step = tuple[int, int]
"""What happens, and the cards as a bag or the kinds asked for as its mask."""


class Stretch(NamedTuple):
    """What happened between two passes, the latest first. It speaks of the kinds that it and earlier ones tell apart."""

    steps: tuple[tuple[Step, ...], ...]
    """By place."""
    called: tuple[int, ...]
    """By kind of now what it is called here."""
    names: tuple[int, ...]
    """By kind here what the kind is called in the stretch before, which tells fewer kinds apart."""


@lru_cache(maxsize=1 << 12)
def stretches_of(kinds: int, events: tuple[Event, ...]) -> tuple[Stretch, ...]:
    """The events, the latest first, cut at the passes."""
    cut = []
    left = events
    for _ in range(events.count(PASS)):
        at = left.index(PASS)
        cut.append(left[:at])
        left = left[at + 1 :]
    cut.append(left)
    earlier: list[tuple[int, ...]] = []
    asked: tuple[int, ...] = ()
    for stretch in reversed(cut):
        earlier.append(asked)
        asked = tuple(sorted({*asked, *(event[1] for event in stretch if isinstance(event, tuple))}))
    found = []
    called = tuple(range(kinds))
    for stretch in cut:
        before = told_apart(kinds, earlier.pop())
        found.append(Stretch(_steps(stretch, called), called, _names(called, before)))
        called = before
    return tuple(found)


@lru_cache(maxsize=1 << 10)
def told_apart(kinds: int, asked: tuple[int, ...]) -> tuple[int, ...]:
    """By kind its name where only these answers tell kinds apart."""
    names: dict[tuple[int, ...], int] = {}
    return tuple([names.setdefault(tuple([among >> kind & 1 for among in asked]), len(names)) for kind in range(kinds)])


@lru_cache(maxsize=1 << 10)
def _names(called: tuple[int, ...], before: tuple[int, ...]) -> tuple[int, ...]:
    """By name here the name in the stretch before."""
    names = dict(zip(called, before, strict=True))
    return tuple([names[kind] for kind in range(len(names))])


@lru_cache(maxsize=1 << 12)
def _asked(asked: int, called: tuple[int, ...]) -> int:
    """The kinds asked for, as they are called, as a mask."""
    return mask_of({name for kind, name in enumerate(called) if asked >> kind & 1})


@lru_cache(maxsize=1 << 12)
def _steps(stretch: tuple[Event, ...], called: tuple[int, ...]) -> tuple[tuple[Step, ...], ...]:
    """By place its steps; cards shown one after another go back together."""
    steps: tuple[list[Step], list[Step], list[Step]] = ([], [], [])
    for event in stretch:
        if isinstance(event, tuple):
            place, asked, has = event
            steps[place].append((HAS if has else LACKS, _asked(asked, called)))
            continue
        own, kind = steps[event >> 8], event & 255
        if kind == UNSEEN:
            own.append((DRAWS, 0))
        elif own and own[-1][0] == TAKES:
            own[-1] = TAKES, own[-1][1] + _ONE[called[kind - 1]]
        else:
            own.append((TAKES, _ONE[called[kind - 1]]))
    return tuple(map(tuple, steps))


_ONE = tuple([one(kind) for kind in range(KINDS)])


def hands_now(pool: Bag, size: int, steps: tuple[Step, ...]) -> tuple[tuple[tuple[Bag, int], ...], tuple[Step, ...]]:
    """The hands that a seat can hold now by its latest answers, each with its orders; and the steps that come before those."""
    known = 0
    lacked, wishes = 0, []
    for what, asked in steps:
        if what is HAS:
            wishes.append(asked)
        elif what is LACKS:
            lacked |= asked
        else:
            break
        known += 1
    hands = draws(pool & ~lacked, size)
    if wishes:
        hands = tuple([hand for hand in hands if all(hand[0] & asked for asked in wishes)])
    return hands, steps[known:]


def agrees(hand: Bag, step: Step) -> bool:
    """Whether a hand is as an answer says."""
    return bool(hand & step[1]) is (step[0] == HAS)


@lru_cache(maxsize=1 << 16)
def returns(full: Bag, steps: tuple[Step, ...]) -> int:
    """In how many ways one of these cards can be returned so that what is kept agrees with the answers that the steps are."""
    ways = 0
    for number, card in contents(full):
        kept = full - card
        for what, asked in steps:
            if (kept & asked != 0) is not (what == HAS):
                break
        else:
            ways += number
    return ways


def asks_only(steps: tuple[Step, ...]) -> bool:
    """Whether they are answers and nothing else."""
    return all(what in (HAS, LACKS) for what, _ in steps)

"""What happened to the hands, cut at the passes, as steps that lead a hand back in time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from companion.rules.ahuha.bags import Bag, draws, mask_of, one

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
    cut: list[list[Event]] = [[]]
    for event in events:
        if event == PASS:
            cut.append([])
        else:
            cut[-1].append(event)
    found = []
    called: Sequence[int] = range(kinds)
    for at, stretch in enumerate(cut):
        earlier = [event[1] for part in cut[at + 1 :] for event in part if isinstance(event, tuple)]
        told_apart: dict[tuple[int, ...], int] = {}
        before = [
            told_apart.setdefault(tuple([asked >> kind & 1 for asked in earlier]), len(told_apart))
            for kind in range(kinds)
        ]
        names = dict(zip(called, before, strict=True))
        steps = tuple([_steps(place, stretch, called) for place in range(3)])
        found.append(Stretch(steps, tuple(called), tuple([names[kind] for kind in range(len(names))])))
        called = before
    return tuple(found)


def _steps(place: int, stretch: list[Event], called: Sequence[int]) -> tuple[Step, ...]:
    steps: list[Step] = []
    for event in stretch:
        if isinstance(event, tuple):
            if event[0] == place:
                asked = {name for kind, name in enumerate(called) if event[1] >> kind & 1}
                steps.append((HAS if event[2] else LACKS, mask_of(asked)))
        elif event >> 8 != place:
            continue
        elif event & 255 == UNSEEN:
            steps.append((DRAWS, 0))
        else:
            steps.append((TAKES, one(called[(event & 255) - 1])))
    return tuple(steps)


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

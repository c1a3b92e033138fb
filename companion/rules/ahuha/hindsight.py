"""After a series: who held what when, and which stars could have met (End of a Series: share your thoughts).

It rests on the cards alone, not on answers, which may have been false. Where frozen cards were passed, a card may have been
in one hand or another: what every world agrees on is told as held, the rest as possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from companion.rules.ahuha.knowledge import Answered, Entry, Knowledge, Passed, Shown, count_with, frozen_place
from companion.rules.ahuha.setup import HAND, ROUNDS, AhuhaSetup
from companion.rules.ahuha.state import SeriesRecord


@dataclass(frozen=True, slots=True)
class Held:
    """What a seat held when a round began."""

    sure: tuple[str, ...]
    """By number."""
    possible: tuple[str, ...]
    """What it held in some worlds but not in all, or may have held where that is too much to count."""


@dataclass(frozen=True, slots=True)
class CouldHaveMet:
    """Two stars that share two attributes, never met, and were in different hands at the same time for sure."""

    first: str
    second: str
    """The higher number."""
    rounds: tuple[int, ...]
    """1-based; when they could have been played together."""
    seats: tuple[str, str]
    """Who held them in the first of these rounds."""


@dataclass(frozen=True, slots=True)
class Hindsight:
    """A series looked back upon."""

    hands: tuple[dict[str, Held], ...]
    """By round 1 to 6, by seat."""
    frozen: dict[str, str]
    """Which frozen card each seat played at Tanabata."""
    could_have_met: tuple[CouldHaveMet, ...]
    overlooked: tuple[tuple[int, str, str], ...]
    """Round and cards of mandatory meetings that did not take place."""


def hindsight(record: SeriesRecord, setup: AhuhaSetup) -> Hindsight:
    """What a series that is done looks like with the cards open."""
    knowledge = _known(record.timeline, setup)
    hands = tuple(_hands(record, setup, knowledge, number) for number in range(1, ROUNDS))
    last = record.rounds[-1].cards if len(record.rounds) == ROUNDS else {}
    overlooked = tuple((done.number, *pair) for done in record.rounds for pair in done.overlooked)
    return Hindsight(hands, dict(last), _could_have_met(record, setup, hands), overlooked)


def _known(timeline: tuple[Entry, ...], setup: AhuhaSetup) -> Knowledge:
    shown, plays, choices = 0, [0, 0, 0], 1
    frozen: list[str | None] = [None, None, None]
    kept: list[Entry] = []
    for entry in timeline:
        if isinstance(entry, Answered):
            continue
        kept.append(entry)
        if isinstance(entry, Passed):
            choices *= (entry.size + 1) ** 3
            continue
        if entry.card is not None:
            shown |= 1 << setup.index[entry.card]
        if entry.round < ROUNDS:
            plays[entry.place] += 1
        else:
            frozen[frozen_place(setup, entry.place)] = entry.card
    first, second, third = plays
    return Knowledge(
        shown,
        plays=(first, second, third),
        frozen=(frozen[0], frozen[1], frozen[2]),
        choices=choices,
        timeline=tuple(kept),
    )


def _hands(record: SeriesRecord, setup: AhuhaSetup, knowledge: Knowledge, number: int) -> dict[str, Held]:
    """What each seat held when this round began."""
    timeline = knowledge.timeline
    spot = next(
        (n for n, entry in enumerate(timeline) if isinstance(entry, Shown) and entry.round >= number), len(timeline)
    )
    total = count_with(knowledge, setup, ())
    found = {}
    for place, seat in enumerate(record.seats):
        sure, possible = [], []
        for star, card in enumerate(setup.ids):
            ways = _ways(knowledge, setup, spot, number, place, star)
            if ways == total:
                sure.append(card)
            elif ways != 0:
                possible.append(card)
        found[seat] = Held(tuple(sure), tuple(possible))
    return found


def _ways(knowledge: Knowledge, setup: AhuhaSetup, spot: int, number: int, place: int, star: int) -> int | None:
    """In how many worlds a seat held a star when a round began; None where that is too much to count."""
    asked = Answered(number, place, True, 1 << star, "")
    timeline = knowledge.timeline
    with_question = knowledge._replace(timeline=(*timeline[:spot], asked, *timeline[spot:]))
    return count_with(with_question, setup, (asked,))


def _could_have_met(
    record: SeriesRecord, setup: AhuhaSetup, hands: tuple[dict[str, Held], ...]
) -> tuple[CouldHaveMet, ...]:
    met = {pair for done in record.rounds for pair in done.hosiahi}
    found = []
    for first, second in combinations(setup.ids, 2):
        if (first, second) in met or not setup.partners[setup.index[first]] >> setup.index[second] & 1:
            continue
        apart = []
        for number, held in enumerate(hands[:HAND], 1):
            one = next((seat for seat, hand in held.items() if first in hand.sure), None)
            other = next((seat for seat, hand in held.items() if second in hand.sure), None)
            if one is not None and other is not None and one != other:
                apart.append((number, one, other))
        if apart:
            rounds = tuple(number for number, _, _ in apart)
            found.append(CouldHaveMet(first, second, rounds, apart[0][1:]))
    return tuple(found)

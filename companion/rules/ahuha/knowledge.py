"""What raised hands and played cards say of the hands: answers are promises that later cards can prove false.

An answer is proved false where no deal, frozen cards and passes agree with it and with the cards that lie open; what other
players answered is never used against anybody, for that may be false as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import factorial
from typing import NamedTuple

from companion.rules.ahuha.counting import PASS, Event, count, shown_event
from companion.rules.ahuha.facts import Side
from companion.rules.ahuha.sections import LYING
from companion.rules.ahuha.setup import HAND, ROUNDS, STARS, AhuhaSetup
from companion.rules.core import Finding, Level

ALL_STARS = (1 << STARS) - 1


class Shown(NamedTuple):
    """A card left a hand, or at Tanabata a frozen place, for the Field."""

    round: int
    place: int
    card: str | None
    """None where nobody saw which, or its reading is in doubt."""


class Passed(NamedTuple):
    """Frozen cards were passed."""

    round: int
    size: int
    """Cards in each hand before and after."""


class Answered(NamedTuple):
    """A seat raised a hand, or did not."""

    round: int
    place: int
    has: bool
    """Whether it said to hold one of them."""
    asked: int
    """The set of stars asked for."""
    act: str
    """For people: "series 1, round 2: B raised no hand on deneb (altair, vega)"."""
    rests_on: str | None = None
    """The card whose effect asked; where its reading is in doubt, so is what was asked."""


Entry = Shown | Passed | Answered


class Knowledge(NamedTuple):
    """What is publicly known of the hidden cards of a series."""

    shown: int = 0
    """Cards that were shown, as a set of stars."""
    doubted: int = 0
    """Cards that were seen twice: nothing rests on either reading."""
    plays: tuple[int, int, int] = (0, 0, 0)
    """Cards that each place parted with from its hand."""
    frozen: tuple[str | None, str | None, str | None] = (None, None, None)
    """The frozen cards that were shown at Tanabata; frozen place n lies on the left of place n."""
    choices: int = 1
    """In how many ways the passes can have been chosen, without answers."""
    answers: tuple[Answered, ...] = ()
    """Not proved false so far, in order."""
    timeline: tuple[Entry, ...] = ()
    """Everything, in order."""


def frozen_place(setup: AhuhaSetup, place: int) -> int:
    """The frozen place from which a seat plays at Tanabata."""
    return (place + 2) % 3 if setup.settings.frozen_in_front is Side.RIGHT else place


def is_new(knowledge: Knowledge, setup: AhuhaSetup, card: str) -> bool:
    """Whether the card is in the deck and nobody has shown it before in this series."""
    index = setup.index.get(card)
    return index is not None and not (knowledge.shown | knowledge.doubted) >> index & 1


def show(knowledge: Knowledge, setup: AhuhaSetup, number: int, place: int, card: str | None) -> Knowledge:
    """After a seat showed a card that is new, or parted with one that nobody saw (None). Answers are not looked at."""
    shown, doubted, plays, frozen, choices, answers, timeline = knowledge
    if card is not None:
        shown |= 1 << setup.index[card]
    if number < ROUNDS:
        first, second, third = plays
        plays = (first + (place == 0), second + (place == 1), third + (place == 2))
    elif card is not None:
        spot = frozen_place(setup, place)
        first_card, second_card, third_card = frozen
        frozen = (
            card if spot == 0 else first_card,
            card if spot == 1 else second_card,
            card if spot == 2 else third_card,
        )
    return Knowledge(shown, doubted, plays, frozen, choices, answers, (*timeline, Shown(number, place, card)))


def doubt(knowledge: Knowledge, setup: AhuhaSetup, card: str) -> Knowledge:
    """After a card was seen that had been shown before: one reading is wrong, so nothing may rest on either."""
    index = setup.index.get(card)
    if index is None:
        return knowledge
    timeline = tuple(
        entry._replace(card=None) if isinstance(entry, Shown) and entry.card == card else entry
        for entry in knowledge.timeline
    )
    first, second, third = (None if seen == card else seen for seen in knowledge.frozen)
    return knowledge._replace(
        shown=knowledge.shown & ~(1 << index),
        doubted=knowledge.doubted | 1 << index,
        frozen=(first, second, third),
        answers=tuple(answer for answer in knowledge.answers if answer.rests_on != card),
        timeline=timeline,
    )


def pass_frozen(knowledge: Knowledge, number: int, size: int) -> Knowledge:
    """After everyone took a frozen card and placed one."""
    return knowledge._replace(
        choices=knowledge.choices * (size + 1) ** 3, timeline=(*knowledge.timeline, Passed(number, size))
    )


def with_answers(knowledge: Knowledge, answers: tuple[Answered, ...]) -> Knowledge:
    """With what the seats answered."""
    if not answers:
        return knowledge
    return knowledge._replace(answers=knowledge.answers + answers, timeline=knowledge.timeline + answers)


def worlds(knowledge: Knowledge, setup: AhuhaSetup) -> int:
    """How many deals, frozen cards and passes agree with every card shown and every answer that is not proved false.

    0 where the answers that still stand can't all be true: somebody's is false, and nothing yet says whose.
    """
    if knowledge.answers:
        return count_with(knowledge, setup, knowledge.answers)
    return _plain(knowledge)


def _plain(knowledge: Knowledge) -> int:
    first, second, third = knowledge.plays
    total = _FACTORIAL[STARS - knowledge.shown.bit_count()] * knowledge.choices
    return total // (_FACTORIAL[HAND - first] * _FACTORIAL[HAND - second] * _FACTORIAL[HAND - third])


_FACTORIAL = tuple(factorial(n) for n in range(STARS + 1))


def count_with(knowledge: Knowledge, setup: AhuhaSetup, answers: tuple[Answered, ...]) -> int:
    """How many worlds agree with every card shown and with these answers of the timeline."""
    if not answers:
        return _plain(knowledge)
    kinds, of_star = _kinds(tuple({answer.asked: None for answer in answers}))
    hidden = ALL_STARS & ~knowledge.shown
    index = setup.index
    events, choices = _events(knowledge, index, kinds, of_star, answers)
    first, second, third = knowledge.plays
    frozen = tuple([-1 if card is None else of_star[index[card]] for card in knowledge.frozen])
    by_kind = tuple([(hidden & stars).bit_count() for stars, _ in kinds])
    ways = count(by_kind, (HAND - first, HAND - second, HAND - third), frozen, events)
    return ways * choices


Kinds = tuple[tuple[int, frozenset[int]], ...]
"""For each kind its stars, and which of the asked sets hold them."""


@lru_cache(maxsize=1 << 10)
def _kinds(asked: tuple[int, ...]) -> tuple[Kinds, tuple[int, ...]]:
    """The stars told apart by what was asked, and each star's kind."""
    kinds: list[tuple[int, frozenset[int]]] = [(ALL_STARS, frozenset())]
    for stars in asked:
        split = [(part & ~stars, inside) for part, inside in kinds]
        split += [(part & stars, inside | {stars}) for part, inside in kinds]
        kinds = [kind for kind in split if kind[0]]
    of_star = tuple(next(n for n, (stars, _) in enumerate(kinds) if stars >> star & 1) for star in range(STARS))
    return tuple(kinds), of_star


def _events(
    knowledge: Knowledge,
    index: Mapping[str, int],
    kinds: Kinds,
    of_star: tuple[int, ...],
    answers: tuple[Answered, ...],
) -> tuple[tuple[Event, ...], int]:
    """The timeline backwards to the earliest of these answers, and the choices of the passes before it.

    Between two answers or passes the order of the plays says nothing: they are sorted, so that counts are found again.
    """
    events: list[Event] = []
    plays: list[int] = []
    left, within = len(answers), 1
    for entry in reversed(knowledge.timeline):
        if isinstance(entry, Shown):
            if entry.round < ROUNDS:
                plays.append(shown_event(entry.place, None if entry.card is None else of_star[index[entry.card]]))
            continue
        if isinstance(entry, Answered) and entry not in answers:
            continue
        if plays:
            plays.sort()
            events += plays
            plays = []
        if isinstance(entry, Passed):
            events.append(PASS)
            within *= (entry.size + 1) ** 3
            continue
        events.append(
            (entry.place, sum(1 << n for n, (_, inside) in enumerate(kinds) if entry.asked in inside), entry.has)
        )
        left -= 1
        if not left:
            break
    return tuple(events), knowledge.choices // within


def alone(knowledge: Knowledge, setup: AhuhaSetup, answer: Answered) -> int:
    """How many worlds agree with the cards shown and this one answer."""
    return count_with(knowledge, setup, (answer,))


def false_answers(knowledge: Knowledge, setup: AhuhaSetup, answers: tuple[Answered, ...]) -> tuple[Answered, ...]:
    """Those of the answers that no world agrees with."""
    return tuple([answer for answer in answers if not alone(knowledge, setup, answer)])


def touched(knowledge: Knowledge, setup: AhuhaSetup, card: str, number: int) -> tuple[Answered, ...]:
    """The answers that a newly shown card may disprove: those that asked for it; at Tanabata all, for hardly a card is hidden."""
    if number == ROUNDS:
        return knowledge.answers
    star = 1 << setup.index[card]
    return tuple([answer for answer in knowledge.answers if answer.asked & star])


def without(knowledge: Knowledge, false: tuple[Answered, ...]) -> Knowledge:
    """Without answers that were proved false."""
    if not false:
        return knowledge
    return knowledge._replace(answers=tuple([answer for answer in knowledge.answers if answer not in false]))


def shows(
    knowledge: Knowledge, setup: AhuhaSetup, number: int, place: int, card: str
) -> tuple[Knowledge, tuple[Answered, ...]]:
    """After a seat showed a new card: what is known then, and the answers that it proves false, which no longer stand."""
    after = show(knowledge, setup, number, place, card)
    if not after.answers:
        return after, ()
    answers = touched(after, setup, card, number)
    false = false_answers(after, setup, answers) if answers else ()
    return without(after, false), false


def lie(knowledge: Knowledge, setup: AhuhaSetup, seats: tuple[str, str, str], answer: Answered, at: int) -> Finding:
    """The finding on a false answer, with the smallest set of shown cards that proves it; `knowledge` holds them all."""
    needed = knowledge
    shown = [entry for entry in knowledge.timeline if isinstance(entry, Shown) and entry.card is not None]
    shown.sort(key=lambda entry: bool(answer.asked >> setup.index[entry.card or ""] & 1))
    for entry in shown:
        fewer = doubt(needed, setup, entry.card or "")
        if not alone(fewer, setup, answer):
            needed = fewer
    proof = [entry for entry in needed.timeline if isinstance(entry, Shown) and entry.card is not None]
    acts = tuple(f"round {entry.round}: {seats[entry.place]} played {entry.card}" for entry in proof)
    seat = seats[answer.place]
    names = " or ".join(setup.names(answer.asked))
    if answer.has:
        text = f"{seat} raised a hand in round {answer.round} but held no {names}."
    else:
        text = f"{seat} raised no hand in round {answer.round} but held {names}."
    return Finding(LYING, Level.PROVED, text, seat, answer.round, at, (answer.act, *acts))

"""What raised hands and played cards say of the hands: answers are promises that later cards can prove false.

An answer is proved false where no deal, frozen cards and passes agree with it and with the cards that lie open; what other
players answered is never used against anybody, for that may be false as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import factorial
from typing import NamedTuple

from companion.rules.ahuha.counting import count
from companion.rules.ahuha.facts import Side
from companion.rules.ahuha.sections import LYING
from companion.rules.ahuha.setup import HAND, ROUNDS, STARS, AhuhaSetup
from companion.rules.ahuha.stretches import PASS, UNSEEN, Answer, Event
from companion.rules.core import Finding, Level

ALL_STARS = (1 << STARS) - 1
_NEW = tuple.__new__
"""Makes a named tuple in less time than its class does."""


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
    """For people: "series 1, round 2: B raised no hand on Deneb (Altair, Vega)"."""
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
    """Those that are open, in order: neither proved false nor certain from the cards shown."""
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
    timeline = (*timeline, _NEW(Shown, (number, place, card)))
    return _NEW(Knowledge, (shown, doubted, plays, frozen, choices, answers, timeline))


def _unseen(knowledge: Knowledge, setup: AhuhaSetup, card: str) -> Knowledge:
    """As if nobody had seen this card."""
    timeline = tuple(
        entry._replace(card=None) if isinstance(entry, Shown) and entry.card == card else entry
        for entry in knowledge.timeline
    )
    first, second, third = (None if seen == card else seen for seen in knowledge.frozen)
    shown = knowledge.shown & ~(1 << setup.index[card])
    return knowledge._replace(shown=shown, frozen=(first, second, third), timeline=timeline)


def doubt(knowledge: Knowledge, setup: AhuhaSetup, card: str) -> Knowledge:
    """After a card was seen that had been shown before: one reading is wrong, so nothing may rest on either.

    Answers that were closed are open again where that depended on it.
    """
    index = setup.index.get(card)
    if index is None:
        return knowledge
    doubted = knowledge.doubted | 1 << index
    answers = tuple(
        entry
        for entry in knowledge.timeline
        if isinstance(entry, Answered) and not doubted >> setup.index.get(entry.rests_on or "", STARS) & 1
    )
    after = _unseen(knowledge, setup, card)._replace(doubted=doubted, answers=answers)
    return _closing(after, *weigh(after, setup, answers))


def pass_frozen(knowledge: Knowledge, number: int, size: int) -> Knowledge:
    """After everyone took a frozen card and placed one."""
    return knowledge._replace(
        choices=knowledge.choices * (size + 1) ** 3, timeline=(*knowledge.timeline, Passed(number, size))
    )


def with_answers(
    knowledge: Knowledge, setup: AhuhaSetup, answers: tuple[Answered, ...]
) -> tuple[Knowledge, tuple[Answered, ...]]:
    """With what the seats answered, and the answers that are false as the cards lie open already."""
    if not answers:
        return knowledge, ()
    after = knowledge._replace(answers=knowledge.answers + answers, timeline=knowledge.timeline + answers)
    false, certain = weigh(after, setup, answers)
    return _closing(after, false, certain), false


def worlds(knowledge: Knowledge, setup: AhuhaSetup) -> int | None:
    """How many deals, frozen cards and passes agree with every card shown and every answer that is not proved false.

    0 where the answers that still stand can't all be true: somebody's is false, and nothing yet says whose. None where there are
    too many ways to count them all.
    """
    return _LAST.worlds(knowledge, setup) if knowledge.answers else _plain(knowledge)


def _plain(knowledge: Knowledge) -> int:
    first, second, third = knowledge.plays
    total = _FACTORIAL[STARS - knowledge.shown.bit_count()] * knowledge.choices
    return total // (_FACTORIAL[HAND - first] * _FACTORIAL[HAND - second] * _FACTORIAL[HAND - third])


_FACTORIAL = tuple(factorial(n) for n in range(STARS + 1))


def count_with(knowledge: Knowledge, setup: AhuhaSetup, answers: tuple[Answered, ...]) -> int | None:
    """How many worlds agree with every card shown and with these answers of the timeline; None where it is too much to count."""
    if not answers:
        return _plain(knowledge)
    kinds, of_star, kinds_of = _kinds(tuple({answer.asked: None for answer in answers}))
    hidden = ALL_STARS & ~knowledge.shown
    index = setup.index
    asked = _events(knowledge, index, of_star, kinds_of, answers)
    if asked is None:
        return 0
    events, choices = asked
    if not events:
        return _plain(knowledge)
    first, second, third = knowledge.plays
    frozen = tuple([-1 if card is None else of_star[index[card]] for card in knowledge.frozen])
    by_kind = tuple([(hidden & stars).bit_count() for stars in kinds])
    ways = count(by_kind, (HAND - first, HAND - second, HAND - third), frozen, events)
    return None if ways is None else ways * choices


Kinds = tuple[int, ...]
"""By kind its stars."""


@lru_cache(maxsize=1 << 10)
def _kinds(asked: tuple[int, ...]) -> tuple[Kinds, tuple[int, ...], Mapping[int, int]]:
    """The stars told apart by what was asked, each star's kind, and for each asked set its kinds as bits."""
    parts = [ALL_STARS]
    for stars in asked:
        split = [part & ~stars for part in parts] + [part & stars for part in parts]
        parts = [part for part in split if part]
    of_star = tuple(next(n for n, part in enumerate(parts) if part >> star & 1) for star in range(STARS))
    kinds_of = {stars: sum(1 << n for n, part in enumerate(parts) if part & stars) for stars in asked}
    return tuple(parts), of_star, kinds_of


def _events(
    knowledge: Knowledge,
    index: Mapping[str, int],
    of_star: tuple[int, ...],
    kinds_of: Mapping[int, int],
    answers: tuple[Answered, ...],
) -> tuple[tuple[Event, ...], int] | None:
    """The timeline backwards to the earliest of these answers, and the choices of the passes before it; None if one is false.

    Between two passes a card shown after an answer either settles it, for it was in the hand, or says nothing of it: what is
    left of the answers stands in any order, and the cards go back at the pass. So counts are found again.
    """
    way = _WayBack(is_frozen_seen=knowledge.frozen != (None, None, None))
    plays, parted = way.plays, way.parted
    left = len(answers)
    for entry in reversed(knowledge.timeline):
        kind = type(entry)
        if kind is Shown:
            number, place, card = entry  # type: ignore[misc]
            if number == ROUNDS:
                continue
            if card is None:
                way.unseen(place)
            else:
                star = index[card]
                parted[place] |= 1 << star
                plays.append(place << 8 | of_star[star] + 1)
        elif kind is Passed:
            way.passed(entry.size)  # type: ignore[union-attr]
        elif entry in answers:
            _, place, has, asked, *_ = entry
            if not parted[place] & asked:
                way.answers.append((place, kinds_of[asked], has))
            elif not has:
                return None
            left -= 1
            if not left:
                break
    events, within = way.events()
    return events, knowledge.choices // within


class _WayBack:
    """The events on the way back in time."""

    __slots__ = ("_events", "_is_frozen_seen", "_kept", "_within", "answers", "parted", "plays")

    def __init__(self, *, is_frozen_seen: bool) -> None:
        self.answers: list[Answer] = []
        """Of the stretch between two passes."""
        self.plays: list[int] = []
        """The cards shown in it."""
        self.parted = [0, 0, 0]
        """The same by place, as sets of stars."""
        self._events: list[Event] = []
        self._within = 1
        self._is_frozen_seen = is_frozen_seen
        self._kept = 0, 1
        """How many events lead back to the earliest answer so far, and the choices of the passes among them."""

    def _answered(self) -> None:
        if self.answers:
            self._events += sorted(set(self.answers))
            self.answers.clear()
            self._kept = len(self._events), self._within

    def unseen(self, place: int) -> None:
        """A card was parted with that nobody saw."""
        self._answered()
        self._events.append(place << 8 | UNSEEN)

    def passed(self, size: int) -> None:
        """The end of a stretch. Where nothing is known of what came of a pass, every choice is as good."""
        self._answered()
        if self._events or self.plays or self._is_frozen_seen:
            self._events += sorted(self.plays)
            self._events.append(PASS)
            self._within *= (size + 1) ** 3
        self.plays.clear()
        self.parted[:] = 0, 0, 0

    def events(self) -> tuple[tuple[Event, ...], int]:
        """Those back to the earliest answer, and the choices of the passes among them."""
        self._answered()
        length, within = self._kept
        return tuple(self._events[:length]), within


def alone(knowledge: Knowledge, setup: AhuhaSetup, answer: Answered) -> int | None:
    """How many worlds agree with the cards shown and this one answer; None where that is too much to count."""
    return count_with(knowledge, setup, (answer,))


def weigh(
    knowledge: Knowledge, setup: AhuhaSetup, answers: tuple[Answered, ...]
) -> tuple[tuple[Answered, ...], tuple[Answered, ...]]:
    """Those of the answers with which no world agrees, and those with which every world does."""
    false, certain = [], []
    for answer in answers:
        can_be_true, can_be_false = _can_be(knowledge, setup, answer)
        if not can_be_true:
            false.append(answer)
        elif not can_be_false:
            certain.append(answer)
    return tuple(false), tuple(certain)


def _can_be(knowledge: Knowledge, setup: AhuhaSetup, answer: Answered) -> tuple[bool, bool]:
    """Whether any world agrees with an answer, and whether any world disagrees. Only a pass since then needs a count.

    Where that is too much to count either may be, so that nobody is accused of anything.
    """
    place, has, asked = answer.place, answer.has, answer.asked
    size, parted = HAND - knowledge.plays[place], 0
    for entry in reversed(knowledge.timeline):
        if entry is answer:
            break
        kind = type(entry)
        if kind is Passed:
            ways = alone(knowledge, setup, answer)
            return (True, True) if ways is None else (ways > 0, ways < _plain(knowledge))
        if kind is Shown and entry.place == place and entry.round < ROUNDS:  # type: ignore[union-attr]
            card = entry.card  # type: ignore[union-attr]
            if card is None:
                size += 1
            else:
                parted |= 1 << setup.index[card]
    if parted & asked:
        return has, not has
    hidden = ALL_STARS & ~knowledge.shown
    other = (hidden & ~asked).bit_count()
    can_hold, can_lack = bool(size and hidden & asked), other >= size
    return (can_hold, can_lack) if has else (can_lack, can_hold)


def touched(knowledge: Knowledge, setup: AhuhaSetup, card: str) -> tuple[Answered, ...]:
    """The answers that a newly shown card may disprove: those that asked for it; all once no frozen card is hidden."""
    if None not in knowledge.frozen:
        return knowledge.answers
    star = 1 << setup.index[card]
    return tuple([answer for answer in knowledge.answers if answer.asked & star])


def _closing(knowledge: Knowledge, false: tuple[Answered, ...], certain: tuple[Answered, ...]) -> Knowledge:
    """Without answers about which nothing is open any more."""
    if not false and not certain:
        return knowledge
    closed = false + certain
    return knowledge._replace(answers=tuple([answer for answer in knowledge.answers if answer not in closed]))


def shows(
    knowledge: Knowledge, setup: AhuhaSetup, number: int, place: int, card: str
) -> tuple[Knowledge, tuple[Answered, ...]]:
    """After a seat showed a new card: what is known then, and the answers that it proves false, which no longer stand."""
    if not knowledge.answers:
        return show(knowledge, setup, number, place, card), ()
    return _LAST.shows(knowledge, setup, number, place, card)


class _Last:
    """The latest results: an act is judged and then applied, and asks the same of the same knowledge both times."""

    __slots__ = ("_latest", "_worlds")

    def __init__(self) -> None:
        self._latest: (
            tuple[Knowledge, AhuhaSetup, tuple[int, int, str], tuple[Knowledge, tuple[Answered, ...]]] | None
        ) = None
        self._worlds: tuple[tuple[Knowledge, AhuhaSetup, int | None], ...] = ()

    def worlds(self, knowledge: Knowledge, setup: AhuhaSetup) -> int | None:
        """As `worlds`."""
        known = self._worlds
        for one, its_setup, ways in known:
            if one is knowledge and its_setup is setup:
                return ways
        ways = count_with(knowledge, setup, knowledge.answers)
        self._worlds = ((knowledge, setup, ways), *known[:1])
        return ways

    def shows(
        self, knowledge: Knowledge, setup: AhuhaSetup, number: int, place: int, card: str
    ) -> tuple[Knowledge, tuple[Answered, ...]]:
        """As `shows`."""
        act = number, place, card
        latest = self._latest
        if latest is not None and latest[0] is knowledge and latest[1] is setup and latest[2] == act:
            return latest[3]
        after = show(knowledge, setup, number, place, card)
        false, certain = weigh(after, setup, touched(after, setup, card))
        result = _closing(after, false, certain), false
        self._latest = knowledge, setup, act, result
        return result


_LAST = _Last()


def lie(knowledge: Knowledge, setup: AhuhaSetup, seats: tuple[str, str, str], answer: Answered, at: int) -> Finding:
    """The finding on a false answer, with the smallest set of shown cards that proves it; `knowledge` holds them all."""
    needed = knowledge
    shown = [entry for entry in knowledge.timeline if isinstance(entry, Shown) and entry.card is not None]
    shown.sort(key=lambda entry: bool(answer.asked >> setup.index[entry.card or ""] & 1))
    for entry in shown:
        fewer = _unseen(needed, setup, entry.card or "")
        if alone(fewer, setup, answer) == 0:
            needed = fewer
    proof = [entry for entry in needed.timeline if isinstance(entry, Shown) and entry.card is not None]
    acts = tuple(f"round {entry.round}: {seats[entry.place]} played {setup.named(entry.card or '')}" for entry in proof)
    seat = seats[answer.place]
    names = " or ".join(map(setup.named, setup.names(answer.asked)))
    if answer.has:
        text = f"{seat} raised a hand in round {answer.round} but held no {names}."
    else:
        text = f"{seat} raised no hand in round {answer.round} but held {names}."
    return Finding(LYING, Level.PROVED, text, seat, answer.round, at, (answer.act, *acts))

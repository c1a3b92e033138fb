"""Those at the virtual table of a duel: they tell what no sensor sees when it happens, and a referee who saw it all answers.

What follows a touch is told once the touch is ruled, as people wait for a ruling. What came of the rulings is counted.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.adjudicator.hoshi_battle.touching import word_for
from companion.duel.rulings import Consequence, consequence
from companion.games.hoshi_battle import BOOK
from companion.rules.hoshi_battle.facts import (
    DiePickedUp,
    DiePutBack,
    DieRolled,
    Fact,
    FoulSeen,
    HandLowered,
    HandRaised,
    HandsTouched,
    SwingMissed,
    TouchRuled,
)
from companion.rules.hoshi_battle.fold import apply, start
from companion.rules.hoshi_battle.touches import rule_touch
from companion.virtual.battle_director import BattleDirector

MS = 1000
SEEN = (DieRolled, DiePickedUp, DiePutBack, SwingMissed, HandRaised, HandLowered, HandsTouched, FoulSeen)
"""Facts that sensors tell; all others are told by people or read of cards."""
SAYING_US = 5 * MS
"""From one thing that people tell to the next at least."""
SAME_US = 100 * MS
"""A ruling and a touch so near each other are the same."""
UNTOLD_US = 4000 * MS
"""So long after a touch that nothing told of, those at the table say what it was."""


@dataclass(frozen=True, slots=True)
class ToldFact:
    """What people tell, and when on film."""

    act: int
    at_us: int
    fact: Fact


@dataclass(frozen=True, slots=True)
class ReallyTouched:
    """A touch as it was."""

    act: int
    at_us: int
    came_to: tuple[Any, ...]
    word: TouchRuled | None
    """What a referee would say; None where no one word says it."""
    verdict: str


@dataclass(slots=True)
class Rulings:
    """How a game's touches were ruled."""

    right: int = 0
    questions: int = 0
    """A referee was asked."""
    wrong: int = 0
    untold: int = 0
    """No sensor told of it: told by hand."""
    by_hand: int = 0
    """No answer said what it was."""
    why: Counter[str] = field(default_factory=Counter)
    """What the questions were about."""
    went_wrong: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class BattlePeople:
    """Those at one table, who know its script. `tap_until` is to be called as time goes on."""

    desk: DuelDesk
    director: BattleDirector
    thinks_us: int = 0
    """The referee takes so long to answer."""
    lost: frozenset[int] = frozenset()
    """Acts of the touches of which it is known that no sensor will tell."""
    time_of: Callable[[int], int] = lambda t_ns: t_ns
    """Film time, ns, for the time of a picture."""
    rulings: Rulings = field(default_factory=Rulings)
    _told: deque[ToldFact] = field(init=False)
    _open: dict[int, ReallyTouched] = field(init=False)
    _asked: deque[tuple[int, ReallyTouched]] = field(default_factory=deque)
    """Since when a referee thinks of what."""
    _heard: int = 0
    """So many of the desk's touches were looked at."""
    _late_us: int = 0
    """By so much the pictures' clock is ahead of the film's."""

    def __post_init__(self) -> None:
        self._told = deque(told_in(self.director))
        self._open = {touch.act: touch for touch in true_touches(self.director)}

    @property
    def is_done(self) -> bool:
        """Whether all has been told."""
        return not self._told and not self._open and not self._asked

    def tap_until(self, t_ns: int) -> None:
        """Tells and answers what is due before a picture's time."""
        film_us = self.time_of(t_ns) // MS
        if 0 <= t_ns < 1 << 62:
            self._late_us = t_ns // MS - film_us
        self.listen(film_us)
        while self._told and self._told[0].at_us <= film_us and self._is_due(self._told[0]):
            self.tell(self._told.popleft())
            self.listen(film_us)

    def next_us(self) -> int | None:
        """When on film they tell something next, if nothing has to be settled before."""
        return self._told[0].at_us if self._told and self._is_due(self._told[0]) else None

    def tell(self, told: ToldFact) -> None:
        """Tells one thing."""
        fact: Any = told.fact
        at_us = getattr(fact, "at_us", None)
        if at_us is not None:
            fact = replace(fact, at_us=at_us + self._late_us)
        self.desk.tell(BOOK.facts.to_json(fact), getattr(fact, "seat", None) or "table")

    def listen(self, film_us: int) -> None:
        """Takes up what was ruled, answers what was asked, and tells of what nobody told."""
        touches = self.desk.touches
        for touch in touches[self._heard :]:
            self._hold(touch, film_us)
        self._heard = len(touches)
        while self._asked and film_us >= self._asked[0][0] + self.thinks_us:
            self._say(self._asked.popleft()[1])
        for act in list(self._open):
            patience_us = UNTOLD_US // 8 if act in self.lost else UNTOLD_US
            if film_us >= self._open[act].at_us + patience_us:
                self.rulings.untold += 1
                self._say(self._open.pop(act))

    def _is_due(self, told: ToldFact) -> bool:
        """Whether all touches before an act are settled."""
        waits = any(touch < told.act for touch in self._open)
        return not waits and not any(touch.act < told.act for _, touch in self._asked)

    def _hold(self, touch: Mapping[str, Any], film_us: int) -> None:
        """Holds a ruling against the touch that it is about; the referee says what it was where it was left open, or wrong."""
        at_us = touch["at_us"] - self._late_us
        truth = min(self._open.values(), key=lambda each: abs(each.at_us - at_us), default=None)
        if truth is None or abs(truth.at_us - at_us) > SAME_US:
            self._went_wrong(touch, None)
            return
        del self._open[truth.act]
        if _came_to(touch) == truth.came_to:
            self.rulings.right += 1
            return
        if touch["asked"]:
            self.rulings.questions += 1
            self.rulings.why.update(touch["doubts"])
        else:
            self._went_wrong(touch, truth)
        self._asked.append((film_us, truth))

    def _went_wrong(self, touch: Mapping[str, Any], truth: ReallyTouched | None) -> None:
        self.rulings.wrong += 1
        said = None if truth is None else truth.verdict
        self.rulings.went_wrong.append({"at_us": touch["at_us"], "ruled": touch["text"], "truth": said})

    def _say(self, truth: ReallyTouched) -> None:
        """A referee's word: by the answer that says so, else by hand."""
        if truth.word is None:
            self.rulings.by_hand += 1
            return
        act = BOOK.facts.to_json(truth.word)
        for asked in self.desk.view()["questions"]:
            question = self.desk.question(asked["id"])
            options = () if question is None else question.options
            option = next((one for one in options if [dict(told) for told in one.tell] == [act]), None)
            if option is not None:
                self.desk.answer(asked["id"], option.id, "referee")
                return
        self.desk.tell(act, "referee")

    def unruled(self) -> None:
        """Counts what is still open as ruled wrongly: the game is over."""
        for truth in self._open.values():
            self.rulings.wrong += 1
            self.rulings.went_wrong.append({"at_us": truth.at_us, "ruled": None, "truth": truth.verdict})
        self._open = {}


def told_in(director: BattleDirector) -> Iterator[ToldFact]:
    """All that people tell in a game: cards and Stones as they lie there, what is rolled against a hit once it lies."""
    when = {change.act: change.at_us for change in director.line.changes}
    when |= {timed.act: timed.at_us for timed in director.line.timed}
    now_us = 0
    for act, fact in director.line.facts:
        at_us = getattr(fact, "at_us", None)
        now_us = max(now_us + SAYING_US, when.get(act, 0) if at_us is None else at_us)
        if not isinstance(fact, SEEN):
            yield ToldFact(act, now_us, fact)


def true_touches(director: BattleDirector) -> Iterator[ReallyTouched]:
    """Every touch of a game with what it was worth to the rules with every fact exact."""
    state = start(director.script.setup)
    for (act, _), fact in zip(director.line.facts, director.facts, strict=True):
        ruling = rule_touch(state, fact) if isinstance(fact, HandsTouched) else None
        seats = state.duellists
        state = apply(state, fact)
        if ruling is not None and isinstance(fact, HandsTouched) and fact.at_us is not None:
            found = consequence(ruling)
            word = word_for(found, seats, fact.by)
            yield ReallyTouched(act, fact.at_us, _by_seat(found, seats), word, ruling.verdict.value)


def _by_seat(found: Consequence, seats: tuple[str, ...]) -> tuple[Any, ...]:
    verdict, hit, bluffed, special, hidden = (part for part in found)
    named: Any = (hit, bluffed, [side for side, _ in special], hidden)  # type: ignore[attr-defined]
    return (str(verdict), *(sorted(seats[side] for side in sides) for sides in named))


def _came_to(touch: Mapping[str, Any]) -> tuple[Any, ...]:
    special = [seat for seat, _ in touch["special"]]
    return (touch["verdict"], *(sorted(part) for part in (touch["hit"], touch["bluffed"], special, touch["hidden"])))

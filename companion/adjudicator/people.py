"""Those at a table whose taps are written down: each act is told in its turn, through the same door as the page's buttons."""

from __future__ import annotations

import itertools
import logging
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.adjudicator.desk import GameDesk
from companion.adjudicator.told import Said, Told, Way, ruling_of
from companion.errors import JournalError
from companion.games.steps import RuleFinding

log = logging.getLogger("companion.adjudicator")


class People:
    """Those at the table who tap on the page what was written down for them, each act in its turn."""

    def __init__(
        self,
        desk: GameDesk,
        told: Sequence[Told],
        time_of: Callable[[int], int] = lambda t_ns: t_ns,
        before: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        """`time_of` gives the time by which acts were written down, for one of the pictures; usually it is the same.

        `before` is called with each act that is told without being offered: who knows what happened before it tells that
        first, where the page has missed it, so that it need not wait for the acts before it to be offered.
        """
        self._desk = desk
        self._waiting = deque(told)
        self._time_of = time_of
        self._before = before
        self._until = 0

    def tap_until(self, t_ns: int) -> None:
        """Tells, undoes, corrects and rules what is due before a picture's time.

        An act that the page doesn't offer yet waits, and so do those after it. One that it doesn't offer any more, for it offers
        what came later, was taken as done meanwhile: nobody taps it.
        """
        until = self._until = self._time_of(t_ns)
        while self._waiting and self._waiting[0].t_ns < until:
            said = self._waiting[0].said
            if said.when_offered and not self._desk.offers(said.act):
                if not self._offers_a_later_one(until) and not self._tells_at_once(until):
                    return
            else:
                try:
                    self._do(said)
                except JournalError:
                    return  # the journal can't write now: it is told again later, as the pictures are taken up again
            self._waiting.popleft()

    def were_asked(self, kinds: Collection[str]) -> None:
        """Somebody answered a question about an act of one of these kinds of facts: the one that waits isn't told again."""
        for told in self._waiting:
            if told.t_ns >= self._until:
                return
            if told.said.when_offered and told.said.act["fact"] in kinds:
                self._waiting.remove(told)
                return

    def _offers_a_later_one(self, until: int) -> bool:
        """Whether the page offers an act that is due and stands behind the first one."""
        return any(said.when_offered and self._desk.offers(said.act) for said in self._due_later(until))

    def _tells_at_once(self, until: int) -> bool:
        """Whether an act that is due behind the first one is told without being offered, by people who tell what was missed."""
        return self._before is not None and any(not said.when_offered for said in self._due_later(until))

    def _due_later(self, until: int) -> Iterator[Said]:
        later = itertools.islice(self._waiting, 1, None)
        return (told.said for told in itertools.takewhile(lambda told: told.t_ns < until, later))

    def _do(self, said: Said) -> None:
        """Does what was said; what can't be done because the pictures were read otherwise is passed over."""
        match said.way:
            case Way.TOLD:
                if self._before is not None and not said.when_offered:
                    self._before(said.act)
                self._desk.tell(said.act, said.who)
            case Way.ANSWERED:
                self._answer(said)
            case Way.RULED:
                self._rule(said)
            case _:
                self._take_back(said)

    def _answer(self, said: Said) -> None:
        opened, option = self._desk.asked(said.act["question"]), said.act["option"]
        if opened is None or option not in [one.id for one in opened.question.options]:
            log.warning("%s: is not asked now", said.act)
        else:
            self._desk.answer(opened.id, option, said.who)

    def _rule(self, said: Said) -> None:
        ruling = ruling_of(said.act)
        if isinstance(ruling, RuleFinding):
            number = self._desk.finding_like(said.act["finding"])
            if number is None:
                log.warning("%s: there is no such finding now", said.act["finding"].get("text"))
                return
            ruling = replace(ruling, number=number)
        self._desk.rule(ruling)

    def _take_back(self, said: Said) -> None:
        act = said.act if said.instead is None else said.instead
        seq = self._desk.number_of(act, undone=said.way is Way.RESTORED)
        match said.way:
            case _ if seq is None:
                log.warning("%s %s: there is no such act now", said.way, act)
            case Way.CORRECTED:
                self._desk.correct(seq, said.act, said.who)
            case way:
                self._desk.undo(seq, said.who, as_play=way is Way.TAKEN_BACK)

"""Whose hands struck in a touch: what the camera says of who closed in, and what else a hand may have moved for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.duel.reports import ClosingReport, SwingReport
from companion.duel.rolls import RollLife, lives_of
from companion.duel.timeline import NEVER_US, Entry
from companion.rules.hoshi_battle.facts import Where

BEFORE_US, AFTER_US = 200_000, 300_000
"""A hand that is about its die so long before a touch, or so soon after it, moves for that as well."""
PUSH_US = 250_000
"""A push, and a try, take so long."""


@dataclass(frozen=True, slots=True)
class Struck:
    """Who may have struck, and where it met."""

    ways: tuple[tuple[str, ...], ...]
    """One where that is certain."""
    where: Where

    @property
    def by(self) -> tuple[str, ...]:
        """Who did; nobody where that can't be told."""
        return self.ways[0] if len(self.ways) == 1 else ()


def struck(closing: ClosingReport | None, touch: Entry, entries: Iterable[Entry], duellists: tuple[str, ...]) -> Struck:
    """Who struck. Two hands that closed in both did only where neither was about its die or a try of its own."""
    where = Where.UNKNOWN if closing is None else closing.where
    if closing is None or closing.by is None:
        first, second = duellists if len(duellists) == 2 else ("", "")
        return Struck(((first,), (second,), (first, second)) if first else ((),), where)
    if len(closing.by) < 2:
        return Struck((closing.by,), where)
    told = list(entries)
    busy = {seat for seat in closing.by if _is_busy(seat, touch, told)}
    alone = tuple((seat,) for seat in closing.by if set(closing.by) - {seat} <= busy)
    return Struck((closing.by, *alone), where)


def _is_busy(seat: str, touch: Entry, entries: Iterable[Entry]) -> bool:
    """Whether a seat lets a die go, follows it, pushes it or takes it up about then, or has just made a try of its own."""
    told = list(entries)
    since_us, until_us = touch.earliest_us - BEFORE_US, touch.latest_us + AFTER_US
    tried = any(
        isinstance(entry.report, SwingReport)
        and entry.report.seat == seat
        and since_us - PUSH_US <= entry.latest_us
        and entry.earliest_us <= until_us
        for entry in told
    )
    return tried or any(_is_handled(life, since_us, until_us) for life in lives_of(told) if life.seat == seat)


def _is_handled(life: RollLife, since_us: int, until_us: int) -> bool:
    """Whether a hand is about a die between two moments."""
    begins_us = -NEVER_US if life.released is None else life.released.earliest_us
    rests_us = NEVER_US if life.settled is None else life.settled.latest_us
    rolls = begins_us <= until_us and min(rests_us, life.gone_us) >= since_us
    taken = [] if life.lifted is None else [(life.lifted.earliest_us, life.lifted.latest_us)]
    spans = [*taken, *life.hidden, *((push.earliest_us, push.latest_us + PUSH_US) for push in life.pushes)]
    return rolls or any(first <= until_us and last >= since_us for first, last in spans)

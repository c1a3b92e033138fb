"""Those at a table whose taps are written down: each act is told in its turn, through the same door as the page's buttons."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from companion.adjudicator.desk import GameDesk
from companion.adjudicator.told import Told
from companion.errors import JournalError


class People:
    """Those at the table who tap on the page what was written down for them, each act in its turn."""

    def __init__(self, desk: GameDesk, told: Sequence[Told], time_of: Callable[[int], int] = lambda t_ns: t_ns) -> None:
        """`time_of` gives the time by which acts were written down, for one of the pictures; usually it is the same."""
        self._desk = desk
        self._waiting = deque(told)
        self._time_of = time_of

    def tap_until(self, t_ns: int) -> None:
        """Tells what is due before a picture's time; an act that the page doesn't offer yet waits, and so do those after it."""
        until = self._time_of(t_ns)
        while self._waiting and self._waiting[0].t_ns < until:
            said = self._waiting[0].said
            if said.when_offered and not self._desk.offers(said.act):
                return
            try:
                self._desk.tell(said.act, said.who)
            except JournalError:
                return  # the journal can't write now: it is told again later, as the pictures are taken up again
            self._waiting.popleft()

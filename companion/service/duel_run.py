"""Everything that a live duel needs beside its desk, put together: the Arena's pipeline, the senses, a virtual table's people."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.service.arena_beside import BESIDE
from companion.service.arena_eyes import Order, run_arena_eyes
from companion.service.duel_panel import DuelPanel
from companion.service.duelling import DuelSenses, PictureClock, run_duel
from companion.service.pipeline import Pipeline
from companion.service.run import RunResult
from companion.service.virtual_duel import VirtualDuel
from hardware.panel import Panel, Press

if TYPE_CHECKING:
    from companion.service.session import Session
    from companion.virtual.battle_pad import FeelingPad

TICK_S = 0.02
"""How often a duel without a camera looks what can be ruled."""


class DuelRun:
    """One game's run."""

    def __init__(self, session: Session, desk: DuelDesk, pad: FeelingPad | None = None) -> None:
        """`pad`: of a virtual table, where it has a port. A session without an Arena is told by hand, and felt by a pad."""
        self._desk = desk
        self._clock = session.clock
        self._panel: DuelPanel | None = None
        self._pipeline = None if session.arena is None else _pipeline_of(session)
        order = self._pipeline.order if self._pipeline is not None else _unheard
        self.senses = DuelSenses(desk, order, session.clock)
        self.table = None if session.duel is None else VirtualDuel(session.duel, desk, self.senses, pad)

    def at_the_panel(self, panel: Panel) -> Callable[[Press], None]:
        """What takes a panel's presses; its lights follow the duel from now on."""
        self._panel = DuelPanel(self._desk, panel)
        return self._panel.pressed

    def _look(self, on_word: Callable[[], None]) -> None:
        on_word()
        if self._panel is not None:
            self._panel.show()

    def run(
        self,
        say: Callable[[str], None],
        stop: threading.Event | None = None,
        on_word: Callable[[], None] = lambda: None,
    ) -> RunResult:
        """Until the pictures end or `stop` is set."""
        if self._pipeline is None:
            stop = stop or threading.Event()
            while not stop.wait(TICK_S):
                self._look(on_word)
                self._desk.tick()
            return RunResult()
        clock = self._clock if isinstance(self._clock, PictureClock) else None
        with self._pipeline:
            return run_duel(
                self._pipeline,
                self._desk,
                self.senses,
                say=say,
                stop=stop,
                clock=clock,
                table=self.table,
                on_word=lambda: self._look(on_word),
            )


def _pipeline_of(session: Session) -> Pipeline:
    return Pipeline(
        session.factory,
        session.arena,
        session.source,
        pace_s=session.pace_s,
        python=session.python,
        eyes=run_arena_eyes,
        beside=BESIDE if session.arena is not None and session.arena.is_live else (),
    )


def _unheard(_order: Order) -> None:
    """Nobody looks at the Arena."""

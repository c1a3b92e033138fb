"""The panel at a duel: a countdown with sound and lights, timeouts, a card that is kept; what the lights say meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.errors import CompanionError
from companion.rules.hoshi_battle.state import HoshiBattleState, Phase, side_of
from hardware.panel import Look, Panel, Press

COUNTS = (3, 2, 1)
SECOND_S = 1.0
SHORT_S, LONG_S = 0.08, 0.5
"""Sounds of a count and of zero."""
NAMED_NS = 5_000_000_000
"""Who called a timeout presses the own button so soon after the timeout's."""
PLAY, STOP, ASKED = "play", "timeout", "question"
"""The lights, as the profile names them: dice roll, a timeout, a referee is asked."""


class DuelPanel:
    """Takes presses and shows how things stand. Every method may be called from any thread; none raises."""

    def __init__(self, desk: DuelDesk, panel: Panel, wait: Callable[[float], None] = time.sleep) -> None:
        """`wait` lets so many seconds pass."""
        self._desk, self._panel, self._wait = desk, panel, wait
        self._counting = threading.Lock()
        self._timeout: Press | None = None
        self._shown: dict[str, Look] = {}

    def pressed(self, press: Press) -> None:
        """A button went down. The countdown runs in a thread of its own."""
        match press.button:
            case "start":
                threading.Thread(target=self.begin, name="countdown", daemon=True).start()
            case "timeout":
                self._timeout = press
                self._panel.buzz(SHORT_S)
            case _ if press.player is not None:
                self._player(press, press.player)

    def begin(self) -> None:
        """Counts from three to zero where that is due, and play begins."""
        state = self._desk.live_state
        is_timeout = state.duel is not None and state.duel.timeout is not None
        if state.phase not in (Phase.READY, Phase.ROUND_START) and not is_timeout:
            return
        if not self._counting.acquire(blocking=False):
            return
        try:
            counted = state.phase is Phase.READY or is_timeout
            for _ in COUNTS if counted else ():
                self._panel.buzz(SHORT_S)
                self._light(PLAY, Look.BLINK)
                self._wait(SECOND_S)
            self._tell({"fact": "play-began", "counted": counted})
            self._panel.buzz(LONG_S)
            self.show()
        finally:
            self._counting.release()

    def show(self) -> None:
        """The lights as things stand."""
        state: HoshiBattleState = self._desk.live_state
        is_timeout = state.duel is not None and state.duel.timeout is not None
        self._light(PLAY, Look.ON if state.phase is Phase.ROLLING and not is_timeout else Look.OFF)
        self._light(STOP, Look.BLINK if is_timeout else Look.OFF)
        self._light(ASKED, Look.BLINK if self._desk.open_questions else Look.OFF)

    def _player(self, press: Press, seat: str) -> None:
        """Who called the timeout says so; whoever may play a card says that it is kept."""
        called, self._timeout = self._timeout, None
        state: HoshiBattleState = self._desk.live_state
        side = side_of(state, seat)
        if called is not None and press.t_ns - called.t_ns <= NAMED_NS:
            self._tell({"fact": "timeout-called", "seat": seat})
        elif state.duel is not None and side in state.duel.deciding:
            self._tell({"fact": "card-declined", "seat": seat})

    def _tell(self, act: Mapping[str, Any]) -> None:
        try:
            self._desk.tell(act, "panel")
        except CompanionError as error:
            self._desk.source("panel", "lost", str(error))

    def _light(self, name: str, look: Look) -> None:
        if self._shown.get(name) is not look and self._panel.light(name, look):
            self._shown[name] = look

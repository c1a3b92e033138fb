"""One page over one game after another: the page's desk stays, what stands behind it changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from companion.adjudicator.desk import GameDesk
from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.errors import BadInputError
from companion.games.steps import RuleFinding, RuleGame

Json = Any

LOOK_S = 0.25
"""How soon whoever waits for news of one game notices that another has begun."""


class DeskRelay:
    """Passes everything on to the desk of the game that is played now; its versions go on rising from game to game.

    Every method may be called from any thread.
    """

    def __init__(self, line: str) -> None:
        """`line` is what the page says until the first game's desk is there."""
        self._lock = threading.Lock()
        self._desk: GameDesk | None = None
        self._waiting = _waiting_view(line)
        self._base = 1
        """Added to the versions of the desk."""

    def turn_to(self, desk: GameDesk | str) -> None:
        """From now on this game is shown; or, while one is being set, a line that says so."""
        with self._lock:
            self._base = self._version() + 1
            if isinstance(desk, str):
                self._desk, self._waiting = None, _waiting_view(desk)
            else:
                self._desk = desk

    def view(self) -> Mapping[str, Json]:
        """The newest view, JSON-able. Changes nothing."""
        desk, base = self._now()
        if desk is None:
            return {**self._waiting, "version": base}
        view = desk.view()
        return {**view, "version": base + view["version"]}

    def wait(self, after_version: int, timeout_s: float) -> int:
        """The current version; blocks until it is above `after_version` or the time is up."""
        until = time.monotonic() + timeout_s
        while True:
            desk, base = self._now()
            left = max(0.0, min(LOOK_S, until - time.monotonic()))
            if desk is None:
                version = base
                if version <= after_version:
                    time.sleep(left)
            else:
                version = base + desk.wait(after_version - base, left)
            if version > after_version or time.monotonic() >= until:
                return version

    def answer(self, question_id: str, option_id: str, who: str) -> None:
        """Answers a pending question."""
        self._there().answer(question_id, option_id, who)

    def undo(self, seq: int | None, who: str, *, as_play: bool = False) -> None:
        """Takes back an event."""
        self._there().undo(seq, who, as_play=as_play)

    def tell(self, act: Mapping[str, Json], who: str) -> None:
        """Records what a person says happened."""
        self._there().tell(act, who)

    def correct(self, seq: int, act: Mapping[str, Json], who: str) -> None:
        """Puts another fact in the place of an event."""
        self._there().correct(seq, act, who)

    def rule(self, ruling: RuleFinding | RuleGame) -> None:
        """A referee rules."""
        self._there().rule(ruling)

    def card_picture(self, card_id: str) -> bytes | None:
        """A card's scan, or None."""
        desk, _ = self._now()
        return desk.card_picture(card_id) if desk is not None else None

    def question_picture(self, question_id: str, index: int) -> bytes | None:
        """A picture that belongs to a question, or None."""
        desk, _ = self._now()
        return desk.question_picture(question_id, index) if desk is not None else None

    def clip(self, touch: str) -> tuple[tuple[int, bytes], ...]:
        """The pictures around a duel's touch; none where there are none."""
        desk, _ = self._now()
        return desk.clip(touch) if isinstance(desk, DuelDesk) else ()

    def _now(self) -> tuple[GameDesk | None, int]:
        with self._lock:
            return self._desk, self._base

    def _there(self) -> GameDesk:
        desk, _ = self._now()
        if desk is None:
            raise BadInputError("the table is still being set: wait a moment")
        return desk

    def _version(self) -> int:
        return self._base if self._desk is None else self._base + self._desk.wait(-1, 0.0)


def _waiting_view(line: str) -> dict[str, Json]:
    """A view of no game."""
    return {
        "game": "",
        "title": "Hoshiban",
        "game_id": "",
        "seats": [],
        "phase": "setup",
        "trick": 0,
        "tricks_total": 0,
        "progress": "",
        "headline": line,
        "expectations": [],
        "board": None,
        "points": 0,
        "tricks": [],
        "findings": [],
        "questions": [],
        "prompts": [],
        "sources": [],
        "outcome": None,
        "history": [],
        "worlds": None,
    }

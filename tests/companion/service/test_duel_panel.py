"""The panel at a duel, on mock pins: countdown, timeouts, a card that is kept, lights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.journal import Journal
from companion.service.duel_panel import DuelPanel
from hardware.panel import Panel, PanelPins, Press
from tests.companion.service.test_duelling import duel

gpiozero = pytest.importorskip("gpiozero")

from gpiozero.pins.mock import MockFactory, MockPWMPin  # noqa: E402

PINS = PanelPins(
    start=2, timeout=3, players={"Ami": 4, "Ben": 5}, lights={"play": 6, "timeout": 7, "question": 8}, buzzer=9
)
SECOND_NS = 10**9


class At:
    """A duel with a panel whose seconds are only counted."""

    def __init__(self, desk: DuelDesk, factory: Any) -> None:
        self.desk, self.factory = desk, factory
        self.panel = Panel(PINS, factory=factory)
        self.waited: list[float] = []
        self.duel_panel = DuelPanel(desk, self.panel, self.waited.append)

    def press(self, button: str, player: str | None = None, at_s: float = 0.0) -> None:
        self.duel_panel.pressed(Press(button, player, round(at_s * SECOND_NS)))

    def lit(self, pin: int) -> bool:
        return bool(self.factory.pin(pin).state)


@pytest.fixture
def at(tmp_path: Path) -> Iterator[At]:
    factory = MockFactory(pin_class=MockPWMPin)
    with Journal.open(tmp_path / "j.db") as journal:
        table = At(duel(journal, lambda: 1_000_000), factory)
        yield table
        table.panel.close()


def told(at: At) -> list[str]:
    said = [
        str(event.payload["act"]["fact"])
        for event in at.desk._journal.events("duel")
        if event.payload.get("event") == "said"
    ]
    return [*said, *(act["fact"] for act in at.desk.acts())]


def test_who_called_a_timeout_says_so_with_the_own_button(at: At) -> None:
    at.press("timeout", at_s=1.0)
    at.press("player", "Ben", at_s=2.0)
    assert at.desk.view()["duel"]["timeout"] == "Ben"
    at.duel_panel.show()
    assert at.lit(7)
    assert not at.lit(6)


def test_a_players_button_long_after_calls_nothing(at: At) -> None:
    at.press("timeout", at_s=1.0)
    at.press("player", "Ben", at_s=9.0)
    assert at.desk.view()["duel"]["timeout"] is None


def test_play_goes_on_after_a_timeout_with_three_counts(at: At) -> None:
    at.press("timeout", at_s=1.0)
    at.press("player", "Ami", at_s=1.5)
    at.duel_panel.begin()
    assert at.waited == [1.0, 1.0, 1.0]
    assert told(at).count("play-began") == 2
    assert at.desk.view()["duel"]["timeout"] is None


def test_nothing_is_counted_down_while_dice_roll(at: At) -> None:
    at.duel_panel.begin()
    assert at.waited == []
    at.duel_panel.show()
    assert at.lit(6)

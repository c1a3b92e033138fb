"""The panel on mock pins: each test is a wiring story."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from gpiozero import exc
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware import panel as panel_module
from hardware.panel import PRESS_ERR_NS, Look, Panel, PanelPins, PanelState, Press

PINS = PanelPins(start=17, timeout=27, players={"A": 5, "B": 6}, lights={"ready": 22, "touch": 23}, buzzer=18)
MS = 1_000_000


@pytest.fixture
def factory() -> Iterator[MockFactory]:
    factory = MockFactory(pin_class=MockPWMPin)
    yield factory
    factory.reset()
    factory.close()


class Clock:
    """A host's clock to be set."""

    def __init__(self) -> None:
        self.now = 1000 * MS

    def __call__(self) -> int:
        return self.now


def press(factory: Any, pin: int) -> None:
    factory.pin(pin).drive_low()
    factory.pin(pin).drive_high()


def test_every_button_says_which_it_is(factory: MockFactory) -> None:
    pressed: list[Press] = []
    with Panel(PINS, pressed.append, factory=factory) as panel:
        assert panel.state is PanelState.READY
        for pin in (17, 27, 5, 6):
            press(factory, pin)
    assert [(one.button, one.player) for one in pressed] == [
        ("start", None),
        ("timeout", None),
        ("player", "A"),
        ("player", "B"),
    ]


def test_a_press_has_the_hosts_time_and_how_late_it_may_be(factory: MockFactory) -> None:
    pressed: list[Press] = []
    with Panel(PINS, pressed.append, factory=factory, clock=Clock()):
        press(factory, 17)
    assert pressed == [Press("start", None, 1000 * MS, PRESS_ERR_NS)]


def test_a_contact_that_bounces_is_one_press(factory: MockFactory) -> None:
    """The mock pin, as some back-ends, does not keep to gpiozero's bounce time."""
    pressed: list[Press] = []
    clock = Clock()
    with Panel(PINS, pressed.append, factory=factory, clock=clock):
        for _ in range(5):
            press(factory, 17)
            clock.now += 2 * MS
        clock.now += 200 * MS
        press(factory, 17)
        press(factory, 27)
    assert [one.button for one in pressed] == ["start", "start", "timeout"]


def test_lights_show_and_go_out_at_the_end(factory: MockFactory) -> None:
    with Panel(PINS, factory=factory) as panel:
        pin = factory.pin(22)
        assert panel.light("ready", Look.ON)
        assert pin.state
        assert panel.light("ready", Look.OFF)
        assert not pin.state
        assert panel.light("ready", Look.BLINK)
    assert not pin.state


def test_the_buzzer_sounds_and_stops_by_itself(factory: MockFactory) -> None:
    with Panel(PINS, factory=factory) as panel:
        pin = factory.pin(18)
        pin.clear_states()
        assert panel.buzz(0.01)
        panel._buzzer._blink_thread.join(5)
        assert [state.state for state in pin.states][:3] == [False, True, False]


def test_what_the_panel_lacks_is_no_fault(factory: MockFactory) -> None:
    with Panel(PanelPins(start=17), factory=factory) as panel:
        assert not panel.light("ready", Look.ON)
        assert not panel.buzz()


def test_a_table_without_a_panel_says_so() -> None:
    with Panel(PanelPins()) as panel:
        assert panel.state is PanelState.ABSENT
        assert not panel.light("ready", Look.ON)
    assert panel.state is PanelState.ABSENT


def test_a_machine_without_gpio_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_factory(*_args: object, **_more: object) -> None:
        warnings.warn("Falling back from lgpio", stacklevel=1)
        raise exc.BadPinFactory("Unable to load any default pin factory!")

    monkeypatch.setattr("gpiozero.Button", no_factory)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        panel = Panel(PINS)
    assert panel.state is PanelState.NO_GPIO
    assert "python3-lgpio" in panel.text
    assert "\n" not in panel.text
    assert not panel.light("ready", Look.ON)
    assert not panel.buzz()


def test_a_user_who_may_not_use_the_gpio_is_told_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_more: object) -> None:
        raise PermissionError(13, "Permission denied", "/dev/gpiochip0")

    monkeypatch.setattr("gpiozero.Button", refuse)
    panel = Panel(PINS)
    assert panel.state is PanelState.NO_GPIO
    assert "group gpio" in panel.text


def test_a_pin_that_is_taken_is_named_and_the_others_are_let_go(factory: MockFactory) -> None:
    with Panel(PanelPins(buzzer=18), factory=factory), Panel(PINS, factory=factory) as second:
        assert second.state is PanelState.BAD_PIN
        assert "GPIO18 is already in use" in second.text
        assert not second.light("ready", Look.ON)
    with Panel(PINS, factory=factory) as third:
        assert third.state is PanelState.READY


def test_a_number_that_is_no_pin_is_named(factory: MockFactory) -> None:
    with Panel(PanelPins(start=99), factory=factory) as panel:
        assert panel.state is PanelState.BAD_PIN
        assert "99 is not a valid pin" in panel.text


def test_two_things_on_one_pin_are_named() -> None:
    with Panel(PanelPins(start=17, players={"A": 17})) as panel:
        assert (panel.state, panel.text) == (
            PanelState.BAD_PIN,
            "panel: start and A are on one pin; give each its own in the profile",
        )


def test_a_closed_panel_does_nothing(factory: MockFactory) -> None:
    panel = Panel(PINS, factory=factory)
    panel.close()
    panel.close()
    assert panel.state is PanelState.CLOSED
    assert not panel.light("ready", Look.ON)


def test_the_longest_buzz_is_bounded(factory: MockFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panel_module, "LONGEST_BUZZ_S", 0.01)
    with Panel(PINS, factory=factory) as panel:
        pin = factory.pin(18)
        panel.buzz(3600)
        panel._buzzer._blink_thread.join(5)
        assert not pin.state

"""The table's panel on the Raspberry Pi's header: buttons (start, timeout, one a player), lights and a buzzer, by gpiozero.

Wiring: a button between its GPIO and ground (the Pi's own pull-up holds it high); a light from its GPIO over 330 ohms to an
LED to ground; an active buzzer between its GPIO and ground, through a transistor if it takes more than 10 mA. Numbers are
the chip's (BCM).

>>> pins = PanelPins(start=17, timeout=27, players={"A": 5, "B": 6}, lights={"ready": 22}, buzzer=18)
>>> with Panel(pins, print) as panel:
...     panel.light("ready", Look.ON)

Where there is no GPIO, or a pin can't be had, the panel says so in its state and does nothing; it never fails.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Any, Self

START, TIMEOUT = "start", "timeout"
BOUNCE_S = 0.03
"""Contacts of a push button are at rest within this."""
PRESS_ERR_NS = 50_000_000
"""A press is known this late, its bounce and a busy host included: it may not order touches."""
BLINK_S = 0.5
LONGEST_BUZZ_S = 5.0


class PanelState(StrEnum):
    """Whether the panel can be used."""

    ABSENT = "absent"
    """No pins are set: the table has no panel."""
    READY = "ready"
    NO_GPIO = "no gpio"
    """This machine has none, or this user may not use it."""
    BAD_PIN = "bad pin"
    """A pin is none, is used twice, or another program has it."""
    CLOSED = "closed"


class Look(StrEnum):
    """How a light shows."""

    OFF = "off"
    ON = "on"
    BLINK = "blink"


@dataclass(frozen=True, slots=True)
class PanelPins:
    """GPIO numbers; what the panel lacks is left out."""

    start: int | None = None
    timeout: int | None = None
    players: Mapping[str, int] = field(default_factory=dict)
    """A button a seat, by its name."""
    lights: Mapping[str, int] = field(default_factory=dict)
    buzzer: int | None = None

    @property
    def buttons(self) -> dict[tuple[str, str | None], int]:
        """Every button, named by what it is and by its player."""
        named: dict[tuple[str, str | None], int] = {}
        for name, pin in ((START, self.start), (TIMEOUT, self.timeout)):
            if pin is not None:
                named[name, None] = pin
        return named | {("player", seat): pin for seat, pin in self.players.items()}

    @property
    def all(self) -> dict[str, int]:
        """Every pin by its name for people."""
        named = {player or name: pin for (name, player), pin in self.buttons.items()}
        named |= {f"light {name}": pin for name, pin in self.lights.items()}
        return named if self.buzzer is None else {**named, "buzzer": self.buzzer}


@dataclass(frozen=True, slots=True)
class Press:
    """A button went down."""

    button: str
    """"start", "timeout" or "player"."""
    player: str | None
    """The seat, of a player's button."""
    t_ns: int
    """Host's monotonic clock, when it was noticed."""
    t_err_ns: int = PRESS_ERR_NS
    """It went down up to this before."""


class Panel:
    """The panel. Every method may be called from any thread; none waits, none raises."""

    def __init__(
        self,
        pins: PanelPins,
        take: Callable[[Press], None] = lambda _press: None,
        *,
        factory: Any = None,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`take` gets each press, in a thread of gpiozero's. `factory`: gpiozero's pin factory, where it is not the usual one."""
        self._take = take
        self._clock = clock
        self._stack = ExitStack()
        self._lights: dict[str, Any] = {}
        self._buzzer: Any = None
        self._down_ns: dict[tuple[str, str | None], int] = {}
        self.state, self.text = self._open(pins, factory)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets the pins go, lights off. May be called twice."""
        self._stack.close()
        self._lights, self._buzzer = {}, None
        if self.state is not PanelState.ABSENT:
            self.state, self.text = PanelState.CLOSED, "the panel is closed"

    def light(self, name: str, look: Look) -> bool:
        """Shows a light; False where the panel has none of that name."""
        light = self._lights.get(name)
        if light is None:
            return False
        match look:
            case Look.OFF:
                light.off()
            case Look.ON:
                light.on()
            case Look.BLINK:
                light.blink(BLINK_S, BLINK_S)
        return True

    def buzz(self, seconds: float = 0.2) -> bool:
        """Sounds the buzzer for at most `LONGEST_BUZZ_S`; False where there is none."""
        if self._buzzer is None:
            return False
        self._buzzer.blink(min(max(seconds, 0.01), LONGEST_BUZZ_S), 0, n=1)
        return True

    def _open(self, pins: PanelPins, factory: Any) -> tuple[PanelState, str]:
        named = pins.all
        if not named:
            return PanelState.ABSENT, "the table has no panel"
        twice = [name for name, pin in named.items() if list(named.values()).count(pin) > 1]
        if twice:
            return PanelState.BAD_PIN, f"panel: {' and '.join(twice)} are on one pin; give each its own in the profile"
        try:
            with warnings.catch_warnings():
                # gpiozero warns of each library that it tries; what comes of it is told below.
                warnings.simplefilter("ignore")
                self._wire(pins, factory)
        except Exception as error:
            self._stack.close()
            self._lights, self._buzzer = {}, None
            return _why(error)
        return PanelState.READY, f"the panel is ready: {', '.join(named)}"

    def _wire(self, pins: PanelPins, factory: Any) -> None:
        import gpiozero

        for button, pin in pins.buttons.items():
            device = self._stack.enter_context(gpiozero.Button(pin, bounce_time=BOUNCE_S, pin_factory=factory))
            device.when_pressed = self._pressed(button)
        for name, pin in pins.lights.items():
            self._lights[name] = self._stack.enter_context(gpiozero.LED(pin, pin_factory=factory))
        if pins.buzzer is not None:
            self._buzzer = self._stack.enter_context(gpiozero.Buzzer(pins.buzzer, pin_factory=factory))

    def _pressed(self, button: tuple[str, str | None]) -> Callable[[], None]:
        def on_press() -> None:
            now = self._clock()
            # Not every back-end of gpiozero keeps to the bounce time.
            if now - self._down_ns.get(button, -PRESS_ERR_NS) >= PRESS_ERR_NS:
                self._down_ns[button] = now
                self._take(Press(button[0], button[1], now))

        return on_press


def _why(error: Exception) -> tuple[PanelState, str]:
    """What an error of gpiozero, or of the library below it, means."""
    from gpiozero import exc

    line = str(error).splitlines()[0] if str(error) else type(error).__name__
    match error:
        case exc.BadPinFactory() | PermissionError() | FileNotFoundError():
            return PanelState.NO_GPIO, (
                f"panel: this machine's GPIO can't be used ({line}); on a Raspberry Pi install python3-lgpio and add yourself to "
                "the group gpio; elsewhere take [panel] out of the profile"
            )
        case exc.GPIOPinInUse():
            return (
                PanelState.BAD_PIN,
                f"panel: {line}; stop the program that has it, or choose another pin in the profile",
            )
        case _:
            return PanelState.BAD_PIN, f"panel: {line}; choose another pin in the profile"

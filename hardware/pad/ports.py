"""Which serial ports there are, and which of them is a pad."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from serial.tools import list_ports

from hardware.pad.conversation import Conversation
from hardware.pad.errors import (
    NotAPadError,
    PadBusyError,
    PadError,
    PadPermissionError,
    PadSilentError,
    PadVersionError,
)
from hardware.pad.messages import Hello
from hardware.pad.port import BAUD, Port, stable_name
from hardware.pad.reports import LinkState

PROBE_S = 4.0
"""A pad whose port is opened may start anew, and its boot loader waits a second or two."""


@dataclass(frozen=True, slots=True)
class Found:
    """A serial port, and what answered there."""

    port: str
    name: str
    """By which udev will know it again."""
    description: str
    usb: str | None
    """Vendor and product as in `2341:0043`; None where it is no USB port."""
    state: LinkState | None
    """READY for a pad; None where it was not asked."""
    text: str
    hello: Hello | None = None


def serial_ports() -> tuple[tuple[str, str, str | None], ...]:
    """Name, description and USB ids of every serial port that the system knows, by name."""
    ports = []
    for port in sorted(list_ports.comports(), key=lambda one: str(one.device)):
        usb = f"{port.vid:04x}:{port.pid:04x}" if port.vid is not None and port.pid is not None else None
        ports.append((str(port.device), str(port.description or ""), usb))
    return tuple(ports)


def find_pads(more: tuple[str, ...] = (), *, ask: bool = True, patience_s: float = PROBE_S) -> tuple[Found, ...]:
    """Every serial port and `more` named ones, asked all at once whether they are a pad (which may restart a board).

    Of the machine's own ports that are no USB only named ones are asked: a console or a modem may hang there.
    """
    known = serial_ports()
    ports = [*known, *((name, "", None) for name in more if name not in {port for port, _, _ in known})]
    if not ports:
        return ()
    with ThreadPoolExecutor(len(ports)) as pool:
        asked = {port for port, _, usb in ports if ask and (usb is not None or port in more)}
        return tuple(pool.map(lambda port: _found(*port, ask=port[0] in asked, patience_s=patience_s), ports))


def _found(port: str, description: str, usb: str | None, *, ask: bool, patience_s: float) -> Found:
    name = stable_name(port)
    if not ask:
        return Found(port, name, description, usb, None, f"{port}: not asked; name it and it will be")
    try:
        hello = probe(port, patience_s)
    except PadError as error:
        return Found(port, name, description, usb, state_of(error), str(error))
    firmware = ".".join(map(str, hello.firmware))
    return Found(port, name, description, usb, LinkState.READY, f"{port}: a contact pad, firmware {firmware}", hello)


def probe(port: str, patience_s: float = PROBE_S, baud: int = BAUD) -> Hello:
    """Who the pad at a port is. Raises a PadError that says what is there instead."""
    talk = Conversation(port, baud, time.monotonic_ns)
    with Port.open(port, baud) as line:
        talk.opened()
        until = time.monotonic() + patience_s
        while talk.hello is None:
            if time.monotonic() > until:
                raise nobody(talk, port)
            line.write(talk.outgoing())
            if line.wait(max(talk.wake_ns() - time.monotonic_ns(), 0) / 1e9):
                talk.feed(line.read(), time.monotonic_ns())
        return talk.hello


def nobody(talk: Conversation, port: str) -> PadError:
    """What to make of a port where no pad answered."""
    return NotAPadError(port) if talk.said_bytes and talk.heard_ns is None else PadSilentError(port)


def state_of(error: PadError) -> LinkState:
    """What the link's state is after an error."""
    match error:
        case PadPermissionError():
            return LinkState.NO_PERMISSION
        case PadVersionError():
            return LinkState.UNKNOWN_VERSION
        case NotAPadError():
            return LinkState.FOREIGN
        case PadSilentError():
            return LinkState.SILENT
        case PadBusyError():
            return LinkState.BUSY
        case FileNotFoundError():
            return LinkState.SEARCHING
        case ConnectionError():
            return LinkState.UNPLUGGED
        case _:
            return LinkState.FAILED

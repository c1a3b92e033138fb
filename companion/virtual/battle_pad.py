"""What a contact pad feels of a virtual duel: hands that touch, dice that come down, idle hands that lie on their electrodes.

The circuit through both players is closed from a touch's first to its last moment, to the microsecond of the director's plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from companion.virtual.battle_director import BattleDirector
from companion.virtual.battle_times import MS, Bout
from hardware.pad.messages import EventKind
from hardware.virtual.pad import VirtualPad
from hardware.virtual.pad_model import WORDS
from hardware.virtual.simulated_pad import PacedPad, SimulatorMissingError

REST_US = 800 * MS
"""The idle hand lies on its electrode so long before play begins."""
LEAVES_US = 600 * MS
"""And so long after the last act of the round."""
_REACH_US = 560 * MS
"""From an idle hand's leaving its electrode to the card that it turns, and back."""
KNOCK_CHANNEL = 3
_KNOCK_MV, _REST_MV = 1900, 640
_SKIN_OHM, _RESTING_OHM = 100_000, 80_000
"""Between hands that touch, and of a resting hand over its electrode."""


@dataclass(frozen=True, slots=True)
class Felt:
    """Something that a pad feels."""

    kind: EventKind
    """CONTACT, KNOCK, REST_LAID or REST_LIFTED."""
    channel: int
    """0 the contact, 1 and 2 the idle hands of the left and the right chair, 3 the mat."""
    at_us: int
    end_us: int | None = None
    """Of a contact: when the hands part."""


class FeelingPad(Protocol):
    """A virtual pad, as far as it is asked here; hardware.virtual.pad.VirtualPad is one."""

    def touch(self, *, seconds: float, at_ns: int) -> None:
        """Two hands touch at that host time for so long."""

    def record(self, kind: EventKind, channel: int, strength: int = 0, *, at_ns: int) -> None:
        """Something else is felt at that host time."""


class _Firmware:
    """The pad's real firmware in a simulated circuit, as a FeelingPad: what is felt comes as current and as a shaken piezo."""

    def __init__(self, pad: PacedPad) -> None:
        self._pad = pad

    def touch(self, *, seconds: float, at_ns: int) -> None:
        """See FeelingPad. It is felt only while both idle hands rest on their electrodes."""
        self._pad.touch(self._us(at_ns), seconds, _SKIN_OHM)

    def record(self, kind: EventKind, channel: int, strength: int = 0, *, at_ns: int) -> None:
        """See FeelingPad."""
        match kind:
            case EventKind.KNOCK:
                order = f"knock {strength / 1000}"
            case EventKind.REST_LAID:
                order = f"rest {channel} {_RESTING_OHM}"
            case _:
                order = f"rest {channel} off"
        self._pad.order(f"at {self._us(at_ns):.4f} {order}")

    def _us(self, at_ns: int) -> float:
        return (at_ns - self._pad.start_ns) / 1000 * self._pad.pace


@dataclass(frozen=True, slots=True)
class TablePad:
    """The pad of a virtual table."""

    pad: FeelingPad
    port: str
    stands_in: str | None
    """Why the firmware itself doesn't run; None where it does."""


@contextmanager
def table_pad(port: Path, *, stand_in: bool = False) -> Iterator[TablePad]:
    """A pad that answers at a port while the block runs: the real firmware where its simulator can be built; else, or where that
    is asked for, the stand-in that speaks its protocol byte by byte.
    """
    why = "it was asked for"
    with ExitStack() as stack:
        if not stand_in:
            try:
                firmware = stack.enter_context(PacedPad(port))
            except SimulatorMissingError as error:
                why = str(error)
            else:
                yield TablePad(_Firmware(firmware), str(port), None)
                return
        yield TablePad(stack.enter_context(VirtualPad(port)), str(port), why)


def felt_in(director: BattleDirector) -> tuple[Felt, ...]:
    """All that a pad feels in a game, by its time on film. A pad tells no knock within its pause after another."""
    found = [Felt(EventKind.CONTACT, 0, touch.start_us, touch.end_us) for touch in director.hands.touches]
    found += _knocks(sorted(roll.touched_us for roll in director.rolls if roll.touched_us is not None))
    found += _rests(director)
    return tuple(sorted(found, key=lambda felt: felt.at_us))


def play_on(
    pad: FeelingPad, felt: Iterable[Felt], origin_ns: int, since_us: int = 0, until_us: int | None = None
) -> None:
    """Lets a pad feel a part of a game; `origin_ns` is the host's time of the film's beginning."""
    for each in felt:
        if each.at_us < since_us or (until_us is not None and each.at_us >= until_us):
            continue
        at_ns = origin_ns + each.at_us * 1000
        if each.kind is EventKind.CONTACT:
            pad.touch(seconds=((each.end_us or each.at_us) - each.at_us) / 1e6, at_ns=at_ns)
        else:
            pad.record(each.kind, each.channel, _KNOCK_MV if each.kind is EventKind.KNOCK else _REST_MV, at_ns=at_ns)


def _knocks(touched_us: Iterable[int]) -> Iterator[Felt]:
    pause_us = next(setting.default for setting in WORDS.settings if setting.name == "knock-pause")
    last_us: int | None = None
    for at_us in touched_us:
        if last_us is None or at_us - last_us >= pause_us:
            yield Felt(EventKind.KNOCK, KNOCK_CHANNEL, at_us)
            last_us = at_us


def _rests(director: BattleDirector) -> Iterator[Felt]:
    for bout in director.line.bouts:
        for chair in director.stage.chairs:
            channel = 1 + chair.number
            yield Felt(EventKind.REST_LAID, channel, bout.begin_us - REST_US)
            for from_us, to_us in _absences(director, bout, chair.number):
                yield Felt(EventKind.REST_LIFTED, channel, from_us)
                yield Felt(EventKind.REST_LAID, channel, to_us)
            yield Felt(EventKind.REST_LIFTED, channel, bout.end_us + LEAVES_US)


def _absences(director: BattleDirector, bout: Bout, chair: int) -> Iterator[tuple[int, int]]:
    """When the idle hand is away in a round, to turn a card."""
    for change in director.line.changes:
        is_during = bout.begin_us <= change.at_us - _REACH_US and change.at_us + _REACH_US < bout.end_us + LEAVES_US
        if change.in_play and chair in change.chairs and is_during:
            yield change.at_us - _REACH_US, change.at_us + _REACH_US

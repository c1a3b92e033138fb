"""A contact pad as its protocol describes it (docs/pad-protocol.md): bytes and times in, frames out, no port and no clock.

Times are the pad's microseconds since its boot. It stands in for a real pad where there is none and no simulator runs the
firmware; its dictionary is the firmware's.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hardware.pad.dictionary import parse_dictionary
from hardware.pad.frames import FrameReader, crc16, encode_frame
from hardware.pad.messages import (
    PROTOCOL_VERSION,
    UNBOUNDED,
    Chip,
    Event,
    EventFlag,
    EventKind,
    Heartbeat,
    Hello,
    Kind,
    Reply,
    ResetCause,
    Resumed,
    Status,
    TimeReply,
)

RING_EVENTS = 64
WINDOW = 8
RESEND_US = 60_000
HEARTBEAT_US = 250_000
SAVE_US = 200_000
PART = 48
NO_CHANNEL = 255
MOST = 0xFFFF
SUPPLY_MV = 4980
STAMP_US = 50
"""A good stamp keeps to this."""
WITHIN_US = (STAMP_US, 70, 100, 140, 200, 280, 400, 700, 900, 1300, 2000, 4000, 7000, 21000, 40000, UNBOUNDED)
"""The ring keeps how sure an onset is in these steps."""
MEASURES = (812, 806, 12, SUPPLY_MV, 0, 1)

DICTIONARY = b"""\
setting 0 contact-dwell us 500 50000 5000
setting 1 release-dwell us 500 60000 15000
setting 2 rest-dwell us 1000 60000 20000
setting 3 lift-dwell us 1000 60000 20000
setting 4 bridge us 0 5000 1500
setting 5 hum-dwell us 0 30000 10500
setting 6 contact-level mV 500 4000 684
setting 7 rest-level mV 100 2000 215
setting 8 knock-level mV 1100 5000 1200
setting 9 knock-window us 1000 20000 4000
setting 10 knock-pause us 5000 60000 50000
setting 11 swap-period ms 0 60000 1000
setting 12 contact-charge us 5 250 47
setting 13 release-charge us 5 250 52
setting 14 rest-charge us 5 250 32
setting 15 lift-charge us 5 250 26
channel 0 contact
channel 1 rest-1
channel 2 rest-2
channel 3 knock
channel 255 pad
event 1 contact-made
event 2 contact-released
event 3 rest-lifted
event 4 rest-laid
event 5 knock
event 6 overflow
event 7 started
event 8 self-test-failed
light 0 link
light 1 touch
light 2 fault
pattern 0 off
pattern 1 on
pattern 2 slow
pattern 3 fast
pattern 4 own
measure 0 sense-1 mV
measure 1 sense-2 mV
measure 2 piezo mV
measure 3 supply mV
measure 4 lines bits
measure 5 driven side
check 0 sense-1
check 1 contact-1
check 2 rest-1
check 3 sense-2
check 4 contact-2
check 5 rest-2
check 6 piezo
check 7 supply
check 8 eeprom
"""
WORDS = parse_dictionary(DICTIONARY)
DEFAULTS = tuple(setting.default for setting in WORDS.settings)


@dataclass(slots=True)
class Memory:
    """What a start does not clear: EEPROM, and the ring in RAM unless the supply was lost."""

    boot: int = 0
    ring: int = 0
    next_seq: int = 1
    events: deque[Event] = field(default_factory=deque)
    """Not acknowledged yet, oldest first."""
    saved: tuple[int, ...] = DEFAULTS
    lost: int = 0
    lost_since_us: int = 0
    lost_until_us: int = 0


Send = Callable[[bytes | Callable[[int], bytes]], None]
"""Puts a frame on the line; a function is given the microsecond at which its first byte leaves and makes the frame then."""


class PadModel:
    """One boot of a pad. A reset makes a new one over the same `Memory`."""

    def __init__(
        self, memory: Memory, send: Send, cause: ResetCause = ResetCause.POWER, version: tuple[int, int] | None = None
    ) -> None:
        """`version`: oldest and newest that it speaks, for a pad of another one."""
        self.memory = memory
        self._send = send
        self._oldest_version, self._version = version or (PROTOCOL_VERSION, PROTOCOL_VERSION)
        self._cause = cause
        memory.boot += 1
        if cause & ResetCause.POWER or not memory.ring:
            memory.ring, memory.next_seq, memory.lost = memory.boot, 1, 0
            memory.events.clear()
        self.settings = list(memory.saved)
        self.lights: dict[int, int] = {}
        self.channels = 0
        self.reset_asked = False
        self.failed_checks = 0
        self._reader = FrameReader()
        self._sent = 0
        """Of the events in the ring, how many are in flight."""
        self._resent = 0
        """Of the ring's oldest, how many were sent at least once."""
        self._progress_us = 0
        self._beat_us = 0
        self._later: tuple[int, int, bytes] | None = None
        """When, with which tag and what to answer to a command that takes its time."""
        self.record(EventKind.STARTED, NO_CHANNEL, 0, 0, int(cause))

    def record(
        self,
        kind: int,
        channel: int,
        onset_us: int,
        dwell_us: int,
        strength: int,
        flags: int = 0,
        within_us: int = STAMP_US,
    ) -> int | None:
        """Keeps an event; returns its number, or None where the ring is full and it is only counted.

        `within_us` is rounded up as the ring of the pad does it, and makes the flag UNCERTAIN; nothing bounds what was found at
        the start.
        """
        memory = self.memory
        if len(memory.events) >= RING_EVENTS or (memory.lost and not self._seal()):
            memory.lost_since_us = onset_us if not memory.lost else memory.lost_since_us
            memory.lost_until_us = onset_us
            memory.lost = min(memory.lost + 1, MOST)
            return None
        within = UNBOUNDED if flags & EventFlag.FOUND_AT_START else WITHIN_US[bisect_left(WITHIN_US, within_us)]
        if within > STAMP_US and not flags & EventFlag.FOUND_AT_START:
            flags |= EventFlag.UNCERTAIN
        return self._append(kind, channel, flags, onset_us, dwell_us, strength, within)

    def receive(self, data: bytes, now_us: int) -> None:
        """Takes bytes from the line; the last of them came at `now_us`."""
        for body in self._reader.feed(data):
            if body[0] == Kind.ACK and len(body) == 9:
                ring, next_seq = struct.unpack("<II", body[1:])
                self._release(ring, next_seq, now_us)
            elif len(body) >= 2:
                self._command(body[0], body[1], body[2:], now_us)

    def tick(self, now_us: int) -> None:
        """Sends what is due: events, a heartbeat, an answer that took its time."""
        memory = self.memory
        if self._later is not None and now_us >= self._later[0]:
            _, tag, data = self._later
            self._later = None
            self._answer(tag, data)
        if memory.lost and len(memory.events) < RING_EVENTS:
            self._seal()
        if self._sent and now_us - self._progress_us >= RESEND_US:
            self._sent, self._progress_us = 0, now_us
        while self._sent < min(WINDOW, len(memory.events)):
            event = memory.events[self._sent]
            again = self._sent < self._resent
            self._send(encode_frame((replace(event, flags=event.flags | EventFlag.RESENT) if again else event).pack()))
            self._progress_us = now_us if not self._sent else self._progress_us
            self._sent += 1
            self._resent = max(self._resent, self._sent)
        if now_us >= self._beat_us:
            self._beat_us = now_us + HEARTBEAT_US
            self._send(encode_frame(self._heartbeat(now_us).pack()))

    def _heartbeat(self, now_us: int) -> Heartbeat:
        memory = self.memory
        oldest = memory.events[0].seq if memory.events else memory.next_seq
        errors = min(self._reader.counts.broken, MOST)
        return Heartbeat(memory.boot, now_us, memory.ring, memory.next_seq, oldest, self.channels, errors, SUPPLY_MV, 0)

    def _append(
        self, kind: int, channel: int, flags: int, onset_us: int, dwell_us: int, strength: int, within_us: int
    ) -> int:
        memory = self.memory
        seq = memory.next_seq
        name = memory.ring, memory.boot, seq
        memory.events.append(Event(*name, kind, channel, flags, onset_us, dwell_us, strength, within_us))
        memory.next_seq += 1
        return seq

    def _seal(self) -> bool:
        """Tells what was lost, in its place; whether there is room for one more."""
        memory = self.memory
        span_ms = max((memory.lost_until_us - memory.lost_since_us) // 1000, 0)
        span_ms, lost = min(span_ms, 0xFFFFFF), memory.lost
        self._append(
            EventKind.OVERFLOW, NO_CHANNEL, EventFlag.UNCERTAIN, memory.lost_since_us, span_ms, lost, UNBOUNDED
        )
        memory.lost = 0
        return len(memory.events) < RING_EVENTS

    def _release(self, ring: int, next_seq: int, now_us: int) -> None:
        memory = self.memory
        if ring != memory.ring or next_seq > memory.next_seq:
            return
        while memory.events and memory.events[0].seq < next_seq:
            memory.events.popleft()
            self._sent = max(self._sent - 1, 0)
            self._resent = max(self._resent - 1, 0)
            self._progress_us = now_us

    def _answer(self, tag: int, data: bytes = b"", status: Status = Status.DONE) -> None:
        self._send(encode_frame(Reply(tag, status, data).pack()))

    def _command(self, kind: int, tag: int, data: bytes, now_us: int) -> None:
        if self._later is not None:
            if tag != self._later[1]:
                self._answer(tag, status=Status.BUSY)
            return
        try:
            self._do(kind, tag, data, now_us)
        except (struct.error, IndexError, ValueError):
            self._answer(tag, status=Status.BAD_ARGUMENT)

    def _do(self, kind: int, tag: int, data: bytes, now_us: int) -> None:
        """What belongs to the link; the rest is the pad's own."""
        match kind:
            case Kind.HELLO:
                self._greet(tag, data[0])
            case Kind.DICTIONARY:
                (offset,) = struct.unpack("<H", data)
                self._answer(tag, data + DICTIONARY[offset : offset + PART])
            case Kind.TIME:
                (token,) = struct.unpack("<I", data)
                boot = self.memory.boot
                self._send(lambda sent_us: encode_frame(TimeReply(tag, token, boot, now_us, sent_us).pack()))
            case Kind.RESUME:
                ring, next_seq = struct.unpack("<II", data)
                self._resume(tag, ring, next_seq, now_us)
            case Kind.RESET:
                self.reset_asked = self.reset_asked or struct.unpack("<I", data) == (self.memory.boot,)
                self._answer(tag)
            case _:
                self._do_work(kind, tag, data, now_us)

    def _do_work(self, kind: int, tag: int, data: bytes, now_us: int) -> None:
        match kind:
            case Kind.GET:
                self._answer(tag, struct.pack("<H", self.settings[data[0]]))
            case Kind.SET:
                index, value = struct.unpack("<BH", data)
                self._set(tag, index, value)
            case Kind.SAVE:
                self.memory.saved = tuple(self.settings)
                self._later = now_us + SAVE_US, tag, b""
            case Kind.DEFAULTS:
                self.settings = list(DEFAULTS)
                self._answer(tag)
            case Kind.SELF_TEST:
                self._later = now_us + SAVE_US, tag, struct.pack("<7H", self.failed_checks, *MEASURES)
            case Kind.MEASURE:
                self._answer(tag, struct.pack("<6H", *MEASURES))
            case Kind.LIGHTS if data[0] in WORDS.lights and data[1] in WORDS.patterns:
                self.lights[data[0]] = data[1]
                self._answer(tag)
            case Kind.CALIBRATE if data[0] <= 1:
                self._later = now_us + SAVE_US, tag, struct.pack("<H", 1750)
            case Kind.LIGHTS | Kind.CALIBRATE:
                self._answer(tag, status=Status.BAD_ARGUMENT)
            case _:
                self._answer(tag, status=Status.UNKNOWN_COMMAND)

    def _greet(self, tag: int, version: int) -> None:
        if not self._oldest_version <= version <= self._version:
            self._answer(tag, bytes((self._version, self._oldest_version)), Status.UNKNOWN_VERSION)
            return
        memory = self.memory
        found = Hello(
            self._version,
            self._oldest_version,
            (0, 0, 1),
            Chip.ATMEGA328P,
            memory.boot,
            memory.ring,
            int(self._cause),
            len(DICTIONARY),
            crc16(DICTIONARY),
        )
        self._answer(tag, found.pack())

    def _set(self, tag: int, index: int, value: int) -> None:
        if index >= len(self.settings) or not WORDS.settings[index].least <= value <= WORDS.settings[index].most:
            raise ValueError("out of range")
        self.settings[index] = value
        self._answer(tag, struct.pack("<H", value))

    def _resume(self, tag: int, ring: int, next_seq: int, now_us: int) -> None:
        memory = self.memory
        self._release(ring, next_seq, now_us)
        self._sent, self._progress_us = 0, now_us
        oldest = memory.events[0].seq if memory.events else memory.next_seq
        self._answer(tag, Resumed(memory.ring, oldest, memory.next_seq).pack())

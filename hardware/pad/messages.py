"""What the pad and the host say to each other, as values; the bytes are those of docs/pad-protocol.md, little-endian.

Times of the pad are whole microseconds since its boot. An event is known by its ring and its sequence number; its clock is
that of its own boot.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag

from hardware.pad.errors import PadMessageError

PROTOCOL_VERSION = 2
U48 = 2**48
UNBOUNDED = 0xFFFF
"""Of an event's `within_us`."""


class Kind(IntEnum):
    """The first byte of a frame's body."""

    HELLO = 0x01
    DICTIONARY = 0x02
    TIME = 0x03
    ACK = 0x04
    GET = 0x05
    SET = 0x06
    SAVE = 0x07
    DEFAULTS = 0x08
    SELF_TEST = 0x09
    LIGHTS = 0x0A
    RESET = 0x0B
    MEASURE = 0x0C
    CALIBRATE = 0x0D
    RESUME = 0x0E
    REPLY = 0x80
    TIME_REPLY = 0x83
    EVENT = 0xC0
    HEARTBEAT = 0xC1


class Status(IntEnum):
    """How a command went."""

    DONE = 0
    UNKNOWN_COMMAND = 1
    BAD_ARGUMENT = 2
    BUSY = 3
    FAILED = 4
    UNKNOWN_VERSION = 5


class EventKind(IntEnum):
    """What an event tells. A newer pad may tell more: those keep their number."""

    CONTACT = 1
    """The players' hands touched."""
    RELEASE = 2
    REST_LIFTED = 3
    """A resting hand left its electrode."""
    REST_LAID = 4
    KNOCK = 5
    OVERFLOW = 6
    """The ring was full: `strength` events were lost from `onset_us` on, over `dwell_us` (there in ms)."""
    STARTED = 7
    """The pad began; `strength` is why (`ResetCause`)."""
    SELF_TEST_FAILED = 8


class EventFlag(IntFlag):
    """How an event was seen."""

    UNCERTAIN = 1
    """The onset may be further off than a good stamp is, 50 us; the event's `within_us` says how far."""
    HUM = 2
    """Mains hum moved the line."""
    RESENT = 4
    FOUND_AT_START = 8
    """It was so when the boot began: the truth is any time before."""


class Channel(IntFlag):
    """Bits of a heartbeat's `channels`."""

    CONTACT = 1
    REST_1 = 2
    REST_2 = 4


class HeartbeatFlag(IntFlag):
    """How the pad is."""

    DEFAULTS = 1
    """Its memory could not be read at the start: settings are at their defaults."""
    HUM = 2
    SIDE_2_DRIVEN = 4
    SELF_TEST_FAILED = 8


class Chip(IntEnum):
    """The pad's microcontroller."""

    ATMEGA328P = 1
    ATMEGA32U4 = 2


class ResetCause(IntFlag):
    """Why the pad started, bits of the chip's MCUSR."""

    POWER = 1
    EXTERNAL = 2
    """The reset pin: a button, or DTR where the port was opened."""
    BROWN_OUT = 4
    WATCHDOG = 8


@dataclass(frozen=True, slots=True)
class Hello:
    """Who the pad is."""

    version: int
    oldest: int
    """Oldest version that it speaks."""
    firmware: tuple[int, int, int]
    chip: int
    boot: int
    ring: int
    reset_cause: int
    dictionary_bytes: int
    dictionary_crc: int

    FORMAT = struct.Struct("<BBBBBBIIBHH")

    @classmethod
    def parse(cls, data: bytes) -> Hello:
        """Of a reply's data. Raises PadMessageError."""
        version, oldest, major, minor, patch, chip, boot, ring, cause, length, crc = _fixed(cls.FORMAT, data, "HELLO")
        return cls(version, oldest, (major, minor, patch), chip, boot, ring, cause, length, crc)

    def pack(self) -> bytes:
        """As a reply's data."""
        return self.FORMAT.pack(
            self.version,
            self.oldest,
            *self.firmware,
            self.chip,
            self.boot,
            self.ring,
            self.reset_cause,
            self.dictionary_bytes,
            self.dictionary_crc,
        )


@dataclass(frozen=True, slots=True)
class Resumed:
    """What the pad holds of its ring: sequence numbers `oldest` to `next_seq` - 1 wait for acknowledgement."""

    ring: int
    oldest: int
    next_seq: int

    FORMAT = struct.Struct("<III")

    @classmethod
    def parse(cls, data: bytes) -> Resumed:
        """Of a reply's data. Raises PadMessageError."""
        return cls(*_fixed(cls.FORMAT, data, "RESUME"))

    def pack(self) -> bytes:
        """As a reply's data."""
        return self.FORMAT.pack(self.ring, self.oldest, self.next_seq)


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a command."""

    tag: int
    status: int
    data: bytes = b""

    def pack(self) -> bytes:
        """As a frame's body."""
        return bytes((Kind.REPLY, self.tag, self.status)) + self.data


@dataclass(frozen=True, slots=True)
class TimeReply:
    """The pad's clock when a TIME command had come and when this answer began to leave."""

    tag: int
    token: int
    boot: int
    """Whose clock it is: a pad that began anew meanwhile answers as well."""
    received_us: int
    sent_us: int

    def pack(self) -> bytes:
        """As a frame's body."""
        head = struct.pack("<BBII", Kind.TIME_REPLY, self.tag, self.token, self.boot)
        return head + _u48(self.received_us) + _u48(self.sent_us)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the pad felt."""

    ring: int
    boot: int
    seq: int
    kind: int
    channel: int
    flags: int
    onset_us: int
    """The first raw edge, since that boot."""
    dwell_us: int
    """How long the new state had lasted when it was confirmed. Of an overflow: its span in ms."""
    strength: int
    within_us: int
    """The truth lies within so many microseconds of the onset; `UNBOUNDED` where nothing bounds it."""

    HEAD = struct.Struct("<IIIBBB")
    TAIL_BYTES = 13

    def pack(self) -> bytes:
        """As a frame's body."""
        head = self.HEAD.pack(self.ring, self.boot, self.seq, self.kind, self.channel, self.flags)
        tail = _u48(self.onset_us) + self.dwell_us.to_bytes(3, "little")
        return bytes((Kind.EVENT,)) + head + tail + struct.pack("<HH", self.strength, self.within_us)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The pad lives: four times a second."""

    boot: int
    now_us: int
    ring: int
    next_seq: int
    oldest: int
    """Oldest event that waits for acknowledgement; `next_seq` where none does."""
    channels: int
    """Bit 0: the circuit is closed; bits 1 and 2: a hand rests."""
    frame_errors: int
    supply_mv: int
    flags: int

    TAIL = struct.Struct("<IIIBHHB")

    def pack(self) -> bytes:
        """As a frame's body."""
        tail = self.TAIL.pack(
            self.ring, self.next_seq, self.oldest, self.channels, self.frame_errors, self.supply_mv, self.flags
        )
        return struct.pack("<BI", Kind.HEARTBEAT, self.boot) + _u48(self.now_us) + tail


FromPad = Reply | TimeReply | Event | Heartbeat


def parse_from_pad(body: bytes) -> FromPad:
    """What a frame of the pad says. Raises PadMessageError for a kind that is not known or a length that does not fit."""
    match body[:1]:
        case b"\x80" if len(body) >= 3:
            return Reply(body[1], body[2], body[3:])
        case b"\x83" if len(body) == 22:
            return TimeReply(body[1], _int(body[2:6]), _int(body[6:10]), _int(body[10:16]), _int(body[16:22]))
        case b"\xc0" if len(body) == 1 + Event.HEAD.size + Event.TAIL_BYTES:
            ring, boot, seq, kind, channel, flags = Event.HEAD.unpack_from(body, 1)
            at = 1 + Event.HEAD.size
            strength, within = struct.unpack_from("<HH", body, at + 9)
            onset, dwell = _int(body[at : at + 6]), _int(body[at + 6 : at + 9])
            return Event(ring, boot, seq, kind, channel, flags, onset, dwell, strength, within)
        case b"\xc1" if len(body) == 11 + Heartbeat.TAIL.size:
            return Heartbeat(_int(body[1:5]), _int(body[5:11]), *Heartbeat.TAIL.unpack_from(body, 11))
        case _:
            raise PadMessageError(f"no message of the pad: kind {body[:1].hex() or 'none'}, {len(body)} bytes")


@dataclass(frozen=True, slots=True)
class Command:
    """Something that the host asks; its tag is given when it is sent."""

    kind: Kind
    arguments: bytes = b""

    def pack(self, tag: int) -> bytes:
        """As a frame's body; `tag` is 1 to 255."""
        return bytes((self.kind, tag)) + self.arguments


def hello() -> Command:
    """Asks who the pad is, in this program's version of the protocol."""
    return Command(Kind.HELLO, bytes((PROTOCOL_VERSION,)))


def dictionary(offset: int) -> Command:
    """Asks for the dictionary's text from that byte on."""
    return Command(Kind.DICTIONARY, struct.pack("<H", offset))


def time(token: int) -> Command:
    """Asks for the pad's clock."""
    return Command(Kind.TIME, struct.pack("<I", token))


def resume(ring: int, next_seq: int) -> Command:
    """Says what the host has of a ring: everything before `next_seq`; 0 where it has nothing."""
    return Command(Kind.RESUME, struct.pack("<II", ring, next_seq))


def get(index: int) -> Command:
    """Asks for a setting."""
    return Command(Kind.GET, bytes((index,)))


def set_value(index: int, value: int) -> Command:
    """Sets a setting, 0 to 65535."""
    return Command(Kind.SET, struct.pack("<BH", index, value))


def reset(boot: int) -> Command:
    """Starts the pad anew, if that is its present boot: said twice, it resets once."""
    return Command(Kind.RESET, struct.pack("<I", boot))


def calibrate(what: int) -> Command:
    """Takes the present level for a threshold: 0 hands laid and apart, 1 hands touching."""
    return Command(Kind.CALIBRATE, bytes((what,)))


def lights(which: int, pattern: int) -> Command:
    """Shows a pattern on a light."""
    return Command(Kind.LIGHTS, bytes((which, pattern)))


def ack(ring: int, next_seq: int) -> bytes:
    """A frame's body that releases every event of the ring before `next_seq`; it has no tag and no answer."""
    return struct.pack("<BII", Kind.ACK, ring, next_seq)


def words(data: bytes, what: str) -> tuple[int, ...]:
    """Numbers of 16 bits. Raises PadMessageError for a half one."""
    if len(data) % 2:
        raise PadMessageError(f"the pad's answer to {what} has an odd length ({len(data)} bytes)")
    return struct.unpack(f"<{len(data) // 2}H", data)


def _fixed(form: struct.Struct, data: bytes, what: str) -> tuple[int, ...]:
    """A longer answer is a newer pad's: what is known of it stands in front."""
    if len(data) < form.size:
        raise PadMessageError(f"the pad's answer to {what} is too short: {len(data)} bytes, not {form.size}")
    return form.unpack_from(data)


def _int(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _u48(value: int) -> bytes:
    return value.to_bytes(6, "little")

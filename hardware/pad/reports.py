"""What a link tells whoever listens: events with their time on the host's clock, gaps, and the link's state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hardware.pad.messages import UNBOUNDED, EventFlag


class LinkState(StrEnum):
    """What the link is doing."""

    SEARCHING = "searching"
    """There is no such port yet."""
    CONNECTING = "connecting"
    READY = "ready"
    SILENT = "silent"
    """The port is open and nothing comes."""
    UNPLUGGED = "unplugged"
    """It worked, and the port is gone."""
    FOREIGN = "foreign device"
    UNKNOWN_VERSION = "unknown version"
    NO_PERMISSION = "no permission"
    BUSY = "busy"
    """Another program holds the port."""
    FAILED = "failed"
    """The port fails in another way."""


class GapKind(StrEnum):
    """Why something may be missing."""

    RESTARTED = "restarted"
    """The pad began anew and kept its ring: what it felt meanwhile, or had not confirmed, is missing."""
    POWER_LOST = "power lost"
    """The pad began anew with an empty ring: what was not handed on before is missing too."""
    OVERFLOW = "overflow"
    """The pad's ring was full."""
    RING_LOST = "ring lost"
    """Events that the pad should hold are not there."""
    CLOCK_JUMPED = "clock jumped"
    """The host's clock stood still or jumped: times around it are not to be trusted."""


@dataclass(frozen=True, slots=True)
class PadEvent:
    """Something that the pad felt, in the order of its ring. Known for good by `ring` and `seq`.

    To tell how far apart two events of one boot are, take their `onset_us`: both then have the same error of the clock's map, and
    only the two `within_us` stand between their distance and the truth.
    """

    ring: int
    boot: int
    seq: int
    kind: int
    """An `EventKind`; another number is a newer pad's."""
    name: str
    """The kind in the pad's own word."""
    channel: int
    channel_name: str
    flags: int
    onset_us: int
    """On the clock of its boot."""
    within_us: int | None
    """The true onset is within this of `onset_us`; None where nothing bounds it: it was so at the start, or hum hid it."""
    dwell_us: int
    strength: int
    t_ns: int | None
    """The onset on the host's monotonic clock; None where that boot's clock was never learned."""
    bound_ns: int | None
    """The true onset is within this of `t_ns`; None where nothing bounds it, or the clock was never learned."""

    @property
    def uncertain(self) -> bool:
        """Whether the onset may be further off than a good stamp is, 50 us."""
        return bool(self.flags & (EventFlag.UNCERTAIN | EventFlag.FOUND_AT_START))


@dataclass(frozen=True, slots=True)
class PadGap:
    """A span in which touches may be missing. Outside of all gaps, none is missing and none comes twice."""

    kind: GapKind
    since_ns: int | None
    """Host's monotonic clock; None where nothing is known."""
    until_ns: int | None
    text: str
    lost: int | None = None
    """How many events are missing, where the pad knows."""


@dataclass(frozen=True, slots=True)
class PadState:
    """The link's state has changed."""

    state: LinkState
    text: str
    """One line for people: what, where, what to do."""
    t_ns: int


Report = PadEvent | PadGap | PadState


@dataclass(slots=True)
class Stats:
    """What a link has done since it began."""

    sent: int = 0
    """Frames to the pad."""
    resent: int = 0
    """Of them, commands that had no answer in time."""
    received: int = 0
    bad_crc: int = 0
    """Pieces of the line that were no frame."""
    unknown: int = 0
    """Whole frames that mean nothing here."""
    events: int = 0
    """Handed on."""
    repeated: int = 0
    """Events that came again and were not handed on."""
    gaps: int = 0
    opened: int = 0
    """How often the port was opened."""
    rtt_us: int = 0
    """Of the last exchange, wire time and the pad's own taken off."""
    clock_bound_us: int = 0
    clock_outliers: int = 0
    frequency_ppm: float = 0.0
    pad_frame_errors: int = 0
    """Frames that came broken at the pad, by its own count since its boot."""
    supply_mv: int = 0

    def line(self) -> str:
        """As it is logged once a second."""
        return (
            f"sent={self.sent} resent={self.resent} received={self.received} bad_crc={self.bad_crc} unknown={self.unknown} "
            f"events={self.events} repeated={self.repeated} gaps={self.gaps} opened={self.opened} rtt={self.rtt_us}us "
            f"clock_error={self.clock_bound_us}us outliers={self.clock_outliers} frequency={self.frequency_ppm:+.0f}ppm "
            f"pad_errors={self.pad_frame_errors} supply={self.supply_mv}mV"
        )


def within(event_us: int) -> int | None:
    """How far an onset may be from the truth, us, of an event's `within_us`."""
    return None if event_us == UNBOUNDED else event_us

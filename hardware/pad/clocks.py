"""The clocks of a pad's boots: each has a map of its own, and events of an earlier boot keep theirs."""

from __future__ import annotations

from hardware.pad.clock import ClockMap, Exchange, Instant, wire_ns
from hardware.pad.frames import encode_frame
from hardware.pad.messages import TimeReply, time

KEPT = 8
"""Boots whose map is kept: a ring of events can't span more in practice."""
QUICK = 8
"""Exchanges in quick succession at the beginning of a boot."""
QUICK_NS = 20_000_000
PERIOD_NS = 100_000_000
POOR = 1.5
"""An exchange so many times as wide as the closest known one is poor: the next follows quickly, until one is good."""
LOST_NS = 150_000_000
"""After this a question for the time is asked anew instead of again: of an answer one would not know to which it belongs."""


class BootClocks:
    """Asks for the time and maps it. One question is under way at a time."""

    def __init__(self, baud: int) -> None:
        self._baud = baud
        self._maps: dict[int, ClockMap] = {}
        self._last_us: dict[int, int] = {}
        """The last microsecond at which a boot was known to live."""
        self._asked: tuple[int, int, int, int] | None = None
        """Tag, token, host's ns and wire ns of the question under way."""
        self._token = 0
        self._count: dict[int, int] = {}
        self.due_ns = 0
        self.rtt_ns = 0

    @property
    def flying(self) -> bool:
        """Whether an answer is waited for."""
        return self._asked is not None

    def map_of(self, boot: int) -> ClockMap:
        """The map of a boot; one that knows nothing for an unknown one."""
        return self._maps.get(boot, ClockMap())

    def at(self, boot: int, us: int) -> Instant | None:
        """A moment of a boot on the host's clock; None while its clock is not known."""
        return self.map_of(boot).at(us)

    def alive(self, boot: int, us: int) -> None:
        """The boot was alive at that microsecond of its own."""
        self._last_us[boot] = max(us, self._last_us.get(boot, 0))

    def last_alive_ns(self, boot: int) -> int | None:
        """A host's time at which a boot surely lived still; None while its clock is not known."""
        us = self._last_us.get(boot)
        return None if us is None else self.not_before_ns(boot, us)

    def not_before_ns(self, boot: int, us: int) -> int | None:
        """The earliest host's time of a moment of a boot; None while its clock is not known."""
        instant = self.at(boot, us)
        return None if instant is None else instant.t_ns - instant.bound_ns

    def question(self, tag: int, now_ns: int) -> bytes:
        """A TIME command's frame, to be written at once; `now_ns` is taken as late as possible before."""
        self._token = (self._token + 1) % 2**32
        frame = encode_frame(time(self._token).pack(tag))
        self._asked = tag, self._token, now_ns, wire_ns(len(frame), self._baud)
        self.due_ns = now_ns + LOST_NS
        return frame

    def forget_question(self) -> None:
        """Nobody will answer it: the line was opened anew, or its time is over."""
        self._asked = None

    def answered(self, reply: TimeReply, read_ns: int) -> bool:
        """Takes an answer that was read at `read_ns`; returns whether its boot's clock has jumped. Others are passed over."""
        asked = self._asked
        if asked is None or (reply.tag, reply.token) != asked[:2]:
            return False
        self._asked = None
        wire_in = wire_ns(len(encode_frame(reply.pack())), self._baud)
        exchange = Exchange.of(asked[2], read_ns, reply.received_us, reply.sent_us, asked[3], wire_in)
        boot = reply.boot
        before = self.map_of(boot)
        after = before.add(exchange)
        self._maps[boot] = after
        while len(self._maps) > KEPT:
            oldest = next(iter(self._maps))
            del self._maps[oldest]
            self._last_us.pop(oldest, None)
            self._count.pop(oldest, None)
        self._count[boot] = self._count.get(boot, 0) + 1
        poor = exchange.width_ns > POOR * after.closest_ns
        self.due_ns = asked[2] + (QUICK_NS if poor or self._count[boot] < QUICK else PERIOD_NS)
        self.rtt_ns = exchange.width_ns
        self.alive(boot, reply.sent_us)
        return after.jumps > before.jumps

    def outliers(self, boot: int) -> int:
        """Exchanges of that boot that were set aside."""
        return self.map_of(boot).outliers

"""The host's side of a talk with one pad: bytes in, bytes and reports out. Knows no port and starts no thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from hardware.pad.clocks import BootClocks
from hardware.pad.commands import CommandQueue, RefusedError
from hardware.pad.dictionary import Dictionary, parse_dictionary
from hardware.pad.errors import PadAnswerError, PadError, PadMessageError, PadVersionError
from hardware.pad.frames import FrameReader, crc16, encode_frame
from hardware.pad.inbox import Hole, Inbox, Position
from hardware.pad.messages import (
    PROTOCOL_VERSION,
    Command,
    Event,
    EventKind,
    Heartbeat,
    Hello,
    Reply,
    ResetCause,
    Resumed,
    Status,
    TimeReply,
    ack,
    dictionary,
    hello,
    parse_from_pad,
    resume,
)
from hardware.pad.outbox import Names, Outbox, Restart
from hardware.pad.reports import GapKind, PadGap, Report, Stats

HELLO_PATIENCE_S = 3600.0
"""A greeting is repeated until the link gives the port up."""
ACK_AGAIN_NS = 30_000_000
"""A repeated event is answered by the same acknowledgement, but not more often than this."""


@dataclass(slots=True)
class _Step:
    """The command that the handshake waits for, and who takes its answer."""

    answer: Future[Reply]
    then: Callable[[Reply], None]


class Conversation:
    """One pad, over any number of openings of its port. Used by one thread, except `ask`."""

    def __init__(self, port: str, baud: int, clock: Callable[[], int], start: Position | None = None) -> None:
        """`clock`: host's monotonic ns. `start`: how far the pad's events were taken in an earlier run."""
        self._port = port
        self._clock = clock
        self.clocks = BootClocks(baud)
        self.inbox = Inbox(start)
        self.outbox = Outbox(self.clocks, port)
        self.commands = CommandQueue()
        self.stats = Stats()
        self.hello: Hello | None = None
        """Who the pad is; None before it said so since the port was opened."""
        self.heartbeat: Heartbeat | None = None
        """The last one."""
        self.dictionary = Dictionary()
        self._reader = FrameReader()
        self._step: _Step | None = None
        self._text = b""
        self._text_crc: int | None = None
        self._handed: tuple[int, int] | None = None
        """Ring and boot of the last event in line."""
        self._first_ring: int | None = None
        """The ring of whatever the pad said first: from then on, what is lost is told."""
        self._whole_ns: int | None = None
        """Host's time up to which everything that was confirmed has been taken, as far as clocks were known."""
        self._acked: Position | None = None
        self._ack_due = False
        self._ack_sent_ns = 0
        self.heard_ns: int | None = None
        """When the last whole frame came; None before the first since the port was opened."""
        self._bytes_at_open = 0
        self.ready = False
        """The handshake is over."""

    def opened(self) -> None:
        """The port was opened: greets whoever is there."""
        self._reader.clear()
        self.heard_ns = None
        self._bytes_at_open = self._reader.counts.data_bytes
        self.stats.opened += 1
        self._greet()

    def closed(self, error: PadError) -> None:
        """The port is gone: whoever asked something is told so."""
        self.ready = False
        self._step = None
        self.inbox.close()
        self.clocks.forget_question()
        self.commands.give_up(error)

    @property
    def said_bytes(self) -> int:
        """Bytes that came since the port was opened."""
        return self._reader.counts.data_bytes - self._bytes_at_open

    def ask(self, command: Command, patience_s: float) -> Future[Reply]:
        """Puts a command in line, from any thread."""
        return self.commands.ask(command, self._clock(), patience_s)

    # Bytes

    def feed(self, data: bytes, read_ns: int) -> None:
        """Takes bytes that were read at `read_ns`. Raises PadVersionError where the pad speaks another version."""
        for body in self._reader.feed(data):
            try:
                message = parse_from_pad(body)
            except PadMessageError:
                self.stats.unknown += 1
                continue
            self.heard_ns = read_ns
            self.stats.received += 1
            self._take(message, read_ns)
        self.stats.bad_crc = self._reader.counts.broken
        self._handshake()

    def outgoing(self) -> bytes:
        """What to write now, at once: stamps in it are taken while it is made."""
        out = self._acknowledgement()
        now = self._clock()
        if self.clocks.flying and now >= self.clocks.due_ns:
            self.clocks.forget_question()
            self.stats.resent += 1
        if not self.clocks.flying:
            body = self.commands.due(now)
            if body is not None:
                out += self._sent(encode_frame(body))
            elif self.ready and not self.commands.flying and now >= self.clocks.due_ns:
                out += self._sent(self.clocks.question(self.commands.next_tag(), self._clock()))
        return out

    def reports(self) -> list[Report]:
        """What is to be told now, in order."""
        found = self.outbox.ready(self._clock())
        self.stats.gaps += sum(isinstance(one, PadGap) for one in found)
        return found

    def wake_ns(self) -> int:
        """When `outgoing` has something to do at the latest."""
        times = [self._clock() + 250_000_000]
        if self.ready or self.clocks.flying:
            times.append(self.clocks.due_ns)
        wake = self.commands.wake_ns()
        if wake is not None and not self.clocks.flying:
            times.append(wake)
        return min(times)

    def confirm(self, ring: int, seq: int) -> None:
        """That event and all before it are safe."""
        self.inbox.confirm(ring, seq)

    # What the pad says

    def _take(self, message: Reply | TimeReply | Event | Heartbeat, read_ns: int) -> None:
        match message:
            case Reply():
                self.commands.answered(message, read_ns)
            case TimeReply():
                self._take_time(message, read_ns)
            case Event():
                self._take_event(message, read_ns)
            case Heartbeat():
                self._take_heartbeat(message)

    def _take_time(self, reply: TimeReply, read_ns: int) -> None:
        if self.clocks.answered(reply, read_ns):
            self.outbox.put(
                PadGap(
                    GapKind.CLOCK_JUMPED,
                    None,
                    read_ns,
                    f"{self._port}: the clocks of pad and host no longer agree with what was known; did the host sleep? "
                    "Times are learned anew",
                ),
                read_ns,
            )
        known = self.clocks.map_of(reply.boot)
        now = known.at(reply.sent_us)
        self.stats.rtt_us = self.clocks.rtt_ns // 1000
        self.stats.clock_bound_us = now.bound_ns // 1000 if now is not None else 0
        self.stats.clock_outliers = known.outliers
        self.stats.frequency_ppm = known.frequency_ppm
        self._hold_to(reply.boot)

    def _take_event(self, event: Event, read_ns: int) -> None:
        self._note_ring(event.ring)
        before = self.inbox.repeated
        for one in self.inbox.put(event):
            self._mark_restart(one, read_ns)
            self._mark_whole(one.boot, one.onset_us)
            self.outbox.put(one, read_ns)
            self.stats.events += 1
        if self.inbox.repeated > before:
            self.stats.repeated = self.inbox.repeated
            self._ack_due = True

    def _note_ring(self, ring: int) -> None:
        if self._first_ring is None:
            self._first_ring = ring

    def _mark_whole(self, boot: int, us: int) -> None:
        at_ns = self.clocks.not_before_ns(boot, us)
        if at_ns is not None:
            self._whole_ns = max(at_ns, self._whole_ns or at_ns)

    def _mark_restart(self, event: Event, read_ns: int) -> None:
        """A later boot in the same ring: what the pad felt between the two is missing."""
        handed, self._handed = self._handed, (event.ring, event.boot)
        if handed is None or handed[0] != event.ring or handed[1] == event.boot:
            return
        why = event.strength if event.kind == EventKind.STARTED else 0
        alive_ns = self.clocks.last_alive_ns(handed[1])
        since_ns = alive_ns if alive_ns is not None else self._whole_ns
        self._tell_restart(GapKind.RESTARTED, since_ns, event.boot, why, read_ns)

    def _take_heartbeat(self, beat: Heartbeat) -> None:
        self._note_ring(beat.ring)
        self.heartbeat = beat
        self.stats.pad_frame_errors = beat.frame_errors
        self.stats.supply_mv = beat.supply_mv
        self.clocks.alive(beat.boot, beat.now_us)
        if self.inbox.has_all(beat.ring, beat.next_seq):
            self._mark_whole(beat.boot, beat.now_us)
        self._hold_to(beat.boot)
        if self.ready and self.inbox.lacks(beat.ring, beat.oldest):
            self._greet()

    def _hold_to(self, boot: int) -> None:
        """Greets the pad anew where it is another boot than the one that was greeted."""
        if self.ready and self.hello is not None and boot != self.hello.boot:
            self._greet()

    # The handshake: HELLO, DICTIONARY as often as it takes, RESUME

    def _greet(self) -> None:
        self.ready = False
        self.inbox.close()
        self._ask_next(hello(), self._greeted)

    def _ask_next(self, command: Command, then: Callable[[Reply], None]) -> None:
        self._step = _Step(self.commands.ask(command, self._clock(), HELLO_PATIENCE_S), then)

    def _handshake(self) -> None:
        """Goes on as far as answers are there."""
        while (step := self._step) is not None and step.answer.done():
            self._step = None
            try:
                reply = step.answer.result()
            except RefusedError as error:
                if error.reply.status == Status.UNKNOWN_VERSION:
                    raise PadVersionError(self._port, _versions(error.reply.data), PROTOCOL_VERSION) from None
                raise
            step.then(reply)

    def _greeted(self, reply: Reply) -> None:
        found = Hello.parse(reply.data)
        if not found.oldest <= PROTOCOL_VERSION <= found.version:
            versions = str(found.version) if found.oldest == found.version else f"{found.oldest} to {found.version}"
            raise PadVersionError(self._port, versions, PROTOCOL_VERSION)
        self._note_ring(found.ring)
        self.hello = found
        if (found.dictionary_crc, found.dictionary_bytes) == (self._text_crc, len(self._text)):
            self._ask_resume()
        else:
            self._text, self._text_crc = b"", found.dictionary_crc
            self._ask_next(dictionary(0), self._read_on)

    def _read_on(self, reply: Reply) -> None:
        if self.hello is None or int.from_bytes(reply.data[:2], "little") != len(self._text):
            raise PadAnswerError(
                f"{self._port}: the pad answered with another part of its dictionary than it was asked for"
            )
        part = reply.data[2:]
        self._text += part
        if part and len(self._text) < self.hello.dictionary_bytes:
            self._ask_next(dictionary(len(self._text)), self._read_on)
            return
        if crc16(self._text) != self._text_crc:
            self._text, self._text_crc = b"", None
            raise PadAnswerError(f"{self._port}: the pad's dictionary does not fit its checksum; reading it again")
        self.dictionary = parse_dictionary(self._text)
        self.outbox.names = Names(self.dictionary.events, self.dictionary.channels)
        self._ask_resume()

    def _ask_resume(self) -> None:
        if self.hello is not None:
            self._ask_next(resume(self.hello.ring, self.inbox.resume_at(self.hello.ring)), self._resumed)

    def _resumed(self, reply: Reply) -> None:
        told, now = Resumed.parse(reply.data), self._clock()
        if self.hello is None or told.ring != self.hello.ring:
            self._greet()  # it began anew meanwhile
            return
        before = self.inbox.ring if self.inbox.ring is not None else self._first_ring
        hole = self.inbox.resume(told)
        if before is not None and before != told.ring:
            self._tell_new_ring(now)
        elif hole is not None:
            self.outbox.put(self._hole(hole), now)
        if self._handed is None and told.oldest == told.next_seq:
            self._handed = (
                told.ring,
                self.hello.boot,
            )  # whatever comes next and is of another boot comes after a restart
        self.ready = True
        self._acked = None
        self.clocks.due_ns = now

    def _tell_new_ring(self, now: int) -> None:
        """A cold start."""
        if self.hello is None:
            return
        ring, boot = self.hello.ring, self.hello.boot
        self._handed = (ring, ring)  # a ring has the name of the boot that began it
        began = ring if self.clocks.map_of(ring).known else boot
        cause = self.hello.reset_cause if boot == ring else ResetCause.POWER
        self._tell_restart(GapKind.POWER_LOST, self._whole_ns, began, cause, now)

    def _tell_restart(self, kind: GapKind, since_ns: int | None, after: int, cause: int, now: int) -> None:
        self.outbox.put(Restart(kind, since_ns, after, reset_words(cause)), now)

    def _hole(self, hole: Hole) -> PadGap:
        count = hole.last - hole.first + 1
        return PadGap(
            GapKind.RING_LOST,
            self._whole_ns,
            self._clock(),
            f"{self._port}: the pad no longer holds {count} events (number {hole.first} on) that were not taken yet",
            count,
        )

    # Acknowledgements

    def _acknowledgement(self) -> bytes:
        safe = self.inbox.confirmed
        if safe is None or not self.ready:
            return b""
        now = self._clock()
        again = self._ack_due and now - self._ack_sent_ns >= ACK_AGAIN_NS
        if safe == self._acked and not again:
            return b""
        self._acked, self._ack_due, self._ack_sent_ns = safe, False, now
        return self._sent(encode_frame(ack(safe.ring, safe.next_seq)))

    def _sent(self, frame: bytes) -> bytes:
        self.stats.sent += 1
        self.stats.resent += self.commands.resent
        self.commands.resent = 0
        return frame


def reset_words(cause: int) -> str:
    """Why a pad started, for people."""
    if cause & ResetCause.WATCHDOG:
        return "its watchdog"
    if cause & ResetCause.BROWN_OUT:
        return "its supply sagged"
    if cause & ResetCause.POWER:
        return "power was switched on"
    if cause & ResetCause.EXTERNAL:
        return "its reset line: the button, or the port was opened"
    return "for a reason it does not tell"


def _versions(data: bytes) -> str:
    if len(data) < 2:
        return "unknown"
    return str(data[0]) if data[0] == data[1] else f"{data[1]} to {data[0]}"

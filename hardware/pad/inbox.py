"""The pad's events in their order, each once: what came, what is still to come, and what may be let go of."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.pad.messages import Event, Resumed

AHEAD = 64
"""Events that may be held while an earlier one is missing: the pad's ring."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far a ring was taken: everything before `next_seq`."""

    ring: int
    next_seq: int


@dataclass(frozen=True, slots=True)
class Hole:
    """Events that will never come: `first` to `last` of a ring."""

    ring: int
    first: int
    last: int


class Inbox:
    """Sorts one pad's events. Knows no time and no port."""

    def __init__(self, start: Position | None = None) -> None:
        """`start`: how far they were taken in an earlier run."""
        self._taken = start
        """Handed on so far."""
        self._confirmed = start
        self._held: dict[int, Event] = {}
        self._open = False
        self.repeated = 0

    @property
    def ring(self) -> int | None:
        """The ring that is being read; None before the first."""
        return self._taken.ring if self._taken is not None else None

    def resume_at(self, ring: int) -> int:
        """What to tell a pad of that ring: the first event not confirmed yet; 0 where nothing is known of it."""
        return self._confirmed.next_seq if self._confirmed is not None and self._confirmed.ring == ring else 0

    def close(self) -> None:
        """The line was lost, or the pad began anew: events wait until `resume`."""
        self._open = False
        self._held.clear()

    def resume(self, told: Resumed) -> Hole | None:
        """Goes on, after `close`, with what the pad holds; returns what it should hold and does not, of the same ring.

        Another ring than before begins at its oldest event.
        """
        self._open = True
        taken = self._taken
        if taken is None or taken.ring != told.ring or not told.oldest <= taken.next_seq <= told.next_seq:
            self._taken = self._confirmed = Position(told.ring, told.oldest)
            if taken is not None and taken.ring == told.ring:
                first, last = sorted((taken.next_seq, told.oldest))
                return Hole(told.ring, first, last - 1)
        return None

    def put(self, event: Event) -> list[Event]:
        """Takes an event as it came; returns those that are next now, in order."""
        taken = self._taken
        if not self._open or taken is None or event.ring != taken.ring:
            return []  # it will be sent again
        if event.seq < taken.next_seq:
            self.repeated += 1
            return []
        if event.seq < taken.next_seq + AHEAD:
            self._held[event.seq] = event
        ready = []
        seq = taken.next_seq
        while seq in self._held:
            ready.append(self._held.pop(seq))
            seq += 1
        if ready:
            self._taken = Position(taken.ring, seq)
        return ready

    def confirm(self, ring: int, seq: int) -> None:
        """Everything up to that event, which was handed on, is safe and may be let go of."""
        known = self._confirmed
        if known is not None and known.ring == ring and self._taken is not None:
            self._confirmed = Position(ring, max(known.next_seq, min(seq + 1, self._taken.next_seq)))

    def lacks(self, ring: int, oldest: int) -> bool:
        """Whether a pad that holds nothing before `oldest` has let go of events that were not taken."""
        taken = self._taken
        return self._open and taken is not None and taken.ring == ring and taken.next_seq < oldest

    def has_all(self, ring: int, next_seq: int) -> bool:
        """Whether everything before that number of the ring was taken."""
        taken = self._taken
        return self._open and taken is not None and taken.ring == ring and taken.next_seq == next_seq

    @property
    def confirmed(self) -> Position | None:
        """What to acknowledge; None before the first ring is open."""
        return self._confirmed if self._open else None

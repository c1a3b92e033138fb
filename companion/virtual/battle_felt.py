"""The contact pad of a virtual duel that is filmed at its own pace: what it feels follows the film, and is told in its time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from companion.virtual.battle_director import BattleDirector
from companion.virtual.battle_pad import FeelingPad, Felt, felt_in, play_on
from hardware.pad.messages import EventKind
from hardware.pad.reports import PadEvent, PadGap

SOON_NS = 3_000_000
"""What a picture shows is felt so long after it was looked at, by the host's clock."""
BOUND_NS = 500_000
"""Of a touch that no pad tells: as wide as a good pad states."""
LONG_NS = 2_000_000_000
"""A pad that has not told of a touch so long after it was felt will not."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    host_ns: int
    shown_ns: int


class FilmPad:
    """Lets a pad feel what the film shows, as it comes; without a pad, tells it by itself."""

    def __init__(
        self, director: BattleDirector, tell: Callable[[PadEvent], None], pad: FeelingPad | None = None
    ) -> None:
        """`tell` gets the events of a table whose pad has no port."""
        self._felt = deque(felt_in(director))
        self._tell, self._pad = tell, pad
        self._anchors: deque[_Anchor] = deque(maxlen=64)
        self._open: deque[_Anchor] = deque()
        """Touches that were felt and are not told yet."""
        self._seq = 0

    def feel_until(self, shown_ns: int, film_ns: int) -> None:
        """The film has come to a moment, in a picture of that time."""
        late_ns = shown_ns - film_ns
        while self._felt and self._felt[0].at_us * 1000 <= film_ns:
            felt = self._felt.popleft()
            at_ns = felt.at_us * 1000 + late_ns
            if self._pad is None:
                self._tell_of(felt, at_ns)
                continue
            anchor = _Anchor(time.monotonic_ns() + SOON_NS, at_ns)
            self._anchors.append(anchor)
            if felt.kind is EventKind.CONTACT:
                self._open.append(anchor)
            play_on(self._pad, [felt], anchor.host_ns - felt.at_us * 1000)

    def told(self, event: PadEvent) -> PadEvent:
        """An event of the pad with the pictures' time in place of the host's."""
        if event.kind == EventKind.CONTACT and self._open:
            self._open.popleft()
        return event if event.t_ns is None else replace(event, t_ns=self.shown_ns(event.t_ns))

    def gap(self, gap: PadGap, now_ns: int) -> PadGap:
        """A gap with the pictures' times; `now_ns` is the pictures' now."""
        since = None if gap.since_ns is None else self.shown_ns(gap.since_ns)
        self._open.clear()
        return replace(gap, since_ns=since, until_ns=now_ns)

    def shown_ns(self, host_ns: int) -> int:
        """The pictures' time at a moment of the host's clock: by what was felt last before it."""
        before = [anchor for anchor in self._anchors if anchor.host_ns <= host_ns + SOON_NS]
        anchor = before[-1] if before else _Anchor(host_ns, 0)
        return anchor.shown_ns + host_ns - anchor.host_ns

    def told_through_ns(self, shown_ns: int) -> int:
        """How far all that was felt has been told, at a picture's time."""
        now_ns = time.monotonic_ns()
        while self._open and now_ns - self._open[0].host_ns > LONG_NS:
            self._open.popleft()
        return self._open[0].shown_ns - 1_000_000 if self._open else shown_ns

    def _tell_of(self, felt: Felt, at_ns: int) -> None:
        self._seq += 1
        name, onset_us = felt.kind.name.lower(), at_ns // 1000
        event = PadEvent(1, 1, self._seq, felt.kind, name, felt.channel, name, 0, onset_us, 0, 0, 0, at_ns, BOUND_NS)
        self._tell(event)

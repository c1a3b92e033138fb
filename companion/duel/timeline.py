"""Everything that was told of a duel, in the order in which it happened; and how far each source has told. A pure value.

Reports arrive late and out of order: each is placed by the time of what it tells. Nothing may be ruled before every source has
told all up to that moment (`told_through`), or was declared blind for it.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from companion.duel.reports import ClosingReport, DieNews, DieReport, Key, Report, Source

NEVER_US = 1 << 62
"""Later than all that happens."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A report in its place."""

    at_us: int
    within_us: int
    source: Source
    key: Key
    report: Report

    @property
    def earliest_us(self) -> int:
        """It happened no earlier."""
        return self.at_us - self.within_us

    @property
    def latest_us(self) -> int:
        """It happened no later."""
        return self.at_us + self.within_us


@dataclass(frozen=True, slots=True)
class Blind:
    """A span in which a source may have missed something, or has told nothing at all."""

    source: Source
    since_us: int
    until_us: int
    """NEVER_US while it lasts."""
    why: str


@dataclass(frozen=True, slots=True)
class TimeLine:
    """All that was told. Every method returns a new one or asks a question of this."""

    entries: tuple[Entry, ...] = ()
    """By their times; of the same time in the order of source and key."""
    told_us: Mapping[Source, int] = field(default_factory=lambda: MappingProxyType({}))
    """Each source's word that it has told all that happened up to then."""
    blinds: tuple[Blind, ...] = ()
    broken: tuple[Entry, ...] = ()
    """Reports that came after their source had said that it had told all up to their moment."""

    def told(self, entry: Entry) -> TimeLine:
        """With a report in its place; the same report a second time changes nothing."""
        if any(other.key == entry.key and other.source is entry.source for other in self.entries):
            return self
        broken = self.broken
        if entry.latest_us < self.told_us.get(entry.source, -NEVER_US) and not _says_more(entry.report):
            broken = (*broken, entry)
        entries = list(self.entries)
        insort(entries, entry, key=_order)
        return replace(self, entries=tuple(entries), broken=broken)

    def told_through(self, source: Source, at_us: int) -> TimeLine:
        """A source says that it has told all that happened up to a moment; an earlier word is not taken back by a later one."""
        if at_us <= self.told_us.get(source, -NEVER_US):
            return self
        return replace(self, told_us=MappingProxyType({**self.told_us, source: at_us}))

    def blinded(self, source: Source, since_us: int, why: str, until_us: int = NEVER_US) -> TimeLine:
        """A source is declared blind from a moment on, or for a span that is over."""
        return replace(self, blinds=(*self.blinds, Blind(source, since_us, until_us, why)))

    def sees_again(self, source: Source, at_us: int) -> TimeLine:
        """A source that was declared blind tells again."""
        blinds = tuple(
            replace(blind, until_us=max(at_us, blind.since_us))
            if blind.source is source and blind.until_us == NEVER_US
            else blind
            for blind in self.blinds
        )
        return replace(self, blinds=blinds)

    def forgotten(self, before_us: int) -> TimeLine:
        """Without what certainly happened before a moment: it has been ruled, and is in the record."""
        return replace(
            self,
            entries=tuple(entry for entry in self.entries if entry.latest_us >= before_us),
            blinds=tuple(blind for blind in self.blinds if blind.until_us >= before_us),
            broken=tuple(entry for entry in self.broken if entry.latest_us >= before_us),
        )

    def complete_us(self, sources: Iterable[Source]) -> int:
        """Up to here all of these sources have told all that they know, or are declared blind; NEVER_US if all are blind."""
        return min((self._known_us(source) for source in sources), default=NEVER_US)

    def blind_at(self, source: Source, earliest_us: int, latest_us: int) -> Blind | None:
        """The first declared span in which a source may have missed what happened between two moments, or None."""
        spans = (x for x in self.blinds if x.source is source and x.since_us <= latest_us and x.until_us >= earliest_us)
        return min(spans, key=lambda blind: blind.since_us, default=None)

    def _known_us(self, source: Source) -> int:
        """How far a source has told, a blind span that it has reached counted as told."""
        known = self.told_us.get(source, -NEVER_US)
        for blind in sorted((x for x in self.blinds if x.source is source), key=lambda x: x.since_us):
            if blind.since_us <= known + 1:
                known = max(known, blind.until_us)
        return known


def _says_more(report: Report) -> bool:
    """Whether it only says more of something that was told before, which takes its time."""
    if isinstance(report, DieReport):
        return report.news in (DieNews.READ, DieNews.DECIDED)
    return isinstance(report, ClosingReport)


def _order(entry: Entry) -> tuple[int, str, Key]:
    return entry.at_us, entry.source.value, entry.key

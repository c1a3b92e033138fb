"""What the sensors and the people at a duel tell, as small frozen values.

Times are whole microseconds on the host's monotonic clock; `within_us` is half the width of the band in which the true moment
lies. A camera's times are those at which a picture's exposure began, never those at which it arrived.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.rules.hoshi_battle.facts import Face, Fact, Where

Key = tuple[int, ...]
"""Names a report among those of its source, in the order in which they were told; the same key is the same report."""


class Source(StrEnum):
    """Who tells."""

    PAD = "pad"
    DICE = "dice"
    """The camera, of dice."""
    HANDS = "hands"
    """The camera, of hands."""
    PEOPLE = "people"
    """Taps on the page, buttons of the panel, and what is read of cards and Stones."""


class DieNews(StrEnum):
    """What happened to a die."""

    RELEASED = "released"
    """It came out of a hand."""
    SETTLED = "settled"
    DECIDED = "decided"
    """On which side of the string it first touched: `inside`, None where it can't be told."""
    READ = "read"
    """What lies on top: `face`, UNKNOWN where it can't be told."""
    UNSETTLED = "unsettled"
    """It went on by itself: what was told of its rest is withdrawn."""
    PUSHED = "pushed"
    """It slid, and shows the same face."""
    TIPPED = "tipped"
    """It left its rest in plain sight, and shows another face or may: no throw was seen."""
    HIDDEN = "hidden"
    SHOWN = "shown"
    """It lies as it did before it was hidden."""
    TAKEN_UP = "taken up"
    LOST = "lost"
    """It went out of sight while it moved."""


@dataclass(frozen=True, slots=True)
class DieReport:
    """Something that happened to a die."""

    news: DieNews
    seat: str
    die: int
    """0 the Hero's own, 1 an additional one."""
    throw: int
    """Of this die, counted up by its source: all that is told of one throw bears the same number."""
    inside: bool | None = None
    face: Face | None = None
    sides: int | None = None


@dataclass(frozen=True, slots=True)
class TouchReport:
    """The circuit through both players closed; or a person tapped that hands touched, and says who struck and where it met."""

    by: tuple[str, ...] | None = None
    """None where it isn't said: a pad never knows."""
    where: Where = Where.UNKNOWN


@dataclass(frozen=True, slots=True)
class ClosingReport:
    """Who closed in on whom just before a touch, and where it met; asked of the camera once it has seen past it."""

    touch: Key
    """The touch's key."""
    by: tuple[str, ...] | None
    """None where it can't be told."""
    where: Where = Where.UNKNOWN


@dataclass(frozen=True, slots=True)
class RaisedReport:
    """A hand went into the defensive position, or left it."""

    seat: str
    is_up: bool
    is_sure: bool = True
    """False where it may have been otherwise."""


@dataclass(frozen=True, slots=True)
class SwingReport:
    """A hand reached for the other and touched nothing."""

    seat: str
    is_sure: bool = True
    """False where it may have been no try: a hand that goes after its die looks alike."""


@dataclass(frozen=True, slots=True)
class ToldReport:
    """Something that people told, or that was read of cards: a fact, with its own time where it has one."""

    fact: Fact


Report = DieReport | TouchReport | ClosingReport | RaisedReport | SwingReport | ToldReport

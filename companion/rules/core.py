"""What every game's rules are: total `apply`, honest `judge`, conditional `expects`, and the values they speak in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeVar


class Level(StrEnum):
    """How sure a finding is, and how grave."""

    ILLEGAL = "illegal"
    """What lies on the table breaks a rule by itself."""
    PROVED = "proved"
    """A breach that was hidden when it happened and that later public facts prove."""
    SUSPECT = "suspect"
    """Likely, never proof."""
    NOTE = "note"
    """Worth saying, no breach."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the judge thinks of a fact."""

    rule: str
    """The rulebook's section and the rule in short, as "Progression of the game: follow the stated colour"."""
    level: Level
    text: str
    """One sentence for the people at the table."""
    player: str | None = None
    trick: int | None = None
    """1-based; the trick (round, hand) in which the breach happened."""
    proved_at: int | None = None
    """1-based; the trick whose cards proved it, where it came to light later; the number of tricks plus one for the bids."""
    evidence: tuple[str, ...] = ()
    """The smallest set of public acts that shows it, in order."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """Who may or must do what now. With hidden hands it is conditional: "if you hold red, play red"."""

    who: str | None
    """A seat; None for everyone at the table."""
    act: str
    """In the game's own words: "lay a card", "reveal", "draw", "show your bid"."""
    rule: str
    text: str
    must: bool = True
    options: tuple[str, ...] = ()
    """What would be legal, where it can be listed: "1-5 red"."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winners: tuple[str, ...]
    """Seats, clockwise from the first."""
    decided_by: str
    points: int | None = None
    bids: Mapping[str, int] = field(default_factory=dict)
    """By seat, where the game has bids."""


StateT = TypeVar("StateT")
SetupT_contra = TypeVar("SetupT_contra", contravariant=True)
FactT_contra = TypeVar("FactT_contra", contravariant=True)


class Rules(Protocol[SetupT_contra, StateT, FactT_contra]):
    """One game. Every method is pure; a state is a value that is never changed in place as far as a caller can see."""

    game: str

    def start(self, setup: SetupT_contra) -> StateT:
        """The state before anything happened."""

    def apply(self, state: StateT, fact: FactT_contra) -> StateT:
        """The state after a fact. Total: what happened at the table is never refused, legal or not."""

    def judge(self, state: StateT, fact: FactT_contra) -> tuple[Finding, ...]:
        """What to think of a fact that is about to be applied to `state`, worst first."""

    def expects(self, state: StateT) -> tuple[Expectation, ...]:
        """Who may or must do what now."""

    def outcome(self, state: StateT) -> Outcome | None:
        """The result, once the game has ended."""

    def moment(self, state: StateT) -> tuple[int, ...]:
        """Where in the game the table is, as a value that changes when a trick or round is over, and when the next one begins.

        What was found can be put right until it changes.
        """

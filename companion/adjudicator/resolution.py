"""What a resolver makes of a settled picture: facts with their evidence, questions and prompts.

**Evidence keys.** Everything that a picture shows and that could become a fact has a short key: `line:3-10:red`,
`card:A:up:red-07`, `empty:A`. After an undo the keys in sight are *held*: an unchanged picture may say again only what it said
before the undo, which the person has just taken back. A key is let go of once a settled picture shows it gone; what then
comes again is a new act.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from vision.observation import SceneReading

SURE = 0.9
"""A reading at least so sure is recorded even where it is against the rules; a less sure one is asked about."""

FactT = TypeVar("FactT")
StateT = TypeVar("StateT")


@dataclass(frozen=True, slots=True)
class Proposal(Generic[FactT]):
    """A fact that a picture shows, and the keys of the evidence for it."""

    fact: FactT
    keys: tuple[str, ...]
    confidence: float
    """Of the weakest reading that it rests on, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to a question, and what it does."""

    id: str
    label: str
    tell: tuple[Mapping[str, Any], ...] = ()
    """Facts as JSON that are recorded."""
    correct: tuple[tuple[int, Mapping[str, Any]], ...] = ()
    """Entries (by sequence number) that get another fact in their place."""
    hold: tuple[str, ...] = ()
    """Evidence that is not to be taken up again until it changes."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something that only a person can say. One question a key is open at a time."""

    key: str
    text: str
    options: tuple[Option, ...]
    detail: str = ""
    renewed: bool = False
    """Asked anew when what it is about changes; others stay as they were asked, so that nobody taps on a moving target."""
    crops: tuple[str, ...] = ()
    """Names of parts of the picture that show it: "card:3" is the scene's fourth card, "board" the board."""


@dataclass(frozen=True, slots=True)
class Resolution(Generic[FactT]):
    """All that a settled picture says beyond the record."""

    proposals: tuple[Proposal[FactT], ...] = ()
    """In the order in which they must be applied."""
    questions: tuple[Question, ...] = ()
    keep: frozenset[str] = frozenset()
    """Keys of questions that stay open though this picture has nothing to ask them about."""
    prompts: tuple[str, ...] = ()
    """The table as it should be against the table as it is, one line each."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A settled picture's evidence: what shows, and of what it can't say anything."""

    shown: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    """Prefixes of keys of which nothing is known now, as "card:A:" or "line:3-10:"."""

    def lets_go(self, key: str) -> bool:
        """Whether the picture shows plainly that this evidence is gone."""
        return key not in self.shown and not any(key.startswith(prefix) for prefix in self.hidden)


@dataclass(frozen=True, slots=True)
class Entered(Generic[FactT]):
    """A fact of the record with its place in the journal."""

    seq: int
    fact: FactT


@dataclass(frozen=True, slots=True)
class TableNow(Generic[StateT, FactT]):
    """What the resolver may know of the record."""

    state: StateT
    entered: tuple[Entered[FactT], ...] = ()
    held: frozenset[str] = field(default_factory=frozenset)
    asked: frozenset[str] = field(default_factory=frozenset)
    """Keys of the questions that are open."""


class Resolver(Protocol[StateT, FactT]):
    """A game's way from settled pictures to facts. Pure: the same scene and record give the same resolution."""

    def sight(self, scene: SceneReading, state: StateT) -> Sight:
        """The evidence in a scene."""

    def resolve(self, scene: SceneReading, now: TableNow[StateT, FactT]) -> Resolution[FactT]:
        """The next facts that the scene shows, or what must be asked first."""

"""One picture's way through a game, step by step, until it shows nothing more: what the resolvers of all games share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from companion.adjudicator.resolution import Entered, Proposal, Question, Resolution
from companion.rules.core import Level, Rules

StateT = TypeVar("StateT")
FactT = TypeVar("FactT")


@dataclass(slots=True, kw_only=True)
class Walk(ABC, Generic[StateT, FactT]):
    """What was found so far, and the game as it stands with it."""

    rules: ClassVar[Rules[Any, Any, Any]]
    """The game's."""
    most_steps: ClassVar[int]
    """One picture can't show more steps of play than these; ends any loop."""

    state: StateT
    held: frozenset[str]
    """Evidence that was taken back and still lies there."""
    entered: list[Entered[FactT]]
    """The standing facts of the record, and what this picture added, those with number 0."""
    proposals: list[Proposal[FactT]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    keep: set[str] = field(default_factory=set)
    """Keys of questions that stay open."""

    @abstractmethod
    def look(self) -> None:
        """Takes the next step of play that the picture shows, asks what must be asked first, says what lies otherwise."""

    def look_for_differences(self) -> None:
        """What is left to be asked once the picture shows no further step."""
        return

    def resolution(self) -> Resolution[FactT]:
        """Walks to the end; what is asked and said is that of the last step."""
        for _ in range(self.most_steps):
            before = len(self.proposals)
            self.questions.clear()
            self.prompts.clear()
            self.keep.clear()
            self.look()
            if len(self.proposals) == before:
                break
        self.look_for_differences()
        return Resolution(
            tuple(self.proposals), tuple(self.questions), frozenset(self.keep), tuple(dict.fromkeys(self.prompts))
        )

    def propose(self, fact: FactT, *keys: str, confidence: float) -> None:
        """A fact that the picture shows; what follows is seen in the light of it."""
        self.proposals.append(Proposal(fact, keys, confidence))
        self.state = self.rules.apply(self.state, fact)
        self.entered.append(Entered(0, fact))

    def breaches(self, fact: FactT) -> tuple[str, ...]:
        """What the table would be told that is against the rules in a fact."""
        return tuple(found.text for found in self.rules.judge(self.state, fact) if found.level is Level.ILLEGAL)

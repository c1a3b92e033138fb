"""What was worked out of a throw so far, kept for when more of it has been seen: what is asked again is not worked out again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeVar, cast

T = TypeVar("T")


def _go_on() -> None:
    """Nothing else waits."""


@dataclass(slots=True, eq=False)
class Known:
    """Answers about one throw, each by all that it rests on. Used by one thread."""

    before_each: Callable[[], None] = _go_on
    """Called before anything that takes long. It may raise to break off; what was worked out by then is kept."""
    _answers: dict[Hashable, object] = field(default_factory=dict)

    def of(self, question: Hashable, work_out: Callable[[], T]) -> T:
        """The answer to a question; worked out where it was never asked."""
        if question not in self._answers:
            self.before_each()
            self._answers[question] = work_out()
        return cast("T", self._answers[question])

"""How much a count may do before it gives up: steps are counted, never time, so that it ends the same on every machine."""

from __future__ import annotations

MOST_STEPS = 150_000
"""Of one count: some hundredths of a second. What people say at a table stays far below; a page that waits must not hang."""


class TooManyWaysError(Exception):
    """There is more to count than the steps that are left."""


class Work:
    """The steps that a count has left."""

    __slots__ = ("left",)

    def __init__(self, most: int | None) -> None:
        """None for as many as it takes."""
        self.left = 1 << 62 if most is None else most

    def spend(self, steps: int) -> None:
        """Takes so many steps off before they are done. Raises TooManyWaysError where not so many are left."""
        self.left -= steps
        if self.left < 0:
            raise TooManyWaysError

"""What a still picture of the Arena is called where no plain throw can be read from it: a named state, never a guess."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from vision.arena import Arena, ArenaState
from vision.observation import DieDoubt, DieReading

USUAL_DICE = 2
"""Of a duel: one a player."""


class ThrowState(StrEnum):
    """Why a picture of the Arena is no plain throw."""

    EMPTY = "empty"
    """No die lies there, and nothing is over the table that may hide one."""
    COVERED = "covered"
    """No die is made out, but a hand or a thing is over the table: what it hides can't be told."""
    NO_LOOP = "no-loop"
    TWO_LOOPS = "two-loops"
    """Two or more closed strings: which of them counts can't be told."""
    THIRD_DIE = "third-die"
    """More dice lie there than are thrown: which of them count can't be told."""
    ON_STRING = "on-string"
    """A die lies on the string, or so near to it or to a hidden stretch of it that a side can't be told."""
    LEANING = "leaning"
    """A die leans on a hand or a thing, or stands on an edge: no face is on top."""
    FOREIGN = "foreign"
    """A die shows a face, or has a number of sides, that none of the enrolled dice has."""
    UNREAD = "unread"
    """Something of a die could not be read surely: a hand hides it, or it is too unclear."""


_OF_DOUBT = {
    DieDoubt.ON_STRING: ThrowState.ON_STRING,
    DieDoubt.TILTED: ThrowState.LEANING,
    DieDoubt.FOREIGN: ThrowState.FOREIGN,
    DieDoubt.UNCLEAR: ThrowState.UNREAD,
}


def throw_states(
    dice: Sequence[DieReading], arena: Arena | None, most: int = USUAL_DICE, *, covered: bool = False
) -> tuple[ThrowState, ...]:
    """All that keeps a picture from being a plain throw, in ThrowState's order; empty for a plain one.

    `arena` is None where no loop was looked for: nothing is then said of it. `most`: how many dice are thrown at once. `covered`:
    whether anything is over the table that may hide a die.
    """
    found = {_OF_DOUBT[doubt] for die in dice for doubt in die.doubts}
    if not dice:
        found.add(ThrowState.COVERED if covered else ThrowState.EMPTY)
    if len(dice) > most:
        found.add(ThrowState.THIRD_DIE)
    if arena is not None and arena.state is ArenaState.NONE:
        found.add(ThrowState.NO_LOOP)
    if arena is not None and arena.state is ArenaState.SEVERAL:
        found.add(ThrowState.TWO_LOOPS)
    return tuple(state for state in ThrowState if state in found)

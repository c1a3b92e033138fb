"""What a written game is made of beside its start: acts, what was put right, rulings, remarks; in words and as JSON.

Acts are numbered from 1 in the order in which they were written down, findings from 1 in the order in which they first came up;
neither number is ever given away again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from companion.errors import BadInputError
from companion.games.codec import FactCodec, Json
from companion.games.phrases import Phrase
from companion.rules.ledger import Verdict
from companion.rules.penalties import Penalty, PenaltyKind

REFEREE = "referee"


@dataclass(frozen=True, slots=True)
class Act:
    """Something happened at the table."""

    fact: Any


@dataclass(frozen=True, slots=True)
class Undo:
    """An act was written down that never happened so."""

    number: int


@dataclass(frozen=True, slots=True)
class TakeBack:
    """A player took an act back, with the table's leave."""

    number: int


@dataclass(frozen=True, slots=True)
class Correct:
    """An act happened otherwise than it was written down."""

    number: int
    fact: Any


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """A referee rules on a finding."""

    number: int
    """Of the finding."""
    verdict: Verdict
    penalty: PenaltyKind | None = None
    """None to leave it at the house rules."""
    points: int = 0
    by: str = REFEREE
    text: str = ""

    @property
    def costs(self) -> Penalty | None:
        """The penalty. Raises BadInputError where it can't be."""
        try:
            return (
                None
                if self.penalty is None and not self.points
                else Penalty(self.penalty or PenaltyKind.POINTS, self.points)
            )
        except ValueError as error:
            raise BadInputError(str(error)) from None


@dataclass(frozen=True, slots=True)
class RuleGame:
    """A referee says who has won, whatever the rules make of it."""

    winners: tuple[str, ...]
    by: str = REFEREE
    text: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """Words of the writer's; they change nothing."""

    text: str


Step = Act | Undo | TakeBack | Correct | RuleFinding | RuleGame | Remark
PLAIN: Mapping[str, type[Undo | TakeBack | RuleFinding | RuleGame | Remark]] = {
    "undo": Undo,
    "take-back": TakeBack,
    "ruling": RuleFinding,
    "game-ruling": RuleGame,
    "remark": Remark,
}
"""Steps that hold no act, by the name that JSON has for them."""
CORRECT = "correct"
PHRASES = (
    Phrase(Undo, ("undo|undone {number}",)),
    Phrase(TakeBack, ("take|takes|took back {number}",)),
    Phrase(
        RuleFinding,
        ("ruling f{number} {verdict} [costs {penalty}] [of {points}] [by {by:word}] [because {text:word}]",),
    ),
    Phrase(RuleGame, ("winners {winners:seats} [by {by:word}] [because {text:word}]",)),
)
"""How the steps are said that hold no act and are no remark."""


def step_json(step: Step, codec: FactCodec[Any]) -> dict[str, Json]:
    """A step as JSON: an act as its fact, others with a `step`."""
    match step:
        case Act(fact):
            return codec.to_json(fact)
        case Correct(number, fact):
            return {"step": CORRECT, "number": number, **codec.to_json(fact)}
        case _:
            name = next(name for name, kind in PLAIN.items() if kind is type(step))
            return {"step": name, **msgspec.to_builtins(step)}


def step_of(payload: Mapping[str, Json], codec: FactCodec[Any]) -> Step:
    """The reverse of `step_json`. Raises BadInputError naming what doesn't fit."""
    name = payload.get("step")
    if name is None:
        return Act(codec.of_json(payload))
    if name == CORRECT:
        number = payload.get("number")
        if isinstance(number, bool) or not isinstance(number, int):
            raise BadInputError(f"a correction names an act by its number, not {number!r}")
        return Correct(number, codec.of_json(payload))
    kind = PLAIN.get(name) if isinstance(name, str) else None
    if kind is None:
        raise BadInputError(f"{name!r} is no step; known are {', '.join([*PLAIN, CORRECT])}, and acts have none")
    try:
        step: Step = msgspec.convert(dict(payload), kind, strict=True)
    except msgspec.ValidationError as error:
        raise BadInputError(f"the step {name!r} doesn't hold together: {error}") from None
    return step

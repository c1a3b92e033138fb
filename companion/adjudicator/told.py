"""What people say while pictures come: acts with the time at which they are tapped, beside a film or a recording.

A file of them is JSON Lines: {"t": 12.5, "by": "A", "act": {"fact": "card-drawn", "seat": "A"}}, `t` as in the contract's
events, seconds of the video or the index of the picture; an act between the pictures 12 and 13 has 12.5. "way" says where the
act was not told but undone, taken back, restored, or put in the place of another one, "instead"; or that a question was answered,
or a referee ruled.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from companion.errors import BadInputError
from companion.games.codec import FactCodec
from companion.games.steps import RuleFinding, RuleGame, step_of

Json = Any
ANSWER = "answer"
RULING = "ruling"


class Way(StrEnum):
    """What a person does with an act."""

    TOLD = "told"
    UNDONE = "undone"
    """The record was wrong: it did not happen."""
    TAKEN_BACK = "taken-back"
    """A player took it back at the table."""
    RESTORED = "restored"
    """It was undone, and that is undone."""
    CORRECTED = "corrected"
    """It happened instead of another one."""
    ANSWERED = "answered"
    """A question was answered without telling anything; the act is then `answer_act`'s."""
    RULED = "ruled"
    """A referee ruled on a finding or on the game; the act is then `ruling_act`'s."""


@dataclass(frozen=True, slots=True)
class Said:
    """An act as a person tells it on the page, undoes it, or puts it in the place of another."""

    act: Mapping[str, Json]
    """A fact as JSON."""
    who: str
    when_offered: bool = False
    """It is tapped once the page offers it (see companion.adjudicator.kit.Tap), and not before."""
    way: Way = Way.TOLD
    instead: Mapping[str, Json] | None = None
    """The fact in whose place a correction puts the act."""


def answer_act(key: str, option: str) -> dict[str, Json]:
    """An answer as an act: by the question's key, which names the same question in another reading of the game."""
    return {"fact": ANSWER, "question": key, "option": option}


def ruling_act(ruling: Mapping[str, Json], finding: Mapping[str, Json] | None) -> dict[str, Json]:
    """A ruling as an act: the step as JSON, and the finding by what it says, for its number is another in another reading."""
    return {"fact": RULING, "ruling": dict(ruling), "finding": None if finding is None else dict(finding)}


def ruling_of(act: Mapping[str, Json]) -> RuleFinding | RuleGame:
    """The ruling of `ruling_act`, with the number that its finding had then. Raises BadInputError where it holds none."""
    step = act.get("ruling")
    ruling = step_of(step, FactCodec({})) if isinstance(step, dict) else None
    if not isinstance(ruling, RuleFinding | RuleGame) or isinstance(ruling, RuleFinding) != isinstance(
        act.get("finding"), dict
    ):
        raise BadInputError("a ruling names its finding, or who has won")
    return ruling


@dataclass(frozen=True, slots=True)
class Told:
    """An act at its time."""

    t_ns: int
    """Of the pictures' clock: it is told before what is seen later."""
    said: Said


def told_lines(told: Iterable[Told]) -> str:
    """JSON Lines of what is told."""
    return "".join(json.dumps({"t": one.t_ns / 1e9, **_line(one.said)}) + "\n" for one in told)


def _line(said: Said) -> dict[str, Json]:
    line: dict[str, Json] = {"by": said.who, "offered": said.when_offered, "act": said.act}
    if said.way is not Way.TOLD:
        line["way"] = said.way.value
    if said.instead is not None:
        line["instead"] = said.instead
    return line


def read_told(path: Path) -> tuple[Told, ...]:
    """The acts of a file, by time. Raises BadInputError that names the file and the line."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise BadInputError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    lines = ((number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip())
    return tuple(sorted((_told(line, f"{path}:{number}") for number, line in lines), key=lambda one: one.t_ns))


def _told(line: str, where: str) -> Told:
    try:
        raw = json.loads(line)
        t, who, act, offered = raw["t"], raw.get("by", "table"), raw["act"], raw.get("offered", False)
        way, instead = Way(raw.get("way", Way.TOLD)), raw.get("instead")
        if not _is_act(act) or not isinstance(who, str):
            raise TypeError
        if (way is Way.CORRECTED) != _is_act(instead):
            raise TypeError
        if way is Way.ANSWERED and not all(isinstance(act.get(part), str) for part in ("question", "option")):
            raise TypeError
        if way is Way.RULED:
            ruling_of(act)
        if isinstance(t, bool) or not math.isfinite(t):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError, BadInputError):
        raise BadInputError(
            f'{where}: must be a JSON object as {{"t": 12.5, "by": "A", "act": {{"fact": ...}}}}'
        ) from None
    return Told(round(t * 1e9), Said(act, who, offered is True, way, instead))


def _is_act(raw: Json) -> bool:
    return isinstance(raw, dict) and isinstance(raw.get("fact"), str)

"""What people say while pictures come: acts with the time at which they are tapped, beside a film or a recording.

A file of them is JSON Lines: {"t": 12.5, "by": "A", "act": {"fact": "card-drawn", "seat": "A"}}, `t` as in the contract's
events, seconds of the video or the index of the picture; an act between the pictures 12 and 13 has 12.5.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import BadInputError

Json = Any


@dataclass(frozen=True, slots=True)
class Said:
    """An act as a person tells it on the page."""

    act: Mapping[str, Json]
    """A fact as JSON."""
    who: str
    when_offered: bool = False
    """It is tapped once the page offers it (see companion.adjudicator.kit.Tap), and not before."""


@dataclass(frozen=True, slots=True)
class Told:
    """An act at its time."""

    t_ns: int
    """Of the pictures' clock: it is told before what is seen later."""
    said: Said


def told_lines(told: Iterable[Told]) -> str:
    """JSON Lines of what is told."""
    return "".join(
        json.dumps({"t": one.t_ns / 1e9, "by": one.said.who, "offered": one.said.when_offered, "act": one.said.act})
        + "\n"
        for one in told
    )


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
        if not isinstance(act, dict) or not isinstance(act.get("fact"), str) or not isinstance(who, str):
            raise TypeError
        if isinstance(t, bool) or not math.isfinite(t):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadInputError(
            f'{where}: must be a JSON object as {{"t": 12.5, "by": "A", "act": {{"fact": ...}}}}'
        ) from None
    return Told(round(t * 1e9), Said(act, who, offered is True))

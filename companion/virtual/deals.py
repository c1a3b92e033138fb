"""Deals written down, for counting legal ways to play on: the part that every game's deal file has."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from companion.errors import BadInputError


def read_deal(where: str, builtin: str) -> dict[str, Any]:
    """A deal from a TOML file, or for "builtin" the one of that name that comes with the program. Raises BadInputError."""
    if where == "builtin":
        return _parsed((files("companion.virtual") / "data" / builtin).read_text("utf-8"), where)
    try:
        text = Path(where).read_text("utf-8")
    except FileNotFoundError:
        raise BadInputError(f"{where}: no such file") from None
    except OSError as error:
        raise BadInputError(f"{where}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{where}: is not UTF-8 text (byte {error.start})") from None
    return _parsed(text, where)


def _parsed(text: str, source: str) -> dict[str, Any]:
    """TOML as tables. Raises BadInputError that names the source."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{source}: is not valid TOML: {error}") from None


def lead_of(raw: dict[str, Any], source: str, seats: Sequence[str], otherwise: str) -> str:
    """Who leads; a player of the table. Raises BadInputError."""
    lead = raw.get("lead", otherwise)
    if not isinstance(lead, str) or lead not in seats:
        raise BadInputError(f"{source}: lead: {lead!r} is none of the players {', '.join(seats)}")
    return lead

"""House rules from a TOML file: what a table takes for a breach.

[[penalty]]
level = "proved"        # or "illegal"; left out: both
rule = "follow"         # words of the rule, as findings name it; left out: any
penalty = "points"      # "report", "warning", "points" or "game"
points = 2
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from companion.errors import BadInputError
from companion.games.start import house_of
from companion.rules.penalties import HouseRule


def load_house(path: Path) -> tuple[HouseRule, ...]:
    """The lines of a file, in the order in which they are tried. Raises BadInputError naming file, place and field."""
    try:
        return parse_house(path.read_bytes().decode("utf-8"), str(path))
    except OSError as error:
        raise BadInputError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: is not UTF-8 text (byte {error.start})") from None


def parse_house(text: str, source: str) -> tuple[HouseRule, ...]:
    """The lines of a text. Raises BadInputError that begins with `source`."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{source}: is not valid TOML: {error}") from None
    strange = sorted(set(raw) - {"penalty"})
    if strange:
        raise BadInputError(f"{source}: {strange[0]}: is not known; house rules are tables [[penalty]]")
    lines = raw.get("penalty", [])
    if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
        raise BadInputError(f"{source}: penalty: must be tables [[penalty]]")
    house = []
    for number, line in enumerate(lines, 1):
        try:
            house.append(house_of(line))
        except BadInputError as error:
            raise BadInputError(f"{source}: penalty {number}: {error}") from None
    return tuple(house)

"""Options and their types that several commands share."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.errors import BadInputError

GAMES = ("ahuha", "hoshi-battle", "shuhari", "hoshizora")
SMALLEST_MM, LARGEST_MM = 100.0, 5000.0
"""A side shorter than this has no room for two markers; a longer one has no camera."""
MOST_PLAYERS = 26

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*[xX*\u00d7]\s*(\d+(?:\.\d+)?)\s*(?:mm)?\s*")


if TYPE_CHECKING:
    _SizeType = click.ParamType[tuple[float, float]]
    _NamesType = click.ParamType[tuple[str, ...]]
else:
    # Older releases of click have no generic types.
    _SizeType = _NamesType = click.ParamType


def parse_table_size(text: str) -> tuple[float, float]:
    """Width and height in mm of text such as `700x420`. Raises BadInputError."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise BadInputError(f"table size {text!r}: must be width x height in mm, such as 700x420")
    width, height = float(match[1]), float(match[2])
    for name, side in (("width", width), ("height", height)):
        if not SMALLEST_MM <= side <= LARGEST_MM:
            raise BadInputError(
                f"table size {text!r}: the {name} must be {SMALLEST_MM:g} to {LARGEST_MM:g} mm "
                "(measured between the markers' outer corners)"
            )
    return width, height


def parse_players(text: str) -> tuple[str, ...]:
    """Seats in clockwise order of text such as `A,B,C`. Raises BadInputError."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise BadInputError(f"players {text!r}: a name is empty; give names with commas between, such as A,B,C")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInputError(f"players {text!r}: {twice} is there twice; every player needs a name of their own")
    if len(names) > MOST_PLAYERS:
        raise BadInputError(f"players: {len(names)} are too many; at most {MOST_PLAYERS}")
    return names


class TableSize(_SizeType):
    """Width x height of the table rectangle, mm; gives a pair of floats."""

    name = "WxH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        if isinstance(value, tuple):
            return value
        try:
            return parse_table_size(str(value))
        except BadInputError as error:
            self.fail(str(error), param, ctx)


class PointMm(_SizeType):
    """A point of the table, mm from its top left corner; gives a pair of floats."""

    name = "X,Y"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        if isinstance(value, tuple):
            return value
        parts = str(value).split(",")
        try:
            point = [float(part) for part in parts]
        except ValueError:
            point = []
        if len(point) != 2 or not all(math.isfinite(part) for part in point):
            self.fail(f"{value!r}: must be x,y in mm, such as 210,125", param, ctx)
        return point[0], point[1]


class Players(_NamesType):
    """Names with commas between, in clockwise order; gives a tuple of names."""

    name = "A,B,C"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return parse_players(str(value))
        except BadInputError as error:
            self.fail(str(error), param, ctx)


table_option = click.option(
    "--table",
    "table_mm",
    type=TableSize(),
    required=True,
    help="Size of the table rectangle in mm, between the markers' outer corners: 700x420.",
)
players_option = click.option(
    "--players",
    type=Players(),
    required=True,
    help="The seats' names in clockwise order; the first leads or starts unless --lead says otherwise.",
)
game_option = click.option("--game", type=click.Choice(GAMES), required=True, help="The game that is played.")
deck_option = click.option(
    "--deck",
    "decks",
    multiple=True,
    metavar="NAME|DIR",
    help="An enrolled deck's name, or a directory of scans. May be given several times.",
)
layout_option = click.option(
    "--layout",
    type=click.Path(path_type=Path),
    help="TOML file with the [zones] of the table: name = [x, y, width, height] in mm.",
)
profile_option = click.option(
    "--profile",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Profile of camera and table. Usually the one in this user's settings; HOSHIBAN_CONFIG names another.",
)

"""A game as JSON Lines for machines: the first line is its start, each further line a step; the same bytes for the same game."""

from __future__ import annotations

from companion.errors import BadInputError
from companion.games.codec import Json
from companion.games.reading import is_tag
from companion.games.start import edition_of, start_json, start_of
from companion.games.steps import Act, step_json, step_of
from companion.games.written import Written
from companion.journal.events import canonical, parse_json

FORMAT = "hoshiban-acts"
VERSION = 1


def write_lines(game: Written) -> str:
    """The whole game, a line a step in canonical JSON. An act has its number as `n`."""
    first = {"format": FORMAT, "version": VERSION, "tags": game.tags, **start_json(game.start)}
    lines = [canonical(first)]
    acts = 0
    for step in game.steps:
        payload = step_json(step, game.start.book.facts)
        if isinstance(step, Act):
            acts += 1
            payload = {**payload, "n": acts}
        lines.append(canonical(payload))
    return "\n".join(lines) + "\n"


def read_lines(text: str, name: str = "the game") -> tuple[Written, tuple[str, ...]]:
    """A game, and a warning for each thing that it was written with and that is another now.

    Raises BadInputError naming file, line and field.
    """
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise BadInputError(f"{name}, line 1: the file is empty, no game")
    try:
        header = _object(lines[0])
        if header.get("format") != FORMAT or header.get("version") != VERSION:
            hint = "; hoshiban log export --as acts writes one" if header.get("format") == "hoshiban-game" else ""
            raise BadInputError(f"it is no game of the format {FORMAT}, version {VERSION}{hint}")
        tags = header.get("tags", {})
        if not isinstance(tags, dict) or not all(isinstance(value, str) for value in tags.values()):
            raise BadInputError("`tags` must be texts by name")
        for key, value in tags.items():
            if not is_tag(key, value):
                raise BadInputError(
                    f'`tags`: {key!r} must be a heading such as "Place", and its text a line of its own'
                )
        game = Written(start_of(header), tags)
    except BadInputError as error:
        raise BadInputError(f"{name}, line 1: {error}") from None
    for number, line in enumerate(lines[1:], 2):
        try:
            game.take(step_of(_object(line), game.start.book.facts))
        except BadInputError as error:
            raise BadInputError(f"{name}, line {number}: {error}") from None
    written = edition_of(header)
    other = written.differs(game.start.edition) if written is not None else ()
    warning = f"{name}: it was written with other {' and '.join(other)} than this program has now"
    return game, (warning,) if other else ()


def _object(line: str) -> dict[str, Json]:
    try:
        value = parse_json(line)
    except ValueError as error:
        raise BadInputError(f"it is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadInputError("it is no JSON object")
    return value

"""Written games as files: either form is read, by what the file holds."""

from __future__ import annotations

from pathlib import Path

from companion.errors import BadInputError
from companion.games.lines import read_lines
from companion.games.reading import LONGEST_TEXT, Reading, read_game


def load_game(path: Path) -> Reading:
    """A game in words or as JSON Lines. Raises BadInputError naming file, line and what can't be read."""
    try:
        if path.stat().st_size > 4 * LONGEST_TEXT:
            raise BadInputError(f"{path}: is too long for a game")
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise BadInputError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    return parse_game(text, str(path))


def parse_game(text: str, name: str) -> Reading:
    """As `load_game`, from a text."""
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return Reading(*read_lines(text, name))
    return read_game(text, name)

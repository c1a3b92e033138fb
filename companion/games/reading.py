"""Reads a game in words, from whatever people make of the notation.

Taken as they come: any case, more or fewer spaces, numbers of acts or none, bullets, several acts in a line with semicolons
between them, headings (a line that ends in a colon), empty lines, Windows line ends, a byte order mark. `#` begins a remark
that is kept. A correction names an act by the number that stands before it in the file, or by its place where none does.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import msgspec

from companion.decks import builtin_deck
from companion.errors import BadInputError
from companion.games.book import GAMES, book_of
from companion.games.deck_lines import card_told, changed_card, is_card_line
from companion.games.notation import EDITION, TITLE, VERSION, finding_words, outcome_words
from companion.games.saying import LONGEST_LINE, read_step
from companion.games.start import Edition, Start, house_of
from companion.games.steps import Act, Correct, Remark, Step, TakeBack, Undo
from companion.games.words import QUOTED, unquoted
from companion.games.written import Written
from companion.rules.cards import CardData
from companion.rules.penalties import HouseRule

LONGEST_TEXT = 20_000_000
"""Characters of a whole game."""
_NUMBERED = re.compile(r"(?:(\d{1,9})\s*[.):]|[-*•])\s*(?=\S)")
_HEADER = re.compile(r"([^\W\d][\w -]{0,40}?)\s*:\s*(\S.*)")
_TAKEN = frozenset({"game", "players", "seats", "leads", "lead", "setting", "house", "edition", "card"})
"""Headings that have a meaning of their own."""
_PIECES = re.compile(rf'(?:{QUOTED}|[^;#"]|"(?![^"]*"))+|;|#.*')


class NotationError(BadInputError):
    """A line that can't be read."""

    def __init__(self, name: str, line: int, text: str) -> None:
        super().__init__(f"{name}, line {line}: {text}")
        self.line = line
        """1-based."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A game as it was read."""

    game: Written
    warnings: tuple[str, ...]
    """Where the text says otherwise than the rules do now, a line each."""


@dataclass(slots=True)
class _Header:
    """What stands before the first act."""

    game: str = ""
    seats: tuple[str, ...] = ()
    lead: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    house: list[HouseRule] = field(default_factory=list)
    cards: dict[str, CardData | None] = field(default_factory=dict)
    """Cards that are not as in the built-in deck; None for those that are not there."""
    tags: dict[str, str] = field(default_factory=dict)
    edition: Edition | None = None


def read_game(text: str, name: str = "the game") -> Reading:
    """A game from its text. Raises NotationError naming file, line and what can't be read."""
    if len(text) > LONGEST_TEXT:
        raise NotationError(name, 1, "the text is too long for a game")
    lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
    header = _Header()
    place = _read_header(lines, header, name)
    _read_cards(lines, header, name)
    return _Body(_start(header, name, place), header, name).read(lines, place)


def _read_header(lines: list[str], header: _Header, name: str) -> int:
    """Takes the lines before the first act. Returns the place of the first that is none of the header's, 0-based."""
    for place, line in enumerate(lines):
        words = line.strip()
        if not words or words.casefold().startswith(TITLE.casefold()):
            _check_version(words, name, place + 1)
            continue
        found = _HEADER.fullmatch(words)
        if found is None or words.startswith("#"):
            return place
        if is_card_line(words):
            continue
        try:
            _take_header(header, found[1], found[2])
        except (BadInputError, ValueError) as error:
            raise NotationError(name, place + 1, f"{found[1]}: {error}") from None
    return len(lines)


def _read_cards(lines: list[str], header: _Header, name: str) -> None:
    """Takes the lines that tell of cards, wherever they stand."""
    usual = builtin_deck(header.game).cards if header.game in GAMES else {}
    for place, line in enumerate(lines):
        if not is_card_line(line):
            continue
        try:
            card, told = card_told(line)
            changes = None if told.casefold() == "none" else _object(told, '{"name":["Sun","user"]}')
            header.cards[card] = None if changes is None else changed_card(card, changes, usual.get(card))
        except BadInputError as error:
            raise NotationError(name, place + 1, f"Card: {error}") from None


def is_tag(key: str, text: str) -> bool:
    """Whether a heading of the writer's own, and its text, can stand in the notation as they are."""
    found = _HEADER.fullmatch(f"{key}: {text}")
    own = key.casefold() not in _TAKEN and found is not None and found[1] == key
    return own and text.isprintable() and text == text.strip() and not key.casefold().startswith(TITLE.casefold())


def _check_version(words: str, name: str, line: int) -> None:
    version = words[len(TITLE) :].strip()
    if words and version and version != str(VERSION):
        raise NotationError(name, line, f"the notation's version is {version!r}; this program reads {VERSION}")


def _take_header(header: _Header, key: str, value: str) -> None:
    match key.casefold():
        case "game":
            header.game = re.sub(r"[\s_]+", "-", value.casefold())
        case "players" | "seats":
            header.seats = _names(value)
        case "leads" | "lead":
            header.lead = unquoted(value) if value.startswith('"') else value
        case "setting":
            setting, _, told = value.partition("=")
            header.settings[setting.strip()] = _scalar(told.strip())
        case "house":
            header.house.append(house_of(_object(value, '{"penalty":"warning"}')))
        case "edition":
            header.edition = msgspec.convert(_object(value, '{"rules":"..."}'), Edition)
        case _:
            header.tags[key] = value


def _names(value: str) -> tuple[str, ...]:
    found = re.findall(rf"{QUOTED}|[^,]+", value)
    return tuple(unquoted(one.strip()) if one.strip().startswith('"') else one.strip() for one in found if one.strip())


def _scalar(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _object(text: str, such_as: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadInputError(f"must be a JSON object, such as {such_as}")
    return value


def _start(header: _Header, name: str, place: int) -> Start:
    """Raises NotationError where the header makes no game."""
    try:
        if not header.game or not header.seats:
            missing = "Players" if header.game else "Game"
            raise BadInputError(
                f"{missing} is missing: a game begins with lines such as 'Game: hoshizora' and 'Players: A, B, C'"
            )
        book_of(header.game)
        changed = header.cards
        usual = builtin_deck(header.game).cards
        cards = {card: data for card, data in {**usual, **changed}.items() if data is not None}
        lead = header.lead if header.lead is not None else header.seats[0]
        return Start(header.game, header.seats, lead, cards, header.settings, tuple(header.house))
    except BadInputError as error:
        raise NotationError(name, max(place, 1), str(error)) from None


class _Body:
    """The acts, from the first on."""

    def __init__(self, start: Start, header: _Header, name: str) -> None:
        self._name = name
        self._game = Written(start, header.tags)
        self._numbers: dict[int, int] = {}
        """Number in the file to the act's own, where they were told."""
        self._warnings: list[str] = []
        self._found = 0
        """How many findings of the file were compared."""
        if header.edition is not None and (other := header.edition.differs(start.edition)):
            self._warnings.append(
                f"{name}: {EDITION}: it was written with other {' and '.join(other)} than this program has now"
            )

    def read(self, lines: list[str], first: int) -> Reading:
        for place in range(first, len(lines)):
            words = lines[place].strip()
            try:
                self._line(words, place + 1)
            except NotationError:
                raise
            except BadInputError as error:
                raise NotationError(self._name, place + 1, str(error)) from None
        return Reading(self._game, tuple(self._warnings))

    def _line(self, words: str, line: int) -> None:
        if len(words) > LONGEST_LINE:
            raise BadInputError("the line is too long for an act")
        if words.startswith("!"):
            self._compare_finding(words.removeprefix("!").strip(), line)
        elif words.startswith("="):
            self._compare(words.removeprefix("=").strip(), outcome_words(self._game.ledger.outcome()), line)
        elif words and not _is_heading(words) and not is_card_line(words):
            self._steps(words)

    def _steps(self, words: str) -> None:
        """The acts and remarks of a line."""
        for piece in _PIECES.findall(words):
            said = piece.strip()
            if said.startswith("#"):
                self._game.take(Remark(said.removeprefix("#").strip()))
            elif said and said != ";":
                self._step(said)

    def _step(self, said: str) -> None:
        number = None
        if (found := _NUMBERED.match(said)) is not None:
            number = None if found[1] is None else int(found[1])
            said = said[found.end() :]
        step = self._named(read_step(self._game.start, said))
        if number is not None and number in self._numbers and isinstance(step, Act):
            raise BadInputError(f"there are two acts with the number {number}")
        self._game.take(step)
        if isinstance(step, Act):
            self._numbers[self._game.acts if number is None else number] = self._game.acts

    def _named(self, step: Step) -> Step:
        """The step with the act's own number where it named one by the file's."""
        match step:
            case Undo(number):
                return Undo(self._numbers.get(number, number))
            case TakeBack(number):
                return TakeBack(self._numbers.get(number, number))
            case Correct(number, fact):
                return Correct(self._numbers.get(number, number), fact)
            case _:
                return step

    def _compare_finding(self, said: str, line: int) -> None:
        """Lines on what became of findings say nothing that is not told elsewhere."""
        if re.match(r"F\d+ is ", said):
            return
        known = self._game.known
        now = finding_words(self._found + 1, known[self._found][0]) if self._found < len(known) else "nothing"
        self._found += 1
        self._compare(said, now, line)

    def _compare(self, said: str, now: str, line: int) -> None:
        if " ".join(said.split()) != " ".join(now.split()):
            self._warnings.append(f"{self._name}, line {line}: it says {said!r}, the rules say {now!r}")


def _is_heading(words: str) -> bool:
    return words.endswith(":") and '"' not in words and not words.startswith("#")

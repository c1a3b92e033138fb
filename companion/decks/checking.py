"""Everything that is wrong with a deck, or that its owners should look at, each with its line."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from companion.decks.deck import scan_ids, text_of
from companion.decks.forms import FORMS, TOLD, spoken_of
from companion.decks.lines import Path as Way
from companion.decks.lines import key_lines, line_of
from companion.decks.places import DeckPlace
from companion.decks.reading import Fault, Reading, read_deck
from companion.errors import BadInputError
from companion.rules.card_fields import CardForm, shown, shown_path
from companion.rules.cards import CardData, Provenance


class Level(StrEnum):
    """How bad a problem is."""

    ERROR = "error"
    """No game can be set up with the deck."""
    WARNING = "warning"
    """Worth a look; the deck can be played with."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a deck, with what is needed to find it."""

    deck: str
    file: str
    line: int | None
    """1-based; None where it lies in no line of the file."""
    card: str | None
    field: str | None
    level: Level
    text: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        mark = "warning: " if self.level is Level.WARNING else ""
        parts = ["card", shown_path((self.card,))] if self.card is not None else []
        what = ".".join([*parts, *([self.field] if self.field else [])])
        return f"{place}: {mark}{f'{what}: ' if what else ''}{self.text}"


def check_deck(place: DeckPlace, game: str | None = None) -> tuple[Problem, ...]:
    """All problems of a deck, file by file and by line. `game` where a deck for that game is wanted.

    Raises BadInputError where it has no data to check or the data can't be read at all.
    """
    if not place.files:
        raise BadInputError(
            f"{place.directory}: holds no deck.toml to check; hoshiban decks new {place.directory} --game GAME writes one"
        )
    return tuple(problem for file in place.files for problem in _check_file(place, file, game))


def _check_file(place: DeckPlace, file: Path, game: str | None) -> Iterator[Problem]:
    try:
        text = text_of(file.read_bytes())
    except OSError as error:
        raise BadInputError(f"{file}: can't be read ({error.strerror})") from None
    if isinstance(text, Fault):
        yield _problem(place, file, text, Level.ERROR)
        return
    reading = read_deck(text, game)
    found = [(fault, Level.ERROR) for fault in reading.faults]
    if reading.game is not None:
        lines = key_lines(text)
        scans = () if place.directory is None else scan_ids(place.directory)
        told = [*_warnings(reading, reading.game), *_scan_warnings(reading, scans)]
        found += [(Fault(way, said, line_of(lines, way)), Level.WARNING) for way, said in told]
    for fault, level in sorted(found, key=lambda each: each[0].line):
        yield _problem(place, file, fault, level)


def _problem(place: DeckPlace, file: Path, fault: Fault, level: Level) -> Problem:
    return Problem(place.name, str(file), fault.line, fault.card, fault.field, level, fault.text)


_Told = tuple[Way, str]


def _warnings(reading: Reading, game: str) -> Iterator[_Told]:
    deck = FORMS[game]
    for card, data in reading.cards.items():
        form = deck.form_of(data)
        if form is None:
            continue
        yield from _unknown_fields(game, card, data, form)
        yield from _inferred(card, data)
        if game in TOLD and not TOLD[game](data):
            yield ("card", card), "what it does is not entered: it will be read aloud, and a person tells what happened"
    for form in deck.forms:
        have = sum(data.copies for data in reading.cards.values() if deck.form_of(data) is form)
        if form.in_box is not None and not form.once and have != form.in_box and (have or not deck.apart):
            text = f"the rulebook's deck has {form.in_box} cards of kind {form.kind}, this one {have}; see copies"
            yield ("card",), text


def _unknown_fields(game: str, card: str, data: CardData, form: CardForm) -> Iterator[_Told]:
    deck = FORMS[game]
    known = [info.name for info in deck.fields_of(form)]
    for name in data.fields:
        if name in known or name in spoken_of(game, data):
            continue
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}" if known else "it has no fields"
        kind = f"cards of kind {form.kind}" if form.kind else "the cards"
        yield ("card", card, name), f"means nothing to {kind} in {game}; {hint}"


def _inferred(card: str, data: CardData) -> Iterator[_Told]:
    by = {name: (field.source, field.value) for name, field in data.fields.items()}
    for name, (source, value) in by.items():
        if source is Provenance.INFERRED:
            yield ("card", card, name), f"{shown(value)} is inferred, not read off a card; look at yours"
    if data.copies_source is Provenance.INFERRED:
        yield ("card", card, "copies"), f"{data.copies} is inferred, not counted; count yours"


def _scan_warnings(reading: Reading, scans: Sequence[str]) -> Iterator[_Told]:
    """Scans without data and data without scans, in a directory that holds scans."""
    if not scans:
        return
    for card in reading.cards:
        if card not in scans:
            yield ("card", card), f"has no scan; add {card}.png, or the camera can't tell the card"
    for card in scans:
        if card not in reading.cards:
            yield ("card", card), f"there is a scan of it and no data; add [card.{card}], or take the scan away"

"""`hoshiban decks`: the cards of a deck: what is known of them and by whom, what is wrong, and entering one's own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from companion.commands.deck_sheets import print_sheets
from companion.commands.deck_words import (
    card_lines,
    choice_lines,
    effect_lines,
    entry_lines,
    field_lines,
    problem_lines,
    say,
    value_text,
)
from companion.commands.options import GAMES
from companion.decks.checking import Level, Problem, check_deck
from companion.decks.deck import DECK_FILE, SCANS, builtin_deck, read_text, scan_ids
from companion.decks.editing import Edit, edited, read_value, replace_file
from companion.decks.forms import EFFECTS, FORMS, spoken_of
from companion.decks.places import DeckPlace, Kind, find_deck, known_decks
from companion.decks.reading import Reading, read_deck
from companion.decks.template import deck_text, numbered_ids
from companion.errors import BadInputError
from companion.rules.card_fields import EffectWord, FieldInfo, FieldKind
from companion.rules.cards import CardData, Provenance

game_option = click.option("--game", type=click.Choice(GAMES), help="The game, where the deck doesn't say.")
json_option = click.option("--json", "want_json", is_flag=True, help="JSON Lines on a terminal too.")


@click.group()
def decks() -> None:
    """Cards of a deck: what is known of them, what is wrong, entering your own."""


decks.add_command(print_sheets)


@decks.command("list")
@json_option
def list_decks(want_json: bool) -> None:
    """Lists the built-in and the enrolled decks."""
    for place in known_decks():
        line = _deck_line(place)
        _emit(line, want_json)
        scans = f", {line['scans']} scans" if line["scans"] else ""
        what = line.get("error") or f"{line['game'] or 'game not told'}, {line['cards']} cards{scans}"
        say(f"{place.name}  ({place.kind})  {what}")


def _deck_line(place: DeckPlace) -> dict[str, Any]:
    line: dict[str, Any] = {"deck": place.name, "kind": place.kind.value, "game": None, "cards": 0}
    line["scans"] = 0 if place.directory is None else len(scan_ids(place.directory))
    line["files"] = [str(file) for file in place.files]
    line["directory"] = None if place.directory is None else str(place.directory)
    if not place.files:
        return {**line, "cards": line["scans"]}
    try:
        deck = place.load()
    except BadInputError as error:
        return {**line, "error": str(error)}
    return {**line, "game": deck.game, "cards": len(deck.cards)}


@decks.command()
@click.argument("deck")
@click.argument("card", required=False)
@game_option
@json_option
def show(deck: str, card: str | None, game: str | None, want_json: bool) -> None:
    """Shows the cards of DECK (a directory, a deck.toml, an enrolled deck's name or a game's id), or only CARD."""
    place = find_deck(deck)
    loaded = place.load(game)
    if card is not None and card not in loaded.cards:
        raise BadInputError(f"deck {deck}: has no card {card}; there are {', '.join(loaded.cards)}")
    chosen = loaded.cards.values() if card is None else [loaded.cards[card]]
    if card is None:
        say(f"{loaded.name} ({place.kind})")
        say(f"{loaded.game}, {len(loaded.cards)} cards")
    for data in chosen:
        _emit(_card_line(loaded.name, data), want_json)
        if card is None:
            say()
        for line in card_lines(data):
            say(line)


def _card_line(deck: str, data: CardData) -> dict[str, Any]:
    fields = {name: {"value": field.value, "source": field.source.value} for name, field in data.fields.items()}
    by = None if data.copies_source is None else data.copies_source.value
    return {"deck": deck, "card": data.id, "copies": data.copies, "copies_source": by, "fields": fields}


@decks.command()
@click.argument("where", nargs=-1, required=True, metavar="DECK...")
@game_option
@click.option("--errors", "errors_only", is_flag=True, help="Leave the warnings out.")
@json_option
def check(where: tuple[str, ...], game: str | None, errors_only: bool, want_json: bool) -> None:
    """Checks each DECK: all problems, a line each with file, line and field. Exit 1 if there is an error."""
    places = [find_deck(deck) for deck in where]
    errors = 0
    for place in places:
        problems = check_deck(place, game)
        for problem in problems:
            if errors_only and problem.level is not Level.ERROR:
                continue
            _emit(_problem_line(problem), want_json)
            say(problem_lines(problem))
        bad = sum(problem.level is Level.ERROR for problem in problems)
        errors += bad
        say(f"{place.name}: {_counted(bad, 'error')}, {_counted(len(problems) - bad, 'warning')}")
    if errors:
        raise click.exceptions.Exit(1)


def _problem_line(problem: Problem) -> dict[str, Any]:
    return {**asdict(problem), "level": problem.level.value}


@decks.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--game", type=click.Choice(GAMES), required=True, help="The game whose cards they are.")
@click.option("--from-builtin", is_flag=True, help="Write out what the built-in deck knows, with who says so.")
@click.option("--cards", type=click.IntRange(1, 999), help="So many cards without scans: card-01, card-02, ...")
@click.option(
    "--scans", "need_scans", is_flag=True, help="Only for the scans in DIRECTORY; it is an error if there are none."
)
def new(directory: Path, game: str, from_builtin: bool, cards: int | None, need_scans: bool) -> None:
    """Writes a deck.toml to fill in to DIRECTORY.

    The cards are those of the scans in DIRECTORY; without scans, those of the built-in deck.
    """
    if cards is not None and (need_scans or from_builtin):
        raise BadInputError(
            "--cards: numbers cards of which nothing is there, so it goes with neither --scans nor --from-builtin"
        )
    file = directory / DECK_FILE
    known = builtin_deck(game).cards
    ids = numbered_ids(cards) if cards is not None else _ids(directory, known, need_scans)
    _write_new(file, deck_text(game, ids, known, filled=from_builtin))
    reading = read_deck(read_text(file))
    missing = len(reading.faults)
    _emit({"file": str(file), "game": game, "cards": len(ids), "errors": missing}, False)
    todo = f"; {_counted(missing, 'error')} until it is filled in" if missing else ""
    say(f"{file}: {_counted(len(ids), 'card')}{todo} (hoshiban decks check {directory})")


def _ids(directory: Path, known: Iterable[str], need_scans: bool) -> tuple[str, ...]:
    scans = scan_ids(directory) if directory.is_dir() else ()
    if need_scans and not scans:
        raise BadInputError(f"{directory}: holds no scans of cards (files that end in {', '.join(SCANS)})")
    return scans or tuple(known)


def _write_new(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8", newline="") as fresh:
            fresh.write(text)
    except FileExistsError:
        raise BadInputError(
            f"{file}: is there already and is not overwritten; hoshiban decks edit changes it, or move it away first"
        ) from None
    except OSError as error:
        raise BadInputError(f"{file}: can't be written ({error.strerror})") from None


@decks.command()
@click.argument("where", metavar="DIR")
@click.argument("card")
@click.argument("assignments", nargs=-1, metavar="[FIELD=VALUE]...")
@click.option("--unset", multiple=True, metavar="FIELD", help="Take a field away. May be given several times.")
@click.option(
    "--source",
    type=click.Choice([source.value for source in Provenance]),
    default=Provenance.USER.value,
    show_default=True,
    help="Who says the values.",
)
@click.option("--add", is_flag=True, help="The card may be a new one.")
@click.option("--anyway", is_flag=True, help="Write it even if the deck then has errors that it had not before.")
def edit(
    where: str, card: str, assignments: tuple[str, ...], unset: tuple[str, ...], source: str, add: bool, anyway: bool
) -> None:
    """Changes fields of CARD in the deck.toml of DIR and leaves the rest of the file as it was.

    Texts need no quotes, lists take commas, effects are TOML tables: effects='[{ do = "stones", amount = 2 }]'. With no field on
    a terminal it asks field by field; Enter keeps what is there.
    """
    file = _file_of(find_deck(where))
    text = read_text(file)
    reading = read_deck(text)
    if assignments or unset:
        wanted = _assigned(assignments, unset, card, reading)
    elif sys.stdin.isatty():
        wanted = _asked(card, reading, add)
    else:
        raise click.UsageError("give FIELD=VALUE or --unset FIELD; without them it asks, which needs a terminal")
    values, gone = wanted
    try:
        result = edited(text, Edit(card, values, gone, Provenance(source), add))
    except BadInputError as error:
        raise BadInputError(f"{file}: {error}") from None
    if result.fresh and not anyway:
        first, more = result.fresh[0], len(result.fresh) - 1
        rest = f" (and {more} more)" if more else ""
        raise BadInputError(f"{file}: {first}{rest}; nothing was written, --anyway writes it all the same")
    if result.text != text:
        replace_file(file, text, result.text)
    left = result.left + len(result.fresh)
    line = {
        "file": str(file),
        "card": card,
        "changed": result.text != text,
        "set": sorted(values),
        "unset": sorted(gone),
    }
    _emit({**line, "source": source, "errors": left}, False)
    todo = f"; {_counted(left, 'error')} in the deck yet (hoshiban decks check {where})" if left else ""
    say(f"{file}: card.{card} {'is changed' if result.text != text else 'is as it was'}{todo}")


def _file_of(place: DeckPlace) -> Path:
    if place.kind is Kind.BUILT_IN:
        raise BadInputError(
            f"{place.name}: comes with the program and stays as it is; hoshiban decks new DIR --game {place.name} --from-builtin "
            "makes one to change"
        )
    if not place.files:
        raise BadInputError(
            f"{place.directory}: holds no {DECK_FILE}; hoshiban decks new {place.directory} --game GAME writes one"
        )
    return place.files[0]


_Wanted = tuple[dict[str, Any], tuple[str, ...]]
"""Values by field, and fields to take away."""


def _assigned(assignments: Iterable[str], unset: tuple[str, ...], card: str, reading: Reading) -> _Wanted:
    """What the words on the command line ask for. Raises BadInputError that names the field and what it can be."""
    pairs = []
    for word in assignments:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise BadInputError(f"{word}: must be FIELD=VALUE, such as name='Deneb'")
        pairs.append((name.strip(), value))
    kind = next((value.strip() for name, value in pairs if name == "kind"), None)
    infos = _fields(reading, card, kind)
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name.endswith("_source"):
            raise BadInputError(f"{name}: is set with --source, together with its field")
        if name in values or name in unset:
            raise BadInputError(f"{name}: is given twice")
        values[name] = read_value(infos.get(name), f"card.{card}.{name}", value)
    return values, unset


_SOURCE = FieldInfo(
    "source",
    FieldKind.CHOICE,
    "who says what no field's own source tells",
    '"user"',
    choices=tuple(Provenance),
    otherwise="what the deck's own source says, else user",
)


def _fields(reading: Reading, card: str, kind: str | None) -> Mapping[str, FieldInfo]:
    """The fields of a card by name; of all kinds of cards where its kind is not known."""
    if reading.game is None:
        return {}
    deck = FORMS[reading.game]
    form = next((form for form in deck.forms if form.kind == kind), None) if kind else None
    if form is None and card in reading.cards:
        form = deck.form_of(reading.cards[card])
    forms = deck.forms if form is None else (form,)
    infos = {info.name: info for form in forms for info in deck.fields_of(form)}
    icons = spoken_of(reading.game, reading.cards[card]) if card in reading.cards else {}
    return {**infos, **icons, "source": _SOURCE}


def _asked(card: str, reading: Reading, add: bool) -> _Wanted:
    """What a person answers, field by field."""
    if reading.game is None:
        raise BadInputError("game: the deck.toml doesn't say which game it is for; mend that first")
    if card not in reading.cards and not add:
        raise BadInputError(f"card.{card}: is not in the file; --add adds it. There are {', '.join(reading.cards)}")
    data = reading.cards.get(card, CardData(card))
    say(f"card.{card}: Enter keeps what is there, - takes a field away, Ctrl-C leaves everything as it was.")
    values: dict[str, Any] = {}
    gone: list[str] = []
    done: set[str] = set()
    while True:
        infos = _fields(reading, card, values.get("kind"))
        info = next((info for name, info in infos.items() if name not in done and name != "source"), None)
        if info is None:
            return values, tuple(gone)
        done.add(info.name)
        answer = _ask(info, data)
        if answer == "-":
            gone.append(info.name)
        elif answer is not None:
            values[info.name] = answer[0]


def _ask(info: FieldInfo, data: CardData) -> tuple[Any] | str | None:
    """The answer for a field in a tuple; "-" to take it away, None to keep it."""
    say()
    for line in (*field_lines(info), *choice_lines(info)):
        say(line)
    now = data.value(info.name)
    source = data.source(info.name)
    if info.name == "copies" and data.copies_source is not None:
        now, source = data.copies, data.copies_source
    shown = "not entered" if now is None else f"{value_text(now)} ({source})"
    while True:
        text = click.prompt(f"{info.name} [{shown}]", default="", show_default=False, err=True)
        if not text.strip():
            return None
        if text.strip() == "-":
            return "-" if now is not None else None
        try:
            return (read_value(info, info.name, text),)
        except BadInputError as error:
            say(str(error))


@decks.command()
@click.option("--game", type=click.Choice(list(EFFECTS)), required=True, help="A game whose cards have effects.")
@json_option
def effects(game: str, want_json: bool) -> None:
    """Lists the effect vocabulary: each word, its entries, what it means and an example."""
    for word in EFFECTS[game]:
        _emit({"game": game, **_effect_line(word)}, want_json)
        for line in effect_lines(word):
            say(line)
        say()
    for line in entry_lines(EFFECTS[game]):
        say(line)


def _effect_line(word: EffectWord) -> dict[str, Any]:
    entries = [
        {
            "name": info.name,
            "meaning": info.meaning,
            "values": info.values,
            "needed": info.needed,
            "otherwise": info.otherwise or None,
            "choices": list(info.choices) or None,
            "choice_meanings": None if info.choice_meanings is None else dict(info.choice_meanings),
            "least": info.least,
            "most": info.most,
        }
        for info in word.entries
    ]
    lines = [{name: value for name, value in entry.items() if value is not None} for entry in entries]
    return {"effect": word.word, "meaning": word.meaning, "entries": lines, "example": word.example}


def _emit(line: Mapping[str, Any], want_json: bool) -> None:
    """A line for machines, unless a person sits before stdout, who is told in words."""
    if want_json or not sys.stdout.isatty():
        click.echo(json.dumps(line, ensure_ascii=False))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"

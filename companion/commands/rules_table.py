"""`hoshiban rules play|explain|hindsight|convert|acts`: a game by its rules alone, told in words, with no table and no camera."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.adjudicator.kit import outcome_event
from companion.adjudicator.record import finding_json
from companion.commands.options import deck_option, parse_players
from companion.commands.table import house_option, lead_option, parse_settings, setting_option
from companion.decks import load_decks
from companion.errors import BadInputError
from companion.files import write_whole
from companion.games.book import GAMES, book_of
from companion.games.explain import Explanation, explain, explain_all
from companion.games.files import load_game
from companion.games.house import load_house
from companion.games.lines import write_lines
from companion.games.notation import finding_words, life_words, outcome_words, write_game
from companion.games.saying import choices, plain_template, read_step, step_text
from companion.games.start import Start, builtin_start
from companion.games.steps import PHRASES, Act, Remark, Step, Undo
from companion.games.written import NumberedFinding, Written
from companion.rules.ledger import Life
from companion.rules.penalties import PUNISHABLE

if TYPE_CHECKING:
    from companion.rules.ahuha import Hindsight

Say = Mapping[str, Any]
HELP = """Say what happens, an act a line, as `acts` lists them; or one of these:
  undo [N]          act N (or the last) was written down wrongly
  take back N       the player took act N back, with the table's leave
  correct N: ACT    act N was another one
  ruling fN upheld|dismissed [costs warning|points|game] [of POINTS] [by NAME] [because "..."]
  winners A, B      the referee says who has won
  explain fN        why a finding was made
  expect            who may or must do what now
  show              the game so far        save FILE   keeps it (.jsonl: for machines)
  acts              all that can happen    quit        or Ctrl-D"""


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--game", type=click.Choice(GAMES), help="The game to begin; a FILE says its own.")
@click.option("--players", help="The seats' names in clockwise order, such as A,B,C.")
@lead_option
@deck_option
@setting_option
@house_option
@click.option("--save", type=click.Path(path_type=Path, dir_okay=False), help="Writes the game there at the end.")
def play(
    file: Path | None,
    game: str | None,
    players: str | None,
    lead: str | None,
    decks: tuple[str, ...],
    settings: tuple[str, ...],
    house: Path | None,
    save: Path | None,
) -> None:
    """Plays a game by its rules, told in words: an act a line from the terminal or standard input.

    Each act is judged at once. On a terminal people's words are shown; otherwise there is one JSON line an event on stdout. With
    FILE, a game in words or JSON Lines, it goes on with that.
    """
    written = _opened(file, game, players, lead, decks, parse_settings(settings), house)
    table = _Table(written, interactive=_is_terminal())
    table.begin()
    for line, said in enumerate(_said(table), 1):
        try:
            if not table.take(said):
                break
        except BadInputError as error:
            if not table.interactive:
                if save is not None:
                    _save(written, save)
                kept = f"; what went before it is kept in {save}" if save is not None else ""
                raise BadInputError(f"standard input, line {line}: {error}{kept}") from None
            click.echo(str(error), err=True)
    table.end()
    if save is not None:
        _save(written, save)


@click.command("explain")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("finding", required=False)
def explain_command(file: Path, finding: str | None) -> None:
    """Explains the findings of FILE, a game in words or JSON Lines; or only FINDING, as F2.

    Exit 1 where something against the rules stands.
    """
    reading = load_game(file)
    _warn(reading.warnings)
    game = reading.game
    chosen = explain_all(game) if finding is None else (explain(game, _finding_number(finding)),)
    for one in chosen:
        click.echo(json.dumps(asdict(one), ensure_ascii=False))
        click.echo(_explained(one), err=True)
    if not chosen:
        click.echo(f"{file}: nothing to find: {game.acts} acts, {outcome_words(game.ledger.outcome())}", err=True)
    standing = [one for one in game.findings() if one.life in (Life.CORRECTABLE, Life.ESTABLISHED)]
    if any(one.finding.level in PUNISHABLE for one in standing):
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--to", type=click.Choice(["words", "jsonl"]), default="words", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="A file; stdout without it.")
def convert(file: Path, to: str, output: Path | None) -> None:
    """Writes FILE, a game in words or JSON Lines, anew: in canonical words for people, or JSON Lines for machines."""
    reading = load_game(file)
    _warn(reading.warnings)
    text = write_game(reading.game) if to == "words" else write_lines(reading.game)
    if output is None:
        sys.stdout.write(text)
    else:
        _write(output, text)


@click.command()
@click.option("--game", required=True, type=click.Choice(GAMES), help="The game's id.")
def acts(game: str) -> None:
    """Lists what can happen in a game and how it is said, a JSON line each.

    Words in [ ] may be left out; `choices` holds what a part in capitals can be, where it is one of a few words.
    """
    book = book_of(game)
    kinds = {made: kind for kind, made in book.facts.kinds.items()}
    for phrase in book.phrases:
        said = [plain_template(template) for template in phrase.templates]
        line: Say = {"game": game, "act": kinds[phrase.made], "say": said, "choices": choices(phrase)}
        click.echo(json.dumps(line, ensure_ascii=False))


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--series", type=click.IntRange(1), help="Only this one; usually every series that is done.")
def hindsight(file: Path, series: int | None) -> None:
    """Looks back on the series of Ahuha Ahukaha in FILE: who held what when, which stars could have met.

    One JSON line a series; people's words on standard error.
    """
    from companion.rules.ahuha import hindsight as look_back

    reading = load_game(file)
    _warn(reading.warnings)
    start = reading.game.start
    if start.game != "ahuha":
        raise BadInputError(f"{file}: is a game of {start.book.title}; only Ahuha Ahukaha is looked back on")
    done = reading.game.ledger.state.done
    chosen = [record for record in done if series in (None, record.number)]
    if not chosen:
        wanted = "no series is done yet" if series is None else f"there is no series {series}; {len(done)} are done"
        raise BadInputError(f"{file}: {wanted}")
    for record in chosen:
        back = look_back(record, start.setup)
        click.echo(json.dumps({"series": record.number, **asdict(back)}, ensure_ascii=False))
        click.echo(_looked_back(record.number, back), err=True)


def _looked_back(number: int, back: Hindsight) -> str:
    lines = [f"Series {number}"]
    for round_number, held in enumerate(back.hands, 1):
        for seat, hand in held.items():
            perhaps = f"; perhaps {', '.join(hand.possible)}" if hand.possible else ""
            lines.append(f"  round {round_number}, {seat} held {', '.join(hand.sure) or 'nothing sure'}{perhaps}")
    for pair in back.could_have_met:
        rounds = ", ".join(map(str, pair.rounds))
        lines.append(f"  {pair.first} and {pair.second} could have met in round {rounds}")
    lines += [f"  round {when}: {first} and {second} ought to have met" for when, first, second in back.overlooked]
    return "\n".join(lines)


class _Table:
    """One game being told."""

    def __init__(self, game: Written, *, interactive: bool) -> None:
        self.game = game
        self.interactive = interactive
        self._outcome = game.ledger.outcome()

    def begin(self) -> None:
        start = self.game.start
        self._say(
            {"event": "start", "game": start.game, "seats": list(start.seats), "edition": start.edition.to_json()}
        )
        self._words(f"{start.book.title}: {', '.join(start.seats)}. Say what happens; `help` says how, Ctrl-D ends.")
        if self.interactive:
            self._expect()

    def take(self, said: str) -> bool:
        """Does what a line says. False where that is to end. Raises BadInputError."""
        first, _, rest = said.strip().partition(" ")
        match first.casefold():
            case "":
                pass
            case "quit" | "exit":
                return False
            case "help" | "?":
                click.echo(HELP, err=True)
            case "acts" | "expect" | "show" | "explain" | "save":
                self._show(first.casefold(), rest.strip())
            case "undo" if not rest.strip():
                self._undo()
            case _ if said.lstrip().startswith(("#", "!", "=")):
                self.game.take(Remark(said.lstrip().removeprefix("#").strip())) if said.lstrip()[0] == "#" else None
            case _:
                self._step(read_step(self.game.start, said))
        return True

    def end(self) -> None:
        for one in self.game.findings():
            self._words(life_words(one))
        self._words(outcome_words(self.game.ledger.outcome()))

    def _step(self, step: Step) -> None:
        game = self.game
        before = {one.number: one.life for one in game.findings()}
        game.told(step)
        number = {"n": game.acts} if isinstance(step, Act) else {}
        words = step_text(game.start, step)
        self._say({"event": "act" if number else "step", **number, "say": words})
        self._words(f"{game.acts}. {words}" if number else words)
        for one in game.findings():
            if one.number not in before:
                self._found(one)
            elif one.life is not before[one.number]:
                self._say({"event": "life", "finding": one.number, "life": one.life.value})
                self._words(f"   ! {life_words(one)}")
        outcome = game.ledger.outcome()
        if outcome != self._outcome and outcome is not None:
            self._say({**outcome_event(outcome), "points_off": game.ledger.points_off()})
            self._words(f"= {outcome_words(outcome)}")
        self._outcome = outcome
        if self.interactive:
            self._expect()

    def _undo(self) -> None:
        last = self.game.ledger.find(None)
        if last is None:
            raise BadInputError("there is nothing to undo yet")
        self._step(Undo(last.number))

    def _found(self, one: NumberedFinding) -> None:
        self._say({"event": "finding", "finding": one.number, **finding_json(one.finding), "life": one.life.value})
        self._words(f"   ! {finding_words(one.number, one.finding)}")

    def _show(self, what: str, rest: str) -> None:
        """Whatever is asked for and changes nothing."""
        match what:
            case "expect":
                self._expect()
            case "acts":
                for phrase in (*self.game.start.book.phrases, *PHRASES):
                    click.echo(f"  {plain_template(phrase.templates[0])}", err=True)
                    for name, values in choices(phrase).items():
                        click.echo(f"      {name}: {', '.join(values)}", err=True)
            case "show":
                click.echo(write_game(self.game), err=True)
            case "explain":
                chosen = (explain(self.game, _finding_number(rest)),) if rest else explain_all(self.game)
                for one in chosen:
                    click.echo(_explained(one), err=True)
                if not chosen:
                    click.echo("nothing to find so far", err=True)
            case _:
                if not rest:
                    raise BadInputError("save where? Give a file's name: save game.txt")
                _save(self.game, Path(rest))
                click.echo(f"saved in {rest}", err=True)

    def _expect(self) -> None:
        start = self.game.start
        for one in start.book.rules.expects(self.game.ledger.state):
            options = f" ({', '.join(one.options)})" if one.options else ""
            self._say({"event": "expectation", **asdict(one)})
            self._words(f"   {'now' if one.must else 'may'}: {one.text}{options}")

    def _say(self, event: Say) -> None:
        if not self.interactive:
            click.echo(json.dumps(event, ensure_ascii=False))

    def _words(self, text: str) -> None:
        if self.interactive:
            click.echo(text, err=True)


def _said(table: _Table) -> Iterator[str]:
    """The lines that are told, with a prompt on a terminal."""
    if not table.interactive:
        yield from (line.rstrip("\r\n") for line in sys.stdin)
        return
    import readline  # noqa: F401 - lines can be edited and called back

    while True:
        try:
            yield input(f"{table.game.acts + 1}> ")
        except (EOFError, KeyboardInterrupt):  # Ctrl-C ends the telling too: an evening's game is not thrown away
            click.echo(err=True)
            return


def _is_terminal() -> bool:
    return sys.stdin.isatty()


def _opened(
    file: Path | None,
    game: str | None,
    players: str | None,
    lead: str | None,
    decks: tuple[str, ...],
    settings: Mapping[str, Any],
    house: Path | None,
) -> Written:
    if file is not None:
        if game or players or lead or decks or settings or house:
            raise BadInputError(
                f"{file}: says its own game, players, cards and settings; give either it or the options"
            )
        reading = load_game(file)
        _warn(reading.warnings)
        return reading.game
    if game is None or players is None:
        raise BadInputError("say which --game and --players A,B,C, or name a FILE to go on with")
    seats = parse_players(players)
    lines = load_house(house) if house is not None else ()
    if not decks:
        return Written(builtin_start(game, seats, lead, settings, lines))
    return Written(Start(game, seats, lead or seats[0], load_decks(decks, game).cards, settings, lines))


def _finding_number(text: str) -> int:
    digits = text.strip().lstrip("fF")
    if not digits.isdecimal() or len(digits) > 9:
        raise BadInputError(f"{text!r} is no finding: they are called F1, F2 and so on")
    return int(digits)


def _explained(one: Explanation) -> str:
    lines = [
        f"F{one.number}  {one.text}",
        f"    level     {one.level}",
        f"    rule      {one.rule}",
        *(f"    evidence  {act}" for act in one.evidence),
        f"    came up   {one.act}",
        f"    now       {one.life}",
        f"    costs     {one.penalty}",
        *(f"    setting   {setting}" for setting in one.settings),
    ]
    return "\n".join(lines)


def _warn(warnings: tuple[str, ...]) -> None:
    for warning in warnings:
        click.echo(f"hoshiban: {warning}", err=True)


def _save(game: Written, path: Path) -> None:
    _write(path, write_lines(game) if path.suffix == ".jsonl" else write_game(game))


def _write(path: Path, text: str) -> None:
    write_whole(path, lambda stream: stream.write(text.encode("utf-8")))

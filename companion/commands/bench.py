"""`hoshiban bench cards` and `bench dice`: how well they are read, set by set; `bench pad`: how true a touch's time is;
`bench games` and `bench duels`: what becomes of whole games."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import cv2
from tqdm import tqdm

from companion.errors import BadInputError

if TYPE_CHECKING:
    from companion.bench.cards import Shot

SHARED = Path(__file__).resolve().parents[3] / "shared"
"""Beside the checkout."""
TAKEN = ("footage", "game")
SETS = (*TAKEN, "hard", "styles", "strangers", "steady")
MOVING = ("moving", "touched", "hands")
DICE_SETS = ("footage", "stills", "numbered", "odd", "photos", *MOVING)
CHANGES = 12
"""Of the steady table."""
TOUCHES = 400
REPORT_TOUCHES = 20


@click.group()
def bench() -> None:
    """Measure the eyes on pictures whose truth is known, and the pad on touches whose time is known."""


@bench.command()
@click.option(
    "--set",
    "sets",
    multiple=True,
    type=click.Choice(SETS),
    help="Which pictures; all unless told. May be given several times.",
)
@click.option("--pictures", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Of each drawn set.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same pictures.")
@click.option(
    "--shared",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder that holds footage/ and decks/; `shared` beside the checkout unless told.",
)
@click.option(
    "--misses",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write a cut-out of each card that was not read right.",
)
def cards(sets: tuple[str, ...], pictures: int, seed: int, shared: Path | None, misses: Path | None) -> None:
    """Show sets of pictures to the card reader and print a JSON line a set.

    Counted are cards at least half in sight: found at their place, named right, turned right (within 3 degrees and the
    right way up), face down told; then the same of cards between a third and a half in sight; wrong ids above the acting
    threshold; readings where no card lies; milliseconds of one thread a picture.

    \b
    footage    photorealistic tables (DIR/footage/cards)
    game       a whole game of them (DIR/footage/hoshizora-game-2)
    hard       drawn tables with sleeves, glare, hands, overlap, little light
    styles     decks of other styles on tidy tables
    strangers  pictures harmed beyond reading, and cards never shown before
    steady     21 cards that lie still, and what a change costs
    """
    cv2.setNumThreads(1)
    for name in _wanted(sets, shared):
        line = _steady(seed) if name == "steady" else _measured(name, pictures, seed, shared or SHARED, misses)
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def _wanted(sets: tuple[str, ...], shared: Path | None) -> list[str]:
    """The sets in their order. Raises BadInputError where the named folder is none."""
    folder = shared or SHARED
    if folder.is_dir():
        return [name for name in SETS if not sets or name in sets]
    if shared is not None or any(name in TAKEN for name in sets):
        raise BadInputError(f"--shared {folder}: no such folder; name the one that holds footage/ and decks/")
    if not sets:
        sys.stderr.write(f"{' and '.join(TAKEN)} left out: there is no {folder}; --shared names another folder\n")
    return [name for name in SETS if name not in TAKEN and (not sets or name in sets)]


def _measured(name: str, pictures: int, seed: int, shared: Path, misses: Path | None) -> dict[str, Any]:
    from companion.bench import drawn, strangers, taken
    from companion.bench.cards import measure
    from companion.bench.misses import MissFolder

    shots: dict[str, Callable[[], Iterator[Shot]]] = {
        "footage": lambda: taken.footage(shared),
        "game": lambda: taken.game(shared),
        "hard": lambda: drawn.hard(pictures, seed),
        "styles": lambda: drawn.styles(pictures, seed),
        "strangers": lambda: strangers.strangers(pictures, seed, shared if shared.is_dir() else None),
    }
    folder = MissFolder(misses, name) if misses is not None else None
    total = None if name in TAKEN else pictures
    # Only on a terminal: elsewhere stderr is for words.
    with tqdm(shots[name](), name, total, leave=False, unit="picture", disable=None) as shown:
        line = measure(iter(shown), on_misses=folder.keep if folder is not None else None).line(name)
    _tell(line)
    return line


def _tell(line: dict[str, Any]) -> None:
    third = line["third"]
    sys.stderr.write(
        f"{line['set']:9}  {line['pictures']} pictures, {line['cards']} cards: found {_percent(line['detection'])}, "
        f"named {_percent(line['identity'])}, turned right {_percent(line['orientation'])}, "
        f"face down {_percent(line['face_down'])}; wrong {line['wrong']}, turned wrong {line['turned']}, "
        f"invented {line['invented']}; {third['cards']} a third in sight: named {_percent(third['identity'])}; "
        f"{line['ms']} ms\n"
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f} %"


def _steady(seed: int) -> dict[str, Any]:
    from companion.bench.steady import TABLES, steady

    line = steady(CHANGES, seed)
    for table in TABLES:
        found = line[table]
        sys.stderr.write(
            f"steady     {table}: {found['cards']} cards: settled {found['settled'].get('median_ms', '-')} ms a frame, change "
            f"{found['change'].get('median_ms', '-')} ms, settle to told {found['settle_to_told'].get('median_ms', '-')} ms; "
            f"{found['right_after_changes']} of {found['shown_after_changes']} right, wrong {found['wrong']}\n"
        )
    return line


@bench.command()
@click.option(
    "--set",
    "sets",
    multiple=True,
    type=click.Choice(DICE_SETS),
    help="Which pictures; all unless told. May be given several times.",
)
@click.option("--pictures", type=click.IntRange(1, 100_000), default=300, show_default=True, help="Of each drawn set.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same pictures.")
@click.option(
    "--shared",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder that holds footage/ and photos/; `shared` beside the checkout unless told.",
)
def dice(sets: tuple[str, ...], pictures: int, seed: int, shared: Path | None) -> None:
    """Show sets of pictures to the dice reader and print a JSON line a set.

    Counted are dice whose top face is at least half in sight: found at their place, sides, top face, on which side of the
    string; wrong readings above the acting threshold; dice made up; milliseconds of one thread a die.

    \b
    footage   photorealistic Arenas (DIR/footage/dice)
    stills    drawn Arenas: other colours, symbols, strings, grounds and light
    numbered  drawn Arenas with numbered dice
    odd       empty, no loop, two loops, a third die, a die on the string, a die leaning on a hand
    photos    real numbered dice (DIR/photos/polyhedral-dice), read on harmed copies
    moving    films of throws that touch down around the string, seen by the tracker
    touched   films of dice that a hand pushes or takes up
    hands     films of two players' hands that strike, draw back, are raised or keep still
    """
    from companion.bench.dice import TAKEN as DICE_TAKEN
    from companion.bench.dice import measured

    cv2.setNumThreads(1)
    folder = shared or SHARED
    for name in sets or DICE_SETS:
        if name in DICE_TAKEN and not folder.is_dir():
            if shared is not None or sets:
                raise BadInputError(f"--shared {folder}: no such folder; name the one that holds footage/ and photos/")
            sys.stderr.write(f"{name} left out: there is no {folder}; --shared names another folder\n")
            continue
        if name in MOVING:
            _moving(name, pictures, seed)
            continue
        line = measured(name, pictures, seed, folder)
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
        sys.stderr.write(
            f"{name:9} {line['dice']} dice: found {_percent(line.get('found'))}, sides {_percent(line.get('sides'))}, top face "
            f"{_percent(line['top_face'])}, inside or outside {_percent(line.get('inside'))}; wrong {line['wrong']}, "
            f"invented {line.get('invented', 0)}; {line['ms_a_die']} ms a die\n"
        )


def _moving(name: str, films: int, seed: int) -> None:
    """A set's line, and the same for people: its figures as they stand in it."""
    from companion.bench.dice_moving import throws, touched
    from companion.bench.hands_moving import hands

    measure = {"moving": throws, "touched": touched, "hands": hands}[name]
    line = measure(films, seed) | {"set": name}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
    told = ", ".join(f"{key} {value}" for key, value in line.items() if key not in {"set", "misses"})
    sys.stderr.write(f"{name:9} {told}\n")


@bench.command()
@click.option("--game", default="shuhari", show_default=True, help="Which game is played on the virtual table.")
@click.option("--seeds", type=click.IntRange(1), default=20, show_default=True, help="How many games.")
@click.option("--first", type=click.IntRange(0), default=1, show_default=True, help="The first seed.")
@click.option(
    "--hard",
    is_flag=True,
    help="Untidy, dim, noisy, blurred and aslant, with hands in the way; people answer what is asked.",
)
@click.option("--revoke", is_flag=True, help="A player once does not play what the own hand obliges to.")
@click.option(
    "--mischief",
    type=click.IntRange(0, 500),
    default=0,
    show_default=True,
    help="How often in a thousand the players cheat, each in every way that the game has.",
)
@click.option("--greedy", is_flag=True, help="Players do what seems best at once, and not just anything.")
@click.option("--film", is_flag=True, help="See every picture of the film, not the settled moments alone.")
@click.option(
    "--deck", type=click.Path(exists=True, file_okay=False), help="Scans to play with instead of the proxies."
)
def games(
    game: str,
    seeds: int,
    first: int,
    hard: bool,
    revoke: bool,
    mischief: int,
    greedy: bool,
    film: bool,
    deck: str | None,
) -> None:
    """Play whole games through pictures, eyes and rules, and print a JSON line a game: is it the truth's?

    Exit 1 where a game came out otherwise than it was played.
    """
    from companion.bench.games import play, table_of

    if revoke and mischief:
        raise click.UsageError("--revoke and --mischief exclude each other")
    cv2.setNumThreads(1)
    right = True
    for seed in range(first, first + seeds):
        setting = "hard" if hard else "easy"
        table = table_of(game, seed, setting, revoke=revoke, mischief=mischief, greedy=greedy, deck=deck)
        tally = play(table, setting, film=film)
        right = right and tally.is_right
        click.echo(json.dumps(tally.to_json()))
    sys.exit(0 if right else 1)


@bench.command()
@click.option("--seeds", type=click.IntRange(1), default=100, show_default=True, help="How many games.")
@click.option("--first", type=click.IntRange(0), default=1, show_default=True, help="The first seed.")
@click.option("--sweep", is_flag=True, help="Sweep a symbol's coming and going past a touch instead.")
@click.option(
    "--repeats", type=click.IntRange(1), default=20, show_default=True, help="Touches at each distance of a sweep."
)
@click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), help="Where the sweep is drawn, as an SVG picture."
)
@click.option(
    "--film", type=click.IntRange(1), metavar="ROUNDS", help="Draw so many short rounds and show them to the trackers."
)
@click.option("--table", is_flag=True, help="Through the live desk, its rules and its journal, to the games' outcomes.")
@click.option(
    "--live",
    type=click.IntRange(1),
    metavar="TOUCHES",
    help="In real time, every process and picture: when a ruling comes.",
)
def duels(
    seeds: int,
    first: int,
    sweep: bool,
    repeats: int,
    plot: Path | None,
    film: int | None,
    table: bool,
    live: int | None,
) -> None:
    """Play whole games of Hoshi Battle, tell the judge what pad and cameras would, and print a JSON line a game and one of all.

    A third of the games is honest, a third dishonest, a third more so. Each touch's ruling is held against what the touch was
    worth with every fact exact: right, a question for a referee, or wrong. No picture is drawn: the sensors' errors, delays and
    doubts are those that were measured of them, or assumed where nothing was. Exit 1 where a ruling was wrong.

    With --table the games are played at the service's desk and written to a journal, a referee answers what is asked, and outcome
    and findings are held against the truth's.

    With --film pictures are drawn, 60 a second, and the judge hears the real trackers of dice and hands: ten seconds a round.

    With --live the whole service plays in real time, its camera at 60 pictures a second, and each touch is timed until its ruling
    is on the page: two to four minutes a game.
    """
    if sweep:
        _sweep(repeats, first, plot)
        return
    if film is not None:
        _film(film, first)
        return
    if table:
        _at_the_table(seeds, first)
        return
    if live is not None:
        _live(live, first)
        return
    from companion.bench.duels import DuelTally, play

    whole = DuelTally(first, 0, 0)
    for seed in range(first, first + seeds):
        tally = play(seed)
        click.echo(json.dumps(tally.to_json()))
        whole.add(tally)
    line = {"set": "duels", "games": seeds, **whole.to_json()}
    del line["mischief"]
    click.echo(json.dumps(line))
    sys.stderr.write(
        f"duels {whole.duels}, touches {whole.touches}: right {whole.right}, questions {whole.questions}, "
        f"in a declared gap {whole.declared}, wrong {whole.wrong}\n"
    )
    sys.exit(1 if whole.wrong else 0)


def _at_the_table(seeds: int, first: int) -> None:
    from companion.bench.duel_games import play_game

    right = 0
    for seed in range(first, first + seeds):
        tally = play_game(seed)
        right += tally.is_right
        click.echo(json.dumps(tally.to_json()))
    sys.stderr.write(f"games that came out as they were: {right} of {seeds}\n")
    sys.exit(0 if right == seeds else 1)


def _film(rounds: int, first: int) -> None:
    from companion.bench import duel_film

    cv2.setNumThreads(1)
    found: dict[str, Any] = {"wrong": 0}
    for tally in duel_film.film(rounds, first):
        found = tally.to_json()
        sys.stderr.write(
            f"round {found['rounds']}: right {found['right']}, questions {found['questions']}, wrong {found['wrong']}\n"
        )
    click.echo(json.dumps(found))
    sys.exit(1 if found["wrong"] else 0)


def _live(touches: int, first: int) -> None:
    from companion.commands import live_duels

    found: dict[str, Any] = {"wrong": 0}
    for tally in live_duels.live(touches, first):
        found = tally.to_json()
        sys.stderr.write(
            f"game {found['games']}, touches {found['touches']}: median {found['ms_median']} ms, 99 % {found['ms_99']} ms; "
            f"{found['pictures_a_second']} pictures a second\n"
        )
    click.echo(json.dumps(found))
    sys.exit(1 if found["wrong"] else 0)


def _sweep(repeats: int, seed: int, plot: Path | None) -> None:
    from companion.bench import duel_sweep

    found = duel_sweep.sweep(repeats, seed)
    line = found.to_json()
    if plot is not None:
        try:
            plot.write_text(duel_sweep.plot(found), "utf-8")
        except OSError as error:
            raise BadInputError(f"{plot}: can't be written: {error.strerror or error}") from error
    click.echo(json.dumps(line))
    sys.exit(1 if line["wrong"] else 0)


@bench.command()
@click.option(
    "--touches",
    type=click.IntRange(1, 100_000),
    help=f"How often hands touch; {TOUCHES} unless told, {REPORT_TOUCHES} a cell in the report.",
)
@click.option("--busy", type=click.IntRange(0, 64), default=2, show_default=True, help="Busy loops beside it.")
@click.option("--stand-in", is_flag=True, help="Measure the stand-in pad, also where the simulator is there.")
@click.option(
    "--hum",
    "hums",
    multiple=True,
    type=click.FloatRange(0, 3),
    default=(0.0, 0.2),
    show_default=True,
    metavar="MICROAMPS",
    help="What the mains feed into each player, at 50 Hz; may be given several times, a row each.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="When the hands touch.")
@click.option(
    "--report", is_flag=True, help="Write the tester's report instead: which touches are told, by time and skin."
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path("docs"),
    show_default=True,
    help="Where the report goes.",
)
def pad(
    touches: int | None, busy: int, stand_in: bool, hums: tuple[float, ...], seed: int, report: bool, folder: Path
) -> None:
    """Touch the pad and hold the times that the link tells against the truth; print a JSON line for each hum.

    The pad's real firmware runs in the simulator, paced by the host's monotonic clock, where the simulator's tools are
    installed; else a stand-in pad that speaks the same protocol at the wire's pace. Ends with 1 where a true time lay outside
    the stated bound, or a touch was not told.
    """
    if report:
        _pad_report(touches or REPORT_TOUCHES, folder)
        return
    from companion.bench.pad import STAND_IN, measure

    failed = False
    for hum_ua in hums:
        line = measure(touches or TOUCHES, busy=busy, stand_in=stand_in, seed=seed, hum_ua=hum_ua)
        sys.stdout.write(json.dumps(line) + "\n")
        _pad_row(line)
        failed |= bool(line["outside_bound"]) or line["told"] < line["touches"]
        if line["measured"] == STAND_IN:
            break  # it knows no hum
    if failed:
        raise click.exceptions.Exit(1)


def _pad_row(line: dict[str, Any]) -> None:
    error, bound, late = (
        ", ".join(f"{name} {value:g}" for name, value in line[key].items())
        for key in ("error_us", "bound_us", "receipt_late_us")
    )
    hum = f"hum of {line['hum_ua']:g} uA, " if line.get("hum_ua") else ""
    flagged = f"{100 * line['flagged'] / max(line['told'], 1):.1f} %, {line['without_bound']} of them without a bound"
    sys.stderr.write(
        f"{line['measured']}, {hum}{line['busy_loops']} busy loops on {line['cores']} cores: "
        f"{line['told']} of {line['touches']} touches told\n"
        f"  error of the time, us: {error}\n  stated bound, us:      {bound}\n  outside the bound:     {line['outside_bound']}\n"
        f"  flagged as uncertain:  {flagged}\n  handed on after, us:   {late}\n"
    )


def _pad_report(touches: int, folder: Path) -> None:
    from companion.bench import pad_page, pad_report

    found = pad_report.measure(touches=touches, progress=lambda line: click.echo(line, err=True))
    files = pad_page.write(found, folder)
    sys.stdout.write(json.dumps({"report": [str(file) for file in files]}) + "\n")

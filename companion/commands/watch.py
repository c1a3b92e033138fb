"""`hoshiban watch`: adjudicates recorded pictures in order, as fast as they can be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from calibration.profile import default_profile
from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.adjudicator.told import read_told
from companion.commands.options import game_option, players_option, table_option
from companion.commands.table import (
    TableAsked,
    journal_option,
    make_session,
    print_event,
    profile_of,
    say,
    table_options,
)
from companion.errors import BadInputError, BusyError
from companion.journal import Journal
from companion.paths import data_dir, default_journal
from companion.service.duel_run import DuelRun
from companion.service.pipeline import Pipeline
from companion.service.run import RunResult, run_table
from companion.service.session import Session, open_desk
from hardware.camera.sources import is_recorded


@click.command()
@click.argument("source", metavar="DIR|VIDEO")
@game_option
@players_option
@table_option
@table_options
@journal_option
@click.option("--profile", "profile_path", type=click.Path(path_type=Path, dir_okay=False), help="Lens and zones.")
@click.option(
    "--told",
    "told_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="What people said meanwhile (JSON Lines).",
)
def watch(
    source: str,
    game: str,
    players: tuple[str, ...],
    table_mm: tuple[float, float],
    asked: TableAsked,
    journal_path: Path | None,
    profile_path: Path | None,
    told_path: Path | None,
) -> None:
    """Judge a directory of pictures or a video: one JSON line an event.

    Exit 1 where a rule was broken (a finding "illegal" or "proved"), 2 where pictures or options could not be used.
    """
    if not is_recorded(source):
        raise BadInputError(f"{source}: no such directory of pictures or video (a camera is watched by hoshiban serve)")
    session = make_session(
        game=game,
        seats=players,
        table_mm=table_mm,
        asked=asked,
        source=source,
        profile=profile_of(profile_path, table_mm) if profile_path is not None else default_profile(table_mm),
        told=read_told(told_path) if told_path is not None else (),
    )
    with open_journal(journal_path) as journal:
        raise SystemExit(watch_session(session, journal))


def watch_session(session: Session, journal: Journal) -> int:
    """Judges a recorded session to its end, printing the contract's lines; the exit code."""
    broken = False

    def announce(event: dict[str, Any]) -> None:
        nonlocal broken
        broken = broken or (event["event"] == "finding" and event["level"] in ("illegal", "proved"))
        print_event(event)

    desk, session, _ = open_desk(journal, session, announce=announce, warn=say, resume=False)
    if isinstance(desk, DuelDesk):
        duel = DuelRun(session, desk)
        result = duel.run(say)
        if duel.table is not None:
            ruled = duel.table.rulings
            say(
                f"touches ruled rightly {ruled.right}, asked {ruled.questions}, untold {ruled.untold}, wrong {ruled.wrong}"
            )
    else:
        with Pipeline(session.factory, session.eyes, session.source, python=session.python) as pipeline:
            result = run_table(pipeline, desk, say=say, source=session.eyes.source, told=session.told)
    _say_what_is_left(desk.over, desk.open_questions, result)
    if desk.failing:
        desk.tick()
    if result.problems or desk.failing:
        return 2
    return 1 if broken else 0


def open_journal(path: Path | None) -> Journal:
    """The journal that was named, else this user's; where a running service holds that one, a file beside it.

    Raises BusyError where the named one is held.
    """
    if path is not None:
        return Journal.open(path)
    try:
        return Journal.open(default_journal())
    except BusyError:
        own = data_dir() / f"watched-{os.getpid()}.db"
        say(f"another hoshiban holds the journal; this game is kept in {own}")
        return Journal.open(own)


def _say_what_is_left(over: bool, questions: int, result: RunResult) -> None:
    """What people should know of how the pictures ended."""
    if not over and not result.failed:
        say(f"the pictures ended before the game did ({result.pictures} settled pictures were judged)")
    if questions:
        say(f'{questions} question{"s" if questions > 1 else ""} stayed open; see the lines with "event": "question"')

"""What `watch`, `serve` and `demo` share: from options and profile to a session, and the contract's lines on stdout."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from calibration.profile import Profile, default_path, default_profile, load_profile
from calibration.zones import Layout, load_layout
from companion.adjudicator.games import kit_of
from companion.adjudicator.told import Told
from companion.commands.options import deck_option, layout_option
from companion.decks import Deck, load_decks
from companion.decks.proxies import write_deck
from companion.duel.judge import WAITED_FOR
from companion.duel.reports import Source
from companion.errors import BadInputError
from companion.games.house import load_house
from companion.paths import cache_dir
from companion.service.arena_beside import ArenaConfig
from companion.service.duelling import PictureClock
from companion.service.eyes import EyesConfig
from companion.service.session import Session
from companion.service.virtual_duel import DuelScript
from companion.virtual.battle_arena import arena_table, dice_colours, stills_of, write_faces
from companion.virtual.battle_stage import DIE_MM, TABLE_MM
from companion.virtual.camera import virtual_factory
from companion.virtual.faults import TableFaults
from companion.virtual.film_time import FilmTime
from companion.virtual.table import VirtualTable
from hardware.camera.base import Camera, CameraFactory
from hardware.camera.sources import camera_factory, is_recorded, python_for, shown_source
from hardware.errors import CameraNotFoundError
from vision.cards.store import deck_directory
from vision.scans import first_scans
from vision.watcher import WatchSettings

DUELS = "hoshi-battle"
THINKS_US = 2_500_000
"""A referee at a virtual table that people watch takes so long to answer."""
FROZEN_MS = 5000.0
"""A live camera that repeats the very same picture for so long has frozen: real sensors have noise."""

setting_option = click.option(
    "--setting",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A table setting that differs from its default (hoshiban rules settings --game G). May be given several times.",
)
house_option = click.option(
    "--house",
    type=click.Path(path_type=Path, dir_okay=False),
    help="House rules, a TOML file of [[penalty]] tables: what a breach costs. Without it findings are only reported.",
)
journal_option = click.option(
    "--journal",
    "journal_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The journal's file. Usually the one in this user's data directory.",
)
lead_option = click.option("--lead", help="Who leads the first trick; the first of the players unless told otherwise.")


@dataclass(frozen=True, slots=True)
class TableAsked:
    """What the options say of a table, over what its profile says."""

    lead: str | None = None
    decks: tuple[str, ...] = ()
    layout: Layout | Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Those that differ from their defaults."""
    house: Path | None = None


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a table, of which the command gets a `TableAsked`, `asked`."""

    @functools.wraps(command)
    def asking(
        *args: Any,
        lead: str | None,
        decks: tuple[str, ...],
        layout: Path | None,
        settings: tuple[str, ...],
        house: Path | None,
        **others: Any,
    ) -> None:
        command(*args, asked=TableAsked(lead, decks, layout, parse_settings(settings), house), **others)

    for option in (house_option, setting_option, layout_option, deck_option, lead_option):
        asking = option(asking)
    return asking


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Settings by name from NAME=VALUE; a value is JSON where it reads as such, else text. Raises BadInputError."""
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise BadInputError(f"--setting {text}: must be NAME=VALUE, such as line_elimination=true")
        try:
            settings[name.strip()] = json.loads(value)
        except ValueError:
            settings[name.strip()] = value.strip()
    return settings


def profile_of(path: Path | None, table_mm: tuple[float, float] | None) -> Profile:
    """The profile that was named, else this user's where there is one, else one that knows only the table's size.

    Raises BadInputError where neither a profile nor a size says how large the table is.
    """
    if path is not None:
        return load_profile(path)
    if default_path().exists():
        return load_profile(default_path())
    if table_mm is None:
        raise BadInputError(
            "the table's size is not known: give --table WxH (mm), or make a profile with `hoshiban calibrate table`"
        )
    return default_profile(table_mm)


def make_session(
    *,
    game: str,
    seats: tuple[str, ...],
    table_mm: tuple[float, float] | None,
    asked: TableAsked,
    source: str,
    profile: Profile,
    factory: CameraFactory | None = None,
    pace_s: float = 0.0,
    keep_pictures: bool = False,
    told: Sequence[Told] = (),
) -> Session:
    """Everything that a game needs, from options over the profile. Raises the error trees' errors, a line each."""
    table = table_mm or profile.table.size_mm
    layout = load_layout(asked.layout) if isinstance(asked.layout, Path) else asked.layout or profile.layout()
    layout.check_table(table)
    deck_names = asked.decks or profile.decks
    if not deck_names:
        raise BadInputError("no deck: give --deck with a directory of scans or the name of an enrolled deck")
    directories = [deck_directory(name) for name in deck_names]
    recorded = factory is None and is_recorded(source)
    board = layout.zones.get("board")
    eyes = EyesConfig(
        table_mm=table,
        decks=tuple(str(directory) for directory in directories),
        lens=profile.lens,
        corners_px=None if profile.table.markers else profile.table.corners_px,
        corners_picture_px=profile.table.picture_px,
        board_area_mm=(board.x_mm, board.y_mm, board.width_mm, board.height_mm) if board is not None else None,
        want_board=kit_of(game).has_board,
        source="pictures" if recorded else "camera",
        keep_pictures=keep_pictures,
        watch=WatchSettings() if recorded or factory is not None else WatchSettings(frozen_ms=FROZEN_MS),
    )
    return Session(
        game=game,
        seats=seats,
        lead=asked.lead or seats[0],
        deck=rules_deck(game, directories),
        layout=layout,
        source=shown_source(source),
        factory=factory or camera_factory(source, profile.camera.settings()),
        eyes=eyes,
        settings=asked.settings,
        house=load_house(asked.house) if asked.house is not None else (),
        card_pictures=card_pictures(directories),
        python=None if factory is not None else python_for(source),
        pace_s=pace_s,
        recorded=recorded,
        told=tuple(told),
    )


def virtual_session(
    table: VirtualTable,
    settings: Mapping[str, Any],
    *,
    speed: float | None = None,
    keep_pictures: bool = False,
    faults: TableFaults | None = None,
) -> Session:
    """The session of a virtual table, played at `speed` times its own pace, or as fast as it can be seen for None.

    With `faults`, things can be made to go wrong at it.

    Its cards are enrolled from scans like any other's: the table's own deck, or the project's proxies, written into the cache
    directory.
    """
    if table.game == DUELS:
        return _duel_session(table, settings, speed=speed, faults=faults)
    deck = Path(table.deck) if table.deck is not None else cache_dir() / "proxies" / table.game
    if table.deck is None:
        write_deck(table.game, deck)
    # The camera reads the scans that were just written: drawing them once more would keep the first picture waiting.
    seen = replace(table, deck=str(deck))
    factory, told_time = faults.watched(seen) if faults is not None else (virtual_factory(seen), None)
    session = make_session(
        game=table.game,
        seats=table.seats,
        table_mm=table.table_mm,
        asked=TableAsked(table.lead, (str(deck),), table.layout(), {**table.settings(), **settings}),
        source="virtual",
        profile=default_profile(table.table_mm),
        factory=factory,
        pace_s=0.0 if speed is None else 1.0 / (table.timing.fps * speed),
        keep_pictures=keep_pictures,
        told=table.told(),
    )
    if told_time is None:
        return session
    watching = replace(session.eyes, watch=WatchSettings(frozen_ms=FROZEN_MS))
    return replace(session, eyes=watching, told_time=told_time)


def _duel_session(
    table: VirtualTable, settings: Mapping[str, Any], *, speed: float | None, faults: TableFaults | None
) -> Session:
    """The session of a virtual duel: its camera looks at the Arena."""
    deck = Path(table.deck) if table.deck is not None else cache_dir() / "proxies" / table.game
    if table.deck is None:
        write_deck(table.game, deck)
    seen = replace(table, deck=str(deck))
    filmed = arena_table(seen)
    if faults is None:
        factory, folder, film_time = virtual_factory(filmed), None, None
    else:
        factory, folder = faults.filmed(filmed)
        film_time = FilmTime(folder)
    arena = ArenaConfig(
        table.table_mm,
        dice_colours(seen),
        DIE_MM,
        write_faces(cache_dir() / "proxies" / f"{table.game}-dice"),
        stills_of(seen, folder),
        is_live=speed is not None,
    )
    script = DuelScript(seen) if film_time is None else DuelScript(seen, film_time, THINKS_US)
    return Session(
        game=table.game,
        seats=table.seats,
        lead=table.lead or table.seats[0],
        deck=rules_deck(table.game, [deck]),
        layout=table.layout(),
        source="virtual",
        factory=factory,
        eyes=EyesConfig(table.table_mm, source="arena"),
        settings={**table.settings(), **settings},
        card_pictures=card_pictures([deck]),
        pace_s=0.0 if speed is None else 1.0 / (filmed.timing.fps * speed),
        arena=arena,
        sensors=WAITED_FOR,
        clock=PictureClock(),
        duel=script,
    )


def duel_by_hand(seats: tuple[str, ...], asked: TableAsked, *, has_pad: bool) -> Session:
    """The session of a duel that no camera sees: dice and cards are told, touches felt by the pad or told.

    Its cards are those of the decks that were named, else the project's proxies.
    """
    if asked.decks:
        decks = [deck_directory(name) for name in asked.decks]
    else:
        decks = [cache_dir() / "proxies" / DUELS]
        write_deck(DUELS, decks[0])
    return Session(
        game=DUELS,
        seats=seats,
        lead=asked.lead or seats[0],
        deck=rules_deck(DUELS, decks),
        layout=Layout({}),
        source="told by hand",
        factory=no_camera,
        eyes=EyesConfig(TABLE_MM),
        settings=asked.settings,
        house=load_house(asked.house) if asked.house is not None else (),
        card_pictures=card_pictures(decks),
        sensors=(Source.PAD,) if has_pad else (),
    )


def no_camera() -> Camera:
    """Raises CameraNotFoundError: there is none."""
    raise CameraNotFoundError("this table has no camera")


def rules_deck(game: str, directories: Sequence[Path]) -> Deck:
    """The cards' attributes, from the decks that have a deck.toml or from what is known of the scans' ids."""
    return load_decks(directories, game)


def card_pictures(directories: Sequence[Path]) -> dict[str, Path]:
    """The scans by card id, the first deck's where several have one."""
    found: dict[str, Path] = {}
    for directory in directories:
        found = {**first_scans(directory.iterdir()), **found}
    return found


def print_event(event: Mapping[str, Any]) -> None:
    """One event of the contract as one JSON line, at once: another program may be waiting for it."""
    click.echo(json.dumps(event, ensure_ascii=False))


def say(line: str) -> None:
    """A line for people."""
    click.echo(f"hoshiban: {line}", err=True)


def layout_or_fail(game: str, layout: Layout, seats: int) -> None:
    """Raises BadProfileError where a zone is missing that the game needs for so many seats."""
    for name in kit_of(game).zones(seats):
        layout.zone(name)

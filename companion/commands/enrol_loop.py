"""`hoshiban enrol-loop --camera SRC`: the Arena's loop of string, found or chosen by one tap on a page, kept in the profile."""

from __future__ import annotations

import json
from pathlib import Path

import click
import msgspec

from calibration.profile import ArenaProfile, default_path, save_profile
from companion.commands.enrol_camera import run_taking
from companion.commands.options import TableSize, profile_option
from companion.commands.table import profile_of, say
from companion.errors import BadInputError
from companion.service.loop_taking import LoopTaking, TakenLoop
from companion.virtual.loops import open_loops
from companion.web.enrol_loop import create_loop_app
from companion.web.server import PORT, AppServer


class LoopServer(AppServer):
    """The page on a port."""

    title = "The page of the loop"


@click.command("enrol-loop")
@click.option(
    "--camera",
    "source",
    metavar="SRC",
    help="A camera as in serve, a directory of pictures, or virtual; usually the profile's.",
)
@click.option("--table", "table_mm", type=TableSize(), help="Size of the table in mm; usually the profile's.")
@profile_option
@click.option("--port", type=int, default=PORT, show_default=True, help="The page's port.")
@click.option("--lan", is_flag=True, help="Let phones and tablets of the local network open the page.")
def enrol_loop(
    source: str | None, table_mm: tuple[float, float] | None, profile: Path | None, port: int, lan: bool
) -> None:
    """Say which loop of string is the Arena, on a page: the one that is found, or one that is tapped."""
    known = profile_of(profile, table_mm)
    source = source or known.camera.source
    if not source:
        raise BadInputError("no camera: give --camera, or set it in the profile")
    taking = LoopTaking(table_mm or known.table.size_mm)
    server = LoopServer(create_loop_app(taking, lan=lan), port=port, lan=lan)
    run_taking(taking, server, source, open_loops)
    if taking.taken is None:
        say("ended before a loop was chosen; nothing was kept")
        raise SystemExit(1)
    path = profile or default_path()
    save_profile(msgspec.structs.replace(known, arena=ArenaProfile(at_mm=taking.taken.at_mm)), path)
    _tell(taking.taken, path)


def _tell(taken: TakenLoop, path: Path) -> None:
    arena = taken.arena
    line = {
        "at_mm": list(taken.at_mm),
        "width_mm": round(arena.width_mm, 2),
        "colour": list(arena.colour) if arena.colour is not None else None,
        "arena": [list(corner) for corner in arena.polygon_mm],
        "profile": str(path),
    }
    click.echo(json.dumps(line))
    click.echo(f"the loop around {taken.at_mm[0]:g}, {taken.at_mm[1]:g} mm is kept in {path}", err=True)

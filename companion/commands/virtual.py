"""`hoshiban virtual`: pictures and films of games on the virtual table, with their truth."""

from __future__ import annotations

from pathlib import Path

import click

from companion.virtual.table_game import GAMES
from hardware.virtual.look import Ground, Light

SIZE = "1920x1080"


@click.group()
def virtual() -> None:
    """A table that plays by itself, for tests, benchmarks and demonstrations."""


@virtual.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--game", type=click.Choice(GAMES), default=GAMES[0], show_default=True, help="Which game is played.")
@click.option("--seed", default=1, show_default=True, help="The same seed, the same game and pictures.")
@click.option("--players", help="Seats, clockwise; A,B,C if not given, or A,B for Hoshi Battle.")
@click.option("--lead", help="Who leads the first trick; the first of the players otherwise.")
@click.option(
    "--deck", type=click.Path(exists=True, file_okay=False), help="Scans to play with instead of the proxies."
)
@click.option("--revoke", is_flag=True, help="A player once does not play what the own hand obliges to.")
@click.option(
    "--variant",
    is_flag=True,
    help="Play by the optional rule: line elimination (Hoshizora), together (Ahuha), four and four cards (Hoshi Battle).",
)
@click.option(
    "--mischief",
    type=click.IntRange(0, 500),
    default=0,
    show_default=True,
    help="How often in a thousand the players misbehave, each in every way that the game has.",
)
@click.option(
    "--table-look", type=click.Choice([g.value for g in Ground]), default=Ground.FELT.value, show_default=True
)
@click.option("--light", type=click.Choice([x.value for x in Light]), default=Light.SOFT.value, show_default=True)
@click.option("--dark-board", is_flag=True, help="A dark star board.")
@click.option("--glare", type=click.FloatRange(0, 1), default=0.0, help="A lamp's reflection on the board.")
@click.option("--clumsiness", type=click.FloatRange(0, 1), default=0.4, show_default=True, help="0 tidy, 1 askew.")
@click.option("--noise", type=click.FloatRange(0, 20), default=2.0, show_default=True, help="Grey levels at mid-grey.")
@click.option("--tilt", type=click.FloatRange(0, 25), default=2.0, show_default=True, help="Of the camera, degrees.")
@click.option(
    "--distortion", type=click.FloatRange(-0.4, 0.4), default=0.0, help="The lens's first radial coefficient."
)
@click.option("--size", default=SIZE, show_default=True, help="Of the pictures, px.")
@click.option("--settled-only", is_flag=True, help="Settled pictures and no video (as without --video).")
@click.option(
    "--video", type=click.Path(path_type=Path, dir_okay=False), help="Also films the game: .mp4, .avi or .mkv."
)
@click.option("--roll", type=click.IntRange(min=1), help="Hoshi Battle: only this roll, in moving frames of 640x360.")
@click.option("--fps", type=click.FloatRange(1, 60), help="Of the film (usually 8), or of the roll (60).")
def render(
    folder: Path,
    game: str,
    seed: int,
    players: str | None,
    lead: str | None,
    deck: str | None,
    revoke: bool,
    variant: bool,
    mischief: int,
    table_look: str,
    light: str,
    dark_board: bool,
    glare: float,
    clumsiness: float,
    noise: float,
    tilt: float,
    distortion: float,
    size: str,
    settled_only: bool,
    video: Path | None,
    roll: int | None,
    fps: float | None,
) -> None:
    """Writes a game's settled pictures to DIR, with truth, layout and deck, so that `watch` can judge them.

    Of Hoshi Battle, which `watch` doesn't judge yet, each settled roll is among them, and game.json holds every time.
    """
    from companion.virtual.reel import Timing
    from companion.virtual.table import VirtualTable
    from companion.virtual.writing import write_game, write_video

    if settled_only and video is not None:
        raise click.UsageError("--settled-only and --video exclude each other")
    is_duel = game == "hoshi-battle"
    if roll is not None and not is_duel:
        raise click.UsageError("--roll is for --game hoshi-battle")
    if revoke and mischief:
        raise click.UsageError("--revoke and --mischief exclude each other")
    if roll is not None and video is not None:
        raise click.UsageError("--roll and --video exclude each other")
    players = players or ("A,B" if is_duel else "A,B,C")
    seats = tuple(seat.strip() for seat in players.split(","))
    if not 2 <= len(seats) <= 3 or not all(seats):
        raise click.UsageError(f"--players: two or three names with commas between them, not {players!r}")
    table = VirtualTable(
        game=game,
        seed=seed,
        seats=seats,
        lead=lead,
        revoke=revoke,
        variant=variant,
        mischief=mischief,
        deck=deck,
        clumsiness=clumsiness,
        dark_board=dark_board,
        ground=Ground(table_look),
        light=Light(light),
        glare=glare,
        noise=noise,
        size=_size(size),
        tilt_deg=tilt,
        k1=distortion,
        timing=Timing(fps=fps or 8.0),
    )
    if roll is not None:
        from companion.virtual.battle_writing import write_roll

        click.echo(f"{write_roll(table, roll, folder, fps or 60.0)} pictures in {folder}", err=True)
        return
    pictures = write_game(table, folder)
    if is_duel:
        from companion.virtual.battle_writing import write_symbols

        write_symbols(folder / "symbols")
    click.echo(f"{pictures} pictures in {folder}", err=True)
    if video is not None:
        click.echo(f"{write_video(table, video)} pictures in {video}", err=True)


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.partition("x")
    if (
        not cross
        or not width.isdecimal()
        or not height.isdecimal()
        or not (160 <= int(width) <= 8000)
        or int(height) < 90
    ):
        raise click.UsageError(f"--size: width x height in px, as {SIZE}, not {text!r}")
    return int(width), int(height)

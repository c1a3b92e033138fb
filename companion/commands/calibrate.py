"""`hoshiban calibrate`: measures table and lens into the profile, shows the profile, draws the markers to print."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from calibration.errors import BadProfileError
from calibration.profile import (
    Profile,
    TableProfile,
    default_path,
    default_profile,
    encode_profile,
    load_profile,
    save_profile,
)
from companion.commands.options import TableSize, profile_option, table_option
from companion.errors import BadInputError

if TYPE_CHECKING:
    from calibration.table import TableReport
    from vision.frame import Image

PICTURES = frozenset({".jpg", ".jpeg", ".png"})
WARM_UP_PICTURES = 30
"""A live camera finds exposure and focus meanwhile."""
PATIENCE_S = 30.0


@click.group()
def calibrate() -> None:
    """Measures camera, table and lens, and keeps them in the profile."""


@calibrate.command()
@click.argument("source", metavar="PICTURE|SRC")
@table_option
@profile_option
def table(source: str, table_mm: tuple[float, float], profile: Path | None) -> None:
    """Measures the table from a picture, or from a camera, and writes the profile.

    Says on stderr how well the camera sees the table and what to better; one JSON line goes to stdout.
    """
    from calibration.table import measure_table
    from vision.errors import BadTableSizeError

    path = profile or default_path()
    known = load_profile(path) if path.exists() else None
    image, is_camera = take_picture(source, known)
    height, width = image.shape[:2]
    lens = known.lens.lens(width, height) if known is not None and known.lens is not None else None
    try:
        report = measure_table(image, table_mm, lens)
    except BadTableSizeError as error:
        if lens is not None:
            raise
        raise BadInputError(
            f"{error}; if the size is right, a strong lens bends the picture: run `hoshiban calibrate lens` first"
        ) from None
    save_profile(_with_table(known, report, source if is_camera else None), path)
    _tell_table(report, _shown(source), path)


@calibrate.command()
@click.argument("directory", metavar="DIR")
@click.option("--chessboard", metavar="CxR", default="9x6", show_default=True, help="Inner corners of a chessboard.")
@click.option("--charuco", metavar="CxR", help="Squares of a ChArUco board (DICT_5X5_100), in place of a chessboard.")
@click.option("--square", "square_mm", type=click.FloatRange(1, 500), default=25.0, show_default=True, help="mm.")
@click.option("--marker", "marker_mm", type=click.FloatRange(1, 500), help="ChArUco marker, mm; 3/4 of the square.")
@click.option("--table", "table_mm", type=TableSize(), help="Size of the table, where the profile is not there yet.")
@profile_option
def lens(
    *,
    directory: str,
    chessboard: str,
    charuco: str | None,
    square_mm: float,
    marker_mm: float | None,
    table_mm: tuple[float, float] | None,
    profile: Path | None,
) -> None:
    """Measures the lens from pictures of a chessboard held at many angles, and writes the profile."""
    from calibration.lens import Charuco, Chessboard, measure_lens

    path = profile or default_path()
    known = _known_or_new(path, table_mm)
    if charuco is not None:
        columns, rows = _counts(charuco, "--charuco")
        marker = marker_mm if marker_mm is not None else 0.75 * square_mm
        if marker >= square_mm:
            raise BadInputError(f"--marker {marker:g}: must be smaller than the square of {square_mm:g} mm")
        report = measure_lens(_pictures(directory), Charuco(columns, rows, square_mm, marker))
    else:
        columns, rows = _counts(chessboard, "--chessboard")
        report = measure_lens(_pictures(directory), Chessboard(columns, rows, square_mm))
    save_profile(msgspec.structs.replace(known, lens=report.lens), path)
    click.echo(f"lens: {len(report.used)} pictures used, {len(report.passed_over)} without the board", err=True)
    click.echo(f"reprojection error {report.error_px:.2f} px, {report.coverage:.0%} of the picture visited", err=True)
    _tell_advice(report.advice, path)
    _print(
        {
            "used": report.used,
            "passed_over": report.passed_over,
            "error_px": round(report.error_px, 4),
            "coverage": round(report.coverage, 3),
            "matrix": report.lens.matrix,
            "coefficients": report.lens.coefficients,
            "advice": report.advice,
            "profile": str(path),
        }
    )


@calibrate.command()
@profile_option
def show(profile: Path | None) -> None:
    """Checks the profile and prints it as one JSON line; the file as it reads goes to stderr."""
    path = profile or default_path()
    known = load_profile(path)
    camera = msgspec.structs.replace(known.camera, source=_shown(known.camera.source))
    shown = msgspec.structs.replace(known, camera=camera)
    click.echo(f"{path}:\n{encode_profile(shown)}", err=True)
    _print({"profile": str(path), **msgspec.to_builtins(shown)})


@calibrate.command()
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
def mat(out: Path, paper: str) -> None:
    """Draws the four table markers at true size on one sheet (SVG), to print and cut out."""
    from calibration.mat import PAPERS, mat_svg
    from vision.table import MARKER_MM

    if out.suffix.lower() != ".svg":
        raise BadInputError(f"{out}: the sheet is drawn as SVG; give a name that ends in .svg")
    try:
        out.write_text(mat_svg(PAPERS[paper]), "utf-8")
    except OSError as error:
        raise BadInputError(f"{out}: can't be written ({error.strerror})") from None
    click.echo(f"{out}: print at 100 %; each marker must measure {MARKER_MM:g} mm", err=True)
    _print({"sheet": str(out), "paper": paper, "marker_mm": MARKER_MM})


def take_picture(source: str, known: Profile | None) -> tuple[Image, bool]:
    """A picture file's picture, or one from a source; and whether that is a live camera. Raises hardware's errors."""
    from hardware.camera.directory import list_pictures, read_picture

    path = Path(source)
    if path.suffix.lower() in PICTURES:
        return read_picture(path), False
    if path.is_dir():
        return read_picture(list_pictures(path)[0]), False
    return _from_camera(source, known)


def _from_camera(source: str, known: Profile | None) -> tuple[Image, bool]:
    """The first picture of a recording, or one of a live camera once it has settled."""
    from hardware.camera.capture import Capture
    from hardware.camera.notices import CameraNotice
    from hardware.camera.sources import camera_factory, is_recorded, python_for, shown_source
    from hardware.errors import CameraLostError

    settings = known.camera.settings() if known is not None else None
    recorded = is_recorded(source)
    wanted = 0 if recorded else WARM_UP_PICTURES
    deadline = time.monotonic() + PATIENCE_S
    with Capture(camera_factory(source, settings), shown_source(source), python=python_for(source)) as capture:
        reader = capture.reader()
        while time.monotonic() < deadline:
            match reader.get(0.5):
                case CameraNotice(text=text) as notice:
                    if notice.final:
                        raise CameraLostError(text)
                    click.echo(text, err=True)
                case None:
                    continue
                case picture if picture.frame_id >= wanted:
                    return picture.image, not recorded
    raise CameraLostError(f"{shown_source(source)}: gave no usable picture within {PATIENCE_S:g} s; check the cable")


def _with_table(known: Profile | None, report: TableReport, source: str | None) -> Profile:
    """The profile with this table, and everything else as it was. Raises BadProfileError where its zones fall off."""
    base = known if known is not None else default_profile(report.table_mm)
    section = TableProfile(
        width_mm=report.table_mm[0],
        height_mm=report.table_mm[1],
        corners_px=report.corners_px,
        picture_px=report.picture_px,
    )
    camera = base.camera
    if source is not None:
        width, height = report.picture_px
        camera = msgspec.structs.replace(camera, source=source, width=width, height=height)
    changed = msgspec.structs.replace(base, table=section, camera=camera)
    changed.layout("the profile").check_table(report.table_mm)
    return changed


def _known_or_new(path: Path, table_mm: tuple[float, float] | None) -> Profile:
    if path.exists():
        return load_profile(path)
    if table_mm is None:
        raise BadProfileError(f"{path}: no such profile yet; run `hoshiban calibrate table` first, or give --table WxH")
    return default_profile(table_mm)


def _pictures(directory: str) -> Iterator[tuple[str, Image]]:
    from hardware.camera.directory import list_pictures, read_picture

    for path in list_pictures(Path(directory)):
        yield path.name, read_picture(path)


def _counts(text: str, option: str) -> tuple[int, int]:
    left, _, right = text.lower().partition("x")
    if not (left.isdigit() and right.isdigit() and 3 <= int(left) <= 40 and 3 <= int(right) <= 40):
        raise BadInputError(f"{option} {text}: must be columns x rows, 3 to 40 each, such as 9x6")
    return int(left), int(right)


def _shown(source: str) -> str:
    from hardware.camera.sources import shown_source

    return shown_source(source)


def _tell_table(report: TableReport, source: str, path: Path) -> None:
    width, height = report.picture_px
    click.echo(f"{source}: {width}x{height} px, table {report.table_mm[0]:g} x {report.table_mm[1]:g} mm", err=True)
    click.echo(f"scale {report.px_per_mm:.2f} px/mm, tilt {report.tilt_deg:.1f} degrees", err=True)
    for marker in report.markers:
        click.echo(f"marker {marker.marker}: off by {marker.residual_mm:.2f} mm", err=True)
    _tell_advice(report.advice, path)
    _print(
        {
            "picture": Path(source).name,
            "picture_px": report.picture_px,
            "table_mm": report.table_mm,
            "markers": [
                {
                    "marker": marker.marker,
                    "residual_mm": round(marker.residual_mm, 3),
                    "white": marker.white,
                    "black": marker.black,
                }
                for marker in report.markers
            ],
            "px_per_mm": round(report.px_per_mm, 3),
            "tilt_deg": round(report.tilt_deg, 1),
            "residual_mm": round(report.residual_mm, 3),
            "corners_px": report.corners_px,
            "advice": report.advice,
            "profile": str(path),
        }
    )


def _tell_advice(advice: tuple[str, ...], path: Path) -> None:
    for line in advice:
        click.echo(f"advice: {line}", err=True)
    click.echo(f"written to {path}", err=True)


def _print(value: object) -> None:
    click.echo(msgspec.json.encode(value).decode())

"""The profile: one validated TOML file that holds what is known of a camera and its table.

Every section has its bounds, and a field that is unknown, missing, of the wrong type or out of bounds is named in one line:
`profile.toml: camera.fps: expected a number <= 480`.
"""

from __future__ import annotations

import math
import os
import re
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import msgspec
import tomli_w
from msgspec import Meta, Struct
from platformdirs import user_config_path

from calibration.errors import BadProfileError
from calibration.zones import Layout, Size, Zone, parse_zones, read_toml
from hardware.camera.settings import CameraSettings
from hardware.panel import PanelPins

if TYPE_CHECKING:
    from vision.table import Lens

CONFIG_VARIABLE = "HOSHIBAN_CONFIG"
"""Environment variable with the path of the profile, or of the directory that holds `profile.toml`."""

HEADER = """\
# Hoshiban's profile of one camera over one table. Lengths in mm, pixels as the camera gives them.
# `hoshiban calibrate table` and `hoshiban calibrate lens` write it; it may be edited by hand.
# `hoshiban calibrate show` checks it.
"""

Pixels = Annotated[int, Meta(ge=16, le=20_000)]
TableLength = Annotated[float, Meta(ge=100, le=5_000)]
Gpio = Annotated[int, Meta(ge=0, le=27)]
Positive = Annotated[float, Meta(gt=0)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
PointPx = tuple[float, float]
PointMm = tuple[float, float]
Row3 = tuple[float, float, float]
Game = Literal["ahuha", "hoshi-battle", "shuhari", "hoshizora"]


def _finite(value: object) -> bool:
    if isinstance(value, tuple):
        return all(_finite(part) for part in value)
    return not isinstance(value, float) or math.isfinite(value)


class _Section(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=False):
    """A part of the profile; its numbers are finite."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not _finite(getattr(self, name)):
                raise ValueError(f"{name}: must be a finite number")


class CameraProfile(_Section, frozen=True):
    """Which camera, and how it is set."""

    source: str = ""
    """As `serve --camera` takes it; empty where none is chosen yet."""
    width: Pixels = 1920
    height: Pixels = 1080
    fps: Annotated[float, Meta(ge=1, le=480)] = 30.0
    locked: bool = True
    """Exposure, white balance and focus stay as they are after the first second, or as given here."""
    exposure_us: Annotated[int, Meta(ge=10, le=1_000_000)] | None = None
    gain: Annotated[float, Meta(ge=0, le=1_000)] | None = None
    colour_gains: tuple[Positive, Positive] | None = None
    """Red and blue (picamera)."""
    white_balance_k: Annotated[int, Meta(ge=1_000, le=20_000)] | None = None
    focus: Annotated[float, Meta(ge=0, le=10_000)] | None = None

    def settings(self) -> CameraSettings:
        """As the camera takes them."""
        return CameraSettings(
            width=self.width,
            height=self.height,
            fps=self.fps,
            locked=self.locked,
            exposure_us=self.exposure_us,
            gain=self.gain,
            colour_gains=self.colour_gains,
            white_balance_k=self.white_balance_k,
            focus=self.focus,
        )


class TableProfile(_Section, frozen=True):
    """The table rectangle."""

    width_mm: TableLength
    height_mm: TableLength
    markers: bool = True
    """False: the table has no printed markers, and `corners_px` say where it is."""
    corners_px: tuple[PointPx, PointPx, PointPx, PointPx] | None = None
    """The rectangle's corners in the picture: top left, top right, bottom right, bottom left."""
    picture_px: tuple[Pixels, Pixels] | None = None
    """Size of the picture in which the corners were found."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.markers and self.corners_px is None:
            raise ValueError("corners_px: is missing; a table without markers needs its four corners")
        if self.corners_px is not None and self.picture_px is None:
            raise ValueError("picture_px: is missing; corners need the size of the picture in which they were found")
        if self.corners_px is not None and not _turns_one_way(self.corners_px):
            raise ValueError("corners_px: must go round: top left, top right, bottom right, bottom left")

    @property
    def size_mm(self) -> Size:
        """Width and height."""
        return self.width_mm, self.height_mm


class LensProfile(_Section, frozen=True):
    """The lens, measured at one picture size."""

    width: Pixels
    height: Pixels
    matrix: tuple[Row3, Row3, Row3]
    """3 x 3 camera matrix, px."""
    coefficients: tuple[float, float, float, float, float]
    """k1, k2, p1, p2, k3."""
    error_px: Annotated[float, Meta(ge=0)] | None = None
    """Mean reprojection error when it was measured."""

    def __post_init__(self) -> None:
        super().__post_init__()
        (fx, skew, _), (low, fy, _), last = self.matrix
        if fx <= 0 or fy <= 0 or skew or low or last != (0, 0, 1):
            raise ValueError("matrix: must read [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] with fx and fy above 0")

    def lens(self, width: int, height: int) -> Lens:
        """The lens for pictures of that size, px.

        Raises BadProfileError for another shape of picture: then the camera crops, and nothing is known of how.
        """
        import numpy as np

        from vision.table import Lens

        x, y = width / self.width, height / self.height
        if abs(x / y - 1) > 0.01:
            raise BadProfileError(
                f"lens: was measured at {self.width}x{self.height} px and can't be used at {width}x{height}; "
                "pictures of the same shape are needed: run `hoshiban calibrate lens` again"
            )
        # Pixel middles sit at whole numbers, so the picture's own corner is at -0.5.
        scale = np.array([[x, 0, (x - 1) / 2], [0, y, (y - 1) / 2], [0, 0, 1]])
        return Lens(scale @ np.array(self.matrix, np.float64), np.array(self.coefficients, np.float64))


class ArenaProfile(_Section, frozen=True):
    """The loop of string that dice are thrown into."""

    at_mm: PointMm | None = None
    """A point inside the loop that counts, where more than one may lie on the table; mm."""


class PadProfile(_Section, frozen=True):
    """The contact pad."""

    port: str = ""
    """As `serve --pad` takes it, best its name below /dev/serial/by-id; empty where the table has none."""


class PanelProfile(_Section, frozen=True):
    """The panel on a Raspberry Pi's header: GPIO numbers (BCM), what it lacks left out."""

    start: Gpio | None = None
    timeout: Gpio | None = None
    players: tuple[Gpio, ...] = ()
    """A button a player, in the order of the seats."""
    lights: dict[str, Gpio] = {}
    """A light by its name."""
    buzzer: Gpio | None = None

    def pins(self, seats: Sequence[str]) -> PanelPins:
        """As the panel takes them; a button for a seat that nobody has stays unused."""
        return PanelPins(
            self.start, self.timeout, dict(zip(seats, self.players, strict=False)), self.lights, self.buzzer
        )


class Profile(_Section, frozen=True):
    """Everything that is known of one camera over one table."""

    table: TableProfile
    camera: CameraProfile = msgspec.field(default_factory=CameraProfile)
    lens: LensProfile | None = None
    game: Game | None = None
    decks: tuple[Name, ...] = ()
    """Names of enrolled decks, or directories of scans."""
    seats: tuple[Name, ...] = ()
    """Players in clockwise order; the first leads."""
    zones: dict[str, Zone] = {}
    arena: ArenaProfile = msgspec.field(default_factory=ArenaProfile)
    pad: PadProfile = msgspec.field(default_factory=PadProfile)
    panel: PanelProfile = msgspec.field(default_factory=PanelProfile)

    def __post_init__(self) -> None:
        if len(set(self.seats)) != len(self.seats):
            raise ValueError("seats: must have different names")

    def layout(self, source: str = "profile") -> Layout:
        """Its zones."""
        return Layout(self.zones, source)


def default_path() -> Path:
    """Where this user's profile lives; the environment's HOSHIBAN_CONFIG overrides it."""
    chosen = os.environ.get(CONFIG_VARIABLE)
    if not chosen:
        return user_config_path("hoshiban") / "profile.toml"
    path = Path(chosen).expanduser()
    return path if path.suffix == ".toml" else path / "profile.toml"


def default_profile(table_mm: Size) -> Profile:
    """A profile that knows only the size of the table."""
    return decode_profile({"table": {"width_mm": table_mm[0], "height_mm": table_mm[1]}}, "table size")


def load_profile(path: str | Path) -> Profile:
    """The profile in a file. Raises BadProfileError, which names the file, and the field or line."""
    return decode_profile(read_toml(path), str(path))


def decode_profile(raw: dict[str, Any], source: str) -> Profile:
    """A profile from decoded TOML; `source` names it in errors. Raises BadProfileError."""
    raw = dict(raw)
    zones = parse_zones(raw.pop("zones", {}), source)
    try:
        profile = msgspec.convert(raw, Profile)
    except msgspec.ValidationError as error:
        raise BadProfileError(f"{source}: {_plain(str(error))}") from None
    profile = msgspec.structs.replace(profile, zones=zones)
    profile.layout(source).check_table(profile.table.size_mm)
    return profile


def save_profile(profile: Profile, path: str | Path) -> None:
    """Writes the profile whole or not at all, under the comments that its file had on top.

    Raises BadProfileError where it can't be written.
    """
    path = Path(path).resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, f"{_comments(path)}\n{encode_profile(profile)}")
    except OSError as error:
        raise BadProfileError(f"{path}: can't be written ({error.strerror})") from None


def encode_profile(profile: Profile) -> str:
    """The profile as TOML, empty fields left out."""
    plain = msgspec.to_builtins(profile)
    plain["zones"] = {
        name: [zone.x_mm, zone.y_mm, zone.width_mm, zone.height_mm] for name, zone in profile.zones.items()
    }
    scalars = {key: plain[key] for key in ("game", "decks", "seats") if plain[key]}
    sections = {key: _present(plain[key]) for key in ("table", "camera", "lens", "zones") if plain[key]}
    # Most tables have neither loop, pad nor panel: what says nothing is not written.
    for key in ("arena", "pad", "panel"):
        said = {name: value for name, value in _present(plain[key]).items() if value not in ("", (), {})}
        sections |= {key: said} if said else {}
    # tomli_w puts every element of a list on a line of its own. A line break inside quotes is escaped, so one that is
    # not escaped, after a bracket or comma, can only be such a list's.
    text = re.sub(r"\[\n\s+", "[", tomli_w.dumps({**scalars, **sections}))
    return re.sub(r",\n\s*(\]|(?=[^\s\]]))", lambda match: match[1] or ", ", text)


def _present(section: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in section.items() if value is not None}


def _comments(path: Path) -> str:
    """The comments at the top of a profile that is written again, else the usual ones."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return HEADER
    end = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return "\n".join(lines[:end]) + "\n" if end else HEADER


def _replace(path: Path, text: str) -> None:
    """A reader sees the old file or the new one, and a power cut leaves one of them."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=".profile-", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            # A new profile is the user's own, since its source may hold a password; an old one keeps its rights.
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


_WORDS = (
    *(("`", ""), (" | null", ""), ("float", "number"), ("int", "whole number")),
    *(("str", "text"), ("object", "table"), ("array", "list"), ("bool", "true or false")),
)


def _plain(message: str) -> str:
    """msgspec's words, in words of TOML, with the field first: `camera.fps: expected number <= 480`."""
    match = re.fullmatch(r"(.*?)(?: - at `\$\.?(.*)`)?", message, re.DOTALL)
    text, field = (match[1], match[2] or "") if match is not None else (message, "")
    named = re.fullmatch(r"Object (contains unknown|missing required) field `(.*)`", text)
    if named is not None:
        field = f"{field}.{named[2]}" if field else named[2]
        text = "is not a known field" if named[1] == "contains unknown" else "is missing"
    elif (own := re.fullmatch(r"([a-z_]+): (.*)", text)) is not None:
        field, text = f"{field}.{own[1]}" if field else own[1], own[2]
    elif text.startswith("Invalid enum value"):
        text = f"is {text.split()[-1]}, not one of {', '.join(get_args(Game))}"
    else:
        text = text[:1].lower() + text[1:]
        for word, plain in _WORDS:
            text = text.replace(word, plain)
    return f"{field}: {text}" if field else text


def _turns_one_way(corners: tuple[PointPx, ...]) -> bool:
    """True for a convex quadrilateral that goes clockwise in the picture, where y points down."""
    turns = []
    for n, (x, y) in enumerate(corners):
        (bx, by), (cx, cy) = corners[(n + 1) % 4], corners[(n + 2) % 4]
        turns.append((bx - x) * (cy - by) - (by - y) * (cx - bx))
    return min(turns) > 0

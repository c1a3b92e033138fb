"""How the virtual table looks: ground, light, sensor and lens faults as settings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Bgr = tuple[int, int, int]


class Ground(StrEnum):
    """What the table top is made of."""

    PLAIN = "plain"
    WOOD = "wood"
    FELT = "felt"
    CLOTH = "cloth"


class Light(StrEnum):
    """How the room is lit."""

    SOFT = "soft"
    """Even daylight."""
    WARM = "warm"
    """Even, yellowish."""
    LAMP = "lamp"
    """From one side, falling off across the table."""


GROUND_BGR: dict[Ground, Bgr] = {
    Ground.PLAIN: (128, 130, 132),
    Ground.WOOD: (58, 92, 138),
    Ground.FELT: (72, 92, 44),
    Ground.CLOTH: (118, 140, 158),
}
"""Middle colours; a look may say another."""


@dataclass(frozen=True, slots=True)
class Lamp:
    """A bright window, panel or bulb over the table: it lights the table, and glossy things show its mirror image."""

    x_mm: float
    y_mm: float
    """Over which point of the table plane its middle hangs; seldom over the table itself."""
    height_mm: float = 1800.0
    width_mm: float = 600.0
    depth_mm: float = 300.0
    """Its sides along x and y."""
    level: float = 30.0
    """Its own brightness, in units of white paper on the lit table."""


@dataclass(frozen=True, slots=True)
class Photo:
    """A room's light and a camera in it, reckoned in linear light."""

    lux: float = 500.0
    """On the table. Little light makes a noisy picture, very little a dark one."""
    kelvin: float = 5000.0
    """Colour temperature of the light."""
    balanced: float = 0.8
    """Share of the light's colour that the camera takes back, 0 to 1."""
    exposure_ev: float = 0.0
    """Beyond what the camera chose by itself, in stops."""
    lamps: tuple[Lamp, ...] = ()
    """The first one also lights the table."""
    lamp_share: float = 0.3
    """Share of the table's light that comes from the first lamp, 0 to 1; the rest comes from all sides."""
    defocus_px: float = 0.0
    """Radius of the disc that a point becomes, px at 1280 px of picture width."""
    motion_px: tuple[float, float] = (0.0, 0.0)
    """How far the camera moves during the exposure, px right and down at 1280 px of picture width."""


@dataclass(frozen=True, slots=True)
class TableLook:
    """Everything about the picture that is not where things lie."""

    ground: Ground = Ground.FELT
    ground_bgr: Bgr | None = None
    light: Light = Light.SOFT
    exposure: float = 1.0
    """Factor on brightness; 1 leaves white paper just below clipping."""
    vignette: float = 0.12
    """Loss of light in the picture's corners, 0 to 1."""
    noise: float = 2.0
    """Standard deviation of mid-grey's noise, grey levels of 255; brighter pixels have more."""
    blur_px: float = 0.55
    """Standard deviation of the optics' blur at 1280 px of picture width; wider pictures scale it."""
    glare: float = 0.0
    """Strength of a lamp's reflection on the board, 0 to 1."""
    jpeg_quality: int | None = None
    """Quality of a JPEG pass over each picture, 1 to 100; None leaves it out."""
    card_mm: tuple[float, float] = (63.0, 88.0)
    card_corner_mm: float = 3.0
    """Radius of the cards' corners; 0 is square."""
    star_mm: float = 17.0
    """Diameter of a star magnet."""
    star_bgr: Bgr = (70, 190, 240)
    sleeve_bgr: Bgr | None = (92, 70, 60)
    """Colour of the sleeve from the wrist on; None is a bare arm."""
    shadow: float = 0.45
    """Darkness of contact shadows, 0 to 1."""
    seed: int = 0
    """Of the textures and of the noise's pattern."""
    photo: Photo | None = None
    """Where given, `light`, `exposure` and `noise` follow from it; slower, for single pictures rather than for films."""

"""The pieces of the virtual table as sprites: cards, magnets, the board, hands, markers and their shadows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image
from hardware.virtual.glyphs import stamp
from hardware.virtual.look import Bgr, TableLook
from hardware.virtual.paint import Sprite, light_of, rounded_box, shade_of, sprite_of

BORDER = 3
"""Clear pixels around a sprite."""

MARKER_MM = 40.0
MARKER_MARGIN_MM = 5.0
"""White paper around a marker's black square."""


def filled(size: tuple[int, int], colour: Bgr) -> Image:
    """A plain picture of width, height."""
    picture = np.empty((size[1], size[0], 3), np.uint8)
    picture[:] = colour
    return picture


def card_sprite(art: Image, size_mm: tuple[float, float], look: TableLook, px_per_mm: float) -> Sprite:
    """A card of a width and height, anchored at its middle."""
    width, height = size_mm
    # A whole number of fine pixels to a sprite pixel keeps edges exact.
    over = max(1, round(art.shape[1] / width / px_per_mm))
    size = (math.ceil(width * px_per_mm) + 2 * BORDER, math.ceil(height * px_per_mm) + 2 * BORDER)
    fine = (size[0] * over, size[1] * over)
    scale = px_per_mm * over
    left, top = (fine[0] - width * scale) / 2, (fine[1] - height * scale) / 2
    sx, sy = width * scale / art.shape[1], height * scale / art.shape[0]
    place = np.array([[sx, 0, left + sx / 2 - 0.5], [0, sy, top + sy / 2 - 0.5]])
    spread = cv2.warpAffine(art, place, fine, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cover = rounded_box(fine, (left, top, width * scale, height * scale), look.card_corner_mm * scale)
    shrink = cv2.INTER_AREA
    return sprite_of(
        cv2.resize(spread, size, interpolation=shrink).astype(np.uint8, copy=False),
        cv2.resize(cover, size, interpolation=shrink).astype(np.uint8, copy=False),
        px_per_mm,
        (size[0] / 2, size[1] / 2),
    )


FILM_KEEPS = 0.93
"""Share of the light that comes back through a clear sleeve."""
SEAM_MM = 1.1
"""Width of a sleeve's welded edge."""


def film_sprite(size_mm: tuple[float, float], px_per_mm: float) -> Sprite:
    """A clear sleeve over a card, anchored at its middle: it greys what lies below, and its edges show as thin lines."""
    over = 3
    size = tuple(math.ceil(side * px_per_mm) + 2 * BORDER for side in size_mm)
    fine = (size[0] * over, size[1] * over)
    scale = px_per_mm * over

    def box(inset_mm: float) -> NDArray[np.float32]:
        width, height = (size_mm[0] - 2 * inset_mm) * scale, (size_mm[1] - 2 * inset_mm) * scale
        place = ((fine[0] - width) / 2, (fine[1] - height) / 2, width, height)
        cover = rounded_box(fine, place, max(0.0, 1.2 - inset_mm) * scale)
        small = cv2.resize(cover, (size[0], size[1]), interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.float32) / np.float32(255)

    film, seam = box(0.0), box(0.0) - box(0.35) + 0.5 * (box(SEAM_MM) - box(SEAM_MM + 0.3))
    keep = 1 - (1 - FILM_KEEPS) * film - 0.12 * seam
    haze = 12 * film + 42 * seam
    return Sprite(
        cv2.merge([haze, haze, haze]).astype(np.uint8, copy=False),
        cv2.merge([keep * 255] * 3).astype(np.uint8, copy=False),
        px_per_mm,
        (size[0] / 2, size[1] / 2),
    )


def box_shadow(
    size_mm: tuple[float, float], radius_mm: float, soft_mm: float, strength: float, px_per_mm: float
) -> Sprite:
    """The soft shadow of a flat piece, anchored at its middle; `soft_mm` is the blur's standard deviation."""
    reach = math.ceil(3 * soft_mm * px_per_mm) + BORDER
    width, height = size_mm[0] * px_per_mm, size_mm[1] * px_per_mm
    size = (math.ceil(width) + 2 * reach, math.ceil(height) + 2 * reach)
    box = ((size[0] - width) / 2, (size[1] - height) / 2, width, height)
    cover = cv2.GaussianBlur(rounded_box(size, box, radius_mm * px_per_mm), (0, 0), max(0.3, soft_mm * px_per_mm))
    return shade_of(cover.astype(np.uint8, copy=False), strength, px_per_mm, (size[0] / 2, size[1] / 2))


def star_sprite(n: int, look: TableLook, px_per_mm: float) -> Sprite:
    """A magnet with its number on a plaque, anchored at its middle."""
    over = 4
    side = math.ceil(look.star_mm * px_per_mm) + 2 * BORDER
    fine = side * over
    scale = px_per_mm * over
    middle = fine / 2
    disc_px = look.star_mm * scale

    def disc(share: float) -> NDArray[np.float32]:
        diameter = disc_px * share
        box = (middle - diameter / 2, middle - diameter / 2, diameter, diameter)
        return rounded_box((fine, fine), box, diameter / 2)[..., None].astype(np.float32) / np.float32(255)

    body = np.array(look.star_bgr, np.float32)
    picture = np.empty((fine, fine, 3), np.float32)
    picture[:] = body * 0.72
    picture += (body * 0.9 - picture) * disc(0.9)
    # The rim catches the light at the upper left.
    rows, columns = np.mgrid[0:fine, 0:fine].astype(np.float32)
    picture *= 1 + 0.18 * ((middle - columns) + (middle - rows))[..., None] / disc_px
    plaque_w, plaque_h = disc_px * 0.66, disc_px * 0.62
    plaque = rounded_box(
        (fine, fine), (middle - plaque_w / 2, middle - plaque_h / 2, plaque_w, plaque_h), disc_px * 0.06
    ).astype(np.float32)[..., None]
    face = np.minimum(body * 0.35 + np.array([130, 160, 165], np.float32), 250)
    picture += (face - picture) * (plaque / 255)
    underline = n in (6, 9)
    digits = stamp(
        (fine, fine),
        str(n),
        (middle, middle - (0.035 if underline else 0.0) * disc_px),
        disc_px * (0.33 if underline else 0.38),
        pen=0.17,
        underline=underline,
    ).astype(np.float32)[..., None]
    picture += (np.array([38, 34, 36], np.float32) - picture) * (digits / 255)
    colour = np.clip(picture, 0, 255).astype(np.uint8)
    cover = (disc(1.0)[..., 0] * 255).astype(np.uint8)
    size = (side, side)
    return sprite_of(
        cv2.resize(colour, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False),
        cv2.resize(cover, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False),
        px_per_mm,
        (side / 2, side / 2),
    )


def stone_sprite(diameter_mm: float, bgr: Bgr, px_per_mm: float) -> Sprite:
    """A glass stone with the room's light on it, anchored at its middle."""
    over = 3
    side = math.ceil(diameter_mm * px_per_mm) + 2 * BORDER
    scale = px_per_mm * over
    axis = (np.arange(side * over, dtype=np.float32) + 0.5 - side * over / 2) / (diameter_mm * scale / 2)
    x, y = np.meshgrid(axis, axis)
    away = np.hypot(x, y)
    body = np.array(bgr, np.float32) * (1.05 - 0.5 * np.clip(away, 0, 1) ** 2)[..., None]
    shine = np.exp(-((x + 0.35) ** 2 + (y + 0.4) ** 2) / 0.035) + 0.35 * np.exp(
        -((x - 0.3) ** 2 + (y - 0.4) ** 2) / 0.12
    )
    body += (250 - body) * np.clip(shine, 0, 1)[..., None]
    cover = np.clip((1 - away) * diameter_mm * scale / 2 + 0.5, 0, 1) * 255
    size = (side, side)
    return sprite_of(
        cv2.resize(np.clip(body, 0, 255).astype(np.uint8), size, interpolation=cv2.INTER_AREA).astype(
            np.uint8, copy=False
        ),
        cv2.resize(cover.astype(np.uint8), size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False),
        px_per_mm,
        (side / 2, side / 2),
    )


def board_sprite(side_mm: float, dark: bool, seed: int, px_per_mm: float) -> Sprite:
    """The star board with its dividers, anchored at its top left corner."""
    inner = side_mm * px_per_mm
    side = math.ceil(inner) + 2 * BORDER
    base: Bgr = (60, 54, 52) if dark else (238, 240, 240)
    line: Bgr = (104, 96, 94) if dark else (176, 172, 172)
    picture = filled((side, side), base).astype(np.float32)
    rng = np.random.default_rng((seed, 7))
    cloud = rng.normal(0, 1, (12, 12)).astype(np.float32)
    picture += cv2.resize(cloud, (side, side), interpolation=cv2.INTER_CUBIC)[..., None] * 1.5
    for share in (1 / 3, 2 / 3):
        at = BORDER + inner * share
        thick = 1.2 * px_per_mm
        for box in ((at - thick / 2, 0.0, thick, float(side)), (0.0, at - thick / 2, float(side), thick)):
            across = rounded_box((side, side), box, 0.0).astype(np.float32)[..., None] / 255
            picture += (np.array(line, np.float32) - picture) * across
    cover = rounded_box((side, side), (BORDER, BORDER, inner, inner), 1.5 * px_per_mm)
    return sprite_of(np.clip(picture, 0, 255).astype(np.uint8), cover, px_per_mm, (BORDER, BORDER))


def glare_sprite(strength: float, side_mm: float, px_per_mm: float) -> Sprite:
    """A lamp's soft reflection on the board's upper right, anchored at the board's top left corner."""
    side = math.ceil(side_mm * px_per_mm) + 2 * BORDER
    inner = side_mm * px_per_mm
    axis = (np.arange(side, dtype=np.float32) + 0.5 - BORDER) / inner
    away = ((axis[None, :] - 0.72) ** 2 + (axis[:, None] - 0.3) ** 2) / 0.42**2
    falloff = np.clip(1 - away, 0, 1) ** 2 * 150 * strength
    cover = rounded_box((side, side), (BORDER, BORDER, inner, inner), 1.5 * px_per_mm)
    falloff *= cover.astype(np.float32) / 255
    colour = np.repeat(falloff[..., None], 3, axis=2).astype(np.uint8)
    return light_of(colour, px_per_mm, (BORDER, BORDER))


def smudge_sprite(bgr: Bgr, radius_mm: float, strength: float, seed: int, px_per_mm: float) -> Sprite:
    """What a tissue leaves: a streaky cloud, anchored at its middle."""
    side = math.ceil(2 * radius_mm * px_per_mm) + 2 * BORDER
    axis = (np.arange(side, dtype=np.float32) + 0.5 - side / 2) / (radius_mm * px_per_mm)
    falloff = np.clip(1 - (axis[None, :] ** 2 + axis[:, None] ** 2), 0, 1)
    rng = np.random.default_rng((seed, 11))
    streaks = cv2.GaussianBlur(rng.uniform(0.2, 1.0, (side, side)).astype(np.float32), (0, 0), sigmaX=6, sigmaY=1.2)
    streaks = np.clip((streaks - streaks.mean()) * 4 + 0.8, 0, 1.4)
    cover = np.clip(falloff * streaks * strength * 255, 0, 255).astype(np.uint8)
    return sprite_of(filled((side, side), bgr), cover, px_per_mm, (side / 2, side / 2))


def marker_sprite(n: int, px_per_mm: float) -> Sprite:
    """A table marker on white paper, anchored at its black square's top left corner."""
    modules = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), n, 6)
    dark = (np.asarray(modules).reshape(6, 6) < 128).astype(np.uint8)
    module = MARKER_MM / 6
    over = 4
    size_mm = MARKER_MM + 2 * MARKER_MARGIN_MM
    side = math.ceil(size_mm * px_per_mm) + 2 * BORDER
    scale = px_per_mm * over
    # Where the first fine pixel's corner lies, mm from the black square's corner.
    start = -MARKER_MARGIN_MM - BORDER / px_per_mm
    at = start + (np.arange(side * over) + 0.5) / scale
    cell = np.floor(at / module).astype(int)
    inside = (cell >= 0) & (cell < 6)
    picked = np.clip(cell, 0, 5)
    black = dark[np.ix_(picked, picked)] * np.outer(inside, inside)
    grey = np.where(black > 0, 30, 236).astype(np.uint8)
    paper = (at >= -MARKER_MARGIN_MM) & (at < MARKER_MM + MARKER_MARGIN_MM)
    cover = (np.outer(paper, paper) * 255).astype(np.uint8)
    grey = cv2.resize(grey, (side, side), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
    cover = cv2.resize(cover, (side, side), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
    anchor = -start * px_per_mm
    return sprite_of(cv2.merge([grey, grey, grey]).astype(np.uint8, copy=False), cover, px_per_mm, (anchor, anchor))


def cup_sprite(px_per_mm: float) -> Sprite:
    """A cup seen from above, set down on a marker; anchored at its middle."""
    side = math.ceil(74 * px_per_mm) + 2 * BORDER
    middle = side / 2

    def disc(diameter_mm: float) -> NDArray[np.uint8]:
        d = diameter_mm * px_per_mm
        return rounded_box((side, side), (middle - d / 2, middle - d / 2, d, d), d / 2)

    picture = filled((side, side), (196, 188, 176)).astype(np.float32)
    for diameter, bgr in ((64.0, (150, 140, 128)), (58.0, (30, 44, 66))):
        share = disc(diameter).astype(np.float32)[..., None] / 255
        picture += (np.array(bgr, np.float32) - picture) * share
    return sprite_of(picture.astype(np.uint8), disc(72.0), px_per_mm, (middle, middle))


HAND_REACH_MM = 900.0
"""Length of hand and arm: longer than any table, so that the arm always leaves the picture."""


def hand_sprites(skin: Bgr, sleeve: Bgr | None, shadow: float, px_per_mm: float) -> tuple[Sprite, Sprite]:
    """A hand with its arm and that hand's shadow; anchored at the middle finger's tip, pointing to y < 0."""
    scale = px_per_mm
    width_mm, pad_mm = 150.0, 14.0
    size = (round(width_mm * scale), round((HAND_REACH_MM + pad_mm) * scale))
    x = (np.arange(size[0], dtype=np.float32) + 0.5) / scale - width_mm / 2
    y = (np.arange(size[1], dtype=np.float32) + 0.5) / scale - pad_mm
    grid = np.meshgrid(x, y)
    depth = np.full((size[1], size[0]), -1e3, np.float32)
    for part in _HAND:
        depth = np.maximum(depth, _capsule_depth(grid, part))
    cover = (np.clip(depth * scale + 0.5, 0, 1) * 255).astype(np.uint8)
    # Rounder parts turn away from the light toward their edge.
    round_off = 0.62 + 0.38 * np.sqrt(np.clip(depth / 11, 0, 1))
    colour = np.array(skin, np.float32) * round_off[..., None]
    if sleeve is not None:
        cuff = np.clip((grid[1] - 205) * scale, 0, 1)[..., None]
        folds = 1 + 0.06 * np.sin(grid[1] / 9 + np.sin(grid[0] / 13))[..., None]
        colour += (np.array(sleeve, np.float32) * (round_off[..., None] * folds) - colour) * cuff
    anchor = (width_mm / 2 * scale, pad_mm * scale)
    hand = sprite_of(np.clip(colour, 0, 255).astype(np.uint8), cover, px_per_mm, anchor)
    soft = cv2.GaussianBlur(cover, (0, 0), 5 * scale).astype(np.uint8, copy=False)
    return hand, shade_of(soft, shadow, px_per_mm, anchor)


Capsule = tuple[float, float, float, float, float, float]
"""x, y, radius of its start, x, y, radius of its end, mm."""

_HAND: tuple[Capsule, ...] = (
    (0.0, 8.5, 8.5, -1.0, 85.0, 10.0),
    (-20.0, 17.0, 8.0, -17.0, 88.0, 10.0),
    (19.0, 16.0, 8.2, 15.0, 88.0, 10.0),
    (36.0, 36.0, 7.0, 27.0, 92.0, 9.0),
    (-54.0, 78.0, 9.0, -22.0, 124.0, 13.0),
    (-14.0, 96.0, 21.0, -8.0, 140.0, 24.0),
    (16.0, 98.0, 20.0, 10.0, 140.0, 24.0),
    (0.0, 150.0, 27.0, 0.0, 210.0, 28.0),
    (0.0, 210.0, 30.0, 0.0, 940.0, 48.0),
)
"""Four fingers, the thumb, the palm's halves, wrist and arm; y grows from the middle finger's tip toward the body."""


def _capsule_depth(grid: Sequence[NDArray[np.float32]], capsule: Capsule) -> NDArray[np.float32]:
    """How deep each point lies inside a capsule with a growing radius, mm; negative outside."""
    x0, y0, r0, x1, y1, r1 = capsule
    dx, dy = x1 - x0, y1 - y0
    along = np.clip(((grid[0] - x0) * dx + (grid[1] - y0) * dy) / (dx * dx + dy * dy), 0, 1)
    away = np.hypot(grid[0] - (x0 + along * dx), grid[1] - (y0 + along * dy))
    return (r0 + along * (r1 - r0) - away).astype(np.float32)


def hand_outline(tip_x: float, tip_y: float, from_deg: float) -> list[NDArray[np.float64]]:
    """Polygons in table mm that together cover a hand and its arm, at the hand's own height."""
    turn = math.radians(from_deg - 180.0)
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    outlines = []
    for x0, y0, r0, x1, y1, r1 in _HAND:
        ring = np.linspace(0, 2 * np.pi, 33)[:-1]
        circle = np.stack([np.cos(ring), np.sin(ring)], axis=1)
        points = np.concatenate([circle * r0 + (x0, y0), circle * r1 + (x1, y1)]).astype(np.float32)
        hull = cv2.convexHull(points).reshape(-1, 2).astype(np.float64)
        outlines.append(hull @ rotation.T + np.array([tip_x, tip_y]))
    return outlines

"""Dice as the camera sees them: faces in true perspective, shaded by how they stand to the light, symbols and shadows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image
from hardware.virtual.dice import DieOnTable, DieSolid, Instant, corners_mm, die_solid, matrix_of, symbol_of
from hardware.virtual.lens import Points, VirtualCameraModel
from hardware.virtual.paint import Box, Easel, cover_of
from hardware.virtual.symbols import Mask

Floats = NDArray[np.float64]
SymbolOf = Callable[[str], Mask]

FALL_PER_MM = (0.35, 0.5)
"""How far a shadow falls beside what throws it, mm for each mm of height."""
_TO_LIGHT = np.array([-FALL_PER_MM[0], -FALL_PER_MM[1], 1.0]) / np.linalg.norm([*FALL_PER_MM, 1.0])
_SKY = 0.42
"""Share of the light on the table that comes from all sides."""
_PENUMBRA = 0.11
"""Blur of a shadow's edge, mm for each mm of height."""
_OVER = 4
_WHOLE_EDGE = 0.2
"""How far (cosine) both its faces are turned to the camera when an edge's bevel is wholly in sight."""
_FINE_PX = 48
"""Dice that are larger in the picture are drawn with half the fineness."""


class Side(NamedTuple):
    """A face that the camera sees."""

    number: int
    outline_px: Points
    light: float
    """Linear light on it; 1 is what lies flat on the table."""
    facing: float
    """Cosine of the angle between it and the way to the camera: 1 seen straight, 0 edge on."""


def lay_dice_shadows(easel: Easel, picture: Image, die: DieOnTable, strength: float) -> None:
    """The shadow of a die: it closes and darkens as the die comes down. `strength` is that of shadows, 0 to 1."""
    cast: list[Points] = []
    for at in (die.pace[0], die.at) if die.before else (die.at,):
        corners = corners_mm(die, at)
        cast.append(corners[:, :2] + corners[:, 2:] * np.array(FALL_PER_MM))
    high = max(0.0, die.at.height_mm - die.size_mm / 2)
    soft = 0.35 + 0.02 * die.size_mm + _PENUMBRA * high
    _shade(easel, picture, np.concatenate(cast), soft, (1 - _SKY) * strength * 1.45)
    corners = corners_mm(die, die.at)
    # The nearer a corner is to the table, the more of the dark under the die is its own.
    near_table = np.clip(1 - (corners[:, 2:] - corners[:, 2].min()) / (0.6 * die.size_mm), 0, 1)
    middle = (corners[:, :2] * near_table).sum(axis=0) / near_table.sum()
    low = middle + (corners[:, :2] - middle) * near_table
    # What keeps the sky's light away: only what is near the table does.
    near = 1 / (1 + (high / (0.45 * die.size_mm)) ** 2)
    if near > 0.04:
        _shade(easel, picture, middle + (low - middle) * 1.25, 0.13 * die.size_mm + 0.3 * high, 1.1 * strength * near)


def lay_die(easel: Easel, picture: Image, die: DieOnTable, symbol: SymbolOf) -> None:
    """The die itself, smeared over the moments of its exposure."""
    moments = [(at, easel.camera.project_solid(corners_mm(die, at))) for at in die.pace]
    box = easel.box(np.concatenate([shown for _, shown in moments]))
    if box is None:
        return
    total: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
    for at, shown in moments:
        colour, cover = _drawn(easel.camera, die, at, shown, box, symbol)
        if len(moments) == 1:
            _compose(picture, box, colour, cover)
            return
        if total is None:
            total = (colour.astype(np.float32), cover.astype(np.float32))
        else:
            cv2.accumulate(colour, total[0])
            cv2.accumulate(cover, total[1])
    if total is not None:
        share = 1 / len(moments)
        _compose(picture, box, cv2.convertScaleAbs(total[0], alpha=share), cv2.convertScaleAbs(total[1], alpha=share))


def seen_sides(camera: VirtualCameraModel, die: DieOnTable, at: Instant, shown_px: Points) -> list[Side]:
    """The faces that the camera sees, with where they show; `shown_px` are the die's corners in the picture."""
    solid = die_solid(die.sides, die.tip)
    turn = matrix_of(at.turn)
    normals = solid.normals @ turn.T
    eye = np.array(camera.eye_mm) - np.array([at.x_mm, at.y_mm, at.height_mm])
    facing = (normals @ eye - die.size_mm / 2) / np.linalg.norm(eye)
    return [
        Side(n, shown_px[list(solid.faces[n])], _light(normals[n]), float(facing[n]))
        for n in range(die.sides)
        if facing[n] > 0
    ]


def silhouette_px(camera: VirtualCameraModel, die: DieOnTable) -> Points:
    """Its outline in the picture."""
    shown = camera.project_solid(corners_mm(die, die.at)).astype(np.float32)
    return cv2.convexHull(shown).reshape(-1, 2).astype(np.float64)


def _light(normal: Floats) -> float:
    """Linear light on a face, 1 on one that looks straight up."""
    sky = (1 + normal[2]) / 2
    return float(_SKY * (0.15 + 0.85 * sky) + (1 - _SKY) * max(0.0, normal @ _TO_LIGHT) / _TO_LIGHT[2])


def _coded(bgr: tuple[int, int, int], light: float) -> tuple[float, float, float]:
    """A colour under so much linear light, as the picture codes it."""
    blue, green, red = (min(255.0, part * light ** (1 / 2.2)) for part in bgr)
    return blue, green, red


def _drawn(
    camera: VirtualCameraModel, die: DieOnTable, at: Instant, shown: Points, box: Box, symbol: SymbolOf
) -> tuple[Image, Mask]:
    """The die's colour (nothing outside it) and coverage in a box of the picture."""
    left, top, right, bottom = box
    size = (right - left, bottom - top)
    # By the die's own size, so that one that comes to rest is drawn as it was while it moved.
    over = _OVER if die.size_mm * 1.7 * camera.px_per_mm < _FINE_PX else _OVER // 2
    fine = (shown - np.array([left, top]) + 0.5) * over - 0.5
    colour = np.zeros((size[1] * over, size[0] * over, 3), np.uint8)
    cover = np.zeros((size[1] * over, size[0] * over), np.uint8)
    solid = die_solid(die.sides, die.tip)
    sides = seen_sides(camera, die, at, fine)
    for side in sides:
        outline = np.round(side.outline_px * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.fillConvexPoly(colour, outline, _coded(die.bgr, side.light), cv2.LINE_8, 4)
        cv2.fillConvexPoly(cover, outline, 255, cv2.LINE_8, 4)
    _bevel(colour, fine, die, solid, sides, max(1, round(0.035 * die.size_mm * camera.px_per_mm * over)))
    # An edge's line is wider than the edge: what lies beside the die is not lit by it.
    colour[cover == 0] = 0
    for side in sides:
        name = symbol_of(die, side.number)
        if name != "blank":
            corners = _mark_corners(die, at, solid, side.number)
            place = (camera.project_solid(corners) - np.array([left, top]) + 0.5) * over - 0.5
            _print(colour, symbol(name), place, _coded(die.ink_bgr, side.light))
    return (
        cv2.resize(colour, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False),
        cv2.resize(cover, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False),
    )


def _bevel(colour: Image, fine: Points, die: DieOnTable, solid: DieSolid, sides: list[Side], thick: int) -> None:
    """Edges between faces are rounded: they catch the light of the brighter side and some more."""
    if die.bevel <= 0:
        return
    seen = {side.number: side for side in sides}
    for a, b, one, other in solid.edges:
        if one in seen and other in seen:
            # An edge turns bright as it turns into sight, not at once.
            share = min(1.0, min(seen[one].facing, seen[other].facing) / _WHOLE_EDGE)
            tone = _coded(die.bgr, max(seen[one].light, seen[other].light) * (1 + die.bevel * share))
            ends = np.round(fine[[a, b]] * 16).astype(int)
            cv2.line(colour, tuple(map(int, ends[0])), tuple(map(int, ends[1])), tone, thick, cv2.LINE_AA, 4)


def _mark_corners(die: DieOnTable, at: Instant, solid: DieSolid, face: int) -> Floats:
    """Corners of the square on a face that holds its symbol: top left, top right, bottom right, bottom left as one reads it."""
    corners = solid.vertices[list(solid.faces[face])] * die.size_mm
    normal = solid.normals[face]
    middle, radius = _incircle(corners, normal)
    up = corners[0] - middle
    up -= (up @ normal) * normal
    up /= np.linalg.norm(up)
    # x right, y down, height up is a left-handed frame: this order reads right from outside.
    right = np.cross(normal, up)
    turn = np.radians(die.mark_turn_deg)
    across, down = right * np.cos(turn) - up * np.sin(turn), -up * np.cos(turn) - right * np.sin(turn)
    half = radius * die.mark_share
    square = [middle + half * (x * across + y * down) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return np.asarray(np.array(square) @ matrix_of(at.turn).T + np.array([at.x_mm, at.y_mm, at.height_mm]))


def _incircle(corners: Floats, normal: Floats) -> tuple[Floats, float]:
    """Middle and radius of the circle that touches all sides of a triangle or kite."""
    away = np.roll(corners, -1, axis=0) - corners
    inward = np.cross(normal, away)
    inward /= np.linalg.norm(inward, axis=1, keepdims=True)
    inward *= np.sign(((corners.mean(axis=0) - corners) * inward).sum(axis=1, keepdims=True))
    # Every side lies at one distance r from the middle m: inward . m - r = inward . corner; and m lies in the face.
    rows = np.column_stack([inward, -np.ones(len(corners))])
    rows = np.vstack([rows, [*normal, 0.0]])
    right = np.concatenate([(inward * corners).sum(axis=1), [normal @ corners[0]]])
    found = np.linalg.lstsq(rows, right, rcond=None)[0]
    return found[:3], float(found[3])


def _print(colour: Image, mask: Mask, place_px: Points, ink: tuple[float, float, float]) -> None:
    low = np.maximum(np.floor(place_px.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(place_px.max(axis=0)).astype(int) + 1, [colour.shape[1], colour.shape[0]])
    if (high <= low).any():
        return
    side = mask.shape[0]
    square = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float32) - np.float32(0.5)
    to_place = cv2.getPerspectiveTransform(square, (place_px - low).astype(np.float32))
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    reach = max(size)
    if reach < side / 2:
        # A mask much finer than its place would break up.
        shrink = max(8, reach)
        mask = cv2.resize(mask, (shrink, shrink), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
        to_place = to_place @ np.diag([side / shrink, side / shrink, 1.0])
    cover = cv2.warpPerspective(mask, to_place, size, flags=cv2.INTER_LINEAR)
    area = colour[low[1] : high[1], low[0] : high[0]]
    cover3 = cv2.merge([cover, cover, cover])
    paint = np.empty_like(area)
    paint[:] = np.round(ink)
    area[:] = cv2.add(
        cv2.multiply(area, cv2.bitwise_not(cover3), scale=1 / 255), cv2.multiply(paint, cover3, scale=1 / 255)
    )


def _compose(picture: Image, box: Box, colour: NDArray[np.generic], cover: NDArray[np.generic]) -> None:
    left, top, right, bottom = box
    area = picture[top:bottom, left:right]
    keep = cv2.bitwise_not(np.asarray(cover, np.uint8))
    area[:] = cv2.add(cv2.multiply(area, cv2.merge([keep, keep, keep]), scale=1 / 255), np.asarray(colour, np.uint8))


def _shade(easel: Easel, picture: Image, outline_mm: Points, soft_mm: float, strength: float) -> None:
    """Darkens a soft convex patch of the table."""
    hull = cv2.convexHull(outline_mm.astype(np.float32)).reshape(-1, 2).astype(np.float64)
    shown = easel.camera.project(hull)
    soft = max(0.35, soft_mm * easel.camera.px_per_mm)
    margin = 2.6 * soft
    box = easel.box(np.concatenate([shown.min(axis=0)[None] - margin, shown.max(axis=0)[None] + margin]))
    if box is None:
        return
    left, top, right, bottom = box
    cover = cover_of(shown - np.array([left, top]), (right - left, bottom - top), over=2)
    cover = cv2.GaussianBlur(cover, (0, 0), soft).astype(np.uint8, copy=False)
    keep = cv2.convertScaleAbs(cv2.bitwise_not(cover), alpha=strength, beta=255 * (1 - strength))
    area = picture[top:bottom, left:right]
    area[:] = cv2.multiply(area, cv2.merge([keep, keep, keep]), scale=1 / 255)

"""Laying flat pieces into a picture: sprites in millimetres, mapped through the virtual camera pixel by pixel."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image
from hardware.virtual.lens import Points, VirtualCameraModel

Mask = NDArray[np.uint8]
"""Coverage, 0 to 255."""

Place = tuple[float, float]
"""x and y on the table, mm."""


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """A flat piece with soft edges.

    The picture gets `colour + picture * keep / 255`: `keep` 0 hides what is below, 255 adds light to it. Both are
    height x width x 3, with a border that changes nothing.
    """

    colour: Image
    keep: Image
    px_per_mm: float
    anchor_px: tuple[float, float]
    """The point that is laid on its place, in sprite px; (0, 0) is the top left corner of the first pixel."""

    def outline_mm(self) -> Points:
        """Its corners relative to the anchor."""
        height, width = self.colour.shape[:2]
        corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
        return np.asarray((corners - np.array(self.anchor_px)) / self.px_per_mm, np.float64)


def sprite_of(colour: Image, cover: Mask, px_per_mm: float, anchor_px: tuple[float, float]) -> Sprite:
    """A sprite of plain colours and their coverage."""
    cover3 = cv2.merge([cover, cover, cover]).astype(np.uint8, copy=False)
    premultiplied = cv2.multiply(colour, cover3, scale=1 / 255).astype(np.uint8, copy=False)
    return Sprite(premultiplied, cv2.bitwise_not(cover3).astype(np.uint8, copy=False), px_per_mm, anchor_px)


def shade_of(cover: Mask, strength: float, px_per_mm: float, anchor_px: tuple[float, float]) -> Sprite:
    """A sprite that darkens: `strength` 0 to 1 where the coverage is full."""
    keep = (255 - cover.astype(np.float32) * strength).astype(np.uint8)
    keep3 = cv2.merge([keep, keep, keep]).astype(np.uint8, copy=False)
    return Sprite(np.zeros_like(keep3), keep3, px_per_mm, anchor_px)


def light_of(colour: Image, px_per_mm: float, anchor_px: tuple[float, float]) -> Sprite:
    """A sprite that adds light to what lies below."""
    return Sprite(colour, np.full_like(colour, 255), px_per_mm, anchor_px)


def rounded_box(size_px: tuple[int, int], box: tuple[float, float, float, float], radius: float) -> Mask:
    """Coverage of a rectangle x, y, width, height with rounded corners, exact to a fraction of a pixel."""
    x = np.arange(size_px[0], dtype=np.float32) + 0.5
    y = np.arange(size_px[1], dtype=np.float32) + 0.5
    dx = np.abs(x - (box[0] + box[2] / 2)) - (box[2] / 2 - radius)
    dy = np.abs(y - (box[1] + box[3] / 2)) - (box[3] / 2 - radius)
    grid_x, grid_y = np.meshgrid(dx, dy)
    outside = np.hypot(np.maximum(grid_x, 0), np.maximum(grid_y, 0))
    distance = outside + np.minimum(np.maximum(grid_x, grid_y), 0) - radius
    return np.asarray(np.clip(0.5 - distance, 0, 1) * 255 + 0.5).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Bow:
    """A flat piece bent along one line: its middle stands up, or two opposite edges do."""

    rise_mm: float
    """Height of the middle over the edges; negative: of the edges over the middle."""
    turn_deg: float
    """Direction of the bend in the piece's own frame, clockwise; 0 is along its width."""
    span_mm: float
    """Extent of the piece along that direction."""

    def height(self, own_mm: NDArray[np.float32]) -> NDArray[np.float32]:
        """Height over the table, mm, at points of the piece relative to its middle (last axis x, y)."""
        along = np.clip(self._along(own_mm), -1, 1) ** 2
        return np.asarray(self.rise_mm * (1 - along) if self.rise_mm > 0 else -self.rise_mm * along, np.float32)

    def slope(self, own_mm: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rise of the surface for a step to the right and down in the piece's own frame (last axis)."""
        turn = np.radians(self.turn_deg)
        steep = -4 * self.rise_mm / self.span_mm * np.clip(self._along(own_mm), -1, 1)
        return np.stack([steep * np.cos(turn), steep * np.sin(turn)], axis=-1).astype(np.float32)

    def _along(self, own_mm: NDArray[np.float32]) -> NDArray[np.float32]:
        turn = np.radians(self.turn_deg)
        return np.asarray(
            (own_mm[..., 0] * np.cos(turn) + own_mm[..., 1] * np.sin(turn)) / (self.span_mm / 2), np.float32
        )


Box = tuple[int, int, int, int]
"""Left, top, right, bottom of a part of the picture, px; right and bottom excluded."""


class Easel:
    """Lays sprites and polygons into pictures of one camera."""

    def __init__(self, camera: VirtualCameraModel) -> None:
        self.camera = camera
        self._map = camera.table_map

    def lay(
        self,
        picture: Image,
        sprite: Sprite,
        place_mm: Place,
        angle_deg: float = 0.0,
        height_mm: float = 0.0,
        bow: Bow | None = None,
    ) -> None:
        """Paints a sprite into the picture: its anchor at a place over the table, turned clockwise; bent where `bow` says so."""
        turn = np.radians(angle_deg)
        cos, sin = float(np.cos(turn)), float(np.sin(turn))
        rotation = np.array([[cos, -sin], [sin, cos]])
        corners = sprite.outline_mm() @ rotation.T + np.array(place_mm)
        if bow is not None:
            bent = self.box(np.concatenate([self.camera.project(corners, h) for h in (0.0, abs(bow.rise_mm))]))
            if bent is not None:
                own = self.own_mm(bent, place_mm, angle_deg, bow)
                places = own * np.float32(sprite.px_per_mm) + (np.array(sprite.anchor_px, np.float32) - np.float32(0.5))
                _paint(picture, sprite, bent, places)
            return
        box = self.box(self.camera.project(corners, height_mm))
        if box is None:
            return
        left, top, right, bottom = box
        # A plane above the table is seen through the same pixel at a point nearer to the lens's foot.
        eye_x, eye_y, eye_h = self.camera.eye_mm
        near = 1 - height_mm / eye_h
        inverse = rotation.T * sprite.px_per_mm
        offset = inverse @ (np.array([eye_x, eye_y]) * (1 - near) - np.array(place_mm))
        offset += np.array(sprite.anchor_px) - 0.5
        affine = np.column_stack([inverse * near, offset]).astype(np.float32)
        places = cv2.transform(self._map[top:bottom, left:right], affine)
        _paint(picture, sprite, box, np.asarray(places, np.float32))

    def own_mm(self, box: Box, place_mm: Place, angle_deg: float, bow: Bow | None = None) -> NDArray[np.float32]:
        """The point of a piece, relative to its middle in its own frame, that each pixel of a box shows; mm, last axis x, y."""
        left, top, right, bottom = box
        turn = np.radians(angle_deg)
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        eye_x, eye_y, eye_h = self.camera.eye_mm
        eye = np.array([eye_x, eye_y], np.float32)
        from_eye = self._map[top:bottom, left:right] - eye
        start = eye - np.array(place_mm, np.float32)
        own = (from_eye + start) @ rotation.astype(np.float32)
        # What stands higher is seen through the same pixel nearer to the lens's foot; so low a bow settles in two steps.
        if bow is not None:
            for _ in range(2):
                near = np.asarray(1 - bow.height(own) / np.float32(eye_h), np.float32)
                own = (from_eye * near[..., None] + start) @ rotation.astype(np.float32)
        return np.asarray(own, np.float32)

    def ink(self, picture: Image, outline_mm: Points, colour: tuple[int, int, int], strength: float) -> None:
        """Fills a polygon of the table with a colour, with smooth edges; `strength` 0 to 1."""
        points = self.camera.project(outline_mm)
        box = self.box(points)
        if box is None:
            return
        left, top, right, bottom = box
        cover = cover_of(points - np.array([left, top]), (right - left, bottom - top))
        cover = cv2.convertScaleAbs(cover, alpha=strength).astype(np.uint8, copy=False)
        alpha = cv2.merge([cover, cover, cover])
        paint = np.empty_like(picture[top:bottom, left:right])
        paint[:] = colour
        area = picture[top:bottom, left:right]
        area[:] = cv2.add(
            cv2.multiply(area, cv2.bitwise_not(alpha), scale=1 / 255), cv2.multiply(paint, alpha, scale=1 / 255)
        )

    def box(self, points: Points) -> Box | None:
        """Left, top, right, bottom of the picture's part that the points span, or None outside."""
        width, height = self.camera.size
        low = np.floor(points.min(axis=0)).astype(int) - 1
        high = np.ceil(points.max(axis=0)).astype(int) + 2
        left, top = max(0, int(low[0])), max(0, int(low[1]))
        right, bottom = min(width, int(high[0])), min(height, int(high[1]))
        return (left, top, right, bottom) if right > left and bottom > top else None


def _paint(picture: Image, sprite: Sprite, box: Box, places_px: NDArray[np.float32]) -> None:
    """Paints a box of the picture with what the sprite shows at each pixel's place."""
    left, top, right, bottom = box
    across, down = cv2.split(places_px)
    area = picture[top:bottom, left:right]
    keep = cv2.remap(
        sprite.keep, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(255, 255, 255)
    )
    if sprite.colour.any():
        colour = cv2.remap(sprite.colour, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        area[:] = cv2.add(cv2.multiply(area, keep, scale=1 / 255), colour)
    else:
        area[:] = cv2.multiply(area, keep, scale=1 / 255)


def cover_of(points: Points, size: tuple[int, int], over: int = 4) -> Mask:
    """Coverage of a polygon given in px (integers are pixel middles) on a picture of `size` width, height."""
    mask = np.zeros((size[1] * over, size[0] * over), np.uint8)
    fixed = np.round(((points + 0.5) * over - 0.5) * 16).astype(np.int32)
    cv2.fillPoly(mask, [fixed.reshape(-1, 1, 2)], 255, cv2.LINE_8, 4)
    return cv2.resize(mask, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)

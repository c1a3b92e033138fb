"""The board's own plane: measured to a fraction of a pixel from its sides, cut into squares by its dividers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.outline import BoardSquare
from vision.frame import Image
from vision.observation import Point, Quad
from vision.table import TablePose

Floats = NDArray[np.float64]
Layer = NDArray[np.float32]

REACH_MM = 4.0
"""How far from its coarse place a side or divider is looked for."""
STEP_MM = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class BoardPlane:
    """Where the board lies: a map between the table and the board's own millimetres (origin at its top left corner)."""

    side_mm: float
    to_table_matrix: Floats
    """3 x 3 homography from board mm to table mm."""
    dividers: tuple[tuple[float, float], tuple[float, float]]
    """Board x of the two upright dividers, board y of the two level ones."""

    def to_table(self, points: Floats) -> Floats:
        """Table mm of points of the board, N x 2."""
        return _project(self.to_table_matrix, points)

    def from_table(self, points: Floats) -> Floats:
        """The reverse of `to_table`."""
        return _project(np.asarray(np.linalg.inv(self.to_table_matrix), np.float64), points)

    @property
    def outline_mm(self) -> Quad:
        """Top left, top right, bottom right, bottom left on the table."""
        s = self.side_mm
        corners = self.to_table(np.array([[0, 0], [s, 0], [s, s], [0, s]], np.float64))
        a, b, c, d = ((float(x), float(y)) for x, y in corners)
        return (a, b, c, d)

    def square_at(self, point: Point) -> int | None:
        """The square, 0 to 8 row by row, of a point of the board; None on a divider's own width or off the board."""
        column, row = (_band(value, cuts, self.side_mm) for value, cuts in zip(point, self.dividers, strict=True))
        return None if column is None or row is None else 3 * row + column


def _band(value: float, cuts: tuple[float, float], side: float) -> int | None:
    if not -2.0 <= value <= side + 2.0 or min(abs(value - cut) for cut in cuts) < 0.5:
        return None
    return sum(value > cut for cut in cuts)


def _project(matrix: Floats, points: Floats) -> Floats:
    flat = np.asarray(points, np.float64).reshape(-1, 1, 2)
    return cv2.perspectiveTransform(flat, matrix).reshape(-1, 2).astype(np.float64)


def view(image: Image, pose: TablePose, plane: BoardPlane, px_per_mm: float) -> Image:
    """The board seen from straight above: the middle of pixel (u, v) shows board point ((u + 0.5) / k, (v + 0.5) / k) mm."""
    size = round(plane.side_mm * px_per_mm)
    to_board = np.array([[1 / px_per_mm, 0, 0.5 / px_per_mm], [0, 1 / px_per_mm, 0.5 / px_per_mm], [0, 0, 1]])
    to_table = plane.to_table_matrix @ to_board
    if pose.lens is None:
        matrix = np.linalg.inv(pose.to_mm_matrix) @ to_table
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        warped = cv2.warpPerspective(image, matrix, (size, size), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(warped, np.uint8)
    u, v = np.meshgrid(np.arange(size, dtype=np.float64), np.arange(size, dtype=np.float64))
    source = pose.to_px(_project(to_table, np.stack([u.ravel(), v.ravel()], axis=1))).astype(np.float32)
    maps = source.reshape(size, size, 2)
    across, down = cv2.split(maps)
    mapped = cv2.remap(image, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(mapped, np.uint8)


def measure_plane(image: Image, pose: TablePose, square: BoardSquare) -> BoardPlane:
    """The board's plane from its coarse square: each side as the straight line that best follows the edge near it."""
    c, s = np.cos(np.radians(square.turn_deg)), np.sin(np.radians(square.turn_deg))
    u = square.left + np.array([0, square.side, square.side, 0])
    v = square.top + np.array([0, 0, square.side, square.side])
    coarse = np.stack([c * u - s * v, s * u + c * v], axis=1)
    lines = [_fit_side(image, pose, coarse[i], coarse[(i + 1) % 4]) for i in range(4)]
    crossings = np.array([np.cross(lines[i - 1], lines[i]) for i in range(4)])
    corners = crossings[:, :2] / crossings[:, 2:]
    lengths = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    length = float(lengths.mean())
    square_mm = np.array([[0, 0], [length, 0], [length, length], [0, length]], np.float32)
    matrix = cv2.getPerspectiveTransform(square_mm, corners.astype(np.float32)).astype(np.float64)
    thirds = (length / 3, 2 * length / 3)
    return BoardPlane(length, matrix, (thirds, thirds))


def _fit_side(image: Image, pose: TablePose, start: Floats, end: Floats) -> Floats:
    """The side's line (homogeneous, table mm) near the segment from `start` to `end`."""
    along = end - start
    length = float(np.linalg.norm(along))
    along /= length
    across = np.array([-along[1], along[0]])
    t = np.linspace(0.03, 0.97, 80) * length
    offsets = np.arange(-REACH_MM, REACH_MM + 1e-6, STEP_MM)
    points = start + t[:, None, None] * along + offsets[None, :, None] * across
    maps = pose.to_px(points.reshape(-1, 2)).reshape(points.shape).astype(np.float32)
    columns, rows = cv2.split(maps)
    raw = cv2.remap(image, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    samples = np.asarray(cv2.GaussianBlur(raw.astype(np.float32), (5, 1), 1.0), np.float32)
    steps = np.abs(np.gradient(samples, axis=1)).max(axis=2)
    # A strong stretch (a hand, a card's edge) must not outvote the side's whole length.
    steps = np.minimum(steps, np.median(steps.max(axis=1)) + 1e-3)
    ends = np.arange(0, len(offsets), 2)
    a, b = (grid.ravel() for grid in np.meshgrid(ends, ends))
    rows = np.arange(len(t))
    where = np.rint(a[:, None] + (b - a)[:, None] * (t / length)[None, :]).astype(np.int64)
    best = int(steps[rows[None, :], where].sum(axis=1).argmax())
    place = offsets[a[best]] + (offsets[b[best]] - offsets[a[best]]) * t / length
    slope, base = 0.0, 0.0
    for reach in (1.0, 0.6):
        near = np.abs(offsets[None, :] - place[:, None]) <= reach
        weight = np.where(near, steps**2, 0.0) + 1e-9
        centre = (weight * offsets).sum(axis=1) / weight.sum(axis=1)
        heavy = np.where(near, steps, 0.0).max(axis=1)
        slope, base = np.polyfit(t, centre, 1, w=heavy + 1e-6)
        place = base + slope * t
    first, last = start + base * across, end + (base + slope * length) * across
    return np.cross(np.append(first, 1.0), np.append(last, 1.0))


def with_dividers(plane: BoardPlane, picture: Image) -> BoardPlane:
    """The plane with its dividers where a view of the board shows them: the median over their length; else even thirds."""
    levels = picture.astype(np.float32)
    across, down = np.median(levels[::9], axis=0), np.median(levels[:, ::9], axis=1)
    k = picture.shape[0] / plane.side_mm
    return replace(plane, dividers=(_cuts(across, k, plane.side_mm), _cuts(down, k, plane.side_mm)))


def _cuts(profile: Layer, k: float, side: float) -> tuple[float, float]:
    """Where a profile (px of k a mm, 3 channels) has its ridges near the thirds of the side, mm."""
    reach = round(2.5 * k)
    ridge = np.abs(profile - (np.roll(profile, reach, 0) + np.roll(profile, -reach, 0)) / 2).max(axis=1)
    noise = float(np.median(ridge)) + 0.5

    def cut(third: float) -> float:
        low, high = round((third - REACH_MM) * k), round((third + REACH_MM) * k) + 1
        window = ridge[low:high]
        if window.max() < 3 * noise:
            return third
        weight = np.where(window > 0.5 * window.max(), window, 0.0)
        return float((weight * (np.arange(low, high) + 0.5)).sum() / weight.sum() / k)

    return cut(side / 3), cut(2 * side / 3)

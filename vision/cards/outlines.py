"""Card-sized rectangles in the table view: where a card of known size may lie, whatever it shows and whatever it lies on.

The view is metric, so a card is a rectangle of known size that may only shift and turn. One visible corner with its two
sides fixes it; how much of the whole outline is edge says how likely it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

VIEW_PX_PER_MM = 1.0

_MIN_SEGMENT_MM = 11.0
_STEP_MM = 2.0
_SEARCH_MM = (-1.0, 0.0, 1.0)
_ROW, _ROW_SHARE = 7, 0.6
"""Steps that are an edge together, and the mean of them, each counted for one threshold at most, as a share of it."""
_MAX_SEGMENTS = 900
_LONG_ENOUGH_MM = 40.0
_MIN_SHOWN_STEPS = 12
_ALL_ALONG = 0.9
_COLOUR_BLUR_PX = 0.8
_NOISY_PX, _MAX_SOFT_SEGMENTS = 1.5, 300
"""Blur (sigma) after which segments are looked for once more, and how many of those are kept that lie along no sharp one."""
_SAME_LINE_PX, _MOSTLY = 1.5, 0.75

Floats = NDArray[np.float64]
Sides = tuple[bool, bool, bool, bool]
"""Top, right, bottom, left."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A rectangle of a card's size on the table. `angle_deg` turns an upright portrait card clockwise about its middle."""

    x_mm: float
    y_mm: float
    angle_deg: float
    support: float = 0.0
    """Share of the outline that shows as an edge, 0 to 1."""
    weakest: float = 0.0
    """The same, of its worst side."""

    def corners_mm(self, width_mm: float, height_mm: float) -> Floats:
        """Top left, top right, bottom right, bottom left; 4 x 2."""
        # As `corners_of` says them, at a fifth of its cost for a single one.
        turn = math.radians(self.angle_deg)
        cos, sin = math.cos(turn), math.sin(turn)
        right, down = (cos * width_mm / 2, sin * width_mm / 2), (-sin * height_mm / 2, cos * height_mm / 2)
        (left_x, left_y), (right_x, right_y) = (
            (self.x_mm + sign * right[0], self.y_mm + sign * right[1]) for sign in (-1, 1)
        )
        return np.array(
            [
                (left_x - down[0], left_y - down[1]),
                (right_x - down[0], right_y - down[1]),
                (right_x + down[0], right_y + down[1]),
                (left_x + down[0], left_y + down[1]),
            ],
            np.float64,
        )


def corners_of(placements: Floats, width_mm: float, height_mm: float) -> Floats:
    """N x 4 x 2 corners of N x (x, y, angle)."""
    turn = np.radians(placements[:, 2])
    right = np.stack([np.cos(turn), np.sin(turn)], axis=1)[:, None] * width_mm / 2
    down = np.stack([-np.sin(turn), np.cos(turn)], axis=1)[:, None] * height_mm / 2
    signs_x = np.array([-1, 1, 1, -1])[None, :, None]
    signs_y = np.array([-1, -1, 1, 1])[None, :, None]
    return np.asarray(placements[:, None, :2] + signs_x * right + signs_y * down, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class EdgeMap:
    """Gradients and straight segments of the table view, in mm."""

    gradient: NDArray[np.float32]
    """Height x width x channels x 2: x and y derivative, in grey levels a mm after stretching."""
    segments: Floats
    """N x 4: ends x1, y1, x2, y2 mm, the most distinct first."""
    origin_mm: tuple[float, float]
    threshold: float
    """What a gradient must reach to be an edge of something and not the ground's own texture."""
    usable: NDArray[np.bool_]
    """Height x width: where the view can say whether there is an edge at all."""


def edge_map(view: Image, origin_mm: tuple[float, float], usable: NDArray[np.bool_] | None = None) -> EdgeMap:
    """Edges of a view at VIEW_PX_PER_MM whose first pixel starts at `origin_mm`; none where `usable` is False."""
    channels = _channels(view)
    smooth = [cv2.GaussianBlur(channel, (0, 0), 0.8) for channel in channels]
    derivatives = np.stack(
        [np.stack([cv2.Scharr(c, cv2.CV_32F, 1, 0), cv2.Scharr(c, cv2.CV_32F, 0, 1)], axis=-1) / 32 for c in smooth],
        axis=2,
    )
    gradient = np.asarray(derivatives, np.float32)
    strength = _strongest(gradient)
    usable = np.ones(view.shape[:2], np.bool_) if usable is None else usable.copy()
    gradient[~usable] = 0
    threshold = float(np.clip(3.0 * np.median(strength), 3.0, 12.0))
    sharp = _segments(channels, strength, usable)[:_MAX_SEGMENTS]
    # In noise a line breaks up where it is looked for pixel by pixel.
    blurred = [np.asarray(cv2.GaussianBlur(channel, (0, 0), _NOISY_PX), np.uint8) for channel in channels]
    soft = _segments(blurred, strength, usable)[:_MAX_SEGMENTS]
    segments = np.concatenate([sharp, soft[~_along_any(soft, sharp)][:_MAX_SOFT_SEGMENTS]])
    kept = (segments + 0.5) / VIEW_PX_PER_MM + np.array([*origin_mm, *origin_mm])
    return EdgeMap(gradient, kept, origin_mm, threshold, usable)


def _segments(
    channels: Sequence[NDArray[np.uint8]], strength: NDArray[np.float32], usable: NDArray[np.bool_]
) -> Floats:
    """Straight segments of pictures in view pixels, N x 4, the most distinct first."""
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD, 1.0)
    found = [np.zeros((0, 4))]
    for channel in channels:
        lines = detector.detect(channel)[0]
        if lines is not None:
            found.append(np.asarray(lines, np.float64).reshape(-1, 4))
    segments = np.concatenate(found)
    lengths = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    keep = lengths >= _MIN_SEGMENT_MM * VIEW_PX_PER_MM
    if len(segments):
        middle = ((segments[:, :2] + segments[:, 2:]) / 2).round().astype(int)
        x = middle[:, 0].clip(0, usable.shape[1] - 1)
        y = middle[:, 1].clip(0, usable.shape[0] - 1)
        keep &= usable[y, x]
    # Grain and folds give long but weak lines: what stands out most goes first.
    worth = np.minimum(lengths[keep], _LONG_ENOUGH_MM * VIEW_PX_PER_MM) * _strength_along(strength, segments[keep])
    return np.asarray(segments[keep][np.argsort(-worth, kind="stable")], np.float64)


def _along_any(segments: Floats, known: Floats) -> NDArray[np.bool_]:
    """Which segments lie along a known one for most of their length; both in view pixels."""
    if not len(segments) or not len(known):
        return np.zeros(len(segments), np.bool_)
    ways = known[:, 2:] - known[:, :2]
    reach = np.hypot(ways[:, 0], ways[:, 1])
    ways = ways / reach[:, None]
    ends = segments.reshape(-1, 1, 2, 2) - known[None, :, None, :2]
    along = (ends * ways[None, :, None]).sum(axis=-1)
    across = np.abs(ends[..., 0] * ways[None, :, None, 1] - ends[..., 1] * ways[None, :, None, 0]).max(axis=2)
    shared = np.minimum(along.max(axis=2), reach) - np.maximum(along.min(axis=2), 0)
    lengths = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    return np.asarray(((across < _SAME_LINE_PX) & (shared > _MOSTLY * lengths[:, None])).any(axis=1))


def _strongest(gradient: NDArray[np.float32]) -> NDArray[np.float32]:
    """Size of the gradient in the channel where it is largest."""
    sizes = [
        cv2.magnitude(np.ascontiguousarray(gradient[:, :, c, 0]), np.ascontiguousarray(gradient[:, :, c, 1]))
        for c in range(gradient.shape[2])
    ]
    return np.asarray(np.max(sizes, axis=0), np.float32)


def _strength_along(strength: NDArray[np.float32], segments: Floats) -> Floats:
    """Mean gradient along each segment, in view pixels."""
    steps = np.linspace(0.1, 0.9, 7)[None, :, None]
    points = segments[:, None, :2] * (1 - steps) + segments[:, None, 2:] * steps
    x = points[..., 0].round().astype(int).clip(0, strength.shape[1] - 1)
    y = points[..., 1].round().astype(int).clip(0, strength.shape[0] - 1)
    return np.asarray(cv2.dilate(strength, np.ones((3, 3), np.uint8))[y, x].mean(axis=1), np.float64)


def _channels(view: Image) -> list[NDArray[np.uint8]]:
    """Brightness, stretched; and both directions of colour, first that in which the view varies most: a card may differ from what
    it lies on in either alone."""
    values = view.astype(np.float32)
    top = max(float(np.percentile(values, 98)), 30.0)
    values = np.clip(values * (235.0 / top), 0, 255)
    grey = values @ np.array([0.2, 0.5, 0.3], np.float32)
    chroma = np.stack([values[..., 2] - values[..., 1], values[..., 0] - values[..., 1]], axis=-1)
    # Cameras tell colour less finely than brightness, and with more noise.
    chroma = np.asarray(cv2.GaussianBlur(chroma, (0, 0), _COLOUR_BLUR_PX), np.float32)
    sample = chroma[::4, ::4].reshape(-1, 2)
    directions = np.linalg.eigh(np.cov(sample.T) + 1e-6 * np.eye(2))[1].astype(np.float32)
    colours = [np.clip(128 + chroma @ directions[:, i], 0, 255) for i in (1, 0)]
    return [channel.astype(np.uint8) for channel in (grey, *colours)]


def quarter(vectors: Floats) -> Floats:
    return np.column_stack([-vectors[:, 1], vectors[:, 0]])


def outline_support(edges: EdgeMap, raw: Floats, width_mm: float, height_mm: float) -> tuple[Floats, Floats]:
    """Share of each placement's outline that is edge across it, and the share of its worst side."""
    corners = corners_of(raw, width_mm, height_mm)
    totals, sides = np.zeros(len(raw)), []
    for i in range(4):
        share = _edge_along(edges, corners, i, width_mm, height_mm).mean(axis=1)
        sides.append(share)
        totals += share * (width_mm if i % 2 == 0 else height_mm)
    return totals / (2 * (width_mm + height_mm)), np.min(sides, axis=0)


def rim_points(raw: Floats, width_mm: float, height_mm: float) -> Floats:
    """Placements x steps x 2: places along each outline, mm."""
    corners = corners_of(raw, width_mm, height_mm)
    return np.concatenate([along(corners, i, width_mm, height_mm)[0] for i in range(4)], axis=1)


def rim_edges(edges: EdgeMap, raw: Floats, width_mm: float, height_mm: float) -> NDArray[np.bool_]:
    """Placements x steps: where the outline is an edge."""
    corners = corners_of(raw, width_mm, height_mm)
    return np.concatenate([_edge_along(edges, corners, i, width_mm, height_mm) for i in range(4)], axis=1)


def share_along(edges: EdgeMap, raw: Floats, size_mm: tuple[float, float], where: NDArray[np.bool_]) -> Floats:
    """Share of each placement's outline that is edge, of what of it lies in a part of the view; 0 where hardly any does."""
    points = rim_points(raw, *size_mm)
    there = _where(edges, points.reshape(-1, 2), where).reshape(points.shape[:2])
    count = there.sum(axis=1)
    share = (rim_edges(edges, raw, *size_mm) & there).sum(axis=1) / np.maximum(count, 1)
    return np.where(count >= _MIN_SHOWN_STEPS, share, 0.0)


def along(corners: Floats, i: int, width_mm: float, height_mm: float) -> tuple[Floats, Floats]:
    """Steps along each placement's i-th side, and its normal."""
    a, b = corners[:, i], corners[:, (i + 1) % 4]
    side = width_mm if i % 2 == 0 else height_mm
    steps = np.linspace(0.04, 0.96, max(8, int(side / _STEP_MM)))
    points = a[:, None] + (b - a)[:, None] * steps[None, :, None]
    return points, (quarter(b - a) / side)[:, None]


def _edge_along(edges: EdgeMap, corners: Floats, i: int, width_mm: float, height_mm: float) -> NDArray[np.bool_]:
    return _is_edge(_across(edges, *along(corners, i, width_mm, height_mm)), edges.threshold)


def _is_edge(across: NDArray[np.float32], threshold: float) -> NDArray[np.bool_]:
    """Placements x steps: where the gradient across a side is large enough in any of its offsets and channels."""
    large = np.asarray((np.abs(across) > threshold).any(axis=0))
    # A channel at a time: numpy is slow over a last axis this short.
    return np.asarray(np.logical_or.reduce([large[..., channel] for channel in range(large.shape[-1])]))


def _is_edge_in_a_row(across: NDArray[np.float32], threshold: float) -> NDArray[np.bool_]:
    """Where steps beside each other are edges of one sign together, though each of them may be lost in grain or blur."""
    steps = across.shape[2]
    first = np.clip(np.arange(steps) - _ROW // 2, 0, max(steps - _ROW, 0))
    last = np.minimum(first + _ROW, steps)
    most = across.clip(-threshold, threshold)
    sums = np.concatenate([np.zeros_like(most[:, :, :1]), np.cumsum(most, axis=2)], axis=2)
    mean = (sums[:, :, last] - sums[:, :, first]) / (last - first)[:, None]
    return _is_edge(mean, _ROW_SHARE * threshold)


def without(edges: EdgeMap, covered: NDArray[np.bool_]) -> EdgeMap:
    """The map less the edges that are known to belong to something else."""
    reach = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))
    gradient = edges.gradient.copy()
    gradient[cv2.dilate(covered.astype(np.uint8), reach) > 0] = 0
    return replace(edges, gradient=gradient)


class Support(NamedTuple):
    """What of an outline is edge, where it is in sight."""

    share: float
    """0 to 1; 0 where hardly any of it is in sight."""
    weakest: float
    """The same of its worst side."""
    sides: Sides
    """Of which a good part is in sight."""
    firm: Sides
    """Those of them that are edge all along."""


def own_support(edges: EdgeMap, placement: Placement, size_mm: tuple[float, float], free: NDArray[np.bool_]) -> Support:
    """Of those parts of an outline that are in a usable part of the view, and whose inner side is free."""
    corners = corners_of(np.array([[placement.x_mm, placement.y_mm, placement.angle_deg]]), *size_mm)
    seen, shown, weakest = 0, 0, 1.0
    shows, firm = [False] * 4, [False] * 4
    for i in range(4):
        points, normal = along(corners, i, *size_mm)
        open_here = _where(edges, points[0] + normal[0] * 3, free) & _where(edges, points[0], edges.usable)
        steps = int(open_here.sum())
        across = _across(edges, points, normal)
        shows_edge = _is_edge(across, edges.threshold) | _is_edge_in_a_row(across, edges.threshold)
        edge = int((shows_edge[0] & open_here).sum())
        if steps >= _MIN_SHOWN_STEPS:
            weakest = min(weakest, edge / steps)
            shows[i], firm[i] = True, edge >= _ALL_ALONG * steps
        shown += steps
        seen += edge
    if shown < _MIN_SHOWN_STEPS:
        return Support(0.0, 0.0, (False,) * 4, (False,) * 4)
    return Support(
        seen / shown, weakest, (shows[0], shows[1], shows[2], shows[3]), (firm[0], firm[1], firm[2], firm[3])
    )


def _where(edges: EdgeMap, points: Floats, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What a mask of the view says at points x 2, mm; False outside the view."""
    place = ((points - np.array(edges.origin_mm)) * VIEW_PX_PER_MM).astype(int)
    inside, index = _in_view(place[:, 0], place[:, 1], mask.shape)
    return np.asarray(inside & mask.ravel()[index])


def tells_place(sides: Sides) -> tuple[bool, bool]:
    """Whether one of these sides tells a card's place down the card, and one of them its place across it."""
    top, right, bottom, left = sides
    return top or bottom, left or right


def _across(edges: EdgeMap, points: Floats, normal: Floats) -> NDArray[np.float32]:
    """Offsets x placements x steps x channels: the gradient along the normal, with its sign, at and beside points of a side."""
    beside = points + normal * np.array(_SEARCH_MM)[:, None, None, None]
    place = ((beside - np.array(edges.origin_mm)) * VIEW_PX_PER_MM - 0.5).round().astype(int)
    inside, index = _in_view(place[..., 0], place[..., 1], edges.gradient.shape[:2])
    sampled = edges.gradient.reshape(-1, *edges.gradient.shape[2:])[index]
    across = sampled[..., 0] * normal[..., :1] + sampled[..., 1] * normal[..., 1:]
    across[~inside] = 0
    return across.astype(np.float32)


def _in_view(
    x: NDArray[np.intp], y: NDArray[np.intp], shape: tuple[int, ...]
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Which pixels lie in a view of so many rows and columns, and which of all its pixels in a row they are; 0 outside."""
    height, width = shape
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    return inside, np.where(inside, y * width + x, 0)

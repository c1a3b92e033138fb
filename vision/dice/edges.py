"""How well a die's edges are borne out by a picture of the table seen from straight above (TablePose.rectify).

A point at height z over the table shows there where the ray from the eye through it meets the table: that is all that has to be
known of the camera.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.eye import Eye
from vision.dice.silhouette import Silhouette
from vision.dice.solids import Solid
from vision.frame import Image

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Mask = NDArray[np.uint8]

SAMPLES = 7
"""Places looked at along an edge."""
_ENDS = 0.12
"""Share of an edge at each end that is left out: corners are rounded."""
_EDGE_PX = 5.0
SMALL = 0.5
"""Scale of the picture in which areas are compared."""
LIGHT_FLOOR = 16.0
_NOISES = 2.5
_LEAST_CHANGE = 0.012
"""Change of light a pixel, natural logarithm, that is no noise anywhere."""
INNER_WEIGHT = 0.6
"""What an edge between two sides that both show counts beside one of the outline."""
OUTLINE_WEIGHT = 0.12
"""What a pose's outline that is a millimetre off the die's counts beside the share of its edges."""
_SOFT_PX = (1.2, 2.0)
"""A picture without noise is blurred by so much, and a noisy one by at most so much."""
_GRAIN = 0.012
"""Usual change of light a pixel, natural logarithm, from which on a picture is noisy."""
_BINS = 24
"""Directions, of a half circle, for which evidence is kept."""
_RIM_PX = 10
"""Around the picture, without edges, so that places a little beyond it need no care."""
_COARSE_RIM_MM = 9.0


class EdgeMap:
    """How strongly a rectified picture changes across each direction, by place."""

    def __init__(
        self,
        picture: Image,
        px_per_mm: float,
        origin_mm: tuple[float, float],
        cover: Mask | None = None,
        silhouette: Silhouette | None = None,
    ) -> None:
        self.picture, self.px_per_mm, self.origin_mm = picture, px_per_mm, origin_mm
        self.cover = cover
        """255 where something lies over it, that speaks neither for nor against a die; None where nothing does."""
        self.silhouette = silhouette
        """The die's outline by colour, where one is to be told."""
        self._parts, strength = _changes(picture, _SOFT_PX[0])
        grain = float(np.percentile(strength, 30))
        if grain > _GRAIN:
            # Noise and the ground's texture are as fine as a pixel, a die's edges are long.
            soft = min(_SOFT_PX[0] * grain / _GRAIN, _SOFT_PX[1])
            self._parts, strength = _changes(picture, soft)
        rows, columns = (length // 3 for length in strength.shape)
        self._levels = (_level(strength), _level(strength[rows : 2 * rows, columns : 2 * columns]))
        small = cv2.resize(picture, None, fx=SMALL, fy=SMALL, interpolation=cv2.INTER_AREA).astype(np.float32)
        self.smooth: Singles = np.asarray(np.log(small + np.float32(LIGHT_FLOOR)), np.float32)

    @cached_property
    def light(self) -> Singles:
        """Natural logarithm of the picture's light."""
        return np.asarray(np.log(self.picture.astype(np.float32) + np.float32(LIGHT_FLOOR)), np.float32)

    @cached_property
    def fine(self) -> EdgeField:
        """Edges at full sharpness."""
        return EdgeField(
            self._parts, self._levels, self.px_per_mm, self.origin_mm, _RIM_PX, self.cover, self.silhouette
        )

    def softened(self, reach_mm: float) -> EdgeField:
        """The same at half the scale, with edges that can be felt so far off, for coarse tries."""
        spread = reach_mm * self.px_per_mm
        # Spread out, an edge of some two pixels would count for little.
        gain = np.float32(spread * np.sqrt(2 * np.pi) / _EDGE_PX)
        halves = [cv2.resize(part, None, fx=SMALL, fy=SMALL, interpolation=cv2.INTER_AREA) for part in self._parts]
        soft = [gain * cv2.GaussianBlur(half, (0, 0), SMALL * spread) for half in halves]
        scale = SMALL * self.px_per_mm
        rim = round(_COARSE_RIM_MM * scale)
        return EdgeField(soft, self._levels, scale, self.origin_mm, rim, self.small_cover, self.silhouette)

    @cached_property
    def small_cover(self) -> Mask | None:
        """`cover` at SMALL scale."""
        if self.cover is None:
            return None
        return np.asarray(cv2.resize(self.cover, None, fx=SMALL, fy=SMALL, interpolation=cv2.INTER_NEAREST), np.uint8)

    def px(self, points_mm: Floats) -> Floats:
        """Pixels of points on the table's plane."""
        return np.asarray((points_mm - np.array(self.origin_mm)) * self.px_per_mm - 0.5)


def _changes(picture: Image, soft_px: float) -> tuple[list[Singles], Singles]:
    """Squares of the change of light across and down and their product, and how strong it is."""
    light = np.log(cv2.GaussianBlur(picture, (0, 0), soft_px).astype(np.float32) + np.float32(LIGHT_FLOOR))
    across = cv2.Scharr(light, cv2.CV_32F, 1, 0, scale=1 / 32)
    down = cv2.Scharr(light, cv2.CV_32F, 0, 1, scale=1 / 32)
    parts = [(across**2).sum(axis=2), (across * down).sum(axis=2), (down**2).sum(axis=2)]
    return parts, np.sqrt(parts[0] + parts[2])


def _level(strength: Singles) -> float:
    """Square of what a change of light must exceed to be no noise."""
    return (_NOISES * float(np.percentile(strength, 30))) ** 2 + _LEAST_CHANGE**2


class EdgeField:
    """0 to 1 for each place and direction: how likely an edge runs there, on a die's outline and between its sides."""

    def __init__(
        self,
        parts: Sequence[Singles],
        levels: tuple[float, float],
        px_per_mm: float,
        origin_mm: tuple[float, float],
        rim: int,
        cover: Mask | None = None,
        silhouette: Silhouette | None = None,
    ) -> None:
        self.px_per_mm, self.origin_mm, self.rim = px_per_mm, origin_mm, rim
        self.silhouette = silhouette
        height, width = parts[0].shape
        self.width, self.height = width + 2 * rim, height + 2 * rim
        turns = np.arange(_BINS) * np.pi / _BINS
        self._kept = np.zeros((len(levels), _BINS, self.height, self.width), np.float32)
        inner = self._kept[:, :, rim : rim + height, rim : rim + width]
        for number, turn in enumerate(turns):
            cosine, sine = np.float32(np.cos(turn)), np.float32(np.sin(turn))
            power = parts[0] * (cosine * cosine) + parts[1] * (2 * cosine * sine) + parts[2] * (sine * sine)
            for kind, level in enumerate(levels):
                np.divide(power, power + np.float32(level), out=inner[kind, number])
        self.flat = self._kept.reshape(-1)
        self.bare: Singles | None = None
        if cover is not None:
            self.bare = np.pad((cover == 0).astype(np.float32), rim, constant_values=1.0).reshape(-1)

    def found(self, at: NDArray[np.int32]) -> tuple[Singles, Singles | None]:
        """The evidence at places (N, S) of edges, each edge's mean over what is bare, and how much of it is; None: all."""
        evidence = self.flat.take(at)
        if self.bare is None:
            return evidence.mean(axis=1), None
        bare = self.bare.take(at % (self.width * self.height))
        share = bare.mean(axis=1)
        return (evidence * bare).mean(axis=1) / np.maximum(share, np.float32(1e-6)), share

    def at(self, points_mm: Floats, normals: Floats, inner: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Where the evidence for edges at points (N, S, 2) with one normal a row (N, 2) is kept, (N, S); a step of a pixel right
        is 1 further, a step down `width`."""
        rim = self.rim
        u = np.rint((points_mm[..., 0] - self.origin_mm[0]) * self.px_per_mm - 0.5 + rim).astype(np.int32)
        v = np.rint((points_mm[..., 1] - self.origin_mm[1]) * self.px_per_mm - 0.5 + rim).astype(np.int32)
        u.clip(0, self.width - 1, out=u)
        v.clip(0, self.height - 1, out=v)
        turn = np.rint(np.arctan2(normals[:, 1], normals[:, 0]) * (_BINS / np.pi)).astype(np.int32) % _BINS
        layer = (inner.astype(np.int32) * _BINS + turn) * (self.width * self.height)
        return np.asarray(layer[:, None] + v * self.width + u)


def placed(vertices: Floats, poses: Floats) -> Floats:
    """Corners (M, N, 3) mm of solids (N, 3) or (M, N, 3) in M poses (x, y, height, yaw)."""
    x, y, height, yaw = (poses[:, i, None] for i in range(4))
    across, down, up = (height * vertices[..., i] for i in range(3))
    cosine, sine = np.cos(yaw), np.sin(yaw)
    return np.stack([x + cosine * across - sine * down, y + sine * across + cosine * down, up], axis=2)


def seen_faces(shape: Solid, poses: Floats, eye: Eye) -> NDArray[np.bool_]:
    """Which faces show in each pose, (M, faces)."""
    x, y, height, yaw = (poses[:, i] for i in range(4))
    if np.isfinite(eye.height):
        toward = [eye.x - x, eye.y - y, np.full(len(poses), eye.height)]
        off = height[:, None] * shape.offsets
    else:
        slants = poses[:, 4:].T if poses.shape[1] == 6 else (np.full(len(poses), eye.x), np.full(len(poses), eye.y))
        toward = [-slants[0], -slants[1], np.ones(len(poses))]
        off = np.zeros((len(poses), 1))
    # The eye as the die sees it, instead of every face as the table does.
    cosine, sine = np.cos(yaw), np.sin(yaw)
    own = np.column_stack([cosine * toward[0] + sine * toward[1], cosine * toward[1] - sine * toward[0], toward[2]])
    return np.asarray(own @ shape.normals.T > off)


def shown_corners(eye: Eye, shape: Solid, poses: Floats) -> Floats:
    """Where the corners of a solid in M poses show on the table's plane, (M, N, 2) mm."""
    corners = placed(shape.vertices, poses)
    slanted = poses.shape[1] == 6
    return np.asarray(corners[..., :2] + corners[..., 2:] * poses[:, None, 4:] if slanted else eye.shown(corners))


def outline_costs(
    field: EdgeField, eye: Eye, shape: Solid, poses: Floats, shifts_mm: Floats | None = None
) -> Floats | float:
    """What speaks against M poses, or each of them moved by K shifts, by the die's outline; 0 where none is known."""
    if field.silhouette is None:
        return 0.0
    return OUTLINE_WEIGHT * field.silhouette.misfits(shown_corners(eye, shape, poses), shifts_mm)


class _Edges:
    """The edges that show in M poses, one after another."""

    def __init__(self, field: EdgeField, eye: Eye, shape: Solid, poses: Floats, samples: int) -> None:
        shown = shown_corners(eye, shape, poses)
        seen = seen_faces(shape, poses, eye)
        table = shape.edge_table
        first, second = seen[:, table[:, 2]], seen[:, table[:, 3]]
        self.pose, edge = np.nonzero(first | second)
        """Number of the pose of each edge, ascending."""
        self.inner = inner = (first & second)[self.pose, edge]
        """Whether both of its sides show."""
        start, end = shown[self.pose, table[edge, 0]], shown[self.pose, table[edge, 1]]
        along = end - start
        self.counts = np.hypot(along[:, 0], along[:, 1]) * np.where(inner, INNER_WEIGHT, 1.0)
        places = np.linspace(_ENDS, 1 - _ENDS, samples)
        points = start[:, None] + along[:, None] * places[:, None]
        self.at = field.at(points, np.column_stack([-along[:, 1], along[:, 0]]), inner)


def score_poses(field: EdgeField, eye: Eye, shape: Solid, poses: Floats, samples: int = SAMPLES) -> Floats:
    """What share of each pose's visible edges the picture bears out, M values 0 to 1.

    Poses are x, y, height, yaw; where the eye is infinitely high also its slant, x and y.
    """
    edges = _Edges(field, eye, shape, poses, samples)
    found, bare = field.found(edges.at)
    whole = np.bincount(edges.pose, edges.counts, len(poses))
    if bare is None:
        return np.asarray(np.bincount(edges.pose, edges.counts * found, len(poses)) / np.maximum(whole, 1e-9))
    counts = edges.counts * bare
    seen = np.bincount(edges.pose, counts, len(poses))
    scores = np.bincount(edges.pose, counts * found, len(poses)) / np.maximum(seen, 1e-9)
    return np.asarray(scores * _worth_of_part(seen / np.maximum(whole, 1e-9)))


def _worth_of_part(share: Floats) -> Floats:
    """What the edges of a die count of which only this share can be seen: fewer edges are borne out more easily."""
    return np.asarray((1 - _HIDDEN_COSTS * (1 - share)) * np.minimum(share / _LEAST_BARE, 1))


_HIDDEN_COSTS = 0.12
_LEAST_BARE = 0.5


def inner_score(field: EdgeField, eye: Eye, shape: Solid, pose: Floats) -> float:
    """What share of the edges between sides that both show is borne out, 0 to 1: what is round or flat has none there."""
    edges = _Edges(field, eye, shape, pose, 2 * SAMPLES)
    found, bare = field.found(edges.at[edges.inner])
    counts = edges.counts[edges.inner] * (1.0 if bare is None else bare)
    return float((found * counts).sum() / max(float(counts.sum()), 1e-9))


def score_shifted(
    field: EdgeField, eye: Eye, shape: Solid, poses: Floats, shifts_px: NDArray[np.int32], samples: int
) -> Floats:
    """The same for each of M poses as it shows moved by each of K shifts (across, down; pixels of the field): M x K.

    That its sides show a little more or less there is not counted.
    """
    edges = _Edges(field, eye, shape, poses, samples)
    steps = shifts_px[:, 1] * field.width + shifts_px[:, 0]
    last = field.width * field.height * 2 * _BINS - 1
    found = np.zeros((len(edges.pose), len(steps)), np.float32)
    bare = None if field.bare is None else np.zeros_like(found)
    for sample in edges.at.T:
        at = (sample[:, None] + steps).clip(0, last)
        evidence = field.flat.take(at)
        if field.bare is not None and bare is not None:
            seen = field.bare.take(at % (field.width * field.height))
            bare += seen
            evidence *= seen
        found += evidence
    counts = (edges.counts / samples).astype(np.float32)[:, None]
    starts = np.flatnonzero(np.diff(edges.pose, prepend=-1))
    whole = np.add.reduceat(edges.counts, starts)[:, None]
    summed = np.add.reduceat(found * counts, starts, axis=0)
    if bare is None:
        return np.asarray(summed / np.maximum(whole, 1e-9), np.float64)
    shown = np.add.reduceat(bare * counts, starts, axis=0)
    return np.asarray(summed / np.maximum(shown, 1e-9) * _worth_of_part(shown / np.maximum(whole, 1e-9)), np.float64)

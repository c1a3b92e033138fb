"""Where a die lies and how it is turned: a known solid laid over the edges that the picture shows.

Everything is done in a picture of the table seen from straight above (TablePose.rectify). A point at height z over the table
shows there where the ray from the eye through it meets the table: that is all that has to be known of the camera.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.eye import Eye
from vision.dice.solids import USUAL_APEX, Solid, solid
from vision.frame import Image

Floats = NDArray[np.float64]

SAMPLES = 7
"""Places looked at along an edge."""
_ENDS = 0.12
"""Share of an edge at each end that is left out: corners are rounded."""
_EDGE_PX = 5.0
_SMALL = 0.5
_LIGHT_FLOOR = 16.0
_NOISES = 2.5
_LEAST_CHANGE = 0.012
"""Change of light a pixel, natural logarithm, that is no noise anywhere."""
INNER_WEIGHT = 0.6
"""What an edge between two sides that both show counts beside one of the outline."""


@dataclass(frozen=True, slots=True)
class DiePose:
    """A die lying on the table."""

    sides: int
    apex: float
    x: float
    y: float
    """The die's middle, mm."""
    height: float
    """Distance of opposite faces, mm."""
    yaw: float
    """Direction of the top face's tip (10 sides) or of one of its corners (8), radians from x toward y."""
    eye: Eye
    """From where it is seen."""
    score: float = 0.0
    """Share of the edges that the picture bears out, 0 to 1."""
    even: float = 0.0
    """See `evenness`."""

    @property
    def worth(self) -> float:
        """By what poses of one die are compared."""
        return self.score + EVEN_WEIGHT * self.even

    def corners(self) -> Floats:
        """All corners, N x 3 mm."""
        return np.asarray(_placed(self.solid.vertices, np.array([[self.x, self.y, self.height, self.yaw]]))[0])

    def shown(self) -> Floats:
        """Where the corners show on the table's plane, N x 2 mm."""
        return self.eye.shown(self.corners())

    def shown_top(self) -> Floats:
        """Where the top face's corners show on the table's plane, N x 2 mm, from its tip on."""
        return self.shown()[list(self.solid.faces[1])]

    def outline(self) -> Floats:
        """The outline of what shows, N x 2 mm."""
        return np.asarray(cv2.convexHull(self.shown().astype(np.float32)).reshape(-1, 2), np.float64)

    def seen_faces(self) -> list[int]:
        """Which faces show."""
        return [int(i) for i in np.flatnonzero(_seen_faces(self.solid, self.corners()[None], self.eye)[0])]

    @property
    def solid(self) -> Solid:
        return solid(self.sides, self.apex)

    def top(self) -> Floats:
        """The top face's corners, N x 3 mm, from its tip on."""
        return self.corners()[list(self.solid.faces[1])]


def _placed(vertices: Floats, poses: Floats) -> Floats:
    """Corners (M, N, 3) mm of one solid in M poses (x, y, height, yaw)."""
    x, y, height, yaw = (poses[:, i, None] for i in range(4))
    across, down, up = (height * vertices[None, :, i] for i in range(3))
    cosine, sine = np.cos(yaw), np.sin(yaw)
    return np.stack([x + cosine * across - sine * down, y + sine * across + cosine * down, up], axis=2)


_INNER_FACE = 0.9
_OFF_MOST = 0.25
"""Ratio of light, natural logarithm, from which on a pixel is a symbol's or an edge's."""
EVEN_WEIGHT = 0.4
"""What faces of even light count beside the edges when poses are compared."""


class EdgeMap:
    """How strongly a rectified picture changes across each direction, by place."""

    def __init__(self, picture: Image, px_per_mm: float, origin_mm: tuple[float, float]) -> None:
        self.picture, self.px_per_mm, self.origin_mm = picture, px_per_mm, origin_mm
        light = np.log(cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.float32) + np.float32(_LIGHT_FLOOR))
        across = cv2.Scharr(light, cv2.CV_32F, 1, 0, scale=1 / 32)
        down = cv2.Scharr(light, cv2.CV_32F, 0, 1, scale=1 / 32)
        parts = [(across**2).sum(axis=2), (across * down).sum(axis=2), (down**2).sum(axis=2)]
        strength = np.sqrt(parts[0] + parts[2])
        self.noise = _level(strength)
        rows, columns = (length // 3 for length in strength.shape)
        self.inner_noise = _level(strength[rows : 2 * rows, columns : 2 * columns])
        small = cv2.resize(picture, None, fx=_SMALL, fy=_SMALL, interpolation=cv2.INTER_AREA).astype(np.float32)
        self.smooth = np.asarray(np.log(small + np.float32(_LIGHT_FLOOR)), np.float32)
        self._hold(parts)

    def _hold(self, parts: Sequence[NDArray[np.float32]]) -> None:
        # A rim without edges, so that places beyond the picture need no care.
        self._parts = [np.ascontiguousarray(np.pad(part, 1), np.float32) for part in parts]
        self.shape = self._parts[0].shape
        self.parts = [part.ravel() for part in self._parts]

    def softened(self, reach_mm: float) -> EdgeMap:
        """The same with edges that can be felt so far off, for coarse tries."""
        soft = copy(self)
        spread = reach_mm * self.px_per_mm
        # Spread out, an edge of some two pixels would count for little.
        gain = np.float32(spread * np.sqrt(2 * np.pi) / _EDGE_PX)
        soft._hold([gain * cv2.GaussianBlur(part[1:-1, 1:-1], (0, 0), spread) for part in self._parts])
        return soft

    def px(self, points_mm: Floats) -> Floats:
        """Pixels of points on the table's plane."""
        return np.asarray((points_mm - np.array(self.origin_mm)) * self.px_per_mm - 0.5)

    def evidence(self, points_mm: Floats, normals: Floats, level: Floats) -> Floats:
        """0 to 1 for points (N, S, 2): how likely an edge with the unit normal of its row (N, 2) runs there.

        `level` (N): squares of what is noise.
        """
        place = np.rint(self.px(points_mm) + 1).astype(np.int32)
        height, width = self.shape
        at = place[..., 1].clip(0, height - 1) * width + place[..., 0].clip(0, width - 1)
        across, down = normals[:, 0, None], normals[:, 1, None]
        power = self.parts[0][at] * across**2
        power += self.parts[1][at] * (2 * across * down)
        power += self.parts[2][at] * down**2
        return np.asarray(power / (power + level[:, None]))


def _level(strength: NDArray[np.float32]) -> float:
    """Square of what a change of light must exceed to be no noise."""
    return (_NOISES * float(np.percentile(strength, 30))) ** 2 + _LEAST_CHANGE**2


def score_poses(edges: EdgeMap, eye: Eye, shape: Solid, poses: Floats, samples: int = SAMPLES) -> Floats:
    """What share of each pose's visible edges the picture bears out, M values 0 to 1.

    Poses are x, y, height, yaw; where the eye is infinitely high also its slant, x and y.
    """
    corners = _placed(shape.vertices, poses)
    slants = poses[:, None, 4:] if poses.shape[1] == 6 else None
    shown = eye.shown(corners) if slants is None else corners[..., :2] + corners[..., 2:] * slants
    seen = _seen_faces(shape, corners, eye, slants)
    table = np.array(shape.edges)
    ends, sides = table[:, :2], table[:, 2:]
    both = seen[:, sides[:, 0]] & seen[:, sides[:, 1]]
    outline = seen[:, sides[:, 0]] ^ seen[:, sides[:, 1]]
    weight = outline + INNER_WEIGHT * both
    which, edge = np.nonzero(weight)
    start, end = shown[which, ends[edge, 0]], shown[which, ends[edge, 1]]
    along = end - start
    length = np.linalg.norm(along, axis=1)
    normal = np.column_stack([-along[:, 1], along[:, 0]]) / np.maximum(length, 1e-6)[:, None]
    places = np.linspace(_ENDS, 1 - _ENDS, samples)
    points = start[:, None] + along[:, None] * places[:, None]
    level = np.where(both[which, edge], edges.inner_noise, edges.noise)
    found = edges.evidence(points.astype(np.float32), normal.astype(np.float32), level.astype(np.float32)).mean(axis=1)
    counts = length * weight[which, edge]
    total = np.bincount(which, counts, len(poses))
    return np.asarray(np.bincount(which, counts * found, len(poses)) / np.maximum(total, 1e-9))


def _seen_faces(shape: Solid, corners: Floats, eye: Eye, slants: Floats | None = None) -> NDArray[np.bool_]:
    """Which faces show, (M, faces)."""
    first = np.array([face[:3] for face in shape.faces])
    a, b, c = corners[:, first[:, 0]], corners[:, first[:, 1]], corners[:, first[:, 2]]
    normal = np.cross(b - a, c - a)
    middle = corners.mean(axis=1, keepdims=True)
    outward = np.sign(((a - middle) * normal).sum(axis=2))
    if slants is None:
        return np.asarray((normal * eye.toward(a)).sum(axis=2) * outward > 0)
    return np.asarray((normal[..., 2] - (normal[..., :2] * slants).sum(axis=2)) * outward > 0)


@dataclass(frozen=True, slots=True)
class Reach:
    """What sizes and shapes of dice are looked for."""

    heights_mm: tuple[float, float] = (10.5, 26.0)
    apexes: tuple[float, ...] = (USUAL_APEX,)
    sides: tuple[int, ...] = (8, 10)


USUAL_REACH = Reach()
_ROUGH_STEP = 2.0
_ROUGH_REACH_MM = 0.7
_POOL = 10
_ROUGH_HEIGHTS = np.array([0.8, 1.0, 1.2, 1.44])
_SAME_ROUGH = 0.6
_SAME_PLACE = 0.7
OTHER_APEXES = (0.97, 1.01, 1.09, 1.13)
_TURNS_KEPT = {8: 3, 10: 5}
GOOD_SCORE = 0.9
"""From here on no further start is tried."""


def fit_die(
    edges: EdgeMap, eye: Eye, x: float, y: float, height: float, *, spread: float = 3.0, reach: Reach = USUAL_REACH
) -> list[DiePose]:
    """The best poses near a place, worthiest first: three of each kind of die, refined. (x, y) is the die's middle, mm."""
    found = _fit_near(edges, eye, x, y, height, spread, reach)
    if found[0].score < GOOD_SCORE:
        # The start may have been a corner of the die, or its shadow: what was found there leads closer.
        best = found[0]
        found += _fit_near(edges, eye, best.x, best.y, best.height, spread, reach)
    found += _turned_about(edges, found, reach)
    return weighed(edges, [*found, *_other_shapes(edges, weighed(edges, found), reach)])


def _turned_about(edges: EdgeMap, found: Sequence[DiePose], reach: Reach) -> list[DiePose]:
    """The best pose of each kind of die turned so that its outline is nearly the same and its top face another."""
    turned = []
    for sides in reach.sides:
        same = [pose for pose in found if pose.sides == sides]
        if same:
            best = max(same, key=lambda pose: pose.score)
            turned.append(_refined_from(edges, best, best.apex, best.yaw + np.pi / best.solid.turns, reach))
    return turned


def _other_shapes(edges: EdgeMap, ranked: Sequence[DiePose], reach: Reach) -> list[DiePose]:
    """The worthiest pose of a ten-sided die with each other shape that such dice have."""
    best = next((pose for pose in ranked if pose.sides == 10), None)
    if best is None:
        return []
    return [_refined_from(edges, best, apex, best.yaw, reach) for apex in OTHER_APEXES]


def _refined_from(edges: EdgeMap, pose: DiePose, apex: float, yaw: float, reach: Reach) -> DiePose:
    start = [pose.x, pose.y, pose.height, yaw]
    start += [] if np.isfinite(pose.eye.height) else [pose.eye.x, pose.eye.y]
    best, score = _refined(edges, pose.eye, solid(pose.sides, apex), np.array(start), reach.heights_mm)
    return _named(pose.sides, apex, best, pose.eye, score)


def weighed(edges: EdgeMap, poses: Sequence[DiePose]) -> list[DiePose]:
    """Those of the poses that lie where the clearest one does, worthiest first."""
    ranked = sorted(poses, key=lambda pose: -pose.score)
    clearest = max(_clusters(ranked), key=lambda pose: pose.score * standing_out(edges, pose))
    here = [pose for pose in ranked if overlap(pose.outline(), clearest.outline()) >= _SAME_PLACE]
    return sorted((replace(pose, even=evenness(edges, pose)) for pose in here), key=lambda pose: -pose.worth)


def _clusters(ranked: Sequence[DiePose]) -> list[DiePose]:
    """The best pose at each place."""
    kept: list[DiePose] = []
    for pose in ranked:
        if all(overlap(pose.outline(), other.outline()) < _SAME_PLACE for other in kept):
            kept.append(pose)
    return kept


def overlap(first: Floats, second: Floats) -> float:
    """Shared area of two convex polygons over the area of both together."""
    one, two = first.astype(np.float32), second.astype(np.float32)
    shared, _ = cv2.intersectConvexConvex(one, two)
    return float(shared / max(cv2.contourArea(one) + cv2.contourArea(two) - shared, 1e-6))


def rough_fits(
    edges: EdgeMap, eye: Eye, x: float, y: float, height: float, *, spread: float = 3.0, most: int = 3
) -> list[DiePose]:
    """The best of coarse tries near a place, one for each outline, clearest first: where and how large a die may be there."""
    steps = np.linspace(-spread, spread, 2 * round(spread / _ROUGH_STEP) + 1)
    soft = edges.softened(_ROUGH_REACH_MM)
    found: list[DiePose] = []
    for sides in (8, 10):
        shape = solid(sides)
        yaws = np.arange(0, 2 * np.pi / shape.turns, np.pi / 12)
        starts = _grid(x + steps, y + steps, height * _ROUGH_HEIGHTS, yaws, eye)
        scores = score_poses(soft, eye, shape, starts, 3)
        kept = _spread_out(starts, scores, _POOL)
        found += [_named(sides, USUAL_APEX, starts[i], eye, float(scores[i])) for i in kept]
    ranked = sorted(found, key=lambda pose: -pose.score * standing_out(edges, pose))
    chosen: list[DiePose] = []
    for pose in ranked:
        if all(overlap(pose.outline(), other.outline()) < _SAME_ROUGH for other in chosen):
            chosen.append(pose)
    return chosen[:most]


def _spread_out(poses: Floats, scores: Floats, most: int) -> list[int]:
    """The best poses that differ clearly in place or size."""
    kept: list[int] = []
    for i in np.argsort(-scores)[:600]:
        near = [
            abs(poses[i, 0] - poses[k, 0]) + abs(poses[i, 1] - poses[k, 1]) < 1.5 * _ROUGH_STEP
            and abs(poses[i, 2] / poses[k, 2] - 1) < 0.15
            for k in kept
        ]
        if not any(near):
            kept.append(int(i))
        if len(kept) == most:
            break
    return kept


def _fit_near(
    edges: EdgeMap, eye: Eye, x: float, y: float, height: float, spread: float, reach: Reach
) -> list[DiePose]:
    found = []
    for sides in reach.sides:
        for apex in reach.apexes if sides == 10 else (USUAL_APEX,):
            shape = solid(sides, apex)
            starts = _starts(shape, x, y, height, spread, reach.heights_mm, eye)
            scores = score_poses(edges, eye, shape, starts, 4)
            for pose in _apart(starts, scores, shape):
                best, score = _refined(edges, eye, shape, pose, reach.heights_mm)
                found.append(_named(sides, apex, best, eye, score))
    return sorted(found, key=lambda pose: -pose.score)


def _named(sides: int, apex: float, pose: Floats, eye: Eye, score: float) -> DiePose:
    x, y, height, yaw = (float(value) for value in pose[:4])
    seen_from = eye if len(pose) == 4 else Eye(float(pose[4]), float(pose[5]), np.inf)
    return DiePose(sides, apex, x, y, height, yaw, seen_from, score)


def _starts(
    shape: Solid, x: float, y: float, height: float, spread: float, heights_mm: tuple[float, float], eye: Eye
) -> Floats:
    circle = 2 * np.pi / shape.turns
    yaws = np.arange(0, circle, np.pi / 18)
    steps = np.array([-1, -0.5, 0, 0.5, 1]) * spread
    heights = (height * np.array([0.8, 0.9, 1.0, 1.1, 1.2])).clip(*heights_mm)
    return _grid(x + steps, y + steps, heights, yaws, eye)


def _grid(x: Floats, y: Floats, heights: Floats, yaws: Floats, eye: Eye) -> Floats:
    grid = np.meshgrid(x, y, heights, yaws, indexing="ij")
    poses = np.column_stack([axis.ravel() for axis in grid])
    if np.isfinite(eye.height):
        return poses
    return np.column_stack([poses, np.full((len(poses), 2), [eye.x, eye.y])])


def _apart(poses: Floats, scores: Floats, shape: Solid) -> list[Floats]:
    """The best poses that differ clearly in yaw."""
    circle = 2 * np.pi / shape.turns
    chosen: list[Floats] = []
    for i in np.argsort(-scores):
        off = [abs((poses[i, 3] - other[3] + circle / 2) % circle - circle / 2) for other in chosen]
        if all(gap > 0.3 for gap in off):
            chosen.append(poses[i])
        if len(chosen) == _TURNS_KEPT[shape.sides]:
            break
    return chosen


_STEP = (1.2, 1.2, 0.9, 0.12, 0.08, 0.08)
"""First widths of the draws: mm, mm, mm, radians, and slant."""
_MOST_SLANT = 0.35


def _refined(
    edges: EdgeMap, eye: Eye, shape: Solid, pose: Floats, heights_mm: tuple[float, float]
) -> tuple[Floats, float]:
    """The best pose near a pose: samples drawn ever closer around the best so far. The draws are the same every time."""
    random = np.random.default_rng(8)
    best, score = pose, -1.0
    widths = np.array(_STEP[: len(pose)])
    for _ in range(7 if len(pose) == 4 else 10):
        tried = best + random.normal(size=(90, len(pose))) * widths
        tried[0] = best
        tried[:, 2] = tried[:, 2].clip(*heights_mm)
        tried[:, 4:] = tried[:, 4:].clip(-_MOST_SLANT, _MOST_SLANT)
        scores = score_poses(edges, eye, shape, tried)
        i = int(np.argmax(scores))
        best, score = tried[i], float(scores[i])
        widths = widths * (0.62 if len(pose) == 4 else 0.7)
    return best, score


def evenness(edges: EdgeMap, pose: DiePose) -> float:
    """How much of what varies over a die is between its faces rather than within them, 0 to 1.

    Symbols count little: a face's own light is its median, and what is off by much counts no more than what is off by some.
    """
    light = np.log(edges.picture.astype(np.float32) + np.float32(_LIGHT_FLOOR))
    shown = edges.px(pose.shown())
    labels = np.zeros(light.shape[:2], np.uint8)
    faces = pose.seen_faces()
    for number, face in enumerate(faces, 1):
        corners = shown[list(pose.solid.faces[face])]
        inner = corners.mean(axis=0) + _INNER_FACE * (corners - corners.mean(axis=0))
        cv2.fillPoly(labels, [np.rint(inner * 16).astype(np.int32)], number, cv2.LINE_8, 4)
    values = light[labels > 0]
    if len(values) < 40:
        return 0.0
    whole = np.minimum(np.abs(values - np.median(values, axis=0)), _OFF_MOST).sum()
    within = 0.0
    for number in range(1, len(faces) + 1):
        part = light[labels == number]
        if len(part):
            within += float(np.minimum(np.abs(part - np.median(part, axis=0)), _OFF_MOST).sum())
    return float(1 - within / max(float(whole), 1e-6))


def standing_out(edges: EdgeMap, pose: DiePose) -> float:
    """How clearly what lies within a die's outline differs in colour from what lies around it, 0 to 1.

    The share of the pixels within that are farther from the usual colour around than most pixels around are.
    """
    light = edges.smooth
    outline = edges.px(pose.outline()) * _SMALL
    middle = outline.mean(axis=0)
    inside = _filled(light.shape[:2], middle + 0.92 * (outline - middle))
    near = _filled(light.shape[:2], middle + 1.08 * (outline - middle))
    around = (_filled(light.shape[:2], middle + 1.4 * (outline - middle)) > 0) & (near == 0)
    if around.sum() < 20 or not inside.any():
        return 0.0
    ground = np.median(light[around], axis=0)
    off = np.linalg.norm(light - ground, axis=2)
    limit = max(float(np.percentile(off[around], 70)), 0.04)
    return float((off[inside > 0] > limit).mean())


def _filled(shape: tuple[int, ...], outline: Floats) -> NDArray[np.uint8]:
    mask = np.zeros(shape, np.uint8)
    cv2.fillPoly(mask, [np.rint(outline).astype(np.int32)], 255)
    return mask

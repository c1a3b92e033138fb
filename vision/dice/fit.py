"""Where a die lies and how it is turned: a known solid laid over the edges that the picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.edges import (
    SMALL,
    EdgeField,
    EdgeMap,
    inner_score,
    outline_costs,
    placed,
    score_poses,
    score_shifted,
    seen_faces,
)
from vision.dice.eye import Eye
from vision.dice.silhouette import overlap
from vision.dice.solids import USUAL_APEX, Solid, solid

Floats = NDArray[np.float64]

EVEN_WEIGHT = 0.5
"""What faces of even light count beside the edges when poses are compared."""


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
    off: float = 0.0
    """What speaks against it by the die's outline; 0 where that is not known."""

    @property
    def worth(self) -> float:
        """By what poses of one die are compared."""
        return self.score + EVEN_WEIGHT * self.even - self.off

    def corners(self) -> Floats:
        """All corners, N x 3 mm."""
        return np.asarray(placed(self.solid.vertices, self._values())[0])

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
        return [int(i) for i in np.flatnonzero(seen_faces(self.solid, self._values(), self.eye)[0])]

    def off_outline(self, edges: EdgeMap) -> float:
        """See `off`."""
        costs = outline_costs(edges.fine, self.eye, self.solid, self._values())
        return float(np.max(costs))

    def inner(self, edges: EdgeMap) -> float:
        """See `inner_score`."""
        return inner_score(edges.fine, self.eye, self.solid, self._values())

    @property
    def solid(self) -> Solid:
        return solid(self.sides, self.apex)

    def top(self) -> Floats:
        """The top face's corners, N x 3 mm, from its tip on."""
        return self.corners()[list(self.solid.faces[1])]

    def _values(self) -> Floats:
        return np.array([[self.x, self.y, self.height, self.yaw]])


@dataclass(frozen=True, slots=True)
class Reach:
    """What sizes and shapes of dice are looked for."""

    heights_mm: tuple[float, float] = (10.5, 26.0)
    sides: tuple[int, ...] = (8, 10)


USUAL_REACH = Reach()
_ROUGH_STEP = 2.0
_ROUGH_REACH_MM = 0.7
_POOL = 8
_ROUGH_HEIGHTS = np.array([0.8, 1.0, 1.2, 1.44])
_ROUGH_TURN = np.pi / 12
_ROUGH_SIZES = (0.76, 1.6)
"""Of the height that is looked for."""
_LARGER = 0.15
_LOOKED_AT = 18
_SAME_ROUGH = 0.75
_SAME_PLACE = 0.7
OTHER_APEXES = (0.97, 1.01, 1.09, 1.13)
_RIVAL_WORTH, _OTHER_TURN = 0.04, 0.5
_TURNS_KEPT = {8: 3, 10: 5}
_HEIGHT_STEPS = np.array([0.8, 0.9, 1.0, 1.1, 1.2])
_FINE_TURN = np.pi / 18
GOOD_SCORE = 0.8
"""From here on no further start is tried."""
_WEIGHED = 0.15
"""Poses whose edges are borne out less than the best ones' by this are not looked at any closer."""


def fit_die(
    edges: EdgeMap, eye: Eye, x: float, y: float, height: float, *, spread: float = 3.0, reach: Reach = USUAL_REACH
) -> list[DiePose]:
    """The best poses near a place, worthiest first: some of each kind of die, refined. (x, y) is the die's middle, mm."""
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
    """The worthiest pose of a ten-sided die with each other shape such dice have; and another turn that is hardly worse."""
    best = next((pose for pose in ranked if pose.sides == 10), None)
    if best is None:
        return []
    rival = next((pose for pose in ranked if _is_rival(pose, best)), None)
    starts = [best] if rival is None else [best, rival]
    return [_refined_from(edges, start, apex, start.yaw, reach) for start in starts for apex in OTHER_APEXES]


def _is_rival(pose: DiePose, best: DiePose) -> bool:
    turn = abs((pose.yaw - best.yaw + np.pi) % (2 * np.pi) - np.pi)
    return pose.sides == 10 and pose.worth >= best.worth - _RIVAL_WORTH and turn > _OTHER_TURN


def _refined_from(edges: EdgeMap, pose: DiePose, apex: float, yaw: float, reach: Reach) -> DiePose:
    start = [pose.x, pose.y, pose.height, yaw]
    start += [] if np.isfinite(pose.eye.height) else [pose.eye.x, pose.eye.y]
    shape = solid(pose.sides, apex)
    (best,), (score,) = refined(edges.fine, pose.eye, shape, np.array([start]), reach.heights_mm, _LATER)
    return _named(pose.sides, apex, best, pose.eye, float(score))


def refit(edges: EdgeMap, pose: DiePose, eye: Eye) -> DiePose:
    """The pose as it is from another place of the camera over a table."""
    shown = pose.eye.shown(np.array([pose.x, pose.y, pose.height / 2]))
    x, y = eye.foot(float(shown[0]), float(shown[1]), pose.height / 2)
    shape = solid(pose.sides, pose.apex)
    start = np.array([[x, y, pose.height, pose.yaw]])
    (best,), (score,) = refined(edges.fine, eye, shape, start, USUAL_REACH.heights_mm, _LATER)
    return _named(pose.sides, pose.apex, best, eye, float(score))


def weighed(edges: EdgeMap, poses: Sequence[DiePose]) -> list[DiePose]:
    """Those of the poses that lie where the clearest one does, worthiest first."""
    known = [replace(pose, off=pose.off or pose.off_outline(edges)) for pose in poses]
    ranked = sorted(known, key=lambda pose: pose.off - pose.score)
    clearest = max(_clusters(ranked), key=lambda pose: pose.score * standing_out(edges, pose) - pose.off)
    here = [pose for pose in ranked if overlap(pose.outline(), clearest.outline()) >= _SAME_PLACE]
    least = here[0].score - here[0].off - _WEIGHED
    near = [pose for pose in here if pose.score - pose.off >= least]
    judged = [replace(pose, even=pose.even or evenness(edges, pose)) for pose in near]
    return sorted(judged, key=lambda pose: -pose.worth)


def _clusters(ranked: Sequence[DiePose]) -> list[DiePose]:
    """The best pose at each place."""
    kept: list[DiePose] = []
    for pose in ranked:
        if all(overlap(pose.outline(), other.outline()) < _SAME_PLACE for other in kept):
            kept.append(pose)
    return kept


def rough_fits(
    edges: EdgeMap, eye: Eye, x: float, y: float, height: float, *, spread: float = 3.0, most: int = 3
) -> list[DiePose]:
    """The best of coarse tries near a place, one for each outline, clearest first: where and how large a die may be there."""
    soft = edges.softened(_ROUGH_REACH_MM)
    sizes = (_ROUGH_SIZES[0] * height, _ROUGH_SIZES[1] * height)
    found: list[DiePose] = []
    for sides in (8, 10):
        shape = solid(sides)
        turns = np.arange(0, 2 * np.pi / shape.turns, _ROUGH_TURN)
        starts, scores, costs = _tried(
            soft, eye, shape, (x, y), height * _ROUGH_HEIGHTS, turns, spread, 2 * round(spread / _ROUGH_STEP) + 1, 3
        )
        kept = _spread_out(starts, scores - costs, _POOL)
        # As they are too: refined, a die is often lost to the larger outline of die and shadow.
        found += [_named(sides, USUAL_APEX, starts[i], eye, float(scores[i])) for i in kept]
        poses, worths = refined(soft, eye, shape, starts[kept], sizes, _COARSE)
        found += [_named(sides, USUAL_APEX, pose, eye, float(worth)) for pose, worth in zip(poses, worths, strict=True)]
    found = [replace(pose, off=pose.off_outline(edges)) for pose in found]
    # A symbol may look like a small die, but no symbol bears a die.
    found = sorted(found, key=lambda pose: (pose.off - pose.score) * pose.height**_LARGER)[:_LOOKED_AT]
    ranked = sorted(found, key=lambda pose: (pose.off - pose.score) * standing_out(edges, pose) * pose.height**_LARGER)
    chosen: list[DiePose] = []
    for pose in ranked:
        if all(overlap(pose.outline(), other.outline()) < _SAME_ROUGH for other in chosen):
            chosen.append(pose)
    return chosen[:most]


def _tried(
    field: EdgeField,
    eye: Eye,
    shape: Solid,
    place: tuple[float, float],
    heights: Floats,
    turns: Floats,
    spread: float,
    steps: int,
    samples: int,
) -> tuple[Floats, Floats, Floats]:
    """All poses of these heights and turns, at `steps` places across and down within `spread` of a place, their scores, and what
    speaks against them by their outlines."""
    grid = np.meshgrid(heights, turns, indexing="ij")
    poses = np.column_stack(
        [np.full(grid[0].size, place[0]), np.full(grid[0].size, place[1]), *(g.ravel() for g in grid)]
    )
    if not np.isfinite(eye.height):
        poses = np.column_stack([poses, np.full((len(poses), 2), [eye.x, eye.y])])
    pixels = np.rint(np.linspace(-spread, spread, steps) * field.px_per_mm).astype(np.int32)
    across, down = (axis.ravel() for axis in np.meshgrid(pixels, pixels))
    shifts = np.column_stack([across, down])
    scores = score_shifted(field, eye, shape, poses, shifts, samples)
    starts = np.repeat(poses, len(shifts), axis=0)
    starts[:, :2] += np.tile(shifts / field.px_per_mm, (len(poses), 1))
    costs = outline_costs(field, eye, shape, poses, shifts / field.px_per_mm)
    return starts, scores.ravel(), np.broadcast_to(costs, scores.shape).ravel()


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
        shape = solid(sides)
        turns = np.arange(0, 2 * np.pi / shape.turns, _FINE_TURN)
        heights = (height * _HEIGHT_STEPS).clip(*reach.heights_mm)
        starts, scores, costs = _tried(edges.fine, eye, shape, (x, y), heights, turns, spread, 5, 4)
        begun = starts[_apart(starts, scores - costs, shape)]
        first, worths = refined(edges.fine, eye, shape, begun, reach.heights_mm, _FIRST)
        best = np.argsort(outline_costs(edges.fine, eye, shape, first) - worths)[:_REFINED]
        poses, worths = refined(edges.fine, eye, shape, first[best], reach.heights_mm, _LATER)
        found += [_named(sides, USUAL_APEX, pose, eye, float(worth)) for pose, worth in zip(poses, worths, strict=True)]
    return sorted(found, key=lambda pose: -pose.score)


def _named(sides: int, apex: float, pose: Floats, eye: Eye, score: float) -> DiePose:
    x, y, height, yaw = (float(value) for value in pose[:4])
    seen_from = eye if len(pose) == 4 else Eye(float(pose[4]), float(pose[5]), np.inf)
    return DiePose(sides, apex, x, y, height, yaw, seen_from, score)


def _apart(poses: Floats, scores: Floats, shape: Solid) -> list[int]:
    """The best poses that differ clearly in yaw."""
    circle = 2 * np.pi / shape.turns
    chosen: list[int] = []
    for i in np.argsort(-scores):
        off = [abs((poses[i, 3] - poses[k, 3] + circle / 2) % circle - circle / 2) for k in chosen]
        if all(gap > 0.3 for gap in off):
            chosen.append(int(i))
        if len(chosen) == _TURNS_KEPT[shape.sides]:
            break
    return chosen


@dataclass(frozen=True, slots=True)
class Draws:
    """How samples are drawn ever closer around the best pose so far."""

    width: float
    """Of the first draws, in _STEP."""
    narrower: float
    """By how much each round's draws are closer."""
    rounds: int
    count: int


_STEP = np.array([1.2, 1.2, 0.9, 0.12, 0.08, 0.08])
"""Widths of the draws: mm, mm, mm, radians, and slant."""
_COARSE = Draws(1.0, 0.6, 2, 24)
_FIRST = Draws(1.0, 0.7, 3, 40)
_LATER = Draws(0.5, 0.6, 5, 48)
_REFINED = 3
_MOST_SLANT = 0.35


def refined(
    field: EdgeField, eye: Eye, shape: Solid, poses: Floats, heights_mm: tuple[float, float], draws: Draws
) -> tuple[Floats, Floats]:
    """The best pose near each of some poses by edges and outline, and what share of its edges is borne out. The draws are the
    same every time."""
    random = np.random.default_rng(8)
    best, scores = poses.copy(), np.full(len(poses), -1.0)
    size = poses.shape[1]
    widths = draws.width * _STEP[:size]
    rows = np.arange(len(poses))
    for _ in range(draws.rounds):
        tried = best[:, None] + random.normal(size=(draws.count, size)) * widths
        tried[:, 0] = best
        tried[..., 2] = tried[..., 2].clip(*heights_mm)
        tried[..., 4:] = tried[..., 4:].clip(-_MOST_SLANT, _MOST_SLANT)
        every = tried.reshape(-1, size)
        found = score_poses(field, eye, shape, every).reshape(len(poses), -1)
        costs = np.broadcast_to(outline_costs(field, eye, shape, every), len(every)).reshape(found.shape)
        which = (found - costs).argmax(axis=1)
        best, scores = tried[rows, which], found[rows, which]
        widths = widths * draws.narrower
    return best, scores


_INNER_FACE = 0.9
_OFF_MOST = 0.25
"""Ratio of light, natural logarithm, from which on a pixel is a symbol's or an edge's."""


def evenness(edges: EdgeMap, pose: DiePose) -> float:
    """How much of what varies over a die is between its faces rather than within them, 0 to 1.

    Symbols count little: a face's own light is its median, and what is off by much counts no more than what is off by some.
    """
    shown = edges.px(pose.shown())
    left, top = np.floor(shown.min(axis=0)).astype(int).clip(0)
    right, bottom = np.ceil(shown.max(axis=0)).astype(int) + 1
    light = edges.light[top:bottom, left:right]
    if not light.size:
        return 0.0
    labels = np.zeros(light.shape[:2], np.uint8)
    faces = pose.seen_faces()
    for number, face in enumerate(faces, 1):
        corners = shown[list(pose.solid.faces[face])] - (left, top)
        inner = corners.mean(axis=0) + _INNER_FACE * (corners - corners.mean(axis=0))
        cv2.fillPoly(labels, [np.rint(inner * 16).astype(np.int32)], number, cv2.LINE_8, 4)
    if edges.cover is not None:
        labels[edges.cover[top:bottom, left:right] > 0] = 0
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

    The share of the pixels within that are farther from the usual colour around than most pixels around are. What lies within
    the outline that the die's colour has does stand out, whatever runs beside it: a string of the same colour.
    """
    own = edges.silhouette
    told = overlap(pose.outline(), own.hull_mm) if own is not None and own.whole else 0.0
    light = edges.smooth
    outline = edges.px(pose.outline()) * SMALL
    middle = outline.mean(axis=0)
    inside = _filled(light.shape[:2], middle + 0.92 * (outline - middle))
    near = _filled(light.shape[:2], middle + 1.08 * (outline - middle))
    around = (_filled(light.shape[:2], middle + 1.4 * (outline - middle)) > 0) & (near == 0)
    if edges.small_cover is not None:
        inside[edges.small_cover > 0] = 0
        around &= edges.small_cover == 0
    if around.sum() < 20 or not inside.any():
        return told
    ground = np.median(light[around], axis=0)
    off = np.linalg.norm(light - ground, axis=2)
    limit = max(float(np.percentile(off[around], 70)), 0.04)
    return max(told, float((off[inside > 0] > limit).mean()))


def _filled(shape: tuple[int, ...], outline: Floats) -> NDArray[np.uint8]:
    mask = np.zeros(shape, np.uint8)
    cv2.fillPoly(mask, [np.rint(outline).astype(np.int32)], 255)
    return mask

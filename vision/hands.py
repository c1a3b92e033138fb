"""What hides the table: hands, sleeves, things that reach in over its edge.

No colour of skin is assumed. The ground is what runs along the table's edge: a smooth field of light over one colour, with a
texture (grain, cloth) that the picture itself shows. What stands out from it, touches the picture's border, reaches well into
the table and has sharp sides where it comes in is a hand or another thing; glare and shadow come in with soft sides, cards
and the board lie free of the border.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.observation import BoardReading, CardReading, Point, Polygon
from vision.settle import reduce
from vision.table import TablePose, marker_papers

Mask = NDArray[np.uint8]
Floats = NDArray[np.float32]

DEEP_MM = 25.0
"""A thing that reaches in gets at least so far beyond the table's edge; less may be a marker's paper or the table's rim."""
LEAST_MM2 = 600.0
"""Area further in than DEEP_MM that a thing covers at least; a finger alone covers more."""
_STANDS_OUT = 4.0
"""Ground noises by which a thing differs from the ground at least."""
_LEAST_CONTRAST = 0.12
"""The same as a ratio of light, natural logarithm."""
_SHARP = 0.6
"""Share of a side's contrast that shows within 5 reduced px where the side is sharp."""
_SHARP_SIDES = 0.35
"""Share of the sides that must be sharp: the rest may run out in the hand's shadow or a glare."""
_SHADOW_MM = 25.0
"""Width of the soft shadow that may lie along a sharp side."""
_MARGIN_MM = 9.0
"""White paper around a marker."""
_PAPER_LIGHT, _PAPER_SHARE = 0.35, 0.15
"""A marker shows where at least so much of its paper is as light as the lightest one but for this, natural logarithm."""
_STAR_MM = 14.0
_DARKEST, _LIGHT_STEP, _LIGHT_STEPS = 2.0, 0.14, 26
"""Logarithm of the least light told apart, the width of a step, and how many steps there are, for each channel."""
_COMMON = 0.002
"""Share of a reaching thing that must be of one light and colour for it to be one of the thing's own."""
_SETTLED_SHARE = 0.004
"""Of the ground's points, that change sides in a round which need not be followed by another."""
_FINGER_MM = 11.0
"""What is narrower, the blur of small pictures included, is a stroke or a rim and no finger."""


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Something that comes in over the table's edge, with whatever it touches there (cards, the board)."""

    mask: Mask
    """255 where it is, reduced px, clipped to the table."""
    light: Floats
    """Natural logarithm of the reduced picture, height x width x 3."""
    factor: int


def find_reach(image: Image, pose: TablePose) -> Reach | None:
    """What reaches in over the table's edge in a picture with no earlier one to compare, or None."""
    small = reduce(image)
    view = _View(pose, small.factor, small.plane.shape[:2])
    light = cv2.blur(np.log(small.plane + 8.0), (3, 3)).astype(np.float32, copy=False)
    ground = _ground(light, view)
    if ground is None:
        return None
    limit = ground.limit(_LEAST_CONTRAST)
    off = _off(light, ground.light, limit)
    foreign = view.without_markers(np.where(off > 1.0, np.uint8(255), np.uint8(0)), light)
    foreign = cv2.morphologyEx(foreign, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)
    reaching = [part for part in _reaching_in(foreign, view) if _comes_in_sharply(part, off, light / limit, view)]
    if not reaching:
        return None
    return Reach(_joined(reaching) & view.table, light, small.factor)


def hidden_areas(
    reach: Reach, pose: TablePose, board: BoardReading | None = None, cards: Sequence[CardReading] = ()
) -> tuple[Polygon, ...]:
    """What of the table a thing that reaches in hides, mm: cards that were read all the same, and what of the board shows
    between fingers, are not hidden."""
    view = _View(pose, reach.factor, reach.mask.shape)
    things, unsure = np.zeros_like(reach.mask), np.zeros_like(reach.mask)
    for card in cards:
        # What was read but for doubt lies there, as sure as its outline; what nothing fits may be the hand itself.
        if card.face is not None or card.candidates:
            target = things if card.face is not None else unsure
            cv2.fillConvexPoly(target, np.round(np.asarray(card.corners_px) / reach.factor).astype(np.int32), 255)
    shown = cv2.subtract(reach.mask, cv2.dilate(things | unsure, np.ones((7, 7), np.uint8))).astype(
        np.uint8, copy=False
    )
    over_cards = _as_what_reaches_in(
        reach, shown, cv2.subtract(unsure, things).astype(np.uint8, copy=False) & reach.mask
    )
    things = cv2.bitwise_or(things, cv2.subtract(unsure, over_cards)).astype(np.uint8, copy=False)
    if board is not None:
        things |= view.filled(board.outline_mm)
    # A thing's blurred rim is no part of the hand either.
    bare = cv2.subtract(reach.mask, cv2.dilate(things, np.ones((5, 5), np.uint8)))
    parts = bare if board is None else cv2.bitwise_or(bare, _fingers_on_board(reach, board, view))
    across = max(3, round(_FINGER_MM * view.px_per_mm) | 1)
    parts = cv2.morphologyEx(parts, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across)))
    parts = cv2.bitwise_or(parts, cv2.dilate(over_cards, np.ones((3, 3), np.uint8)))
    held = _held_together(np.asarray(parts, np.uint8), reach.mask & view.edge)
    over_rims = cv2.bitwise_and(cv2.morphologyEx(held, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8)), reach.mask)
    return areas_mm(cv2.bitwise_or(held, over_rims).astype(np.uint8, copy=False), pose, reach.factor)


def areas_reaching_in(changed: Mask, pose: TablePose, factor: int) -> tuple[Polygon, ...]:
    """Areas of the table, mm, of what has changed (255, a picture reduced by `factor`) and reaches in from the border."""
    view = _View(pose, factor, changed.shape)
    closed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)).astype(np.uint8, copy=False)
    closed = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)
    reaching = _reaching_in(closed, view)
    return areas_mm(_joined(reaching) & view.table, pose, factor) if reaching else ()


def areas_mm(mask: Mask, pose: TablePose, factor: int) -> tuple[Polygon, ...]:
    """A reduced picture's mask as polygons in mm, one reduced pixel wider all round, largest first."""
    wider = cv2.dilate(mask, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(wider, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    polygons = []
    for contour in sorted(contours, key=cv2.contourArea, reverse=True):
        outline = cv2.approxPolyDP(contour, 0.8, closed=True).reshape(-1, 2)
        if len(outline) < 3 or cv2.contourArea(contour) < 12:
            continue
        corners = pose.to_mm(((outline + 0.5) * factor).astype(np.float64))
        polygons.append(tuple((round(float(x), 1), round(float(y), 1)) for x, y in corners))
    return tuple(polygons)


def share_hidden(hidden_mm: Sequence[Polygon], table_mm: tuple[float, float]) -> float:
    """Which share of the table rectangle these areas cover, 0 to 1."""
    covered = _raster(hidden_mm, table_mm)
    return cv2.countNonZero(covered) / covered.size


def touches(areas_mm: Sequence[Polygon], thing_mm: Polygon, table_mm: tuple[float, float]) -> bool:
    """Whether any of the areas lies over or right beside a thing on the table."""
    rim = cv2.dilate(_raster([thing_mm], table_mm), np.ones((5, 5), np.uint8))
    return bool(cv2.bitwise_and(rim, _raster(areas_mm, table_mm)).any())


def beyond(areas_mm: Sequence[Polygon], thing_mm: Polygon | None, table_mm: tuple[float, float]) -> bool:
    """Whether any of the areas reaches out from over a thing (by more than its rim), or lies beside it."""
    areas = _raster(areas_mm, table_mm)
    if thing_mm is not None:
        areas[cv2.dilate(_raster([thing_mm], table_mm), np.ones((5, 5), np.uint8)) > 0] = 0
    return bool(areas.any())


def _raster(areas_mm: Sequence[Polygon], table_mm: tuple[float, float]) -> Mask:
    """255 where the areas lie, a pixel for every 2 mm of the table."""
    width, height = (max(1, round(side / 2)) for side in table_mm)
    mask = np.zeros((height, width), np.uint8)
    for area in areas_mm:
        cv2.fillPoly(mask, [np.round(np.asarray(area, np.float64) / 2).astype(np.int32)], 255)
    return mask


class _View:
    """The table as it lies in a reduced picture."""

    def __init__(self, pose: TablePose, factor: int, shape: tuple[int, int]) -> None:
        self.pose, self.factor, self.shape = pose, factor, shape
        self.table = self.rectangle(0.0)
        self.deep = self.rectangle(DEEP_MM)
        self.edge = cv2.subtract(self.rectangle(-10.0), self.rectangle(35.0)).astype(np.uint8, copy=False)
        width, height = pose.table_mm
        self.px_per_mm = float(np.sqrt(max(1, cv2.countNonZero(self.table)) / (width * height)))

    def rectangle(self, inset_mm: float) -> Mask:
        """255 inside the table rectangle less `inset_mm` on each side."""
        width, height = self.pose.table_mm
        m = inset_mm
        return self.filled([(m, m), (width - m, m), (width - m, height - m), (m, height - m)])

    def filled(self, polygon_mm: Sequence[Point]) -> Mask:
        mask = np.zeros(self.shape, np.uint8)
        corners = self.pose.to_px(list(polygon_mm)) / self.factor
        if np.isfinite(corners).all() and np.abs(corners).max() < 1e4:
            cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255)
        return mask

    def without_markers(self, mask: Mask, light: Floats | None = None) -> Mask:
        """The mask cleared where markers and their paper lie; with the picture's `light`, only where their paper shows: an arm
        may come in over one."""
        left = mask.copy()
        papers = [self.filled(paper) > 0 for paper in marker_papers(self.pose.table_mm, _MARGIN_MM)]
        levels = [light[paper].mean(axis=1) for paper in papers if paper.any()] if light is not None else []
        white = max((float(np.percentile(level, 90)) for level in levels), default=0.0) - _PAPER_LIGHT
        for paper in papers:
            if light is None or not paper.any() or (light[paper].mean(axis=1) > white).mean() >= _PAPER_SHARE:
                left[paper] = 0
        return left


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    light: Floats
    """Logarithm of what the bare table shows or would show, height x width x 3."""
    noise: Floats
    """How much the bare table varies about it, a channel each."""

    def limit(self, least: float) -> Floats:
        """What must at least lie between a thing and the ground to stand out, a channel each."""
        return np.asarray(np.maximum(_STANDS_OUT * self.noise, np.float32(least)), np.float32)


def _ground(light: Floats, view: _View) -> _Ground | None:
    """The bare table from what runs along its edge, then from all that looks like it; None where too little is in sight."""
    along_edge = _smooth_fit(light, view.without_markers(view.edge))
    if along_edge is None:
        return None
    near = _off(light, along_edge.light, np.maximum(3.0 * along_edge.noise, np.float32(0.06))) < 1.0
    return _smooth_fit(light, np.where(near, view.table, np.uint8(0)))


def _smooth_fit(light: Floats, where: Mask) -> _Ground | None:
    """A quadratic field through most of the points, and their spread about it."""
    height, width = where.shape
    points = np.flatnonzero(where)
    if len(points) < 200:
        return None
    v, u = np.divmod(points[:: max(1, len(points) // 2500)], width)
    terms, values = _terms(u, v, width, height), light[v, u]
    keep = np.ones(len(v), bool)
    spread = np.zeros(3, np.float32)
    field = np.zeros((6, 3), np.float32)
    for _ in range(6):
        kept = terms[keep]
        # The normal equations: six terms within -1 to 1 are far from degenerate, and a tenth of the time of lstsq.
        field = np.linalg.solve(kept.T @ kept + np.float32(1e-3) * np.eye(6, dtype=np.float32), kept.T @ values[keep])
        off = np.abs(values - terms @ field)
        spread = np.float32(1.48) * np.median(off[keep], axis=0).astype(np.float32)
        closer = _most(off / np.maximum(3.0 * spread, np.float32(0.03))) < 1.0
        if closer.sum() < 100:
            return None
        settled = np.count_nonzero(closer != keep) <= _SETTLED_SHARE * len(keep)
        keep = closer
        if settled:
            break
    rows, columns = np.mgrid[:height:4, :width:4]
    coarse = (_terms(columns.ravel(), rows.ravel(), width, height) @ field).reshape(*rows.shape, 3)
    # Resizing maps middles of pixels; a quadratic that is one and a half px off is nothing beside the noise.
    whole = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.float32, copy=False)
    return _Ground(whole, spread)


def _off(light: Floats, ground: Floats, limit: Floats) -> Floats:
    """How far two pictures are apart in the channel that counts most, in units of each channel's limit."""
    gap = cv2.transform(cv2.absdiff(light, ground), np.diag(1.0 / limit))
    return _most(gap.astype(np.float32, copy=False))


def _most(channels: Floats) -> Floats:
    """The largest of three channels; numpy's own max over a short last axis takes ten times as long."""
    return np.maximum(np.maximum(channels[..., 0], channels[..., 1]), channels[..., 2])


def _terms(u: NDArray[np.intp], v: NDArray[np.intp], width: int, height: int) -> Floats:
    x, y = (2.0 * u / width - 1.0).astype(np.float32), (2.0 * v / height - 1.0).astype(np.float32)
    return np.stack([np.ones_like(x), x, y, x * y, x * x, y * y], axis=1)


def _reaching_in(mask: Mask, view: _View) -> list[Mask]:
    """The parts that touch the picture's border and cover enough of the table further in."""
    _, labels = cv2.connectedComponents(mask, connectivity=8)
    border = np.concatenate([labels[:2].ravel(), labels[-2:].ravel(), labels[:, :2].ravel(), labels[:, -2:].ravel()])
    least_px = LEAST_MM2 * view.px_per_mm**2
    parts = []
    for label in np.unique(border[border > 0]):
        part = np.where(labels == label, np.uint8(255), np.uint8(0))
        if cv2.countNonZero(part & view.deep) >= least_px:
            parts.append(part)
    return parts


def _comes_in_sharply(part: Mask, off: Floats, light: Floats, view: _View) -> bool:
    """Whether enough of a part's sides is sharp where it crosses the table's edge; `off` and `light` in units of the limit."""
    crossing = cv2.subtract(part, view.rectangle(30.0)) > 0
    sides = cv2.subtract(part, cv2.erode(part, np.ones((3, 3), np.uint8))) > 0
    sides[:2], sides[-2:], sides[:, :2], sides[:, -2:] = False, False, False, False
    sides &= crossing
    if not sides.any():
        return False
    kernel = np.ones((5, 5), np.uint8)
    step = _most(cv2.dilate(light, kernel).astype(np.float32) - cv2.erode(light, kernel).astype(np.float32))
    wanted = max(1.0, _SHARP * float(np.median(off[crossing])))
    sharp = np.where((step >= wanted) & crossing, np.uint8(255), np.uint8(0))
    across = 2 * round(_SHADOW_MM * view.px_per_mm) + 1
    beside = cv2.dilate(sharp, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across))) > 0
    return float(beside[sides].mean()) >= _SHARP_SIDES


def _fingers_on_board(reach: Reach, board: BoardReading, view: _View) -> Mask:
    """What lies on the board's face beside its stars, shadows left out; strokes too, which are too thin for fingers."""
    face = view.filled(board.outline_mm) & reach.mask
    inner = cv2.erode(face, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)
    for star in board.stars:
        inner[view.filled(_disc(star.x_mm, star.y_mm, _STAR_MM)) > 0] = 0
    ground = _smooth_fit(reach.light, inner)
    if ground is None:
        return face
    off = reach.light - ground.light
    lies_on = (_most(np.abs(off) / ground.limit(1.5 * _LEAST_CONTRAST)) > 1.0) & ~_shaded(off)
    return np.where(lies_on & (inner > 0), np.uint8(255), np.uint8(0))


def _as_what_reaches_in(reach: Reach, bare: Mask, where: Mask) -> Mask:
    """Those points that are of the light and colour which a reaching thing's bare part shows: fingers over a card."""
    if not where.any():
        return where
    bins = np.clip((reach.light - np.float32(_DARKEST)) / np.float32(_LIGHT_STEP), 0, _LIGHT_STEPS - 1).astype(np.intp)
    own = cv2.erode(bare, np.ones((3, 3), np.uint8)) > 0
    counts = np.zeros((_LIGHT_STEPS,) * 3, np.float32)
    np.add.at(counts, tuple(bins[own].T), 1)
    kernel = np.array([0.25, 0.5, 0.25], np.float32)
    near = counts
    for axis in range(3):
        near = np.apply_along_axis(np.convolve, axis, near, kernel, "same")
    like = near[tuple(np.moveaxis(bins, 2, 0))] > _COMMON * float(own.sum())
    found = np.where(like & (where > 0), np.uint8(255), np.uint8(0))
    # A card's own rim is as bright as many a hand, but thin.
    return cv2.morphologyEx(found, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)


def _held_together(parts: Mask, entrance: Mask) -> Mask:
    """The parts that hang together with the place where the thing comes in, over gaps of a thing's rim."""
    _, labels = cv2.connectedComponents(cv2.dilate(parts, np.ones((9, 9), np.uint8)), connectivity=8)
    held = np.isin(labels, np.unique(labels[(entrance > 0) & (labels > 0)]))
    return np.where(held, parts, np.uint8(0))


def _shaded(off: Floats) -> NDArray[np.bool_]:
    """Where a surface is only darker, all colours alike, as in a shadow."""
    mean = off.mean(axis=2)
    return np.asarray((mean < 0) & (mean > -0.6) & (_most(np.abs(off - mean[..., None])) < 0.08))


def _disc(x: float, y: float, radius: float) -> list[Point]:
    turns = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    return [(x + radius * float(np.cos(turn)), y + radius * float(np.sin(turn))) for turn in turns]


def _joined(parts: Sequence[Mask]) -> Mask:
    whole = parts[0].copy()
    for part in parts[1:]:
        whole |= part
    return whole

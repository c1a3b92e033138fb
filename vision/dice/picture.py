"""A die in a picture without a table: for enrolment, and for a camera that looks at a die and nothing else.

The picture is taken from straight above or nearly so. The die's size is not known: whatever stands out from its ground as one
compact spot may be it. Of several the clearest die counts, the one nearest the picture's middle where two are alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.edges import EdgeMap
from vision.dice.eye import Eye
from vision.dice.fit import DiePose, Reach, fit_die, rough_fits, standing_out
from vision.frame import Image

Floats = NDArray[np.float64]
Mask = NDArray[np.uint8]

UNIT = 14.0
"""Units that a die's height is taken to have: everything is then as on a table whose millimetre they are."""
PX_PER_UNIT = 4.0
_WINDOW = 44.0
_SMALL_PX = 400
_SHARES = (0.0008, 0.6)
"""Share of the picture that a die covers."""
_MOST = 6
_LEAST_SOLID = 0.8
"""Share of its own hull that a die's spot fills at least."""
_OUTLINE_SHARE = 1.3
"""Area of a die's outline over the square of its height."""
_MIDDLE_COUNTS = 0.15
_FITTED = 2
_LEAST_ROUGH = 0.45
"""How clear another spot must be roughly to be looked at closely."""
_BESIDE = 0.75
"""Of their mean size, by which the middles of two dice are apart at least."""
_ABOVE = Eye(0.0, 0.0, np.inf)


@dataclass(frozen=True, slots=True, eq=False)
class FoundDie:
    """A die in a picture without a table."""

    poses: tuple[DiePose, ...]
    """Best first, in units of which `px_per_unit` make a pixel of the picture."""
    edges: EdgeMap
    px_per_unit: float
    clear: float
    """0 to 1: how much like a die on its ground it is."""

    def px(self, points: Floats) -> Floats:
        """Pixels of the picture of points of the plane."""
        return np.asarray(points * self.px_per_unit - 0.5)


def find_die(image: Image, sides: int | None = None) -> FoundDie | None:
    """The die in a picture; None where nothing in it looks like one. `sides` where it is known."""
    return next(iter(find_several(image, sides, most=1)), None)


def find_several(image: Image, sides: int | None = None, most: int = _MOST) -> list[FoundDie]:
    """Whatever in a picture may be a die, each in a place of its own: the likeliest first, then by how clear it is."""
    reach = Reach((0.6 * UNIT, 1.6 * UNIT), sides=(8, 10) if sides is None else (sides,))
    tries = sorted(_tries(image), key=lambda tried: -tried.worth)
    found = [(tried.worth, tried.fitted(reach)) for tried in tries[:_FITTED]]
    if not found:
        return []
    first = max(found, key=lambda each: each[0] + each[1].clear)[1]
    kept = [first]
    others = [die for _, die in found if die is not first]
    others += [tried.fitted(reach) for tried in tries[_FITTED:] if most > 1 and tried.rough >= _LEAST_ROUGH]
    for die in sorted(others, key=lambda each: -each.clear):
        if len(kept) < most and all(_apart(die, other) for other in kept):
            kept.append(die)
    return kept


@dataclass(frozen=True, slots=True, eq=False)
class _Try:
    """A spot with what may lie there, roughly."""

    pose: DiePose
    edges: EdgeMap
    px_per_unit: float
    rough: float
    """How clear it is."""
    worth: float
    """The same, less for what lies far from the picture's middle."""

    def fitted(self, reach: Reach) -> FoundDie:
        pose = self.pose
        poses = fit_die(self.edges, _ABOVE, pose.x, pose.y, pose.height, spread=1.5, reach=reach)
        clear = poses[0].score * standing_out(self.edges, poses[0])
        return FoundDie(tuple(poses), self.edges, self.px_per_unit, clear)


def _tries(image: Image) -> Iterator[_Try]:
    height, width = image.shape[:2]
    for x, y, size in _spots(image):
        edges, middle = _window(image, x, y, size)
        pose = rough_fits(edges, _ABOVE, *middle, UNIT, spread=2.0)[0]
        rough = pose.score * standing_out(edges, pose)
        away = float(np.hypot(x - width / 2, y - height / 2) / np.hypot(width / 2, height / 2))
        yield _Try(pose, edges, size / UNIT, rough, rough - _MIDDLE_COUNTS * away)


def _apart(one: FoundDie, other: FoundDie) -> bool:
    """Whether two lie beside each other rather than in one place."""
    (a, b) = (each.px(each.poses[0].outline()) for each in (one, other))
    far = float(np.linalg.norm(a.mean(axis=0) - b.mean(axis=0)))
    return far > _BESIDE * (_across(a) + _across(b)) / 2


def _across(outline: Floats) -> float:
    return float(np.sqrt(cv2.contourArea(outline.astype(np.float32)) / _OUTLINE_SHARE))


def _window(image: Image, x: float, y: float, size: float) -> tuple[EdgeMap, tuple[float, float]]:
    """What surrounds a pixel, brought to UNIT for `size`, and the place of the pixel there."""
    unit = size / UNIT
    left, top = (x + 0.5) / unit - _WINDOW / 2, (y + 0.5) / unit - _WINDOW / 2
    step = unit / PX_PER_UNIT
    source = image
    if step > 1.5:
        source = cv2.GaussianBlur(image, (0, 0), 0.4 * step).astype(np.uint8, copy=False)
    matrix = np.array([[step, 0, left * unit + step / 2 - 0.5], [0, step, top * unit + step / 2 - 0.5]])
    side = round(_WINDOW * PX_PER_UNIT)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    window = cv2.warpAffine(source, matrix, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    edges = EdgeMap(window.astype(np.uint8, copy=False), PX_PER_UNIT, (left, top))
    return edges, (left + _WINDOW / 2, top + _WINDOW / 2)


def _spots(image: Image) -> list[tuple[float, float, float]]:
    """Compact spots that stand out: middle and a die's height by their area, px of the picture, best first."""
    scale = min(1.0, _SMALL_PX / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    light = np.log(cv2.GaussianBlur(small, (0, 0), 1.0).astype(np.float32) + np.float32(16))
    found: list[tuple[float, float, float, float]] = []
    for ground in _grounds(light):
        off = np.linalg.norm(light - ground, axis=2).astype(np.float32)
        for limit in (0.15, 0.3, 0.6, 1.0):
            found += _compact(np.where(off > limit, np.uint8(255), np.uint8(0)))
    chosen: list[tuple[float, float, float]] = []
    for _, x, y, size in sorted(found, reverse=True):
        if all(np.hypot(x - u, y - v) > 0.3 * size or abs(size / other - 1) > 0.2 for u, v, other in chosen):
            chosen.append((x, y, size))
    back = 1 / scale
    return [((x + 0.5) * back - 0.5, (y + 0.5) * back - 0.5, size * back) for x, y, size in chosen[:_MOST]]


def _grounds(light: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """What the ground may be: the picture's rim, or the median over a good part of it."""
    rim = np.concatenate([light[0], light[-1], light[:, 0], light[:, -1]])
    low, high = float(light.min()), float(light.max())
    coded = np.clip((light - low) * (255 / max(high - low, 1e-6)), 0, 255).astype(np.uint8)
    small = cv2.resize(coded, None, fx=1 / 3, fy=1 / 3, interpolation=cv2.INTER_AREA)
    smooth = cv2.resize(cv2.medianBlur(small, 41), (light.shape[1], light.shape[0])).astype(np.float32)
    local = smooth * np.float32(max(high - low, 1e-6) / 255) + np.float32(low)
    return [np.broadcast_to(np.median(rim, axis=0), light.shape).astype(np.float32), local]


def _compact(mask: Mask) -> list[tuple[float, float, float, float]]:
    """Worth, middle and height of spots that are filled, round and free of the rim."""
    height, width = mask.shape
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)
    # What lies within a ring, such as the Arena's string, counts too; the holes themselves don't.
    contours, levels = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    found = []
    for contour, level in zip(contours, levels[0] if contours else (), strict=True):
        if level[3] >= 0:
            continue
        x, y, across, down = cv2.boundingRect(contour)
        hull = cv2.convexHull(contour)
        area = float(cv2.contourArea(hull))
        if not _SHARES[0] * mask.size <= area <= _SHARES[1] * mask.size or min(across, down) < 8:
            continue
        if x == 0 or y == 0 or x + across == width or y + down == height or max(across, down) > 1.9 * min(across, down):
            continue
        solid = float(cv2.contourArea(contour)) / area
        if solid < _LEAST_SOLID:
            continue
        moments = cv2.moments(hull)
        u, v = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
        away = float(np.hypot(u - width / 2, v - height / 2) / np.hypot(width / 2, height / 2))
        round_off = abs(across / down - 1) if across > down else abs(down / across - 1)
        found.append((solid - 0.3 * round_off - 0.3 * away, u, v, float(np.sqrt(area / _OUTLINE_SHARE))))
    return found

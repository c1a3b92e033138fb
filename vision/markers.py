"""Finds the table's ArUco markers in a picture, with sub-pixel corners.

DICT_4X4_50, ids 0 to 3 at the table's top left, top right, bottom right and bottom left (architecture, Contracts).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""N x 2, px."""
Grey = NDArray[np.uint8]

IDS = (0, 1, 2, 3)
_WORK_PX = 1600
_SAME_LEVEL = 2.5
"""Mean grey levels by which a marker's surroundings may differ from before; a shift by half a pixel makes three times that."""
_CELLS = 6
_CELL_PX = 6
_SURE_MARKER = 0.985
_UNREST_COST = 0.03
_MOST_UNREST_PX = 2.0
_GROWTHS = (1.0, 1.06, 0.95, 1.12, 1.18)
_SAME_MARKER = 0.88
"""Correlation with its own picture from which on it is a marker; the outline of its white paper stays below 0.3."""

_FLAT = 60.0
"""Grey levels times side that a marker's picture varies by at the very least."""
_LIGHT = ((np.arange(256) / 255) ** 2.2).astype(np.float32)
"""Light of a grey level."""

Sightings = dict[int, list[Points]]
"""For each id every place where it was read, 4 x 2 corners each: top left, top right, bottom right, bottom left."""


@lru_cache(maxsize=4)
def _detector(kind: str) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.minMarkerPerimeterRate = 0.02
    # Black square and white margin are outlines close together: the default takes them for one and may keep the wrong one.
    parameters.minMarkerDistanceRate = 0.02
    if kind == "wide":
        # Windows up to the size of a whole marker, and corners that glare or blur has rounded.
        parameters.adaptiveThreshWinSizeMin = 5
        parameters.adaptiveThreshWinSizeMax = 75
        parameters.adaptiveThreshWinSizeStep = 14
        parameters.adaptiveThreshConstant = 5
        parameters.polygonalApproxAccuracyRate = 0.05
        parameters.minCornerDistanceRate = 0.03
        parameters.minOtsuStdDev = 3.0
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)


def grey_of(image: NDArray[np.uint8]) -> Grey:
    """One channel of a blue-green-red or grey picture."""
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return grey.astype(np.uint8, copy=False)


def find_markers(image: NDArray[np.uint8]) -> Sightings:
    """Every sighting of the four markers; further passes run only while one of the four is missing."""
    grey = grey_of(image)
    found: dict[int, list[tuple[float, Points]]] = {}
    for prepared, scale, kind in _passes(grey):
        for marker, rough in _detect(prepared, kind):
            corners, likeness = _best_refined(grey, marker, (rough + 0.5) / scale - 0.5)
            if likeness >= _SAME_MARKER:
                _add(found, marker, corners, likeness)
        if len(found) == len(IDS):
            break
    return {marker: [corners for _, corners in places] for marker, places in sorted(found.items())}


def _passes(grey: Grey) -> Iterator[tuple[Grey, float, str]]:
    """Pictures to search, their scale, and the detector's kind: the cheap look first."""
    longest = max(grey.shape)
    scale = min(1.0, _WORK_PX / longest)
    small = _resized(grey, scale)
    yield small, scale, "plain"
    yield small, scale, "wide"
    even = cv2.createCLAHE(clipLimit=3.0, tileGridSize=(8, 8)).apply(small).astype(np.uint8, copy=False)
    yield even, scale, "wide"
    if scale < 1.0:
        yield _resized(grey, min(1.0, 2.0 * scale)), min(1.0, 2.0 * scale), "wide"
    elif longest <= _WORK_PX * 0.9:
        yield _resized(grey, 2.0), 2.0, "wide"


def _resized(grey: Grey, scale: float) -> Grey:
    if scale == 1.0:
        return grey
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return cv2.resize(grey, None, fx=scale, fy=scale, interpolation=way).astype(np.uint8, copy=False)


def _detect(grey: Grey, kind: str) -> list[tuple[int, Points]]:
    corners, ids, _ = _detector(kind).detectMarkers(grey)
    if not len(corners):
        return []
    numbers = np.asarray(ids).ravel()
    return [
        (int(n), np.asarray(quad, np.float64).reshape(4, 2))
        for n, quad in zip(numbers, corners, strict=True)
        if int(n) in IDS
    ]


def _add(found: dict[int, list[tuple[float, Points]]], marker: int, corners: Points, likeness: float) -> None:
    """Keeps a sighting, or the likelier one of two at the same place: the white paper's outline may read as the marker too."""
    places = found.setdefault(marker, [])
    size = float(np.linalg.norm(corners[0] - corners[2]))
    for i, (known, other) in enumerate(places):
        if float(np.abs(corners - other).max()) <= 0.3 * size:
            if likeness > known:
                places[i] = (likeness, corners)
            return
    places.append((likeness, corners))


def _best_refined(grey: Grey, marker: int, rough: Points) -> tuple[Points, float]:
    """Sub-pixel corners and how like the marker's own picture they make it.

    Where blur has shrunk or grown the outline that was found, the true edge may lie out of the refinement's reach: then it
    is sought from somewhat larger and smaller outlines too. What a further refinement would still move, or can't measure, is
    not yet there.
    """
    middle = rough.mean(axis=0)
    best, worth, likeness = rough, -np.inf, 0.0
    for growth in _GROWTHS:
        corners = _refined(grey, middle + growth * (rough - middle))
        again, measured = _measured(grey, corners)
        its = _likeness(grey, marker, again)
        unrest = min(float(np.abs(again - corners).max()), _MOST_UNREST_PX) if measured else _MOST_UNREST_PX
        if its - _UNREST_COST * unrest > worth:
            best, worth, likeness = again, its - _UNREST_COST * unrest, its
        if worth >= _SURE_MARKER:
            break
    return best, likeness


def _refined(grey: Grey, corners: Points) -> Points:
    """Sub-pixel corners; the given ones where an edge is not clear."""
    return _measured(grey, corners)[0]


def _measured(grey: Grey, corners: Points) -> tuple[Points, bool]:
    """Where straight lines through the four sides' edges meet, or the given corner; and whether all four were measured."""
    lines = [_side_line(grey, corners[i], corners[(i + 1) % 4]) for i in range(4)]
    side = float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).min())
    fine, count = corners.copy(), 0
    for i in range(4):
        before, after = lines[i - 1], lines[i]
        if before is None or after is None:
            continue
        meeting = np.cross(before, after)
        if abs(meeting[2]) < 1e-9:
            continue
        place = meeting[:2] / meeting[2]
        if float(np.linalg.norm(place - corners[i])) <= max(2.5, side / 16):
            fine[i] = place
            count += 1
    return fine, count == len(lines)


def _side_line(grey: Grey, start: Points, end: Points) -> Points | None:
    """The line (a, b, c with ax + by + c = 0) through the edge between two corners, px; None where it is not clear."""
    along = end - start
    length = float(np.hypot(along[0], along[1]))
    if length < 8:
        return None
    along /= length
    outward = np.array([along[1], -along[0]])
    reach = float(np.clip(length / 14, 2.5, 6.0))
    offsets = np.arange(-reach, reach + 0.125, 0.25)
    places = start + along * (length * np.linspace(0.12, 0.88, 25))[:, None]
    grid = (places[:, None] + outward * offsets[:, None]).astype(np.float32)
    across, down = cv2.split(grid)
    profiles = cv2.remap(grey, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
    # Blur mixes light, not grey levels: on the coded scale a white ground would swell into the black square.
    light = (profiles / 255) ** 2.2
    rise = np.clip(np.diff(cv2.GaussianBlur(light, (5, 1), 1.0), axis=1), 0, None)
    middle = (offsets[:-1] + offsets[1:]) / 2
    peak = middle[rise.argmax(axis=1)]
    rise = rise * (np.abs(middle - peak[:, None]) <= 1.5)
    weight = rise.sum(axis=1)
    clear = weight > 0.25 * np.median(weight) + 1e-4
    if clear.sum() < 8:
        return None
    edge = (rise * middle).sum(axis=1)[clear] / weight[clear]
    points = places[clear] + outward * edge[:, None]
    return _line_through(points, along)


def _line_through(points: Points, along: Points) -> Points:
    """A line near `along` through points, of which some may lie astray."""
    keep = np.ones(len(points), bool)
    line = np.zeros(3)
    for _ in range(3):
        middle = points[keep].mean(axis=0)
        spread = points[keep] - middle
        direction = np.linalg.svd(spread, full_matrices=False)[2][0] if len(spread) > 2 else along
        normal = np.array([-direction[1], direction[0]])
        line = np.array([normal[0], normal[1], -float(normal @ middle)])
        off = np.abs(points @ normal + line[2])
        closer = off <= max(0.25, 2.0 * float(np.median(off)))
        if closer.sum() < 6 or (closer == keep).all():
            break
        keep = closer
    return line


def find_near(image: NDArray[np.uint8], last: dict[int, Points]) -> dict[int, Points]:
    """Markers still at, or close to, their last places: a fraction of the cost of a search of the whole picture."""
    found = {}
    for marker, corners in last.items():
        seen = _find_one_near(image, marker, corners)
        if seen is not None:
            found[marker] = seen
    return found


def _find_one_near(image: NDArray[np.uint8], marker: int, corners: Points) -> Points | None:
    height, width = image.shape[:2]
    reach = 0.15 * float(np.ptp(corners, axis=0).max()) + 4
    low = np.floor(corners.min(axis=0) - reach).astype(int)
    high = np.ceil(corners.max(axis=0) + reach).astype(int)
    low, high = low.clip(0, None), high.clip(None, [width, height])
    if corners.min() < 0 or (corners > [width - 1, height - 1]).any():
        return None
    part = grey_of(image[low[1] : high[1], low[0] : high[0]])
    fine = _refined(part, corners - low)
    return fine + low if _likeness(part, marker, fine) >= _SAME_MARKER else None


def _likeness(grey: Grey, marker: int, corners: Points) -> float:
    """Correlation of what lies between four corners with the marker's own picture.

    It compares light, not grey levels: on the coded scale blur makes white swell, and a quad too small would fit best.
    """
    side = _CELLS * _CELL_PX
    ends = np.array([[-0.5, -0.5], [side - 0.5, -0.5], [side - 0.5, side - 0.5], [-0.5, side - 0.5]], np.float32)
    matrix = cv2.getPerspectiveTransform(ends, corners.astype(np.float32))
    flat = cv2.warpPerspective(grey, matrix, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    if float(flat.std()) * side < _FLAT:
        return 0.0
    values = _LIGHT[flat]
    values -= values.mean()
    size = float(np.linalg.norm(values))
    cell_px = float(np.linalg.norm(corners[1] - corners[0] + corners[2] - corners[3])) / (2 * _CELLS)
    soft = min(3, round(_CELL_PX / max(cell_px, 1.0)))
    return float((values * _picture(marker, soft)).sum()) / size if size > 0 else 0.0


@lru_cache(maxsize=16)
def _picture(marker: int, soft: int) -> NDArray[np.float32]:
    """The marker's picture, zero mean and unit length, as blurred as a camera's pixels of this size make it."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    drawn = cv2.aruco.generateImageMarker(dictionary, marker, _CELLS * _CELL_PX)
    blurred = cv2.GaussianBlur(np.asarray(drawn, np.float32), (0, 0), 0.7 + 0.5 * soft)
    blurred = blurred - blurred.mean()
    unit: NDArray[np.float32] = (blurred / np.linalg.norm(blurred)).astype(np.float32)
    return unit


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A marker's surroundings as they were, to see cheaply that nothing has moved."""

    left: int
    top: int
    grey: Grey


def patch_of(image: NDArray[np.uint8], corners: Points) -> Patch | None:
    """The part of a picture that holds a marker; None where it reaches past the picture."""
    low, high = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int)
    if low.min() < 0 or high[0] > image.shape[1] or high[1] > image.shape[0] or (high - low).min() < 4:
        return None
    part = image[low[1] : high[1], low[0] : high[0]]
    return Patch(int(low[0]), int(low[1]), grey_of(np.ascontiguousarray(part)).copy())


def unchanged(image: NDArray[np.uint8], patch: Patch) -> bool:
    """Whether the picture still shows the same there, but for noise and a change of exposure."""
    height, width = patch.grey.shape
    part = image[patch.top : patch.top + height, patch.left : patch.left + width]
    if part.shape[:2] != patch.grey.shape:
        return False
    now = grey_of(np.ascontiguousarray(part))
    before_mean, now_mean = cv2.mean(patch.grey)[0], cv2.mean(now)[0]
    even = cv2.convertScaleAbs(now, alpha=before_mean / max(now_mean, 1.0))
    return cv2.mean(cv2.absdiff(even, patch.grey))[0] <= _SAME_LEVEL + 0.02 * before_mean


def best_of(sightings: Sightings) -> Iterator[dict[int, Points]]:
    """Every way to take one sighting for each id; a page with a second marker of one id gives more than one."""

    def choose(ids: Sequence[int]) -> Iterator[dict[int, Points]]:
        if not ids:
            yield {}
            return
        for rest in choose(ids[1:]):
            for corners in sightings[ids[0]][:3]:
                yield {ids[0]: corners, **rest}

    yield from choose(sorted(sightings))

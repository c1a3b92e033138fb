"""Finds the table's ArUco markers in a picture, with sub-pixel corners.

DICT_4X4_50, ids 0 to 3 at the table's top left, top right, bottom right and bottom left (architecture, Contracts).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""N x 2, px."""
Grey = NDArray[np.uint8]

IDS = (0, 1, 2, 3)
_WORK_PX = 1600
_NEAR_PX = 40.0
"""Side to which a marker's surroundings are brought when it is looked for near its last place."""

Sightings = dict[int, list[Points]]
"""For each id every place where it was read, 4 x 2 corners each: top left, top right, bottom right, bottom left."""


@lru_cache(maxsize=4)
def _detector(kind: str) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.minMarkerPerimeterRate = 0.02
    if kind == "wide":
        # Windows up to the size of a whole marker, and corners that glare or blur has rounded.
        parameters.adaptiveThreshWinSizeMin = 5
        parameters.adaptiveThreshWinSizeMax = 75
        parameters.adaptiveThreshWinSizeStep = 14
        parameters.adaptiveThreshConstant = 5
        parameters.polygonalApproxAccuracyRate = 0.05
        parameters.minCornerDistanceRate = 0.03
        parameters.minOtsuStdDev = 3.0
    elif kind == "near":
        parameters.minMarkerPerimeterRate = 0.5
        parameters.adaptiveThreshWinSizeMin = 13
        parameters.adaptiveThreshWinSizeMax = 33
        parameters.adaptiveThreshWinSizeStep = 20
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)


def grey_of(image: NDArray[np.uint8]) -> Grey:
    """One channel of a blue-green-red or grey picture."""
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return grey.astype(np.uint8, copy=False)


def find_markers(image: NDArray[np.uint8]) -> Sightings:
    """Every sighting of the four markers; further passes run only while one of the four is missing."""
    grey = grey_of(image)
    found: Sightings = {}
    for prepared, scale, kind in _passes(grey):
        for marker, corners in _detect(prepared, kind):
            _add(found, marker, (corners + 0.5) / scale - 0.5)
        if len(found) == len(IDS):
            break
    return {marker: [_refined(grey, corners) for corners in places] for marker, places in sorted(found.items())}


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
    if ids is None:
        return []
    numbers = np.asarray(ids).ravel()
    return [
        (int(n), np.asarray(quad, np.float64).reshape(4, 2))
        for n, quad in zip(numbers, corners, strict=True)
        if int(n) in IDS
    ]


def _add(found: Sightings, marker: int, corners: Points) -> None:
    places = found.setdefault(marker, [])
    size = float(np.linalg.norm(corners[0] - corners[2]))
    if all(float(np.abs(corners - known).max()) > 0.25 * size for known in places):
        places.append(corners)


def _refined(grey: Grey, corners: Points) -> Points:
    """Sub-pixel corners; a corner that would wander off keeps its place."""
    side = float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).min())
    reach = int(np.clip(side / 16, 2, 9))
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 40, 0.005)
    start = corners.astype(np.float32).reshape(-1, 1, 2)
    fine = cv2.cornerSubPix(grey, start.copy(), (reach, reach), (-1, -1), stop).reshape(4, 2).astype(np.float64)
    moved = np.linalg.norm(fine - corners, axis=1, keepdims=True)
    return np.where(moved <= reach, fine, corners)


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
    reach = 0.35 * float(np.ptp(corners, axis=0).max())
    low = np.floor(corners.min(axis=0) - reach).clip(0).astype(int)
    high = np.ceil(corners.max(axis=0) + reach).astype(int).clip(None, [width, height])
    if (high - low).min() < 8:
        return None
    part = grey_of(image[low[1] : high[1], low[0] : high[0]])
    side = float(np.linalg.norm(corners[1] - corners[0]))
    scale = min(1.0, _NEAR_PX / max(side, 1.0))
    for found, place in _detect(_resized(part, scale), "near"):
        if found == marker:
            return _refined(part, (place + 0.5) / scale - 0.5) + low
    return None


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

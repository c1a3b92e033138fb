"""Measures how a camera sees the table: scale, tilt, how well the markers fit, light; and says what to better."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.profile import PointPx
from calibration.zones import Size
from vision.frame import Image
from vision.markers import find_markers, grey_of
from vision.table import CORNER_NAMES, MARKER_MM, Lens, Points, TablePose, locate_table, marker_mm

ENOUGH_PX_PER_MM = 2.0
"""A card's print and a star's number can be told apart from here on."""
FIT_MM = 1.0
"""Markers may be off by so much."""
MUCH_TILT_DEG = 25.0
UNEVEN = 1.6
DARK = 100.0
FLAT = 0.55
PATCH_PX_PER_MM = 3.0
GUESSED_FOCAL = 0.9
"""Focal length in picture widths of a usual camera, where the lens was not measured."""


@dataclass(frozen=True, slots=True)
class MarkerReport:
    """One marker, as the picture shows it."""

    marker: int
    residual_mm: float
    """Its worst corner's distance from where it should lie on the table."""
    white: float
    """Brightness of its white parts, 0 to 255."""
    black: float


@dataclass(frozen=True, slots=True)
class TableReport:
    """How the camera sees the table."""

    picture_px: tuple[int, int]
    """Width and height."""
    table_mm: Size
    markers: tuple[MarkerReport, ...]
    """Those that were seen, by number."""
    px_per_mm: float
    """Where the table is farthest from the camera."""
    tilt_deg: float
    """Between the camera's axis and straight down; a guess where the lens was not measured."""
    corners_px: tuple[PointPx, PointPx, PointPx, PointPx]
    """The table rectangle's corners in the picture: top left, top right, bottom right, bottom left."""
    advice: tuple[str, ...]
    """What to better, the most important first."""

    @property
    def residual_mm(self) -> float:
        """Of the worst marker."""
        return max(marker.residual_mm for marker in self.markers)


def measure_table(image: Image, table_mm: Size, lens: Lens | None = None) -> TableReport:
    """Measures one picture.

    Raises vision's PoseLostError where fewer than two markers are whole, BadTableSizeError where the table is of another size.
    """
    pose = locate_table(image, table_mm, lens)
    height, width = image.shape[:2]
    found = _sighted(image, pose)
    markers = tuple(_marker(image, pose, number, corners) for number, corners in sorted(found.items()))
    edges = np.array([(0, 0), (table_mm[0], 0), table_mm, (0, table_mm[1])], np.float64)
    corners_px = [(round(float(x), 2), round(float(y), 2)) for x, y in pose.to_px(edges)]
    report = TableReport(
        picture_px=(width, height),
        table_mm=table_mm,
        markers=markers,
        px_per_mm=min(_scale(pose, x, y) for x, y in [*edges, edges.mean(axis=0)]),
        tilt_deg=_tilt(pose, width, height),
        corners_px=(corners_px[0], corners_px[1], corners_px[2], corners_px[3]),
        advice=(),
    )
    return _advised(report, lens is not None)


def _sighted(image: Image, pose: TablePose) -> dict[int, Points]:
    """The markers in the picture, px; of several of one number the one that lies where the table has it."""
    found = {}
    for number, places in find_markers(image).items():
        ideal = marker_mm(number, pose.table_mm)
        found[number] = min(places, key=lambda corners: float(np.abs(pose.to_mm(corners) - ideal).max()))
    return found


def _marker(image: Image, pose: TablePose, number: int, corners: Points) -> MarkerReport:
    ideal = marker_mm(number, pose.table_mm)
    off = np.linalg.norm(pose.to_mm(corners) - ideal, axis=1)
    x, y = ideal[0]
    patch = grey_of(pose.rectify(image, PATCH_PX_PER_MM, (x, y, MARKER_MM, MARKER_MM)))
    limit, _ = cv2.threshold(patch, 0, 255, cv2.THRESH_OTSU)
    white, black = patch[patch > limit], patch[patch <= limit]
    return MarkerReport(
        number,
        float(off.max()),
        float(np.median(white)) if white.size else 0.0,
        float(np.median(black)) if black.size else 0.0,
    )


def _scale(pose: TablePose, x: float, y: float) -> float:
    """Picture px per mm at a point of the table, in the direction in which it is least."""
    middle, right, down = pose.to_px([(x, y), (x + 1, y), (x, y + 1)])
    return float(np.linalg.svd(np.stack([right - middle, down - middle]), compute_uv=False)[-1])


def _tilt(pose: TablePose, width: int, height: int) -> float:
    """Angle between the camera's axis and the table's upright, degrees."""
    if pose.lens is not None:
        matrix = pose.lens.matrix
    else:
        focal = GUESSED_FOCAL * max(width, height)
        matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    right, down, _ = (np.linalg.inv(matrix) @ np.linalg.inv(pose.to_mm_matrix)).T
    upright = np.cross(right, down)
    return math.degrees(math.acos(min(1.0, abs(float(upright[2])) / float(np.linalg.norm(upright)))))


def _advised(report: TableReport, lens_known: bool) -> TableReport:
    advice = tuple(
        itertools.chain(_on_markers(report), _on_scale(report), _on_fit(report, lens_known), _on_light(report))
    )
    return TableReport(
        **{name: getattr(report, name) for name in TableReport.__slots__ if name != "advice"}, advice=advice
    )


def _on_markers(report: TableReport) -> list[str]:
    seen = {marker.marker for marker in report.markers}
    return [
        f"marker {n} ({where}) is not seen: it must be whole, flat, unshaded and inside the picture with a white edge around it"
        for n, where in enumerate(CORNER_NAMES)
        if n not in seen
    ]


def _on_scale(report: TableReport) -> list[str]:
    advice = []
    if report.px_per_mm < ENOUGH_PX_PER_MM:
        advice.append(
            f"the picture has {report.px_per_mm:.2f} px a mm where the table is farthest; at least {ENOUGH_PX_PER_MM:g} "
            "are needed to read cards and numbers: choose a larger picture size or bring the camera closer"
        )
    if report.tilt_deg > MUCH_TILT_DEG:
        advice.append(
            f"the camera looks down {report.tilt_deg:.0f} degrees askew: hang it closer to over the table's middle"
        )
    return advice


def _on_fit(report: TableReport, lens_known: bool) -> list[str]:
    if report.residual_mm <= FIT_MM:
        return []
    # One marker out of place pulls the others with it, so none can be blamed.
    worst = max(report.markers, key=lambda marker: marker.residual_mm)
    misfit = f"the markers miss their places by up to {worst.residual_mm:.1f} mm (at marker {worst.marker})"
    check = "check that each lies flat with its outer black corner on the table's corner"
    return [
        f"{misfit}: {check}"
        if lens_known
        else f"{misfit}: {check}; if so, the lens bends: run `hoshiban calibrate lens`"
    ]


def _on_light(report: TableReport) -> list[str]:
    bright = max(report.markers, key=lambda marker: marker.white)
    dim = min(report.markers, key=lambda marker: marker.white)
    if dim.white < DARK:
        return [f"the table is dark at the {CORNER_NAMES[dim.marker]}: add light or lengthen the exposure"]
    if bright.white > UNEVEN * dim.white:
        return [
            f"the light is uneven: {bright.white / dim.white:.1f} times as bright at the {CORNER_NAMES[bright.marker]} as at the "
            f"{CORNER_NAMES[dim.marker]}; move a lamp or add one"
        ]
    return [
        f"marker {marker.marker} ({CORNER_NAMES[marker.marker]}) has little contrast: a lamp mirrors there or it is out of focus"
        for marker in report.markers
        if marker.black > FLAT * marker.white
    ]

"""A single card on the table, taken as a reference scan: found by its outline, cut out straight, refused where it can't serve.

Nothing is known of the card or of the ground; the outline is the largest in the picture that has a card's shape. Where the
table's pose is known, it must have the card's size too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.table import TablePose

SCAN_PX_PER_MM = 10.0
"""Scale of a cut-out, where the picture has as much."""
LEAST_PX_PER_MM = 2.0
"""A card of fewer pixels shows too little of its print."""
BLURRED_MM = 0.6
"""Blur (sigma) on the card beyond which a take does not serve; what cards are compared with is smoothed by about 0.45 mm."""
GLARE_SHARE = 0.015
_WORK_PX = 1000
_SHAPE = 0.12
"""How far the sides' ratio may be off, for a camera that looks a little from the side."""
_SIZE = 0.08
_FULL = 0.93
"""Share of its own quadrilateral that an outline must fill: corners are round, edges are straight."""
_LEAST_SHARE = 0.004
_MOST_SHARE = 0.9
_WHITE = 252
_PRINTED = 40.0
"""Grey levels between the darkest and the brightest part of a card that has something printed on it."""
_REACH_MM = 1.6
"""How far from a rough outline the card's edge is looked for; a frame printed on the card lies further in."""
_PROBES = 48

Quad = NDArray[np.float64]
"""4 x 2: top left, top right, bottom right, bottom left, px."""


class Fault(StrEnum):
    """Why a take is refused."""

    SMALL = "the card is too small in the picture: bring the camera nearer, or take a larger picture"
    BLURRED = "the picture is blurred: hold still, or focus the camera on the card"
    GLARE = "a light shines back from the card: move the lamp or the card a little"


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A card cut out of a picture."""

    scan: Image
    """The card alone, as it lies in the picture to the nearest quarter turn."""
    corners_px: Quad
    px_per_mm: float
    """What the picture had; the scan may be larger."""
    blur_mm: float | None
    """None where nothing on the card is sharp enough to tell."""
    faults: tuple[Fault, ...]


def take_card(image: Image, size_mm: tuple[float, float], pose: TablePose | None = None) -> Taken | None:
    """The card of that size (short and long side in any order) that lies in the picture; None where none is found."""
    short, long = min(size_mm), max(size_mm)
    fitting = [quad for quad in outlines(image) if _fits(quad, short, long, pose)]
    if not fitting:
        return None
    corners = refined(image, max(fitting, key=_area), (short, long))
    return cut_out(image, corners, (short, long))


def cut_out(image: Image, corners: Quad, size_mm: tuple[float, float]) -> Taken:
    """The card between four corners, with what speaks against it. `size_mm`: short side, long side."""
    across, down = _sides(corners)
    width_mm, height_mm = size_mm if across <= down else size_mm[::-1]
    px_per_mm = (across / width_mm + down / height_mm) / 2
    scan = _straight(image, corners, (width_mm, height_mm), SCAN_PX_PER_MM)
    # Quality is judged at the picture's own scale: enlarging adds no detail and no noise.
    plain = _straight(image, corners, (width_mm, height_mm), min(px_per_mm, SCAN_PX_PER_MM))
    blur = blur_px(plain)
    blur_mm = None if blur is None else blur / min(px_per_mm, SCAN_PX_PER_MM)
    faults = []
    if px_per_mm < LEAST_PX_PER_MM:
        faults.append(Fault.SMALL)
    # A print without a single edge is a blurred one, unless there is no print.
    if blur_mm > BLURRED_MM if blur_mm is not None else _contrast(plain) > _PRINTED:
        faults.append(Fault.BLURRED)
    if glare_share(plain) > GLARE_SHARE:
        faults.append(Fault.GLARE)
    return Taken(scan, corners, px_per_mm, blur_mm, tuple(faults))


def outlines(image: Image) -> Iterator[Quad]:
    """Every outline in a picture that is a full convex quadrilateral of some size, in pixels of the picture."""
    factor = max(1.0, max(image.shape[:2]) / _WORK_PX)
    small = cv2.resize(image, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)
    area = small.shape[0] * small.shape[1]
    for mask in _masks(small.astype(np.uint8, copy=False)):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            if not _LEAST_SHARE * area < cv2.contourArea(contour) < _MOST_SHARE * area:
                continue
            quad = _quad_of(np.asarray(contour, np.int32))
            if quad is not None and cv2.contourArea(contour) > _FULL * _area(quad):
                yield (quad + 0.5) * factor - 0.5


def _masks(small: Image) -> Iterator[NDArray[np.uint8]]:
    """What may be a card on its ground: what differs in colour from most of the picture, and what strong edges enclose."""
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 1.2), cv2.COLOR_BGR2LAB).astype(np.float32)
    away = np.linalg.norm(lab - np.median(lab.reshape(-1, 3), axis=0), axis=2)
    away = np.clip(away, 0, 255).astype(np.uint8)
    split, _ = cv2.threshold(away, 0, 255, cv2.THRESH_OTSU)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
    for share in (0.5, 0.75, 1.0):
        _, mask = cv2.threshold(away, max(4.0, share * split), 255, cv2.THRESH_BINARY)
        yield cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel).astype(np.uint8, copy=False)
    for channel in (lab[..., 0], lab[..., 1], lab[..., 2]):
        grey = np.clip(channel, 0, 255).astype(np.uint8)
        for low, high in ((20, 60), (50, 150)):
            edges = cv2.dilate(cv2.Canny(grey, low, high), np.ones((3, 3), np.uint8))
            yield edges.astype(np.uint8, copy=False)


def refined(image: Image, corners: Quad, size_mm: tuple[float, float]) -> Quad:
    """The corners pulled onto the strongest edge near each side, at the picture's own scale."""
    grey = cv2.GaussianBlur(image, (0, 0), 0.8).astype(np.float32)
    for _ in range(2):
        across, down = _sides(corners)
        reach = max(3.0, _REACH_MM * (across + down) / sum(size_mm))
        lines = [_edge_line(grey, corners[n], corners[(n + 1) % 4], reach) for n in range(4)]
        met = [_meet(lines[n - 1], lines[n]) for n in range(4)]
        if any(point is None for point in met):
            return corners
        corners = np.array([point for point in met if point is not None])
    return corners


def _edge_line(picture: NDArray[np.float32], start: Quad, end: Quad, reach: float) -> tuple[Quad, Quad]:
    """A point and a direction: the line through the strongest edges across a side."""
    along = end - start
    normal = np.array([-along[1], along[0]]) / np.hypot(*along)
    offsets = np.arange(-reach, reach + 0.25, 0.5)
    places = start + np.linspace(0.12, 0.88, _PROBES)[:, None] * along
    grid = (places[:, None] + offsets[None, :, None] * normal).astype(np.float32)
    values = cv2.remap(picture, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    steps = np.abs(np.diff(values, axis=1)).sum(axis=2)
    # Along a whole side the edge is the one thing that all probes share.
    steps = steps + cv2.blur(steps, (1, 9)) + steps.mean(axis=0)
    best = offsets[steps.argmax(axis=1)] + 0.25
    points = (places + best[:, None] * normal).astype(np.float32)
    x, y, px, py = cv2.fitLine(points, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
    return np.array([px, py], np.float64), np.array([x, y], np.float64)


def _quad_of(contour: NDArray[np.int32]) -> Quad | None:
    """Straight lines fitted to an outline's four sides, and where they meet; None for what has no four sides."""
    hull = cv2.convexHull(contour)
    for share in (0.02, 0.03, 0.05):
        rough = cv2.approxPolyDP(hull, share * cv2.arcLength(hull, closed=True), closed=True)
        if len(rough) == 4:
            break
    else:
        return None
    corners = _ordered(rough.reshape(4, 2).astype(np.float64))
    points = contour.reshape(-1, 2).astype(np.float64)
    lines = [_side_line(points, corners[n], corners[(n + 1) % 4]) for n in range(4)]
    if any(line is None for line in lines):
        return None
    fitted = [line for line in lines if line is not None]
    met = [_meet(fitted[n - 1], fitted[n]) for n in range(4)]
    if any(point is None for point in met):
        return None
    quad = np.array([point for point in met if point is not None])
    # A line that runs off was fitted to something else.
    return quad if float(np.abs(quad - corners).max()) < 0.12 * max(_sides(corners)) else None


def _side_line(points: Quad, start: Quad, end: Quad) -> tuple[Quad, Quad] | None:
    """A point and a direction: the line through what lies along a side, without its rounded ends."""
    along = end - start
    length = float(np.hypot(*along))
    if length < 10:
        return None
    unit = along / length
    offset = points - start
    at, beside = offset @ unit, np.abs(offset @ np.array([-unit[1], unit[0]]))
    chosen = points[(at > 0.15 * length) & (at < 0.85 * length) & (beside < max(3.0, 0.03 * length))]
    if len(chosen) < 10:
        return None
    x, y, px, py = cv2.fitLine(chosen.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
    return np.array([px, py], np.float64), np.array([x, y], np.float64)


def _meet(one: tuple[Quad, Quad], other: tuple[Quad, Quad]) -> Quad | None:
    (p, u), (q, v) = one, other
    cross = u[0] * v[1] - u[1] * v[0]
    if abs(cross) < 0.2:
        return None
    gap = q - p
    found: Quad = p + u * ((gap[0] * v[1] - gap[1] * v[0]) / cross)
    return found


def _ordered(corners: Quad) -> Quad:
    """Clockwise, beginning with the one at the top left of the card as it lies to the nearest quarter turn."""
    middle = corners.mean(axis=0)
    angles = np.arctan2(corners[:, 1] - middle[1], corners[:, 0] - middle[0])
    around = corners[np.argsort(angles)]
    # Clockwise in a picture, whose y points down. The first side is the one that runs most nearly to the right.
    sides = np.roll(around, -1, axis=0) - around
    first = int(np.argmax(sides[:, 0] / np.hypot(sides[:, 0], sides[:, 1])))
    return np.roll(around, -first, axis=0)


def _fits(quad: Quad, short: float, long: float, pose: TablePose | None) -> bool:
    measured = quad if pose is None else np.asarray(pose.to_mm(quad), np.float64)
    across, down = sorted(_sides(measured))
    if abs(across / down / (short / long) - 1) > _SHAPE:
        return False
    return pose is None or (abs(across / short - 1) <= _SIZE and abs(down / long - 1) <= _SIZE)


def _sides(corners: Quad) -> tuple[float, float]:
    """Mean length of the sides across and down."""
    length = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return float(length[0] + length[2]) / 2, float(length[1] + length[3]) / 2


def _contrast(picture: Image) -> float:
    low, high = np.percentile(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (2, 98))
    return float(high - low)


def _area(quad: Quad) -> float:
    return float(cv2.contourArea(quad.astype(np.float32)))


def _straight(image: Image, corners: Quad, size_mm: tuple[float, float], px_per_mm: float) -> Image:
    width, height = (max(1, round(side * px_per_mm)) for side in size_mm)
    target = np.array(
        [(-0.5, -0.5), (width - 0.5, -0.5), (width - 0.5, height - 0.5), (-0.5, height - 0.5)], np.float32
    )
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    return cv2.warpPerspective(
        image, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.uint8, copy=False)


def blur_px(picture: Image) -> float | None:
    """Blur (sigma, px) of the sharpest edges: how wide the ramp is over which they reach their height; None without edges."""
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), 0.7)
    dx, dy = cv2.Sobel(grey, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(grey, cv2.CV_32F, 0, 1, scale=1 / 8)
    slope = cv2.magnitude(dx, dy)
    reach = np.ones((15, 15), np.uint8)
    height = cv2.dilate(grey, reach) - cv2.erode(grey, reach)
    # Only where the slope is greatest around stands the middle of an edge.
    crest = (slope >= cv2.dilate(slope, np.ones((5, 5), np.uint8))) & (height > 30) & (slope > 0)
    crest[:4], crest[-4:], crest[:, :4], crest[:, -4:] = False, False, False, False
    if int(crest.sum()) < 30:
        return None
    widths = height[crest] / slope[crest] / np.sqrt(2 * np.pi)
    return float(np.sqrt(max(float(np.percentile(widths, 10)) ** 2 - 0.7**2, 0.0)))


def glare_share(picture: Image) -> float:
    """Share of a card's picture that is blown out to white in spots worth speaking of."""
    white = (picture.min(axis=2) >= _WHITE).astype(np.uint8)
    opened = cv2.morphologyEx(white, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return float(np.mean(opened))

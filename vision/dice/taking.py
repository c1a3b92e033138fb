"""A single die in a camera's picture, taken for enrolment: cut out, its top face laid flat, or refused with what to do about it.

Nothing is known of table, ground or die but its number of sides. What is cut out is read the way an enrolment reads a
photograph (`vision.dice.enrolled`), so that what is shown is what will be known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.enrolled import BLANK, LEAST_CLEAR, EnrolledDie, EnrolledFace, view_of
from vision.dice.faces import FACE_PX, FaceView, Symbol, symbol_of_face
from vision.dice.identify import OFF_CENTRE, read_face
from vision.dice.picture import FoundDie, find_die, find_several
from vision.dice.silhouette import overlap
from vision.dice.track_colour import shadow_like
from vision.frame import Image
from vision.markers import find_markers

Floats = NDArray[np.float64]
Mask = NDArray[np.uint8]

LEAST_PX = 48.0
"""Distance of a die's opposite faces in the picture below which symbols blur into each other."""
BLURRED = 0.05
"""Blur (sigma) beyond which a take does not serve, in sizes of the die."""
_PROBES, _PROBED, _RIM_LEVELS = 12, 0.25, 30.0
"""Probes a side of its outline, how far they go on both sides of it, in sizes of the die, and the grey levels that count."""
_SURE = 0.6
"""How clear a die must be to be one, and another thing beside it to be a second."""
_AS_LARGE = (0.5, 2.0)
"""Size of a second die beside the first one's."""
_MARGINS = (1.15, 1.4, 1.75)
"""Half the side of a cut-out, in sizes of the die: tight ones show less of what lies beside it."""
_SAME = 0.85
"""Overlap from which on the cut-out shows the die as the whole picture does."""
_CLEAR = 0.88
"""From here on no other cut-out is tried."""
_ASTRAY_COSTS = 0.2
"""Of how clear a cut-out is where its symbol lies off the middle of the top face."""
_KEPT_PX = 640
_PAPER = 1.25
"""The white paper around a marker, over the marker."""
_SMALL_PX = 400
_REACHING = 0.3
"""Change of light against the ground, natural logarithm, of what reaches in over the picture's side."""
_GROUND_ROUNDS, _GROUND_SPREAD = 6, 0.12
"""What differs from the ground by more than this, natural logarithm of light, counts ever less for where the ground is."""
_REACH_SHARE = 0.012
"""Share of the picture that a hand covers at least."""
_BESIDE = 0.12
"""So near to a die, in its size, a hand may touch it."""
_AROUND, _NEAR_PX = 1.8, 48.0
"""Half the side of what is looked at around a die, in its sizes, and its size there."""
_RIM, _FAR = 1.16, 1.5
"""Beyond so many outlines begins what isn't the die's, and what is plain ground."""
_NEIGHBOUR = 0.25
"""Share of a die's outline that something beside it has at least."""
_CUT_OFF = (0.0005, 0.9, 0.15, 1.3)
"""Least share of the picture and least solidity of a die that the picture's side cuts off, and how far it reaches in over its
width there."""
_INKLESS = 0.8, 0.2
"""Confidence from which on a face is blank, and up to which it isn't."""


class Missing(StrEnum):
    """Why there is nothing to take."""

    NOTHING = "no die to be seen: lay the die alone on a plain ground that differs from it"
    SEVERAL = "more than one die to be seen: leave only the one that is enrolled in the picture"
    HAND = "a hand, or something else that reaches in, covers the die or its place: take it away"
    OUTSIDE = "the die is cut off by the picture's side: move it to the middle"
    BESIDE = "something lies right beside the die: move it away, or the die"
    UNCLEAR = "the die can't be told from what lies around it: move it to a plain ground, in even light"


class Fault(StrEnum):
    """What speaks against a take."""

    SMALL = "the die is too small in the picture: bring the camera nearer, or take a larger picture"
    ASTRAY = "the frame may not fit the top face, for what is on it lies far from its middle: turn the die a little"
    BLURRED = "the picture is blurred: hold still, or focus the camera on the die"


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A die cut out of a picture, with what its top face shows."""

    picture: Image
    """The die alone on its ground, as it is kept."""
    outline_px: Floats
    """N x 2: the die's outline in the picture that it was cut from."""
    top_px: Floats
    """N x 2: its top face in the cut-out."""
    size_px: float
    """Distance of opposite faces in the camera's picture."""
    view: FaceView
    symbol: Symbol | None
    """None where the face shows nothing that could be one."""
    blank: float
    """0 to 1: how likely nothing is on the face."""
    faults: tuple[Fault, ...]

    @property
    def is_blank(self) -> bool:
        """Whether nothing is on the face, surely."""
        return self.blank >= _INKLESS[0]

    @property
    def is_inked(self) -> bool:
        """Whether something is on the face, surely."""
        return self.blank <= _INKLESS[1]

    def ink(self) -> Image:
        """The top face laid flat, its tip up: what is taken for ink dark on white, the rest of the die's picture grey."""
        grey = np.full((FACE_PX, FACE_PX), 205, np.uint8)
        grey[self.view.seen > 0] = 255
        shown = (255 * (1 - self.view.ink)).astype(np.uint8)
        drawn = np.where(self.view.open & (not self.is_blank), shown, grey)
        return cv2.cvtColor(drawn.astype(np.uint8), cv2.COLOR_GRAY2BGR).astype(np.uint8, copy=False)


def take_die(image: Image, sides: int) -> Taken | Missing:
    """The one die of so many sides that lies in a picture, or why it can't be taken."""
    papers = _papers(image)
    dice = [die for die in find_several(image, sides) if die.clear >= _SURE and not _on_paper(die, papers)]
    if not dice:
        return _why_nothing(image, papers)
    die = max(dice, key=lambda each: each.clear)
    size = _size(die)
    if any(_AS_LARGE[0] <= _size(other) / size <= _AS_LARGE[1] for other in dice if other is not die):
        return Missing.SEVERAL
    outline = die.px(die.poses[0].outline())
    if _touched(*_reaching(image, papers), outline):
        return Missing.HAND
    if _has_neighbour(image, outline, size):
        return Missing.BESIDE
    return _cut_out(image, outline, size, sides) or Missing.UNCLEAR


def taken_again(picture: Image, sides: int) -> Taken | None:
    """A cut-out that was kept, as it was taken; None where no die is found in it."""
    found = find_die(picture, sides)
    if found is None or found.clear < LEAST_CLEAR:
        return None
    return _read(picture, found, found.px(found.poses[0].outline()), _size(found), 1.0)


def _cut_out(image: Image, outline: Floats, size: float, sides: int) -> Taken | None:
    """The die within its outline, by the cut-out in which it is found most clearly; None where it is not found again."""
    found: list[tuple[float, Taken]] = []
    for margin in _MARGINS:
        part, corner = _window(image, outline.mean(axis=0), margin * size)
        scale = min(1.0, _KEPT_PX / max(part.shape[:2]))
        if scale < 1:
            part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
        die = find_die(part, sides)
        if die is None or die.clear < LEAST_CLEAR:
            continue
        here = (outline - corner + 0.5) * scale - 0.5
        if overlap(die.px(die.poses[0].outline()), here) >= _SAME:
            taken = _read(part, die, outline, size, scale)
            found.append((die.clear - (_ASTRAY_COSTS if Fault.ASTRAY in taken.faults else 0), taken))
            if found[-1][0] >= _CLEAR:
                break
    return max(found, key=lambda each: each[0])[1] if found else None


def _read(part: Image, die: FoundDie, outline: Floats, size: float, scale: float) -> Taken:
    view = view_of(part, die)
    (shown,) = (share for name, share in read_face(view, [_ONLY_BLANK]).candidates if name == BLANK)
    faults = []
    if size < LEAST_PX:
        faults.append(Fault.SMALL)
    elif (blur := _blur_px(part, die.px(die.poses[0].outline()), size * scale)) and blur > BLURRED * size * scale:
        faults.append(Fault.BLURRED)
    top = die.px(die.poses[0].shown_top())
    symbol = None if shown >= _INKLESS[0] else symbol_of_face(view)  # noise is no symbol
    if symbol is not None and float(np.hypot(*symbol.offset)) > OFF_CENTRE:
        faults.append(Fault.ASTRAY)
    return Taken(part, outline, top, size, view, symbol, shown, tuple(faults))


def _blur_px(part: Image, outline: Floats, size: float) -> float | None:
    """Blur (sigma, px) by the die's sharpest rims against the ground; None where it hardly stands out."""
    along = np.linspace(0, 1, _PROBES, endpoint=False)[None, :, None]
    ends = np.roll(outline, -1, axis=0)
    places = outline[:, None] + along * (ends - outline)[:, None]
    way = ends - outline
    normals = np.stack([-way[:, 1], way[:, 0]], axis=1) / np.linalg.norm(way, axis=1, keepdims=True)
    steps = np.arange(-_PROBED * size, _PROBED * size, 0.5)
    grid = (places[:, :, None] + steps[:, None] * normals[:, None, None]).reshape(-1, len(steps), 2).astype(np.float32)
    profiles = np.asarray(
        cv2.remap(part, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float64
    )
    smooth = (np.roll(profiles, 1, axis=1) + profiles + np.roll(profiles, -1, axis=1))[:, 1:-1] / 3
    heights = smooth.max(axis=1) - smooth.min(axis=1)
    slopes = np.abs(smooth[:, 2:] - smooth[:, :-2]).max(axis=1)
    clear = heights > _RIM_LEVELS
    if int(clear.sum()) < _PROBES:
        return None
    return float(np.percentile(heights[clear] / slopes[clear], 10) / np.sqrt(2 * np.pi))


_ONLY_BLANK = EnrolledDie("blank", None, (EnrolledFace(BLANK, ()),))


def _size(die: FoundDie) -> float:
    return die.poses[0].height * die.px_per_unit


def _window(image: Image, middle: Floats, half: float) -> tuple[Image, Floats]:
    """The square around a place, as far as the picture goes, and its first pixel."""
    height, width = image.shape[:2]
    left, top = (int(max(part, 0)) for part in np.floor(middle - half))
    right, bottom = (int(min(part, most)) for part, most in zip(np.ceil(middle + half), (width, height), strict=True))
    return np.ascontiguousarray(image[top:bottom, left:right]), np.array([left, top], np.float64)


def _papers(image: Image) -> list[Floats]:
    """The table's markers with their paper: squares that look a little like dice."""
    papers = []
    for corners in find_markers(image).values():
        middle = np.asarray(corners).mean(axis=0)
        papers.append(np.asarray(middle + _PAPER * (np.asarray(corners) - middle), np.float64))
    return papers


def _on_paper(die: FoundDie, papers: Sequence[Floats]) -> bool:
    x, y = (float(part) for part in die.px(die.poses[0].outline()).mean(axis=0))
    return any(cv2.pointPolygonTest(paper.astype(np.float32), (x, y), False) >= 0 for paper in papers)


def _reaching(image: Image, papers: Sequence[Floats]) -> tuple[Mask, float]:
    """255 where something differs from the ground and hangs together with the picture's side, small; and the scale."""
    scale = min(1.0, _SMALL_PX / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    light = np.log(cv2.GaussianBlur(small, (0, 0), 1.0).astype(np.float32) + np.float32(16))
    off = np.linalg.norm(light - _ground(light), axis=2)
    mask = np.where(off > _REACHING, np.uint8(255), np.uint8(0))
    for paper in papers:
        cv2.fillPoly(mask, [np.rint(paper * scale).astype(np.int32)], 0)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    height, width = mask.shape
    kept = [n for n in range(1, count) if _at_side(stats[n], width, height)]
    return np.where(np.isin(labels, kept), np.uint8(255), np.uint8(0)), scale


def _ground(light: NDArray[np.float32]) -> NDArray[np.float32]:
    """The bare ground's light as a smooth surface of second degree, which most of the picture bears out."""
    height, width = light.shape[:2]
    rows, columns = np.mgrid[:height, :width]
    x, y = columns.ravel() / width - 0.5, rows.ravel() / height - 0.5
    terms = np.stack([np.ones(x.size), x, y, x * x, x * y, y * y], axis=1)
    values = light.reshape(-1, 3).astype(np.float64)
    off = values - np.median(values, axis=0)
    surface = np.zeros_like(values)
    for _ in range(_GROUND_ROUNDS):
        weights = 1 / (1 + (off**2).sum(axis=1, keepdims=True) / _GROUND_SPREAD**2)
        held = terms.T @ (weights * terms) + 1e-3 * np.eye(terms.shape[1])
        surface = terms @ np.linalg.solve(held, terms.T @ (weights * values))
        off = values - surface
    return surface.reshape(light.shape).astype(np.float32)


def _at_side(stat: NDArray[np.int32], width: int, height: int) -> bool:
    x, y, across, down = (int(part) for part in stat[:4])
    return x == 0 or y == 0 or x + across == width or y + down == height


def _touched(mask: Mask, scale: float, outline: Floats) -> bool:
    """Whether something that reaches in lies over a die or right beside it."""
    around = _filled(mask, _grown(outline, 1 + 2 * _BESIDE) * scale)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    large = [n for n in range(1, count) if stats[n, cv2.CC_STAT_AREA] > _REACH_SHARE * mask.size]
    return bool((np.isin(labels, large) & (around > 0)).any())


def _has_neighbour(image: Image, outline: Floats, size: float) -> bool:
    """Whether something that is no shadow hangs together with the die beyond its outline."""
    part, corner = _window(image, outline.mean(axis=0), _AROUND * size)
    scale = min(1.0, _NEAR_PX / size)
    resized = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    small = np.asarray(cv2.GaussianBlur(resized, (0, 0), 1.0), np.float32)
    here = (outline - corner + 0.5) * scale - 0.5
    die, near = _filled(small, here), _filled(small, _grown(here, _RIM))
    ground = np.median(small[_filled(small, _grown(here, _FAR)) == 0], axis=0).astype(np.float32)
    off = np.linalg.norm(np.log(small + 16) - np.log(ground + 16), axis=2)
    pixels = small.reshape(-1, 3)
    shadow = shadow_like(pixels, np.broadcast_to(ground, pixels.shape)).reshape(off.shape)
    mask = np.where(((off > _REACHING) & ~shadow) | (die > 0), np.uint8(255), np.uint8(0))
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)).astype(np.uint8, copy=False)
    _, labels = cv2.connectedComponents(mask)
    own = labels[die > 0]
    together = np.isin(labels, own[own > 0]) & (near == 0)
    return float(together.sum()) > _NEIGHBOUR * float((die > 0).sum())


def _grown(outline: Floats, by: float) -> Floats:
    middle = outline.mean(axis=0)
    return np.asarray(middle + by * (outline - middle))


def _filled(like: Mask | NDArray[np.float32], outline: Floats) -> Mask:
    mask = np.zeros(like.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.rint(outline).astype(np.int32)], 255)
    return mask


def _why_nothing(image: Image, papers: Sequence[Floats]) -> Missing:
    """What may hide the die that isn't found."""
    mask, _ = _reaching(image, papers)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    least, solid = _CUT_OFF[:2]
    answer = Missing.NOTHING
    for contour in sorted(contours, key=cv2.contourArea, reverse=True):
        area = float(cv2.contourArea(contour))
        if area < least * mask.size:
            break
        hull = float(cv2.contourArea(cv2.convexHull(contour)))
        if area >= solid * hull and _is_cut_off(cv2.boundingRect(contour), mask):
            return Missing.OUTSIDE
        if area > _REACH_SHARE * mask.size:
            answer = Missing.HAND
    return answer


def _is_cut_off(box: Sequence[int], mask: Mask) -> bool:
    """Whether what ends at the picture's side may be a die: it reaches in no farther than it is wide."""
    x, y, across, down = box
    height, width = mask.shape
    beside, below = x == 0 or x + across == width, y == 0 or y + down == height
    inward, along = (across, down) if beside else (down, across)
    short, long = _CUT_OFF[2:]
    return (beside and below) or short <= inward / max(along, 1) <= long

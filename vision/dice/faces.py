"""What a face shows: laid flat, its ink told from its ground, and compared with known symbols in every turn.

A symbol is compared by its ink alone, moved to its middle and brought to one size, so that a flat picture of it serves as well
as a photograph of a die, whatever the colours. A blank face has evidence of its own: its ground is seen, and nothing on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Floats = NDArray[np.float32]
Points = NDArray[np.float64]
Mask = NDArray[np.uint8]

FACE_PX = 72
"""Side of the square picture that a face is laid out in."""
INCIRCLE_PX = 24.0
"""Radius there of the largest circle in the face."""
SYMBOL_PX = 40
"""Side of the square in which symbols are compared."""
SYMBOL_SPREAD_PX = 9.0
"""A symbol's ink is brought to this root mean square distance from its middle, px of that square."""
EVERY_TURN = tuple(float(turn) for turn in range(0, 360, 5))
"""Turns a symbol is tried in, degrees clockwise."""
_OWN_SOFT = 0.8
_BROAD, _BROAD_PX = np.float32(0.7), 8.0
_SOFT = (0.8, 1.4, 2.0, 2.8)
"""Known symbols are softened by so many px of that square: as sharp as a die near the camera, and as soft as a far one."""
_COVER_RIM_PX = 7
"""Width of the square by which what lies over a face is widened."""
_RIM = 0.86
"""Share of a face, from its middle, that is looked at: edges are rounded and shine."""
_GROUND_RING = 0.62
"""Beyond this share of the face its ground shows."""
_LOOKED_AT = 1.25
"""How far from a face's middle symbols reach, in incircle radii; beyond lie the edges of a slightly wrong outline."""
_CORE = 0.95
"""Within so many incircle radii any symbol has ink, and no edge comes near."""
_LEAST_CORE = 60
_FULL_INK = 98
"""Percentile of what differs that is all ink: thin figures cover little of a face."""
_SHARP_SOFT_PX, _RIM_PX = 1.5, 7
_LIGHT_FLOOR = 8.0
_GAMMA = np.float32(1.5)
"""Lenses blur light, pictures are coded by some power of it, and again made smaller: between the two, ink keeps its width."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceView:
    """A face laid out flat."""

    ink: Floats
    """FACE_PX square: 0 ground to 1 ink."""
    seen: Mask
    """255 where the face's inner part is."""
    contrast: float
    """How much the ink differs from the ground, natural logarithm of light; near the noise where there is none."""
    noise: float
    """How much the ground varies about its own smooth light, the same."""
    ground: tuple[float, float, float]
    """The ground's blue, green, red."""
    share: float
    """Share of the face that is ink."""
    pixel: float
    """FACE_PX pixels that a pixel of the picture covers: how blurred the view is."""
    open: NDArray[np.bool_]
    """Where symbols may be and nothing lies over them."""
    bare: float = 1.0
    """Share of the face's middle over which nothing lies."""
    sight: float = 1.0
    """Share of the whole face over which nothing lies."""
    sharp: float = 1.0
    """How suddenly its ink begins: 0.3 and more for drawn edges, less for a face that darkens little by little."""


def layout(top: Points) -> Points:
    """Where a face's corners (tip first) lie in its flat picture, N x 2 px.

    `top` is the face itself, N x 3 or N x 2 in any unit, as it lies in the table's plane.
    """
    flat = np.asarray(top, np.float64)[:, :2]
    middle, radius = incircle(flat)
    tip = flat[0] - middle
    turn = np.arctan2(tip[1], tip[0]) + np.pi / 2
    cosine, sine = np.cos(-turn), np.sin(-turn)
    turned = (flat - middle) @ np.array([[cosine, sine], [-sine, cosine]])
    return np.asarray(turned * (INCIRCLE_PX / radius) + FACE_PX / 2 - 0.5)


def incircle(polygon: Points) -> tuple[Points, float]:
    """Middle and radius of the circle that touches all sides of a triangle or a kite (tip first)."""
    sides = np.linalg.norm(np.roll(polygon, -1, axis=0) - polygon, axis=1)
    if len(polygon) == 3:
        weights = np.array([sides[1], sides[2], sides[0]])
        middle = (weights[:, None] * polygon).sum(axis=0) / weights.sum()
    else:
        # In a kite it lies on the axis from tip to end, where the bisector at a side corner meets it.
        share = sides[0] / (sides[0] + sides[1])
        middle = polygon[0] + share * (polygon[2] - polygon[0])
    along = polygon[1] - polygon[0]
    off = polygon[0] - middle
    return middle, float(abs(along[0] * off[1] - along[1] * off[0]) / np.linalg.norm(along))


def lay_flat(image: Image, corners_px: Points, face: Points, cover: tuple[Mask, Points] | None = None) -> FaceView:
    """The face whose corners (tip first) show at `corners_px` in a picture; `face` is its true shape, N x 2 or N x 3.

    `cover`: a mask of what something lies over, and where the corners are in it.
    """
    place = layout(face)
    matrix = _perspective(corners_px, place)
    pixel = float(
        np.sqrt(cv2.contourArea(place.astype(np.float32)) / max(cv2.contourArea(corners_px.astype(np.float32)), 1))
    )
    way = cv2.INTER_LINEAR if pixel >= 1 else cv2.INTER_AREA
    flat = cv2.warpPerspective(image, matrix, (FACE_PX, FACE_PX), flags=way, borderMode=cv2.BORDER_REPLICATE)
    covered, sight = None, 1.0
    if cover is not None:
        over = cv2.warpPerspective(cover[0], _perspective(cover[1], place), (FACE_PX, FACE_PX), flags=cv2.INTER_NEAREST)
        sight = float((over[_scaled(place, 1.0) > 0] == 0).mean())
        # A finger's blurred rim is no ink.
        covered = cv2.dilate(over, np.ones((_COVER_RIM_PX, _COVER_RIM_PX), np.uint8)) > 0
    return replace(read_ink(flat.astype(np.uint8, copy=False), place, pixel, covered), sight=sight)


def _perspective(source: Points, target: Points) -> Points:
    if len(source) == 3:
        affine = cv2.getAffineTransform(source.astype(np.float32), target.astype(np.float32))
        return np.vstack([affine, [0, 0, 1]])
    return np.asarray(cv2.getPerspectiveTransform(source.astype(np.float32), target.astype(np.float32)), np.float64)


def _scaled(place: Points, share: float) -> Mask:
    middle = np.array([FACE_PX / 2 - 0.5, FACE_PX / 2 - 0.5])
    mask = np.zeros((FACE_PX, FACE_PX), np.uint8)
    corners = middle + share * (place - middle)
    cv2.fillPoly(mask, [np.rint(corners * 16).astype(np.int32)], 255, cv2.LINE_8, 4)
    return mask


def read_ink(flat: Image, place: Points, pixel: float = 1.0, covered: NDArray[np.bool_] | None = None) -> FaceView:
    """Ink and ground of a face laid out flat, whose corners are at `place`; nothing is seen where it is `covered`."""
    light = np.log(flat.astype(np.float32) + np.float32(_LIGHT_FLOOR))
    light = cv2.GaussianBlur(light, (0, 0), 0.7)
    seen, middle = _scaled(place, _RIM), _scaled(place, _GROUND_RING)
    nothing = np.zeros((FACE_PX, FACE_PX), np.bool_)
    ring = (seen > 0) & (middle == 0)
    if covered is not None:
        ring = ring & ~covered if (ring & ~covered).sum() >= _LEAST_CORE else (seen > 0) & ~covered
    if ring.sum() < _LEAST_CORE:
        return FaceView(np.zeros(ring.shape, np.float32), seen, 0.0, 0.0, (0.0, 0.0, 0.0), 0.0, pixel, nothing, 0.0)
    ground, noise = _even_ground(light, ring)
    off = light - ground
    inner = (seen > 0) & _round_window(FACE_PX, _LOOKED_AT * INCIRCLE_PX)
    core = inner & _round_window(FACE_PX, _CORE * INCIRCLE_PX)
    bare = 1.0
    if covered is not None:
        bare = float(1 - covered[core].mean())
        inner, core = inner & ~covered, core & ~covered
        if core.sum() < _LEAST_CORE:
            return FaceView(
                np.zeros(inner.shape, np.float32), seen, 0.0, 0.0, (0.0, 0.0, 0.0), 0.0, pixel, nothing, 0.0
            )
    _, contrast = _ink_direction(off, core)
    # Light mixes by shares where ink and ground blur into each other; by its logarithm dark ink would shrink and light ink grow.
    without_ink = np.exp(_GAMMA * ground)
    plain = (flat.astype(np.float32) + np.float32(_LIGHT_FLOOR)) ** _GAMMA - without_ink
    plain /= without_ink.mean(axis=2, keepdims=True)
    plain = cv2.GaussianBlur(plain, (0, 0), 0.7).astype(np.float32)
    direction, full = _ink_direction(plain, core)
    ink = np.clip(plain @ direction / max(full, 1e-3), 0, 1).astype(np.float32)
    ink[~inner] = 0
    share = float((ink[inner] > 0.5).mean())
    level = np.exp(ground[inner].mean(axis=0)) - _LIGHT_FLOOR
    ground_bgr = (float(level[0]), float(level[1]), float(level[2]))
    sharp = _sharpness(ink, inner, pixel)
    return FaceView(ink, seen, contrast, noise, ground_bgr, share, pixel, inner, bare, sharp=sharp)


def _sharpness(ink: Floats, inner: NDArray[np.bool_], pixel: float) -> float:
    """The steepest of its change, beside that of a step which is blurred by a pixel of the picture and, against noise, once more
    here."""
    smooth = cv2.GaussianBlur(ink, (0, 0), _SHARP_SOFT_PX)
    across, down = (cv2.Sobel(smooth, cv2.CV_32F, *way, scale=1 / 8) for way in ((1, 0), (0, 1)))
    # The ink ends at the face's rim without an edge of its own.
    within = cv2.erode(inner.astype(np.uint8), np.ones((_RIM_PX, _RIM_PX), np.uint8)) > 0
    if not within.any():
        return 1.0
    return float(np.percentile(np.hypot(across, down)[within], 95) * np.hypot(_SHARP_SOFT_PX, pixel))


def _even_ground(light: Floats, ring: NDArray[np.bool_]) -> tuple[Floats, float]:
    """A plane of light a channel through most of the ring's pixels, and how much they vary about it."""
    rows, columns = np.mgrid[:FACE_PX, :FACE_PX]
    terms = np.stack([np.ones((FACE_PX, FACE_PX)), columns / FACE_PX - 0.5, rows / FACE_PX - 0.5], axis=2)
    here, values = terms[ring], light[ring].astype(np.float64)
    keep = np.abs(values - np.median(values, axis=0)).max(axis=1) < 0.35
    field = np.zeros((3, 3))
    field[0] = np.median(values, axis=0)
    spread = 0.05
    for _ in range(4):
        if keep.sum() < 30:
            break
        kept = here[keep]
        field = np.linalg.solve(kept.T @ kept + 0.5 * np.eye(3), kept.T @ values[keep] + 0.5 * field)
        off = np.abs(values - here @ field).max(axis=1)
        spread = float(1.48 * np.median(off[keep]))
        keep = off < max(3 * spread, 0.06)
    return (terms @ field).astype(np.float32), spread


def _ink_direction(off: Floats, inner: NDArray[np.bool_]) -> tuple[NDArray[np.float32], float]:
    """In which direction of colour the ink differs from the ground, and by how much."""
    values = off[inner]
    size = np.linalg.norm(values, axis=1)
    limit = np.percentile(size, 93)
    strong = values[size >= limit]
    mean = strong.mean(axis=0)
    length = float(np.linalg.norm(mean))
    if length < 1e-4:
        return np.array([1, 0, 0], np.float32), 1e-4
    direction = (mean / length).astype(np.float32)
    # Ink may be two colours against one ground; what differs the other way is no ink of this symbol.
    return direction, float(np.percentile(values @ direction, _FULL_INK))


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like a symbol is to a known one."""

    score: float
    """-1 to 1."""
    turn: float
    """By which the known one must be turned, degrees clockwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """Ink brought to one place and size, upright as it was."""

    ink: Floats
    """SYMBOL_PX square, 0 to 1."""
    size: float
    """Root mean square distance of the ink from its middle, in incircle radii of its face; 0 where that is not known."""
    offset: tuple[float, float] = (0.0, 0.0)
    """The ink's middle from the face's, in incircle radii, x right and y down with the face's tip up."""


def symbol_of_face(view: FaceView) -> Symbol | None:
    """The symbol on a face; None where the ink is too little or too much to be one."""
    ink = np.where(view.ink > 0.35, view.ink, np.float32(0))
    clean = _without_specks(ink)
    found = _centred(clean)
    if found is None:
        return None
    picture, middle, spread = found
    offset = (middle - (FACE_PX / 2 - 0.5)) / INCIRCLE_PX
    return Symbol(picture, spread / INCIRCLE_PX, (float(offset[0]), float(offset[1])))


def symbol_of_picture(image: Image) -> Symbol | None:
    """The symbol of a flat picture: dark on light or light on dark, whatever runs along the rim is ground."""
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    scale = 160 / max(grey.shape)
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)
    rim = np.concatenate([small[0], small[-1], small[:, 0], small[:, -1]])
    off = np.abs(small - np.median(rim))
    found = _centred(np.where(off > 0.35 * off.max(), off / max(float(off.max()), 1.0), 0).astype(np.float32))
    return None if found is None or off.max() < 25 else Symbol(found[0], 0.0)


def _without_specks(ink: Floats) -> Floats:
    """Ink without what is much smaller than its largest part or hangs on the face's rim."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats((ink > 0.5).astype(np.uint8))
    if count < 2:
        return np.zeros_like(ink)
    areas = stats[1:, cv2.CC_STAT_AREA]
    large = [i + 1 for i, area in enumerate(areas) if area >= max(0.06 * areas.max(), 6)]
    kept = cv2.dilate(np.isin(labels, large).astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(ink * kept, np.float32)


def _centred(ink: Floats) -> tuple[Floats, Points, float] | None:
    """Ink brought to its middle and one size; where its middle was, px, and its spread, px. None where there is none."""
    total = float(ink.sum())
    if total < 12:
        return None
    rows, columns = np.mgrid[: ink.shape[0], : ink.shape[1]]
    middle = np.array([float((columns * ink).sum()), float((rows * ink).sum())]) / total
    distance = (columns - middle[0]) ** 2 + (rows - middle[1]) ** 2
    spread = float(np.sqrt((distance * ink).sum() / total))
    scale = SYMBOL_SPREAD_PX / max(spread, 1.0)
    half = SYMBOL_PX / 2 - 0.5
    if scale < 0.7:
        ink = cv2.GaussianBlur(ink, (0, 0), 0.4 / scale).astype(np.float32)
    matrix = np.array([[scale, 0, half - scale * middle[0]], [0, scale, half - scale * middle[1]]])
    picture = cv2.warpAffine(ink, matrix, (SYMBOL_PX, SYMBOL_PX), flags=cv2.INTER_LINEAR)
    return picture.astype(np.float32), middle, spread


def likeness(symbol: Symbol, known: Symbol, turns: Sequence[float] = EVERY_TURN) -> Likeness:
    """How like two symbols are in the best of the turns, once small errors of place, size, turn and sharpness are taken out."""
    one = _compared(symbol)
    return _polished(one, known, _coarse(one, known, turns))


def likenesses(symbol: Symbol, known: Sequence[tuple[str, Symbol]]) -> dict[str, float]:
    """How like a symbol is to each of the names that may look as told; the likeliest ones without small errors, as `likeness`."""
    one = _compared(symbol)
    found: dict[str, float] = {}
    polished: set[str] = set()
    for coarse, name, each in sorted(
        ((_coarse(one, each, EVERY_TURN), name, each) for name, each in known), key=lambda tried: -tried[0].score
    ):
        score = coarse.score
        if name in polished or len(polished) < _POLISHED:
            polished.add(name)
            score = _polished(one, each, coarse).score
        found[name] = max(found.get(name, -1.0), score)
    return found


_POLISHED = 3
"""So many names are compared closely: the best two are weighed against each other."""


def _compared(symbol: Symbol) -> Floats:
    return _normal(_sharpened(_soft(symbol.ink, _OWN_SOFT))).ravel()


def _coarse(one: Floats, known: Symbol, turns: Sequence[float]) -> Likeness:
    scores = _turned(known.ink.tobytes(), tuple(turns)) @ one
    best = int(np.argmax(scores))
    return Likeness(float(scores[best]), turns[best])


def _polished(one: Floats, known: Symbol, start: Likeness) -> Likeness:
    return max((_climbed(one, known, start.turn, soft) for soft in _SOFT), key=lambda found: found.score)


def _climbed(one: Floats, known: Symbol, turn: float, soft: float) -> Likeness:
    half = SYMBOL_PX / 2 - 0.5
    picture = _known(known.ink.tobytes(), soft)
    state, steps = np.array([turn, 1.0, 0.0, 0.0]), np.array([3.0, 0.06, 1.0, 1.0])

    def score(tried: NDArray[np.float64]) -> float:
        matrix = np.asarray(cv2.getRotationMatrix2D((half, half), -float(tried[0]), float(tried[1])), np.float64)
        matrix[:, 2] += tried[2:]
        return float(_normal(cv2.warpAffine(picture, matrix, (SYMBOL_PX, SYMBOL_PX))).ravel() @ one)

    best = score(state)
    for _ in range(3):
        for i in range(4):
            for way in (-1.0, 1.0):
                tried = state.copy()
                tried[i] += way * steps[i]
                value = score(tried)
                if value > best:
                    best, state = value, tried
        steps = steps / 2
    return Likeness(best, float(state[0]) % 360)


def _soft(ink: Floats, soft: float) -> Floats:
    return cv2.GaussianBlur(ink, (0, 0), soft).astype(np.float32)


def _sharpened(ink: Floats) -> Floats:
    """Any two symbols are much alike in that both are a spot of ink: what is as broad as the whole counts less."""
    return np.asarray(ink - _BROAD * cv2.GaussianBlur(ink, (0, 0), _BROAD_PX), np.float32)


@lru_cache(maxsize=256)
def _known(ink: bytes, soft: float) -> Floats:
    return _sharpened(_soft(np.frombuffer(ink, np.float32).reshape(SYMBOL_PX, SYMBOL_PX), soft))


@lru_cache(maxsize=256)
def _turned(ink: bytes, turns: tuple[float, ...]) -> Floats:
    picture = _known(ink, _SOFT[0])
    half = SYMBOL_PX / 2 - 0.5
    turned = [
        _normal(cv2.warpAffine(picture, cv2.getRotationMatrix2D((half, half), -turn, 1.0), (SYMBOL_PX, SYMBOL_PX)))
        for turn in turns
    ]
    return np.stack(turned).reshape(len(turns), -1)


@lru_cache(maxsize=8)
def _round_window(side: int, radius: float) -> NDArray[np.bool_]:
    rows, columns = np.mgrid[:side, :side] - (side / 2 - 0.5)
    return np.asarray(rows**2 + columns**2 <= radius**2)


def _normal(picture: object) -> Floats:
    """Zero mean and unit length within the round window."""
    values = np.asarray(picture, np.float32)
    window = _weights()
    values = (values - float((values * window).sum()) / _weighed()) * window
    return np.asarray(values / np.float32(max(float(np.linalg.norm(values)), 1e-6)), np.float32)


@lru_cache(maxsize=1)
def _weights() -> Floats:
    return _round_window(SYMBOL_PX, SYMBOL_PX / 2).astype(np.float32)


@lru_cache(maxsize=1)
def _weighed() -> float:
    return float(_weights().sum())

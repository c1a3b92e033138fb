"""How a flying die is turned, from one small picture of it, and so which of its corners hangs lowest.

The die is a known solid of one colour; each of its faces shows one light. So a turn is likely where the solid's outline is the
picture's and where the light within each of its faces varies little. No lamp's place need be known. Turns are tried as views of
the solid, evenly over all directions, times turns of the picture about the line of sight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.solids import solid
from vision.frame import Image

Floats = NDArray[np.float64]
Mask = NDArray[np.uint8]

_SIDE_PX = 36
_HALF = 0.95
"""Half the side of the small picture, in units of the die's size."""
_STEP_RAD = 0.14
_TURNS = 45
_LIGHT_SPREAD = 0.08
"""Of one face, as a share of the die's own light: noise, print, blur."""
_ALIKE_PX = 4.0
"""So many pixels of the small picture tell as much as one: they are blurred into each other."""
_OFF_OUTLINE = 0.5
"""What a pixel costs that the outline should cover and does not, or the reverse."""
_DOUBT = 4.0
"""By which all that is divided: solids are rounded and cast shadows on themselves."""
_OWN_SHARE = 0.7
GRID = np.linspace(-0.9, 0.9, 31)
"""Places of the lowest corner beside the die's middle, in units of its size, along x and y."""
_EVEN_REACH = 0.71
"""How far beside the middle the lowest corner of any such die may be, same units."""
_ANYWHERE = 0.005
"""Chance that the picture was misread."""
_TIE = 0.06
"""A corner that hangs higher by so much, in the die's sizes, may still touch first."""
_SPREAD = 0.06
"""Standard deviation of the corner's place."""


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """A picture of a die and how it was taken."""

    picture: Image
    own: Mask
    """255 where it shows the die's colour."""
    middle_px: tuple[float, float]
    """Of its outline."""
    to_px: Floats
    """2 x 2: px for each unit of the die's size along the view's two axes (`axes_of`)."""
    toward_eye: Floats
    """Unit vector from the die to the camera: x, y, height."""
    bgr: tuple[int, int, int]


def axes_of(toward_eye: Floats) -> Floats:
    """2 x 3: the axes across the line of sight."""
    first = np.cross([0.0, 1.0, 0.0], toward_eye)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(toward_eye, first)])


def anywhere() -> Floats:
    """Chances of the lowest corner's place where nothing is known of the turn: rows along y, columns along x, of GRID."""
    across, down = np.meshgrid(GRID, GRID)
    even = np.hypot(across, down) <= _EVEN_REACH
    return np.asarray(even / even.sum())


def lowest_corner(sides: int, sight: Sight, late_s: float) -> Floats:
    """Chances of the place of the corner that touches first, as `anywhere` gives them. `late_s`: from the picture to the touch.

    Raises ValueError for a number of sides that is not known.
    """
    views = _views(sides)
    costs = views.costs(sight)
    chances = np.exp(-(costs - costs.min()) / _DOUBT)
    most = np.argsort(chances.ravel())[::-1][:400]
    weights = chances.ravel()[most] / chances.ravel()[most].sum()
    corners = views.corners(most, sight.toward_eye)
    higher = corners[..., 2] - corners[..., 2].min(axis=1, keepdims=True)
    # While it turns from the picture to the touch, another corner may come lowest.
    first = np.exp(-((higher / (_TIE + 6.0 * abs(late_s))) ** 2) / 2)
    first *= weights[:, None] / first.sum(axis=1, keepdims=True)
    step = float(GRID[1] - GRID[0])
    at = np.rint((corners[..., :2] - GRID[0]) / step).astype(np.intp).clip(0, len(GRID) - 1)
    found = np.zeros((len(GRID), len(GRID)))
    np.add.at(found, (at[..., 1].ravel(), at[..., 0].ravel()), first.ravel())
    spread = (_SPREAD + 3.0 * abs(late_s)) / step
    found = cv2.GaussianBlur(found, (0, 0), spread).astype(np.float64)
    return np.asarray((1 - _ANYWHERE) * found / found.sum() + _ANYWHERE * anywhere())


class _Views:
    """A solid seen from evenly spread directions, none of which shows the same as another turned about the line of sight."""

    def __init__(self, sides: int) -> None:
        shape = solid(sides)
        corners = shape.vertices - np.array([0.0, 0.0, 0.5])
        faces: list[NDArray[np.float32]] = []
        outlines: list[NDArray[np.float32]] = []
        owner: list[int] = []
        turned: list[Floats] = []
        for number, direction in enumerate(_directions(corners)):
            frame = np.vstack([axes_of(direction), direction])
            seen = corners @ frame.T
            px = (seen[:, :2] / _HALF + 1) * _SIDE_PX / 2 - 0.5
            shown = [face for face, normal in zip(shape.faces, shape.normals, strict=True) if normal @ direction > 0.02]
            drawn = [_filled(px[list(face)]) for face in shown]
            outlines.append(np.clip(np.sum(drawn, axis=0), 0, 1).ravel())
            # An edge's own light belongs to neither face.
            faces += [cv2.erode(face, np.ones((3, 3), np.uint8)).astype(np.float32).ravel() for face in drawn]
            owner += [number] * len(drawn)
            turned.append(seen)
        self._faces, self._outlines = np.array(faces), np.array(outlines)
        self._owner, self._turned = np.array(owner), np.array(turned)

    def costs(self, sight: Sight) -> Floats:
        """How badly each turn of the picture (rows) and view (columns) explains it."""
        colour = np.array(sight.bgr, np.float32)
        light = (sight.picture.astype(np.float32) @ colour) / np.float32(colour @ colour + 1e-6)
        own = (sight.own > 0).astype(np.float32)
        whole = cv2.morphologyEx(own, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        layers = np.dstack([own, light, whole]).astype(np.float32)
        parts = np.stack([self._small(layers, sight, _turn(n)) for n in range(_TURNS)], axis=1)
        # Turns side by side: one product of matrices for all of them.
        weight = parts[..., 0] * (parts[..., 0] > _OWN_SHARE)
        lit = parts[..., 1] * weight
        seen, light_sum, squares = (
            np.asarray(self._faces @ part, np.float32) for part in (weight, lit, parts[..., 1] * lit)
        )
        varies = np.asarray(np.maximum(squares - light_sum**2 / np.maximum(seen, 1e-3), 0.0), np.float32)
        uneven = self._by_view(varies) * weight.sum(axis=0) / np.maximum(self._by_view(seen), 1.0)
        whole_px = parts[..., 2]
        off = whole_px.sum(axis=0) + self._outlines.sum(axis=1)[:, None] - 2 * (self._outlines @ whole_px)
        return np.asarray((uneven / (2 * _ALIKE_PX * _LIGHT_SPREAD**2) + _OFF_OUTLINE * off).T, np.float64)

    def _by_view(self, of_faces: NDArray[np.float32]) -> NDArray[np.float32]:
        """The sum over each view's faces."""
        starts = np.flatnonzero(np.diff(self._owner, prepend=-1))
        return np.asarray(np.add.reduceat(of_faces, starts, axis=0), np.float32)

    def corners(self, which: NDArray[np.intp], toward_eye: Floats) -> Floats:
        """The corners of these turns (by their place in `costs`) beside the die's middle, x, y and height."""
        turn, view = np.divmod(which, len(self._outlines))
        seen = self._turned[view]
        rotations = np.array([_turn(n) for n in range(_TURNS)])[turn]
        across = np.einsum("nij,nvj->nvi", rotations, seen[..., :2])
        return np.asarray(across @ axes_of(toward_eye) + seen[..., 2:] * toward_eye)

    def _small(self, layers: NDArray[np.float32], sight: Sight, turn: Floats) -> NDArray[np.float32]:
        step = sight.to_px @ turn * (2 * _HALF / _SIDE_PX)
        start = np.array(sight.middle_px) + sight.to_px @ turn @ np.full(2, _HALF * (1 / _SIDE_PX - 1))
        matrix = np.column_stack([step, start])
        small = cv2.warpAffine(layers, matrix, (_SIDE_PX, _SIDE_PX), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
        return np.asarray(small.reshape(-1, 3), np.float32)


@lru_cache(maxsize=4)
def _views(sides: int) -> _Views:
    return _Views(sides)


def _turn(n: int) -> Floats:
    angle = 2 * np.pi * n / _TURNS
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _filled(corners_px: Floats) -> NDArray[np.float32]:
    mask = np.zeros((_SIDE_PX, _SIDE_PX), np.uint8)
    cv2.fillConvexPoly(mask, np.rint(corners_px * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    return np.asarray(mask / np.float32(255), np.float32)


def _directions(corners: Floats) -> list[Floats]:
    """Directions evenly over the part of the sphere that the solid's own turns do not repeat."""
    count = round(4 * np.pi / _STEP_RAD**2)
    at = np.arange(count) + 0.5
    height = 1 - 2 * at / count
    around = np.pi * at * (1 + 5**0.5)
    reach = np.sqrt(1 - height**2)
    sphere = np.column_stack([reach * np.cos(around), reach * np.sin(around), height])
    turns = _own_turns(corners)
    mark = np.array([0.523, 0.317, 0.791])
    return [direction for direction in sphere if (turns @ direction @ mark).max() <= direction @ mark + 1e-9]


def _own_turns(corners: Floats) -> Floats:
    """Rotations that leave the solid as it is, N x 3 x 3."""
    longest = np.linalg.norm(corners, axis=1)
    one = int(longest.argmax())
    other = next(n for n in range(len(corners)) if np.linalg.norm(np.cross(corners[one], corners[n])) > 0.1)
    base = np.linalg.inv(_frame(corners[one], corners[other]))
    found = []
    for a in corners:
        for b in corners:
            turn = _frame(a, b) @ base
            if np.abs(turn @ turn.T - np.eye(3)).max() < 1e-6 and _same_set(corners @ turn.T, corners):
                found.append(turn)
    return np.array(found)


def _frame(first: Floats, second: Floats) -> Floats:
    return np.column_stack([first, second, np.cross(first, second)])


def _same_set(one: Floats, other: Floats) -> bool:
    return bool((np.linalg.norm(one[:, None] - other[None], axis=2).min(axis=1) < 1e-6).all())

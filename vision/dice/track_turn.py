"""How a flying die may be turned, from one small picture of it.

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


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """Ways in which a die may be turned, the likeliest first."""

    costs: Floats
    """What speaks against each, in units of half a squared deviation."""
    rotations: Floats
    """N x 3 x 3: from the solid's own axes (`solids.solid`) to x, y and height."""


def likely_turns(sides: int, sight: Sight, most: int) -> Turns:
    """The likeliest turns that a picture shows.

    Raises ValueError for a number of sides that is not known.
    """
    views = _views(sides)
    costs = views.costs(sight).ravel() / _DOUBT
    likely = np.argsort(costs)[:most]
    return Turns(costs[likely], views.rotations(likely, sight.toward_eye))


def own_turns(sides: int) -> Floats:
    """Rotations that leave a die as it is, N x 3 x 3. Raises ValueError for a number of sides that is not known."""
    return _views(sides).own


class _Views:
    """A solid seen from evenly spread directions, none of which shows the same as another turned about the line of sight."""

    def __init__(self, sides: int) -> None:
        shape = solid(sides)
        corners = shape.vertices - np.array([0.0, 0.0, 0.5])
        faces: list[NDArray[np.float32]] = []
        outlines: list[NDArray[np.float32]] = []
        owner: list[int] = []
        frames: list[Floats] = []
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
            frames.append(frame)
        self._faces, self._outlines = np.array(faces), np.array(outlines)
        self._owner, self._frames = np.array(owner), np.array(frames)
        self.own = _own_turns(corners)

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

    def rotations(self, which: NDArray[np.intp], toward_eye: Floats) -> Floats:
        """These turns (by their place in `costs`)."""
        turn, view = np.divmod(which, len(self._outlines))
        about = np.zeros((len(which), 3, 3))
        about[:, 2, 2] = 1.0
        about[:, :2, :2] = np.array([_turn(n) for n in range(_TURNS)])[turn]
        to_scene = np.vstack([axes_of(toward_eye), toward_eye]).T
        return np.asarray(to_scene @ about @ self._frames[view])

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

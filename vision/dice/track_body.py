"""A thrown die as a rigid body: how it flies to its first touch and away from it, and what that shows in each picture.

In the air a die turns evenly and falls as everything does. So a handful of numbers, where it touched, how it was turned then, and
its speed and spin before and after, say what every picture about the touch shows; and the pictures together tell those numbers
far better than each of them tells how the die is turned.

Many ways are reckoned at once: arrays begin with the number of the way, then (where there is one) that of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.eye import Eye
from vision.dice.solids import solid
from vision.dice.track_blobs import without_threads
from vision.dice.track_flight import GRAVITY, Place
from vision.dice.track_still import Look
from vision.frame import Image
from vision.table import TablePose

Floats = NDArray[np.float64]
Mask = NDArray[np.uint8]

TIME, PLACE, TURN = 0, slice(1, 3), slice(3, 6)
FALL, SPIN = slice(6, 9), slice(9, 12)
RISE, SPUN = slice(12, 15), slice(15, 18)
GROWN, SMEAR = 18, 19
NUMBERS = 20
"""A way's numbers: when it touches, s; where its middle is over the table then, mm; a small turn to be added to its turn then;
speeds, mm/s, and spins (angular momentum over the inertia across the axis), rad/s, before and after (x, y, height); by how much
outlines are cut too large, mm; and how much more of their own speed they are smeared by, s."""
STEPS = np.array([2e-4, *[0.05] * 2, *[0.01] * 3, *[5.0] * 3, *[0.3] * 3, *[5.0] * 3, *[0.3] * 3, 0.02, 1e-4])
"""Small changes of those numbers, for slopes."""
_WAYS = 20
"""Directions in which an outline's reach is measured."""
_ANGLES = np.arange(_WAYS) * 2 * np.pi / _WAYS
_TOWARD = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_REACH_MM = 0.35
"""Standard deviation of an outline's reach."""
_ALIKE = 5.0
"""Reaches side by side err alike: so many tell as much as one."""
_WHOLE_TELLS = 0.4
"""How much an outline's size tells of the die's height beside what its shape tells."""
_USUAL = 1.1
"""Deviations beyond which a reach tells less and less: print at the rim, a shadow, another die."""
_WOBBLE = {8: 0.0, 10: -0.1}
"""By the moments of inertia of the solids: how much the one across the axis is more than the one along it, over the latter."""
_SINK_MM = 1.0
"""How far a corner goes into the table, and so how far below it one may be reckoned."""
_FALLS, _RISES = (-900.0, 700.0), (250.0, 350.0)
"""Usual speeds of height before and after, mm/s, and their spreads."""
_CHECK = 400.0
"""mm/s, by which a touch changes the speed along the table."""
_SPINS = (25.0, 30.0)
"""rad/s."""
_GROWN_PX = (0.2, 0.5)
_SMEAR_S = 0.0015
_KNOCK_S = 0.002
"""A picture's moment is when its exposure begins; it shows a little later."""
_WINDOW_S = (0.075, 0.04)
MOST_PX = 140
"""Pixels of a picture's die that are looked at, evenly picked."""
_OFF_COLOUR = 10.0
"""Grey levels beside the die's colour: print, a lamp's reflection, what shows through its blurred rim."""


def turned(by: Floats) -> Floats:
    """Rotations (..., 3, 3) by these vectors (..., 3): an axis times the angle, rad."""
    angle = np.linalg.norm(by, axis=-1, keepdims=True)
    x, y, z = np.moveaxis(np.where(angle > 1e-9, by / np.maximum(angle, 1e-12), 0.0), -1, 0)
    cos, sin = np.cos(angle[..., 0]), np.sin(angle[..., 0])
    less = 1 - cos
    rows = [
        [cos + x * x * less, x * y * less - z * sin, x * z * less + y * sin],
        [y * x * less + z * sin, cos + y * y * less, y * z * less - x * sin],
        [z * x * less - y * sin, z * y * less + x * sin, cos + z * z * less],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def turn_of(rotation: Floats) -> Floats:
    """The vectors (..., 3) of rotations (..., 3, 3), as `turned` takes them."""
    cos = np.clip((np.trace(rotation, axis1=-2, axis2=-1) - 1) / 2, -1, 1)
    sin = np.sin(np.arccos(cos))
    share = np.where(np.abs(sin) > 1e-6, np.arccos(cos) / np.where(np.abs(sin) > 1e-6, 2 * sin, 1.0), 0.5)
    parts = [
        rotation[..., 2, 1] - rotation[..., 1, 2],
        rotation[..., 0, 2] - rotation[..., 2, 0],
        rotation[..., 1, 0] - rotation[..., 0, 1],
    ]
    return np.asarray(np.stack(parts, axis=-1) * share[..., None])


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A die's solid about its middle, in mm."""

    sides: int
    size_mm: float
    corners: Floats
    normals: Floats
    """One outward unit normal a face."""
    depth: Floats
    """How far each face is from the middle."""
    axis: Floats
    """Unit vector along which it is longest."""
    wobble: float
    """How much more it turns about that axis than about its angular momentum, over the spin along the axis: a body that is not as
    long as wide does not turn about one axis in the air, but both turns are even."""

    @classmethod
    def of(cls, sides: int, size_mm: float) -> Body:
        """Raises ValueError for a number of sides that is not known."""
        shape = solid(sides)
        middle = np.array([0.0, 0.0, 0.5])
        tip = max(shape.vertices - middle, key=lambda corner: float(np.linalg.norm(corner)))
        return cls(
            sides,
            size_mm,
            (shape.vertices - middle) * size_mm,
            shape.normals,
            (shape.offsets - shape.normals @ middle) * size_mm,
            tip / np.linalg.norm(tip),
            _WOBBLE[sides],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One picture of a flying die."""

    t_s: float
    place: Place
    look: Look
    own: Mask
    """255 where the look shows this die."""
    reach: Floats
    """How far its outline goes from the table's corner in each of the directions, mm."""
    noise: float
    """How much worse than the best it is known."""


def shots_of(
    way: Sequence[Place], looks: Sequence[Look], pose: TablePose, about_s: float, before: float = _WINDOW_S[0]
) -> list[Shot]:
    """The pictures of a die on its way about a moment, in order; the first of them `before` it, s."""
    by_time = {look.t_ns: look for look in looks}
    after = _WINDOW_S[1]
    near = [place for place in way if about_s - before <= place.t_s <= about_s + after]
    least = min((place.noise_mm for place in near), default=1.0)
    shots = []
    for place in near:
        look = by_time.get(round(place.t_s * 1e9))
        own = None if look is None else _own(look, place, pose)
        if look is None or own is None:
            continue
        outline = cv2.convexHull(cv2.findNonZero(own)).reshape(-1, 2)
        points = outline.astype(np.float64) + np.array([look.left, look.top])
        reach = (pose.to_mm(points) @ _TOWARD).max(axis=0)
        shots.append(Shot(place.t_s, place, look, own, reach, place.noise_mm / least))
    return shots


def _own(look: Look, place: Place, pose: TablePose) -> Mask | None:
    """What shows of the die there, without other spots of its colour."""
    if look.own is None:
        return None
    u, v = pose.to_px([(place.x_mm, place.y_mm)])[0]
    column, row = round(float(u)) - look.left, round(float(v)) - look.top
    if not (0 <= row < look.own.shape[0] and 0 <= column < look.own.shape[1]):
        return None
    _, parts = cv2.connectedComponents(cv2.dilate(look.own, np.ones((3, 3), np.uint8)), connectivity=8)
    near = parts[max(0, row - 3) : row + 4, max(0, column - 3) : column + 4]
    if not near.any():
        return None
    part = int(np.bincount(near[near > 0]).argmax())
    own = without_threads(np.where(parts == part, look.own, np.uint8(0)))
    return own if cv2.countNonZero(own) >= 12 else None


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """Pictures of a die about its first touch, and what ways through them cost."""

    body: Body
    eye: Eye
    t: Floats
    reach: Floats
    """Pictures x directions."""
    noise: Floats
    px_mm: float
    """Millimetres a pixel."""
    heard: tuple[float, float] | None = None
    """When a sensor felt the touch, and the half-width of that, s."""

    @classmethod
    def of(
        cls, shots: Sequence[Shot], body: Body, eye: Eye, px_mm: float, heard: tuple[float, float] | None = None
    ) -> Flight:
        return cls(
            body,
            eye,
            np.array([shot.t_s for shot in shots]),
            np.array([shot.reach for shot in shots]),
            np.array([shot.noise for shot in shots]),
            px_mm,
            heard,
        )

    def poses(self, ways: Floats, turns: Floats) -> tuple[Floats, Floats]:
        """How the die is turned (..., pictures, 3, 3) and where its middle is (..., pictures, 3) in each picture.

        `ways` (..., NUMBERS); `turns` (..., 3, 3): how it is turned at the touch, before the small turn in `ways`.
        """
        at_touch = turned(ways[..., TURN]) @ turns
        low = np.einsum("...j,vj->...v", at_touch[..., 2, :], self.body.corners).min(axis=-1)
        late = self.t - ways[..., TIME : TIME + 1]
        before = (late <= 0)[..., None]
        spin = np.where(before, ways[..., None, SPIN], ways[..., None, SPUN])
        speed = np.where(before, ways[..., None, FALL], ways[..., None, RISE])
        along = (spin * (at_touch @ self.body.axis)[..., None, :]).sum(axis=-1)
        wobble = turned((self.body.wobble * along * late)[..., None] * self.body.axis)
        turn = turned(spin * late[..., None]) @ at_touch[..., None, :, :] @ wobble
        middle = speed * late[..., None]
        middle[..., :2] += ways[..., None, PLACE]
        # Its lowest corner is on the table at the touch.
        middle[..., 2] -= low[..., None] + GRAVITY / 2 * late**2
        return turn, middle

    def misfits(self, ways: Floats, turns: Floats) -> tuple[Floats, Floats]:
        """By how many standard deviations outlines are off (..., pictures x directions), and what is unusual about the ways."""
        turn, middle = self.poses(ways, turns)
        corners = np.einsum("...fij,vj->...fvi", turn, self.body.corners) + middle[..., None, :]
        height = np.clip(corners[..., 2:], -self.body.size_mm, 0.8 * self.eye.height)
        share = height / (self.eye.height - height)
        shown = corners[..., :2] + share * (corners[..., :2] - (self.eye.x, self.eye.y))
        before = ((self.t - ways[..., TIME : TIME + 1]) <= 0)[..., None]
        speed = np.where(before, ways[..., None, 6:8], ways[..., None, 12:14])
        reach = (shown @ _TOWARD).max(axis=-2) + ways[..., GROWN, None, None]
        reach += ways[..., SMEAR, None, None] * np.abs(speed @ _TOWARD)
        off = (reach - self.reach) / (_REACH_MM * np.sqrt(_ALIKE) * self.noise[:, None])
        # A whole outline is cut larger or smaller from picture to picture, with its light and its smear.
        off -= (1 - _WHOLE_TELLS) * off.mean(axis=-1, keepdims=True)
        sunk = np.minimum(corners[..., 2].min(axis=-1), 0.0) / _SINK_MM
        unusual = [
            sunk,
            (ways[..., 8:9] - _FALLS[0]) / _FALLS[1],
            (ways[..., 14:15] - _RISES[0]) / _RISES[1],
            (ways[..., 12:14] - ways[..., 6:8]) / _CHECK,
            ways[..., SPIN] / _SPINS[0],
            ways[..., SPUN] / _SPINS[1],
            (ways[..., GROWN : GROWN + 1] - _GROWN_PX[0] * self.px_mm) / (_GROWN_PX[1] * self.px_mm),
            ways[..., SMEAR : SMEAR + 1] / _SMEAR_S,
        ]
        if self.heard is not None:
            at, err = self.heard
            unusual.append((ways[..., TIME : TIME + 1] - (at - _KNOCK_S / 2)) / (err + _KNOCK_S))
        return off.reshape(*off.shape[:-2], -1), np.concatenate(unusual, axis=-1)


def outline_costs(off: Floats) -> tuple[Floats, Floats]:
    """What misfits of outlines cost, each, and how much each still tells."""
    size = np.abs(off)
    weight = np.where(size <= _USUAL, 1.0, _USUAL / np.maximum(size, 1e-9))
    return np.where(size <= _USUAL, off**2, 2 * _USUAL * size - _USUAL**2), weight


@dataclass(frozen=True, slots=True, eq=False)
class Lights:
    """The light on the die, pixel by pixel, in each picture."""

    rays: Floats
    """Pictures x pixels x 3: unit vectors from the camera."""
    light: Floats
    """Over that on the enrolled colour."""
    weight: Floats
    """How much each pixel tells; 0 for none."""

    @classmethod
    def of(cls, shots: Sequence[Shot], bgr: tuple[int, int, int], pose: TablePose, eye: Eye) -> Lights:
        colour = np.array(bgr, np.float64)
        parts = [_lit(shot, colour, pose) for shot in shots]
        most = max(len(light) for _, light, _ in parts)
        rays = np.zeros((len(parts), most, 3))
        light, weight = np.zeros((len(parts), most)), np.zeros((len(parts), most))
        for n, (points, lit, told) in enumerate(parts):
            rays[n, :, :2] = points[0]
            rays[n, : len(lit), :2] = points
            light[n, : len(lit)] = lit
            weight[n, : len(lit)] = told / shots[n].noise ** 2
        rays -= (eye.x, eye.y, eye.height)
        rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
        return cls(rays, light, weight)


def _lit(shot: Shot, colour: Floats, pose: TablePose) -> tuple[Floats, Floats, Floats]:
    rows, columns = np.nonzero(shot.own)
    told = 1.0
    if len(rows) > MOST_PX:
        picked = np.linspace(0, len(rows) - 1, MOST_PX).astype(np.intp)
        told, rows, columns = len(rows) / MOST_PX, rows[picked], columns[picked]
    picture: Image = shot.look.part
    pixels = picture[rows, columns].astype(np.float64)
    light = pixels @ colour / (colour @ colour + 1e-6)
    off = np.linalg.norm(pixels - light[:, None] * colour, axis=1)
    usual = _OFF_COLOUR + float(np.median(off))
    points = pose.to_mm(np.column_stack([columns + shot.look.left, rows + shot.look.top]).astype(np.float64))
    return points, light, told / (1 + (off / usual) ** 2)

"""Ways of a thrown die that explain the pictures about its first touch: outlines, and the light on its faces.

The die has one colour and each of its faces one light, whatever the lamp: so a way is likely where outlines are where the
pictures have them, and where the light within each face varies little. Gauss-Newton steps on both, from several beginnings at
once; each way that is left comes with how well it is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.dice.track_body import (
    NUMBERS,
    STEPS,
    TIME,
    TURN,
    Flight,
    Lights,
    outline_costs,
    turn_of,
    turned,
)

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
"""Enough for light, and half the time."""

_LIGHT_SPREAD = 0.07
"""Of one face, as a share of the die's own light: noise, print, blur."""
_ALIKE_PX = 16.0
"""So many pixels tell as much as one."""
_USUAL = 3.0
"""Spreads beyond which a pixel tells less and less."""
_EDGE_MM = 0.6
"""Width of the seam between two faces."""
_EDGE_ON = 0.02
_FACE_PRIOR = 0.5
"""Pixels of the die's usual light that each face is thought to have beside its own: one that hardly shows has no light yet."""
_TURN_STEP, _SHIFT_STEP = 0.015, 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """Ways and how well they explain the pictures."""

    numbers: Floats
    """Ways x NUMBERS; the small turns are 0."""
    turns: Floats
    """Ways x 3 x 3: how the die is turned at the touch."""
    outline: Floats
    """What outlines and what is unusual cost, in squared deviations."""
    light: Floats
    """What uneven faces cost; 0 where they were not looked at."""
    normal: Floats
    """Ways x NUMBERS x NUMBERS: the inverse of their covariances."""

    @property
    def costs(self) -> Floats:
        """What speaks against each, in units of half a squared deviation."""
        return np.asarray((self.outline + self.light) / 2)

    def picked(self, which: NDArray[np.intp]) -> Ways:
        """Some of them."""
        return Ways(self.numbers[which], self.turns[which], self.outline[which], self.light[which], self.normal[which])


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """What a set of ways shows, and what it costs."""

    off: Floats
    told: Floats
    unusual: Floats
    outline: Floats
    turn: Floats
    middle: Floats
    dark: Floats
    """By how much each pixel's light is off its face's, in deviations: ways x pictures x pixels."""
    dark_told: Floats
    faces: Floats
    """The light of each face: ways x pictures x faces."""
    light: Floats

    @property
    def cost(self) -> Floats:
        return self.outline + self.light

    def mixed(self, other: _State, take: NDArray[np.bool_]) -> _State:
        """The other's where `take`."""
        return _State(
            *(
                np.where(take.reshape(-1, *[1] * (mine.ndim - 1)), its, mine)
                for mine, its in zip(self._parts(), other._parts(), strict=True)
            )
        )

    def _parts(self) -> tuple[Floats, ...]:
        return (
            self.off,
            self.told,
            self.unusual,
            self.outline,
            self.turn,
            self.middle,
            self.dark,
            self.dark_told,
            self.faces,
            self.light,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Fitter:
    """Fits ways to a flight; without lights by outlines alone."""

    flight: Flight
    lights: Lights | None = None
    within_s: tuple[float, float] = (-np.inf, np.inf)
    """The touch is looked for between these moments."""

    def fitted(self, numbers: Floats, turns: Floats, steps: int) -> Ways:
        """Ways that begin with these and explain the pictures better."""
        state = self._state(numbers, turns)
        caution = np.full(len(numbers), 1e-2)
        for _ in range(steps):
            normal, slope = self._slopes(numbers, turns, state)
            held = np.einsum("bpp->bp", normal) * caution[:, None] + 1e-9
            step = np.linalg.solve(normal + np.einsum("bp,pq->bpq", held, np.eye(NUMBERS)), slope[..., None])
            tried = numbers - step[..., 0]
            tried[:, TIME] = np.clip(tried[:, TIME], *self.within_s)
            then = self._state(tried, turns)
            better = then.cost < state.cost
            turns = np.where(better[:, None, None], turned(tried[:, TURN]) @ turns, turns)
            tried[:, TURN] = 0.0
            numbers = np.where(better[:, None], tried, numbers)
            state = state.mixed(then, better)
            caution = np.where(better, 0.3 * caution, 6.0 * caution)
        normal, _ = self._slopes(numbers, turns, state)
        return Ways(numbers, turns, state.outline, state.light, normal)

    def costs(self, numbers: Floats, turns: Floats) -> Floats:
        """What speaks against ways as they are, in units of half a squared deviation."""
        return np.asarray(self._state(numbers, turns).cost / 2)

    def _state(self, numbers: Floats, turns: Floats) -> _State:
        off, unusual = self.flight.misfits(numbers, turns)
        cost, told = outline_costs(off)
        outline = cost.sum(axis=-1) + (unusual**2).sum(axis=-1)
        turn, middle = self.flight.poses(numbers, turns)
        if self.lights is None:
            none = np.zeros((len(numbers), 1, 1))
            return _State(off, told, unusual, outline, turn, middle, none, none, none, np.zeros(len(numbers)))
        shares = self._shares(self.lights, turn, middle)
        faces = _face_lights(self.lights, shares)
        spreads = (self.lights.light - _seen(shares, faces)) / _LIGHT_SPREAD
        outlier = 1 / (1 + (spreads / _USUAL) ** 2)
        dark = spreads * self._light_scale(self.lights)
        light = (dark**2 * outlier).sum(axis=(-1, -2))
        return _State(off, told, unusual, outline, turn, middle, dark, outlier**2, faces, light)

    def _slopes(self, numbers: Floats, turns: Floats, state: _State) -> tuple[Floats, Floats]:
        """The normal matrices and right-hand sides of the next step."""
        near = numbers[:, None, :] + np.diag(STEPS)
        off, unusual = self.flight.misfits(near, turns[:, None])
        root = np.sqrt(state.told)
        rows = np.concatenate([(off - state.off[:, None]) * root[:, None], unusual - state.unusual[:, None]], axis=-1)
        rows /= STEPS[:, None]
        left = np.concatenate([state.off * root, state.unusual], axis=-1)
        normal = np.asarray(rows @ rows.transpose(0, 2, 1))
        slope = np.asarray((rows @ left[..., None])[..., 0])
        if self.lights is None:
            return normal, slope
        of_pose, right = self._light_slopes(self.lights, state)
        turn, middle = self.flight.poses(near, turns[:, None])
        by_turn = turn_of(turn @ np.swapaxes(state.turn, -1, -2)[:, None])
        by_shift = (middle - state.middle[:, None])[..., :2]
        chain = np.concatenate([by_turn, by_shift], axis=-1) / STEPS[:, None, None]
        normal = normal + np.einsum("bpfi,bfij,bqfj->bpq", chain, of_pose, chain, optimize=True)
        return normal, slope + np.einsum("bpfi,bfi->bp", chain, right)

    def _light_slopes(self, lights: Lights, state: _State) -> tuple[Floats, Floats]:
        """The same for each picture's own turn and shift alone, as its light tells: ways x pictures x 5 (x 5)."""
        scale = self._light_scale(lights) / _LIGHT_SPREAD
        shown = lights.light * scale - state.dark
        slopes = []
        for axis in range(3):
            by = np.zeros(3)
            by[axis] = _TURN_STEP
            shares = self._shares(lights, turned(by) @ state.turn, state.middle)
            slopes.append((shown - _seen(shares, state.faces) * scale) / _TURN_STEP)
        for axis in range(2):
            by = np.zeros(3)
            by[axis] = _SHIFT_STEP
            shares = self._shares(lights, state.turn, state.middle + by)
            slopes.append((shown - _seen(shares, state.faces) * scale) / _SHIFT_STEP)
        root = np.sqrt(state.dark_told)
        rows = np.stack(slopes, axis=-2) * root[..., None, :]
        return (
            np.asarray(rows @ np.swapaxes(rows, -1, -2)),
            np.asarray((rows @ (state.dark * root)[..., None])[..., 0]),
        )

    def _shares(self, lights: Lights, turn: Floats, middle: Floats) -> Singles:
        """How much of each pixel each face is: ways x pictures x pixels x faces."""
        body, eye = self.flight.body, self.flight.eye
        normals = np.einsum("...fij,vj->...fvi", turn, body.normals)
        above = np.einsum("...fvi,...fi->...fv", normals, np.array([eye.x, eye.y, eye.height]) - middle)
        along = lights.rays.astype(np.float32) @ np.swapaxes(normals, -1, -2).astype(np.float32)
        front = along < np.float32(-_EDGE_ON)
        # A ray comes in through the face that it meets last.
        depth = ((body.depth - above) / _EDGE_MM).astype(np.float32)[..., None, :]
        meets = np.where(front, depth / np.where(front, along, np.float32(-1)), np.float32(-1e9))
        meets -= meets.max(axis=-1, keepdims=True)
        shares = np.exp(np.maximum(meets, np.float32(-30))) * front
        return np.asarray(shares / np.maximum(shares.sum(axis=-1, keepdims=True), np.float32(1e-9)), np.float32)

    def _light_scale(self, lights: Lights) -> Floats:
        return np.sqrt(lights.weight / _ALIKE_PX)


def _seen(shares: Singles, faces: Floats) -> Floats:
    """The light of each pixel, by that of the faces."""
    return np.asarray((shares @ faces.astype(np.float32)[..., None])[..., 0], np.float64)


def _face_lights(lights: Lights, shares: Singles) -> Floats:
    """The light of each face in each picture, print and reflections left out."""
    trust = np.broadcast_to(lights.weight, shares.shape[:-1])
    faces = np.zeros((*shares.shape[:-2], shares.shape[-1]))
    for _ in range(3):
        usual = (trust * lights.light).sum(axis=-1) / np.maximum(trust.sum(axis=-1), 1e-9)
        weighed = np.stack([trust * lights.light, trust], axis=-2).astype(np.float32) @ shares
        faces = (weighed[..., 0, :] + _FACE_PRIOR * usual[..., None]) / (weighed[..., 1, :] + _FACE_PRIOR)
        off = (lights.light - _seen(shares, faces)) / _LIGHT_SPREAD
        trust = lights.weight / (1 + (off / 2) ** 2)
    return np.asarray(faces)

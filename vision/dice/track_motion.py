"""How far a die is from where it comes to rest: a small movement of what shows, fitted to how the light has changed.

A die that rocks or rolls over an edge moves much at its top and little at its foot, so the movement varies over its picture:
it is taken for a polynomial of second degree across and down. So is the light: a hand's soft shadow lies over a part of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]
Known = NDArray[np.bool_]

_TERMS = 6
_MOVES = 2 * _TERMS
_HELD = 8.0
"""What a pixel of movement costs, in pixels' noises: noise alone moves nothing."""
_LIT = 0.01
"""The same of light, which may change as it likes."""
_LOOKED_AT = np.linspace(-1.0, 1.0, 9)


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """The movements that a die's picture at rest can tell."""

    rows: Singles
    """Values of the picture x 18: how each changes with each of the movement's numbers, and then with each of the light's."""
    normal: Floats
    """Of all rows: where nothing is hidden it needn't be reckoned anew."""
    held: Floats
    """What each of those numbers costs."""
    looked_at: Floats
    """Places x 6: where the movement is looked at, as terms of the polynomial."""
    nearest: NDArray[np.intp]
    """Which of the die's pixels each of them is."""

    @classmethod
    def of(cls, rest: Singles, inside: Known, variance: float) -> Motion:
        """`rest`: the picture at rest, height x width x channels, of which `inside` is the die's.

        `variance`: of a value by noise.
        """
        across, down = np.zeros_like(rest), np.zeros_like(rest)
        across[:, 1:-1] = (rest[:, 2:] - rest[:, :-2]) / 2
        down[1:-1] = (rest[2:] - rest[:-2]) / 2
        y, x = (part.astype(np.float64) for part in np.nonzero(inside))
        middle_x, middle_y = x.mean(), y.mean()
        reach = max(float(np.hypot(x - middle_x, y - middle_y).max()), 1.0)
        terms = _terms((x - middle_x) / reach, (y - middle_y) / reach).astype(np.float32)
        each = [change[inside][:, :, None] * terms[:, None, :] for change in (across, down, rest)]
        rows = np.concatenate(each, axis=2).reshape(-1, _MOVES + _TERMS)
        held = max(variance, 1e-3) * np.repeat([_HELD, _LIT], [_MOVES, _TERMS])
        grid_x, grid_y = (axis.ravel() for axis in np.meshgrid(_LOOKED_AT, _LOOKED_AT))
        row = np.rint(middle_y + grid_y * reach).astype(np.intp).clip(0, inside.shape[0] - 1)
        column = np.rint(middle_x + grid_x * reach).astype(np.intp).clip(0, inside.shape[1] - 1)
        within = inside[row, column]
        number = np.cumsum(inside).reshape(inside.shape) - 1
        nearest = number[row[within], column[within]].astype(np.intp)
        return cls(rows, np.asarray(rows.T @ rows, np.float64), held, _terms(grid_x[within], grid_y[within]), nearest)

    def most_px(self, change: Singles, bare: Known | None = None) -> float:
        """By how much the part that moved most is off its rest; `change`: the die's values less those at rest, pixel by pixel.

        `bare`: which of its pixels nothing hides; None for all.
        """
        numbers = self._fitted(change, bare, slice(None))
        looked_at = self.looked_at if bare is None else self.looked_at[bare[self.nearest]]
        right, down = looked_at @ numbers[:_TERMS], looked_at @ numbers[_TERMS:_MOVES]
        return float(np.hypot(right, down).max(initial=0.0))

    def unlit(self, change: Singles, bare: Known | None = None) -> Singles:
        """What is left of a change, pixel by pixel, that light can't explain; only of those that are `bare`."""
        rows, values = self._of(change, bare)
        light = slice(_MOVES, None)
        return np.asarray(values - rows[:, light] @ self._fitted(change, bare, light).astype(np.float32), np.float32)

    def _fitted(self, change: Singles, bare: Known | None, which: slice) -> Floats:
        rows, values = self._of(change, bare)
        normal = self.normal if bare is None else np.asarray(rows.T @ rows, np.float64)
        right = np.asarray(rows.T @ values, np.float64)[which]
        return np.asarray(np.linalg.solve(normal[which, which] + np.diag(self.held[which]), right))

    def _of(self, change: Singles, bare: Known | None) -> tuple[Singles, Singles]:
        if bare is None:
            return self.rows, change.ravel()
        channels = change.shape[1]
        return self.rows[np.repeat(bare, channels)], change[bare].ravel()


def _terms(x: Floats, y: Floats) -> Floats:
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)

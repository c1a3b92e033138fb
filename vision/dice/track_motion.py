"""How far a die is from where it comes to rest: a small movement of what shows, fitted to how the light has changed.

A die that rocks or rolls over an edge moves much at its top and little at its foot, so the movement varies over its picture:
it is taken for a polynomial of second degree across and down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]

_TERMS = 6
_HELD = 8.0
"""What a pixel of movement costs, in pixels' noises: noise alone moves nothing."""
_LOOKED_AT = np.linspace(-1.0, 1.0, 9)


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """The movements that a die's picture at rest can tell."""

    rows: Singles
    """Values of the picture x 12: how each changes with each of the movement's numbers."""
    solver: Floats
    looked_at: Floats
    """Places x 6: where the movement is looked at, as terms of the polynomial."""

    @classmethod
    def of(cls, rest: Singles, inside: NDArray[np.bool_], variance: float) -> Motion:
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
        both = [slope[inside][:, :, None] * terms[:, None, :] for slope in (across, down)]
        rows = np.concatenate(both, axis=2).reshape(-1, 2 * _TERMS)
        normal = np.asarray(rows.T @ rows, np.float64) + _HELD * max(variance, 1e-3) * np.eye(2 * _TERMS)
        grid_x, grid_y = (axis.ravel() for axis in np.meshgrid(_LOOKED_AT, _LOOKED_AT))
        row = np.rint(middle_y + grid_y * reach).astype(np.intp).clip(0, inside.shape[0] - 1)
        column = np.rint(middle_x + grid_x * reach).astype(np.intp).clip(0, inside.shape[1] - 1)
        within = inside[row, column]
        return cls(rows, np.asarray(np.linalg.inv(normal), np.float64), _terms(grid_x[within], grid_y[within]))

    def most_px(self, change: Singles) -> float:
        """By how much the part that moved most is off its rest; `change`: the die's values less those at rest, pixel by pixel."""
        numbers = self.solver @ (self.rows.T @ change.ravel())
        right, down = self.looked_at @ numbers[:_TERMS], self.looked_at @ numbers[_TERMS:]
        return float(np.hypot(right, down).max(initial=0.0))


def _terms(x: Floats, y: Floats) -> Floats:
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)

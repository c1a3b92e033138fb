"""Makes throws.npz anew: throws of dice by a rigid-body library, for films of the virtual Arena.

Run as `python -m companion.virtual.make_throws` where mujoco is installed; what it makes is kept in the repository, so that
nobody else needs it. The string is left out: it is too low to turn a die aside much.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.virtual.throws import RATE_HZ, SETTLED_MM, THROWS_FILE, TURN_UNIT, UNIT_MM
from hardware.virtual.dice import die_solid, matrix_of

Floats = NDArray[np.float64]

THROWS = 60
"""Of each kind of die."""
SIZE_MM = 17.0
STEP_S = 0.0005
LONGEST_S = 3.0
FARTHEST_MM = 120.0
"""From touch-down to rest; longer runs leave the Arena's table."""
AFTER_S = 0.1
LONGEST_CREEP_S = 0.05

_MODEL = """<mujoco><option timestep="{step}" integrator="implicitfast" cone="elliptic" impratio="10"/>
<asset><mesh name="die" vertex="{vertices}"/></asset>
<worldbody><geom type="plane" size="5 5 .1" friction="{friction} 0.004 0.0008" solref="-200000 -{damping}" condim="6"/>
<body pos="0 0 .1"><freejoint/><geom type="mesh" mesh="die" density="1200" friction="{friction} 0.004 0.0008"
solref="-200000 -{damping}" condim="6"/></body></worldbody></mujoco>"""


@dataclass(frozen=True, slots=True)
class Run:
    """One throw as it was reckoned."""

    poses: Floats
    """N x 7 every STEP_S: x, y, height in mm, then the turn."""
    touch_step: int


def main() -> None:
    """Writes the file and says what is in it."""
    mujoco = import_module("mujoco")
    random = np.random.default_rng(20)
    poses: list[NDArray[np.int16]] = []
    told: list[tuple[float, ...]] = []
    for sides in (8, 10):
        kept = 0
        while kept < THROWS:
            run = _thrown(mujoco, sides, random)
            if run is None:
                continue
            lies = _settle_step(run, sides, len(run.poses) - 1)
            if lies is None:
                continue
            # Reckoned bodies creep on for ever; the film holds still after a while, and that is where it rests.
            end = min(lies + round(AFTER_S / STEP_S), len(run.poses) - 1)
            settle = _settle_step(run, sides, end)
            if settle is None or _creeps(run, sides, end):
                continue
            rest, touch = run.poses[end], run.poses[run.touch_step]
            if np.hypot(*(rest[:2] - touch[:2])) > FARTHEST_MM:
                continue
            every = round(1 / (RATE_HZ * STEP_S))
            sampled = run.poses[: end + every : every]
            contact = _lowest(touch, sides)
            poses.append(np.round(sampled / np.array([UNIT_MM] * 3 + [TURN_UNIT] * 4)).astype(np.int16))
            told.append((sides, SIZE_MM, len(sampled), run.touch_step * STEP_S, settle * STEP_S, *touch[:2], *contact))
            kept += 1
    np.savez_compressed(THROWS_FILE, poses=np.concatenate(poses), told=np.array(told, np.float64))
    sys.stderr.write(f"{THROWS_FILE}: {len(told)} throws, {sum(len(p) for p in poses)} moments\n")


def _thrown(mujoco: Any, sides: int, random: np.random.Generator) -> Run | None:
    corners = die_solid(sides).vertices * SIZE_MM / 1000
    model = mujoco.MjModel.from_xml_string(
        _MODEL.format(
            step=STEP_S,
            vertices=" ".join(f"{part:.7f}" for part in corners.ravel()),
            friction=round(float(random.uniform(0.35, 0.6)), 3),
            damping=round(float(random.uniform(110, 300))),
        )
    )
    data = mujoco.MjData(model)
    turn = random.normal(size=4)
    data.qpos[:] = [0, 0, random.uniform(0.035, 0.12), *(turn / np.linalg.norm(turn))]
    data.qvel[:] = [random.uniform(0.1, 1.0), 0, random.uniform(-0.9, 0.2), *random.normal(0, 12, 3)]
    poses, touch = [], None
    for step in range(round(LONGEST_S / STEP_S)):
        poses.append(np.concatenate([data.qpos[:3] * 1000, data.qpos[3:]]))
        mujoco.mj_step(model, data)
        if touch is None and data.ncon:
            touch = step
    return Run(np.array(poses), touch) if touch is not None else None


def _creeps(run: Run, sides: int, end: int) -> bool:
    """Whether it crawls to its rest, as real dice do not: the rigid bodies' contacts give a little."""
    far, near = (_settle_step(run, sides, end, within) for within in (2.5 * SETTLED_MM, 0.5 * SETTLED_MM))
    return far is None or near is None or (near - far) * STEP_S > LONGEST_CREEP_S


def _settle_step(run: Run, sides: int, rest_step: int, within_mm: float = SETTLED_MM) -> int | None:
    """From when on no corner is farther than this from where it comes to rest; None if it never lies on a face."""
    corners = die_solid(sides).vertices * SIZE_MM
    rest = run.poses[min(rest_step, len(run.poses) - 1)]
    turn = matrix_of(tuple(rest[3:]))
    if (die_solid(sides).normals @ turn[2]).max() < 0.999:
        return None
    last = corners @ turn.T + rest[:3]
    away = np.array(
        [np.abs(corners @ matrix_of(tuple(pose[3:])).T + pose[:3] - last).max() for pose in run.poses[:rest_step:4]]
    )
    moving = np.flatnonzero(away > within_mm)
    return int(moving[-1] + 1) * 4 if len(moving) and moving[-1] < len(away) - 20 else None


def _lowest(pose: Floats, sides: int) -> Floats:
    corners = die_solid(sides).vertices * SIZE_MM @ matrix_of(tuple(pose[3:])).T + pose[:3]
    return np.asarray(corners[np.argmin(corners[:, 2]), :2])


if __name__ == "__main__":
    main()

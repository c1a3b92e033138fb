"""The truth of a rendered Arena: what lies on top of each die, and on which side of the string it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hardware.virtual.dice import DieOnTable, corners_mm, die_solid, matrix_of, symbol_of, top_face
from hardware.virtual.dice_paint import silhouette_px
from hardware.virtual.lens import Points, VirtualCameraModel
from hardware.virtual.loop import LoopOnTable, depth_mm

Visible = Callable[[Points, list[Points]], float]
"""The share of an outline in px that these polygons over it, and the picture's edge, leave in sight."""


def dice_truth(
    dice: Sequence[DieOnTable],
    loops: Sequence[LoopOnTable],
    camera: VirtualCameraModel,
    hands_px: list[Points],
    visible: Visible,
) -> list[dict[str, Any]]:
    """Each die: `inside` by its middle over the table, null where there is not exactly one loop; `loop_depth_mm` grows inward
    from the string's middle line; `visible` is the share of the top face that no hand, other die or edge hides; `resting` says
    that it lies on a face."""
    outlines = [silhouette_px(camera, die) for die in dice]
    heights = [die.at.height_mm for die in dice]
    told = []
    for n, die in enumerate(dice):
        face = top_face(die)
        corners = corners_mm(die, die.at)[list(die_solid(die.sides, die.tip).faces[face])]
        shown = camera.project_solid(corners)
        middle = camera.project_solid(corners.mean(axis=0)[None])[0]
        over = [outlines[m] for m in range(len(dice)) if m != n and heights[m] > heights[n]]
        depth = depth_mm(loops[0], die.at.x_mm, die.at.y_mm) if len(loops) == 1 else None
        told.append(
            {
                "sides": die.sides,
                "symbol": symbol_of(die, face),
                "rgb": list(die.bgr[::-1]),
                "x": round(die.at.x_mm, 2),
                "y": round(die.at.y_mm, 2),
                "top_px": [round(float(part), 2) for part in middle],
                "top_corners_px": [[round(float(u), 2), round(float(v), 2)] for u, v in shown],
                "inside": None if depth is None else depth > 0,
                "loop_depth_mm": None if depth is None else round(depth, 2),
                "visible": visible(shown, [*over, *hands_px]),
                "resting": _rests(die, face),
                "height_mm": round(die.at.height_mm - die.size_mm / 2, 2),
            }
        )
    return told


def _rests(die: DieOnTable, face: int) -> bool:
    upright = float(die_solid(die.sides, die.tip).normals[face] @ matrix_of(die.at.turn)[2])
    is_flat = upright > float(np.cos(np.radians(1.5)))
    return not die.before and is_flat and abs(die.at.height_mm - die.size_mm / 2) < 0.5

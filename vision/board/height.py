"""Where a magnet stands, from where its top is seen: an overhead camera sees what lies higher farther from the point below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.board.plane import BoardPlane
from vision.board.stars import Star
from vision.frame import Image
from vision.table import TablePose

MAGNET_MM = 4.0
"""Height of a usual magnet's rim over the table, with the board's thickness; a millimetre more moves a star 0.2 mm at most."""
USUAL_FOCAL = 0.9
"""Focal length over picture width where the lens is not known: an ordinary camera's; roughly right is enough."""

Floats = NDArray[np.float64]


def camera_place(pose: TablePose, image: Image) -> Floats:
    """Where the camera hangs, mm in the table frame: x, y, height."""
    height, width = image.shape[:2]
    if pose.lens is not None:
        matrix = np.asarray(pose.lens.matrix, np.float64)
    else:
        matrix = np.array([[USUAL_FOCAL * width, 0, width / 2], [0, USUAL_FOCAL * width, height / 2], [0, 0, 1]])
    columns = np.linalg.inv(matrix) @ np.linalg.inv(pose.to_mm_matrix)
    columns /= np.sqrt(np.linalg.norm(columns[:, 0]) * np.linalg.norm(columns[:, 1]))
    if columns[2, 2] < 0:
        columns = -columns
    turn = np.column_stack([columns[:, 0], columns[:, 1], np.cross(columns[:, 0], columns[:, 1])])
    left, _, right = np.linalg.svd(turn)
    place = -(left @ right).T @ columns[:, 2]
    return np.array([place[0], place[1], abs(place[2])])


def seen_from_above(tops: Sequence[Star], plane: BoardPlane, pose: TablePose, image: Image) -> tuple[Star, ...]:
    """The stars with their places moved from their tops down to the board."""
    if not tops:
        return ()
    x, y, height = camera_place(pose, image)
    share = MAGNET_MM / max(height, 10 * MAGNET_MM)
    places = plane.to_table(np.array([(star.x, star.y) for star in tops]))
    moved = plane.from_table(places - share * (places - np.array([x, y])))
    return tuple(replace(star, x=float(u), y=float(v)) for star, (u, v) in zip(tops, moved, strict=True))

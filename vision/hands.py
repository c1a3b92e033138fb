"""What hides the table: hands, sleeves, things that reach in over its edge."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.observation import Polygon
from vision.table import TablePose


def find_hands(image: Image, pose: TablePose) -> tuple[Polygon, ...]:
    """Areas of the table, mm, over which something reaches in from the picture's edge; none where there is nothing."""
    _ = image, pose
    return ()


def areas_reaching_in(changed: NDArray[np.uint8], pose: TablePose) -> tuple[Polygon, ...]:
    """Areas of the table, mm, of what has changed (255, a reduced picture) and reaches in from the picture's edge."""
    _ = changed, pose
    return ()


def share_hidden(hidden_mm: Sequence[Polygon], table_mm: tuple[float, float]) -> float:
    """Which share of the table rectangle these areas cover, 0 to 1."""
    width, height = (max(1, round(side / 2)) for side in table_mm)
    covered = np.zeros((height, width), np.uint8)
    for area in hidden_mm:
        cv2.fillPoly(covered, [np.round(np.asarray(area, np.float64) / 2).astype(np.int32)], 255)
    return cv2.countNonZero(covered) / covered.size

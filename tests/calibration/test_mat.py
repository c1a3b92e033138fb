"""The printed sheet: its markers are the right ones, 40 mm wide, with white around them, on the paper."""

from __future__ import annotations

from xml.etree import ElementTree

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.mat import PAPERS, mat_svg

PX_PER_MM = 8


def printed(svg: str) -> tuple[NDArray[np.uint8], float, float]:
    """The sheet's rectangles as a printer would put them on paper, and the paper's size in mm."""
    root = ElementTree.fromstring(svg)
    width, height = (float(root.attrib[side].removesuffix("mm")) for side in ("width", "height"))
    assert root.attrib["viewBox"] == f"0 0 {width:g} {height:g}", "one unit is one millimetre"
    paper = np.full((round(height * PX_PER_MM), round(width * PX_PER_MM)), 255, np.uint8)
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        if rect.attrib.get("fill") != "#000":
            continue
        x, y, w, h = (float(rect.attrib[name]) * PX_PER_MM for name in ("x", "y", "width", "height"))
        paper[round(y) : round(y + h), round(x) : round(x + w)] = 0
    return paper, width, height


@pytest.mark.parametrize("paper", list(PAPERS))
def test_the_four_markers_are_on_the_sheet_at_true_size(paper: str) -> None:
    sheet, width, height = printed(mat_svg(PAPERS[paper]))
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    quads, ids, _ = detector.detectMarkers(sheet)
    assert sorted(np.asarray(ids).ravel()) == [0, 1, 2, 3]
    for quad in quads:
        corners = np.asarray(quad).reshape(4, 2) / PX_PER_MM
        sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
        assert np.abs(sides - 40).max() < 0.3
        assert corners[1][0] > corners[0][0], "upright"
        low, high = corners.min(axis=0), corners.max(axis=0)
        assert (low > 10).all()
        assert high[0] < width - 10
        assert high[1] < height - 10
        inside = (slice(*np.round(np.array([low[1], high[1]]) * PX_PER_MM).astype(int)),)
        left = round((low[0] - 9) * PX_PER_MM)
        assert (sheet[inside[0], left : round((low[0] - 1) * PX_PER_MM)] == 255).all(), "white beside it"

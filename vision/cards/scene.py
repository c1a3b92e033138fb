"""A picture made ready for the search for cards: the table view, its edges, and what of it is still unclaimed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.cards.claims import Claims
from vision.cards.outlines import VIEW_PX_PER_MM, EdgeMap, Placement, edge_map
from vision.frame import Image
from vision.observation import Polygon
from vision.table import Lens, TablePose, marker_papers

Area = tuple[float, float, float, float]
"""x, y, width, height on the table, mm."""

_MARGIN_MM = 12.0
_MARKER_MARGIN_MM = 9.0
"""White paper around the markers, whose outlines would only mislead."""
_MAX_SCALE = 3.0
_REACH_MM = 60.0
"""From a card's middle to what tells of it: its corners, and some ground."""


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """What of a picture is to be searched, and what of that is still free to be part of a card."""

    image: Image
    pose: TablePose
    wanted_mm: Area
    """Where the cards' middles lie."""
    area_mm: Area
    """That and what its cards reach into."""
    claims: Claims
    whole: tuple[Image, TablePose]
    """The picture as it came, for a closer look."""

    @classmethod
    def of(
        cls,
        image: Image,
        pose: TablePose,
        ignore_mm: Sequence[Polygon],
        hidden_mm: Sequence[Polygon],
        area_mm: Area | None,
        reach_mm: float = _REACH_MM,
    ) -> Outlook:
        """`area_mm` is where the cards' middles lie, anywhere on the table by default; `reach_mm` more is looked at."""
        taken = image, pose
        image, pose = _at_working_scale(image, pose)
        whole = (-_MARGIN_MM, -_MARGIN_MM, pose.table_mm[0] + 2 * _MARGIN_MM, pose.table_mm[1] + 2 * _MARGIN_MM)
        wanted = area_mm or whole
        reach = reach_mm if area_mm else 0.0
        x0, y0 = max(whole[0], wanted[0] - reach), max(whole[1], wanted[1] - reach)
        x1 = min(whole[0] + whole[2], wanted[0] + wanted[2] + reach)
        y1 = min(whole[1] + whole[3], wanted[1] + wanted[3] + reach)
        area = (x0, y0, max(x1 - x0, 8.0), max(y1 - y0, 8.0))
        claims = Claims((round(area[2] * VIEW_PX_PER_MM), round(area[3] * VIEW_PX_PER_MM)), (x0, y0))
        claims.block((*ignore_mm, *hidden_mm, *marker_papers(pose.table_mm, _MARKER_MARGIN_MM)))
        claims.block(_outside(image, pose, area))
        return cls(image, pose, wanted, area, claims, taken)


@dataclass(frozen=True, slots=True, eq=False)
class CardScene:
    """An outlook made ready for the search."""

    image: Image
    pose: TablePose
    view: Image
    edges: EdgeMap
    claims: Claims
    area_mm: Area
    whole: tuple[Image, TablePose]
    """The picture as it came, for a closer look."""

    @classmethod
    def of(cls, outlook: Outlook) -> CardScene:
        """With edges where the outlook is still free."""
        fine = outlook.pose.rectify(outlook.image, 2 * VIEW_PX_PER_MM, outlook.area_mm)
        claims = outlook.claims
        size = (claims.free.shape[1], claims.free.shape[0])
        view = cv2.resize(fine, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
        edges = edge_map(view, claims.origin_mm, claims.free)
        return cls(outlook.image, outlook.pose, view, edges, claims, outlook.wanted_mm, outlook.whole)

    def wants(self, placement: Placement) -> bool:
        x, y, width, height = self.area_mm
        return x <= placement.x_mm <= x + width and y <= placement.y_mm <= y + height


def _at_working_scale(image: Image, pose: TablePose) -> tuple[Image, TablePose]:
    """A picture of far more pixels than the references have is shrunk first: quicker, and nothing aliases."""
    middle = (pose.table_mm[0] / 2, pose.table_mm[1] / 2)
    ends = pose.to_px([middle, (middle[0] + 10, middle[1])])
    scale = float(np.hypot(*(ends[1] - ends[0]))) / 10
    if scale <= _MAX_SCALE:
        return image, pose
    share = 2.4 / scale
    smaller = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
    fx, fy = smaller.shape[1] / image.shape[1], smaller.shape[0] / image.shape[0]
    # Pixel middles are whole numbers, so the shift by half a pixel has to scale too.
    shrink = np.array([[fx, 0, fx / 2 - 0.5], [0, fy, fy / 2 - 0.5], [0, 0, 1]])
    lens = None if pose.lens is None else Lens(shrink @ pose.lens.matrix, pose.lens.coefficients)
    matrix = pose.to_mm_matrix @ np.linalg.inv(shrink)
    return smaller, TablePose(matrix, pose.table_mm, pose.state, lens, pose.warnings)


def _outside(image: Image, pose: TablePose, area: Area) -> list[Polygon]:
    """Strips of the area that the picture doesn't reach, found on a coarse raster."""
    x, y, width, height = area
    step = 6.0
    u, v = np.meshgrid(np.arange(x, x + width, step), np.arange(y, y + height, step))
    px = pose.to_px(np.stack([u.ravel() + step / 2, v.ravel() + step / 2], axis=1))
    out = (px[:, 0] < 0) | (px[:, 1] < 0) | (px[:, 0] > image.shape[1] - 1) | (px[:, 1] > image.shape[0] - 1)
    return [
        ((a, b), (a + step, b), (a + step, b + step), (a, b + step))
        for a, b in zip(u.ravel()[out], v.ravel()[out], strict=True)
    ]

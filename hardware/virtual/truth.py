"""The truth of a rendered scene: what lies where, in mm and px, as JSON can hold it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual.dice_truth import dice_truth
from hardware.virtual.lens import Points, VirtualCameraModel
from hardware.virtual.look import TableLook
from hardware.virtual.placing import Size, corners_px, lying, outline_px
from hardware.virtual.scene import BoardOnTable, Scene, StoneOnTable, Stroke
from hardware.virtual.sprites import hand_outline

_BACK = re.compile(r"back(-\d+)?")


def truth_of(
    scene: Scene, camera: VirtualCameraModel, look: TableLook, sizes: Mapping[str, Size] | None = None
) -> dict[str, Any]:
    """Table, cards, board, hands, string and dice. Shares of a card that is seen count later cards and hands as hiding it.

    `sizes`: the cards' sides by their art, where they are not all those of the look.
    """
    truth: dict[str, Any] = {
        "table_mm": list(scene.table_mm),
        "table": look.ground.value,
        "tilt_deg": camera.tilt_deg,
        "light": look.light.value if look.photo is None else f"{look.photo.lux:.0f} lux {look.photo.kelvin:.0f} K",
    }
    if scene.board is not None:
        truth["board"] = _board(scene.board)
    if scene.cards:
        truth["cards"] = _cards(scene, camera, look, sizes or {})
    if scene.hands:
        truth["hands"] = [
            {"tip_mm": [hand.tip_x_mm, hand.tip_y_mm], "angle": (hand.from_deg + 90 + 180) % 360 - 180}
            for hand in scene.hands
        ]
    if scene.loops:
        truth["loop_mm"] = [[round(x, 2), round(y, 2)] for x, y in scene.loops[0].polygon_mm]
        truth["loops"] = len(scene.loops)
    if scene.dice or scene.loops:
        truth["dice"] = dice_truth(
            scene.dice,
            scene.loops,
            camera,
            _hands_px(scene, camera),
            lambda outline, over: _visible(outline, over, camera.size),
        )
    if scene.stones:
        truth["stones"] = _stones(scene, camera)
    if scene.covered_markers:
        truth["covered_markers"] = sorted(scene.covered_markers)
    return truth


def stone_outline(stone: StoneOnTable) -> Points:
    """Its rim on the table, mm."""
    turn = np.linspace(0, 2 * math.pi, 24, endpoint=False)
    rim = np.stack([np.cos(turn), np.sin(turn)], axis=1) * stone.diameter_mm / 2
    return np.asarray(rim + np.array([stone.x_mm, stone.y_mm]), np.float64)


def is_back(art: str) -> bool:
    """Whether an art's key names a back: "back", or "back-2" and so on in a deck with several."""
    return _BACK.fullmatch(art) is not None


def _cards(
    scene: Scene, camera: VirtualCameraModel, look: TableLook, sizes: Mapping[str, Size]
) -> list[dict[str, Any]]:
    lies = [lying(card, sizes.get(card.art, look.card_mm)) for card in scene.cards]
    quads = [corners_px(camera, card) for card in lies]
    outlines = [outline_px(camera, card) for card in lies]
    hands = _hands_px(scene, camera)
    layers = _layers(quads)
    return [
        {
            "card": None if is_back(card.art) else card.art,
            "face_up": not is_back(card.art),
            "x": round(card.x_mm, 2),
            "y": round(card.y_mm, 2),
            "angle": round(card.angle_deg % 360, 2),
            "layer": layers[n],
            "corners_px": [[round(float(u), 2), round(float(v), 2)] for u, v in quads[n]],
            "visible": _visible(outlines[n], [*outlines[n + 1 :], *hands], camera.size),
        }
        for n, card in enumerate(scene.cards)
    ]


def _stones(scene: Scene, camera: VirtualCameraModel) -> list[dict[str, Any]]:
    hands = _hands_px(scene, camera)
    return [
        {
            "x": round(stone.x_mm, 2),
            "y": round(stone.y_mm, 2),
            "diameter_mm": stone.diameter_mm,
            "visible": _visible(camera.project(stone_outline(stone)), hands, camera.size),
        }
        for stone in scene.stones
    ]


def _hands_px(scene: Scene, camera: VirtualCameraModel) -> list[Points]:
    return [
        camera.project(outline, hand.height_mm)
        for hand in scene.hands
        for outline in hand_outline(hand.tip_x_mm, hand.tip_y_mm, hand.from_deg)
    ]


def _layers(quads: list[Points]) -> list[int]:
    """0 for a card on the table, one more than the highest card that it lies over otherwise."""
    layers: list[int] = []
    for n, quad in enumerate(quads):
        under = [
            layers[m]
            for m in range(n)
            if cv2.intersectConvexConvex(quad.astype(np.float32), quads[m].astype(np.float32))[0] > 1
        ]
        layers.append(max(under) + 1 if under else 0)
    return layers


def _visible(quad: Points, over: list[Points], size: tuple[int, int]) -> float:
    """The share of a quadrilateral that neither the picture's edge nor a polygon over it hides."""
    scale = 2
    low = np.floor(quad.min(axis=0)).astype(int)
    extent = (np.ceil(quad.max(axis=0)).astype(int) - low + 1) * scale
    whole = _filled([quad], low, extent, scale)
    covered = _filled(over, low, extent, scale)
    edge = np.array([(0, 0), (size[0] - 1, 0), (size[0] - 1, size[1] - 1), (0, size[1] - 1)], np.float64)
    seen = (whole > 0) & (covered == 0) & (_filled([edge], low, extent, scale) > 0)
    return round(float(np.count_nonzero(seen)) / max(1, int(np.count_nonzero(whole))), 3)


def _filled(
    polygons: list[Points], low: NDArray[np.signedinteger[Any]], extent: NDArray[np.signedinteger[Any]], scale: int
) -> NDArray[np.uint8]:
    mask = np.zeros((int(extent[1]), int(extent[0])), np.uint8)
    for polygon in polygons:
        fixed = np.round((polygon - low) * scale * 16).astype(np.int32)
        cv2.fillPoly(mask, [fixed.reshape(-1, 1, 2)], 255, cv2.LINE_8, 4)
    return mask


def _board(board: BoardOnTable) -> dict[str, Any]:
    lines = [_joined(stroke, board) for stroke in board.strokes if stroke.drawn >= 1]
    crossings = sum(
        _cross(lines[i], lines[j], board)
        for i in range(len(lines))
        for j in range(i)
        if lines[i]["colour"] == lines[j]["colour"]
    )
    return {
        "dark": board.dark,
        "origin_mm": [board.x_mm, board.y_mm],
        "side_mm": board.side_mm,
        "angle": board.angle_deg,
        "smudges": len(board.smudges),
        "stars": [
            {
                "n": star.n,
                "x": round(star.x_mm, 2),
                "y": round(star.y_mm, 2),
                "square": _square(star.x_mm, star.y_mm, board),
            }
            for star in sorted(board.stars, key=lambda star: star.n)
        ],
        "lines": sorted(lines, key=lambda line: (line["a"], line["b"])),
        "crossings": crossings,
        "points": len(lines) + crossings,
    }


def _square(x: float, y: float, board: BoardOnTable) -> int:
    turn = math.radians(board.angle_deg)
    dx, dy = x - board.x_mm, y - board.y_mm
    u = (dx * math.cos(turn) + dy * math.sin(turn)) / board.side_mm * 3
    v = (-dx * math.sin(turn) + dy * math.cos(turn)) / board.side_mm * 3
    return min(2, max(0, int(v))) * 3 + min(2, max(0, int(u)))


def _joined(stroke: Stroke, board: BoardOnTable) -> dict[str, Any]:
    """The stars at which a stroke begins and ends: the nearest to each end."""

    def nearest(point: tuple[float, float]) -> int:
        return min(board.stars, key=lambda star: math.hypot(star.x_mm - point[0], star.y_mm - point[1])).n

    a, b = sorted((nearest(stroke.start), nearest(stroke.end)))
    return {"a": a, "b": b, "colour": stroke.colour}


def _cross(one: dict[str, Any], other: dict[str, Any], board: BoardOnTable) -> bool:
    """Whether two lines cross properly: apart from their ends, by whole tenths of a millimetre."""
    ends = (one["a"], one["b"], other["a"], other["b"])
    if len(set(ends)) < 4:
        return False
    at = {star.n: (round(star.x_mm * 10), round(star.y_mm * 10)) for star in board.stars}
    a, b, c, d = (at[n] for n in ends)

    def side(p: tuple[int, int], q: tuple[int, int], r: tuple[int, int]) -> int:
        value = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        return (value > 0) - (value < 0)

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0

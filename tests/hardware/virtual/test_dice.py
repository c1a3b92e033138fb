"""Dice of the virtual table: their solids, where they show, what their pictures and truth say."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from hardware.errors import BadSourceError
from hardware.virtual.dice import DieOnTable, Instant, corners_mm, die_solid, lying_at, top_face
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, TableLook
from hardware.virtual.loop import LoopOnTable
from hardware.virtual.render import Renderer
from hardware.virtual.scene import HandOverTable, Scene

TABLE = (420.0, 250.0)
SQUARE = ((120.0, 40.0), (300.0, 40.0), (300.0, 210.0), (120.0, 210.0))


def _die(sides: int, face: int, x: float, y: float, *, faces: tuple[str, ...] = ()) -> DieOnTable:
    return DieOnTable(sides, lying_at(sides, 18.0, face, x, y, 0.6), 18.0, (30, 30, 200), (240, 240, 240), faces)


def _renderer(height_mm: float = 600.0, tilt: float = 4.0) -> Renderer:
    camera = VirtualCameraModel(size=(960, 540), table_mm=TABLE, height_mm=height_mm, tilt_deg=tilt)
    return Renderer({}, TableLook(ground=Ground.PLAIN, noise=0.0), camera)


@pytest.mark.parametrize("sides", [8, 10])
def test_every_face_is_flat_and_has_another_across(sides: int) -> None:
    solid = die_solid(sides)
    for face, normal in zip(solid.faces, solid.normals, strict=True):
        assert np.allclose(solid.vertices[list(face)] @ normal, 0.5)
    assert {solid.opposite(solid.opposite(face)) for face in range(sides)} == set(range(sides))
    assert len(solid.vertices) - len(solid.edges) + sides == 2


@pytest.mark.parametrize("sides", [8, 10])
def test_a_lying_die_has_the_face_on_top_and_touches_the_table(sides: int) -> None:
    for face in range(sides):
        die = _die(sides, face, 200.0, 120.0)
        heights = corners_mm(die, die.at)[:, 2]
        assert top_face(die) == face
        assert heights.min() == pytest.approx(0, abs=1e-9)
        assert heights.max() == pytest.approx(18.0)


def test_what_stands_higher_shows_farther_from_the_lens_foot() -> None:
    camera = VirtualCameraModel(size=(960, 540), table_mm=TABLE, height_mm=600.0, tilt_deg=0.0)
    low, high = camera.project_solid(np.array([[400.0, 125.0, 0.0], [400.0, 125.0, 50.0]]))
    outward_mm = (high[0] - low[0]) / camera.px_per_mm
    # The ray through the higher point meets the table beyond it: 190 mm * 50 / 550.
    assert outward_mm == pytest.approx(190 * 50 / 550, rel=1e-6)


@pytest.mark.parametrize("sides", [8, 10])
def test_the_top_face_of_the_picture_shows_the_symbol_that_the_truth_names(sides: int) -> None:
    renderer = _renderer()
    blank = Scene(TABLE, dice=(_die(sides, 0, 215.0, 120.0),))
    faces = ("star4", *["blank"] * (sides - 1))
    marked = Scene(TABLE, dice=(_die(sides, 0, 215.0, 120.0, faces=faces),))
    change = cv2.absdiff(renderer.render(blank), renderer.render(marked)).max(axis=2)
    (told,) = renderer.truth(marked)["dice"]
    assert told["symbol"] == "star4"
    rows, columns = np.nonzero(change > 40)
    corners = np.array(told["top_corners_px"], np.float32)
    assert len(rows) > 40
    assert all(
        cv2.pointPolygonTest(corners, (float(u), float(v)), False) >= 0 for u, v in zip(columns, rows, strict=True)
    )


def test_a_symbol_is_read_the_right_way_round() -> None:
    """The picture of a 2, turned upright, looks like its mask and not like its mirror image."""
    from hardware.virtual.symbols import symbol_mask

    renderer = _renderer(tilt=0.0)
    scenes = [Scene(TABLE, dice=(_die(8, 0, 210.0, 125.0, faces=faces),)) for faces in ((), ("2",))]
    change = cv2.absdiff(renderer.render(scenes[0]), renderer.render(scenes[1])).max(axis=2)
    tip, right, left = np.array(renderer.truth(scenes[1])["dice"][0]["top_corners_px"])
    if np.linalg.det([right - tip, left - tip]) < 0:
        right, left = left, right
    upright = np.array([(60, 0), (60 + 52, 90), (60 - 52, 90)], np.float32)
    flat = cv2.warpAffine(change, cv2.getAffineTransform(np.array([tip, right, left], np.float32), upright), (120, 120))
    # The circle in the triangle has its middle at 60 and a radius of 30.
    half = round(30 * 0.72)
    shown = flat[60 - half : 60 + half, 60 - half : 60 + half].astype(np.float32)
    mask = symbol_mask("2")
    assert mask is not None
    wanted = cv2.resize(mask, (2 * half, 2 * half), interpolation=cv2.INTER_AREA).astype(np.float32)
    right_way = np.corrcoef(shown.ravel(), wanted.ravel())[0, 1]
    mirrored = np.corrcoef(shown.ravel(), wanted[:, ::-1].ravel())[0, 1]
    assert right_way > 0.75
    assert right_way > mirrored + 0.2


def test_a_shadow_closes_as_the_die_comes_down() -> None:
    """Ground far enough beside the die is darkened only while the die is high up."""
    renderer = _renderer(tilt=0.0)
    bare = renderer.render(Scene(TABLE)).astype(int)
    places = []
    for height in (9.0, 40.0):
        die = replace(_die(8, 0, 210.0, 125.0), at=Instant(210.0, 125.0, height))
        dark = (bare - renderer.render(Scene(TABLE, dice=(die,)))).min(axis=2)
        rows, columns = np.nonzero((dark > 8) & (dark < 60))
        places.append(np.hypot(np.mean(columns) - 480, np.mean(rows) - 270) / renderer.camera.px_per_mm)
    assert places[1] > places[0] + 8


def test_inside_is_by_the_strings_middle_line_and_untold_without_one() -> None:
    renderer = _renderer()
    dice = (_die(8, 1, 130.0, 100.0), _die(10, 2, 110.0, 100.0))
    told = renderer.truth(Scene(TABLE, loops=(LoopOnTable(SQUARE),), dice=dice))["dice"]
    assert [(die["inside"], die["loop_depth_mm"]) for die in told] == [(True, 10.0), (False, -10.0)]
    assert [die["inside"] for die in renderer.truth(Scene(TABLE, dice=dice))["dice"]] == [None, None]


def test_a_hand_over_a_die_hides_its_top_face_in_the_truth() -> None:
    renderer = _renderer()
    dice = (_die(8, 1, 210.0, 150.0), _die(10, 2, 300.0, 60.0))
    hand = HandOverTable(210.0, 120.0, 180.0)
    seen = [die["visible"] for die in renderer.truth(Scene(TABLE, dice=dice, hands=(hand,)))["dice"]]
    assert seen[0] < 0.3
    assert seen[1] == 1.0


def test_the_string_shows_where_the_truth_says() -> None:
    renderer = _renderer()
    loop = LoopOnTable(SQUARE, width_mm=3.0, bgr=(20, 20, 220))
    scene = Scene(TABLE, loops=(loop,))
    picture = renderer.render(scene)
    for x, y in ((210.0, 40.0), (300.0, 125.0), (210.0, 210.0)):
        u, v = np.rint(renderer.camera.project(np.array([[x, y]]), 1.5)[0]).astype(int)
        blue, _, red = picture[v, u].astype(int)
        assert red > blue + 80


def test_a_symbol_without_a_picture_is_named() -> None:
    with pytest.raises(BadSourceError, match="nonsuch"):
        _renderer().render(Scene(TABLE, dice=(_die(8, 0, 210.0, 120.0, faces=("nonsuch",)),)))

"""Rendered pictures show what their truth says, and only the seed changes them."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from hardware.camera.base import Image
from hardware.errors import BadSourceError
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, Light, TableLook
from hardware.virtual.render import Renderer
from hardware.virtual.scene import BoardOnTable, CardOnTable, HandOverTable, Scene, Smudge, StarOnBoard, Stroke

TILTED = VirtualCameraModel(tilt_deg=6, tilt_toward_deg=140, roll_deg=2)
BENT = VirtualCameraModel(tilt_deg=3, k1=-0.1)


def looked(art: dict[str, Image], camera: VirtualCameraModel = TILTED, **look: object) -> Renderer:
    return Renderer(art, replace(TableLook(), **look), camera)


@pytest.mark.parametrize(
    ("camera", "ground", "light"),
    [
        (TILTED, Ground.FELT, Light.SOFT),
        (BENT, Ground.WOOD, Light.LAMP),
        (VirtualCameraModel(), Ground.CLOTH, Light.WARM),
        (VirtualCameraModel(), Ground.PLAIN, Light.SOFT),
    ],
)
def test_markers_are_found_where_the_projection_puts_them(
    art: dict[str, Image], scene: Scene, camera: VirtualCameraModel, ground: Ground, light: Light
) -> None:
    picture = looked(art, camera, ground=ground, light=light).render(scene, 1)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)
    corners, ids, _ = detector.detectMarkers(picture)
    found = {int(n): quad.reshape(4, 2) for n, quad in zip(np.asarray(ids).ravel(), corners, strict=True)}
    assert sorted(found) == [0, 1, 2, 3]
    for n, (x, y) in enumerate([(0, 0), (660, 0), (660, 380), (0, 380)]):
        square = np.array([(x, y), (x + 40, y), (x + 40, y + 40), (x, y + 40)], np.float64)
        assert np.abs(found[n] - camera.project(square)).max() < 0.5


@pytest.mark.parametrize("camera", [TILTED, BENT])
def test_a_card_covers_exactly_its_true_corners(art: dict[str, Image], camera: VirtualCameraModel) -> None:
    card = CardOnTable("magenta", 300.4, 201.7, 23.0)
    renderer = looked(art, camera, noise=0.0, blur_px=0.0, card_corner_mm=0.0, shadow=0.0, vignette=0.0)
    bare = renderer.render(Scene()).astype(int)
    with_card = renderer.render(Scene(cards=(card,))).astype(int)
    (truth,) = renderer.truth(Scene(cards=(card,)))["cards"]
    quad = np.array(truth["corners_px"])
    # The truth's corners are those of a projection of the card's rectangle.
    turn = np.radians(23.0)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners = np.array([(-31.5, -44), (31.5, -44), (31.5, 44), (-31.5, 44)]) @ axes + np.array([300.4, 201.7])
    assert np.abs(quad - camera.project(corners)).max() < 0.01
    # The card's share of each pixel, summed, is the area of that quadrilateral.
    full = np.abs(with_card - bare).sum(axis=2)
    share = np.clip(full / np.median(full[full > 0.8 * full.max()]), 0, 1)
    area = cv2.contourArea(quad.astype(np.float32))
    assert share.sum() == pytest.approx(area, rel=0.01)
    rows, columns = np.indices(share.shape)
    middle = np.array([(columns * share).sum(), (rows * share).sum()]) / share.sum()
    moments = cv2.moments(quad.astype(np.float32).reshape(-1, 1, 2))
    assert middle == pytest.approx((moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]), abs=0.1)


def test_later_cards_lie_over_earlier_ones(art: dict[str, Image], scene: Scene) -> None:
    renderer = looked(art, noise=0.0)
    picture = renderer.render(scene)
    u, v = np.round(TILTED.project(np.array([(620.0, 172.0)]))[0]).astype(int)
    blue, green, red = (int(c) for c in picture[v, u])
    assert green > 2 * blue
    assert green > 2 * red
    cards = renderer.truth(scene)["cards"]
    assert [card["layer"] for card in cards] == [0, 0, 1]
    assert cards[1]["visible"] < 0.9
    assert cards[2]["visible"] == 1.0


def test_the_truth_counts_what_a_hand_hides(art: dict[str, Image], scene: Scene) -> None:
    hand = HandOverTable(110, 130, 270)
    renderer = looked(art)
    free = renderer.truth(scene)["cards"][0]["visible"]
    truth = renderer.truth(replace(scene, hands=(hand,)))
    assert free == 1.0
    assert 0.2 < truth["cards"][0]["visible"] < 0.9
    assert truth["hands"] == [{"tip_mm": [110, 130], "angle": 0.0}]


def test_a_hand_changes_the_picture_only_on_the_side_it_comes_from(art: dict[str, Image], scene: Scene) -> None:
    renderer = looked(art, noise=0.0)
    before = renderer.render(scene).astype(int)
    after = renderer.render(replace(scene, hands=(HandOverTable(200, 210, 270),))).astype(int)
    changed = np.abs(after - before).max(axis=2) > 3
    assert changed.any()
    tip = TILTED.project(np.array([(240.0, 210.0)]))[0][0]
    assert not changed[:, int(tip) :].any()


def test_a_growing_stroke_keeps_what_is_drawn(art: dict[str, Image]) -> None:
    stroke = Stroke("blue", (230, 100), (460, 320))
    renderer = looked(art, noise=0.0, blur_px=0.0)

    def drawn(share: float) -> np.ndarray:
        board = BoardOnTable(200, 60, strokes=(replace(stroke, drawn=share),))
        return renderer.render(Scene(board=board)).astype(int)

    bare, half, whole = drawn(0), drawn(0.5), drawn(1)
    inked_half = np.abs(half - bare).max(axis=2) > 0
    inked_whole = np.abs(whole - bare).max(axis=2) > 0
    assert 0.4 < inked_half.sum() / inked_whole.sum() < 0.6
    # Where the pen stands the edge is cut straight: a corner of it may lie outside the finished stroke.
    assert np.count_nonzero(inked_half & ~inked_whole) <= 4
    start = TILTED.project(np.array([(253.0, 122.0)]))[0]
    u, v = np.round(start).astype(int)
    assert (half[v - 3 : v + 4, u - 3 : u + 4] == whole[v - 3 : v + 4, u - 3 : u + 4]).all()


def test_a_covered_marker_is_not_seen(art: dict[str, Image], scene: Scene) -> None:
    picture = looked(art).render(replace(scene, covered_markers=frozenset({2})), 3)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    ids = cv2.aruco.ArucoDetector(dictionary, cv2.aruco.DetectorParameters()).detectMarkers(picture)[1]
    assert sorted(int(n) for n in np.asarray(ids).ravel()) == [0, 1, 3]


def test_the_same_seed_gives_the_same_picture_whatever_was_painted_before(art: dict[str, Image], scene: Scene) -> None:
    fresh = looked(art).render(scene, 7)
    used = looked(art)
    board = replace(scene.board, smudges=(Smudge("red", 300, 200, 20, 0.1),)) if scene.board else None
    for other in (
        Scene(),
        replace(scene, cards=scene.cards[:1]),
        replace(scene, cards=scene.cards[:2], hands=(HandOverTable(300, 200, 90),)),
        replace(scene, board=board),
        replace(scene, cards=scene.cards[:2]),
    ):
        used.render(other, 1)
    assert (used.render(scene, 7) == fresh).all()
    assert (used.render(scene, 8) != fresh).any()


def test_noise_grows_with_brightness_and_has_no_bias(art: dict[str, Image], scene: Scene) -> None:
    small = VirtualCameraModel((480, 270))
    renderer = looked(art, small, noise=3.0)
    clean = looked(art, small, noise=0.0).render(scene).astype(float)
    stack = np.stack([renderer.render(scene, n).astype(float) for n in range(24)])
    spread, bias = stack.std(axis=0), stack.mean(axis=0) - clean
    dark = (clean > 25) & (clean < 60)
    bright = (clean > 170) & (clean < 230)
    assert 1.5 < spread[dark].mean() < 3.0 < spread[bright].mean() < 4.5
    assert abs(bias[bright].mean()) < 0.2


def test_jpeg_is_a_setting(art: dict[str, Image], scene: Scene) -> None:
    clean = looked(art, noise=0.0).render(scene).astype(int)
    packed = looked(art, noise=0.0, jpeg_quality=40).render(scene).astype(int)
    difference = np.abs(packed - clean)
    assert 0.1 < difference.mean() < 6


def test_board_truth_counts_crossings_of_one_colour_only(art: dict[str, Image]) -> None:
    stars = tuple(StarOnBoard(n, x, y) for n, x, y in ((1, 220, 100), (2, 400, 300), (3, 220, 300), (4, 400, 100)))
    for colours, crossings in ((("red", "red"), 1), (("red", "blue"), 0)):
        strokes = (Stroke(colours[0], (220, 100), (400, 300)), Stroke(colours[1], (400, 100), (220, 300)))
        truth = looked(art).truth(Scene(board=BoardOnTable(200, 60, stars=stars, strokes=strokes)))["board"]
        assert [(line["a"], line["b"]) for line in truth["lines"]] == [(1, 2), (3, 4)]
        assert (truth["crossings"], truth["points"]) == (crossings, 2 + crossings)


def test_a_star_on_a_turned_board_keeps_its_square(art: dict[str, Image]) -> None:
    board = BoardOnTable(350, 60, 300, 30, stars=(StarOnBoard(5, 350 + 40, 60 + 60),))
    (star,) = looked(art).truth(Scene(board=board))["board"]["stars"]
    assert star["square"] == 0


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (Scene(cards=(CardOnTable("nobody", 100, 100),)), "nobody"),
        (Scene(table_mm=(420.0, 250.0)), "420"),
    ],
)
def test_a_scene_that_cannot_be_shown_says_why(art: dict[str, Image], scene: Scene, words: str) -> None:
    with pytest.raises(BadSourceError, match=words):
        looked(art).render(scene)

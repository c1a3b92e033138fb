"""Cards that shine, bend and lie in sleeves."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from hardware.camera.base import Image
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, Lamp, Photo, TableLook
from hardware.virtual.render import Renderer
from hardware.virtual.scene import CardOnTable, Finish, HandOverTable, Scene

CAMERA = VirtualCameraModel(tilt_deg=0.0)
PLAIN = TableLook(ground=Ground.PLAIN, vignette=0.0, shadow=0.0, noise=0.0, blur_px=0.3)
FILM = Finish(gloss=0.05, rough=0.01)


def mirror_image(x: float, y: float, high: float = 1500.0) -> Lamp:
    """A lamp whose image in a flat card lies at a place: as far beyond it, seen from the lens, as it hangs higher."""
    eye_x, eye_y, eye_h = CAMERA.eye_mm
    away = (eye_h + high) / eye_h
    return Lamp(eye_x + (x - eye_x) * away, eye_y + (y - eye_y) * away, high, 100 * away / 4, 100 * away / 4, 30.0)


def lit(art: dict[str, Image], scene: Scene, *lamps: Lamp) -> np.ndarray:
    return Renderer(art, replace(PLAIN, photo=Photo(lamps=lamps)), CAMERA).mirrored(scene)


def test_a_flat_film_shows_the_lamp_where_the_law_of_mirrors_puts_it(art: dict[str, Image]) -> None:
    light = lit(art, Scene(cards=(CardOnTable("green", 250, 150, 30, finish=FILM),)), mirror_image(255, 140))
    shown = light > 0.5 * light.max()
    middle = np.argwhere(shown).mean(axis=0)[::-1]
    assert light.max() > 0.8
    assert middle == pytest.approx(CAMERA.project(np.array([[255.0, 140.0]]))[0], abs=1.5)


def test_a_card_that_leans_shows_the_lamp_elsewhere(art: dict[str, Image]) -> None:
    lamp = mirror_image(250, 150)
    flat = lit(art, Scene(cards=(CardOnTable("green", 250, 150, finish=FILM),)), lamp)
    leaning = lit(art, Scene(cards=(CardOnTable("green", 250, 150, finish=replace(FILM, lean_deg=(1.0, 0.0))),)), lamp)
    where = [np.argwhere(light > 0.5 * light.max()).mean(axis=0)[1] for light in (flat, leaning)]
    # A surface that falls off to the right by 1 degree turns the ray by 2, and the image with it.
    assert abs(where[1] - where[0]) > 8


def test_a_matt_card_and_a_hand_hide_the_light_below(art: dict[str, Image]) -> None:
    below = CardOnTable("green", 250, 150, finish=FILM)
    lamp = mirror_image(250, 150)
    assert lit(art, Scene(cards=(below,)), lamp).max() > 0.8
    assert lit(art, Scene(cards=(below, CardOnTable("back", 250, 150))), lamp).max() < 0.1
    hand = HandOverTable(250, 110, 180)
    assert (
        lit(art, Scene(cards=(below,), hands=(hand,)), lamp).sum() < 0.3 * lit(art, Scene(cards=(below,)), lamp).sum()
    )


@pytest.mark.parametrize("rise", [6.0, -6.0])
@pytest.mark.parametrize("turn", [0.0, 90.0])
def test_a_bent_cards_outline_bows_as_its_truth_says(art: dict[str, Image], rise: float, turn: float) -> None:
    """What is drawn is where a dense grid of the card's points projects to, and not where a flat card would be."""
    card = CardOnTable("magenta", 620.4, 350.7, 23.0, finish=Finish(bow_mm=rise, bow_turn_deg=turn))
    renderer = Renderer(art, replace(PLAIN, blur_px=0.0, card_corner_mm=0.0), CAMERA)
    bare, bent = (renderer.render(Scene(cards=cards)).astype(int) for cards in ((), (card,)))
    shown = np.abs(bent - bare).sum(axis=2) > 125
    own = np.stack(np.meshgrid(np.linspace(-1, 1, 240), np.linspace(-1, 1, 320)), axis=-1).reshape(-1, 2) * (31.5, 44.0)
    along = own[:, 0] / 31.5 if turn == 0 else own[:, 1] / 44.0
    height = rise * (1 - along**2) if rise > 0 else -rise * along**2
    angle = np.radians(23.0)
    places = own @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) + (620.4, 350.7)
    solid = np.column_stack([places, -height])
    # A straight camera: x and y fall with the distance from the lens.
    scale = CAMERA.matrix[0, 0] / (CAMERA.height_mm + solid[:, 2])
    points = (solid[:, :2] - (350.0, 210.0)) * scale[:, None] + CAMERA.matrix[:2, 2]

    def off(pixels: np.ndarray) -> int:
        grid = pixels.reshape(320, 240, 2)
        outline = np.concatenate([grid[0], grid[1:, -1], grid[-1, -2::-1], grid[-2:0:-1, 0]]).astype(np.float32)
        inside = np.zeros_like(shown)
        left, top, width, height = cv2.boundingRect(outline)
        for row in range(top, top + height + 1):
            for column in range(left, left + width + 1):
                inside[row, column] = cv2.pointPolygonTest(outline, (column, row), False) >= 0
        return int(np.count_nonzero(shown != inside))

    flat = (places - (350.0, 210.0)) * CAMERA.matrix[0, 0] / CAMERA.height_mm + CAMERA.matrix[:2, 2]
    assert off(points) < 0.01 * shown.sum()
    assert off(flat) > 2 * off(points)
    (truth,) = renderer.truth(Scene(cards=(card,)))["cards"]
    corners = points.reshape(320, 240, 2)[[0, 0, -1, -1], [0, -1, -1, 0]]
    assert np.array(truth["corners_px"]) == pytest.approx(corners, abs=0.02)


def test_a_sleeve_reaches_beyond_its_card_and_greys_it(art: dict[str, Image]) -> None:
    def drawn(finish: Finish | None) -> np.ndarray:
        return (
            Renderer(art, PLAIN, CAMERA)
            .render(Scene(cards=(CardOnTable("back", 300, 200, finish=finish),)))
            .astype(int)
        )

    bare, sleeved = drawn(None), drawn(Finish(sleeve_mm=2.0))
    changed = np.abs(sleeved - bare).max(axis=2) > 2
    rows, columns = np.nonzero(changed)
    corners = CAMERA.project(np.array([(300 - 33.5, 200 - 46.0), (300 + 33.5, 200 + 46.0)]))
    assert (columns.min(), columns.max()) == pytest.approx((corners[0][0], corners[1][0]), abs=2)
    assert (rows.min(), rows.max()) == pytest.approx((corners[0][1], corners[1][1]), abs=2)
    u, v = np.round(CAMERA.project(np.array([(300.0, 200.0)]))[0]).astype(int)
    # Dark print gets lighter, and stays print.
    assert sleeved[v, u].sum() > bare[v, u].sum()
    assert np.ptp(sleeved[v, u]) > 0.8 * np.ptp(bare[v, u])


def test_a_landscape_print_lies_on_its_long_side() -> None:
    art = {"wide": np.full((126, 176, 3), 200, np.uint8), "back": np.full((176, 126, 3), 60, np.uint8)}
    renderer = Renderer(art, PLAIN, CAMERA)
    wide, tall = renderer.truth(Scene(cards=(CardOnTable("wide", 200, 200), CardOnTable("back", 400, 200))))["cards"]
    for card, longer in ((wide, 0), (tall, 1)):
        across, down = (np.hypot(*np.subtract(card["corners_px"][n], card["corners_px"][0])) for n in (1, 3))
        assert ((across, down)[longer] / (across, down)[1 - longer]) == pytest.approx(88 / 63, rel=0.03)

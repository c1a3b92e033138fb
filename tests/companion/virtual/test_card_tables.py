"""Drawn tables are what their names say, follow from their seed, and show the table as the truth has it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.virtual.card_tables import CardTable, Hardship, hard_table, mild_table
from companion.virtual.styles import STYLES
from hardware.camera.base import Image
from hardware.virtual.truth import truth_of
from vision.table import locate_table

MM = (63.0, 88.0)


@pytest.fixture(scope="module")
def art() -> dict[str, Image]:
    return STYLES["signs"].draw()


@pytest.fixture(scope="module")
def tables(art: dict[str, Image]) -> list[CardTable]:
    return [hard_table("signs", art, MM, 5, number) for number in range(60)]


def test_the_same_seed_and_number_give_the_same_table(art: dict[str, Image], tables: list[CardTable]) -> None:
    assert hard_table("signs", art, MM, 5, 7) == tables[7]
    assert hard_table("signs", art, MM, 6, 7) != tables[7]


def test_every_hardship_comes_up_and_three_at_a_time(tables: list[CardTable]) -> None:
    assert {kind for table in tables for kind in table.hardships} == set(Hardship)
    assert {len(table.hardships - {Hardship.DICE}) for table in tables} == {3}


def test_a_hardship_shows_in_what_it_is_about(tables: list[CardTable]) -> None:
    for table in tables:
        hard, photo = table.hardships, table.look.photo
        assert photo is not None
        assert (8 <= table.camera.tilt_deg <= 15) == (Hardship.TILT in hard)
        assert (photo.lux <= 120) == (Hardship.DIM in hard)
        assert (photo.lux >= 1500) == (Hardship.BRIGHT in hard)
        assert (photo.motion_px != (0.0, 0.0)) == (Hardship.MOTION in hard)
        assert bool(table.scene.hands) == (Hardship.HAND in hard)
        assert bool(table.scene.dice) == (Hardship.DICE in hard)
        finishes = [card.finish for card in table.scene.cards if card.finish is not None]
        assert all((finish.sleeve_mm is not None) == (Hardship.SLEEVES in hard) for finish in finishes)


def test_rows_that_overlap_go_down_to_a_visible_third(tables: list[CardTable]) -> None:
    shares = []
    for table in tables:
        if Hardship.OVERLAP in table.hardships and Hardship.HAND not in table.hardships:
            shares += [card["visible"] for card in truth_of(table.scene, table.camera, table.look)["cards"]]
    assert min(shares) < 0.45
    assert sum(share < 0.7 for share in shares) > 0.4 * len(shares)
    assert sum(share < 0.3 for share in shares) < 0.1 * len(shares)


def test_the_markers_of_a_tilted_table_are_found_where_they_are(art: dict[str, Image], tables: list[CardTable]) -> None:
    tilted = [table for table in tables if Hardship.TILT in table.hardships and Hardship.HAND not in table.hardships]
    for table in tilted[:3]:
        pose = locate_table(table.renderer(art).render(table.scene), table.scene.table_mm)
        width, height = table.scene.table_mm
        places = np.array([(0, 0), (width, 0), (width, height), (0, height), (width / 2, height / 2)], np.float64)
        assert np.abs(pose.to_px(places) - table.camera.project(places)).max() < 1.5


def test_a_mild_table_has_no_hardship_and_its_cards_are_nearly_whole(art: dict[str, Image]) -> None:
    for number in range(10):
        table = mild_table("signs", art, MM, 3, number)
        assert table.hardships == frozenset()
        assert min(card["visible"] for card in truth_of(table.scene, table.camera, table.look)["cards"]) > 0.5


def test_no_card_lies_over_a_marker(tables: list[CardTable]) -> None:
    for table in tables:
        for card in truth_of(table.scene, table.camera, table.look)["cards"]:
            quad = np.array(card["corners_px"], np.float32)
            for x, y in ((20, 20), (table.scene.table_mm[0] - 20, 20)):
                u, v = table.camera.project(np.array([[x, y]], np.float64))[0]
                assert cv2.pointPolygonTest(quad.reshape(-1, 1, 2), (float(u), float(v)), False) < 0

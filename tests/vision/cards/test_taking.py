"""Cards taken one at a time: corners held against the drawn geometry, bad takes refused, the same card known again."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_cards import TABLE_MM, Image, Laid, draw_table, plain, wood

from vision.cards.deck import CARD_MM, make_reference
from vision.cards.likeness import most_like
from vision.cards.taking import Fault, Taken, take_card
from vision.table import PoseTracker

GROUNDS = {"wood": wood, "dark": plain(60), "grey": plain(128)}


def corners_of(card: Laid) -> list[tuple[float, float]]:
    turn = np.radians(card.angle)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    half = np.array([(-31.5, -44), (31.5, -44), (31.5, 44), (-31.5, 44)])
    return [(card.x + x, card.y + y) for x, y in half @ spin.T]


def taken(image: Image) -> Taken:
    found = take_card(image, CARD_MM)
    assert found is not None
    return found


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize(("name", "angle", "tilt"), [("red-6", -30, 0.0), ("art-1", 12, 1.0), ("back", 40, 0.5)])
def test_a_card_is_cut_out_along_its_edges(
    scans: dict[str, Image], ground: str, name: str, angle: float, tilt: float
) -> None:
    card = Laid(scans[name], 240, 150, angle)
    drawn = draw_table([card], ground=GROUNDS[ground], tilt=tilt)
    found = taken(drawn.image)
    assert float(np.abs(found.corners_px - drawn.px(corners_of(card))).max()) < 1.5
    assert found.faults == ()
    assert found.scan.shape == (880, 630, 3)
    pose = PoseTracker(TABLE_MM).locate(drawn.image)
    assert take_card(drawn.image, CARD_MM, pose) is not None
    assert take_card(drawn.image, (44.0, 61.5), pose) is None, "a card of that shape, but of another size"


def test_an_empty_table_and_a_thing_of_another_shape_are_no_card() -> None:
    assert take_card(draw_table([]).image, CARD_MM) is None
    assert take_card(draw_table(cover=[(180, 100, 90, 90)]).image, CARD_MM) is None


@pytest.mark.parametrize("blur", [3.0, 6.0])
def test_a_blurred_take_is_refused(scans: dict[str, Image], blur: float) -> None:
    image = draw_table([Laid(scans["art-1"], 250, 160, 5)]).image
    assert Fault.BLURRED in taken(cv2.GaussianBlur(image, (0, 0), blur)).faults


def test_a_glared_take_and_a_small_one_are_refused(scans: dict[str, Image]) -> None:
    image = draw_table([Laid(scans["art-1"], 250, 160, 5)]).image
    spot = image.copy()
    cv2.circle(spot, tuple(int(v) for v in taken(image).corners_px.mean(axis=0)), 30, (255, 255, 255), -1)
    assert taken(spot).faults == (Fault.GLARE,)
    half = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA).astype(np.uint8)
    assert Fault.SMALL in taken(half).faults


def test_the_same_card_is_known_again_and_a_near_copy_is_not_it(scans: dict[str, Image]) -> None:
    names = ["red-6", "red-8", "red-9", "art-1", "back"]
    known = [make_reference(taken(draw_table([Laid(scans[n], 250, 160, 3)]).image).scan, n, CARD_MM, n) for n in names]
    for n, name in enumerate(names):
        image = draw_table([Laid(scans[name], 262, 150, -14)], light=0.85).image
        again = make_reference(taken(image).scan, name, CARD_MM, name)
        assert most_like(again, known, CARD_MM) == n
        others = known[:n] + known[n + 1 :]
        assert most_like(again, others, CARD_MM) is None
    assert most_like(known[0], [], CARD_MM) is None

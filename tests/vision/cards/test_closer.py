"""Signs of a few pixels, told apart at the picture's own resolution; truth is which card was drawn."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_cards import CARD_MM, TABLE_MM, Image, Laid, draw_table

from vision.cards.closer import CloserLook, Closeup
from vision.cards.deck import make_reference
from vision.cards.features import Grid
from vision.cards.outlines import Placement
from vision.table import locate_table

GRID = Grid.of(*CARD_MM)
WHOLE = np.ones((GRID.size_px[1], GRID.size_px[0]), bool)


def card(sign: str) -> Image:
    """One sign of 3 mm in a corner sets it apart."""
    scan = np.full((704, 504, 3), (238, 244, 246), np.uint8)
    cv2.circle(scan, (252, 352), 160, (60, 90, 200), -1)
    cv2.putText(scan, sign, (60, 90), cv2.FONT_HERSHEY_DUPLEX, 1.1, (40, 40, 40), 3, cv2.LINE_AA)
    return scan


def closeup(scan: Image, seen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = WHOLE, off_mm: float = 0.0) -> Closeup:
    drawn = draw_table([Laid(scan, 220, 160, 11.0)], size_px=(1600, 1025))
    pose = locate_table(drawn.image, TABLE_MM)
    return Closeup.of(drawn.image, pose, Placement(220 + off_mm, 160 - off_mm, 11.0), GRID, seen)


def close(scan: Image) -> Image:
    return cv2.resize(scan, GRID.close_size_px, interpolation=cv2.INTER_AREA).astype(np.uint8)


@pytest.mark.parametrize(("sign", "other"), [("8", "6"), ("6", "8"), ("E", "F"), ("3", "8"), ("", "7"), ("7", "")])
@pytest.mark.parametrize("off_mm", [0.0, 0.4])
def test_a_small_sign_speaks_for_its_own_card_even_a_little_beside_its_place(
    sign: str, other: str, off_mm: float
) -> None:
    seen = closeup(card(sign), off_mm=off_mm)
    odds = seen.against(close(card(sign)), close(card(other)))
    assert odds is not None
    assert odds.nats > 8
    assert odds.share > 0.5
    turned_round = seen.against(close(card(other)), close(card(sign)))
    assert turned_round is not None
    assert turned_round.nats < -8


def test_what_is_covered_is_not_looked_at() -> None:
    seen = WHOLE.copy()
    seen[: seen.shape[0] // 3] = False
    assert closeup(card("8"), seen).against(close(card("8")), close(card("6"))) is None


def test_a_sign_under_a_finger_that_nobody_saw_speaks_for_neither_card() -> None:
    covered = card("8")
    random = np.random.default_rng(4)
    skin = cv2.GaussianBlur(random.normal(0, 60, (120, 150, 3)).astype(np.float32), (0, 0), 9) * 4 + (90, 130, 190)
    covered[20:140, 20:170] = np.clip(skin, 0, 255).astype(np.uint8)
    odds = closeup(covered).against(close(card("8")), close(card("6")))
    assert odds is None or abs(odds.share) < 0.3


def test_cards_that_look_the_same_are_not_told_apart() -> None:
    assert closeup(card("8")).against(close(card("8")), close(card("8"))) is None


@pytest.mark.parametrize("light", [0.35, 1.0])
def test_a_dark_picture_leaves_less_to_say(light: float) -> None:
    drawn = draw_table([Laid(card("8"), 220, 160, 11.0)], size_px=(1600, 1025), light=light, noise=9.0)
    pose = locate_table(drawn.image, TABLE_MM)
    odds = Closeup.of(drawn.image, pose, Placement(220, 160, 11.0), GRID, WHOLE).against(
        close(card("8")), close(card("6"))
    )
    assert odds is None or odds.nats > 0
    bright = closeup(card("8")).against(close(card("8")), close(card("6")))
    assert bright is not None
    assert odds is None or odds.most < bright.most


@pytest.mark.parametrize("pip", [(150, 352), (252, 290), (330, 300)])
def test_one_pip_among_nine_tells_the_top(pip: tuple[int, int]) -> None:
    # All else is the same the other way round.
    scan = np.full((704, 504, 3), (238, 244, 246), np.uint8)
    for x, y in [(100, 90), (404, 90), (100, 210), (404, 210)]:
        cv2.circle(scan, (x, y), 30, (40, 40, 200), -1)
        cv2.circle(scan, (503 - x, 703 - y), 30, (40, 40, 200), -1)
    cv2.circle(scan, pip, 30, (40, 40, 200), -1)
    reference = make_reference(scan, "nine", CARD_MM, "nine")
    right = CloserLook([reference], lambda: closeup(scan)).at_top(0)
    assert right is not None
    assert (right.nats > 8, right.share > 0.5) == (True, True)
    upside_down = np.ascontiguousarray(scan[::-1, ::-1])
    wrong = CloserLook([reference], lambda: closeup(upside_down)).at_top(0)
    assert wrong is not None
    assert wrong.nats < -8


def test_a_card_that_is_the_same_both_ways_round_tells_no_top() -> None:
    scan = np.full((704, 504, 3), (238, 244, 246), np.uint8)
    cv2.rectangle(scan, (152, 252), (351, 451), (40, 40, 200), -1)
    reference = make_reference(scan, "one", CARD_MM, "one")
    assert CloserLook([reference], lambda: closeup(scan)).at_top(0) is None

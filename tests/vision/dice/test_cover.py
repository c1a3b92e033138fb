"""What of a place a hand covers, in pictures drawn here: 4 px a millimetre, the table's corner at the picture's."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.cover import Cover
from vision.dice.find import PX_PER_MM, Overview

PX, SIDE_MM = 4.0, 44.0
GROUND, SKIN, DIE = (120, 130, 128), (70, 95, 160), (40, 160, 50)
ALL = ((-50.0, -50.0), (100.0, -50.0), (100.0, 100.0), (-50.0, 100.0))
Picture = NDArray[np.uint8]


def _grained(picture: Picture) -> Picture:
    noise = np.random.default_rng(6).normal(0, 2, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def _place() -> Picture:
    """A die with a mark of the hand's colour, and a finger that comes in from the left."""
    picture = np.full((round(SIDE_MM * PX), round(SIDE_MM * PX), 3), GROUND, np.uint8)
    cv2.circle(picture, (88, 88), 36, DIE, -1)
    cv2.rectangle(picture, (80, 80), (98, 98), SKIN, -1)
    cv2.line(picture, (0, 30), (60, 30), SKIN, 44)
    return _grained(picture)


def _cover(hand: tuple[int, int, int], ground: tuple[int, int, int]) -> Cover | None:
    """The cover of a table whose upper half is a hand."""
    picture = np.full((round(60 * PX_PER_MM), round(60 * PX_PER_MM), 3), ground, np.uint8)
    picture[: round(30 * PX_PER_MM)] = hand
    return Cover.of(Overview(_grained(picture)), [((0.0, 0.0), (60.0, 0.0), (60.0, 30.0), (0.0, 30.0))])


def test_a_symbol_of_the_hands_colour_is_no_hand() -> None:
    cover = _cover(SKIN, GROUND)
    assert cover is not None
    told = Cover((ALL,), cover.tints).over(_place(), PX, (0.0, 0.0))
    assert told is not None
    assert told[30, 30] == 255
    assert not told[70:108, 70:108].any()


def test_a_dark_glove_on_a_table_of_its_hue_covers_by_its_light() -> None:
    grey, glove = (150, 150, 150), (38, 38, 38)
    cover = _cover(glove, grey)
    assert cover is not None
    picture = np.full((round(SIDE_MM * PX), round(SIDE_MM * PX), 3), grey, np.uint8)
    picture[:60] = glove
    told = Cover((ALL,), cover.tints).over(_grained(picture), PX, (0.0, 0.0))
    assert told is not None
    assert (told[:55] == 255).mean() > 0.95
    assert (told[70:] == 255).mean() < 0.05


def test_what_a_shadow_might_be_covers_nothing() -> None:
    assert _cover((90, 90, 90), (150, 150, 150)) is None


SLEEVE, WIDE_MM = (92, 70, 60), 160.0


def _arm(sleeve: tuple[int, int, int], die_mm: float = 0.0, beside: bool = False) -> Cover | None:
    """The cover of a table with an arm over it, bare from 45 mm on and before that in a sleeve; on request with a die in what is
    taken for the arm, or with what has the sleeve's colour lying about elsewhere."""
    side = round(WIDE_MM * PX_PER_MM)
    picture = np.full((side, side, 3), GROUND, np.uint8)
    cv2.rectangle(picture, (0, 0), (round(120 * PX_PER_MM), round(50 * PX_PER_MM)), SKIN, -1)
    cv2.rectangle(picture, (0, 0), (round(45 * PX_PER_MM), round(50 * PX_PER_MM)), sleeve, -1)
    if die_mm:
        middle, radius = (round(90 * PX_PER_MM), round(60 * PX_PER_MM)), round(die_mm / 2 * PX_PER_MM)
        cv2.circle(picture, middle, radius, DIE, -1)
    if beside:
        picture[round(110 * PX_PER_MM) :] = sleeve
    area = ((0.0, 0.0), (122.0, 0.0), (122.0, 74.0), (0.0, 74.0))
    return Cover.of(Overview(_grained(picture)), [area])


def _shown(cover: Cover, colour: tuple[int, int, int]) -> bool:
    """Whether the cover takes a place of this colour for a hand."""
    picture = _grained(np.full((round(SIDE_MM * PX), round(SIDE_MM * PX), 3), colour, np.uint8))
    told = Cover((ALL,), cover.tints).over(picture, PX, (0.0, 0.0))
    return told is not None and bool((told > 0).mean() > 0.9)


def test_a_sleeve_covers_as_the_hand_does() -> None:
    cover = _arm(SLEEVE)
    assert cover is not None
    assert _shown(cover, SKIN)
    assert _shown(cover, SLEEVE)
    assert not _shown(cover, GROUND)
    assert not _shown(cover, DIE)


def test_a_die_that_is_thought_to_lie_under_a_hand_is_no_sleeve() -> None:
    cover = _arm(SKIN, die_mm=24.0)
    assert cover is not None
    assert _shown(cover, SKIN)
    assert not _shown(cover, DIE)


def test_what_lies_about_on_the_table_as_well_is_no_sleeve() -> None:
    cover = _arm(SLEEVE, beside=True)
    assert cover is not None
    assert not _shown(cover, SLEEVE)


def test_a_die_of_the_gloves_own_colour_is_no_hand() -> None:
    """It hangs together with nothing that comes in from beside, however wide it is."""
    cover = _cover(SKIN, GROUND)
    assert cover is not None
    picture = np.full((round(SIDE_MM * PX), round(SIDE_MM * PX), 3), GROUND, np.uint8)
    cv2.circle(picture, (88, 110), 40, SKIN, -1)
    cv2.line(picture, (0, 20), (70, 20), SKIN, 40)
    told = Cover((ALL,), cover.tints).over(_grained(picture), PX, (0.0, 0.0))
    assert told is not None
    assert told[20, 30] == 255
    assert not told[66:].any()

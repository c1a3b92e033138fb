"""A lamp's sheen or a hand's shade on a card: the light is found, and never mistaken for print."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from drawn_cards import Image
from test_evidence import deck_of, look

from companion.virtual.styles import STYLES
from vision.cards import CardReader
from vision.cards.deck import CARD_MM
from vision.cards.features import Grid
from vision.cards.veil import veil_of

GRID = Grid.of(*CARD_MM)
EVERYWHERE = np.ones(GRID.rows * GRID.columns, bool)


def night(scan: Image) -> Image:
    """The same print on dark paper."""
    return np.asarray(255 - scan, np.uint8) // 2 + 14


def glowing(scan: Image) -> Image:
    """Print on dark paper with a bright disc in the middle: where it is dark a veil takes most of the contrast, there little."""
    dark = night(scan)
    disc = np.zeros(dark.shape[:2], np.uint8)
    cv2.circle(disc, (dark.shape[1] // 2, dark.shape[0] // 2), dark.shape[1] // 4, 255, -1)
    bright = np.clip(dark.astype(int) // 2 + (200, 120, 60), 0, 255)
    return np.asarray(np.where(disc[..., None] > 0, bright, dark), np.uint8)


def sheen(picture: Image, most: float, shade: float = 1.0) -> Image:
    """Linear light: dimmed by `shade`, with as much of white as `most` added at one side, falling off to the other."""
    light = (picture.astype(np.float64) / 255) ** 2.2 * shade
    fall = np.linspace(1, 0.35, picture.shape[1])[None, :, None]
    return np.asarray(255 * np.clip(light + most * fall, 0, 1) ** (1 / 2.2), np.uint8)


def canonical(scan: Image) -> Image:
    return np.asarray(cv2.resize(scan, GRID.size_px, interpolation=cv2.INTER_AREA), np.uint8)


@pytest.mark.parametrize("most", [0.0, 0.03, 0.1])
@pytest.mark.parametrize("shade", [0.25, 1.0])
def test_a_reference_under_the_light_that_was_found_looks_like_the_picture(most: float, shade: float) -> None:
    reference = canonical(night(STYLES["pips"].draw()["moss-7"]))
    picture = sheen(reference, most, shade)
    again = veil_of(picture, reference, EVERYWHERE, GRID).over(reference)
    gap = np.abs(again.astype(int) - picture.astype(int))
    assert np.median(gap) <= 3
    assert np.percentile(gap, 95) <= 16


def test_no_light_turns_one_card_into_another() -> None:
    """What sets two cards apart stays unexplained: far more of it than of the card's own picture."""
    scans = {name: canonical(night(scan)) for name, scan in STYLES["pips"].draw().items()}
    picture = sheen(scans["moss-7"], 0.05)
    left = {
        name: float(np.square(veil_of(picture, scan, EVERYWHERE, GRID).over(scan).astype(float) - picture).sum())
        for name, scan in scans.items()
    }
    assert min(left, key=left.__getitem__) == "moss-7"
    assert sorted(left.values())[1] > 3 * left["moss-7"]


def test_covered_cells_do_not_count_for_the_light() -> None:
    reference = canonical(night(STYLES["pips"].draw()["moss-7"]))
    picture = sheen(reference, 0.05)
    seen = EVERYWHERE.reshape(GRID.rows, GRID.columns).copy()
    seen[:4] = False
    hidden = picture.copy()
    hidden[: 4 * picture.shape[0] // GRID.rows] = 200
    found, whole = (veil_of(one, reference, seen.ravel(), GRID).over(reference) for one in (hidden, picture))
    lower = slice(6 * picture.shape[0] // GRID.rows, None)
    assert np.abs(found[lower].astype(int) - whole[lower].astype(int)).max() <= 6


@pytest.mark.parametrize("most", [0.02, 0.04])
def test_dark_cards_with_a_bright_picture_are_read_under_a_sheen(most: float) -> None:
    scans = {name: glowing(scan) for name, scan in STYLES["pips"].draw().items()}
    names = ["moss-7", "plum-8", "coral-2"]
    found = look(CardReader([deck_of(scans)]), scans, names, lambda image: sheen(image, most))
    assert [card.card for card in found] == names


@pytest.mark.parametrize("style", [night, glowing])
@pytest.mark.parametrize("most", [0.02, 0.04])
def test_a_dark_stranger_under_a_sheen_stays_unknown(style: Callable[[Image], Image], most: float) -> None:
    scans = {name: style(scan) for name, scan in STYLES["pips"].draw().items()}
    names = ["moss-7", "plum-8", "coral-2"]
    reader = CardReader([deck_of(scans, tuple(names))])
    found = look(reader, scans, names, lambda image: sheen(image, most))
    assert [card.card for card in found if card.card is not None] == []

"""Symbols that a hand hides in part."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.dice.enrolled import BLANK, EnrolledDie, EnrolledFace
from vision.dice.faces import FACE_PX, INCIRCLE_PX, lay_flat, symbol_of_picture
from vision.dice.identify import read_face
from vision.dice.partial import least_shown

from .conftest import MARKS, flat_picture, turned

FACE = np.array([(0.0, -2.0), (np.sqrt(3), 1.0), (-np.sqrt(3), 1.0)])
"""A triangle whose incircle has the radius 1."""
SIDE, MIDDLE, UNIT = 400, 200.0, 80.0


def known() -> EnrolledDie:
    faces = [EnrolledFace(BLANK, ())]
    for mark in MARKS:
        symbol = symbol_of_picture(flat_picture(mark))
        assert symbol is not None
        faces.append(EnrolledFace(mark, (symbol,)))
    return EnrolledDie("marks", None, tuple(faces))


def face(mark: str | None, turn: float) -> NDArray[np.uint8]:
    picture = np.full((SIDE, SIDE, 3), (40, 35, 190), np.uint8)
    for ring in MARKS[mark] if mark else []:
        corners = np.rint((MIDDLE + 0.62 * UNIT * turned(ring, turn)) * 16).astype(np.int32)
        cv2.fillPoly(picture, [corners], (245, 245, 245), cv2.LINE_AA, 4)
    noise = np.random.default_rng(4).normal(0, 3, picture.shape)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 4.0) + noise, 0, 255).astype(np.uint8)


def read(picture: NDArray[np.uint8], hidden_below: float) -> tuple[str | None, float]:
    """What is told of a face of which everything under a line, in incircle radii from its middle, is hidden."""
    corners = MIDDLE + UNIT * FACE
    cover = np.zeros((SIDE, SIDE), np.uint8)
    cover[round(MIDDLE + UNIT * hidden_below) :] = 255
    harmed = picture.copy()
    harmed[cover > 0] = (120, 160, 215)
    told = read_face(lay_flat(harmed, corners, FACE, (cover, corners)), [known()])
    return told.symbol, told.confidence


@pytest.mark.parametrize("mark", list(MARKS))
@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_a_symbol_that_shows_for_the_most_part_is_told(mark: str, turn: float) -> None:
    assert read(face(mark, turn), 0.3)[0] in {mark, None}
    assert read(face(mark, turn), 0.45)[0] == mark


def test_a_bare_face_is_blank_where_any_symbol_would_show() -> None:
    """Six tenths of it are bare: more than a third of each symbol lies there."""
    assert read(face(None, 0.0), 2.0)[0] == BLANK
    assert read(face(None, 0.0), 0.3)[0] == BLANK
    assert read(face(None, 0.0), -0.3)[0] is None


@pytest.mark.parametrize("mark", [None, "plus", "bar"])
def test_a_face_of_which_a_hand_hides_more_than_half_is_told_nothing(mark: str | None) -> None:
    """Of a triangle hidden below its middle four ninths are left; all that any symbol has above would show."""
    assert read(face(mark, 0.0), 0.0)[0] is None


def test_a_fingers_blurred_rim_is_no_ink() -> None:
    """Of a finger of another colour whose outline is known a little too small."""
    corners = MIDDLE + UNIT * FACE
    picture = face(None, 0.0)
    rim = round(MIDDLE + UNIT * 0.5)
    picture[rim:] = (150, 60, 30)
    picture = cv2.GaussianBlur(picture, (0, 0), 4.0).astype(np.uint8, copy=False)
    cover = np.zeros((SIDE, SIDE), np.uint8)
    cover[rim + 2 :] = 255
    assert read_face(lay_flat(picture, corners, FACE, (cover, corners)), [known()]).symbol == BLANK


def test_the_share_of_a_symbol_that_would_show_is_that_of_its_worst_turn() -> None:
    corners = MIDDLE + UNIT * FACE
    (bar,) = [(each.name, each.symbols[0]) for each in known().faces if each.name == "bar"]
    shares = []
    for below in (2.0, 0.2, 0.0, -0.5):
        cover = np.zeros((SIDE, SIDE), np.uint8)
        cover[round(MIDDLE + UNIT * below) :] = 255
        shares.append(least_shown(lay_flat(face(None, 0.0), corners, FACE, (cover, corners)), [bar]))
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.9
    assert shares[-1] < 0.1
    assert least_shown(lay_flat(face(None, 0.0), corners, FACE), []) == 0.0


def test_next_to_nothing_is_told_of_next_to_nothing() -> None:
    assert read(face("plus", 0.3), -0.9)[0] is None
    assert FACE_PX > 2 * INCIRCLE_PX


def test_a_face_that_darkens_little_by_little_bears_no_symbol() -> None:
    """The shade of a hand, round as the known disc is; the same disc as faint but drawn is told."""
    disc = np.full((SIDE, SIDE, 3), 255, np.uint8)
    cv2.circle(disc, (200, 200), 120, (0, 0, 0), -1, cv2.LINE_AA)
    symbol = symbol_of_picture(disc)
    assert symbol is not None
    die = EnrolledDie("disc", None, (EnrolledFace(BLANK, ()), EnrolledFace("disc", (symbol,))))
    corners = MIDDLE + UNIT * FACE
    rows, columns = np.mgrid[:SIDE, :SIDE] - MIDDLE
    away = np.hypot(rows, columns) / UNIT
    noise = np.random.default_rng(4).normal(0, 3, (SIDE, SIDE, 3))
    shades = {BLANK: np.exp(-0.25 * np.exp(-((away / 0.62) ** 2))), "disc": np.where(away < 0.5, np.exp(-0.25), 1.0)}
    for name, shade in shades.items():
        light = cv2.GaussianBlur(np.array((60, 170, 80)) * shade[..., None], (0, 0), 4.0)
        told = read_face(lay_flat(np.clip(light + noise, 0, 255).astype(np.uint8), corners, FACE), [die])
        assert told.symbol == name

"""Dice taken for enrolment from a camera's picture: cut out and read, or refused with the reason."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.dice.enrolled import enrol_die, is_flat, is_photograph, photograph
from vision.dice.faces import likeness, symbol_of_picture
from vision.dice.taking import Fault, Missing, Taken, take_die, taken_again

from .conftest import SIZE_PX, Arena, flat_picture, project

RED = (60, 40, 190)
SKIN = (120, 150, 200)


def die_at(arena: Arena, x: float = 205.0, y: float = 130.0, height: float = 17.0, mark: str | None = "plus") -> None:
    arena.die(x, y, height, 0.7, RED, mark)


def hand(arena: Arena, x_mm: float, y_mm: float) -> None:
    """A finger whose tip is at a place, and the hand behind it, reaching in from below."""
    ((u, v),) = project(np.array([(x_mm, y_mm, 0.0)]))
    tip, low = (round(u), round(v)), (round(u), SIZE_PX[1] + 80)
    cv2.line(arena.picture, tip, low, SKIN, 60, cv2.LINE_AA)
    cv2.line(arena.picture, (tip[0], tip[1] + 200), low, SKIN, 240, cv2.LINE_AA)


def taken(picture: np.ndarray, sides: int = 8) -> Taken:
    found = take_die(picture, sides)
    assert isinstance(found, Taken), found
    return found


@pytest.mark.parametrize("mark", ["plus", "wedge"])
def test_a_die_is_cut_out_with_what_its_top_face_shows(arena: Arena, mark: str) -> None:
    die_at(arena, mark=mark)
    found = taken(arena.finished())
    ((u, v),) = project(np.array([(205.0, 130.0, 8.5)]))
    assert np.hypot(*(found.outline_px.mean(axis=0) - (u, v))) < 6
    assert 45 < found.size_px < 62
    assert found.is_inked
    assert not found.is_blank
    assert found.faults == ()
    known = symbol_of_picture(flat_picture(mark))
    assert found.symbol is not None
    assert known is not None
    assert likeness(found.symbol, known).score > 0.93
    assert found.ink().shape == (72, 72, 3)


def test_a_bare_face_is_blank_by_evidence_of_its_own(arena: Arena) -> None:
    die_at(arena, mark=None)
    found = taken(arena.finished())
    assert found.is_blank
    assert found.symbol is None


def test_a_cut_out_is_enrolled_as_the_photograph_that_it_is(arena: Arena, tmp_path) -> None:
    die_at(arena)
    found = taken(arena.finished())
    (tmp_path / "plus.png").write_bytes(photograph(found.picture))
    die = enrol_die(tmp_path, "one", 8)
    assert found.symbol is not None
    assert likeness(die.faces[0].symbols[0], found.symbol).score > 0.99
    assert die.colour is not None
    assert die.colour[0] > 2 * die.colour[2] > 0
    again = taken_again(found.picture, 8)
    assert again is not None
    assert again.is_inked


def test_an_even_die_with_a_bare_face_is_no_drawn_symbol(arena: Arena, tmp_path) -> None:
    bare = np.full((200, 200, 3), (40, 38, 36), np.uint8)
    cv2.fillPoly(bare, [np.array([(60, 60), (140, 70), (150, 130), (90, 150), (55, 110)])], (170, 60, 160))
    assert is_flat(bare)
    data = photograph(bare)
    assert is_photograph(data)
    assert not is_photograph(bytes(cv2.imencode(".png", bare)[1]))
    assert (cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) == bare).all()
    (tmp_path / "blank.png").write_bytes(data)
    assert enrol_die(tmp_path, "even").colour is not None


def test_uneven_light_is_no_hand(arena: Arena) -> None:
    die_at(arena)
    rows, columns = np.mgrid[: SIZE_PX[1], : SIZE_PX[0]]
    light = 0.45 + 0.75 * np.exp(-((columns - 1300) ** 2 + (rows - 200) ** 2) / 700**2)
    lit = np.clip(arena.finished() * light[..., None], 0, 255).astype(np.uint8)
    assert taken(lit).is_inked


def test_what_cant_be_taken_says_why(arena: Arena) -> None:
    empty = arena.finished()
    assert take_die(empty, 8) is Missing.NOTHING
    die_at(arena)
    whole = arena.finished()
    ((u, _),) = project(np.array([(205.0, 130.0, 8.5)]))
    assert take_die(np.ascontiguousarray(whole[:, : round(u) + 6]), 8) is Missing.OUTSIDE
    arena.die(260.0, 150.0, 16.0, 1.9, (190, 90, 30), "bar")
    assert take_die(arena.finished(), 8) is Missing.SEVERAL


def test_a_hand_over_the_die_or_touching_it_is_told_and_one_far_away_is_no_matter(arena: Arena) -> None:
    die_at(arena)
    bare = arena.picture.copy()
    hand(arena, 205.0, 128.0)
    assert take_die(arena.finished(), 8) is Missing.HAND
    arena.picture[:] = bare
    hand(arena, 206.0, 146.0)
    assert take_die(arena.finished(), 8) in {Missing.HAND, Missing.BESIDE}
    arena.picture[:] = bare
    hand(arena, 290.0, 190.0)
    taken(arena.finished())


def test_what_lies_right_beside_the_die_must_be_moved_away(arena: Arena) -> None:
    die_at(arena)
    ((u, v),) = project(np.array([(222.0, 130.0, 0.0)]))
    cv2.rectangle(arena.picture, (round(u) - 18, round(v) - 24), (round(u) + 60, round(v) + 24), (40, 170, 60), -1)
    assert take_die(arena.finished(), 8) is Missing.BESIDE


def test_a_die_within_the_loop_of_string_is_found_as_well(arena: Arena) -> None:
    turns = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    arena.string(np.column_stack([205 + 70 * np.cos(turns), 130 + 70 * np.sin(turns)]), (40, 40, 200))
    die_at(arena)
    assert taken(arena.finished()).is_inked


def test_too_small_and_too_blurred_takes_are_marked(arena: Arena) -> None:
    die_at(arena, height=19.0)
    picture = arena.finished()
    assert taken(picture).faults == ()
    small = cv2.resize(picture, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA).astype(np.uint8)
    assert Fault.SMALL in taken(small).faults
    blurred = cv2.GaussianBlur(picture, (0, 0), 4.0).astype(np.uint8)
    assert taken(blurred).faults == (Fault.BLURRED,)

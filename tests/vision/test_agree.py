"""Looks compared: what two or three looks at one unchanged table may say together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vision.agree import agreed, doubting_hidden_stars, same_scene
from vision.observation import (
    BoardReading,
    CardReading,
    Colour,
    DoubtReason,
    Face,
    LineReading,
    PairDoubt,
    PoseState,
    SceneReading,
    StarReading,
)

QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
PLACES = {1: (0.0, 0.0), 2: (100.0, 100.0), 3: (100.0, 0.0), 4: (0.0, 100.0)}
HAND = ((0.0, 0.0), (50.0, 0.0), (50.0, 50.0))


def card(name: str | None, x: float = 50, face: Face | None = Face.UP, angle: float | None = 0.0) -> CardReading:
    return CardReading(name, face, x, 60, angle, QUAD, 0.9, ((name, 0.9),) if name else (("sun", 0.5),))


def board(*lines: tuple[int, int, Colour], doubts: tuple[PairDoubt, ...] = (), stars: str = "1234") -> BoardReading:
    read = tuple(StarReading(int(n), *PLACES[int(n)], 0, 0.9) for n in stars)
    return BoardReading(QUAD, False, read, tuple(LineReading(*line, 0.9) for line in lines), doubts, 0, len(lines))


def scene(*cards: CardReading, on: BoardReading | None = None, hidden: bool = False) -> SceneReading:
    return SceneReading(PoseState.LIVE, (700, 420), cards, on, (HAND,) if hidden else ())


def test_jitter_and_confidence_are_no_difference() -> None:
    moved = replace(card("sun"), x_mm=51.5, angle_deg=358.5, confidence=0.7)
    assert same_scene(scene(card("sun")), scene(moved))


@pytest.mark.parametrize(
    "other",
    [card("moon"), card("sun", x=58), card("sun", angle=90.0), card(None, face=Face.DOWN), card(None)],
)
def test_another_card_place_turn_or_face_is_a_difference(other: CardReading) -> None:
    assert not same_scene(scene(card("sun")), scene(other))


def test_a_line_a_doubt_and_a_hand_are_differences() -> None:
    plain = scene(on=board((1, 2, Colour.RED)))
    assert not same_scene(plain, scene(on=board()))
    assert not same_scene(plain, scene(on=board((1, 2, Colour.BLUE))))
    assert not same_scene(plain, scene(on=board((1, 2, Colour.RED), doubts=(PairDoubt(3, 4, DoubtReason.FAINT),))))
    assert not same_scene(plain, scene(on=board((1, 2, Colour.RED)), hidden=True))
    assert not same_scene(plain, scene())


def test_no_look_agrees_on_nothing() -> None:
    with pytest.raises(ValueError, match="at least one look"):
        agreed([])


def test_two_names_for_one_card_leave_it_unknown_even_with_a_majority() -> None:
    (both,) = agreed([scene(card("sun")), scene(card("moon")), scene(card("sun"))]).cards
    assert both.card is None
    assert both.face is Face.UP
    assert [name for name, _ in both.candidates] == ["sun", "moon"]


def test_an_abstention_outvoted_by_two_keeps_the_name() -> None:
    (both,) = agreed([scene(card("sun")), scene(card(None)), scene(card("sun"))]).cards
    assert both.card == "sun"
    (one,) = agreed([scene(card(None)), scene(card("sun")), scene(card(None))]).cards
    assert one.card is None


def test_a_card_that_one_look_of_three_saw_is_a_ghost() -> None:
    assert agreed([scene(), scene(card("sun")), scene()]).cards == ()
    assert len(agreed([scene(card("sun")), scene(), scene(card("sun"))]).cards) == 1


def test_a_line_seen_in_one_look_and_clear_in_another_is_a_doubt() -> None:
    read = agreed([scene(on=board((1, 2, Colour.RED))), scene(on=board())]).board
    assert read is not None
    assert not read.lines
    assert [(doubt.a, doubt.b, doubt.colour) for doubt in read.doubts] == [(1, 2, Colour.RED)]


def test_a_line_of_two_colours_is_a_doubt_of_colour() -> None:
    looks = [scene(on=board((1, 2, colour))) for colour in (Colour.RED, Colour.BLUE, Colour.RED)]
    read = agreed(looks).board
    assert read is not None
    assert not read.lines
    assert read.doubts[0].reason is DoubtReason.COLOUR
    assert read.doubts[0].colour is None


def test_a_doubt_of_one_look_does_not_take_a_line_that_two_saw() -> None:
    line, doubt = (1, 2, Colour.RED), PairDoubt(1, 2, DoubtReason.FAINT)
    read = agreed([scene(on=board(line)), scene(on=board(doubts=(doubt,))), scene(on=board(line))]).board
    assert read is not None
    assert len(read.lines) == 1
    assert not read.doubts


def test_crossings_and_points_are_counted_again_from_what_is_agreed() -> None:
    crossed = board((1, 2, Colour.RED), (3, 4, Colour.RED))
    read = agreed([scene(on=crossed), scene(on=crossed)]).board
    assert read is not None
    assert (read.crossings, read.points) == (1, 3)
    read = agreed([scene(on=crossed), scene(on=board((1, 2, Colour.RED)))]).board
    assert read is not None
    assert (read.crossings, read.points) == (0, 1)


def test_a_line_of_a_star_whose_number_is_in_dispute_is_a_doubt() -> None:
    first = board((1, 2, Colour.RED))
    other = replace(first, stars=(replace(first.stars[0], n=7), *first.stars[1:]))
    read = agreed([scene(on=first), scene(on=other)]).board
    assert read is not None
    assert None in [star.n for star in read.stars]
    assert not read.lines
    assert read.doubts


def test_pairs_of_a_star_under_a_hand_are_doubts_and_not_clear() -> None:
    before = scene(on=board((1, 2, Colour.RED)))
    covered = scene(on=board(stars="234"), hidden=True)
    read = doubting_hidden_stars(covered, before).board
    assert read is not None
    assert {(doubt.a, doubt.b) for doubt in read.doubts} == {(1, 2), (1, 3), (1, 4)}
    gone = scene(on=board(stars="234"))
    assert doubting_hidden_stars(gone, before) == gone

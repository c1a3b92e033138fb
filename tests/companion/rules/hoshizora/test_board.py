"""Preparation, crossings, points, moved stars."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.core import Level
from companion.rules.hoshizora import HoshizoraSettings, advice, score, stars_in_line
from companion.rules.hoshizora.board import PAIR_OF, Board
from companion.rules.hoshizora.facts import BoardSet, Colour, Line, Star, StarMoved


def stars_of(table) -> tuple[Star, ...]:
    return table().state.board.stars


def move(stars: tuple[Star, ...], n: int, **change: float | None) -> tuple[Star, ...]:
    return tuple(replace(star, **change) if star.n == n else star for star in stars)


def texts(findings) -> list[str]:
    return [f"{finding.level}: {finding.rule}" for finding in findings]


def test_a_proper_set_up(table) -> None:
    assert table().findings == []


def test_one_or_two_stars_in_a_square(table) -> None:
    game = table(stars=move(stars_of(table), 4, square=0))
    assert texts(game.findings) == ["illegal: Preparation: one or two stars in a square"] * 2  # square 1 has 3, 4 none


def test_no_star_on_a_dividing_line(table) -> None:
    game = table(stars=move(stars_of(table), 4, square=None))
    assert texts(game.findings) == ["illegal: Preparation: no star on a dividing line"]


@pytest.mark.parametrize("pair", [("red-01", "red-06"), ("red-06", "red-01")])
def test_a_star_on_a_dividing_line_is_given_the_benefit_of_the_doubt(table, pair) -> None:
    for n in (1, 6):
        game = table(stars=move(stars_of(table), n, square=None))
        game.play(*pair, "blue-02")  # three squares apart, unless the one on the line is taken to be nearer
        assert game.draw("1-6 red") == []


@pytest.mark.parametrize("keep", [0, 1, 11])
def test_too_few_stars(table, keep) -> None:
    game = table(stars=stars_of(table)[:keep])
    assert texts(game.findings)[0] == "illegal: Components: 12 stars numbered 1 to 12"


def test_a_number_twice_and_a_number_that_is_not(table) -> None:
    stars = stars_of(table)
    game = table(stars=(*stars[:11], replace(stars[11], n=3)))
    assert len(game.findings) == 2  # 12 is missing, 3 is there twice
    game = table(stars=(*stars, Star(13, 1.0, 1.0, 4)))
    assert texts(game.findings)[0] == "illegal: Components: 12 stars numbered 1 to 12"


def test_a_fault_of_the_set_up_is_told_once(table) -> None:
    stars = move(stars_of(table), 4, square=0)
    game = table(stars=stars)
    assert game.tell(BoardSet(move(stars, 9, x_mm=250.0))) == []


def test_three_stars_nearly_in_a_line_are_advice_and_never_a_finding(table) -> None:
    # 2 stands at (150, 30): halfway from 1 to 3 the way is at y = 52.5
    game = table(stars=move(stars_of(table), 2, y_mm=50.0))
    assert game.findings == []
    assert any("Star 2 stands nearly in the way from 1 to 3" in line for line in advice(game.state))


def test_five_millimetres_are_near_and_more_is_not() -> None:
    settings = HoshizoraSettings()
    line_up = (Star(1, 0.0, 0.0, 0), Star(2, 100.0, 0.0, 1), Star(3, 50.0, 5.0, 0))
    assert stars_in_line(line_up, settings) == ((3, 1, 2),)
    assert stars_in_line(move(line_up, 3, y_mm=5.1), settings) == ()


@pytest.mark.parametrize(
    ("x", "y", "near"),
    [
        (50.0, 30.0, False),  # 6 mm beside the slanting way
        (46.0, 38.0, True),  # 2.8 mm on its other side
        (-3.0, 0.0, True),  # just beyond its ends
        (-3.0, -5.0, False),
        (83.0, 60.0, True),
        (83.0, 65.0, False),
    ],
)
def test_nearness_is_the_distance_to_the_way_between_the_two(x, y, near) -> None:
    stars = (Star(1, 0.0, 0.0, 0), Star(2, 80.0, 60.0, 1), Star(3, x, y, 0))
    found = [where for where in stars_in_line(stars, HoshizoraSettings()) if where[0] == 3]
    assert bool(found) is near


def test_how_near_a_line_is_a_setting() -> None:
    line_up = (Star(1, 0.0, 0.0, 0), Star(2, 100.0, 0.0, 1), Star(3, 50.0, 5.0, 0))
    assert stars_in_line(line_up, HoshizoraSettings(near_line_mm=4.9)) == ()
    assert stars_in_line(move(line_up, 3, y_mm=40.0), HoshizoraSettings(near_line_mm=40.0)) == ((3, 1, 2),)


def test_ways_that_may_not_be_drawn_need_no_advice() -> None:
    far = (Star(1, 0.0, 0.0, 0), Star(2, 300.0, 300.0, 8), Star(3, 150.0, 150.0, 4))
    assert (3, 1, 2) not in stars_in_line(far, HoshizoraSettings())


def test_score_counts_lines_and_crossings_of_one_colour() -> None:
    stars = (Star(1, 0.0, 0.0, 0), Star(2, 10.0, 10.0, 0), Star(3, 0.0, 10.0, 0), Star(4, 10.0, 0.0, 0))
    cross = (Line(1, 2, Colour.RED), Line(3, 4, Colour.RED))
    assert score(stars, cross) == 3
    assert score(stars, (cross[0], replace(cross[1], colour=Colour.BLUE))) == 2
    assert score(stars, (cross[0], Line(1, 3, Colour.RED))) == 2  # a shared end
    assert score(stars, ()) == 0


def test_a_line_that_touches_is_no_crossing() -> None:
    stars = (Star(1, 0.0, 0.0, 0), Star(2, 10.0, 0.0, 0), Star(3, 5.0, 0.0, 0), Star(4, 5.0, 9.0, 0))
    assert score(stars, (Line(1, 2, Colour.RED), Line(3, 4, Colour.RED))) == 2
    assert score(move(stars, 3, y_mm=-0.1), (Line(1, 2, Colour.RED), Line(3, 4, Colour.RED))) == 3
    assert score(move(stars, 3, y_mm=0.1), (Line(1, 2, Colour.RED), Line(3, 4, Colour.RED))) == 2


def test_three_lines_through_one_point_cross_three_times() -> None:
    stars = tuple(
        Star(n, x, y, 4)
        for n, (x, y) in enumerate([(0.0, 0.0), (10.0, 10.0), (0.0, 10.0), (10.0, 0.0), (5.0, 0.0), (5.0, 10.0)], 1)
    )
    assert score(stars, (Line(1, 2, Colour.BLUE), Line(3, 4, Colour.BLUE), Line(5, 6, Colour.BLUE))) == 6


PLACES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=4, max_size=6)
"""A coarse grid, so that touching, collinear and coinciding stars come up often."""


@given(PLACES)
def test_crossings_agree_with_the_slow_way(slow_rules, places) -> None:
    slow = slow_rules({n: (x, y, 4) for n, (x, y) in enumerate(places, 1)})
    board = Board.of(Star(n, float(x), float(y), 4) for n, (x, y) in enumerate(places, 1))
    for first, second in combinations(combinations(range(1, len(places) + 1), 2), 2):
        assert bool(board.crossed(PAIR_OF[first], 1 << PAIR_OF[second])) == slow.crosses(first, second)


def test_a_star_may_be_moved_a_little(table) -> None:
    game = table()
    game.play("red-02", "blue-08", "red-04")
    game.draw("2-4 red")
    star = stars_of(table)[9]
    assert game.tell(StarMoved(replace(star, x_mm=star.x_mm + 5))) == []
    assert game.state.board.places[10] == (850, 850)


def test_a_star_moved_far_or_into_another_square(table) -> None:
    game = table()
    game.play("red-02", "blue-08", "red-04")
    star = stars_of(table)[8]
    assert texts(game.tell(StarMoved(replace(star, x_mm=star.x_mm - 30)))) == [
        "note: When there are other stars on your path: a star may be moved a little"
    ]
    (finding,) = game.tell(StarMoved(replace(star, square=7)))
    assert finding.level is Level.ILLEGAL


@pytest.mark.parametrize(("mm", "notes"), [(0.0, 1), (4.9, 1), (5.0, 0), (50.0, 0)])
def test_how_little_a_star_is_moved_is_a_setting(table, mm, notes) -> None:
    game = table(star_shift_mm=mm)
    game.play("red-02", "blue-08", "red-04")
    star = stars_of(table)[8]
    assert len(game.tell(StarMoved(replace(star, x_mm=star.x_mm - 5)))) == notes


def test_before_the_first_card_stars_are_moved_freely(table) -> None:
    game = table()
    star = stars_of(table)[8]
    assert game.tell(StarMoved(replace(star, x_mm=star.x_mm - 40))) == []


@pytest.mark.parametrize("colour", Colour)
def test_moving_a_star_that_changes_the_points_is_noted_and_counted(table, colour) -> None:
    game = table()
    game.stand(f"1-5 {colour}", f"2-4 {colour}")
    assert game.state.points == 3
    (finding,) = game.tell(StarMoved(Star(5, 60.0, 60.0, 0)))[-1:]
    assert finding.text == "Moving stars changed the points from 3 to 2."
    assert game.state.points == 2


def test_the_board_said_again_counts_anew(table) -> None:
    game = table()
    game.stand("1-5 red", "2-4 red")
    game.tell(BoardSet(move(stars_of(table), 5, x_mm=60.0, y_mm=60.0, square=0)))
    assert game.state.points == 2

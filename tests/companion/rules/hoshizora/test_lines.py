"""Drawing a line, rules for drawing, when you cannot draw a line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.rules.core import Level
from companion.rules.hoshizora import drawable, owed
from companion.rules.hoshizora.facts import LineDrawn, LinesErased, StarMoved
from companion.rules.hoshizora.settings import FewerLines, Steps


def rules_of(findings) -> list[str]:
    return [f"{finding.level}: {finding.rule}" for finding in findings]


def names(lines) -> list[str]:
    return [f"{x.a}-{x.b} {x.colour}" for x in lines]


def test_two_majority_cards_make_one_line(table) -> None:
    game = table()
    game.play("red-02", "blue-08", "red-04")
    assert names(drawable(game.state)) == ["2-4 red"]
    assert owed(game.state) == 1
    assert game.draw("2-4 red") == []
    assert drawable(game.state) == ()
    assert game.end() == []
    assert game.state.points == 1


def test_three_cards_of_one_colour_make_two_lines_with_the_middle_chosen(table) -> None:
    game = table()
    game.play("red-01", "red-02", "red-05")
    assert names(drawable(game.state)) == ["1-2 red", "1-5 red", "2-5 red"]
    assert game.draw("1-5 red") == []
    assert names(drawable(game.state)) == ["1-2 red", "2-5 red"]
    assert game.draw("2-5 red") == []
    assert drawable(game.state) == ()
    assert game.end() == []


def test_a_third_line_is_too_many(table) -> None:
    game = table()
    game.play("red-01", "red-02", "red-05")
    assert rules_of(game.draw("1-5 red", "2-5 red", "1-2 red")) == [
        "illegal: Drawing a line: join the stars of the majority's cards"
    ]
    assert game.state.points == 3  # what stands on the board counts


def test_line_in_the_minority_colour(table) -> None:
    game = table()
    game.play("red-02", "blue-08", "red-04")
    assert rules_of(game.draw("2-4 blue")) == ["illegal: Drawing a line: the majority's colour"]
    assert owed(game.state) == 0  # the pair is taken now


@pytest.mark.parametrize(("minority", "drawn"), [("blue-05", "4-5 red"), ("blue-01", "1-4 red")])
def test_line_to_the_minority_star(table, minority, drawn) -> None:
    game = table()
    game.play("red-02", minority, "red-04")
    assert rules_of(game.draw(drawn)) == ["illegal: Drawing a line: join the stars of the majority's cards"]
    assert rules_of(game.end()) == ["illegal: When you cannot draw a line: draw if one can be drawn"]


def test_line_drawn_outside_the_drawing(table) -> None:
    game = table()
    assert rules_of(game.draw("1-2 red")) == ["illegal: Drawing a line: the winner draws"]
    assert game.state.points == 1


def test_a_line_between_no_two_stars(table) -> None:
    game = table()
    before = game.state.points
    assert (
        rules_of(game.draw("3-3 red", "1-13 blue"))
        == ["illegal: Drawing a line: join the stars of the majority's cards"] * 2
    )
    assert game.state.points == before


def test_the_same_line_again(table) -> None:
    game = table()
    game.stand("2-4 red", "1-5 red")
    game.play("red-02", "blue-08", "red-04")
    assert drawable(game.state) == ()
    assert rules_of(game.draw("2-4 red")) == ["illegal: Rules for drawing: a line is drawn once"]
    assert game.state.points == 3  # two lines and their crossing, once


def test_ends_may_be_told_in_any_order(table) -> None:
    game = table()
    game.play("red-02", "blue-08", "red-04")
    assert game.tell(LineDrawn(4, 2, drawable(game.state)[0].colour)) == []
    assert names(game.state.lines) == ["2-4 red"]


@pytest.mark.parametrize(
    ("pair", "steps", "allowed"),
    [
        ((1, 3), Steps.ORTHOGONAL, True),  # two along
        ((1, 5), Steps.ORTHOGONAL, True),  # one along, one down
        ((1, 10), Steps.ORTHOGONAL, True),  # one square
        ((1, 6), Steps.ORTHOGONAL, False),  # three
        ((1, 9), Steps.ORTHOGONAL, False),  # four
        ((1, 9), Steps.DIAGONAL, True),
    ],
)
def test_up_to_two_squares_away(table, pair, steps, allowed) -> None:
    game = table(reach_steps=steps)
    game.play(f"red-{pair[0]:02d}", f"red-{pair[1]:02d}", "blue-08")
    assert bool(drawable(game.state)) is allowed
    said = rules_of(game.draw(f"{pair[0]}-{pair[1]} red"))
    assert said == ([] if allowed else ["illegal: Rules for drawing: at most two squares away"])


@pytest.mark.parametrize(("squares", "partners"), [(0, 1), (1, 3), (2, 8), (3, 10), (4, 11)])
def test_how_many_squares_a_line_reaches_is_a_setting(table, squares, partners) -> None:
    """Star 1's square holds 10 as well; 2 and 4 stand one step off, 3, 5, 7, 11 and 12 two, 6 and 8 three, 9 four."""
    reached = 0
    for star in range(2, 13):
        game = table(reach_squares=squares)
        game.play("red-01", f"red-{star:02d}", "blue-01")
        reached += len(drawable(game.state))
    assert reached == partners


def test_orthogonal_counting_forbids_ten_of_the_36_pairs_of_squares() -> None:
    from companion.rules.hoshizora.board import APART

    pairs = [(a, b) for a in range(9) for b in range(a + 1, 9)]
    assert sum(APART[Steps.ORTHOGONAL][a][b] > 2 for a, b in pairs) == 10
    assert sum(APART[Steps.DIAGONAL][a][b] > 2 for a, b in pairs) == 0


def test_three_lines_at_a_star_both_colours_together(table) -> None:
    game = table()
    game.stand("2-5 red", "5-8 blue", "4-5 blue")
    game.play("red-05", "red-06", "blue-01")
    assert drawable(game.state) == ()
    assert rules_of(game.draw("5-6 red")) == ["illegal: Rules for drawing: at most three lines at a star"]


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_how_many_lines_a_star_takes_is_a_setting(table, most) -> None:
    game = table(max_lines_a_star=most)
    game.stand(*("2-5 red", "5-8 blue", "4-5 blue")[: most - 1])
    game.play("red-05", "red-06", "blue-01")
    assert game.draw("5-6 red") == []
    full = table(max_lines_a_star=most)
    full.stand(*("2-5 red", "5-8 blue", "4-5 blue", "5-10 blue")[:most])
    full.play("red-05", "red-06", "blue-01")
    assert rules_of(full.draw("5-6 red")) == ["illegal: Rules for drawing: at most three lines at a star"]


def test_two_lines_at_a_star_leave_room_for_one(table) -> None:
    game = table()
    game.stand("2-5 red", "5-8 blue")
    game.play("red-05", "red-06", "blue-01")
    assert game.draw("5-6 red") == []


def test_crossing_a_line_of_the_same_colour_earns_a_point(table) -> None:
    game = table()
    game.stand("1-5 red")
    game.play("red-02", "blue-08", "red-04")
    assert game.draw("2-4 red") == []
    assert game.state.points == 3


def test_each_crossing_earns_a_point(table) -> None:
    game = table()
    game.stand("1-5 red", "5-10 red", "1-2 red")  # 2-4 passes between 5 and both 1 and 10
    game.play("red-02", "blue-08", "red-04")
    before = game.state.points
    assert game.draw("2-4 red") == []
    assert game.state.points == before + 3  # the line and two crossings; 1-2 only shares an end


def test_the_length_of_a_line_does_not_matter(table) -> None:
    points = []
    for cards, drawn in (("red-01", "red-10"), "1-10 red"), (("red-01", "red-03"), "1-3 red"):
        game = table()
        game.play(*cards, "blue-08")
        assert game.draw(drawn) == []
        points.append(game.state.points)
    assert points == [1, 1]


def test_a_star_that_touches_the_way_is_passed_on_either_side(table) -> None:
    """The star stands right in the way: the line is drawn all the same, and the star is then moved a little."""
    stars = tuple(replace(star, x_mm=150.0, y_mm=52.5) if star.n == 2 else star for star in table().state.board.stars)
    game = table(stars=stars)
    game.stand("2-5 blue")  # ends at the star that is passed: neither side of it is held against the drawer
    game.play("red-01", "red-03", "blue-08")
    assert game.draw("1-3 red") == []
    assert game.state.points == 2
    assert game.tell(StarMoved(replace(stars[1], y_mm=57.5))) == []


def test_crossing_a_line_of_the_other_colour_is_not_allowed(table) -> None:
    game = table()
    game.stand("1-5 blue")
    game.play("red-02", "blue-08", "red-04")
    assert drawable(game.state) == ()
    assert game.state.trick.largest == 0
    assert rules_of(game.draw("2-4 red")) == ["illegal: Rules for drawing: no crossing of the other colour"]
    assert game.state.points == 2  # no point for such a crossing


def test_shared_ends_are_no_crossing(table) -> None:
    game = table()
    game.stand("1-5 blue")
    game.play("red-05", "blue-08", "red-02")
    assert game.draw("2-5 red") == []
    assert game.state.points == 2


def test_not_both_colours_between_the_same_stars(table) -> None:
    game = table()
    game.stand("2-4 blue")
    game.play("red-02", "blue-08", "red-04")
    assert drawable(game.state) == ()
    assert rules_of(game.draw("2-4 red")) == ["illegal: Rules for drawing: not both colours between two stars"]


def test_no_line_can_be_drawn(table) -> None:
    game = table()
    game.play("red-01", "blue-08", "red-09")
    assert (drawable(game.state), owed(game.state)) == ((), 0)
    assert game.end() == []


def test_a_line_that_can_be_drawn_must_be(table) -> None:
    game = table()
    game.play("red-02", "blue-08", "red-04")
    (finding,) = game.end()
    assert (finding.level, finding.player) == (Level.ILLEGAL, "A")
    assert "2-4 red" in finding.text
    assert finding.rule.startswith("When you cannot draw a line")


@pytest.mark.parametrize(
    ("setting", "levels"), [(FewerLines.NOTE, ["note"]), (FewerLines.ILLEGAL, ["illegal"]), (FewerLines.ALLOWED, [])]
)
def test_one_line_where_two_can_be_drawn(table, setting, levels) -> None:
    game = table(fewer_lines=setting)
    game.play("red-01", "red-02", "red-05")
    game.draw("1-2 red")
    assert [finding.level for finding in game.end()] == levels


def test_a_drawer_in_whose_way_the_other_colour_stands_may_draw_one_line(table) -> None:
    game = table(fewer_lines=FewerLines.ILLEGAL)
    game.stand("5-10 blue")  # in the way of 2-4, not of 1-2 and 1-4
    game.play("red-01", "red-02", "red-04")
    assert names(drawable(game.state)) == ["1-2 red", "1-4 red"]
    game = table(fewer_lines=FewerLines.ILLEGAL)
    game.stand("5-10 blue", "1-4 blue")
    game.play("red-01", "red-02", "red-04")
    assert names(drawable(game.state)) == ["1-2 red"]
    assert game.draw("1-2 red") == []
    assert game.end() == []


def test_largest_drawing_looks_beyond_the_first_line(table) -> None:
    game = table()
    game.stand("5-8 blue", "5-6 blue")  # star 5 has room for one
    game.play("red-01", "red-02", "red-05")
    assert game.state.trick.largest == 2  # 1-2 and one of 1-5, 2-5
    game.draw("1-5 red")
    assert names(drawable(game.state)) == ["1-2 red"]


def test_two_free_lines_that_share_a_nearly_full_star_are_one_drawing(table) -> None:
    game = table()
    game.stand("5-8 blue", "5-6 blue", "1-2 blue")  # 1-2 is taken, 5 has room for one
    game.play("red-01", "red-02", "red-05")
    assert names(drawable(game.state)) == ["1-5 red", "2-5 red"]
    assert game.state.trick.largest == 1
    game.draw("1-5 red")
    assert game.end() == []


def test_a_line_taken_back_while_drawing_is_no_erasure(table) -> None:
    game = table()
    game.play("red-02", "blue-05", "red-04")
    game.draw("4-5 red")
    (finding,) = game.erase("4-5 red")
    assert finding.level is Level.NOTE
    assert game.draw("2-4 red") == []
    assert game.end() == []
    assert game.state.erasers == 0
    assert game.state.done[0].erased == ()


def test_lines_are_told_of_before_the_stars_are_known(table) -> None:
    game = table(stars=None)
    game.play("red-02", "blue-05", "red-04")
    assert rules_of(game.draw("2-4 red")) == ["note: Preparation: place the stars, then deal"]
    assert game.state.points == 1


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_lines_for_three_is_a_setting(table, lines) -> None:
    game = table(lines_for_three=lines)
    game.play("red-01", "red-02", "red-05")
    assert game.state.trick.largest == lines


def test_wiping_the_board_without_the_special_rule(table) -> None:
    game = table()
    game.stand("1-5 blue")
    assert rules_of(game.tell(LinesErased(game.state.lines))) == [
        "illegal: Special rule (line elimination): not in play at this table"
    ]
    assert game.state.points == 0

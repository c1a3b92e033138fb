"""Special rule: line elimination, whole."""

from __future__ import annotations

import pytest

from companion.rules.hoshizora import erasable, owed
from companion.rules.hoshizora.settings import EraseColour, EraseTime


def said(findings) -> list[str]:
    return [f"{finding.level}: {finding.rule}" for finding in findings]


def sets(state) -> list[list[str]]:
    return [[f"{x.a}-{x.b} {x.colour}" for x in lines] for lines in erasable(state)]


@pytest.fixture
def crossed(table):
    """A trick of stars 2, 10 (red) and 4 (blue): the way 2-4 crosses 1-5 red and 5-10 blue, the way 4-10 nothing."""

    def make(**settings):
        game = table(**{"line_elimination": True, **settings})
        game.stand("1-5 red", "5-10 blue")
        game.play("red-02", "red-10", "blue-04")
        return game

    return make


def test_every_line_that_the_way_to_the_minority_star_crosses_is_erased(crossed) -> None:
    game = crossed()
    assert sets(game.state) == [["1-5 red", "5-10 blue"]]
    assert game.erase("1-5 red", "5-10 blue") == []
    assert game.state.points == 0
    assert game.draw("2-10 red") == []
    assert game.end() == []
    assert len(game.state.done[0].erased) == 2


def test_all_or_none(crossed) -> None:
    game = crossed()
    assert said(game.erase("1-5 red")) == ["illegal: Special rule (line elimination): all the crossed lines or none"]
    assert game.state.points == 1


def test_the_drawer_need_not_erase(crossed) -> None:
    game = crossed()
    game.draw("2-10 red")
    assert game.end() == []


def test_lines_that_no_way_crosses_stay(crossed, table) -> None:
    game = table(line_elimination=True)
    game.stand("3-6 blue", "1-5 red")
    game.play("red-02", "red-08", "blue-04")
    assert said(game.erase("3-6 blue")) == ["illegal: Special rule (line elimination): all the crossed lines or none"]


def test_one_of_two_ways_explains_the_erased_lines(table) -> None:
    game = table(line_elimination=True)
    game.stand("1-5 red", "5-7 blue")
    game.play("red-02", "red-08", "blue-04")
    assert sets(game.state) == [["1-5 red"], ["5-7 blue"]]
    assert game.erase("5-7 blue") == []


def test_lines_of_both_ways_at_once_are_too_many(table) -> None:
    game = table(line_elimination=True)
    game.stand("1-5 red", "5-7 blue")
    game.play("red-02", "red-08", "blue-04")
    assert len(sets(game.state)) == 2
    assert said(game.erase("1-5 red", "5-7 blue")) == [
        "illegal: Special rule (line elimination): all the crossed lines or none"
    ]


def test_the_way_is_no_longer_than_two_squares(table) -> None:
    game = table(line_elimination=True)
    game.stand("5-8 red", "4-5 red", "2-5 blue")
    game.play("red-03", "red-06", "blue-07")  # four and three squares apart
    assert sets(game.state) == []
    assert said(game.erase("2-5 blue")) == ["illegal: Special rule (line elimination): all the crossed lines or none"]


def test_only_in_a_two_to_one_trick(table) -> None:
    game = table(line_elimination=True)
    game.stand("1-5 red")
    game.play("red-02", "red-08", "red-04")
    assert sets(game.state) == []
    assert said(game.erase("1-5 red")) == ["illegal: Special rule (line elimination): in a two-to-one trick"]


def test_once_a_player(crossed) -> None:
    game = crossed()
    game.erase("1-5 red", "5-10 blue")
    game.draw("2-10 red")
    drawer = game.state.drawer
    game.end()
    game.stand("1-3 blue")  # the way 2-5 crosses it
    game.play("red-01", "red-05", "blue-02")
    assert game.state.drawer == drawer == "A"
    assert sets(game.state) == []
    assert said(game.erase("1-3 blue")) == ["illegal: Special rule (line elimination): once a player"]


def test_each_player_has_an_erasure_of_their_own(crossed) -> None:
    game = crossed()
    game.erase("1-5 red", "5-10 blue")
    game.draw("2-10 red")
    game.end()
    game.stand("1-5 red")
    game.play("red-05", "red-01", "blue-09")  # A leads again; S by 5 and 1: B's 1 is the lowest
    assert game.state.drawer == "B"
    assert sets(game.state) == []  # 1-9 is too far, 5-9 crosses nothing
    game.end()
    game.play("blue-02", "blue-08", "red-04")  # B leads blue, C wins nothing: 2 is the lowest
    assert game.state.drawer == "B"
    assert sets(game.state) == [["1-5 red"]]
    assert game.erase("1-5 red") == []


def test_outside_a_drawing(table) -> None:
    game = table(line_elimination=True)
    game.stand("1-5 red")
    assert said(game.erase("1-5 red")) == ["illegal: Special rule (line elimination): by the drawer, when it is time"]


def test_before_the_drawing_by_default(crossed) -> None:
    game = crossed()
    game.draw("2-10 red")
    assert sets(game.state) == []
    assert said(game.erase("1-5 red", "5-10 blue")) == [
        "illegal: Special rule (line elimination): by the drawer, when it is time"
    ]


def test_after_the_drawing_where_the_table_says_so(crossed) -> None:
    game = crossed(erase_when=EraseTime.AFTER)
    assert sets(game.state) == []
    assert said(crossed(erase_when=EraseTime.AFTER).erase("1-5 red", "5-10 blue")) == [
        "illegal: Special rule (line elimination): by the drawer, when it is time"
    ]
    game.draw("2-10 red")
    assert game.erase("1-5 red", "5-10 blue") == []


def test_either_time(crossed) -> None:
    early, late = crossed(erase_when=EraseTime.EITHER), crossed(erase_when=EraseTime.EITHER)
    assert early.erase("1-5 red", "5-10 blue") == []
    late.draw("2-10 red")
    assert late.erase("1-5 red", "5-10 blue") == []


def test_only_lines_of_the_majority_where_the_table_says_so(crossed) -> None:
    game = crossed(erase_colour=EraseColour.MAJORITY)
    assert sets(game.state) == [["1-5 red"]]
    assert game.erase("1-5 red") == []
    assert said(crossed(erase_colour=EraseColour.MAJORITY).erase("1-5 red", "5-10 blue")) == [
        "illegal: Special rule (line elimination): all the crossed lines or none"
    ]


def test_a_line_whose_way_was_erased_free_is_owed(table) -> None:
    game = table(line_elimination=True)
    game.stand("1-5 blue")
    game.play("red-02", "red-10", "blue-04")
    assert owed(game.state) == 0
    assert game.erase("1-5 blue") == []
    assert owed(game.state) == 1
    assert said(game.end()) == ["illegal: When you cannot draw a line: draw if one can be drawn"]


def test_erasing_lines_that_do_not_stand(crossed) -> None:
    game = crossed()
    before = game.state
    assert said(game.erase("3-6 red")) == ["note: Special rule (line elimination)"]
    assert game.state == before


def test_wiping_the_board_after_the_game_is_no_matter(table) -> None:
    game = table()
    game.stand("1-5 red")
    reds = [f"red-{n:02d}" for n in range(1, 13)]
    blues = [f"blue-{n:02d}" for n in range(1, 13)]
    cards = reds + blues
    for trick in range(7):
        game.play(*cards[trick * 3 : trick * 3 + 3])
        game.end()
    game.bid(A=cards[21], B=cards[22], C=cards[23])
    points = game.outcome().points
    before = len(game.findings)
    game.tell(*game.facts[:1])  # the stars are put away or moved
    game.erase("1-5 red")
    assert len(game.findings) == before
    assert game.outcome().points == points

"""Sections 5 and 8 to 10: Tanabata, the end of a series and of the game, cooperative play."""

from __future__ import annotations

import pytest

from companion.rules.ahuha import RULES, Mode, NoStar, Phase
from companion.rules.ahuha.counted import title_of, winners_of
from companion.rules.ahuha.facts import (
    AsitaShown,
    CardLaid,
    CardRevealed,
    Dealt,
    FrozenPlaced,
    FrozenTaken,
    Orientation,
    Side,
    Told,
    YonoTigiriShown,
)
from companion.rules.ahuha.settings import AhuhaSettings
from companion.rules.ahuha.state import Placed, Round
from companion.rules.core import Level


def with_homes(game, a: str = "", b: str = "", c: str = ""):
    """A series whose seven rounds left these cards: "|deneb -rigel"."""
    ways = {"|": Orientation.UPRIGHT, "-": Orientation.HORIZONTAL, "!": Orientation.INVERTED}
    homes = tuple(tuple(Placed(x[1:], ways[x[0]], None) for x in home.split()) for home in (a, b, c))
    game.state = game.state._replace(homes=homes, round=Round(8))
    return game


def test_5_a_series_has_seven_rounds(table) -> None:
    game = table()
    game.skip_to(7)
    assert game.state.phase is Phase.LAY
    game.play("rigel", "canopus", "procyon")
    assert game.state.phase is Phase.COUNT


def test_8_1_the_frozen_card_on_the_right_is_played(table) -> None:
    game = table()
    game.skip_to(7)
    assert next(x.text for x in RULES.expects(game.state)) == "A: lay the frozen card on your right face down."
    assert game.tell(FrozenTaken("A", Side.RIGHT)) == []
    (found,) = game.tell(FrozenTaken("B", Side.LEFT))
    assert (found.level, found.player, found.rule[:3]) == (Level.ILLEGAL, "B", "8.1")


def test_8_1_no_frozen_card_is_placed(table) -> None:
    game = table()
    game.skip_to(7)
    (found,) = game.tell(FrozenPlaced("A", Side.RIGHT))
    assert (found.level, found.player, found.rule[:3]) == (Level.ILLEGAL, "A", "6c.")


def test_8_1_the_one_in_front_can_be_set_to_be_the_left(table) -> None:
    game = table(frozen_in_front=Side.LEFT)
    game.skip_to(7)
    assert game.tell(FrozenTaken("A", Side.LEFT)) == []
    game.play("rigel", "canopus", "procyon")
    assert game.state.knowledge.frozen == ("rigel", "canopus", "procyon")


def test_8_1_the_right_neighbours_left_place_is_ones_own_right(table) -> None:
    game = table()
    game.skip_to(7)
    game.play("rigel", "canopus", "procyon")
    assert game.state.knowledge.frozen == ("canopus", "procyon", "rigel")


def test_8_1_effects_on_hands_do_not_resolve(table) -> None:
    game = table()
    game.skip_to(7)
    game.show("deneb", "antares", "rigel")
    assert game.state.phase is Phase.HOSIAHI
    assert game.home("A-deneb") == []
    assert game.state.round.passed == 0
    assert game.home("C-rigel", "B-antares") == []


def test_8_1_told_hands_and_passes_are_notes_then(table) -> None:
    game = table()
    game.skip_to(7)
    game.show("fomalhaut", "canopus", "procyon")
    assert [x.level for x in game.told(Told.PASSED)] == [Level.NOTE]
    assert game.state.round.passed == 0
    game.home("A-fomalhaut")
    assert [x.level for x in game.told(Told.HANDS, "A")] == [Level.NOTE]


def test_8_2_who_meets_at_tanabata_has_one_point_more(table) -> None:
    game = table()
    game.skip_to(7)
    game.play("rigel", "betelgeuse", "procyon")
    assert game.state.scores == {"A": 2, "B": 2, "C": 0}
    assert [x.act for x in RULES.expects(game.state)][:2] == ["turn Asita up"] * 2
    assert game.tell(AsitaShown("A"), AsitaShown("B")) == []
    assert game.state.scores == {"A": 2, "B": 2, "C": 0}


def test_8_2_the_point_is_there_though_the_card_was_not_turned_up(table) -> None:
    game = table()
    game.skip_to(7)
    game.play("rigel", "betelgeuse", "procyon")
    game.tell(AsitaShown("A"))
    (note,) = game.end()
    assert (note.level, note.player) == (Level.NOTE, "B")
    assert game.state.done[0].scores == {"A": 2, "B": 2, "C": 0}


def test_8_2_an_asita_card_without_a_hosiahi_is_illegal_and_counts_nothing(table) -> None:
    game = table()
    game.skip_to(7)
    game.play("rigel", "betelgeuse", "procyon")
    (found,) = game.tell(AsitaShown("C"))
    assert (found.level, found.player, found.rule[:3]) == (Level.ILLEGAL, "C", "8.2")
    assert game.state.scores["C"] == 0


def test_8_2_a_hosiahi_before_tanabata_gives_none(table) -> None:
    game = table()
    game.play("rigel", "betelgeuse", "procyon")
    assert game.state.scores == {"A": 1, "B": 1, "C": 0}


def test_8_2_not_more_than_once(table) -> None:
    game = table()
    game.play("mimosa", "canopus", "procyon")
    game.skip_to(7)
    game.show("achernar", "hadar", "acrux")
    game.told(Told.HOSIAHI, card="acrux")
    game.home("A|achernar", "C|acrux", "B|hadar", "A|mimosa")
    assert game.state.earned == 0b111
    assert game.state.scores == {"A": 3, "B": 2, "C": 2}


def test_8_2_after_an_unknown_effect_an_asita_card_is_taken_as_a_point(table) -> None:
    game = table()
    game.show("fomalhaut", "canopus", "procyon")
    game.told(Told.OTHER)
    game.home("A-fomalhaut", "B-canopus", "C-procyon")
    assert game.tell(AsitaShown("C")) == []
    assert game.state.scores["C"] == 1


def test_9_stars_that_stand_are_counted_and_the_most_win(table) -> None:
    game = with_homes(table(), "|deneb -rigel", "!canopus |vega", "-altair")
    assert game.state.scores == {"A": 1, "B": 3, "C": 0}
    assert winners_of(game.state) == (("B",), "highest score")


def test_9_a_tie_goes_to_the_highest_numbered_star_that_scored(table) -> None:
    game = with_homes(table(), "|deneb |spica -altair", "|rigel |arcturus", "-vega")
    assert winners_of(game.state) == (("B",), "highest-numbered star")


def test_9_a_third_player_below_the_tie_can_not_win_it(table) -> None:
    game = with_homes(table(), "|deneb |spica", "|rigel |arcturus", "|altair")
    assert winners_of(game.state)[0] == ("B",)


def test_9_an_inverted_star_breaks_ties_unless_set_otherwise(table) -> None:
    for counts, winner in ((True, "A"), (False, "B")):
        game = with_homes(table(tie_counts_inverted=counts), "!rigil-kentaurus", "|rigel |arcturus")
        assert winners_of(game.state)[0] == (winner,)


def test_9_an_asita_card_breaks_no_tie(table) -> None:
    game = with_homes(table(), "|deneb", "|rigel |arcturus")
    game.state = game.state._replace(earned=0b001)
    assert winners_of(game.state) == (("B",), "highest-numbered star")


def test_9_nobody_scored_the_series_is_played_again(table) -> None:
    game = with_homes(table(), "-deneb", "-rigel", "-vega")
    game.end()
    assert game.state.wins == (0, 0, 0)
    assert game.state.done[0].winners == ()
    assert game.state.phase is Phase.DEAL


def test_9_nobody_scored_can_be_set_to_be_shared(table) -> None:
    game = with_homes(table(no_star=NoStar.SHARED), "-deneb", "-rigel", "-vega")
    game.end()
    assert game.state.wins == (1, 1, 1)


def test_9_the_winner_turns_yono_tigiri_up(table) -> None:
    game = with_homes(table(), "|deneb")
    assert "turn your Yono Tigiri card up" in RULES.expects(game.state)[0].text
    (found,) = game.tell(YonoTigiriShown("B"))
    assert (found.level, found.player, found.rule[:2]) == (Level.ILLEGAL, "B", "9.")
    assert game.tell(YonoTigiriShown("A")) == []


def test_9_yono_tigiri_during_a_series_is_a_note(table) -> None:
    assert [x.level for x in table().tell(YonoTigiriShown("B"))] == [Level.NOTE]


def test_9_two_series_win_the_game(table) -> None:
    game = table()
    for winner in ("A", "B", "A"):
        assert RULES.outcome(game.state) is None
        game.tell(Dealt())
        with_homes(game, **{winner.lower(): "|deneb |vega"})
        game.end()
    outcome = RULES.outcome(game.state)
    assert (outcome.winners, outcome.decided_by, outcome.points) == (("A",), "two series", 2)
    assert game.state.phase is Phase.OVER
    assert game.tell(Dealt()) == []
    assert RULES.expects(game.state) == ()


def test_9_a_deal_after_the_seventh_round_begins_the_next_series(table) -> None:
    game = with_homes(table(), "|deneb")
    assert game.tell(Dealt()) == []
    assert (game.state.series, game.state.wins, game.state.phase) == (2, (1, 0, 0), Phase.LAY)


def test_9_the_next_series_starts_from_empty_homes_and_closed_asita_cards(table) -> None:
    game = table()
    full = game.worlds
    game.skip_to(7)
    game.play("rigel", "betelgeuse", "procyon")
    game.tell(AsitaShown("A"), AsitaShown("B"), Dealt())
    assert game.state.scores == {"A": 0, "B": 0, "C": 0}
    assert game.worlds == full
    (found,) = game.tell(AsitaShown("A"))  # last series' Hosiahi gives no point in this one
    assert found.level is Level.ILLEGAL
    assert game.tell(CardLaid("A"), CardLaid("B"), CardLaid("C"), CardRevealed("A", "rigel")) == []


def test_9_nothing_is_counted_during_a_series(table) -> None:
    game = table()
    assert [x.level for x in game.end()] == [Level.NOTE]
    assert game.state.series == 1


def test_10_cooperative_play_ends_after_one_series_with_the_total(table) -> None:
    game = with_homes(table(mode=Mode.COOPERATIVE), "|deneb |vega", "|rigel", "|altair !canopus")
    game.end()
    outcome = RULES.outcome(game.state)
    assert (outcome.winners, outcome.decided_by, outcome.points) == (("A", "B", "C"), "Hasitanasi", 6)


def test_10_nobody_wins_a_cooperative_series_alone(table) -> None:
    game = with_homes(table(mode=Mode.COOPERATIVE), "|deneb")
    assert [x.level for x in game.tell(YonoTigiriShown("A"))] == [Level.NOTE]


@pytest.mark.parametrize(
    ("points", "title"),
    [
        (0, "Atarasi"),
        (3, "Atarasi"),
        (4, "Hasitanasi"),
        (8, "Hasitanasi"),
        (9, "Yorosi"),
        (14, "Yorosi"),
        (15, "Medetasi"),
        (20, "Medetasi"),
        (21, "Sounashi"),
        (25, "Sounashi"),
        (26, "Sounashi"),
    ],
)
def test_10_titles(points, title) -> None:
    assert title_of(points, AhuhaSettings()) == title


def test_10_above_the_table_can_be_set_to_earn_no_title() -> None:
    assert title_of(26, AhuhaSettings(open_top_title=False)) == "beyond every title"

"""Starting the Duel, its rounds, its end and the end of the game, by the rulebook's sections."""

from __future__ import annotations

from companion.rules.core import Level
from companion.rules.hoshi_battle import sections
from companion.rules.hoshi_battle.facts import (
    CardsPlaced,
    DieTaken,
    HeroExiled,
    HeroRevealed,
    StonesCounted,
)
from companion.rules.hoshi_battle.state import Phase

# Starting the Duel


def test_start_cards_are_placed_then_revealed_by_the_starting_player_first(table, rules) -> None:
    game = table()
    game.keep()
    assert [x.who for x in game.expects("place cards")] == ["A", "B"]
    game.tell(CardsPlaced("B"), CardsPlaced("A"))
    assert game.phase is Phase.REVEAL
    assert game.expects("reveal your Hero")[0].who == "A"
    said = game.tell(HeroRevealed("B", "plain-1"))
    assert rules(said, Level.NOTE) == [sections.REVEAL_HERO]
    assert game.tell(HeroRevealed("A", "plain-3")) == []
    assert game.phase is Phase.READY


def test_start_a_second_hero_beside_the_first(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", began=False)
    assert rules(game.tell(HeroRevealed("A", "plain-3"))) == [sections.CHOOSE]
    assert game.fighter("A").hero == "plain-1"
    assert game.tell(HeroRevealed("A", "plain-1")) == []


def test_start_the_die_of_the_hero(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", began=False)
    assert (game.die("A"), game.die("B")) == ((10,), (8,))
    assert game.tell(DieTaken("A", 10), DieTaken("B", 8)) == []
    assert rules(game.tell(DieTaken("B", 10))) == [sections.TAKE_DIE]
    assert rules(game.tell(DieTaken("B", 8, die=1))) == [sections.TAKE_DIE]


def test_start_two_stones(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", began=False)
    assert (game.stones("A"), game.stones("B")) == (2, 2)
    assert rules(game.tell(StonesCounted("A", 3)), Level.NOTE) == [sections.TAKE_STONES]
    assert game.tell(StonesCounted("A", 2)) == []
    assert table(stones=3).setup.settings.stones == 3


def test_start_countdown(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", began=False)
    assert game.expects("begin")[0].rule == sections.COUNTDOWN
    assert rules(game.begin(counted=False)) == [sections.COUNTDOWN]
    game = table()
    game.duel(A="plain-1", B="plain-2", began=False)
    assert rules(game.roll("A"), Level.ILLEGAL) == [sections.COUNTDOWN]
    assert game.phase is Phase.ROLLING


def test_start_rolling_before_the_heroes_lie_open_counts_for_nothing(table, rules) -> None:
    game = table()
    game.keep()
    game.tell(CardsPlaced("A"))
    assert rules(game.roll("A"), Level.NOTE) == [sections.COUNTDOWN]
    assert rules(game.begin(), Level.NOTE) == [sections.COUNTDOWN]
    assert game.phase is Phase.PLACE


def test_start_with_no_duel_card_is_allowed(table) -> None:
    game = table()
    assert game.duel(A="plain-1", B="plain-2", cards="") == []


def test_start_two_duel_cards(table, rules) -> None:
    game = table()
    game.keep()
    game.tell(CardsPlaced("A"))
    assert rules(game.tell(CardsPlaced("A", hero=False))) == [sections.PLAYED_ONCE]
    assert game.state.players[0].duels == 2  # one lies there, whatever was laid beside it


# Fighting a Duel


def test_hit_ends_the_round_and_costs_a_stone(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    assert game.hit("A") == []
    assert (game.stones("A"), game.stones("B")) == (2, 1)
    assert game.phase is Phase.ROUND_START
    assert game.tell(StonesCounted("B", 1)) == []
    assert [x.rule for x in game.tell(StonesCounted("B", 2))] == [sections.STONE]


def test_next_round_begins_with_the_next_roll(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.hit("A")
    assert game.roll("B", "blank") == []
    assert game.phase is Phase.ROLLING
    assert game.state.duel.round == 2


def test_a_die_in_the_air_at_the_touch_begins_no_round(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.hit("A")
    touched = game.now
    assert game.roll("B", released_us=touched - 100_000) == []
    assert game.phase is Phase.ROUND_START


# End of a Duel


def test_without_stones_the_hero_is_exiled_and_its_duel_card_discarded_unseen(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB")
    game.win("A")
    assert game.state.players[1].exiled == ("plain-2",)
    assert game.state.players[1].discarded == ()  # nobody saw it
    assert not game.fighter("B").is_hidden
    assert game.state.heroes_left == {"A": 3, "B": 2}
    (record,) = game.state.done
    assert (record.winner, record.exiled, record.stones, record.rounds) == ("A", ("B",), 2, 2)


def test_open_duel_card_of_the_loser_is_discarded(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="B", began=False)
    game.play("B", "fire-axe")
    game.begin()
    game.win("A")
    assert game.state.players[1].discarded == ("fire-axe",)


def test_winner_keeps_hero_duel_card_and_stones(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    game.play("A", "fire-axe")
    game.begin()
    game.hit("B")
    game.win("A")
    assert game.phase is Phase.PLACE
    winner = game.fighter("A")
    assert (winner.hero, winner.card, winner.stones, winner.dice) == ("plain-1", "fire-axe", 1, (8,))
    assert [x.who for x in game.expects("place cards")] == ["B"]


def test_loser_comes_back_at_full_health(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.hit("B")
    game.win("A")
    assert game.duel(B="plain-4", cards="B") == []
    assert (game.stones("A"), game.stones("B")) == (1, 2)
    assert game.state.duel.number == 2


def test_winner_may_not_change_hero_or_card(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.win("A")
    assert rules(game.tell(CardsPlaced("A", duel=False))) == [sections.WINNER_STAYS]
    assert rules(game.tell(CardsPlaced("A", hero=False))) == [sections.PLAYED_ONCE]


def test_winner_without_a_card_takes_a_new_one_only_by_agreement(table, rules) -> None:
    for agreed, found in ((False, [sections.WINNER_STAYS]), (True, [])):
        game = table(winner_takes_new_card=agreed)
        game.duel(A="plain-1", B="plain-2")
        game.win("A")
        assert rules(game.tell(CardsPlaced("A", hero=False))) == found


def test_an_exiled_hero_does_not_come_back(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.win("A")
    assert rules(game.duel(B="plain-2", began=False)) == [sections.EXILE]


def test_a_hero_with_stones_is_not_exiled(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    assert rules(game.tell(HeroExiled("A"))) == [sections.EXILE]
    assert game.fighter("A").hero == "plain-1"


def test_exile_told_twice_is_no_finding(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.win("A")
    assert game.tell(HeroExiled("B")) == []


def test_the_next_choice_closes_the_last_round(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.hit("A")
    game.hit("A")
    assert game.phase is Phase.ROUND_END
    assert [x.rule for x in game.expects("exile the Hero")] == [sections.EXILE]
    assert game.duel(B="plain-4") == []
    assert (game.state.duel.number, game.phase) == (2, Phase.ROLLING)


# End of the game


def test_no_heroes_left_ends_the_game(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.win("A")
    game.duel(B="plain-4")
    game.win("A")
    game.duel(B="plain-6")
    assert game.outcome() is None
    game.win("A")
    assert game.phase is Phase.OVER
    assert (game.outcome().winners, game.outcome().decided_by) == (("A",), "no Heroes left")
    assert game.expects() == []
    assert game.tell(HeroRevealed("B", "plain-8")) == []  # the table is cleared


def test_both_last_heroes_at_once_share_the_game(table) -> None:
    game = table()
    for hero in ("plain-2", "plain-4"):
        game.duel(**({"A": "plain-1"} if hero == "plain-2" else {}), B=hero)
        game.win("A")
    game.duel(B="plain-6")
    for n in ("plain-3", "plain-5"):
        game.win("B")
        game.duel(A=n)
    assert game.state.heroes_left == {"A": 1, "B": 1}
    game.hit("B")
    game.hit("A")
    game.begin(counted=False)
    game.touch("A", "B")
    game.tell(HeroExiled("A"))
    assert game.outcome().winners == ("A", "B")
    assert game.outcome().decided_by == "shared"

"""Rules for 3 or more players."""

from __future__ import annotations

from companion.rules.core import Level
from companion.rules.hoshi_battle import cards_of, sections
from companion.rules.hoshi_battle.facts import CardsPlaced, HeroExiled, HeroRevealed, OpponentChosen
from companion.rules.hoshi_battle.settings import FirstReveal
from companion.rules.hoshi_battle.setup import combined
from companion.rules.hoshi_battle.state import Phase


def three(table, **more):
    game = table("ABC", **more)
    game.keep()
    return game


def both_exiled(game) -> None:
    """Each of A and B hits once, then both touch without a symbol."""
    game.hit("A")
    game.hit("B")
    game.begin(counted=False)
    game.touch("A", "B")
    game.tell(HeroExiled("A"))


def test_starting_player_chooses_an_opponent(table, rules) -> None:
    game = three(table)
    assert game.phase is Phase.OPPONENT
    (wanted,) = game.expects()
    assert (wanted.who, wanted.options) == ("A", ("B", "C"))
    assert rules(game.tell(OpponentChosen("B", "C")), Level.ILLEGAL) == [sections.OPPONENT]
    game = three(table)
    assert game.tell(OpponentChosen("A", "C")) == []
    assert game.state.duellists == ("A", "C")
    assert game.duel(A="plain-1", C="plain-2") == []


def test_winner_chooses_who_has_the_most_heroes(table, rules) -> None:
    game = three(table)
    game.tell(OpponentChosen("A", "B"))
    game.duel(A="plain-1", B="plain-2")
    game.win("B")
    assert game.phase is Phase.OPPONENT
    (wanted,) = game.expects()
    assert (wanted.who, wanted.options) == ("B", ("C",))  # C has three, A two
    assert game.state.heroes_left == {"A": 2, "B": 3, "C": 3}
    said = game.tell(OpponentChosen("B", "A"))
    assert rules(said, Level.ILLEGAL) == [sections.OPPONENT]
    assert "most Heroes left: C" in said[0].text


def test_tied_for_the_most_heroes_any_of_them(table) -> None:
    game = table("ABCD")
    game.keep()
    game.tell(OpponentChosen("A", "B"))
    game.duel(A="plain-1", B="plain-2")
    game.win("A")
    assert game.expects()[0].options == ("C", "D")
    assert game.tell(OpponentChosen("A", "D")) == []


def test_winner_stands_with_stones_and_reveals_first(table, rules) -> None:
    game = three(table)
    game.tell(OpponentChosen("A", "B"))
    game.duel(A="plain-1", B="plain-2", cards="B", began=False)
    game.play("B", "fire-axe")
    game.begin()
    game.hit("A")
    game.win("B")
    game.tell(OpponentChosen("B", "C"))
    winner = game.fighter("B")
    assert (winner.hero, winner.card, winner.stones, winner.dice) == ("plain-2", "fire-axe", 1, (8,))
    assert game.tell(CardsPlaced("C"), HeroRevealed("C", "plain-3")) == []
    assert game.state.duel.chooser == 1
    assert game.begin() == []


def test_chooser_reveals_first_in_later_duels(table, rules) -> None:
    """After both Heroes were exiled together nobody stands: the one who chose reveals first."""
    game = three(table)
    game.tell(OpponentChosen("A", "B"))
    game.duel(A="plain-1", B="plain-2")
    both_exiled(game)
    assert game.state.done[0].winner is None
    assert game.expects()[0].who == "A"
    game.tell(OpponentChosen("A", "C"), CardsPlaced("A"), CardsPlaced("C"))
    assert rules(game.tell(HeroRevealed("C", "plain-3")), Level.NOTE) == [sections.REVEAL_HERO]


def test_first_reveal_can_be_set_to_be_the_chosen_opponents(table, rules) -> None:
    game = three(table, first_reveal=FirstReveal.OPPONENT)
    game.tell(OpponentChosen("A", "B"))
    assert game.duel(A="plain-1", B="plain-2") == []  # in the first Duel the starting player does
    both_exiled(game)
    game.tell(OpponentChosen("A", "C"), CardsPlaced("A"), CardsPlaced("C"))
    assert game.expects("reveal your Hero")[0].who == "C"
    assert rules(game.tell(HeroRevealed("A", "plain-3")), Level.NOTE) == [sections.REVEAL_HERO]
    game.tell(HeroRevealed("C", "plain-5"))
    assert game.expects("play or keep the Duel card")[0].who == "C"


def test_without_heroes_a_player_is_out_and_the_last_one_wins(table) -> None:
    game = three(table)
    game.tell(OpponentChosen("A", "B"))
    game.duel(A="plain-1", B="plain-2")
    heroes = iter(["plain-3", "plain-4", "plain-5", "plain-6", "plain-7"])
    while game.outcome() is None:
        game.win("A")
        if game.phase is Phase.OPPONENT:
            game.tell(OpponentChosen("A", game.expects()[0].options[0]))
        if game.phase is Phase.PLACE:
            other = next(seat for seat in game.state.duellists if seat != "A")
            game.duel(**{other: next(heroes)})
    assert game.state.heroes_left == {"A": 3, "B": 0, "C": 0}
    assert (game.outcome().winners, game.outcome().decided_by) == (("A",), "last player with Heroes")
    assert len(game.state.done) == 6
    assert game.findings == []


def test_somebody_who_is_out_can_not_be_chosen(table, rules) -> None:
    game = table("ABCD")
    game.keep()
    game.state = game.state._replace(
        players=(*game.state.players[:3], game.state.players[3]._replace(heroes=0)), phase=Phase.OPPONENT
    )
    said = game.tell(OpponentChosen("A", "D"))
    assert rules(said, Level.ILLEGAL) == [sections.OPPONENT]
    assert game.phase is Phase.OPPONENT


def test_choosing_while_a_duel_goes_on(table, rules) -> None:
    game = three(table)
    game.tell(OpponentChosen("A", "B"))
    game.duel(A="plain-1", B="plain-2")
    assert rules(game.tell(OpponentChosen("A", "C")), Level.NOTE) == [sections.OPPONENT]
    assert game.state.duellists == ("A", "B")


def test_two_left_need_not_choose(table) -> None:
    game = three(table)
    game.tell(OpponentChosen("A", "B"))
    game.state = game.state._replace(players=(*game.state.players[:2], game.state.players[2]._replace(heroes=0)))
    game.duel(A="plain-1", B="plain-2")
    game.win("A")
    assert game.phase is Phase.PLACE
    assert game.state.duellists == ("A", "B")


def test_many_players_combine_games() -> None:
    from companion.decks import builtin_deck

    heroes, duels = cards_of(combined(builtin_deck("hoshi-battle").cards, 2))
    assert heroes["yoss"].copies == duels["rage"].copies == 2


def test_a_card_of_combined_games_may_be_there_twice(table, rules) -> None:
    from dataclasses import replace

    game = table("AB", heroes={"twin": replace(table().setup.heroes["plain-1"], id="twin", copies=2)})
    assert game.duel(A="twin", B="twin", began=False) == []

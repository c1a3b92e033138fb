"""Card effect priority and Duel cards: the rulebook's examples, windows and their order."""

from __future__ import annotations

import pytest

from companion.rules.core import Level
from companion.rules.hoshi_battle import sections
from companion.rules.hoshi_battle.facts import CardDeclined
from companion.rules.hoshi_battle.setup import DuelCard, HeroCard, Needs, Reveal
from companion.rules.hoshi_battle.state import Phase


def test_example_1_clay_champion_then_fire_axe(table) -> None:
    """A Stone lost: the d10 from the round's end on; Fire Axe at the next round's start: the d8."""
    game = table(heroes={"clay-champion": clay()})
    game.duel(A="clay-champion", B="plain-1", cards="A")
    assert game.die("A") == (8,)
    game.hit("B")
    assert game.die("A") == (10,)
    game.decline("A")
    assert game.phase is Phase.ROUND_START
    assert game.play("A", "fire-axe") == []
    assert game.die("A") == (8,)


def test_example_1_fire_axe_then_clay_champion(table) -> None:
    """Fire Axe at full health: the d8; a Stone lost later: the d10 from then on."""
    game = table(heroes={"clay-champion": clay()})
    game.duel(A="clay-champion", B="plain-1", cards="A", began=False)
    game.play("A", "fire-axe")
    assert game.die("A") == (8,)
    game.begin()
    game.hit("B")
    assert game.die("A") == (10,)


def clay() -> HeroCard:
    """Its own die is not told by the rulebook; with a d8 the change shows."""
    from companion.decks import builtin_deck
    from companion.rules.hoshi_battle import effects_of

    return HeroCard(
        "clay-champion", "Clay Champion", 8, 4, effects_of(builtin_deck("hoshi-battle").cards["clay-champion"])
    )


def trader(cost: int | None = 2) -> HeroCard:
    from companion.decks import builtin_deck
    from companion.rules.hoshi_battle import effects_of

    effects = effects_of(builtin_deck("hoshi-battle").cards["charming-trader"])
    return HeroCard("charming-trader", "Charming Trader", 10, cost, effects)


def test_example_2_trader_rain_and_rage(table) -> None:
    game = table(heroes={"charming-trader": trader()})
    game.duel(A="charming-trader", B="plain-4", cards="AB")
    assert game.die("A") == (8,)  # against a more expensive Hero
    game.hit("B")
    game.decline("B", "A")
    assert game.phase is Phase.ROUND_START
    game.decline("B")
    assert game.play("A", "deowi-pouring-rain") == []
    assert (game.die("A"), game.die("B")) == ((10,), (10,))
    game.begin(counted=False)
    game.hit("A")
    assert game.play("B", "rage") == []
    assert (game.die("A"), game.die("B")) == ((10,), (8,))


def test_trader_against_a_hero_of_the_same_or_unknown_cost(table) -> None:
    game = table(heroes={"charming-trader": trader(4)})
    game.duel(A="charming-trader", B="plain-4")
    assert game.die("A") == (10,)
    game = table(heroes={"charming-trader": trader(None)})
    game.duel(A="charming-trader", B="plain-4")
    assert game.die("A") == (10,)


def test_a_condition_is_stamped_anew_each_time_it_becomes_true(table) -> None:
    """Below full health, healed by a card, and below it again after the opponent's effect: the Hero's die is the last played."""
    from companion.rules.hoshi_battle.facts import EffectTold, Told, ToldKind

    game = table(heroes={"clay-champion": clay()})
    game.duel(A="clay-champion", B="plain-1")
    game.hit("B")
    game.tell(EffectTold("A", "idle-1", (Told(ToldKind.DIE, "A", 8),)))
    assert game.die("A") == (8,)
    game.tell(EffectTold("A", "idle-1", (Told(ToldKind.STONES, "A", 1),)))
    assert game.die("A") == (8,)
    game.begin(counted=False)
    game.hit("B")
    assert game.die("A") == (10,)


# Order of decisions


def test_last_to_hit_decides_first_then_the_opponent(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB")
    game.hit("B")
    assert [x.who for x in game.expects("play or keep the Duel card")] == ["B"]
    assert rules(game.play("A", "idle-1"), Level.ILLEGAL) == [sections.ORDER]


def test_declining_passes_the_decision_on(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB")
    game.hit("B")
    assert game.decline("B") == []
    assert [x.who for x in game.expects("play or keep the Duel card")] == ["A"]
    assert game.play("A", "idle-1") == []


def test_first_round_the_starting_player_decides_first(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB", began=False)
    assert game.expects("play or keep the Duel card")[0].who == "A"
    game.begin()
    game.roll("A")
    game.roll("B")
    game.touch("A", "B")  # a draw: nobody has hit yet
    assert game.expects("play or keep the Duel card")[0].who == "A"


def test_first_round_of_a_later_duel_the_starting_player_decides_first_too(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="B")
    game.win("B")  # the last to hit, in the Duel before
    game.duel(A="plain-3", cards="A", began=False)
    assert game.expects("play or keep the Duel card")[0].who == "A"
    assert rules(game.play("B", "idle-1"), Level.ILLEGAL) == [sections.ORDER]


def test_only_one_card_face_down_needs_no_other_decision(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("B")
    assert game.play("A", "idle-1") == []


def test_who_declines_waits_for_the_next_rounds_start_or_end(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB")
    game.hit("A")
    game.decline("A")
    assert rules(game.play("A", "idle-1"), Level.ILLEGAL) == [sections.WAIT]


def test_who_declines_may_play_at_the_next_time(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("A")
    game.decline("A")
    assert game.phase is Phase.ROUND_START
    assert game.play("A", "idle-1") == []


def test_deciding_out_of_turn_is_a_note(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB")
    game.hit("A")
    assert rules(game.tell(CardDeclined("B")), Level.NOTE) == [sections.ORDER]


def test_playing_on_closes_every_window(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB")
    game.hit("A")
    assert game.roll("A", "blank") == []
    assert game.phase is Phase.ROLLING
    assert game.state.duel.round == 2


# Times of Duel cards


def test_card_while_the_dice_roll(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    assert rules(game.play("A", "fire-axe"), Level.ILLEGAL) == [sections.WINDOW]
    assert game.die("A") == (8,)  # it was played all the same


def test_card_of_a_rounds_beginning_may_be_played_at_the_duels(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    assert game.play("A", "acid-fog") == []


def test_card_of_a_duels_beginning_not_at_a_later_round(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("A")
    game.decline("A")
    assert rules(game.play("A", "crystal-sword"), Level.ILLEGAL) == [sections.WINDOW]


def test_fire_axe_at_a_rounds_start_is_a_setting(table, rules) -> None:
    game = table(example_windows=False)
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("A")
    game.decline("A")
    assert rules(game.play("A", "fire-axe"), Level.ILLEGAL) == [sections.WINDOW]


def test_card_of_a_rounds_start_shown_at_its_end_closes_the_end(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("A")
    assert game.phase is Phase.ROUND_END
    assert game.play("A", "acid-fog") == []
    assert game.phase is Phase.ROUND_START


def test_one_duel_card_in_a_duel(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    game.play("A", "fire-axe")
    assert rules(game.play("A", "acid-fog"), Level.ILLEGAL) == [sections.PLAYED_ONCE]
    assert game.play("A", "fire-axe") == []


def test_card_that_did_not_lie_there(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", began=False)
    assert rules(game.play("A", "fire-axe"), Level.ILLEGAL) == [sections.CHOOSE]


def test_card_revealed_with_the_hero_and_before_it(table, rules) -> None:
    from companion.rules.hoshi_battle.facts import CardsPlaced, HeroRevealed

    game = table()
    game.keep()
    game.tell(CardsPlaced("A"), CardsPlaced("B"))
    assert rules(game.play("B", "fire-axe"), Level.NOTE) == [sections.REVEAL_CARD]
    game.tell(HeroRevealed("A", "plain-1"))
    assert game.play("A", "crystal-sword") == []


# Kinds of Duel cards


def test_power_is_used_once(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    game.play("A", "fnex-swamp-magic")
    assert game.fighter("A").card is None
    assert game.state.players[0].discarded == ("fnex-swamp-magic",)


def test_artifact_stays_for_the_winner(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    game.play("A", "fire-axe")
    game.begin()
    game.win("A")
    game.duel(B="plain-4")
    assert game.die("A") == (8,)


def test_legend_affects_both_and_goes_on_for_the_winner(table) -> None:
    game = table()
    game.duel(A="plain-2", B="plain-4", cards="A")
    game.hit("B")
    game.decline("A")
    game.play("A", "deowi-pouring-rain")
    assert (game.die("A"), game.die("B")) == ((10,), (10,))
    game.begin(counted=False)
    game.win("A")
    game.duel(B="plain-6")
    assert (game.die("A"), game.die("B")) == ((10,), (10,))


def test_legend_of_the_loser_is_gone(table) -> None:
    game = table()
    game.duel(A="plain-2", B="plain-4", cards="A")
    game.hit("B")
    game.decline("A")
    game.play("A", "deowi-pouring-rain")
    game.begin(counted=False)
    game.win("B")
    game.duel(A="plain-6")
    assert (game.die("A"), game.die("B")) == ((8,), (8,))


def test_each_card_is_resolved_fully(table) -> None:
    """Two cards one after the other in one window: the second counts over the first."""
    game = table()
    game.duel(A="plain-2", B="plain-4", cards="AB", began=False)
    game.play("A", "fnex-swamp-magic")
    assert game.die("B") == (10,)
    game.play("B", "fire-axe")
    assert game.die("B") == (8,)


@pytest.mark.parametrize("reveal", list(Reveal))
def test_a_card_with_no_known_time_may_be_played_at_any(table, reveal) -> None:
    card = DuelCard("x", "X", None, 1, frozenset(), frozenset(), Needs.NOTHING, False, ())
    game = table(duels={"x": card})
    game.duel(A="plain-1", B="plain-2", cards="A", began=reveal is not Reveal.DUEL_START)
    if reveal is not Reveal.DUEL_START:
        game.hit("A")
    if reveal is Reveal.ROUND_START:
        game.decline("A")
    assert game.play("A", "x") == []

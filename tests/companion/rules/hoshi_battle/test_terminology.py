"""Terminology: a test for each line of the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.rules.core import Level
from companion.rules.hoshi_battle import counts_as, sections
from companion.rules.hoshi_battle.effects import CountAlso, CountInstead
from companion.rules.hoshi_battle.facts import ActAttested, Face, HeroExiled, SwingMissed
from companion.rules.hoshi_battle.settings import Deal, FullHealth
from companion.rules.hoshi_battle.state import Phase

STRIKE, CHARM, SHIELD = Face.STRIKE, Face.CHARM, Face.SHIELD


def with_effect(table, *effects):
    card = replace(table().setup.duels["fire-axe"], id="x", effects=effects)
    game = table(duels={"x": card})
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    game.play("A", "x")
    return game


def test_ability_is_the_hero_cards_text(table) -> None:
    game = table()
    game.duel(A="yoss", B="plain-1", began=False)
    (active,) = game.state.duel.actives
    assert (active.card, active.is_hero, active.owner) == ("yoss", True, 0)


def test_cost_matters_in_the_constructed_variant(table) -> None:
    game = table(deal=Deal.CONSTRUCTED, cost_limit=10)
    from companion.rules.hoshi_battle.facts import DeckBrought

    said = game.tell(
        DeckBrought("A", ("plain-1", "plain-2", "plain-3", "plain-4"), ("idle-1", "idle-2", "idle-3", "idle-4"))
    )
    assert [x.rule for x in said] == [sections.DECK_COST]


def test_count_also_as(table) -> None:
    game = with_effect(table, CountAlso(CHARM, STRIKE))
    assert counts_as(game.state, "A", CHARM) == {CHARM, STRIKE}
    assert counts_as(game.state, "A", STRIKE) == {STRIKE}


def test_count_instead_as(table) -> None:
    game = with_effect(table, CountInstead(STRIKE, CHARM))
    assert counts_as(game.state, "A", STRIKE) == {CHARM}
    game.begin()
    game.roll("A", "strike")
    game.touch("A")
    assert game.stones("A") == 1  # it is no hit symbol any more: a bluff


def test_count_effects_do_not_chain(table) -> None:
    game = with_effect(table, CountInstead(CHARM, SHIELD), CountInstead(SHIELD, STRIKE))
    assert counts_as(game.state, "A", CHARM) == {SHIELD}


def test_a_blank_counts_as_nothing(table) -> None:
    game = with_effect(table, CountAlso(CHARM, STRIKE))
    assert counts_as(game.state, "A", Face.BLANK) == frozenset()
    assert counts_as(game.state, "Z", STRIKE) == frozenset()


def test_duel_lasts_until_a_hero_is_exiled(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.hit("A")
    assert game.state.done == ()
    game.win("A")
    assert len(game.state.done) == 1


def test_game_lasts_until_one_player_has_heroes(table) -> None:
    game = table()
    for hero in ("plain-2", "plain-4", "plain-6"):
        assert game.outcome() is None
        game.duel(**({} if game.state.done else {"A": "plain-1"}), B=hero)
        game.win("A")
    assert game.outcome() is not None


def test_health_and_full_health(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    assert (game.stones("A"), game.fighter("A").full) == (2, 2)
    game.hit("B")
    assert (game.stones("A"), game.fighter("A").full) == (1, 2)


@pytest.mark.parametrize(("setting", "full", "die"), [(FullHealth.HERO, 2, 8), (FullHealth.DUEL, 1, 10)])
def test_full_health_of_a_winner_is_a_setting(table, setting, full, die) -> None:
    """Yoss battles with the d8 below full health; it won with one Stone left."""
    game = table(full_health=setting)
    game.duel(A="yoss", B="plain-1")
    game.hit("B")
    game.win("A")
    game.duel(B="plain-3")
    assert (game.stones("A"), game.fighter("A").full, game.die("A")) == (1, full, (die,))
    assert (game.stones("B"), game.fighter("B").full) == (2, 2)


def test_hero_is_a_character(table) -> None:
    assert table().setup.heroes["yoss"].name == "Yoss, the Desperate One"


def test_hoshi_stone_is_lost_by_each_hit(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.hit("A")
    game.begin(counted=False)
    game.hit("B")
    assert (game.stones("A"), game.stones("B")) == (1, 1)


def test_round_ends_by_hit_special_draw_or_cancelled_hit(table) -> None:
    for hero in ("fire-harpy", "plain-1"):
        game = table()
        game.duel(A=hero, B="poltergeist")
        if hero == "fire-harpy":
            game.roll("A", "charm")
            game.touch("A")
        else:
            game.hit("A")
            game.tell(ActAttested("A", "yell Boo", False))
        assert game.phase is Phase.ROUND_START
        assert game.stones("B") == 2
        game.roll("A")
        game.roll("B")
        game.touch("A", "B")
        assert game.phase is Phase.ROUND_START


def test_to_battle_is_to_roll_and_try_to_hit(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    assert [x.who for x in game.expects("roll")] == ["A", "B"]


def test_to_defeat_leaves_one_last_chance_before_the_exile(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="B")
    game.hit("A")
    game.hit("A")
    assert game.stones("B") == 0
    assert game.fighter("B").hero == "plain-2"
    assert game.expects("play or keep the Duel card")[0].who == "B"
    assert rules(game.tell(HeroExiled("B")), Level.NOTE) == [sections.TERM_DEFEAT]
    assert game.state.done[0].exiled == ("B",)


def test_to_exile_is_to_remove_from_the_game(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.win("A")
    assert game.state.heroes_left["B"] == 2
    assert game.state.players[1].exiled == ("plain-2",)


def test_to_hit_is_to_touch_after_the_symbol(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.hit("A")
    assert game.stones("B") == 1


def test_to_leave_play_may_be_to_hand_aside_discard_or_exile(table) -> None:
    """Each way runs what the card says of leaving: the armor's owner loses two Stones."""
    from companion.rules.hoshi_battle.effects import To
    from companion.rules.hoshi_battle.moves import move_card

    for to in (To.DISCARD, To.HAND, To.ASIDE, To.EXILE):
        game = table()
        game.duel(A="plain-1", B="plain-2", cards="A", began=False)
        game.play("A", "saal-iron-armor")
        after = move_card(game.state, 0, to)
        assert (after.duel.fighters[0].stones, after.duel.fighters[0].card) == (2, None)
        assert after.players[0].duels == (3 if to is To.HAND else 2)


def test_to_miss_is_to_try_and_fail(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.roll("A")
    assert game.tell(SwingMissed("A", game.now + 1000)) == []
    assert (game.stones("A"), game.stones("B")) == (2, 2)
    assert game.phase is Phase.ROLLING

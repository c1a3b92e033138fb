"""Each known Duel card, as the built-in deck has it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.decks import builtin_deck
from companion.rules.core import Level
from companion.rules.hoshi_battle import (
    Verdict,
    cards_of,
    counts_as,
    rule_touch,
    sections,
)
from companion.rules.hoshi_battle.effects import Move, To, What, Who
from companion.rules.hoshi_battle.facts import (
    ActAttested,
    CardsPlaced,
    Face,
    HandsTouched,
    HeroExiled,
    HeroRevealed,
    SaveRolled,
)
from companion.rules.hoshi_battle.settings import AfterStone, Restart, Unshown
from companion.rules.hoshi_battle.state import Phase

HEROES, DUELS = cards_of(builtin_deck("hoshi-battle").cards)
STRIKE, CHARM, SHIELD = Face.STRIKE, Face.CHARM, Face.SHIELD
MS = 1000


def armed(table, card: str, **more):
    game = table(**more)
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    assert game.play("A", card) == []
    return game


@pytest.mark.parametrize(
    ("card", "number", "kind", "cost", "reveal", "stays"),
    [
        ("saal-iron-armor", 2, "artifact", 8, "duel-start", True),
        ("ring-of-regeneration", 3, "artifact", 2, "duel-start", True),
        ("fire-axe", 4, "artifact", 5, "duel-start", True),
        ("crystal-sword", 5, "artifact", 10, "duel-start", True),
        ("arcane-knowledge", 9, "power", 6, "round-end", False),
        ("backstab", 10, "power", 5, "round-end", False),
        ("fnex-swamp-magic", 11, "power", 3, "round-start", False),
        ("disenchantment", 12, "power", 3, "round-start", False),
        ("cosmic-revolution", 14, "power", 7, "round-start", False),
        ("acid-fog", 18, "legend", 3, "round-start", True),
        ("deowi-pouring-rain", 19, "legend", 4, "round-start", True),
    ],
)
def test_what_the_rulebook_shows_of_a_duel_card(card, number, kind, cost, reveal, stays) -> None:
    known = DUELS[card]
    assert (known.kind, known.cost, known.reveal, known.stays) == (kind, cost, {reveal}, stays)
    assert builtin_deck("hoshi-battle").cards[card].value("number") == number


def test_iron_armor_gives_two_stones_and_helps_the_opponents_die(table) -> None:
    game = armed(table, "saal-iron-armor")
    assert (game.stones("A"), game.fighter("A").full) == (4, 4)
    assert counts_as(game.state, "B", SHIELD) == {SHIELD, STRIKE}
    assert counts_as(game.state, "A", SHIELD) == {SHIELD}
    game.begin()
    game.roll("B", "shield")
    game.touch("B")
    assert game.stones("A") == 3


def test_iron_armor_gains_and_full_health_are_a_setting(table) -> None:
    game = armed(table, "saal-iron-armor", gains_raise_full_health=False)
    assert (game.stones("A"), game.fighter("A").full) == (4, 2)


def test_iron_armor_that_leaves_takes_two_stones(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB", began=False)
    game.play("A", "saal-iron-armor")
    assert game.play("B", "disenchantment") == []
    assert (game.stones("A"), game.fighter("A").card) == (2, None)
    assert counts_as(game.state, "B", SHIELD) == {SHIELD}
    assert game.state.players[0].discarded == ("saal-iron-armor",)


def test_iron_armor_that_leaves_at_two_stones_defeats_the_hero(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB", began=False)
    game.play("A", "saal-iron-armor")
    game.decline("B")
    game.begin()
    game.hit("B")
    game.begin(counted=False)
    game.hit("B")
    game.decline("B")
    assert game.stones("A") == 2
    assert game.play("B", "disenchantment") == []
    assert game.stones("A") == 0
    assert [x.who for x in game.expects("exile the Hero")] == ["A"]
    game.tell(HeroExiled("A"))
    assert game.state.done[-1].winner == "B"


def test_iron_armor_that_changes_owner(table) -> None:
    """By a card not known yet: the armor takes its Stones from the one and gives them to the other."""
    thief = replace(DUELS["disenchantment"], id="thief", effects=(Move(What.DUEL_CARD, To.OTHER_OWNER, Who.OPPONENT),))
    game = table(duels={"thief": thief})
    game.duel(A="plain-1", B="plain-2", cards="AB", began=False)
    game.play("A", "saal-iron-armor")
    game.play("B", "thief")
    assert (game.stones("A"), game.fighter("A").card) == (2, None)
    assert (game.stones("B"), game.fighter("B").card) == (4, "saal-iron-armor")
    assert counts_as(game.state, "A", SHIELD) == {SHIELD, STRIKE}


def test_iron_armor_in_the_winners_next_duel_is_a_setting(table) -> None:
    for again, stones in ((False, 4), (True, 6)):
        game = armed(table, "saal-iron-armor", artifacts_act_again=again)
        game.begin()
        game.win("A")
        game.duel(B="plain-4")
        assert game.stones("A") == stones


def test_ring_rolls_against_each_hit(table, rules) -> None:
    game = armed(table, "ring-of-regeneration")
    game.begin()
    game.hit("B")
    assert game.phase is Phase.HIT
    assert game.expects("roll against the hit")[0].who == "A"
    assert rules(game.tell(SaveRolled("A", SHIELD, 8)), Level.ILLEGAL) == [sections.CARD_FIRST]
    assert game.stones("A") == 2
    assert game.phase is Phase.ROUND_START
    game.hit("B")
    assert game.tell(SaveRolled("A", Face.BLANK, 10)) == []
    assert game.stones("A") == 1


def test_ring_rolls_against_the_hit_on_its_owner_only(table) -> None:
    """Both have a ring and both touch without a symbol: each roll is for one's own hit."""
    game = table(duels={"ring-2": replace(DUELS["ring-of-regeneration"], id="ring-2")})
    game.duel(A="plain-1", B="plain-2", cards="AB", began=False)
    game.play("A", "ring-of-regeneration")
    game.play("B", "ring-2")
    game.begin()
    game.touch("A", "B")
    assert [x.who for x in game.expects("roll against the hit")] == ["A", "B"]
    game.tell(SaveRolled("A", Face.BLANK, 10))
    assert (game.stones("A"), game.stones("B")) == (1, 2)
    game.tell(SaveRolled("B", SHIELD, 10))
    assert (game.stones("A"), game.stones("B")) == (1, 2)
    assert game.phase is Phase.ROUND_START


def test_ring_of_one_who_does_not_roll_saves_nobody(table) -> None:
    game = armed(table, "ring-of-regeneration")
    game.begin()
    game.hit("B")
    game.begin(counted=False)
    assert game.stones("A") == 1


def test_ring_saves_from_a_hit_by_bluff_too(table) -> None:
    game = armed(table, "ring-of-regeneration")
    game.begin()
    game.touch("A")
    game.tell(SaveRolled("A", SHIELD, 10))
    assert game.stones("A") == 2


def test_a_roll_against_no_hit(table, rules) -> None:
    game = armed(table, "ring-of-regeneration")
    assert rules(game.tell(SaveRolled("A", SHIELD))) == [sections.CARD_FIRST]


def test_fire_axe_battles_with_the_d8(table) -> None:
    assert armed(table, "fire-axe").die("A") == (8,)


def test_crystal_sword_counts_instead_but_not_the_other_way(table) -> None:
    game = armed(table, "crystal-sword")
    assert counts_as(game.state, "A", SHIELD) == {STRIKE}
    assert counts_as(game.state, "A", STRIKE) == {STRIKE}
    assert counts_as(game.state, "B", SHIELD) == {SHIELD}


def test_arcane_knowledge_sets_the_defeated_hero_aside(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="B")
    game.hit("A")
    game.decline("B")
    game.hit("A")
    assert game.stones("B") == 0
    assert game.play("B", "arcane-knowledge") == []
    assert game.state.players[1].aside == (("plain-2", 1),)
    assert game.state.heroes_left == {"A": 3, "B": 3}
    assert game.state.done == ()
    assert game.phase is Phase.PLACE
    assert game.duel(B="plain-4", began=False) == []
    assert game.phase is Phase.ROUND_START  # the Duel goes on
    assert (game.state.duel.number, game.state.duel.round, game.stones("A"), game.stones("B")) == (1, 2, 2, 2)


def test_arcane_knowledge_the_hero_comes_back_with_one_stone(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="B")
    game.hit("A")
    game.hit("A")
    game.play("B", "arcane-knowledge")
    game.duel(B="plain-4", began=False)
    game.win("A")
    game.duel(B="plain-2")
    assert (game.stones("B"), game.fighter("B").full) == (1, 2)
    assert game.state.players[1].aside == ()
    game.win("A")
    assert game.state.heroes_left == {"A": 3, "B": 1}


def test_arcane_knowledge_not_for_the_last_hero(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    for hero, cards in (("plain-4", ""), ("plain-6", "B")):
        game.win("A")
        game.duel(B=hero, cards=cards)
    game.hit("A")
    game.hit("A")
    assert rules(game.play("B", "arcane-knowledge"), Level.NOTE) == [sections.CARD_FIRST]
    game.tell(HeroExiled("B"))
    assert game.outcome().winners == ("A",)


def test_arcane_knowledge_only_when_defeated(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="B")
    game.hit("A")
    assert rules(game.play("B", "arcane-knowledge"), Level.ILLEGAL) == [sections.WINDOW]
    assert game.fighter("B").hero == "plain-2"


def test_backstab_shown_after_the_touch_is_a_hit(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.roll("A", "charm")
    assert rule_touch(game.state, HandsTouched(("A",), game.now + 200 * MS)).verdict is Verdict.HIDDEN
    assert game.touch("A") == []
    assert game.phase is Phase.ROUND_END
    assert game.expects("show a card for the touch")[0].who == "A"
    assert game.play("A", "backstab") == []
    assert (game.stones("A"), game.stones("B")) == (2, 1)
    assert game.state.players[0].discarded == ("backstab",)


def test_backstab_not_shown_is_a_bluff(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.roll("A", "charm")
    game.touch("A")
    assert rules(game.decline("A"), Level.NOTE) == [sections.BLUFF]
    assert (game.stones("A"), game.stones("B")) == (1, 2)
    assert game.fighter("A").is_hidden


def test_backstab_not_shown_can_be_set_to_be_nothing(table) -> None:
    for declines in (True, False):
        game = table(unshown_touch=Unshown.NOTHING)
        game.duel(A="plain-1", B="plain-2", cards="A")
        game.roll("A", "charm")
        game.touch("A")
        assert "worth nothing" in game.expects("show a card for the touch")[0].text
        assert (game.decline("A") if declines else game.begin(counted=False)) == []
        assert (game.stones("A"), game.stones("B")) == (2, 2)


def test_backstab_not_shown_before_play_goes_on(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.roll("A", "charm")
    game.touch("A")
    assert rules(game.begin(counted=False), Level.NOTE) == [sections.BLUFF]
    assert game.stones("A") == 1


def test_backstab_needs_its_own_symbol(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.roll("A", "shield")
    assert rule_touch(game.state, HandsTouched(("A",), game.now + 200 * MS)).verdict is Verdict.BLUFF
    assert rules(game.touch("A"), Level.NOTE) == [sections.BLUFF]
    assert rules(game.play("A", "backstab"), Level.ILLEGAL) == [sections.WINDOW]
    assert (game.stones("A"), game.stones("B")) == (1, 2)


def test_backstab_can_be_cancelled_like_any_hit(table) -> None:
    game = table()
    game.duel(A="plain-1", B="poltergeist", cards="A")
    game.roll("A", "charm")
    game.touch("A")
    game.play("A", "backstab")
    game.tell(ActAttested("A", "yell Boo", False))
    assert game.stones("B") == 2


def test_backstab_without_its_touch(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("B")
    assert rules(game.play("A", "backstab"), Level.ILLEGAL) == [sections.WINDOW]
    assert game.stones("B") == 2


def test_touch_with_the_charm_and_no_hidden_card_is_a_bluff(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.roll("A", "charm")
    game.touch("A")
    assert game.stones("A") == 1


def test_fnex_swamp_magic_for_this_round(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    game.play("A", "fnex-swamp-magic")
    assert game.die("B") == (10,)
    game.begin()
    assert game.die("B") == (10,)
    game.hit("A")
    assert game.die("B") == (8,)


def test_disenchantment_needs_an_open_artifact(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB", began=False)
    game.decline("A")
    game.play("B", "disenchantment")
    assert game.fighter("A").is_hidden  # a face-down card is no artifact that anybody knows of
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB", began=False)
    game.play("A", "acid-fog")
    game.play("B", "disenchantment")
    assert game.fighter("A").card == "acid-fog"


def test_cosmic_revolution_starts_the_duel_over_with_another_hero(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("A")
    game.hit("B")
    game.decline("A")
    assert game.play("A", "cosmic-revolution") == []
    assert game.phase is Phase.PLACE
    assert game.state.heroes_left == {"A": 3, "B": 3}
    assert game.stones("B") == 2  # as at the Duel's beginning
    said = game.duel(A="plain-1", began=False)
    assert rules(said, Level.ILLEGAL) == [sections.CARD_FIRST]
    game = table(restart_stones=Restart.KEEP)
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("A")
    game.decline("A")
    game.play("A", "cosmic-revolution")
    assert game.duel(A="plain-3") == []
    assert (game.state.duel.number, game.state.duel.round) == (1, 1)
    assert (game.stones("A"), game.stones("B")) == (2, 1)


def test_cosmic_revolution_for_the_last_but_one(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.win("A")
    game.duel(B="plain-4", cards="B", began=False)  # one more is in hand
    assert game.play("B", "cosmic-revolution") == []
    assert game.duel(B="plain-6", began=False) == []
    assert game.state.heroes_left == {"A": 3, "B": 2}


def test_cosmic_revolution_not_for_the_last_hero(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    for hero, cards in (("plain-4", ""), ("plain-6", "B")):
        game.win("A")
        game.duel(B=hero, cards=cards, began=False)
        if not cards:
            game.begin()
    assert rules(game.play("B", "cosmic-revolution"), Level.NOTE) == [sections.CARD_FIRST]
    assert game.fighter("B").hero == "plain-6"


def test_cosmic_revolution_a_new_duel_card_is_the_players_choice(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    game.play("A", "cosmic-revolution")
    assert game.tell(CardsPlaced("A", duel=True), HeroRevealed("A", "plain-3")) == []
    assert game.fighter("A").is_hidden


def test_acid_fog_for_everybody(table) -> None:
    game = armed(table, "acid-fog")
    for seat in "AB":
        assert counts_as(game.state, seat, CHARM) == {STRIKE}
        assert counts_as(game.state, seat, STRIKE) == {STRIKE}


def test_acid_fog_makes_a_charm_a_hit_for_the_harpy_too(table) -> None:
    """Counted instead, the charm is no charm any more."""
    game = table()
    game.duel(A="fire-harpy", B="plain-2", cards="B", began=False)
    game.play("B", "acid-fog")
    game.begin()
    game.roll("A", "charm")
    game.touch("A")
    assert game.stones("B") == 1
    assert game.die("B") == (8,)


def test_deowi_only_after_a_stone_was_lost(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    assert rules(game.play("A", "deowi-pouring-rain"), Level.ILLEGAL) == [sections.WINDOW]
    game = table()
    game.duel(A="plain-2", B="plain-4", cards="A")
    game.hit("A")
    game.decline("A")
    assert game.play("A", "deowi-pouring-rain") == []


def test_deowi_at_the_beginning_of_the_duel_after_the_stone(table) -> None:
    """The last Stone of a Duel is lost as well: the first round's start after it is the next Duel's beginning."""
    game = table()
    game.duel(A="plain-2", B="plain-4", cards="A")
    game.win("A")
    game.duel(B="plain-6", began=False)
    assert game.play("A", "deowi-pouring-rain") == []
    assert (game.die("A"), game.die("B")) == ((10,), (10,))


def test_deowi_waits_for_no_later_round_unless_set_otherwise(table, rules) -> None:
    for setting, found in ((AfterStone.NEXT, [sections.WINDOW]), (AfterStone.LATER, [])):
        game = table(after_stone=setting)
        game.duel(A="plain-2", B="plain-4", cards="A")
        game.hit("A")
        game.decline("A")
        game.begin(counted=False)
        game.roll("A")
        game.roll("B")
        game.touch("A", "B")  # a draw: no Stone is lost in this round
        game.decline("A")
        assert rules(game.play("A", "deowi-pouring-rain"), Level.ILLEGAL) == found


def test_rage_only_after_being_hit(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("A")
    assert rules(game.play("A", "rage"), Level.ILLEGAL) == [sections.WINDOW]
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("B")
    assert game.play("A", "rage") == []
    assert game.die("A") == (8,)


def test_rage_need_not_be_played(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A")
    game.hit("B")
    assert game.decline("A") == []
    assert game.fighter("A").is_hidden


def test_cards_last_played_counts_for_symbols_too(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="AB", began=False)
    game.play("A", "saal-iron-armor")  # B: shield counts also as strike
    game.play("B", "crystal-sword")  # B: shield counts instead as strike
    assert counts_as(game.state, "B", SHIELD) == {STRIKE}

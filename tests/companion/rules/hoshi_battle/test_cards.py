"""Each known Hero, as the built-in deck has it, and who says so of every card."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.decks import builtin_deck
from companion.rules.cards import Provenance
from companion.rules.core import Level
from companion.rules.hoshi_battle import (
    HeroCard,
    Verdict,
    acts_asked,
    alive_symbols,
    cards_of,
    dice_of,
    rule_touch,
    sections,
)
from companion.rules.hoshi_battle.effects import Move, Only, Stones
from companion.rules.hoshi_battle.facts import (
    ActAttested,
    Face,
    HandsTouched,
    PlayBegan,
)
from companion.rules.hoshi_battle.settings import Against, ExtraDie, Silence
from companion.rules.hoshi_battle.state import Phase

HEROES, DUELS = cards_of(builtin_deck("hoshi-battle").cards)
STRIKE, CHARM, SHIELD = Face.STRIKE, Face.CHARM, Face.SHIELD
MS = 1000


# Heroes


@pytest.mark.parametrize(
    ("card", "number", "die", "cost"),
    [
        ("master-of-battle", 1, 10, 5),
        ("poltergeist", 3, 10, 4),
        ("lightning-siren", 4, 10, 3),
        ("yoss", 5, 10, 4),
        ("swamp-monster", 9, 10, 3),
    ],
)
def test_what_the_rulebook_shows_of_a_hero(card, number, die, cost) -> None:
    assert (HEROES[card].die, HEROES[card].cost) == (die, cost)
    assert builtin_deck("hoshi-battle").cards[card].value("number") == number


def test_master_of_battle_leaves_a_stone_to_the_next_hero(table) -> None:
    game = table()
    game.duel(A="plain-1", B="master-of-battle")
    game.win("A")
    game.duel(B="plain-2")
    assert (game.stones("B"), game.fighter("B").full) == (3, 3)
    game.win("A")
    game.duel(B="plain-4")
    assert game.stones("B") == 2  # the next one only


def test_poltergeist_asks_for_boo(table) -> None:
    for done, left in ((True, 1), (False, 2)):
        game = table()
        game.duel(A="plain-1", B="poltergeist")
        assert acts_asked(game.state, "B") == ("yell Boo",)
        game.hit("A")
        assert game.phase is Phase.HIT
        assert game.expects("attest")[0].options == ("A: yell Boo",)
        assert game.tell(ActAttested("A", "yell Boo", done)) == []
        assert game.stones("B") == left
        assert game.phase is Phase.ROUND_START  # a cancelled hit ends the round all the same


def test_poltergeist_that_bluffs_asks_for_nothing(table) -> None:
    game = table()
    game.duel(A="plain-1", B="poltergeist")
    game.touch("B")
    assert game.stones("B") == 1
    game = table(gates_on_bluff=True)
    game.duel(A="plain-1", B="poltergeist")
    game.touch("B")
    assert game.phase is Phase.HIT


@pytest.mark.parametrize(("silence", "left"), [(Silence.STANDS, 1), (Silence.CANCELLED, 2)])
def test_poltergeist_when_nobody_attests(table, silence, left) -> None:
    game = table(unattested=silence)
    game.duel(A="plain-1", B="poltergeist")
    game.hit("A")
    game.tell(PlayBegan(game.now + 1000 * MS, counted=False))
    assert game.stones("B") == left
    assert game.phase is Phase.ROLLING


def test_lord_of_the_night_asks_for_a_covered_eye(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="lord-of-the-night")
    game.hit("A")
    assert rules(game.tell(ActAttested("A", "yell Boo", True)), Level.NOTE) == [sections.CARD_FIRST]
    game.tell(ActAttested("A", "cover an eye", False))
    assert game.stones("B") == 2


def test_lightning_siren_puts_the_ability_to_sleep_until_the_symbol(table) -> None:
    game = table()
    game.duel(A="lightning-siren", B="poltergeist")
    game.hit("A")
    assert game.stones("B") == 1  # no Boo needed while it sleeps
    game.roll("B", "charm")
    assert acts_asked(game.state, "B") == ()
    game.roll("B", "strike")
    assert acts_asked(game.state, "B") == ("yell Boo",)
    assert alive_symbols(game.state, "B", game.now + 200 * MS) == frozenset()  # used for nothing else
    game.hit("B")
    assert game.stones("A") == 1


def test_lightning_siren_an_invalid_roll_wakes_nothing(table) -> None:
    game = table()
    game.duel(A="lightning-siren", B="poltergeist")
    game.roll("B", "strike", inside=False)
    assert acts_asked(game.state, "B") == ()


def test_lightning_siren_against_herself_the_last_revealed_works(table) -> None:
    heroes = {"siren-2": replace(HEROES["lightning-siren"], id="siren-2")}
    game = table(heroes=heroes)
    game.duel(A="lightning-siren", B="siren-2")
    assert game.fighter("A").frees is STRIKE
    assert game.fighter("B").frees is None


def test_lightning_siren_master_of_battle_asleep_leaves_nothing(table) -> None:
    game = table()
    game.duel(A="lightning-siren", B="master-of-battle")
    game.win("A")
    game.duel(B="plain-2")
    assert game.stones("B") == 2


def test_lightning_siren_the_next_opponent_sleeps_again(table) -> None:
    game = table()
    game.duel(A="lightning-siren", B="plain-2")
    game.roll("B")
    assert game.fighter("B").frees is None
    game.pick_up("B")
    game.win("A")
    game.duel(B="poltergeist")
    assert game.fighter("B").frees is STRIKE


def test_a_woken_ability_is_played_anew(table) -> None:
    """Yoss wakes after Fire Harpy's touch changed the die: the ability that begins to hold comes last."""
    heroes = {"yoss": replace(HEROES["yoss"], die=10)}
    game = table(heroes=heroes)
    game.duel(A="lightning-siren", B="yoss", cards="A")
    game.hit("A")
    game.decline("A")
    game.play("A", "deowi-pouring-rain")
    assert game.die("B") == (10,)
    game.roll("B", "strike")
    assert game.die("B") == (8,)


def test_yoss_below_full_health_battles_with_the_d8(table) -> None:
    game = table()
    game.duel(A="yoss", B="plain-1")
    assert dice_of(game.state, "A") == (10,)
    game.hit("B")
    assert dice_of(game.state, "A") == (8,)


def test_saal_swordsman_has_two_dice_that_nothing_changes(table) -> None:
    game = table()
    game.duel(A="saal-swordsman", B="plain-1", cards="AB", began=False)
    assert game.die("A") == (8, 10)
    game.play("A", "idle-1")
    game.play("B", "fnex-swamp-magic")
    assert game.die("A") == (8, 10)
    game.begin()
    assert game.roll("A", "blank", die=0, sides=8) == []
    assert game.roll("A", "strike", die=1, sides=10) == []
    game.touch("A")
    assert game.stones("B") == 1


@pytest.mark.parametrize(("setting", "sides"), [(ExtraDie.D8, 8), (ExtraDie.D10, 10), (ExtraDie.CARD, 10)])
def test_saal_swordsman_second_die_is_a_setting(table, setting, sides) -> None:
    game = table(extra_die=setting)
    game.duel(A="saal-swordsman", B="plain-1", began=False)
    assert game.die("A") == (8, sides)


def test_saal_swordsman_symbols_of_both_dice_are_his(table) -> None:
    game = table()
    game.duel(A="saal-swordsman", B="plain-1")
    game.roll("A", "charm", die=0)
    game.roll("A", "strike", die=1)
    assert alive_symbols(game.state, "A", game.now + 100 * MS) == {CHARM, STRIKE}
    game.pick_up("A", die=1)
    assert alive_symbols(game.state, "A", game.now + 100 * MS) == {CHARM}


def test_swamp_monster_exiled_takes_the_opponents_duel_card(table) -> None:
    game = table()
    game.duel(A="plain-1", B="swamp-monster", cards="A", began=False)
    game.play("A", "fire-axe")
    game.begin()
    game.win("A")
    assert game.fighter("A").card is None
    assert game.state.players[0].discarded == ("fire-axe",)
    assert game.die("A") == (10,)


def test_swamp_monster_takes_a_face_down_card_or_none(table) -> None:
    game = table()
    game.duel(A="plain-1", B="swamp-monster", cards="A")
    game.win("A")
    assert not game.fighter("A").is_hidden
    game = table()
    game.duel(A="plain-1", B="swamp-monster")
    game.win("A")
    assert game.fighter("A").hero == "plain-1"


def test_swamp_monster_takes_the_iron_armor_and_its_stones(table) -> None:
    """Two Stones go with the armor; with two or fewer left that defeats the winner's Hero too."""
    game = table()
    game.duel(A="plain-1", B="swamp-monster", cards="A", began=False)
    game.play("A", "saal-iron-armor")
    game.begin()
    game.hit("B")
    game.begin(counted=False)
    game.hit("B")
    game.win("A")
    (record,) = game.state.done
    assert (record.winner, set(record.exiled)) == (None, {"A", "B"})
    assert game.state.heroes_left == {"A": 2, "B": 2}


def test_glorious_phoenix_discards_the_duel_card_before_the_duel(table) -> None:
    game = table()
    game.duel(A="glorious-phoenix", B="plain-1", cards="AB", began=False)
    assert not game.fighter("A").is_hidden
    assert game.fighter("B").is_hidden
    assert game.expects("play or keep the Duel card")[0].who == "B"


def test_fire_harpy_touch_sets_the_die_for_the_duel(table) -> None:
    game = table()
    game.duel(A="fire-harpy", B="plain-2")
    assert game.roll("A", "charm") == []
    assert game.touch("A") == []
    assert (game.stones("A"), game.stones("B")) == (2, 2)  # not a hit
    assert game.die("B") == (10,)
    assert game.phase is Phase.ROUND_START  # a special effect ends the round
    game.hit("B")
    game.hit("A")
    assert game.die("B") == (10,)
    game.win("B")
    game.duel(A="plain-1")
    assert game.die("B") == (8,)  # for the rest of that Duel only


def test_fire_harpy_still_hits_with_the_hit_symbol(table) -> None:
    game = table()
    game.duel(A="fire-harpy", B="plain-2")
    game.hit("A")
    assert game.stones("B") == 1


def test_fire_harpys_victim_may_defend(table) -> None:
    from companion.rules.hoshi_battle.facts import HandRaised

    game = table()
    game.duel(A="fire-harpy", B="plain-2")
    game.roll("A", "charm")
    game.tell(HandRaised("B", game.now))
    ruling = rule_touch(game.state, HandsTouched(("A",), game.now + 1500 * MS))
    assert ruling.verdict is Verdict.BLUFF


def test_hit_against_a_special_touch_both_apply(table) -> None:
    game = table()
    game.duel(A="fire-harpy", B="plain-2")
    game.roll("A", "charm")
    game.roll("B", "strike")
    game.touch("A", "B")
    assert (game.stones("A"), game.stones("B")) == (1, 2)
    assert game.die("B") == (10,)


def test_hit_against_a_special_touch_can_be_set_to_be_the_hit_alone(table) -> None:
    game = table(hit_against_special=Against.HIT)
    game.duel(A="fire-harpy", B="plain-2")
    game.roll("A", "charm")
    game.roll("B", "strike")
    game.touch("A", "B")
    assert (game.stones("A"), game.stones("B")) == (1, 2)
    assert game.die("B") == (8,)


def test_special_touch_against_a_bluff_both_apply(table) -> None:
    game = table()
    game.duel(A="fire-harpy", B="plain-2")
    game.roll("A", "charm")
    game.touch("A", "B")
    assert (game.stones("A"), game.stones("B")) == (2, 1)
    assert game.die("B") == (10,)


def test_clay_champion_and_charming_trader_are_the_priority_examples() -> None:
    """Held in test_priority; their dice and costs are not told."""
    assert HEROES["clay-champion"].die is None
    assert HEROES["charming-trader"].cost is None


# The built-in deck says who says so


@pytest.mark.parametrize(
    ("card", "field", "source"),
    [
        ("master-of-battle", "die", Provenance.RULEBOOK),
        ("saal-swordsman", "die", Provenance.INFERRED),
        ("saal-swordsman", "cost", Provenance.INFERRED),
        ("glorious-phoenix", "cost", Provenance.INFERRED),
        ("yoss", "weakened_die", Provenance.INFERRED),
        ("lightning-siren", "wakes", Provenance.INFERRED),
        ("saal-iron-armor", "rolled", Provenance.INFERRED),
        ("ring-of-regeneration", "save_face", Provenance.INFERRED),
        ("fire-axe", "effects", Provenance.RULEBOOK),
        ("fnex-swamp-magic", "cursed_die", Provenance.INFERRED),
    ],
)
def test_builtin_fields_carry_their_source(card, field, source) -> None:
    assert builtin_deck("hoshi-battle").cards[card].source(field) is source


def test_builtin_deck_knows_eleven_heroes_and_twelve_duel_cards() -> None:
    assert (len(HEROES), len(DUELS)) == (20, 20)
    assert sum(card.is_known for card in HEROES.values()) == 11
    assert sum(card.is_known for card in DUELS.values()) == 12


def test_builtin_ids_are_those_of_the_sample_decks(shared) -> None:
    from companion.decks import load_deck

    for name, cards in (("hoshi-heroes", HEROES), ("hoshi-duels", DUELS)):
        assert list(load_deck(shared / "decks" / name).cards) == list(cards)


def test_no_known_hero_is_a_plain_one() -> None:
    assert all(isinstance(card, HeroCard) and card.effects for card in HEROES.values())
    assert Stones(2) in DUELS["saal-iron-armor"].effects
    assert any(isinstance(x, Move) and x.only is Only.ARTIFACT for x in DUELS["disenchantment"].effects)

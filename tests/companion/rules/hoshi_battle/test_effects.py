"""The effect vocabulary: reading it from a deck, its errors, and cards that nobody entered yet."""

from __future__ import annotations

import pytest

from companion.decks.deck import parse_deck
from companion.errors import BadInputError
from companion.rules.cards import Provenance
from companion.rules.hoshi_battle import VOCABULARY, cards_of, completed, effects_of
from companion.rules.hoshi_battle.effects import (
    Ask,
    At,
    CancelHit,
    ExtraDie,
    Move,
    SetDie,
    Stones,
    Then,
    Touch,
    When,
    Who,
)
from companion.rules.hoshi_battle.facts import EffectTold, Face, Told, ToldKind, ToldSpan
from companion.rules.hoshi_battle.setup import DuelCard, HeroCard, Needs
from companion.rules.hoshi_battle.state import Phase

HEAD = 'game = "hoshi-battle"\n'


def deck(text: str):
    return parse_deck(HEAD + text, "deck.toml", "mine")


def test_effects_are_read_with_their_defaults() -> None:
    card = deck(
        '[card.x]\nkind = "hero"\neffects = [{ do = "set-die", sides = 8, when = "full-health" }, '
        '{ do = "stones", amount = -1, who = "all", at = "exiled" }]'
    ).cards["x"]
    assert effects_of(card) == (SetDie(8, Who.SELF, When.FULL_HEALTH), Stones(-1, Who.ALL, At.EXILED))


def test_an_entry_may_name_a_field_of_the_card() -> None:
    card = deck(
        '[card.x]\nkind = "duel"\nicon = "shield"\nicon_source = "inferred"\n'
        'effects = [{ do = "touch", face = "@icon", then = "hit" }]'
    ).cards["x"]
    assert effects_of(card) == (Touch(Face.SHIELD, Then.HIT),)
    assert card.source("icon") is Provenance.INFERRED


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("effects = 3", "card.x.effects: must be a list of tables"),
        ('effects = ["set-die"]', "card.x.effects: must be a list of tables"),
        ("effects = [{ sides = 8 }]", r"card.x.effects\[0\].do: is missing; it must be one of set-die"),
        ('effects = [{ do = "explode" }]', r"card.x.effects\[0\].do: must be one of"),
        ('effects = [{ do = "set-die" }]', r"card.x.effects\[0\].sides: is missing"),
        ('effects = [{ do = "set-die", sides = 6 }]', r"card.x.effects\[0\].sides: must be 8 or 10"),
        ('effects = [{ do = "set-die", sides = true }]', r"\.sides: must be 8 or 10, not true"),
        ('effects = [{ do = "set-die", sides = "@icon" }]', r"\.sides: '@icon' names no field"),
        ('effects = [{ do = "set-die", sides = 8, whom = "self" }]', r"\.whom: is not known of set-die; it has sides"),
        (
            'effects = [{ do = "restart-duel", who = "self" }]',
            r"\.who: is not known of restart-duel; it has no entries",
        ),
        ('effects = [{ do = "set-die", sides = 8, who = "me" }]', r"\.who: must be one of self, opponent, all"),
        ('effects = [{ do = "touch", face = "moon", then = "hit" }]', r"\.face: must be one of strike"),
        ('effects = [{ do = "touch", face = "charm", then = "set-die" }]', r"\.sides: is missing; a touch"),
        ('effects = [{ do = "stones", amount = 99 }]', r"\.amount: must be a whole number from -9 to 9"),
        ('effects = [{ do = "ask-act", act = "" }]', r"\.act: must be a text that is not empty"),
        ('effects = [{ do = "set-die", sides = [8] }]', r"card.x.effects\[0\].sides: must be a text, a number"),
        ("die = 12", "card.x.die: must be 8 or 10, not 12"),
        ("cost = -1", "card.x.cost: must be a whole number of at least 0"),
        ("number = 0", "card.x.number"),
        ("name = 7", "card.x.name: must be a text"),
    ],
)
def test_a_faulty_hero_names_file_card_and_field(body, message) -> None:
    with pytest.raises(BadInputError, match=r"^deck\.toml:4: .*" + message):
        deck(f'[card.x]\nkind = "hero"\n{body}')


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('type = "weapon"', "card.x.type: must be one of artifact, power, legend"),
        ('needs = "luck"', "card.x.needs: must be one of"),
        ('stays = "yes"', "card.x.stays: must be true or false"),
        ('reveal = ["noon"]', "card.x.reveal: must be a list of duel-start"),
        ('also_reveal = "round-end"', "card.x.also_reveal: must be a list"),
        ('needs = "own-touch"', "card.x.needs: own-touch needs an effect that is a touch"),
    ],
)
def test_a_faulty_duel_card_names_file_card_and_field(body, message) -> None:
    with pytest.raises(BadInputError, match=r"^deck\.toml:4: " + message):
        deck(f'[card.x]\nkind = "duel"\n{body}')


def test_a_card_of_neither_kind() -> None:
    with pytest.raises(BadInputError, match=r"deck\.toml:3: card\.x\.kind: must be hero or duel, not 'spell'"):
        deck('[card.x]\nkind = "spell"')


def test_every_word_is_an_effect_that_the_known_cards_or_a_test_uses() -> None:
    from companion.decks import builtin_deck

    used = {type(effect) for card in builtin_deck("hoshi-battle").cards.values() for effect in effects_of(card)}
    rare = {CancelHit}
    assert used | rare == set(VOCABULARY.values())


def test_a_card_with_nothing_but_its_kind_is_not_known() -> None:
    heroes, duels = cards_of(deck('[card.x]\nkind = "hero"\n[card.y]\nkind = "duel"').cards)
    assert heroes["x"] == HeroCard("x", "x", None, None, (Ask(),))
    assert duels["y"] == DuelCard("y", "y", None, None, frozenset(), frozenset(), Needs.NOTHING, None, (Ask(),))


def test_a_card_that_is_known_to_do_nothing() -> None:
    heroes, _ = cards_of(deck('[card.x]\nkind = "hero"\neffects = []').cards)
    assert heroes["x"].is_known


def test_pictures_without_data_are_completed_from_the_built_in_deck() -> None:
    from companion.decks import builtin_deck

    known = builtin_deck("hoshi-battle").cards
    mine = deck('[card.yoss]\nkind = "hero"\ncost = 7\n[card.other]\nkind = "hero"').cards
    heroes, _ = cards_of(completed(mine, known))
    assert (heroes["yoss"].die, heroes["yoss"].cost) == (10, 7)
    assert not heroes["other"].is_known


# Cards not known yet never block play


def test_unknown_cards_ask_to_be_told_and_play_goes_on(table) -> None:
    game = table()
    said = game.duel(A="hero-02", B="hero-07", cards="A", began=False)
    assert said == []
    assert [x.who for x in game.expects("tell what the card does")] == ["A", "B"]
    assert not any(x.must for x in game.expects("tell what the card does"))
    assert game.die("A") == (None,)
    assert game.begin() == []
    assert game.roll("A", "strike", sides=8) == []
    game.touch("A")
    assert game.stones("B") == 1


def test_unknown_duel_card_may_be_played_at_any_time_of_cards(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    assert game.play("A", "duel-01") == []
    assert game.fighter("A").card == "duel-01"


def told(kind: ToldKind, seat: str = "A", amount: int = 0, **more) -> EffectTold:
    return EffectTold("A", "duel-01", (Told(kind, seat, amount, **more),))


@pytest.fixture
def game(table):
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    game.play("A", "duel-01")
    return game


def test_told_nothing(game) -> None:
    before = game.state
    assert game.tell(told(ToldKind.NOTHING)) == []
    assert game.state == before


def test_told_stones_dice_and_symbols(game) -> None:
    from companion.rules.hoshi_battle import counts_as

    game.tell(told(ToldKind.STONES, "B", 1), told(ToldKind.DIE, "A", 8), told(ToldKind.EXTRA_DIE, "B", 10))
    assert (game.stones("B"), game.die("A"), game.die("B")) == (3, (8,), (8, 10))
    game.tell(told(ToldKind.COUNTS_ALSO, rolled=Face.CHARM, counts=Face.STRIKE))
    game.tell(told(ToldKind.COUNTS_INSTEAD, "B", rolled=Face.STRIKE, counts=Face.SHIELD))
    assert counts_as(game.state, "A", Face.CHARM) == {Face.CHARM, Face.STRIKE}
    assert counts_as(game.state, "B", Face.STRIKE) == {Face.SHIELD}


@pytest.mark.parametrize(("span", "after_round"), [(ToldSpan.ROUND, 10), (ToldSpan.DUEL, 8), (ToldSpan.CARD, 8)])
def test_told_how_long_it_lasts(game, span, after_round) -> None:
    game.tell(told(ToldKind.DIE, "A", 8, lasts=span))
    game.begin()
    assert game.die("A") == (8,)
    game.hit("A")
    assert game.die("A") == (after_round,)


def test_told_effect_of_a_card_ends_with_the_card(game) -> None:
    game.tell(told(ToldKind.DIE, "A", 8, lasts=ToldSpan.CARD), told(ToldKind.DISCARD, "A"))
    assert game.fighter("A").card is None
    assert game.die("A") == (10,)


def test_told_hit_and_cancelled_hit(game) -> None:
    game.begin()
    game.tell(told(ToldKind.HIT, "B"))
    assert game.stones("B") == 1
    game.tell(told(ToldKind.HIT_CANCELLED, "B"))
    assert game.stones("B") == 2


def test_told_cancelled_hit_that_still_waits(table) -> None:
    game = table()
    game.duel(A="plain-1", B="poltergeist", cards="B")
    game.hit("A")
    game.tell(EffectTold("B", "duel-01", (Told(ToldKind.HIT_CANCELLED, "B"),)))
    assert game.stones("B") == 2
    assert game.phase is not Phase.HIT


def test_told_hero_to_hand_aside_and_exiled(game) -> None:
    start = game.state
    game.tell(told(ToldKind.TO_HAND, "B"))
    assert (game.phase, game.state.heroes_left["B"]) == (Phase.PLACE, 3)
    game.state = start
    game.tell(told(ToldKind.ASIDE, "B", 2))
    assert game.state.players[1].aside == (("plain-2", 2),)
    game.state = start
    game.tell(told(ToldKind.EXILE, "B"))
    assert game.state.heroes_left["B"] == 2
    assert game.state.done[0].winner == "A"


def test_told_of_somebody_who_is_not_there(game, rules) -> None:
    before = game.state
    assert game.tell(told(ToldKind.STONES, "Z", 1)) == []
    assert game.state == before


def test_effects_of_cards_that_users_may_enter(table) -> None:
    """Words that no known card uses alone: an extra die for the opponent, Stones at the exile, a Hero sent away, a hit undone."""

    def card(*effects):
        return DuelCard("x", "X", None, 1, frozenset(), frozenset(), Needs.NOTHING, False, effects)

    from companion.rules.hoshi_battle.effects import Lasts, To, What

    game = table(duels={"x": card(ExtraDie(8, Who.OPPONENT, lasts=Lasts.DUEL), Stones(-1, Who.OPPONENT))})
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    game.play("A", "x")
    assert (game.die("B"), game.stones("B")) == ((8, 8), 1)
    game = table(duels={"x": card(Move(What.HERO, To.EXILE, Who.OPPONENT))})
    game.duel(A="plain-1", B="plain-2", cards="A", began=False)
    game.play("A", "x")
    assert game.state.done[0].exiled == ("B",)
    game = table(duels={"x": card(CancelHit())})
    game.duel(A="plain-1", B="plain-2", cards="B")
    game.hit("A")
    game.play("B", "x")
    assert game.stones("B") == 2


@pytest.mark.parametrize(
    ("when", "against", "card", "holds"),
    [
        (When.ALWAYS, "plain-1", None, True),
        (When.FULL_HEALTH, "plain-1", None, True),
        (When.BELOW_FULL_HEALTH, "plain-1", None, False),
        (When.OPPONENT_COSTS_MORE, "plain-9", None, True),
        (When.OPPONENT_COSTS_MORE, "plain-1", None, False),
        (When.OPPONENT_COSTS_LESS, "plain-1", None, True),
        (When.OPPONENT_COSTS_LESS, "plain-9", None, False),
        (When.OPPONENT_HAS_ARTIFACT, "plain-1", "crystal-sword", True),
        (When.OPPONENT_HAS_ARTIFACT, "plain-1", "acid-fog", False),
        (When.OPPONENT_HAS_ARTIFACT, "plain-1", None, False),
        (When.LAST_HERO, "plain-1", None, False),
    ],
)
def test_conditions(table, when, against, card, holds) -> None:
    game = table(heroes={"x": HeroCard("x", "X", 10, 5, (SetDie(8, when=when),))})
    game.duel(A="x", B=against, cards="B" if card else "", began=False)
    if card:
        game.play("B", card)
    assert game.die("A") == ((8,) if holds else (10,))


@pytest.mark.parametrize(("when", "dice"), [(When.FULL_HEALTH, (8, 10)), (When.BELOW_FULL_HEALTH, (10, 8))])
def test_conditions_of_health_change_with_a_stone(table, when, dice) -> None:
    game = table(heroes={"x": HeroCard("x", "X", 10, 5, (SetDie(8, when=when),))})
    game.duel(A="x", B="plain-1")
    before = game.die("A")
    game.hit("B")
    assert (before, game.die("A")) == ((dice[0],), (dice[1],))


def test_condition_of_the_last_hero(table) -> None:
    game = table(heroes={"x": HeroCard("x", "X", 10, 5, (SetDie(8, when=When.LAST_HERO),))})
    game.duel(A="plain-1", B="plain-2")
    for hero in ("plain-3", "x"):
        game.win("B")
        game.duel(A=hero)
    assert game.die("A") == (8,)

"""Start trick, each player's turn, how to play cards: one test a sentence of the rulebook."""

from __future__ import annotations

import pytest

from companion.rules.core import Level
from companion.rules.shuhari import RULES, Due, Phase, playable
from companion.rules.shuhari.facts import (
    CardDrawn,
    CardPlayed,
    HandPutAway,
    Play,
    PlayDeclared,
    Stage,
    StageShown,
    Suit,
    TrickCleared,
)
from companion.rules.shuhari.settings import Played, ShownHand, UntoldDraw
from companion.rules.shuhari.setup import HAND


def plays(game) -> list:
    return [played.play for played in game.state.trick.cards]


def rules_of(findings) -> list[str]:
    return [finding.rule for finding in findings]


# -- Game Purpose (the preparation) -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "left"), [(2, 56), (3, 49)])
def test_seven_cards_each_and_the_rest_is_the_deck(table, players, left) -> None:
    state = table(players).state
    assert [hand.size for hand in state.hands] == [HAND] * players
    assert state.pool.deck == left


def test_the_agreed_start_player_leads(table) -> None:
    assert table(lead="B").state.turn == "B"


# -- 1. Start Trick, Playing a Lead Card -------------------------------------------------------------------------------------


def test_the_lead_cards_obey_suit_is_the_lead_suit(table) -> None:
    """The rulebook's example: a lead with ikebana outermost makes ikebana the art of the trick."""
    game = table()
    assert game.state.art is None
    assert game.play("7-ikebana") == []
    assert game.state.art is Suit.IKEBANA


def test_the_lead_card_counts_as_an_obey_stage_card(table) -> None:
    game = table()
    game.play("7-ikebana")
    assert (game.state.stage, plays(game)) == (Stage.OBEY, [Play.LEAD])


def test_any_art_card_may_be_led(table) -> None:
    for name, data in table().setup.cards.items():
        if data.suits:
            game = table()
            assert game.tell(CardPlayed("A", name)) == []
            assert game.state.art is data.suits[0]


@pytest.mark.parametrize("aid", ["preparation", "review"])
def test_no_aid_is_led(table, aid) -> None:
    (finding,) = table().tell(CardPlayed("A", aid))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "A")
    assert finding.rule == "Playing a lead card: no Preparation or Review card"


def test_after_an_aid_was_led_the_first_art_card_names_the_suit(table) -> None:
    game = table()
    game.tell(CardPlayed("A", "preparation"), CardDrawn("A"))
    assert game.play("7-koto") == []
    assert game.state.art is Suit.KOTO


def test_a_leader_without_art_cards_draws_a_new_hand(table) -> None:
    game = table(2)
    away = ("preparation",) * 4 + ("review",) * 3
    assert game.tell(HandPutAway("A", away)) == []
    (wanted,) = RULES.expects(game.state)
    assert (game.state.phase, wanted.who, wanted.act) == (Phase.REFILL, "A", "draw a card")
    assert game.tell(*[CardDrawn("A")] * 7) == []
    assert (game.state.hands[0].size, game.state.pool.deck, game.state.phase) == (7, 49, Phase.PLAY)
    assert sorted(game.state.pool.aids) == sorted(away)
    assert game.play("7-ikebana") == []


def test_a_hand_put_away_may_go_under_the_deck(table) -> None:
    game = table(2, shown_hand=ShownHand.BOTTOM)
    game.tell(HandPutAway("A", ("preparation",) * 4 + ("review",) * 3))
    assert (game.state.pool.deck, game.state.pool.aids) == (63, ())


@pytest.mark.parametrize(
    ("seat", "cards"), [("A", ("7-ikebana", "review")), ("B", ("preparation",))], ids=["art in hand", "not the leader"]
)
def test_no_other_hand_is_drawn_anew(table, seat, cards) -> None:
    (finding,) = table().tell(HandPutAway(seat, cards))
    assert (finding.level, finding.player) == (Level.ILLEGAL, seat)
    assert "shown and drawn anew" in finding.rule


def test_no_hand_is_drawn_anew_once_the_leader_has_led(table) -> None:
    game = table(2)
    game.play("7-ikebana", "8-ikebana")
    before = game.state.hands
    (finding,) = game.tell(HandPutAway("A", ("preparation",) * 4 + ("review",) * 3))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "A")
    assert game.state.hands == before


def test_a_new_hand_that_nobody_saw_drawn_is_assumed(table) -> None:
    game = table(2)
    game.tell(HandPutAway("A", ("preparation",) * 4 + ("review",) * 3))
    (finding,) = game.tell(CardPlayed("A", "7-ikebana"))
    assert finding.level is Level.NOTE
    assert (game.state.hands[0].size, game.state.pool.certain) == (6, False)


# -- 2. Each Player's Turn ----------------------------------------------------------------------------------------------------


def test_after_the_card_the_top_of_the_deck_is_added(table) -> None:
    game = table()
    game.tell(CardPlayed("A", "7-ikebana"))
    assert (game.state.phase, game.state.trick.due, game.state.hands[0].size) == (Phase.REFILL, Due.DRAW, 6)
    (wanted,) = RULES.expects(game.state)
    assert (wanted.who, wanted.act) == ("A", "draw a card")
    assert game.tell(CardDrawn("A")) == []
    assert (game.state.hands[0].size, game.state.pool.deck, game.state.phase) == (7, 48, Phase.PLAY)


def test_turns_go_clockwise_from_the_start_player(table) -> None:
    game = table(lead="C")
    turns = []
    for rank in (7, 8, 9, 10):
        turns.append(game.state.turn)
        game.play(f"{rank}-ikebana")
    assert turns == ["C", "A", "B", "C"]


def test_out_of_turn(table) -> None:
    game = table()
    game.play("7-ikebana")
    (finding,) = game.tell(CardPlayed("C", "8-ikebana"))
    assert (finding.level, finding.player, finding.rule) == (
        Level.ILLEGAL,
        "C",
        "Each player's turn: clockwise, one card a turn",
    )
    game.tell(CardDrawn("C"))
    assert game.play("9-ikebana") == []  # B, who was passed over, is not to blame
    assert [played.place for played in game.state.trick.cards] == [0, 2, 1]
    assert game.state.turn == "A"


def test_a_second_card_in_a_turn(table) -> None:
    game = table()
    game.play("7-ikebana")
    (finding,) = game.tell(CardPlayed("A", "8-ikebana"))
    assert "it is the turn of B" in finding.text


@pytest.mark.parametrize(("players", "length"), [(2, 8), (3, 9)])
def test_a_trick_ends_after_eight_or_nine_cards(table, players, length) -> None:
    """Two players have four turns each, three have three."""
    game = table(players)
    for rank in range(1, length):
        game.play(f"{rank}-ikebana")
        assert game.state.phase is Phase.PLAY
    game.tell(CardPlayed(game.state.turn, f"{length}-ikebana"))
    assert game.state.phase is Phase.REFILL
    game.tell(CardDrawn(game.state.turn))
    assert game.state.phase is Phase.CLEAR
    counts = [sum(played.place == place for played in game.state.trick.cards) for place in range(players)]
    assert counts == [length // players] * players


def test_no_card_after_the_last(table) -> None:
    game = table()
    game.play(*(f"{rank}-ikebana" for rank in range(1, 10)))
    (finding,) = game.tell(CardPlayed("A", "10-ikebana"))
    assert finding.rule == "Each player's turn: the trick ends with its last card"
    assert len(game.state.trick.cards) == 9


def test_a_field_cleared_too_early_is_worth_a_note(table) -> None:
    game = table()
    game.play("7-ikebana")
    (finding,) = game.clear()
    assert (finding.level, finding.text) == (Level.NOTE, "The field was cleared after 1 of 9 cards of trick 1.")


def test_a_draw_without_a_turn(table) -> None:
    game = table()
    (finding,) = game.tell(CardDrawn("B"))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "B")
    assert game.state.hands[1].size == 8
    game = table()
    game.tell(CardPlayed("A", "7-ikebana"))
    (finding,) = game.tell(CardDrawn("B"))  # it is A who draws now
    assert (finding.level, finding.player) == (Level.ILLEGAL, "B")


def test_a_draw_that_nobody_saw_is_no_offence(table) -> None:
    game = table()
    game.tell(CardPlayed("A", "7-ikebana"))
    (finding,) = game.tell(CardPlayed("B", "8-ikebana"))
    assert (finding.level, finding.player) == (Level.NOTE, "A")
    assert (game.state.hands[0].size, game.state.pool.deck, game.state.pool.certain) == (7, 48, False)


def test_a_table_that_tells_no_draws_may_do_without_the_note(table) -> None:
    game = table(untold_draw=UntoldDraw.SILENT)
    game.tell(CardPlayed("A", "7-ikebana"))
    assert not game.tell(CardPlayed("B", "8-ikebana"))
    assert (game.state.hands[0].size, game.state.pool.deck, game.state.pool.certain) == (7, 48, False)


def test_a_stranger_plays_no_card(table) -> None:
    game = table()
    (finding,) = game.tell(CardPlayed("D", "7-ikebana"))
    assert finding.rule.startswith("Components")
    assert game.state.trick.cards == ()


# -- Playing an Art Card (Common) ---------------------------------------------------------------------------------------------


def test_practice_shows_the_lead_suit_in_the_stages_ring(table, card) -> None:
    game = table()
    game.play("7-ikebana", "3-ikebana")
    assert plays(game) == [Play.LEAD, Play.PRACTICE]
    game.play(f"{card(8, 1, 'ikebana')} break", card(2, 1, "ikebana"))
    assert plays(game)[2:] == [Play.BREAK, Play.PRACTICE]


def test_any_practising_card_may_be_chosen(table) -> None:
    game = table()
    game.play("7-ikebana")
    hand = ["1-ikebana", "12-ikebana", "5-koto"]
    assert playable(game.state, hand)["practice"] == ("1-ikebana", "12-ikebana")


@pytest.mark.parametrize(
    ("hand", "allowed"),
    [
        ({"practice", "break", "other"}, {"practice", "break"}),
        ({"practice", "other"}, {"practice"}),
        ({"break", "other"}, {"rest", "break"}),
        ({"other"}, {"rest"}),
    ],
    ids=["can both", "can practise", "can break", "can neither"],
)
def test_the_table_of_what_may_be_played(table, card, hand, allowed) -> None:
    game = table()
    game.play("7-ikebana")
    names = {"practice": "2-ikebana", "break": card(9, 1, "ikebana"), "other": card(3, 1, "ikebana")}
    assert set(playable(game.state, [names[kind] for kind in sorted(hand)])) == allowed


def test_a_rest_with_a_card_that_practises_is_seen_at_once(table) -> None:
    game = table()
    game.play("7-ikebana")
    (finding,) = game.tell(CardPlayed("B", "3-ikebana", Play.REST))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "B")
    assert finding.rule == "Playing an art card (common): practise if you can, or break the mold"
    assert game.state.hands[1].rests == ()


def test_practice_said_of_a_card_that_can_not(table) -> None:
    game = table()
    game.play("7-ikebana")
    (finding,) = game.tell(CardPlayed("B", "3-koto", Play.PRACTICE))
    assert finding.rule.startswith("Playing an art card (common): practice shows")
    assert plays(game) == [Play.LEAD, Play.VOID]


def test_any_art_card_may_rest_even_one_that_could_break(table, card) -> None:
    game = table()
    game.play("7-ikebana")
    assert game.play(f"{card(9, 1, 'ikebana')} rest", "3-koto rest") == []
    assert plays(game) == [Play.LEAD, Play.REST, Play.REST]
    assert game.state.stage is Stage.OBEY


def test_a_card_that_fits_nothing_is_a_rest_without_being_said(table) -> None:
    game = table()
    game.play("7-ikebana")
    assert game.play("3-koto") == []
    assert plays(game) == [Play.LEAD, Play.REST]


def test_rest_or_break_is_asked_where_nobody_told(table, card) -> None:
    game = table()
    game.play("7-ikebana")
    name = card(9, 1, "ikebana")
    assert game.play(name) == []
    (asked, _) = RULES.expects(game.state)
    assert (asked.who, asked.act, asked.options) == ("B", "say rest or break", ("rest", "break"))
    assert game.state.hands[1].rests == ()
    assert game.tell(PlayDeclared("B", Play.REST)) == []
    assert (plays(game)[-1], len(game.state.hands[1].rests)) == (Play.REST, 1)
    assert game.tell(PlayDeclared("B", Play.BREAK)) == []
    assert (plays(game)[-1], game.state.stage, game.state.hands[1].rests) == (Play.BREAK, Stage.DETACH, ())


def test_the_stage_card_tells_a_break(table, card) -> None:
    game = table()
    game.play("7-ikebana", card(9, 1, "ikebana"))
    assert game.tell(StageShown(Stage.DETACH)) == []
    assert (game.state.stage, plays(game)[-1]) == (Stage.DETACH, Play.BREAK)


def test_what_is_said_of_a_card_afterwards_is_judged_as_well(table, card) -> None:
    game = table()
    game.play("7-ikebana", "3-ikebana")
    (finding,) = game.tell(PlayDeclared("B", Play.REST))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "B")
    assert finding.rule == "Playing an art card (common): practise if you can, or break the mold"
    game.play("4-koto")
    (finding,) = game.tell(PlayDeclared("C", Play.BREAK))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "C")
    assert finding.rule.startswith("Playing an art card (by stage): breaking")
    assert game.state.stage is Stage.OBEY


def test_only_the_last_card_can_still_be_told(table, card) -> None:
    game = table()
    game.play("7-ikebana", card(9, 1, "ikebana"), "3-ikebana")
    (finding,) = game.tell(PlayDeclared("B", Play.BREAK))
    assert finding.level is Level.NOTE
    assert plays(game)[1] is None


# -- Playing an Art Card (By Stage) -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [7, 8, 12])
def test_obey_breaks_with_a_rank_as_high_or_higher(table, card, rank) -> None:
    game = table()
    game.play("7-ikebana", "4-ikebana")
    assert game.play(f"{card(rank, 1, 'ikebana')} break") == []
    assert game.state.stage is Stage.DETACH


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ((6, 1, "ikebana"), "[Obey] stage: break with a rank as high as the highest, or higher"),
        ((9, 1, "koto"), "Playing an art card (by stage): breaking needs the lead suit in the next ring"),
    ],
    ids=["condition 2", "condition 1"],
)
def test_obey_does_not_break_otherwise(table, card, name, rule) -> None:
    game = table()
    game.play("7-ikebana", "4-ikebana")
    (finding,) = game.tell(CardPlayed("C", card(*name), Play.BREAK))
    assert (finding.level, finding.rule) == (Level.ILLEGAL, rule)
    assert (game.state.stage, plays(game)[-1]) == (Stage.OBEY, Play.VOID)


def test_rests_are_not_measured(table, card) -> None:
    game = table()
    game.play("7-ikebana", "12-koto rest")
    assert game.play(f"{card(8, 1, 'ikebana')} break") == []


@pytest.mark.parametrize(("rank", "allowed"), [(3, True), (4, True), (5, False)])
def test_detach_breaks_with_a_rank_as_low_or_lower(table, card, rank, allowed) -> None:
    game = table()
    game.play("7-ikebana", f"{card(9, 1, 'ikebana')} break", card(4, 1, "ikebana"))
    found = game.tell(CardPlayed("A", card(rank, 2, "ikebana"), Play.BREAK))
    assert (game.state.stage is Stage.SEPARATE) is allowed
    assert rules_of(found) == ([] if allowed else ["[Detach] stage: break with a rank as low as the lowest, or lower"])


def test_detach_does_not_break_without_the_lead_suit_innermost(table, card) -> None:
    game = table()
    game.play("7-ikebana", f"{card(9, 1, 'ikebana')} break", card(4, 1, "ikebana"))
    (finding,) = game.tell(CardPlayed("A", card(2, 2, "koto"), Play.BREAK))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "A")
    assert finding.rule == "Playing an art card (by stage): breaking needs the lead suit in the next ring"
    assert game.state.stage is Stage.DETACH


def test_rests_are_not_measured_in_detach_either(table, card) -> None:
    game = table()
    game.play("7-ikebana", f"{card(9, 1, 'ikebana')} break", "1-koto rest")
    assert game.play(f"{card(5, 2, 'ikebana')} break") == []
    assert game.state.stage is Stage.SEPARATE


def test_the_whole_trick_is_measured_unless_the_table_says_the_stage(table, card) -> None:
    for setting, allowed in ((Played.TRICK, False), (Played.STAGE, True)):
        game = table(already_played=setting)
        game.play("2-ikebana", f"{card(9, 1, 'ikebana')} break")
        game.tell(CardPlayed("C", card(5, 2, "ikebana"), Play.BREAK))
        assert (game.state.stage is Stage.SEPARATE) is allowed


def test_the_breaking_card_opens_the_new_stage(table, card) -> None:
    game = table()
    game.play("7-ikebana", f"{card(9, 1, 'ikebana')} break")
    assert game.state.trick.cards[-1].stage == 1
    (marker, _) = RULES.expects(game.state)
    assert (marker.act, marker.options) == ("lay the stage card", ("detach",))
    assert game.tell(StageShown(Stage.DETACH)) == []
    assert [wanted.act for wanted in RULES.expects(game.state)] == ["play a card"]


def test_a_stage_card_that_marks_no_break(table) -> None:
    game = table()
    game.play("7-ikebana")
    (finding,) = game.tell(StageShown(Stage.DETACH))
    assert (finding.level, game.state.stage) == (Level.NOTE, Stage.OBEY)


def test_detach_practises_by_the_second_ring(table, card) -> None:
    game = table()
    game.play("7-ikebana", f"{card(9, 1, 'ikebana')} break")
    hand = ["1-ikebana", card(2, 1, "ikebana"), card(3, 2, "ikebana")]
    assert playable(game.state, hand) == {"practice": (hand[1],), "break": (hand[2],)}


def test_separate_practises_by_the_innermost_ring_and_breaks_no_more(table, card) -> None:
    game = table()
    game.play("7-ikebana", f"{card(9, 1, 'ikebana')} break", f"{card(3, 2, 'ikebana')} break")
    assert game.state.stage is Stage.SEPARATE
    assert game.play(card(11, 2, "ikebana")) == []
    assert plays(game)[-1] is Play.PRACTICE
    assert "break" not in playable(game.state, [card(1, 1, "ikebana"), card(2, 2, "ikebana"), "1-ikebana"])
    (finding,) = game.tell(CardPlayed("B", card(1, 1, "ikebana"), Play.BREAK))
    assert finding.rule == "[Separate] stage: no breaking the mold"


def test_rest_in_every_stage(table, card) -> None:
    game = table()
    game.play("7-ikebana", "2-koto rest", f"{card(9, 1, 'ikebana')} break", "3-koto rest")
    game.play(f"{card(3, 2, 'ikebana')} break", "4-koto rest")
    assert [played.stage for played in game.state.trick.cards if played.play is Play.REST] == [0, 1, 2]


def test_expectations_are_conditional(table, card) -> None:
    game = table()
    (lead,) = RULES.expects(game.state)
    assert (lead.who, lead.act) == ("A", "lead a card")
    game.play("7-ikebana")
    (wanted,) = RULES.expects(game.state)
    assert wanted.who == "B"
    assert "if you hold ikebana in the obey ring" in wanted.text
    assert "break: ikebana in the detach ring and rank 7 or higher" in wanted.options
    game.play(f"{card(9, 1, 'ikebana')} break", f"{card(3, 2, 'ikebana')} break")
    assert not any(option.startswith("break") for option in RULES.expects(game.state)[-1].options)


# -- 4. Preparation for the Next Trick ----------------------------------------------------------------------------------------


def test_the_field_goes_to_the_discard_pile_and_the_start_player_moves_left(table) -> None:
    game = table()
    names = [f"{rank}-ikebana" for rank in range(1, 10)]
    game.play(*names)
    assert game.tell(TrickCleared()) == []
    assert set(game.setup.names(game.state.pool.pile)) == set(names)
    assert (game.state.trick.number, game.state.leader, game.state.turn) == (2, "B", "B")
    (record,) = game.state.done
    assert (record.lead, record.art, record.stage) == ("A", Suit.IKEBANA, Stage.OBEY)
    assert record.played[0] == ("A", "1-ikebana", Play.LEAD)


def test_the_start_player_moves_left_whoever_learned(table) -> None:
    game = table(2)
    leaders = []
    for suit in ("ikebana", "koto", "chado"):
        leaders.append(game.state.leader)
        game.play(*(f"{rank}-{suit}" for rank in range(1, 9)))
        game.clear()
    assert leaders == ["A", "B", "A"]

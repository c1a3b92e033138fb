"""Rules of the Duel and of honor about dice, the defensive position and timeouts."""

from __future__ import annotations

import pytest

from companion.rules.core import Level
from companion.rules.hoshi_battle import Life, Verdict, alive_symbols, life_at, rule_touch, sections
from companion.rules.hoshi_battle.facts import (
    DieFell,
    DiePickedUp,
    DiePutBack,
    DieRolled,
    Face,
    Foul,
    FoulSeen,
    HandLowered,
    HandRaised,
    HandsTouched,
    PlayBegan,
    SwingMissed,
    TimeoutCalled,
)
from companion.rules.hoshi_battle.state import Phase

MS = 1000


@pytest.fixture
def game(table):
    game = table()
    game.duel(A="plain-1", B="plain-2")
    return game


def test_roll_must_first_touch_inside_the_arena(game, rules) -> None:
    assert rules(game.roll("A", inside=False), Level.ILLEGAL) == [sections.INSIDE]
    assert life_at(game.state, "A", 0, game.now + 200 * MS) is Life.DEAD
    game.touch("A")
    assert (game.stones("A"), game.stones("B")) == (1, 2)  # it was a touch without a symbol
    assert rules(game.findings[-1:]) == [sections.INSIDE]


def test_nobody_waits_for_a_turn(game) -> None:
    """A rolls three times while B's first die still lies there."""
    assert game.roll("B", "blank") == []
    for face in ("blank", "shield"):
        assert game.roll("A", face) == []
        game.pick_up("A")
    assert game.hit("A") == []
    assert game.stones("B") == 1


def test_roll_that_rolls_out_of_the_arena_counts(game) -> None:
    """Only where it first touched is told: a valid roll is one that did so inside, wherever it ends."""
    assert game.roll("A", inside=True) == []
    game.touch("A")
    assert game.stones("B") == 1


def test_roll_after_rolling_out_begins_inside_again(game, rules) -> None:
    assert game.roll("A", "blank", inside=True) == []  # it lies outside now
    game.pick_up("A")
    assert rules(game.roll("A", inside=False), Level.ILLEGAL) == [sections.INSIDE]
    game.pick_up("A")
    assert game.roll("A", inside=True) == []
    game.touch("A")
    assert game.stones("B") == 1


def test_roll_whose_touch_down_nobody_saw_is_for_the_referee(game) -> None:
    assert game.roll("A", inside=None) == []
    (said,) = game.touch("A")
    assert (said.level, said.rule) == (Level.NOTE, sections.TOO_CLOSE)
    assert (game.stones("A"), game.stones("B")) == (2, 2)


def test_roll_with_another_die_than_the_heros(game, rules) -> None:
    assert rules(game.roll("A", "blank", sides=8), Level.ILLEGAL) == [sections.TAKE_DIE]
    assert game.roll("A", "blank", sides=10) == []


def test_roll_with_a_second_die(game, rules) -> None:
    assert rules(game.roll("A", die=1), Level.ILLEGAL) == [sections.TAKE_DIE]


@pytest.mark.parametrize(
    ("foul", "rule"),
    [
        (Foul.SECOND_HAND, sections.ONE_HAND),
        (Foul.PUSHED_DIE, sections.LIFT),
        (Foul.INTERFERENCE, sections.INTERFERE),
        (Foul.FORCE, sections.GENTLY),
        (Foul.JEWELRY, sections.GENTLY),
    ],
)
def test_fouls_that_a_person_sees(game, rules, foul, rule) -> None:
    before = game.state
    assert rules(game.tell(FoulSeen("B", foul)), Level.ILLEGAL) == [rule]
    assert game.state == before


def test_symbol_is_lost_when_the_die_is_picked_up(game, rules) -> None:
    game.roll("A")
    game.pick_up("A")
    assert alive_symbols(game.state, "A", game.now + 100 * MS) == frozenset()
    assert alive_symbols(game.state, "A", game.now - 100 * MS) == {Face.STRIKE}  # as it was then
    game.touch("A")
    assert game.stones("A") == 1
    assert rules(game.findings) == [sections.RUSHED]


def test_die_laid_back_is_lost(game, rules) -> None:
    game.roll("A")
    game.pick_up("A")
    assert rules(game.tell(DiePutBack("A", Face.STRIKE, game.now + 50 * MS)), Level.ILLEGAL) == [sections.RUSHED]
    game.touch("A", after_ms=300)
    assert game.stones("A") == 1


def test_one_try_for_each_symbol(game, rules) -> None:
    game.roll("A")
    game.now += 200 * MS
    assert game.tell(SwingMissed("A", game.now)) == []
    assert game.phase is Phase.ROLLING  # a miss: the round goes on
    game.touch("A")
    assert (game.stones("A"), game.stones("B")) == (1, 2)
    assert rules(game.findings) == [sections.ONE_TRY]


def test_after_a_miss_another_symbol_gives_another_try(game) -> None:
    game.roll("A")
    game.tell(SwingMissed("A", game.now + 200 * MS))
    game.pick_up("A")
    game.hit("A")
    assert game.stones("B") == 1


def test_touching_an_arm_is_a_miss(game) -> None:
    from companion.rules.hoshi_battle.facts import Where

    game.roll("A")
    assert game.touch("A", where=Where.ELSEWHERE) == []
    assert game.phase is Phase.ROLLING
    assert game.stones("B") == 2
    assert life_at(game.state, "A", 0, game.now + MS) is Life.DEAD


def test_defence_for_a_moment_is_a_miss(game) -> None:
    game.roll("A")
    raised = game.now + 300 * MS
    game.tell(HandRaised("B", raised))
    assert life_at(game.state, "A", 0, raised + 999 * MS) is Life.ALIVE
    assert life_at(game.state, "A", 0, raised + 1000 * MS) is Life.DEAD
    game.tell(HandLowered("B", raised + 1200 * MS))
    assert life_at(game.state, "A", 0, raised + 1300 * MS) is Life.DEAD  # it does not come back


def test_defence_too_short_loses_nothing(game) -> None:
    game.roll("A")
    game.tell(HandRaised("B", game.now + 100 * MS), HandLowered("B", game.now + 600 * MS))
    assert life_at(game.state, "A", 0, game.now + 700 * MS) is Life.ALIVE


def test_defence_begins_with_the_symbol_when_the_hand_was_up_before(game) -> None:
    game.tell(HandRaised("B", game.now))
    game.now += 5000 * MS
    game.roll("A")
    assert life_at(game.state, "A", 0, game.now + 900 * MS) is Life.ALIVE
    assert life_at(game.state, "A", 0, game.now + 1000 * MS) is Life.DEAD


def test_touch_after_the_moment_of_defence_is_a_bluff(game) -> None:
    game.roll("A")
    game.tell(HandRaised("B", game.now))
    (said,) = game.touch("A", after_ms=1100)
    assert (said.rule, said.level) == (sections.MOMENT, Level.NOTE)
    assert (game.stones("A"), game.stones("B")) == (1, 2)


def test_moment_of_defence_is_a_setting(table) -> None:
    game = table(defence_ms=300)
    game.duel(A="plain-1", B="plain-2")
    game.roll("A")
    game.tell(HandRaised("B", game.now))
    assert life_at(game.state, "A", 0, game.now + 300 * MS) is Life.DEAD


# Timeout


def test_timeout_begins_when_the_opponent_has_finished(game) -> None:
    """B's die was in the air when A called: it counts, and B may hit with it."""
    game.now += 500 * MS
    assert game.tell(DieFell("A", game.now), TimeoutCalled("A", game.now)) == []
    assert game.expects("count down")[0].rule == sections.TIMEOUT
    called = game.now
    assert game.roll("B", released_us=called - 100 * MS) == []
    assert game.touch("B") == []
    assert game.stones("A") == 1


def test_timeout_rolls_that_began_in_it_do_not_count(game, rules) -> None:
    game.now += 500 * MS
    game.tell(TimeoutCalled("A", game.now))
    assert rules(game.roll("B", released_us=game.now + 100 * MS), Level.ILLEGAL) == [sections.TIMEOUT]
    assert rules(game.roll("A"), Level.ILLEGAL) == [sections.TIMEOUT]
    assert life_at(game.state, "B", 0, game.now) is Life.DEAD


def test_timeout_ends_with_a_countdown_and_fresh_dice(game, rules) -> None:
    game.roll("A")
    game.tell(TimeoutCalled("B", game.now))
    assert rules(game.tell(PlayBegan(game.now + 5000 * MS, counted=False)), Level.NOTE) == [sections.TIMEOUT]
    assert game.state.duel.timeout is None
    assert game.fighter("A").rolls == (None, None)


@pytest.mark.parametrize(("caller", "other"), ["AB", "BA"])
def test_timeout_waits_for_the_one_who_did_not_call(game, caller, other) -> None:
    game.tell(TimeoutCalled(caller, game.now))
    assert game.expects("count down")[0].text.startswith(f"Timeout as soon as {other} has finished")


def test_timeout_may_leave_the_dice(table) -> None:
    game = table(timeout_clears_dice=False)
    game.duel(A="plain-1", B="plain-2")
    game.roll("A")
    game.tell(TimeoutCalled("B", game.now))
    game.begin()
    game.touch("A")
    assert game.stones("B") == 1


def test_timeout_touch_of_the_caller_does_not_count(game, rules) -> None:
    game.roll("A")
    game.tell(TimeoutCalled("A", game.now))
    assert rules(game.touch("A"), Level.NOTE) == [sections.TIMEOUT]
    assert game.stones("B") == 2


def test_timeout_touch_before_the_call_counts(game) -> None:
    game.roll("A")
    game.tell(TimeoutCalled("A", game.now + 400 * MS))
    assert game.tell(HandsTouched(("A",), game.now + 200 * MS)) == []
    assert game.stones("B") == 1


def test_timeout_while_no_round_goes_on(game, rules) -> None:
    game.hit("A")
    assert rules(game.tell(TimeoutCalled("B", game.now)), Level.NOTE) == [sections.TIMEOUT]
    assert game.state.duel.timeout is None


def test_die_that_fell_shows_nothing(game) -> None:
    game.roll("A")
    game.tell(DieFell("A", game.now + 10 * MS))
    assert life_at(game.state, "A", 0, game.now + 500 * MS) is Life.DEAD


# Facts without times: told by hand


def test_without_times_the_order_of_telling_counts(table) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2")
    game.tell(DieRolled("A", Face.STRIKE), HandsTouched(("A",)))
    assert game.stones("B") == 1
    game.tell(DieRolled("A", Face.STRIKE), DiePickedUp("A"), HandsTouched(("A",)))
    assert game.stones("A") == 1


def test_resolver_may_ask_before_it_tells(game) -> None:
    game.roll("A")
    before = game.state
    ruling = rule_touch(game.state, HandsTouched(("A",), game.now + 200 * MS))
    assert (ruling.verdict, ruling.hit, ruling.spent) == (Verdict.HIT, (1,), ((0, 0),))
    assert game.state is before

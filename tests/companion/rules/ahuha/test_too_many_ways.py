"""A count gives up after so many steps: then it says so and accuses nobody; what it does count is exact."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from companion.rules.ahuha import hindsight, knowledge
from companion.rules.ahuha.counting import count
from companion.rules.ahuha.effects import Effect, EffectKind
from companion.rules.ahuha.facts import CardPlaced, EffectTold, FrozenPlaced, FrozenTaken, Orientation, Side, Told
from companion.rules.ahuha.fold import due_now
from companion.rules.ahuha.stretches import PASS
from companion.rules.core import Level
from companion.virtual.ahuha import judge_game
from companion.virtual.chance import Chance

GRAVE = (Level.ILLEGAL, Level.PROVED, Level.SUSPECT)


class Talkative:
    """An honest series in which every card either asks all hands for some stars or passes the frozen cards."""

    def __init__(self, table, seed: int, passing: int) -> None:
        self.game = table(effects=dict.fromkeys(table().setup.ids, Effect()))
        self.chance = Chance(seed)
        self.passing = passing
        cards = list(self.game.setup.ids)
        self.chance.shuffle(cards)
        self.asked = [tuple(sorted({self.chance.pick(cards) for _ in range(5)})) for _ in range(5)]
        self.hands = [cards[0:6], cards[6:12], cards[12:18]]
        self.frozen = cards[18:]
        self.counts: list[int | None] = []

    def play(self) -> None:
        game = self.game
        for number in range(1, 8):
            fronts = [self.frozen[place - 1] for place in range(3)]
            game.show(*([hand.pop(0) for hand in self.hands] if number < 7 else fronts))
            while game.state.round.number == number and game.state.round.active is not None:
                self.turn(number)
                self.counts.append(game.worlds)
        game.end()

    def turn(self, number: int) -> None:
        game = self.game
        if number == 7:
            game.told()
        elif self.chance.per_mille(self.passing):
            game.told(Told.PASSED)
            self.pass_on()
        else:
            asked = self.chance.pick(self.asked)
            raised = [seat for seat, hand in zip("ABC", self.hands, strict=True) if set(asked) & set(hand)]
            game.tell(EffectTold(Told.HANDS, tuple(raised), asked=asked))
        current, due = game.state.round, due_now(game.state)
        seats = game.state.seats
        game.tell(CardPlaced(seats[current.active], current.cards[current.active], due.orientation))
        if due.partner is not None:
            game.tell(CardPlaced(seats[due.partner], current.cards[due.partner], Orientation.UPRIGHT))

    def pass_on(self) -> None:
        for place in range(3):
            self.hands[place].append(self.frozen[place - 1])
        self.frozen = [hand.pop(self.chance.below(len(hand))) for hand in self.hands]
        self.game.tell(*(FrozenTaken(seat, Side.RIGHT) for seat in "ABC"))
        self.game.tell(*(FrozenPlaced(seat, Side.LEFT) for seat in "ABC"))


@pytest.fixture
def bound(monkeypatch):
    """Sets the most steps of a count."""
    return lambda most: monkeypatch.setattr(knowledge, "count", partial(count, most=most))


def test_talkative_tables_hit_the_bound_and_nobody_is_accused(table) -> None:
    counts: Counter[bool] = Counter()
    for seed in range(6):
        series = Talkative(table, seed, 350)
        series.play()
        counts.update(n is None for n in series.counts)
        assert 0 not in series.counts, seed
        assert [f for f in series.game.findings if f.level in GRAVE] == [], seed
    assert counts[True] >= 10
    assert counts[False] > counts[True]


def test_a_tighter_bound_says_less_but_nothing_else(table, bound) -> None:
    for seed in range(3):
        full = Talkative(table, seed, 250)
        full.play()
        bound(200)
        tight = Talkative(table, seed, 250)
        tight.play()
        bound(150_000)
        assert all(few in (None, many) for few, many in zip(tight.counts, full.counts, strict=True) if many is not None)
        assert tight.counts.count(None) > full.counts.count(None)
        assert [f for f in tight.game.findings if f.level in GRAVE] == []


def test_without_any_step_no_honest_answer_is_doubted_and_nothing_is_kept_from_the_record(table, bound) -> None:
    bound(0)
    series = Talkative(table, 1, 400)
    series.play()
    assert None in series.counts
    assert [f for f in series.game.findings if f.level in GRAVE] == []
    assert series.game.state.series == 2


def test_a_lie_that_needs_no_count_is_proved_all_the_same(table, bound) -> None:
    bound(0)
    game = table()
    game.show("deneb", "fomalhaut", "achernar")
    game.told(Told.HANDS)
    game.finish()
    found = [finding for finding in game.play("vega", "regulus", "spica") if finding.level is Level.PROVED]
    assert [finding.player for finding in found] == ["A"]


def contradiction(table):
    """Two claim the one star that was asked for: not both can be right."""
    game = table(effects={"fomalhaut": Effect(EffectKind.RAISE_HANDS, of=("vega",))}, active_answers=True)
    game.show("fomalhaut", "achernar", "aldebaran")
    return game.told(Told.HANDS, "A", "B")


def test_what_can_not_all_be_right_is_said_where_it_is_counted_only(table, bound) -> None:
    assert [finding.level for finding in contradiction(table)] == [Level.SUSPECT]
    bound(0)
    assert contradiction(table) == []


def test_hindsight_calls_possible_what_it_can_not_count(table, bound) -> None:
    series = Talkative(table, 2, 300)
    series.play()
    record = series.game.state.done[-1]
    exact = hindsight(record, series.game.setup)
    bound(0)
    vague = hindsight(record, series.game.setup)
    for known, unsure in zip(exact.hands, vague.hands, strict=True):
        for seat, held in known.items():
            assert set(unsure[seat].sure) <= set(held.sure)
            assert set(held.sure + held.possible) <= set(unsure[seat].sure + unsure[seat].possible)


def test_a_game_that_hits_the_bound_is_played_out(table, bound) -> None:
    series = Talkative(table, 1, 400)
    series.play()
    full = judge_game(series.game.setup, series.game.facts)
    bound(0)
    less = judge_game(series.game.setup, series.game.facts)
    assert less.findings == full.findings
    assert 0 < less.counted < full.counted


def test_the_bound_lifted_or_not_the_count_is_right_or_none(slow_worlds, stories) -> None:
    given_up = 0
    for seed in range(20):
        story, question = stories(Chance(seed), (2, 1, 1), 1)
        listed = slow_worlds.forward((2, 1, 1), story, 7)
        assert count(*question, most=None) == listed, (seed, story)
        for most in (0, 5, 20, 60):
            counted = count(*question, most=most)
            assert counted in (None, listed), (seed, most, story)
            given_up += counted is None
    assert given_up > 20


def test_the_same_count_ends_after_the_same_steps_whatever_was_counted_before() -> None:
    asks = tuple((place, mask, True) for place in range(3) for mask in (2, 4, 9))
    question = (4, 4, 4, 4), (5, 4, 4), (-1, -1, -1), (*asks, PASS, *asks, PASS, *asks)
    first = [count.__wrapped__(*question, most=most) for most in (10, 100, 1_000)]
    assert first == [None, None, None]
    exact = count.__wrapped__(*question, most=None)
    assert exact
    assert [count.__wrapped__(*question, most=most) for most in (10, 100, 1_000, None)] == [*first, exact]

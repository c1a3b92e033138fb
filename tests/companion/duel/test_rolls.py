"""A roll's life as its reports tell it, in whatever order they come; and the facts that follow: no more than is known."""

from __future__ import annotations

from itertools import permutations

import pytest

from companion.duel.happenings import REST_SLACK_US, UNTOLD_REST_US, Happening, happenings_of
from companion.duel.reports import DieNews, DieReport, RaisedReport, Report, Source, SwingReport, ToldReport
from companion.duel.rolls import Band, RollLife, Stage, lives_of
from companion.duel.timeline import NEVER_US, Entry
from companion.rules.hoshi_battle.facts import (
    SYMBOLS,
    DiePickedUp,
    DieRolled,
    Doubt,
    Face,
    Foul,
    FoulSeen,
    HandRaised,
    SwingMissed,
    TimeoutCalled,
)

MS = 1000


class Story:
    """What a camera tells of dice, one report after the other."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def say(self, report: Report, at_ms: float, within_ms: float = 0.0, source: Source = Source.DICE) -> Story:
        key = (len(self.entries),)
        self.entries.append(Entry(round(at_ms * MS), round(within_ms * MS), source, key, report))
        return self

    def die(self, news: DieNews, at_ms: float, within_ms: float = 0.0, throw: int = 1, **more) -> Story:
        return self.say(DieReport(news, "A", 0, throw, **more), at_ms, within_ms)

    def rolled(self, face: Face = Face.STRIKE, *, inside: bool | None = True) -> Story:
        """Let go at 100 ms, at rest from 500 ms on."""
        self.die(DieNews.RELEASED, 100, 10, sides=10).die(DieNews.SETTLED, 500, 4)
        return self.die(DieNews.READ, 500, face=face).die(DieNews.DECIDED, 500, inside=inside)

    @property
    def life(self) -> RollLife:
        (life,) = lives_of(self.entries)
        return life

    def happenings(self, horizon_ms: float = 1e6) -> list[Happening]:
        return happenings_of(self.entries, round(horizon_ms * MS))


def test_a_roll_from_the_hand_to_the_hand() -> None:
    life = Story().rolled().die(DieNews.TAKEN_UP, 900, 20).life
    assert (life.face, life.inside, life.sides, life.is_open) == (Face.STRIKE, True, 10, False)
    stages = [life.stage(at_ms * MS) for at_ms in (50, 95, 300, 500, 700, 890, 930)]
    assert stages == [
        Stage.HELD,
        Stage.UNSURE,
        Stage.ROLLING,
        Stage.UNSURE,
        Stage.SETTLED,
        Stage.UNSURE,
        Stage.LOST,
    ]


def test_it_is_the_same_life_in_whatever_order_its_reports_lie() -> None:
    entries = Story().rolled().die(DieNews.TAKEN_UP, 900, 20).entries
    assert {lives_of(order) for order in permutations(entries)} == {lives_of(entries)}


def test_taken_up_before_it_came_to_rest_it_never_showed_anything() -> None:
    life = Story().die(DieNews.RELEASED, 100).die(DieNews.LOST, 300, 20).life
    assert life.stage(250 * MS) is Stage.ROLLING
    assert life.stage(400 * MS) is Stage.SNATCHED


def test_a_rest_that_is_withdrawn_takes_what_was_read_with_it() -> None:
    story = Story().rolled().die(DieNews.UNSETTLED, 600)
    assert story.life.settled is None
    assert story.happenings() == []
    story.die(DieNews.SETTLED, 800).die(DieNews.READ, 800, face=Face.BLANK)
    assert (story.life.face, story.life.is_decided) == (Face.BLANK, False)
    assert [each.at_us for each in story.happenings()] == [800 * MS]


def test_what_is_not_told_yet_is_open() -> None:
    story = Story().die(DieNews.SETTLED, 500)
    assert story.life.is_open
    assert story.die(DieNews.READ, 500, face=Face.STRIKE).life.is_open
    assert not story.die(DieNews.DECIDED, 500, inside=None).life.is_open


def test_a_die_under_a_hand_may_lie_there_or_not() -> None:
    story = Story().rolled().die(DieNews.HIDDEN, 700)
    assert story.life.is_hidden
    assert story.life.stage(750 * MS) is Stage.HIDDEN
    _, gone = story.happenings(1000)
    (fact,) = gone.ways[0]
    assert isinstance(fact, DiePickedUp)
    assert (fact.at_us - fact.within_us, fact.at_us + fact.within_us) == (700 * MS, 1000 * MS)
    story.die(DieNews.SHOWN, 800)
    assert not story.life.is_hidden
    assert story.life.stage(900 * MS) is Stage.SETTLED
    assert [type(each.ways[0][0]) for each in story.happenings()] == [DieRolled]


def test_a_throw_tells_that_the_die_had_been_taken_up_before() -> None:
    """Nobody saw it lifted, but it came out of a hand again."""
    story = Story().rolled().die(DieNews.RELEASED, 1500, 10, throw=2)
    first, second = lives_of(story.entries)
    assert first.lifted == Band(496 * MS, 1510 * MS)
    assert second.lifted is None
    story.die(DieNews.TAKEN_UP, 1490, 200, throw=1)
    first, _ = lives_of(story.entries)
    assert first.lifted == Band(1290 * MS, 1510 * MS)


def test_the_other_players_die_tells_nothing_of_it() -> None:
    story = Story().rolled()
    story.say(DieReport(DieNews.RELEASED, "B", 0, 1), 1500).say(DieReport(DieNews.RELEASED, "A", 1, 1), 1600)
    assert [life.lifted for life in lives_of(story.entries)] == [None, None, None]


@pytest.mark.parametrize("throw", [1, 2])
def test_a_pushed_die_is_a_foul_and_no_roll(throw) -> None:
    story = Story().rolled().die(DieNews.PUSHED, 800, throw=1)
    assert [way for each in story.happenings() for way in each.ways if isinstance(way[0], FoulSeen)] == [
        (FoulSeen("A", Foul.PUSHED_DIE, 800 * MS),)
    ]
    assert sum(isinstance(each.record[0], DieRolled) for each in story.happenings()) == 1


# -- facts --------------------------------------------------------------------------------------------------------------


def test_what_is_known_has_one_way_and_a_band_of_two_pictures_at_least() -> None:
    (rolled,) = Story().rolled().happenings()
    fact = DieRolled("A", Face.STRIKE, 500 * MS, REST_SLACK_US, True, 0, 90 * MS, 10)
    assert rolled.ways == ((fact,),)
    assert rolled.record == (fact,)


def test_a_rest_that_is_told_as_more_unsure_than_that_stays_so() -> None:
    story = Story().die(DieNews.RELEASED, 100, 10).die(DieNews.SETTLED, 500, 70)
    (rolled,) = story.happenings()
    assert (rolled.record[0].at_us, rolled.record[0].within_us) == (500 * MS, 70 * MS)


@pytest.mark.parametrize(
    ("face", "inside", "ways"),
    [
        (Face.STRIKE, None, {(Face.STRIKE, True), (Face.STRIKE, False)}),
        (Face.UNKNOWN, True, {(face, True) for face in (*SYMBOLS, Face.BLANK)}),
        (Face.UNKNOWN, None, {*((face, True) for face in (*SYMBOLS, Face.BLANK)), (Face.STRIKE, False)}),
        (Face.BLANK, None, {(Face.BLANK, None)}),
        (Face.UNKNOWN, False, {(Face.UNKNOWN, False)}),
    ],
)
def test_what_is_left_open_has_each_of_its_ways_and_is_recorded_as_open(face, inside, ways) -> None:
    (rolled,) = Story().rolled(face, inside=inside).happenings()
    facts = [way[0] for way in rolled.ways]
    assert {(fact.face, fact.inside) for fact in facts} == ways
    (recorded,) = rolled.record
    assert (recorded.face, recorded.inside) == (face, inside)


def test_a_tipped_die_shows_nobody_knows_what() -> None:
    (rolled,) = Story().rolled().die(DieNews.TIPPED, 800).happenings()
    assert rolled.record[0].face is Face.UNKNOWN


def test_a_die_that_went_out_of_sight_while_it_rolled_may_have_shown_anything_or_nothing() -> None:
    story = Story().die(DieNews.RELEASED, 100).die(DieNews.LOST, 600, 100)
    rolled, gone = story.happenings()
    assert rolled.ways[0] == ()
    assert [way[0].face for way in rolled.ways[1:]] == list(SYMBOLS)
    fact = rolled.ways[1][0]
    # It may have lain still for as long as a camera needs to tell that.
    assert abs(fact.at_us - fact.within_us - (500 * MS - UNTOLD_REST_US)) <= 1
    assert abs(fact.at_us + fact.within_us - 700 * MS) <= 1
    assert gone.record == (DiePickedUp("A", 600 * MS, 100 * MS),)


def test_a_hand_is_raised_at_the_first_or_the_last_moment_at_which_it_may_have_been() -> None:
    (sure,) = Story().say(RaisedReport("B", is_up=True), 500, 10, Source.HANDS).happenings()
    assert [way[0].at_us for way in sure.ways] == [
        500 * MS - 10 * MS - REST_SLACK_US,
        500 * MS + 10 * MS + REST_SLACK_US,
    ]
    assert sure.record == (HandRaised("B", 500 * MS),)
    (maybe,) = Story().say(RaisedReport("B", is_up=True, is_sure=False), 500, 10, Source.HANDS).happenings()
    assert maybe.ways == ((), *sure.ways)
    assert (maybe.record, maybe.doubt) == ((), Doubt.DEFENCE)


def test_a_try_that_may_have_been_none_is_not_recorded_but_not_forgotten() -> None:
    (maybe,) = Story().say(SwingReport("A", is_sure=False), 500, 10, Source.HANDS).happenings()
    assert maybe.record == ()
    assert [type(way[0]) for way in maybe.ways[1:]] == [SwingMissed, SwingMissed]
    assert maybe.doubt is Doubt.TRY


def test_a_buttons_timeout_is_called_at_the_first_or_the_last_moment_at_which_it_may_have_been() -> None:
    told = ToldReport(TimeoutCalled("A", 525 * MS))
    (called,) = Story().say(told, 525, 25, Source.PEOPLE).happenings()
    assert [way[0].at_us for way in called.ways] == [500 * MS, 550 * MS]


def test_only_what_happened_before_the_horizon_counts() -> None:
    story = Story().rolled().die(DieNews.TAKEN_UP, 900)
    assert [each.at_us for each in story.happenings(600)] == [500 * MS]
    assert story.happenings(400) == []
    assert NEVER_US > 10**15

"""Reports are placed by their time whenever they come, and nothing counts as told before its source has said so or is blind."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from companion.duel.reports import DieNews, DieReport, Source, TouchReport
from companion.duel.timeline import NEVER_US, Entry, TimeLine

MS = 1000


def entry(at_us: int, number: int, source: Source = Source.PAD, within_us: int = 500) -> Entry:
    return Entry(at_us, within_us, source, (number,), TouchReport())


def line_of(*entries: Entry) -> TimeLine:
    line = TimeLine()
    for one in entries:
        line = line.told(one)
    return line


@given(st.lists(st.tuples(st.integers(0, 50), st.sampled_from(Source)), max_size=12), st.randoms())
def test_in_whatever_order_reports_come_they_lie_in_the_order_of_their_times(times, random) -> None:
    entries = [entry(at_us, n, source) for n, (at_us, source) in enumerate(times)]
    shuffled = random.sample(entries, len(entries))
    line = line_of(*shuffled)
    assert line.entries == line_of(*entries).entries
    assert [one.at_us for one in line.entries] == sorted(at_us for at_us, _ in times)
    assert len(line.entries) == len(entries)


def test_the_same_report_a_second_time_changes_nothing() -> None:
    once = line_of(entry(5 * MS, 1), entry(9 * MS, 2))
    assert once.told(entry(5 * MS, 1)) is once
    # Sent again with a better idea of the clock, it is still the same report.
    assert once.told(replace(entry(5 * MS, 1), at_us=6 * MS)) is once


def test_the_same_number_of_another_source_is_another_report() -> None:
    assert len(line_of(entry(5, 1), entry(5, 1, Source.DICE)).entries) == 2


def test_the_least_of_the_sources_says_how_far_all_is_told() -> None:
    line = TimeLine().told_through(Source.PAD, 80).told_through(Source.DICE, 50)
    assert line.complete_us((Source.PAD, Source.DICE)) == 50
    assert line.complete_us((Source.PAD,)) == 80
    assert line.complete_us((Source.PAD, Source.HANDS)) == -NEVER_US
    assert line.complete_us(()) == NEVER_US


def test_a_word_is_not_taken_back_by_a_later_one_about_less() -> None:
    line = TimeLine().told_through(Source.PAD, 80)
    assert line.told_through(Source.PAD, 60) is line


def test_who_is_declared_blind_is_waited_for_no_more_until_it_sees_again() -> None:
    line = TimeLine().told_through(Source.DICE, 100).blinded(Source.DICE, 90, "unplugged")
    assert line.complete_us((Source.DICE,)) == NEVER_US
    again = line.sees_again(Source.DICE, 400)
    assert again.complete_us((Source.DICE,)) == 400
    assert again.told_through(Source.DICE, 500).complete_us((Source.DICE,)) == 500


def test_a_gap_that_lies_ahead_of_what_was_told_is_not_passed_over() -> None:
    """The pad told up to 100 and was blind from 200 to 300: what it felt from 100 to 200 may still come."""
    line = TimeLine().told_through(Source.PAD, 100).blinded(Source.PAD, 200, "it began anew", 300)
    assert line.complete_us((Source.PAD,)) == 100
    assert line.told_through(Source.PAD, 200).complete_us((Source.PAD,)) == 300


def test_gaps_that_touch_each_other_are_one_in_whatever_order_they_are_declared() -> None:
    spans = ((100, 200), (190, 300), (301, 400))
    for order in permutations(spans):
        line = TimeLine().told_through(Source.PAD, 100)
        for since_us, until_us in order:
            line = line.blinded(Source.PAD, since_us, "reset", until_us)
        assert line.complete_us((Source.PAD,)) == 400


def test_a_moment_is_blind_if_any_part_of_it_is() -> None:
    line = TimeLine().blinded(Source.HANDS, 200, "too dark", 300)
    assert line.blind_at(Source.HANDS, 100, 199) is None
    assert line.blind_at(Source.DICE, 200, 300) is None
    found = line.blind_at(Source.HANDS, 100, 200)
    assert found is not None
    assert (found.since_us, found.until_us, found.why) == (200, 300, "too dark")
    assert line.blind_at(Source.HANDS, 301, 400) is None


def test_a_report_that_breaks_its_sources_word_is_placed_and_named() -> None:
    line = TimeLine().told_through(Source.DICE, 10 * MS)
    late = line.told(entry(5 * MS, 1, Source.DICE)).told(entry(9900, 2, Source.DICE)).told(entry(5 * MS, 1))
    assert [one.key for one in late.broken] == [(1,)]
    assert late.broken[0].source is Source.DICE
    assert len(late.entries) == 3


def test_what_is_worked_out_later_of_something_told_breaks_no_word() -> None:
    line = TimeLine().told_through(Source.DICE, 10 * MS)
    for n, news in enumerate(DieNews):
        line = line.told(Entry(5 * MS, 0, Source.DICE, (n,), DieReport(news, "A", 0, 1)))
    broken = {one.report.news for one in line.broken if isinstance(one.report, DieReport)}
    assert broken == set(DieNews) - {DieNews.READ, DieNews.DECIDED}


def test_what_may_still_matter_is_not_forgotten() -> None:
    line = line_of(entry(1000, 1), entry(2000, 2), entry(2400, 3)).blinded(Source.PAD, 0, "reset", 1400)
    kept = line.forgotten(2500)
    assert [one.key for one in kept.entries] == [(2,), (3,)]
    assert kept.blinds == ()


def test_nothing_that_is_asked_of_a_line_changes_it() -> None:
    line = line_of(entry(1000, 1))
    line.told(entry(500, 2))
    line.told_through(Source.PAD, 9)
    line.blinded(Source.PAD, 0, "reset")
    assert line == line_of(entry(1000, 1))

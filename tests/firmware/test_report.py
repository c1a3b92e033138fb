"""The report on what the pad tells: its numbers against what dwell and resistors must give, its page and plot by their form."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from companion.bench.pad_page import write
from companion.bench.pad_report import HUMS, RESISTANCES_OHM, Cell, Onset, PadReport, measure, onsets_of

QUIET, ROOM = HUMS[0], HUMS[1]
STAMP_US = 50
"""What an onset without a flag keeps to, by the contract of the pad."""


@pytest.fixture(scope="module")
def report(simulator: None) -> PadReport:
    durations, ohms = (1, 4.5, 5.5, 12, 20), (1_000, 100_000, 2_000_000, 5_000_000)
    return measure(
        touches=3, durations_ms=durations, resistances_ohm=ohms, hums=(QUIET, ROOM), never_us=20_000_000, seed=4
    )


@pytest.fixture(scope="module", params=HUMS, ids=[hum.name for hum in HUMS])
def column(request: pytest.FixtureRequest, simulator: None) -> PadReport:
    """A column of the report, every resistance of it, at phases of its own."""
    return measure(touches=4, durations_ms=(5.5, 12, 20), hums=(request.param,), never_us=5_000_000, seed=77)


def told(report: PadReport) -> list[Onset]:
    return [onset for cell in report.cells for onset in cell.onsets]


def cells(report: PadReport, hum: str) -> list[Cell]:
    return [cell for cell in report.cells if cell.hum == hum]


def test_every_touch_of_a_body_that_outlasts_the_dwell_is_told_and_no_shorter_one(report: PadReport) -> None:
    for cell in cells(report, QUIET.name):
        assert cell.share == (cell.duration_ms > 5 and cell.ohms <= 2_000_000), cell


def test_hum_of_a_room_hides_no_touch_that_lasts_a_little_longer(report: PadReport) -> None:
    assert all(c.share == 1 for c in cells(report, ROOM.name) if c.duration_ms >= 12 and c.ohms <= 2_000_000)


def test_nothing_is_invented(report: PadReport) -> None:
    assert report.invented == {QUIET.name: 0, ROOM.name: 0}
    assert all(cell.share == 0 for cell in report.cells if cell.ohms == 5_000_000)


def test_without_hum_every_body_s_onset_is_within_50_us_and_has_no_flag(report: PadReport) -> None:
    for ohms in (1_000, 100_000, 2_000_000):
        found = onsets_of(report, QUIET.name, ohms)
        assert len(found) == 9
        assert all(onset.sure and abs(onset.error_us) < STAMP_US for onset in found)


def test_an_onset_without_a_flag_is_within_50_us_in_every_column(column: PadReport) -> None:
    sure = [onset for onset in told(column) if onset.sure]
    assert len(sure) >= 20
    assert all(abs(onset.error_us) < STAMP_US for onset in sure)


def test_an_onset_with_a_flag_is_within_its_stated_width_in_every_column(column: PadReport) -> None:
    flagged = [onset for onset in told(column) if not onset.sure]
    assert all(onset.kept for onset in flagged)


def test_a_width_says_no_more_than_looks_a_millisecond_apart_must(column: PadReport) -> None:
    """An onset that hum hides is found by the step of the level: no half period is left open for it."""
    widths = [onset.within_us for onset in told(column)]
    assert sum(width is None or width > 1300 for width in widths) <= len(widths) // 50


def test_no_column_invents_a_touch(column: PadReport) -> None:
    assert set(column.invented.values()) == {0}
    assert set(column.beside.values()) == {0}


def test_hum_of_a_room_leaves_most_onsets_of_bodies_sure(column: PadReport) -> None:
    hum = column.cells[0].hum
    share = {"no hum": 1.0, "50 Hz, 0.6 µA": 0.3}.get(hum, 0.9)
    found = [onset for ohms in RESISTANCES_OHM if ohms <= 2_000_000 for onset in onsets_of(column, hum, ohms)]
    assert sum(onset.sure for onset in found) >= share * len(found)


def test_the_current_stays_below_ten_microamperes(report: PadReport) -> None:
    assert 1 < report.current_ua < 10


def test_the_page_and_its_plot(report: PadReport, tmp_path: Path) -> None:
    page, plot = write(report, tmp_path)

    text = page.read_text(encoding="utf-8")
    assert "pad-report.svg" in text
    assert "| 2 MΩ | 0 | 0 | 100 | 100 | 100 |" in text
    drawn = ElementTree.parse(plot).getroot()
    squares = [one for one in drawn.iter("{http://www.w3.org/2000/svg}rect") if one.get("x")]
    assert len(squares) == len(report.cells)

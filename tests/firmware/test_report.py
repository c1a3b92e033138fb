"""The report on what the pad tells: its numbers against what dwell and resistors must give, its page and plot by their form."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from companion.bench.pad_page import write
from companion.bench.pad_report import HUMS, Cell, PadReport, measure, onset_errors

QUIET, ROOM = HUMS[0], HUMS[1]


@pytest.fixture(scope="module")
def report(simulator: None) -> PadReport:
    durations, ohms = (1, 4.5, 5.5, 12, 20), (1_000, 100_000, 2_000_000, 5_000_000)
    return measure(touches=3, durations_ms=durations, resistances_ohm=ohms, hums=(QUIET, ROOM), seed=4)


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


def test_onsets_lie_within_50_us_over_the_whole_range_of_bodies(report: PadReport) -> None:
    for ohms in (1_000, 100_000, 2_000_000):
        found = onset_errors(report, QUIET.name, ohms)
        assert found is not None
        assert -50 < found[0] <= found[2] < 50


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

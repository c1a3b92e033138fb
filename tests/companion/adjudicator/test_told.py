"""What people say beside recorded pictures, as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.adjudicator.told import Said, Told, Way, answer_act, read_told, ruling_act, told_lines
from companion.errors import BadInputError

DRAWN = Told(12_500_000_000, Said({"fact": "card-drawn", "seat": "A", "slot": None}, "A", when_offered=True))
MARKED = Told(3_500_000_000, Said({"fact": "trick-cleared"}, "referee"))


def test_what_is_written_reads_back_by_time(tmp_path: Path) -> None:
    file = tmp_path / "told.jsonl"
    file.write_text(told_lines([DRAWN, MARKED]))
    assert read_told(file) == (MARKED, DRAWN)


@pytest.mark.parametrize("way", Way)
def test_what_was_undone_or_corrected_reads_back(tmp_path: Path, way: Way) -> None:
    instead = {"fact": "trick-cleared"} if way is Way.CORRECTED else None
    ruling = {"step": "ruling", "number": 7, "verdict": "upheld", "by": "Kim"}
    acts = {
        Way.ANSWERED: answer_act("trick:1:?", "again"),
        Way.RULED: ruling_act(ruling, {"rule": "x", "text": "A laid twice."}),
    }
    act = acts.get(way, {"fact": "card-drawn", "seat": "A"})
    told = Told(2 * 10**9, Said(act, "A", way=way, instead=instead))
    file = tmp_path / "told.jsonl"
    file.write_text(told_lines([told]))
    assert read_told(file) == (told,)


def test_who_said_it_may_be_left_out(tmp_path: Path) -> None:
    file = tmp_path / "told.jsonl"
    file.write_text('\n{"t": 1, "act": {"fact": "trick-cleared"}}\n')
    assert read_told(file) == (Told(10**9, Said({"fact": "trick-cleared"}, "table")),)


@pytest.mark.parametrize(
    "line",
    [
        "not JSON",
        "[]",
        '{"act": {"fact": "x"}}',
        '{"t": 1}',
        '{"t": 1, "act": "x"}',
        '{"t": 1, "act": {"seat": "A"}}',
        '{"t": true, "act": {"fact": "x"}}',
        '{"t": 1e999, "act": {"fact": "x"}}',
        '{"t": "1", "act": {"fact": "x"}}',
        '{"t": 1, "by": 2, "act": {"fact": "x"}}',
        '{"t": 1, "way": "sung", "act": {"fact": "x"}}',
        '{"t": 1, "way": "corrected", "act": {"fact": "x"}}',
        '{"t": 1, "way": "corrected", "act": {"fact": "x"}, "instead": "y"}',
        '{"t": 1, "way": "answered", "act": {"fact": "answer", "question": "q"}}',
        '{"t": 1, "way": "ruled", "act": {"fact": "ruling"}}',
        '{"t": 1, "way": "ruled", "act": {"fact": "ruling", "ruling": {"step": "ruling", "number": 7, "verdict": "upheld"}}}',
        '{"t": 1, "way": "ruled", "act": {"fact": "ruling", "ruling": {"step": "undo", "number": 7}, "finding": {}}}',
        '{"t": 1, "act": {"fact": "x"}, "instead": {"fact": "y"}}',
    ],
)
def test_a_line_that_says_nothing_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "told.jsonl"
    file.write_text(told_lines([DRAWN]) + line + "\n")
    with pytest.raises(BadInputError, match=r"told\.jsonl:2: must be"):
        read_told(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="nowhere"):
        read_told(tmp_path / "nowhere.jsonl")

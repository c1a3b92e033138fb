"""The dictionary: names and ranges by the pad's own word."""

from __future__ import annotations

import pytest

from hardware.pad.dictionary import Dictionary, Setting, parse_dictionary
from hardware.pad.errors import PadMessageError

TEXT = b"""\
setting 0 contact_dwell us 500 60000 5000
setting 1 knock_level mV 10 3000 200
channel 0 contact
event 1 contact
light 2 ready
measure 0 supply mV
check 0 contact_loop
"""


def test_a_setting_has_name_unit_and_range() -> None:
    found = parse_dictionary(TEXT)
    assert found.setting("knock_level") == Setting(1, "knock_level", "mV", 10, 3000, 200)
    assert (found.channels[0], found.events[1], found.lights[2], found.checks[0]) == (
        "contact",
        "contact",
        "ready",
        "contact_loop",
    )
    assert found.measures[0].unit == "mV"


def test_an_unknown_setting_is_answered_with_the_known_ones() -> None:
    with pytest.raises(PadMessageError, match="'dwell' is no setting of this pad; it has contact_dwell, knock_level"):
        parse_dictionary(TEXT).setting("dwell")


def test_a_value_out_of_range_is_told_the_range() -> None:
    with pytest.raises(PadMessageError, match="knock_level: 9 is out of range; it may be 10 to 3000 mV"):
        parse_dictionary(TEXT).setting("knock_level").check(9)


def test_lines_of_a_newer_firmware_are_passed_over() -> None:
    assert parse_dictionary(b"motor 1 left\n\nchannel 1 rest_1 extra\n").channels == {1: "rest_1"}
    assert parse_dictionary(b"") == Dictionary()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"setting 0 dwell us 500\n", "line 1 .* words are missing"),
        (b"channel 0 contact\nsetting x dwell us 1 3 2\n", "line 2 .* invalid literal"),
        (b"setting 0 dwell us 10 20 5\n", "its range does not hold its default"),
        (b"setting 0 dwell us 10 70000 50\n", "its range does not hold its default"),
        (b"channel 0 \xff\n", "not plain text"),
    ],
)
def test_a_line_that_does_not_fit_is_named(text: bytes, why: str) -> None:
    with pytest.raises(PadMessageError, match=why):
        parse_dictionary(text)

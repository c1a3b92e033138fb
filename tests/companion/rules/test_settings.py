"""Settings that people can see."""

from __future__ import annotations

import pytest

from companion.rules.hoshizora.settings import HoshizoraSettings, Steps
from companion.rules.settings import describe_settings, settings_from


def test_every_setting_is_described() -> None:
    described = describe_settings(HoshizoraSettings)
    assert len(described) == len(HoshizoraSettings.__dataclass_fields__)
    for info in described:
        assert info.title
        assert info.description.endswith(".")
        assert info.section


def test_defaults_are_those_of_the_settings() -> None:
    defaults = {info.name: info.default for info in describe_settings(HoshizoraSettings)}
    assert settings_from(HoshizoraSettings, defaults) == HoshizoraSettings()


def test_settings_from_texts() -> None:
    assert settings_from(HoshizoraSettings, {"reach_steps": "diagonal"}).reach_steps is Steps.DIAGONAL


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"reach_step": "diagonal"}, "setting reach_step: is not known; there are bid_source"),
        ({"reach_steps": "knight"}, "setting reach_steps: 'knight' is none of orthogonal, diagonal"),
        ({"max_lines_a_star": "3"}, "setting max_lines_a_star: '3' is not a int"),
    ],
)
def test_unknown_settings_are_named(values, message) -> None:
    with pytest.raises(ValueError, match=message):
        settings_from(HoshizoraSettings, values)

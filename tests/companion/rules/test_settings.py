"""Settings that people can see."""

from __future__ import annotations

import pytest

from companion.games.book import GAMES, book_of
from companion.rules.hoshizora.settings import HoshizoraSettings, Steps
from companion.rules.settings import describe_settings, settings_from

SETTINGS = {game: book_of(game).settings for game in GAMES}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_every_setting_is_described(settings) -> None:
    described = describe_settings(settings)
    assert len(described) == len(settings.__dataclass_fields__)
    for info in described:
        assert info.title
        assert info.description.endswith(".")
        assert info.section
        assert not isinstance(info.default, int) or isinstance(info.default, bool) or info.most is not None


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_defaults_are_those_of_the_settings(settings) -> None:
    defaults = {info.name: info.default for info in describe_settings(settings)}
    assert settings_from(settings, defaults) == settings()


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

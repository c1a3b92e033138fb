"""Whatever stands in a deck.toml, reading it ends in a deck or in one clear line, and checking it in problems."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.decks.checking import check_deck
from companion.decks.deck import load_deck, parse_deck
from companion.decks.places import find_deck
from companion.decks.reading import read_deck
from companion.errors import BadInputError

STEMS = ("ahuha", "hoshi-heroes", "hoshi-duels", "shuhari", "hoshizora")
TEXTS = {stem: (files("companion.decks") / "builtin" / f"{stem}.toml").read_text("utf-8") for stem in STEMS}
ODD = (
    "", "\n", "[", "]", "{", "}", '"', "\'", "=", ".", ",", "#", "\\", "\0", "\t", "\r", "\x0b", "\x85", "\u2028", "-1", "1e999",
    "nan", "true", "[[card]]", "[card.deneb]", "[game]", "card = 3", 'game = "ahuha"', "copies = 0", "copies = 1e3",
    'source = "me"', "effects = [{}]", "effects = [1, {}]", 'effects = [{ do = "touch", face = "@x" }]', "x = {a = {b = 1}}",
    "1979-05-27", '"""', "kind = []", "kind = [{}]", "number = true", "number = 9223372036854775807", "0x" + "f" * 5000,
    "9" * 5000, "[" * 400, "a." * 400, 'effect_of = "vega"', "x_source = 1", "effect = [{a = 1}]", "colour = ['red']", "rank={}",
)  # fmt: skip
LINE = re.compile(r"(here|\S+deck\.toml)(:\d+)?: .+")


def fails_clearly(error: BadInputError, text: str) -> None:
    """One printable line that names the file and a line that the file has."""
    said = str(error)
    assert said.isprintable(), repr(said)
    assert len(said) < 1500
    found = re.match(r"here:(\d+): ", said)
    assert found is not None, said
    assert 1 <= int(found[1]) <= text.count("\n") + 1


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A built-in deck's file with some places changed."""
    text = TEXTS[draw(st.sampled_from(STEMS))]
    start = draw(st.integers(0, len(text) - 1))
    text = text[: draw(st.integers(0, 3000)) + 400] if draw(st.booleans()) else text[:200] + text[start : start + 1500]
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(text)))
        gone = draw(st.sampled_from([0, 0, 1, 5, 40]))
        text = text[:place] + draw(st.sampled_from(ODD)) + text[place + gone :]
    return text


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_a_changed_deck_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        deck = parse_deck(text, "here", "mine")
    except BadInputError as error:
        fails_clearly(error, text)
        assert read_deck(text).faults
    else:
        assert deck.cards
        assert not read_deck(text).faults


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(ODD), max_size=8).map("\n".join)))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_deck(text, "here", "mine", "hoshizora")
    fails_clearly(caught.value, text)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(max_size=300), mutated().map(str.encode)), st.booleans())
def test_any_file_is_loaded_or_refused_and_checked(tmp_path: Path, data: bytes, as_file: bool) -> None:
    file = tmp_path / "deck.toml"
    file.write_bytes(data)
    where = file if as_file else tmp_path
    problems = check_deck(find_deck(where))
    errors = [problem for problem in problems if problem.level == "error"]
    for problem in problems:
        assert LINE.fullmatch(str(problem)), repr(str(problem))
        assert str(problem).isprintable()
    if not errors:
        assert load_deck(where).cards
        return
    with pytest.raises(BadInputError) as caught:
        load_deck(where)
    assert LINE.fullmatch(str(caught.value)), repr(str(caught.value))


def test_a_file_that_is_too_large_is_no_deck(tmp_path: Path) -> None:
    (tmp_path / "deck.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(BadInputError, match=r"deck.toml:1: is no deck.toml: it holds 1000001 bytes"):
        load_deck(tmp_path)


def test_a_key_of_any_length_is_named_in_a_short_line() -> None:
    with pytest.raises(BadInputError) as caught:
        parse_deck("f" * 5000 + " = 1\n" + TEXTS[STEMS[0]], "here", "mine")
    fails_clearly(caught.value, TEXTS[STEMS[0]])

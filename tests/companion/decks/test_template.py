"""The deck.toml to fill in: every field with its meaning, and nothing that passes for known."""

from __future__ import annotations

import re
import tomllib

import pytest

from companion.decks import builtin_deck
from companion.decks.deck import parse_deck
from companion.decks.forms import FORMS, GAMES
from companion.decks.reading import read_deck
from companion.decks.template import deck_text, numbered_ids
from companion.rules.cards import CardData, Provenance


def plain(data: CardData) -> tuple[dict[str, object], int]:
    return {name: field.value for name, field in data.fields.items()}, data.copies


@pytest.mark.parametrize("game", GAMES)
def test_every_field_is_explained_with_its_values(game: str) -> None:
    text = deck_text(game, numbered_ids(2), {}, filled=False)
    flat = re.sub(r"\s*\n#\s*", " ", text)
    for form in FORMS[game].forms:
        for info in form.fields:
            assert f"{info.name}: {info.meaning}; " in flat
            assert info.values in flat
            assert re.search(rf"^# {info.name} = ", text, re.MULTILINE)
    assert max(map(len, text.split("\n"))) <= 160


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_entered_in_a_blank_deck(game: str) -> None:
    raw = tomllib.loads(deck_text(game, numbered_ids(3), {}, filled=False))
    assert raw == {"game": game, "card": {"card-01": {}, "card-02": {}, "card-03": {}}}


@pytest.mark.parametrize("game", GAMES)
def test_the_examples_of_a_blank_deck_can_be_uncommented(game: str) -> None:
    """Each waiting line is a value that the field takes; what remains wrong concerns the deck as a whole."""
    ids = tuple(builtin_deck(game).cards)
    text = re.sub(
        r"^# (\w+ = )", r"\1", deck_text(game, ids, builtin_deck(game).cards, filled=False), flags=re.MULTILINE
    )
    faults = [fault for fault in read_deck(text).faults if fault.path != ("card",)]
    # The same example stands on every card, so numbers, faces and suits are there twice.
    together = r"is \S+ already$|on the card already$|needs an effect that is a touch$"
    assert [str(fault) for fault in faults if not re.search(together, fault.text)] == []


@pytest.mark.parametrize("game", GAMES)
def test_a_filled_deck_is_the_built_in_one_with_its_sources(game: str) -> None:
    known = builtin_deck(game).cards
    deck = parse_deck(deck_text(game, tuple(known), known, filled=True), "here", "mine")
    assert list(deck.cards) == list(known)
    for card, data in known.items():
        assert plain(deck.cards[card]) == plain(data)
        assert {n: x.source for n, x in deck.cards[card].fields.items()} == {
            n: x.source for n, x in data.fields.items()
        }
        assert deck.cards[card].copies_source == data.copies_source


@pytest.mark.parametrize("game", GAMES)
def test_what_owners_add_to_a_filled_deck_never_passes_for_the_rulebooks(game: str) -> None:
    known = builtin_deck(game).cards
    text = re.sub(r"^# (\w+ = )", r"\1", deck_text(game, tuple(known), known, filled=True), flags=re.MULTILINE)
    for card, data in read_deck(text).cards.items():
        added = {field.source for name, field in data.fields.items() if name not in known[card].fields}
        assert Provenance.RULEBOOK not in added


def test_kinds_of_known_cards_are_entered_and_all_else_waits() -> None:
    raw = tomllib.loads(
        deck_text("hoshi-battle", ("yoss", "backstab", "other"), builtin_deck("hoshi-battle").cards, filled=False)
    )
    assert raw["card"] == {"yoss": {"kind": "hero"}, "backstab": {"kind": "duel"}, "other": {}}


def test_cards_of_unknown_kind_wait_for_the_fields_of_all_kinds() -> None:
    text = deck_text("hoshi-battle", ("other",), {}, filled=False)
    below = text.split("[card.other]")[1]
    assert re.findall(r"^# (\w+) = ", below, re.MULTILINE) == [
        "kind", "name", "number", "die", "cost", "effects", "copies", "type", "reveal", "also_reveal", "needs", "stays",
    ]  # fmt: skip
    assert "# die = 10  # 8 or 10; otherwise not known (a Hero)" in below


def test_ids_that_toml_has_to_quote() -> None:
    text = deck_text("hoshizora", ("red 1", "blau.ö", 'say "x"'), {}, filled=False)
    assert set(tomllib.loads(text)["card"]) == {"red 1", "blau.ö", 'say "x"'}


def test_numbered_ids_sort_as_they_count() -> None:
    assert numbered_ids(3) == ("card-01", "card-02", "card-03")
    assert numbered_ids(100)[-1] == "card-100"
    assert list(numbered_ids(100)) == sorted(numbered_ids(100))

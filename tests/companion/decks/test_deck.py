"""deck.toml: what it may hold, who says so, and errors that name file and field."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from companion.decks import builtin_deck, load_deck
from companion.decks.deck import parse_deck
from companion.errors import BadInputError
from companion.rules.cards import Provenance
from companion.rules.hoshizora.setup import cards_of

SHUHARI = (
    (files("companion.decks") / "builtin" / "shuhari.toml")
    .read_text("utf-8")
    .replace('\nsource = "inferred"\n', "\n", 1)
    + """
[card.one]
kind = "stage"
rank = 1
suits = ["koto", "chado"]
copies = 2
source = "inferred"
rank_source = "rulebook"
[card.two]
kind = "stage"
"""
)
"""A whole deck as its owners might enter it, with two cards of which the game asks nothing."""


def test_attributes_copies_and_provenance() -> None:
    deck = parse_deck(SHUHARI, "here", "mine")
    one, two = deck.cards["one"], deck.cards["two"]
    assert (deck.game, deck.name, one.id, one.copies, two.copies) == ("shuhari", "mine", "one", 2, 1)
    assert one.value("suits") == ("koto", "chado")
    assert (one.source("kind"), one.source("rank")) == (Provenance.INFERRED, Provenance.RULEBOOK)
    assert two.source("kind") is Provenance.USER  # whoever writes a deck.toml reads it off the cards
    assert (one.value("nothing"), one.source("nothing")) == (None, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("game = ", "here: is not valid TOML"),
        ('game = "chess"\n[card.a]\nx = 1', "here: game: must be one of ahuha"),
        ("[card.a]\nx = 1", "here: game: must be one of"),
        ('game = "shuhari"', "here: card: is missing"),
        ('game = "shuhari"\ncard = 3', "here: card: is missing"),
        ('game = "shuhari"\n[cards.a]\nx = 1', "here: cards: is not known"),
        ('game = "shuhari"\n[card]\na = 1', "here: card.a: must be a table"),
        ('game = "shuhari"\n[card.a]\ncopies = 0', "here: card.a.copies: must be a whole number"),
        ('game = "shuhari"\n[card.a]\nx = 1\nsource = "me"', "here: card.a.source: must be one of rulebook"),
        ('game = "shuhari"\n[card.a]\nx = 1\nx_source = "me"', "here: card.a.x_source: must be one of"),
        ('game = "shuhari"\n[card.a]\ny_source = "user"', "here: card.a.y_source: there is no y"),
        ('game = "shuhari"\n[card.a]\nx = [1]', "here: card.a.x: must be a text"),
        ('game = "hoshizora"\n[card.a]\ncolour = "green"', "here: card.a.colour: must be red or blue"),
    ],
)
def test_faults_are_named(text, message) -> None:
    with pytest.raises(BadInputError, match=f"^{message}"):
        parse_deck(text, "here", "mine")


def test_a_deck_of_another_game() -> None:
    with pytest.raises(BadInputError, match="here: game: is shuhari, where a deck for hoshizora is wanted"):
        parse_deck(SHUHARI, "here", "mine", "hoshizora")


def test_builtin_hoshizora_says_what_is_inferred() -> None:
    deck = builtin_deck("hoshizora")
    assert len(deck.cards) == 24
    card = deck.cards["blue-07"]
    assert (card.value("colour"), card.value("number"), card.value("bid")) == ("blue", 7, 7)
    assert (card.source("number"), card.source("bid")) == (Provenance.RULEBOOK, Provenance.INFERRED)
    assert load_deck("hoshizora") is deck


def test_no_builtin_deck() -> None:
    with pytest.raises(BadInputError, match="no built-in deck for 'chess'"):
        builtin_deck("chess")


def test_a_directory_or_its_deck_file(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "deck.toml").write_text(SHUHARI)
    assert load_deck(folder) == load_deck(folder / "deck.toml")
    assert load_deck(str(folder)).name == "mine"


def test_bare_scans_are_told_by_their_stems(tmp_path: Path) -> None:
    for card in builtin_deck("hoshizora").cards:
        (tmp_path / f"{card}.png").touch()
    (tmp_path / "back.png").touch()
    deck = load_deck(tmp_path, "hoshizora")
    assert cards_of(deck.cards) == cards_of(builtin_deck("hoshizora").cards)
    (tmp_path / "extra.jpg").touch()
    with pytest.raises(BadInputError, match="extra: is no card of hoshizora"):
        load_deck(tmp_path, "hoshizora")


def test_bare_scans_that_lack_a_card(tmp_path: Path) -> None:
    (tmp_path / "red-01.png").touch()
    with pytest.raises(BadInputError, match="the deck lacks red 2"):
        load_deck(tmp_path, "hoshizora")


def test_bare_scans_of_no_known_game(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="holds neither"):
        load_deck(tmp_path)
    (tmp_path / "red-01.png").touch()
    with pytest.raises(BadInputError, match="which says what the cards are"):
        load_deck(tmp_path)


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no such file"):
        load_deck(tmp_path / "nowhere")
    (tmp_path / "deck.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInputError, match="is not UTF-8 text"):
        load_deck(tmp_path)


@pytest.mark.parametrize("name", ["ahuha", "hoshizora", "shuhari", "hoshi-heroes", "hoshi-duels"])
def test_sample_decks_load(shared: Path, name: str) -> None:
    deck = load_deck(shared / "decks" / name)
    scans = {path.stem for path in (shared / "decks" / name).glob("*.png")} - {"back"}
    assert set(deck.cards) == scans

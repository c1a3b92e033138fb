"""deck.toml: what it may hold, who says so, and errors that name file and field."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from companion.decks import builtin_deck, load_deck, load_decks
from companion.decks.deck import parse_deck
from companion.decks.reading import read_deck
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
        ("game = ", "here:1: game: is not valid TOML"),
        ('game = "chess"\n[card.a]\nx = 1', "here:1: game: must be one of ahuha"),
        ("[card.a]\nx = 1", "here:1: game: is missing; it must be one of"),
        ('game = "shuhari"', "here:1: card: is missing"),
        ('game = "shuhari"\ncard = 3', "here:2: card: must be tables"),
        ('game = "shuhari"\n[cards.a]\nx = 1', "here:2: cards: is not known"),
        ('game = "shuhari"\n[card]\na = 1', "here:3: card.a: must be a table"),
        ('game = "shuhari"\n[card."a\\n/b"]\nx = 1', r"here:2: card\.a.n/b: can't be a card's id"),
        ('game = "shuhari"\n[card.back]\nx = 1', "here:2: card.back: can't be a card's id"),
        ('game = "shuhari"\n[card.a]\nkind = "stage"\ncopies = 0', "here:4: card.a.copies: must be a whole number"),
        ('game = "shuhari"\n[card.a]\nkind = "stage"\nsource = "me"', "here:4: card.a.source: must be one of rulebook"),
        ('game = "shuhari"\nsource = 3\n[card.a]\nkind = "stage"', "here:2: source: must be one of rulebook"),
        ('game = "shuhari"\n[card.a]\nkind = "stage"\nx=1\nx_source = "me"', "here:5: card.a.x_source: must be one"),
        ('game = "shuhari"\n[card.a]\nkind = "stage"\ny_source = "user"', "here:4: card.a.y_source: there is no y"),
        ('game = "shuhari"\n[card.a]\nkind = "stage"\nx = [1]', "here:4: card.a.x: must be a text"),
        ('game = "shuhari"\n[card.a]\nkind = "stage"\nx = nan', "here:4: card.a.x: is a number that no card shows"),
        ('game = "shuhari"\n[card.a]\nkind = "stage"\nx = 99999999999999999999', "here:4: card.a.x: is a number"),
        ('game = "shuhari"\n[card.a]\nkind = "stage"\nx = 2026-01-01', "here:4: card.a.x: must be a text"),
        (
            'game = "shuhari"\n[card.a]\nkind = "stage"\nx = [\n  {a = 1},\n  {a = [1]},\n]',
            r"here:6: card.a.x\[1\].a: must be a text",
        ),
        ('game = "hoshizora"\n[card.a]\ncolour = "green"\nnumber = 1', "here:3: card.a.colour: must be red or blue"),
    ],
)
def test_faults_are_named_with_file_line_and_field(text, message) -> None:
    with pytest.raises(BadInputError, match=f"^{message}"):
        parse_deck(text, "here", "mine")


def test_the_first_fault_says_how_many_more_there_are() -> None:
    text = 'game = "hoshi-battle"\n[card.a]\nkind = "hero"\ndie = 9\ncost = -1\n'
    with pytest.raises(BadInputError, match=r"^here:4: card.a.die: .* \(and 1 more: hoshiban decks check lists all\)$"):
        parse_deck(text, "here", "mine")


@pytest.mark.parametrize(
    ("text", "line", "where"),
    [
        ('game = "ahuha"\n[card.a]\nx = 1\n[card.b]\n# a comment\n[card.a]\ny = 1', 6, "card.a"),
        ('game = "ahuha"\n[card.a]\nx = 1\n\nx = [\n  1,\n  2,\n]\n', 5, "card.a.x"),
        ('game = "ahuha"\ngame = "ahuha"\n', 2, "game"),
        ("[card.a]\nx = {a = 1}\n[card.a.x]\nb = 2", 3, "card.a.x"),
        ("[card.a]\nx.y = 1\nx.y = 2", 3, "card.a.x.y"),
    ],
)
def test_what_is_there_twice_is_named_where_it_is_there_again(text, line, where) -> None:
    (fault,) = read_deck(text).faults
    assert (fault.line, str(fault)) == (line, f"{where}: is there twice; each table and key may be there once")


@pytest.mark.parametrize(
    ("text", "line", "card", "field"),
    [
        ('game = "ahuha"\n[card.a]\nx = """\nno end\n\n[card.b]\n', 3, "a", "x"),
        ('game = "ahuha"\n[card.a]\nx = [\n 1,\n 2\n[card.b]\n', 3, "a", "x"),
        ('game = "ahuha"\n\n[card.a\nx = 1', 3, None, None),
        ('game = "ahuha"\n[card.a]\nx = [\n1,\n2\n]\ny = yes\n', 7, "a", "y"),
        ('game = "ahuha"\n[card.a]\nx\n', 3, "a", None),
        ("x = " + "[" * 5000, 1, None, "x"),
        ("y = 1\nx = " + "9" * 5000, 2, None, "x"),
        ("x = 1\r\ny = \r\n", 2, None, "y"),
    ],
)
def test_what_is_no_toml_is_named_where_its_statement_begins(text, line, card, field) -> None:
    (fault,) = read_deck(text).faults
    assert (fault.line, fault.card, fault.field) == (line, card, field)
    assert "is not valid TOML: " in fault.text
    assert fault.text.isprintable()


def test_a_mark_at_the_front_of_the_file_is_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "deck.toml").write_text(SHUHARI, "utf-8-sig")
    assert load_deck(tmp_path).game == "shuhari"


def test_copies_carry_their_source() -> None:
    cards = builtin_deck("shuhari").cards
    assert (cards["preparation"].copies, cards["preparation"].copies_source) == (5, Provenance.INFERRED)
    assert (cards["review"].copies, cards["review"].copies_source) == (5, Provenance.RULEBOOK)
    assert cards["01-koto-chado-shodo"].copies_source is None


def test_a_deck_of_another_game() -> None:
    with pytest.raises(BadInputError, match="here:4: game: is shuhari, where a deck for hoshizora is wanted"):
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
    with pytest.raises(BadInputError, match=r"deck.toml:1: is not UTF-8 text"):
        load_deck(tmp_path)


@pytest.mark.parametrize("name", ["ahuha", "hoshizora", "shuhari", "hoshi-heroes", "hoshi-duels"])
def test_sample_decks_load(shared: Path, name: str) -> None:
    deck = load_deck(shared / "decks" / name)
    scans = {path.stem for path in (shared / "decks" / name).glob("*.png")} - {"back"}
    assert set(deck.cards) == scans


def test_heroes_and_duel_cards_of_two_decks_lie_on_one_table(tmp_path: Path) -> None:
    for name, card, kind in (("heroes", "yoss", "hero"), ("duels", "backstab", "duel")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "deck.toml").write_text(f'game = "hoshi-battle"\n[card.{card}]\nkind = "{kind}"\ncost = 9\n')
    deck = load_decks([tmp_path / "heroes", tmp_path / "duels"], "hoshi-battle")
    assert list(deck.cards) == ["yoss", "backstab"]
    yoss = deck.cards["yoss"]
    assert (yoss.value("cost"), yoss.source("cost")) == (9, Provenance.USER)
    assert (yoss.value("die"), yoss.source("die")) == (
        10,
        Provenance.RULEBOOK,
    )  # nobody entered it: as far as it is known
    assert deck.cards["backstab"].source("touch_face") is Provenance.INFERRED


def test_a_fault_in_the_second_deck_is_told_too(tmp_path: Path) -> None:
    for name, die in (("heroes", 8), ("more", 9)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "deck.toml").write_text(
            f'game = "hoshi-battle"\n[card.{name}]\nkind = "hero"\ndie = {die}\n'
        )
    with pytest.raises(BadInputError, match=r"more/deck\.toml:4: card\.more\.die: must be 8 or 10, not 9"):
        load_decks([tmp_path / "heroes", tmp_path / "more"], "hoshi-battle")


def test_of_other_games_the_first_deck_with_data_counts(tmp_path: Path) -> None:
    for name in ("bare", "mine", "others"):
        (tmp_path / name).mkdir()
    (tmp_path / "bare" / "red-01.png").touch()
    for name in ("mine", "others"):
        (tmp_path / name / "deck.toml").write_text(SHUHARI)
    assert load_decks([tmp_path / name for name in ("bare", "mine", "others")], "shuhari").name == "mine"

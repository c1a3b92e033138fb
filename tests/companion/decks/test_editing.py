"""Editing a card: what was asked for changes, everything else in the file stays as it was."""

from __future__ import annotations

import difflib
import errno
import os
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.decks.deck import parse_deck
from companion.decks.editing import Edit, edited, read_value, replace_file
from companion.decks.forms import FORMS
from companion.decks.reading import read_deck
from companion.decks.template import deck_text
from companion.errors import BadInputError
from companion.rules.card_fields import FieldInfo
from companion.rules.cards import Provenance

HEROES = (files("companion.decks") / "builtin" / "hoshi-heroes.toml").read_text("utf-8")

MINE = '''# my cards
game = "hoshi-battle"   # the game

[card.guard] # the first
# what it is
kind = "hero"  # yes
die = 8   # small
icon = "charm"
icon_source = "inferred"
effects = [
    # it counts
    { do = "count-also", rolled = "@icon", counts = "strike" },  # so
]  # all

# the second one
[card.bridge]
kind = "duel"
text = """
[card.guard]
die = 10
"""
'''


def changed_lines(before: str, after: str) -> list[str]:
    """The lines that are gone and those that came, as a diff shows them."""
    diff = difflib.ndiff(before.split("\n"), after.split("\n"))
    return [line for line in diff if line.startswith(("- ", "+ "))]


def made(text: str, card: str, **values: object) -> str:
    return edited(text, Edit(card, values)).text  # type: ignore[arg-type]


def test_a_value_is_replaced_and_its_comment_stays() -> None:
    assert changed_lines(MINE, made(MINE, "guard", die=10)) == ["- die = 8   # small", "+ die = 10   # small"]


def test_a_new_field_stands_behind_the_cards_last_one() -> None:
    after = made(MINE, "guard", cost=4)
    assert changed_lines(MINE, after) == ["+ cost = 4"]
    assert after.index("cost = 4") == after.index("]  # all\n") + len("]  # all\n")


def test_a_new_field_behind_a_text_of_many_lines() -> None:
    after = made(MINE, "bridge", cost=4)
    assert changed_lines(MINE, after) == ["+ cost = 4"]
    assert after.endswith('"""\ncost = 4\n')


def test_several_effects_stand_on_lines_of_their_own() -> None:
    effects = ({"do": "stones", "amount": 2}, {"do": "keep-dice"})
    after = made(MINE, "bridge", effects=effects)
    assert after.endswith('effects = [\n    { do = "stones", amount = 2 },\n    { do = "keep-dice" },\n]\n')
    assert parse_deck(after, "here", "mine").cards["bridge"].value("effects") == effects


def test_who_says_so_is_kept_beside_the_field_where_it_differs() -> None:
    inferred = edited(MINE, Edit("guard", {"die": 10}, source=Provenance.INFERRED)).text
    assert 'die = 10   # small\ndie_source = "inferred"\n' in inferred
    again = edited(inferred, Edit("guard", {"die": 8})).text
    assert again == MINE


def test_a_value_read_off_the_card_is_no_longer_inferred() -> None:
    after = made(MINE, "guard", icon="charm")
    assert changed_lines(MINE, after) == ['- icon_source = "inferred"']
    assert parse_deck(after, "here", "mine").cards["guard"].source("icon") is Provenance.USER


def test_a_source_for_the_whole_card_is_taken_into_account() -> None:
    text = MINE.replace("# what it is\n", 'source = "rulebook"\n')
    after = made(text, "guard", die=10)
    assert changed_lines(text, after) == ["- die = 8   # small", "+ die = 10   # small", '+ die_source = "user"']


def test_a_field_is_taken_away_with_its_source() -> None:
    result = edited(MINE, Edit("guard", {"effects": ()}, ("icon", "die")))
    assert result.fresh == ()
    guard = parse_deck(result.text, "here", "mine").cards["guard"]
    assert set(guard.fields) == {"kind", "effects"}
    assert "icon" not in result.text


def test_what_would_be_wrong_afterwards_is_told() -> None:
    result = edited(MINE, Edit("guard", {}, ("icon",)))
    assert [str(fault) for fault in result.fresh] == [
        "card.guard.effects[0].rolled: '@icon' names no field of this card"
    ]


def test_faults_that_were_there_before_do_not_count_as_new() -> None:
    text = deck_text("hoshizora", ("red-01", "red-02"), {}, filled=False)
    before = len(read_deck(text).faults)
    result = edited(text, Edit("red-01", {"colour": "red", "number": 1}))
    assert (result.fresh, result.left) == ((), before - 2)
    twice = edited(result.text, Edit("red-02", {"colour": "red", "number": 1}))
    assert [str(fault) for fault in twice.fresh] == ["card.red-02.number: red 1 is red-01 already"]


def test_a_line_of_the_template_gives_way_to_the_value() -> None:
    text = deck_text("hoshizora", ("a", "b"), {}, filled=False)
    after = made(text, "b", bid=9, number=3)
    gone = [line for line in changed_lines(text, after) if line.startswith("- ")]
    assert len(gone) == 2
    assert all(line.startswith(("- # number = ", "- # bid = ")) for line in gone)
    assert after.split("[card.b]")[1].strip().split("\n")[1:] == [
        "number = 3  # needed; a whole number from 1 to 12",
        "bid = 9  # a whole number of at least 0; otherwise the card's number stands in",
    ]


def test_a_new_card_goes_to_the_end() -> None:
    result = edited(MINE.rstrip("\n"), Edit("new one", {"kind": "hero"}, add=True))
    assert result.text.endswith('"""\n\n[card."new one"]\nkind = "hero"\n')
    with pytest.raises(BadInputError, match=r"card.nobody: is not in the file; --add adds it. There are guard, bridge"):
        edited(MINE, Edit("nobody", {"kind": "hero"}))


def test_a_file_with_other_line_ends_keeps_them() -> None:
    text = MINE.replace("\n", "\r\n")
    effects = ({"do": "stones", "amount": 2}, {"do": "keep-dice"})
    after = made(text, "guard", die=10, cost=3, effects=effects)
    assert "\n" not in after.replace("\r\n", "")
    assert after.replace("\r\n", "\n") == made(MINE, "guard", die=10, cost=3, effects=effects)


@pytest.mark.parametrize(
    "text",
    [
        'game = "hoshi-battle"\ncard.a.kind = "hero"\ncard.a.die = 8\n',
        'game = "hoshi-battle"\n[card]\na = { kind = "hero", die = 8 }\n',
        'game = "hoshi-battle"\n[card]\na.kind = "hero"\na.die = 8\n',
        'game = "hoshi-battle"\n[card.a]\nkind = "hero"\ndie = 8\n[card.b]\nkind = "hero"\n[card.a.x]\n',
    ],
)
def test_unusual_files_are_changed_rightly_or_not_at_all(text: str) -> None:
    for values in ({"die": 10}, {"cost": 3}, {"die": 10, "cost": 3}):
        try:
            after = edited(text, Edit("a", values)).text  # type: ignore[arg-type]
        except BadInputError as error:
            assert "by hand" in str(error)  # noqa: PT017
            continue
        wanted = tomllib.loads(text)
        wanted["card"]["a"].update(values)
        assert tomllib.loads(after) == wanted


def test_a_file_that_is_no_toml_is_to_be_mended_first() -> None:
    with pytest.raises(BadInputError, match=r"^line 4: card.guard.die: is there twice; .*; mend that first"):
        edited('game = "hoshi-battle"\n[card.guard]\ndie = 8\ndie = 8\n', Edit("guard", {"die": 10}))


SCALARS = {
    "name": st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12),
    "number": st.integers(1, 99),
    "die": st.sampled_from([8, 10]),
    "cost": st.integers(0, 99),
    "effects": st.lists(
        st.one_of(
            st.fixed_dictionaries({"do": st.just("stones"), "amount": st.integers(-9, 9)}),
            st.fixed_dictionaries({"do": st.just("ask-act"), "act": st.text("ab \"'\\#]}é\n", min_size=1, max_size=8)}),
        ),
        max_size=3,
    ).map(tuple),
}


@settings(max_examples=60, deadline=None)
@given(
    card=st.sampled_from(sorted(tomllib.loads(HEROES)["card"])),
    values=st.fixed_dictionaries({}, optional=SCALARS),
    unset=st.sets(st.sampled_from(["name", "number", "cost", "die"])),
    source=st.sampled_from(Provenance),
)
def test_edit_then_load_gives_what_was_entered(card, values, unset, source) -> None:
    gone = tuple(sorted(unset - set(values)))
    after = edited(HEROES, Edit(card, values, gone, source)).text
    deck, before = parse_deck(after, "here", "mine"), parse_deck(HEROES, "here", "mine")
    data = deck.cards[card]
    for name, value in values.items():
        assert (data.value(name), data.source(name)) == (value, source)
    assert not set(gone) & set(data.fields)
    kept = {name: field for name, field in before.cards[card].fields.items() if name not in {*values, *gone}}
    assert {name: field for name, field in data.fields.items() if name not in values} == kept
    assert {**deck.cards, card: None} == {**before.cards, card: None}
    assert list(deck.cards) == list(before.cards)
    # Outside the card's own lines nothing moved.
    start, end = HEROES.index(f"[card.{card}]"), HEROES.find("\n[card.", HEROES.index(f"[card.{card}]"))
    assert after.startswith(HEROES[:start])
    assert after.endswith(HEROES[end:] if end >= 0 else "")


def field(game: str, name: str) -> FieldInfo:
    deck = FORMS[game]
    return next(info for form in deck.forms for info in deck.fields_of(form) if info.name == name)


@pytest.mark.parametrize(
    ("info", "text", "value"),
    [
        (field("hoshi-battle", "name"), "F'Nex Swamp", "F'Nex Swamp"),
        (field("hoshi-battle", "name"), '"quoted"', "quoted"),
        (field("hoshi-battle", "name"), "7", "7"),
        (field("hoshi-battle", "number"), " 7 ", 7),
        (field("hoshi-battle", "die"), "10", 10),
        (field("hoshi-battle", "stays"), "Yes", True),
        (field("hoshi-battle", "stays"), "false", False),
        (field("hoshi-battle", "type"), "Power", "power"),
        (field("hoshi-battle", "type"), "'power'", "power"),
        (field("hoshi-battle", "reveal"), "duel-start, round-end", ("duel-start", "round-end")),
        (field("hoshi-battle", "reveal"), '["duel-start"]', ("duel-start",)),
        (field("hoshi-battle", "effects"), '{ do = "keep-dice" }', ({"do": "keep-dice"},)),
        (field("hoshi-battle", "effects"), "[]", ()),
        (field("ahuha", "effect_of"), "altair,vega", ("altair", "vega")),
        (None, "charm", "charm"),
        (None, "8", 8),
        (None, "true", True),
    ],
)
def test_values_are_typed_as_people_type_them(info, text, value) -> None:
    assert read_value(info, "card.x.field", text) == value


@pytest.mark.parametrize(
    ("info", "text", "message"),
    [
        (field("hoshi-battle", "die"), "12", "card.x.field: must be 8 or 10, not 12"),
        (field("hoshi-battle", "number"), "two", "card.x.field: must be a whole number from 1 to 99, not 'two'"),
        (field("hoshi-battle", "number"), "9" * 5000, "card.x.field: must be a whole number from 1 to 99"),
        (field("hoshi-battle", "stays"), "perhaps", "card.x.field: must be true or false, not 'perhaps'"),
        (field("hoshi-battle", "reveal"), "noon", "card.x.field: must be a list of duel-start, round-start, round-end"),
        (field("hoshi-battle", "effects"), "do it", "card.x.field: must be a list of tables, each with do, such as"),
        (field("shuhari", "obey"), "tea", "card.x.field: must be one of ikebana, buyo, koto, chado, shodo, not 'tea'"),
    ],
)
def test_a_bad_value_names_the_field_and_the_choices(info, text, message) -> None:
    with pytest.raises(BadInputError) as caught:
        read_value(info, "card.x.field", text)
    assert str(caught.value).startswith(message)
    assert str(caught.value).isprintable()


def test_a_file_is_replaced_in_one_step_with_its_rights(tmp_path: Path) -> None:
    file = tmp_path / "deck.toml"
    file.write_text("old")
    file.chmod(0o640)
    replace_file(file, "old", "new")
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["deck.toml"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text("old")
    (tmp_path / "deck.toml").symlink_to("real.toml")
    replace_file(tmp_path / "deck.toml", "old", "new")
    assert (tmp_path / "deck.toml").is_symlink()
    assert (tmp_path / "real.toml").read_text() == "new"


def test_a_mark_at_the_front_stays(tmp_path: Path) -> None:
    file = tmp_path / "deck.toml"
    file.write_text("old", "utf-8-sig")
    replace_file(file, "old", "new")
    assert file.read_bytes() == b"\xef\xbb\xbfnew"


def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "deck.toml"
    file.write_text("theirs")
    with pytest.raises(BadInputError, match="was changed by somebody else meanwhile"):
        replace_file(file, "old", "new")
    assert file.read_text() == "theirs"


def test_a_full_disk_is_named_and_nothing_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "deck.toml"
    file.write_text("old")

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        BadInputError, match=r"deck.toml: can't be written \(No space left on device\); nothing was changed"
    ):
        replace_file(file, "old", "new")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["deck.toml"]

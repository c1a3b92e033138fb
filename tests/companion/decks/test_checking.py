"""Checking a deck: all problems with their lines, errors apart from what is only worth a look."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.decks import builtin_deck
from companion.decks.checking import Level, Problem, check_deck
from companion.decks.places import find_deck
from companion.decks.template import deck_text
from companion.errors import BadInputError


def checked(folder: Path, text: str, *scans: str) -> list[Problem]:
    (folder / "deck.toml").write_text(text)
    for scan in scans:
        (folder / scan).touch()
    return list(check_deck(find_deck(folder)))


def said(problems: list[Problem], level: Level) -> list[tuple[int | None, str | None, str | None]]:
    return [(problem.line, problem.card, problem.field) for problem in problems if problem.level is level]


BATTLE = """game = "hoshi-battle"
nonsense = 1

[card.one]
kind = "hero"
die = 9
cost = -1
copies = 20

[card.two]
kind = "herro"

[card.three]
kind = "duel"
# a comment
reveal = [
    "duel-start",
    "noon",
]
effects = [
    { do = "stones", amount = 20 },
    # { do = "fly" },
    { do = "fly" },
    { do = "touch", fac = "charm", then = "hit" },
]
"""


def test_all_errors_are_told_with_their_lines(tmp_path: Path) -> None:
    assert said(checked(tmp_path, BATTLE), Level.ERROR) == [
        (2, None, "nonsense"),
        (6, "one", "die"),
        (7, "one", "cost"),
        (11, "two", "kind"),
        (16, "three", "reveal"),
        (21, "three", "effects[0].amount"),
        (23, "three", "effects[1].do"),
        (24, "three", "effects[2].fac"),
        (24, "three", "effects[2].face"),
    ]


def test_a_problem_is_one_line_that_editors_understand(tmp_path: Path) -> None:
    problems = checked(tmp_path, BATTLE)
    file = tmp_path / "deck.toml"
    die = next(problem for problem in problems if problem.field == "die")
    assert str(die) == f"{file}:6: card.one.die: must be 8 or 10, not 9"
    unknown = next(problem for problem in problems if problem.level is Level.WARNING and problem.card)
    assert str(unknown).startswith(f"{file}:4: warning: card.one: what it does is not entered")


def test_a_field_that_the_game_does_not_know(tmp_path: Path) -> None:
    text = 'game = "hoshi-battle"\n[card.a]\nkind = "hero"\ncopies = 20\ncoste = 3\nicon = "charm"\nmood = "x"\n'
    text += 'effects = [{ do = "touch", face = "@icon", then = "hit" }]\n'
    problems = checked(tmp_path, text)
    assert said(problems, Level.ERROR) == []
    assert [(problem.line, problem.text) for problem in problems] == [
        (5, "means nothing to cards of kind hero in hoshi-battle; did you mean cost?"),
        (
            7,
            "means nothing to cards of kind hero in hoshi-battle; it has kind, name, number, die, cost, effects, copies",
        ),
    ]


def test_what_is_inferred_is_told_field_by_field(tmp_path: Path) -> None:
    text = 'game = "hoshi-battle"\n[card.a]\nkind = "hero"\neffects = []\ncopies = 20\ncopies_source = "inferred"\n'
    text += 'die = 8\ndie_source = "inferred"\ncost = 2\n'
    problems = checked(tmp_path, text)
    assert said(problems, Level.WARNING) == [(5, "a", "copies"), (7, "a", "die")]
    assert said(problems, Level.ERROR) == []


@pytest.mark.parametrize("game", ["ahuha", "hoshi-battle", "shuhari", "hoshizora"])
def test_built_in_decks_have_no_errors_and_name_what_is_inferred(game: str) -> None:
    problems = check_deck(find_deck(game))
    assert {problem.level for problem in problems} == {Level.WARNING}
    cards = builtin_deck(game).cards
    inferred = {
        (card, name) for card, data in cards.items() for name, x in data.fields.items() if x.source == "inferred"
    }
    inferred |= {(card, "copies") for card, data in cards.items() if data.copies_source == "inferred"}
    assert {(problem.card, problem.field) for problem in problems if problem.field is not None} == inferred


def test_cards_of_which_nothing_is_known() -> None:
    told = [p.card for p in check_deck(find_deck("hoshi-battle")) if p.text.startswith("what it does is not entered")]
    assert len(told) == 9 + 8
    stars = [p.card for p in check_deck(find_deck("ahuha")) if p.text.startswith("what it does is not entered")]
    assert len(stars) == 21 - 4
    assert "asita" not in stars


def test_scans_without_data_and_data_without_scans(tmp_path: Path) -> None:
    text = deck_text("hoshizora", tuple(builtin_deck("hoshizora").cards), builtin_deck("hoshizora").cards, filled=True)
    scans = [f"{card}.png" for card in builtin_deck("hoshizora").cards if card != "red-02"]
    problems = checked(tmp_path, text, *scans, "green-01.jpg", "back.png")
    assert said(problems, Level.ERROR) == []
    about_scans = [(problem.card, problem.text) for problem in problems if "scan" in problem.text]
    assert [card for card, _ in about_scans] == ["green-01", "red-02"]
    assert about_scans[0][1].startswith("there is a scan of it and no data")
    assert about_scans[1][1].startswith("has no scan")


def test_a_deck_without_any_scans_is_not_blamed_for_it(tmp_path: Path) -> None:
    text = deck_text("hoshizora", tuple(builtin_deck("hoshizora").cards), builtin_deck("hoshizora").cards, filled=True)
    assert not [problem for problem in checked(tmp_path, text) if "scan" in problem.text]


def test_numbers_of_cards_that_differ_from_the_rulebooks() -> None:
    def counts(game: str) -> list[str]:
        return [problem.text for problem in check_deck(find_deck(game)) if "rulebook's deck" in problem.text]

    assert [counts(game) for game in ("ahuha", "hoshi-battle", "shuhari", "hoshizora")] == [[], [], [], []]


def test_another_number_of_cards_than_the_rulebooks_is_a_warning(tmp_path: Path) -> None:
    known = builtin_deck("shuhari").cards
    before, card, after = deck_text("shuhari", tuple(known), known, filled=True).partition("[card.review]")
    problems = checked(tmp_path, before + card + after.replace("copies = 5", "copies = 4", 1))
    assert said(problems, Level.ERROR) == []
    (count,) = [problem for problem in problems if "rulebook's deck" in problem.text]
    assert count.level is Level.WARNING
    assert count.text == "the rulebook's deck has 5 cards of kind review, this one 4; see copies"


def test_heroes_alone_are_a_deck(tmp_path: Path) -> None:
    known = {card: data for card, data in builtin_deck("hoshi-battle").cards.items() if data.value("kind") == "hero"}
    problems = checked(tmp_path, deck_text("hoshi-battle", tuple(known), known, filled=True))
    assert said(problems, Level.ERROR) == []
    assert not [problem for problem in problems if "rulebook's deck" in problem.text]


def test_whole_deck_faults_are_not_repeated_for_cards_that_are_not_filled_in(tmp_path: Path) -> None:
    text = deck_text("hoshizora", tuple(builtin_deck("hoshizora").cards), {}, filled=False)
    errors = [problem for problem in checked(tmp_path, text) if problem.level is Level.ERROR]
    assert len(errors) == 48
    assert all(problem.card for problem in errors)


def test_what_is_there_twice_or_no_toml_is_a_problem_with_its_line(tmp_path: Path) -> None:
    (problem,) = checked(tmp_path, 'game = "ahuha"\n[card.a]\nx = 1\n[card.a]\ny = 1\n')
    assert (problem.line, problem.card, problem.field, problem.level) == (4, "a", None, Level.ERROR)
    (problem,) = checked(tmp_path, 'game = "ahuha"\n[card.a]\nx = [\n1\n')
    assert (problem.line, problem.card, problem.field) == (3, "a", "x")


def test_bare_scans_have_nothing_to_check(tmp_path: Path) -> None:
    (tmp_path / "red-01.png").touch()
    with pytest.raises(BadInputError, match=r"holds no deck.toml to check; hoshiban decks new"):
        check_deck(find_deck(tmp_path))


@pytest.mark.parametrize("name", ["ahuha", "hoshizora", "shuhari", "hoshi-heroes", "hoshi-duels"])
def test_sample_decks_have_no_errors(shared: Path, name: str) -> None:
    problems = check_deck(find_deck(shared / "decks" / name))
    assert [str(problem) for problem in problems if problem.level is Level.ERROR] == []
    assert not [problem for problem in problems if "scan" in problem.text]

"""`hoshiban decks`: what owners of a deck see and type, from an empty folder to a deck that can be played with."""

from __future__ import annotations

import difflib
import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.commands.decks import decks
from companion.decks import builtin_deck, load_deck
from companion.decks.forms import EFFECTS, GAMES
from companion.decks.proxies import write_deck
from companion.errors import BadInputError
from companion.rules.cards import Provenance

PROGRAM = Path(sys.executable).with_name("hoshiban")


@pytest.fixture(autouse=True)
def own_data(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory with no enrolled decks."""
    home = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("HOSHIBAN_DATA", str(home))
    return home


def run(*words: object, width: int = 100) -> Result:
    return CliRunner().invoke(decks, [str(word) for word in words], env={"COLUMNS": str(width)})


def lines(result: Result) -> list[dict]:
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return [json.loads(line) for line in result.stdout.splitlines()]


def refused(*words: object) -> str:
    """The one line with which the program ends."""
    result = run(*words)
    assert isinstance(result.exception, BadInputError), result.output
    said = str(result.exception)
    assert said.isprintable()
    return said


@pytest.fixture
def heroes(tmp_path: Path) -> Path:
    """A deck of the built-in deck's Heroes and Duel cards, to be changed."""
    folder = tmp_path / "mine"
    assert run("new", folder, "--game", "hoshi-battle", "--from-builtin").exit_code == 0
    return folder


def test_list_names_built_in_and_enrolled_decks(own_data: Path) -> None:
    mine = own_data / "decks" / "mine"
    broken = own_data / "decks" / "broken"
    bare = own_data / "decks" / "bare"
    for folder in (mine, broken, bare):
        folder.mkdir(parents=True)
    for card in ("red-01", "red-02", "back"):
        (bare / f"{card}.png").touch()
    run("new", mine, "--game", "shuhari", "--from-builtin")
    (broken / "deck.toml").write_text("game = \n")
    result = run("list")
    found = {line["deck"]: line for line in lines(result)}
    assert list(found) == ["ahuha", "hoshi-battle", "shuhari", "hoshizora", "bare", "broken", "mine"]
    assert [(found[game]["kind"], found[game]["game"], found[game]["cards"]) for game in ("ahuha", "mine", "bare")] == [
        ("built-in", "ahuha", 23),
        ("enrolled", "shuhari", 64),
        ("enrolled", None, 2),
    ]
    assert "deck.toml:1: game: is not valid TOML" in found["broken"]["error"]
    assert len(result.stderr.splitlines()) == 7


@pytest.mark.parametrize("game", GAMES)
def test_show_tells_every_field_with_its_source(game: str) -> None:
    result = run("show", game)
    shown = lines(result)
    assert [line["card"] for line in shown] == list(builtin_deck(game).cards)
    for line in shown:
        data = builtin_deck(game).cards[line["card"]]
        assert (line["copies"], line["copies_source"]) == (data.copies, data.copies_source)
        assert {name: field["source"] for name, field in line["fields"].items()} == {
            name: field.source for name, field in data.fields.items()
        }
        assert {name: field["value"] for name, field in line["fields"].items()} == json.loads(
            json.dumps({name: field.value for name, field in data.fields.items()})
        )
    for name in {name for data in builtin_deck(game).cards.values() for name in data.fields}:
        assert name in result.stderr


def test_show_one_card_in_words() -> None:
    result = run("show", "hoshi-battle", "saal-swordsman")
    (line,) = lines(result)
    assert line["fields"]["die"] == {"value": 8, "source": "inferred"}
    rows = [row.split(maxsplit=2) for row in result.stderr.splitlines()]
    assert ["die", "inferred", "8"] in rows
    assert ["name", "rulebook", "Saal Swordsman"] in rows
    assert ["effects", "rulebook", '{ do = "extra-die", sides = "@second_die" }'] in rows


@pytest.mark.parametrize("width", [24, 40, 60, 80, 200])
def test_words_fit_the_terminal(width: int) -> None:
    for words in (("show", "hoshi-battle"), ("effects", "--game", "hoshi-battle"), ("effects", "--game", "ahuha")):
        for row in run(*words, width=width).stderr.splitlines():
            # An example stands as it is typed in, on one line.
            assert len(row) <= max(width, 34) or row.startswith("    effect"), row


def test_show_what_is_not_there() -> None:
    assert refused("show", "ahuha", "polaris").startswith("deck ahuha: has no card polaris; there are deneb, fomalhaut")
    assert refused("show", "nowhere").startswith("deck nowhere: is no directory, no file and none of the decks ahuha")


def test_check_prints_problems_for_machines_and_people(heroes: Path) -> None:
    file = heroes / "deck.toml"
    file.write_text(file.read_text().replace("die = 10", "die = 12", 1))
    row = file.read_text().split("\n").index("die = 12") + 1
    result = run("check", heroes, "--errors")
    assert result.exit_code == 1
    (problem,) = lines(result)
    assert problem == {
        "deck": "mine",
        "file": str(file),
        "line": row,
        "card": "master-of-battle",
        "field": "die",
        "level": "error",
        "text": "must be 8 or 10, not 12",
    }
    assert result.stderr.splitlines()[0] == f"{file}:{row}: card.master-of-battle.die: must be 8 or 10, not 12"
    assert result.stderr.splitlines()[-1].startswith("mine: 1 error, ")


def test_check_passes_over_warnings(heroes: Path) -> None:
    result = run("check", heroes)
    assert result.exit_code == 0
    assert {line["level"] for line in lines(result)} == {"warning"}
    assert all(": warning: " in row for row in result.stderr.splitlines()[:-1])


def test_check_of_several_decks_fails_if_one_does(heroes: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text('game = "shuhari"\n')
    result = run("check", heroes, "hoshizora", tmp_path / "bad.toml", "--errors")
    assert result.exit_code == 1
    assert [line["file"] for line in lines(result)] == [str(tmp_path / "bad.toml")]


def test_check_for_another_game(heroes: Path) -> None:
    result = run("check", heroes, "--game", "shuhari", "--errors")
    assert [line["text"] for line in lines(result)] == ["is hoshi-battle, where a deck for shuhari is wanted"]


@pytest.mark.parametrize("game", GAMES)
def test_new_from_the_built_in_deck_can_be_played_with_at_once(game: str, tmp_path: Path) -> None:
    (line,) = lines(run("new", tmp_path, "--game", game, "--from-builtin"))
    assert (line["cards"], line["errors"]) == (len(builtin_deck(game).cards), 0)
    assert list(load_deck(tmp_path, game).cards) == list(builtin_deck(game).cards)


def test_new_takes_the_ids_of_the_scans(tmp_path: Path) -> None:
    for name in ("red-01.png", "mine.jpg", "back.png", "notes.txt"):
        (tmp_path / name).touch()
    (line,) = lines(run("new", tmp_path, "--game", "hoshizora", "--scans"))
    assert line["cards"] == 2
    text = (tmp_path / "deck.toml").read_text()
    assert "[card.mine]" in text
    assert "[card.red-01]" in text


def test_new_never_overwrites(heroes: Path) -> None:
    before = (heroes / "deck.toml").read_text()
    assert "is there already and is not overwritten" in refused("new", heroes, "--game", "shuhari")
    assert (heroes / "deck.toml").read_text() == before


def test_new_with_options_that_do_not_go_together(tmp_path: Path) -> None:
    assert "--cards" in refused("new", tmp_path, "--game", "ahuha", "--cards", 21, "--from-builtin")
    assert "holds no scans" in refused("new", tmp_path, "--game", "ahuha", "--scans")
    assert not (tmp_path / "deck.toml").exists()


def test_edit_changes_one_card(heroes: Path) -> None:
    before = (heroes / "deck.toml").read_text()
    effects = '[{ do = "stones", amount = 2 }]'
    result = run("edit", heroes, "hero-02", "name=River Guard", "die=8", f"effects={effects}")
    (line,) = lines(result)
    assert (line["changed"], line["set"], line["source"], line["errors"]) == (
        True,
        ["die", "effects", "name"],
        "user",
        0,
    )
    card = load_deck(heroes).cards["hero-02"]
    assert (card.value("name"), card.value("die"), card.value("effects")) == (
        "River Guard",
        8,
        ({"do": "stones", "amount": 2},),
    )
    assert {card.source(name) for name in ("name", "die", "effects")} == {Provenance.USER}
    diff = list(difflib.ndiff(before.split("\n"), (heroes / "deck.toml").read_text().split("\n")))
    assert [row[2:] for row in diff if row.startswith("+ ")] == [
        'name = "River Guard"  # a text; otherwise the card\'s id',
        "die = 8  # 8 or 10; otherwise not known",
        f"effects = {effects}",
    ]
    assert len([row for row in diff if row.startswith("- ")]) == 3


def test_edit_with_another_source(heroes: Path) -> None:
    run("edit", heroes, "hero-02", "cost=3", "--source", "inferred")
    assert load_deck(heroes).cards["hero-02"].source("cost") is Provenance.INFERRED
    run("edit", heroes, "hero-02", "--unset", "cost")
    assert load_deck(heroes).cards["hero-02"].value("cost") is None
    assert "cost_source" not in (heroes / "deck.toml").read_text().split("[card.hero-02]")[1].split("[card.")[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("hero-02", "die=12"), "card.hero-02.die: must be 8 or 10, not 12"),
        (("saal-swordsman", "second_die=12"), "card.saal-swordsman.second_die: must be 8 or 10, not 12"),
        (("hero-02", "kind=monster"), "card.hero-02.kind: must be hero or duel, not 'monster'"),
        (("hero-02", 'effects=[{ do = "fly" }]'), "card.hero-02.effects[0].do: must be one of set-die, extra-die"),
        (("hero-02", "effects=fly"), "card.hero-02.effects: must be a list of tables, each with do, such as [{"),
        (("hero-02", "die"), "die: must be FIELD=VALUE"),
        (("hero-02", "die=8", "die=10"), "die: is given twice"),
        (("hero-02", "die_source=user"), "die_source: is set with --source"),
        (("nobody", "die=8"), "card.nobody: is not in the file; --add adds it. There are master-of-battle"),
        (("fire-harpy", "--unset", "burnt_die"), "card.fire-harpy.effects[0].sides: '@burnt_die' names no field"),
        (("hero-02", "--unset", "kind"), "card.hero-02.kind: is missing; it must be hero or duel"),
    ],
)
def test_edit_that_can_not_be_is_refused_and_nothing_is_written(heroes: Path, words, said) -> None:
    before = (heroes / "deck.toml").read_bytes()
    assert said in refused("edit", heroes, *words)
    assert (heroes / "deck.toml").read_bytes() == before


def test_edit_anyway(tmp_path: Path) -> None:
    """Numbers change places: for a moment one is there twice."""
    run("new", tmp_path, "--game", "ahuha", "--from-builtin")
    assert "number: 2 is" in refused("edit", tmp_path, "deneb", "number=2")
    (line,) = lines(run("edit", tmp_path, "deneb", "number=2", "--anyway"))
    assert line["errors"] == 1
    (line,) = lines(run("edit", tmp_path, "fomalhaut", "number=1"))
    assert line["errors"] == 0


def test_edit_adds_a_card(heroes: Path) -> None:
    run("edit", heroes, "promo", "kind=hero", "die=10", "--add")
    assert load_deck(heroes).cards["promo"].value("die") == 10


def test_built_in_decks_stay_as_they_are(tmp_path: Path) -> None:
    assert "hoshiban decks new DIR --game ahuha --from-builtin" in refused("edit", "ahuha", "deneb", "number=2")
    (tmp_path / "red-01.png").touch()
    assert "holds no deck.toml; hoshiban decks new" in refused("edit", tmp_path, "red-01", "bid=2")


def test_edit_without_fields_needs_a_terminal(heroes: Path) -> None:
    result = run("edit", heroes, "hero-02")
    assert result.exit_code == 2
    assert "needs a terminal" in result.stderr


@pytest.mark.parametrize("game", EFFECTS)
def test_effects_are_listed_with_entries_and_examples(game: str) -> None:
    result = run("effects", "--game", game)
    found = lines(result)
    assert [line["effect"] for line in found] == [word.word for word in EFFECTS[game]]
    assert all(line["meaning"] and line["example"] for line in found)
    assert all(entry["name"] and entry["meaning"] and entry["values"] for line in found for entry in line["entries"])
    assert all(line["effect"] in result.stderr for line in found)


def test_a_faulty_deck_is_named_with_file_line_and_field_wherever_it_is_read(program, tmp_path: Path) -> None:
    """The deck's data is read before anything else of the table."""
    folder = tmp_path / "faulty"
    folder.mkdir()
    (folder / "deck.toml").write_text('game = "hoshizora"\n\n[card.a]\ncolour = "green"\nnumber = 1\n')
    for words in (("decks", "show", folder), ("decks", "show", folder / "deck.toml")):
        done = program.run(*words)
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"hoshiban: {folder}/deck.toml:4: card.a.colour: must be red or blue, not 'green'")


def test_enrolling_says_what_is_wrong_with_the_cards_data(program, tmp_path: Path) -> None:
    """The cards can be recognised all the same, so it is a warning there."""
    folder = tmp_path / "scans"
    write_deck("hoshizora", folder)
    for scan in folder.glob("blue-*.png"):
        scan.unlink()
    file = folder / "deck.toml"
    file.write_text(file.read_text().replace("number = 5", "number = 55", 1))
    row = file.read_text().split("\n").index("number = 55") + 1
    done = program.run("enrol", folder, "--deck", "mine")
    assert done.returncode == 0, done.stderr
    wrong = f"warning: {file}:{row}: card.red-05.number: must be a whole number from 1 to 12, not 55"
    assert wrong in done.stderr.splitlines()
    assert program.run("decks", "check", "mine").returncode == 1


def dialogue(program, words: Iterable[object], answers: Iterable[str]) -> tuple[str, int]:
    """What a person at a terminal sees who gives these answers, one at each prompt, and the exit code."""
    left = list(answers)
    terminal, theirs = pty.openpty()
    environment = {**program.environment, "COLUMNS": "60"}
    started = subprocess.Popen(
        [PROGRAM, *map(str, words)], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    )
    os.close(theirs)
    seen = ""
    answered = 0
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other side hung up
            break
        if not data:
            break
        seen += data.decode()
        if left and len(seen) > answered and seen.endswith("]: "):
            answered = len(seen)
            os.write(terminal, f"{left.pop(0)}\n".encode())
    os.close(terminal)
    return seen.replace("\r\n", "\n"), started.wait(timeout=60)


def test_edit_asks_field_by_field_at_a_terminal(program, heroes: Path) -> None:
    answers = ["", "River Guard", "200", "2", "8", "", "", ""]
    seen, code = dialogue(program, ("decks", "edit", heroes, "hero-02"), answers)
    assert code == 0, seen
    assert "kind [hero (rulebook)]: " in seen
    assert "number: must be a whole number from 1 to 99, not 200" in seen
    assert "hero: a Hero" in seen
    card = load_deck(heroes).cards["hero-02"]
    said = {name: field.value for name, field in card.fields.items()}
    assert said == {"kind": "hero", "name": "River Guard", "number": 2, "die": 8}
    assert card.source("kind") is Provenance.RULEBOOK  # Enter keeps it as it was


def test_a_terminal_shows_words_and_no_json(program) -> None:
    seen, code = dialogue(program, ("decks", "show", "ahuha", "deneb"), ())
    assert code == 0
    assert "{" not in seen
    assert "Amanokaharawo" in seen


@pytest.mark.parametrize(("game", "sheets"), [("hoshizora", 3), ("ahuha", 3)])
def test_a_proxy_deck_is_printed_whole_on_both_sides(game, sheets, tmp_path) -> None:
    pypdf = pytest.importorskip("pypdf", reason="needs pypdf, of the extra `test`")
    done = run("print", "--game", game, "--paper", "letter", tmp_path / "out.pdf")
    assert done.exit_code == 0, done.output
    assert len(pypdf.PdfReader(tmp_path / "out.pdf").pages) == 2 * sheets


def test_a_sheet_that_can_not_be_written_is_one_line(tmp_path) -> None:
    done = run("print", "--game", "hoshizora", tmp_path / "nowhere" / "out.pdf")
    assert isinstance(done.exception, BadInputError)
    assert "can't be written" in str(done.exception)

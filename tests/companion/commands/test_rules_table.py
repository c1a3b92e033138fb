"""`hoshiban rules play|explain|convert|acts`, and a journal's game in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.commands.log import log
from companion.commands.rules import rules
from companion.errors import BadInputError
from companion.games.book import GAMES, book_of
from companion.games.files import load_game
from companion.games.house import load_house, parse_house
from companion.games.notation import write_game
from companion.games.start import builtin_start, start_json
from companion.games.steps import Act
from companion.games.written import Written
from companion.journal import EventKind, Journal, NewEvent
from companion.rules.core import Level
from companion.rules.penalties import HouseRule, Penalty, PenaltyKind

HOSHIZORA = ("--game", "hoshizora", "--players", "A,B,C")
WRONG = "deal\nAnn lays\nAnn lays\n"


def run(*args: str, said: str = "") -> Result:
    return CliRunner().invoke(rules, args, input=said, catch_exceptions=False)


def lines(result: Result) -> list[dict]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def seeded(tmp_path: Path, scripts, game: str = "hoshizora", cheat: int = 1000) -> Path:
    """A seeded game in words."""
    start = builtin_start(game, ("A", "B") if game == "hoshi-battle" else ("A", "B", "C"))
    path = tmp_path / f"{game}.txt"
    path.write_text(write_game(Written.of(start, [Act(fact) for fact in scripts(start, 3, cheat=cheat)])))
    return path


def test_each_act_is_judged_as_it_is_told() -> None:
    result = run("play", "--game", "ahuha", "--players", "Ann,Bo,Cy", said=WRONG)
    assert result.exit_code == 0
    start, dealt, first, second, finding = lines(result)
    assert (start["event"], start["seats"]) == ("start", ["Ann", "Bo", "Cy"])
    assert set(start["edition"]) == {"program", "rules", "settings", "deck"}
    assert [act["say"] for act in (dealt, first, second)] == ["deal", "Ann lays a card", "Ann lays a card"]
    assert (finding["event"], finding["finding"], finding["level"]) == ("finding", 1, "illegal")
    assert (finding["player"], finding["life"]) == ("Ann", "correctable")


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_from_its_words(game: str, tmp_path: Path, scripts) -> None:
    path = seeded(tmp_path, scripts, game, cheat=0)
    acts = [line.split(". ", 1)[1] for line in path.read_text().splitlines() if line[:4].strip().rstrip(".").isdigit()]
    players = "A,B" if game == "hoshi-battle" else "A,B,C"
    save = tmp_path / "again.txt"
    result = run("play", "--game", game, "--players", players, "--save", str(save), said="\n".join(acts) + "\n")
    assert result.exit_code == 0
    assert lines(result)[-1]["event"] == "outcome"
    assert save.read_bytes() == path.read_bytes()


def test_undo_rulings_and_what_is_asked_for(tmp_path: Path) -> None:
    said = (
        WRONG
        + f"take back 3\nruling f1 upheld\nexpect\nacts\nexplain f1\nshow\nsave {tmp_path}/g.jsonl\nundo\nquit\nnot read"
    )
    result = run("play", "--game", "ahuha", "--players", "Ann,Bo,Cy", said=said)
    assert result.exit_code == 0, result.stderr
    events = lines(result)
    assert [event["life"] for event in events if event["event"] == "life"] == ["put right"]
    assert [event["say"] for event in events if event["event"] == "step"] == [
        "take back 3",
        "ruling f1 upheld",
        "undo 2",
    ]
    assert any(event["event"] == "expectation" for event in events)
    assert "SEAT plays CARD" in result.stderr
    assert "against the rules" in result.stderr
    assert load_game(tmp_path / "g.jsonl").game.acts == 3


@pytest.mark.parametrize(
    ("said", "line", "words"),
    [
        ("Ann sings", 1, "nothing that can happen here"),
        ("deal\nAnn plays polaris", 2, "no card of this deck"),
        ("deal\n\nDan lays", 3, "acts with such words"),
        ("undo", 1, "nothing to undo"),
        ("explain f4", 1, "no finding F4"),
        ("explain the rules", 1, "F1, F2"),
        ("save", 1, "file's name"),
        ('"Dan" lays', 1, "none of the players"),
    ],
)
def test_what_can_not_be_done_is_named_with_its_line(said: str, line: int, words: str) -> None:
    with pytest.raises(BadInputError, match=words) as refused:
        run("play", "--game", "ahuha", "--players", "Ann,Bo,Cy", said=said + "\n")
    assert str(refused.value).startswith(f"standard input, line {line}: ")


def test_a_game_that_is_broken_off_on_a_terminal_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter(["deal", "explain"])

    def typed(_prompt: str) -> str:
        if (line := next(said, None)) is None:
            raise KeyboardInterrupt
        return line

    monkeypatch.setattr("builtins.input", typed)
    monkeypatch.setattr("companion.commands.rules_table._is_terminal", lambda: True)
    save = tmp_path / "game.txt"
    result = run("play", "--game", "ahuha", "--players", "Ann,Bo,Cy", "--save", str(save))
    assert (result.exit_code, load_game(save).game.acts) == (0, 1)
    assert "nothing to find so far" in result.stderr


def test_what_went_before_a_line_that_can_not_be_read_is_kept(tmp_path: Path) -> None:
    save = tmp_path / "kept.txt"
    with pytest.raises(BadInputError, match=r"line 3: .*kept in"):
        run(
            "play", "--game", "ahuha", "--players", "Ann,Bo,Cy", "--save", str(save), said="deal\nAnn lays\nAnn sings\n"
        )
    assert load_game(save).game.acts == 2


def test_a_journals_own_export_is_told_from_a_games(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text('{"format":"hoshiban-game"}\n')
    with pytest.raises(BadInputError, match="log export --as acts"):
        run("explain", str(path))


def test_a_game_goes_on_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text("Game: hoshizora\nPlayers: A, B, C\nA lays\n")
    result = run("play", str(path), "--save", str(tmp_path / "on.txt"), said="B lays\n")
    assert lines(result)[1] == {"event": "act", "n": 2, "say": "B lays a card"}
    assert load_game(tmp_path / "on.txt").game.acts == 2
    with pytest.raises(BadInputError, match="says its own game"):
        run("play", str(path), *HOSHIZORA)
    with pytest.raises(BadInputError, match="--game and --players"):
        run("play", "--game", "ahuha")


def test_findings_are_explained_and_exit_1_says_that_some_stand(tmp_path: Path, scripts) -> None:
    path = seeded(tmp_path, scripts)
    result = run("explain", str(path))
    assert result.exit_code == 1
    first = lines(result)[0]
    assert first["level"].startswith("proved: ")
    assert first["rule"] == "Progression of the game: follow the stated colour"
    assert len(first["evidence"]) == 2
    assert first["life"].startswith("established")
    assert first["rule"] in result.stderr
    assert lines(run("explain", str(path), "F2"))[0]["number"] == 2
    with pytest.raises(BadInputError, match="no finding F99"):
        run("explain", str(path), "99")


def test_an_explanation_names_the_settings_of_its_section(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(
        "Game: hoshizora\nPlayers: A, B, C\nA lays\nB lays\nC lays\nA plays red 1\nB plays red 2\nC plays blue 12\ndrawing ends\n"
    )
    settings = [setting for one in lines(run("explain", str(path))) for setting in one["settings"]]
    assert all(" = " in setting for setting in settings)


def test_a_clean_game_has_nothing_to_explain(tmp_path: Path, scripts) -> None:
    result = run("explain", str(seeded(tmp_path, scripts, cheat=0)))
    assert (result.exit_code, result.stdout) == (0, "")
    assert "nothing to find" in result.stderr


def test_a_series_is_looked_back_on(tmp_path: Path, scripts) -> None:
    path = seeded(tmp_path, scripts, "ahuha", cheat=0)
    done = load_game(path).game.ledger.state.done
    result = run("hindsight", str(path))
    back = lines(result)
    assert [line["series"] for line in back] == [record.number for record in done]
    for line, record in zip(back, done, strict=True):
        played = [shown.cards for shown in record.rounds]
        for number, held in enumerate(line["hands"]):
            for seat, hand in held.items():
                assert played[number][seat] in hand["sure"] + hand["possible"]
    assert "could have met" in result.stderr
    assert len(lines(run("hindsight", str(path), "--series", "1"))) == 1
    with pytest.raises(BadInputError, match="there is no series 9"):
        run("hindsight", str(path), "--series", "9")
    with pytest.raises(BadInputError, match="only Ahuha"):
        run("hindsight", str(seeded(tmp_path, scripts)))


def test_both_forms_become_each_other_and_stay_the_same_bytes(tmp_path: Path, scripts) -> None:
    words = seeded(tmp_path, scripts)
    machine, again = tmp_path / "g.jsonl", tmp_path / "again.txt"
    assert run("convert", str(words), "--to", "jsonl", "-o", str(machine)).exit_code == 0
    assert run("convert", str(machine), "-o", str(again)).exit_code == 0
    assert again.read_bytes() == words.read_bytes()
    assert run("convert", str(words), "--to", "jsonl").stdout == machine.read_text()


@pytest.mark.parametrize("game", GAMES)
def test_every_act_is_listed_with_how_it_is_said(game: str) -> None:
    listed = lines(run("acts", "--game", game))
    assert [line["act"] for line in listed] != []
    assert {line["act"] for line in listed} == set(book_of(game).facts.kinds)
    assert all(line["say"][0] for line in listed)


def test_house_rules_are_read_from_toml(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(
        '[[penalty]]\nlevel = "proved"\nrule = "follow"\npenalty = "points"\npoints = 2\n[[penalty]]\npenalty = "warning"\n'
    )
    assert load_house(path) == (
        HouseRule(Penalty(PenaltyKind.POINTS, 2), Level.PROVED, "follow"),
        HouseRule(Penalty(PenaltyKind.WARNING)),
    )
    result = run("play", *HOSHIZORA, "--house", str(path), said="A plays red 1\nB lays\nruling f1 upheld\n")
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[penalty]]\n", "penalty 1: .*penalty is missing; it must be one of game, points, report, warning"),
        ('[[penalty]]\npenalty = "game"\nlevel = "note"\n', "'note'; it must be one of illegal, proved"),
        ('[[penalty]]\npenalty = "jail"\n', "penalty 1"),
        ('[[penalty]]\npenalty = "points"\npoints = "2"\n', "whole number"),
        ('[[penalty]]\npenalty = "game"\nrules = "x"\n', "no 'rules'"),
        ('[[penalty]]\npenalty = "game"\nlevel = "note!"\n', "penalty 1"),
        ("[penalty]\n", "tables"),
        ("fine = 1\n", "fine"),
        ("[[penalty]\n", "not valid TOML"),
    ],
)
def test_house_rules_that_can_not_be_are_named(text: str, words: str) -> None:
    with pytest.raises(BadInputError, match=words) as refused:
        parse_house(text, "house.toml")
    assert str(refused.value).startswith("house.toml: ")


def test_a_journals_game_is_exported_in_words_and_as_acts(tmp_path: Path, scripts) -> None:
    start = builtin_start("hoshizora", ("A", "B", "C"))
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        events = [NewEvent(EventKind.GAME_STARTED, "g1", start_json(start))]
        events += [NewEvent(EventKind.FACT, "g1", start.book.facts.to_json(fact)) for fact in scripts(start, 3)]
        journal.append(events).wait(10)
    for form, name in (("words", "g.txt"), ("acts", "g.jsonl")):
        args = ["export", "g1", "--as", form, "--journal", str(path), "-o", str(tmp_path / name)]
        assert CliRunner().invoke(log, args, catch_exceptions=False).exit_code == 0
    words, acts = load_game(tmp_path / "g.txt"), load_game(tmp_path / "g.jsonl")
    assert words.game.steps == acts.game.steps
    assert words.game.tags == {"Id": "g1"}
    assert [step.fact for step in words.game.steps] == list(scripts(start, 3))

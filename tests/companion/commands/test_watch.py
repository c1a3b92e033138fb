"""`hoshiban watch` from pictures to the contract's lines."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

ASKED = ("trick", "lead", "played", "majority", "winner", "points")


def ordered(lines):
    return sorted((line["a"], line["b"], line["colour"]) for line in lines)


def test_the_sample_game_is_judged_as_its_truth_says(program, sample_game):
    done = program.run("watch", *sample_game)
    assert done.returncode == 0, done.stderr
    truth = json.loads((sample_game[0] / "game.json").read_text("utf-8"))["steps"]
    events = program.events(done)
    tricks = [event for event in events if event["event"] == "trick"]
    assert [{key: trick[key] for key in ASKED} for trick in tricks] == [
        {key: step[key] for key in ASKED} for step in truth[:7]
    ]
    assert [ordered(trick["drawn"]) for trick in tricks] == [ordered(step["drawn"]) for step in truth[:7]]
    outcome = events[-1]
    assert {key: outcome[key] for key in ("event", "winners", "decided_by", "points", "bids")} == {
        "event": "outcome",
        "points": truth[7]["points"],
        **truth[7]["outcome"],
    }
    assert not [event for event in events if event["event"] in ("finding", "question")]


def test_the_log_of_a_watched_game_replays_to_the_same_hash_and_outcome(program, rendered_game):
    assert program.run("watch", *rendered_game.words).returncode == 0
    exported = program.run("log", "export", "-o", "game.jsonl")
    assert exported.returncode == 0, exported.stderr
    listed = json.loads(program.run("log", "list", "--json").stdout.splitlines()[-1])
    replayed = json.loads(program.run("log", "replay", "game.jsonl").stdout)
    assert replayed["journal_hash"] == listed["journal_hash"]
    assert replayed["same"] is True
    assert replayed["outcome"]["winners"] == rendered_game.truth["steps"][7]["outcome"]["winners"]


def test_a_rendered_game_is_judged_as_it_was_played(program, rendered_game):
    done = program.run("watch", *rendered_game.words)
    events = program.events(done)
    tricks = [event for event in events if event["event"] == "trick"]
    steps = rendered_game.truth["steps"]
    assert [{key: trick[key] for key in ASKED} for trick in tricks] == [
        {key: step[key] for key in ASKED} for step in steps[:7]
    ]
    assert [ordered(trick["drawn"]) for trick in tricks] == [ordered(step["drawn"]) for step in steps[:7]]
    assert events[-1]["winners"] == steps[7]["outcome"]["winners"]
    assert not [event for event in events if event["event"] in ("finding", "question")]
    assert done.returncode == 0


def test_a_revoke_is_found_once_with_player_trick_and_proof(program, rendered_revoke):
    done = program.run("watch", *rendered_revoke.words)
    (finding,) = [event for event in program.events(done) if event["event"] == "finding"]
    truth = rendered_revoke.truth["steps"][7]["revoke"]
    assert finding["level"] == "proved"
    assert (finding["player"], finding["trick"], finding["proved_at"]) == (
        truth["player"],
        truth["trick"],
        truth["proved_at"],
    )
    assert done.returncode == 1


def test_a_game_with_line_elimination_is_judged_as_it_was_played(program, rendered_elimination):
    done = program.run("watch", *rendered_elimination.words, "--setting", "line_elimination=true")
    events = program.events(done)
    steps = rendered_elimination.truth["steps"]
    assert [event["points"] for event in events if event["event"] == "trick"] == [step["points"] for step in steps[:7]]
    assert any(event["erased"] for event in events if event["event"] == "trick")
    assert not [event for event in events if event["event"] in ("finding", "question")]


def test_an_unreadable_picture_is_named_and_the_game_goes_on(program, rendered_game):
    (rendered_game.folder / "00-setup-again.jpg").write_bytes(b"\xff\xd8\xff not a picture")
    done = program.run("watch", *rendered_game.words)
    assert done.returncode == 2
    assert "00-setup-again.jpg" in done.stderr
    assert len([event for event in program.events(done) if event["event"] == "trick"]) == 7
    assert "Traceback" not in done.stderr


def test_two_watches_at_once_keep_two_journals(program, rendered_game):
    first = program.start("watch", *rendered_game.words)
    second = program.run("watch", *rendered_game.words)
    out, _ = first.communicate(timeout=280)
    assert first.returncode == second.returncode == 0
    assert out.splitlines()[-1] == second.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"dir": "nowhere"}, "nowhere"),
        ({"--deck": "nowhere"}, "nowhere"),
        ({"--layout": "nowhere.toml"}, "nowhere.toml"),
        ({"--players": "A,B"}, "three players"),
        ({"--players": "A,A,B"}, "A is there twice"),
        ({"--lead": "Z"}, "Z"),
        ({"--table": "12"}, "700x420"),
        ({"--game": "chess"}, "chess"),
        ({"--setting": "speed=1"}, "speed"),
        ({"--setting": "max_lines_a_star=99"}, "max_lines_a_star"),
    ],
)
def test_bad_options_are_one_clear_line(program, tmp_path, change, says):
    pictures, deck = tmp_path / "pictures", tmp_path / "deck"
    for folder, names in ((pictures, ["1"]), (deck, [f"{c}-{n:02d}" for c in ("red", "blue") for n in range(1, 13)])):
        folder.mkdir()
        for name in names:
            cv2.imwrite(str(folder / f"{name}.png"), np.full((88, 63, 3), 200, np.uint8))
    layout = tmp_path / "layout.toml"
    spots = "".join(f"play.{seat} = [{x}, 0, 100, 130]\n" for seat, x in (("A", 0), ("B", 200), ("C", 400)))
    layout.write_text(f"[zones]\n{spots}", encoding="utf-8")
    options = {
        "dir": str(pictures), "--game": "hoshizora", "--players": "A,B,C", "--table": "700x420", "--deck": str(deck),
        "--layout": str(layout), **change,
    }  # fmt: skip
    words = [options.pop("dir"), *[word for pair in options.items() for word in pair]]
    done = program.run("watch", *words)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_deck_without_scans_is_named(program, tmp_path, sample_game):
    empty = tmp_path / "empty"
    empty.mkdir()
    words = [empty if word == sample_game[sample_game.index("--deck") + 1] else word for word in sample_game]
    done = program.run("watch", *words)
    assert done.returncode == 2
    assert str(empty) in done.stderr


def test_a_wrong_table_size_is_named_with_what_it_looks_like(program, sample_game):
    words = ["500x500" if word == "700x420" else word for word in sample_game]
    layout = Path(program.home) / "small.toml"
    layout.write_text("[zones]\nplay.A=[0,0,100,130]\nplay.B=[200,0,100,130]\nplay.C=[350,0,100,130]\n", "utf-8")
    words[words.index("--layout") + 1] = layout
    done = program.run("watch", *words)
    assert done.returncode == 2
    assert "500" in done.stderr
    assert "Traceback" not in done.stderr


def test_pictures_without_a_table_are_said_and_end_with_2(program, rendered_game):
    for picture in rendered_game.folder.glob("*.jpg"):
        cv2.imwrite(str(picture), np.full((720, 1280, 3), 120, np.uint8))
    done = program.run("watch", *rendered_game.words)
    assert done.returncode == 2
    assert "marker" in done.stderr
    assert "Traceback" not in done.stderr

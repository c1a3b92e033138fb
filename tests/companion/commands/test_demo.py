"""`hoshiban demo` without a game: a walk through those that can be played."""

from __future__ import annotations

import json

import pytest

from companion.commands.demo import WALK
from companion.virtual.table import VirtualTable

NAMES = ("Ami", "Ben", "Cho")


def test_the_page_answers_before_the_table_is_set_and_then_shows_the_first_game(serving) -> None:
    with serving("demo", "--speed", "20") as service:
        first = service.wait_for(lambda view: True)
        assert "is being set" in first["headline"] or first["seats"]
        view = service.wait_for(lambda view: view["game"] == WALK[0] and view["history"])
        assert [seat["name"] for seat in view["seats"]] == list(NAMES)


@pytest.mark.soak
@pytest.mark.timeout(2000)  # more than its own patience: a busy machine is slow, not wrong
def test_the_walk_shows_a_short_game_of_each_to_its_true_end(serving) -> None:
    with serving("demo", "--speed", "20") as service:
        for game in WALK:
            end = service.wait_for(lambda view, g=game: view["game"] == g and view["outcome"], patience_s=600)
            truth = VirtualTable(game=game, seats=NAMES, short=True).truth()["outcome"]
            assert {key: end["outcome"][key] for key in truth} == truth
            assert end["questions"] == []


@pytest.mark.soak
@pytest.mark.timeout(1000)
def test_without_a_page_the_walk_ends_by_itself(program) -> None:
    done = program.run("demo", "--headless", timeout=900)
    outcomes = [event for event in program.events(done) if event["event"] == "outcome"]
    truths = [VirtualTable(game=game, seats=NAMES, short=True).truth()["outcome"] for game in WALK]
    assert done.returncode == 0
    assert [{key: told[key] for key in truth} for told, truth in zip(outcomes, truths, strict=True)] == json.loads(
        json.dumps(truths)
    )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--setting", "line_elimination=true"), "--game"),
        (("--players", "A,B,C,D,E"), "players"),
        (("--players", "A,B", "--game", "hoshizora"), "players"),
    ],
)
def test_what_no_game_can_be_played_by_is_one_line(program, words, line) -> None:
    done = program.run("demo", "--headless", *words)
    assert done.returncode == 2
    assert line in done.stderr
    assert "Traceback" not in done.stderr

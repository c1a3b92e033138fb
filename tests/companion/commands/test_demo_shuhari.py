"""`hoshiban demo --game shuhari` through capture child, vision process, resolver and rules, as its film is drawn."""

from __future__ import annotations

import json

import pytest

from companion.virtual.table import VirtualTable

PLAYERS = ("A", "B")


@pytest.mark.soak
@pytest.mark.timeout(1000)
@pytest.mark.parametrize("options", [(), ("--revoke",)])
def test_a_filmed_game_ends_with_its_truth(program, options):
    words = ("--seed", 1, "--players", ",".join(PLAYERS), "--headless", *options)
    done = program.run("demo", "--game", "shuhari", *words, timeout=900)
    table = VirtualTable(game="shuhari", seed=1, seats=PLAYERS, revoke="--revoke" in options, short=True)
    truth = json.loads(json.dumps(table.truth()))
    events = program.events(done)
    tricks = [event for event in events if event["event"] == "trick"]
    assert [{key: trick[key] for key in step} for trick, step in zip(tricks, truth["steps"], strict=True)] == (
        truth["steps"]
    )
    found = [{key: event[key] for key in event if key not in ("event", "t")} for event in events if "level" in event]
    assert found == truth["findings"]
    assert not [event for event in events if event["event"] == "question"]
    assert {key: events[-1][key] for key in truth["outcome"]} == truth["outcome"]
    assert done.returncode == (1 if options else 0)


def test_a_game_without_a_variant_says_so(program):
    done = program.run("demo", "--game", "shuhari", "--variant", "--headless")
    assert done.returncode == 2
    assert "no variant" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_number_of_players_is_one_clear_line(program):
    done = program.run("demo", "--game", "shuhari", "--players", "A,B,C,D", "--headless")
    assert done.returncode == 2
    assert "two or three" in done.stderr

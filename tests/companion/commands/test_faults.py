"""Faults on command at a running table, over HTTP: each is said in one sentence, and the game goes on to the truth's end."""

from __future__ import annotations

import pytest

from companion.virtual.table import VirtualTable

SENTENCES = {
    "camera-unplugged": ("camera", {"lost"}, "check the cable"),
    "frames-frozen": ("camera", {"lost"}, "one and the same picture"),
    "light-off": ("camera", {"lost"}, "switch the light on"),
    "camera-bumped": ("camera", {"settled", "moving"}, "was moved"),
    "marker-covered": ("camera", {"settled", "moving"}, "marker 0 (top left) can't be seen"),
    "clock-stepped": ("clock", {"stepped"}, "was set ahead by 1 h"),
}


def says(view: dict, fault: str) -> bool:
    name, states, text = SENTENCES[fault]
    return any(
        source["name"] == name and source["state"] in states and text in source["text"] for source in view["sources"]
    )


def sees(view: dict) -> bool:
    """Whether the table is seen and settled, with nothing to say of it."""
    camera = next((source for source in view["sources"] if source["name"] == "camera"), None)
    return camera is not None and (camera["state"], camera["text"]) == ("settled", "")


def strike(service, fault: str) -> None:
    """Switches a fault on until the page says so, and off again until the table is seen as before."""
    service.post("api/faults", {"fault": fault, "on": True})
    service.wait_for(lambda view: says(view, fault))
    service.post("api/faults", {"fault": fault, "on": False})
    service.wait_for(sees)


def test_what_blinds_the_table_is_said_and_it_recovers(serving) -> None:
    with serving("demo", "--game", "hoshizora", "--speed", "4") as service:
        service.wait_for(sees)
        strike(service, "light-off")
        strike(service, "camera-unplugged")


@pytest.mark.soak
@pytest.mark.timeout(1500)  # more than its own patience: a busy machine is slow, not wrong
@pytest.mark.parametrize(("game", "players"), [("hoshizora", "A,B,C"), ("shuhari", "A,B"), ("ahuha", "A,B,C")])
def test_a_game_in_which_everything_goes_wrong_ends_with_its_truth(serving, game, players) -> None:
    with serving("demo", "--game", game, "--players", players, "--speed", "4") as service:
        for fault in SENTENCES:
            service.wait_for(sees)
            strike(service, fault)
        end = service.wait_for(lambda view: view["outcome"] is not None, patience_s=600)
    truth = VirtualTable(game=game, seed=1, seats=tuple(players.split(",")), short=True).truth()["outcome"]
    assert {key: end["outcome"][key] for key in truth} == truth
    assert end["findings"] == []
    assert end["questions"] == []

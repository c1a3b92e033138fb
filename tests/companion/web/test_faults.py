"""The panel of faults: over HTTP, and on the page of a virtual table alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from companion.errors import BadInputError
from companion.web.app import create_app
from companion.web.faults import add_faults
from companion.web.server import PageServer

HOST = {"Host": "localhost"}


class Panel:
    """Two faults, one of which is over at once."""

    def __init__(self) -> None:
        self.on: set[str] = set()
        self.switched: list[tuple[str, bool]] = []

    def listed(self):
        return [
            {"fault": "light-off", "label": "Switch the light off", "on": "light-off" in self.on, "lasts": True},
            {"fault": "pad-reset", "label": "Reset the pad", "on": False, "lasts": False},
        ]

    def switch(self, fault: str, is_on: bool) -> None:
        if fault not in ("light-off", "pad-reset"):
            raise BadInputError(f"{fault!r} is no fault of this table")
        self.switched.append((fault, is_on))
        self.on = self.on | {fault} if is_on and fault == "light-off" else self.on - {fault}


@pytest.fixture
def panel() -> Panel:
    return Panel()


@pytest.fixture
def client(desk, panel):
    app = create_app(desk)
    add_faults(app, panel)
    return app.test_client()


def test_faults_are_listed_and_switched(client, panel) -> None:
    assert [one["fault"] for one in client.get("/api/faults", headers=HOST).json["faults"]] == [
        "light-off",
        "pad-reset",
    ]
    done = client.post("/api/faults", json={"fault": "light-off", "on": True}, headers=HOST)
    assert done.json["faults"][0]["on"] is True
    assert panel.switched == [("light-off", True)]


@pytest.mark.parametrize(
    "body", [{}, {"fault": "light-off"}, {"fault": "light-off", "on": 1}, {"fault": 3, "on": True}, ["light-off"]]
)
def test_a_post_that_lacks_something_switches_nothing(client, panel, body) -> None:
    done = client.post("/api/faults", json=body, headers=HOST)
    assert done.status_code == 409
    assert '"on"' in done.json["error"]
    assert panel.switched == []


def test_an_unknown_fault_is_one_line(client) -> None:
    done = client.post("/api/faults", json={"fault": "earthquake", "on": True}, headers=HOST)
    assert done.status_code == 409
    assert "earthquake" in done.json["error"]


def test_another_site_can_switch_nothing(client, panel) -> None:
    headers = {**HOST, "Origin": "http://evil.example"}
    assert client.post("/api/faults", json={"fault": "light-off", "on": True}, headers=headers).status_code == 403
    assert panel.switched == []


def test_a_real_table_has_no_panel(desk) -> None:
    client = create_app(desk).test_client()
    assert client.get("/api/faults", headers=HOST).status_code == 404
    assert b'id="faults"' not in client.get("/", headers=HOST).data


@pytest.mark.browser
class TestOnThePage:
    @pytest.fixture
    def server(self, desk, panel) -> Iterator[PageServer]:
        page = PageServer(desk, port=0, stream_cap=4)
        add_faults(page.app, panel)
        page.start()
        yield page
        page.close()

    def test_a_tap_switches_a_fault_on_and_another_one_off(self, open_page, panel) -> None:
        page = open_page()
        page.get_by_text("Make something go wrong").click()
        button = page.get_by_role("button", name="Switch the light off")
        button.click()
        page.wait_for_selector("#fault-list [aria-pressed=true]")
        button.click()
        page.wait_for_selector("#fault-list [data-fault=light-off] [aria-pressed=false]")
        assert panel.switched == [("light-off", True), ("light-off", False)]

    def test_what_is_over_at_once_is_only_ever_switched_on(self, open_page, panel) -> None:
        page = open_page()
        page.get_by_text("Make something go wrong").click()
        for _ in range(2):
            page.get_by_role("button", name="Reset the pad").click()
            page.wait_for_function(
                "() => !document.querySelector('#fault-list [data-fault=pad-reset] button').disabled"
            )
        assert panel.switched == [("pad-reset", True)] * 2

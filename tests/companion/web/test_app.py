"""What the page answers, without a server."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.errors import CompanionError
from companion.games.steps import RuleFinding, RuleGame
from companion.rules.ledger import Verdict
from companion.rules.penalties import PenaltyKind
from companion.web.app import create_app


@pytest.fixture
def client(desk: Any) -> FlaskClient:
    return create_app(desk, stream_cap=2).test_client()


def post(client: FlaskClient, path: str, body: Any, **headers: str) -> Any:
    return client.post(path, json=body, headers=headers)


def test_the_page_loads_everything_from_its_own_host(client: FlaskClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    assert "http://" not in answer.text
    assert "https://" not in answer.text


@pytest.mark.parametrize("path", ["/favicon.ico", "/static/favicon.svg", "/static/js/main.js", "/static/sky.css"])
def test_its_files_are_there(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 200


def test_the_view_is_sent_once_a_version(client: FlaskClient, desk: Any) -> None:
    first = client.get("/api/view")
    assert first.json["headline"] == "Chidi turns a card over"
    again = client.get("/api/view", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    desk.change(lambda view: view.update(headline="Aiko draws"))
    newer = client.get("/api/view", headers={"If-None-Match": first.headers["ETag"]})
    assert newer.json["headline"] == "Aiko draws"
    assert desk.renders == 2


def test_reading_changes_nothing(client: FlaskClient, desk: Any) -> None:
    for path in ["/", "/api/view", "/healthz", "/card/red-07.png", "/question/q1/0.png"]:
        assert client.get(path).status_code == 200
    for path in ["/api/answer", "/api/undo", "/api/tell", "/api/correct", "/api/rule"]:
        assert client.get(path).status_code == 405
    assert desk.asked == []


def test_what_people_do_reaches_the_desk_with_their_name(client: FlaskClient, desk: Any) -> None:
    act = {"fact": "card-revealed", "seat": "Aiko", "card": "red-07"}
    assert post(client, "/api/answer", {"question": "q1", "option": "blue-06", "who": "Ben"}).status_code == 200
    assert post(client, "/api/undo", {"seq": 37, "who": "referee"}).status_code == 200
    assert post(client, "/api/undo", {}).status_code == 200
    assert post(client, "/api/tell", {"act": act, "who": " "}).status_code == 200
    assert post(client, "/api/correct", {"seq": 36, "act": act, "who": "x" * 500}).status_code == 200
    assert post(client, "/api/undo", {"seq": 35, "taken_back": True}).status_code == 200
    assert desk.asked.pop() == ("undo", 35, "page", "as play")
    assert desk.asked == [
        ("answer", "q1", "blue-06", "Ben"),
        ("undo", 37, "referee"),
        ("undo", None, "page"),
        ("tell", act, "page"),
        ("correct", 36, act, "x" * 40),
    ]


def test_a_referees_rulings_reach_the_desk(client: FlaskClient, desk: Any) -> None:
    upheld = {"finding": 12, "verdict": "upheld", "penalty": "points", "points": 3, "text": "again", "who": "Kim"}
    assert post(client, "/api/rule", upheld).status_code == 200
    assert post(client, "/api/rule", {"finding": 12, "verdict": "dismissed"}).status_code == 200
    assert post(client, "/api/rule", {"winners": ["Ben"], "who": "Kim"}).status_code == 200
    assert desk.asked == [
        ("rule", RuleFinding(12, Verdict.UPHELD, PenaltyKind.POINTS, 3, "Kim", "again")),
        ("rule", RuleFinding(12, Verdict.DISMISSED, None, 0, "page", "")),
        ("rule", RuleGame(("Ben",), "Kim", "")),
    ]


def test_what_cant_be_done_is_a_409_with_the_desks_line(client: FlaskClient, desk: Any) -> None:
    desk.refusal = "Ben's card is known already: undo it first"
    answer = post(client, "/api/undo", {"seq": 37})
    assert (answer.status_code, answer.json) == (409, {"error": "Ben's card is known already: undo it first"})


def test_trouble_of_the_service_is_a_503_with_its_line(
    client: FlaskClient, desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise CompanionError("the disk is full: free some space; nothing was recorded")

    monkeypatch.setattr(desk, "tell", full)
    answer = post(client, "/api/tell", {"act": {"fact": "drawing-ended"}})
    assert answer.status_code == 503
    assert "disk is full" in answer.json["error"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/answer", {"question": "q1"}),
        ("/api/answer", {"question": "q1", "option": 3}),
        ("/api/answer", {"question": "", "option": "a"}),
        ("/api/undo", {"seq": "last"}),
        ("/api/undo", {"seq": True}),
        ("/api/tell", {"act": "red-07"}),
        ("/api/tell", {"act": {"seat": "A"}}),
        ("/api/correct", {"act": {"fact": "drawing-ended"}}),
        ("/api/tell", ["act"]),
        ("/api/undo", {"taken_back": "yes"}),
        ("/api/rule", {"finding": 12}),
        ("/api/rule", {"finding": 12, "verdict": "guilty"}),
        ("/api/rule", {"finding": "12", "verdict": "upheld"}),
        ("/api/rule", {"finding": 12, "verdict": "upheld", "penalty": "jail"}),
        ("/api/rule", {"winners": "Ben"}),
    ],
)
def test_a_wrong_field_is_named_and_nothing_happens(client: FlaskClient, desk: Any, path: str, body: Any) -> None:
    answer = post(client, path, body)
    assert answer.status_code == 409
    assert answer.json["error"]
    assert desk.asked == []


def test_broken_json_is_refused_with_a_line(client: FlaskClient, desk: Any) -> None:
    answer = client.post("/api/undo", data=b'{"seq": ', content_type="application/json")
    assert answer.status_code == 400
    assert answer.json["error"]


def test_a_form_of_another_site_can_not_post(client: FlaskClient, desk: Any) -> None:
    assert client.post("/api/undo", data={"seq": "37"}).status_code == 415
    assert client.post("/api/undo", data='{"seq": 37}', content_type="text/plain").status_code == 415
    assert desk.asked == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_origin_can_not_post(client: FlaskClient, desk: Any, headers: dict[str, str]) -> None:
    assert client.post("/api/undo", json={"seq": 37}, headers=headers).status_code == 403
    assert desk.asked == []


def test_its_own_origin_can_post(client: FlaskClient) -> None:
    assert post(client, "/api/undo", {"seq": 37}, Origin="http://localhost").status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/view", "/events", "/card/red-07.png"])
def test_a_foreign_host_name_reads_nothing(client: FlaskClient, path: str) -> None:
    assert client.get(path, headers={"Host": "evil.example"}).status_code == 403


def test_the_local_network_is_let_in_when_asked_for(desk: Any) -> None:
    page = create_app(desk, lan=True, names=frozenset({"game-room"})).test_client()
    assert page.get("/", headers={"Host": "192.168.7.7:8765"}).status_code == 200
    assert page.get("/", headers={"Host": "game-room:8765"}).status_code == 200
    assert page.get("/", headers={"Host": "evil.example"}).status_code == 403


def test_a_huge_post_is_refused(client: FlaskClient, desk: Any) -> None:
    answer = post(client, "/api/tell", {"act": {"fact": "x" * 100_000}})
    assert answer.status_code == 413
    assert desk.asked == []


def test_pictures_are_png_or_not_there(client: FlaskClient) -> None:
    assert client.get("/card/red-07.png").data.startswith(b"\x89PNG")
    assert client.get("/question/q1/0.png").mimetype == "image/png"
    for path in ["/card/blue-99.png", "/card/..%2F..%2Fsecret.png", "/question/q9/0.png", "/question/q1/7.png"]:
        answer = client.get(path)
        assert answer.status_code == 404
        assert answer.json["error"]


def test_health_says_how_many_watch(client: FlaskClient) -> None:
    assert client.get("/healthz").json == {"ok": True, "version": 1, "streams": 0, "stream_cap": 2}

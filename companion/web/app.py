"""The local page as a Flask app over a desk: one page, one stream of views, and posts by which people act."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar, cast

from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException

from companion.errors import BadInputError, CompanionError
from companion.games.steps import RuleFinding, RuleGame
from companion.rules.ledger import Verdict
from companion.rules.penalties import PenaltyKind
from companion.web import guard
from companion.web.broadcast import Broadcast, StreamsFullError
from companion.web.desk import Desk

STREAM_CAP = 200
"""Viewers at a time, unless told otherwise."""
PLAIN_ID = re.compile(r"[\w.:-]{1,80}")
WHO_LIMIT = 40
ChoiceT = TypeVar("ChoiceT", bound=StrEnum)


def create_app(
    desk: Desk,
    *,
    stream_cap: int = STREAM_CAP,
    lan: bool = False,
    names: frozenset[str] | None = None,
) -> Flask:
    """The page over a desk.

    `stream_cap`: streams at a time; one more is answered with 503. `lan`: answer to this machine's addresses and names on
    the local network too, not only to this machine. `names`: further host names to answer to.
    """
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = guard.MAX_BODY_BYTES
    app.config["TEMPLATES_AUTO_RELOAD"] = False
    broadcast = Broadcast(desk, stream_cap)
    app.extensions["hoshiban.broadcast"] = broadcast
    add_guard(app, lan=lan, names=guard.own_names() | (names or frozenset()))
    _add_reading(app, desk, broadcast)
    _add_acting(app, desk)
    return app


def broadcast_of(app: Flask) -> Broadcast:
    """The broadcaster of an app that `create_app` made."""
    return cast(Broadcast, app.extensions["hoshiban.broadcast"])


def add_guard(app: Flask, *, lan: bool, names: frozenset[str]) -> None:
    """Lets only this service's own pages act, under its own names, and says every error as one line of JSON."""

    @app.before_request
    def check_who_asks() -> Response | None:
        if not guard.host_allowed(request.headers.get("Host", ""), lan=lan, names=names):
            return _error(
                403, "this address is not one of the service's names; open the address that was printed at start"
            )
        if request.method != "POST":
            return None
        if not guard.same_origin(request):
            return _error(403, "only the service's own page may do this")
        if request.mimetype != "application/json":
            return _error(415, "say it as JSON (Content-Type: application/json)")
        return None

    @app.after_request
    def add_headers(response: Response) -> Response:
        for name, value in guard.HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    @app.errorhandler(HTTPException)
    def say_http(error: HTTPException) -> Response:
        return _error(error.code or 500, error.description or error.name)

    @app.errorhandler(BadInputError)
    def say_bad_input(error: BadInputError) -> Response:
        return _error(409, str(error))

    @app.errorhandler(CompanionError)
    def say_trouble(error: CompanionError) -> Response:
        return _error(503, str(error))


def _add_reading(app: Flask, desk: Desk, broadcast: Broadcast) -> None:
    @app.get("/")
    def table() -> str:
        return render_template("table.html")

    @app.get("/events")
    def events() -> Response:
        gone = cast(Callable[[], bool], request.environ.get("waitress.client_disconnected", lambda: False))
        try:
            stream = broadcast.open_stream(gone)
        except StreamsFullError:
            full = _error(503, f"{broadcast.stream_cap} pages watch already; this one looks again every few seconds")
            full.headers["Retry-After"] = "5"
            return full
        return Response(
            stream,
            mimetype="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    @app.get("/api/view")
    def view() -> Response:
        newest = broadcast.latest()
        response = Response(newest.body, mimetype="application/json", headers={"Cache-Control": "no-cache"})
        response.set_etag(f"v{newest.version}")
        response.make_conditional(request)
        return response

    @app.get("/healthz")
    def health() -> Response:
        newest = broadcast.latest()
        return json_response(
            {"ok": True, "version": newest.version, "streams": broadcast.streams, "stream_cap": broadcast.stream_cap}
        )

    @app.get("/card/<card_id>.png")
    def card(card_id: str) -> Response:
        return picture_response(desk.card_picture(card_id) if PLAIN_ID.fullmatch(card_id) else None)

    @app.get("/question/<question_id>/<int:index>.png")
    def question(question_id: str, index: int) -> Response:
        return picture_response(desk.question_picture(question_id, index) if PLAIN_ID.fullmatch(question_id) else None)

    @app.get("/favicon.ico")
    def favicon() -> Response:
        return app.send_static_file("favicon.svg")


def _add_acting(app: Flask, desk: Desk) -> None:
    @app.post("/api/answer")
    def answer() -> Response:
        body = _Body.read()
        desk.answer(body.text("question"), body.text("option"), body.who())
        return json_response({"ok": True})

    @app.post("/api/undo")
    def undo() -> Response:
        body = _Body.read()
        as_play = body.flag("taken_back")
        desk.undo(body.number("seq") if body.has("seq") else None, body.who(), as_play=as_play)
        return json_response({"ok": True})

    @app.post("/api/tell")
    def tell() -> Response:
        body = _Body.read()
        desk.tell(body.act(), body.who())
        return json_response({"ok": True})

    @app.post("/api/correct")
    def correct() -> Response:
        body = _Body.read()
        desk.correct(body.number("seq"), body.act(), body.who())
        return json_response({"ok": True})

    @app.post("/api/rule")
    def rule() -> Response:
        body = _Body.read()
        desk.rule(body.ruling())
        return json_response({"ok": True})


class _Body:
    """A post's JSON object; a missing or wrong field is named in a 409 line, and nothing has happened yet."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    @classmethod
    def read(cls) -> _Body:
        fields = request.get_json()
        if not isinstance(fields, dict):
            raise BadInputError("the post must be a JSON object")
        return cls(fields)

    def has(self, name: str) -> bool:
        return self._fields.get(name) is not None

    def text(self, name: str) -> str:
        value = self._fields.get(name)
        if not isinstance(value, str) or not 1 <= len(value) <= 200:
            raise BadInputError(f'"{name}" must be a short text')
        return value

    def number(self, name: str) -> int:
        value = self._fields.get(name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadInputError(f'"{name}" must be a whole number')
        return value

    def flag(self, name: str) -> bool:
        value = self._fields.get(name, False)
        if not isinstance(value, bool):
            raise BadInputError(f'"{name}" must be true or false')
        return value

    def choice(self, name: str, choices: type[ChoiceT]) -> ChoiceT:
        value = self.text(name)
        try:
            return choices(value)
        except ValueError:
            raise BadInputError(f'"{name}" must be one of {", ".join(one.value for one in choices)}') from None

    def ruling(self) -> RuleFinding | RuleGame:
        """On a finding ("finding", "verdict", and "penalty" with "points" where it costs other than by house rule), or on the
        game ("winners"); either with "text"."""
        text = self.text("text") if self.has("text") else ""
        if self.has("winners"):
            winners = self._fields["winners"]
            if not isinstance(winners, list) or not all(isinstance(seat, str) for seat in winners):
                raise BadInputError('"winners" must be a list of players')
            return RuleGame(tuple(winners), self.who(), text)
        verdict = self.choice("verdict", Verdict)
        penalty = self.choice("penalty", PenaltyKind) if self.has("penalty") else None
        points = self.number("points") if self.has("points") else 0
        return RuleFinding(self.number("finding"), verdict, penalty, points, self.who(), text)

    def act(self) -> dict[str, Any]:
        value = self._fields.get("act")
        if not isinstance(value, dict) or not isinstance(value.get("fact"), str):
            raise BadInputError('"act" must be an object with a "fact"')
        return value

    def who(self) -> str:
        """Who says so, by their own word: a seat, "referee", or the page in general."""
        value = self._fields.get("who")
        if not isinstance(value, str) or not value.strip():
            return "page"
        return " ".join(value.split())[:WHO_LIMIT]


def json_response(value: dict[str, Any], status: int = 200) -> Response:
    """An answer that is kept nowhere."""
    return Response(
        json.dumps(value, ensure_ascii=False),
        status=status,
        mimetype="application/json",
        headers={"Cache-Control": "no-store"},
    )


def _error(status: int, line: str) -> Response:
    return json_response({"error": line}, status)


def picture_response(picture: bytes | None) -> Response:
    """A PNG or JPEG, fetched again only where it has changed; 404 for None."""
    if picture is None:
        return _error(404, "there is no such picture")
    kind = "image/jpeg" if picture.startswith(b"\xff\xd8") else "image/png"
    response = Response(picture, mimetype=kind, headers={"Cache-Control": "no-cache"})
    response.add_etag()
    response.make_conditional(request)
    return response

"""The pages of an enrolment from the camera: of cards, over companion.service.taking.Taking or anything like it; and what the
pages of dice and of the loop share with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from flask import Flask, Response, render_template, request

from companion.errors import BadInputError
from companion.web import guard
from companion.web.app import add_guard, json_response, picture_response

LONGEST_WAIT_S = 5.0


class Takes(Protocol):
    """What any such page needs. Methods may be called from any thread; those that act raise BadInputError."""

    def view(self) -> Mapping[str, Any]:
        """Everything that the page shows."""

    def wait(self, after_version: int, timeout_s: float) -> int:
        """Blocks until there is a newer version, or the time is up."""

    def table_picture(self) -> bytes | None:
        """What the camera saw last."""


class TakesCards(Takes, Protocol):
    """What the page of cards needs."""

    def take_picture(self, number: int) -> bytes | None:
        """A take's picture."""

    def keep(self, take: int, side: str, *, again: bool = False) -> str:
        """Keeps a take."""

    def turn(self, take: int) -> None:
        """Turns a take by a quarter."""

    def drop(self, take: int, *, again: bool) -> None:
        """Takes it again, or leaves it out."""

    def remove(self, stem: str) -> None:
        """Throws a kept scan away."""

    def finish(self) -> None:
        """All cards are taken."""

    def scan(self, stem: str) -> bytes | None:
        """A kept scan."""


def create_enrol_app(taking: TakesCards, *, lan: bool = False) -> Flask:
    """The page; `lan` as in companion.web.app.create_app."""
    app = taking_app(taking, "enrol.html", lambda body: _act(taking, body), lan=lan)

    @app.get("/take/<int:number>.png")
    def take(number: int) -> Response:
        return picture_response(taking.take_picture(number))

    @app.get("/scan/<stem>.jpg")
    def scan(stem: str) -> Response:
        return picture_response(taking.scan(stem))

    return app


def taking_app(
    taking: Takes, template: str, act: Callable[[object], None], *, lan: bool, body_bytes: int = guard.MAX_BODY_BYTES
) -> Flask:
    """A page that waits for news of a taking, shows its pictures and passes on what people say.

    `act` is given a post's JSON, and raises BadInputError. `body_bytes`: of the largest post.
    """
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = body_bytes
    add_guard(app, lan=lan, names=guard.own_names())

    @app.get("/")
    def page() -> str:
        return render_template(template)

    @app.get("/api/view")
    def view() -> Response:
        after = request.args.get("after", "0")
        taking.wait(int(after) if after.isdecimal() and len(after) < 10 else 0, LONGEST_WAIT_S)
        return json_response(dict(taking.view()))

    @app.get("/table/<int:_version>.jpg")
    def table(_version: int) -> Response:
        return picture_response(taking.table_picture())

    @app.get("/favicon.ico")
    def favicon() -> Response:
        return app.send_static_file("favicon.svg")

    @app.post("/api/act")
    def said() -> Response:
        act(request.get_json())
        return json_response({"ok": True})

    return app


def _act(taking: TakesCards, body: object) -> None:
    match body:
        case {"do": "keep", "take": int(take), "side": str(side), "again": bool(again)}:
            taking.keep(take, side, again=again)
        case {"do": "turn", "take": int(take)}:
            taking.turn(take)
        case {"do": "retake", "take": int(take)}:
            taking.drop(take, again=True)
        case {"do": "skip", "take": int(take)}:
            taking.drop(take, again=False)
        case {"do": "remove", "scan": str(stem)}:
            taking.remove(stem)
        case {"do": "finish"}:
            taking.finish()
        case _:
            raise BadInputError('"do" must be keep, turn, retake, skip, remove or finish, with what belongs to it')

"""The page of an enrolment of dice from the camera, over companion.service.die_taking.DieTaking."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

from flask import Flask, Response

from companion.errors import BadInputError
from companion.service.die_taking import Before, DieTaking
from companion.web.app import json_response, picture_response
from companion.web.enrol import taking_app

LARGEST_POST = 60 * 1024
"""A flat picture as text; the server itself takes a little more."""
_SAY = (
    '"do" must be begin, keep, flat, retake, skip, pass, take, remove, finish, store, back, another or end, '
    "with what belongs to it"
)


def create_die_app(taking: DieTaking, *, lan: bool = False) -> Flask:
    """The page; `lan` as in companion.web.app.create_app."""
    app = taking_app(taking, "enrol_die.html", lambda body: _act(taking, body), lan=lan, body_bytes=LARGEST_POST)

    @app.get("/take/<int:number>.png")
    def take(number: int) -> Response:
        return picture_response(taking.take_picture(number))

    @app.get("/api/live")
    def live() -> Response:
        return json_response(dict(taking.live()))

    @app.get("/live/<int:_number>.jpg")
    def live_picture(_number: int) -> Response:
        return picture_response(taking.live_picture())

    @app.get("/ink/<int:number>.png")
    def ink(number: int) -> Response:
        return picture_response(taking.ink_picture(number))

    @app.get("/kept/<file>")
    def kept(file: str) -> Response:
        return picture_response(taking.kept_picture(file))

    return app


def _act(taking: DieTaking, body: object) -> None:
    match body:
        case {"do": "begin", "name": str(name), "sides": int(sides), "before": str(before)}:
            taking.begin(name.strip(), sides, _before(before))
        case {"do": "keep", "take": int(take), "face": str(face), "again": bool(again)}:
            taking.keep(take, face, again=again)
        case {"do": "flat", "face": str(face), "png": str(text)}:
            taking.keep_flat(face, _decoded(text))
        case {"do": "retake", "take": int(take)}:
            taking.drop(take, again=True)
        case {"do": "skip", "take": int(take)}:
            taking.drop(take, again=False)
        case {"do": "remove", "file": str(file)}:
            taking.remove(file)
        case {"do": str(word)} if word in (plain := _plain(taking)):
            plain[word]()
        case _:
            raise BadInputError(_SAY)


def _plain(taking: DieTaking) -> dict[str, Callable[[], None]]:
    """What is said without a further word."""
    return {
        "pass": taking.pass_over,
        "take": taking.take_now,
        "finish": taking.finish,
        "store": taking.store,
        "back": taking.back,
        "another": taking.another,
        "end": taking.end,
    }


def _before(text: str) -> Before:
    try:
        return Before(text)
    except ValueError:
        raise BadInputError(f'"before" must be one of {", ".join(repr(one.value) for one in Before)}') from None


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BadInputError('"png" must be a PNG in base64') from None

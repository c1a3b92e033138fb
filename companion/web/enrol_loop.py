"""The page of the loop of string, over companion.service.loop_taking.LoopTaking."""

from __future__ import annotations

from flask import Flask

from companion.errors import BadInputError
from companion.service.loop_taking import LoopTaking
from companion.web.enrol import taking_app


def create_loop_app(taking: LoopTaking, *, lan: bool = False) -> Flask:
    """The page; `lan` as in companion.web.app.create_app."""
    return taking_app(taking, "enrol_loop.html", lambda body: _act(taking, body), lan=lan)


def _act(taking: LoopTaking, body: object) -> None:
    match body:
        case {"do": "point", "across": int() | float() as across, "down": int() | float() as down}:
            taking.point(float(across), float(down))
        case {"do": "keep"}:
            taking.keep()
        case {"do": "again"}:
            taking.look_again()
        case {"do": "take"}:
            taking.take_now()
        case {"do": "end"}:
            taking.end()
        case _:
            raise BadInputError('"do" must be point (with "across" and "down"), keep, again, take or end')

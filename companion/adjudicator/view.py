"""The view that the page shows: the game's own part from its kit, and what is the same for every game."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from companion.adjudicator.record import Record, finding_json
from companion.adjudicator.resolution import Option
from companion.rules.ledger import Found, Life
from companion.rules.penalties import REPORT_ONLY

Json = Any
HISTORY = 200
"""Newest lines of the history that go to every page; the log has them all."""


@dataclass(frozen=True, slots=True)
class Status:
    """What a camera, the journal or another part is doing."""

    name: str
    state: str
    """"settled", "moving", "covered", "lost" or "ended"."""
    text: str = ""


def table_view(
    record: Record,
    *,
    version: int,
    prompts: tuple[str, ...],
    sources: tuple[Status, ...],
    pictures: Mapping[str, int],
    scans: Set[str] = frozenset(),
    state: Any = None,
) -> dict[str, Json]:
    """The whole view (companion/web/desk.py, `View`), JSON-able.

    `pictures` counts those of each open question, by its id; `scans` are the cards of which there is a picture; `state` is
    the game's where it is ahead of the record.
    """
    outcome = record.outcome()
    state = record.state if state is None else state
    return {
        **record.kit.view(state),
        "version": version,
        "game": record.start.game,
        "title": record.start.book.title,
        "game_id": record.game_id,
        "expectations": [
            {
                "who": expected.who,
                "act": expected.act,
                "text": expected.text,
                "rule": expected.rule,
                "must": expected.must,
                "options": list(expected.options),
            }
            for expected in record.start.book.rules.expects(state)
        ],
        "findings": findings_view(record),
        "questions": [
            {
                "id": opened.id,
                "text": opened.question.text,
                "detail": opened.question.detail,
                "options": [_option_view(option, scans) for option in opened.question.options],
                "pictures": [f"/question/{opened.id}/{index}.png" for index in range(pictures.get(opened.id, 0))],
            }
            for opened in record.questions.values()
        ],
        "taps": [{"label": tap.label, "act": dict(tap.act), "whole": tap.whole} for tap in record.kit.taps(state)],
        "prompts": [{"text": text} for text in prompts],
        "sources": [{"name": source.name, "state": source.state, "text": source.text} for source in sources],
        "outcome": None
        if outcome is None
        else {
            "winners": list(outcome.winners),
            "decided_by": outcome.decided_by,
            "points": outcome.points,
            "bids": dict(outcome.bids),
        },
        "points_off": record.ledger.points_off(),
        "history": history_view(record),
    }


def _option_view(option: Option, scans: Set[str]) -> dict[str, Json]:
    """An answer; one that says which card it is shows that card's scan."""
    cards = {fact["card"] for fact in option.tell if isinstance(fact.get("card"), str)}
    picture = f"/card/{quote(cards.pop())}.png" if len(cards) == 1 and cards <= scans else None
    return {"id": option.id, "label": option.label, "picture": picture}


def findings_view(record: Record) -> list[dict[str, Json]]:
    """Every finding that was ever recorded, in order, with how far it has come and what a referee said of it."""
    return [
        {
            "id": str(logged.seq),
            **finding_json(logged.finding),
            "withdrawn": logged.life is Life.WITHDRAWN,
            "life": logged.life.value,
            "penalty": "" if logged.found is None or logged.found.penalty == REPORT_ONLY else str(logged.found.penalty),
            "ruling": _ruling_view(logged.found),
        }
        for logged in record.logged()
    ]


def _ruling_view(found: Found | None) -> dict[str, Json] | None:
    if found is None or found.ruling is None:
        return None
    return {"verdict": found.ruling.verdict.value, "by": found.ruling.by, "text": found.ruling.text}


def history_view(record: Record) -> list[dict[str, Json]]:
    """Facts and undos for people, oldest first. An undo can itself be undone until its facts are back."""
    kit, setup = record.kit, record.start.setup
    rows: list[dict[str, Json]] = [
        {
            "seq": entry.number,
            "t_text": clock_text(entry.t_ns),
            "text": kit.describe(entry.fact, setup) + (" (corrected)" if entry.corrected else ""),
            "kind": "fact" if entry.by == "table" else "told",
            "undoable": not entry.undone,
            "undone": entry.undone,
            "act": record.start.book.facts.to_json(entry.fact),
        }
        for entry in record.entries
    ]
    rows += [
        {
            "seq": seq,
            "t_text": "",
            "text": "taken back: " + ", ".join(kit.describe(entry.fact, setup) for entry in entries),
            "kind": "undo",
            "undoable": True,
            "undone": False,
        }
        for seq, entries in record.undos.items()
    ]
    return sorted(rows, key=lambda row: int(row["seq"]))[-HISTORY:]


def clock_text(t_ns: int | None) -> str:
    """Minutes and seconds of a recording or of the service's running."""
    if t_ns is None:
        return ""
    minutes, second = divmod(t_ns // 10**9, 60)
    return f"{minutes}:{second:02d}"

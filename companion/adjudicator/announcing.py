"""The journal's events as the contract's: what is told of them to the page and on stdout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.journal import EventKind

INTERNAL = ("let-go", "question-closed", "said", "unsaid")
"""Events that the record folds and that nobody is told of."""


def contract_event(kind: EventKind, payload: Mapping[str, Any], t_ns: int | None) -> dict[str, Any] | None:
    """What is told of an event at the pictures' time; None where nobody is told of it."""
    t = seconds(t_ns)
    match kind:
        case EventKind.EVENT if payload.get("event") not in INTERNAL:
            return {"event": payload["event"], "t": t, **{k: v for k, v in payload.items() if k != "event"}}
        case EventKind.FINDING:
            return {"event": "finding", "t": t, **payload}
        case EventKind.QUESTION:
            options = [{"id": option["id"], "label": option["label"]} for option in payload["options"]]
            asked = {key: payload[key] for key in ("id", "text", "detail")}
            return {"event": "question", "t": t, **asked, "options": options}
        case EventKind.PROMPT:
            return {"event": "prompt", "t": t, "text": payload["text"]}
        case _:
            return None


def seconds(t_ns: int | None) -> int | float | None:
    """Nanoseconds as seconds, whole where they are (the index of a directory's picture)."""
    if t_ns is None:
        return None
    return t_ns // 10**9 if t_ns % 10**9 == 0 else round(t_ns / 1e9, 6)

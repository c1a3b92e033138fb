"""The view that the page shows: the game's own part from its kit, and what is the same for every game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.adjudicator.record import Record, finding_json

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
    record: Record, *, version: int, prompts: tuple[str, ...], sources: tuple[Status, ...], pictures: Mapping[str, int]
) -> dict[str, Json]:
    """The whole view (companion/web/desk.py, `View`), JSON-able. `pictures` counts those of each open question, by its id."""
    outcome = record.outcome()
    return {
        **record.kit.view(record.state),
        "version": version,
        "game": record.kit.game,
        "title": record.kit.title,
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
            for expected in record.kit.rules.expects(record.state)
        ],
        "findings": findings_view(record),
        "questions": [
            {
                "id": opened.id,
                "text": opened.question.text,
                "detail": opened.question.detail,
                "options": [{"id": option.id, "label": option.label} for option in opened.question.options],
                "pictures": [f"/question/{opened.id}/{index}.png" for index in range(pictures.get(opened.id, 0))],
            }
            for opened in record.questions.values()
        ],
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
        "history": history_view(record),
    }


def findings_view(record: Record) -> list[dict[str, Json]]:
    """Every finding that was ever recorded, in order, with whether it still stands."""
    standing = list(record.findings)
    shown = []
    for seq, finding in record.recorded:
        stands = finding in standing
        if stands:
            standing.remove(finding)
        shown.append({"id": str(seq), **finding_json(finding), "withdrawn": not stands})
    return shown


def history_view(record: Record) -> list[dict[str, Json]]:
    """Facts and undos for people, oldest first. An undo can itself be undone until its facts are back."""
    kit = record.kit
    rows: list[dict[str, Json]] = [
        {
            "seq": entry.seq,
            "t_text": clock_text(entry.t_ns),
            "text": kit.describe(entry.fact) + (" (corrected)" if entry.corrected else ""),
            "kind": "fact" if entry.by == "table" else "told",
            "undoable": not entry.undone,
            "undone": entry.undone,
            "act": kit.facts.to_json(entry.fact),
        }
        for entry in record.entries
    ]
    rows += [
        {
            "seq": seq,
            "t_text": "",
            "text": "taken back: " + ", ".join(kit.describe(entry.fact) for entry in entries),
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

"""A journal's game as people write games down: its acts, what was put right, and rulings, without the sensors behind them."""

from __future__ import annotations

from collections.abc import Iterable

from companion.adjudicator.record import Record
from companion.errors import BadInputError
from companion.games.steps import Act, Correct, RuleFinding, Step, TakeBack, Undo, step_of
from companion.games.written import Written
from companion.journal import Event, EventKind


def written_of(events: Iterable[Event], tags: dict[str, str] | None = None) -> Written:
    """The game of a journal's events, in order. Raises BadInputError where they are no whole game."""
    stream = iter(events)
    first = next(stream, None)
    if first is None or first.kind is not EventKind.GAME_STARTED:
        raise BadInputError("this is no whole game: its first event is not a start")
    record = Record(first)
    game = Written(record.start, {"Id": first.game_id, **(tags or {})})
    numbers: dict[int, int] = {}
    for event in stream:
        record.take(event)
        for step in _steps(event, record, game, numbers):
            game.take(step)
    return game


def _steps(event: Event, record: Record, game: Written, numbers: dict[int, int]) -> list[Step]:
    """What an event is in a written game; `numbers` leads from the journal's numbers of facts to those of acts."""
    payload, codec = event.payload, record.start.book.facts
    match event.kind:
        case EventKind.FACT:
            numbers[event.seq] = game.acts + 1
            return [Act(codec.of_json(payload))]
        case EventKind.UNDO:
            kind = TakeBack if payload.get("taken_back") is True else Undo
            return [kind(numbers[target]) for target in payload.get("targets", ()) if target in numbers]
        case EventKind.CORRECTION if (target := payload.get("target")) in numbers:
            return [Correct(numbers[target], codec.of_json(payload))]
        case EventKind.OVERRIDE:
            step = step_of(payload, codec)
            if isinstance(step, RuleFinding):
                act, finding = record.recorded_finding(step.number)
                number = 1 + list(game.known).index((finding, numbers[act]))
                step = RuleFinding(number, step.verdict, step.penalty, step.points, step.by, step.text)
            return [step]
        case _:
            return []

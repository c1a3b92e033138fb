"""A ruled touch as it is announced, kept and asked about: the verdict and why, and the answers that a referee can give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from companion.adjudicator.resolution import Option, Question
from companion.duel.reports import (
    ClosingReport,
    DieNews,
    DieReport,
    RaisedReport,
    Report,
    SwingReport,
    ToldReport,
    TouchReport,
)
from companion.duel.rulings import Consequence, Gap, ReadTouch, Ruled
from companion.duel.timeline import Entry
from companion.games.hoshi_battle import BOOK
from companion.rules.hoshi_battle.facts import Ruling, TouchRuled, Where
from companion.rules.hoshi_battle.touches import Verdict

Json = Any
TOUCH = "touch"
"""Questions about a touch have keys that begin so."""
MOST_READINGS = 6
"""More ways in which a touch may have been are not offered one by one."""


def touch_event(ruled: Ruled, entries: Iterable[Entry], now_us: int) -> dict[str, Json]:
    """The contract's event of a touch. Times are whole microseconds, those of the line from the touch on."""
    at_us = ruled.fact.at_us or 0
    evidence = frozenset(ruled.evidence)
    return {
        "event": "touch",
        "key": key_of(ruled),
        "source": ruled.source.value,
        "at_us": at_us,
        "within_us": ruled.fact.within_us,
        "verdict": ruled.verdict.value,
        "text": ruled.text,
        "rule": ruled.rule,
        "seats": list(ruled.seats),
        "by": list(ruled.fact.by),
        "where": ruled.fact.where.value,
        "hit": list(ruled.hit),
        "bluffed": list(ruled.bluffed),
        "special": [[ruled.seats[side], card] for side, card in _pairs(ruled.consequence[3])],
        "hidden": [ruled.seats[side] for side in _sides(ruled.consequence[4])],
        "asked": ruled.is_question,
        "goes_on": ruled.verdict is Verdict.MISS,
        "doubts": list(ruled.doubts),
        "gaps": [_gap(gap) for gap in ruled.gaps],
        "guard_us": ruled.guard_us,
        "defence_us": ruled.defence_us,
        "line": [_line(entry, at_us) for entry in entries if (entry.source, entry.key) in evidence],
        "blinds": [{"source": blind.source.value, "why": blind.why} for blind in ruled.blinds],
        "ruled_after_us": max(0, now_us - at_us),
    }


def key_of(ruled: Ruled) -> str:
    """Names a touch, and the question about it."""
    return f"{TOUCH}:{ruled.source.value}:{'-'.join(str(part) for part in ruled.key)}"


def _gap(gap: Gap) -> dict[str, Json]:
    return {
        "seat": gap.seat,
        "die": gap.die,
        "face": gap.face.value,
        "counts_as": [face.value for face in gap.counts_as],
        "since": gap.since.value,
        "gap_us": gap.gap_us,
        "within_us": gap.within_us,
        "life": gap.life,
        "close": gap.is_too_close,
    }


def _line(entry: Entry, at_us: int) -> dict[str, Json]:
    return {
        "source": entry.source.value,
        "from_us": entry.at_us - at_us,
        "within_us": entry.within_us,
        **_told(entry.report),
    }


def _told(report: Report) -> dict[str, Json]:
    """What a report says, as the time line under a clip shows it: whose line, what kind, a few words."""
    match report:
        case DieReport(news=news, seat=seat, die=die):
            return {"seat": seat, "die": die, "what": news.value, "text": _die_words(report)}
        case TouchReport():
            return {"seat": None, "what": "touch", "text": "hands touched"}
        case ClosingReport(by=by):
            who = "nobody can tell whose hand closed in" if by is None else f"{' and '.join(by)} closed in"
            where = {Where.HAND: " on a hand", Where.ELSEWHERE: " on an arm", Where.UNKNOWN: ""}[report.where]
            return {"seat": by[0] if by is not None and len(by) == 1 else None, "what": "closing", "text": who + where}
        case RaisedReport(seat=seat, is_up=is_up, is_sure=is_sure):
            word = "raised the hand" if is_up else "lowered the hand"
            return {"seat": seat, "what": "raised", "text": word if is_sure else f"perhaps {word}"}
        case SwingReport(seat=seat, is_sure=is_sure):
            word = "reached out and missed"
            return {"seat": seat, "what": "swing", "text": word if is_sure else f"perhaps {word}"}
        case ToldReport(fact=fact):
            return {"seat": getattr(fact, "seat", None), "what": "told", "text": BOOK.facts.to_json(fact)["fact"]}


def _die_words(report: DieReport) -> str:
    match report.news:
        case DieNews.READ:
            return "not to be read" if report.face is None or report.face.value == "unknown" else report.face.value
        case DieNews.DECIDED:
            return {True: "touched inside", False: "touched outside", None: "inside or outside: open"}[report.inside]
        case news:
            return news.value


# -- questions ------------------------------------------------------------------------------------------------------------


def question_of(ruled: Ruled) -> Question:
    """What a referee is asked of a touch that is too close: whose hand and where, where that settles it; else what it was."""
    readings = _open_readings(ruled)
    options = [*_reading_options(ruled, readings), *_referee_options(ruled)]
    return Question(key_of(ruled), _asked(readings), tuple(_each_once(options)), ruled.text)


def _open_readings(ruled: Ruled) -> tuple[ReadTouch, ...]:
    """The ways in which the touch may have been, where each comes to one thing that can be ruled."""
    readings = ruled.readings
    if not 1 < len(readings) <= MOST_READINGS or not all(_act_of(ruled, one) for one in readings):
        return ()
    return readings


def _asked(readings: Sequence[ReadTouch]) -> str:
    if not readings:
        return "Too close to tell: referee, what was it?"
    whose = len({one.by for one in readings}) > 1
    where = len({one.where for one in readings}) > 1
    if whose and where:
        return "Whose hand struck, and did it meet a hand or an arm?"
    return "Whose hand struck?" if whose else "Did it meet the hand, or an arm?"


def _reading_options(ruled: Ruled, readings: Sequence[ReadTouch]) -> Iterator[Option]:
    whose = len({one.by for one in readings}) > 1
    for one in readings:
        act = _act_of(ruled, one)
        if act is None:
            continue
        who = " and ".join(one.by) + (" struck" if whose else "")
        where = {Where.HAND: "a hand", Where.ELSEWHERE: "an arm", Where.UNKNOWN: ""}[one.where]
        words = f"{who}, {where}: {_words(act)}" if whose else f"{where.capitalize()}: {_words(act)}"
        yield _option(act, words)


def _act_of(ruled: Ruled, one: ReadTouch) -> TouchRuled | None:
    """A referee's word for what a touch would come to; None where no one word says it."""
    if len(one.may_be) != 1:
        return None
    return word_for(next(iter(one.may_be)), ruled.seats, one.by)


def word_for(found: Consequence, seats: tuple[str, ...], by: Sequence[str] = ()) -> TouchRuled | None:
    """The ruling that comes to this (companion.duel.rulings.consequence); None where no one word says it."""
    verdict, hit, bluffed, special, hidden = found
    parts: list[tuple[Ruling, Any]] = []
    parts += [(Ruling.HIT, 1 - side) for side in _sides(hit)]
    parts += [(Ruling.BLUFF, side) for side in _sides(bluffed)]
    parts += [(Ruling.SPECIAL, side) for side, _ in _pairs(special)]
    parts += [(Ruling.SPECIAL, side) for side in _sides(hidden)]
    if verdict is Verdict.DRAW:
        return TouchRuled(Ruling.DRAW)
    if verdict is Verdict.MISS:
        return TouchRuled(Ruling.MISS, by[0] if len(by) == 1 else None)
    if len(parts) != 1 or len(seats) != 2:
        return None
    ruling, side = parts[0]
    return TouchRuled(ruling, seats[side])


def _sides(value: object) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, tuple) else ()


def _pairs(value: object) -> tuple[tuple[int, str], ...]:
    return tuple(value) if isinstance(value, tuple) else ()


def _referee_options(ruled: Ruled) -> Iterator[Option]:
    """Everything that a touch can be ruled as."""
    for seat in ruled.seats:
        yield _option(TouchRuled(Ruling.HIT, seat), _words(TouchRuled(Ruling.HIT, seat), ruled.seats))
    for seat in ruled.seats:
        yield _option(TouchRuled(Ruling.BLUFF, seat), f"{seat} touched without a symbol")
    for seat in ruled.seats:
        yield _option(TouchRuled(Ruling.SPECIAL, seat), f"{seat} touched for a card's effect")
    yield _option(TouchRuled(Ruling.DRAW), "Too close: a draw")
    for seat in ruled.seats:
        yield _option(TouchRuled(Ruling.MISS, seat), f"{seat} missed: the round goes on")


def _words(act: TouchRuled, seats: Sequence[str] = ()) -> str:
    match act.ruling:
        case Ruling.HIT:
            other = next((seat for seat in seats if seat != act.seat), None)
            return f"{act.seat} hit" + (f" {other}" if other else "")
        case Ruling.BLUFF:
            return f"{act.seat} had no symbol"
        case Ruling.SPECIAL:
            return f"{act.seat}'s card says what it does"
        case Ruling.DRAW:
            return "a draw"
        case Ruling.MISS:
            return "a miss"


def _option(act: TouchRuled, label: str) -> Option:
    name = f"{act.ruling.value}-{act.seat}" if act.seat is not None else act.ruling.value
    return Option(name, label[0].upper() + label[1:], (BOOK.facts.to_json(act),))


def _each_once(options: Iterable[Option]) -> Iterator[Option]:
    """Of several answers that come to the same the first."""
    known: set[str] = set()
    for option in options:
        if option.id not in known:
            known.add(option.id)
            yield option


def is_about_a_touch(key: str) -> bool:
    """Whether a question is about a touch."""
    return key.startswith(f"{TOUCH}:")


def touches_view(
    touches: Sequence[Mapping[str, Json]], answered: Mapping[str, str], most: int = 12
) -> list[dict[str, Json]]:
    """The newest touches for the page, newest first, each with what a referee said of it."""
    return [{**touch, "answer": answered.get(str(touch["key"]))} for touch in reversed(touches[-most:])]

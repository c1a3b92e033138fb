"""Which questions a picture opens and which it answers, held against those that are open."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from companion.adjudicator.record import OpenQuestion
from companion.adjudicator.resolution import Question


def fresh(asked: Iterable[Question], open_now: Iterable[OpenQuestion]) -> list[Question]:
    """Questions that are not open yet, or were asked in other words."""
    known = {opened.question.key: opened.question for opened in open_now}
    return [
        question
        for question in asked
        if question.key not in known or (question.renewed and known[question.key] != question)
    ]


def done(
    asked: Iterable[Question], open_now: Iterable[OpenQuestion], keep: Collection[str], hidden: Iterable[str]
) -> list[OpenQuestion]:
    """Questions that the picture has answered meanwhile, or asks anew in other words.

    Those with a key in `keep`, and those whose key begins like one of `hidden`, stay open: their subject can't be seen.
    """
    now, prefixes = {question.key: question for question in asked}, tuple(hidden)
    return [opened for opened in open_now if _is_done(opened.question, now, keep, prefixes)]


def _is_done(question: Question, asked: Mapping[str, Question], keep: Collection[str], hidden: tuple[str, ...]) -> bool:
    if question.key in asked:
        return question.renewed and asked[question.key] != question
    return question.key not in keep and not question.key.startswith(hidden)


def id_of(question: Question, number: int) -> str:
    """Unique within the game, by the question's number in it; questions of one picture differ by their key."""
    return f"q{number}-{question.key.replace(':', '-').replace('?', '')}".rstrip("-")

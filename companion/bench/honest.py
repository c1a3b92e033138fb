"""People who answer what a table asks by what really happened, as honest people would, whoever cheated."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from companion.adjudicator.desk import GameDesk
from companion.adjudicator.people import People
from companion.adjudicator.places import UNREADABLE

MOST_ANSWERS = 20
"""To one picture."""
AHEAD = 6
"""People know what has happened: no more than so many acts after the last one that was recorded."""
BY_HAND = ("no", "wait")
"""Answers after which people tell how it was."""


class HonestAnswers:
    """Those at one table, who know its script."""

    def __init__(self, desk: GameDesk, happened: Sequence[Mapping[str, Any]]) -> None:
        """`happened` are the script's acts in order, as JSON."""
        self._desk = desk
        self._happened: list[dict[str, Any]] = json.loads(json.dumps(happened))  # lists for tuples, as in the journal

    def answer(self, beside: People | None = None) -> int:
        """Answers what is asked now; what no answer offered is true is told by hand, and so is a card that nobody can read.

        Those `beside` don't tell again what was answered. Returns how many acts were told by hand.
        """
        by_hand = 0
        for _ in range(MOST_ANSWERS):
            view = self._desk.view()
            answers = [(one["id"], self._answer_to(one["id"])) for one in view["questions"]]
            answered = next(((question, option) for question, option in answers if option is not None), None)
            if answered is not None:
                question, option = answered
                kinds = self._kinds_of(question)
                self._desk.answer(question, option, "table")
                if beside is not None:
                    beside.were_asked(kinds)
                by_hand += option in BY_HAND and self._tell_next(kinds)
            elif answers or any(UNREADABLE in prompt["text"] for prompt in view["prompts"]):
                if not (self._tell_next() if answers else self._tell_card()):
                    break
                by_hand += 1
            else:
                break
        return by_hand

    def _answer_to(self, question_id: str) -> str | None:
        """The true answer; one that tells nothing where none of the others is true, or None where there is none such."""
        question, due = self._desk.question(question_id), self._due()
        options = () if question is None else question.options
        for option in options:
            acts = [*option.tell, *(act for _, act in option.correct)]
            if acts and all(_in_short(act) in map(_in_short, due) for act in acts):
                return option.id
        return next((option.id for option in options if not option.tell and not option.correct), None)

    def _kinds_of(self, question_id: str) -> set[str]:
        """What a question's answers tell of."""
        question = self._desk.question(question_id)
        return {act["fact"] for option in (question.options if question is not None else ()) for act in option.tell}

    def _tell_next(self, kinds: Collection[str] = ()) -> bool:
        """Tells the first act, of these kinds if any are named, that the record lacks; False where it lacks none."""
        act = next((act for act in self._due() if not kinds or act["fact"] in kinds), None)
        if act is None:
            return False
        self._desk.tell(act, "table")
        return True

    def _tell_card(self) -> bool:
        """Tells what was done with a card that nobody can read: the first such act that the record lacks, rather none before
        its last act, for what was taken as done meanwhile is never recorded."""
        named = [act for act in self._due() if "card" in act]
        fresh = self._due(since_last=True)
        act = next((act for act in named if act in fresh), named[0] if named else None)
        if act is None:
            return False
        self._desk.tell(act, "table")
        return True

    def _due(self, *, since_last: bool = False) -> list[dict[str, Any]]:
        """What has happened by now and is not recorded; since the last act that is, if that is asked."""
        held = Counter(map(_in_short, self._desk.acts()))
        left, last = [], -1
        for index, act in enumerate(self._happened):
            key = _in_short(act)
            if held[key] > 0:
                held[key] -= 1
                last = index
            else:
                left.append((index, act))
        return [act for index, act in left if (last if since_last else -1) < index <= last + AHEAD]


def _in_short(act: Mapping[str, Any]) -> str:
    """An act without what may be told apart from it, and what is measured or known to the table only."""
    plain = json.loads(json.dumps(act))
    return str(
        {name: value for name, value in sorted(plain.items()) if name not in ("declared", "look", "stars", "star")}
    )

"""People who answer what a table asks by what really happened, as honest people would, whoever cheated."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.adjudicator.desk import GameDesk
from companion.adjudicator.people import People
from companion.adjudicator.places import UNREADABLE
from companion.adjudicator.shuhari.resolver import COUNTS_AS_REST

MOST_ANSWERS = 20
"""To one picture."""
AHEAD = 6
"""People know what has happened: no more than so many acts after the last one that was recorded."""
DECLARED, BREAK = "play-declared", "break"
"""The act that says of a card what it was played as, and one of the ways."""
BY_HAND = ("no", "wait")
"""Answers after which people tell how it was."""


class HonestAnswers:
    """Those at one table, who know its script."""

    def __init__(self, desk: GameDesk, happened: Sequence[Mapping[str, Any]]) -> None:
        """`happened` are the script's acts in order, as JSON."""
        self._desk = desk
        self._happened: list[dict[str, Any]] = json.loads(json.dumps(happened))  # lists for tuples, as in the journal
        self.caught_up = 0
        """How many acts were told because the page had missed them."""

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
            elif self._tell_asked(view):
                by_hand += 1
            else:
                break
        return by_hand

    def catch_up(self, act: Mapping[str, Any]) -> None:
        """Tells what happened between the last act that the record holds and one that is about to be told: who sees on the page
        that it missed something does not tell what came later."""
        known = self._known()
        place = known.place_of(act)
        for missed in range(known.last + 1, known.last if place is None else place):
            self._desk.tell(self._happened[missed], "table")
            self.caught_up += 1

    def _answer_to(self, question_id: str) -> str | None:
        """The true answer; one that tells nothing where none of the others is true. None where there is none such, or where all
        answers but put off what people have to tell.

        Of several that tell what happened it is the one that tells of what is nearest to the last act that the record holds.
        """
        question, known = self._desk.question(question_id), self._known()
        options = () if question is None else question.options
        true: list[tuple[int, str]] = []
        for option in options:
            acts = [*option.tell, *(act for _, act in option.correct)]
            places = [known.place_of(act) for act in acts]
            if places and None not in places:
                true.append((min(abs(place - known.last) for place in places if place is not None), option.id))
        if true:
            return min(true)[1]
        silent = [option.id for option in options if not option.tell and not option.correct]
        return silent[0] if 0 < len(silent) < len(options) else None

    def _kinds_of(self, question_id: str) -> set[str]:
        """What a question's answers tell of."""
        question = self._desk.question(question_id)
        return {act["fact"] for option in (question.options if question is not None else ()) for act in option.tell}

    def _tell_asked(self, view: Mapping[str, Any]) -> bool:
        """Tells what questions ask for that offer no true answer (where one offers nothing to tell, whatever was missed), or else
        what the page says that it can't see."""
        if view["questions"]:
            return any(self._tell_next(self._kinds_of(one["id"])) for one in view["questions"])
        return any(self._tell_of(one["text"]) for one in view["prompts"])

    def _tell_next(self, kinds: Collection[str] = ()) -> bool:
        """Tells the first act, of these kinds if any are named, that the record lacks of what happened lately; False where it
        lacks none."""
        known = self._known()
        lately = [act for place, act in known.due.items() if place >= known.last - AHEAD]
        act = next((act for act in lately if not kinds or act["fact"] in kinds), None)
        if act is None:
            return False
        self._desk.tell(act, "table")
        return True

    def _tell_of(self, prompt: str) -> bool:
        """Tells what happened where the page says that it can't see it, or what they know to be otherwise."""
        return (UNREADABLE in prompt and self._tell_card(prompt)) or (COUNTS_AS_REST in prompt and self._tell_break())

    def _tell_break(self) -> bool:
        """Tells that the card played last broke the mold, where its stage card passed unseen."""
        play = self._known().last_play
        recorded = next(
            (act for act in reversed(self._desk.acts()) if "declared" in act or act["fact"] == DECLARED), {}
        )
        if play is None or play["declared"] != BREAK or BREAK in (recorded.get("declared"), recorded.get("play")):
            return False
        self._desk.tell({"fact": DECLARED, "seat": play["seat"], "play": BREAK}, "table")
        return True

    def _tell_card(self, prompt: str) -> bool:
        """Tells how a card came to lie that nobody can read: the first such act that the record lacks of the player whom the
        prompt names, after that player's last one that it holds, for what was taken as done meanwhile is never recorded."""
        known = self._known()
        missing: dict[str, dict[str, Any]] = {}
        for index, act in enumerate(self._happened[: known.last + AHEAD + 1]):
            seat = str(act.get("seat"))
            if index not in known.due:
                missing.pop(seat, None)
            elif "card" in act:
                missing.setdefault(seat, act)
        told = next((act for seat, act in missing.items() if f"{seat}'s" in prompt), None)
        if told is None:
            return False
        self._desk.tell(told, "table")
        return True

    def _known(self) -> _Known:
        """The script against the record.

        Acts are recorded in about the order in which they happened: of one that happened often it is the nearest, and one that
        was passed over long ago is not what was recorded now.
        """
        places: dict[str, list[int]] = {}
        for index, act in enumerate(self._happened):
            places.setdefault(_in_short(act), []).append(index)
        last, last_play = -1, None
        for act in self._desk.acts():
            left = places.get(_in_short(act), [])
            near = [index for index in left if index >= last - AHEAD]
            if near:
                _, place = min((abs(index - last - 1), index) for index in near)
                left.remove(place)
                last = max(last, place)
                last_play = self._happened[place] if "declared" in act else last_play
        lacks = sorted(index for left in places.values() for index in left if index <= last + AHEAD)
        return _Known(last, {index: self._happened[index] for index in lacks}, last_play)


@dataclass(frozen=True, slots=True)
class _Known:
    """A script against a record of it."""

    last: int
    """The place in the script of the last act that is recorded; -1 for none."""
    due: Mapping[int, dict[str, Any]]
    """What has happened by now and is not recorded, by its place, in order."""
    last_play: Mapping[str, Any] | None
    """The last play on record, as it really was: what it was declared to be may be missing on record."""

    def place_of(self, act: Mapping[str, Any]) -> int | None:
        """Where an act that is not recorded happened, nearest to the last one that is; None where it did not."""
        play = self.last_play
        if act["fact"] == DECLARED:
            is_so = play is not None and (act["seat"], act["play"]) == (play["seat"], play["declared"])
            return self.last if is_so else None
        short = _in_short(act)
        places = [place for place, one in self.due.items() if _in_short(one) == short]
        return min(places, key=lambda place: abs(place - self.last), default=None)


def _in_short(act: Mapping[str, Any]) -> str:
    """An act without what may be told apart from it, and what is measured or known to the table only."""
    plain = json.loads(json.dumps(act))
    return str(
        {name: value for name, value in sorted(plain.items()) if name not in ("declared", "look", "stars", "star")}
    )

"""Questions that every table with cards may have to ask; a game says whose card it is and what an answer records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from companion.adjudicator.resolution import Option, Question

Json = Any
OFFERED = 3
"""Cards offered as answers; any other can be told on the page."""


def which_card(key: str, text: str, answers: Iterable[Option], index: int | None) -> Question | None:
    """A card that could not be read for sure; None where nothing speaks for any card that is still possible."""
    options = tuple(islice(answers, OFFERED))
    if not options:
        return None
    return Question(
        key=key,
        text=text,
        detail="It could not be read for sure. If it is none of these, tell it by hand, or straighten it.",
        options=options,
        crops=(f"card:{index}",),
    )


def cannot_be(
    key: str, text: str, detail: str, others: Iterable[Option], again: Option, hold: str, index: int | None
) -> Question:
    """A card that can't lie there by what is known: misread, or there twice. `again` says that it does all the same."""
    wait = Option("wait", "Wait: it will be changed", hold=(hold,))
    return Question(
        key=key, text=text, detail=detail, options=(*islice(others, OFFERED), again, wait), crops=(f"card:{index}",)
    )


def is_it_so(key: str, text: str, told: Mapping[str, Json], hold: str, why: str) -> Question:
    """A weak reading that would be against the rules."""
    return Question(
        key=key,
        text=text,
        detail=f"It could not be read for sure, and it would be against the rules: {why}",
        options=(
            Option("yes", "Yes, as it lies", tell=(told,)),
            Option("no", "No: it will be straightened, or told by hand", hold=(hold,)),
        ),
    )


def another_card(
    key: str, text: str, now: str, correct: tuple[int, Mapping[str, Json]], before: str, hold: str
) -> Question:
    """A recorded card is gone, and another lies in its place: one of the two readings is wrong."""
    return Question(
        key=key,
        text=text,
        options=(
            Option("now", f"{now}: correct the record", correct=(correct,)),
            Option("before", f"{before}: the other will be taken away", hold=(hold,)),
        ),
    )


def as_it_lies(key: str, shown: str, facts: Iterable[Mapping[str, Json]], hold: str) -> Question:
    """What was taken back and still lies on the table. `hold` is the evidence that keeps it from being asked again."""
    return Question(
        key=key,
        text=f"Taken back, but still on the table: {shown}. Record it as it lies?",
        options=(
            Option("record", "Yes, as it lies", tell=tuple(facts)),
            Option("change", "No, it will be changed", hold=(hold,)),
        ),
        renewed=True,
    )

"""Honest people say what happened, of the thing that they are asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from companion.adjudicator.desk import GameDesk
from companion.adjudicator.places import UNREADABLE
from companion.adjudicator.resolution import Option, Question
from companion.adjudicator.shuhari.resolver import COUNTS_AS_REST
from companion.bench.honest import HonestAnswers

Act = dict[str, Any]


def laid(seat: str) -> Act:
    return {"fact": "card-laid", "seat": seat}


def shown(seat: str, card: str) -> Act:
    return {"fact": "card-revealed", "seat": seat, "card": card}


def told(outcome: str, card: str | None = None) -> Act:
    return {"fact": "effect-told", "outcome": outcome, "card": card}


def placed(seat: str, card: str) -> Act:
    return {"fact": "card-placed", "seat": seat, "card": card}


ROUND = [
    laid("A"), laid("B"), laid("C"), shown("A", "vega"), shown("B", "capella"), shown("C", "altair"),
    told("meets", "altair"), placed("B", "capella"), placed("C", "altair"), told("nothing"), placed("A", "vega"),
]  # fmt: skip
SECOND = [
    laid("A"), laid("B"), laid("C"), shown("A", "sirius"), shown("B", "deneb"), shown("C", "rigel"),
    told("meets", "deneb"), placed("A", "sirius"), placed("B", "deneb"), told("nothing"), placed("C", "rigel"),
]  # fmt: skip


@dataclass
class FakeDesk:
    """A record of acts, and what the page asks."""

    recorded: list[Act]
    prompts: list[str] = field(default_factory=list)
    question_: Question | None = None
    told: list[Act] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)

    def view(self) -> dict[str, Any]:
        asked = [] if self.question_ is None else [{"id": "q1"}]
        return {"questions": asked, "prompts": [{"text": text} for text in self.prompts]}

    def question(self, _id: str) -> Question | None:
        return self.question_

    def acts(self) -> list[Act]:
        return [*self.recorded, *self.told]

    def tell(self, act: Mapping[str, Any], _who: str) -> None:
        self.told.append(dict(act))
        self.prompts, self.question_ = [], None

    def answer(self, _id: str, option: str, _who: str) -> None:
        self.answered.append(option)
        self.question_ = None


def answer(desk: FakeDesk, happened: list[Act]) -> int:
    return HonestAnswers(cast("GameDesk", desk), happened).answer()


@pytest.mark.parametrize(
    ("recorded", "prompt", "act"),
    [
        pytest.param([*ROUND[:4], ROUND[5]], "B's card", ROUND[4], id="others were read beside it"),
        pytest.param([*ROUND, *SECOND[:3]], "B's card", SECOND[4], id="others are still to be read"),
        pytest.param([*ROUND, *SECOND[:7]], "a card in A's Home", SECOND[7], id="in a Home"),
        pytest.param([*ROUND[:4], *ROUND[5:], *SECOND[:4]], "B's card", SECOND[4], id="another passed unseen earlier"),
        pytest.param([*ROUND[:6], *ROUND[7:], *SECOND[:3]], "C's card", SECOND[5], id="an effect passed untold"),
    ],
)
def test_of_a_card_that_can_not_be_read_people_tell_how_it_came_to_lie_there(
    recorded: list[Act], prompt: str, act: Act
) -> None:
    desk = FakeDesk(recorded, [f"{prompt} {UNREADABLE}"])
    assert answer(desk, [*ROUND, *SECOND]) == 1
    assert desk.told == [act]


def asks(*acts: Act) -> Question:
    return Question(
        "key", "?", (*(Option(f"told-{n}", "", tell=(act,)) for n, act in enumerate(acts)), Option("?", ""))
    )


@pytest.mark.parametrize(
    ("recorded", "option"),
    [
        pytest.param([*ROUND, *SECOND[:6]], "told-1", id="the same is said of a later one"),
        pytest.param([*ROUND, *SECOND[:9]], "told-0", id="the later one"),
        pytest.param([*ROUND[:9], ROUND[10], *SECOND[:6]], "told-1", id="the same was never said of an earlier one"),
    ],
)
def test_of_several_answers_that_are_true_of_something_the_one_of_what_is_asked_about_is_given(
    recorded: list[Act], option: str
) -> None:
    desk = FakeDesk(recorded, question_=asks(told("nothing"), told("meets", "deneb")))
    answer(desk, [*ROUND, *SECOND])
    assert desk.answered == [option]


def test_where_no_answer_is_true_people_say_so() -> None:
    desk = FakeDesk(ROUND[:6], question_=asks(told("meets", "vega")))
    answer(desk, ROUND)
    assert desk.answered == ["?"]


def test_people_tell_what_they_know_rather_than_promise_to_show_it_again() -> None:
    again = Question("key", "Lay them open once more?", (Option("again", "They will lie open again"),))
    desk = FakeDesk([*ROUND[:4], ROUND[5]], question_=again)
    assert answer(desk, ROUND) == 1
    assert not desk.answered
    assert desk.told == [ROUND[4]]


@pytest.mark.parametrize(
    ("recorded", "act", "missed"),
    [
        pytest.param([*ROUND[:8]], laid("B"), [*ROUND[8:], SECOND[0]], id="what a hand lay over"),
        pytest.param([*ROUND, *SECOND[:1]], laid("B"), [], id="nothing was missed"),
        pytest.param([*ROUND[:2], *ROUND[3:]], laid("A"), [], id="what passed unseen long ago is no matter any more"),
    ],
)
def test_people_tell_what_the_page_missed_before_they_tell_what_came_later(
    recorded: list[Act], act: Act, missed: list[Act]
) -> None:
    desk = FakeDesk(recorded)
    honest = HonestAnswers(cast("GameDesk", desk), [*ROUND, *SECOND])
    honest.catch_up(act)
    assert desk.told == missed
    assert honest.caught_up == len(missed)


def test_what_happened_often_is_the_nearest_of_it() -> None:
    """A draw that nobody told long ago: the one that is recorded now is not that one."""
    draw = {"fact": "card-drawn", "seat": "A"}
    happened = [act for n in range(9) for act in (draw, {"fact": "card-played", "seat": "A", "card": str(n)})]
    desk = FakeDesk(happened[1:])
    HonestAnswers(cast("GameDesk", desk), [*happened, {"fact": "told"}]).catch_up({"fact": "told"})
    assert not desk.told


def plays(card: str, declared: str | None) -> Act:
    return {"fact": "card-played", "seat": "B", "card": card, "declared": declared}


RESTS = f"a card {COUNTS_AS_REST}"


@pytest.mark.parametrize(
    ("declared", "recorded", "told_"),
    [
        pytest.param("break", [plays("1", None)], ["break"], id="its stage card passed unseen"),
        pytest.param("rest", [plays("1", None)], [], id="it is a rest"),
        pytest.param(None, [plays("1", None)], [], id="it was said to be nothing"),
        pytest.param("break", [plays("1", "break")], [], id="it was seen to break"),
        pytest.param(
            "break",
            [plays("1", None), {"fact": "play-declared", "seat": "B", "play": "break"}],
            [],
            id="it was told already",
        ),
    ],
)
def test_of_a_card_that_counts_as_a_rest_people_say_if_it_broke_the_mold(
    declared: str | None, recorded: list[Act], told_: list[str]
) -> None:
    desk = FakeDesk(recorded, [RESTS])
    answer(desk, [plays("1", declared), laid("A")])
    assert [act["play"] for act in desk.told] == told_


@pytest.mark.parametrize("declared", ["rest", "break"])
def test_what_a_card_was_played_as_is_said_of_the_play_itself(declared: str) -> None:
    ways = [{"fact": "play-declared", "seat": "B", "play": way} for way in ("rest", "break")]
    desk = FakeDesk(
        [plays("1", None)], question_=Question("key", "?", tuple(Option(w["play"], "", (w,)) for w in ways))
    )
    answer(desk, [plays("1", declared), laid("A")])
    assert desk.answered == [declared]


def test_a_question_without_a_true_answer_makes_nobody_tell_what_is_still_to_come() -> None:
    ways = [{"fact": "play-declared", "seat": "A", "play": way} for way in ("rest", "break")]
    desk = FakeDesk(
        [plays("1", None)], question_=Question("key", "?", tuple(Option(w["play"], "", (w,)) for w in ways))
    )
    assert answer(desk, [plays("1", "rest"), laid("A")]) == 0
    assert not desk.told
    assert not desk.answered

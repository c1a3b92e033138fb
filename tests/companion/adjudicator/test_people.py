"""What people told, undid and corrected beside pictures is done again beside the same pictures, as `watch --told` does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from companion.adjudicator.desk import GameDesk
from companion.adjudicator.people import People
from companion.adjudicator.told import Said, Told, Way, answer_act, read_told, ruling_act, told_lines
from companion.games.steps import RuleFinding, RuleGame
from companion.rules.ledger import Verdict
from companion.rules.penalties import PenaltyKind

Act = Callable[[Any], None]


def number(play: Any, words: str) -> int:
    """Of the last row of the history with these words."""
    return [row["seq"] for row in play.desk.view()["history"] if words in row["text"]][-1]


def undo(words: str, *, as_play: bool = False) -> Act:
    return lambda play: play.desk.undo(number(play, words), "Bo", as_play=as_play)


def correct(words: str, **act: Any) -> Act:
    return lambda play: play.desk.correct(number(play, words), act, "referee")


def tell(**act: Any) -> Act:
    return lambda play: play.desk.tell(act, "Ami")


def answer(option: str) -> Act:
    def first_question(play: Any) -> None:
        (question, *_) = play.desk.view()["questions"]
        play.desk.answer(question["id"], option, "Bo")

    return first_question


def rule(verdict: Verdict) -> Act:
    def on_the_finding(play: Any) -> None:
        play.desk.tell({"fact": "line-drawn", "a": 3, "b": 10, "colour": "blue"}, "Ami")
        finding = next(one for one in play.desk.view()["findings"] if "blue" in one["text"])
        play.desk.rule(RuleFinding(int(finding["id"]), verdict, PenaltyKind.POINTS, 2, "Kim", "as agreed"))

    return on_the_finding


def rule_game(play: Any) -> None:
    play.desk.rule(RuleGame(("B",), "Kim", "the table fell over"))


MEDDLING = {
    "ruled on a finding": [rule(Verdict.UPHELD)],
    "dismissed, then undone": [rule(Verdict.DISMISSED), undo("blue line")],
    "ruled on the game": [rule_game],
    "undone": [undo("C played")],
    "taken back": [undo("C played", as_play=True)],
    "an undo undone": [undo("C played"), undo("taken back")],
    "corrected": [correct("C played", fact="card-revealed", seat="C", card="red-06")],
    "corrected, then undone": [
        correct("C played", fact="card-revealed", seat="C", card="red-06"),
        undo("C played"),
    ],
    "undone, then told": [undo("C played"), tell(fact="card-revealed", seat="C", card="blue-02")],
    "undone, then answered": [undo("C played"), answer("record")],
    "undone, then answered that it will be changed": [undo("C played"), answer("change")],
    "a laid card undone": [undo("A laid")],
}


def play_on(play: Any, meddle: Callable[[], None]) -> None:
    """Two tricks; after the first trick's cards lie open, something else happens as well."""
    play.look()
    play.table.lay("B")
    play.look()
    play.table.lay("AC")
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    meddle()
    play.table.clear()
    play.table.draw(3, 10, "red")
    play.look()
    play.trick("blue-01", "blue-02", "blue-03", (1, 5, "blue"))
    play.look()


@pytest.mark.parametrize("what", MEDDLING)
def test_all_that_was_said_is_said_again_beside_the_same_pictures(new_play: Any, tmp_path: Path, what: str) -> None:
    first = new_play()

    def meddle() -> None:
        for one in MEDDLING[what]:
            try:
                one(first)
            except IndexError:
                pytest.fail(f"nothing of the kind in {[row['text'] for row in first.desk.view()['history']]}")

    play_on(first, meddle)
    file = tmp_path / "told.jsonl"
    file.write_text(told_lines([Told(3 * 10**9 + 5 * 10**8, said) for said in first.heard]))
    again = new_play()
    people = People(again.desk, read_told(file))
    play_on(again, lambda: people.tap_until(4 * 10**9))
    assert again.desk.acts() == first.desk.acts()
    assert again.heard == first.heard
    for part in ("findings", "points", "history", "questions"):
        assert told(again, part) == told(first, part), part
    assert first.heard, "nothing was said"


def told(play: Any, part: str) -> Any:
    """A part of the page without the journal's numbers, which may differ."""
    value = play.desk.view()[part]
    if not isinstance(value, list):
        return value
    return [{name: x for name, x in row.items() if name not in ("seq", "id", "pictures")} for row in value]


def test_an_undo_of_what_was_read_otherwise_is_passed_over(new_play: Any) -> None:
    play = new_play()
    gone = {"fact": "card-revealed", "seat": "C", "card": "blue-12"}
    said = [
        Said(gone, "Bo", way=Way.UNDONE),
        Said(gone, "Bo", way=Way.RESTORED),
        Said({**gone, "card": "red-01"}, "Bo", way=Way.CORRECTED, instead=gone),
        Said(answer_act("again:1:?", "change"), "Bo", way=Way.ANSWERED),
        Said(ruling_act({"step": "ruling", "number": 9, "verdict": "upheld"}, {"text": "no"}), "Bo", way=Way.RULED),
        Said({"fact": "card-laid", "seat": "A"}, "Bo"),
    ]
    people = People(play.desk, [Told(5 * 10**8, one) for one in said])
    play.look()
    people.tap_until(10**9)
    assert [act["fact"] for act in play.desk.acts()] == ["board-set", "card-laid"]


def test_when_and_where_exactly_it_was_seen_makes_no_other_act(new_play: Any) -> None:
    play = new_play()
    play.look()
    play.table.lay()
    play.look()
    laid = next(act for act in play.desk.acts() if act["fact"] == "card-laid")
    (board, *_) = play.desk.acts()
    stars = [{**star, "x_mm": star["x_mm"] + 0.3} for star in board["stars"]]
    assert play.desk.number_of({**laid, "look": 77}) is not None
    assert play.desk.number_of({**laid, "seat": "X"}) is None
    assert play.desk.number_of({**board, "stars": stars}) is not None
    assert play.desk.number_of({**board, "stars": stars[1:]}) is None


def test_before_an_act_that_is_not_offered_is_told_somebody_may_tell_what_was_missed(new_play: Any) -> None:
    play = new_play()
    play.look()
    acts = [{"fact": "card-laid", "seat": seat} for seat in "AB"]
    told = [Told(0, Said({"fact": "card-laid", "seat": "C"}, "C"))]
    People(play.desk, told, before=lambda _act: [play.desk.tell(act, "table") for act in acts][-1]).tap_until(1)
    assert [row["text"] for row in play.desk.view()["history"][1:]] == [
        "A laid a card",
        "B laid a card",
        "C laid a card",
    ]


@pytest.mark.parametrize(("knows", "laid"), [(False, []), (True, ["A", "B"])])
def test_what_is_told_at_once_waits_behind_what_is_not_offered_only_where_nobody_tells_that(
    new_play: Any, knows: bool, laid: list[str]
) -> None:
    play = new_play()
    play.look()
    first, second = ({"fact": "card-laid", "seat": seat} for seat in "AB")
    told = [Told(0, Said(first, "A", when_offered=True)), Told(0, Said(second, "B"))]
    before = (lambda _act: play.desk.tell(first, "table")) if knows else None
    People(play.desk, told, before=before).tap_until(1)
    assert [act["seat"] for act in play.desk.acts()[1:]] == laid


@dataclass
class Offering:
    """A desk that offers some acts, and hears what is told."""

    offered: list[str]
    told: list[str] = field(default_factory=list)

    def offers(self, act: Any) -> bool:
        return act["fact"] in self.offered

    def tell(self, act: Any, _who: str) -> None:
        self.told.append(act["fact"])


@pytest.mark.parametrize(
    ("offered", "told"),
    [([], []), (["first"], ["first"]), (["second"], ["second"]), (["first", "second"], ["first", "second"])],
)
def test_what_the_page_offers_no_more_because_it_offers_what_came_later_is_not_told(
    offered: list[str], told: list[str]
) -> None:
    desk = Offering(offered)
    acts = [Told(0, Said({"fact": fact}, "A", when_offered=True)) for fact in ("first", "second")]
    People(cast("GameDesk", desk), acts).tap_until(1)
    assert desk.told == told

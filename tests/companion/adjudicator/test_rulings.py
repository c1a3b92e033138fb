"""A referee's word over the judge's: on findings and on the game; what players take back; the game in words."""

from __future__ import annotations

import pytest

from companion.adjudicator.record import Record
from companion.adjudicator.replay import replay
from companion.adjudicator.written import written_of
from companion.errors import BadInputError
from companion.games.lines import read_lines, write_lines
from companion.games.notation import write_game
from companion.games.reading import read_game
from companion.games.steps import RuleFinding, RuleGame, TakeBack, Undo
from companion.journal import EventKind
from companion.rules.ledger import Life, Verdict
from companion.rules.penalties import PenaltyKind


def wrong_line(play):
    """The first trick with a line of the wrong colour; returns the finding as the page has it."""
    play.look()
    play.table.lay()
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.desk.tell({"fact": "line-drawn", "a": 3, "b": 10, "colour": "blue"}, "A")
    (finding,) = [one for one in play.desk.view()["findings"] if one["level"] == "illegal"]
    return finding


def of_page(play, finding):
    return next(one for one in play.desk.view()["findings"] if one["id"] == finding["id"])


def events(play):
    return list(play.journal.events(play.game_id))


def last_fact(play):
    return max(row["seq"] for row in play.desk.view()["history"] if row["kind"] != "undo" and not row["undone"])


def test_a_finding_can_be_put_right_and_says_so(play):
    finding = wrong_line(play)
    assert (finding["life"], finding["penalty"], finding["ruling"]) == ("correctable", "", None)
    play.desk.undo(last_fact(play), "A", as_play=True)
    assert of_page(play, finding)["life"] == Life.PUT_RIGHT
    assert not of_page(play, finding)["withdrawn"]
    assert Record.of(events(play)).logged() == play.restarted()._record.logged()


def test_an_undo_of_the_record_withdraws_it(play):
    finding = wrong_line(play)
    play.desk.undo(last_fact(play), "A")
    assert of_page(play, finding)["withdrawn"]


def test_a_ruling_is_journaled_and_outlives_a_restart(play):
    finding = wrong_line(play)
    ruling = RuleFinding(int(finding["id"]), Verdict.UPHELD, PenaltyKind.POINTS, 2, "Kim", "as agreed")
    play.desk.rule(ruling)
    shown = of_page(play, finding)
    assert shown["life"] == "ruled"
    assert shown["penalty"] == "2 points"
    assert shown["ruling"] == {"verdict": "upheld", "by": "Kim", "text": "as agreed"}
    assert play.restarted().view()["findings"] == play.desk.view()["findings"]
    assert [event.kind for event in events(play)][-1] is EventKind.OVERRIDE
    assert replay(events(play)).same


def test_a_later_ruling_takes_the_place_of_an_earlier(play):
    finding = wrong_line(play)
    play.desk.rule(RuleFinding(int(finding["id"]), Verdict.UPHELD))
    play.desk.rule(RuleFinding(int(finding["id"]), Verdict.DISMISSED, by="Kim"))
    assert of_page(play, finding)["ruling"]["verdict"] == "dismissed"


def test_rulings_on_what_is_not_there_change_nothing(play):
    finding = wrong_line(play)
    before = len(events(play))
    for ruling, words in (
        (RuleFinding(9999, Verdict.UPHELD), "no finding has number 9999"),
        (RuleFinding(int(finding["id"]), Verdict.UPHELD, PenaltyKind.POINTS, 0), "points"),
        (RuleGame(("D",)), "D is none of the players"),
    ):
        with pytest.raises(BadInputError, match=words):
            play.desk.rule(ruling)
    assert len(events(play)) == before


def test_the_referees_outcome_is_announced_and_ends_the_game(play):
    wrong_line(play)
    play.desk.rule(RuleGame(("B", "C"), "Kim", "A had to leave"))
    (outcome,) = play.of_kind("outcome")
    assert outcome["winners"] == ["B", "C"]
    assert outcome["decided_by"] == "referee Kim: A had to leave"
    assert play.desk.over
    result = replay(events(play))
    assert (result.same, result.outcome["winners"]) == (True, ["B", "C"])


def test_a_journals_game_in_words_is_the_same_game(play):
    finding = wrong_line(play)
    play.desk.undo(last_fact(play), "A", as_play=True)
    play.desk.tell({"fact": "line-drawn", "a": 3, "b": 10, "colour": "red"}, "A")
    play.desk.correct(last_fact(play), {"fact": "line-drawn", "a": 4, "b": 10, "colour": "red"}, "B")
    play.desk.tell({"fact": "line-drawn", "a": 3, "b": 4, "colour": "red"}, "A")
    play.desk.undo(None, "A")
    play.desk.rule(RuleFinding(int(finding["id"]), Verdict.UPHELD, by="Kim"))
    record = Record.of(events(play))
    written = written_of(events(play))
    assert written.ledger.state == record.state
    assert written.ledger.found()
    assert [(one.finding, one.life, one.penalty) for one in written.ledger.found()] == [
        (one.finding, one.life, one.penalty) for one in record.ledger.found()
    ]
    assert {type(step) for step in written.steps} >= {TakeBack, Undo, RuleFinding}
    text = write_game(written)
    assert read_game(text).game.ledger.state == record.state
    assert write_game(read_game(text).game) == text
    assert read_lines(write_lines(written))[0].steps == written.steps


def test_a_replay_says_what_the_game_was_judged_by_that_is_another_now(play):
    wrong_line(play)
    started = events(play)[0]
    record = Record(started)
    assert record.edition is not None
    assert record.edition.differs(record.start.edition) == ()
    assert replay(events(play)).other == ()

"""The live table: undo against unchanged pictures, corrections, restarts, a journal that fails."""

from __future__ import annotations

import threading

import pytest

from companion.adjudicator.replay import replay
from companion.adjudicator.told import Way
from companion.errors import BadInputError, JournalError


def texts(play):
    return [row["text"] for row in play.desk.view()["history"] if not row["undone"] and row["kind"] != "undo"]


def first_trick(play):
    play.look()
    play.trick("red-10", "red-03", "red-04", (3, 10, "red"), (4, 10, "red"))


def undo_all(play, *wanted):
    """Takes back the standing facts whose description holds one of the words, newest first."""
    for row in reversed(play.desk.view()["history"]):
        if row["kind"] != "undo" and not row["undone"] and any(word in row["text"] for word in wanted):
            play.desk.undo(row["seq"], "A")


def test_undo_takes_back_the_last_fact_and_only_that(play):
    play.look()
    play.table.lay()
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    before = texts(play)
    play.desk.undo(None, "A")
    assert play.desk.view()["phase"] == "reveal"
    assert texts(play) == before[:-1]


def test_what_was_undone_does_not_come_back_from_an_unchanged_picture(play):
    play.look()
    play.table.lay()
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.desk.undo(None, "A")
    play.look()
    play.look()
    assert play.desk.view()["phase"] == "reveal"
    assert "C's red 4" in play.desk.view()["questions"][0]["text"]


def test_what_still_lies_there_is_recorded_after_all_by_one_tap(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    undo_all(play, "played", "laid")
    assert play.desk.view()["phase"] == "lay"
    (question,) = play.desk.view()["questions"]
    play.table.clear()
    play.look()
    assert play.desk.view()["questions"] == [question], "cleared away meanwhile; it can still be said"
    play.desk.answer(question["id"], "record", "A")
    assert play.desk.view()["phase"] == "draw"
    assert play.of_kind("finding") == []


def test_what_will_be_changed_is_not_asked_about_again(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.desk.undo(None, "A")
    (question,) = play.desk.view()["questions"]
    play.desk.answer(question["id"], "change", "A")
    play.look()
    assert play.desk.view()["questions"] == []
    assert any("differ" in prompt["text"] for prompt in play.desk.view()["prompts"])
    play.table.reveal(C="red-06")
    play.look()
    assert play.desk.view()["seats"][2]["card"]["id"] == "red-06"


def test_after_an_undo_a_changed_card_is_taken_up_again(play):
    play.look()
    play.table.lay()
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    undo_all(play, "played")
    play.table.reveal(C="red-06")
    play.look()
    seats = {seat["name"]: seat["card"] for seat in play.desk.view()["seats"]}
    assert seats["C"]["id"] == "red-06"
    assert seats["A"] is None, "A's card did not change since the undo"


def test_an_undone_line_comes_back_only_after_it_was_wiped_and_drawn_again(play):
    first_trick(play)
    undo_all(play, "drawn", "drawing ended")
    play.look()
    assert play.desk.view()["board"]["lines"] == []
    play.table.lines.clear()
    play.look()
    play.table.draw(3, 10, "red")
    play.look()
    assert [(line["a"], line["b"]) for line in play.desk.view()["board"]["lines"]] == [(3, 10)]


def test_what_was_undone_stays_undone_after_a_restart(play):
    first_trick(play)
    undo_all(play, "drawn", "drawing ended")
    play.desk = play.restarted()
    play.look()
    assert play.desk.view()["board"]["lines"] == []


def test_an_undo_can_be_undone(play):
    first_trick(play)
    before = play.desk.view()["points"]
    undo_all(play, "3–10 drawn")
    assert play.desk.view()["points"] == before - 1
    undo = next(row for row in play.desk.view()["history"] if row["kind"] == "undo")
    play.desk.undo(undo["seq"], "A")
    assert play.desk.view()["points"] == before == 2
    assert not any(row["kind"] == "undo" for row in play.desk.view()["history"])


def test_undo_names_what_is_not_there(play):
    with pytest.raises(BadInputError, match="nothing to undo"):
        play.desk.undo(None, "A")
    play.look()
    with pytest.raises(BadInputError, match="number 999"):
        play.desk.undo(999, "A")


def test_a_correction_refolds_everything_after_it(play):
    first_trick(play)
    played = next(row for row in play.desk.view()["history"] if row["text"] == "B played red 3")
    play.desk.correct(played["seq"], {"fact": "card-revealed", "seat": "B", "card": "red-05"}, "referee")
    view = play.desk.view()
    assert view["tricks"][0]["played"]["B"]["id"] == "red-05"
    assert view["tricks"][0]["winner"] == "C"
    assert any(finding["level"] == "illegal" for finding in view["findings"]), "3–10 joins no star of the trick now"


def test_a_finding_is_withdrawn_when_its_fact_is_taken_back(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.table.draw(1, 12, "red")
    play.look()
    assert [finding["withdrawn"] for finding in play.desk.view()["findings"]] == [False] * len(play.of_kind("finding"))
    play.desk.undo(None, "A")
    assert all(finding["withdrawn"] for finding in play.desk.view()["findings"])


def test_telling_what_is_no_act_changes_nothing(play):
    play.look()
    version = play.desk.view()["version"]
    for act in (
        {"fact": "dance"},
        {"fact": "card-revealed", "seat": "A"},
        {},
        {"fact": "line-drawn", "a": "x", "b": 2},
    ):
        with pytest.raises(BadInputError):
            play.desk.tell(act, "A")
    assert play.desk.view()["version"] == version


def test_what_people_tell_or_answer_is_heard_and_what_is_seen_is_not(play):
    play.look()
    play.table.lay()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    assert play.heard == []
    undo_all(play, "played")
    assert [(said.way, said.act["fact"]) for said in play.heard] == [(Way.UNDONE, "card-revealed")] * 3
    play.heard.clear()
    (question, *_) = play.desk.view()["questions"]
    play.desk.answer(question["id"], question["options"][0]["id"], "Bo")
    assert {(said.act["fact"], said.who, said.way) for said in play.heard} == {("card-revealed", "Bo", Way.TOLD)}
    assert all(set(said.act) == {"fact", "seat", "card"} for said in play.heard)


def test_a_question_can_be_answered_once(play):
    play.look()
    play.table.lay("BC")
    play.table.unsure("A", "red-06", "red-09")
    play.look()
    (question,) = play.of_kind("question")
    with pytest.raises(BadInputError, match="no answer"):
        play.desk.answer(question["id"], "green-01", "A")
    play.desk.answer(question["id"], "red-06", "A")
    with pytest.raises(BadInputError, match="answered"):
        play.desk.answer(question["id"], "red-09", "A")


def test_a_question_shows_the_card_and_loses_it_when_answered(play):
    play.look()
    play.table.lay("BC")
    play.table.unsure("A", "red-06", "red-09")
    play.look()
    (question,) = play.desk.view()["questions"]
    assert question["pictures"] == [f"/question/{question['id']}/0.png"]
    assert play.desk.question_picture(question["id"], 0) == b"png"
    play.desk.answer(question["id"], "red-06", "A")
    assert play.desk.question_picture(question["id"], 0) is None


def test_a_revoke_is_proved_by_a_later_card(play):
    play.look()
    play.trick("red-10", "red-03", "blue-04", (3, 10, "red"))
    play.table.reveal(B="blue-01", C="red-07", A="blue-02")
    play.look()
    (finding,) = play.of_kind("finding")
    assert (finding["level"], finding["player"], finding["trick"], finding["proved_at"]) == ("proved", "C", 1, 2)


def test_a_journal_that_fails_loses_nothing_and_the_picture_is_taken_up_later(play, monkeypatch):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    append = play.journal.append

    def full(_events):
        raise JournalError("the disk is full")

    monkeypatch.setattr(play.journal, "append", full)
    play.look()
    assert play.desk.view()["phase"] == "lay"
    assert {"name": "journal", "state": "lost", "text": "the disk is full"} in play.desk.view()["sources"]
    monkeypatch.setattr(play.journal, "append", append)
    play.desk.tick()
    assert play.desk.view()["phase"] == "draw"
    assert not any(source["name"] == "journal" for source in play.desk.view()["sources"])


def test_a_failing_journal_is_said_once(new_play, monkeypatch):
    play = new_play()
    said = []
    play.desk._warn = said.append

    def full(_events):
        raise JournalError("the disk is full")

    monkeypatch.setattr(play.journal, "append", full)
    play.look()
    play.desk.tick()
    assert said == ["the disk is full"]
    assert play.desk.failing


def test_a_restart_folds_to_the_same_view(play):
    first_trick(play)
    play.desk.undo(None, "A")
    play.table.unsure("B", "red-06")
    play.look()
    shown, again = play.desk.view(), play.restarted().view()
    for part in ("seats", "phase", "headline", "board", "tricks", "findings", "history", "points"):
        assert shown[part] == again[part]
    assert [question["id"] for question in shown["questions"]] == [question["id"] for question in again["questions"]]


def test_a_replay_of_the_log_agrees_with_it(play):
    first_trick(play)
    undo_all(play, "drawn", "drawing ended")
    play.table.lines.clear()
    play.look()
    play.table.draw(3, 10, "red")
    play.look()
    result = replay(list(play.journal.events(play.game_id)))
    assert result.problems == ()
    assert result.points == 1


def test_a_replay_names_a_finding_that_the_rules_do_not_make(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.table.draw(1, 12, "red")
    play.look()
    events = list(play.journal.events(play.game_id))
    forged = [event for event in events if event.payload.get("level") != "illegal"]
    assert any("lacks" in problem for problem in replay(forged).problems)


def test_waiting_pages_are_woken(play):
    version = play.desk.wait(0, 0.0)
    woken = []
    waiter = threading.Thread(target=lambda: woken.append(play.desk.wait(version, 10.0)))
    waiter.start()
    play.look()
    waiter.join(10)
    assert woken[0] > version

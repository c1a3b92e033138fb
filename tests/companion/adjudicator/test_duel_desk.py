"""The desk of a duel: what people tell in a round, what is asked of a touch, and what a restart and an undo leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from calibration.zones import Layout
from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.adjudicator.record import Record
from companion.decks import builtin_deck
from companion.duel.reports import ClosingReport, DieNews, DieReport, Source, TouchReport
from companion.duel.timeline import Entry
from companion.errors import BadInputError
from companion.games.start import Start, start_json
from companion.journal import EventKind, Journal, NewEvent
from companion.rules.hoshi_battle.facts import Face, Where
from companion.rules.hoshi_battle.state import Phase

MS = 1000
SENSORS = (Source.PAD, Source.DICE, Source.HANDS)
HEROES = ("clay-champion", "swamp-monster")


@dataclass
class Table:
    """A duel between Ami and Ben whose clock stands still until it is moved; times in ms."""

    journal: Journal
    desk: DuelDesk
    now_us: list[int]
    events: list[dict[str, Any]] = field(default_factory=list)
    number: int = 0

    def tell(self, fact: str, **more: Any) -> None:
        self.desk.tell({"fact": fact, **more}, "page")

    def at(self, ms: float) -> None:
        """Time goes on, and every sensor has told all up to then."""
        self.now_us[0] = round(ms * MS)
        for source in SENSORS:
            self.desk.told_through(source, self.now_us[0])
        self.desk.step()

    def die(self, news: DieNews, ms: float, seat: str = "Ami", throw: int = 1, **more: Any) -> None:
        self.number += 1
        report = DieReport(news, seat, 0, throw, **more)
        self.desk.hear(Entry(round(ms * MS), 5 * MS, Source.DICE, (self.number,), report))

    def rolls(self, face: Face, ms: float, seat: str = "Ami") -> None:
        """A die of which all is told."""
        self.die(DieNews.RELEASED, ms - 300, seat)
        self.die(DieNews.SETTLED, ms, seat)
        self.die(DieNews.READ, ms, seat, face=face)
        self.die(DieNews.DECIDED, ms, seat, inside=True)

    def touch(self, ms: float, by: tuple[str, ...] | None = ("Ami",), where: Where = Where.HAND) -> None:
        self.number += 1
        key = (1, self.number)
        self.desk.hear(Entry(round(ms * MS), 300, Source.PAD, key, TouchReport()))
        self.desk.hear(Entry(round(ms * MS), 0, Source.HANDS, (self.number,), ClosingReport(key, by, where)))

    @property
    def phase(self) -> str:
        return str(self.desk.view()["phase"])

    def stones(self) -> list[int]:
        return [fighter["stones"] for fighter in self.desk.view()["duel"]["fighters"]]

    def restarted(self) -> DuelDesk:
        """Another desk on what the journal holds."""
        record = Record.of(list(self.journal.events("duel")))
        return DuelDesk(self.journal, record, Layout({}), sources=SENSORS, clock=lambda: self.now_us[0])


MakeTable = Callable[..., Table]


@pytest.fixture
def make_table(tmp_path: Path) -> Iterator[MakeTable]:
    """Makes a table where both Heroes lie open; `sources` as the table has them."""
    with Journal.open(tmp_path / "j.db") as journal:

        def make(sources: tuple[Source, ...] = SENSORS) -> Table:
            start = Start("hoshi-battle", ("Ami", "Ben"), "Ami", builtin_deck("hoshi-battle").cards)
            started = journal.append([NewEvent(EventKind.GAME_STARTED, "duel", start_json(start))]).wait(10)
            now_us, events = [0], []
            desk = DuelDesk(
                journal,
                Record(started[0]),
                Layout({}),
                sources=sources,
                clock=lambda: now_us[0],
                announce=events.append,
            )
            table = Table(journal, desk, now_us, events)
            for seat in ("Ami", "Ben"):
                for kind in ("hero", "duel"):
                    table.tell("cards-kept", seat=seat, kind=kind, count=3)
            for seat in ("Ami", "Ben"):
                table.tell("cards-placed", seat=seat, duel=False)
            for seat, hero in zip(("Ami", "Ben"), HEROES, strict=True):
                table.tell("hero-revealed", seat=seat, card=hero)
            return table

        yield make


@pytest.fixture
def rolling(make_table: MakeTable) -> Table:
    """Play has begun at 1000 ms."""
    table = make_table()
    table.at(1000)
    table.tell("play-began")
    table.at(1010)
    assert table.phase == "rolling"
    return table


def touches(table: Table) -> list[dict[str, Any]]:
    return [event for event in table.events if event["event"] == "touch"]


# -- rounds ---------------------------------------------------------------------------------------------------------------


def test_a_hit_costs_a_stone_once_every_sensor_has_told_past_it(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2000)
    rolling.touch(2400)
    rolling.desk.step()
    assert touches(rolling) == []
    rolling.at(2500)
    (touch,) = touches(rolling)
    assert (touch["verdict"], touch["hit"], touch["asked"]) == ("hit", ["Ben"], False)
    assert rolling.stones() == [2, 1]


def test_a_ruling_is_kept_with_its_gap_window_evidence_and_rule(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2000)
    rolling.touch(2400)
    rolling.at(2500)
    (touch,) = Record.of(list(rolling.journal.events("duel"))).touches
    (gap,) = touch["gaps"]
    assert (gap["seat"], gap["face"], gap["gap_us"]) == ("Ami", "strike", 400 * MS)
    assert (touch["guard_us"], touch["rule"].split(":")[0]) == (40 * MS, "Rules of the Duel")
    assert {line["what"] for line in touch["line"]} >= {"settled", "read", "closing", "touch"}


def test_dice_of_a_round_become_facts_in_their_order_when_it_is_over(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2000)
    rolling.rolls(Face.BLANK, 1900, "Ben")
    before = [act["fact"] for act in rolling.desk.acts()]
    rolling.touch(2400)
    rolling.at(2500)
    after = [act["fact"] for act in rolling.desk.acts()]
    assert "die-rolled" not in before
    assert after == [*before, "die-rolled", "die-rolled", "hands-touched"]


def test_what_is_told_in_a_round_is_kept_at_once_and_becomes_a_fact_in_its_place(rolling: Table) -> None:
    rolling.now_us[0] = 1500 * MS
    rolling.tell("foul-seen", seat="Ben", foul="second hand")
    assert "foul-seen" not in [act["fact"] for act in rolling.desk.acts()]
    assert [said["act"]["fact"] for said in Record.of(list(rolling.journal.events("duel"))).said.values()] == [
        "foul-seen"
    ]
    rolling.rolls(Face.STRIKE, 2000)
    rolling.touch(2400)
    rolling.at(2500)
    facts = [act["fact"] for act in rolling.desk.acts()]
    assert facts.index("foul-seen") < facts.index("hands-touched")


def test_an_attested_act_decides_a_hit_that_waits_for_it(make_table: MakeTable) -> None:
    table = make_table()
    undone = [row["seq"] for row in table.desk.view()["history"] if row["act"] and row["act"].get("seat") == "Ben"][-1]
    table.desk.undo(undone, "page")
    table.tell("hero-revealed", seat="Ben", card="poltergeist")
    table.at(1000)
    table.tell("play-began")
    table.rolls(Face.STRIKE, 2000)
    table.touch(2400)
    table.at(2500)
    assert (table.phase, table.stones()) == ("hit", [2, 2])
    act = table.desk.view()["duel"]["waits_for"][0]["act"]
    table.tell("act-attested", seat="Ami", act=act, done=False)
    assert table.stones() == [2, 2]
    assert table.phase in ("round-end", "round-start")


# -- questions ------------------------------------------------------------------------------------------------------------


def test_hand_or_arm_is_asked_with_what_each_would_mean(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2000)
    rolling.touch(2400, where=Where.UNKNOWN)
    rolling.at(2500)
    (question,) = rolling.desk.view()["questions"]
    assert "hand, or an arm" in question["text"]
    assert [option["label"] for option in question["options"]][:2] == ["A hand: Ami hit", "An arm: a miss"]
    rolling.desk.answer(question["id"], "hit-Ami", "referee")
    assert rolling.stones() == [2, 1]
    assert rolling.desk.view()["questions"] == []
    assert rolling.desk.view()["touches"][0]["answer"] == "A hand: Ami hit"


def test_whose_hand_is_asked_where_it_matters(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2000)
    rolling.touch(2400, by=None)
    rolling.at(2500)
    (question,) = rolling.desk.view()["questions"]
    labels = [option["label"] for option in question["options"]]
    assert {"hit-Ami", "bluff-Ben", "draw"} <= {option["id"] for option in question["options"]}
    assert any(label.startswith("Ami struck") for label in labels)
    assert rolling.stones() == [2, 2]


def test_a_touch_within_the_guard_is_a_draw_until_the_referee_says_otherwise(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2390)
    rolling.touch(2400)
    rolling.at(4600)
    (touch,) = touches(rolling)
    assert (touch["verdict"], touch["asked"]) == ("too close", True)
    assert touch["gaps"][0]["close"] is True
    (question,) = rolling.desk.view()["questions"]
    rolling.desk.answer(question["id"], "bluff-Ami", "referee")
    assert rolling.stones() == [1, 2]


def test_play_that_goes_on_closes_the_question_and_the_draw_stands(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2390)
    rolling.touch(2400)
    rolling.at(4600)
    rolling.at(5000)
    rolling.tell("play-began", counted=False)
    rolling.at(5010)
    assert rolling.desk.view()["questions"] == []
    assert (rolling.stones(), rolling.phase) == ([2, 2], "rolling")


def test_an_answer_that_nobody_offered_is_refused_and_changes_nothing(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2390)
    rolling.touch(2400)
    rolling.at(4600)
    (question,) = rolling.desk.view()["questions"]
    with pytest.raises(BadInputError, match="answers are"):
        rolling.desk.answer(question["id"], "hit-Nobody", "referee")
    assert len(rolling.desk.view()["questions"]) == 1


# -- without parts --------------------------------------------------------------------------------------------------------


def test_with_no_pad_and_no_camera_a_duel_is_played_by_taps(make_table: MakeTable) -> None:
    table = make_table(())
    table.now_us[0] = 1000 * MS
    table.tell("play-began")
    table.now_us[0] = 3000 * MS
    table.tell("die-rolled", seat="Ben", face="strike")
    table.now_us[0] = 4000 * MS
    table.tell("hands-touched", by=["Ben"], where="hand")
    (touch,) = touches(table)
    assert (touch["verdict"], touch["hit"]) == ("hit", ["Ami"])
    assert table.stones() == [1, 2]
    table.tell("play-began", counted=False)
    table.tell("hands-touched", by=["Ami"], where="hand")
    assert touches(table)[-1]["verdict"] == "bluff"
    assert table.desk.view()["phase"] in ("round-end", "round-start")
    assert table.stones() == [0, 2]


def test_without_a_pad_a_tap_tells_that_hands_touched_and_the_camera_what_lay_there(rolling: Table) -> None:
    rolling.desk.blinded(Source.PAD, 1100 * MS, "it is unplugged")
    rolling.rolls(Face.STRIKE, 2000)
    rolling.at(5000)
    rolling.tell("hands-touched", by=["Ami"], where="hand")
    rolling.at(6000)
    assert touches(rolling)[-1]["verdict"] == "hit"


def test_a_blind_camera_makes_every_touch_of_its_round_a_question(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2000)
    rolling.desk.blinded(Source.DICE, 2100 * MS, "the camera is lost")
    rolling.touch(2400)
    rolling.at(2500)
    (touch,) = touches(rolling)
    assert touch["asked"]
    assert [blind["why"] for blind in touch["blinds"]] == ["the camera is lost"]


def test_a_camera_that_is_lost_while_it_still_worked_something_out_holds_no_round_up(rolling: Table) -> None:
    """It had told of dice up to 1.5 s only when its last picture came, at 2 s."""
    rolling.at(1500)
    rolling.now_us[0] = 2100 * MS
    rolling.desk.told_through(Source.PAD, 9000 * MS)
    for source in (Source.DICE, Source.HANDS):
        rolling.desk.blinded(source, 2000 * MS, "the camera is lost")
    rolling.tell("touch-ruled", ruling="draw")
    rolling.now_us[0] = 3000 * MS
    rolling.tell("play-began", counted=False)
    rolling.desk.step()
    assert [act["fact"] for act in rolling.desk.acts()][-1] == "play-began"


# -- undo and restart -----------------------------------------------------------------------------------------------------


def test_after_an_undo_in_a_round_its_touches_are_asked_about(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2000)
    rolling.touch(2400)
    rolling.at(2500)
    rolling.desk.undo(None, "page")
    assert rolling.stones() == [2, 2]
    assert rolling.phase == "rolling"
    rolling.touch(2900)
    rolling.at(3000)
    assert touches(rolling)[-1]["asked"]


def test_a_restart_in_mid_round_asks_about_what_it_did_not_see_and_keeps_what_was_told(rolling: Table) -> None:
    rolling.now_us[0] = 1500 * MS
    rolling.tell("foul-seen", seat="Ben", foul="second hand")
    rolling.desk = rolling.restarted()
    rolling.touch(2400)
    rolling.at(2500)
    record = Record.of(list(rolling.journal.events("duel")))
    assert record.touches[-1]["asked"]
    assert "foul-seen" in [act["fact"] for act in rolling.desk.acts()]
    assert record.state.phase is not Phase.ROLLING


def test_the_journal_folds_to_the_state_on_the_page(rolling: Table) -> None:
    rolling.rolls(Face.STRIKE, 2000)
    rolling.touch(2400)
    rolling.at(2500)
    assert Record.of(list(rolling.journal.events("duel"))).state == rolling.desk.record_state

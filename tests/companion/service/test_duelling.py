"""A live duel's senses: who is told what, and what is declared when the Arena's camera or the pad is lost in mid-duel."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from calibration.zones import Layout
from companion.adjudicator.hoshi_battle.chairs import seated
from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.adjudicator.record import Record
from companion.commands.table import TableAsked, duel_by_hand
from companion.decks import builtin_deck
from companion.duel.judge import WAITED_FOR
from companion.duel.reports import Source
from companion.games.start import Start, start_json
from companion.journal import EventKind, Journal, NewEvent
from companion.service.arena_eyes import FeltTouch, Heard, Played, Seated
from companion.service.duel_run import DuelRun
from companion.service.duelling import DuelSenses, PictureClock, run_duel
from companion.service.session import open_desk
from companion.service.touching import PadEars
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.virtual.pad import VirtualPad

SECOND = 10**9
DECLARED_S = 2.0


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "j.db") as opened:
        yield opened


def duel(journal: Journal, clock: Callable[[], int], **more: Any) -> DuelDesk:
    """Ami and Ben's dice roll."""
    start = Start("hoshi-battle", ("Ami", "Ben"), "Ami", builtin_deck("hoshi-battle").cards)
    started = journal.append([NewEvent(EventKind.GAME_STARTED, "duel", start_json(start))]).wait(10)
    desk = DuelDesk(journal, Record(started[0]), Layout({}), sources=WAITED_FOR, clock=clock, **more)
    for seat in ("Ami", "Ben"):
        for kind in ("hero", "duel"):
            desk.tell({"fact": "cards-kept", "seat": seat, "kind": kind, "count": 3}, "page")
    for seat in ("Ami", "Ben"):
        desk.tell({"fact": "cards-placed", "seat": seat, "duel": False}, "page")
    for seat, hero in (("Ami", "clay-champion"), ("Ben", "swamp-monster")):
        desk.tell({"fact": "hero-revealed", "seat": seat, "card": hero}, "page")
    desk.tell({"fact": "play-began"}, "page")
    return desk


def through(t_ns: int) -> Heard:
    """A picture in which nothing happened."""
    calls = tuple(("told_through", (source, t_ns // 1000)) for source in (Source.DICE, Source.HANDS))
    return Heard(t_ns, calls)


class FakePipeline:
    """Says what it is given."""

    def __init__(self, *words: Any) -> None:
        self.said = words

    def words(self, _patience_s: float) -> Iterator[Any]:
        yield from self.said


def lost_camera(journal: Journal) -> tuple[DuelDesk, list[dict[str, Any]]]:
    """A duel whose camera was unplugged while dice rolled."""
    events: list[dict[str, Any]] = []
    clock = PictureClock()
    desk = duel(journal, clock, announce=events.append)
    senses = DuelSenses(desk, lambda _order: None, clock)
    pipeline = FakePipeline(
        through(SECOND), through(2 * SECOND), CameraNotice(NoticeKind.LOST, "the camera was unplugged"), None
    )
    desk.told_through(Source.PAD, 3_000_000)
    run_duel(pipeline, desk, senses, say=lambda _line: None, clock=clock)  # type: ignore[arg-type]
    return desk, events


def test_a_camera_that_is_unplugged_in_mid_duel_is_declared(journal: Journal) -> None:
    desk, _ = lost_camera(journal)
    (arena,) = [source for source in desk.view()["sources"] if source["name"] == "arena"]
    assert (arena["state"], arena["text"]) == ("lost", "the camera was unplugged")
    kinds = [(event.kind, event.payload.get("state")) for event in journal.events("duel")]
    assert (EventKind.SOURCE, "lost") in kinds


def test_without_its_camera_the_duel_is_finished_by_hand(journal: Journal) -> None:
    """Each touch is asked about, for nobody saw the dice; the answers are the duel."""
    desk, events = lost_camera(journal)
    for stones in (1, 0):
        desk.told_through(Source.PAD, 1 << 50)
        desk.tell({"fact": "hands-touched", "by": ["Ami"], "where": "hand"}, "page")
        desk.step()
        (question,) = desk.view()["questions"]
        desk.answer(question["id"], "hit-Ami", "referee")
        assert desk.view()["duel"]["fighters"][1]["stones"] == stones
        if stones:
            desk.tell({"fact": "play-began", "counted": False}, "page")
            desk.step()
    desk.tell({"fact": "hero-exiled", "seat": "Ben"}, "page")
    desk.step()
    assert next(event for event in events if event["event"] == "duel")["winner"] == "Ami"


def test_a_camera_that_is_plugged_in_again_is_believed_from_then_on(journal: Journal) -> None:
    desk, _ = lost_camera(journal)
    senses = DuelSenses(desk, lambda _order: None, PictureClock())
    senses.lost("unplugged")
    senses.heard(through(60 * SECOND))
    desk.told_through(Source.PAD, 60_000_000)
    desk.tell({"fact": "touch-ruled", "ruling": "draw"}, "referee")
    desk.step()
    desk.tell({"fact": "play-began", "counted": False, "at_us": 61_000_000}, "page")
    for source in WAITED_FOR:
        desk.told_through(source, 62_000_000)
    desk.step()
    assert desk.view()["phase"] == "rolling"
    assert desk.view()["waiting"] == []


def test_a_pad_that_is_unplugged_in_mid_duel_is_declared_and_touches_are_tapped(
    journal: Journal, tmp_path: Path
) -> None:
    started_us = time.monotonic_ns() // 1000
    desk = duel(journal, lambda: time.monotonic_ns() // 1000)
    senses = DuelSenses(desk, lambda _order: None)
    with VirtualPad(tmp_path / "pad") as pad, PadEars(str(pad.path), desk, journal, senses.pad):
        wait_for(lambda: state_of(desk, "pad") == "ready")
        pad.unplug(power=False)
        unplugged = time.monotonic()
        wait_for(lambda: state_of(desk, "pad") == "lost")
        assert time.monotonic() - unplugged < 10 * DECLARED_S  # a busy machine; the figure is measured elsewhere
    for source in (Source.DICE, Source.HANDS):
        desk.told_through(source, 1 << 50)
    desk.step()
    assert desk.view()["phase"] == "rolling"
    desk.tell({"fact": "hands-touched", "by": ["Ami"], "where": "hand"}, "page")
    desk.step(started_us + 60_000_000)
    (touch,) = desk.view()["touches"]
    assert (touch["source"], touch["verdict"], touch["asked"]) == ("people", "bluff", False)


def test_a_pad_that_says_by_its_heartbeat_that_it_felt_nothing_holds_no_round_up(
    journal: Journal, tmp_path: Path
) -> None:
    desk = duel(journal, lambda: time.monotonic_ns() // 1000)
    senses = DuelSenses(desk, lambda _order: None)
    for source in (Source.DICE, Source.HANDS):
        desk.told_through(source, 1 << 50)
    with VirtualPad(tmp_path / "pad") as pad, PadEars(str(pad.path), desk, journal, senses.pad, senses.pad_alive):
        wait_for(lambda: state_of(desk, "pad") == "ready")
        wait_for(lambda: desk.step() or desk.record_state.phase == "rolling")


def test_the_eyes_are_told_who_duels_and_when_dice_are_followed(journal: Journal) -> None:
    orders: list[Any] = []
    desk = duel(journal, lambda: 1_000_000)
    senses = DuelSenses(desk, orders.append)
    senses.heard(through(SECOND))
    senses.heard(through(2 * SECOND))
    assert orders == [Played(is_on=True), Seated(("Ami", "Ben"), ((10,), (10,)))]
    senses.reseat()
    assert orders[2:] == orders[:2]


def test_a_touch_of_the_pad_is_asked_of_the_eyes_by_the_name_that_the_desk_gives_it(
    journal: Journal, tmp_path: Path
) -> None:
    orders: list[Any] = []
    desk = duel(journal, lambda: time.monotonic_ns() // 1000)
    senses = DuelSenses(desk, orders.append)
    with VirtualPad(tmp_path / "pad") as pad, PadEars(str(pad.path), desk, journal, senses.pad):
        wait_for(lambda: state_of(desk, "pad") == "ready")
        pad.touch(seconds=0.05)
        wait_for(lambda: any(isinstance(order, FeltTouch) for order in orders))
    (felt,) = [order for order in orders if isinstance(order, FeltTouch)]
    for source in (Source.DICE, Source.HANDS):
        desk.blinded(source, 0, "no camera")
    desk.step()
    assert [touch["key"] for touch in desk.view()["touches"]] == [felt.name]


@pytest.mark.parametrize(
    ("before", "now", "after"),
    [
        ((None, None), ("Ben", "Ami"), ("Ami", "Ben")),
        (("Ami", "Ben"), ("Ben", "Cho"), ("Cho", "Ben")),
        (("Ami", "Ben"), (), ("Ami", "Ben")),
    ],
)
def test_a_winner_keeps_the_own_chair(before: Any, now: tuple[str, ...], after: Any) -> None:
    assert seated(before, now, {"Ami": 0, "Ben": 1, "Cho": 2}) == after


def state_of(desk: DuelDesk, name: str) -> str | None:
    """What the page shows of a source."""
    return next((source["state"] for source in desk.view()["sources"] if source["name"] == name), None)


def wait_for(holds: Callable[[], bool], patience_s: float = 20.0) -> None:
    """Fails where it does not come to hold."""
    until = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_table_without_a_camera_plays_by_taps(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    session = duel_by_hand(("Ami", "Ben"), TableAsked(), has_pad=False)
    desk, session, _ = open_desk(journal, session, announce=lambda _event: None, warn=print, resume=False)
    assert isinstance(desk, DuelDesk)
    stop = threading.Event()
    running = threading.Thread(target=DuelRun(session, desk).run, args=(print, stop), daemon=True)
    running.start()
    for seat in ("Ami", "Ben"):
        for kind in ("hero", "duel"):
            desk.tell({"fact": "cards-kept", "seat": seat, "kind": kind, "count": 3}, "page")
    for seat in ("Ami", "Ben"):
        desk.tell({"fact": "cards-placed", "seat": seat, "duel": False}, "page")
    for seat, hero in (("Ami", "clay-champion"), ("Ben", "swamp-monster")):
        desk.tell({"fact": "hero-revealed", "seat": seat, "card": hero}, "page")
    desk.tell({"fact": "play-began"}, "page")
    wait_for(lambda: desk.record_state.phase == "rolling")
    desk.tell({"fact": "die-rolled", "seat": "Ben", "face": "strike"}, "page")
    desk.tell({"fact": "hands-touched", "by": ["Ben"], "where": "hand"}, "page")
    wait_for(lambda: bool(desk.touches))
    stop.set()
    running.join(5.0)
    assert (desk.touches[0]["verdict"], desk.touches[0]["hit"]) == ("hit", ["Ami"])

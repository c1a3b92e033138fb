"""From the pipeline's words to the desk: what is judged, what is said, how it ends."""

from __future__ import annotations

import threading

import pytest

from companion.adjudicator.told import Said, Told
from companion.errors import JournalError
from companion.service.eyes import Failed, Ready, Seen
from companion.service.run import run_table
from hardware.camera.notices import CameraNotice, NoticeKind
from vision.observation import Activity, ActivityChange, Observation, PoseState, SceneReading

SCENE = SceneReading(PoseState.LIVE, (700.0, 420.0))


class DeskDouble:
    """Writes down what it is told."""

    def __init__(self):
        self.seen, self.states, self.ticks = [], [], 0
        self.offered, self.broken = set(), False

    def observe(self, look):
        self.seen.append(look.observation.name)

    def activity(self, change):
        self.states.append((change.source, change.activity.value))

    def source(self, name, state, text="", *, journaled=False):
        self.states.append((name, state))

    def tick(self):
        self.ticks += 1

    def offers(self, act):
        return act["fact"] in self.offered

    def tell(self, act, who):
        if self.broken:
            raise JournalError("the disk is full")
        self.seen.append(f"{who}: {act['fact']}")


class Words:
    """A pipeline that says what it was given."""

    def __init__(self, *words):
        self._words = words

    def words(self):
        return iter(self._words)


class RecorderDouble:
    def __init__(self):
        self.kept = []

    def keep(self, observation, picture, say):
        self.kept.append((observation.name, picture))


def seen(name, picture=None, changed=True, t=0):
    return Seen(Observation("camera", t, 0, 0, name, SCENE, changed), {}, picture)


def told(t, fact, *, when_offered=False):
    return Told(t, Said({"fact": fact}, "A", when_offered))


def run(*words, **options):
    desk, said = options.pop("desk", None) or DeskDouble(), []
    result = run_table(Words(*words), desk, say=said.append, **options)
    return desk, said, result


def test_settled_pictures_reach_the_desk_in_order():
    desk, said, result = run(Ready(), seen("1"), None, seen("2"), CameraNotice(NoticeKind.END, ""))
    assert (desk.seen, desk.ticks, said, result.pictures) == (["1", "2"], 1, [], 2)
    assert desk.states == [("camera", "ended")]


def test_an_unreadable_picture_is_one_line_and_the_rest_goes_on():
    desk, said, result = run(CameraNotice(NoticeKind.UNREADABLE, "7.jpg: is cut off"), seen("8"))
    assert (desk.seen, said, result.problems) == (["8"], ["7.jpg: is cut off"], ["7.jpg: is cut off"])


@pytest.mark.parametrize(("kind", "state"), [(NoticeKind.LOST, "lost"), (NoticeKind.BACK, "moving")])
def test_a_camera_that_stops_and_comes_back_is_shown(kind, state):
    desk, said, _ = run(CameraNotice(kind, "camera stopped: check the cable"))
    assert desk.states == [("camera", state)]
    assert said == ["camera stopped: check the cable"]


def test_a_source_that_fails_is_a_problem():
    _, _, result = run(CameraNotice(NoticeKind.FAILED, "no such directory"))
    assert result.failed
    assert result.problems == ["no such directory"]


def test_a_vision_that_can_not_work_says_why():
    desk, said, result = run(Failed("deck: no scans"))
    assert result.failed
    assert said == ["deck: no scans"]
    assert desk.states == [("camera", "lost")]


def test_a_lost_table_is_said_and_a_hand_is_only_shown():
    desk, said, result = run(
        ActivityChange("camera", 0, Activity.COVERED, "a hand is in the way"),
        ActivityChange("camera", 0, Activity.LOST, "1 of 4 markers seen"),
    )
    assert desk.states == [("camera", "covered"), ("camera", "lost")]
    assert said == result.problems == ["1 of 4 markers seen"]


def test_only_changed_pictures_are_kept():
    recorder = RecorderDouble()
    run(seen("1", b"a"), seen("2", b"b", changed=False), seen("3", b"c"), recorder=recorder)
    assert recorder.kept == [("1", b"a"), ("3", b"c")]


def test_a_stop_is_heard_between_two_words():
    stop = threading.Event()
    stop.set()
    desk, _, _ = run(seen("1"), stop=stop)
    assert desk.seen == []


def test_what_people_say_comes_between_what_was_seen_before_and_after():
    acts = (told(15, "drawn"), told(25, "cleared"))
    desk, _, _ = run(seen("1", t=10), seen("2", t=20), seen("3", t=30), told=acts)
    assert desk.seen == ["1", "A: drawn", "2", "A: cleared", "3"]


def test_what_is_said_last_comes_with_the_end_of_the_pictures():
    desk, _, _ = run(seen("1", t=10), CameraNotice(NoticeKind.END, ""), told=(told(15, "drawn"),))
    assert desk.seen == ["1", "A: drawn"]


def test_an_act_that_is_not_offered_yet_waits_and_so_does_what_follows():
    desk = DeskDouble()
    acts = (told(5, "drawn", when_offered=True), told(6, "cleared"))

    def words():
        yield seen("1", t=10)
        assert desk.seen == ["1"]
        desk.offered.add("drawn")
        yield seen("2", t=20)

    run_table(type("Pipeline", (), {"words": lambda _: words()})(), desk, say=print, told=acts)
    assert desk.seen == ["1", "A: drawn", "A: cleared", "2"]


def test_what_people_say_goes_by_the_film_where_the_pictures_time_is_another():
    acts = (told(15, "drawn"), told(25, "cleared"))
    desk, _, _ = run(seen("1", t=1010), seen("2", t=1020), told=acts, told_time=lambda t: t - 1000)
    assert desk.seen == ["1", "A: drawn", "2"]


def test_each_word_and_each_silence_is_a_moment_to_look_around():
    looks = []
    run(seen("1"), None, None, on_word=lambda: looks.append(1))
    assert len(looks) == 3


def test_what_a_failing_journal_did_not_take_is_said_again():
    desk = DeskDouble()
    desk.broken = True

    def words():
        yield seen("1", t=10)
        desk.broken = False
        yield seen("2", t=20)

    run_table(type("Pipeline", (), {"words": lambda _: words()})(), desk, say=print, told=(told(5, "drawn"),))
    assert desk.seen == ["1", "A: drawn", "2"]


def test_a_picture_is_kept_before_what_people_say_of_it():
    desk, recorder, order = DeskDouble(), RecorderDouble(), []
    desk.observe = lambda look: desk.offered.add("drawn")
    desk.tell = lambda act, who: order.append(act["fact"])
    recorder.keep = lambda observation, picture, say: order.append(observation.name)
    run(seen("1", b"a", t=10), desk=desk, recorder=recorder, told=(told(5, "drawn", when_offered=True),))
    assert order == ["1", "drawn"]

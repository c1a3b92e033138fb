"""What the tracker says of an Arena that is no plain throw: each is a state of its own, never a guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from companion.bench.dice_moving import tracker_of
from companion.virtual.dice_film import Act, RollFilm, roll_film, touched_film
from hardware.virtual.dice import DieOnTable, Instant, lying_at, lying_turn
from hardware.virtual.render import Renderer
from hardware.virtual.scene import HandOverTable, Scene
from vision.arena import NO_ARENA, Arena, ArenaState
from vision.dice.track import DiceEvent, DiceEventKind, DiceTracker, DieState

FILM = touched_film(3, 0, Act.PUSHED)
DIE = FILM.dice[0].die
SKIN = (62, 92, 142) if min(FILM.look.ground_bgr or (0, 0, 0)) > 120 else (150, 178, 226)
TICK_NS = 8_333_333


class _Show:
    """Scenes shown to a tracker one after the other."""

    def __init__(self, film: RollFilm = FILM) -> None:
        self.film = film
        self.tracker: DiceTracker = tracker_of(film)
        self._renderer = Renderer({}, film.look, film.camera)
        self._number = 0

    def hold(
        self, dice: Sequence[DieOnTable], hands: Sequence[HandOverTable] = (), pictures: int = 24
    ) -> list[DiceEvent]:
        scene = Scene(self.film.camera.table_mm, loops=(self.film.loop,), dice=tuple(dice), hands=tuple(hands))
        told: list[DiceEvent] = []
        for _ in range(pictures):
            self._number += 1
            told += self.tracker.feed(self._renderer.render(scene, self._number), self._number * TICK_NS)
        return told


def _lying(x: float, y: float, die: DieOnTable = DIE, yaw: float = 0.7) -> DieOnTable:
    return replace(die, at=lying_at(die.sides, die.size_mm, 1, x, y, yaw, die.tip))


def _kinds(told: Sequence[DiceEvent]) -> list[DiceEventKind]:
    return [event.kind for event in told]


def test_an_empty_table_tells_nothing_and_its_die_is_away() -> None:
    show = _Show()
    assert show.hold([]) == []
    assert show.tracker.state("0") is DieState.AWAY


def test_a_die_that_lies_there_settles_without_a_touch() -> None:
    show = _Show()
    told = show.hold([_lying(210, 125)])
    assert _kinds(told) == [DiceEventKind.APPEARED, DiceEventKind.SETTLED]
    assert not told[-1].on_string
    assert show.tracker.state("0") is DieState.DECIDING
    (decided,) = show.tracker.decide()
    assert decided.touch is None
    assert show.tracker.state("0") is DieState.SETTLED


def test_a_die_on_the_string_says_so() -> None:
    show = _Show()
    x, y = FILM.loop.polygon_mm[20]
    (*_, settled) = show.hold([_lying(x, y)])
    assert settled.kind is DiceEventKind.SETTLED
    assert settled.on_string


def test_a_die_that_leans_on_a_hand_has_not_settled() -> None:
    show = _Show()
    turn = lying_turn(DIE.sides, 1, 0.7, DIE.tip)
    leaning = replace(DIE, at=Instant(210.0, 118.0, DIE.size_mm / 2 + 2.0, turn))
    hand = HandOverTable(210.0, 121.0, 180.0, SKIN)
    told = show.hold([leaning], [hand], 30)
    assert DiceEventKind.SETTLED not in _kinds(told)
    assert show.tracker.state("0") in {DieState.LEANING, DieState.MOVING, DieState.AWAY}
    # The hand draws back and the die lies flat.
    assert DiceEventKind.SETTLED in _kinds(show.hold([_lying(210, 118)]))


def test_a_die_under_a_hand_is_hidden_and_shown_as_it_was() -> None:
    show = _Show()
    die = _lying(210, 125)
    show.hold([die])
    told = show.hold([die], [HandOverTable(210.0, 70.0, 180.0, SKIN)])
    assert _kinds(told) == [DiceEventKind.HIDDEN]
    assert show.tracker.state("0") is DieState.HIDDEN
    assert show.tracker.place("0") == pytest.approx((210, 125), abs=2.5)
    assert _kinds(show.hold([die])) == [DiceEventKind.SHOWN]


def test_a_die_that_is_gone_from_under_a_hand_was_taken_up() -> None:
    show = _Show()
    die = _lying(210, 125)
    show.hold([die])
    show.hold([die], [HandOverTable(210.0, 70.0, 180.0, SKIN)])
    assert _kinds(show.hold([])) == [DiceEventKind.TAKEN_UP]
    assert show.tracker.state("0") is DieState.AWAY


def test_a_second_die_of_an_enrolled_colour_is_one_too_many() -> None:
    show = _Show()
    told = show.hold([_lying(190, 125), _lying(240, 120)])
    (third,) = [event for event in told if event.kind is DiceEventKind.THIRD_DIE]
    assert third.die == "0"


def test_a_die_of_an_unknown_colour_is_noticed() -> None:
    show = _Show()
    blue, green, red = DIE.bgr
    other = replace(DIE, bgr=(255 - blue, red, 255 - green))
    told = show.hold([_lying(190, 125), _lying(250, 120, other)], pictures=40)
    (third,) = [event for event in told if event.kind is DiceEventKind.THIRD_DIE]
    assert third.die == ""
    assert third.x_mm == pytest.approx(250, abs=4)


def test_a_hand_that_rests_is_no_die() -> None:
    show = _Show()
    told = show.hold([], [HandOverTable(60.0, 125.0, 270.0, SKIN)], 40)
    assert DiceEventKind.THIRD_DIE not in _kinds(told)


@pytest.mark.parametrize("arena", [None, NO_ARENA, Arena(FILM.loop.polygon_mm, 3.0, ArenaState.SEVERAL)])
def test_without_one_loop_no_throw_is_inside_or_outside(arena: Arena | None) -> None:
    film = roll_film(1, 13)
    tracker = tracker_of(film)
    tracker.arena = arena
    told = [event for picture, t_ns in film.pictures() for event in tracker.feed(picture, t_ns)]
    assert DiceEventKind.SETTLED in _kinds(told)
    (decided,) = tracker.decide()
    assert decided.touch is None or decided.touch.inside is decided.touch.depth_mm is None


def test_a_die_that_stood_on_an_edge_and_fell_on_is_told_to_have_done_so() -> None:
    """It stands for a fifth of a second: what was told of its rest is withdrawn, and told anew."""
    film = roll_film(21, 144)
    tracker = tracker_of(film)
    told, tasks = [], []
    for picture, t_ns in film.pictures():
        told += tracker.feed(picture, t_ns)
        tasks += tracker.tasks()
    assert _kinds(told)[-3:] == [DiceEventKind.SETTLED, DiceEventKind.UNSETTLED, DiceEventKind.SETTLED]
    (truth,) = film.truth()
    assert abs(told[-1].t_ns / 1e9 - truth["settle_s"]) * film.fps <= 2
    # Of the rest that was withdrawn nothing more is told.
    assert [len(tracker.decided(task.number, None)) for task in tasks] == [0] * (len(tasks) - 1) + [1]


def test_a_thumb_that_the_picture_cuts_off_is_no_die() -> None:
    """A glove of the die's own green: its thumb shows as a spot of a die's size at the border."""
    film = roll_film(21, 18)
    tracker = tracker_of(film)
    told = [event for picture, t_ns in film.pictures() for event in tracker.feed(picture, t_ns)]
    assert DiceEventKind.THIRD_DIE not in _kinds(told)
    assert _kinds(told)[-1] is DiceEventKind.SETTLED

"""The watcher on films: what it tells when a table moves, settles, is covered, dims, is bumped, freezes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.decks.proxies import draw_deck
from companion.virtual.table import VirtualTable
from vision.cards.store import resolve_deck
from vision.errors import PoseLostError
from vision.frame import Frame
from vision.look import Look
from vision.observation import (
    Activity,
    ActivityChange,
    CardReading,
    DoubtReason,
    Face,
    Observation,
    SceneReading,
)
from vision.table import TablePose
from vision.watcher import Watcher, WatchSettings


def observations(told: Sequence[object]) -> list[Observation]:
    return [event for event in told if isinstance(event, Observation)]


def activities(told: Sequence[object]) -> list[Activity]:
    return [event.activity for event in told if isinstance(event, ActivityChange)]


def pairs(seen: Observation) -> set[tuple[int, int]]:
    assert seen.scene.board is not None
    return {(line.a, line.b) for line in seen.scene.board.lines}


def test_a_table_that_stands_still_is_told_once(film: Any, stage: Any) -> None:
    told = film.hold(stage.Table(cards=((100, 100),)), 4.0)

    assert activities(told) == [Activity.MOVING, Activity.SETTLED]
    assert len(observations(told)) == 1
    assert film.reader.looks == 2


def test_a_picture_settles_by_its_time_and_not_by_its_count(stage: Any) -> None:
    for fps in (5.0, 60.0):
        reader = stage.PlainReader()
        film = stage.Film(Watcher(reader), reader, fps=fps)
        film.hold(stage.Table(), 3.0)
        first = film.observations()[0]
        assert 400 <= (first.t_ns - 1_000_000_000) / 1e6 <= 400 + 2 * 1000 / fps


def test_a_hand_that_passes_and_changes_nothing_leaves_the_scene_as_it_was(film: Any, stage: Any) -> None:
    table = stage.Table(cards=((100, 100),), lines=((1, 5), (3, 9)))
    film.hold(table, 1.0)
    path = stage.hand_path((300, 460), (330, 200), (420, 150), (300, 460))
    film.play(table.with_(hand=place) for place in path)
    told = film.hold(table, 1.0)

    assert [seen.changed for seen in film.observations()] == [True, False]
    assert pairs(observations(told)[0]) == {(1, 5), (3, 9)}


def test_a_laid_card_gives_exactly_one_observation_after_it_stopped(film: Any, stage: Any) -> None:
    film.hold(stage.Table(), 1.0)
    path = stage.hand_path((90, 470), (90, 260), (95, 200))
    film.play(stage.Table(cards=((x, y - 60),), hand=(x, y)) for x, y in path)
    laid = stage.Table(cards=((95, 140),))
    film.play(laid.with_(hand=place) for place in reversed(path))
    told = film.hold(laid, 3.0)

    first, last = film.observations()
    assert not first.scene.cards
    assert last is observations(told)[0]
    assert last.changed
    assert [(round(card.x_mm), round(card.y_mm)) for card in last.scene.cards] == [(95, 140)]


def test_a_short_thin_line_alone_is_worth_a_new_look(film: Any, stage: Any) -> None:
    film.hold(stage.Table(), 1.5)
    looks = film.reader.looks
    told = film.hold(stage.Table(scratch=((270, 150), (308, 162))), 1.5)

    assert film.reader.looks > looks
    assert len(observations(told)) == 1


def test_noise_flicker_drifting_gain_and_jpeg_never_move_the_table(film: Any, stage: Any) -> None:
    def spoiled(image: np.ndarray, n: int) -> np.ndarray:
        gain = (1 + 0.04 * np.sin(2.1 * n)) * (0.75 + 0.001 * n)
        bands = 1 + 0.02 * np.sin(np.arange(image.shape[0]) / 40.0 + 0.9 * n)
        lit = np.clip(image * gain * bands[:, None, None], 0, 255).astype(np.uint8)
        return cv2.imdecode(cv2.imencode(".jpg", lit, [cv2.IMWRITE_JPEG_QUALITY, 75])[1], cv2.IMREAD_COLOR)

    film.spoil = spoiled
    film.hold(stage.Table(lines=((1, 2),)), 6.0, noise=6.0)

    assert len(film.observations()) == 1
    assert film.reader.looks == 2


def test_light_that_dims_slowly_is_no_endless_work_and_hides_no_new_card(film: Any, stage: Any) -> None:
    table = stage.Table(lines=((1, 2),))
    film.fps = 2.5
    steps = 300
    film.play(table.with_(light=1 - 0.55 * n / steps, light_slope=0.25 * n / steps) for n in range(steps))
    assert film.reader.looks <= 8
    assert not any(seen.changed for seen in film.observations()[1:])

    dim = table.with_(light=0.45, light_slope=0.25, cards=((600, 200),))
    told = film.hold(dim, 2.0)
    assert len(observations(told)) == 1


def test_a_hand_at_rest_on_the_board_covers_and_erases_nothing(film: Any, stage: Any) -> None:
    lines = ((3, 5), (5, 9), (4, 8), (7, 8))
    table = stage.Table(lines=lines)
    film.hold(table, 1.0)
    path = stage.hand_path((330, 470), (340, 230))
    film.play(table.with_(hand=place) for place in path)
    told = film.hold(table.with_(hand=path[-1]), 3.0)

    assert film.watcher.activity is Activity.COVERED
    covered = [event for event in told if isinstance(event, ActivityChange) and event.activity is Activity.COVERED]
    assert "in the way" in covered[0].text
    for seen in film.observations():
        doubts = {(doubt.a, doubt.b): doubt.reason for doubt in seen.scene.board.doubts}
        for pair in lines:
            assert pair in pairs(seen) or doubts[pair] is DoubtReason.HIDDEN
        assert pairs(seen) <= set(lines)
    assert observations(told)[0].scene.hidden_mm

    film.play(table.with_(hand=place) for place in reversed(path))
    after = observations(film.hold(table, 1.0))
    assert film.watcher.activity is Activity.SETTLED
    assert pairs(after[-1]) == set(lines)


def test_a_sleeve_much_like_the_ground_is_known_by_what_it_changed(film: Any, stage: Any) -> None:
    table = stage.Table(lines=((4, 8), (7, 8)), skin=(104, 118, 92))
    film.hold(table, 1.0)
    path = stage.hand_path((330, 470), (340, 250))
    film.play(table.with_(hand=place) for place in path)
    film.hold(table.with_(hand=path[-1]), 1.5)

    for seen in film.observations():
        doubts = {(doubt.a, doubt.b) for doubt in seen.scene.board.doubts}
        assert {(4, 8), (7, 8)} <= pairs(seen) | doubts


def test_no_observation_while_most_of_the_table_is_covered(stage: Any) -> None:
    class Blind(stage.PlainReader):  # type: ignore[misc,name-defined]
        def read(self, frame: Frame, *rest: Any) -> SceneReading:
            scene = super().read(frame, *rest)
            return SceneReading(scene.pose, scene.table_mm, hidden_mm=(((0, 0), (700, 0), (700, 400), (0, 400)),))

    reader = Blind()
    film = stage.Film(Watcher(reader), reader)
    told = film.hold(stage.Table(), 2.0)
    assert activities(told)[-1] is Activity.COVERED
    assert not observations(told)


def test_slow_movement_never_settles(film: Any, stage: Any) -> None:
    film.hold(stage.Table(cards=((80, 120),)), 1.0)
    told = film.play(stage.Table(cards=((80 + 1.2 * n, 120),)) for n in range(75))
    assert not observations(told)
    assert len(observations(film.hold(stage.Table(cards=((80 + 1.2 * 74, 120),)), 1.0))) == 1


def test_a_reading_that_flickers_between_looks_is_not_known(stage: Any) -> None:
    class Flickers(stage.PlainReader):  # type: ignore[misc,name-defined]
        def _cards(self, *_: object) -> tuple[CardReading, ...]:
            name = "sun" if self.looks % 2 else "moon"
            corners = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
            return (CardReading(name, Face.UP, 100, 100, 0.0, corners, 0.99, ((name, 0.99),)),)

    reader = Flickers()
    film = stage.Film(Watcher(reader), reader)
    film.hold(stage.Table(), 2.0)
    (card,) = film.observations()[0].scene.cards
    assert card.card is None
    assert {name for name, _ in card.candidates} == {"sun", "moon"}


def test_a_lost_table_is_told_once_with_what_to_do_and_found_again(stage: Any) -> None:
    class Lost(stage.PlainReader):  # type: ignore[misc,name-defined]
        lost = True

        def locate(self, frame: Frame) -> TablePose:
            if self.lost:
                raise PoseLostError("1 of the 4 table markers seen; uncover the others")
            found: TablePose = super().locate(frame)
            return found

    reader = Lost()
    film = stage.Film(Watcher(reader), reader)
    told = film.hold(stage.Table(), 3.0)
    lost = [event for event in told if isinstance(event, ActivityChange) and event.activity is Activity.LOST]
    assert len(lost) == 1
    assert "uncover" in lost[0].text
    reader.lost = False
    told = film.hold(stage.Table(), 2.0)
    assert activities(told) == [Activity.SETTLED]
    assert len(observations(told)) == 1


def test_a_bumped_camera_gets_a_new_pose_and_then_a_new_look(film: Any, stage: Any) -> None:
    table = stage.Table(cards=((100, 100),), lines=((1, 5),))
    film.hold(table, 1.0)
    film.reader.shift = (9.0, -5.0)
    told = film.hold(table.with_(shift_px=(9.0, -5.0)), 2.0)

    (seen,) = observations(told)
    assert not seen.changed
    assert not seen.scene.hidden_mm
    assert pairs(seen) == {(1, 5)}
    said = [event.text for event in told if isinstance(event, ActivityChange)]
    assert "was moved" in said[-1]
    film.hold(table.with_(shift_px=(9.0, -5.0), cards=()), 1.0)
    assert film.watcher.activity is Activity.SETTLED
    said = [event.text for event in film.told if isinstance(event, ActivityChange)]
    assert said[-1] == "", "it is said once"


def test_a_camera_that_repeats_one_picture_is_told(stage: Any) -> None:
    reader = stage.PlainReader()
    film = stage.Film(Watcher(reader, settings=WatchSettings(frozen_ms=2000)), reader)
    film.hold(stage.Table(), 1.0)
    told = film.hold(stage.Table(), 3.0, noise=0.0)
    texts = [event.text for event in told if isinstance(event, ActivityChange)]
    assert any("same picture" in text for text in texts)
    assert activities(told)[-1] is Activity.LOST
    alive = film.hold(stage.Table(), 1.0)
    assert [event.text for event in alive if isinstance(event, ActivityChange)] == [""]
    assert activities(alive) == [Activity.SETTLED]


def test_what_was_laid_while_the_camera_repeated_one_picture_is_seen_afterwards(stage: Any) -> None:
    reader = stage.PlainReader()
    film = stage.Film(Watcher(reader, settings=WatchSettings(frozen_ms=2000)), reader)
    film.hold(stage.Table(), 1.0)
    film.hold(stage.Table(), 3.0, noise=0.0)
    told = film.hold(stage.Table(cards=((100, 100),)), 2.0)
    assert activities(told) == [Activity.MOVING, Activity.SETTLED]
    assert [len(seen.scene.cards) for seen in observations(told)] == [1]


def test_pictures_that_come_again_after_a_loss_are_looked_at_and_told_anew(film: Any, stage: Any) -> None:
    film.hold(stage.Table(), 1.0)
    film.watcher.look_again()
    told = film.hold(stage.Table(), 1.0)
    assert activities(told) == [Activity.SETTLED]
    assert [seen.changed for seen in observations(told)] == [False]


def test_a_clock_that_is_set_forward_makes_no_hand_the_table_s_new_look(film: Any, stage: Any) -> None:
    film.hold(stage.Table(cards=((100, 100),)), 1.0)
    resting = stage.Table(cards=((100, 100),), hand=(300, 200))
    film.hold(resting, 2.0)
    film.t_ns += 3600 * 10**9
    told = film.hold(resting, 2.0)
    assert activities(told)[-1:] in ([], [Activity.COVERED])
    assert not [seen for seen in observations(told) if not seen.scene.hidden_mm]


def test_pictures_that_are_always_far_apart_still_settle(stage: Any) -> None:
    reader = stage.PlainReader()
    film = stage.Film(Watcher(reader), reader, fps=1 / 20)
    assert len(observations(film.hold(stage.Table(), 100.0))) == 1


def test_a_recording_that_repeats_one_picture_is_no_frozen_camera(film: Any, stage: Any) -> None:
    told = film.hold(stage.Table(), 8.0, noise=0.0)
    assert len(observations(told)) == 1
    assert not any(event.text for event in told if isinstance(event, ActivityChange))


def test_time_that_goes_back_starts_the_stillness_anew(film: Any, stage: Any) -> None:
    film.hold(stage.Table(), 0.3)
    film.t_ns -= 250_000_000
    assert not observations(film.hold(stage.Table(), 0.3))
    assert len(observations(film.hold(stage.Table(), 0.5))) == 1


def test_each_picture_of_a_directory_is_settled_by_itself(film: Any, stage: Any) -> None:
    tables = [stage.Table(), stage.Table(cards=((100, 100),)), stage.Table(cards=((100, 100),))]
    told: list[object] = []
    for n, table in enumerate(tables):
        told += film.watcher.feed(Frame(stage.shot(table, n), n, n * 10**9, name=f"{n}.jpg", settled=True))
    seen = observations(told)
    assert [(event.name, event.changed, len(event.scene.cards)) for event in seen] == [
        ("0.jpg", True, 0),
        ("1.jpg", True, 1),
        ("2.jpg", False, 1),
    ]


def test_the_picture_of_an_observation_outlives_the_source_s_buffer(film: Any, stage: Any) -> None:
    buffer = stage.shot(stage.Table(cards=((100, 100),)), 0)
    before = buffer.copy()
    film.watcher.feed(Frame(buffer, 0, 0, settled=True))
    buffer[:] = 0
    assert np.array_equal(film.watcher.last_frame.image, before)


def test_a_recording_s_last_scene_is_told_at_its_end(film: Any, stage: Any) -> None:
    film.hold(stage.Table(cards=((100, 100),)), 0.37)
    assert not film.observations()
    (seen,) = observations(film.watcher.end())
    assert len(seen.scene.cards) == 1
    assert film.watcher.end() == ()


def test_what_a_passer_by_does_beside_the_table_is_no_motion(film: Any, stage: Any) -> None:
    film.hold(stage.Table(), 1.0)
    told: list[object] = []
    for n in range(40):
        image = stage.shot(stage.Table(), film.count)
        cv2.circle(image, (8, 20 + 8 * n), 14, (30, 30, 160), -1)
        told += film.show(image)
    assert told == []


@pytest.mark.soak
@pytest.mark.parametrize(
    "how",
    [{}, {"seed": 3, "variant": True, "dark_board": True, "clumsiness": 1.0, "noise": 3.0}],
    ids=["tidy", "untidy"],
)
def test_a_filmed_game_is_seen_as_it_was_played(how: dict[str, Any], tmp_path: Path) -> None:
    table = VirtualTable(**how)
    for name, art in draw_deck("hoshizora").items():
        cv2.imwrite(str(tmp_path / f"{name}.png"), art)
    watcher, renderer = Watcher(Look((700.0, 420.0), [resolve_deck(tmp_path)])), table.renderer()
    lasting: list[tuple[float, Any]] = []
    wrong: list[str] = []
    seen: set[Any] = set()
    for n, shown in enumerate(table.director().film()):
        truth = lying(shown.scene)
        if shown.scene.hands or not lasting or lasting[-1][1] != truth:
            lasting.append((shown.t_s, None if shown.scene.hands else truth))
        for event in watcher.feed(Frame(renderer.render(shown.scene, n), n, round(shown.t_s * 1e9))):
            if isinstance(event, Observation):
                read = what_was_read(event.scene)
                seen.add(read)
                if not event.scene.hidden_mm and read != truth:
                    wrong.append(f"{shown.t_s:.2f} s: {read} for {truth}")
    ends = [start for start, _ in lasting[1:]] + [shown.t_s]
    stood = [truth for (start, truth), end in zip(lasting, ends, strict=True) if truth and end - start >= 0.8]
    assert not wrong
    assert set(stood) <= seen
    assert len(stood) >= 22


def lying(scene: Any) -> tuple[frozenset[Any], ...]:
    """Whole lines by their stars and colour, and resting cards by name and number, of a virtual scene."""

    def star(point: Any) -> int:
        return min(scene.board.stars, key=lambda s: (s.x_mm - point[0]) ** 2 + (s.y_mm - point[1]) ** 2).n

    lines = {(*sorted((star(s.start), star(s.end))), s.colour) for s in scene.board.strokes if s.drawn >= 1}
    cards = {(None if card.art == "back" else card.art) for card in scene.cards if card.lift_mm <= 0}
    return frozenset(lines), frozenset(cards), frozenset({len([c for c in scene.cards if c.lift_mm <= 0])})


def what_was_read(scene: SceneReading) -> tuple[frozenset[Any], ...]:
    """The same of a reading."""
    assert scene.board is not None
    lines = {(line.a, line.b, line.colour.value) for line in scene.board.lines}
    cards = {card.card if card.face is Face.UP else None for card in scene.cards}
    return frozenset(lines), frozenset(cards), frozenset({len(scene.cards)})

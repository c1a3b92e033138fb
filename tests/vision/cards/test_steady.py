"""A table that is looked at again and again: what changed is read, what did not stands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from drawn_cards import CARD_MM, TABLE_MM, Drawn, Image, Laid, draw_table

import vision.cards.steady as steady_module
from companion.bench.drawn import enrolled
from companion.virtual.table import VirtualTable
from hardware.virtual.scene import CardOnTable, Scene
from vision.cards import CardReader, SteadyReader
from vision.cards.search import Search
from vision.frame import Frame
from vision.look import Look
from vision.observation import CardReading, Polygon, PoseState
from vision.table import TablePose


@pytest.fixture(scope="module")
def reader(scans: dict[str, Image]) -> CardReader:
    return CardReader([enrolled("drawn", scans, CARD_MM)])


@pytest.fixture
def steady(reader: CardReader) -> SteadyReader:
    return SteadyReader(reader)


class Camera:
    """Shows a table, each time with other noise."""

    def __init__(self, steady: SteadyReader, scans: dict[str, Image]) -> None:
        self._steady, self._scans = steady, scans
        self._pictures = 0

    def shot(self, cards: Sequence[tuple[str, float, float, float]], noise: float = 3.0, **table: object) -> Drawn:
        drawn = draw_table([Laid(self._scans[n], x, y, a) for n, x, y, a in cards], noise=0, **table)  # type: ignore[arg-type]
        self._pictures += 1
        grain = np.random.default_rng(self._pictures).normal(0, noise, drawn.image.shape)
        return Drawn(np.clip(drawn.image + grain, 0, 255).astype(np.uint8), drawn.to_px)

    def read(
        self,
        cards: Sequence[tuple[str, float, float, float]],
        noise: float = 3.0,
        hidden: Sequence[Polygon] = (),
        keep: bool = True,
        **table: object,
    ) -> tuple[CardReading, ...]:
        drawn = self.shot(cards, noise, **table)
        pose = TablePose(np.linalg.inv(drawn.to_px), TABLE_MM, PoseState.LIVE)
        readings = self._steady.read(drawn.image, pose, (), hidden)
        if keep:
            self._steady.keep()
        return readings


@pytest.fixture
def camera(steady: SteadyReader, scans: dict[str, Image]) -> Camera:
    return Camera(steady, scans)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many cards were known at each search around a change."""
    known: list[int] = []

    class Counted(Search):
        def __init__(self, scene: object, catalogue: object, thresholds: object, others: Sequence[object] = ()) -> None:
            known.append(len(others))
            super().__init__(scene, catalogue, thresholds, others)  # type: ignore[arg-type]

    monkeypatch.setattr(steady_module, "Search", Counted)
    return known


def named(readings: Sequence[CardReading]) -> list[str]:
    return sorted(reading.card or (reading.face or "?") for reading in readings)


TWO = [("red-6", 130.0, 150.0, 5.0), ("art-1", 260.0, 160.0, 80.0)]


def test_an_unchanged_table_is_not_searched_and_reads_the_very_same(camera: Camera, searches: list[int]) -> None:
    first = camera.read(TWO)
    assert named(first) == ["art-1", "red-6"]
    assert [camera.read(TWO) for _ in range(4)] == [first] * 4
    assert searches == []


def test_nearly_equal_readings_do_not_take_turns_in_noise(camera: Camera, scans: dict[str, Image]) -> None:
    # The six's figures are covered, all of them: what lies there is some red card, and stays that.
    hiding = {"cover": [(95.0, 100.0, 70.0, 62.0)]}
    seen = {tuple(camera.read([("red-6", 130, 150, 0)], noise=18.0, **hiding)) for _ in range(8)}
    assert len(seen) == 1


def test_a_card_exchanged_for_its_twin_at_the_very_place_is_noticed(camera: Camera) -> None:
    camera.read(TWO)
    assert named(camera.read([("red-9", *TWO[0][1:]), TWO[1]])) == ["art-1", "red-9"]
    assert named(camera.read(TWO)) == ["art-1", "red-6"]


def test_only_around_a_new_card_is_searched(camera: Camera, searches: list[int]) -> None:
    before = camera.read(TWO)
    after = camera.read([*TWO, ("blue-9", 380.0, 150.0, 200.0)])
    assert named(after) == ["art-1", "blue-9", "red-6"]
    assert set(before) < set(after)
    assert searches == [2]


def test_a_card_that_was_taken_away_is_gone(camera: Camera) -> None:
    camera.read(TWO)
    assert named(camera.read(TWO[:1])) == ["red-6"]
    assert camera.read([]) == ()


def test_a_card_of_which_a_shadow_changed_a_little_stays() -> None:
    table = VirtualTable(game="shuhari", seed=16)
    art = {name: art for name, art in table.art().items() if name[:2] in ("02", "06", "08", "st")}
    renderer, look = table.renderer(), Look(table.table_mm, [enrolled("shuhari", art, CARD_MM)], want_board=False)
    row = [("02-chado-shodo-buyo", 98.0, 97.0, 0.0), ("06-buyo-chado-ikebana", 191.0, 101.0, 268.0)]
    more = [("08-ikebana-chado-koto", 288.0, 97.0, 1.0), ("stage-ha", 289.0, 148.0, -1.0)]
    seen = []
    for number, cards in enumerate((row, [*row, *more]), start=11):
        scene = Scene(table.table_mm, tuple(CardOnTable(*card) for card in cards))
        seen.append(look.read(Frame(renderer.render(scene, number), number, number, 0, settled=True)).cards)
    assert [named(cards) for cards in seen] == [sorted(name for name, *_ in cards) for cards in (row, [*row, *more])]


def test_a_moved_card_is_read_where_it_lies_now(camera: Camera) -> None:
    camera.read(TWO)
    readings = camera.read([("red-6", 134.0, 153.0, 9.0), TWO[1]])
    moved = next(reading for reading in readings if reading.card == "red-6")
    assert (moved.x_mm, moved.y_mm) == pytest.approx((134.0, 153.0), abs=0.5)
    assert moved.angle_deg == pytest.approx(9.0, abs=1.0)


def test_a_card_stays_known_under_another_that_hides_what_names_it(camera: Camera, reader: CardReader) -> None:
    under, over = ("red-6", 130.0, 150.0, 0.0), ("art-2", 152.0, 141.0, 0.0)
    camera.read([under])
    assert named(camera.read([under, over])) == ["art-2", "red-6"]
    assert named(camera.read([under])) == ["red-6"]


def test_a_card_that_comes_to_light_is_read(camera: Camera) -> None:
    under, over = ("blue-6", 130.0, 150.0, 0.0), ("art-2", 133.0, 148.0, 4.0)
    camera.read([under, over])
    assert named(camera.read([under])) == ["blue-6"]


def test_other_light_does_not_unsettle_a_reading(camera: Camera, searches: list[int]) -> None:
    first = camera.read(TWO)
    assert camera.read(TWO, light=0.8) == first
    assert searches == []


def test_what_is_read_under_a_hand_is_not_kept(camera: Camera, searches: list[int]) -> None:
    first = camera.read(TWO)
    hand = ((95.0, 100.0), (170.0, 100.0), (170.0, 320.0), (95.0, 320.0))
    cover = {"cover": [(95.0, 100.0, 75.0, 220.0)]}
    under = camera.read(TWO, hidden=[hand], keep=False, **cover)
    assert named(under) == ["art-1"]
    searches.clear()
    assert camera.read(TWO) == first
    assert searches == []


def test_forgetting_reads_all_anew(steady: SteadyReader, camera: Camera, monkeypatch: pytest.MonkeyPatch) -> None:
    camera.read(TWO)
    steady.forget()
    read: list[int] = []
    whole = CardReader.settle
    monkeypatch.setattr(CardReader, "settle", lambda *a: read.append(1) or whole(*a))
    assert named(camera.read(TWO)) == ["art-1", "red-6"]
    assert read == [1]


def test_another_view_of_the_table_is_read_anew(camera: Camera) -> None:
    camera.read(TWO)
    assert named(camera.read(TWO, tilt=0.6)) == ["art-1", "red-6"]


def test_what_changes_where_no_card_is_looked_for_is_not_searched(
    steady: SteadyReader, camera: Camera, searches: list[int]
) -> None:
    board = ((210.0, 80.0), (310.0, 80.0), (310.0, 240.0), (210.0, 240.0))
    read = [camera.shot(TWO[:1]), camera.shot(TWO)]
    pose = TablePose(np.linalg.inv(read[0].to_px), TABLE_MM, PoseState.LIVE)
    for drawn in read:
        assert named(steady.read(drawn.image, pose, [board])) == ["red-6"]
        steady.keep()
    assert searches == []


def test_what_was_too_dark_to_read_is_read_once_the_light_is_on(camera: Camera) -> None:
    dark = camera.read(TWO, light=0.05, noise=12.0)
    assert not [reading for reading in dark if reading.card is not None]
    assert named(camera.read(TWO)) == ["art-1", "red-6"]


def test_a_table_cleared_at_once_is_remembered_as_it_lies_then(camera: Camera, monkeypatch: pytest.MonkeyPatch) -> None:
    full = [("red-6", 70 + 90 * n, y, 2) for y in (75.0, 200.0) for n in range(4)]
    left = full[:1]
    camera.read(full)
    camera.read(left)
    monkeypatch.setattr(Search, "run", lambda *_args: pytest.fail("nothing has changed"))
    for _ in range(3):
        assert len(camera.read(left)) == 1

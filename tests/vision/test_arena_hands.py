"""Hands over the Arena, drawn here with plain shapes: cut out in any colour, whose, how fast, who closed in, raised or not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.arena_hands import ArenaHand, ArenaHands, Closing, Seat
from vision.dice.track_colour import Ground
from vision.hand_shape import HandCutter
from vision.table import pose_of_corners

Image = NDArray[np.uint8]
TABLE_MM = (420.0, 250.0)
SIZE = (640, 360)
PX = 1.4
LEFT, TOP = 26.0, 5.0
POSE = pose_of_corners(
    ((LEFT, TOP), (LEFT + 420 * PX, TOP), (LEFT + 420 * PX, TOP + 250 * PX), (LEFT, TOP + 250 * PX)), TABLE_MM
)
GREY = (132, 128, 124)
SKIN, DARK, GLOVE, WHITE = (128, 158, 206), (40, 52, 80), (60, 160, 60), (235, 238, 240)
SLEEVE = (120, 60, 50)
FPS = 120
EAST, WEST = Seat("east", 520.0, 125.0), Seat("west", -100.0, 125.0)


def _px(x: float, y: float) -> tuple[int, int]:
    return round((LEFT + x * PX) * 16), round((TOP + y * PX) * 16)


def _table(bgr: tuple[int, int, int] = GREY) -> Image:
    picture = np.full((SIZE[1], SIZE[0], 3), bgr, np.uint8)
    ring = np.array([_px(210 + 80 * np.cos(a), 125 + 80 * np.sin(a)) for a in np.linspace(0, 2 * np.pi, 90)], np.int32)
    cv2.polylines(picture, [ring], True, (30, 40, 190), 4, cv2.LINE_AA, 4)
    return picture


def _hand(
    picture: Image,
    tip_mm: tuple[float, float],
    from_deg: float,
    skin: tuple[int, int, int] = SKIN,
    sleeve: tuple[int, int, int] = SLEEVE,
    scale: float = 1.0,
) -> None:
    """The middle finger's tip at a place, the arm on the side of `from_deg` (0 = from the right, 90 = from below)."""
    turn = np.radians(from_deg)
    out, side = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])

    def line(a: tuple[float, float], b: tuple[float, float], thick: float, bgr: tuple[int, int, int]) -> None:
        ends = [_px(*(np.array(tip_mm) + scale * (p[0] * out + p[1] * side))) for p in (a, b)]
        cv2.line(picture, ends[0], ends[1], bgr, max(1, round(thick * scale * PX)), cv2.LINE_AA, 4)

    line((205.0, 0.0), (600.0, 0.0), 70.0, sleeve)
    line((120.0, 0.0), (205.0, 0.0), 50.0, skin)
    line((100.0, 0.0), (125.0, 0.0), 74.0, skin)
    for away, start in ((-27.0, 14.0), (-9.0, 8.0), (9.0, 10.0), (27.0, 26.0)):
        line((start, away), (100.0, 0.8 * away), 15.0, skin)
    line((70.0, 55.0), (120.0, 20.0), 17.0, skin)


def _noisy(picture: Image, seed: int) -> Image:
    noise = np.random.default_rng(seed).normal(0, 1.5, picture.shape)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 0.7) + noise, 0, 255).astype(np.uint8)


def _ground(bgr: tuple[int, int, int] = GREY) -> Ground:
    return Ground.of([_noisy(_table(bgr), n) for n in range(3)])


def _hands(seats: tuple[Seat, ...] = (EAST, WEST)) -> ArenaHands:
    return ArenaHands(POSE, _ground(), seats)


def _played(
    hands: ArenaHands, east: list[float | None], west: list[float | None], scale: float = 1.0, first: int = 0
) -> list[ArenaHand]:
    """Feeds pictures in which the tips are at these x; None for no hand."""
    told: list[ArenaHand] = []
    for n, (right, left) in enumerate(zip(east, west, strict=True)):
        picture = _table()
        if left is not None:
            _hand(picture, (left, 130.0), 180.0, DARK)
        if right is not None:
            _hand(picture, (right, 120.0), 0.0, SKIN, scale=scale)
        told = hands.feed(_noisy(picture, n), _at(first + n))
    return told


def _at(n: int) -> int:
    return round(n * 1e9 / FPS)


@pytest.mark.parametrize("skin", [SKIN, DARK, GLOVE, WHITE])
def test_a_hand_of_any_colour_divides_from_its_forearm_at_the_wrist(skin: tuple[int, int, int]) -> None:
    picture = _table()
    _hand(picture, (110.0, 125.0), 0.0, skin)
    (shape,) = HandCutter(POSE, _ground()).cut(_noisy(picture, 9))
    assert shape.palm == pytest.approx((225.0, 125.0), abs=25.0)
    assert shape.outward == pytest.approx((1.0, 0.0), abs=0.1)
    assert min(x for x, _ in shape.hand) == pytest.approx(118.0, abs=8.0)
    # The wrist is between the palm's end at 125 mm and the sleeve at 205 mm from the tip.
    assert 110 + 125 < max(x for x, _ in shape.hand) < 110 + 215
    assert max(x for x, _ in shape.hand) == pytest.approx(min(x for x, _ in shape.forearm), abs=6.0)


def test_fingers_that_just_came_in_show_no_forearm() -> None:
    picture = _table()
    _hand(picture, (375.0, 125.0), 0.0)
    (shape,) = HandCutter(POSE, _ground()).cut(_noisy(picture, 9))
    assert shape.forearm == ()
    assert shape.palm_radius is None


def test_a_soft_shadow_is_no_hand() -> None:
    mask = np.zeros((SIZE[1], SIZE[0]), np.float32)
    cv2.line(mask, (700, 180), (330, 180), 1.0, 90)
    shade = 1 - 0.45 * cv2.GaussianBlur(mask, (0, 0), 12)
    picture = (_table() * shade[..., None]).astype(np.uint8)
    assert HandCutter(POSE, _ground()).cut(_noisy(picture, 9)) == []


def test_a_dark_hand_of_the_tables_own_hue_is_no_shadow() -> None:
    """Brown skin on light wood: every channel is darker by one share, but at a sharp edge."""
    wood = (96, 140, 184)
    picture = _table(wood)
    _hand(picture, (110.0, 125.0), 0.0, (55, 80, 106), (55, 80, 106))
    (shape,) = HandCutter(POSE, _ground(wood)).cut(_noisy(picture, 9))
    assert shape.palm == pytest.approx((225.0, 125.0), abs=35.0)


def test_a_die_is_no_hand() -> None:
    picture = _table()
    cv2.fillConvexPoly(picture, np.array([_px(200, 120), _px(218, 122), _px(210, 138)], np.int32), (30, 30, 200), 16, 4)
    assert HandCutter(POSE, _ground()).cut(_noisy(picture, 9)) == []


def test_hands_that_overlap_show_both_their_arms() -> None:
    picture = _table()
    _hand(picture, (230.0, 130.0), 180.0, DARK)
    _hand(picture, (190.0, 120.0), 0.0, SKIN)
    (shape,) = HandCutter(POSE, _ground()).cut(_noisy(picture, 9))
    assert shape.arms == 2


def test_a_hand_whose_sleeve_is_of_the_tables_colour_is_found_near_where_it_was() -> None:
    picture = _table()
    _hand(picture, (110.0, 125.0), 0.0, SKIN, GREY)
    cutter = HandCutter(POSE, _ground())
    assert cutter.cut(_noisy(picture, 9)) == []
    (shape,) = cutter.cut(_noisy(picture, 9), [((420.0, 125.0), (120.0, 125.0))])
    assert shape.arms == 0
    assert shape.palm == pytest.approx((225.0, 125.0), abs=25.0)


def test_a_hand_belongs_to_the_seat_that_its_arm_comes_from() -> None:
    told = _played(_hands(), [260.0] * 3, [120.0] * 3)
    assert {hand.seat for hand in told} == {"east", "west"}
    assert all((hand.seat == "east") == (hand.palm_mm[0] > 210) for hand in told)


def test_a_hand_from_between_two_seats_is_nobodys() -> None:
    hands = _hands((EAST, Seat("south", 210.0, 360.0)))
    picture = _table()
    _hand(picture, (300.0, 160.0), 45.0)
    (hand,) = hands.feed(_noisy(picture, 1), 0)
    assert hand.seat is None


def test_speed_is_told_toward_the_other_hand_with_its_error() -> None:
    told = _played(_hands(), [330.0 - n * 6.0 for n in range(12)], [100.0] * 12)
    east, west = (next(hand for hand in told if hand.seat == name) for name in ("east", "west"))
    assert east.speed is not None
    assert east.speed_err is not None
    # 720 mm a second on the table's plane; a hand is nearer the camera, and so a little slower.
    assert east.speed == pytest.approx(700.0, abs=70.0)
    assert abs(east.speed - 720.0) < 3 * east.speed_err
    assert west.speed == pytest.approx(0.0, abs=40.0)


def test_without_another_hand_there_is_no_speed_toward_it() -> None:
    (hand,) = _played(_hands(), [330.0 - n * 6.0 for n in range(8)], [None] * 8)
    assert hand.speed is None


@pytest.mark.parametrize(
    ("east", "west", "wanted"),
    [
        (5.0, 0.0, Closing.ONE),
        (0.0, 5.0, Closing.OTHER),
        (5.0, 5.0, Closing.BOTH),
        (0.0, 0.0, Closing.NEITHER),
        (5.0, -2.0, Closing.ONE),
        (5.0, 0.9, Closing.UNSURE),
    ],
)
def test_who_closed_in_within_the_last_150_ms(east: float, west: float, wanted: Closing) -> None:
    """Millimetres a picture toward the other; 18 pictures are 150 ms."""
    hands = _hands()
    count = 18
    _played(hands, [300.0 - east * n for n in range(count)], [60.0 + west * n for n in range(count)])
    assert hands.closing("east", "west", _at(count)) is wanted


def test_what_was_before_the_window_closes_nothing() -> None:
    hands = _hands()
    way = [320.0 - 8 * n for n in range(12)] + [224.0] * 30
    _played(hands, list(way), [80.0] * len(way))
    assert hands.closing("east", "west", _at(len(way))) is Closing.NEITHER


def test_who_closed_in_stays_answerable_while_hands_overlap_but_not_for_long() -> None:
    hands = _hands()
    way = [300.0 - 10 * n for n in range(14)] + [170.0] * 30
    _played(hands, list(way), [150.0] * len(way))
    met = next(n for n, x in enumerate(way) if x <= 160.0 or n == 14)
    assert hands.closing("east", "west", _at(met)) is Closing.ONE
    assert hands.closing("east", "west", _at(len(way) + 20)) is Closing.UNSURE


def test_a_hand_out_of_sight_leaves_it_unsure_who_closed_in() -> None:
    hands = _hands()
    _played(hands, [300.0 - 6 * n for n in range(18)], [None] * 18)
    assert hands.closing("east", "west", _at(18)) is Closing.UNSURE


def test_raised_is_unknown_until_the_hand_was_seen_busy_on_the_table() -> None:
    hands = _hands()
    told = _played(hands, [150.0] * 12, [None] * 12)
    assert [hand.raised for hand in told] == [None]
    hands.at_table("east")
    told = _played(hands, [150.0] * 12, [None] * 12, first=12)
    assert [hand.raised for hand in told] == [False]
    told = _played(hands, [150.0] * 12, [None] * 12, scale=1.2, first=24)
    assert [hand.raised for hand in told] == [True]


def test_a_hand_keeps_its_number_while_it_moves() -> None:
    hands = _hands()
    numbers = {hand.number for n in range(10) for hand in _played(hands, [330.0 - 12 * n], [None], first=n)}
    assert len(numbers) == 1


def test_hands_need_seats_to_belong_to() -> None:
    with pytest.raises(ValueError, match="seat"):
        ArenaHands(POSE, _ground(), ())

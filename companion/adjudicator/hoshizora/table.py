"""What a settled picture shows of a Hoshizora table, in the game's own terms: a spot a seat, and the star board."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.zones import Layout
from companion.adjudicator.places import OnSpot, Shows, on_spot
from companion.rules.hoshizora.facts import Colour, Line, Star
from vision.observation import BoardReading, CardReading, DoubtReason, SceneReading

STARS = 12
UNSEEN_STARS = 2
"""So many stars may be out of sight where nothing lies over the table."""
SAME_PLACE_MM = 8.0
"""An unread star so near to a recorded place is that star: less than half a magnet."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A seat's play spot."""

    seat: str
    on: OnSpot

    @property
    def shows(self) -> Shows:
        """What lies there."""
        return self.on.shows

    @property
    def index(self) -> int | None:
        """Of its card in the scene."""
        return self.on.index

    @property
    def reading(self) -> CardReading | None:
        """Its card, where one alone lies there."""
        return self.on.reading

    @property
    def card(self) -> str | None:
        """The card that lies open, if it was read."""
        return self.on.card


@dataclass(frozen=True, slots=True)
class Pair:
    """Two stars, a < b."""

    a: int
    b: int

    def __str__(self) -> str:
        return f"{self.a}-{self.b}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a star lies on the board."""

    x_mm: float
    y_mm: float
    square: int | None
    """None where it lies on a line between squares."""

    def star(self, n: int) -> Star:
        """The star of that number at this place."""
        return Star(n, self.x_mm, self.y_mm, self.square)


@dataclass(frozen=True, slots=True)
class StarBoard:
    """The star board as read, in its own frame: mm from its top left corner."""

    stars: tuple[Star, ...]
    """Those whose number is known, by number."""
    unread: tuple[Place, ...]
    """Where stars lie whose number is not known."""
    lines: Mapping[Line, float]
    """With the confidence of each."""
    doubts: Mapping[Pair, tuple[DoubtReason, Colour | None, float]]
    """Pairs of which it can't be said whether a line joins them."""

    @property
    def whole(self) -> bool:
        """Whether all twelve stars are in sight, each with its own number."""
        return len(self.stars) == STARS == len({star.n for star in self.stars}) and not self.unread


@dataclass(frozen=True, slots=True)
class HoshizoraTable:
    """Everything that matters of a scene."""

    spots: tuple[Spot, ...]
    """By seat, clockwise from the first."""
    board: StarBoard | None
    covered: bool = False
    """Something lies over the table that will go away again; what is hidden without it stays hidden."""


def table_of(scene: SceneReading, seats: Sequence[str], layout: Layout, known: Sequence[Star] = ()) -> HoshizoraTable:
    """Reads a scene; `known` are the stars as they are recorded. Raises BadProfileError where a seat has no play zone."""
    spots = tuple(Spot(seat, on_spot(scene, layout.seat_zone("play", place))) for place, seat in enumerate(seats))
    covered = bool(scene.hidden_mm)
    board = None if scene.board is None else star_board(scene.board)
    if board is not None and not covered:
        board = with_known(board, known)
    return HoshizoraTable(spots, board, covered)


def star_board(board: BoardReading) -> StarBoard:
    """The board in its own frame. Its outline on the table is a square, so a least-squares affine map is exact enough."""
    to_board = _board_frame(board)
    stars: list[Star] = []
    unread: list[Place] = []
    for star in board.stars:
        x, y = to_board(star.x_mm, star.y_mm)
        place = Place(round(x, 1), round(y, 1), star.square)
        if star.n is None:
            unread.append(place)
        else:
            stars.append(place.star(star.n))
    missing = set(range(1, STARS + 1)) - {star.n for star in stars}
    if len(unread) == len(missing) == 1 and len(stars) == STARS - 1:
        # The last number by elimination: the magnets are one set of 1 to 12.
        stars.append(unread.pop().star(missing.pop()))
    return StarBoard(
        stars=tuple(sorted(stars, key=lambda star: star.n)),
        unread=tuple(unread),
        lines={Line(line.a, line.b, Colour(line.colour)): line.confidence for line in board.lines},
        doubts={
            Pair(doubt.a, doubt.b): (doubt.reason, Colour(doubt.colour) if doubt.colour else None, doubt.confidence)
            for doubt in board.doubts
        },
    )


def with_known(board: StarBoard, known: Sequence[Star]) -> StarBoard:
    """The board with its few unread or unseen stars where they are recorded: in the middle of a game stars don't leave, but lie
    in a lamp's reflection. What joins them can't be told then: each of their pairs is doubted.
    """
    seen = {star.n for star in board.stars}
    missing = [star for star in known if star.n not in seen]
    if not missing or len(missing) > UNSEEN_STARS:
        return board
    strange = [
        place
        for place in board.unread
        if not any(math.hypot(place.x_mm - star.x_mm, place.y_mm - star.y_mm) <= SAME_PLACE_MM for star in missing)
    ]
    if strange:
        return board
    stars = tuple(sorted((*board.stars, *missing), key=lambda star: star.n))
    pairs = {Pair(min(a.n, b.n), max(a.n, b.n)) for a in missing for b in stars if a.n != b.n}
    fresh = {pair: (DoubtReason.HIDDEN, None, 0.0) for pair in pairs if pair not in board.doubts}
    return StarBoard(stars, (), board.lines, {**board.doubts, **fresh})


def _side(board: BoardReading) -> float:
    corners = np.asarray(board.outline_mm, np.float64)
    return float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).mean())


def _board_frame(board: BoardReading) -> Callable[[float, float], tuple[float, float]]:
    """The map from the table to the board's own frame, mm."""
    side = _side(board)
    corners = np.column_stack([np.asarray(board.outline_mm, np.float64), np.ones(4)])
    square = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float64)
    matrix = np.linalg.lstsq(corners, square, rcond=None)[0]

    def to_board(x_mm: float, y_mm: float) -> tuple[float, float]:
        x, y = np.array([x_mm, y_mm, 1.0]) @ matrix
        return float(x), float(y)

    return to_board

"""Reads the star board from one picture: outline, magnets, numbers, lines, crossings."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.crossings import count_crossings
from vision.board.height import seen_from_above
from vision.board.lines import Doubt, Line, read_lines
from vision.board.numbers import NumberReader, NumberReading, assign_numbers
from vision.board.outline import find_square
from vision.board.plane import BoardPlane, measure_plane, view, with_dividers
from vision.board.stars import Star, find_stars
from vision.board.strokes import stroke_view
from vision.frame import Image
from vision.observation import BoardReading, DoubtReason, LineReading, PairDoubt, Polygon, StarReading
from vision.table import TablePose

LEAST_PX_PER_MM = 2.0
MOST_PX_PER_MM = 4.0
LEAST_STARS = 7
"""So many whole magnets with readable numbers make a board of a square whose outline is unclear."""
STAYED_MM = 6.0
"""A magnet so near to where one lay, on the board, lies where it lay: less than half a magnet."""
STAYED = 0.98
"""How likely it then is the same one."""
FINER = 1.25
"""The board's view is this much finer than the picture, so that resampling costs no detail."""


class BoardReader:
    """Reads star boards. Holds the network that reads numbers and nothing of earlier pictures."""

    def __init__(self) -> None:
        self._numbers = NumberReader()

    def read(
        self,
        image: Image,
        pose: TablePose,
        area_mm: tuple[float, float, float, float] | None = None,
        hidden_mm: Sequence[Polygon] = (),
        known: BoardReading | None = None,
    ) -> BoardReading | None:
        """The board in a picture, or None where no board lies on the table.

        `area_mm` (x, y, width, height) is the zone in which the layout expects the board, the whole table by default;
        `hidden_mm` are areas of the table over which a hand or another thing lies; `known` is an earlier reading of this board:
        a star that lies where one lay is most likely the same, unless the picture says otherwise.
        """
        square = find_square(image, pose, area_mm)
        if square is None:
            return None
        plane = measure_plane(image, pose, square)
        px_per_mm = _px_per_mm(pose, plane)
        picture = view(image, pose, plane, px_per_mm)
        plane = with_dividers(plane, picture)
        tops = find_stars(picture, px_per_mm)
        if not square.certain and not self._told_by_stars(picture, px_per_mm, tops):
            return None
        strokes = stroke_view(picture, px_per_mm, tops, plane.dividers, _covered(picture, px_per_mm, plane, hidden_mm))
        tops = tuple(star for star in tops if not _under(strokes.hidden, star, px_per_mm))
        chances = self._numbers.chances(picture, px_per_mm, tops)
        kept = [i for i, star in enumerate(tops) if not _unlikely(star, chances[i])]
        tops = tuple(tops[i] for i in kept)
        numbers = assign_numbers(_as_known(chances[kept], tops, known, plane))
        stars = seen_from_above(tops, plane, pose, image)
        lines, doubts = read_lines(strokes, stars)
        return _reading(plane, strokes.dark, stars, numbers, lines, doubts)

    def _told_by_stars(self, picture: Image, px_per_mm: float, stars: Sequence[Star]) -> bool:
        """Whether a square that may be a board carries enough numbered magnets of one size to be one."""
        whole = [star for star in stars if star.rim >= 0.8]
        if len(whole) < LEAST_STARS:
            return False
        chances = self._numbers.chances(picture, px_per_mm, whole)
        return int((chances[:, :12].max(axis=1) > 0.8).sum()) >= LEAST_STARS


def _px_per_mm(pose: TablePose, plane: BoardPlane) -> float:
    corners = pose.to_px(list(plane.outline_mm))
    native = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()) / plane.side_mm
    return float(np.clip(FINER * native, LEAST_PX_PER_MM, MOST_PX_PER_MM))


def _covered(
    picture: Image, px_per_mm: float, plane: BoardPlane, hidden_mm: Sequence[Polygon]
) -> NDArray[np.bool_] | None:
    if not hidden_mm:
        return None
    mask = np.zeros(picture.shape[:2], np.uint8)
    for polygon in hidden_mm:
        points = plane.from_table(np.asarray(polygon, np.float64)) * px_per_mm - 0.5
        cv2.fillPoly(mask, [np.rint(points).astype(np.int32)], 1)
    return mask > 0


def _under(hidden: NDArray[np.bool_], star: Star, px_per_mm: float) -> bool:
    """Whether most of a round thing lies where a hand does: then it is a fingertip or can't be trusted."""
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    far = star.radius * np.array([0.0, 1.15])[:, None]
    u = np.rint((star.x + far * np.cos(turns)) * px_per_mm - 0.5).astype(np.int64)
    v = np.rint((star.y + far * np.sin(turns)) * px_per_mm - 0.5).astype(np.int64)
    limit = hidden.shape[0] - 1
    return bool(hidden[np.clip(v, 0, limit), np.clip(u, 0, limit)].mean() > 0.5)


def _unlikely(star: Star, chance: NDArray[np.float64]) -> bool:
    """Whether a round thing is a fingertip or a patch of light: no number on it, part of its rim, another colour."""
    if float(chance[12]) > 0.5:
        return star.odd or star.rim < 0.85
    return star.odd and star.rim < 0.6 and float(chance[:12].max()) < 0.9


def _as_known(
    chances: NDArray[np.float64], stars: Sequence[Star], known: BoardReading | None, plane: BoardPlane
) -> NDArray[np.float64]:
    """The chances of each number, weighed by which star lay at each place before."""
    named = [] if known is None else [star for star in known.stars if star.n is not None]
    if known is None or not named or not stars:
        return chances
    s = plane.side_mm
    to_board = cv2.getPerspectiveTransform(
        np.asarray(known.outline_mm, np.float32), np.array([[0, 0], [s, 0], [s, s], [0, s]], np.float32)
    )
    lay = np.array([[[star.x_mm, star.y_mm]] for star in named], np.float64)
    places = cv2.perspectiveTransform(lay, to_board).reshape(-1, 2)
    weighed = chances.copy()
    for index, star in enumerate(stars):
        far = np.hypot(places[:, 0] - star.x, places[:, 1] - star.y)
        nearest = int(far.argmin())
        if far[nearest] <= STAYED_MM:
            prior = np.full(chances.shape[1], (1 - STAYED) / (chances.shape[1] - 1))
            prior[(named[nearest].n or 0) - 1] = STAYED
            weighed[index] *= prior
            weighed[index] /= max(1e-12, float(weighed[index].sum()))
    return weighed


def _reading(
    plane: BoardPlane,
    dark: bool,
    stars: Sequence[Star],
    numbers: Sequence[NumberReading],
    lines: Sequence[Line],
    doubts: Sequence[Doubt],
) -> BoardReading:
    places = (
        plane.to_table(np.array([(star.x, star.y) for star in stars]).reshape(-1, 2)) if stars else np.zeros((0, 2))
    )
    read = [
        StarReading(number.n, round(float(x), 2), round(float(y), 2), plane.square_at((star.x, star.y)),
                    round(number.confidence, 4), number.candidates)
        for star, number, (x, y) in zip(stars, numbers, places, strict=True)
    ]  # fmt: skip
    names = [star.n for star in read]
    named = [_named(line, names) for line in lines]
    found = sorted((line for line in named if line is not None), key=lambda line: (line.a, line.b))
    unsure = [doubt for one in doubts if (doubt := _doubted(one, names))] + _ends_unread(lines, read)
    centres = {star.n: (star.x_mm, star.y_mm) for star in read if star.n is not None}
    crossings = count_crossings(found, centres)
    return BoardReading(
        plane.outline_mm, dark,
        tuple(sorted(read, key=lambda star: (star.n is None, star.n or 0, star.y_mm, star.x_mm))),
        tuple(found), tuple(sorted(unsure, key=lambda doubt: (doubt.a, doubt.b))), crossings, len(found) + crossings,
    )  # fmt: skip


def _named(line: Line, names: Sequence[int | None]) -> LineReading | None:
    a, b = names[line.a], names[line.b]
    return None if a is None or b is None else LineReading(min(a, b), max(a, b), line.colour, line.confidence)


def _doubted(doubt: Doubt, names: Sequence[int | None]) -> PairDoubt | None:
    a, b = names[doubt.a], names[doubt.b]
    if a is None or b is None:
        return None
    return PairDoubt(min(a, b), max(a, b), doubt.reason, doubt.colour, doubt.confidence)


def _ends_unread(lines: Sequence[Line], stars: Sequence[StarReading]) -> list[PairDoubt]:
    """A line that ends at a star whose number can't be read is a doubt for each number that star may have."""
    found: dict[tuple[int, int], PairDoubt] = {}
    for line in lines:
        ends = [_possible(stars[line.a]), _possible(stars[line.b])]
        if len(ends[0]) == len(ends[1]) == 1:
            continue
        for a in ends[0]:
            for b in ends[1]:
                if a != b:
                    key = (min(a, b), max(a, b))
                    found[key] = PairDoubt(
                        *key, DoubtReason.FAINT, line.colour, line.confidence / len(ends[0]) / len(ends[1])
                    )
    return list(found.values())


def _possible(star: StarReading) -> list[int]:
    return [star.n] if star.n is not None else [n for n, _ in star.candidates]

"""Where things come to lie on Hoshizora's virtual table: cards on play spots, the board with its stars and lines."""

from __future__ import annotations

import math

from calibration.zones import Layout
from companion.rules.hoshizora.facts import Line, Star
from companion.virtual.stage import Stage, StageSettings, side_of
from hardware.virtual.scene import BoardOnTable, CardOnTable, Point, Scene, Smudge, StarOnBoard, Stroke


class StarStage(Stage):
    """Places of one game of Hoshizora."""

    def __init__(
        self,
        layout: Layout,
        seats: tuple[str, ...],
        stars: tuple[Star, ...],
        settings: StageSettings,
        *,
        dark_board: bool = False,
        board_angle_deg: float = 0.0,
    ) -> None:
        """Raises BadProfileError where the layout lacks the board or a play spot."""
        self._board_zone = layout.zone("board")
        self._spots = {seat: layout.seat_zone("play", n) for n, seat in enumerate(seats)}
        super().__init__({seat: side_of(zone, settings.table_mm) for seat, zone in self._spots.items()}, settings)
        self._turn = math.radians(board_angle_deg)
        self.stars = {star.n: self.on_table(star.x_mm, star.y_mm) for star in stars}
        self.board = BoardOnTable(
            self._board_zone.x_mm,
            self._board_zone.y_mm,
            min(self._board_zone.width_mm, self._board_zone.height_mm),
            board_angle_deg,
            dark_board,
            tuple(
                StarOnBoard(star.n, *self.stars[star.n], self.chance("star", star.n).uniform(-12, 12)) for star in stars
            ),
        )

    def empty(self) -> Scene:
        """The table with the board and its stars."""
        return Scene(self.settings.table_mm, board=self.board)

    def on_table(self, x_mm: float, y_mm: float) -> Point:
        """A point of the board, mm from its top left corner, on the table."""
        scale = min(self._board_zone.width_mm, self._board_zone.height_mm) / 300
        u, v = x_mm * scale, y_mm * scale
        cos, sin = math.cos(self._turn), math.sin(self._turn)
        # Whole hundredths keep crossings what they are on the board.
        return (
            round(self._board_zone.x_mm + u * cos - v * sin, 2),
            round(self._board_zone.y_mm + u * sin + v * cos, 2),
        )

    def card(self, seat: str, trick: int, art: str) -> CardOnTable:
        """A seat's card of a trick (8: its bid) on its play spot, a little askew."""
        return self.lay_in(self._spots[seat], art, "card", seat, trick)

    def stroke(self, line: Line, trick: int) -> Stroke:
        """A line's stroke, drawn whole, from star to star."""
        chance = self.chance("line", line.a, line.b, trick)
        miss = 1.4 * self.settings.clumsiness
        ends = [
            (round(x + chance.uniform(-miss, miss), 2), round(y + chance.uniform(-miss, miss), 2))
            for x, y in (self.stars[line.a], self.stars[line.b])
        ]
        if chance.random() < 0.5:
            ends.reverse()
        return Stroke(line.colour.value, ends[0], ends[1], round(chance.uniform(2.0, 3.2), 2))

    def smudges(self, stroke: Stroke) -> tuple[Smudge, ...]:
        """What wiping a stroke out leaves."""
        chance = self.chance("smudge", stroke.start, stroke.end)
        (x0, y0), (x1, y1) = stroke.start, stroke.end
        number = max(2, round(math.hypot(x1 - x0, y1 - y0) / 45))
        found = []
        for n in range(number):
            share = (n + 0.5) / number + chance.uniform(-0.08, 0.08)
            found.append(
                Smudge(
                    stroke.colour,
                    round(x0 + (x1 - x0) * share + chance.uniform(-5, 5), 1),
                    round(y0 + (y1 - y0) * share + chance.uniform(-5, 5), 1),
                    round(chance.uniform(12, 22), 1),
                    round(chance.uniform(0.05, 0.05 + 0.08 * (0.5 + self.settings.clumsiness)), 3),
                )
            )
        return tuple(found)

"""What hands do to Hoshizora's board: draw lines and wipe them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from companion.virtual.reel import Reel, Timing
from companion.virtual.star_stage import StarStage
from hardware.virtual.scene import HandOverTable, Point, Scene, Smudge, Stroke


class StarReel(Reel):
    """A table with a star board while it is being filmed."""

    def __init__(self, stage: StarStage, timing: Timing) -> None:
        super().__init__(stage, timing)
        self._stars = stage

    def draw(self, seat: str, strokes: Sequence[Stroke]) -> Iterator[Scene]:
        """A seat's hand draws strokes; each grows under the pen."""
        board = self._table.board
        if board is None:
            return
        lean = self._lean("draw", seat, strokes[0].start[0])
        hand = self._stage.hand(seat, strokes[0].start, lean)
        yield from self._come([hand])
        for stroke in strokes:
            at = self._stage.hand(seat, stroke.start, lean)
            yield from self._slide(hand, at)
            board = self._table.board or board
            standing = board.strokes

            def growing(share: float, stroke: Stroke = stroke, standing: tuple[Stroke, ...] = standing) -> Scene:
                tip = _along(stroke.start, stroke.end, share)
                return self._with_strokes((*standing, replace(stroke, drawn=share)), self._stage.hand(seat, tip, lean))

            yield from self._run(self._pen_time(stroke), growing)
            self._set_strokes((*standing, stroke))
            hand = self._stage.hand(seat, stroke.end, lean)
        yield from self._leave([hand])

    def wipe(self, seat: str, strokes: Sequence[Stroke]) -> Iterator[Scene]:
        """A seat's hand wipes strokes out from their ends; smudges remain."""
        lean = self._lean("wipe", seat, strokes[0].end[0])
        hand = self._stage.hand(seat, strokes[0].end, lean)
        yield from self._come([hand])
        for stroke in strokes:
            yield from self._slide(hand, self._stage.hand(seat, stroke.end, lean))
            board = self._table.board
            standing = tuple(other for other in board.strokes if other != stroke) if board is not None else ()

            def shrinking(share: float, stroke: Stroke = stroke, standing: tuple[Stroke, ...] = standing) -> Scene:
                reach = self._stage.hand(seat, _along(stroke.end, stroke.start, share), lean)
                return self._with_strokes((*standing, replace(stroke, drawn=1 - share)), reach)

            yield from self._run(self._pen_time(stroke), shrinking)
            self._set_strokes(standing, self._stars.smudges(stroke))
            hand = self._stage.hand(seat, stroke.start, lean)
        yield from self._leave([hand])

    def _with_strokes(self, strokes: tuple[Stroke, ...], hand: HandOverTable) -> Scene:
        board = self._table.board
        return replace(self._table, board=board and replace(board, strokes=strokes), hands=(hand,))

    def _set_strokes(self, strokes: tuple[Stroke, ...], smudges: tuple[Smudge, ...] = ()) -> None:
        board = self._table.board
        if board is not None:
            board = replace(board, strokes=strokes, smudges=(*board.smudges, *smudges))
            self._table = replace(self._table, board=board)

    def _pen_time(self, stroke: Stroke) -> float:
        length = math.hypot(stroke.end[0] - stroke.start[0], stroke.end[1] - stroke.start[1])
        return max(0.25, length / self._timing.draw_mm_s)


def _along(start: Point, end: Point, share: float) -> Point:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share

"""A virtual game played before eyes that see all: its scenes as a perfect reader tells them, its players' taps, and the desk.

Vision is left out, so that hundreds of whole games cost seconds; the truth is the script's own.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from calibration.zones import Layout
from companion.adjudicator.desk import GameDesk, SettledLook
from companion.adjudicator.people import People
from companion.adjudicator.record import Record
from companion.bench.honest import HonestAnswers
from companion.games.start import Start, start_json
from companion.journal import EventKind, Journal, NewEvent
from companion.rules.core import Finding
from companion.virtual.film import Still, told_in_stills
from hardware.virtual.scene import BoardOnTable, CardOnTable, Scene
from vision.observation import (
    BoardReading,
    CardReading,
    Colour,
    Face,
    LineReading,
    Observation,
    Polygon,
    PoseState,
    SceneReading,
    StarReading,
)

HAND_OVER_A = (((50.0, 100.0), (170.0, 100.0), (170.0, 220.0), (50.0, 220.0)),)
"""What a hand over the first player's spot hides at Hoshizora, mm."""
CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
NUMBERS = itertools.count(1)


def perfect_reading(scene: Scene) -> SceneReading:
    """What a perfect reader says of a scene."""
    board = None if scene.board is None else _board(scene.board)
    return SceneReading(PoseState.LIVE, scene.table_mm, tuple(_card(card) for card in scene.cards), board)


def _board(board: BoardOnTable) -> BoardReading:
    x, y, side = board.x_mm, board.y_mm, board.side_mm
    stars = tuple(
        StarReading(
            star.n, star.x_mm, star.y_mm, int((star.y_mm - y) / side * 3) * 3 + int((star.x_mm - x) / side * 3), 0.99
        )
        for star in sorted(board.stars, key=lambda star: star.n)
    )

    def nearest(end: tuple[float, float]) -> int:
        return min(board.stars, key=lambda star: math.dist(end, (star.x_mm, star.y_mm))).n

    ends = [(sorted((nearest(stroke.start), nearest(stroke.end))), stroke.colour) for stroke in board.strokes]
    lines = tuple(LineReading(a, b, Colour(colour), 0.99) for (a, b), colour in sorted(ends))
    outline = ((x, y), (x + side, y), (x + side, y + side), (x, y + side))
    return BoardReading(outline, board.dark, stars, lines, (), 0, 0)


def _card(card: CardOnTable) -> CardReading:
    if card.art == "back":
        return CardReading(None, Face.DOWN, card.x_mm, card.y_mm, card.angle_deg % 180, CORNERS, 0.99)
    return CardReading(card.art, Face.UP, card.x_mm, card.y_mm, card.angle_deg % 360, CORNERS, 0.99)


class Seating:
    """A desk over a table of which scenes are told one after the other."""

    def __init__(self, journal: Journal, start: Start, layout: Layout, happened: Sequence[Any] = ()) -> None:
        """`happened` are a script's facts, by which its people answer what is asked."""
        self.events: list[dict[str, Any]] = []
        self.journal = journal
        self.layout = layout
        self.game_id = f"game-{next(NUMBERS)}"
        started = NewEvent(EventKind.GAME_STARTED, self.game_id, start_json(start))
        record = Record(journal.append([started]).wait(10)[0])
        self.desk = GameDesk(journal, record, layout, announce=self.events.append)
        self._honest = HonestAnswers(self.desk, [start.book.facts.to_json(fact) for fact in happened])
        self._looks = itertools.count()

    def look(self, scene: SceneReading, t_ns: int | None = None) -> None:
        """Shows the desk a settled picture; without a time, a second after the one before."""
        index = next(self._looks)
        t_ns = index * 10**9 if t_ns is None else t_ns
        self.desk.observe(SettledLook(Observation("eyes", t_ns, 0, index, f"{index}", scene)))

    def play(self, stills: Sequence[Still], hidden: Mapping[int, Polygon] | None = None) -> None:
        """Shows a whole game, and taps what its players tap; `hidden` is what something lies over, by the still's index."""
        pictures = []
        for index, still in enumerate(stills):
            scene = perfect_reading(still.scene)
            hides = hidden and index in hidden
            pictures.append((index * 10**9, replace(scene, hidden_mm=(hidden[index],)) if hides else scene))
        self.play_pictures(stills, pictures)

    def play_pictures(self, stills: Sequence[Still], pictures: Sequence[tuple[int, SceneReading]]) -> None:
        """Shows a whole game's pictures, each at its time (ns), and taps what its players tap; answers what is asked."""
        people = People(self.desk, told_in_stills(stills), before=self._honest.catch_up)
        for t_ns, scene in pictures:
            people.tap_until(t_ns)
            self.look(scene, t_ns)
            self._honest.answer(people)
            people.tap_until(t_ns)
            self._honest.answer(people)
        people.tap_until(sys.maxsize)

    @property
    def record(self) -> Record:
        """The game folded anew from the journal: what a restart would know."""
        return Record.of(list(self.journal.events(self.game_id)))

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """The contract's events of a kind."""
        return [event for event in self.events if event["event"] == kind]


def counted(findings: Sequence[Finding]) -> Counter[tuple[Any, ...]]:
    """Findings without their order and evidence."""
    return Counter((x.level, x.rule, x.player, x.trick, x.proved_at, x.text) for x in findings)


def facts(play: Any) -> list[str]:
    """What is on record and not taken back, in the page's words."""
    return [row["text"] for row in play.desk.view()["history"] if not row["undone"]]

"""A Hoshizora table whose settled scenes are written by hand: truth for the adjudicator, without any vision."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from calibration.zones import Layout, Zone
from companion.adjudicator.desk import GameDesk, SettledLook
from companion.adjudicator.record import Record
from companion.adjudicator.told import Said
from companion.games.start import builtin_start, start_json
from companion.journal import EventKind, Journal, NewEvent
from vision.observation import (
    BoardReading,
    CardReading,
    Colour,
    DoubtReason,
    Face,
    LineReading,
    Observation,
    PairDoubt,
    PoseState,
    SceneReading,
    StarReading,
)

SEATS = ("A", "B", "C")
LAYOUT = Layout(
    {
        "board": Zone(200, 60, 300, 300),
        "play.A": Zone(60, 65, 100, 130),
        "play.B": Zone(540, 65, 100, 130),
        "play.C": Zone(540, 235, 100, 130),
    }
)
SPOTS = {"A": (110.0, 130.0), "B": (590.0, 130.0), "C": (590.0, 300.0)}
STARS = {
    1: (69.1, 274.6, 6), 2: (129.5, 181.4, 4), 3: (179.3, 271.9, 7), 4: (228.9, 177.0, 5), 5: (48.5, 239.1, 6),
    6: (272.6, 78.9, 2), 7: (75.4, 57.2, 0), 8: (37.6, 147.7, 3), 9: (253.6, 40.6, 2), 10: (159.4, 83.3, 1),
    11: (267.2, 255.3, 8), 12: (36.6, 17.4, 0),
}  # fmt: skip
"""Number to x, y in mm on the board and square."""
CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


@dataclass
class FakeTable:
    """What lies on the table; `scene()` is what a perfect reader would say of it."""

    cards: dict[str, CardReading] = field(default_factory=dict)
    lines: dict[tuple[int, int], LineReading] = field(default_factory=dict)
    doubts: dict[tuple[int, int], PairDoubt] = field(default_factory=dict)
    stars: dict[int, tuple[float, float, int]] = field(default_factory=lambda: dict(STARS))
    unread: set[int] = field(default_factory=set)
    hidden: tuple[tuple[tuple[float, float], ...], ...] = ()
    board_origin: tuple[float, float] = (200.0, 60.0)
    board_in_sight: bool = True

    def lay(self, seats: str = "ABC") -> None:
        for seat in seats:
            self.cards[seat] = card_reading(seat, None, Face.DOWN, 0.99)

    def reveal(self, **cards: str) -> None:
        for seat, card in cards.items():
            self.cards[seat] = card_reading(seat, card, Face.UP, 0.98)

    def unsure(self, seat: str, *candidates: str) -> None:
        shown = tuple((card, 0.4) for card in candidates)
        self.cards[seat] = replace(card_reading(seat, None, Face.UP, 0.4), candidates=shown)

    def draw(self, a: int, b: int, colour: str, confidence: float = 0.97) -> None:
        self.lines[min(a, b), max(a, b)] = LineReading(min(a, b), max(a, b), Colour(colour), confidence)

    def doubt(self, a: int, b: int, reason: DoubtReason, colour: str | None = None) -> None:
        self.doubts[a, b] = PairDoubt(a, b, reason, Colour(colour) if colour else None, 0.5)

    def clear(self) -> None:
        self.cards.clear()

    def scene(self) -> SceneReading:
        x0, y0 = self.board_origin
        stars = tuple(
            StarReading(None if n in self.unread else n, x0 + x, y0 + y, square, 0.99)
            for n, (x, y, square) in sorted(self.stars.items())
        )
        outline = ((x0, y0), (x0 + 300, y0), (x0 + 300, y0 + 300), (x0, y0 + 300))
        lines = tuple(self.lines[pair] for pair in sorted(self.lines))
        board = BoardReading(outline, False, stars, lines, tuple(self.doubts.values()), 0, len(lines))
        return SceneReading(
            PoseState.LIVE,
            (700.0, 420.0),
            tuple(self.cards[seat] for seat in sorted(self.cards)),
            board if self.board_in_sight else None,
            self.hidden,
        )


def card_reading(seat: str, card: str | None, face: Face | None, confidence: float) -> CardReading:
    x, y = SPOTS[seat]
    return CardReading(card, face, x, y, 0.0, CORNERS, confidence)


@dataclass
class Play:
    """A desk over a fake table; `look()` shows it the table as it lies."""

    table: FakeTable
    desk: GameDesk
    journal: Journal
    game_id: str
    events: list[dict[str, Any]]
    heard: list[Said]
    """What people told, undid and corrected."""
    count: Iterator[int] = field(default_factory=itertools.count)

    def look(self) -> None:
        index = next(self.count)
        seen = Observation("test", index * 10**9, 0, index, f"{index:02d}.jpg", self.table.scene())
        self.desk.observe(SettledLook(seen, {f"card:{n}": b"png" for n in range(3)}))

    def trick(self, a: str, b: str, c: str, *lines: tuple[int, int, str]) -> None:
        """A whole trick in three settled pictures, as a directory shows it."""
        self.table.lay()
        self.look()
        self.table.reveal(A=a, B=b, C=c)
        self.look()
        self.table.clear()
        for line in lines:
            self.table.draw(*line)
        self.look()

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == kind]

    def restarted(self) -> GameDesk:
        """A second desk folded from the journal, as after a crash."""
        record = Record.of(list(self.journal.events(self.game_id)))
        return GameDesk(self.journal, record, LAYOUT)


@pytest.fixture
def new_play(tmp_path: Path) -> Iterator[Callable[..., Play]]:
    opened: list[Journal] = []

    def make(**settings: Any) -> Play:
        journal = Journal.open(tmp_path / f"journal-{len(opened)}.db")
        opened.append(journal)
        payload = start_json(builtin_start("hoshizora", SEATS, "A", settings))
        started = journal.append([NewEvent(EventKind.GAME_STARTED, "test-game", payload)]).wait(10)
        events: list[dict[str, Any]] = []
        heard: list[Said] = []
        desk = GameDesk(journal, Record(started[0]), LAYOUT, announce=events.append, heard=heard.append)
        return Play(FakeTable(), desk, journal, "test-game", events, heard)

    yield make
    for journal in opened:
        journal.close()


@pytest.fixture
def play(new_play: Callable[..., Play]) -> Play:
    return new_play()

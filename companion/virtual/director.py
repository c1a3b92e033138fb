"""Turns a written game of Hoshizora into what a camera over the table would see: a film, or its settled moments as stills.

The director knows the rules' words; the scenes that it hands out know nothing of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from calibration.zones import Layout
from companion.adjudicator.told import Said
from companion.games.hoshizora import BOOK
from companion.rules.hoshizora.facts import CardRevealed, DrawingEnded, Line, LineDrawn, LinesErased
from companion.virtual.film import Shown, Still, filmed, numbered
from companion.virtual.moments import dawdle
from companion.virtual.plan import Aside, TrickPlan, bids_of, line_of, tricks_of
from companion.virtual.players import GameScript
from companion.virtual.reel import Timing
from companion.virtual.stage import StageSettings
from companion.virtual.star_reel import StarReel
from companion.virtual.star_stage import StarStage
from hardware.virtual.scene import BoardOnTable, CardOnTable, Scene, Stroke

BACK = "back"
DAWDLES = 0.35
"""How often a hand rests in the way, at the clumsiest table."""
BIDS = 8
"""The number that stands for the bids where tricks are counted."""


class Director:
    """Films a script. Each call of `film` or `stills` tells the whole game from its start; the same seed, the same game.

    Raises BadProfileError where the layout lacks the board or a play spot.
    """

    def __init__(
        self,
        script: GameScript,
        layout: Layout,
        settings: StageSettings | None = None,
        timing: Timing | None = None,
        *,
        dark_board: bool = False,
    ) -> None:
        self._script = script
        settings = settings or StageSettings()
        self.stage = StarStage(layout, script.setup.seats, script.stars, settings, dark_board=dark_board)
        self._timing = timing or Timing()
        self._tricks = tricks_of(script)
        self._bids = bids_of(script)

    # Stills

    def stills(self) -> Iterator[Still]:
        """Set-up, then for each trick: down, up, wiped (where lines were), drawn with the cards gone; last the bids."""
        return numbered(self._settled())

    def _settled(self) -> Iterator[tuple[str, Scene, tuple[Said, ...]]]:
        scene = self.stage.empty()
        yield "setup", scene, ()
        strokes: dict[Line, Stroke] = {}
        for trick in self._tricks:
            lying = list(self._cards(trick).values())
            for stop, asides in trick.steps:
                for place, face in _shown_early(trick, asides):
                    lying[place] = replace(lying[place], art=face)
                step = "down" if stop == len(trick.played) else f"laid{stop}"
                yield f"trick{trick.number}-{step}", replace(scene, cards=tuple(lying[:stop])), _said(asides)
            up = tuple(replace(card, art=face) for card, (_, face) in zip(lying, trick.played, strict=True))
            yield f"trick{trick.number}-up", replace(scene, cards=up), ()
            for change in trick.changes:
                board = _changed(
                    self.stage, self.stage.board if scene.board is None else scene.board, change, trick.number, strokes
                )
                scene = replace(scene, board=board)
                if isinstance(change, LinesErased):
                    yield f"trick{trick.number}-wiped", replace(scene, cards=up), ()
            if trick.is_misdrawn:
                yield f"trick{trick.number}-misdrawn", replace(scene, cards=up), ()
            yield f"trick{trick.number}-drawn", scene, _called_off(trick)
        yield "bids", replace(scene, cards=self._bid_cards()), ()

    def _cards(self, trick: TrickPlan) -> dict[str, CardOnTable]:
        return {seat: self.stage.card(seat, trick.number, BACK) for seat, _ in trick.played}

    def _bid_cards(self) -> tuple[CardOnTable, ...]:
        return tuple(self.stage.card(seat, BIDS, card) for seat, card in self._bids)

    # Film

    def film(self) -> Iterator[Shown]:
        """The whole game, picture by picture."""
        return filmed(self._acts(StarReel(self.stage, self._timing)), self._timing.fps)

    def _acts(self, reel: StarReel) -> Iterator[Scene | Said]:
        yield from reel.still(2.0)
        strokes: dict[Line, Stroke] = {}
        for trick in self._tricks:
            cup = self._cup(trick.number)
            if cup is not None:
                yield from reel.cover_marker(*cup, True)
                yield from reel.still()
            yield from self._lay(reel, trick)
            yield from reel.still()
            yield from dawdle(reel, self.stage, DAWDLES, trick.number, "turned")
            yield from self._change_board(reel, trick, strokes)
            if cup is not None:
                yield from reel.cover_marker(*cup, False)
            yield from reel.take(trick.drawer)
            yield from reel.still()
            yield from _called_off(trick)
        yield from reel.lay(list(zip((seat for seat, _ in self._bids), self._bid_cards(), strict=True)))
        yield from reel.still(2.0)

    def _lay(self, reel: StarReel, trick: TrickPlan) -> Iterator[Scene | Said]:
        """The trick's cards come, one after the other, and are turned, together but for those shown early."""
        cards, shown, laid = list(self._cards(trick).items()), set[int](), 0
        for stop, asides in trick.steps:
            for seat, card in cards[laid:stop]:
                yield from reel.lay([(seat, card)])
                yield from reel.still(self.stage.chance("think", trick.number, seat).uniform(0, 0.25))
            laid = stop
            for place, face in _shown_early(trick, asides):
                seat, card = cards[place]
                yield from reel.turn([(seat, face)], [card])
                shown.add(place)
            yield from reel.still()
            yield from _said(asides)
        yield from dawdle(reel, self.stage, DAWDLES, trick.number, "laid")
        left = [place for place in range(len(cards)) if place not in shown]
        yield from reel.turn([trick.played[place] for place in left], [cards[place][1] for place in left])

    def _change_board(self, reel: StarReel, trick: TrickPlan, strokes: dict[Line, Stroke]) -> Iterator[Scene]:
        for kind, changes in groupby(trick.changes, key=type):
            if kind is LineDrawn:
                lines = [line_of(change) for change in changes if isinstance(change, LineDrawn)]
                strokes.update({line: self.stage.stroke(line, trick.number) for line in lines})
                yield from reel.draw(trick.drawer, [strokes[line] for line in lines])
                yield from reel.still()
                continue
            for change in changes:
                if isinstance(change, LinesErased):
                    yield from reel.wipe(trick.drawer, [strokes.pop(line) for line in change.lines])
                    yield from reel.still()

    def _cup(self, trick: int) -> tuple[str, int] | None:
        """Now and then somebody puts a cup on a marker for the length of a trick: who, and on which."""
        chance = self.stage.chance("cup", trick)
        if chance.random() >= 0.12 * self.stage.settings.clumsiness:
            return None
        return chance.choice(self.stage.seats), chance.randrange(4)


def _shown_early(trick: TrickPlan, asides: tuple[Aside, ...]) -> Iterator[tuple[int, str]]:
    """Cards turned up before all lie: place in the trick, and the card."""
    seats = [seat for seat, _ in trick.played]
    for aside in asides:
        if isinstance(aside.fact, CardRevealed):
            yield seats.index(aside.fact.seat), aside.fact.card


def _said(asides: tuple[Aside, ...]) -> tuple[Said, ...]:
    return tuple(Said(BOOK.facts.to_json(aside.fact), aside.fact.seat) for aside in asides)


def _called_off(trick: TrickPlan) -> tuple[Said, ...]:
    return (Said(BOOK.facts.to_json(DrawingEnded()), trick.drawer),) if trick.is_called_off else ()


def _changed(
    stage: StarStage,
    board: BoardOnTable,
    change: LineDrawn | LinesErased,
    trick: int,
    strokes: dict[Line, Stroke],
) -> BoardOnTable:
    """The board after a line was drawn or lines were wiped; `strokes` is kept up to date."""
    if isinstance(change, LineDrawn):
        line = line_of(change)
        strokes[line] = stage.stroke(line, trick)
        return replace(board, strokes=(*board.strokes, strokes[line]))
    for line in change.lines:
        board = _wiped(stage, board, strokes.pop(line))
    return board


def _wiped(stage: StarStage, board: BoardOnTable, stroke: Stroke) -> BoardOnTable:
    left = tuple(other for other in board.strokes if other != stroke)
    return replace(board, strokes=left, smudges=(*board.smudges, *stage.smudges(stroke)))

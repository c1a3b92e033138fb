"""From settled pictures of a Hoshizora table to facts: spots to cards, strokes to lines, empty spots to the end of a drawing.

A picture's own evidence decides. What the rules allow only ranks readings: a reading that is both weak and illegal becomes a
question, a strong one is recorded and judged. What can't be seen now waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from calibration.zones import Layout
from companion.adjudicator.hoshizora import questions
from companion.adjudicator.hoshizora.table import HoshizoraTable, Pair, Spot, StarBoard, table_of
from companion.adjudicator.places import UNREADABLE, Shows
from companion.adjudicator.resolution import SURE, Resolution, Sight, TableNow
from companion.adjudicator.walk import Walk
from companion.rules.hoshizora import RULES, advice, drawable, erasable
from companion.rules.hoshizora.facts import (
    BidRevealed,
    BoardSet,
    CardLaid,
    CardRevealed,
    DrawingEnded,
    Fact,
    Line,
    LineDrawn,
    LinesErased,
    StarMoved,
)
from companion.rules.hoshizora.setup import HoshizoraSetup
from companion.rules.hoshizora.state import HoshizoraState, Phase
from vision.observation import DoubtReason, SceneReading

STAR_SHIFT_MM = 4.0
"""A star that lies so far from its recorded place was moved; less is the reading's own error."""
MOVED_AT_ONCE = 3
"""More stars than these don't move by themselves: the board was set up anew."""
STEPS_A_LOOK = 24
"""One picture can't show more steps of play than a trick with its drawing and the next cards; ends any loop."""


class HoshizoraResolver:
    """Pure: the same scene and record give the same resolution."""

    def __init__(self, setup: HoshizoraSetup, layout: Layout) -> None:
        self._setup = setup
        self._layout = layout

    def sight(self, scene: SceneReading, state: HoshizoraState) -> Sight:
        """The evidence in a scene, by key."""
        table = self._table_of(scene, state)
        shown: set[str] = set()
        hidden = {"declined:"}  # what people declined is nothing that a picture could show to be gone
        for spot in table.spots:
            match spot.shows:
                case Shows.EMPTY:
                    shown.add(f"empty:{spot.seat}")
                case Shows.DOWN:
                    shown.add(f"card:{spot.seat}:down")
                case Shows.UP:
                    shown.add(f"card:{spot.seat}:up:{spot.card}")
                case Shows.UNREAD | Shows.CROWDED:
                    shown.add(f"card:{spot.seat}:unread")
                    hidden.add(f"card:{spot.seat}:")
                case Shows.HIDDEN:
                    hidden |= {f"card:{spot.seat}:", f"empty:{spot.seat}"}
        if all(spot.shows is Shows.EMPTY for spot in table.spots):
            shown.add("empty:all")
        self._sight_of_board(table.board, state, shown, hidden)
        return Sight(frozenset(shown), frozenset(hidden))

    def resolve(self, scene: SceneReading, now: TableNow[HoshizoraState, Fact]) -> Resolution[Fact]:
        """The next facts that the scene shows, in order, and what must be asked or said."""
        table = self._table_of(scene, now.state)
        return _Walk(
            table=table,
            state=now.state,
            held=now.held,
            entered=list(now.entered),
            asked=now.asked,
            turn=len(now.entered),
        ).resolution()

    def _table_of(self, scene: SceneReading, state: HoshizoraState) -> HoshizoraTable:
        return table_of(scene, self._setup.seats, self._layout, () if state.board is None else state.board.stars)

    @staticmethod
    def _sight_of_board(board: StarBoard | None, state: HoshizoraState, shown: set[str], hidden: set[str]) -> None:
        if board is None or not board.whole:
            hidden |= {"line:", "gone:", "doubt:", "board", "star:", "leftover"}
        if board is None:
            return
        if board.whole:
            shown.add("board")
        if board.lines:
            shown.add("leftover")
        shown |= {line_key(line) for line in board.lines}
        shown |= {f"doubt:{pair}" for pair in board.doubts}
        hidden |= {f"line:{pair}:" for pair in board.doubts} | {f"gone:{pair}:" for pair in board.doubts}
        shown |= {f"gone:{line.a}-{line.b}:{line.colour}" for line in vanished(board, state)}
        shown |= {f"star:{move.star.n}" for move in moved_stars(board, state)}


def line_key(line: Line) -> str:
    """The evidence of a line."""
    return f"line:{line.a}-{line.b}:{line.colour}"


def vanished(board: StarBoard, state: HoshizoraState) -> tuple[Line, ...]:
    """Recorded lines that the board plainly does not show."""
    if not board.whole:
        return ()
    return tuple(line for line in state.lines if line not in board.lines and Pair(line.a, line.b) not in board.doubts)


def moved_stars(board: StarBoard, state: HoshizoraState) -> tuple[StarMoved, ...]:
    """Stars that lie elsewhere than recorded."""
    if state.board is None or not board.whole:
        return ()
    before = {star.n: star for star in state.board.stars}
    return tuple(
        StarMoved(star)
        for star in board.stars
        if star.n in before
        and (star.x_mm - before[star.n].x_mm) ** 2 + (star.y_mm - before[star.n].y_mm) ** 2 > STAR_SHIFT_MM**2
    )


@dataclass(slots=True, kw_only=True)
class _Walk(Walk[HoshizoraState, Fact]):
    """One picture's way through the game."""

    rules = RULES
    most_steps = STEPS_A_LOOK

    table: HoshizoraTable
    asked: frozenset[str]
    turn: int
    """Counts the looks for the order of laid cards: cards of one look have none."""

    def look(self) -> None:
        """The next step of play, by where the game is."""
        match self.state.phase:
            case Phase.SETUP:
                self._set_board()
            case Phase.LAY:
                if self._take_lines():
                    self._lay()
            case Phase.REVEAL:
                if not self._are_cards_gone() and self._take_lines():
                    self._reveal()
            case Phase.DRAW:
                if self._take_lines():
                    self._end_drawing()
            case Phase.BID:
                if self._take_lines():
                    self._show_bids()
            case Phase.OVER:
                pass

    def look_for_differences(self) -> None:
        """What lies on the table and is not in the record because it was taken back: a question, never a silent repair."""
        if self.state.phase in (Phase.SETUP, Phase.OVER):
            return
        key = questions.again_key(self.state.trick.number)
        facts = [*self._cards_taken_back(), *self._lines_taken_back()]
        if facts and self._declined_key in self.held:
            self.prompts.append("table and record differ: what was taken back still lies there")
        elif facts:
            self.questions.append(
                questions.as_it_lies(self.state.setup, self.state.trick.number, facts, self._declined_key)
            )
        elif key in self.asked and not self.state.trick.is_revealed and self._all_empty():
            self.keep.add(key)  # the cards were cleared away meanwhile; what they were can still be said

    def _cards_taken_back(self) -> list[Fact]:
        facts: list[Fact] = []
        for spot in self.table.spots:
            if f"card:{spot.seat}:up:{spot.card}" not in self.held or spot.seat in self.state.played:
                continue
            if spot.card is None or spot.card in self._seen_cards():
                continue
            if self.state.phase is Phase.BID:
                facts.append(BidRevealed(spot.seat, spot.card))
            else:
                laid: list[Fact] = [] if self._has_laid(spot.seat) else [CardLaid(spot.seat)]
                facts += [*laid, CardRevealed(spot.seat, spot.card)]
        return sorted(facts, key=lambda fact: isinstance(fact, CardRevealed))

    def _lines_taken_back(self) -> list[Fact]:
        board = self.table.board
        if board is None or not board.whole:
            return []
        recorded = set(self.state.lines)
        back = [line for line in board.lines if line not in recorded and line_key(line) in self.held]
        proper = [line for line in back if line in drawable(self.state)]
        return [LineDrawn(line.a, line.b, line.colour) for line in sorted(proper, key=lambda line: (line.a, line.b))]

    @property
    def _declined_key(self) -> str:
        return f"declined:{self.state.trick.number}"

    @property
    def _promised_key(self) -> str:
        """Stands for people's word that they lay the trick's cards out once more."""
        return f"declined:cards:{self.state.trick.number}"

    def _all_empty(self) -> bool:
        return all(spot.shows is Shows.EMPTY for spot in self.table.spots)

    # Steps

    def _set_board(self) -> None:
        board = self.table.board
        if board is None:
            self.prompts.append("the star board is not in sight: lay it on the table")
        elif board.whole:
            if board.lines and "leftover" in self.held:
                self.prompts.append("wipe the lines off the board; the game begins once they are gone")
            elif board.lines:
                self.questions.append(questions.whose_lines(board))
            elif "board" not in self.held:
                self.propose(BoardSet(board.stars), "board", confidence=1.0)
        elif (question := questions.which_numbers(board)) is not None:
            self.questions.append(question)
        else:
            self.prompts.append(f"{len(board.stars)} of the 12 stars can be read: place them all, numbers up")

    def _lay(self) -> None:
        """Cards of the trick that lie there, whichever way up.

        They count as revealed only once all three lie: an open card beside an empty spot is told as a prompt, because a
        face-down card that was overlooked would make an accusation of it.
        """
        if not self.state.done and not self.state.trick.laid:
            self.prompts.extend(advice(self.state))
        waiting = [spot for spot in self.table.spots if not self._has_laid(spot.seat)]
        # Where another's spot can't be seen, nothing is known of who was first.
        known = all(spot.shows in (Shows.EMPTY, Shows.DOWN, Shows.UP) for spot in waiting)
        for spot in waiting:
            if self._lies_fresh(spot):
                confidence = spot.reading.confidence if spot.reading is not None else 1.0
                laid = CardLaid(spot.seat, self.turn if known else None)
                self.propose(laid, self._card_key(spot), confidence=confidence)
        late = [spot.seat for spot in self.table.spots if not self._has_laid(spot.seat)]
        early = [spot.seat for spot in self.table.spots if spot.shows is Shows.UP and self._has_laid(spot.seat)]
        if early and late:
            self.prompts.append(f"{' and '.join(early)}: open already, while {' and '.join(late)} has not laid a card")

    def _are_cards_gone(self) -> bool:
        """Whether the trick's cards were taken away before all could be read; then people are asked for them.

        They are gone for good: the next ones to lie there belong to another trick, and must not be taken for them. Until people
        say which they were, or lay them out once more, nothing more is read.
        """
        number, is_promised = self.state.trick.number, self._promised_key in self.held
        if not self._do_cards_miss(was_asked=questions.taken_key(number) in self.asked, is_promised=is_promised):
            return False
        missing = [spot.seat for spot in self.table.spots if spot.seat not in self.state.played]
        if is_promised:
            named = ", ".join(missing)
            self.prompts.append(f"lay the cards of trick {number} open once more, or tell which they were: {named}")
        else:
            self.questions.append(questions.which_were_they(number, missing, self._promised_key))
        self.keep |= {f"card:{seat}:?" for seat in missing}
        return True

    def _do_cards_miss(self, *, was_asked: bool, is_promised: bool) -> bool:
        """Whether no card of the trick lies there any more: of those that were read each spot shows plainly something else.

        What was missed once stays missed until a card of the trick lies there again; where none was read, any may be one.
        """
        played = self.state.played
        if not played:
            return self._all_empty() or (was_asked and not is_promised)
        read = [spot for spot in self.table.spots if spot.seat in played]
        if any(spot.card == played[spot.seat] for spot in read):
            return False
        plain = all(spot.shows in (Shows.EMPTY, Shows.DOWN, Shows.UP) for spot in read)
        return plain or was_asked or is_promised

    def _reveal(self) -> None:
        """Open cards of the current trick."""
        for spot in self.table.spots:
            if spot.seat not in self.state.played:
                self._take_card(spot, CardRevealed)

    def _show_bids(self) -> None:
        shown = dict(zip(self.state.setup.seats, self.state.bids, strict=True))
        for spot in self.table.spots:
            if shown[spot.seat] is None:
                self._take_card(spot, BidRevealed)

    def _take_card(self, spot: Spot, fact: Callable[[str, str], Fact]) -> None:
        match spot.shows:
            case Shows.CROWDED:
                self.prompts.append(f"more than one card lies on {spot.seat}'s spot: leave one")
            case Shows.UNREAD if spot.reading is not None:
                known = self.state.setup.cards.keys()
                if spot.reading.candidates and spot.reading.candidates[0][0] not in known:
                    return  # most like a back: it has not been turned yet
                question = questions.which_card(self.state.setup, spot, known - self._seen_cards(), fact)
                # The three are turned together: beside a face-down card one of which nothing can be told may lie so as well.
                may_be_down = fact is CardRevealed and any(other.shows is Shows.DOWN for other in self.table.spots)
                if question is not None:
                    self.questions.append(question)
                elif not may_be_down:
                    self.prompts.append(f"{spot.seat}'s card {UNREADABLE}")
            case Shows.UP if spot.card is not None and spot.reading is not None:
                if spot.card == self._last_card(spot.seat):
                    self.prompts.append(f"{spot.seat}'s card of the last trick still lies there: take it away")
                elif spot.card in self._seen_cards() or spot.card not in self.state.setup.cards:
                    setup = self.state.setup
                    self.questions.append(
                        questions.seen_before(setup, spot, setup.cards.keys() - self._seen_cards(), fact)
                    )
                elif f"card:{spot.seat}:up:{spot.card}" not in self.held:
                    key = f"card:{spot.seat}:up:{spot.card}"
                    self.propose(fact(spot.seat, spot.card), key, confidence=spot.reading.confidence)
            case _:
                pass

    def _take_lines(self) -> bool:
        """Lines that came, lines that went, stars that moved. False where people must say first what happened.

        A line that the trick on the table can't explain may be a breach, or what is left of a trick that nobody saw; taking it
        for the one or the other would be a guess.
        """
        board = self.table.board
        if board is None or not board.whole or self.state.board is None:
            return True
        if not self._take_moves(board):
            return False
        recorded = set(self.state.lines)
        fresh = [line for line in board.lines if line not in recorded and line_key(line) not in self.held]
        strange = [line for line in fresh if not self._explains(line)]
        if self._do_cards_come() and all(self._is_of_an_open_card(line) for line in strange):
            return True  # the board is looked at in the light of them
        self._take_erasures(board)
        if strange:
            strange.sort(key=lambda line: (line.a, line.b))
            self.questions.append(questions.what_drew(strange, self.state.trick.number))
            return False
        proper = set(drawable(self.state))
        for line in sorted(fresh, key=lambda line: (line not in proper, line.a, line.b)):
            fact = LineDrawn(line.a, line.b, line.colour)
            if board.lines[line] >= SURE or not self.breaches(fact):
                self.propose(fact, line_key(line), confidence=board.lines[line])
            else:
                self.questions.append(questions.is_there_a_line(Pair(line.a, line.b), line.colour))
        return True

    def _explains(self, line: Line) -> bool:
        """Whether the trick on the table accounts for a new line, drawn well or badly: it ends at one of its stars, or its
        cards still lie there.
        """
        if self.state.phase is not Phase.DRAW:
            return False
        if self.state.trick.majority is None:
            return False
        lying = {spot.seat: spot.card for spot in self.table.spots}
        if lying == self.state.played:
            return True
        return bool({line.a, line.b} & set(self.state.trick.stars))

    def _do_cards_come(self) -> bool:
        """Whether cards of the trick lie there that are not recorded yet, or may lie there under something."""
        if self.state.phase not in (Phase.LAY, Phase.REVEAL):
            return False
        missing = [spot for spot in self.table.spots if spot.seat not in self.state.played]
        return any(
            spot.card not in self._seen_cards()
            if spot.shows is Shows.UP
            else spot.shows not in (Shows.EMPTY, Shows.DOWN)
            for spot in missing
        )

    def _is_of_an_open_card(self, line: Line) -> bool:
        """Whether a line ends at the star of a card of its colour that lies open in this trick.

        Each card is there once: a line that another trick drew by the rules ends at none of this one's.
        """
        lying = [
            spot.card for spot in self.table.spots if spot.card is not None and spot.card not in self._seen_cards()
        ]
        cards = [self.state.setup.cards.get(card) for card in (*lying, *self.state.played.values())]
        return any(
            card is not None and card.colour is line.colour and card.number in (line.a, line.b) for card in cards
        )

    def _take_moves(self, board: StarBoard) -> bool:
        """Records shifted stars; False where the board was set up anew and nothing on it can be believed."""
        moves = moved_stars(board, self.state)
        if len(moves) > MOVED_AT_ONCE:
            self.prompts.append("many stars lie elsewhere than at set-up: put them back, or start a new game")
            return False
        for move in moves:
            if f"star:{move.star.n}" not in self.held:
                self.propose(move, f"star:{move.star.n}", confidence=1.0)
        return True

    def _take_erasures(self, board: StarBoard) -> None:
        gone = tuple(
            line for line in vanished(board, self.state) if f"gone:{line.a}-{line.b}:{line.colour}" not in self.held
        )
        if not gone:
            return
        if any(set(gone) == set(lines) for lines in erasable(self.state)):
            keys = [f"gone:{line.a}-{line.b}:{line.colour}" for line in gone]
            self.propose(LinesErased(gone), *keys, confidence=1.0)
        else:
            self.questions.append(questions.was_it_wiped(gone))

    def _end_drawing(self) -> None:
        """The drawing has ended once the cards are gone and nothing more can be drawn, or once the next card lies open."""
        board = self.table.board
        spots = self.table.spots
        left = [spot for spot in spots if spot.shows is not Shows.EMPTY and not self._is_next(spot)]
        if left or self.questions:
            return
        if board is None or not board.whole:
            if not self.table.covered:
                seen = 0 if board is None else len(board.stars)
                self.prompts.append(
                    f"{seen} of the 12 stars can be read: the game goes on once what was drawn can be seen"
                )
            return
        if not self._doubts_settled(board) or self.questions:
            return
        # A face-down card may be one of this trick, turned over before the drawing: only an open one is surely of the next.
        next_is_open = any(spot.shows is Shows.UP for spot in spots)
        if drawable(self.state) and not next_is_open:
            self.prompts.append(f"{self.state.drawer} may draw; lay the next cards when it is done")
            return
        keys = tuple(f"empty:{spot.seat}" for spot in spots if spot.shows is Shows.EMPTY)
        keys += tuple(self._card_key(spot) for spot in spots if spot.shows is not Shows.EMPTY)
        if any(key not in self.held for key in keys):
            self.propose(DrawingEnded(), *keys, confidence=1.0)

    def _doubts_settled(self, board: StarBoard) -> bool:
        """Asks about the doubtful pairs that may have been joined; False where a hand has to go first."""
        for line in drawable(self.state):
            pair = Pair(line.a, line.b)
            doubt = board.doubts.get(pair)
            if doubt is None or f"doubt:{pair}" in self.held:
                continue
            reason, colour, _ = doubt
            if reason is DoubtReason.HIDDEN and self.table.covered:
                return False
            # Hidden with nothing over it: magnets that nearly touch. Looking again would not help.
            self.questions.append(questions.is_there_a_line(pair, colour or line.colour))
        return True

    # What the steps ask

    def _lies_fresh(self, spot: Spot) -> bool:
        """Whether a card of this trick lies there, for all that was not taken back or left over."""
        match spot.shows:
            case Shows.DOWN | Shows.UNREAD:
                return self._card_key(spot) not in self.held
            case Shows.UP:
                if spot.card == self._last_card(spot.seat):
                    self.prompts.append(f"{spot.seat}'s card of the last trick still lies there: take it away")
                    return False
                return self._card_key(spot) not in self.held
            case _:
                return False

    def _has_laid(self, seat: str) -> bool:
        place = self.state.setup.places[seat]
        return bool(self.state.trick.laid >> place & 1) or self.state.trick.cards[place] is not None

    def _is_next(self, spot: Spot) -> bool:
        """Whether the spot shows a card of the next trick, or a bid, and no longer that of the current one."""
        if spot.shows is Shows.DOWN:
            return True
        return spot.shows is Shows.UP and spot.card not in self._seen_cards()

    @staticmethod
    def _card_key(spot: Spot) -> str:
        match spot.shows:
            case Shows.DOWN:
                return f"card:{spot.seat}:down"
            case Shows.UP:
                return f"card:{spot.seat}:up:{spot.card}"
            case _:
                return f"card:{spot.seat}:unread"

    def _seen_cards(self) -> frozenset[str]:
        """Cards that lay open in this game, those of the current trick too."""
        earlier = (card for trick in self.state.done for card in trick.played.values())
        bids = (card for card in self.state.bids if card is not None)
        return frozenset((*earlier, *self.state.played.values(), *bids))

    def _last_card(self, seat: str) -> str | None:
        """The seat's card of the trick before, which may not have been taken away yet."""
        return self.state.done[-1].played.get(seat) if self.state.done else None

"""Simulated players of Hoshizora: a seeded game as a script of what happens at the table, honest or not.

The same seed and plan give the same script on every machine. Players know the rules and their own hands only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from companion.rules.hoshizora.drawing import crossed_sets, drawable, erasable, owed
from companion.rules.hoshizora.facts import (
    BidRevealed,
    BoardSet,
    CardLaid,
    CardRevealed,
    Colour,
    ColourStated,
    DrawingEnded,
    Fact,
    Line,
    LineDrawn,
    LinesErased,
    Star,
)
from companion.rules.hoshizora.fold import apply, start
from companion.rules.hoshizora.knowledge import playable
from companion.rules.hoshizora.setup import HAND, TRICKS, HoshizoraSetup
from companion.rules.hoshizora.state import HoshizoraState
from companion.virtual.chance import Chance
from companion.virtual.stars import place_stars
from companion.virtual.wrong import Wrong


@dataclass(frozen=True, slots=True)
class CheatPlan:
    """How dishonest the players are; shares of a thousand, so that no rounding differs between machines."""

    revoke: int = 0
    """How often a player who could follow and also holds the other colour plays the other colour."""
    wrong_line: int = 0
    """How often a drawer draws a line that the trick doesn't call for in place of a proper one."""
    no_line: int = 0
    """How often a drawer draws nothing although a line could be drawn."""
    false_colour: int = 0
    """How often a leader says the other colour than the card's, where colours are said."""
    early_reveal: int = 0
    """How often a player turns the own card up before all three lie."""
    second_card: int = 0
    """How often a player lays two cards in a trick."""
    wrong_wipe: int = 0
    """How often a drawer ends with wiping off a line that must stay."""
    early_bid: int = 0
    """How often a player shows the last card while the seventh trick is played."""
    cheaters: frozenset[str] | None = None
    """The seats that do so; None for all."""
    at_most: int | None = None
    """Revokes in the whole game; None for any number."""

    def cheats(self, seat: str) -> bool:
        """Whether this seat is among the cheaters."""
        return self.cheaters is None or seat in self.cheaters


HONEST = CheatPlan()
USUAL_POINTS = 9.0
"""On the board at the end of a game of random players, about."""


@dataclass(frozen=True, slots=True)
class Revoke:
    """The truth of one revoke, known to the script only."""

    player: str
    trick: int
    card: str
    """What was played instead."""
    colour: Colour
    """What was to be followed."""
    proved_at: int
    """1-based trick in which the player's next card of that colour is shown; 8 for the bids."""
    proof: str
    """That card."""


@dataclass(frozen=True, slots=True)
class Act:
    """A fact of the script with its place in the game."""

    fact: Fact
    trick: int
    """1 to 7, 8 for the bids; 0 for the set-up."""
    seat: str | None
    """Whose act it is; None for the whole table's."""


@dataclass(frozen=True, slots=True)
class GameScript:
    """A whole game, written before it is played at the virtual table."""

    setup: HoshizoraSetup
    seed: int
    stars: tuple[Star, ...]
    """mm on a board of 300 mm, from its top left corner."""
    deal: Mapping[str, tuple[str, ...]]
    """Seat to the eight cards dealt."""
    acts: tuple[Act, ...]
    """In order: the set-up; for each trick the cards laid in turn, the colour said (see `play_game`), the cards revealed in turn,
    lines erased, lines drawn, the drawing's end; last the bids."""
    revokes: tuple[Revoke, ...]
    wrongs: tuple[Wrong, ...]
    """Every breach in order, the revokes among them."""
    final: HoshizoraState
    """The state after the last act."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The acts' facts."""
        return tuple(act.fact for act in self.acts)


def play_game(
    setup: HoshizoraSetup,
    seed: int,
    cheat: CheatPlan | None = None,
    *,
    say_colours: bool = False,
    greedy: bool = False,
) -> GameScript:
    """A seeded game of legal play, but for what the plan spoils: random, or of greedy players (see `Game`).

    With `say_colours` each lead is followed by a ColourStated, as a person would tell; a camera alone never hears it.
    """
    game = Game(setup, seed, cheat or HONEST, say_colours=say_colours, greedy=greedy)
    acts = tuple(game.acts())
    return GameScript(setup, seed, game.stars, game.deal, acts, game.revokes(), tuple(game.wrongs), game.state)


class Game:
    """A game in the playing: `acts` yields one act after the other; `before` and `state` stand around the latest.

    A greedy player keeps the card that bids nearest to where the points are heading, and draws toward its bid.
    """

    def __init__(
        self, setup: HoshizoraSetup, seed: int, cheat: CheatPlan, *, say_colours: bool = False, greedy: bool = False
    ) -> None:
        self.setup = setup
        self.state = self.before = start(setup)
        self._chance = Chance(seed)
        self._cheat = cheat
        self._say_colours = say_colours
        self._greedy = greedy
        self._revokes: list[tuple[str, int, str, Colour]] = []
        self.wrongs: list[Wrong] = []
        self._told = 0
        self.stars = place_stars(self._chance)
        cards = sorted(setup.cards)
        self._chance.shuffle(cards)
        self.deal = {seat: tuple(sorted(cards[i * HAND : (i + 1) * HAND])) for i, seat in enumerate(setup.seats)}
        self._hands = {seat: list(hand) for seat, hand in self.deal.items()}

    def acts(self) -> Iterator[Act]:
        """The whole game, an act at a time."""
        yield from self._do(BoardSet(self.stars), 0, None)
        for trick in range(1, TRICKS + 1):
            yield from self._play_cards(trick)
            yield from self._draw(trick)
        for seat, shown in zip(self.setup.seats, self.state.bids, strict=True):
            if shown is None:
                yield from self._do(BidRevealed(seat, self._hands[seat][0]), TRICKS + 1, seat)

    def _do(self, fact: Fact, trick: int, seat: str | None) -> Iterator[Act]:
        self.before = self.state
        self.state = apply(self.before, fact)
        self._told += 1
        yield Act(fact, trick, seat)

    def _spoils(self, share: int, seat: str) -> bool:
        """Whether a seat cheats now; chance is asked for plans alone that hold this cheat."""
        return bool(share) and self._cheat.cheats(seat) and self._chance.per_mille(share)

    def _wrong(self, kind: str, seat: str, trick: int) -> None:
        """The act that comes next is a breach."""
        self.wrongs.append(Wrong(kind, seat, trick, self._told, kind == "revoke"))

    def _play_cards(self, trick: int) -> Iterator[Act]:
        lead = self.state.leader or self.setup.lead
        order = [self.setup.after(lead, steps) for steps in range(3)]
        chosen: dict[str, str] = {}
        stated: Colour | None = None
        for seat in order:
            chosen[seat] = card = self._choose(seat, stated, trick)
            self._hands[seat].remove(card)
            yield from self._do(CardLaid(seat), trick, seat)
            if stated is None:
                stated = self.setup.cards[card].colour
                if self._say_colours:
                    if self._spoils(self._cheat.false_colour, seat):
                        stated = Colour.BLUE if stated is Colour.RED else Colour.RED
                    yield from self._do(ColourStated(seat, stated), trick, seat)
            yield from self._spoil_laying(seat, card, trick, last=seat == order[-1])
        for seat in order:
            if self.state.trick.cards[self.setup.places[seat]] is None:
                self._note_wrongs(seat, chosen[seat], trick)
                yield from self._do(CardRevealed(seat, chosen[seat]), trick, seat)

    def _spoil_laying(self, seat: str, card: str, trick: int, *, last: bool) -> Iterator[Act]:
        """A second card, or a card shown too early."""
        if self._spoils(self._cheat.second_card, seat):
            self._wrong("second_card", seat, trick)
            yield from self._do(CardLaid(seat), trick, seat)
        if not last and self._spoils(self._cheat.early_reveal, seat):
            self._wrong("early_reveal", seat, trick)
            self._note_wrongs(seat, card, trick)
            yield from self._do(CardRevealed(seat, card), trick, seat)
        if trick == TRICKS and self._spoils(self._cheat.early_bid, seat):
            self._wrong("early_bid", seat, trick)
            yield from self._do(BidRevealed(seat, self._hands[seat][0]), trick, seat)

    def _note_wrongs(self, seat: str, card: str, trick: int) -> None:
        """What is wrong about a card that lies open next."""
        told = self.state.trick.told
        if seat == self.state.leader and told is not None and told is not self.setup.cards[card].colour:
            self._wrong("false_colour", seat, trick)
        if any(x[:3] == (seat, trick, card) for x in self._revokes):
            self._wrong("revoke", seat, trick)

    def _choose(self, seat: str, stated: Colour | None, trick: int) -> str:
        hand = self._hands[seat]
        honest = playable(self.setup, tuple(hand), stated)
        plan = self._cheat
        if plan.revoke and stated is not None and len(honest) < len(hand) and plan.cheats(seat):
            left = plan.at_most is None or len(self._revokes) < plan.at_most
            if left and self._chance.per_mille(plan.revoke):
                card = self._chance.pick([card for card in hand if card not in honest])
                if self.setup.cards[honest[0]].colour is stated:
                    self._revokes.append((seat, trick, card, stated))
                return card
        return self._best_card(honest)

    def _best_card(self, cards: Sequence[str]) -> str:
        """The one to play."""
        if not self._greedy:
            return self._chance.pick(cards)
        done = len(self.state.done)
        heading = self.state.points * TRICKS / done if done else USUAL_POINTS
        return self._chance.best(cards, lambda card: abs((self.setup.bid_of(card) or 0) - heading))

    def _best_line(self, lines: Sequence[Line], drawer: str | None) -> Line:
        """The one to draw: toward the highest bid in the drawer's hand."""
        if not self._greedy or drawer is None:
            return self._chance.pick(lines)
        wanted = max((self.setup.bid_of(card) or 0 for card in self._hands[drawer]), default=0)

        def nearness(line: Line) -> float:
            return -abs(wanted - apply(self.state, LineDrawn(line.a, line.b, line.colour)).points)

        return self._chance.best(lines, nearness)

    def _draw(self, trick: int) -> Iterator[Act]:
        drawer = self.state.drawer
        sets = erasable(self.state)
        if sets and self._chance.per_mille(500):
            yield from self._do(LinesErased(self._chance.pick(sets)), trick, drawer)
        spoilt = drawer is not None and self._cheat.cheats(drawer)
        if spoilt and self._cheat.wrong_line and self._chance.per_mille(self._cheat.wrong_line):
            line = self._wrong_line()
            self._wrong("wrong_line", drawer or "", trick)
            yield from self._do(LineDrawn(line.a, line.b, line.colour), trick, drawer)
        elif not (spoilt and self._cheat.no_line and self._chance.per_mille(self._cheat.no_line)):
            while lines := self._lines():
                line = self._best_line(lines, drawer)
                yield from self._do(LineDrawn(line.a, line.b, line.colour), trick, drawer)
        yield from self._spoil_wiping(trick, drawer)
        if owed(self.state):
            self._wrong("no_line", drawer or "", trick)
        yield from self._do(DrawingEnded(), trick, drawer)

    def _spoil_wiping(self, trick: int, drawer: str | None) -> Iterator[Act]:
        """A line of an earlier trick is wiped off, which no way of the special rule explains."""
        if drawer is None or not self._spoils(self._cheat.wrong_wipe, drawer):
            return
        allowed = crossed_sets(self.state) if self.setup.settings.line_elimination else ()
        old = [line for line in self.state.lines if line not in self.state.trick.drawn and (line,) not in allowed]
        if old:
            self._wrong("wrong_wipe", drawer, trick)
            yield from self._do(LinesErased((self._chance.pick(old),)), trick, drawer)

    def _lines(self) -> tuple[Line, ...]:
        """The lines to choose from: of two lines that can be drawn, not one that leaves no second."""
        lines = drawable(self.state)
        left = self.state.trick.largest - len(self.state.trick.drawn)
        if len(lines) < 2 or left < 2:
            return lines
        return tuple(x for x in lines if drawable(apply(self.state, LineDrawn(x.a, x.b, x.colour))))

    def _wrong_line(self) -> Line:
        """Two stars that are not joined so yet, and that the trick doesn't call for."""
        proper, standing = drawable(self.state), self.state.lines
        while True:
            a = 1 + self._chance.below(12)
            b = 1 + self._chance.below(12)
            line = Line(min(a, b), max(a, b), self._chance.pick((Colour.RED, Colour.BLUE)))
            if a != b and line not in proper and line not in standing:
                return line

    def revokes(self) -> tuple[Revoke, ...]:
        """The revokes of a finished game, each with the card that proves it."""
        shown: dict[str, list[tuple[int, str]]] = {seat: [] for seat in self.setup.seats}
        for record in self.state.done:
            for seat, card in record.played.items():
                shown[seat].append((record.number, card))
        for seat, bid in zip(self.setup.seats, self.state.bids, strict=True):
            if bid is not None:
                shown[seat].append((TRICKS + 1, bid))
        found = []
        for seat, trick, card, colour in self._revokes:
            at, proof = next((t, c) for t, c in shown[seat] if t > trick and self.setup.cards[c].colour is colour)
            found.append(Revoke(seat, trick, card, colour, at, proof))
        return tuple(found)

"""Turns a written game of Ahuha Ahukaha into what a camera over the table would see, and what its players tap meanwhile.

What came of an effect they tap once the page offers it, and so a Yono Tigiri card that lies open already. What is against the
rules and can't be seen they tell in their own words: which frozen card a hand took, a second card under the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from calibration.zones import Layout
from companion.adjudicator.told import Said
from companion.games.ahuha import BOOK
from companion.rules.ahuha.facts import (
    AsitaShown,
    CardLaid,
    CardPlaced,
    CardRevealed,
    Dealt,
    Fact,
    FrozenPlaced,
    FrozenTaken,
    Orientation,
    SeatsSwapped,
    SeriesEnded,
    Side,
    YonoTigiriShown,
)
from companion.rules.ahuha.knowledge import frozen_place
from companion.rules.ahuha.rules import RULES
from companion.rules.ahuha.setup import ROUNDS, SEATS
from companion.rules.ahuha.state import AhuhaState
from companion.virtual.ahuha import AhuhaScript
from companion.virtual.ahuha_stage import BACK, AhuhaStage, letter
from companion.virtual.moments import Handling, Moment, MomentFilms, nothing, said_of
from companion.virtual.reel import Reel, Timing
from companion.virtual.stage import StageSettings
from hardware.virtual.scene import CardOnTable, Scene

Move = tuple[int, CardOnTable, CardOnTable]
"""Whose hand, by place, brings which card where."""


class AhuhaDirector(MomentFilms):
    """Films a script: the deal, then a moment for each thing that the three do together, and for the end of each turn."""

    begins = "empty"

    def __init__(
        self,
        script: AhuhaScript,
        layout: Layout,
        settings: StageSettings | None = None,
        timing: Timing | None = None,
    ) -> None:
        """Raises BadProfileError where the layout lacks a zone, BadInputError where a Home is too small."""
        self._script = script
        self.stage = AhuhaStage(layout, script.setup, settings or StageSettings(TABLE_MM))
        super().__init__(self.stage, timing)

    def moments(self) -> Iterator[Moment]:
        """What happens, act by act; what the three do at once is one act."""
        spread = _Spread(self.stage)
        for told in _together(self._script):
            yield from spread.moments(told)


TALK_S = 17.0
"""After a series the players talk it over and shuffle. A table that was cleared all at once looks like one over which a hand
lies; what lies still for 15 s is taken for the table's new look (vision.watcher)."""
TABLE_MM = (840.0, 472.0)
"""Of the layout that comes with the program: room for three Homes of eight cards that lie side by side."""


@dataclass(frozen=True, slots=True)
class _Told:
    """Facts of one moment, each with the state before it."""

    facts: tuple[tuple[AhuhaState, Fact], ...]

    @property
    def before(self) -> AhuhaState:
        return self.facts[0][0]

    @property
    def kind(self) -> type[Fact]:
        return type(self.facts[0][1])

    @property
    def said(self) -> tuple[Said, ...]:
        """The facts in people's words."""
        return tuple(_said(state, fact) for state, fact in self.facts)


def _together(script: AhuhaScript) -> Iterator[_Told]:
    """The script's facts, those together that are one moment: of one kind, one after the other, within one turn."""
    state = RULES.start(script.setup)
    run: list[tuple[AhuhaState, Fact]] = []
    for fact in script.facts:
        if run and not _is_one(run[0], state, fact):
            yield _Told(tuple(run))
            run = []
        run.append((state, fact))
        state = RULES.apply(state, fact)
    yield _Told(tuple(run))


def _is_one(first: tuple[AhuhaState, Fact], state: AhuhaState, fact: Fact) -> bool:
    begun, before = first
    if _is_swap(before) or _is_swap(fact):
        return False
    turns = [(x.series, x.round.number, x.round.active) for x in (begun, state)]
    return type(before) is type(fact) and turns[0] == turns[1]


def _is_swap(fact: Fact) -> bool:
    """Whether a frozen card is put down where no rule puts one: an exchange by a single player."""
    return isinstance(fact, FrozenPlaced) and fact.side is Side.RIGHT


def _said(state: AhuhaState, fact: Fact) -> Said:
    return said_of(BOOK, state, fact, str(getattr(fact, "seat", state.active or state.seats[0])))


@dataclass(slots=True)
class _Spread:
    """What lies on the table while a script is told, by place."""

    stage: AhuhaStage
    frozen: dict[int, CardOnTable] = field(default_factory=dict)
    on_field: dict[int, CardOnTable] = field(default_factory=dict)
    homes: dict[str, CardOnTable] = field(default_factory=dict)
    """Star to how it lies in a Home."""
    spots: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Star to whose Home it lies in, and where in the row."""
    asitas: dict[int, CardOnTable] = field(default_factory=dict)
    tigiris: dict[str, CardOnTable] = field(default_factory=dict)
    """By seat, those that lie open."""
    shown: set[str] = field(default_factory=set)
    """Seats whose Yono Tigiri card ever lay open."""

    def scene(self) -> Scene:
        """The table as it lies."""
        parts = (self.frozen, self.tigiris, self.homes, self.asitas, self.on_field)
        return replace(self.stage.empty(), cards=tuple(card for part in parts for card in part.values()))

    def moments(self, told: _Told) -> Iterator[Moment]:
        """What facts are on the table."""
        if told.kind is Dealt:
            yield self._deal(told.before)
        elif told.kind is CardLaid:
            yield self._lay(told)
        elif told.kind is CardRevealed:
            yield self._reveal(told)
        elif told.kind is FrozenTaken:
            yield self._take(told)
        elif told.kind is FrozenPlaced:
            yield self._put(told)
        elif told.kind is CardPlaced:
            yield self._bring_home(told)
        elif told.kind is AsitaShown:
            yield self._show_asita(told)
        elif told.kind is YonoTigiriShown:
            yield self._show_tigiri(told)
        elif told.kind is SeriesEnded:
            yield self._gather(told.before)
        elif told.kind is SeatsSwapped:
            yield self._swap_seats(told)
        else:
            yield Moment(None, self.scene(), nothing, told.said)

    def _deal(self, state: AhuhaState) -> Moment:
        self.frozen = {n: self.stage.frozen(n, state.series, 0) for n in range(SEATS)}
        laid = list(self.frozen.items())
        return Moment(f"series{state.series}-dealt", self.scene(), _laying(laid, self.scene()))

    def _lay(self, told: _Told) -> Moment:
        """Cards for the Field, from hands or, in the seventh round, from where they lay frozen; a second one is told."""
        state, number = told.before, told.before.round.number
        moves: list[Move] = []
        twice: list[Said] = []
        fresh: list[tuple[int, CardOnTable]] = []
        for before, fact in told.facts:
            place = _place(state, fact)
            if place in dict(fresh):
                twice.append(_said(before, fact))
                continue
            card = self.stage.field(place, BACK, state.series, number)
            fresh.append((place, card))
            if number == ROUNDS:
                moves.append((place, self.frozen.pop(frozen_place(state.setup, place)), card))
        self.on_field.update(fresh)
        scene = self.scene()
        handling = _carrying(moves, scene) if moves else _laying(fresh, scene)
        return Moment(f"{_when(state)}-laid", scene, handling, tuple(twice))

    def _reveal(self, told: _Told) -> Moment:
        places, faces = [], []
        for _, fact in told.facts:
            if isinstance(fact, CardRevealed):
                place = _place(told.before, fact)
                places.append(self.on_field[place])
                faces.append((letter(place), fact.card))
                self.on_field[place] = replace(self.on_field[place], art=fact.card)

        def handling(reel: Reel) -> Iterator[Scene]:
            yield from reel.turn(faces, places)

        return Moment(f"{_when(told.before)}-open", self.scene(), handling)

    def _take(self, told: _Told) -> Moment:
        """Frozen cards go into hands. That it is the wrong one, or that none was to be taken, is told before it can be seen."""
        takes: list[tuple[int, CardOnTable, Scene]] = []
        for state, fact in told.facts:
            if isinstance(fact, FrozenTaken):
                place = _place(state, fact)
                card = self.frozen.pop((place + 2) % SEATS if fact.side is Side.RIGHT else place)
                takes.append((place, card, self.scene()))
        wrong = told.before.round.passing < 0 or any(
            isinstance(fact, FrozenTaken) and fact.side is Side.LEFT for _, fact in told.facts
        )

        def handling(reel: Reel) -> Iterator[Scene]:
            for place, card, left in takes:
                yield from reel.draw_card(letter(place), card, left.cards)

        name = f"{_when(told.before)}-taken{told.before.round.passed}"
        return Moment(name, self.scene(), handling, said_before=told.said if wrong else ())

    def _put(self, told: _Told) -> Moment:
        laid: list[tuple[int, CardOnTable]] = []
        for state, fact in told.facts:
            if isinstance(fact, FrozenPlaced):
                place = _place(state, fact)
                spot = place if fact.side is Side.LEFT else (place + 2) % SEATS
                self.frozen[spot] = self.stage.frozen(spot, _when(state), state.round.active, state.round.passed)
                laid.append((place, self.frozen[spot]))
        wrong = told.before.round.passing < 0
        name = f"{_when(told.before)}-frozen{told.before.round.passed}"
        scene = self.scene()
        return Moment(name, scene, _laying(laid, scene), said_before=told.said if wrong else ())

    def _bring_home(self, told: _Told) -> Moment:
        """The cards of a turn go Home, or are turned there."""
        moves: list[Move] = []
        for state, fact in told.facts:
            if not isinstance(fact, CardPlaced):
                continue
            place = _place(state, fact)
            owner = next((n for n, card in self.on_field.items() if card.art == fact.card), None)
            was = self.homes.get(fact.card) if owner is None else self.on_field.pop(owner)
            card = self._into_home(place, fact.card, fact.orientation, state.series)
            if was is not None:
                moves.append((place, was, card))
        seats = "".join(letter(place) for place, _, _ in moves)
        scene = self.scene()
        return Moment(f"{_when(told.before)}-home-{seats}", scene, _carrying(moves, scene))

    def _into_home(self, place: int, card: str, way: Orientation, series: int) -> CardOnTable:
        if card not in self.spots:
            self.spots[card] = place, sum(home == place for home, _ in self.spots.values())
        self.homes[card] = self.stage.home(*self.spots[card], card, way, series)
        return self.homes[card]

    def _show_asita(self, told: _Told) -> Moment:
        laid, said = [], []
        for state, fact in told.facts:
            place = _place(state, fact)
            card = self.stage.asita(place, state.series)
            if card is None:
                said.append(_said(state, fact))
            else:
                self.asitas[place] = card
                laid.append((place, card))
        scene = self.scene()
        return Moment(f"series{told.before.series}-asita" if laid else None, scene, _laying(laid, scene), tuple(said))

    def _show_tigiri(self, told: _Told) -> Moment:
        laid, said = [], []
        for state, fact in told.facts:
            if not isinstance(fact, YonoTigiriShown):
                continue
            place = _place(state, fact)
            card = None if fact.seat in self.shown else self.stage.tigiri(place, fact.seat)
            self.shown.add(fact.seat)
            if card is None:
                said.append(_said(state, fact))
            else:
                self.tigiris[fact.seat] = card
                laid.append((place, card))
        scene = self.scene()
        return Moment(f"series{told.before.series}-tigiri" if laid else None, scene, _laying(laid, scene), tuple(said))

    def _gather(self, state: AhuhaState) -> Moment:
        """Each player's hand gathers the Home before it; a Yono Tigiri card that nobody won goes as well."""
        after = RULES.apply(state, SeriesEnded())
        won = {seat for seat, wins in zip(after.seats, after.wins, strict=True) if wins}
        lying, self.spots = self.spots, {}
        steps: list[tuple[int, list[CardOnTable], Scene]] = []
        for n in range(SEATS):
            taken = [self.homes.pop(card) for card, (home, _) in lying.items() if home == n and card in self.homes]
            taken += [self.asitas.pop(n)] if n in self.asitas else []
            seat = state.seats[n]
            taken += [self.tigiris.pop(seat)] if seat in self.tigiris and seat not in won else []
            steps.append((n, taken, self.scene()))

        def handling(reel: Reel) -> Iterator[Scene]:
            for place, taken, left in steps:
                yield from reel.take_away(letter(place), taken, left.cards)

        return Moment(f"series{state.series}-gathered", self.scene(), handling, still_s=TALK_S)

    def _swap_seats(self, told: _Told) -> Moment:
        """Two players change seats, and take their open Yono Tigiri cards with them."""
        state = told.before
        after = RULES.apply(state, told.facts[0][1])
        moves: list[Move] = []
        for seat, was in list(self.tigiris.items()):
            place = after.seats.index(seat)
            card = self.stage.tigiri(place, seat)
            if card is not None and place != state.seats.index(seat):
                self.tigiris[seat] = card
                moves.append((place, was, card))
        scene = self.scene()
        name = f"series{state.series}-swapped" if moves else None
        return Moment(name, scene, _carrying(moves, scene), said_before=told.said)


def _laying(cards: Sequence[tuple[int, CardOnTable]], after: Scene) -> Handling:
    def handling(reel: Reel) -> Iterator[Scene]:
        if cards:
            yield from reel.lay([(letter(place), card) for place, card in cards], after.cards)

    return handling


def _carrying(moves: Sequence[Move], after: Scene) -> Handling:
    """One card after the other goes to its place; what comes later lies where it lay until then."""
    scenes, cards = [], list(after.cards)
    for _, was, card in reversed(moves):
        scenes.append(tuple(cards))
        cards[cards.index(card)] = was

    def handling(reel: Reel) -> Iterator[Scene]:
        for (place, was, card), then in zip(moves, reversed(scenes), strict=True):
            yield from reel.carry(letter(place), [was], card, then)

    return handling


def _place(state: AhuhaState, fact: Fact) -> int:
    """Where the seat of a fact sits."""
    return state.seats.index(str(getattr(fact, "seat", state.seats[0])))


def _when(state: AhuhaState) -> str:
    return f"series{state.series}-round{state.round.number}"

"""Turns a written game of Shuhari into what a camera over the table would see, and what its players tap meanwhile.

The players tap what no camera sees once the page offers it: draws, searches, what a Review card takes. What is against the rules
and can't be seen, they tell in their own words, at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from calibration.zones import Layout
from companion.adjudicator.told import Said
from companion.games.shuhari import BOOK
from companion.rules.shuhari.facts import (
    STAGES,
    CardDrawn,
    CardPlayed,
    CardTaken,
    DeckRenewed,
    DeckSearched,
    Fact,
    HandPutAway,
    Play,
    Stage,
    StageShown,
    TrickCleared,
)
from companion.rules.shuhari.rules import RULES
from companion.rules.shuhari.settings import ShownHand
from companion.rules.shuhari.state import ShuhariState
from companion.virtual.moments import Moment, MomentFilms, nothing, said_of
from companion.virtual.reel import Reel, Timing
from companion.virtual.shuhari import ShuhariScript
from companion.virtual.shuhari_stage import ShuhariStage
from companion.virtual.stage import StageSettings
from hardware.virtual.scene import CardOnTable, Scene


class ShuhariDirector(MomentFilms):
    """Films a script: the deal, then a moment for each card played, each trick cleared, and whatever else changes the table."""

    def __init__(
        self,
        script: ShuhariScript,
        layout: Layout,
        settings: StageSettings | None = None,
        timing: Timing | None = None,
    ) -> None:
        """Raises BadProfileError where the layout lacks a zone, BadInputError where its row is too short."""
        self._script = script
        self.stage = ShuhariStage(layout, script.setup, settings or StageSettings())
        super().__init__(self.stage, timing)

    def moments(self) -> Iterator[Moment]:
        """What happens, act by act."""
        state = RULES.start(self._script.setup)
        spread = _Spread(self.stage, state.pool.deck)
        for fact in self._script.facts:
            after = RULES.apply(state, fact)
            yield from spread.moments(state, fact, after)
            state = after


@dataclass(slots=True)
class _Spread:
    """What lies on the table while a script is told."""

    stage: ShuhariStage
    deck: int
    pile: list[str] = field(default_factory=list)
    row: list[CardOnTable] = field(default_factory=list)
    arts: list[str] = field(default_factory=list)
    """The row's cards by id."""
    on: dict[int, tuple[Stage, CardOnTable]] = field(default_factory=dict)
    """Place in the row to the stage card that lies there."""

    def moments(self, before: ShuhariState, fact: Fact, after: ShuhariState) -> Iterator[Moment]:
        """What a fact is on the table; `before` and `after` are the states about it."""
        said = said_of(BOOK, before, fact, str(getattr(fact, "seat", before.turn)))
        match fact:
            case CardPlayed() as played:
                yield from self._play(before, played, after, said)
            case StageShown():
                pass  # the stage card was laid with the card that opened the stage
            case CardDrawn(seat=seat) | DeckSearched(seat=seat):
                yield self._draw(seat, after, said)
            case CardTaken(seat=seat, card=card):
                yield self._take(seat, card, before, said)
            case DeckRenewed():
                yield self._renew(before, after)
            case TrickCleared():
                yield from self._clear(before)
            case HandPutAway(seat=seat, cards=cards):
                yield self._put_away(seat, cards, before, after, said)
            case _:
                yield Moment(None, self.scene(), nothing, (said,))

    def scene(self) -> Scene:
        """The table as it lies."""
        cards: list[CardOnTable] = [self.stage.deck()] if self.deck else []
        if self.pile:
            cards.append(self.stage.pile(self.pile[-1], len(self.pile)))
        laid = {stage for stage, _ in self.on.values()}
        cards += [card for stage in STAGES if stage not in laid and (card := self.stage.waiting(stage)) is not None]
        for place, card in enumerate(self.row):
            cards.append(card)
            if place in self.on:
                cards.append(self.on[place][1])
        return Scene(self.stage.settings.table_mm, cards=tuple(cards))

    def _play(self, before: ShuhariState, fact: CardPlayed, after: ShuhariState, said: Said) -> Iterator[Moment]:
        trick, place = before.trick.number, len(self.row)
        card = self.stage.card(trick, place, fact.card, sideways=fact.declared is Play.REST)
        self.row.append(card)
        self.arts.append(fact.card)
        laid = self.scene()
        display = self._display(before, card) if fact.declared is Play.BREAK else None
        if display is not None:
            self.on[place] = display
        marked = self.scene()
        # Whose card it is nobody sees: one played out of turn is told, and so is a break that no stage card is left for.
        unseen = before.turn != fact.seat or (fact.declared is Play.BREAK and display is None)

        def handling(reel: Reel) -> Iterator[Scene]:
            yield from reel.lay([(fact.seat, card)])
            if display is not None:
                yield from _moved(reel, self.stage, fact.seat, display, laid, marked)

        name = f"trick{trick}-card{place + 1}"
        yield Moment(name, marked, handling, said_before=(replace(said, when_offered=False),) if unseen else ())
        if display is not None and after.trick.cards[-1].play is not Play.BREAK:
            del self.on[place]
            yield self._take_off(fact.seat, display, trick)

    def _display(self, before: ShuhariState, on: CardOnTable) -> tuple[Stage, CardOnTable] | None:
        """The stage card that a break lays on its card; None where none is left."""
        stage = STAGES[min(before.trick.stage + 1, 2)]
        if stage in {laid for laid, _ in self.on.values()}:
            return None
        display = self.stage.display(stage, on, before.trick.number)
        return None if display is None else (stage, display)

    def _take_off(self, seat: str, display: tuple[Stage, CardOnTable], trick: int) -> Moment:
        """A stage card that opened nothing goes back to where it was."""
        bare = self.scene()
        stage, lying = display
        waiting = self.stage.waiting(stage)

        def handling(reel: Reel) -> Iterator[Scene]:
            if waiting is None:
                yield from reel.take_away(seat, [lying], bare.cards)
            else:
                yield from reel.carry(seat, [lying], waiting, bare.cards)

        return Moment(f"trick{trick}-no-break{len(self.row)}", bare, handling)

    def _draw(self, seat: str, after: ShuhariState, said: Said) -> Moment:
        was, self.deck = self.deck, after.pool.deck
        scene = self.scene()
        top = self.stage.deck()

        def handling(reel: Reel) -> Iterator[Scene]:
            yield from reel.draw_card(seat, top, scene.cards)

        ran_out = f"trick{after.trick.number}-deck-empty{after.clock}" if was and not self.deck else None
        return Moment(ran_out, scene, handling, (said,))

    def _take(self, seat: str, card: str, before: ShuhariState, said: Said) -> Moment:
        top = self.stage.pile(card, len(self.pile))
        if card in self.pile:
            self.pile.remove(card)
        scene = self.scene()

        def handling(reel: Reel) -> Iterator[Scene]:
            yield from reel.draw_card(seat, top, scene.cards)

        return Moment(f"trick{before.trick.number}-taken{before.clock}", scene, handling, (said,))

    def _renew(self, before: ShuhariState, after: ShuhariState) -> Moment:
        lying = self.stage.pile(self.pile[-1], len(self.pile)) if self.pile else None
        self.pile.clear()
        self.deck = after.pool.deck
        scene = self.scene()
        seat = before.turn

        def handling(reel: Reel) -> Iterator[Scene]:
            if lying is not None:
                yield from reel.carry(seat, [lying], self.stage.deck(), scene.cards)

        return Moment(f"trick{before.trick.number}-renewed{before.clock}", scene, handling)

    def _clear(self, before: ShuhariState) -> Iterator[Moment]:
        seat, number = before.leader, before.trick.number
        off = [(display, self.stage.waiting(display[0])) for display in self.on.values()]
        steps: list[tuple[CardOnTable, CardOnTable | None, Scene]] = []
        for place, (display, waiting) in zip(list(self.on), off, strict=True):
            del self.on[place]
            steps.append((display[1], waiting, self.scene()))
        lying = list(self.row)
        self.pile += self.arts
        self.row.clear()
        self.arts.clear()
        scene = self.scene()
        target = self.stage.pile(self.pile[-1], len(self.pile)) if self.pile else None

        def handling(reel: Reel) -> Iterator[Scene]:
            for card, waiting, left in steps:
                if waiting is None:
                    yield from reel.take_away(seat, [card], left.cards)
                else:
                    yield from reel.carry(seat, [card], waiting, left.cards)
            if target is not None:
                yield from reel.carry(seat, lying, target, scene.cards)

        yield Moment(f"trick{number}-cleared", scene, handling)

    def _put_away(
        self, seat: str, cards: tuple[str, ...], before: ShuhariState, after: ShuhariState, said: Said
    ) -> Moment:
        """The shown hand goes to the pile, or under the deck, by the setting."""
        under = before.setup.settings.shown_hand is ShownHand.BOTTOM
        if not under:
            self.pile += cards
        self.deck = after.pool.deck
        scene = self.scene()
        target = self.stage.deck() if under else self.stage.pile(self.pile[-1], len(self.pile))

        def handling(reel: Reel) -> Iterator[Scene]:
            yield from reel.lay([(seat, target)], scene.cards)

        return Moment(f"trick{before.trick.number}-put-away{before.clock}", scene, handling, (said,))


def _moved(
    reel: Reel, stage: ShuhariStage, seat: str, display: tuple[Stage, CardOnTable], before: Scene, after: Scene
) -> Iterator[Scene]:
    """A stage card comes from where it waits, or from off the table."""
    waiting = stage.waiting(display[0])
    if waiting is None or waiting not in before.cards:
        yield from reel.lay([(seat, display[1])], after.cards)
    else:
        yield from reel.carry(seat, [waiting], display[1], after.cards)

"""From settled pictures of a Shuhari table to facts: cards of the row to plays, stage cards to breaks, an empty row to its end.

A card that comes new to the row is played by whose turn it is: where each turn ends with a draw that no camera sees, the order
of the row is the order of the turns. How it lies says what it is: sideways a rest, under a stage card a break. Draws, searches
and what a Review card takes are told by people (companion.adjudicator.shuhari.kit).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from calibration.zones import Layout
from companion.adjudicator.places import UNREADABLE, Shows
from companion.adjudicator.resolution import SURE, Entered, Resolution, Sight, TableNow
from companion.adjudicator.shuhari import questions
from companion.adjudicator.shuhari.table import Lie, RowCard, ShuhariTable, row_zones, table_of
from companion.adjudicator.walk import Walk
from companion.rules.shuhari import RULES, ShuhariSetup, ShuhariState
from companion.rules.shuhari.aids import pile_size
from companion.rules.shuhari.facts import (
    STAGES,
    CardDrawn,
    CardPlayed,
    DeckRenewed,
    Fact,
    Play,
    PlayDeclared,
    StageShown,
    TrickCleared,
)
from companion.rules.shuhari.hands import can_come
from companion.rules.shuhari.learning import counted
from companion.rules.shuhari.playing import assume_filled
from companion.rules.shuhari.state import NO_ART, Due, Played
from vision.observation import SceneReading

STEPS_A_LOOK = 40
"""One picture can't show more steps of play than a trick with its stage cards, and the next one's; ends any loop."""
COUNTS_AS_REST = "counts as a rest: lay it sideways"
"""What is said of an upright card that can be nothing else."""
EMPTY, GONE = "row:empty", "pile:gone"


class ShuhariResolver:
    """Pure: the same scene and record give the same resolution."""

    def __init__(self, setup: ShuhariSetup, layout: Layout) -> None:
        """Raises BadProfileError where the layout has no row."""
        row_zones(layout)
        self._setup = setup
        self._layout = layout

    def sight(self, scene: SceneReading, _state: ShuhariState) -> Sight:
        """The evidence in a scene, by key."""
        table = table_of(scene, self._setup.displays, self._layout)
        shown: set[str] = set()
        hidden = {"declined:"}  # what people declined is nothing that a picture could show to be gone
        for lying in table.row:
            shown.add(card_key(lying))
            if lying.display is not None:
                shown.add(display_key(lying))
        if table.row_hidden or any(lying.card is None for lying in table.row):
            hidden |= {"row:", "display:"}
        elif not table.row:
            shown.add(EMPTY)
        if Shows.HIDDEN in (table.pile.shows, table.deck.shows):
            hidden.add("pile:")
        elif is_pile_gone(table):
            shown.add(GONE)
        return Sight(frozenset(shown), frozenset(hidden))

    def resolve(self, scene: SceneReading, now: TableNow[ShuhariState, Fact]) -> Resolution[Fact]:
        """The next facts that the scene shows, in order, and what must be asked or said."""
        table = table_of(scene, self._setup.displays, self._layout)
        return _Walk(table=table, state=now.state, held=now.held, entered=list(now.entered)).resolution()


def card_key(lying: RowCard) -> str:
    """The evidence of a card of the row, and of how it lies."""
    return f"row:{lying.card}:{lying.copy}:{lying.lie}" if lying.card is not None else "row:?"


def display_key(lying: RowCard) -> str:
    """The evidence of a stage card on a card of the row."""
    display = lying.display
    return f"display:{display.card if display is not None else ''}:{lying.card}"


def is_pile_gone(table: ShuhariTable) -> bool:
    """Whether no discard pile lies there, but a deck."""
    return table.pile.shows is Shows.EMPTY and table.deck.shows is Shows.DOWN


@dataclass(frozen=True, slots=True)
class _Against:
    """The row as it lies against the row as it is recorded."""

    known: tuple[tuple[Played, RowCard], ...]
    """Recorded cards that lie there, in the record's order."""
    missing: tuple[Played, ...]
    """Recorded cards of which nothing is seen."""
    fresh: tuple[RowCard, ...]
    """Cards that aren't recorded, in the row's order."""


@dataclass(slots=True, kw_only=True)
class _Walk(Walk[ShuhariState, Fact]):
    """One picture's way through the game."""

    rules = RULES
    most_steps = STEPS_A_LOOK

    table: ShuhariTable

    def look(self) -> None:
        """The next step of play: a renewed deck, what comes new to the row, an empty row."""
        if self.state.over or self._takes_renewal():
            return
        against = self._against()
        if against.missing and not self.table.row_hidden and not self._is_full():
            self._miss(against)
        elif self._marks(against):
            self._clear(against) if self._is_full() else self._play(against)
        self._taken_back(against)
        self._differences(against)

    # Steps

    def _takes_renewal(self) -> bool:
        """Whether the discard pile became the deck: it is gone, and a deck lies there."""
        state = self.state
        if not pile_size(state.pool) or not is_pile_gone(self.table) or GONE in self.held:
            return False
        if state.trick.due is Due.TAKE:
            return False  # the pile is in somebody's hand, who looks for a card to take
        if self.breaches(DeckRenewed()):
            self.prompts.append("the discard pile is not in its place: lay it there, or tell that it became the deck")
            return False
        self.propose(DeckRenewed(), GONE, confidence=1.0)
        return True

    def _clear(self, against: _Against) -> None:
        """A complete trick ends when its cards are gone, whether the next one lies there already or not."""
        if against.known or self.table.row_hidden:
            if against.fresh and not against.missing:
                number = self.state.trick.number
                self.prompts.append(f"trick {number} is complete: clear its cards away before the next one is led")
            return
        keys = tuple(card_key(lying) for lying in self.table.row) or (EMPTY,)
        if any(lying.card is None for lying in self.table.row) or all(key in self.held for key in keys):
            return
        self.propose(TrickCleared(), *keys, confidence=1.0)

    def _miss(self, against: _Against) -> None:
        """Recorded cards are gone though the trick goes on."""
        trick = self.state.trick
        if not against.known and not against.fresh:
            if EMPTY in self.held:
                self.prompts.append(f"lay the cards of trick {trick.number} out once more")
            else:
                lay = counted(self.state.setup, trick)
                self.questions.append(questions.cleared_early(trick.number, lay, self.state.setup.length, EMPTY))
            return
        if len(against.missing) == len(against.fresh) == 1 and (lying := against.fresh[0]).card is not None:
            self._ask_which(against.missing[0], lying)
            return
        names = ", ".join(self._name(played.card) for played in against.missing)
        self.prompts.append(f"recorded, but not in the row: {names}")

    def _ask_which(self, played: Played, lying: RowCard) -> None:
        """One recorded card is gone, and one other lies there."""
        key = card_key(lying)
        entry = self._entry_of(played)
        if entry is None or key in self.held or lying.card is None:
            self.prompts.append(f"recorded, but not in the row: {self._name(played.card)}")
            return
        seat, setup = self.state.setup.seats[played.place], self.state.setup
        self.questions.append(questions.another_card(seat, entry.seq, entry.fact, lying.card, setup, key))

    def _marks(self, against: _Against) -> bool:
        """What the cards that are recorded lie like now; False where people must say first what the last one is."""
        trick = self.state.trick
        lying = next((seen for played, seen in against.known if trick.cards and played is trick.cards[-1]), None)
        if lying is not None:
            self._declare(trick.cards[-1], lying)
        for played, seen in against.known:
            if seen.display is not None:
                self._show_stage(played, seen)
        if not trick.cards or self.state.trick.cards[-1].play is not None:
            return True
        if trick.due is None or against.fresh:
            seat, card = self.state.setup.seats[trick.cards[-1].place], trick.cards[-1].card
            self.questions.append(questions.rest_or_break(seat, card, self.state.art))
            return False
        return True

    def _declare(self, last: Played, lying: RowCard) -> None:
        """The card played last came to lie under a stage card, or sideways, after it was recorded."""
        setup = self.state.setup
        seat, told = setup.seats[last.place], self._told_of_last()
        if last.card not in setup.arts or last.play is Play.LEAD:
            return
        if lying.display is not None and told is not Play.BREAK and display_key(lying) not in self.held:
            if self.state.trick.stage > self.state.trick.shown:
                return  # an earlier break's stage card is still to be laid: it may be this one, on the wrong card
            fact = PlayDeclared(seat, Play.BREAK)
            if lying.display.confidence >= SURE or not self.breaches(fact):
                self.propose(fact, display_key(lying), confidence=lying.display.confidence)
        elif lying.lie is Lie.SIDEWAYS and told is None and card_key(lying) not in self.held:
            if last.play is None:
                self.propose(PlayDeclared(seat, Play.REST), card_key(lying), confidence=lying.reading.confidence)
            elif last.play is Play.PRACTICE:
                self.questions.append(questions.turned_sideways(seat, last.card, card_key(lying)))

    def _show_stage(self, played: Played, lying: RowCard) -> None:
        """The stage card of the stage that a card opened."""
        trick, display = self.state.trick, lying.display
        if display is None or trick.shown >= trick.stage or display_key(lying) in self.held:
            return
        opened = next(card for card in reversed(trick.cards) if card.play is Play.BREAK)
        if (opened.card, opened.time) != (played.card, played.time):
            return
        if display.stage in (None, STAGES[trick.stage]):
            self.propose(StageShown(STAGES[trick.stage]), display_key(lying), confidence=display.confidence)

    def _play(self, against: _Against) -> None:
        """The first card of the row that is not recorded."""
        fresh = [lying for lying in against.fresh if card_key(lying) not in self.held]
        if not fresh or self.questions:
            return
        lying = fresh[0]
        if lying.hidden_before > len(against.missing) or self._may_still_be_tapped():
            return
        turn = self._next_turn()
        seat, declared = turn.turn, self._declared(lying, turn)

        def is_possible(card: str) -> bool:
            return can_come(turn, turn.setup.places[seat], card)

        setup = turn.setup
        if lying.is_down:
            self.prompts.append(f"{seat}'s card lies face down: turn it up")
        elif lying.card is None:
            question = questions.which_card(setup, seat, lying, is_possible, declared)
            if question is not None:
                self.questions.append(question)
            else:
                self.prompts.append(f"{seat}'s card {UNREADABLE}")
        elif lying.card not in setup.cards:
            self.prompts.append(f"{lying.card} is no card of this deck: take it out of the row")
        elif not is_possible(lying.card):
            key = card_key(lying)
            self.questions.append(questions.cannot_be(setup, seat, lying, is_possible, declared, key))
        elif lying.lie is Lie.ASKEW and turn.trick.art != NO_ART and lying.card in setup.arts:
            self.prompts.append(f"{self._name(lying.card)} lies askew: sideways is a rest, upright is none")
        else:
            self._propose_play(CardPlayed(seat, lying.card, declared), lying)

    def _may_still_be_tapped(self) -> bool:
        """Whether a draw is due at a table that taps its draws, and this picture brought more: nobody had time to tap it."""
        trick = self.state.trick
        if not self.proposals or (trick.due is None and not trick.owed):
            return False
        return any(isinstance(entry.fact, CardDrawn) for entry in self.entered)

    def _propose_play(self, fact: CardPlayed, lying: RowCard) -> None:
        confidence, key = lying.reading.confidence, card_key(lying)
        if lying.display is not None:
            confidence = min(confidence, lying.display.confidence)
        broken = self.breaches(fact)
        if confidence >= SURE or not broken:
            self.propose(fact, key, confidence=confidence)
            return
        setup = self.state.setup
        self.questions.append(questions.is_it_so(setup, fact.seat, fact.card, fact.declared, key, broken[0]))

    def _taken_back(self, against: _Against) -> None:
        """A card that was taken back and still lies there: a question, never a silent repair."""
        lying = next((seen for seen in against.fresh if card_key(seen) in self.held), None)
        if lying is None or lying.card not in self.state.setup.cards or self._is_full() or self.questions:
            return
        trick = self.state.trick.number
        if f"declined:{trick}" in self.held:
            self.prompts.append("table and record differ: what was taken back still lies there")
            return
        turn = self._next_turn()
        card = lying.card or ""
        fact = CardPlayed(turn.turn, card, self._declared(lying, turn))
        self.questions.append(questions.as_it_lies(self.state.setup, trick, [fact], f"declined:{trick}"))

    def _differences(self, against: _Against) -> None:
        """What lies otherwise than recorded, and what is still to be laid."""
        trick, arts = self.state.trick, self.state.setup.arts
        for played, lying in against.known:
            if played.card not in arts:
                continue
            if played.play is Play.REST and lying.lie is Lie.UPRIGHT:
                self.prompts.append(f"{self._name(played.card)} {COUNTS_AS_REST}")
            elif played.play in (Play.LEAD, Play.PRACTICE, Play.BREAK) and lying.lie is Lie.SIDEWAYS:
                self.prompts.append(f"{self._name(played.card)} is no rest: turn it upright")
            if lying.display is not None and played.play is not Play.BREAK:
                self.prompts.append(f"{self._name(played.card)} opens no stage: take the stage card away")
        if trick.stage > trick.shown and self.state.setup.displays:
            opened = next(card for card in reversed(trick.cards) if card.play is Play.BREAK)
            self.prompts.append(f"lay the {STAGES[trick.stage]} stage card on {self._name(opened.card)}")
        for card in self.table.unclear:
            self.prompts.append(f"something over {self._name(card)} can't be read: straighten it, or take it away")
        if self.table.strays and not self.table.row_hidden:
            self.prompts.append("a stage card lies in the row on no card: lay it on the card that opened the stage")

    # What the steps ask

    def _against(self) -> _Against:
        """Holds the row against the record: by cards first, then unread cards stand for what is missing, in order."""
        left = Counter(played.card for played in self.state.trick.cards)
        seen: dict[str, list[RowCard]] = {}
        fresh: list[RowCard] = []
        for lying in self.table.row:
            if lying.card is not None and left[lying.card] > 0:
                left[lying.card] -= 1
                seen.setdefault(lying.card, []).append(lying)
            else:
                fresh.append(lying)
        known, missing = [], []
        for played in self.state.trick.cards:
            if seen.get(played.card):
                known.append((played, seen[played.card].pop(0)))
            else:
                missing.append(played)
        unread = [lying for lying in fresh if lying.card is None]
        stand_in = unread[: len(missing)]
        return _Against(
            tuple(known), tuple(missing[len(stand_in) :]), tuple(card for card in fresh if card not in stand_in)
        )

    def _is_full(self) -> bool:
        """Whether the trick has all its cards."""
        trick = self.state.trick
        return trick.learned is not None or counted(self.state.setup, trick) >= self.state.setup.length

    def _next_turn(self) -> ShuhariState:
        """The state in which the next card is played: with the draws that nobody told."""
        trick = self.state.trick
        return assume_filled(self.state) if trick.due is not None or trick.owed else self.state

    def _declared(self, lying: RowCard, turn: ShuhariState) -> Play | None:
        """What a new card is by how it lies; None for the lead, for a Preparation or Review card, and where it is upright."""
        if turn.trick.art == NO_ART or (lying.card is not None and lying.card not in turn.setup.arts):
            return None
        if lying.display is not None:
            return Play.BREAK
        return Play.REST if lying.lie is Lie.SIDEWAYS else None

    def _told_of_last(self) -> Play | None:
        """What the card played last was said to be so far."""
        for entry in reversed(self.entered):
            match entry.fact:
                case PlayDeclared(play=play):
                    return play
                case CardPlayed(declared=declared):
                    return declared
                case _:
                    pass
        return None

    def _entry_of(self, played: Played) -> Entered[CardPlayed] | None:
        """The record's entry of a card of this trick; None for one that this picture added."""
        for entry in reversed(self.entered):
            if isinstance(entry.fact, TrickCleared):
                return None
            if isinstance(entry.fact, CardPlayed) and entry.fact.card == played.card and entry.seq:
                return Entered(entry.seq, entry.fact)
        return None

    def _name(self, card: str) -> str:
        return self.state.setup.named(card)

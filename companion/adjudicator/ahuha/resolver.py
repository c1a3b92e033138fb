"""From settled pictures of an Ahuha Ahukaha table to facts: cards of the Field to plays, cards of the Homes to the ends of turns.

A card in a Home is one fact, by how it lies for its player. Of several that came at once the card whose turn it is goes first,
and one out of its turn is recorded only while the card that is on turn plainly lies in the Field. What came of an effect, whose
hand took which frozen card, who changed seats: that is told by people (companion.adjudicator.ahuha.taps).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from calibration.zones import Layout
from companion.adjudicator.ahuha import questions
from companion.adjudicator.ahuha.table import AhuhaTable, HomeCard, Place, table_of, zone_names
from companion.adjudicator.ahuha.taps import taps_of
from companion.adjudicator.ahuha.words import described
from companion.adjudicator.places import UNREADABLE, OnSpot, Shows
from companion.adjudicator.resolution import SURE, Resolution, Sight, TableNow
from companion.adjudicator.walk import Walk
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
    SeriesEnded,
    Side,
    YonoTigiriShown,
)
from companion.rules.ahuha.knowledge import is_new
from companion.rules.ahuha.placing import due_now, owner_of
from companion.rules.ahuha.rules import RULES
from companion.rules.ahuha.setup import ROUNDS, SEATS, AhuhaSetup
from companion.rules.ahuha.state import ALL_SEATS, AhuhaState, Phase, home_of
from vision.observation import SceneReading

STEPS_A_LOOK = 40
"""One picture can't show more steps of play than a round with what it brings, and the next one's cards; ends any loop."""
BARE = "table:bare"
"""The evidence that all stars were gathered."""
_ON_A_SPOT = (Shows.DOWN, Shows.UP, Shows.UNREAD)


class AhuhaResolver:
    """Pure: the same scene and record give the same resolution."""

    def __init__(self, setup: AhuhaSetup, layout: Layout) -> None:
        """Raises BadProfileError where the layout lacks a zone."""
        for name in zone_names(SEATS):
            layout.zone(name)
        self._setup = setup
        self._layout = layout

    def sight(self, scene: SceneReading, state: AhuhaState) -> Sight:
        """The evidence in a scene, by key."""
        table = table_of(scene, self._setup.helpers, self._layout)
        shown: set[str] = set()
        hidden = {"declined:", "weak:"}  # what people declined is nothing that a picture could show to be gone
        for place in table:
            shown |= {field_key(place), frozen_key(place)}
            shown |= {home_key(place, lying) for lying in place.stars}
            shown |= {f"asita:{place.letter}"} if place.asita is not None else set()
            shown |= {f"tigiri:{place.letter}"} if place.tigiri is not None else set()
            if place.field.shows in (Shows.HIDDEN, Shows.UNREAD, Shows.CROWDED):
                hidden.add(f"field:{place.letter}:")
            if place.frozen.shows in (Shows.HIDDEN, Shows.UNREAD, Shows.CROWDED):
                hidden.add(f"frozen:{place.letter}:")
            if place.home_hidden or any(lying.card is None for lying in place.stars):
                hidden |= {f"home:{place.letter}:", f"asita:{place.letter}", f"tigiri:{place.letter}"}
        if is_bare(table, state):
            shown.add(BARE)
        return Sight(frozenset(shown), frozenset(hidden))

    def resolve(self, scene: SceneReading, now: TableNow[AhuhaState, Fact]) -> Resolution[Fact]:
        """The next facts that the scene shows, in order, and what must be asked or said."""
        table = table_of(scene, self._setup.helpers, self._layout)
        return _Walk(table=table, state=now.state, held=now.held, entered=list(now.entered)).resolution()


def is_bare(table: AhuhaTable, state: AhuhaState) -> bool:
    """Whether all stars are gathered: those of the record lie in no Home any more, and nothing lies in Field or between."""
    return all(place.is_bare(len(home)) for place, home in zip(table, state.homes, strict=True))


def field_key(place: Place) -> str:
    """The evidence of what lies where a player lays a card."""
    card = f":{place.field.card}" if place.field.shows is Shows.UP else ""
    return f"field:{place.letter}:{place.field.shows}{card}"


def frozen_key(place: Place) -> str:
    """The evidence of a frozen card, or of its absence."""
    return f"frozen:{place.letter}:{place.frozen.shows}"


def home_key(place: Place, lying: HomeCard) -> str:
    """The evidence of a card in a Home, and of how it lies."""
    return f"home:{place.letter}:{lying.card}:{lying.orientation}"


@dataclass(slots=True, kw_only=True)
class _Walk(Walk[AhuhaState, Fact]):
    """One picture's way through the game."""

    rules = RULES
    most_steps = STEPS_A_LOOK

    table: AhuhaTable
    back: list[tuple[Fact, str]] = field(default_factory=list)
    """What was taken back and still lies there, with its evidence."""

    def look(self) -> None:
        """The next step of play, by where the game is."""
        self.back.clear()
        match self.state.phase:
            case Phase.DEAL:
                self._deal()
            case Phase.EFFECT | Phase.HOSIAHI:
                if not self._pass_frozen():
                    self._bring_home()
            case Phase.OVER:
                pass
            case _ if self._turn_in_homes():
                pass  # what follows is looked at with the turned card recorded
            case Phase.LAY:
                self._lay()
            case Phase.REVEAL:
                self._reveal()
            case Phase.COUNT:
                self._count()

    def look_for_differences(self) -> None:
        """What was taken back and still lies there: a question, never a silent repair."""
        if not self.back or self.questions:
            return
        state = self.state
        declined = f"declined:{state.series}:{state.round.number}"
        if declined in self.held:
            self.prompts.append("table and record differ: what was taken back still lies there")
            return
        facts = [fact for fact, _ in self.back]
        shown = [described(fact, self._name) for fact in facts]
        self.questions.append(questions.as_it_lies(state.series, state.round.number, shown, facts, declined))

    # Steps

    def _deal(self) -> None:
        """A series begins once a frozen card lies between each pair and nothing else lies there."""
        if any(place.has_stars for place in self.table):
            self.prompts.append("gather the cards of the Homes: the next series begins with empty ones")
        elif all(place.frozen.shows in (Shows.DOWN, Shows.UNREAD) for place in self.table):
            sure = min(_confidence(place.frozen) for place in self.table)
            self._offer(Dealt(), *(frozen_key(place) for place in self.table), confidence=sure)
        elif all(place.field.shows in _ON_A_SPOT for place in self.table):
            self._lay()  # the deal was overlooked

    def _lay(self) -> None:
        """Cards of the round that lie in the Field, whichever way up; they count as revealed only once all three lie."""
        current = self.state.round
        waiting = [n for n in range(SEATS) if not current.present >> n & 1]
        for n in waiting:
            place = self.table[n]
            if place.field.shows is Shows.CROWDED:
                self.prompts.append(f"more than one card lies where {self._seat(n)} lays one: leave one")
            elif place.field.shows is Shows.UP and not self._is_new(place.field.card):
                self.prompts.append(f"{self._name(place.field.card)} still lies in the Field: take it Home")
            elif place.field.shows in _ON_A_SPOT:
                self._offer(CardLaid(self._seat(n)), field_key(place), confidence=_confidence(place.field))
        late = [self._seat(n) for n in range(SEATS) if not self.state.round.present >> n & 1]
        early = [self._seat(n) for n in range(SEATS) if n not in waiting and self.table[n].field.shows is Shows.UP]
        if early and late:
            self.prompts.append(f"{' and '.join(early)}: open already, while {' and '.join(late)} has not laid a card")
        self._miss_frozen()

    def _miss_frozen(self) -> None:
        """A frozen card is gone though nothing takes it: whose hand it was nobody can see."""
        seats, is_early = self.state.seats, self.state.round.number < ROUNDS
        for n, place in enumerate(self.table):
            if is_early and place.frozen.shows is Shows.EMPTY:
                pair = f"{seats[n]} and {seats[(n + 1) % SEATS]}"
                self.prompts.append(f"the frozen card between {pair} is not there: lay it back, or tell who took it")

    def _reveal(self) -> None:
        """Open cards of the round."""
        if all(place.field.shows is Shows.EMPTY for place in self.table) and not any(self._fresh()):
            number = self.state.round.number
            self.prompts.append(
                f"the cards of round {number} were taken away unread: lay them open again, or tell them"
            )
            return
        for n, place in enumerate(self.table):
            if self.state.round.cards[n] is not None or self.state.round.active is not None:
                continue
            self._reveal_one(n, place)
        if self.state.phase is Phase.REVEAL:
            self._miss_frozen()

    def _reveal_one(self, n: int, place: Place) -> None:
        spot, seat, setup = place.field, self._seat(n), self.state.setup
        match spot.shows:
            case Shows.CROWDED:
                self.prompts.append(f"more than one card lies where {seat} lays one: leave one")
            case Shows.UNREAD if spot.reading is not None:
                if spot.reading.candidates and spot.reading.candidates[0][0] not in setup.cards:
                    return  # most like a back: it has not been turned yet
                if any(other.field.shows is Shows.DOWN for other in self.table):
                    return  # the three are turned together: it may lie face down as well
                question = questions.which_card(setup, seat, place.letter, (spot.index, spot.reading), self._is_new)
                if question is not None:
                    self.questions.append(question)
                else:
                    self.prompts.append(f"{seat}'s card {UNREADABLE}")
            case Shows.UP if spot.card is not None and spot.reading is not None:
                key = field_key(place)
                if self._is_new(spot.card) or key in self.held:
                    self._offer(CardRevealed(seat, spot.card), key, confidence=_confidence(spot))
                else:
                    seen = (spot.index, spot.reading)
                    self.questions.append(questions.shown_before(setup, seat, place.letter, seen, self._is_new, key))
            case _:
                pass

    def _pass_frozen(self) -> bool:
        """Frozen cards on their way: from a spot into the hand of who sits on its left side, and down again on the own left."""
        passing, moved = self.state.round.passing, False
        if passing < 0:
            return False
        for n, own in enumerate(self.table):
            right = self.table[(n + 2) % SEATS]
            if right.frozen.shows is Shows.EMPTY and not passing >> n & 1:
                moved |= self._offer(FrozenTaken(self._seat(n), Side.RIGHT), frozen_key(right), confidence=1.0)
            elif own.frozen.shows is Shows.DOWN and passing & ALL_SEATS == ALL_SEATS and not passing >> n + SEATS & 1:
                sure = _confidence(own.frozen)
                moved |= self._offer(FrozenPlaced(self._seat(n), Side.LEFT), frozen_key(own), confidence=sure)
        return moved

    def _bring_home(self) -> None:
        """The next card that came to lie in a Home, or was turned there."""
        current, due = self.state.round, due_now(self.state)
        active = current.active
        fresh = list(self._fresh())
        ranked = sorted(fresh, key=lambda seen: self._rank(seen[1].card))
        for n, lying in ranked:
            owner = owner_of(current, lying.card or "")
            if lying.card is None:
                continue
            if owner is None:
                if self._take_other(n, lying):
                    return
            elif self.table[owner].field.card == lying.card:
                self.prompts.append(f"{self._name(lying.card)} seems to lie in the Field and in a Home: straighten it")
            elif owner == active and self.state.phase is Phase.EFFECT and lying.orientation is not None:
                self._ask_effect(n, lying)
                return
            elif owner in (active, None if due is None else due.partner) or self._lies_in_field(active):
                if self._place(n, lying):
                    return
            else:
                self.prompts.append(f"{self._name(lying.card)} lies in a Home before its turn can be seen")
        self._ask_where_it_went()

    def _take_other(self, n: int, lying: HomeCard) -> bool:
        """A card that is not of this Field: one that was turned in its Home, or one that nobody saw before."""
        card = lying.card or ""
        lies = home_of(self.state, card)
        if lies is not None and lies[0] == n:
            return self._place(n, lying)
        if lies is not None:
            owner = self._seat(lies[0])
            self.prompts.append(f"{self._name(card)} is recorded in {owner}'s Home, not in {self._seat(n)}'s")
            return False
        missing = [place for place in range(SEATS) if self._is_lost(place)]
        entry = self._entry_of(missing[0]) if len(missing) == 1 else None
        key = home_key(self.table[n], lying)
        if entry is not None and key not in self.held and self._is_new(card) and not self.questions:
            self.questions.append(questions.another_card(self.state.setup, entry[0], entry[1], card, key))
        else:
            self.prompts.append(f"{self._name(card)} lies in {self._seat(n)}'s Home and was not seen in the Field")
        return False

    def _place(self, n: int, lying: HomeCard) -> bool:
        card, key = lying.card or "", home_key(self.table[n], lying)
        if lying.orientation is None:
            self.prompts.append(f"{self._name(card)} lies askew: upright, sideways or upside down?")
            return False
        fact = CardPlaced(self._seat(n), card, lying.orientation)
        return self._offer(fact, key, confidence=lying.reading.confidence)

    def _ask_effect(self, n: int, lying: HomeCard) -> None:
        """The card on turn came Home before anybody told what its effect did: afterwards it could not be told any more."""
        key, card = home_key(self.table[n], lying), lying.card or ""
        fact = CardPlaced(self._seat(n), card, lying.orientation or Orientation.HORIZONTAL)
        if key in self.held:
            self.back.append((fact, key))
        else:
            answers = [(tap.label, tap.act) for tap in taps_of(self.state) if tap.whole]
            self.questions.append(questions.what_did_it_do(self.state.setup, card, answers, fact))

    def _ask_where_it_went(self) -> None:
        """A card of the Field is seen nowhere any more, and the next round's lies in its place."""
        unread = [self._seat(n) for n, place in enumerate(self.table) if any(x.card is None for x in place.stars)]
        for n, place in enumerate(self.table):
            card = self.state.round.cards[n]
            if card is None or not self._is_lost(n):
                continue
            if unread:
                self.prompts.append(f"a card in {unread[0]}'s Home {UNREADABLE}")
            elif place.field.shows is Shows.DOWN and not self.questions:
                self.questions.append(questions.how_did_it_go_home(self.state.setup, self._seat(n), card))
            else:
                self.prompts.append(f"{self._name(card)} of {self._seat(n)} is seen neither in the Field nor in a Home")

    def _turn_in_homes(self) -> bool:
        """Between turns: a card that was turned in its Home; while a round is revealed, one that was seen in a Home first."""
        for n, lying in self._fresh():
            lies = home_of(self.state, lying.card or "")
            if lies is not None and lies[0] == n and self._place(n, lying):
                return True
            if lies is None and self._is_unseen(n, lying):
                # It was open in the Field while something lay over it: it is what its player laid there.
                shown = CardRevealed(self._seat(n), lying.card or "")
                if self._offer(shown, home_key(self.table[n], lying), confidence=lying.reading.confidence):
                    return True
        return False

    def _is_unseen(self, n: int, lying: HomeCard) -> bool:
        """Whether a card went Home before it was seen open in the Field, which is empty there by now."""
        gone = self.table[n].field.shows is Shows.EMPTY and self.state.round.cards[n] is None
        return (
            self.state.phase is Phase.REVEAL and gone and self._is_new(lying.card) and lying.reading.confidence >= SURE
        )

    def _count(self) -> None:
        """Asita and Yono Tigiri cards that are turned up, and the end of the series: all cards are gathered.

        Once they are, players may have changed seats with their Yono Tigiri cards: one that no rule calls for proves nothing.
        """
        bare = is_bare(self.table, self.state)
        for n, place in enumerate(self.table):
            seat = self._seat(n)
            if place.asita is not None and not self.state.asita >> n & 1:
                self._offer(AsitaShown(seat), f"asita:{place.letter}", confidence=place.asita.confidence)
            # One turned up in an earlier series lies open ever since.
            if place.tigiri is not None and not self._has_shown(seat):
                shown = YonoTigiriShown(seat)
                if not (bare and self.breaches(shown)):
                    self._offer(shown, f"tigiri:{place.letter}", confidence=place.tigiri.confidence)
        if bare:
            self._offer(SeriesEnded(), BARE, confidence=1.0)
        elif all(place.frozen.shows is Shows.DOWN and not place.has_stars for place in self.table):
            # The next series is dealt: nobody saw the table bare.
            self._offer(Dealt(), *(frozen_key(place) for place in self.table), confidence=1.0)

    # What the steps ask

    def _offer(self, fact: Fact, *keys: str, confidence: float) -> bool:
        """Proposes what the picture shows: True. Not what was taken back, and a weak and illegal reading is asked about."""
        if all(key in self.held for key in keys):
            self.back.append((fact, keys[0]))
            return False
        broken = self.breaches(fact) if confidence < SURE else ()
        if broken:
            words = described(fact, self._name)
            self.questions.append(questions.is_it_so(fact, words, keys[0], broken[0]))
            return False
        self.propose(fact, *keys, confidence=confidence)
        return True

    def _fresh(self) -> Iterator[tuple[int, HomeCard]]:
        """Cards of the Homes that are not recorded so, with the place in whose Home they lie."""
        for n, place in enumerate(self.table):
            recorded = {placed.card: placed.orientation for placed in self.state.homes[n]}
            for lying in place.stars:
                if (
                    lying.card is None
                    or lying.card not in recorded
                    or lying.orientation not in (None, recorded[lying.card])
                ):
                    yield n, lying

    def _rank(self, card: str | None) -> int:
        """In which order cards that came Home together are taken: whose turn it is, whom it meets, the others."""
        current, due = self.state.round, due_now(self.state)
        owner = owner_of(current, card or "")
        if owner is not None and owner == current.active:
            return 0
        if due is not None and (owner is not None and owner == due.partner):
            return 1
        turned = due is not None and due.turned is not None and due.turned[1] == card
        return 2 if turned else 3

    def _lies_in_field(self, n: int | None) -> bool:
        """Whether the card that a place played plainly lies in the Field still."""
        if n is None:
            return False
        card = self.state.round.cards[n]
        return card is not None and self.table[n].field.card == card

    def _is_lost(self, n: int) -> bool:
        """Whether a place's card ought to lie in the Field and is seen neither there nor in a Home."""
        current, place = self.state.round, self.table[n]
        card = current.cards[n]
        if card is None or not current.field >> n & 1 or place.field.shows not in (Shows.EMPTY, Shows.DOWN):
            return False
        hidden = any(other.home_hidden for other in self.table)
        return not hidden and not any(lying.card == card for other in self.table for lying in other.stars)

    def _entry_of(self, n: int) -> tuple[int, CardRevealed] | None:
        """The record's entry of a place's card of this round; None for one that this picture added."""
        seat, card = self._seat(n), self.state.round.cards[n]
        for entry in reversed(self.entered):
            if isinstance(entry.fact, CardRevealed) and (entry.fact.seat, entry.fact.card) == (seat, card):
                return (entry.seq, entry.fact) if entry.seq else None
        return None

    def _has_shown(self, seat: str) -> bool:
        return any(entry.fact == YonoTigiriShown(seat) for entry in self.entered)

    def _is_new(self, card: str | None) -> bool:
        """Whether a star can come to light now: it is in the deck and was not shown before in this series."""
        return card is not None and is_new(self.state.knowledge, self.state.setup, card)

    def _seat(self, n: int) -> str:
        return self.state.seats[n]

    def _name(self, card: str | None) -> str:
        return self.state.setup.named(card or "")


def _confidence(spot: OnSpot) -> float:
    return spot.reading.confidence if spot.reading is not None else 1.0

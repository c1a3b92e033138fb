"""Simulated players of Ahuha Ahukaha: seeded games as scripts of what happens at the table, honest or not.

The same seed and plan give the same script on every machine. What the deck doesn't know of a card's effect each game makes up for
itself, for people would read it aloud and tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from companion.decks import builtin_deck
from companion.rules.ahuha.answers import asked_by
from companion.rules.ahuha.counted import winners_of
from companion.rules.ahuha.effects import ATTRIBUTES, EffectKind
from companion.rules.ahuha.facts import (
    KINDS,
    AsitaShown,
    CardLaid,
    CardPlaced,
    CardRevealed,
    Dealt,
    EffectTold,
    Fact,
    FrozenPlaced,
    FrozenTaken,
    Orientation,
    SeatsSwapped,
    SeriesEnded,
    Side,
    Told,
    YonoTigiriShown,
)
from companion.rules.ahuha.fold import apply, due_now, start
from companion.rules.ahuha.knowledge import frozen_place, worlds
from companion.rules.ahuha.rules import RULES
from companion.rules.ahuha.settings import Mode
from companion.rules.ahuha.setup import HAND, ROUNDS, AhuhaSetup, cards_of, shared
from companion.rules.ahuha.state import AhuhaState, Phase
from companion.rules.ahuha.turns import effect_of_active, partner_of
from companion.virtual.chance import Chance
from companion.virtual.playout import Judged, Playout, finding_text, outcome_text, play_many

SEATS = ("A", "B", "C")
_MADE_UP = (
    (Told.NOTHING, 500),
    (Told.HANDS, 750),
    (Told.PASSED, 830),
    (Told.HOSIAHI, 930),
    (Told.INVERTED, 990),
    (Told.OTHER, 1000),
)
"""What an unknown effect is: below which of a thousand."""


@dataclass(frozen=True, slots=True)
class AhuhaCheat:
    """How dishonest the players are; shares of a thousand, so that no rounding differs between machines."""

    false_answer: int = 0
    """How often a player raises a hand without holding what is asked, or keeps it down."""
    missed_meeting: int = 0
    """How often a player whose card must meet another lays it horizontally."""
    wrong_placing: int = 0
    """How often a card is laid otherwise than it ought to be, where no meeting is due."""
    wrong_side: int = 0
    """How often, when frozen cards are passed, everyone takes the one on the left."""
    lone_swap: int = 0
    """How often a player changes a hand card for the frozen one on the right, though no effect says so."""
    second_card: int = 0
    """How often a player lays two cards in a round."""
    false_asita: int = 0
    """How often a player without a meeting at Tanabata turns the Asita card up."""
    false_tigiri: int = 0
    """How often a player who did not win a series turns the Yono Tigiri card up."""
    cheaters: frozenset[str] | None = None
    """The seats that do so; None for all."""

    def cheats(self, seat: str) -> bool:
        """Whether this seat is among the cheaters."""
        return self.cheaters is None or seat in self.cheaters


HONEST = AhuhaCheat()


@dataclass(frozen=True, slots=True)
class Breach:
    """The truth of one breach, known to the script only."""

    kind: str
    """The field of the plan that brought it about."""
    series: int
    round: int
    player: str
    act: int
    """The index of the fact."""


@dataclass(frozen=True, slots=True)
class AhuhaScript:
    """A whole game, written before it is played."""

    setup: AhuhaSetup
    seed: int
    facts: tuple[Fact, ...]
    breaches: tuple[Breach, ...]
    final: AhuhaState


def builtin_setup() -> AhuhaSetup:
    """Three players with the deck that comes with the program."""
    return AhuhaSetup(SEATS, cards_of(builtin_deck("ahuha").cards))


def play_game(setup: AhuhaSetup, seed: int, cheat: AhuhaCheat = HONEST, *, greedy: bool = False) -> AhuhaScript:
    """A seeded game, legal but for what the plan spoils: of random play, or of greedy players (see `Game`)."""
    game = Game(setup, seed, cheat, greedy=greedy)
    facts = tuple(game.acts())
    return AhuhaScript(setup, seed, facts, tuple(game.breaches), game.state)


class Game:
    """A game in the playing: `acts` yields one fact after the other; hands and frozen cards are the truth of the table.

    A greedy player lays the star that shares most with those that may still come.
    """

    def __init__(self, setup: AhuhaSetup, seed: int, cheat: AhuhaCheat = HONEST, *, greedy: bool = False) -> None:
        self.setup = setup
        self.state = start(setup)
        self.breaches: list[Breach] = []
        self.hands: dict[str, list[str]] = {}
        self.frozen: list[str] = []
        """By frozen place; place n lies on the left of place n."""
        self._chance = Chance(seed)
        self._cheat = cheat
        self._greedy = greedy
        self._told = 0
        self._made_up = {card: self._make_up(card) for card in setup.ids}

    def _make_up(self, card: str) -> EffectTold:
        """What an effect that nobody knows does in this game; who raises hands and whom it meets is found at the table."""
        draw, chance = self._chance.below(1000), self._chance
        outcome = next(outcome for outcome, below in _MADE_UP if draw < below)
        if outcome is Told.INVERTED and not self.setup.cards[card].two_point:
            outcome = Told.NOTHING
        asked: tuple[str, ...] = ()
        if outcome is Told.HANDS and chance.per_mille(300):
            attribute = chance.pick(tuple(ATTRIBUTES))
            of_attribute = f"{attribute}:{chance.pick(ATTRIBUTES[attribute])}"
            asked = (of_attribute,) if chance.per_mille(500) else (chance.pick(self.setup.ids),)
        return EffectTold(outcome, asked=asked)

    def acts(self) -> Iterator[Fact]:
        """The whole game, a fact at a time."""
        while not self.state.is_over:
            yield from self._series()

    def _do(self, fact: Fact) -> Iterator[Fact]:
        self.state = apply(self.state, fact)
        self._told += 1
        yield fact

    def _spoils(self, share: int, seat: str) -> bool:
        """Whether a seat cheats now; chance is asked for plans alone that hold this cheat."""
        return bool(share) and self._cheat.cheats(seat) and self._chance.per_mille(share)

    def _breach(self, kind: str, player: str) -> None:
        state = self.state
        self.breaches.append(Breach(kind, state.series, state.round.number, player, self._told))

    def _series(self) -> Iterator[Fact]:
        if self.state.done and self._chance.per_mille(300):
            first = self._chance.below(3)
            seats = self.state.seats
            yield from self._do(SeatsSwapped(seats[first], seats[(first + 1) % 3]))
        cards = list(self.setup.ids)
        self._chance.shuffle(cards)
        self.hands = {seat: cards[n * HAND : (n + 1) * HAND] for n, seat in enumerate(self.state.seats)}
        self.frozen = cards[3 * HAND :]
        yield from self._do(Dealt())
        for number in range(1, ROUNDS + 1):
            if self._cheat.lone_swap and number < ROUNDS:
                yield from self._swap_alone()
            yield from self._lay(number)
            while self.state.phase in (Phase.EFFECT, Phase.HOSIAHI):
                yield from self._turn()
        yield from self._count()

    def _lay(self, number: int) -> Iterator[Fact]:
        seats = self.state.seats
        chosen = {}
        for place, seat in enumerate(seats):
            if number == ROUNDS:
                chosen[seat] = self.frozen[frozen_place(self.setup, place)]
            else:
                chosen[seat] = self._choose(self.hands[seat])
            yield from self._do(CardLaid(seat))
            if self._spoils(self._cheat.second_card, seat):
                self._breach("second_card", seat)
                yield from self._do(CardLaid(seat))
        for seat in seats:
            yield from self._do(CardRevealed(seat, chosen[seat]))

    def _choose(self, hand: list[str]) -> str:
        """The star to lay, taken out of the hand."""
        if not self._greedy:
            return hand.pop(self._chance.below(len(hand)))
        cards, lies = self.setup.cards, {placed.card for home in self.state.homes for placed in home}
        coming = [cards[card] for card in self.setup.ids if card not in lies and card not in hand]
        card = self._chance.best(hand, lambda star: sum(len(shared(cards[star], other)) for other in coming))
        hand.remove(card)
        return card

    def _turn(self) -> Iterator[Fact]:
        if self.state.phase is Phase.EFFECT:
            yield from self._do(self._effect())
        if self.state.round.passing >= 0:
            yield from self._pass()
        yield from self._home()

    def _effect(self) -> EffectTold:
        current = self.state.round
        place = current.active or 0
        card = current.cards[place] or ""
        if effect_of_active(self.state, current).kind is EffectKind.RAISE_HANDS:
            return EffectTold(Told.HANDS, self._raised(asked_by(self.state)))
        told = self._made_up[card]
        match told.outcome:
            case Told.HANDS if current.number < ROUNDS:
                asked = self.setup.stars_of(told.asked)
                return EffectTold(Told.HANDS, self._raised(asked) if asked else (), asked=told.asked)
            case Told.HOSIAHI:
                partner = partner_of(self.state, current, place, (1 << len(self.setup.ids)) - 1)
                met = None if partner is None else current.cards[partner]
                return EffectTold(Told.NOTHING) if met is None else EffectTold(Told.HOSIAHI, card=met)
            case Told.HANDS | Told.PASSED if current.number == ROUNDS:
                return EffectTold(Told.NOTHING)
            case _:
                return told

    def _raised(self, asked: int) -> tuple[str, ...]:
        raised = []
        index = self.setup.index
        for seat in self.state.seats:
            has = any(asked >> index[card] & 1 for card in self.hands[seat])
            plan = self._cheat
            if plan.false_answer and plan.cheats(seat) and self._chance.per_mille(plan.false_answer):
                has = not has
                self._breach("false_answer", seat)
            if has:
                raised.append(seat)
        return tuple(raised)

    def _pass(self) -> Iterator[Fact]:
        seats = self.state.seats
        side, step = (Side.LEFT, 0) if self._spoils(self._cheat.wrong_side, seats[0]) else (Side.RIGHT, 2)
        for place, seat in enumerate(seats):
            self.hands[seat].append(self.frozen[(place + step) % 3])
            if side is Side.LEFT:
                self._breach("wrong_side", seat)
            yield from self._do(FrozenTaken(seat, side))
        for place, seat in enumerate(seats):
            hand = self.hands[seat]
            self.frozen[place] = hand.pop(self._chance.below(len(hand)))
            yield from self._do(FrozenPlaced(seat, Side.LEFT))

    def _swap_alone(self) -> Iterator[Fact]:
        place = self._chance.below(3)
        seat, spot = self.state.seats[place], (place + 2) % 3
        if not self._spoils(self._cheat.lone_swap, seat):
            return
        hand = self.hands[seat]
        given = self._chance.below(len(hand))
        hand[given], self.frozen[spot] = self.frozen[spot], hand[given]
        for fact in (FrozenTaken(seat, Side.RIGHT), FrozenPlaced(seat, Side.RIGHT)):
            self._breach("lone_swap", seat)
            yield from self._do(fact)

    def _home(self) -> Iterator[Fact]:
        state, current = self.state, self.state.round
        place = current.active or 0
        seat, card = state.seats[place], current.cards[place] or ""
        due = due_now(state)
        plan, chance = self._cheat, self._chance
        if due is None:
            yield from self._do(CardPlaced(seat, card, Orientation.HORIZONTAL))
            return
        if due.is_hosiahi:
            if plan.missed_meeting and plan.cheats(seat) and chance.per_mille(plan.missed_meeting):
                self._breach("missed_meeting", seat)
                yield from self._do(CardPlaced(seat, card, Orientation.HORIZONTAL))
                return
        elif plan.wrong_placing and plan.cheats(seat) and chance.per_mille(plan.wrong_placing):
            self._breach("wrong_placing", seat)
            wrong = chance.pick([way for way in Orientation if way is not due.orientation])
            yield from self._do(CardPlaced(seat, card, wrong))
            return
        yield from self._do(CardPlaced(seat, card, due.orientation))
        if due.partner is not None:
            yield from self._do(
                CardPlaced(state.seats[due.partner], current.cards[due.partner] or "", Orientation.UPRIGHT)
            )
        if due.turned is not None:
            yield from self._do(CardPlaced(state.seats[due.turned[0]], due.turned[1], Orientation.UPRIGHT))

    def _count(self) -> Iterator[Fact]:
        state = self.state
        for place, seat in enumerate(state.seats):
            if state.earned >> place & 1:
                yield from self._do(AsitaShown(seat))
            elif self._spoils(self._cheat.false_asita, seat):
                self._breach("false_asita", seat)
                yield from self._do(AsitaShown(seat))
        if self.setup.settings.mode is Mode.STANDARD:
            winners = winners_of(self.state)[0]
            for seat in state.seats:
                if seat not in winners and self._spoils(self._cheat.false_tigiri, seat):
                    self._breach("false_tigiri", seat)
                    yield from self._do(YonoTigiriShown(seat))
            for seat in winners:
                yield from self._do(YonoTigiriShown(seat))
        yield from self._do(SeriesEnded())


def play_out(games: int, seed: int, cheat: AhuhaCheat = HONEST, setup: AhuhaSetup | None = None) -> Playout:
    """Many games of Ahuha Ahukaha, with the built-in deck unless the setup says otherwise."""
    table = builtin_setup() if setup is None else setup
    return play_many(
        games,
        seed,
        lambda own_seed: play_game(table, own_seed, cheat).facts,
        lambda facts: judge_game(table, facts),
        game_text,
    )


def judge_game(setup: AhuhaSetup, facts: Sequence[Fact]) -> Judged:
    """Every act judged, applied, and the possible worlds counted after it."""
    state = RULES.start(setup)
    judge, step = RULES.judge, RULES.apply
    findings = []
    knowledge = state.knowledge
    counted, possible = 0, worlds(knowledge, setup)
    for fact in facts:
        findings.append(judge(state, fact))
        state = step(state, fact)
        if state.knowledge is not knowledge:  # the count depends on nothing else
            knowledge = state.knowledge
            possible = worlds(knowledge, setup)
        counted += possible or 0  # what is too much to count adds nothing
    return Judged(tuple(findings), counted, RULES.outcome(state))


def game_text(facts: Sequence[Fact], judged: Judged) -> str:
    """A game as canonical text: a line an act, each followed by a line a finding, and the outcome."""
    lines = []
    for fact, findings in zip(facts, judged.findings, strict=True):
        lines.append(fact_text(fact))
        lines += [finding_text(finding) for finding in findings]
    lines.append(outcome_text(judged.outcome, judged.counted))
    return "\n".join(lines)


def fact_text(fact: Fact) -> str:
    """A fact in one line, the same on every machine: its kind and its fields in order."""
    values = [getattr(fact, entry.name) for entry in fields(fact)]
    words = [",".join(map(str, value)) if isinstance(value, tuple) else str(value) for value in values]
    return " ".join([KINDS[type(fact)], *words])

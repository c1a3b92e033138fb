"""Simulated players of Shuhari: a seeded game as a script of what happens at the table, honest or not; and many of them, judged.

The same seed and plan give the same script on every machine. Players know the rules and their own hands only; the script holds
nothing but what everybody at the table can see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from companion.decks import builtin_deck
from companion.rules.core import Finding, Outcome
from companion.rules.shuhari.aids import pile_size, takes
from companion.rules.shuhari.facts import (
    KINDS,
    STAGES,
    SUITS,
    CardDrawn,
    CardPlayed,
    CardTaken,
    ChartMarked,
    DeckRenewed,
    DeckSearched,
    Fact,
    HandPutAway,
    Play,
    StageShown,
    TrickCleared,
)
from companion.rules.shuhari.fold import apply, start
from companion.rules.shuhari.knowledge import playable
from companion.rules.shuhari.rules import RULES
from companion.rules.shuhari.settings import ShownHand, ShuhariSettings
from companion.rules.shuhari.setup import HAND, LOOK, ShuhariSetup, cards_of
from companion.rules.shuhari.state import Due, Phase, ShuhariState
from companion.virtual.chance import Chance
from companion.virtual.playout import Playout, finding_text, play_many
from companion.virtual.wrong import Wrong

MAX_TRICKS = 400
"""A game that lasts longer is given up; none of random players does."""


@dataclass(frozen=True, slots=True)
class ShuhariCheat:
    """How dishonest the players are; shares of a thousand, so that no rounding differs between machines."""

    revoke: int = 0
    """How often a player who could practise rests with another card."""
    false_break: int = 0
    """How often a player breaks the mold with a card that can't."""
    out_of_turn: int = 0
    """How often the player after the next plays first."""
    extra_draw: int = 0
    """How often a player draws a second card in a turn."""
    long_look: int = 0
    """How often a player looks at six cards with a Preparation card."""
    wrong_take: int = 0
    """How often a player takes a card of rank 1 or 12 with a Review card, where one lies in the pile."""
    false_mark: int = 0
    """How often, after a trick, a player fills in a box that was not learned."""
    cheaters: frozenset[str] | None = None
    """The seats that do so; None for all."""
    at_most: int | None = None
    """Revokes in the whole game; None for any number."""

    def cheats(self, seat: str) -> bool:
        """Whether this seat is among the cheaters."""
        return self.cheaters is None or seat in self.cheaters


HONEST = ShuhariCheat()
GREEDY = ("lead", "break", "practice", "aid", "rest")
"""What a greedy player likes to do, best first."""


@dataclass(frozen=True, slots=True)
class FalseRest:
    """The truth of one revoke, known to the script only."""

    player: str
    trick: int
    card: str
    """What was played instead."""
    held: tuple[str, ...]
    """What would have practised."""
    act: int
    """0-based index of the fact."""


@dataclass(frozen=True, slots=True)
class ShuhariScript:
    """A whole game, written before it is played at the virtual table."""

    setup: ShuhariSetup
    seed: int
    deal: Mapping[str, tuple[str, ...]]
    """Seat to the seven cards dealt."""
    deck: tuple[str, ...]
    """The other cards, from the top."""
    facts: tuple[Fact, ...]
    false_rests: tuple[FalseRest, ...]
    wrongs: tuple[Wrong, ...]
    """Every breach in order, the false rests among them."""
    final: ShuhariState

    @property
    def illegal(self) -> int:
        """How many other illegal acts the players did, each in plain sight."""
        return sum(not wrong.is_hidden for wrong in self.wrongs)


def play_game(
    setup: ShuhariSetup,
    seed: int,
    cheat: ShuhariCheat | None = None,
    *,
    followed: bool = False,
    greedy: bool = False,
) -> ShuhariScript:
    """A seeded game of legal play, but for what the plan spoils: random, or of greedy players (see `Game`).

    `followed`: the backs of the hands are followed, so that each fact names its place of the hand.
    """
    game = Game(setup, seed, cheat or HONEST, followed=followed, greedy=greedy)
    facts = tuple(game.facts())
    return ShuhariScript(
        setup, seed, game.deal, game.stock, facts, tuple(game.false_rests), tuple(game.wrongs), game.state
    )


class Game:
    """A game in the playing: `facts` yields one fact after the other; `state` stands after the latest.

    A greedy player leads what the own hand holds most of, breaks the mold or practises where that can be, and rests last.
    """

    def __init__(
        self, setup: ShuhariSetup, seed: int, cheat: ShuhariCheat, *, followed: bool = False, greedy: bool = False
    ) -> None:
        self.setup = setup
        self.state = start(setup)
        self.false_rests: list[FalseRest] = []
        self.wrongs: list[Wrong] = []
        self._chance = Chance(seed)
        self._cheat = cheat
        self._followed = followed
        self._greedy = greedy
        self._acts = 0
        cards = [card for card in sorted(setup.cards) for _ in range(setup.cards[card].copies)]
        self._chance.shuffle(cards)
        self.hands: dict[str, list[str | None]] = {}
        """Seat to the cards by place of the hand; None is an empty place."""
        for seat in setup.seats:
            self.hands[seat] = [cards.pop() for _ in range(HAND)]
        self.deal = {seat: tuple(card for card in hand if card) for seat, hand in self.hands.items()}
        self.deck = cards
        """From the bottom to the top."""
        self.stock = tuple(reversed(cards))

    def facts(self) -> Iterator[Fact]:
        """The whole game, a fact at a time."""
        while not self.state.over and self.state.trick.number <= MAX_TRICKS:
            match self.state.phase:
                case Phase.PLAY:
                    yield from self._turn()
                case Phase.REFILL:
                    yield from self._refill()
                case _:
                    yield from self._do(TrickCleared())
                    yield from self._spoil_chart()

    def _do(self, fact: Fact) -> Iterator[Fact]:
        self.state = apply(self.state, fact)
        self._acts += 1
        yield fact

    def _spoils(self, share: int, seat: str) -> bool:
        """Whether a seat cheats now; chance is asked for plans alone that hold this cheat."""
        return bool(share) and self._cheat.cheats(seat) and self._chance.per_mille(share)

    def _wrong(self, kind: str, seat: str) -> None:
        """The act that comes next is a breach."""
        self.wrongs.append(Wrong(kind, seat, self.state.trick.number, self._acts, kind == "revoke"))

    def _spoil_chart(self) -> Iterator[Fact]:
        seat = self._chance.pick(self.setup.seats) if self._cheat.false_mark else ""
        if self.state.over or not self._spoils(self._cheat.false_mark, seat):
            return
        boxes = [(art, stage) for art in SUITS for stage in STAGES if stage not in self.state.learned(seat, art)]
        if boxes:
            self._wrong("false_mark", seat)
            yield from self._do(ChartMarked(seat, *self._chance.pick(boxes)))

    def _turn(self) -> Iterator[Fact]:
        seat, cheat, chance = self.state.turn, self._cheat, self._chance
        if self.state.trick.cards and cheat.out_of_turn and chance.per_mille(cheat.out_of_turn):
            other = self.setup.after(seat)
            if cheat.cheats(other):
                seat = other
                self._wrong("out_of_turn", seat)
        hand = [card for card in self.hands[seat] if card is not None]
        choices = playable(self.state, hand)
        if not choices:
            yield from self._put_away(seat, hand)
            return
        card, play = self._choose(seat, hand, choices)
        slot = self.hands[seat].index(card)
        self.hands[seat][slot] = None
        declared = play if play in (Play.REST, Play.BREAK) else None
        yield from self._do(CardPlayed(seat, card, declared, slot if self._followed else None))
        last = self.state.trick.cards[-1]
        if last.play is Play.BREAK:
            yield from self._do(StageShown(self.state.stage))

    def _choose(self, seat: str, hand: list[str], choices: Mapping[str, tuple[str, ...]]) -> tuple[str, Play]:
        chance, cheat = self._chance, self._cheat
        if cheat.cheats(seat) and "lead" not in choices:
            arts = [card for card in hand if card in self.setup.arts]
            practice = choices.get("practice", ())
            others = [card for card in arts if card not in practice]
            if self._may_revoke and practice and others and chance.per_mille(cheat.revoke):
                card = chance.pick(others)
                self.false_rests.append(FalseRest(seat, self.state.trick.number, card, practice, self._acts))
                self._wrong("revoke", seat)
                return card, Play.REST
            wrong = [card for card in others if card not in choices.get("break", ())]
            if cheat.false_break and wrong and chance.per_mille(cheat.false_break):
                self._wrong("false_break", seat)
                return chance.pick(wrong), Play.BREAK
        if self._greedy:
            play = min(choices, key=GREEDY.index)
            return chance.best(choices[play], lambda card: self._alike(card, hand)), Play(play)
        plays = sorted(choices)
        if "aid" in choices and len(plays) > 1 and not chance.per_mille(300):
            plays.remove("aid")
        play = chance.pick(plays)
        return chance.pick(choices[play]), Play(play)

    def _alike(self, card: str, hand: Sequence[str]) -> int:
        """How many cards of the hand are of a card's suit in the first stage."""
        first = self.setup.cards[card].suits[:1]
        return sum(self.setup.cards[other].suits[:1] == first for other in hand)

    @property
    def _may_revoke(self) -> bool:
        cheat = self._cheat
        return bool(cheat.revoke) and (cheat.at_most is None or len(self.false_rests) < cheat.at_most)

    def _refill(self) -> Iterator[Fact]:
        seat, due = self.state.turn, self.state.trick.due
        hand = self.hands[seat]
        slot = hand.index(None)
        place = slot if self._followed else None
        if due is Due.TAKE:
            card = self._taken(seat)
            hand[slot] = card
            yield from self._do(CardTaken(seat, card, place))
            return
        look = LOOK
        if due is Due.SEARCH and len(self.deck) >= LOOK + 2 and self._spoils(self._cheat.long_look, seat):
            self._wrong("long_look", seat)
            look = LOOK + 2
        wanted = look if due is Due.SEARCH else 1
        if len(self.deck) < wanted and pile_size(self.state.pool):
            yield from self._renew()
        if due is Due.SEARCH:
            seen = [self.deck.pop() for _ in range(min(look, len(self.deck)))]
            kept = self._chance.pick(seen)
            seen.remove(kept)
            self.deck[:0] = seen
            hand[slot] = kept
            yield from self._do(DeckSearched(seat, len(seen) + 1, place))
        else:
            hand[slot] = self.deck.pop()
            yield from self._do(CardDrawn(seat, place))
            yield from self._spoil_draw(seat)

    def _taken(self, seat: str) -> str:
        """What a Review card brings back."""
        state, setup = self.state, self.setup
        barred = setup.names(state.pool.pile & ~setup.takeable)
        if barred and self._spoils(self._cheat.wrong_take, seat):
            self._wrong("wrong_take", seat)
            return self._chance.pick(barred)
        return self._chance.pick(takes(state))

    def _spoil_draw(self, seat: str) -> Iterator[Fact]:
        """A card more than the turn calls for; the hand stays larger."""
        if self.deck and not self.state.over and self._spoils(self._cheat.extra_draw, seat):
            self._wrong("extra_draw", seat)
            self.hands[seat].append(self.deck.pop())
            yield from self._do(CardDrawn(seat, len(self.hands[seat]) - 1 if self._followed else None))

    def _renew(self) -> Iterator[Fact]:
        pool = self.state.pool
        cards = [*self.setup.names(pool.pile), *sorted(pool.aids)]
        self._chance.shuffle(cards)
        self.deck[:0] = cards
        yield from self._do(DeckRenewed())

    def _put_away(self, seat: str, hand: list[str]) -> Iterator[Fact]:
        """The start player holds no art card."""
        if self.setup.settings.shown_hand is ShownHand.BOTTOM:
            self.deck[:0] = hand
        self.hands[seat] = [None] * len(self.hands[seat])
        yield from self._do(HandPutAway(seat, tuple(hand)))


@dataclass(frozen=True, slots=True)
class Judged:
    """A game after it went through the rules."""

    findings: tuple[tuple[Finding, ...], ...]
    """By fact."""
    outcome: Outcome | None
    points: Mapping[str, int]


def judge_game(setup: ShuhariSetup, facts: Sequence[Fact]) -> Judged:
    """Every fact judged and applied; what the rests prove is worked out on the way."""
    state = RULES.start(setup)
    judge, apply_ = RULES.judge, RULES.apply
    findings = []
    for fact in facts:
        findings.append(judge(state, fact))
        state = apply_(state, fact)
    return Judged(tuple(findings), RULES.outcome(state), state.points)


def standard_setup(players: int = 3, settings: ShuhariSettings | None = None) -> ShuhariSetup:
    """Players A, B (and C) with the built-in deck."""
    seats = ("A", "B", "C")[:players]
    return ShuhariSetup(seats, "A", cards_of(builtin_deck("shuhari").cards), settings or ShuhariSettings())


def play_out(
    games: int,
    seed: int,
    cheat: ShuhariCheat | None = None,
    setup: ShuhariSetup | None = None,
    *,
    followed: bool = False,
) -> Playout:
    """Many games of Shuhari, of three players unless the setup says otherwise."""
    table = setup or standard_setup()
    return play_many(
        games,
        seed,
        lambda own_seed: play_game(table, own_seed, cheat, followed=followed).facts,
        lambda facts: judge_game(table, facts),
        game_text,
    )


def game_text(facts: Sequence[Fact], judged: Judged) -> str:
    """A game as canonical text: a line a fact, each followed by a line a finding, and the outcome."""
    lines = []
    for fact, findings in zip(facts, judged.findings, strict=True):
        lines.append(fact_text(fact))
        lines += [finding_text(finding) for finding in findings]
    points = " ".join(f"{seat}:{value}" for seat, value in judged.points.items())
    outcome = judged.outcome
    ended = "none" if outcome is None else f"{','.join(outcome.winners)} | {outcome.decided_by} | {outcome.points}"
    lines.append(f"= {ended} | {points}\n")
    return "\n".join(lines)


def fact_text(fact: Fact) -> str:
    """A fact in one line, the same on every machine."""
    values = [getattr(fact, entry.name) for entry in fields(fact)]
    words = [",".join(value) if isinstance(value, tuple) else str(value) for value in values if value is not None]
    return " ".join([KINDS[type(fact)], *words])

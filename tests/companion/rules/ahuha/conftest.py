"""A table to tell stories at, and slow counters of worlds written another way: every deal and every pass, card by card."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations, product
from typing import Any

import pytest

from companion.decks import builtin_deck
from companion.rules.ahuha import RULES, AhuhaSettings, AhuhaSetup, AhuhaState, cards_of, worlds
from companion.rules.ahuha.facts import (
    CardLaid,
    CardPlaced,
    CardRevealed,
    Dealt,
    EffectTold,
    Fact,
    Orientation,
    RoundEnded,
    SeriesEnded,
    Told,
)
from companion.rules.ahuha.fold import due_now
from companion.rules.ahuha.stretches import PASS, UNSEEN
from companion.rules.core import Finding
from companion.virtual.chance import Chance

WAYS = {"|": Orientation.UPRIGHT, "-": Orientation.HORIZONTAL, "!": Orientation.INVERTED}


class Table:
    """Tells facts to the rules and remembers what the judge said of each."""

    def __init__(self, *, dealt: bool = True, effects: dict[str, Any] | None = None, **settings: Any) -> None:
        from dataclasses import replace

        cards = cards_of(builtin_deck("ahuha").cards)
        for card, effect in (effects or {}).items():
            cards[card] = replace(cards[card], effect=effect)
        self.setup = AhuhaSetup(("A", "B", "C"), cards, AhuhaSettings(**settings))
        self.state: AhuhaState = RULES.start(self.setup)
        self.facts: list[Fact] = []
        self.findings: list[Finding] = []
        if dealt:
            self.tell(Dealt())

    def tell(self, *facts: Fact) -> list[Finding]:
        """What the judge says of these facts."""
        said: list[Finding] = []
        for fact in facts:
            said += RULES.judge(self.state, fact)
            self.state = RULES.apply(self.state, fact)
            self.facts.append(fact)
        self.findings += said
        return said

    def show(self, *cards: str) -> list[Finding]:
        """A, B, C lay and reveal these cards."""
        said = self.tell(*(CardLaid(seat) for seat in self.state.seats))
        return said + self.tell(*(CardRevealed(s, c) for s, c in zip(self.state.seats, cards, strict=True)))

    def told(self, outcome: Told = Told.NOTHING, *seats: str, **more: Any) -> list[Finding]:
        return self.tell(EffectTold(outcome, seats, **more))

    def home(self, *placings: str) -> list[Finding]:
        """ "A|deneb" lays deneb upright in A's Home, "-" horizontally, "!" upside down."""
        return self.tell(*(CardPlaced(text[0], text[2:], WAYS[text[1]]) for text in placings))

    def finish(self) -> list[Finding]:
        """The rest of the round by the rules: unknown effects bring nothing, nobody raises a hand."""
        said: list[Finding] = []
        number = self.state.round.number
        while self.state.round.number == number and self.state.round.active is not None:
            current, seats = self.state.round, self.state.seats
            if current.waits:
                said += self.told()
                continue
            due = due_now(self.state)
            place = current.active
            said += self.tell(CardPlaced(seats[place], current.cards[place], due.orientation))
            if due.partner is not None:
                said += self.tell(CardPlaced(seats[due.partner], current.cards[due.partner], Orientation.UPRIGHT))
            if due.turned is not None:
                said += self.tell(CardPlaced(seats[due.turned[0]], due.turned[1], Orientation.UPRIGHT))
        return said

    def play(self, *cards: str) -> list[Finding]:
        """A whole round by the rules."""
        return self.show(*cards) + self.finish()

    def skip_to(self, number: int) -> None:
        """Rounds of which nobody saw a card."""
        while self.state.round.number < number:
            self.tell(*(CardLaid(seat) for seat in self.state.seats), RoundEnded())
        self.findings.clear()

    def end(self) -> list[Finding]:
        return self.tell(SeriesEnded())

    @property
    def worlds(self) -> int:
        return worlds(self.state.knowledge, self.setup)


@pytest.fixture
def table() -> Callable[..., Table]:
    """Makes a table with the built-in deck, dealt; keywords are settings, `effects` other effects by card."""
    return Table


class SlowWorlds:
    """Counts worlds by listing them; shares nothing with the rules."""

    @staticmethod
    def forward(sizes: tuple[int, ...], story: list[tuple], cards: int) -> int:
        """Deals all cards in every way and plays the story forward.

        The story holds ("show", place, card), ("unseen", place), ("pass",), ("answer", place, asked cards, has) and
        ("frozen", spot, card).
        """
        total = 0
        deck = frozenset(range(cards))
        for first in combinations(sorted(deck), sizes[0]):
            after_first = deck - set(first)
            for second in combinations(sorted(after_first), sizes[1]):
                after_second = after_first - set(second)
                for third in combinations(sorted(after_second), sizes[2]):
                    rest = after_second - set(third)
                    for frozen in permutations(sorted(rest)):
                        hands = (frozenset(first), frozenset(second), frozenset(third))
                        total += SlowWorlds._play(hands, frozen, story)
        return total

    @staticmethod
    def _play(hands: tuple[frozenset[int], ...], frozen: tuple[int, ...], story: list[tuple]) -> int:
        for at, event in enumerate(story):
            match event:
                case ("show", place, card):
                    if card not in hands[place]:
                        return 0
                    hands = tuple(h - {card} if n == place else h for n, h in enumerate(hands))
                case ("unseen", place):
                    rest = story[at + 1 :]
                    return sum(
                        SlowWorlds._play(tuple(h - {c} if n == place else h for n, h in enumerate(hands)), frozen, rest)
                        for c in hands[place]
                        if not any(e[0] in ("show", "frozen") and e[2] == c for e in story)
                    )
                case ("pass",):
                    held = [hands[place] | {frozen[place - 1]} for place in range(3)]
                    rest = story[at + 1 :]
                    return sum(
                        SlowWorlds._play(tuple(h - {c} for h, c in zip(held, given, strict=True)), given, rest)
                        for given in product(*held)
                    )
                case ("answer", place, asked, has):
                    if bool(hands[place] & asked) is not has:
                        return 0
                case ("frozen", spot, card):
                    if frozen[spot] != card:
                        return 0
        return 1


@pytest.fixture(scope="session")
def slow_worlds() -> type[SlowWorlds]:
    """The slow counter."""
    return SlowWorlds


def random_story(chance: Chance, sizes: tuple[int, ...], most_passes: int, cards: int):
    """A story that really happened with this deal, and what the counter is asked: kinds tell two asked sets apart."""
    deck = list(range(cards))
    chance.shuffle(deck)
    hands, left = [], deck
    for size in sizes:
        hands.append(set(left[:size]))
        left = left[size:]
    frozen = list(left)
    asked = [frozenset(c for c in range(cards) if chance.per_mille(400)) for _ in range(2)]
    story: list[tuple] = []
    passes = 0
    for _ in range(6):
        what = chance.below(5)
        place = chance.below(3)
        if what == 0 and passes < most_passes:
            passes += 1
            for seat in range(3):
                hands[seat].add(frozen[seat - 1])
            frozen = [chance.pick(sorted(hand)) for hand in hands]
            for seat in range(3):
                hands[seat].discard(frozen[seat])
            story.append(("pass",))
        elif what in (1, 2) and hands[place]:
            card = chance.pick(sorted(hands[place]))
            hands[place].discard(card)
            story.append(("unseen", place) if chance.per_mille(150) else ("show", place, card))
        else:
            of = chance.pick(asked)
            has = bool(hands[place] & of) if chance.per_mille(850) else chance.per_mille(500)
            story.append(("answer", place, of, has))
    if not any(hands) and chance.per_mille(300):
        story.append(("frozen", 0, frozen[0]))
    return story, asked, tuple(len(hand) for hand in hands)


def as_asked(story, asked, now, cards):
    """The story as the counter takes it: (hidden, hands, frozen, events) and the choices that are the caller's."""
    kinds = sorted({tuple(c in of for of in asked) for c in range(cards)})
    kind_of = [kinds.index(tuple(c in of for of in asked)) for c in range(cards)]
    shown = {event[2] for event in story if event[0] in ("show", "frozen")}
    hidden = [0] * len(kinds)
    for card in set(range(cards)) - shown:
        hidden[kind_of[card]] += 1
    frozen = [-1, -1, -1]
    events = []
    for event in reversed(story):
        match event:
            case ("show", place, card):
                events.append(place << 8 | kind_of[card] + 1)
            case ("unseen", place):
                events.append(place << 8 | UNSEEN)
            case ("pass",):
                events.append(PASS)
            case ("answer", place, of, has):
                events.append((place, sum(1 << k for k, kind in enumerate(kinds) if kind[asked.index(of)]), has))
            case ("frozen", spot, card):
                frozen[spot] = kind_of[card]
    return tuple(hidden), now, tuple(frozen), tuple(events)


@pytest.fixture(scope="session")
def stories() -> Callable[[Chance, tuple[int, ...], int], tuple[list[tuple], tuple[Any, ...]]]:
    """Makes a story that really happened, from the sizes of the hands and the most passes, and what the counter is asked then."""

    def make(chance: Chance, sizes: tuple[int, ...], most_passes: int) -> tuple[list[tuple], tuple[Any, ...]]:
        cards = sum(sizes) + 3
        story, asked, now = random_story(chance, sizes, most_passes, cards)
        return story, as_asked(story, asked, now, cards)

    return make

"""The exact count of worlds agrees with listing every deal, frozen card and pass."""

from __future__ import annotations

import pytest

from companion.rules.ahuha.counting import count, count_by_seats, count_together
from companion.rules.ahuha.effects import Effect, EffectKind
from companion.rules.ahuha.facts import Told
from companion.rules.ahuha.stretches import PASS, UNSEEN
from companion.virtual.chance import Chance


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


@pytest.mark.parametrize(
    ("sizes", "most_passes", "seeds"),
    [((1, 1, 1), 2, 25), ((2, 1, 1), 1, 16), ((1, 1, 1), 3, 5), ((2, 2, 1), 0, 5)],
)
def test_counts_of_small_tables(slow_worlds, sizes, most_passes, seeds) -> None:
    cards = sum(sizes) + 3
    for seed in range(seeds):
        story, asked, now = random_story(Chance(seed), sizes, most_passes, cards)
        question = as_asked(story, asked, now, cards)
        listed = slow_worlds.forward(sizes, story, cards)
        assert count(*question) == listed, (seed, story)
        assert count_by_seats(*question) == listed, (seed, story)
        if PASS in question[3]:
            assert count_together(*question) == listed, (seed, story)


class Backward:
    """Leads known cards back one by one, from now to the deal: every hidden card placed in every way."""

    def __init__(self, setup, timeline) -> None:
        self.setup, self.timeline = setup, timeline

    def count(self, hidden: list[str], sizes: tuple[int, ...], spots: tuple[str | None, ...]) -> int:
        from itertools import combinations, permutations

        total = 0
        for first in combinations(hidden, sizes[0]):
            rest = [c for c in hidden if c not in first]
            for second in combinations(rest, sizes[1]):
                more = [c for c in rest if c not in second]
                for third in combinations(more, sizes[2]):
                    left = [c for c in more if c not in third]
                    for order in permutations(left):
                        unseen = iter(order)
                        frozen = tuple(spot or next(unseen) for spot in spots)
                        total += self.back((frozenset(first), frozenset(second), frozenset(third)), frozen, -1)
        return total

    def back(self, hands, frozen, at: int) -> int:
        from itertools import product

        while at >= -len(self.timeline):
            entry = self.timeline[at]
            at -= 1
            if type(entry).__name__ == "Shown":
                if entry.round < 7:
                    hands = tuple(h | {entry.card} if n == entry.place else h for n, h in enumerate(hands))
            elif type(entry).__name__ == "Answered":
                asked = set(self.setup.names(entry.asked))
                if bool(hands[entry.place] & asked) is not entry.has:
                    return 0
            else:
                held = [hand | {card} for hand, card in zip(hands, frozen, strict=True)]
                return sum(
                    self.back(tuple(h - {c} for h, c in zip(held, back, strict=True)), (back[1], back[2], back[0]), at)
                    for back in product(*held)
                )
        return 1


@pytest.mark.parametrize("seed", range(4))
def test_counts_of_real_tables_late_in_a_series(table, seed) -> None:
    """The last cards of a series with two passes and three answers, against the same cards led back by name."""
    game = table(effects={"achernar": Effect(EffectKind.PASS_FROZEN)})
    chance = Chance(seed)
    cards = list(game.setup.ids)
    chance.shuffle(cards)
    for card, where in (("deneb", 0), ("rigel", 16)):
        spot = cards.index(card)
        cards[spot], cards[where] = cards[where], cards[spot]
    hands = [cards[0:6], cards[6:12], cards[12:18]]
    frozen = cards[18:]
    passed = 0
    for number in range(1, 7):
        game.show(*(hand.pop(0) for hand in hands))
        while game.state.round.active is not None:
            current = game.state.round
            if current.passing >= 0 and current.passed > passed:
                passed += 1
                for place in range(3):
                    hands[place].append(frozen[place - 1])
                frozen = [hand.pop(chance.below(len(hand))) for hand in hands]
            if current.waits:
                asks = current.cards[current.active] == "deneb"
                raised = [s for s, hand in zip("ABC", hands, strict=True) if {"altair", "vega"} & set(hand)]
                game.told(Told.HANDS if asks else Told.NOTHING, *(raised if asks else ()))
                continue
            active = current.active
            _one_turn(game, active)
        passed = 0
        if number >= 6:
            _check(game)
    assert game.findings == []


def _one_turn(game, active) -> None:
    from companion.rules.ahuha.facts import CardPlaced, Orientation
    from companion.rules.ahuha.fold import due_now

    current, due = game.state.round, due_now(game.state)
    game.tell(CardPlaced(game.state.seats[active], current.cards[active], due.orientation))
    if due.partner is not None:
        game.tell(CardPlaced(game.state.seats[due.partner], current.cards[due.partner], Orientation.UPRIGHT))
    if due.turned is not None:
        game.tell(CardPlaced(game.state.seats[due.turned[0]], due.turned[1], Orientation.UPRIGHT))


def _check(game) -> None:
    knowledge = game.state.knowledge
    hidden = [card for n, card in enumerate(game.setup.ids) if not knowledge.shown >> n & 1]
    sizes = tuple(6 - played for played in knowledge.plays)
    if len(hidden) > 3:
        return
    slow = Backward(game.setup, knowledge.timeline)
    assert game.worlds == slow.count(hidden, sizes, knowledge.frozen)

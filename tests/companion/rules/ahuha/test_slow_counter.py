"""The exact count of worlds agrees with listing every deal, frozen card and pass."""

from __future__ import annotations

import pytest

from companion.rules.ahuha.counting import count, count_by_seats, count_together
from companion.rules.ahuha.effects import Effect, EffectKind
from companion.rules.ahuha.facts import Told
from companion.rules.ahuha.stretches import PASS
from companion.virtual.chance import Chance


@pytest.mark.parametrize(
    ("sizes", "most_passes", "seeds"),
    [((1, 1, 1), 2, 25), ((2, 1, 1), 1, 16), ((1, 1, 1), 3, 5), ((2, 2, 1), 0, 5)],
)
def test_counts_of_small_tables(slow_worlds, stories, sizes, most_passes, seeds) -> None:
    cards = sum(sizes) + 3
    for seed in range(seeds):
        story, question = stories(Chance(seed), sizes, most_passes)
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

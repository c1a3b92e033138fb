"""The rules agree with a second, slow set of rules: ways to play from open hands, learning, points, whose turn it is."""

from __future__ import annotations

import pytest

from companion.rules.shuhari import RULES, Due, Phase, playable
from companion.rules.shuhari.aids import takes
from companion.rules.shuhari.facts import CardDrawn, CardPlayed, CardTaken, DeckSearched, Play, TrickCleared
from companion.virtual.shuhari import ShuhariCheat, play_game, standard_setup

EXPECTED = {2: [6, 22, 109, 386, 1267, 5697], 3: [6, 22, 109, 427, 1428, 5158]}
"""Legal ways to each depth from the deal of seed 5, as the slow rules count them."""


def perft(setup, deal, deck, depth: int) -> list[int]:
    """Legal decisions to each depth with open hands, by the rules."""
    counts = [0] * depth

    def go(level: int, state, hands: dict, deck: tuple) -> None:
        if level == depth or state.over:
            return
        seat = state.turn
        hand = hands[seat]
        match state.phase:
            case Phase.CLEAR:
                go(level, RULES.apply(state, TrickCleared()), hands, deck)
            case Phase.PLAY:
                ways = {(card, play) for play, cards in playable(state, hand).items() for card in cards}
                for card, play in sorted(ways):
                    counts[level] += 1
                    fact = CardPlayed(seat, card, Play(play))
                    assert RULES.judge(state, fact) == ()
                    rest = list(hand)
                    rest.remove(card)
                    go(level + 1, RULES.apply(state, fact), {**hands, seat: tuple(rest)}, deck)
            case Phase.REFILL:
                for got, left, fact, decides in _refills(state, seat, deck):
                    counts[level] += decides
                    after = RULES.apply(state, fact)
                    go(level + decides, after, {**hands, seat: (*hand, got)}, left)

    go(0, RULES.start(setup), {seat: tuple(cards) for seat, cards in deal.items()}, tuple(deck))
    return counts


def _refills(state, seat: str, deck: tuple):
    if state.trick.due is Due.DRAW:
        yield deck[0], deck[1:], CardDrawn(seat), False
    elif state.trick.due is Due.TAKE:
        for card in takes(state):
            yield card, deck, CardTaken(seat, card), True
    else:
        for card in sorted(set(deck[:4])):
            others = list(deck[:4])
            others.remove(card)
            yield card, deck[4:] + tuple(others), DeckSearched(seat), True


def slow_perft(slow_trick, setup, deal, deck, depth: int) -> list[int]:
    """The same, by the slow rules; it keeps lists of its own."""
    seats, turns = list(setup.seats), {2: 4, 3: 3}[len(setup.seats)]
    counts = [0] * depth

    def go(level: int, hands: dict, deck: list, pile: list, leader: int, plays: list) -> None:
        if level >= depth:
            return
        if len(plays) == turns * len(seats):
            pile, plays, leader = pile + [name for _, name, _ in plays], [], (leader + 1) % len(seats)
        seat = seats[(leader + len(plays)) % len(seats)]
        takeable = [name for name in pile if 2 <= setup.cards[name].rank <= 11]
        trick = slow_trick(setup.cards, plays)
        for name, how in trick.legal(hands[seat], bool(takeable)):
            counts[level] += 1
            left = list(hands[seat])
            left.remove(name)
            after = [*plays, (seat, name, how)]
            if name == "review":
                for taken in takeable:
                    if level + 1 < depth:
                        counts[level + 1] += 1
                    rest = [other for other in pile if other != taken]
                    go(level + 2, {**hands, seat: [*left, taken]}, deck, rest, leader, after)
            elif name == "preparation":
                for kept in set(deck[:4]):
                    if level + 1 < depth:
                        counts[level + 1] += 1
                    under = deck[:4]
                    under.remove(kept)
                    go(level + 2, {**hands, seat: [*left, kept]}, deck[4:] + under, pile, leader, after)
            else:
                go(level + 1, {**hands, seat: [*left, deck[0]]}, deck[1:], pile, leader, after)

    go(0, {seat: list(cards) for seat, cards in deal.items()}, list(deck), [], 0, [])
    return counts


@pytest.mark.parametrize("players", [2, 3])
def test_ways_from_a_fixed_deal(slow_trick, players) -> None:
    setup = standard_setup(players)
    script = play_game(setup, 5)
    counts = perft(setup, script.deal, script.deck, 6)
    assert counts == EXPECTED[players]
    assert slow_perft(slow_trick, setup, script.deal, script.deck, 6) == counts


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seed", range(20, 26))
def test_ways_from_other_deals(slow_trick, players, seed) -> None:
    setup = standard_setup(players)
    script = play_game(setup, seed)
    counts = perft(setup, script.deal, script.deck, 5)
    assert slow_perft(slow_trick, setup, script.deal, script.deck, 5) == counts


@pytest.mark.parametrize("players", [2, 3])
def test_ways_across_two_tricks_from_small_hands(slow_trick, players) -> None:
    """Hands of one card: few ways, and deep."""
    setup = standard_setup(players)
    for seed in range(6):
        script = play_game(setup, seed)
        arts = [card for card in script.deck if card in setup.arts]
        deal = {seat: (arts.pop(),) for seat in setup.seats}
        deck = [card for card in script.deck if card not in [hand[0] for hand in deal.values()]]
        deck = [card for card in deck if card != "review"]
        counts = perft(setup, deal, deck, 12)
        assert slow_perft(slow_trick, setup, deal, deck, 12) == counts


@pytest.mark.parametrize("players", [2, 3])
def test_every_trick_of_random_games(slow_trick, slow_score, players) -> None:
    """Learning, the table, the points and the end of thirty games, honest and not, against the slow rules."""
    setup = standard_setup(players)
    for seed in range(30):
        script = play_game(setup, seed, ShuhariCheat(revoke=100 if seed % 2 else 0))
        state = RULES.start(setup)
        learned: set[tuple[str, str, int]] = set()
        plays: list[tuple[str, str, str]] = []
        for fact in script.facts:
            before, state = state, RULES.apply(state, fact)
            if isinstance(fact, CardPlayed):
                last = state.trick.cards[-1]
                plays.append((fact.seat, fact.card, str(last.play)))
            if state.trick.learned is not None and before.trick.learned is None:
                trick = slow_trick(setup.cards, plays)
                full = {art for seat, art, _ in learned if all((seat, art, stage) in learned for stage in range(3))}
                if trick.suit not in full:
                    learned |= {(seat, trick.suit, stage) for stage, seat in enumerate(trick.learners())}
                assert state.points == {seat: slow_score(learned, seat) for seat in setup.seats}, seed
                full = {art for seat, art, _ in learned if all((seat, art, stage) in learned for stage in range(3))}
                assert state.over is (len(full) >= 2)
                plays = []
        outcome = RULES.outcome(state)
        best = max(state.points.values())
        assert outcome.winners == tuple(seat for seat in setup.seats if slow_score(learned, seat) == best)

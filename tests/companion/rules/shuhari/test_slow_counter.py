"""The rules agree with a second, slow set of rules: ways to play from open hands, learning, points, whose turn it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
import tomli_w

from companion.errors import BadInputError
from companion.rules.shuhari import RULES, ShuhariSettings
from companion.rules.shuhari.facts import CardPlayed
from companion.rules.shuhari.settings import ShownHand
from companion.virtual.deals import read_deal
from companion.virtual.shuhari import ShuhariCheat, play_game, standard_setup
from companion.virtual.shuhari_perft import BUILTIN, KnownDeal, Position, decisions, load_deal, perft, settled

EXPECTED = {2: (6, 22, 109, 386, 1267, 5697), 3: (6, 22, 109, 427, 1428, 5158)}
"""Legal ways to each depth from the deal of seed 5, as the slow rules count them."""


def slow_perft(slow_trick, setup, deal, depth: int, under: bool = False) -> tuple[int, ...]:
    """Legal decisions to each depth with open hands, by the slow rules; it keeps lists of its own.

    `under`: a hand without art cards goes under the deck, not to the pile.
    """
    seats, turns = list(setup.seats), {2: 4, 3: 3}[len(setup.seats)]
    counts = [0] * (depth + 1)

    def go(level: int, hands: dict, deck: list, pile: list, leader: int, plays: list) -> None:
        if level >= depth:
            return
        if len(plays) == turns * len(seats):
            pile, plays, leader = pile + [name for _, name, _ in plays], [], (leader + 1) % len(seats)
        seat = seats[(leader + len(plays)) % len(seats)]
        hand = hands[seat]
        if not plays and not any(setup.cards[name].rank for name in hand):
            stock = deck + hand if under else deck
            if len(stock) >= len(hand):
                drawn, left = stock[: len(hand)], stock[len(hand) :]
                go(level, {**hands, seat: drawn}, left, pile if under else pile + hand, leader, plays)
            return
        takeable = [name for name in pile if 2 <= setup.cards[name].rank <= 11]
        trick = slow_trick(setup.cards, plays)
        for name, how in trick.legal(hand, bool(takeable)):
            counts[level] += 1
            left = list(hand)
            left.remove(name)
            after = [*plays, (seat, name, how)]
            if name == "review":
                for taken in takeable:
                    counts[level + 1] += 1
                    rest = [other for other in pile if other != taken]
                    go(level + 2, {**hands, seat: [*left, taken]}, deck, rest, leader, after)
            elif name == "preparation":
                if len(deck) < 4 and pile:
                    continue
                for kept in set(deck[:4]):
                    counts[level + 1] += 1
                    others = deck[:4]
                    others.remove(kept)
                    go(level + 2, {**hands, seat: [*left, kept]}, deck[4:] + others, pile, leader, after)
            elif deck:
                go(level + 1, {**hands, seat: [*left, deck[0]]}, deck[1:], pile, leader, after)

    go(0, {seat: list(cards) for seat, cards in deal.hands.items()}, list(deal.deck), [], seats.index(deal.lead), [])
    return tuple(counts[:depth])


def dealt(script, lead: str = "A") -> KnownDeal:
    """The deal that a written game begins with."""
    return KnownDeal(lead, script.deal, script.deck)


@pytest.mark.parametrize("players", [2, 3])
def test_ways_from_a_fixed_deal(slow_trick, players) -> None:
    setup = standard_setup(players)
    deal = dealt(play_game(setup, 5))
    assert perft(setup, deal, 6) == EXPECTED[players]
    assert slow_perft(slow_trick, setup, deal, 6) == EXPECTED[players]


def test_ways_from_the_deal_that_comes_with_the_program(slow_trick) -> None:
    setup = standard_setup(3)
    deal = load_deal("builtin", setup)
    counts = perft(setup, deal, 8)
    assert counts == (6, 22, 109, 427, 1428, 5158, 24451, 111529)
    assert slow_perft(slow_trick, setup, deal, 8) == counts


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seed", range(20, 26))
def test_ways_from_other_deals(slow_trick, players, seed) -> None:
    setup = standard_setup(players)
    deal = dealt(play_game(setup, seed), "AB"[seed % 2])
    assert slow_perft(slow_trick, setup, deal, 5) == perft(setup, deal, 5)


def small(setup, seed: int, aids: int = 0) -> KnownDeal:
    """Hands of one art card, or of `aids` Preparation cards for the leader: few ways, and deep."""
    cards = play_game(setup, seed).deck
    arts = [card for card in cards if card in setup.arts]
    hands = {seat: (arts.pop(),) for seat in setup.seats}
    held = [card for hand in hands.values() for card in hand]
    if aids:
        hands["A"] = ("preparation",) * aids
    return KnownDeal("A", hands, tuple(card for card in cards if card not in held and card != "review"))


@pytest.mark.parametrize("players", [2, 3])
def test_ways_across_two_tricks_from_small_hands(slow_trick, players) -> None:
    setup = standard_setup(players)
    for seed in range(6):
        deal = small(setup, seed)
        assert slow_perft(slow_trick, setup, deal, 12) == perft(setup, deal, 12)


@pytest.mark.parametrize("where", ShownHand)
def test_ways_of_a_leader_who_draws_the_hand_anew(slow_trick, where) -> None:
    setup = standard_setup(2, ShuhariSettings(shown_hand=where))
    for seed in range(4):
        deal = small(setup, seed, aids=2)
        counts = perft(setup, deal, 9)
        assert counts[0] > 0
        assert slow_perft(slow_trick, setup, deal, 9, where is ShownHand.BOTTOM) == counts


def test_a_line_of_play_ends_where_the_pile_would_be_shuffled(slow_trick) -> None:
    setup = standard_setup(2)
    for seed in range(6):
        whole = small(setup, seed)
        for left in (0, 1, 3, 5, 9):
            deal = replace(whole, deck=whole.deck[:left])
            counts = perft(setup, deal, 14)
            assert slow_perft(slow_trick, setup, deal, 14) == counts
            assert counts[-1] == 0
            assert counts[0] == 1


def test_the_judge_says_nothing_of_a_way_that_is_counted() -> None:
    setup = standard_setup(3)
    deal = load_deal("builtin", setup)

    def go(position: Position, depth: int) -> int:
        position = settled(position)
        judged = 0
        for fact, hands, deck in decisions(position):
            assert RULES.judge(position.state, fact) == ()
            judged += 1
            if depth > 1:
                judged += go(Position(RULES.apply(position.state, fact), hands, deck), depth - 1)
        return judged

    assert go(Position(RULES.start(setup), deal.hands, deal.deck), 5) == sum(EXPECTED[3][:5])


def deal_text(**changes: object) -> str:
    """The deal that comes with the program, a field of it changed."""
    raw = read_deal("builtin", BUILTIN)
    return tomli_w.dumps({**raw, **{name: value for name, value in changes.items() if name in raw}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("deck = ", "is not valid TOML"),
        (deal_text(lead="Z"), "lead: 'Z' is none of the players A, B, C"),
        (deal_text(hands={"A": []}), "hands: must hold one list of cards for each of A, B, C"),
        (deal_text(hands={"A": ["review"], "B": [], "C": []}), "hands.A: must be a list of 7 card ids"),
        (deal_text(deck=["review"] * 48 + ["review"]), "must be dealt once, not 0 times"),
        (deal_text(deck=["13-koto"] * 49), "deck: '13-koto' is no card of the deck"),
    ],
)
def test_a_faulty_deal_is_refused_with_its_place(tmp_path, text, message) -> None:
    path = tmp_path / "deal.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match=message) as refused:
        load_deal(str(path), standard_setup(3))
    assert str(refused.value).startswith(f"{path}: ")


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

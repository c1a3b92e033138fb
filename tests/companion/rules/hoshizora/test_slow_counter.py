"""The rules agree with a second, slow set of rules: ways to play from fixed deals, drawings, points, winners, possible deals."""

from __future__ import annotations

import pytest

from companion.rules.hoshizora import HoshizoraSettings, HoshizoraSetup, worlds
from companion.rules.hoshizora.drawing import drawable, erasable
from companion.rules.hoshizora.facts import DrawingEnded
from companion.rules.hoshizora.fold import apply, start
from companion.rules.knowledge import count_deals
from companion.virtual.hoshizora_perft import KnownDeal, load_deal, perft
from companion.virtual.players import CheatPlan, play_game

EXPECTED = {1: 8, 2: 28, 3: 104, 4: 375, 5: 2625, 6: 9079}
"""Legal ways from the deal that comes with the program, as the slow rules count them."""


def setup_of(table, *, elimination: bool = False) -> HoshizoraSetup:
    return HoshizoraSetup(("A", "B", "C"), "A", table().setup.cards, HoshizoraSettings(line_elimination=elimination))


def slow_of(slow_rules, stars, *, elimination: bool = False):
    return slow_rules({star.n: (star.x_mm, star.y_mm, star.square) for star in stars}, elimination)


def as_tuples(lines) -> frozenset[tuple[int, int, str]]:
    return frozenset((x.a, x.b, str(x.colour)) for x in lines)


def test_ways_from_the_builtin_deal(table, slow_rules) -> None:
    setup = setup_of(table)
    deal = load_deal("builtin", setup)
    counts = perft(setup, deal, 6)
    assert dict(enumerate(counts, 1)) == EXPECTED
    slow = slow_of(slow_rules, deal.stars)
    assert slow.perft({seat: list(hand) for seat, hand in deal.hands.items()}, "A", 6) == list(counts)


@pytest.mark.parametrize("elimination", [False, True])
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_ways_through_two_tricks_from_hands_of_three(table, slow_rules, seed, elimination) -> None:
    setup = setup_of(table, elimination=elimination)
    script = play_game(setup, seed)
    slow = slow_of(slow_rules, script.stars, elimination=elimination)
    hands = {seat: list(cards[:3]) for seat, cards in script.deal.items()}
    deal = KnownDeal("A", script.stars, {seat: tuple(cards) for seat, cards in hands.items()})
    assert list(perft(setup, deal, 8)) == slow.perft(hands, "A", 8)


@pytest.mark.soak
@pytest.mark.parametrize("elimination", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_ways_from_many_deals(table, slow_rules, seed, elimination) -> None:
    setup = setup_of(table, elimination=elimination)
    script = play_game(setup, seed)
    hands = {seat: list(cards) for seat, cards in script.deal.items()}
    slow = slow_of(slow_rules, script.stars, elimination=elimination)
    counts = perft(setup, KnownDeal("A", script.stars, script.deal), 9)
    assert list(counts) == slow.perft(hands, "A", 9)


@pytest.mark.parametrize("elimination", [False, True])
def test_every_trick_of_random_games(table, slow_rules, elimination) -> None:
    """Winner, drawable lines, erasable sets and points of each trick of forty games, against the slow rules."""
    setup = setup_of(table, elimination=elimination)
    erased = 0
    for seed in range(40):
        script = play_game(setup, seed)
        slow = slow_of(slow_rules, script.stars, elimination=elimination)
        state = start(setup)
        for act in script.acts:
            trick = state.trick
            if trick.is_revealed and not trick.drawn and not trick.erased:
                cards = [card for card in trick.cards if card is not None]
                standing = as_tuples(state.lines)
                assert state.played[state.drawer] == slow.winner(cards)
                ways = slow.drawings(standing, cards)
                assert as_tuples(drawable(state)) == frozenset(x for way in ways for x in way)
                assert trick.largest == max(len(way) for way in ways)
                if not state.erasers >> trick.winner & 1:
                    assert {as_tuples(lines) for lines in erasable(state)} == slow.erasures(standing, cards)
            if isinstance(act.fact, DrawingEnded):
                assert state.points == slow.points(as_tuples(state.lines))
                erased += len(trick.erased)
            state = apply(state, act.fact)
    assert (erased > 0) is elimination


@pytest.mark.parametrize("seed", range(6))
def test_possible_deals_late_in_a_game(table, slow_rules, seed) -> None:
    """With three cards left in each hand every deal can be listed: honest and dishonest games."""
    setup = setup_of(table)
    script = play_game(setup, seed, CheatPlan(revoke=300) if seed % 2 else None)
    state = start(setup)
    checked = 0
    for act in script.acts:
        state = apply(state, act.fact)
        if len(state.done) < 5:
            continue
        shown = [card for record in state.done for card in record.played.values()]
        shown += [card for card in (*state.trick.cards, *state.bids) if card is not None]
        slots = {seat: 8 - sum(record.played[seat] != "" for record in state.done) for seat in setup.seats}
        for place, seat in enumerate(setup.seats):
            slots[seat] -= (state.trick.cards[place] is not None) + (state.bids[place] is not None)
        never: dict[str, set[str]] = {seat: set() for seat in setup.seats}
        for record in state.done:
            for seat, card in record.played.items():
                if not card.startswith(record.stated):
                    later = [r.played[seat] for r in state.done if r.number > record.number]
                    later += [c for c in (state.trick.cards[setup.places[seat]], state.bids[setup.places[seat]]) if c]
                    if not any(c.startswith(record.stated) for c in later):
                        never[seat].add(str(record.stated))
        if state.trick.is_revealed:
            lead = state.trick.cards[state.trick.lead].split("-")[0]
            for seat, card in state.played.items():
                if not card.startswith(lead):
                    never[seat].add(lead)
        hidden = [card for card in setup.cards if card not in shown]
        assert worlds(state) == sum(1 for _ in slow_rules.deals(hidden, slots, never))
        checked += 1
    assert checked > 15


def test_counting_deals_against_listing_them(slow_rules) -> None:
    hidden = ["red-1", "red-2", "red-3", "blue-1", "blue-2", "blue-3"]
    slots = {"A": 1, "B": 2, "C": 3}
    for never_a in (set(), {"red"}, {"blue"}, {"red", "blue"}):
        for never_c in (set(), {"red"}, {"blue"}):
            never = {"A": never_a, "B": set(), "C": never_c}
            listed = sum(1 for _ in slow_rules.deals(hidden, slots, never))
            most = tuple(tuple(0 if k in never[seat] else 9 for k in ("red", "blue")) for seat in "ABC")
            assert count_deals((3, 3), (1, 2, 3), most) == listed

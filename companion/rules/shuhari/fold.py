"""`apply`: the state after a fact, whatever the fact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.rules.shuhari import hands as holding
from companion.rules.shuhari.aids import pile_size
from companion.rules.shuhari.facts import (
    STAGES,
    SUITS,
    CardDrawn,
    CardPlayed,
    CardShown,
    CardTaken,
    ChartMarked,
    DeckRenewed,
    DeckSearched,
    Fact,
    HandPutAway,
    Play,
    PlayDeclared,
    StageShown,
    TrickCleared,
)
from companion.rules.shuhari.learning import completed, ends, teaches, with_learning
from companion.rules.shuhari.playing import assume_filled, playing, with_due
from companion.rules.shuhari.plays import read, with_card
from companion.rules.shuhari.settings import ShownHand
from companion.rules.shuhari.setup import HAND, CardKind, ShuhariSetup
from companion.rules.shuhari.state import (
    NO_ART,
    Due,
    Hand,
    Known,
    Played,
    Pool,
    Rest,
    ShuhariState,
    Trick,
    TrickRecord,
    made,
    points_of,
)

AFTER_THE_GAME = (CardShown, PlayDeclared, StageShown)
"""The facts that still tell something once the game has ended."""


def start(setup: ShuhariSetup) -> ShuhariState:
    """The state before anything happened: seven cards each are dealt, the others are the deck."""
    players = len(setup.seats)
    every = (1 << len(setup.ids)) - 1
    pool = Pool(setup.size - HAND * players, every, every)
    return ShuhariState(
        setup, Trick(1, setup.places[setup.lead]), (Hand(),) * players, pool, ((0,) * len(SUITS),) * players
    )


def apply(state: ShuhariState, fact: Fact) -> ShuhariState:
    """The state after a fact. Once the game has ended only hands laid open, and what the last card was, still tell anything."""
    if state.over and not isinstance(fact, AFTER_THE_GAME):
        return state
    return _APPLY[type(fact)](state, fact)


def _played(state: ShuhariState, fact: CardPlayed) -> ShuhariState:
    setup, card = state.setup, fact.card
    if fact.seat not in setup.places:
        return state
    if state.trick.learned is not None:
        return holding.in_doubt(state, card)  # one card too many: no count is right any more
    state, place, art, reading, showing = playing(state, fact)
    _, trick, hands, pool, chart, clock, _, done = state
    if showing is None:
        _, _, hands, pool, *_ = holding.in_doubt(state, card)
        hand = hands[place]
    else:
        hand, hands, pool = showing.hand, showing.others, showing.pool
    if art is not None:
        rank, as_what, due = art.rank, reading.play, Due.DRAW
    else:
        rank, as_what, due = 0, reading.play if card in setup.cards else Play.VOID, _due(setup, card, pool)
    played = made(Played, (place, card, as_what, trick.stage, rank, clock + 1, showing is None))
    trick = with_card(setup, trick, played, art, due)
    hand = holding.parted(hand, card, fact.slot)
    if as_what is Play.REST and art is not None:
        hand = _with_rest(setup, trick, pool, holding.put(hands, place, hand), played)
    return made(ShuhariState, (setup, trick, holding.put(hands, place, hand), pool, chart, clock + 1, False, done))


def _due(setup: ShuhariSetup, card: str, pool: Pool) -> Due:
    """What a card that is no art card has its player do."""
    data = setup.cards.get(card)
    if data is None:
        return Due.DRAW
    if data.kind is CardKind.PREPARATION:
        return Due.SEARCH
    return Due.TAKE if pool.pile & setup.takeable else Due.DRAW


def _with_rest(setup: ShuhariSetup, trick: Trick, pool: Pool, hands: holding.Hands, played: Played) -> Hand:
    """The hand with what its rest claims; nothing where the card itself would practise, or where the trick is in doubt."""
    place = played.place
    kind = trick.stage * 5 + trick.art
    if trick.doubtful or trick.art == NO_ART or setup.arts[played.card].kinds[trick.stage] == kind:
        return hands[place]
    if holding.contradicts(setup, pool, hands, place, kind):
        return hands[place]
    return holding.with_rest(hands[place], Rest(played.time, kind, trick.number, played.card))


def _filled(state: ShuhariState, fact: CardDrawn | DeckSearched) -> ShuhariState:
    """A card of the deck was added to a hand unseen."""
    place = state.setup.places.get(fact.seat)
    if place is None:
        return state
    if state.trick.due is not None and state.trick.cards[-1].place != place:
        state = assume_filled(state)
    setup, trick, hands, pool, chart, clock, _, done = state
    hands = holding.put(hands, place, holding.added(hands[place], clock + 1, fact.slot))
    if trick.due is not None:
        trick = with_due(trick, None)
    elif trick.owed and place == trick.lead:
        trick = trick._replace(owed=trick.owed - 1)
    state = made(ShuhariState, (setup, trick, hands, holding.drawn(pool, 1), chart, clock + 1, False, done))
    return completed(state) if len(trick.cards) >= setup.length else state


def _taken(state: ShuhariState, fact: CardTaken) -> ShuhariState:
    setup = state.setup
    place = setup.places.get(fact.seat)
    if place is None or fact.card not in setup.cards:
        return state
    trick, now = state.trick, state.clock + 1
    if trick.due is not None and trick.cards[-1].place != place:
        state = assume_filled(state)
        trick = state.trick
    if trick.due is not None:
        trick = with_due(trick, None)
    act = f"trick {trick.number}: {fact.seat} took {state.setup.named(fact.card)} from the discard pile"
    state = holding.taken_from_pile(state, place, Known(fact.card, act), fact.slot, now)
    return completed(state._replace(trick=trick, clock=now))


def _renewed(state: ShuhariState, _: DeckRenewed) -> ShuhariState:
    pool, now = state.pool, state.clock + 1
    if not pile_size(pool):
        return state
    renewed = holding.renewed(pool, [hand.hidden for hand in state.hands], now)
    return state._replace(pool=renewed, clock=now)


def _declared(state: ShuhariState, fact: PlayDeclared) -> ShuhariState:
    """Only the latest card can still be told what it is; the trick is read anew without and with it."""
    setup, trick = state.setup, state.trick
    place = setup.places.get(fact.seat)
    if not trick.cards or place is None or trick.cards[-1].place != place:
        return state
    played = trick.cards[-1]
    art = setup.arts.get(played.card)
    before = before_last(setup, trick)
    if art is None or before.art == NO_ART:
        return state
    reading = read(before, art, fact.play)
    hands = holding.put(state.hands, place, holding.without_rest(state.hands[place], played.time))
    again = with_card(setup, before, played._replace(play=reading.play, stage=before.stage), art)
    again = again._replace(due=trick.due, learned=trick.learned, shown=trick.shown)
    state = completed(state._replace(trick=again, hands=hands))
    if reading.play is not Play.REST:
        return state
    hand = _with_rest(setup, state.trick, state.pool, state.hands, played)
    return state._replace(hands=holding.put(state.hands, place, hand))


def before_last(setup: ShuhariSetup, trick: Trick) -> Trick:
    """The trick as it was when its last card was to be played."""
    again = Trick(trick.number, trick.lead)
    for played in trick.cards[:-1]:
        again = with_card(setup, again, played, setup.arts.get(played.card))
    return again


def _stage_shown(state: ShuhariState, fact: StageShown) -> ShuhariState:
    trick = state.trick
    stage = STAGES.index(fact.stage)
    last = trick.cards[-1] if trick.cards else None
    if last is not None and last.play is None and stage == trick.stage + 1:
        state = _declared(state, PlayDeclared(state.setup.seats[last.place], Play.BREAK))
        trick = state.trick
    return state._replace(trick=trick._replace(shown=stage)) if stage == trick.stage else state


def _shown(state: ShuhariState, fact: CardShown) -> ShuhariState:
    setup = state.setup
    place = setup.places.get(fact.seat)
    if place is None or fact.card not in setup.cards:
        return state
    if holding.knows(state.hands[place], fact.card) and fact.card in setup.arts:
        return state
    now = state.clock + 1
    if not holding.can_come(state, place, fact.card):
        return holding.in_doubt(state, fact.card)._replace(clock=now)
    seen = holding.showing(state, place, fact.card, fact.slot, laid_open=True)
    act = f"trick {state.trick.number}: {fact.seat} showed {setup.named(fact.card)}"
    hand = holding.with_known(seen.hand, Known(fact.card, act, shown=True))
    return state._replace(hands=holding.put(seen.others, place, hand), pool=seen.pool, clock=now)


def _put_away(state: ShuhariState, fact: HandPutAway) -> ShuhariState:
    """The shown cards leave the hand; as many are still to be drawn."""
    setup = state.setup
    place = setup.places.get(fact.seat)
    if place is None or place != state.trick.lead or state.trick.cards:
        return state
    under = setup.settings.shown_hand is ShownHand.BOTTOM
    for card in fact.cards:
        now = state.clock + 1
        if card not in setup.cards or not holding.can_come(state, place, card):
            state = holding.in_doubt(state, card)
        else:
            state = holding.show(state, place, card)
        pool = (
            holding.put_under(state.pool, setup, card, now) if under else holding.discarded(state.pool, setup, (card,))
        )
        hands = holding.put(state.hands, place, holding.parted(state.hands[place], card, None))
        state = state._replace(hands=hands, pool=pool, clock=now)
    return state._replace(trick=state.trick._replace(owed=state.trick.owed + len(fact.cards)))


def _cleared(state: ShuhariState, _: TrickCleared) -> ShuhariState:
    setup = state.setup
    if not state.trick.cards:
        return state
    if state.trick.due is not None:
        state = assume_filled(state)
    trick, chart = state.trick, state.chart
    learned = trick.learned
    if learned is None:  # cleared too early: what lay there still teaches
        learned = teaches(setup, trick, chart)
        chart = with_learning(chart, trick.art, learned)
        state = state._replace(over=ends(chart))
    record = TrickRecord(
        trick.number,
        setup.seats[trick.lead],
        state.art,
        tuple([(setup.seats[card.place], card.card, card.play) for card in trick.cards]),
        state.stage,
        tuple([(STAGES[x.stage], setup.seats[x.place], x.new) for x in learned]),
        {seat: points_of(row) for seat, row in zip(setup.seats, chart, strict=True)},
    )
    pool = holding.discarded(state.pool, setup, [card.card for card in trick.cards])
    following = Trick(trick.number + 1, (trick.lead + 1) % len(setup.seats))
    hands = holding.not_known(state.hands, pool.pile, setup)
    return ShuhariState(setup, following, hands, pool, chart, state.clock + 1, state.over, (*state.done, record))


def _unchanged(state: ShuhariState, _: ChartMarked) -> ShuhariState:
    """A box says nothing that the tricks didn't."""
    return state


_APPLY: Mapping[type[Fact], Callable[[ShuhariState, Any], ShuhariState]] = {
    CardPlayed: _played,
    CardDrawn: _filled,
    DeckSearched: _filled,
    CardTaken: _taken,
    TrickCleared: _cleared,
    DeckRenewed: _renewed,
    PlayDeclared: _declared,
    StageShown: _stage_shown,
    CardShown: _shown,
    HandPutAway: _put_away,
    ChartMarked: _unchanged,
}

"""`apply`: the state after a fact, whatever the fact."""

from __future__ import annotations

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
    points_of,
)


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
    if state.over and not isinstance(fact, CardShown | PlayDeclared | StageShown):
        return state
    after: ShuhariState
    match fact:
        case CardPlayed():
            after = _played(state, fact)
        case CardDrawn(seat, slot):
            after = _filled(state, seat, slot)
        case DeckSearched(seat, _, slot):
            after = _filled(state, seat, slot)
        case CardTaken():
            after = _taken(state, fact)
        case TrickCleared():
            after = _cleared(state)
        case DeckRenewed():
            after = _renewed(state)
        case PlayDeclared():
            after = _declared(state, fact)
        case StageShown():
            after = _stage_shown(state, fact)
        case CardShown():
            after = _shown(state, fact)
        case HandPutAway():
            after = _put_away(state, fact)
        case ChartMarked():
            after = state
    return after


def _played(state: ShuhariState, fact: CardPlayed) -> ShuhariState:
    place = state.setup.places.get(fact.seat)
    if place is None:
        return state
    if state.trick.learned is not None:
        return holding.in_doubt(state, fact.card)  # one card too many: no count is right any more
    if state.trick.due is not None or state.trick.owed:
        state = assume_filled(state)
    setup, trick, now = state.setup, state.trick, state.clock + 1
    card = fact.card
    art = setup.arts.get(card)
    doubtful = not holding.can_come(state, place, card)
    state = holding.in_doubt(state, card) if doubtful else holding.show(state, place, card, fact.slot, now)
    reading_play = read(trick, art, fact.declared).play if card in setup.cards else Play.VOID
    played = Played(place, card, reading_play, trick.stage, 0 if art is None else art.rank, now, doubtful)
    trick = with_card(setup, trick, played, art)
    trick = _with_due(trick, _due(setup, card, state.pool))
    hands = holding.put(state.hands, place, holding.parted(state.hands[place], card, fact.slot))
    state = ShuhariState(setup, trick, hands, state.pool, state.chart, now, False, state.done)
    return _with_rest(state, played) if reading_play is Play.REST and art is not None else state


def _due(setup: ShuhariSetup, card: str, pool: Pool) -> Due | None:
    data = setup.cards.get(card)
    if data is None or data.kind is CardKind.ART:
        return Due.DRAW
    if data.kind is CardKind.PREPARATION:
        return Due.SEARCH
    return Due.TAKE if pool.pile & setup.takeable else Due.DRAW


def _with_due(trick: Trick, due: Due | None) -> Trick:
    number, lead, cards, art, stage, best, _, learned, doubtful, shown, owed = trick
    return Trick(number, lead, cards, art, stage, best, due, learned, doubtful, shown, owed)


def _with_rest(state: ShuhariState, played: Played) -> ShuhariState:
    """With what a rest claims; nothing where the card itself would practise, or where the trick is in doubt."""
    trick, place = state.trick, played.place
    kind = trick.stage * 5 + trick.art
    if trick.doubtful or trick.art == NO_ART or state.setup.arts[played.card].kinds[trick.stage] == kind:
        return state
    if holding.contradicts(state, place, kind):
        return state
    rest = Rest(played.time, kind, trick.number, played.card)
    hand = holding.with_rest(state.hands[place], rest)
    return state._replace(hands=holding.put(state.hands, place, hand))


def _filled(state: ShuhariState, seat: str, slot: int | None) -> ShuhariState:
    """A card of the deck was added to a hand unseen."""
    place = state.setup.places.get(seat)
    if place is None:
        return state
    trick, now = state.trick, state.clock + 1
    if trick.due is not None and trick.cards[-1].place != place:
        state = assume_filled(state)
        trick = state.trick
    hands = holding.put(state.hands, place, holding.added(state.hands[place], now, slot))
    pool = holding.drawn(state.pool, 1)
    if trick.due is not None:
        trick = _with_due(trick, None)
    elif trick.owed and place == trick.lead:
        trick = trick._replace(owed=trick.owed - 1)
    state = ShuhariState(state.setup, trick, hands, pool, state.chart, now, False, state.done)
    return completed(state) if len(trick.cards) >= state.setup.length else state


def assume_filled(state: ShuhariState) -> ShuhariState:
    """Draws that nobody saw: they are taken to have happened, and the counts are certain no more."""
    trick, now = state.trick, state.clock
    place, count = (trick.lead, trick.owed) if trick.owed else (trick.cards[-1].place, 1)
    hand, pool = state.hands[place], state.pool
    for _ in range(count):
        now += 1
        hand, pool = holding.added(hand, now, None), holding.drawn(pool, 1)
    trick = _with_due(trick, None)._replace(owed=0)
    state = state._replace(hands=holding.put(state.hands, place, hand), pool=pool, clock=now, trick=trick)
    return completed(holding.uncounted(state))


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
        trick = _with_due(trick, None)
    act = f"trick {trick.number}: {fact.seat} took {fact.card} from the discard pile"
    state = holding.taken_from_pile(state, place, Known(fact.card, act), fact.slot, now)
    return completed(state._replace(trick=trick, clock=now))


def _renewed(state: ShuhariState) -> ShuhariState:
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
    return _with_rest(state, played) if reading.play is Play.REST else state


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
    state = holding.show(state, place, fact.card, fact.slot, now, laid_open=True)
    act = f"trick {state.trick.number}: {fact.seat} showed {fact.card}"
    hand = holding.with_known(state.hands[place], Known(fact.card, act, shown=True))
    return state._replace(hands=holding.put(state.hands, place, hand), clock=now)


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
            state = holding.show(state, place, card, None, now, laid_open=True)
        pool = (
            holding.put_under(state.pool, setup, card, now) if under else holding.discarded(state.pool, setup, (card,))
        )
        hands = holding.put(state.hands, place, holding.parted(state.hands[place], card, None))
        state = state._replace(hands=hands, pool=pool, clock=now)
    return state._replace(trick=state.trick._replace(owed=state.trick.owed + len(fact.cards)))


def _cleared(state: ShuhariState) -> ShuhariState:
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

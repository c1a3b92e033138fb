"""Duel cards played, passed over, and told: what their effects do."""

from __future__ import annotations

from companion.rules.hoshi_battle.duels import defeated, exile, open_window, restart, set_aside
from companion.rules.hoshi_battle.effects import (
    LASTING,
    At,
    CancelHit,
    CountAlso,
    CountInstead,
    Effect,
    ExtraDie,
    Lasts,
    Move,
    ReplaceExile,
    RestartDuel,
    SetDie,
    Stones,
    Then,
    To,
    Touch,
    What,
)
from companion.rules.hoshi_battle.facts import EffectTold, Told, ToldKind, ToldSpan
from companion.rules.hoshi_battle.moves import act, give_stones, move_card, sides
from companion.rules.hoshi_battle.reckoning import needs_of, refreshed, start_effect
from companion.rules.hoshi_battle.rounds import close_if_decided, end_round, settle
from companion.rules.hoshi_battle.setup import DuelCard, Needs, Reveal
from companion.rules.hoshi_battle.state import (
    Hit,
    HoshiBattleState,
    Phase,
    side_of,
    with_fighter,
    with_player,
)

_SPANS = {ToldSpan.ROUND: Lasts.ROUND, ToldSpan.DUEL: Lasts.DUEL, ToldSpan.CARD: Lasts.CARD}


def times_of(state: HoshiBattleState, card: DuelCard) -> frozenset[Reveal]:
    """When a card may be revealed. A card of a round's beginning may also be played before the first round (Duel cards)."""
    times = card.reveal
    if state.setup.settings.example_windows:
        times |= card.also_reveal
    return times | {Reveal.DUEL_START} if Reveal.ROUND_START in times else times


def time_of(state: HoshiBattleState) -> Reveal | None:
    """Which of the cards' times it is; None while dice roll or nobody duels."""
    match state.phase:
        case Phase.REVEAL | Phase.READY:
            return Reveal.DUEL_START
        case Phase.ROUND_START:
            return Reveal.ROUND_START
        case Phase.ROUND_END | Phase.HIT:
            return Reveal.ROUND_END
        case _:
            return None


def needs_met(state: HoshiBattleState, side: int, card: DuelCard) -> bool:
    """Whether what a card asks for has happened."""
    duel = state.duel
    if duel is None:
        return False
    match card.needs:
        case Needs.NOTHING:
            return True
        case Needs.WAS_HIT:
            return duel.fighters[side].was_hit
        case Needs.STONE_LOST:
            return duel.stone_lost
        case Needs.OWN_TOUCH:
            return side in duel.claims
        case Needs.DEFEATED:
            return side in defeated(state)


def at_its_time(state: HoshiBattleState, side: int, card: str) -> HoshiBattleState:
    """The state at which a revealed card is to be looked at: players who go on to a round's start say nothing of its end."""
    known = state.setup.duels.get(card)
    if known is None or state.phase is not Phase.ROUND_END or defeated(state):
        return state
    duel = state.duel
    if duel is None or side in duel.claims:
        return state
    times = times_of(state, known)
    if Reveal.ROUND_END in times or Reveal.ROUND_START not in times:
        return state
    return end_round(state)


def play(state: HoshiBattleState, seat: str, card: str) -> HoshiBattleState:
    """A Duel card lies open: it is resolved fully before anything else."""
    side = side_of(state, seat)
    if side is None or state.duel is None:
        return state
    state = at_its_time(state, side, card)
    duel = state.duel
    if duel is None or duel.fighters[side].card is not None or state.phase is Phase.PLACE:
        return state
    fighter = duel.fighters[side]
    player = state.players[fighter.place]
    if not fighter.is_hidden:
        player = player._replace(duels=max(0, player.duels - 1))
    state = with_player(state, fighter.place, player._replace(shown=(*player.shown, card)))
    state = with_fighter(state, side, fighter._replace(card=card, is_hidden=False))
    known = state.setup.duels.get(card)
    effects = () if known is None else known.effects
    touch = None if duel.touch is None else duel.touch._replace(is_settled=True)
    if state.duel is not None:
        deciding = tuple(other for other in duel.deciding if other != side)
        state = state._replace(duel=state.duel._replace(deciding=deciding, touch=touch))
    for effect in effects:
        state = _do(state, side, card, effect)
    if known is not None and known.stays is False:
        state = _put_away(state, side, card)
    return _after_card(state)


def _put_away(state: HoshiBattleState, side: int, card: str) -> HoshiBattleState:
    """A card that is used once is discarded when it is resolved; what it set in motion goes on."""
    if state.duel is not None and state.duel.fighters[side].card == card:
        return move_card(state, side, To.DISCARD)
    return state


def _after_card(state: HoshiBattleState) -> HoshiBattleState:
    """A Hero that lost its last Stone by a card is defeated like any other; a window with nobody left to decide closes."""
    if state.phase in (Phase.READY, Phase.ROUND_START) and defeated(state):
        return open_window(state, Phase.ROUND_END)
    return close_if_decided(state)


def _do(state: HoshiBattleState, side: int, card: str, effect: Effect) -> HoshiBattleState:
    duel = state.duel
    if duel is None:
        return state
    if isinstance(effect, Touch) and side in duel.claims:
        return _claim(state, side, card, effect)
    if isinstance(effect, LASTING):
        known = state.setup.duels.get(card)
        if isinstance(effect, Touch) and known is not None and known.needs is Needs.OWN_TOUCH:
            return state
        return refreshed(state._replace(duel=start_effect(duel, effect, side, card, is_hero=False)))
    match effect:
        case Stones(at=At.PLAYED) | Move(what=What.DUEL_CARD, at=At.PLAYED):
            state = act(state, side, effect)
        case Move(what=What.HERO, at=At.PLAYED):
            for other in sides(side, effect.who):
                state = _move_hero(state, other, effect.to, 1)
        case ReplaceExile():
            if side in defeated(state):
                state = set_aside(state, side, effect.stones)
        case RestartDuel():
            state = restart(state, side)
        case CancelHit():
            state = _cancel_hit(state, side)
        case _:
            pass
    return state


def _claim(state: HoshiBattleState, side: int, card: str, effect: Touch) -> HoshiBattleState:
    """The card that a touch was made for is shown: the touch is worth what it says."""
    duel = state.duel
    if duel is None:
        return state
    duel = duel._replace(claims=tuple(other for other in duel.claims if other != side))
    if effect.then is Then.SET_DIE:
        die = SetDie(effect.sides, lasts=effect.lasts)
        return refreshed(
            state._replace(duel=start_effect(duel, die, 1 - side, card, is_hero=False, lasts=effect.lasts))
        )
    hit = Hit(1 - side, needs_of(state, 1 - side))
    return settle(state._replace(duel=duel._replace(hits=(*duel.hits, hit))))


def _cancel_hit(state: HoshiBattleState, side: int) -> HoshiBattleState:
    """The hit on a side doesn't count: one that still waits is dropped, one that cost a Stone gives it back."""
    duel = state.duel
    if duel is None:
        return state
    waiting = tuple(hit for hit in duel.hits if hit.victim != side)
    if len(waiting) < len(duel.hits):
        return settle(state._replace(duel=duel._replace(hits=waiting)))
    fighter = duel.fighters[side]
    if not fighter.was_hit:
        return state
    state = with_fighter(state, side, fighter._replace(was_hit=False))
    return give_stones(state, side, 1)


def _move_hero(state: HoshiBattleState, side: int, to: To, stones: int) -> HoshiBattleState:
    duel = state.duel
    if duel is None:
        return state
    match to:
        case To.HAND:
            return restart(state, side)
        case To.ASIDE:
            return set_aside(state, side, stones)
        case _:
            state = with_fighter(state, side, duel.fighters[side]._replace(stones=0))
            return exile(state)


def decline(state: HoshiBattleState, seat: str) -> HoshiBattleState:
    """A seat doesn't play its card now and waits for the next round's start or end."""
    side, duel = side_of(state, seat), state.duel
    if side is None or duel is None or side not in duel.deciding:
        return state
    deciding = tuple(other for other in duel.deciding if other != side)
    state = state._replace(duel=duel._replace(deciding=deciding))
    return close_if_decided(state)


def tell(state: HoshiBattleState, fact: EffectTold) -> HoshiBattleState:
    """A person tells what a card did."""
    for told in fact.outcomes:
        state = _told(state, fact.card, told)
    return _after_card(state)


def _told(state: HoshiBattleState, card: str, told: Told) -> HoshiBattleState:
    side, duel = side_of(state, told.seat), state.duel
    if side is None or duel is None:
        return state
    effect = _lasting(told)
    if effect is not None:
        is_hero = duel.fighters[side].hero == card
        span = _SPANS[told.lasts]
        return refreshed(state._replace(duel=start_effect(duel, effect, side, card, is_hero=is_hero, lasts=span)))
    match told.kind:
        case ToldKind.STONES:
            state = give_stones(state, side, told.amount)
        case ToldKind.HIT:
            if state.phase is Phase.ROLLING:
                state = settle(state._replace(duel=duel._replace(hits=(*duel.hits, Hit(side)))))
            else:
                state = give_stones(state, side, -1)
        case ToldKind.HIT_CANCELLED:
            state = _cancel_hit(state, side)
        case ToldKind.DISCARD:
            state = move_card(state, side, To.DISCARD)
        case ToldKind.TO_HAND:
            state = _move_hero(state, side, To.HAND, 0)
        case ToldKind.ASIDE:
            state = _move_hero(state, side, To.ASIDE, told.amount)
        case ToldKind.EXILE:
            state = _move_hero(state, side, To.EXILE, 0)
        case _:
            pass
    return state


def _lasting(told: Told) -> Effect | None:
    match told.kind:
        case ToldKind.DIE:
            return SetDie(told.amount)
        case ToldKind.EXTRA_DIE:
            return ExtraDie(told.amount)
        case ToldKind.COUNTS_ALSO:
            return CountAlso(told.rolled, told.counts)
        case ToldKind.COUNTS_INSTEAD:
            return CountInstead(told.rolled, told.counts)
        case _:
            return None

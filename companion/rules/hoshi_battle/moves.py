"""Stones and cards that change their place, with what their cards say of it. Phases are not looked at here."""

from __future__ import annotations

from companion.rules.hoshi_battle.effects import LASTING, At, Effect, Move, NextHeroStones, Only, Stones, To, What, Who
from companion.rules.hoshi_battle.reckoning import end_card, refreshed, start_effect
from companion.rules.hoshi_battle.state import (
    HoshiBattleState,
    Phase,
    card_of,
    hero_of,
    with_fighter,
    with_player,
)


def sides(owner: int, who: Who) -> tuple[int, ...]:
    """The sides that an effect concerns."""
    if who is Who.ALL:
        return (0, 1)
    return (owner,) if who is Who.SELF else (1 - owner,)


def give_stones(state: HoshiBattleState, side: int, amount: int) -> HoshiBattleState:
    """Stones more or less; never fewer than none. Those gained before the first round may belong to full health."""
    duel = state.duel
    if duel is None or not amount:
        return state
    fighter = duel.fighters[side]
    stones = max(0, fighter.stones + amount)
    full = fighter.full
    if state.phase in (Phase.REVEAL, Phase.READY) and state.setup.settings.gains_raise_full_health:
        full += max(0, amount)
    state = with_fighter(state, side, fighter._replace(stones=stones, full=full))
    if stones < fighter.stones and state.duel is not None:
        state = state._replace(duel=state.duel._replace(stone_lost=True))
    return refreshed(state)


def is_awake(state: HoshiBattleState, side: int) -> bool:
    """Whether the Hero ability of a side works."""
    return state.duel is not None and state.duel.fighters[side].frees is None


def hero_acts(state: HoshiBattleState, side: int, at: At) -> tuple[Effect, ...]:
    """The effects of a side's Hero that act at a moment; none while its ability sleeps."""
    hero = hero_of(state, side)
    if hero is None or not is_awake(state, side):
        return ()
    return tuple(x for x in hero.effects if isinstance(x, Move | Stones) and x.at is at)


def act(state: HoshiBattleState, owner: int, effect: Effect) -> HoshiBattleState:
    """An effect that acts once and moves Stones or Duel cards."""
    match effect:
        case Stones():
            for side in sides(owner, effect.who):
                state = give_stones(state, side, effect.amount)
        case Move(what=What.DUEL_CARD):
            for side in sides(owner, effect.who):
                if _concerns_card(state, side, effect.only):
                    state = move_card(state, side, effect.to)
        case _:
            pass
    return state


def _concerns_card(state: HoshiBattleState, side: int, only: Only) -> bool:
    if only is Only.ANY:
        return True
    card = card_of(state, side)
    return card is not None and card.kind is not None and card.kind.value == only.value


def move_card(state: HoshiBattleState, side: int, to: To) -> HoshiBattleState:
    """The Duel card of a side, open or face down, leaves its place; what an open one says of leaving happens."""
    duel = state.duel
    if duel is None:
        return state
    fighter = duel.fighters[side]
    card = fighter.card
    if card is None and not fighter.is_hidden:
        return state
    known = card_of(state, side)
    state = with_fighter(state, side, fighter._replace(card=None, is_hidden=False))
    player = state.players[fighter.place]
    if to is To.HAND:
        state = with_player(state, fighter.place, player._replace(duels=player.duels + 1))
    elif card is not None and to is not To.OTHER_OWNER:
        state = with_player(state, fighter.place, player._replace(discarded=(*player.discarded, card)))
    if card is not None and state.duel is not None:
        state = state._replace(duel=end_card(state.duel, side, card, is_hero=False))
    state = refreshed(state)
    if known is not None:
        for effect in known.effects:
            if isinstance(effect, Stones) and effect.at is At.LEAVING:
                state = act(state, side, effect)
    if card is not None and to is To.OTHER_OWNER:
        state = take_card(state, 1 - side, card)
    return state


def take_card(state: HoshiBattleState, side: int, card: str) -> HoshiBattleState:
    """An open Duel card comes into play on a side, in place of the one that is there."""
    state = move_card(state, side, To.DISCARD)
    duel = state.duel
    known = state.setup.duels.get(card)
    if duel is None:
        return state
    state = with_fighter(state, side, duel.fighters[side]._replace(card=card))
    for effect in () if known is None else known.effects:
        if isinstance(effect, LASTING) and state.duel is not None:
            state = state._replace(duel=start_effect(state.duel, effect, side, card, is_hero=False))
        elif isinstance(effect, Stones) and effect.at is At.PLAYED:
            state = act(state, side, effect)
    return refreshed(state)


def hero_leaves(state: HoshiBattleState, side: int) -> HoshiBattleState:
    """The Hero of a side leaves the Duel: what it leaves to the next one, and its effects end. The caller says where it goes."""
    duel = state.duel
    if duel is None:
        return state
    fighter = duel.fighters[side]
    hero = hero_of(state, side)
    if hero is not None and is_awake(state, side):
        more = sum(x.amount for x in hero.effects if isinstance(x, NextHeroStones))
        player = state.players[fighter.place]
        state = with_player(state, fighter.place, player._replace(bonus=player.bonus + more))
    if fighter.hero is not None and state.duel is not None:
        state = state._replace(duel=end_card(state.duel, side, fighter.hero, is_hero=True))
    gone = fighter._replace(
        hero=None, has_hero=False, stones=0, full=0, began=0, rolls=(None, None), freed=False, was_hit=False
    )
    return refreshed(with_fighter(state, side, gone))

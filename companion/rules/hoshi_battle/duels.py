"""How Duels begin, end, and follow upon each other."""

from __future__ import annotations

from companion.rules.hoshi_battle.effects import LASTING, At, Lasts, Move, Stones, To
from companion.rules.hoshi_battle.facts import CardsPlaced, HeroRevealed
from companion.rules.hoshi_battle.moves import act, hero_acts, hero_leaves, move_card
from companion.rules.hoshi_battle.reckoning import end_effects, refreshed, start_effect
from companion.rules.hoshi_battle.settings import FirstReveal, FullHealth, Restart
from companion.rules.hoshi_battle.setup import Duelkind
from companion.rules.hoshi_battle.state import (
    Duel,
    DuelRecord,
    Fighter,
    HoshiBattleState,
    Phase,
    Standing,
    card_of,
    heroes_left,
    seat_of,
    side_of,
    with_fighter,
    with_player,
)


def in_game(state: HoshiBattleState) -> tuple[int, ...]:
    """Places of the seats that still have a Hero."""
    return tuple(place for place in range(len(state.setup.seats)) if heroes_left(state, place) > 0)


def opponents(state: HoshiBattleState) -> tuple[int, ...]:
    """Places that the choosing seat may choose: those with the most Heroes left; at the beginning of the game anybody."""
    others = [place for place in in_game(state) if place != state.chooser]
    if not state.done:
        return tuple(others)
    most = max((heroes_left(state, place) for place in others), default=0)
    return tuple(place for place in others if heroes_left(state, place) == most)


def next_duel(state: HoshiBattleState) -> HoshiBattleState:
    """The Duel that follows, or the choice of its opponent, or the end of the game."""
    alive = in_game(state)
    if len(alive) <= 1:
        return state._replace(phase=Phase.OVER)
    if len(state.setup.seats) == 2:
        return pair_up(state, state.chooser, 1 - state.chooser)
    if state.chooser not in alive:
        state = state._replace(chooser=_next_alive(state, alive))
    if len(alive) == 2:
        return pair_up(state, state.chooser, next(place for place in alive if place != state.chooser))
    return state._replace(phase=Phase.OPPONENT)


def _next_alive(state: HoshiBattleState, alive: tuple[int, ...]) -> int:
    count = len(state.setup.seats)
    return next(place for step in range(1, count + 1) if (place := (state.chooser + step) % count) in alive)


def pair_up(state: HoshiBattleState, chooser: int, opponent: int) -> HoshiBattleState:
    """A new Duel between two seats; who stands from the last one goes on with Hero, Duel card, Stones and their effects."""
    if state.done and len(state.setup.seats) > 2 and state.setup.settings.first_reveal is FirstReveal.OPPONENT:
        chooser, opponent = opponent, chooser
    fighters = [Fighter(chooser), Fighter(opponent)]
    duel = Duel(len(state.done) + 1, (fighters[0], fighters[1]), chooser)
    stands = state.standing
    if stands is not None and stands.fighter.place in (chooser, opponent):
        side = 0 if stands.fighter.place == chooser else 1
        fighters[side] = stands.fighter
        actives = tuple(x._replace(owner=side) for x in stands.actives)
        duel = duel._replace(fighters=(fighters[0], fighters[1]), actives=actives, stamp=stands.stamp)
    return refreshed(state._replace(phase=Phase.PLACE, duel=duel, standing=None))


def choose_opponent(state: HoshiBattleState, seat: str, opponent: str) -> HoshiBattleState:
    """Two seats come to duel."""
    places = state.setup.places
    chooser, other = places.get(seat), places.get(opponent)
    if state.phase is not Phase.OPPONENT or chooser is None or other is None or chooser == other:
        return state
    if not {chooser, other} <= set(in_game(state)):
        return state
    stands = state.standing
    if stands is not None and stands.fighter.place not in (chooser, other):
        return state
    return pair_up(state._replace(chooser=chooser), chooser, other)


def place_cards(state: HoshiBattleState, fact: CardsPlaced) -> HoshiBattleState:
    """A seat's choice lies face down."""
    if state.phase is Phase.DEAL:
        state = next_duel(state)
    side = side_of(state, fact.seat)
    duel = state.duel
    if side is None or duel is None or state.phase not in (Phase.PLACE, Phase.REVEAL):
        return state
    fighter, player = duel.fighters[side], state.players[duel.fighters[side].place]
    hero = fact.hero and not fighter.has_hero and player.left > 0
    card = fact.duel and not fighter.is_hidden and fighter.card is None and player.duels > 0
    player = player._replace(heroes=player.heroes - hero, duels=player.duels - card)
    fighter = fighter._replace(has_hero=fighter.has_hero or hero, is_hidden=fighter.is_hidden or card)
    return _placed(with_player(with_fighter(state, side, fighter), fighter.place, player))


def _placed(state: HoshiBattleState) -> HoshiBattleState:
    duel = state.duel
    if duel is not None and state.phase is Phase.PLACE and all(x.has_hero for x in duel.fighters):
        return state._replace(phase=Phase.REVEAL)
    return state


def reveal_hero(state: HoshiBattleState, fact: HeroRevealed) -> HoshiBattleState:
    """A Hero lies open: its Stones, its ability; once both do, the Duel is ready."""
    side = side_of(state, fact.seat)
    if side is not None and state.duel is not None and not state.duel.fighters[side].has_hero:
        state = place_cards(state, CardsPlaced(fact.seat, duel=False))
    elif state.phase is Phase.DEAL:
        state = place_cards(state, CardsPlaced(fact.seat, duel=False))
        side = side_of(state, fact.seat)
    duel = state.duel
    if side is None or duel is None or state.phase not in (Phase.PLACE, Phase.REVEAL):
        return state
    fighter = duel.fighters[side]
    if not fighter.has_hero or fighter.hero is not None:
        return state
    player = state.players[fighter.place]
    most = state.setup.settings.stones
    aside = dict(player.aside)
    if fact.card in aside:
        stones, full = aside.pop(fact.card), most
        player = player._replace(aside=tuple(aside.items()), heroes=player.heroes + 1)
    else:
        stones = full = max(1, most + player.bonus)
        player = player._replace(bonus=0)
    player = player._replace(shown=(*player.shown, fact.card))
    fighter = fighter._replace(hero=fact.card, stones=stones, full=full, began=stones)
    state = with_player(with_fighter(state, side, fighter), fighter.place, player)
    hero = state.setup.heroes.get(fact.card)
    for effect in () if hero is None else hero.effects:
        if isinstance(effect, LASTING) and state.duel is not None:
            state = state._replace(duel=start_effect(state.duel, effect, side, fact.card, is_hero=True))
    state = refreshed(state)
    for effect in hero_acts(state, side, At.PLAYED):
        state = act(state, side, effect)
    return _revealed(state)


def _revealed(state: HoshiBattleState) -> HoshiBattleState:
    """Both Heroes open: what happens before the Duel starts; a Duel that goes on opens its next round."""
    duel = state.duel
    if duel is None or any(x.hero is None for x in duel.fighters):
        return state
    if duel.is_continued:
        return open_window(state, Phase.ROUND_START)
    state = state._replace(phase=Phase.READY)
    for side in (0, 1):
        for effect in hero_acts(state, side, At.DUEL_START):
            state = act(state, side, effect)
    state = _artifacts_again(state)
    if state.duel is not None:
        by_duel = state.setup.settings.full_health is FullHealth.DUEL
        first, second = (x._replace(began=x.stones, full=x.stones if by_duel else x.full) for x in state.duel.fighters)
        state = state._replace(duel=state.duel._replace(fighters=(first, second), stone_lost=bool(state.done)))
    return open_window(refreshed(state), Phase.READY)


def _artifacts_again(state: HoshiBattleState) -> HoshiBattleState:
    if not state.setup.settings.artifacts_act_again or not state.done:
        return state
    for side in (0, 1):
        card = card_of(state, side)
        if card is None or card.kind is not Duelkind.ARTIFACT:
            continue
        for effect in card.effects:
            if isinstance(effect, Stones) and effect.at is At.PLAYED:
                state = act(state, side, effect)
    return state


def open_window(state: HoshiBattleState, phase: Phase) -> HoshiBattleState:
    """A time at which face-down Duel cards may be played, and in which order it is decided (Card effect priority)."""
    duel = state.duel
    if duel is None:
        return state
    first = 0 if duel.fighters[0].place == duel.chooser else 1
    if duel.last_hitter is not None:
        first = duel.last_hitter
    order = [side for side in (first, 1 - first) if duel.fighters[side].is_hidden]
    order.sort(key=lambda side: side not in duel.claims)
    return state._replace(phase=phase, duel=duel._replace(deciding=tuple(order)))


def defeated(state: HoshiBattleState) -> tuple[int, ...]:
    """Sides whose open Hero has no Stone left."""
    duel = state.duel
    if duel is None:
        return ()
    return tuple(side for side, x in enumerate(duel.fighters) if x.hero is not None and x.stones <= 0)


def exile(state: HoshiBattleState) -> HoshiBattleState:
    """Every defeated Hero is exiled with its Duel card; the Duel ends."""
    duel = state.duel
    if duel is None:
        return state
    heroes = tuple(x.hero for x in duel.fighters)
    gone: list[int] = []
    while left := [side for side in defeated(state) if side not in gone]:
        side = left[0]
        gone.append(side)
        for effect in hero_acts(state, side, At.EXILED):
            if isinstance(effect, Move | Stones):
                state = act(state, side, effect)
        state = _banish(state, side)
    if not gone or state.duel is None:
        return state
    winner = next((side for side in (0, 1) if side not in gone), None)
    record = DuelRecord(
        duel.number,
        (seat_of(state, 0), seat_of(state, 1)),
        (heroes[0], heroes[1]),
        duel.round,
        tuple(seat_of(state, side) for side in sorted(gone)),
        None if winner is None else seat_of(state, winner),
        0 if winner is None else state.duel.fighters[winner].stones,
    )
    return next_duel(_stand(state._replace(done=(*state.done, record)), winner))


def _banish(state: HoshiBattleState, side: int) -> HoshiBattleState:
    """A Hero is removed from the game, and the Duel card used for it discarded, whether it was revealed or not."""
    duel = state.duel
    if duel is None:
        return state
    fighter = duel.fighters[side]
    state = hero_leaves(state, side)
    player = state.players[fighter.place]
    hero = () if fighter.hero is None else (fighter.hero,)
    state = with_player(state, fighter.place, player._replace(exiled=player.exiled + hero))
    return move_card(state, side, To.DISCARD)


def _stand(state: HoshiBattleState, winner: int | None) -> HoshiBattleState:
    """The winner stays as it is, with what its cards in play go on doing; everything else of the Duel is over."""
    duel = state.duel
    if duel is None:
        return state
    if winner is None or not duel.fighters[winner].has_hero:
        return state._replace(duel=None, standing=None)
    actives = tuple(x for x in duel.actives if x.owner == winner and x.lasts is Lasts.CARD)
    fighter = duel.fighters[winner]
    fighter = fighter._replace(
        rolls=(None, None),
        is_raised=False,
        raised_us=None,
        freed=False,
        frees=None,
        was_hit=False,
        began=fighter.stones,
    )
    chooser = state.chooser if len(state.setup.seats) == 2 else fighter.place
    return state._replace(duel=None, standing=Standing(fighter, actives, duel.stamp), chooser=chooser)


def set_aside(state: HoshiBattleState, side: int, stones: int) -> HoshiBattleState:
    """Instead of its exile a Hero that is not the last is set aside; the Duel goes on with another one."""
    duel = state.duel
    if duel is None or state.players[duel.fighters[side].place].left <= 0:
        return state
    fighter = duel.fighters[side]
    hero = fighter.hero
    state = hero_leaves(state, side)
    player = state.players[fighter.place]
    if hero is not None:
        state = with_player(state, fighter.place, player._replace(aside=(*player.aside, (hero, stones))))
    if state.duel is None:
        return state
    return _round_over(state._replace(phase=Phase.PLACE, duel=state.duel._replace(is_continued=True)))


def _round_over(state: HoshiBattleState) -> HoshiBattleState:
    duel = state.duel
    if duel is None:
        return state
    duel = end_effects(duel, Lasts.ROUND)._replace(deciding=(), claims=(), hits=(), touch=None)
    return refreshed(state._replace(duel=duel))


def restart(state: HoshiBattleState, side: int) -> HoshiBattleState:
    """A Hero that is not the last goes back to hand; this Duel starts over with a different one."""
    duel = state.duel
    if duel is None or state.players[duel.fighters[side].place].left <= 0:
        return state
    fighter = duel.fighters[side]
    hero = fighter.hero
    state = hero_leaves(state, side)
    player = state.players[fighter.place]
    state = with_player(state, fighter.place, player._replace(heroes=player.heroes + 1))
    if state.duel is None:
        return state
    pair = []
    for x in state.duel.fighters:
        keep = x.hero is None or state.setup.settings.restart_stones is Restart.KEEP
        pair.append(x._replace(stones=x.stones if keep else x.began, freed=False, was_hit=False, rolls=(None, None)))
    duel = end_effects(state.duel, Lasts.DUEL)._replace(
        fighters=(pair[0], pair[1]), round=0, last_hitter=None, barred=hero, is_continued=False, stone_lost=False
    )
    return _round_over(state._replace(phase=Phase.PLACE, duel=duel))

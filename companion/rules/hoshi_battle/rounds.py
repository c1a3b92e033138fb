"""Rounds: how they begin, what a touch does to them, hits that wait for something, the windows after them."""

from __future__ import annotations

from companion.rules.hoshi_battle.duels import defeated, exile, open_window
from companion.rules.hoshi_battle.effects import Lasts, SetDie, Then, Touch, Who
from companion.rules.hoshi_battle.facts import ActAttested, HandsTouched, Ruling, SaveRolled
from companion.rules.hoshi_battle.moves import give_stones
from companion.rules.hoshi_battle.reckoning import counted, end_effects, needs_of, refreshed, start_effect
from companion.rules.hoshi_battle.settings import AfterStone, Silence, Unshown
from companion.rules.hoshi_battle.state import (
    Active,
    Duel,
    Fighter,
    Hit,
    HoshiBattleState,
    Need,
    Phase,
    TouchMade,
    side_of,
)
from companion.rules.hoshi_battle.touches import TouchRuling, Verdict, rule_touch


def begin(state: HoshiBattleState) -> HoshiBattleState:
    """Play goes on: what was left open is closed by it, and the next round begins where none is on."""
    if state.phase is Phase.HIT:
        state = give_up_waiting(state)
    if state.phase is Phase.ROUND_END:
        state = end_round(state)
        if state.phase is Phase.HIT:
            state = end_round(give_up_waiting(state))
    duel = state.duel
    if duel is None or state.phase not in (Phase.READY, Phase.ROUND_START):
        return state
    first, second = (_ready(x) for x in duel.fighters)
    duel = Duel(
        duel.number,
        (first, second),
        duel.chooser,
        duel.round + 1,
        duel.actives,
        duel.stamp,
        last_hitter=duel.last_hitter,
        stone_lost=duel.stone_lost and state.setup.settings.after_stone is AfterStone.LATER,
        is_continued=duel.is_continued,
    )
    return state._replace(phase=Phase.ROLLING, duel=duel)


def _ready(fighter: Fighter) -> Fighter:
    return fighter._replace(rolls=(None, None), is_raised=False, raised_us=None, was_hit=False)


def give_up_waiting(state: HoshiBattleState) -> HoshiBattleState:
    """Nobody said whether an asked act was done, or rolled for a card: the setting decides; what was not rolled saves nobody."""
    duel = state.duel
    if duel is None:
        return state
    silent = state.setup.settings.unattested is Silence.CANCELLED
    hits = tuple(
        hit._replace(needs=()) for hit in duel.hits if not (silent and any(need.act is not None for need in hit.needs))
    )
    return settle(state._replace(duel=duel._replace(hits=hits)))


def end_round(state: HoshiBattleState) -> HoshiBattleState:
    """The round's end is over: cards not shown for a touch make it a bluff; the defeated are exiled; the next round opens."""
    duel = state.duel
    if duel is None or state.phase is not Phase.ROUND_END:
        return state
    if duel.claims:
        bluffs: tuple[Hit, ...] = ()
        if state.setup.settings.unshown_touch is Unshown.BLUFF:
            bluffs = tuple(Hit(side, needs_of(state, side, is_bluff=True), is_bluff=True) for side in duel.claims)
        return settle(state._replace(duel=duel._replace(hits=bluffs, claims=())))
    if defeated(state):
        return exile(state)
    duel = end_effects(duel, Lasts.ROUND)
    return open_window(refreshed(state._replace(duel=duel)), Phase.ROUND_START)


def touched(state: HoshiBattleState, fact: HandsTouched) -> HoshiBattleState:
    """Hands touched. A second touch at the same time as the one that ended the round belongs to it."""
    merged = same_time(state, fact)
    if merged is not None:
        state, fact = merged
    if state.phase is not Phase.ROLLING:
        return state
    return take(state, fact, rule_touch(state, fact))


def same_time(state: HoshiBattleState, fact: HandsTouched) -> tuple[HoshiBattleState, HandsTouched] | None:
    """The state before the touch that ended the round and both touches as one, where they can't be told apart in time."""
    made = None if state.duel is None else state.duel.touch
    if made is None or made.is_settled or fact.at_us is None or made.fact.at_us is None:
        return None
    near = state.setup.settings.simultaneous_ms * 1000 + fact.within_us + made.fact.within_us
    others = tuple(seat for seat in fact.by if seat not in made.fact.by)
    if abs(fact.at_us - made.fact.at_us) > near or not others:
        return None
    at_us = min(fact.at_us, made.fact.at_us)
    within_us = max(fact.within_us, made.fact.within_us)
    return made.before, HandsTouched((*made.fact.by, *others), at_us, within_us, fact.where)


def take(state: HoshiBattleState, fact: HandsTouched, ruling: TouchRuling) -> HoshiBattleState:
    """What follows from a touch that has been ruled."""
    if ruling.verdict is Verdict.NOTHING or state.duel is None:
        return state
    spent = spend(state.duel, ruling.spent)
    if ruling.verdict is Verdict.MISS:
        return state._replace(duel=spent)
    before = state._replace(duel=state.duel._replace(touch=None))
    hits = [Hit(side, needs_of(state, side)) for side in ruling.hit]
    hits += [Hit(side, needs_of(state, side, is_bluff=True), is_bluff=True) for side in ruling.bluffed]
    made = TouchMade(fact, before, ruling.verdict.value)
    after = state._replace(duel=spent._replace(touch=made, claims=ruling.hidden))
    for side, active in ruling.special:
        after, more = _special(after, side, active)
        hits += more
    if after.duel is None:
        return after
    return settle(after._replace(duel=after.duel._replace(hits=tuple(hits))))


def _special(state: HoshiBattleState, side: int, active: Active) -> tuple[HoshiBattleState, list[Hit]]:
    """What a card makes of a touch."""
    effect, duel = active.effect, state.duel
    if not isinstance(effect, Touch) or duel is None:
        return state, []
    if effect.then is Then.HIT:
        return state, [Hit(1 - side, needs_of(state, 1 - side))]
    die = SetDie(effect.sides, Who.OPPONENT, lasts=effect.lasts)
    duel = start_effect(duel, die, side, active.card, is_hero=False, lasts=effect.lasts)
    return refreshed(state._replace(duel=duel)), []


def spend(duel: Duel, dice: tuple[tuple[int, int], ...]) -> Duel:
    """The Duel with these symbols used up."""
    pair = list(duel.fighters)
    for side, die in dice:
        rolls = list(pair[side].rolls)
        roll = rolls[die]
        if roll is not None:
            rolls[die] = roll._replace(spent=True)
            pair[side] = pair[side]._replace(rolls=tuple(rolls))
    return duel._replace(fighters=(pair[0], pair[1]))


def settle(state: HoshiBattleState) -> HoshiBattleState:
    """Hits that wait for nothing more cost a Stone; once none waits, the round's end opens."""
    duel = state.duel
    if duel is None:
        return state
    landed = [hit for hit in duel.hits if not hit.needs]
    waiting = tuple(hit for hit in duel.hits if hit.needs)
    state = state._replace(duel=duel._replace(hits=waiting))
    for hit in landed:
        state = land(state, hit)
    if waiting:
        return state._replace(phase=Phase.HIT)
    state = open_window(state, Phase.ROUND_END)
    return close_if_decided(state)


def land(state: HoshiBattleState, hit: Hit) -> HoshiBattleState:
    """A hit costs a Stone."""
    state = give_stones(state, hit.victim, -1)
    duel = state.duel
    if duel is None:
        return state
    pair = list(duel.fighters)
    pair[hit.victim] = pair[hit.victim]._replace(was_hit=True)
    hitter = 1 - hit.victim
    if hit.is_bluff and not state.setup.settings.bluff_hits_for_opponent:
        hitter = duel.last_hitter if duel.last_hitter is not None else -1
    return state._replace(duel=duel._replace(fighters=(pair[0], pair[1]), last_hitter=hitter if hitter >= 0 else None))


def close_if_decided(state: HoshiBattleState) -> HoshiBattleState:
    """A round's end in which nobody has anything to decide is over; a defeated Hero stays until it is taken away."""
    duel = state.duel
    if duel is None or state.phase is not Phase.ROUND_END or duel.deciding:
        return state
    return end_round(state) if duel.claims or not defeated(state) else state


def attested(state: HoshiBattleState, fact: ActAttested) -> HoshiBattleState:
    """Whether the hitter did what the other's card asks."""
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None or state.phase is not Phase.HIT:
        return state
    hits = []
    for hit in duel.hits:
        asked = [need for need in hit.needs if hit.victim == 1 - side and need.act == fact.act]
        if asked and not fact.done:
            continue  # the hit is cancelled
        hits.append(hit._replace(needs=tuple(need for need in hit.needs if need not in asked)))
    return settle(state._replace(duel=_settled(duel)._replace(hits=tuple(hits))))


def saved(state: HoshiBattleState, fact: SaveRolled) -> HoshiBattleState:
    """A roll against a hit: the card's face cancels it, any other leaves it."""
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None or state.phase is not Phase.HIT:
        return state
    hits = []
    is_used = False
    for hit in duel.hits:
        roll = next((need for need in hit.needs if need.act is None), None)
        if is_used or roll is None or hit.victim != side:
            hits.append(hit)
            continue
        is_used = True
        if not saves(state, side, roll, fact):
            hits.append(hit._replace(needs=tuple(need for need in hit.needs if need is not roll)))
    return settle(state._replace(duel=_settled(duel)._replace(hits=tuple(hits))))


def saves(state: HoshiBattleState, side: int, need: Need, fact: SaveRolled) -> bool:
    """Whether a roll cancels a hit, by what its face counts as."""
    return bool(counted(state, side, fact.face) & need.faces)


def _settled(duel: Duel) -> Duel:
    """What has been attested or rolled since belongs to the touch: another touch no longer joins it."""
    return duel if duel.touch is None else duel._replace(touch=duel.touch._replace(is_settled=True))


def rule(state: HoshiBattleState, ruling: Ruling, seat: str | None) -> HoshiBattleState:
    """A referee settles the last touch, or one in the round that nobody reported."""
    duel = state.duel
    if duel is None:
        return state
    made = duel.touch
    if made is not None and not made.is_settled and state.phase in (Phase.HIT, Phase.ROUND_END, Phase.ROUND_START):
        state, fact = made.before, made.fact
    elif state.phase is Phase.ROLLING:
        fact = HandsTouched(() if seat is None else (seat,))
    else:
        return state
    side = None if seat is None else side_of(state, seat)
    found = ruled(state, ruling, side)
    return state if found is None else take(state, fact, found)


def ruled(state: HoshiBattleState, ruling: Ruling, side: int | None) -> TouchRuling | None:
    """The consequences of a referee's word; None where it names nobody that it could be about."""
    name, text = "Referee", f"Ruled: {ruling}."
    if ruling is Ruling.DRAW:
        return TouchRuling(Verdict.DRAW, name, text)
    if ruling is Ruling.MISS:
        dice = [(x, die) for x in ((0, 1) if side is None else (side,)) for die in (0, 1)]
        return TouchRuling(Verdict.MISS, name, text, spent=tuple(dice))
    if side is None:
        return None
    if ruling is Ruling.HIT:
        return TouchRuling(Verdict.HIT, name, text, hit=(1 - side,))
    if ruling is Ruling.BLUFF:
        return TouchRuling(Verdict.BLUFF, name, text, bluffed=(side,))
    duel = state.duel
    touches = () if duel is None else tuple(x for x in duel.actives if isinstance(x.effect, Touch) and x.owner == side)
    if touches:
        return TouchRuling(Verdict.SPECIAL, name, text, special=((side, touches[-1]),))
    return TouchRuling(Verdict.HIDDEN, name, text, hidden=(side,))

"""What the effects in force make of dice and symbols: pure questions, and the stamps of "last played wins".

Every effect has a stamp from when it was played. One with a condition is stamped anew each time its condition becomes true, or
its Hero's ability wakes. Of two effects that can't both hold, the one with the higher stamp does.
"""

from __future__ import annotations

from companion.rules.hoshi_battle.effects import (
    AskAct,
    CountAlso,
    CountInstead,
    Effect,
    ExtraDie,
    KeepDice,
    Lasts,
    SaveRoll,
    SetDie,
    SuppressUntil,
    Touch,
    When,
    Who,
)
from companion.rules.hoshi_battle.facts import SYMBOLS, Face
from companion.rules.hoshi_battle.settings import ExtraDie as ExtraDieSetting
from companion.rules.hoshi_battle.setup import Duelkind
from companion.rules.hoshi_battle.state import (
    Active,
    Duel,
    Fighter,
    HoshiBattleState,
    Need,
    card_of,
    hero_of,
    side_of,
)

_EXTRA_SIDES = {ExtraDieSetting.D8: 8, ExtraDieSetting.D10: 10}


def counts_as(state: HoshiBattleState, seat: str, face: Face) -> frozenset[Face]:
    """What a face that this seat rolled counts as now: itself, or what the effects in force make of it. Empty for a blank."""
    side = side_of(state, seat)
    return frozenset() if side is None else counted(state, side, face)


def dice_of(state: HoshiBattleState, seat: str) -> tuple[int | None, ...]:
    """The sides of the dice that this seat battles with now; None where the Hero's die isn't known. Empty outside a Duel."""
    side = side_of(state, seat)
    return () if side is None or state.duel is None else state.duel.fighters[side].dice


def acts_asked(state: HoshiBattleState, seat: str) -> tuple[str, ...]:
    """What an opponent of this seat has to do when hitting it, for a person to attest."""
    side = side_of(state, seat)
    return () if side is None else tuple(need.act for need in needs_of(state, side) if need.act is not None)


def counted(state: HoshiBattleState, side: int, face: Face) -> frozenset[Face]:
    """`counts_as` by side. Effects speak of the face that was rolled, never of what it counts as ("not vice versa")."""
    duel = state.duel
    if face not in SYMBOLS or duel is None:
        return frozenset()
    found = {face}
    for active in by_stamp(duel):
        effect = active.effect
        if isinstance(effect, CountAlso | CountInstead) and effect.rolled is face and concerns(active, side):
            if isinstance(effect, CountInstead):
                found = {effect.counts}
            else:
                found.add(effect.counts)
    return frozenset(found)


def touches_of(state: HoshiBattleState, side: int) -> tuple[Active, ...]:
    """The special touches that open cards grant a side now, the last played first."""
    if state.duel is None:
        return ()
    found = [x for x in by_stamp(state.duel) if isinstance(x.effect, Touch) and x.owner == side]
    return tuple(reversed(found))


def needs_of(state: HoshiBattleState, side: int, *, is_bluff: bool = False) -> tuple[Need, ...]:
    """What a hit on a side waits for: acts to attest first, then a roll."""
    if state.duel is None:
        return ()
    acts: list[Need] = []
    saves: list[Need] = []
    for active in by_stamp(state.duel):
        effect = active.effect
        if not concerns(active, side):
            continue
        if isinstance(effect, AskAct) and not (is_bluff and not state.setup.settings.gates_on_bluff):
            acts.append(Need(effect.act, card=active.card))
        elif isinstance(effect, SaveRoll):
            saves.append(Need(None, effect.sides, frozenset((effect.face,)), active.card))
    return (*acts, *saves)


def by_stamp(duel: Duel) -> list[Active]:
    """The effects in force, the last played at the end."""
    return sorted((x for x in duel.actives if x.stamp), key=lambda x: x.stamp)


def concerns(active: Active, side: int) -> bool:
    """Whether an effect is about a side."""
    who: Who = getattr(active.effect, "who", Who.SELF)
    return who is Who.ALL or (who is Who.SELF) == (active.owner == side)


def refreshed(state: HoshiBattleState) -> HoshiBattleState:
    """After any change: which effects hold, with new stamps for those that begin to, and the dice that follow from them."""
    duel = state.duel
    if duel is None:
        return state
    asleep = _asleep(duel)
    stamp = duel.stamp
    actives = []
    for active in duel.actives:
        holds = not (active.is_hero and active.owner in asleep) and _holds(state, active)
        if holds and not active.stamp:
            stamp += 1
            active = active._replace(stamp=stamp)  # noqa: PLW2901
        elif not holds and active.stamp:
            active = active._replace(stamp=0)  # noqa: PLW2901
        actives.append(active)
    first, second = duel.fighters
    state = state._replace(duel=duel._replace(actives=tuple(actives), stamp=stamp))
    pair = (_equipped(state, 0, first, asleep), _equipped(state, 1, second, asleep))
    if state.duel is None:
        return state
    return state._replace(duel=state.duel._replace(fighters=pair))


def _asleep(duel: Duel) -> dict[int, Face]:
    """Sides whose Hero's ability sleeps, and the face that wakes it. Of two that put each other to sleep the last played does."""
    asleep: dict[int, Face] = {}
    sleepers = [x for x in duel.actives if isinstance(x.effect, SuppressUntil)]
    for active in reversed(sleepers):  # in the order of play, which a sleeping effect keeps
        if active.is_hero and active.owner in asleep:
            continue
        effect = active.effect
        for side in (0, 1):
            if isinstance(effect, SuppressUntil) and concerns(active, side) and not duel.fighters[side].freed:
                asleep.setdefault(side, effect.face)
    return asleep


def _holds(state: HoshiBattleState, active: Active) -> bool:
    return condition(state, active.owner, getattr(active.effect, "when", When.ALWAYS))


def condition(state: HoshiBattleState, side: int, when: When) -> bool:
    """Whether a condition is true now, seen from a side. One that asks what nobody knows is not."""
    if when is When.ALWAYS:
        return True
    duel = state.duel
    if duel is None:
        return False
    own, other = duel.fighters[side], duel.fighters[1 - side]
    match when:
        case When.BELOW_FULL_HEALTH:
            return own.stones < own.full
        case When.FULL_HEALTH:
            return own.hero is not None and own.stones >= own.full
        case When.OPPONENT_HAS_ARTIFACT:
            card = card_of(state, 1 - side)
            return card is not None and card.kind is Duelkind.ARTIFACT
        case When.LAST_HERO:
            return state.players[own.place].left == 0
        case When.OPPONENT_COSTS_MORE | When.OPPONENT_COSTS_LESS:
            hero, against = hero_of(state, side), hero_of(state, 1 - side)
            if other.hero is None or hero is None or against is None or hero.cost is None or against.cost is None:
                return False
            return against.cost > hero.cost if when is When.OPPONENT_COSTS_MORE else against.cost < hero.cost


def _equipped(state: HoshiBattleState, side: int, fighter: Fighter, asleep: dict[int, Face]) -> Fighter:
    """The fighter with the dice that the effects in force give."""
    hero = hero_of(state, side)
    main = None if hero is None else hero.die
    extra: int | None = None
    keeps = False
    changed = main
    actives = [] if state.duel is None else by_stamp(state.duel)
    for active in actives:
        effect: Effect = active.effect
        if not concerns(active, side):
            continue
        if isinstance(effect, SetDie):
            changed = effect.sides
        elif isinstance(effect, ExtraDie):
            extra = _EXTRA_SIDES.get(state.setup.settings.extra_die, effect.sides)
        elif isinstance(effect, KeepDice):
            keeps = True
    die = main if keeps else changed
    return fighter._replace(dice=(die,) if extra is None else (die, extra), frees=asleep.get(side))


def start_effect(duel: Duel, effect: Effect, owner: int, card: str, is_hero: bool, lasts: Lasts | None = None) -> Duel:
    """The Duel with an effect in force from now; its stamp is given where it holds."""
    span = getattr(effect, "lasts", Lasts.CARD) if lasts is None else lasts
    return duel._replace(actives=(*duel.actives, Active(effect, owner, card, is_hero, 0, span)))


def end_effects(duel: Duel, lasts: Lasts) -> Duel:
    """The Duel without the effects that last so long."""
    if not any(x.lasts is lasts for x in duel.actives):
        return duel
    return duel._replace(actives=tuple(x for x in duel.actives if x.lasts is not lasts))


def end_card(duel: Duel, owner: int, card: str, *, is_hero: bool) -> Duel:
    """The Duel without the effects that hold while a card is in play."""
    kept = tuple(
        x for x in duel.actives if x.lasts is not Lasts.CARD or (x.owner, x.card, x.is_hero) != (owner, card, is_hero)
    )
    return duel._replace(actives=kept)

"""What a touch is: from the symbols alive at its moment, the hands that closed in, and what the open cards say. Pure questions.

A symbol lives from the moment its die comes to rest until it is picked up, spent on a try, or lost to the defence. Where it came
or went within `simultaneous_ms` of the touch (wider by the uncertainties of both), the touch is too close to tell.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from companion.rules.hoshi_battle import sections
from companion.rules.hoshi_battle.effects import Touch
from companion.rules.hoshi_battle.facts import SYMBOLS, Doubt, Face, HandsTouched, Where
from companion.rules.hoshi_battle.reckoning import counted, touches_of
from companion.rules.hoshi_battle.settings import Against, MutualBluff
from companion.rules.hoshi_battle.state import Active, HoshiBattleState, Phase, Roll, seat_of, side_of


class Life(StrEnum):
    """Whether a symbol could be used at a moment."""

    ALIVE = "alive"
    DEAD = "dead"
    CLOSE = "close"
    """It came or went too near to the moment."""
    UNSURE = "unsure"
    """Its face, or where it touched down, could not be seen."""


class Meaning(StrEnum):
    """What a touch by a seat is worth."""

    HIT = "hit"
    SPECIAL = "special"
    """An open card says what it does."""
    HIDDEN = "hidden"
    """A card that still lies face down may say what it does."""
    BLUFF = "bluff"


class Reading(NamedTuple):
    """What a touch by one seat would be worth at a moment."""

    meaning: Meaning
    life: Life
    """ALIVE where it is certain; BLUFF is always certain."""
    die: int | None = None
    """Which die's symbol it rests on."""
    touch: Active | None = None
    """The card's effect, where it is special."""


class Verdict(StrEnum):
    """What the rules make of a touch."""

    HIT = "hit"
    DRAW = "draw"
    SPECIAL = "special"
    HIDDEN = "hidden"
    """Waits for a face-down card to be shown; a bluff if it isn't."""
    BLUFF = "bluff"
    SEVERAL = "several"
    """Both touched, and each touch is worth something of its own."""
    MISS = "miss"
    TOO_CLOSE = "too close"
    """Provisionally a draw; a referee may rule it."""
    NOTHING = "nothing"
    """No round goes on in which it could count."""


class TouchRuling(NamedTuple):
    """The verdict with its consequences, by sides of the Duel (0, 1)."""

    verdict: Verdict
    rule: str
    text: str
    hit: tuple[int, ...] = ()
    """Who is hit by the other's symbol."""
    bluffed: tuple[int, ...] = ()
    """Who is hit for bluffing."""
    special: tuple[tuple[int, Active], ...] = ()
    """Who touched with what effect."""
    hidden: tuple[int, ...] = ()
    """Who may show a card now."""
    spent: tuple[tuple[int, int], ...] = ()
    """(side, die) of the symbols used."""
    doubts: tuple[str, ...] = ()
    """Why it is too close."""


def life_at(state: HoshiBattleState, seat: str, die: int, at_us: int | None, within_us: int = 0) -> Life:
    """Whether what a seat's die shows could be used at a moment; by the order of telling where there are no times."""
    side = side_of(state, seat)
    return Life.DEAD if side is None else life_of(state, side, die, at_us, within_us)


def alive_symbols(state: HoshiBattleState, seat: str, at_us: int | None, within_us: int = 0) -> frozenset[Face]:
    """What the certainly living symbols of a seat count as at a moment."""
    side = side_of(state, seat)
    if side is None or state.duel is None:
        return frozenset()
    found: frozenset[Face] = frozenset()
    for die, roll in enumerate(state.duel.fighters[side].rolls):
        if roll is not None and life_of(state, side, die, at_us, within_us) is Life.ALIVE:
            found |= counted(state, side, roll.face)
    return found


def life_of(state: HoshiBattleState, side: int, die: int, at_us: int | None, within_us: int) -> Life:
    """`life_at` by side."""
    duel = state.duel
    if duel is None or not 0 <= die < len(duel.fighters[side].rolls):
        return Life.DEAD
    roll = duel.fighters[side].rolls[die]
    if roll is None or roll.spent or roll.face is Face.BLANK or roll.inside is False:
        return Life.DEAD
    born_and_gone = _in_its_time(roll, at_us, within_us, state.setup.settings.simultaneous_ms * 1000)
    defended = _defended(state, side, roll, at_us, within_us)
    if Life.DEAD in (born_and_gone, defended):
        return Life.DEAD
    if roll.face is Face.UNKNOWN or roll.inside is None:
        return Life.UNSURE
    return defended if born_and_gone is Life.ALIVE else born_and_gone


def _in_its_time(roll: Roll, at_us: int | None, within_us: int, guard_us: int) -> Life:
    if at_us is None:
        return Life.DEAD if roll.is_lost else Life.ALIVE
    life = Life.ALIVE
    if roll.at_us is not None:
        after = at_us - roll.at_us
        near = guard_us + within_us + roll.within_us
        if after < -near:
            return Life.DEAD
        if after <= near:
            life = Life.CLOSE
    if roll.is_lost:
        if roll.lost_us is None:
            return Life.DEAD
        left = roll.lost_us - at_us
        near = guard_us + within_us + roll.lost_within_us
        if left < -near:
            return Life.DEAD
        if left <= near:
            life = Life.CLOSE
    return life


def defended_away(state: HoshiBattleState, side: int, roll: Roll, at_us: int | None) -> bool:
    """Whether the other's hand has been up for a moment since the symbol came (Rules of honor)."""
    return _defended(state, side, roll, at_us, 0, is_exact=True) is Life.DEAD


def _defended(
    state: HoshiBattleState, side: int, roll: Roll, at_us: int | None, within_us: int, *, is_exact: bool = False
) -> Life:
    """What the defence leaves of a symbol: CLOSE where its moment ended within the uncertainties of the touch and the roll."""
    duel = state.duel
    if duel is None or at_us is None:
        return Life.ALIVE
    other = duel.fighters[1 - side]
    if not other.is_raised or other.raised_us is None:
        return Life.ALIVE
    came_later = roll.at_us is not None and roll.at_us > other.raised_us
    since = roll.at_us if came_later and roll.at_us is not None else other.raised_us
    near = 0 if is_exact else within_us + (roll.within_us if came_later else 0)
    over = at_us - since - state.setup.settings.defence_ms * 1000
    if over >= near:
        return Life.DEAD
    return Life.CLOSE if over > -near else Life.ALIVE


def touch_reading(state: HoshiBattleState, seat: str, at_us: int | None, within_us: int = 0) -> Reading:
    """What a touch by this seat would be worth at a moment; of two meanings a hit before a special touch."""
    side = side_of(state, seat)
    return Reading(Meaning.BLUFF, Life.ALIVE) if side is None else _reading(state, side, at_us, within_us)


def _reading(state: HoshiBattleState, side: int, at_us: int | None, within_us: int) -> Reading:
    duel = state.duel
    found: dict[Meaning, Reading] = {}
    rolls: tuple[Roll | None, ...] = () if duel is None else duel.fighters[side].rolls
    for die, roll in enumerate(rolls):
        life = Life.DEAD if roll is None else life_of(state, side, die, at_us, within_us)
        if roll is None or life is Life.DEAD:
            continue
        faces = SYMBOLS if roll.face is Face.UNKNOWN else (roll.face,)
        for face in faces:
            reading = _meaning(state, side, die, face, life)
            before = found.get(reading.meaning)
            if before is None or before.life is not Life.ALIVE:
                found[reading.meaning] = reading
    for meaning in (Meaning.HIT, Meaning.SPECIAL, Meaning.HIDDEN):
        if meaning in found:
            return found[meaning]
    return Reading(Meaning.BLUFF, Life.ALIVE)


def _meaning(state: HoshiBattleState, side: int, die: int, face: Face, life: Life) -> Reading:
    counts = counted(state, side, face)
    if Face.STRIKE in counts:
        return Reading(Meaning.HIT, life, die)
    for active in touches_of(state, side):
        if isinstance(active.effect, Touch) and active.effect.face in counts:
            return Reading(Meaning.SPECIAL, life, die, active)
    if state.duel is not None and state.duel.fighters[side].is_hidden and counts & state.setup.hidden_touches:
        return Reading(Meaning.HIDDEN, life, die)
    return Reading(Meaning.BLUFF, Life.ALIVE)


def rule_touch(state: HoshiBattleState, fact: HandsTouched) -> TouchRuling:
    """What the rules make of a touch in this state, before anything is applied."""
    duel = state.duel
    if duel is None or state.phase is not Phase.ROLLING:
        return TouchRuling(Verdict.NOTHING, sections.HIT, "No round goes on.")
    sides = [side for seat in fact.by if (side := side_of(state, seat)) is not None]
    if duel.timeout is not None and not _before(fact.at_us, duel.timeout[1]):
        sides = [side for side in sides if side != duel.timeout[0]]
        if not sides:
            return TouchRuling(Verdict.NOTHING, sections.TIMEOUT, "A timeout had been called.")
    readings = {side: _reading(state, side, fact.at_us, fact.within_us) for side in sorted(set(sides))}
    spent = tuple((side, reading.die) for side, reading in readings.items() if reading.die is not None)
    names = {side: seat_of(state, side) for side in (0, 1)}
    if fact.where is Where.ELSEWHERE:
        who = " and ".join(names[side] for side in readings) or "Somebody"
        return TouchRuling(
            Verdict.MISS, sections.MISS, f"{who} touched something else than a hand: a miss.", spent=spent
        )
    doubts = _doubts(fact, readings, names)
    if doubts:
        text = f"Too close to tell: {'; '.join(doubts)}. Provisionally a draw."
        return TouchRuling(Verdict.TOO_CLOSE, sections.TOO_CLOSE, text, spent=spent, doubts=doubts)
    if len(readings) == 1:
        side, reading = next(iter(readings.items()))
        return _single(side, reading, names, spent)
    return _mutual(state, readings, names, spent)


def _before(at_us: int | None, timeout_us: int | None) -> bool:
    return at_us is not None and timeout_us is not None and at_us < timeout_us


_OPEN = {
    Doubt.DEFENCE: "it could not be seen for how long the other hand was raised",
    Doubt.TRY: "it could not be seen whether the symbol had been tried before",
    Doubt.HIDDEN: "something hid a die",
    Doubt.BLIND: "a sensor was blind at the moment of the touch",
}


def _doubts(fact: HandsTouched, readings: dict[int, Reading], names: dict[int, str]) -> tuple[str, ...]:
    doubts = [] if fact.doubt is Doubt.NONE else [_OPEN[fact.doubt]]
    if not readings:
        doubts.append("it could not be seen whose hand moved")
    if fact.where is Where.UNKNOWN:
        doubts.append("it could not be seen whether a hand was touched")
    for side, reading in readings.items():
        if reading.life is Life.CLOSE:
            doubts.append(f"the symbol of {names[side]} came or went at the moment of the touch")
        elif reading.life is Life.UNSURE:
            doubts.append(f"the die of {names[side]} could not be read for sure")
    return tuple(doubts)


def _single(side: int, reading: Reading, names: dict[int, str], spent: tuple[tuple[int, int], ...]) -> TouchRuling:
    who, whom = names[side], names[1 - side]
    match reading.meaning:
        case Meaning.HIT:
            return TouchRuling(Verdict.HIT, sections.HIT, f"{who} hit {whom}.", hit=(1 - side,), spent=spent)
        case Meaning.SPECIAL:
            return _special(side, reading, names, spent)
        case Meaning.HIDDEN:
            text = f"{who} touched {whom} without the hit symbol: a bluff, unless {who} shows a card for it now."
            return TouchRuling(Verdict.HIDDEN, sections.SPECIAL, text, hidden=(side,), spent=spent)
        case Meaning.BLUFF:
            text = f"{who} touched {whom} without a symbol: {who} is hit."
            return TouchRuling(Verdict.BLUFF, sections.BLUFF, text, bluffed=(side,), spent=spent)


def _special(side: int, reading: Reading, names: dict[int, str], spent: tuple[tuple[int, int], ...]) -> TouchRuling:
    active = reading.touch
    special = () if active is None else ((side, active),)
    card = "" if active is None else f" ({active.card})"
    text = f"{names[side]} touched {names[1 - side]} for a special effect{card}."
    return TouchRuling(Verdict.SPECIAL, sections.SPECIAL, text, special=special, spent=spent)


def _mutual(
    state: HoshiBattleState, readings: dict[int, Reading], names: dict[int, str], spent: tuple[tuple[int, int], ...]
) -> TouchRuling:
    meanings = {side: reading.meaning for side, reading in readings.items()}
    both = f"{names[0]} and {names[1]}"
    if set(meanings.values()) == {Meaning.HIT}:
        return TouchRuling(Verdict.DRAW, sections.DRAW, f"{both} hit each other at the same time: a draw.", spent=spent)
    if set(meanings.values()) == {Meaning.BLUFF}:
        if state.setup.settings.mutual_bluff is MutualBluff.NOBODY:
            return TouchRuling(Verdict.DRAW, sections.BLUFF, f"{both} touched without a symbol: nobody is hit.")
        text = f"{both} touched without a symbol: both are hit."
        return TouchRuling(Verdict.BLUFF, sections.BLUFF, text, bluffed=(0, 1))
    singles = [_single(side, reading, names, ()) for side, reading in readings.items()]
    hit = tuple(x for single in singles for x in single.hit)
    bluffed = tuple(x for single in singles for x in single.bluffed if x not in hit)
    special = tuple(x for single in singles for x in single.special)
    hidden = tuple(x for single in singles for x in single.hidden)
    text = " At the same time: ".join(single.text for single in singles)
    table = state.setup.settings
    if hit and special and table.hit_against_special is Against.HIT:
        return TouchRuling(Verdict.HIT, sections.HIT, text, hit=hit, spent=spent)
    if hit and not special and not hidden:
        (victim,) = hit
        stones = "one Stone" if table.hit_against_bluff == 1 else "two Stones"
        text = f"{names[1 - victim]} hit {names[victim]}, who touched without a symbol: {stones}."
        twice = hit if table.hit_against_bluff > 1 else ()
        return TouchRuling(Verdict.HIT, sections.HIT, text, hit=hit, bluffed=twice, spent=spent)
    return TouchRuling(Verdict.SEVERAL, sections.SPECIAL, text, hit, bluffed, special, hidden, spent)

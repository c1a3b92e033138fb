"""`judge`: what to think of a fact that is about to be applied."""

from __future__ import annotations

from companion.rules.core import Finding, Level
from companion.rules.hoshi_battle import sections
from companion.rules.hoshi_battle.duels import defeated
from companion.rules.hoshi_battle.facts import (
    ActAttested,
    DieFell,
    DiePickedUp,
    DiePutBack,
    DieRolled,
    Fact,
    Foul,
    FoulSeen,
    HandLowered,
    HandRaised,
    HandsTouched,
    HeroExiled,
    PlayBegan,
    SaveRolled,
    SwingMissed,
    TimeoutCalled,
    TouchRuled,
)
from companion.rules.hoshi_battle.findings import finding, stranger
from companion.rules.hoshi_battle.judge_cards import judge_card
from companion.rules.hoshi_battle.rolling import in_timeout, was_in_the_air
from companion.rules.hoshi_battle.rounds import same_time
from companion.rules.hoshi_battle.settings import Unshown
from companion.rules.hoshi_battle.state import HoshiBattleState, Phase, Roll, seat_of, side_of
from companion.rules.hoshi_battle.touches import Verdict, defended_away, rule_touch

_GRAVITY = {Level.ILLEGAL: 0, Level.PROVED: 1, Level.SUSPECT: 2, Level.NOTE: 3}
_FOULS = {
    Foul.SECOND_HAND: (sections.ONE_HAND, "played with a second hand"),
    Foul.INTERFERENCE: (sections.INTERFERE, "interfered with the other's roll"),
    Foul.PUSHED_DIE: (sections.LIFT, "pushed the die instead of rolling it"),
    Foul.FORCE: (sections.GENTLY, "used force"),
    Foul.JEWELRY: (sections.GENTLY, "plays with jewelry on the hand"),
}
_BETWEEN = (Phase.READY, Phase.ROUND_END, Phase.ROUND_START, Phase.HIT)


def judge(state: HoshiBattleState, fact: Fact) -> tuple[Finding, ...]:  # noqa: PLR0912  (one line a fact)
    """What to think of a fact that is about to be applied to `state`, worst first; nothing of clearing the table at the end."""
    if state.phase is Phase.OVER:
        return ()
    found: tuple[Finding, ...]
    match fact:
        case DieRolled():
            found = _rolled(state, fact)
        case DiePickedUp() | DieFell() | HandLowered() | HandRaised() | SwingMissed():
            found = () if side_of(state, fact.seat) is not None else stranger(state, fact.seat)
        case HandsTouched():
            found = _touched(state, fact)
        case PlayBegan():
            found = _began(state, fact)
        case DiePutBack():
            found = _put_back(state, fact)
        case ActAttested():
            found = _attested(state, fact)
        case SaveRolled():
            found = _saved(state, fact)
        case TimeoutCalled():
            found = _timeout(state, fact)
        case TouchRuled():
            found = _ruled(state, fact)
        case HeroExiled():
            found = _exiled(state, fact)
        case FoulSeen():
            found = _foul(state, fact)
        case _:
            found = judge_card(state, fact)
    return found if len(found) < 2 else tuple(sorted(found, key=lambda one: _GRAVITY[one.level]))


def _rolled(state: HoshiBattleState, fact: DieRolled) -> tuple[Finding, ...]:
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None:
        return stranger(state, fact.seat)
    if state.phase is not Phase.ROLLING:
        return _rolled_between(state, fact)
    seat = fact.seat
    found: tuple[Finding, ...] = ()
    if fact.inside is False:
        text = f"The die of {seat} did not first touch inside the Arena: the roll is not valid."
        found = (finding(state, sections.INSIDE, Level.ILLEGAL, text, seat),)
    dice = duel.fighters[side].dice
    if not 0 <= fact.die < len(dice):
        text = f"{seat} rolled a second die; {seat} battles with one."
        found += (finding(state, sections.TAKE_DIE, Level.ILLEGAL, text, seat),)
    elif fact.sides is not None and dice[fact.die] not in (None, fact.sides):
        text = f"{seat} rolled a d{fact.sides}; {seat} battles with the d{dice[fact.die]} now."
        found += (finding(state, sections.TAKE_DIE, Level.ILLEGAL, text, seat),)
    if duel.timeout is not None and in_timeout(duel, side, fact):
        text = f"{seat} rolled in a timeout: the roll doesn't count."
        found += (finding(state, sections.TIMEOUT, Level.ILLEGAL, text, seat),)
    return found


def _rolled_between(state: HoshiBattleState, fact: DieRolled) -> tuple[Finding, ...]:
    if state.phase is Phase.READY:
        text = f"{fact.seat} rolled before the countdown."
        return (finding(state, sections.COUNTDOWN, Level.ILLEGAL, text, fact.seat),)
    if state.phase in _BETWEEN:
        if state.phase is Phase.HIT and not was_in_the_air(state, fact):
            text = f"{fact.seat} rolled before the hit was settled: the roll doesn't count."
            return (finding(state, sections.HIT, Level.NOTE, text, fact.seat),)
        return ()
    text = f"{fact.seat} rolled before the Duel began: the roll doesn't count."
    return (finding(state, sections.COUNTDOWN, Level.NOTE, text, fact.seat),)


def _touched(state: HoshiBattleState, fact: HandsTouched) -> tuple[Finding, ...]:
    strange = tuple(one for seat in fact.by if side_of(state, seat) is None for one in stranger(state, seat))
    merged = same_time(state, fact)
    before, whole = (state, fact) if merged is None else merged
    ruling = rule_touch(before, whole)
    if ruling.verdict is Verdict.NOTHING:
        if state.phase is Phase.ROLLING:
            return (*strange, finding(state, sections.TIMEOUT, Level.NOTE, "A touch in a timeout doesn't count."))
        return (*strange, finding(state, sections.HIT, Level.NOTE, "A touch between the rounds doesn't count."))
    if ruling.verdict is Verdict.TOO_CLOSE:
        return (*strange, finding(state, ruling.rule, Level.NOTE, ruling.text, evidence=ruling.doubts))
    bluffs = tuple(_bluff(before, whole.at_us, side) for side in ruling.bluffed)
    return (*strange, *bluffs)


def _bluff(state: HoshiBattleState, at_us: int | None, side: int) -> Finding:
    """A bluff is allowed; that its touch costs a Stone, and why no symbol was alive, is worth saying."""
    seat = seat_of(state, side)
    duel = state.duel
    rolls: tuple[Roll | None, ...] = () if duel is None else duel.fighters[side].rolls
    used = [roll for roll in rolls if roll is not None]
    if any(roll.inside is False for roll in used):
        why, rule = "after a roll that was not valid", sections.INSIDE
    elif any(not roll.spent and defended_away(state, side, roll, at_us) for roll in used):
        why, rule = "after the moment of defence", sections.MOMENT
    elif any(roll.spent for roll in used):
        why, rule = "on a symbol that had been used or lost", sections.ONE_TRY
    elif any(roll.is_lost for roll in used):
        why, rule = "after picking the die up", sections.RUSHED
    else:
        why, rule = "without a symbol", sections.BLUFF
    return finding(state, rule, Level.NOTE, f"{seat} touched {why}: {seat} is hit and loses a Stone.", seat)


def _began(state: HoshiBattleState, fact: PlayBegan) -> tuple[Finding, ...]:
    duel = state.duel
    if duel is None or state.phase in (Phase.PLACE, Phase.REVEAL):
        return (finding(state, sections.COUNTDOWN, Level.NOTE, "Play began before both Heroes lay open."),)
    if state.phase is Phase.ROUND_END and duel.claims and state.setup.settings.unshown_touch is Unshown.BLUFF:
        return tuple(_unshown(state, side) for side in duel.claims)
    if fact.counted:
        return ()
    if state.phase is Phase.READY:
        return (finding(state, sections.COUNTDOWN, Level.NOTE, "The Duel began without a countdown."),)
    if duel.timeout is not None:
        return (finding(state, sections.TIMEOUT, Level.NOTE, "Play went on after a timeout without a countdown."),)
    return ()


def _unshown(state: HoshiBattleState, side: int) -> Finding:
    seat = seat_of(state, side)
    text = f"{seat} touched without the hit symbol and showed no card for it: {seat} is hit."
    return finding(state, sections.BLUFF, Level.NOTE, text, seat)


def _put_back(state: HoshiBattleState, fact: DiePutBack) -> tuple[Finding, ...]:
    if side_of(state, fact.seat) is None:
        return stranger(state, fact.seat)
    text = f"{fact.seat} laid the die back on the table: its result is lost."
    return (finding(state, sections.RUSHED, Level.ILLEGAL, text, fact.seat),)


def _attested(state: HoshiBattleState, fact: ActAttested) -> tuple[Finding, ...]:
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None:
        return stranger(state, fact.seat)
    asked = any(hit.victim != side and need.act == fact.act for hit in duel.hits for need in hit.needs)
    if asked:
        return ()
    text = f"No hit of {fact.seat} waits for this: {fact.act}."
    return (finding(state, sections.CARD_FIRST, Level.NOTE, text, fact.seat),)


def _saved(state: HoshiBattleState, fact: SaveRolled) -> tuple[Finding, ...]:
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None:
        return stranger(state, fact.seat)
    rolls = [need for hit in duel.hits if hit.victim == side for need in hit.needs if need.act is None]
    if not rolls:
        text = f"{fact.seat} has no card that a roll against a hit is for."
        return (finding(state, sections.CARD_FIRST, Level.NOTE, text, fact.seat),)
    if fact.sides is not None and fact.sides != rolls[0].sides:
        text = f"{fact.seat} rolled a d{fact.sides}; {rolls[0].card} asks for a d{rolls[0].sides}."
        return (finding(state, sections.CARD_FIRST, Level.ILLEGAL, text, fact.seat),)
    return ()


def _timeout(state: HoshiBattleState, fact: TimeoutCalled) -> tuple[Finding, ...]:
    if side_of(state, fact.seat) is None:
        return stranger(state, fact.seat)
    if state.phase is not Phase.ROLLING:
        text = f"{fact.seat} asked for a timeout while no round goes on."
        return (finding(state, sections.TIMEOUT, Level.NOTE, text, fact.seat),)
    return ()


def _ruled(state: HoshiBattleState, fact: TouchRuled) -> tuple[Finding, ...]:
    duel = state.duel
    if fact.seat is not None and side_of(state, fact.seat) is None:
        return stranger(state, fact.seat)
    made = None if duel is None else duel.touch
    ends = state.phase in (Phase.HIT, Phase.ROUND_END, Phase.ROUND_START)
    if state.phase is Phase.ROLLING or (ends and made is not None and not made.is_settled):
        return ()
    text = "There is no touch that could still be ruled; undo what followed it first."
    return (finding(state, sections.TOO_CLOSE, Level.NOTE, text),)


def _exiled(state: HoshiBattleState, fact: HeroExiled) -> tuple[Finding, ...]:
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None:
        return () if fact.seat in state.setup.places else stranger(state, fact.seat)
    if side in defeated(state):
        if side in duel.deciding:
            text = f"{fact.seat} gives up the last chance to play the face-down Duel card."
            return (finding(state, sections.TERM_DEFEAT, Level.NOTE, text, fact.seat),)
        return ()
    if state.done and fact.seat in state.done[-1].exiled and duel.fighters[side].hero is None:
        return ()  # it has been exiled already
    text = f"The Hero of {fact.seat} was taken away and still has Stones."
    return (finding(state, sections.EXILE, Level.ILLEGAL, text, fact.seat),)


def _foul(state: HoshiBattleState, fact: FoulSeen) -> tuple[Finding, ...]:
    if fact.seat not in state.setup.places:
        return stranger(state, fact.seat)
    rule, text = _FOULS[fact.foul]
    return (finding(state, rule, Level.ILLEGAL, f"{fact.seat} {text}.", fact.seat),)

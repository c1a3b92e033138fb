"""When a written game of Hoshi Battle happens on film: its own times while the dice roll, and time for hands in between.

A script tells the times of what counts to the microsecond and leaves out how long it takes to turn a card or to put a Stone away.
On film play goes on a little later where that takes longer than the script's pause; nothing within a round is stretched.
A pick-up of a die that the hand holds already is no act at the table and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from companion.rules.hoshi_battle.facts import (
    DieFell,
    DiePickedUp,
    DiePutBack,
    DieRolled,
    DieTaken,
    Face,
    Fact,
    FoulSeen,
    HandLowered,
    HandRaised,
    HandsTouched,
    PlayBegan,
    SaveRolled,
    SwingMissed,
    TimeoutCalled,
    Where,
)
from companion.rules.hoshi_battle.fold import apply, start
from companion.rules.hoshi_battle.state import Fighter, HoshiBattleState, Phase
from companion.virtual.battle import TOUCHING_US
from companion.virtual.battle_rolls import Push, Wanted
from companion.virtual.battle_script import BattleScript
from companion.virtual.battle_stage import LETTERS, BattleStage, Chair

MS = 1000
FIRST_US = 2000 * MS
"""The bare table is seen so long."""
COUNT_US = 3000 * MS
"""From three to zero."""
READY_US = 1600 * MS
"""The hands are over the table so long before play begins."""
TAIL_US = 1900 * MS
"""After the last act of a round the hands take up the dice and go."""
CHANGE_US = 900 * MS
"""A hand comes to a card or a Stone, and as long again until the table lies still."""
ROLL_US = 1700 * MS
"""A roll outside the rounds: from the hand's coming to the die's rest."""
GRASP_US = 70 * MS
"""Between taking up a die and letting it go at least."""
LATEST_LIFT_US = 400 * MS
"""A die that lies there is taken up so long before it comes to rest from its next roll at the latest."""
PUSH_US = 220 * MS
"""A die is pushed for so long."""
SNATCH_US = (40 * MS, 90 * MS)
"""So long before it would have come to rest a die is snatched."""


class Setting(NamedTuple):
    """What lies before a chair."""

    hero: str | None = None
    """The Hero's card, "back" while it lies face down."""
    duel: str | None = None
    stones: int = 0


Settings = tuple[Setting, Setting]
"""By chair."""


@dataclass(frozen=True, slots=True)
class Change:
    """The table lies otherwise from a moment on."""

    act: int
    at_us: int
    chairs: tuple[int, ...]
    """Where a hand does it."""
    settings: Settings
    in_play: bool
    """It was done while dice rolled."""


@dataclass(frozen=True, slots=True)
class Bout:
    """From the beginning of play to the last act of the round."""

    begin_us: int
    end_us: int
    seats: tuple[str, str]
    """By chair."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A fact that is seen at a moment."""

    act: int
    fact: Fact
    """With the film's times."""
    at_us: int


@dataclass(frozen=True, slots=True)
class TimeLine:
    """A script's times on film, microseconds from the film's beginning."""

    timed: tuple[Timed, ...]
    """What hands and dice do, in order."""
    changes: tuple[Change, ...]
    bouts: tuple[Bout, ...]
    wanted: tuple[Wanted, ...]
    """Every roll, by the time of its rest. A die that is put back is one that was never let go."""
    put_back: frozenset[int]
    """The acts of `wanted` that are no rolls."""
    fetched: tuple[tuple[int, str, int], ...]
    """(when, who, which die): taken up outside of the rounds."""
    facts: tuple[tuple[int, Fact], ...]
    """All that happened, by place in the script, with the film's times."""
    end_us: int


def time_line(script: BattleScript, stage: BattleStage) -> TimeLine:
    """Puts a script on film."""
    return _Clock(script, stage).run()


@dataclass(slots=True)
class _Clock:
    script: BattleScript
    stage: BattleStage
    now_us: int = FIRST_US
    shift_us: int = 0
    """From the script's times to the film's."""
    busy: bool = False
    """Hands and dice of the last round are still on the table."""
    settings: Settings = (Setting(), Setting())
    chair_of: dict[str, int] = field(default_factory=dict)
    timed: list[Timed] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    bouts: list[Bout] = field(default_factory=list)
    wanted: list[Wanted] = field(default_factory=list)
    put_back: set[int] = field(default_factory=set)
    fetched: list[tuple[int, str, int]] = field(default_factory=list)
    facts: list[tuple[int, Fact]] = field(default_factory=list)
    lying: dict[tuple[str, int], int] = field(default_factory=dict)
    """A seat's die on the table, to its place in `wanted`."""
    held_us: dict[tuple[str, int], int] = field(default_factory=dict)
    """Since when a die is in the hand."""
    touching_us: int = 0
    """Until when hands that touched without an end of the round are busy with it."""
    snatched: frozenset[int] = field(init=False)
    """Acts that take up a die before it has come to rest."""

    def __post_init__(self) -> None:
        self.snatched = frozenset(trick.act for trick in self.script.tricks if trick.what == "snatched")

    def run(self) -> TimeLine:
        state = start(self.script.setup)
        for act, fact in enumerate(self.script.facts):
            after = apply(state, fact)
            self._sit(after)
            self._happen(act, fact)
            self._lay(act, state, after)
            state = after
        self._rest()
        wanted = sorted(self.wanted, key=lambda roll: roll.settled_us)
        return TimeLine(
            tuple(self.timed),
            tuple(self.changes),
            tuple(self.bouts),
            tuple(wanted),
            frozenset(self.put_back),
            tuple(self.fetched),
            tuple(self.facts),
            self.now_us + 1000 * MS,
        )

    # -- who sits where -------------------------------------------------------------------------------------------

    def _sit(self, state: HoshiBattleState) -> None:
        """Two take the chairs; who sits at the table stays there."""
        seats = state.duellists
        if not seats or set(seats) == set(self.chair_of):
            return
        order = sorted(seats, key=lambda seat: state.setup.places[seat])
        stays = {seat: self.chair_of[seat] for seat in order if seat in self.chair_of}
        for seat in order:
            if seat not in stays:
                stays[seat] = next(n for n in range(len(LETTERS)) if n not in stays.values())
        self.chair_of = stays

    def _chair(self, seat: str) -> Chair:
        return self.stage.chairs[self.chair_of[seat]]

    # -- what happens ---------------------------------------------------------------------------------------------

    def _happen(self, act: int, fact: Fact) -> None:
        match fact:
            case PlayBegan(at_us=int(at)):
                self._begin(act, fact, at)
            case DieRolled(released_us=None):
                self._roll_alone(act, fact.seat, fact.die, fact.sides or 10, fact.face, fact)
            case SaveRolled(seat=seat, sides=sides, face=face):
                self._roll_alone(act, seat, 0, sides or 10, face, fact)
            case DieRolled() | DiePickedUp() | DiePutBack() | DieFell() | SwingMissed() | TimeoutCalled():
                self._in_round(act, fact)
            case FoulSeen(at_us=int()):
                self._in_round(act, fact)
            case HandRaised() | HandLowered() | HandsTouched():
                self._in_round(act, fact)
            case DieTaken(seat=seat, die=die):
                self.held_us[seat, die] = self.now_us
                self.facts.append((act, fact))
            case _:
                self.facts.append((act, fact))

    def _begin(self, act: int, fact: PlayBegan, at_us: int) -> None:
        self._rest()
        at_us = max(at_us + self.shift_us, self.now_us + (COUNT_US if fact.counted else READY_US))
        self.shift_us = at_us - (fact.at_us or 0)
        fact = replace(fact, at_us=at_us)
        self.facts.append((act, fact))
        left, right = sorted(self.chair_of, key=lambda seat: self.chair_of[seat])
        self.bouts.append(Bout(at_us, at_us, (left, right)))
        self.now_us, self.busy = at_us, True
        for seat in self.chair_of:
            for die in (0, 1):
                if (seat, die) not in self.lying:
                    self.held_us[seat, die] = at_us

    def _in_round(self, act: int, fact: Fact) -> None:
        at_us = (_at(fact) or 0) + self.shift_us
        moved = _moved(fact, at_us)
        match moved:
            case DieRolled(seat=seat, die=die, face=face, inside=inside, sides=sides):
                self._fall(act, seat, die, sides or 10, face, inside is not False, self._free_from(seat, die), at_us)
            case DiePickedUp(seat=seat, die=die) if act in self.snatched:
                self._snatch(act, seat, die, at_us)
            case DiePickedUp(seat=seat, die=die):
                if (seat, die) not in self.lying:
                    return
                self._take(seat, die, at_us)
            case FoulSeen(seat=seat):
                self._push(act, seat, at_us)
            case HandsTouched(where=Where.ELSEWHERE):
                self.touching_us = at_us + TOUCHING_US
            case DiePutBack(seat=seat, face=face, die=die):
                sides = self._sides(act, seat, die)
                self.put_back.add(act)
                self._fall(act, seat, die, sides, face, True, at_us, at_us)
            case DieFell(seat=seat, die=die) if (seat, die) in self.lying:
                self._take(seat, die, at_us)
            case _:
                pass
        self.timed.append(Timed(act, moved, at_us))
        self.facts.append((act, moved))
        self.now_us = max(self.now_us, at_us)
        self.bouts[-1] = replace(self.bouts[-1], end_us=self.now_us)

    def _snatch(self, act: int, seat: str, die: int, at_us: int) -> None:
        """A roll that is over before it has come to rest."""
        chance = self.stage.chance("snatched", act)
        settled_us = at_us + round(chance.uniform(*SNATCH_US))
        sides = self._sides(act, seat, die)
        face = chance.choice([Face.STRIKE, Face.CHARM, Face.SHIELD, Face.BLANK])
        self._fall(act, seat, die, sides, face, True, self._free_from(seat, die), settled_us)
        self._take(seat, die, at_us)

    def _push(self, act: int, seat: str, at_us: int) -> None:
        die = next((die for die in (0, 1) if (seat, die) in self.lying), None)
        if die is not None:
            n = self.lying[seat, die]
            push = Push(act, at_us, at_us + PUSH_US)
            self.wanted[n] = replace(self.wanted[n], pushes=(*self.wanted[n].pushes, push))

    def _roll_alone(self, act: int, seat: str, die: int, sides: int, face: Face, fact: Fact) -> None:
        """A roll outside the rounds: early, or against a hit."""
        self._rest()
        begin_us, at_us = self.now_us, self.now_us + ROLL_US
        inside = not isinstance(fact, DieRolled) or fact.inside is not False
        self._fall(act, seat, die, sides, face, inside, begin_us + ROLL_US // 2, at_us)
        self.now_us = at_us
        moved = _moved(fact, at_us) if isinstance(fact, DieRolled) else fact
        self.timed.append(Timed(act, moved, at_us))
        self.facts.append((act, moved))
        # What was rolled too early lies there when play begins, and counts; what was rolled against a hit is taken up.
        self.busy = isinstance(fact, SaveRolled)

    def _sides(self, act: int, seat: str, die: int) -> int:
        """Of the die that a seat holds: the one it rolls next, or rolled last."""
        facts = (*self.script.facts[act:], *reversed(self.script.facts[:act]))
        for fact in facts:
            if isinstance(fact, DieRolled) and (fact.seat, fact.die) == (seat, die):
                return fact.sides or 10
        return 10

    def _free_from(self, seat: str, die: int) -> int:
        """From when on a die may leave the hand."""
        return max(self.held_us.get((seat, die), 0), self.bouts[-1].begin_us, self.touching_us) + GRASP_US

    def _fall(
        self, act: int, seat: str, die: int, sides: int, face: Face, inside: bool, earliest_us: int, settled_us: int
    ) -> None:
        if (seat, die) in self.lying:  # nobody told that it was taken up
            self._take(seat, die, max(settled_us - LATEST_LIFT_US, self._lay_us(seat, die) + MS))
            earliest_us = max(earliest_us, self.held_us[seat, die] + GRASP_US)
        never = settled_us + 10**12
        self.lying[seat, die] = len(self.wanted)
        self.wanted.append(
            Wanted(act, seat, self._chair(seat), die, sides, face, inside, earliest_us, settled_us, never)
        )

    def _lay_us(self, seat: str, die: int) -> int:
        return self.wanted[self.lying[seat, die]].settled_us

    def _take(self, seat: str, die: int, at_us: int) -> None:
        n = self.lying.pop((seat, die))
        self.wanted[n] = replace(self.wanted[n], lifted_us=at_us)
        self.held_us[seat, die] = at_us

    def _rest(self) -> None:
        """The round is over: dice that lie there are taken up, and the hands go."""
        if not self.busy:
            return
        self.busy = False
        at_us = self.now_us + 1000 * MS
        for seat, die in sorted(self.lying):
            at_us += 300 * MS * die
            self._take(seat, die, at_us)
            self.fetched.append((at_us, seat, die))
        self.now_us += TAIL_US

    # -- how the table lies ---------------------------------------------------------------------------------------

    def _lay(self, act: int, before: HoshiBattleState, after: HoshiBattleState) -> None:
        settings = self._settings_of(after)
        if settings == self.settings:
            return
        chairs = tuple(n for n in range(len(LETTERS)) if settings[n] != self.settings[n])
        in_play = before.phase is Phase.ROLLING and after.phase is Phase.ROLLING
        free_us = self.changes[-1].at_us + 1200 * MS if self.changes else 0
        if in_play:
            at_us = max(self.now_us + 250 * MS, free_us)
        else:
            self._rest()
            at_us = max(self.now_us + CHANGE_US, free_us)
            self.now_us = at_us + CHANGE_US
        self.settings = settings
        self.changes.append(Change(act, at_us, chairs, settings, in_play))

    def _settings_of(self, state: HoshiBattleState) -> Settings:
        found = [Setting(), Setting()]
        duel, standing = state.duel, state.standing
        fighters: tuple[Fighter, ...] = () if duel is None else duel.fighters
        if duel is None and standing is not None:
            fighters = (standing.fighter,)
        for fighter in fighters:
            seat = state.setup.seats[fighter.place]
            if seat not in self.chair_of:
                continue
            hero = fighter.hero if fighter.hero is not None else ("back" if fighter.has_hero else None)
            card = fighter.card if fighter.card is not None else ("back" if fighter.is_hidden else None)
            stones = fighter.stones if fighter.hero is not None else 0
            found[self.chair_of[seat]] = Setting(hero, card, stones)
        return found[0], found[1]


def _at(fact: Fact) -> int | None:
    """When a fact is told to have happened."""
    at_us: int | None = getattr(fact, "at_us", None)
    return at_us


def _moved(fact: Any, at_us: int) -> Fact:
    """The fact at another time."""
    moved: Fact = replace(fact, at_us=at_us)
    return moved

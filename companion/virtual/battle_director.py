"""Turns a written game of Hoshi Battle into what a camera over the table would see and a pad would feel, with the truth of it.

The director plans the whole game once: every die's way, every hand's. Film, stills, pad and truth are asked of the same plan, at
any microsecond; so what is seen, felt and told can't differ.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from calibration.zones import Layout
from companion.adjudicator.record import finding_json
from companion.games.hoshi_battle import BOOK
from companion.rules.hoshi_battle.facts import KINDS, DieRolled, Face, Fact
from companion.virtual.battle_hands import Hands, plan_hands
from companion.virtual.battle_rolls import Roll, RollPlanner
from companion.virtual.battle_script import BattleScript
from companion.virtual.battle_stage import BACK, TABLE_MM, BattleStage
from companion.virtual.battle_times import MS, Settings, TimeLine, time_line
from companion.virtual.film import Shown, Still
from companion.virtual.hoshi_battle import judge_battle
from companion.virtual.reel import Timing
from companion.virtual.stage import StageSettings
from hardware.virtual.dice import DieOnTable
from hardware.virtual.loop import depth_mm
from hardware.virtual.scene import CardOnTable, HandOverTable, Scene, StoneOnTable

CALM_FPS = 20.0
"""So many pictures a second show a table at which nobody rolls."""
EARLY_US, LATE_US = 500 * MS, 800 * MS
"""A round is seen so long before play begins and after its last act."""
EXPOSURE_US = 4 * MS
_SMEAR = 3
"""Moments of an exposure at which a moving die is drawn."""
STILL_AFTER_US = 760 * MS
"""After a card or Stone was changed the hand is gone."""
ROLL_AFTER_US = 25 * MS
"""After a die has settled its picture is taken."""


@dataclass(frozen=True, slots=True)
class _Lying:
    """Cards and Stones from a moment on."""

    from_us: int
    cards: tuple[CardOnTable, ...]
    stones: tuple[StoneOnTable, ...]


class BattleDirector:
    """Films a script. Times are microseconds from the film's beginning.

    Raises BadProfileError where the layout lacks a zone, ValueError for a script whose rolls no throw can do.
    """

    def __init__(
        self,
        script: BattleScript,
        layout: Layout,
        settings: StageSettings | None = None,
        timing: Timing | None = None,
    ) -> None:
        self.script = script
        self.stage = BattleStage(layout, settings or StageSettings(TABLE_MM))
        self._timing = timing or Timing()
        self.line: TimeLine = time_line(script, self.stage)

    @cached_property
    def rolls(self) -> tuple[Roll, ...]:
        """Every roll by the time of its rest, and every die that was put back."""
        planner = RollPlanner(self.stage)
        for wanted in self.line.wanted:
            if wanted.act not in self.line.put_back:
                planner.roll(wanted)
                continue
            before = [r for r in planner.rolls if (r.wanted.seat, r.wanted.die) == (wanted.seat, wanted.die)]
            spot = wanted.chair.place(158.0, 165.0)
            at = (before[-1].last.x_mm, before[-1].last.y_mm) if before else (spot.x_mm, spot.y_mm)
            planner.lay(wanted, *at)
        return tuple(planner.rolls)

    @cached_property
    def hands(self) -> Hands:
        """All hands' ways, with their touches."""
        return plan_hands(self.stage, self.line, self.rolls)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What happened, with the film's times: what a perfect witness would tell."""
        released = {roll.wanted.act: roll.released_us for roll in self.rolls}
        told: list[Fact] = []
        for act, fact in self.line.facts:
            told.append(replace(fact, released_us=released[act]) if isinstance(fact, DieRolled) else fact)
        return tuple(told)

    # -- the table at a moment ------------------------------------------------------------------------------------

    def scene(self, t_us: int) -> Scene:
        """The table during the exposure that starts at this moment: what a camera's time of a picture means."""
        lying = self._lying[max(0, bisect_right([each.from_us for each in self._lying], t_us) - 1)]
        return Scene(
            TABLE_MM,
            cards=lying.cards,
            stones=lying.stones,
            loops=(self.stage.loop,),
            dice=tuple(self._dice(t_us)),
            hands=tuple(self._hands(t_us)),
        )

    def _dice(self, t_us: int) -> Iterator[DieOnTable]:
        for roll in self.rolls:
            if not roll.released_us - EXPOSURE_US <= t_us < roll.wanted.lifted_us:
                continue
            moments = [roll.at(t_us + EXPOSURE_US * n // (_SMEAR - 1)) for n in range(_SMEAR)]
            shown = [moment for moment in moments if moment is not None]
            moves = t_us < roll.wanted.settled_us
            if shown:
                yield replace(roll.die, at=shown[-1], before=tuple(shown[:-1]) if moves else ())

    def _hands(self, t_us: int) -> Iterator[HandOverTable]:
        for ways in (self.hands.idle, self.hands.playing):
            for chair, way in zip(self.stage.chairs, ways, strict=True):
                if chair.ahead(way.at(t_us).x_mm) > -55.0:
                    yield way.hand(t_us, chair.skin, chair.sleeve)

    @cached_property
    def _lying(self) -> tuple[_Lying, ...]:
        found = [_Lying(0, (), ())]
        names: dict[tuple[int, str], int] = {}
        before: Settings | None = None
        for change in self.line.changes:
            cards: list[CardOnTable] = []
            stones: list[StoneOnTable] = []
            for chair, now in zip(self.stage.chairs, change.settings, strict=True):
                was = None if before is None else before[chair.number]
                for what, art, earlier in (
                    ("hero", now.hero, None if was is None else was.hero),
                    ("duel", now.duel, None if was is None else was.duel),
                ):
                    # A card that is turned over stays where it lies.
                    if art is not None and earlier not in {BACK, art}:
                        names[chair.number, what] = change.act
                    if art is not None:
                        lay = self.stage.hero if what == "hero" else self.stage.duel_card
                        cards.append(lay(chair, art, names[chair.number, what]))
                stones += self.stage.stones(chair, now.stones)
            before = change.settings
            found.append(_Lying(change.at_us, tuple(cards), tuple(stones)))
        return tuple(found)

    # -- film and stills ------------------------------------------------------------------------------------------

    def film(self) -> Iterator[Shown]:
        """The whole game, picture by picture; fewer where no dice roll, if the camera is a fast one."""
        step_us = 1e6 / self._timing.fps
        each = max(1, round(self._timing.fps / CALM_FPS))
        for n in range(round(self.line.end_us / step_us)):
            t_us = round(n * step_us)
            if n % each == 0 or self._is_played(t_us):
                yield Shown(t_us / 1e6, self.scene(t_us))

    def _is_played(self, t_us: int) -> bool:
        """Whether play goes on, or hands are about to begin it or have just ended it."""
        return any(bout.begin_us - EARLY_US <= t_us <= bout.end_us + LATE_US for bout in self.line.bouts)

    def stills(self) -> Iterator[Still]:
        """The bare table, the table after each change of cards and Stones, and each roll as it has come to rest."""
        moments = self.still_times()
        digits = max(2, len(str(len(moments) - 1)))
        for number, (t_us, name) in enumerate(moments):
            yield Still(f"{number:0{digits}d}-{name}", self.scene(t_us), t_us=t_us)

    def still_times(self) -> list[tuple[int, str]]:
        """When the stills are taken, in order, and what each shows."""
        moments = [(1000 * MS, "setup")]
        for change in self.line.changes:
            fact = self.script.facts[change.act]
            who = getattr(fact, "seat", None)
            moments.append((change.at_us + STILL_AFTER_US, f"{KINDS[type(fact)]}{'' if who is None else f'-{who}'}"))
        for n, roll in enumerate(self.rolls):
            if roll.wanted.is_snatched:
                continue
            what = "roll" if roll.throw is not None else "put-back"
            name = f"{what}{n + 1}-{roll.wanted.seat}-{roll.wanted.face.value}"
            moments.append((roll.wanted.settled_us + ROLL_AFTER_US, name))
        return sorted(moments)

    # -- the truth ------------------------------------------------------------------------------------------------

    def truth(self) -> dict[str, Any]:
        """What happened and when, as JSON can hold it: times are whole microseconds of the film."""
        judged = judge_battle(self.script.setup, self.facts)
        ended = judged.outcome
        acts = [act for act, _ in self.line.facts]
        return {
            "seats": list(self.script.setup.seats),
            "seed": self.script.seed,
            "end_us": self.line.end_us,
            "bouts": [
                {"begin_us": bout.begin_us, "end_us": bout.end_us, "left": bout.seats[0], "right": bout.seats[1]}
                for bout in self.line.bouts
            ],
            "facts": [{"act": act, **BOOK.facts.to_json(fact)} for act, fact in zip(acts, self.facts, strict=True)],
            "rolls": [self._roll_json(roll) for roll in self.rolls],
            "lifts": [
                {"seat": roll.wanted.seat, "die": roll.wanted.die, "at_us": roll.wanted.lifted_us}
                for roll in sorted(self.rolls, key=lambda roll: roll.wanted.lifted_us)
                if roll.wanted.lifted_us < self.line.end_us
            ],
            "touches": [
                {
                    "act": touch.act,
                    "by": list(touch.by),
                    "where": touch.where,
                    "start_us": touch.start_us,
                    "end_us": touch.end_us,
                    "closed_mm": list(touch.closed_mm),
                    "verdict": dict(self.script.touches)[touch.act].value,
                }
                for touch in self.hands.touches
            ],
            "swings": [{"act": s.act, "seat": s.seat, "at_us": s.at_us} for s in self.hands.swings],
            "raised": [
                {"act": r.act, "seat": r.seat, "from_us": r.from_us, "to_us": r.to_us} for r in self.hands.raised
            ],
            "tricks": [{"act": t.act, "seat": t.seat, "what": t.what} for t in self.script.tricks],
            "findings": [finding_json(finding) for findings in judged.findings for finding in findings],
            "outcome": None if ended is None else {"winners": list(ended.winners), "decided_by": ended.decided_by},
        }

    def _roll_json(self, roll: Roll) -> dict[str, Any]:
        """A roll's truth. Of a die that was put back the moments of a throw are null; of one that was taken up before it came to
        rest, what it would have shown and when.
        """
        wanted, throw = roll.wanted, roll.throw
        return {
            "act": wanted.act,
            "seat": wanted.seat,
            "die": wanted.die,
            "sides": wanted.sides,
            "symbol": None if wanted.is_snatched else Face(roll.symbol).value,
            "rgb": list(roll.die.bgr[::-1]),
            "released_us": None if throw is None else roll.released_us,
            "touched_us": roll.touched_us,
            "contact_mm": None if throw is None else [round(part, 2) for part in throw.contact_mm],
            "depth_mm": None if throw is None else round(depth_mm(self.stage.loop, *throw.contact_mm), 2),
            "inside": None if throw is None else depth_mm(self.stage.loop, *throw.contact_mm) > 0,
            "settled_us": None if wanted.is_snatched else wanted.settled_us,
            "rest_mm": None if wanted.is_snatched else [round(roll.rest.x_mm, 2), round(roll.rest.y_mm, 2)],
            "pushed": [
                {"act": push.act, "from_us": push.from_us, "to_us": push.to_us, "by_mm": list(by_mm)}
                for push, by_mm in zip(wanted.pushes, roll.pushed_mm, strict=True)
            ],
            "lifted_us": wanted.lifted_us if wanted.lifted_us < self.line.end_us else None,
        }

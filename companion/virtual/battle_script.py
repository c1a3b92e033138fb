"""A game of Hoshi Battle as simulated players wrote it, and how they misbehave in it."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.hoshi_battle.facts import Fact
from companion.rules.hoshi_battle.setup import HoshiBattleSetup
from companion.rules.hoshi_battle.state import HoshiBattleState
from companion.rules.hoshi_battle.touches import Verdict


@dataclass(frozen=True, slots=True)
class MischiefPlan:
    """How the players misbehave; shares of a thousand, so that no rounding differs between machines."""

    bluff: int = 0
    """How often a player without a symbol touches all the same. It is allowed, and costs a Stone."""
    outside: int = 0
    """How often a roll first touches down outside the Arena."""
    wrong_die: int = 0
    """How often a player rolls the other kind of die."""
    put_back: int = 0
    """How often a player who picked a die up lays it down again."""
    early_card: int = 0
    """How often a player shows a Duel card while the dice roll."""
    early_roll: int = 0
    """How often a player rolls before the countdown, the first to do so: the other may think that play has begun."""
    wrong_opponent: int = 0
    """How often a player challenges somebody who hasn't the most Heroes, where there is one."""
    heavy_deck: int = 0
    """How often a player brings the dearest cards, whatever the agreed cost."""
    foreign_card: int = 0
    """How often a player reveals a Hero that is not in the decks brought."""
    wrong_pass: int = 0
    """How often a player hands cards of a draft on to the wrong side."""
    pushed: int = 0
    """How often a player pushes a die that lies there instead of rolling it; now and then the push is followed by a strike."""
    rushed: int = 0
    """How often a player takes up a die that shows a symbol and strikes with it all the same: the result is lost."""
    snatched: int = 0
    """How often a player takes up a die before it has come to rest, so that it never counted; now and then to strike."""
    arm: int = 0
    """How often a player who strikes meets an arm instead of a hand. It is no breach, but a miss."""


HONEST = MischiefPlan()


@dataclass(frozen=True, slots=True)
class Trick:
    """The truth of one breach, known to the script only."""

    act: int
    """0-based place of its fact in the script."""
    seat: str
    what: str
    """The field of the plan that it comes from."""


@dataclass(frozen=True, slots=True)
class BattleScript:
    """A whole game, written before it is played at the virtual table."""

    setup: HoshiBattleSetup
    seed: int
    facts: tuple[Fact, ...]
    """In the order of their times, where they have one."""
    tricks: tuple[Trick, ...]
    touches: tuple[tuple[int, Verdict], ...]
    """By place in the script: what each touch truly was, as the players meant it."""
    final: HoshiBattleState

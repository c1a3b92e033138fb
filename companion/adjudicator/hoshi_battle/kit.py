"""Hoshi Battle as the adjudicator handles it."""

from __future__ import annotations

from calibration.zones import Layout
from companion.adjudicator.hoshi_battle.resolver import DuelTableResolver
from companion.adjudicator.hoshi_battle.taps import taps_of
from companion.adjudicator.hoshi_battle.view import hoshi_battle_view
from companion.adjudicator.hoshi_battle.words import describe
from companion.adjudicator.kit import Tap, since
from companion.games.codec import Json
from companion.games.hoshi_battle import BOOK
from companion.rules.hoshi_battle import HoshiBattleSetup, HoshiBattleState
from companion.rules.hoshi_battle.facts import Fact
from companion.rules.hoshi_battle.state import DuelRecord

ZONES = ("hero", "duel", "stones")
"""What lies before each of the two who duel."""


class HoshiBattleKit:
    """See companion.adjudicator.kit.Kit."""

    book = BOOK
    has_board = False

    def resolver(self, setup: HoshiBattleSetup, layout: Layout) -> DuelTableResolver:
        """What turns settled pictures into facts."""
        return DuelTableResolver(setup, layout)

    def announcements(self, before: HoshiBattleState, after: HoshiBattleState) -> list[dict[str, Json]]:
        """A `duel` for each that is over since."""
        return since(before.done, after.done, "duel", _duel)

    def describe(self, fact: Fact, setup: HoshiBattleSetup) -> str:
        """A few words for the history."""
        return describe(fact, setup)

    def view(self, state: HoshiBattleState) -> dict[str, Json]:
        """The page's part."""
        return hoshi_battle_view(state)

    def taps(self, state: HoshiBattleState) -> tuple[Tap, ...]:
        """What no camera sees, and what people may have to tell where none looks."""
        return taps_of(state)

    def zones(self, _seats: int) -> tuple[str, ...]:
        """Hero, Duel card and Stones of the two at the table: who duels there changes, the places don't."""
        return tuple(f"{zone}.{chair}" for zone in ZONES for chair in "AB")


def _duel(record: DuelRecord) -> dict[str, Json]:
    return {
        "duel": record.number,
        "seats": list(record.seats),
        "heroes": list(record.heroes),
        "rounds": record.rounds,
        "exiled": list(record.exiled),
        "winner": record.winner,
        "stones": record.stones,
    }

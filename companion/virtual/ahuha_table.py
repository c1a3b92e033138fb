"""Ahuha Ahukaha at the virtual table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from calibration.zones import Layout
from companion.adjudicator.ahuha.kit import round_json, series_json
from companion.adjudicator.record import finding_json
from companion.games.ahuha import BOOK
from companion.rules.ahuha.setup import AhuhaSetup
from companion.rules.cards import CardData
from companion.rules.core import Level
from companion.virtual.ahuha import AhuhaCheat, AhuhaScript, judge_game, play_game
from companion.virtual.ahuha_director import TABLE_MM, AhuhaDirector
from companion.virtual.reel import Timing
from companion.virtual.stage import StageSettings
from companion.virtual.table_game import MORE_SEEDS, Wishes, settings_for, shortest

FALSE_ANSWERS = AhuhaCheat(false_answer=80)
"""What the players do where a revoke is wished for: raise a hand for nothing, or keep it down."""


class AhuhaTableGame:
    """See companion.virtual.table_game.TableGame."""

    table_mm = TABLE_MM
    variant: Mapping[str, Any] = {"mode": "cooperative"}
    """One series together."""

    def setup(self, seats: tuple[str, ...], lead: str, cards: Mapping[str, CardData], wishes: Wishes) -> AhuhaSetup:
        """Three seats."""
        return BOOK.setup(seats, lead, cards, settings_for("ahuha", wishes))

    def script(self, setup: AhuhaSetup, wishes: Wishes) -> AhuhaScript:
        """A game of honest players; with a revoke, one in which a false answer comes to light."""
        return shortest(_games(setup, wishes), wishes)

    def director(
        self, script: AhuhaScript, layout: Layout, stage: StageSettings, timing: Timing, *, dark_board: bool
    ) -> AhuhaDirector:
        """Films Field, Homes and frozen cards; there is no board."""
        del dark_board
        return AhuhaDirector(script, layout, stage, timing)

    def truth(self, script: AhuhaScript) -> dict[str, Any]:
        """The series with their rounds and Homes, what the players did wrong, what is found, and the outcome."""
        judged = judge_game(script.setup, script.facts)
        ended = judged.outcome
        return {
            "steps": [
                {**series_json(series), "rounds": [round_json(record) for record in series.rounds]}
                for series in script.final.done
            ],
            "breaches": [
                {"kind": breach.kind, "player": breach.player, "series": breach.series, "round": breach.round}
                for breach in script.breaches
            ],
            "findings": [finding_json(finding) for findings in judged.findings for finding in findings],
            "outcome": None
            if ended is None
            else {"winners": list(ended.winners), "decided_by": ended.decided_by, "points": ended.points},
        }


def mischief(share: int) -> AhuhaCheat:
    """Every kind of cheat as often as this in a thousand."""
    return AhuhaCheat(
        false_answer=share,
        missed_meeting=share,
        wrong_placing=share,
        wrong_side=share,
        lone_swap=share,
        second_card=share,
        false_asita=share,
        false_tigiri=share,
    )


def _games(setup: AhuhaSetup, wishes: Wishes) -> Iterator[AhuhaScript]:
    """The games that follow from a seed and are as wished for."""
    for seed in islice(wishes.seeds(), MORE_SEEDS):
        if not wishes.revoke:
            yield play_game(setup, seed, mischief(wishes.mischief), greedy=wishes.greedy)
            continue
        script = play_game(setup, seed, FALSE_ANSWERS, greedy=wishes.greedy)
        judged = judge_game(setup, script.facts).findings if len(script.breaches) == 1 else ()
        if any(finding.level is Level.PROVED for findings in judged for finding in findings):
            yield script

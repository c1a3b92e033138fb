"""Shuhari at the virtual table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from calibration.zones import Layout
from companion.adjudicator.record import finding_json
from companion.rules.cards import CardData
from companion.rules.core import Level
from companion.rules.shuhari.setup import ShuhariSetup, cards_of, displays_of
from companion.virtual.reel import Timing
from companion.virtual.shuhari import ShuhariCheat, ShuhariScript, judge_game, play_game
from companion.virtual.shuhari_director import ShuhariDirector
from companion.virtual.stage import StageSettings
from companion.virtual.table_game import MORE_SEEDS, Wishes, settings_for, shortest

GAME = "shuhari"


class ShuhariTableGame:
    """See companion.virtual.table_game.TableGame."""

    table_mm = StageSettings().table_mm
    variant: Mapping[str, Any] = {}

    def setup(self, seats: tuple[str, ...], lead: str, cards: Mapping[str, CardData], wishes: Wishes) -> ShuhariSetup:
        """Two or three seats."""
        settings_for(GAME, wishes)
        return ShuhariSetup(seats, lead, cards_of(cards), displays=displays_of(cards))

    def script(self, setup: ShuhariSetup, wishes: Wishes) -> ShuhariScript:
        """A game of honest players; with a revoke, one in which a false rest comes to light."""
        return shortest(_games(setup, wishes), wishes)

    def director(
        self, script: ShuhariScript, layout: Layout, stage: StageSettings, timing: Timing, *, dark_board: bool
    ) -> ShuhariDirector:
        """Films the row; there is no board."""
        del dark_board
        return ShuhariDirector(script, layout, stage, timing)

    def truth(self, script: ShuhariScript) -> dict[str, Any]:
        """The deal, the tricks, the learning table, what is found, and the outcome."""
        state, setup = script.final, script.setup
        judged = judge_game(setup, script.facts)
        ended = judged.outcome
        return {
            "deal": {seat: list(cards) for seat, cards in script.deal.items()},
            "steps": [
                {
                    "trick": record.number,
                    "lead": record.lead,
                    "art": record.art,
                    "played": [{"seat": seat, "card": card, "play": play} for seat, card, play in record.played],
                    "stage": record.stage,
                    "learned": [{"stage": stage, "seat": seat, "new": new} for stage, seat, new in record.learned],
                    "points": dict(record.points),
                }
                for record in state.done
            ],
            "points": dict(judged.points),
            "false_rests": [
                {"player": rest.player, "trick": rest.trick, "card": rest.card, "held": list(rest.held)}
                for rest in script.false_rests
            ],
            "breaches": [{"kind": wrong.kind, "player": wrong.player, "trick": wrong.trick} for wrong in script.wrongs],
            "findings": [finding_json(finding) for findings in judged.findings for finding in findings],
            "outcome": None
            if ended is None
            else {"winners": list(ended.winners), "decided_by": ended.decided_by, "points": ended.points},
        }


def mischief(share: int) -> ShuhariCheat:
    """Every kind of cheat as often as this in a thousand."""
    return ShuhariCheat(
        revoke=share,
        false_break=share,
        out_of_turn=share,
        extra_draw=share,
        long_look=share,
        wrong_take=share,
        false_mark=share,
    )


def _games(setup: ShuhariSetup, wishes: Wishes) -> Iterator[ShuhariScript]:
    """The games that follow from a seed and are as wished for."""
    for seed in islice(wishes.seeds(), MORE_SEEDS):
        if not wishes.revoke:
            yield play_game(setup, seed, mischief(wishes.mischief), greedy=wishes.greedy)
            continue
        script = play_game(setup, seed, ShuhariCheat(revoke=200, at_most=1), greedy=wishes.greedy)
        judged = judge_game(setup, script.facts).findings if script.false_rests else ()
        if any(finding.level is Level.PROVED for findings in judged for finding in findings):
            yield script

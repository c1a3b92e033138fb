"""Hoshizora at the virtual table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from typing import Any

from calibration.zones import Layout
from companion.errors import BadInputError
from companion.rules.cards import CardData
from companion.rules.hoshizora.ending import outcome
from companion.rules.hoshizora.facts import Line
from companion.rules.hoshizora.settings import HoshizoraSettings
from companion.rules.hoshizora.setup import HoshizoraSetup, cards_of
from companion.virtual.director import Director
from companion.virtual.players import CheatPlan, GameScript, play_game
from companion.virtual.reel import Timing
from companion.virtual.stage import StageSettings
from companion.virtual.table_game import MORE_SEEDS, Wishes

ROOM_MM = 30.0
"""Between two stars' middles."""


class HoshizoraTableGame:
    """See companion.virtual.table_game.TableGame."""

    table_mm = StageSettings().table_mm
    variant: Mapping[str, Any] = {"line_elimination": True}

    def setup(self, seats: tuple[str, ...], lead: str, cards: Mapping[str, CardData], wishes: Wishes) -> HoshizoraSetup:
        """Three seats."""
        if len(seats) != 3:
            raise ValueError(f"it is for three players, not {len(seats)} ({', '.join(seats)})")
        settings = HoshizoraSettings(line_elimination=wishes.variant)
        return HoshizoraSetup((seats[0], seats[1], seats[2]), lead, cards_of(cards), settings)

    def script(self, setup: HoshizoraSetup, wishes: Wishes) -> GameScript:
        """Where the seed's own board has two stars so close that their magnets nearly hide a line between them, or a revoke or a
        wiped line is wished for and its deal gives no occasion, the games that follow from it are tried.
        """
        cheat = CheatPlan(revoke=400, at_most=1) if wishes.revoke else mischief(wishes.mischief)
        for seed in islice(wishes.seeds(), MORE_SEEDS):
            script = play_game(setup, seed, cheat, say_colours=bool(cheat.false_colour), greedy=wishes.greedy)
            revoked = script.revokes or not wishes.revoke
            if _is_roomy(script) and revoked and (not wishes.variant or _wipes(script)):
                return script
        raise BadInputError(f"virtual table: seed {wishes.seed} leads to no such game; try another seed")

    def director(
        self, script: GameScript, layout: Layout, stage: StageSettings, timing: Timing, *, dark_board: bool
    ) -> Director:
        """Films tricks, lines and bids."""
        return Director(script, layout, stage, timing, dark_board=dark_board)

    def truth(self, script: GameScript) -> dict[str, Any]:
        """Star places on the board, tricks, and last the outcome."""
        return game_truth(script)


def mischief(share: int) -> CheatPlan:
    """Every kind of cheat as often as this in a thousand. Colours are said aloud, or nobody could say a false one."""
    return CheatPlan(
        revoke=share,
        wrong_line=share,
        no_line=share,
        false_colour=share,
        early_reveal=share,
        second_card=share,
        wrong_wipe=share,
        early_bid=share,
    )


def game_truth(script: GameScript) -> dict[str, Any]:
    """What happened in the game, as JSON can hold it: star places on the board, tricks, and the outcome."""
    state, setup = script.final, script.setup
    steps: list[dict[str, Any]] = []
    for record in state.done:
        step: dict[str, Any] = {
            "trick": record.number,
            "lead": record.lead,
            "played": dict(record.played),
            "majority": record.majority,
            "winner": record.winner,
            "drawn": [_line(line) for line in record.drawn],
            "points": record.points,
        }
        if setup.settings.line_elimination:
            step["erased"] = [_line(line) for line in record.erased]
        steps.append(step)
    ended = outcome(state)
    told = ended and {"winners": list(ended.winners), "decided_by": ended.decided_by, "bids": dict(ended.bids)}
    revoke = script.revokes[0] if script.revokes else None
    steps.append(
        {
            "revoke": None
            if revoke is None
            else {
                "player": revoke.player,
                "trick": revoke.trick,
                "card": revoke.card,
                "colour": revoke.colour,
                "proved_at": revoke.proved_at,
                "proof": revoke.proof,
            },
            "final": dict(zip(setup.seats, state.bids, strict=True)),
            "won": state.won,
            "points": state.points,
            "outcome": told,
        }
    )
    breaches = [{"kind": wrong.kind, "player": wrong.player, "trick": wrong.trick} for wrong in script.wrongs]
    stars = {str(star.n): [star.x_mm, star.y_mm, star.square] for star in script.stars}
    return {"stars": stars, "steps": steps, "breaches": breaches, "outcome": told}


def _is_roomy(script: GameScript) -> bool:
    """Whether a line between any two stars could be seen beside their magnets."""
    return all(
        math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm) >= ROOM_MM
        for n, one in enumerate(script.stars)
        for other in script.stars[:n]
    )


def _wipes(script: GameScript) -> bool:
    return any(record.erased for record in script.final.done)


def _line(line: Line) -> dict[str, Any]:
    return {"a": line.a, "b": line.b, "colour": line.colour}

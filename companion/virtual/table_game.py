"""What the virtual table must know of a game to play it: its setup, players, director, and the truth that they leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from calibration.zones import Layout
from companion.errors import BadInputError
from companion.rules.cards import CardData
from companion.virtual.film import Films
from companion.virtual.reel import Timing
from companion.virtual.stage import StageSettings

SetupT = TypeVar("SetupT")
ScriptT = TypeVar("ScriptT")
Json = Any

GAMES = ("hoshizora", "shuhari")
"""Ids of the games that the virtual table can play."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the game shall be like."""

    seed: int
    revoke: bool = False
    """A player once does not play what the own hand obliges to."""
    variant: bool = False
    """The game's optional rule is played, and comes up at least once."""
    short: bool = False
    """Of several deals that follow from the seed, one whose game is soon over."""


class TableGame(Protocol[SetupT, ScriptT]):
    """One game. Every method is pure: the same values, the same game."""

    def setup(self, seats: tuple[str, ...], lead: str, cards: Mapping[str, CardData], wishes: Wishes) -> SetupT:
        """The start. Raises ValueError where it can't be a game, BadInputError for a wish that the game doesn't know."""

    def script(self, setup: SetupT, wishes: Wishes) -> ScriptT:
        """A whole game as it will be played. Raises BadInputError where no deal leads to what is wished for."""

    def director(
        self, script: ScriptT, layout: Layout, stage: StageSettings, timing: Timing, *, dark_board: bool
    ) -> Films:
        """Who films it. Raises BadProfileError where the layout lacks a zone."""

    def truth(self, script: ScriptT) -> dict[str, Json]:
        """What happened, as JSON can hold it."""


def table_game(game: str) -> TableGame[Any, Any]:
    """A game by its id. Raises BadInputError for one that can't be played here."""
    match game:
        case "hoshizora":
            from companion.virtual.hoshizora_table import HoshizoraTableGame

            return HoshizoraTableGame()
        case "shuhari":
            from companion.virtual.shuhari_table import ShuhariTableGame

            return ShuhariTableGame()
        case _:
            raise BadInputError(f"virtual table: {game!r} can't be played here yet; there is {', '.join(GAMES)}")

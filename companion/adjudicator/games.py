"""The games that the adjudicator can judge."""

from __future__ import annotations

from functools import cache
from typing import Any

from companion.adjudicator.kit import Kit
from companion.errors import BadInputError

GAMES = ("hoshizora", "shuhari", "ahuha", "hoshi-battle")
"""Ids of the games that can be watched, in the order in which they are offered."""


@cache
def kit_of(game: str) -> Kit[Any, Any, Any]:
    """A game's kit by its id. Raises BadInputError for a game that can't be judged."""
    match game:
        case "hoshizora":
            from companion.adjudicator.hoshizora.kit import HoshizoraKit

            return HoshizoraKit()
        case "shuhari":
            from companion.adjudicator.shuhari.kit import ShuhariKit

            return ShuhariKit()
        case "ahuha":
            from companion.adjudicator.ahuha.kit import AhuhaKit

            return AhuhaKit()
        case "hoshi-battle":
            from companion.adjudicator.hoshi_battle.kit import HoshiBattleKit

            return HoshiBattleKit()
        case _:
            raise BadInputError(f"no rules for a game {game!r}; known are {', '.join(GAMES)}")

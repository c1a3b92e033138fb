"""Names of games: short, readable, in the order of play."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that are taken for one another when read aloud or copied by hand."""


def new_game_id(game: str, wall_ns: int, taken: Callable[[str], bool] = lambda _id: False) -> str:
    """An id such as "20261127-2351-hoshizora-k3f9": the table's local date and time, the game, four letters by chance.

    `taken` says whether an id is in use. Raises what it raises.
    """
    local = datetime.fromtimestamp(wall_ns / 1e9, tz=UTC).astimezone()
    while True:
        chance = "".join(secrets.choice(LETTERS) for _ in range(4))
        game_id = f"{local:%Y%m%d-%H%M}-{game}-{chance}"
        if not taken(game_id):
            return game_id

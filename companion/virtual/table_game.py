"""What the virtual table must know of a game to play it: its setup, players, director, and the truth that they leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice
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

GAMES = ("hoshizora", "shuhari", "ahuha", "hoshi-battle")
"""Ids of the games that the virtual table can play. Hoshi Battle is filmed and felt; nobody judges it live."""
MORE_SEEDS = 400
"""How many further deals are tried for one in which the wished-for act happens and can be proved."""
SHORT_OF = {False: 25, True: 5}
"""Of so many games the shortest is played where a short one is wished for; fewer where each must be sought for its revoke."""


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
    mischief: int = 0
    """How often in a thousand the players misbehave, each in every way that the game has; not where a revoke is wished for."""

    greedy: bool = False
    """Players do what seems best at once, and not just anything."""

    def seeds(self) -> Iterator[int]:
        """Its own, and those of the deals that follow from it."""
        return (self.seed + attempt * 1_000_003 for attempt in count())


class TableGame(Protocol[SetupT, ScriptT]):
    """One game. Every method is pure: the same values, the same game."""

    table_mm: tuple[float, float]
    """Width and height of the table that its layout is for."""

    variant: Mapping[str, Json]
    """The settings by which its optional rule is played; empty where it has none."""

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


class Played(Protocol):
    """A game that was written."""

    @property
    def facts(self) -> tuple[Any, ...]:
        """What happens in it."""


PlayedT = TypeVar("PlayedT", bound=Played)


def shortest(games: Iterable[PlayedT], wishes: Wishes) -> PlayedT:
    """The first of the games, or the shortest of some. Raises BadInputError where there is none."""
    found = list(islice(games, SHORT_OF[wishes.revoke] if wishes.short else 1))
    if not found:
        raise BadInputError(f"virtual table: seed {wishes.seed} leads to no such game; try another seed")
    return min(found, key=lambda script: len(script.facts))


def settings_for(game: str, wishes: Wishes) -> dict[str, Json]:
    """The table settings that wishes call for, beside the defaults. Raises BadInputError for a wish that a game doesn't know."""
    if not wishes.variant:
        return {}
    variant = table_game(game).variant
    if not variant:
        raise BadInputError(f"virtual table: {game} has no variant to play")
    return dict(variant)


def table_game(game: str) -> TableGame[Any, Any]:
    """A game by its id. Raises BadInputError for one that can't be played here."""
    match game:
        case "hoshizora":
            from companion.virtual.hoshizora_table import HoshizoraTableGame

            return HoshizoraTableGame()
        case "shuhari":
            from companion.virtual.shuhari_table import ShuhariTableGame

            return ShuhariTableGame()
        case "ahuha":
            from companion.virtual.ahuha_table import AhuhaTableGame

            return AhuhaTableGame()
        case "hoshi-battle":
            from companion.virtual.battle_table import BattleTableGame

            return BattleTableGame()
        case _:
            raise BadInputError(f"virtual table: {game!r} can't be played here yet; there is {', '.join(GAMES)}")

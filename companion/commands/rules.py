"""`hoshiban rules`: the rules by themselves, without a table: many games played out, the settings, legal ways counted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

import click

from companion.commands.rules_table import acts, convert, explain_command, play
from companion.decks import builtin_deck
from companion.errors import BadInputError
from companion.rules.ahuha.settings import AhuhaSettings
from companion.rules.hoshi_battle.settings import HoshiBattleSettings
from companion.rules.hoshizora.settings import HoshizoraSettings
from companion.rules.hoshizora.setup import HoshizoraSetup, cards_of
from companion.rules.settings import describe_settings
from companion.rules.shuhari.settings import ShuhariSettings

if TYPE_CHECKING:
    from companion.virtual.playout import Playout

SETTINGS: Mapping[str, type] = {
    "ahuha": AhuhaSettings,
    "hoshi-battle": HoshiBattleSettings,
    "shuhari": ShuhariSettings,
    "hoshizora": HoshizoraSettings,
}
"""By game whose rules are there, its table settings."""
GAMES = tuple(SETTINGS)
VARIANTS = ("hoshi-battle", "hoshizora")
"""The games with an optional rule that can be played out."""
PERFT_GAMES = ("hoshizora",)
"""The games whose legal ways can be counted: those of turns and hands."""
SEATS = ("A", "B", "C")

game_option = click.option("--game", required=True, type=click.Choice(GAMES), help="The game's id.")


@click.group()
def rules() -> None:
    """The rules by themselves: play games out, list the table settings, count legal ways."""


@rules.command()
@game_option
@click.option("--games", default=1000, show_default=True, type=click.IntRange(1), help="How many games to play.")
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0), help="The same seed gives the same games."
)
@click.option("--cheat", default="0", metavar="P", help="How often a player breaks a rule (revokes), 0 to 1.")
@click.option(
    "--variant",
    is_flag=True,
    help="Play with the optional rule (Hoshizora: line elimination; Hoshi Battle: the set-up variant).",
)
def playout(game: str, games: int, seed: int, cheat: str, variant: bool) -> None:
    """Plays seeded games with judging and knowledge on; the last line is the result.

    games_per_s counts everything; acts_per_s is the rate at which written games go through judge, apply and the exact count of
    the deals still possible. Both are per second of processor time on one core.
    """
    result = _play(game, games, seed, _per_mille(cheat), variant)
    line = {
        "game": game,
        "games": games,
        "seed": seed,
        "games_per_s": round(games / max(result.seconds, 1e-9), 1),
        "acts_per_s": round(result.acts / max(result.judged_seconds, 1e-9)),
        "findings": result.findings,
        "digest": result.digest,
    }
    click.echo(json.dumps(line))


def _play(game: str, games: int, seed: int, cheat: int, variant: bool) -> Playout:
    """The game's own playout; `cheat` in thousandths."""
    if variant and game not in VARIANTS:
        raise BadInputError(f"--variant: {game} has no optional rule; there is one in {', '.join(VARIANTS)}")
    match game:
        case "ahuha":
            from companion.virtual import ahuha

            return ahuha.play_out(games, seed, ahuha.AhuhaCheat(cheat, cheat, cheat))
        case "hoshi-battle":
            from companion.virtual import hoshi_battle

            return hoshi_battle.play_out(games, seed, hoshi_battle.setup_of(variant), hoshi_battle.mischief(cheat))
        case "shuhari":
            from companion.virtual import shuhari

            return shuhari.play_out(games, seed, shuhari.ShuhariCheat(revoke=cheat))
        case _:
            from companion.virtual.players import CheatPlan
            from companion.virtual.playout import play_out

            return play_out(_setup(variant), games, seed, CheatPlan(revoke=cheat))


@rules.command()
@game_option
def settings(game: str) -> None:
    """Lists the table settings, a JSON line each: what the rulebook leaves open and the reading taken by default."""
    for info in describe_settings(SETTINGS[game]):
        line = {name: value for name, value in asdict(info).items() if value is not None and value != ()}
        click.echo(json.dumps({"game": game, **line}, ensure_ascii=False))


@rules.command()
@click.option("--game", required=True, type=click.Choice(PERFT_GAMES), help="The game's id.")
@click.option(
    "--deal", default="builtin", show_default=True, metavar="FILE", help="A TOML file with lead, hands and stars."
)
@click.option("--depth", default=6, show_default=True, type=click.IntRange(1, 28), help="How many decisions deep.")
@click.option("--variant", is_flag=True, help="Play with the optional rule (Hoshizora: line elimination).")
def perft(game: str, deal: str, depth: int, variant: bool) -> None:
    """Counts the legal ways to play on from a deal with open hands, a JSON line a depth."""
    from companion.virtual.perft import load_deal
    from companion.virtual.perft import perft as count

    setup = _setup(variant)
    for level, ways in enumerate(count(setup, load_deal(deal, setup), depth), 1):
        click.echo(json.dumps({"game": game, "deal": deal, "depth": level, "ways": ways}))


def _setup(variant: bool) -> HoshizoraSetup:
    cards = cards_of(builtin_deck("hoshizora").cards)
    return HoshizoraSetup(SEATS, SEATS[0], cards, HoshizoraSettings(line_elimination=variant))


def _per_mille(text: str) -> int:
    """A share as whole thousandths. Raises BadInputError."""
    try:
        share = Decimal(text)
    except InvalidOperation:
        raise BadInputError(f"--cheat {text}: must be a number from 0 to 1, such as 0.1") from None
    if not share.is_finite() or not 0 <= share <= 1:
        raise BadInputError(f"--cheat {text}: must be from 0 to 1")
    return round(share * 1000)


rules.add_command(play)
rules.add_command(explain_command)
rules.add_command(convert)
rules.add_command(acts)

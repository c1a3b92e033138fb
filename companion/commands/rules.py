"""`hoshiban rules`: the rules by themselves, without a table: played out, told in words, counted, and put to the proof."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from companion.commands.rules_table import acts, convert, explain_command, hindsight, play
from companion.errors import BadInputError
from companion.games.book import GAMES, book_of
from companion.games.start import builtin_start
from companion.rules.settings import describe_settings

if TYPE_CHECKING:
    from companion.virtual.playout import Playout

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "hoshi-battle": {"deal": "combined"},
    "hoshizora": {"line_elimination": True},
}
"""The games with an optional rule, and the settings that play it."""
PERFT: Mapping[str, str] = {
    "ahuha": "companion.virtual.ahuha_perft",
    "shuhari": "companion.virtual.shuhari_perft",
    "hoshizora": "companion.virtual.hoshizora_perft",
}
"""The games whose legal ways can be counted, those of turns and hands, with the module that counts."""
SEATS = ("A", "B", "C")

game_option = click.option("--game", required=True, type=click.Choice(GAMES), help="The game's id.")
seed_option = click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0), help="The same seed gives the same games."
)


@click.group()
def rules() -> None:
    """The rules by themselves: tell a game in words, play many out, list settings and acts, count legal ways."""


@rules.command()
@game_option
@click.option("--games", default=1000, show_default=True, type=click.IntRange(1), help="How many games to play.")
@seed_option
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
    setup = _setup(game, variant)
    match game:
        case "ahuha":
            from companion.virtual import ahuha

            return ahuha.play_out(games, seed, ahuha.AhuhaCheat(cheat, cheat, cheat), setup)
        case "hoshi-battle":
            from companion.virtual import hoshi_battle

            return hoshi_battle.play_out(games, seed, setup, hoshi_battle.mischief(cheat))
        case "shuhari":
            from companion.virtual import shuhari

            return shuhari.play_out(games, seed, shuhari.ShuhariCheat(revoke=cheat))
        case _:
            from companion.virtual.players import CheatPlan
            from companion.virtual.playout import play_out

            return play_out(setup, games, seed, CheatPlan(revoke=cheat))


@rules.command()
@game_option
def settings(game: str) -> None:
    """Lists the table settings, a JSON line each: what the rulebook leaves open and the reading taken by default."""
    for info in describe_settings(book_of(game).settings):
        line = {name: value for name, value in asdict(info).items() if value is not None and value != ()}
        click.echo(json.dumps({"game": game, **line}, ensure_ascii=False))


@rules.command()
@click.option("--game", required=True, type=click.Choice(sorted(PERFT)), help="The game's id.")
@click.option(
    "--deal",
    default="builtin",
    show_default=True,
    metavar="FILE",
    help="A TOML file with [hands], and beside them: lead and [stars] (Hoshizora), lead and deck (Shuhari), frozen (Ahuha).",
)
@click.option("--depth", default=6, show_default=True, type=click.IntRange(1, 64), help="How many decisions deep.")
@click.option("--variant", is_flag=True, help="Play with the optional rule (Hoshizora: line elimination).")
def perft(game: str, deal: str, depth: int, variant: bool) -> None:
    """Counts the legal ways to play on from a deal with open hands, a JSON line a depth."""
    setup = _setup(game, variant)
    counter = import_module(PERFT[game])
    for level, ways in enumerate(counter.perft(setup, counter.load_deal(deal, setup), depth), 1):
        click.echo(json.dumps({"game": game, "deal": deal, "depth": level, "ways": ways}))


@rules.command()
@game_option
@click.option("--games", default=1000, show_default=True, type=click.IntRange(1), help="How many games of each kind.")
@seed_option
@click.option("--honest", is_flag=True, help="Only honest games.")
def soundness(game: str, games: int, seed: int, honest: bool) -> None:
    """Is an honest table ever accused, and which share of cheats is proved? One JSON line.

    Plays so many honest games, then as many dishonest ones with one kind of cheat each. Exit 1 where somebody was accused of
    what nobody did, or a cheat that public acts prove was missed.
    """
    from companion.virtual.soundness import soundness as weigh

    report = weigh(game, games, seed, dishonest=not honest)
    click.echo(json.dumps(report.line(), ensure_ascii=False))
    if not report.is_sound:
        raise click.exceptions.Exit(1)


def _setup(game: str, variant: bool) -> Any:
    """A table of the game with the built-in deck. Raises BadInputError for a variant that it hasn't got."""
    if variant and game not in VARIANTS:
        raise BadInputError(f"--variant: {game} has no optional rule; there is one in {', '.join(VARIANTS)}")
    seats = SEATS[:2] if game == "hoshi-battle" else SEATS
    return builtin_start(game, seats, settings=VARIANTS[game] if variant else None).setup


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
rules.add_command(hindsight)
rules.add_command(convert)
rules.add_command(acts)

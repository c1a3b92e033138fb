"""Games whose truth is known: played, judged, and laid out so that every finding can be held against what really happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TypeVar

from companion.decks import builtin_deck
from companion.rules.ahuha.facts import SeriesEnded, Side
from companion.rules.ahuha.settings import AhuhaSettings, Mode
from companion.rules.core import Finding
from companion.rules.hoshi_battle.settings import Deal, HoshiBattleSettings
from companion.rules.hoshizora.settings import HoshizoraSettings
from companion.rules.hoshizora.setup import HoshizoraSetup, cards_of
from companion.virtual import ahuha, hoshi_battle, playout, shuhari
from companion.virtual.battle import play_battle
from companion.virtual.battle_script import MischiefPlan
from companion.virtual.explained import ahuha_is_explained, rest_is_explained
from companion.virtual.players import CheatPlan, play_game
from companion.virtual.wrong import Wrong

SHARE = 120
"""How often somebody cheats who could, in a thousand."""
RARE = 500
"""The same for what can be done only now and then in a game."""


PlanT = TypeVar("PlanT", CheatPlan, MischiefPlan, ahuha.AhuhaCheat, shuhari.ShuhariCheat)


def _with(plan: PlanT, kind: str | None, share: int) -> PlanT:
    """The plan with one kind of cheat; None leaves it as it is. Raises KeyError where it knows no such kind."""
    if kind is None:
        return plan
    values = {entry.name: getattr(plan, entry.name) for entry in fields(plan)}
    if kind not in values:
        raise KeyError(kind)
    return type(plan)(**values | {kind: share})


def _in_plain_sight(_wrong: Wrong) -> bool:
    """Nothing honest explains what breaks a rule before everybody's eyes."""
    return False


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played and judged."""

    findings: tuple[tuple[Finding, ...], ...]
    """By act."""
    wrongs: tuple[Wrong, ...]
    """Every breach that was done."""
    is_explained: Callable[[Wrong], bool] = _in_plain_sight
    """Whether all that everybody saw can be explained without a breach that nothing proved."""
    series: tuple[int, ...] = ()
    """By act, the series it belongs to; empty where the game has none."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A game as it is put to the test."""

    tables: tuple[str, ...]
    """What is agreed at each table, in short."""
    kinds: Mapping[str, tuple[int, ...]]
    """Kind of cheat to the tables, 0-based, at which it can be done."""
    play: Callable[[int, int, str | None], Played]
    """By table, seed and kind of cheat (None for honest players)."""


# -- Hoshizora ----------------------------------------------------------------------------------------------------------

_HOSHIZORA = ("without line elimination", "with line elimination")
_HOSHIZORA_KINDS = (
    "revoke",
    "wrong_line",
    "no_line",
    "false_colour",
    "early_reveal",
    "second_card",
    "wrong_wipe",
    "early_bid",
)


def _hoshizora(table: int, seed: int, kind: str | None) -> Played:
    cards = cards_of(builtin_deck("hoshizora").cards)
    setup = HoshizoraSetup(("A", "B", "C"), "A", cards, HoshizoraSettings(line_elimination=table == 1))
    plan = _with(CheatPlan(), kind, RARE if kind == "early_bid" else SHARE)
    script = play_game(setup, seed, plan, say_colours=kind == "false_colour" or seed % 2 == 1)
    return Played(playout.judge_game(setup, script.facts).findings, script.wrongs)


# -- Hoshi Battle -------------------------------------------------------------------------------------------------------

_BATTLE_TABLES = (("AB", Deal.RULEBOOK), ("AB", Deal.COMBINED), ("ABC", Deal.RULEBOOK), ("AB", Deal.CONSTRUCTED))
_BATTLE = tuple(f"{len(seats)} players, {deal.value} deal" for seats, deal in _BATTLE_TABLES)
_BATTLE_KINDS: Mapping[str, tuple[int, ...]] = {
    "outside": (0, 1, 2, 3),
    "wrong_die": (0, 1, 2, 3),
    "put_back": (0, 1, 2, 3),
    "early_card": (0, 1, 2, 3),
    "pushed": (0, 1, 2, 3),
    "early_roll": (0, 1, 2, 3),
    "wrong_opponent": (2,),
    "wrong_pass": (2,),
    "heavy_deck": (3,),
    "foreign_card": (3,),
}


_BATTLE_RARE = ("wrong_opponent", "heavy_deck", "foreign_card")


def _hoshi_battle(table: int, seed: int, kind: str | None) -> Played:
    """Everybody bluffs now and then: that is allowed."""
    seats, deal = _BATTLE_TABLES[table]
    setup = hoshi_battle.setup_for(tuple(seats), HoshiBattleSettings(deal=deal))
    plan = _with(MischiefPlan(bluff=20), kind, RARE if kind in _BATTLE_RARE else SHARE // 2)
    script = play_battle(setup, seed, plan)
    wrongs = tuple(Wrong(trick.what, trick.seat, 0, trick.act) for trick in script.tricks)
    return Played(hoshi_battle.judge_battle(setup, script.facts).findings, wrongs)


# -- Ahuha --------------------------------------------------------------------------------------------------------------

_AHUHA = ("one wins", "together", "the frozen card on the left is in front")
_AHUHA_SETTINGS = (
    AhuhaSettings(),
    AhuhaSettings(mode=Mode.COOPERATIVE),
    AhuhaSettings(frozen_in_front=Side.LEFT),
)
_AHUHA_KINDS: Mapping[str, tuple[int, ...]] = {
    "false_answer": (0, 1, 2),
    "missed_meeting": (0, 1, 2),
    "wrong_placing": (0, 1, 2),
    "wrong_side": (0, 1, 2),
    "lone_swap": (0, 1, 2),
    "second_card": (0, 1, 2),
    "false_asita": (0, 1, 2),
    "false_tigiri": (0, 2),
}


def _ahuha(table: int, seed: int, kind: str | None) -> Played:
    setup = replace(ahuha.builtin_setup(), settings=_AHUHA_SETTINGS[table])
    share = RARE if kind in ("wrong_side", "false_asita", "false_tigiri") else SHARE
    plan = _with(ahuha.HONEST, kind, share)
    script = ahuha.play_game(setup, seed, plan)
    wrongs = tuple(Wrong(x.kind, x.player, x.round, x.act, x.kind == "false_answer") for x in script.breaches)
    series, number = [], 0
    for fact in script.facts:
        series.append(number)
        number += isinstance(fact, SeriesEnded)
    findings = ahuha.judge_game(setup, script.facts).findings
    return Played(findings, wrongs, lambda wrong: ahuha_is_explained(setup, script.facts, wrong), tuple(series))


# -- Shuhari ------------------------------------------------------------------------------------------------------------

_SHUHARI_TABLES = ((2, False), (3, False), (2, True), (3, True))
_SHUHARI = tuple(f"{players} players{', hands followed' if seen else ''}" for players, seen in _SHUHARI_TABLES)
_SHUHARI_KINDS = ("revoke", "false_break", "out_of_turn", "extra_draw", "long_look", "wrong_take", "false_mark")


def _shuhari(table: int, seed: int, kind: str | None) -> Played:
    players, followed = _SHUHARI_TABLES[table]
    setup = shuhari.standard_setup(players)
    share = RARE if kind in ("long_look", "wrong_take") else SHARE // 2
    plan = _with(shuhari.HONEST, kind, share)
    script = shuhari.play_game(setup, seed, plan, followed=followed)
    findings = shuhari.judge_game(setup, script.facts).findings
    held = {rest.act: rest.held for rest in script.false_rests}
    return Played(
        findings,
        script.wrongs,
        lambda wrong: rest_is_explained(setup, script.facts, wrong, held[wrong.act], followed=followed),
    )


GAMES: Mapping[str, Trial] = MappingProxyType(
    {
        "ahuha": Trial(_AHUHA, _AHUHA_KINDS, _ahuha),
        "hoshi-battle": Trial(_BATTLE, _BATTLE_KINDS, _hoshi_battle),
        "shuhari": Trial(_SHUHARI, dict.fromkeys(_SHUHARI_KINDS, (0, 1, 2, 3)), _shuhari),
        "hoshizora": Trial(_HOSHIZORA, dict.fromkeys(_HOSHIZORA_KINDS, (0, 1)), _hoshizora),
    }
)
"""By id."""

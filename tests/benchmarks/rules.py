"""Acts a second of every game's rules, judging and knowledge on, beside PokerKit and OpenSpiel's Python games; and refolds.

Run: python tests/benchmarks/rules.py [--rounds 9] [--seconds 0.2]; prints a table and one JSON line. PokerKit and OpenSpiel come
with the extra `benchmark` (pip install '.[benchmark]'); what is not installed is left out and said so.

All contenders do the same work: whole games that were written before go through the engine anew, and only that is timed, in
processor time on one core. Ours judge and apply every act and count the hidden worlds after it. PokerKit checks each operation
by itself; OpenSpiel's `apply_action` checks nothing, so it is measured twice: bare, and asked first whether the act is legal.
Rounds go through all contenders in turn, so that noise hits all alike, with new games each time, so that no cache knows them; a
contender's rate is its median over the rounds.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.decks import builtin_deck
from companion.rules.hoshizora.setup import HoshizoraSetup, cards_of
from companion.virtual import ahuha, battle, hoshi_battle, players, playout, shuhari
from companion.virtual.chance import Chance

Replay = Callable[[], object]
"""Takes one written game through its engine."""
Write = Callable[[int], tuple[int, Replay]]
"""By seed: how many acts the game has, and its replay."""
REFOLD_ACTS = 500
REFOLD_BAR_MS = 20.0
OPEN_SPIEL = ("kuhn_poker", "tic_tac_toe", "liars_poker", "block_dominoes", "iterated_prisoners_dilemma")


@dataclass
class Contender:
    """One engine with its rates, acts a second."""

    name: str
    family: str
    """"hoshiban", "pokerkit", "open_spiel checked" or "open_spiel bare"."""
    write: Write
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)

    def run(self, seeds: Chance, seconds: float) -> None:
        """Games for about so long; only the replays are timed."""
        acts, spent = 0, 0.0
        while spent < seconds:
            written = [self.write(seeds.bits()) for _ in range(5)]
            begun = time.process_time()
            for _, replay in written:
                replay()
            spent += time.process_time() - begun
            acts += sum(count for count, _ in written)
        self.rates.append(acts / spent)


# -- ours ---------------------------------------------------------------------------------------------------------------

Facts = Callable[[int], Sequence[Any]]
Judge = Callable[[Sequence[Any]], object]


def ours() -> dict[str, tuple[Facts, Judge]]:
    """By game: writes a game's facts, judges them. The tables are those of `hoshiban rules playout`."""
    stars = ahuha.builtin_setup()
    arts = shuhari.standard_setup()
    duel = hoshi_battle.setup_for()
    seats = ("A", "B", "C")
    lines = HoshizoraSetup(seats, seats[0], cards_of(builtin_deck("hoshizora").cards))
    return {
        "ahuha": (lambda seed: ahuha.play_game(stars, seed).facts, lambda facts: ahuha.judge_game(stars, facts)),
        "hoshi-battle": (
            lambda seed: battle.play_battle(duel, seed).facts,
            lambda facts: hoshi_battle.judge_battle(duel, facts),
        ),
        "shuhari": (lambda seed: shuhari.play_game(arts, seed).facts, lambda facts: shuhari.judge_game(arts, facts)),
        "hoshizora": (
            lambda seed: players.play_game(lines, seed).facts,
            lambda facts: playout.judge_game(lines, facts),
        ),
    }


def writer(facts_of: Facts, judge: Judge) -> Write:
    def write(seed: int) -> tuple[int, Replay]:
        facts = facts_of(seed)
        return len(facts), lambda: judge(facts)

    return write


# -- the others ---------------------------------------------------------------------------------------------------------


def pokerkit_contenders() -> list[Contender]:
    """Fully automated hands; every operation counts, the dealing and settling that its automation does as well."""
    from pokerkit import Automation, KuhnPoker, NoLimitTexasHoldem, PotLimitOmahaHoldem

    every = tuple(Automation)
    holdem, omaha = NoLimitTexasHoldem.create_state, PotLimitOmahaHoldem.create_state
    return [
        Contender(name, "pokerkit", poker_writer(make, raises, folds))
        for name, make, raises, folds in (
            ("Kuhn poker", lambda: KuhnPoker.create_state(every), 0.2, 0.3),
            ("hold'em, 3 players", lambda: holdem(every, True, 0, (1, 2), 2, 200, 3), 0.2, 0.3),
            ("hold'em, 6 players who mostly fold", lambda: holdem(every, True, 0, (1, 2), 2, 200, 6), 0.2, 0.8),
            ("Omaha, 3 players", lambda: omaha(every, True, 0, (1, 2), 2, 200, 3), 0.2, 0.3),
        )
    ]


def poker_writer(make: Callable[[], Any], raises: float, folds: float) -> Write:
    def write(seed: int) -> tuple[int, Replay]:
        random.seed(seed)  # its dealing
        luck = random.Random(seed)
        state, calls = make(), []
        while state.status:
            draw = luck.random()
            if draw < raises and state.can_complete_bet_or_raise_to():
                calls.append("complete_bet_or_raise_to")
            elif draw < raises + folds and state.can_fold():
                calls.append("fold")
            else:
                calls.append("check_or_call")
            getattr(state, calls[-1])()

        def replay() -> None:
            again = make()
            for call in calls:
                getattr(again, call)()

        return len(state.operations), replay

    return write


def open_spiel_contenders() -> list[Contender]:
    """Games whose rules are written in Python, played at random; with and without asking for the legal acts."""
    import pyspiel
    from open_spiel.python import games as _registers_them  # noqa: F401

    loaded = {name: pyspiel.load_game(f"python_{name}") for name in OPEN_SPIEL}
    checked = [Contender(name, "open_spiel checked", spiel_writer(game, checks=True)) for name, game in loaded.items()]
    return checked + [Contender(n, "open_spiel bare", spiel_writer(game, checks=False)) for n, game in loaded.items()]


def spiel_writer(game: Any, *, checks: bool) -> Write:
    def write(seed: int) -> tuple[int, Replay]:
        luck = random.Random(seed)
        state = game.new_initial_state()
        acts: list[Any] = []
        while not state.is_terminal():
            if state.is_simultaneous_node():
                acts.append([luck.choice(state.legal_actions(player)) for player in range(game.num_players())])
                state.apply_actions(acts[-1])
            else:
                legal = [act for act, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
                acts.append(luck.choice(legal))
                state.apply_action(acts[-1])

        def replay() -> None:
            again = game.new_initial_state()
            for act in acts:
                if isinstance(act, list):
                    if checks and any(one not in again.legal_actions(n) for n, one in enumerate(act)):
                        raise ValueError(f"{act} is not legal")
                    again.apply_actions(act)
                else:
                    if checks and act not in again.legal_actions():
                        raise ValueError(f"{act} is not legal")
                    again.apply_action(act)

        return len(acts), replay

    return write


def contenders() -> tuple[list[Contender], list[str]]:
    """All that are there, and the names of those that are not."""
    found = [Contender(game, "hoshiban", writer(*pair)) for game, pair in ours().items()]
    missing = []
    for name, make in (("pokerkit", pokerkit_contenders), ("open_spiel", open_spiel_contenders)):
        try:
            found += make()
        except ImportError as error:
            missing.append(name)
            print(f"{name} is left out: {error}; pip install '.[benchmark]' brings it", file=sys.stderr)
    return found, missing


# -- refolds ------------------------------------------------------------------------------------------------------------


def refold_ms(facts_of: Facts, judge: Judge, seeds: Chance) -> float:
    """Processor time of judging and applying 500 acts: one long game cut there, or whole games after each other."""
    games: list[Sequence[Any]] = []
    for _ in range(30):
        facts = facts_of(seeds.bits())
        if len(facts) >= REFOLD_ACTS:
            games = [facts[:REFOLD_ACTS]]
            break
        if sum(map(len, games)) < REFOLD_ACTS:
            games.append(facts[: REFOLD_ACTS - sum(map(len, games))])
    begun = time.process_time()
    for facts in games:
        judge(facts)
    return (time.process_time() - begun) * 1000


# -- the run ------------------------------------------------------------------------------------------------------------


def measure(rounds: int, seconds: float) -> dict[str, Any]:
    """Everything, as JSON."""
    fields, missing = contenders()
    refolds: dict[str, list[float]] = {game: [] for game in ours()}
    seeds = Chance(20)
    for contender in fields:  # imports, first calls
        contender.run(seeds, 0.01)
        contender.rates.clear()
    for _ in range(rounds):
        for contender in fields:
            contender.run(seeds, seconds)
        for game, pair in ours().items():
            refolds[game].append(refold_ms(*pair, seeds))
    report: dict[str, Any] = {"rounds": rounds, "python": sys.version.split()[0], "missing": missing, "acts_per_s": {}}
    for contender in fields:
        report["acts_per_s"].setdefault(contender.family, {})[contender.name] = round(contender.rate)
    report["ratio"] = ratios(report["acts_per_s"])
    report["refold_500_ms"] = {
        game: {"median": round(statistics.median(taken), 2), "worst": round(max(taken), 2)}
        for game, taken in refolds.items()
    }
    return report


def ratios(rates: dict[str, dict[str, int]]) -> dict[str, dict[str, float]]:
    """By game of ours: its rate over the fastest and over the middle one of each other family."""
    found: dict[str, dict[str, float]] = {}
    for game, rate in rates["hoshiban"].items():
        found[game] = {}
        for family, others in rates.items():
            if family != "hoshiban":
                found[game][f"{family} fastest"] = round(rate / max(others.values()), 2)
                found[game][f"{family} median"] = round(rate / statistics.median(others.values()), 2)
    return found


def table(report: dict[str, Any]) -> str:
    lines = [f"acts a second, median of {report['rounds']} rounds"]
    for family, rates in report["acts_per_s"].items():
        lines += [f"  {family:<20}{name:<36}{rate:>9,}" for name, rate in rates.items()]
    for game, found in report["ratio"].items():
        lines += [f"  {game:<20}over {name:<31}{ratio:>9.2f}" for name, ratio in found.items()]
    lines.append(f"refold of {REFOLD_ACTS} acts, ms of processor time (bar: {REFOLD_BAR_MS:g})")
    for game, taken in report["refold_500_ms"].items():
        lines.append(f"  {game:<56}{taken['median']:>9.2f}   worst {taken['worst']:.2f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.2, help="processor time a contender and round")
    chosen = parser.parse_args()
    report = measure(max(1, chosen.rounds), chosen.seconds)
    print(table(report))
    print(json.dumps(report))


if __name__ == "__main__":
    main()

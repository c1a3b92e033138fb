"""Soundness and power: are honest tables ever accused, and which share of cheats is proved?

Honest games are played at several tables of a game in turn. Dishonest games have one kind of cheat each, so that every finding
can be laid beside the truth that only the script knows. What nobody can prove from public acts is told apart from what should
have been found: by a second way of reasoning (companion/virtual/truth.py), never by what the rules made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from companion.rules.core import Finding, Level
from companion.virtual.chance import Chance
from companion.virtual.truth import GAMES, Played
from companion.virtual.wrong import Wrong

ACCUSING = (Level.ILLEGAL, Level.PROVED, Level.SUSPECT)
"""The levels of a finding that speak against somebody."""


@dataclass(slots=True)
class Tally:
    """What became of one kind of cheat."""

    done: int = 0
    proved: int = 0
    """A finding names player and trick, or the act itself."""
    proved_together: int = 0
    """Of several rests of a player not all can have been right, and this false one is among them."""
    unprovable: int = 0
    """No finding, and what everybody saw can be explained without this cheat."""
    missed: int = 0
    """No finding, although nothing honest explains what everybody saw."""

    def line(self) -> dict[str, object]:
        """As JSON; the share is of all that were done, rounded to a thousandth."""
        share = round((self.proved + self.proved_together) / self.done, 3) if self.done else None
        return {
            "done": self.done,
            "proved": self.proved,
            "proved_together": self.proved_together,
            "unprovable": self.unprovable,
            "missed": self.missed,
            "share": share,
        }


@dataclass(slots=True)
class Soundness:
    """What came of many honest and as many dishonest games."""

    game: str
    games: int
    seed: int
    acts: int = 0
    accusations: int = 0
    """Findings against somebody in honest games."""
    first: str | None = None
    """The first of them, with its table and seed."""
    kinds: dict[str, Tally] = field(default_factory=dict)
    cheated_acts: int = 0
    false_accusations: int = 0
    """Findings in dishonest games that no cheat explains."""
    first_false: str | None = None

    @property
    def is_sound(self) -> bool:
        """Whether nobody was accused of what nobody did, and nothing provable was missed."""
        return not self.accusations and not self.false_accusations and not any(t.missed for t in self.kinds.values())

    def line(self) -> dict[str, object]:
        """As JSON."""
        return {
            "game": self.game,
            "games": self.games,
            "seed": self.seed,
            "honest": {"acts": self.acts, "accusations": self.accusations, "first": self.first},
            "dishonest": {
                "acts": self.cheated_acts,
                "kinds": {kind: tally.line() for kind, tally in self.kinds.items()},
                "false_accusations": self.false_accusations,
                "first": self.first_false,
            },
        }


def soundness(game: str, games: int, seed: int, *, dishonest: bool = True) -> Soundness:
    """Plays so many honest games, then as many dishonest ones, each kind of cheat in turn. The same seed gives the same games.

    `game` is the game's id. Raises KeyError where there is none.
    """
    trial = GAMES[game]
    report = Soundness(game, games, seed)
    seeds = Chance(seed)
    for number in range(games):
        own_seed, table = seeds.bits(), number % len(trial.tables)
        played = trial.play(table, own_seed, None)
        report.acts += len(played.findings)
        for act, finding in _accusations(played.findings):
            report.accusations += 1
            report.first = report.first or _where(trial.tables[table], own_seed, act, finding)
    if dishonest:
        _play_dishonest(report, seeds)
    return report


def _play_dishonest(report: Soundness, seeds: Chance) -> None:
    trial = GAMES[report.game]
    pairs = [(kind, table) for kind, tables in trial.kinds.items() for table in tables]
    report.kinds = {kind: Tally() for kind in trial.kinds}
    for number in range(report.games):
        own_seed = seeds.bits()
        kind, table = pairs[number % len(pairs)]
        played = trial.play(table, own_seed, kind)
        report.cheated_acts += len(played.findings)
        for act, finding in weigh(played, report.kinds):
            report.false_accusations += 1
            where = f"{kind}, {_where(trial.tables[table], own_seed, act, finding)}"
            report.first_false = report.first_false or where


def _where(table: str, seed: int, act: int, finding: Finding) -> str:
    return f"{table}, seed {seed}, act {act}: {finding.level.value}: {finding.text}"


def _accusations(findings: Sequence[Sequence[Finding]]) -> list[tuple[int, Finding]]:
    return [(act, x) for act, found in enumerate(findings) for x in found if x.level in ACCUSING]


def weigh(played: Played, tallies: Mapping[str, Tally]) -> list[tuple[int, Finding]]:
    """Lays the findings of a dishonest game beside its truths: counts the truths, returns (act, finding) that none explains."""
    named: set[int] = set()
    together: set[int] = set()
    false = []
    for act, finding in _accusations(played.findings):
        meant = {index for index, wrong in enumerate(played.wrongs) if _names(played, act, finding, wrong)}
        within = {index for index, wrong in enumerate(played.wrongs) if _has_among(act, finding, wrong)}
        named |= meant
        together |= within
        if not meant and not within and not _is_fair_suspicion(played, act, finding):
            false.append((act, finding))
    for index, wrong in enumerate(played.wrongs):
        tally = tallies[wrong.kind]
        tally.done += 1
        if index in named:
            tally.proved += 1
        elif index in together:
            tally.proved_together += 1
        elif played.is_explained(wrong):
            tally.unprovable += 1
        else:
            tally.missed += 1
    return false


def _names(played: Played, act: int, finding: Finding, wrong: Wrong) -> bool:
    """Whether a finding says just what was done, and of whom."""
    if finding.level is Level.SUSPECT or finding.player not in (None, wrong.player):
        return False
    if not wrong.is_hidden:
        return finding.level is Level.ILLEGAL and act == wrong.act
    return act >= wrong.act and finding.trick == wrong.trick and _same_series(played, act, wrong)


def _has_among(act: int, finding: Finding, wrong: Wrong) -> bool:
    """Whether a finding says that not all of several acts were right, and this one is among them."""
    if not wrong.is_hidden or act < wrong.act or finding.player != wrong.player or finding.trick is not None:
        return False
    return any(text.startswith(f"trick {wrong.trick}: {wrong.player} ") for text in finding.evidence)


def _same_series(played: Played, act: int, wrong: Wrong) -> bool:
    return not played.series or played.series[act] == played.series[wrong.act]


def _is_fair_suspicion(played: Played, act: int, finding: Finding) -> bool:
    """Whether there is something to suspect: a hidden breach that was done before, by this player where one is named."""
    return finding.level is Level.SUSPECT and any(
        wrong.is_hidden
        and wrong.act <= act
        and _same_series(played, act, wrong)
        and finding.player in (None, wrong.player)
        for wrong in played.wrongs
    )

"""Why a finding was made, and what can become of it, for people."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.saying import act_text
from companion.games.written import NumberedFinding, Written
from companion.rules.core import Level
from companion.rules.ledger import Life
from companion.rules.settings import describe_settings

LEVELS = {
    Level.ILLEGAL: "against the rules, as it lies on the table",
    Level.PROVED: "against the rules, hidden when it happened and proved by what was shown later",
    Level.SUSPECT: "likely, and no proof",
    Level.NOTE: "no breach, worth saying",
}
LIVES = {
    Life.CORRECTABLE: "it can still be put right: take the act back before the next trick or round begins",
    Life.ESTABLISHED: "it can't be put right any more",
    Life.RULED: "the referee has ruled on it",
    Life.PUT_RIGHT: "the act was taken back in time",
    Life.WITHDRAWN: "the record was corrected, and there is nothing to find",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is known of a finding."""

    number: int
    level: str
    text: str
    rule: str
    """The rulebook's section and the rule in short."""
    evidence: tuple[str, ...]
    act: str
    """The act that brought it to light, with its number."""
    life: str
    penalty: str
    settings: tuple[str, ...]
    """The table's settings that the rulebook's section has, as they are."""


def explain(game: Written, number: int) -> Explanation:
    """Raises BadInputError where there is no finding of that number."""
    return _explained(game, game.finding(number))


def explain_all(game: Written) -> tuple[Explanation, ...]:
    """Every finding that ever came up, by number."""
    return tuple(_explained(game, one) for one in game.findings())


def _explained(game: Written, one: NumberedFinding) -> Explanation:
    finding, found = one.finding, one.found
    life = f"{one.life}: {LIVES[one.life]}"
    if found is not None and found.ruling is not None:
        ruling = found.ruling
        life = f"{ruling.verdict} by {ruling.by}" + (f": {ruling.text}" if ruling.text else "")
    return Explanation(
        one.number,
        f"{finding.level}: {LEVELS[finding.level]}",
        finding.text,
        finding.rule,
        finding.evidence,
        f"{one.act}. {act_text(game.start, game.fact(one.act))}",
        life,
        "nothing" if found is None else _cost(str(found.penalty)),
        _settings(game, finding.rule),
    )


def _cost(penalty: str) -> str:
    return "nothing: it is reported" if penalty == "report" else penalty


def _settings(game: Written, rule: str) -> tuple[str, ...]:
    section = rule.partition(":")[0].casefold()
    start = game.start
    return tuple(
        f"{info.name} = {start.settings[info.name]} ({info.title})"
        for info in describe_settings(start.book.settings)
        if info.section.casefold() == section
    )

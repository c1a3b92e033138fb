"""What everybody at the table is shown after each act of a game, as lines; the games that the tests of these rules play.

One place for the golden playthroughs, the tests that nothing hidden leaks, and the machines that play anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from companion.adjudicator.hoshizora.view import hoshizora_view
from companion.journal.events import canonical
from companion.rules import ahuha, hoshi_battle, hoshizora, shuhari
from companion.rules.core import Expectation, Finding, Outcome
from companion.virtual import ahuha as stars
from companion.virtual import hoshi_battle as duels
from companion.virtual import playout
from companion.virtual import shuhari as arts


@dataclass(frozen=True)
class Watched:
    """A game's rules with what a table shows of a state beside expectations, findings and the outcome."""

    rules: Any
    fact_text: Callable[[Any], str]
    shown: Callable[[Any], dict[str, object]]
    """The scores, what is known of hidden cards, and the like."""
    everything: Callable[[Any], object]
    """The whole of a state that is public, as text or bytes."""

    def tell(self, state: Any, fact: Any) -> tuple[Any, tuple[Finding, ...]]:
        """The state after a fact, and what the judge says of it."""
        findings = self.rules.judge(state, fact)
        return self.rules.apply(state, fact), findings

    def fold(self, setup: Any, facts: Sequence[Any]) -> tuple[Any, list[tuple[Finding, ...]]]:
        """The last state, and the findings by act."""
        state, found = self.rules.start(setup), []
        for fact in facts:
            state, findings = self.tell(state, fact)
            found.append(findings)
        return state, found

    def views(self, setup: Any, facts: Sequence[Any]) -> list[bytes]:
        """By act, all that anybody may be shown after it."""
        state, lines = self.rules.start(setup), []
        for fact in facts:
            state, findings = self.tell(state, fact)
            public = (findings, self.rules.expects(state), self.rules.outcome(state), self.shown(state))
            lines.append(repr((public, self.everything(state))).encode())
        return lines

    def playthrough(self, setup: Any, facts: Sequence[Any]) -> Iterator[str]:
        """A game as text: each act, then what is said of it, and what has changed by it."""
        state = self.rules.start(setup)
        wanted: tuple[Expectation, ...] | None = None
        shown: dict[str, object] = {}
        for fact in facts:
            state, findings = self.tell(state, fact)
            yield self.fact_text(fact).rstrip()
            for finding in findings:
                yield f"  {playout.finding_text(finding)}"
            now = self.rules.expects(state)
            if now != wanted:
                yield from (f"  ? {expectation_text(one)}" for one in now)
            changed = {name: value for name, value in self.shown(state).items() if shown.get(name) != value}
            if changed:
                yield "  ~ " + "; ".join(f"{name} {value}" for name, value in changed.items())
            wanted, shown = now, {**shown, **changed}
            outcome = self.rules.outcome(state)
            if outcome is not None:
                yield f"  = {outcome_text(outcome)}"


def expectation_text(one: Expectation) -> str:
    """An expectation in one line."""
    must = "must" if one.must else "may"
    options = f" [{', '.join(one.options)}]" if one.options else ""
    return f"{one.who or 'everyone'} {must} {one.act} | {one.rule} | {one.text}{options}"


def outcome_text(outcome: Outcome) -> str:
    """An outcome in one line."""
    bids = " ".join(f"{seat}:{bid}" for seat, bid in outcome.bids.items())
    return f"{','.join(outcome.winners) or 'nobody'} | {outcome.decided_by} | {outcome.points} | {bids}".rstrip(" |")


def _pairs(values: Any) -> str:
    return " ".join(f"{seat}:{value}" for seat, value in values.items())


def _hoshizora_shown(state: Any) -> dict[str, object]:
    return {"worlds": hoshizora.worlds(state), "points": state.points, "tricks won": _pairs(state.won)}


def _ahuha_shown(state: Any) -> dict[str, object]:
    ways = ahuha.worlds(state.knowledge, state.setup)
    return {
        "worlds": "too many to count" if ways is None else ways,
        "scores": _pairs(state.scores),
        "series": state.series,
    }


def _shuhari_shown(state: Any) -> dict[str, object]:
    candidates = {seat: len(shuhari.candidates(state, seat)) for seat in state.setup.seats}
    return {"possible cards": _pairs(candidates), "points": _pairs(state.points), "deck": state.pool.deck}


def _battle_shown(state: Any) -> dict[str, object]:
    duel = state.duel
    stones = {} if duel is None else {state.setup.seats[x.place]: x.stones for x in duel.fighters}
    return {"heroes left": _pairs(state.heroes_left), "stones": _pairs(stones), "phase": state.phase.value}


def _battle_public(state: Any) -> object:
    """All but the decks that were brought; the touch that ended a round holds a state from before."""
    players = [player._replace(brought=None) for player in state.players]
    duel = None if state.duel is None else state.duel._replace(touch=None)
    return state.phase, players, duel, state.done, state.chooser, state.standing


GAMES: dict[str, Watched] = {
    "hoshizora": Watched(
        hoshizora.RULES, playout.fact_text, _hoshizora_shown, lambda state: canonical(hoshizora_view(state))
    ),
    "ahuha": Watched(ahuha.RULES, stars.fact_text, _ahuha_shown, lambda state: tuple(state)[1:]),
    "shuhari": Watched(
        shuhari.RULES,
        arts.fact_text,
        _shuhari_shown,
        lambda state: (state[1:], [shuhari.candidates(state, seat) for seat in state.setup.seats]),
    ),
    "hoshi-battle": Watched(hoshi_battle.RULES, duels.fact_text, _battle_shown, _battle_public),
}
"""By id."""

"""A machine that plays anything: honest and dishonest players' scripts, any fact at any time, facts dropped and told anew.

What every game must stand is here; a game adds its settings, its own ways to play on, and what must hold of its states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from companion.rules.core import Finding, Level

LEVELS = list(Level)
FAR_BACK = 40
"""How many facts ago an undo or a correction can reach: the fold behind it is checked from the start all the same."""


class AnyPlay(RuleBasedStateMachine):
    """Acts that lead through a game, with anything at all in between; a list of facts has one state and one set of findings."""

    game: ClassVar[Any]
    """The game's `Rules`."""
    any_fact: ClassVar[st.SearchStrategy[Any]]

    def __init__(self) -> None:
        super().__init__()
        self.setup_: Any = None
        self.script: Iterator[Any] = iter(())
        self.facts: list[Any] = []
        self.states: list[Any] = []
        self.found: list[tuple[Finding, ...]] = []
        """By fact."""

    def sit(self, setup: Any, script: Iterator[Any]) -> None:
        """At a table, where `script` is what its players would do, honest or not."""
        self.setup_, self.script = setup, script
        self.states = [self.game.start(setup)]

    @property
    def state(self) -> Any:
        return self.states[-1]

    def tell(self, fact: Any) -> tuple[Finding, ...]:
        """Never refused; what is said of it is in order and in whole sentences, and saying it changes nothing."""
        before = self.state
        findings = self.game.judge(before, fact)
        assert self.game.judge(before, fact) == findings
        self.states.append(self.game.apply(before, fact))
        self.facts.append(fact)
        self.found.append(findings)
        ranks = [LEVELS.index(finding.level) for finding in findings]
        assert ranks == sorted(ranks)
        for finding in findings:
            assert finding.text.endswith(".")
            assert ":" in finding.rule or finding.rule.startswith("Special rule")
        return findings

    def refold(self, facts: Sequence[Any], kept: int) -> None:
        """The first facts stay, the others are folded over them: the same as all of them folded anew."""
        del self.facts[kept:], self.states[kept + 1 :], self.found[kept:]
        for fact in facts[kept:]:
            self.tell(fact)
        self.is_the_fold_of_its_facts()

    def is_the_fold_of_its_facts(self) -> None:
        state = self.game.start(self.setup_)
        assert state == self.states[0]
        for number, fact in enumerate(self.facts):
            assert self.game.judge(state, fact) == self.found[number]
            state = self.game.apply(state, fact)
            assert state == self.states[number + 1]  # no state was changed behind its holder's back

    @precondition(lambda self: self.states)
    @rule(acts=st.integers(1, 40))
    def as_the_players_go_on(self, acts: int) -> None:
        """A piece of a whole game, though anything may have happened since."""
        for _, fact in zip(range(acts), self.script, strict=False):
            self.tell(fact)

    @precondition(lambda self: self.states)
    @rule(data=st.data())
    def anything(self, data: st.DataObject) -> None:
        self.tell(data.draw(self.any_fact))

    @precondition(lambda self: self.states)
    @rule(data=st.data())
    def much(self, data: st.DataObject) -> None:
        for fact in data.draw(st.lists(self.any_fact, max_size=8)):
            self.tell(fact)

    @precondition(lambda self: self.facts)
    @rule(back=st.integers(1, FAR_BACK), count=st.integers(1, 3))
    def undo(self, back: int, count: int) -> None:
        """One fact, or a few in a row, are taken back: as if they had never been told."""
        at = max(0, len(self.facts) - back)
        self.refold(self.facts[:at] + self.facts[at + count :], at)

    @precondition(lambda self: self.facts)
    @rule(data=st.data(), back=st.integers(1, FAR_BACK))
    def correct(self, data: st.DataObject, back: int) -> None:
        """A fact that was told wrong is told anew."""
        at = max(0, len(self.facts) - back)
        self.refold([*self.facts[:at], data.draw(self.any_fact), *self.facts[at + 1 :]], at)

    @precondition(lambda self: self.facts)
    @rule(data=st.data(), back=st.integers(0, FAR_BACK))
    def remember(self, data: st.DataObject, back: int) -> None:
        """A fact that nobody told is put in where it happened."""
        at = max(0, len(self.facts) - back)
        self.refold([*self.facts[:at], data.draw(self.any_fact), *self.facts[at:]], at)

    def teardown(self) -> None:
        if self.states:
            self.is_the_fold_of_its_facts()

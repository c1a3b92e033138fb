"""Every test of a rulebook sentence is named by the page."""

from __future__ import annotations

UNNAMED = [
    "test_a_stranger_plays_no_card",
    "test_expectations_are_conditional",
    "test_only_the_last_card_can_still_be_told",
]
"""Of no sentence of the rulebook: facts that don't fit the table, and what is said to people."""


def test_every_rulebook_test_is_named_by_the_page(rule_page) -> None:
    assert rule_page("shuhari").unnamed_tests("test_tricks", "test_aids", "test_mastery") == UNNAMED

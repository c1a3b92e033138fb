"""Every section of the rulebook is on the page, and every test of a rulebook sentence."""

from __future__ import annotations

import re

UNNAMED = [
    "test_a_card_seen_again_is_nothing_new",
    "test_a_trick_that_ended_before_all_cards_were_seen",
    "test_end_of_a_drawing_without_a_trick",
    "test_erasing_lines_that_do_not_stand",
    "test_lines_are_told_of_before_the_stars_are_known",
    "test_nothing_is_expected_after_the_end",
    "test_wiping_the_board_after_the_game_is_no_matter",
]
"""Of no sentence of the rulebook: facts that don't fit the table, or come after the game."""
PART_OF_A_SECTION = {"color", "predicted bid"}
"""What the rulebook sets in capitals within Explanation of the cards."""


def test_every_section_of_the_rulebook_is_on_the_page(rule_page, shared) -> None:
    book = (shared / "rulebooks" / "hoshizora.txt").read_text("utf-8")
    heads = [head.lower() for head in re.findall(r"\*\*(?:[0-9 ]*)([A-Z][A-Z /()-]{6,})[:*]", book)]
    assert len(heads) > 10
    page = rule_page("hoshizora").text.lower()
    assert {head for head in heads if f"\n## {head.strip()}" not in page} <= PART_OF_A_SECTION


def test_every_rulebook_test_is_named_by_the_page(rule_page) -> None:
    files = ("test_tricks", "test_lines", "test_erasing", "test_board", "test_ending")
    assert rule_page("hoshizora").unnamed_tests(*files) == UNNAMED

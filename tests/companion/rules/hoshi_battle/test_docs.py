"""Every section of a finding is tested; the cards on the page can be entered."""

from __future__ import annotations

import re
from pathlib import Path

from companion.decks.deck import parse_deck
from companion.rules.hoshi_battle import VOCABULARY, cards_of, sections
from companion.rules.hoshi_battle.effects import At, Lasts, When, Who
from companion.rules.hoshi_battle.setup import Needs, Reveal

HERE = Path(__file__).resolve().parent


def test_every_section_of_a_finding_is_tested() -> None:
    tests = "".join(file.read_text("utf-8") for file in HERE.glob("test_*.py"))
    rules = "".join(file.read_text("utf-8") for file in Path(sections.__file__).parent.glob("*.py"))
    names = [name for name in vars(sections) if name.isupper()]
    unused = [name for name in names if f"sections.{name}" not in rules]
    assert unused == []
    judged = [name for name in names if re.search(rf"finding\(\s*\w+,\s*sections\.{name}\b", rules)]
    assert len(judged) > 20
    assert [name for name in judged if f"sections.{name}" not in tests] == []


def test_the_cards_on_the_page_can_be_entered_and_every_word_stands_there(rule_page) -> None:
    text = rule_page("hoshi-battle").text
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    heroes, duels = cards_of(parse_deck('game = "hoshi-battle"\n' + example, "page", "page").cards)
    assert heroes["hero-02"].is_known
    assert duels["duel-06"].is_known
    words = [*VOCABULARY, *When, *Lasts, *At, *Who, *Needs, *Reveal]
    assert [word for word in words if f"`{word}`" not in text and word not in example] == []

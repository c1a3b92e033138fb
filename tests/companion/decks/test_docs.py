"""docs/decks.md says of every field what the program says of it, and its commands work as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.commands.decks import decks
from companion.decks import load_deck
from companion.decks.forms import FORMS, GAMES
from companion.decks.template import needs_in_words
from companion.rules.card_fields import FieldInfo

PAGE = Path(__file__).resolve().parents[3] / "docs" / "decks.md"


def row(info: FieldInfo) -> str:
    """A field as a row of the page's tables."""
    meanings = "".join(f"<br>`{choice}`: {meaning}" for choice, meaning in (info.choice_meanings or {}).items())
    return f"| `{info.name}` | {info.meaning}{meanings} | {needs_in_words(info)} |"


@pytest.mark.parametrize("game", GAMES)
def test_every_field_stands_on_the_page_as_the_program_describes_it(game: str) -> None:
    page = PAGE.read_text("utf-8")
    for form in FORMS[game].forms:
        wanted = [row(info) for info in FORMS[game].fields_of(form) if info.name not in ("kind", "copies")]
        assert [line for line in wanted if line not in page] == []
        assert not form.kind or f"`{form.kind}`" in page


def test_the_page_names_no_field_that_is_not_there() -> None:
    named = re.findall(r"^\| `(\w+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert set(named) <= {info.name for deck in FORMS.values() for form in deck.forms for info in deck.fields_of(form)}


def test_the_commands_of_the_page_work_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOSHIBAN_DATA", str(tmp_path / "data"))
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    commands = [line for block in blocks for line in block.replace("\\\n", " ").splitlines() if line.strip()]
    ran = 0
    for line in commands:
        words = shlex.split(line, comments=True)
        if words[:2] != ["hoshiban", "decks"] or "# asks" in line:
            continue
        result = CliRunner().invoke(decks, words[2:])
        assert result.exit_code in (0, 1), f"{line}: {result.exception or result.output}"
        assert (result.exit_code == 1) is ("# exit 1" in line), line
        ran += 1
    assert ran >= 12
    assert load_deck("battle").cards["hero-02"].value("name") == "River Guard"

"""Shared options: what a table size and a list of players may look like."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from companion.commands.options import parse_players, parse_table_size, players_option, table_option
from companion.errors import BadInputError


@pytest.mark.parametrize("text", ["700x420", "700X420", " 700 x 420 mm", "700×420", "700.0*420"])
def test_a_table_size_reads_however_it_is_written(text: str) -> None:
    assert parse_table_size(text) == (700.0, 420.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("700", "width x height"),
        ("700x", "width x height"),
        ("axb", "width x height"),
        ("-700x420", "width x height"),
        ("700x420x3", "width x height"),
        ("1e9x420", "width x height"),
        ("70x420", "the width must be 100 to 5000"),
        ("700x9999", "the height must be 100 to 5000"),
    ],
)
def test_a_bad_table_size_says_how_it_must_read(text: str, words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        parse_table_size(text)


def test_players_keep_their_order() -> None:
    assert parse_players("Mia, Ben ,C") == ("Mia", "Ben", "C")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A,,B", "a name is empty"),
        ("", "a name is empty"),
        ("A,B,A", "A is there twice"),
        (",".join(map(str, range(27))), "27"),
    ],
)
def test_bad_players_say_why(text: str, words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        parse_players(text)


def test_a_bad_option_ends_with_usage_and_2() -> None:
    @click.command()
    @table_option
    @players_option
    def command(table_mm: tuple[float, float], players: tuple[str, ...]) -> None:
        click.echo(f"{table_mm} {players}")

    good = CliRunner().invoke(command, ["--table", "420x250", "--players", "A,B"])
    assert good.output == "(420.0, 250.0) ('A', 'B')\n"
    bad = CliRunner().invoke(command, ["--table", "42", "--players", "A,B"])
    assert bad.exit_code == 2
    assert "table size '42'" in bad.output

"""Whatever a file holds, a reader of the rules' files gives a value or one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import BadInputError
from companion.games.files import load_game
from companion.games.house import load_house
from companion.games.start import builtin_start, start_json, start_of
from companion.virtual import ahuha_perft, hoshizora_perft, shuhari_perft

DEALS = {"ahuha": ahuha_perft, "shuhari": shuhari_perft, "hoshizora": hoshizora_perft}
ODD = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just([]), st.just({}))
FUZZ = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def refused(read, path: Path) -> None:
    """Reads the file; a refusal must be a line that begins with the file's name."""
    line = None
    try:
        read(path)
    except BadInputError as error:
        line = str(error)
    assert line is None or (line.startswith(str(path)) and "\n" not in line)


@FUZZ
@given(content=st.binary(max_size=200))
def test_any_bytes_are_a_game_or_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "game.txt"
    path.write_bytes(content)
    refused(load_game, path)


@FUZZ
@given(
    content=st.one_of(
        st.binary(max_size=80), st.text(alphabet='[]penalty="pointsgame1_ \n', max_size=60).map(str.encode)
    )
)
def test_any_bytes_are_house_rules_or_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(content)
    refused(load_house, path)


@pytest.mark.parametrize("game", DEALS)
@FUZZ
@given(data=st.data())
def test_any_damage_to_a_deal_is_named(tmp_path: Path, game: str, data: st.DataObject) -> None:
    whole = (Path(hoshizora_perft.__file__).parent / "data" / f"{game}-deal.toml").read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    path = tmp_path / "deal.toml"
    path.write_bytes(whole[:place] + data.draw(st.binary(max_size=3)) + whole[place + data.draw(st.integers(0, 3)) :])
    setup = builtin_start(game, ("A", "B", "C")).setup
    refused(lambda where: DEALS[game].load_deal(str(where), setup), path)


@FUZZ
@given(field=st.sampled_from(["game", "seats", "lead", "cards", "settings", "house", "edition"]), value=ODD)
def test_any_damage_to_a_journaled_start_is_refused_in_a_line(field: str, value: object) -> None:
    payload = {**start_json(builtin_start("hoshizora", ("A", "B", "C"))), field: value}
    line = None
    try:
        start_of(payload)
    except BadInputError as error:
        line = str(error)
    assert line is None or "\n" not in line


def test_a_game_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"none\.txt: can't be read"):
        load_game(tmp_path / "none.txt")

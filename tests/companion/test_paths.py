"""Where this user's files belong."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion import paths


@pytest.mark.parametrize(
    ("variable", "where"),
    [("HOSHIBAN_DATA", paths.data_dir), ("HOSHIBAN_CACHE", paths.cache_dir), ("HOSHIBAN_CONFIG", paths.config_dir)],
)
def test_a_variable_moves_a_directory_and_nothing_is_made(
    variable: str, where: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(where)
    monkeypatch.setenv(variable, str(tmp_path / "own"))
    assert where() == tmp_path / "own"
    monkeypatch.setenv(variable, "~/own")
    assert where() == Path.home() / "own"
    monkeypatch.setenv(variable, "")
    assert where().name == "hoshiban"
    assert not (tmp_path / "own").exists()

"""`hoshiban enrol-die` and the dice of `hoshiban look --symbols`, run on pictures drawn by the virtual Arena."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.commands.enrol_die import enrol_die
from companion.commands.look import look
from companion.virtual.dice_stills import dice_still
from hardware.virtual.symbols import symbol_mask
from vision.errors import BadDiceError


@pytest.fixture
def symbols(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOSHIBAN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOSHIBAN_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "symbols"
    folder.mkdir()
    still = dice_still(1, 0)
    for name in {mark for marks in still.marks for mark in marks}:
        mask = symbol_mask(name)
        assert mask is not None
        cv2.imwrite(str(folder / f"{name}.png"), np.pad(255 - mask, 20, constant_values=255))
    return folder


def test_a_die_is_enrolled_by_name_and_the_dice_of_a_picture_are_told_with_the_loop(
    symbols: Path, tmp_path: Path
) -> None:
    done = CliRunner().invoke(enrol_die, [str(symbols), "--die", "mine"])
    assert done.exit_code == 0
    line = json.loads(done.stdout)
    assert line["die"] == "mine"
    assert set(line["faces"]) == {"blank", *(path.stem for path in symbols.glob("*.png"))}
    still = dice_still(1, 0)
    cv2.imwrite(str(tmp_path / "roll.png"), still.picture())
    seen = CliRunner().invoke(
        look, [str(tmp_path / "roll.png"), "--table", "420x250", "--symbols", "mine", "--no-board"]
    )
    assert seen.exit_code == 0
    told = json.loads(seen.stdout)
    truth = sorted(still.truth()["dice"], key=lambda die: die["x"])
    assert [(die["sides"], die["symbol"], die["inside"]) for die in told["dice"]] == [
        (die["sides"], die["symbol"], die["inside"]) for die in truth
    ]
    assert told["arena_state"] == "found"
    assert told["throw_states"] == []
    assert len(told["arena"]) > 50


def test_without_symbols_no_dice_are_looked_for(symbols: Path, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "roll.png"), dice_still(1, 0).picture())
    told = json.loads(CliRunner().invoke(look, [str(tmp_path / "roll.png"), "--table", "420x250", "--no-board"]).stdout)
    assert told["dice"] == []
    assert told["arena"] is None


def test_a_bad_name_is_refused(symbols: Path) -> None:
    done = CliRunner().invoke(enrol_die, [str(symbols), "--die", "../x"])
    assert isinstance(done.exception, BadDiceError)

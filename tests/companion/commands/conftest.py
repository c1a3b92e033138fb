"""Runs the real program, as a user would, in a data directory of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(sys.executable).with_name("hoshiban")


class Program:
    """The installed `hoshiban` with its own data, cache and settings."""

    def __init__(self, home: Path) -> None:
        self.home = home
        own = {f"HOSHIBAN_{name}": str(home / name.lower()) for name in ("DATA", "CACHE", "CONFIG")}
        self.environment = {**os.environ, **own, "OPENCV_LOG_LEVEL": "ERROR"}

    def run(self, *words: object, timeout: float = 280) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PROGRAM, *map(str, words)],
            capture_output=True,
            text=True,
            timeout=timeout,
            env=self.environment,
            cwd=self.home,
            check=False,
        )

    def start(self, *words: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [PROGRAM, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            cwd=self.home,
        )

    @staticmethod
    def events(done: subprocess.CompletedProcess[str]) -> list[dict]:
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.fixture
def sample_game(shared: Path) -> list[object]:
    """The words that watch the photorealistic game."""
    game = shared / "footage" / "hoshizora-game-2"
    deck = shared / "decks" / "hoshizora"
    words = [game, "--game", "hoshizora", "--players", "A,B,C", "--table", "700x420"]
    return [*words, "--deck", deck, "--layout", game / "layout.toml"]


@dataclass
class RenderedGame:
    """A directory that `hoshiban virtual render` wrote, and the words that watch it."""

    folder: Path

    @property
    def truth(self) -> dict:
        return json.loads((self.folder / "game.json").read_text("utf-8"))

    @property
    def words(self) -> list[object]:
        options = ["--game", "hoshizora", "--players", "A,B,C", "--table", "700x420"]
        return [self.folder, *options, "--deck", self.folder / "deck", "--layout", self.folder / "layout.toml"]


def _render(folder: Path, *options: str) -> RenderedGame:
    """A game in its own copy: a test may spoil it."""
    done = subprocess.run(
        [PROGRAM, "virtual", "render", folder, "--size", "1280x720", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return RenderedGame(folder)


@pytest.fixture
def rendered_game(tmp_path: Path) -> RenderedGame:
    return _render(tmp_path / "game", "--seed", "11")


@pytest.fixture
def rendered_revoke(tmp_path: Path) -> RenderedGame:
    return _render(tmp_path / "game", "--seed", "12", "--revoke")


@pytest.fixture
def rendered_elimination(tmp_path: Path) -> RenderedGame:
    return _render(tmp_path / "game", "--seed", "13", "--variant")

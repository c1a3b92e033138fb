"""Runs the real program, as a user would, in a data directory of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
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


class Service:
    """A running `hoshiban serve` or `demo`."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port = process, port
        self.url = f"http://127.0.0.1:{port}/"

    def view(self) -> dict:
        with urllib.request.urlopen(f"{self.url}api/view", timeout=20) as answer:
            return json.load(answer)

    def wait_for(self, what, patience_s: float = 200.0) -> dict:
        """The first view of which `what` is true."""
        deadline = time.monotonic() + patience_s
        view: dict = {}
        while time.monotonic() < deadline:
            try:
                view = self.view()
                if what(view):
                    return view
            except (urllib.error.URLError, ConnectionError):
                if self.process.poll() is not None:
                    pytest.fail(f"serve ended: {self.process.stderr.read()}")
            time.sleep(0.1)
        raise AssertionError(f"never came about; {view.get('sources')}; last view: {json.dumps(view)[:3000]}")

    def post(self, path: str, body: dict) -> dict:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.fixture
def serving(program: Program) -> Callable[..., AbstractContextManager[Service]]:
    """Runs a command that serves a page, on a free port, and ends it afterwards."""

    @contextmanager
    def start(*words: object) -> Iterator[Service]:
        port = free_port()
        process = program.start(*words, "--port", port)
        try:
            yield Service(process, port)
        finally:
            process.terminate()
            try:
                process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate(timeout=30)

    return start


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

"""The board's own helpers: the renderer beside this file, and one reader for all tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from vision.board.reader import BoardReader


@pytest.fixture(scope="session")
def reader() -> BoardReader:
    return BoardReader()

"""A drawn deck for the tests of cards; no test touches the user's own cache and data."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from drawn_cards import Image, deck_scans


@pytest.fixture(scope="session")
def scans() -> dict[str, Image]:
    return deck_scans()


@pytest.fixture(scope="session")
def deck_folder(scans: dict[str, Image], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scans")
    for name, scan in scans.items():
        cv2.imwrite(str(folder / f"{name}.png"), scan)
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the user's own cache and data."""
    folder = tmp_path_factory.getbasetemp() / "cards-home"
    monkeypatch.setenv("HOSHIBAN_CACHE", str(folder / "cache"))
    monkeypatch.setenv("HOSHIBAN_DATA", str(folder / "data"))
    return folder

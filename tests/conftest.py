"""Fixtures for every test: where the shared pictures are, and the switch for long soaks."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the long soaks too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--soak"):
        return
    skip = pytest.mark.skip(reason="a long soak: runs with --soak")
    for item in items:
        if "soak" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of footage, decks and photographs beside the checkout; the test skips where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "footage").is_dir():
        pytest.skip(f"needs the shared pictures at {folder}")
    return folder

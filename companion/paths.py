"""Where this user's journals, caches and settings belong; an environment variable moves each.

`HOSHIBAN_DATA`, `HOSHIBAN_CACHE` and `HOSHIBAN_CONFIG` name a directory of their own each, as tests and a service under a
system account need it. Nothing here touches the disk: whoever writes makes the directory.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

APP = "hoshiban"


def data_dir() -> Path:
    """Journals, named decks and profiles: what must not be lost."""
    return _chosen("HOSHIBAN_DATA") or platformdirs.user_data_path(APP, appauthor=False)


def cache_dir() -> Path:
    """What can be made again, keyed by content."""
    return _chosen("HOSHIBAN_CACHE") or platformdirs.user_cache_path(APP, appauthor=False)


def config_dir() -> Path:
    """Settings that a person wrote."""
    return _chosen("HOSHIBAN_CONFIG") or platformdirs.user_config_path(APP, appauthor=False)


def _chosen(variable: str) -> Path | None:
    value = os.environ.get(variable, "")
    return Path(value).expanduser() if value else None


def default_journal() -> Path:
    """Where games are recorded unless somebody says otherwise."""
    return data_dir() / "journal.db"

"""Enrolled decks kept on disk: a file a deck in the user's cache directory, named by what was scanned.

Writers work on a file of their own and put it in place in one step, so that readers never see half of one; a file that
can't be read, for whatever reason, is as good as none.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any, cast

import numpy as np
import platformdirs

from vision.cards.deck import (
    CARD_MM,
    FORMAT_VERSION,
    EnrolledDeck,
    Progress,
    Reference,
    build_deck,
    digest_of,
    find_scans,
)


def cache_directory() -> Path:
    """Where enrolled decks are kept; HOSHIBAN_CACHE overrides the user's cache directory."""
    own = os.environ.get("HOSHIBAN_CACHE")
    return Path(own) if own else Path(platformdirs.user_cache_dir("hoshiban"))


def enrol_deck(
    directory: Path,
    name: str = "",
    size_mm: tuple[float, float] = CARD_MM,
    progress: Progress | None = None,
) -> EnrolledDeck:
    """The deck of a directory of scans, from the cache where exactly these scans were enrolled before.

    `size_mm` are a card's two sides in any order. Raises BadDeckScansError.
    """
    size = (min(size_mm), max(size_mm))
    scans = find_scans(directory)
    digest = digest_of(scans, size)
    name = name or directory.resolve().name
    path = cache_directory() / "decks" / f"{digest}.npz"
    kept = _load(path, name)
    if kept is not None:
        return kept
    deck = build_deck(scans, name, size, digest, progress)
    _store(path, deck)
    return deck


def _store(path: Path, deck: EnrolledDeck) -> None:
    """Best effort: a full disk or a read-only home costs time at the next start, nothing else."""
    arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {
        "version": np.array(FORMAT_VERSION),
        "digest": np.array(deck.digest),
        "size_mm": np.array(deck.size_mm),
        "warned": np.array(not deck.has_back),
        "cards": np.array([reference.card or "" for reference in deck.references]),
        "turned": np.array([reference.turned for reference in deck.references]),
        "pictures": np.stack([reference.picture for reference in deck.references]),
        "coded": np.frombuffer(b"".join(reference.coded for reference in deck.references), np.uint8),
        "coded_sizes": np.array([len(reference.coded) for reference in deck.references]),
    }
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, **cast(dict[str, Any], arrays))
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def _load(path: Path, name: str) -> EnrolledDeck | None:
    try:
        content = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
        with content:
            return _rebuild({key: content[key] for key in content.files}, path.stem, name)
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile):
        return None


def _rebuild(
    arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]], digest: str, name: str
) -> EnrolledDeck | None:
    if int(arrays["version"]) != FORMAT_VERSION or str(arrays["digest"]) != digest:
        return None
    coded = np.split(arrays["coded"].astype(np.uint8), np.cumsum(arrays["coded_sizes"])[:-1])
    pictures = arrays["pictures"].astype(np.uint8)
    references = tuple(
        Reference(str(card) or None, picture, bool(turned), close.tobytes())
        for card, picture, turned, close in zip(arrays["cards"], pictures, arrays["turned"], coded, strict=True)
    )
    short, long = (float(side) for side in arrays["size_mm"])
    deck = EnrolledDeck(name, (short, long), references, digest)
    if deck.has_back:
        return deck
    warning = f"deck {name} has no back.png: a card that lies face down will be reported as unknown"
    return EnrolledDeck(name, deck.size_mm, references, digest, (warning,))

"""Cards that can hardly be read, and cards that the reader was never shown: does it keep still about them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from companion.bench.cards import Shot
from companion.bench.decidable import Witness
from companion.bench.drawn import DrawnDeck, drawn_deck, drawn_shot, enrolled
from companion.bench.harms import HARMS, SMALL, WHOLE
from companion.errors import BadInputError
from companion.virtual.card_tables import sparse_table
from companion.virtual.styles import STYLES
from hardware.camera.base import Image
from hardware.virtual.truth import is_back
from vision.cards.deck import CARD_MM, read_scan
from vision.errors import VisionError

OF_THE_DECK = "stranger of the deck"
OF_ANOTHER = "stranger"
KINDS = (*HARMS, OF_THE_DECK, OF_ANOTHER)
CARDS = 4
"""On a table."""


def strangers(pictures: int, seed: int, shared: Path | None = None) -> Iterator[Shot]:
    """Kinds of harm in turn, and within them decks; those of SHARED/decks too, where it is given. Raises BadInputError."""
    decks = {name: drawn_deck(name) for name in STYLES} | (_scanned(shared) if shared is not None else {})
    for number in range(pictures):
        random = np.random.default_rng((seed, number, 29))
        kind = KINDS[number % len(KINDS)]
        deck = decks[list(decks)[int(random.integers(len(decks)))]]
        match kind:
            case "stranger of the deck":
                yield _unknown(deck, number, random)
            case "stranger":
                yield _foreign(deck, decks, number, random)
            case _:
                yield _harmed(deck, _some(deck, random), kind, number, random)


def _harmed(deck: DrawnDeck, names: list[str], kind: str, number: int, random: np.random.Generator) -> Shot:
    card_px = random.uniform(60, 82) if kind == SMALL else random.uniform(130, 215)
    table = sparse_table(f"stranger-{number:04d}", deck.name, deck.card_mm, names, float(card_px), random)
    shot = drawn_shot(table, deck)
    image = shot.image
    for card in shot.shown[:1] if kind in WHOLE else shot.shown[:2] if kind == "finger" else shot.shown:
        image = HARMS[kind](image, np.array(card.corners_px), random)
    return replace(shot, image=image, kinds=(kind, f"deck {deck.name}"))


def _unknown(deck: DrawnDeck, number: int, random: np.random.Generator) -> Shot:
    """Cards of a deck of which the reader knows all others."""
    names = _some(deck, random)
    kind = ("clear", "jpeg", "defocus")[number // len(KINDS) % 3]
    shot = _harmed(deck, names, kind, number, random)
    rest = {name: picture for name, picture in deck.art.items() if name not in names}
    known = enrolled(f"{deck.name} without {' '.join(names)}", rest, deck.card_mm)
    return _never_shown(shot, (replace(deck, enrolled=known),), OF_THE_DECK)


def _foreign(deck: DrawnDeck, decks: Mapping[str, DrawnDeck], number: int, random: np.random.Generator) -> Shot:
    """Cards of another deck, a back among them, before a reader of this one."""
    others = [name for name in decks if name != deck.name]
    other = decks[others[int(random.integers(len(others)))]]
    shot = _harmed(other, ["back", *_some(other, random)[1:]], "clear", number, random)
    return _never_shown(shot, (deck,), OF_ANOTHER)


def _never_shown(shot: Shot, decks: tuple[DrawnDeck, ...], kind: str) -> Shot:
    return replace(
        shot,
        decks=tuple(deck.enrolled for deck in decks),
        shown=tuple(replace(card, known=False) for card in shot.shown),
        kinds=(kind, f"deck {decks[0].name}"),
    )


def _some(deck: DrawnDeck, random: np.random.Generator) -> list[str]:
    names = sorted(deck.art)
    return [names[int(n)] for n in random.choice(len(names), CARDS, replace=False)]


def _scanned(shared: Path) -> dict[str, DrawnDeck]:
    """The decks of SHARED/decks."""
    found = {}
    for folder in sorted((shared / "decks").iterdir()) if (shared / "decks").is_dir() else ():
        try:
            art: dict[str, Image] = {path.stem: read_scan(path) for path in sorted(folder.glob("*.png"))}
            if any(is_back(name) for name in art):
                deck = enrolled(folder.name, art, CARD_MM)
                found[folder.name] = DrawnDeck(folder.name, art, CARD_MM, deck, Witness(art, CARD_MM))
        except (VisionError, OSError) as error:
            raise BadInputError(f"--shared {shared}: {error}") from error
    return found

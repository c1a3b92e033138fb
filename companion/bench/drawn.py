"""Tables drawn by the project's own renderer with decks drawn by code, as sets of shots; the truth is the renderer's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from companion.bench.cards import Shot, Size
from companion.bench.cards_tally import ShownCard
from companion.bench.decidable import Witness
from companion.virtual.card_tables import CardTable, hard_table, mild_table
from companion.virtual.styles import STYLES, style
from hardware.camera.base import Image
from hardware.virtual.truth import is_back
from vision.cards import EnrolledDeck
from vision.cards.deck import make_reference

OWN = "proxies"
OTHERS = tuple(name for name in STYLES if name != OWN)
HARD_OTHERS = (
    *("abstract", "arcana", "digits", "fantasy", "french", "goods", "maps"),
    *("pips", "portraits", "prints", "scenery", "signs", "symbols"),
)
"""Named one by one: a further style changes no hard table."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnDeck:
    """A deck drawn by code, and enrolled."""

    name: str
    art: Mapping[str, Image]
    card_mm: Size
    enrolled: EnrolledDeck
    witness: Witness


@cache
def drawn_deck(name: str) -> DrawnDeck:
    """The deck of a style. Raises BadInputError for an unknown one."""
    look = style(name)
    art = look.draw()
    return DrawnDeck(name, art, look.card_mm, enrolled(name, art, look.card_mm), Witness(art, look.card_mm))


def enrolled(name: str, art: Mapping[str, Image], card_mm: Size) -> EnrolledDeck:
    """A deck in memory; pictures named "back", "back-2" and so on are its backs."""
    references = [
        make_reference(picture, None if is_back(card) else card, card_mm, card)
        for card, picture in sorted(art.items(), key=lambda item: (is_back(item[0]), item[0]))
    ]
    return EnrolledDeck(name, card_mm, tuple(references), f"drawn {name}")


def hard(pictures: int, seed: int) -> Iterator[Shot]:
    """Tables with hardships: every other one of the project's own cards, the rest of the other styles in turn."""
    for number in range(pictures):
        deck = drawn_deck(OWN if number % 2 == 0 else HARD_OTHERS[number // 2 % len(HARD_OTHERS)])
        yield drawn_shot(hard_table(deck.name, deck.art, deck.card_mm, seed, number), deck)


def styles(pictures: int, seed: int) -> Iterator[Shot]:
    """Tables as a careful owner sets them up, the other styles in turn."""
    for number in range(pictures):
        deck = drawn_deck(OTHERS[number % len(OTHERS)])
        yield drawn_shot(mild_table(deck.name, deck.art, deck.card_mm, seed, number), deck)


def drawn_shot(table: CardTable, deck: DrawnDeck) -> Shot:
    """A drawn table's picture with the renderer's truth."""
    renderer = table.renderer(deck.art)
    shown = [ShownCard.of(card) for card in renderer.truth(table.scene).get("cards", [])]
    told = deck.witness.tells(table, renderer)
    return Shot(
        table.name,
        renderer.render(table.scene),
        table.scene.table_mm,
        (deck.enrolled,),
        tuple(
            replace(card, decidable=identity, either_way=not way)
            for card, (identity, way) in zip(shown, told, strict=True)
        ),
        (*sorted(table.hardships), f"on {table.look.ground}", f"deck {table.deck}"),
    )

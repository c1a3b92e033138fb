"""Where cards lie on sheets of paper that are printed, on both sides, and cut: millimetres from a page's top left corner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from companion.errors import BadInputError

LEAST_MARGIN_MM = 7.0
"""Few printers print nearer to a page's edge than 4 mm; the cut marks stand between."""


class Paper(StrEnum):
    """Sizes that printers know."""

    A4 = "a4"
    LETTER = "letter"

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height, upright."""
        return (210.0, 297.0) if self is Paper.A4 else (215.9, 279.4)


class Duplex(StrEnum):
    """About which edge the printer turns a sheet over."""

    LONG_EDGE = "long-edge"
    SHORT_EDGE = "short-edge"
    NONE = "none"
    """No backs are printed."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A card's place on a page."""

    x_mm: float
    y_mm: float
    """Of its top left corner."""
    is_upside_down: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page full of cards, edge to edge in the middle of the page, so that one cut frees two of them."""

    paper: Paper
    card_mm: tuple[float, float]
    """Width and height of a card that stands upright."""
    columns: int
    rows: int

    @classmethod
    def of(cls, paper: Paper, card_mm: tuple[float, float]) -> Sheet:
        """As many cards as the page holds. Raises BadInputError where it holds none."""
        fits = [
            int((side - 2 * LEAST_MARGIN_MM + 1e-6) // card) for side, card in zip(paper.size_mm, card_mm, strict=True)
        ]
        if min(fits) < 1:
            raise BadInputError(
                f"cards of {card_mm[0]:g} x {card_mm[1]:g} mm: none fits on a page of {paper.value} paper"
            )
        return cls(paper, card_mm, *fits)

    @property
    def cards(self) -> int:
        """How many cards a page holds."""
        return self.columns * self.rows

    @property
    def block_mm(self) -> tuple[float, float, float, float]:
        """The block of cards: x and y of its top left corner, width, height."""
        size = (self.columns * self.card_mm[0], self.rows * self.card_mm[1])
        x, y = ((page - side) / 2 for page, side in zip(self.paper.size_mm, size, strict=True))
        return x, y, *size

    def slots(self) -> Iterator[Slot]:
        """The fronts' places, row by row from the top left."""
        x, y, _, _ = self.block_mm
        width, height = self.card_mm
        for row in range(self.rows):
            for column in range(self.columns):
                yield Slot(x + column * width, y + row * height)

    def back_slot(self, slot: Slot, duplex: Duplex) -> Slot:
        """Where the back of a card is printed whose front is printed there, once the sheet was turned over."""
        page_width, page_height = self.paper.size_mm
        if duplex is Duplex.SHORT_EDGE:
            return Slot(slot.x_mm, page_height - slot.y_mm - self.card_mm[1], is_upside_down=True)
        return Slot(page_width - slot.x_mm - self.card_mm[0], slot.y_mm)

    def cuts_mm(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Where to cut: x of the cuts from top to bottom, y of those from left to right."""
        x, y, _, _ = self.block_mm
        width, height = self.card_mm
        return (
            tuple(x + column * width for column in range(self.columns + 1)),
            tuple(y + row * height for row in range(self.rows + 1)),
        )


def pages(cards: Sequence[str], sheet: Sheet) -> list[tuple[tuple[str, Slot], ...]]:
    """The fronts page by page, each with its place; cards in their order."""
    starts = range(0, len(cards), sheet.cards)
    return [tuple(zip(cards[start : start + sheet.cards], sheet.slots(), strict=False)) for start in starts]

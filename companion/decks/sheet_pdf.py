"""Sheets of cards as a PDF file: fronts and backs page by page, with cut marks and a rule to check the printer's scale by."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import numpy as np
import pydyf

from companion.decks.deck import BACK
from companion.decks.sheets import Duplex, Sheet, Slot, pages
from hardware.camera.base import Image

POINTS_A_MM = 72 / 25.4
MARK_FROM_MM, MARK_TO_MM = 1.0, 4.5
"""Cut marks begin so far outside the block of cards, and end so far."""
LINE_MM = 0.15
RULE_MM = 50.0
SIDE_MM = 5.5
"""How far from the page's edge words and rule stand."""
TEXT_MM = 2.6


def sheets_pdf(
    title: str,
    cards: Sequence[str],
    art: Mapping[str, Image],
    sheet: Sheet,
    duplex: Duplex = Duplex.LONG_EDGE,
    stickers: Sequence[str] = (),
) -> bytes:
    """The file. `cards` are their ids, as often as each is wanted; `art` has a picture for each, and "back".

    `stickers` name pictures of a card's size that stand on a last page of their own, printed on one side. A card that lies across
    its picture's way is not turned: pictures fill their place.
    """
    return _Book(title, art, sheet).write(pages(cards, sheet), duplex, pages(stickers, sheet))


class _Book:
    """A PDF that is being written."""

    def __init__(self, title: str, art: Mapping[str, Image], sheet: Sheet) -> None:
        self._title, self._art, self._sheet = title, art, sheet
        self._pdf = pydyf.PDF()
        self._pdf.info["Title"] = pydyf.String(title)
        self._font = pydyf.Dictionary({"Type": "/Font", "Subtype": "/Type1", "BaseFont": "/Helvetica"})
        self._pdf.add_object(self._font)
        self._images: dict[str, pydyf.Stream] = {}

    def write(
        self,
        fronts: Sequence[Sequence[tuple[str, Slot]]],
        duplex: Duplex,
        stickers: Sequence[Sequence[tuple[str, Slot]]] = (),
    ) -> bytes:
        for number, front in enumerate(fronts, start=1):
            of = f"sheet {number} of {len(fronts)}"
            self._add_page(front, f"{self._title}, {of}, fronts")
            if duplex is not Duplex.NONE:
                backs = [(BACK, self._sheet.back_slot(slot, duplex)) for _, slot in front]
                self._add_page(
                    backs,
                    f"{self._title}, {of}, backs: print on the other side, turned about the {duplex.value.replace('-', ' ')}",
                )
        for page in stickers:
            self._add_page(page, f"{self._title}, stickers: on adhesive paper, one side")
        out = io.BytesIO()
        self._pdf.write(out, compress=True)
        return out.getvalue()

    def _add_page(self, cards: Sequence[tuple[str, Slot]], words: str) -> None:
        width, height = (side * POINTS_A_MM for side in self._sheet.paper.size_mm)
        stream = pydyf.Stream(compress=True)
        # From here on millimetres from the page's top left corner, x right, y down.
        stream.set_matrix(POINTS_A_MM, 0, 0, -POINTS_A_MM, 0, height)
        self._draw_marks(stream)
        self._draw_words(stream, f"{words}. Print at 100 %: this rule is {RULE_MM:g} mm long.")
        named: dict[str, str] = {}
        for art, slot in cards:
            name = named.setdefault(art, f"C{len(named)}")
            self._draw_card(stream, name, slot)
        self._pdf.add_object(stream)
        used = pydyf.Dictionary({name: self._image(art).reference for art, name in named.items()})
        fonts = pydyf.Dictionary({"F": self._font.reference})
        page = pydyf.Dictionary(
            {
                "Type": "/Page",
                "Parent": self._pdf.pages.reference,
                "MediaBox": pydyf.Array([0, 0, round(width, 3), round(height, 3)]),
                "Contents": stream.reference,
                "Resources": pydyf.Dictionary({"XObject": used, "Font": fonts}),
            }
        )
        self._pdf.add_page(page)

    def _draw_card(self, stream: pydyf.Stream, name: str, slot: Slot) -> None:
        """A picture's own square stands on its head in a page whose y goes down."""
        width, height = self._sheet.card_mm
        stream.push_state()
        if slot.is_upside_down:
            stream.set_matrix(-width, 0, 0, height, slot.x_mm + width, slot.y_mm)
        else:
            stream.set_matrix(width, 0, 0, -height, slot.x_mm, slot.y_mm + height)
        stream.draw_x_object(name)
        stream.pop_state()

    def _draw_marks(self, stream: pydyf.Stream) -> None:
        x, y, width, height = self._sheet.block_mm
        down, across = self._sheet.cuts_mm()
        stream.set_line_width(LINE_MM)
        for cut in down:
            for start, way in ((y, -1), (y + height, 1)):
                _line(stream, (cut, start + way * MARK_FROM_MM), (cut, start + way * MARK_TO_MM))
        for cut in across:
            for start, way in ((x, -1), (x + width, 1)):
                _line(stream, (start + way * MARK_FROM_MM, cut), (start + way * MARK_TO_MM, cut))

    def _draw_words(self, stream: pydyf.Stream, words: str) -> None:
        """Along the left edge, with the rule along the right one."""
        width, height = self._sheet.paper.size_mm
        top = (height - RULE_MM) / 2
        right = width - SIDE_MM
        _line(stream, (right, top), (right, top + RULE_MM))
        for end in (top, top + RULE_MM):
            _line(stream, (right - 1.5, end), (right + 1.5, end))
        stream.push_state()
        stream.begin_text()
        stream.set_font_size("F", TEXT_MM)
        stream.set_text_matrix(0, -1, -1, 0, SIDE_MM, height - 20)
        stream.show_text_string(words)
        stream.end_text()
        stream.pop_state()

    def _image(self, art: str) -> pydyf.Stream:
        """A picture as the file holds it, once, however many cards show it."""
        if art not in self._images:
            picture = np.ascontiguousarray(self._art[art][..., ::-1])
            height, width = picture.shape[:2]
            extra = {
                "Type": "/XObject",
                "Subtype": "/Image",
                "Width": width,
                "Height": height,
                "ColorSpace": "/DeviceRGB",
                "BitsPerComponent": 8,
            }
            image = pydyf.Stream([picture.tobytes()], extra=extra, compress=True)
            self._pdf.add_object(image)
            self._images[art] = image
        return self._images[art]


def _line(stream: pydyf.Stream, start: tuple[float, float], end: tuple[float, float]) -> None:
    stream.move_to(*start)
    stream.line_to(*end)
    stream.stroke()

"""The PDF of printed sheets, as another library reads it."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from companion.decks.sheet_pdf import RULE_MM, sheets_pdf
from companion.decks.sheets import Duplex, Paper, Sheet

pypdf = pytest.importorskip("pypdf", reason="needs pypdf, of the extra `test`")

CARD_MM = (63.0, 88.0)
MM = 25.4 / 72
RNG = np.random.default_rng(1)
ART = {name: RNG.integers(0, 256, (88, 63, 3), np.uint8) for name in ("sun", "moon", "star", "back")}
CARDS = ["sun", "moon", "star", "star"] * 3


def written(paper: Paper = Paper.A4, duplex: Duplex = Duplex.LONG_EDGE) -> Any:
    data = sheets_pdf("Deck", CARDS, ART, Sheet.of(paper, CARD_MM), duplex)
    return pypdf.PdfReader(io.BytesIO(data), strict=True)


def drawn(page: Any) -> list[tuple[str, np.ndarray]]:
    """The pictures of a page in order: name, and the 3 x 3 matrix that brings its unit square to points of the page."""
    found: list[tuple[str, np.ndarray]] = []

    def visit(operator: bytes, operands: list[Any], matrix: list[float], _text: list[float]) -> None:
        if operator == b"Do":
            a, b, c, d, e, f = (float(value) for value in matrix)
            found.append((str(operands[0]), np.array([[a, b, 0], [c, d, 0], [e, f, 1]])))

    page.extract_text(visitor_operand_before=visit)
    return found


def corners_mm(page: Any, matrix: np.ndarray) -> np.ndarray:
    """Where a picture's top left and bottom right corners lie, mm from the page's top left."""
    height = float(page.mediabox.height)
    points = np.array([[0, 1, 1], [1, 0, 1]]) @ matrix
    return np.column_stack([points[:, 0], height - points[:, 1]]) * MM


def picture(page: Any, name: str) -> np.ndarray:
    """What is embedded under a name, blue-green-red."""
    image = page["/Resources"]["/XObject"][name]
    shape = (image["/Height"], image["/Width"], 3)
    assert image["/ColorSpace"] == "/DeviceRGB"
    return np.frombuffer(image.get_data(), np.uint8).reshape(shape)[..., ::-1]


@pytest.mark.parametrize("paper", list(Paper))
def test_pages_and_cards_have_their_true_size(paper) -> None:
    reader = written(paper)
    assert len(reader.pages) == 4
    for page in reader.pages:
        size = (float(page.mediabox.width) * MM, float(page.mediabox.height) * MM)
        assert size == pytest.approx(paper.size_mm, abs=0.01)
        for _, matrix in drawn(page):
            top_left, bottom_right = corners_mm(page, matrix)
            assert np.abs(bottom_right - top_left) == pytest.approx(CARD_MM, abs=0.01)


def test_each_card_s_picture_is_there_whole_and_kept_once() -> None:
    reader = written()
    shown = [ART[card] for card in CARDS]
    fronts = [picture(page, name) for page in (reader.pages[0], reader.pages[2]) for name, _ in drawn(page)]
    assert len(fronts) == len(shown)
    assert all((one == other).all() for one, other in zip(fronts, shown, strict=True))
    assert all((picture(reader.pages[1], name) == ART["back"]).all() for name, _ in drawn(reader.pages[1]))
    kept = {reference for page in reader.pages for reference in page["/Resources"]["/XObject"].values()}
    assert len({id(image.get_object()) for image in kept}) == len(ART)


@pytest.mark.parametrize(("duplex", "axis"), [(Duplex.LONG_EDGE, 0), (Duplex.SHORT_EDGE, 1)])
def test_backs_lie_behind_their_fronts_and_stand_as_they_do(duplex, axis) -> None:
    reader = written(duplex=duplex)
    for front, back in ((reader.pages[0], reader.pages[1]), (reader.pages[2], reader.pages[3])):
        size = np.array(Paper.A4.size_mm)
        turned = []
        for _, matrix in drawn(back):
            corners = corners_mm(back, matrix)
            corners[:, axis] = size[axis] - corners[:, axis]
            turned.append(corners)
        for (_, matrix), corners in zip(drawn(front), turned, strict=True):
            seen_through = corners_mm(front, matrix)
            # The same rectangle; the back's top is behind the front's top, its left behind the front's right.
            assert corners[:, 1] == pytest.approx(seen_through[:, 1], abs=0.01)
            assert corners[::-1, 0] == pytest.approx(seen_through[:, 0], abs=0.01)


def test_without_duplex_there_are_fronts_alone() -> None:
    reader = written(duplex=Duplex.NONE)
    assert len(reader.pages) == 2
    assert "fronts" in reader.pages[0].extract_text()


def test_each_page_says_what_it_is_and_how_to_check_its_scale() -> None:
    texts = [page.extract_text() for page in written().pages]
    assert "sheet 1 of 2, fronts" in texts[0]
    assert "about the long edge" in texts[1]
    assert all(f"{RULE_MM:g} mm" in text for text in texts)


def test_cut_marks_stand_at_each_cut_outside_the_cards() -> None:
    page = written().pages[0]
    lines: list[tuple[float, float]] = []

    def visit(operator: bytes, operands: list[Any], _matrix: Any, _text: Any) -> None:
        if operator in (b"m", b"l"):
            lines.append((float(operands[0]), float(operands[1])))

    page.extract_text(visitor_operand_before=visit)
    ends = np.array(lines).reshape(-1, 2, 2)
    x, y, width, height = Sheet.of(Paper.A4, CARD_MM).block_mm
    upright = {round(float(a[0] - x), 2) for a, b in ends if a[0] == b[0] and not y <= a[1] <= y + height}
    level = {round(float(a[1] - y), 2) for a, b in ends if a[1] == b[1] and not x <= a[0] <= x + width}
    assert {0.0, 63.0, 126.0, 189.0} <= upright
    assert {0.0, 88.0, 176.0, 264.0} <= level
    inside = (ends > (x, y)) & (ends < (x + width, y + height))
    assert not inside.all(axis=2).any(), "no line runs over a card"

"""Where cards and their backs lie on printed sheets."""

from __future__ import annotations

import pytest

from companion.decks.sheets import LEAST_MARGIN_MM, Duplex, Paper, Sheet, pages
from companion.errors import BadInputError

CARD_MM = (63.0, 88.0)
PAPERS = list(Paper)


@pytest.mark.parametrize("paper", PAPERS)
def test_nine_cards_of_usual_size_fit_on_either_paper_within_its_margins(paper) -> None:
    sheet = Sheet.of(paper, CARD_MM)
    assert (sheet.columns, sheet.rows) == (3, 3)
    width, height = paper.size_mm
    for slot in sheet.slots():
        assert LEAST_MARGIN_MM <= slot.x_mm <= width - LEAST_MARGIN_MM - 63
        assert LEAST_MARGIN_MM <= slot.y_mm <= height - LEAST_MARGIN_MM - 88


@pytest.mark.parametrize(
    ("card_mm", "cards"), [((44.0, 68.0), 16), ((70.0, 120.0), 4), ((88.0, 63.0), 8), ((150, 200), 1)]
)
def test_other_cards_fit_as_they_can(card_mm, cards) -> None:
    assert Sheet.of(Paper.A4, card_mm).cards == cards


@pytest.mark.parametrize("card_mm", [(200.0, 88.0), (63.0, 290.0)])
def test_a_card_larger_than_the_page_is_one_line(card_mm) -> None:
    with pytest.raises(BadInputError, match="none fits"):
        Sheet.of(Paper.A4, card_mm)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize(("duplex", "axis"), [(Duplex.LONG_EDGE, 0), (Duplex.SHORT_EDGE, 1)])
def test_a_back_lies_behind_its_front_once_the_sheet_is_turned(paper, duplex, axis) -> None:
    sheet = Sheet.of(paper, CARD_MM)
    for slot in sheet.slots():
        back = sheet.back_slot(slot, duplex)
        # Turned about an edge, what lies so far from it on one side lies as far from it on the other.
        far = [back.x_mm, back.y_mm]
        far[axis] = paper.size_mm[axis] - far[axis] - CARD_MM[axis]
        assert far == pytest.approx([slot.x_mm, slot.y_mm])
        assert back.is_upside_down == (duplex is Duplex.SHORT_EDGE)


def test_every_edge_of_a_card_is_a_cut() -> None:
    sheet = Sheet.of(Paper.LETTER, CARD_MM)
    down, across = sheet.cuts_mm()
    for slot in sheet.slots():
        assert {slot.x_mm, slot.x_mm + 63} <= set(down)
        assert {slot.y_mm, slot.y_mm + 88} <= set(across)
    assert (len(down), len(across)) == (4, 4)


def test_cards_go_page_by_page_in_their_order() -> None:
    sheet = Sheet.of(Paper.A4, CARD_MM)
    told = pages([f"c{n}" for n in range(20)], sheet)
    assert [len(page) for page in told] == [9, 9, 2]
    assert [card for page in told for card, _ in page] == [f"c{n}" for n in range(20)]
    assert told[2][0][1] == told[0][0][1]

"""A card is stated only where the picture resolves what sets it apart; what can't be resolved stays unknown."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from drawn_cards import CARD_MM, TABLE_MM, Image, Laid, draw_table

from companion.virtual.styles import STYLES
from vision.cards import CardReader, EnrolledDeck
from vision.cards.deck import make_reference
from vision.cards.evidence import Evidence, weigh
from vision.cards.features import describe, in_cells
from vision.cards.identity import Doubt, Identity, confirm
from vision.cards.matching import Catalogue
from vision.observation import CardReading
from vision.table import locate_table


def deck_of(scans: dict[str, Image], without: tuple[str, ...] = ()) -> EnrolledDeck:
    kept = {name: scan for name, scan in scans.items() if name not in without}
    order = sorted(kept, key=lambda name: (name == "back", name))
    references = [make_reference(kept[name], None if name == "back" else name, CARD_MM, name) for name in order]
    return EnrolledDeck("drawn", CARD_MM, tuple(references), "drawn")


def look(
    reader: CardReader, scans: dict[str, Image], names: list[str], harm: Callable[[Image], Image] = lambda image: image
) -> tuple[CardReading, ...]:
    drawn = draw_table([Laid(scans[name], 110 + 85 * i, 150, 5.0) for i, name in enumerate(names)])
    pose = locate_table(drawn.image, TABLE_MM)
    return tuple(sorted(reader.read(harm(drawn.image), pose), key=lambda card: card.x_mm))


SHOWN = {
    "pips": ["moss-7", "plum-8", "coral-2"],
    "symbols": ["s2a1f", "s3x0o", "s1t2f"],
    "portraits": ["face-05", "face-12"],
}


@pytest.mark.parametrize("style", SHOWN)
def test_a_sharp_card_of_any_style_is_stated(style: str) -> None:
    scans = STYLES[style].draw()
    found = look(CardReader([deck_of(scans)]), scans, SHOWN[style])
    assert [card.card for card in found] == SHOWN[style]


@pytest.mark.parametrize("style", SHOWN)
@pytest.mark.parametrize("sigma", [7.0, 10.0, 14.0])
def test_a_card_whose_detail_is_blurred_away_is_never_called_another(style: str, sigma: float) -> None:
    scans = STYLES[style].draw()
    found = look(CardReader([deck_of(scans)]), scans, SHOWN[style], lambda image: smeared(image, sigma))
    assert {card.card for card in found} <= {*SHOWN[style], None}


@pytest.mark.parametrize("style", SHOWN)
def test_a_card_of_the_deck_that_is_not_enrolled_is_unknown(style: str) -> None:
    scans = STYLES[style].draw()
    found = look(CardReader([deck_of(scans, tuple(SHOWN[style]))]), scans, SHOWN[style])
    assert [card.card for card in found if card.card is not None] == []


def test_an_unknown_card_names_its_likeliest_readings(scans: dict[str, Image]) -> None:
    found = look(CardReader([deck_of(scans)]), scans, ["red-6", "red-9"], lambda image: smeared(image, 9.0))
    unsure = [card for card in found if card.card is None and card.candidates]
    assert all(confidence < 0.8 for card in unsure for _, confidence in card.candidates[:1])
    assert {card.card for card in found} <= {"red-6", "red-9", None}


def weighed(scans: dict[str, Image], shown: str, held_against: str, harm: Callable[[Image], Image]) -> Evidence:
    """What a straight picture of one card, in somewhat other light, says for another."""
    catalogue = Catalogue.of([deck_of(scans)])
    names = [reference.card for reference in catalogue.references]
    width, height = catalogue.grid.size_px
    picture = harm(np.asarray(catalogue.references[names.index(shown)].picture * 0.8 + 10, np.uint8))
    cells = in_cells(describe(picture, catalogue.grid.px_per_mm, 0.2), catalogue.grid)
    return weigh(cells, picture, catalogue, names.index(held_against), np.ones((height, width), bool))


def test_a_picture_speaks_for_its_own_card_against_every_other_and_for_it_where_another_is_held_against_it(
    scans: dict[str, Image],
) -> None:
    for shown, other in (("red-6", "red-9"), ("blue-6", "blue-9"), ("red-3", "red-8")):
        for_it = weighed(scans, shown, shown, lambda picture: picture)
        assert all(rival.odds.share > 0.9 for rival in for_it.rivals)
        against = weighed(scans, shown, other, lambda picture: picture)
        names = [reference.card for reference in Catalogue.of([deck_of(scans)]).references]
        assert names[against.rivals[0].reference] == shown
        assert against.rivals[0].odds.share < -0.5


def test_what_is_covered_speaks_for_neither_of_two_cards(scans: dict[str, Image]) -> None:
    def covered(picture: Image) -> Image:
        """Everything but the frame under a brown thing: the figures can't be seen."""
        hidden = picture.copy()
        hidden[8:-8, 8:-8] = (60, 100, 150)
        return hidden

    names = [reference.card for reference in Catalogue.of([deck_of(scans)]).references]
    for shown, other in (("red-6", "red-9"), ("red-9", "red-6")):
        evidence = weighed(scans, shown, "red-6", covered)
        odds = next(r.odds for r in evidence.rivals if names[r.reference] == "red-9" and not r.turned)
        assert abs(odds.share) < 0.2, (shown, other)


def smeared(image: Image, sigma: float) -> Image:
    """The cards' part of the table out of focus, the markers sharp."""
    soft = image.copy()
    inner = (slice(190, 560), slice(170, 1100))
    soft[inner] = np.asarray(cv2.GaussianBlur(image[inner], (0, 0), sigma), np.uint8)
    return soft


def with_index_of(scan: Image, other: Image) -> Image:
    """A scan with the top left corner, 12 x 16 mm, of another one; their own corner the other way round is left blank."""
    mixed = scan.copy()
    down, right = round(scan.shape[0] * 16 / CARD_MM[1]), round(scan.shape[1] * 12 / CARD_MM[0])
    mixed[:down, :right] = other[:down, :right]
    mixed[-down:, -right:] = scan[down : 2 * down, :right].mean(axis=(0, 1))
    return mixed


@pytest.mark.parametrize("colour", ["coral", "slate"])
@pytest.mark.parametrize("number", [1, 3, 4, 6, 7, 8])
def test_one_spot_that_shows_the_next_card_outweighs_all_else(colour: str, number: int) -> None:
    # As where white paper lies over the pip that a card has beside these.
    scans = STYLES["pips"].draw()
    reader = CardReader([deck_of(scans)])
    name, following = f"{colour}-{number}", f"{colour}-{number + 1}"
    (own,) = look(reader, {"it": with_index_of(scans[name], scans[name])}, ["it"])
    assert own.card == name
    (mixed,) = look(reader, {"it": with_index_of(scans[name], scans[following])}, ["it"])
    assert mixed.card is None


def test_how_alike_a_card_was_says_nothing_of_the_one_that_it_turns_out_to_be(scans: dict[str, Image]) -> None:
    catalogue = Catalogue.of([deck_of(scans)])
    names = [reference.card for reference in catalogue.references]
    width, height = catalogue.grid.size_px
    six = catalogue.references[names.index("red-6")].picture.astype(np.float64)
    faint = 0.25 * six + 0.75 * six.mean() + np.random.default_rng(1).normal(0, 34, six.shape)
    picture = np.clip(faint, 0, 255).astype(np.uint8)
    cells = in_cells(describe(picture, catalogue.grid.px_per_mm, 0.2), catalogue.grid)
    every = np.ones(len(cells), bool)

    def confirmed(name: str) -> Identity:
        """By what such a picture says where it was first taken for this card, and very much alike."""
        first = Identity(names.index(name), False, 0.9, 0.5, every, ~every, cells)
        return confirm(first, catalogue, picture, np.ones((height, width), bool), 1.0)

    own, changed = confirmed("red-6"), confirmed("red-9")
    assert names[own.reference] == names[changed.reference] == "red-6"
    assert own.doubt is not Doubt.FAINT
    assert changed.doubt is Doubt.FAINT
    assert changed.confidence < 0.8

"""Half a card may look like half another: then no reader can be asked for its name, whatever it is shown."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from companion.bench.cards import Shot
from companion.bench.cards_tally import ShownCard
from companion.bench.decidable import Witness
from companion.bench.drawn import drawn_deck
from companion.virtual.card_tables import CardTable
from hardware.virtual.dice import DieOnTable, lying_at
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Lamp, Photo, TableLook
from hardware.virtual.scene import CardOnTable, Finish, HandOverTable, Scene

Take = Callable[..., Shot]
FIGURE = (29.5, 43.0)
"""Where a card of the deck of digits has its figure, mm from its corner; another stands at 8.5, 9."""


def card(shot: Shot, name: str) -> ShownCard:
    return next(card for card in shot.shown if card.card == name)


def test_a_whole_card_tells_its_name_and_its_way_round(take: Take) -> None:
    shown = card(take(("no-16", 200.0, 200.0, 77.0)), "no-16")
    assert shown.decidable
    assert not shown.either_way


def test_a_card_whose_figures_are_covered_tells_no_name(take: Take) -> None:
    """Turned half round, its left side is on the right: the card over it covers both figures and leaves the plain side."""
    over = ("no-11", 222.0, 200.0, 0.0)
    assert not card(take(("no-16", 200.0, 200.0, 180.0), over), "no-16").decidable
    # Upright, the corner's figure stays in sight.
    assert card(take(("no-16", 200.0, 200.0, 0.0), over), "no-16").decidable


def test_half_a_card_that_is_the_same_both_ways_has_no_top(take: Take) -> None:
    deck = drawn_deck("symbols")
    over = ("back", 240.0, 200.0, 0.0)
    disc = card(take(("s1d0f", 200.0, 200.0, 30.0), over, deck=deck), "s1d0f")
    triangle = card(take(("s1t0f", 200.0, 200.0, 30.0), over, deck=deck), "s1t0f")
    assert (disc.decidable, disc.either_way) == (True, True)
    assert (triangle.decidable, triangle.either_way) == (True, False)


def test_detail_that_the_lens_blurs_away_tells_nothing(take: Take) -> None:
    assert card(take(("no-16", 200.0, 200.0, 0.0)), "no-16").decidable
    assert not card(take(("no-16", 200.0, 200.0, 0.0), defocus_px=16.0), "no-16").decidable


def told(scene: Scene, *lamps: Lamp) -> list[tuple[bool, bool]]:
    deck = drawn_deck("digits")
    look = TableLook(card_mm=deck.card_mm, photo=Photo(lamps=lamps))
    table = CardTable("test", "digits", scene, look, VirtualCameraModel(tilt_deg=0.0), frozenset())
    return Witness(deck.art, deck.card_mm).tells(table, table.renderer(deck.art))


def test_what_a_lamps_image_outshines_counts_as_covered() -> None:
    shiny = Finish(gloss=0.05, rough=0.01)
    scene = Scene((700.0, 420.0), (CardOnTable("no-16", 350.0, 210.0, finish=shiny),))
    over_all = Lamp(350.0, 210.0, 1500.0, 400.0, 500.0, 40.0)
    beside = Lamp(3000.0, 210.0, 1500.0, 400.0, 500.0, 40.0)
    assert told(scene, beside) == [(True, True)]
    assert told(scene, over_all) == [(False, False)]


def test_a_hand_covers_and_a_later_card_does_an_earlier_one_does_not() -> None:
    under, over = CardOnTable("no-16", 350.0, 210.0), CardOnTable("no-11", 352.0, 212.0)
    assert told(Scene((700.0, 420.0), (under, over))) == [(False, False), (True, True)]
    hand = HandOverTable(350.0, 150.0, 180.0)
    assert told(Scene((700.0, 420.0), (under,), hands=(hand,))) == [(False, False)]


def test_a_die_covers_what_lies_under_it() -> None:
    """On either figure of a card it leaves the other one, dice on both leave nothing that tells."""
    card = CardOnTable("no-16", 350.0, 210.0)
    corner, middle = (
        DieOnTable(8, lying_at(8, size, 3, x, y, 0.4), size)
        for size, x, y in ((18.0, 350 - 29.5 + 8.5, 210 - 43 + 9.0), (26.0, 350.0, 210.0))
    )
    assert [told(Scene((700.0, 420.0), (card,), dice=(die,)))[0][0] for die in (corner, middle)] == [True, True]
    assert not told(Scene((700.0, 420.0), (card,), dice=(corner, middle)))[0][0]


def test_landscape_prints_are_compared_as_they_lie(take: Take) -> None:
    deck = drawn_deck("maps")
    shot = take(("map-03", 200.0, 200.0, 10.0), ("map-07", 400.0, 200.0, 250.0), deck=deck)
    assert all(card.decidable and not card.either_way for card in shot.shown)
    across = [np.hypot(*np.subtract(card.corners_px[1], card.corners_px[0])) for card in shot.shown]
    down = [np.hypot(*np.subtract(card.corners_px[3], card.corners_px[0])) for card in shot.shown]
    assert all(a > 1.3 * d for a, d in zip(across, down, strict=True))

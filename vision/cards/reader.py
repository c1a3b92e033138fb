"""Reads the cards of one still: outlines, shortlist, alignment, difference check, and a confidence that abstains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from vision.cards.deck import EnrolledDeck
from vision.cards.identity import Thresholds
from vision.cards.matching import Catalogue
from vision.cards.scene import Area, CardScene, Outlook
from vision.cards.search import Search
from vision.cards.settled import Settled
from vision.frame import Image
from vision.observation import CardReading, Point, Polygon, Quad
from vision.table import TablePose


class CardReader:
    """Knows decks and reads their cards from stills, without a picture of the empty table.

    Decks of one card size are searched together. The reader holds no state between pictures.
    """

    def __init__(self, decks: Sequence[EnrolledDeck], thresholds: Thresholds | None = None) -> None:
        by_size: dict[tuple[float, float], list[EnrolledDeck]] = defaultdict(list)
        for deck in decks:
            by_size[deck.size_mm].append(deck)
        self._catalogues = tuple(Catalogue.of(group) for group in by_size.values())
        self._thresholds = thresholds or Thresholds()

    @property
    def catalogues(self) -> tuple[Catalogue, ...]:
        """What it knows, by card size."""
        return self._catalogues

    @property
    def thresholds(self) -> Thresholds:
        """Where it believes a reading."""
        return self._thresholds

    @property
    def acting(self) -> float:
        """The confidence from which on a card is stated."""
        return self._thresholds.acting

    def read(
        self,
        image: Image,
        pose: TablePose,
        ignore_mm: Sequence[Polygon] = (),
        hidden_mm: Sequence[Polygon] = (),
        area_mm: Area | None = None,
    ) -> tuple[CardReading, ...]:
        """The cards on the table by place, top to bottom, left to right.

        Nothing is looked for in `ignore_mm`; of `hidden_mm` nothing is believed. `area_mm` (x, y, width, height) limits the
        search to cards whose middle lies in it.
        """
        return tuple(reading for reading, _ in self.explain(image, pose, ignore_mm, hidden_mm, area_mm))

    def explain(
        self,
        image: Image,
        pose: TablePose,
        ignore_mm: Sequence[Polygon] = (),
        hidden_mm: Sequence[Polygon] = (),
        area_mm: Area | None = None,
    ) -> tuple[tuple[CardReading, Settled], ...]:
        """As `read`, each with what it was made of."""
        settled = self.settle(image, pose, ignore_mm, hidden_mm, area_mm)
        return by_place([(report(card, self._thresholds, pose), card) for card in settled])

    def settle(
        self,
        image: Image,
        pose: TablePose,
        ignore_mm: Sequence[Polygon] = (),
        hidden_mm: Sequence[Polygon] = (),
        area_mm: Area | None = None,
    ) -> tuple[Settled, ...]:
        """As `read`, but in the order in which the cards were settled."""
        if not self._catalogues:
            return ()
        scene = CardScene.of(Outlook.of(image, pose, ignore_mm, hidden_mm, area_mm))
        return tuple(
            card for catalogue in self._catalogues for card in Search(scene, catalogue, self._thresholds).run()
        )


def by_place(explained: Sequence[tuple[CardReading, Settled]]) -> tuple[tuple[CardReading, Settled], ...]:
    """From top to bottom, left to right."""
    return tuple(sorted(explained, key=lambda one: (round(one[0].y_mm / 20), one[0].x_mm)))


def report(card: Settled, thresholds: Thresholds, pose: TablePose) -> CardReading:
    """A settled card in the words of the contract, in pixels of the picture as it came."""
    grid, identity, placement = card.catalogue.grid, card.identity, card.placement
    reference = card.catalogue.references[identity.reference] if identity.reference >= 0 else None
    corners = placement.corners_mm(grid.width_mm, grid.height_mm)
    angle = placement.angle_deg
    if reference is not None and reference.turned:
        # Its own top is the canonical picture's right side.
        corners, angle = np.roll(corners, -1, axis=0), angle + 90
    acted = reference is not None and identity.confidence >= thresholds.acting
    if reference is not None and card.catalogue.topless[identity.reference]:
        # Either way round is right: what looks the same both ways is told between 0 and 180 degrees.
        half_turns = int(angle % 360 >= 180)
        corners, angle = np.roll(corners, 2 * half_turns, axis=0), angle - 180 * half_turns
    px = pose.to_px(corners)
    quad = tuple((round(float(x), 2), round(float(y), 2)) for x, y in px)
    face = (reference.face if reference is not None else None) if acted else None
    return CardReading(
        card=reference.card if acted and reference is not None else None,
        face=face,
        x_mm=round(placement.x_mm, 2),
        y_mm=round(placement.y_mm, 2),
        angle_deg=round(angle % 360, 2) % 360 if acted and identity.upright >= thresholds.acting else None,
        corners_px=_quad(quad),
        confidence=round(identity.confidence, 4),
        candidates=identity.candidates,
    )


def _quad(points: tuple[Point, ...]) -> Quad:
    a, b, c, d = points
    return a, b, c, d

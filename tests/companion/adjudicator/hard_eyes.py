"""Eyes at an untidy table: they see all but what hands, cups and glasses hide, and know again what they have read before.

A stand-in for vision, so that hundreds of whole games at bad tables cost seconds; what a camera misreads it does not show.
"""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

from hardware.virtual.scene import HandOverTable, Scene, StoneOnTable
from vision.observation import CardReading, Polygon, SceneReading

from .seated import perfect_reading

ARM_MM, HALF_HAND_MM, FINGER_MM = 900.0, 42.0, 20.0
"""How long an arm is, how wide half a hand, how far a fingertip reaches beyond where it points."""
NEW, KNOWN = (-10.0, 26.0), (30.0, 12.0)
"""From where along a hand, and how near to its middle across, a card is out of sight: one never read, one read before."""
NEAR = (-40.0, 50.0)
"""There a new card is half hidden: it may not be read."""
HALF = 0.5
GLASS_SHARE, UNDER_GLASS = 0.45, 0.7
"""Within this share of a glass's diameter a new card is mostly not read."""
MARKER_MM, CUP_RIM_MM = 40.0, 8.0

Key = tuple[object, ...]


class HardEyes:
    """What is seen of scene after scene. The same seed, the same eyes."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(f"hard-eyes:{seed}")
        self._known: frozenset[Key] = frozenset()

    def read(self, scene: Scene) -> SceneReading:
        """A picture's reading."""
        whole = perfect_reading(replace(scene, hands=(), stones=()))
        cards = whole.cards
        for hand in scene.hands:
            cards = tuple(seen for card in cards if (seen := self._beside_hand(card, hand)) is not None)
        for glass in scene.stones:
            cards = tuple(self._under_glass(card, glass) for card in cards)
        lying = {_key(card) for card in whole.cards}
        read = {_key(card) for card in cards if card.card is not None or card.face is not None}
        self._known = frozenset(read | (self._known & lying))
        hidden = (*map(_outline, scene.hands), *(_cup(marker, scene) for marker in sorted(scene.covered_markers)))
        return replace(whole, cards=cards, hidden_mm=hidden)

    def _beside_hand(self, card: CardReading, hand: HandOverTable) -> CardReading | None:
        """The card as it shows; None where it is out of sight."""
        (ux, uy), (x, y) = _way(hand), _tip(hand)
        dx, dy = card.x_mm - x, card.y_mm - y
        along, across = dx * ux + dy * uy, abs(dy * ux - dx * uy)
        is_known = _key(card) in self._known
        from_mm, within_mm = KNOWN if is_known else NEW
        if along > from_mm and across < within_mm:
            return None
        is_near = not is_known and along > NEAR[0] and across < NEAR[1]
        return _unread(card) if is_near and self._chance.random() < HALF else card

    def _under_glass(self, card: CardReading, glass: StoneOnTable) -> CardReading:
        distance = math.hypot(card.x_mm - glass.x_mm, card.y_mm - glass.y_mm)
        is_under = _key(card) not in self._known and distance < glass.diameter_mm * GLASS_SHARE
        return _unread(card) if is_under and self._chance.random() < UNDER_GLASS else card


def _key(card: CardReading) -> Key:
    turn = None if card.angle_deg is None else round(card.angle_deg)
    return card.card, card.face, round(card.x_mm), round(card.y_mm), turn


def _unread(card: CardReading) -> CardReading:
    return replace(card, card=None, face=None, angle_deg=None, confidence=0.0)


def _way(hand: HandOverTable) -> tuple[float, float]:
    """From the fingertips to where the arm comes in."""
    angle = math.radians(hand.from_deg)
    return math.sin(angle), -math.cos(angle)


def _tip(hand: HandOverTable) -> tuple[float, float]:
    ux, uy = _way(hand)
    return hand.tip_x_mm - ux * FINGER_MM, hand.tip_y_mm - uy * FINGER_MM


def _outline(hand: HandOverTable) -> Polygon:
    (ux, uy), (x, y) = _way(hand), _tip(hand)
    ex, ey = x + ux * ARM_MM, y + uy * ARM_MM
    wx, wy = -uy * HALF_HAND_MM, ux * HALF_HAND_MM
    return (x + wx, y + wy), (ex + wx, ey + wy), (ex - wx, ey - wy), (x - wx, y - wy)


def _cup(marker: int, scene: Scene) -> Polygon:
    """What a cup on a marker hides."""
    width, height = scene.table_mm
    x, y = ((0.0, 0.0), (width - MARKER_MM, 0.0), (width - MARKER_MM, height - MARKER_MM), (0.0, height - MARKER_MM))[
        marker
    ]
    low, high = -CUP_RIM_MM, MARKER_MM + CUP_RIM_MM
    return (x + low, y + low), (x + high, y + low), (x + high, y + high), (x + low, y + high)

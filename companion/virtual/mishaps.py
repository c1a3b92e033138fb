"""What happens at untidy tables while a picture is taken: a hand still rests over a card, a glass stands on one, a cup on a
marker, somebody bumps the camera.

Each leaves the game as it is; nearly always a later picture shows what could not be seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import NamedTuple

from companion.virtual.film import Still
from companion.virtual.stage import SKINS
from hardware.virtual.scene import HandOverTable, Scene, StoneOnTable

HAND, GLASS, CUP, BUMP = 0.25, 0.06, 0.06, 0.03
"""How often, at a settled moment."""
STAYS = 0.2
"""How often such a hand rests there until the next thing happens."""
GLASS_STANDS, CUP_STANDS = 3, 4
"""Settled moments, at most."""
BESIDE_MM = 30.0
"""How far from a card's middle a resting fingertip is, at most."""
GLASSES: tuple[tuple[int, int, int], ...] = ((70, 60, 50), (200, 205, 210), (60, 110, 190))
"""Blue, green, red of what stands on cards."""
GLASS_MM = (28.0, 48.0)
"""Its diameter."""
OFF_MM = 35.0
"""So far from a card's middle, at most, a glass still stands on it; once no card lies there it is put away."""


class Taken(NamedTuple):
    """A picture of a settled moment."""

    scene: Scene
    is_bumped: bool
    """The camera looks from where it was bumped to."""
    is_last: bool
    """Of this moment's."""


def with_mishaps(stills: Iterable[Still], seed: int) -> Iterator[Taken]:
    """Pictures of the settled moments, one each and here and there one more before it. The same seed, the same mishaps.

    Nothing happens after the last moment: a hand that rests there then is taken away in the end.
    """
    chance = Random(f"mishaps:{seed}")
    cups, glasses, is_bumped = _Cups(chance), _Glasses(chance), False
    listed = list(stills)
    for number, still in enumerate(listed, start=1):
        is_bumped ^= chance.random() < BUMP
        scene = glasses.on(replace(still.scene, covered_markers=cups.next()))
        if scene.cards and chance.random() < HAND:
            stays = chance.random() < STAYS and number < len(listed)
            yield Taken(_under_a_hand(scene, chance), is_bumped, is_last=stays)
            if stays:
                continue
        yield Taken(scene, is_bumped, is_last=True)


class _Cups:
    """Cups on markers, one at a time."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._marker, self._left = 0, 0

    def next(self) -> frozenset[int]:
        """The markers covered at the next moment."""
        if self._left == 0 and self._chance.random() < CUP:
            self._marker, self._left = self._chance.randrange(4), self._chance.randint(1, CUP_STANDS)
        covered = frozenset({self._marker} if self._left else ())
        self._left = max(0, self._left - 1)
        return covered


class _Glasses:
    """Glasses and other round things on cards, one at a time."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._glass: StoneOnTable | None = None
        self._left = 0

    def on(self, scene: Scene) -> Scene:
        """The next moment with the glass that stands there, if any."""
        chance = self._chance
        if self._left == 0 and scene.cards and chance.random() < GLASS:
            card = chance.choice(scene.cards)
            x, y = (round(middle + chance.uniform(-20, 20), 1) for middle in (card.x_mm, card.y_mm))
            self._glass = StoneOnTable(x, y, round(chance.uniform(*GLASS_MM), 1), chance.choice(GLASSES))
            self._left = chance.randint(1, GLASS_STANDS)
        glass = self._glass
        if self._left == 0 or glass is None or not _stands_on_a_card(glass, scene):
            self._left = 0
            return scene
        self._left -= 1
        return replace(scene, stones=(*scene.stones, glass))


def _stands_on_a_card(glass: StoneOnTable, scene: Scene) -> bool:
    return any(math.hypot(card.x_mm - glass.x_mm, card.y_mm - glass.y_mm) <= OFF_MM for card in scene.cards)


def _under_a_hand(scene: Scene, chance: Random) -> Scene:
    """A hand rests on or beside one of the cards; it reaches in from the nearest edge."""
    card = chance.choice(scene.cards)
    x, y = (middle + chance.uniform(-BESIDE_MM, BESIDE_MM) for middle in (card.x_mm, card.y_mm))
    width, height = scene.table_mm
    edges = ((y, 0.0), (width - x, 90.0), (height - y, 180.0), (x, 270.0))
    from_deg = min(edges)[1] + chance.uniform(-25, 25)
    hand = HandOverTable(round(x, 1), round(y, 1), round(from_deg % 360, 1), chance.choice(SKINS))
    return replace(scene, hands=(hand,))

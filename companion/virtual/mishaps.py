"""What happens at untidy tables while a picture is taken: a hand still rests over a card, a cup stands on a marker, a bump.

Each leaves the game as it is; nearly always the next picture shows the table with the hand gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import NamedTuple

from companion.virtual.film import Still
from companion.virtual.stage import SKINS
from hardware.virtual.scene import HandOverTable, Scene

HAND, CUP, BUMP = 0.25, 0.06, 0.03
"""How often, at a settled moment."""
STAYS = 0.2
"""How often such a hand rests there until the next thing happens."""
CUP_STAYS = 4
"""Settled moments, at most."""
BESIDE_MM = 30.0
"""How far from a card's middle a resting fingertip is, at most."""


class Taken(NamedTuple):
    """A picture of a settled moment."""

    scene: Scene
    is_bumped: bool
    """The camera looks from where it was bumped to."""
    is_last: bool
    """Of this moment's."""


def with_mishaps(stills: Iterable[Still], seed: int) -> Iterator[Taken]:
    """Pictures of the settled moments, one each and here and there one more before it. The same seed, the same mishaps."""
    chance = Random(f"mishaps:{seed}")
    is_bumped, cup, cup_left = False, 0, 0
    for still in stills:
        is_bumped ^= chance.random() < BUMP
        if cup_left == 0 and chance.random() < CUP:
            cup, cup_left = chance.randrange(4), chance.randint(1, CUP_STAYS)
        covered = frozenset({cup} if cup_left else ())
        cup_left = max(0, cup_left - 1)
        scene = replace(still.scene, covered_markers=covered)
        if scene.cards and chance.random() < HAND:
            stays = chance.random() < STAYS
            yield Taken(_under_a_hand(scene, chance), is_bumped, is_last=stays)
            if stays:
                continue
        yield Taken(scene, is_bumped, is_last=True)


def _under_a_hand(scene: Scene, chance: Random) -> Scene:
    """A hand rests on or beside one of the cards; it reaches in from the nearest edge."""
    card = chance.choice(scene.cards)
    x, y = (middle + chance.uniform(-BESIDE_MM, BESIDE_MM) for middle in (card.x_mm, card.y_mm))
    width, height = scene.table_mm
    edges = ((y, 0.0), (width - x, 90.0), (height - y, 180.0), (x, 270.0))
    from_deg = min(edges)[1] + chance.uniform(-25, 25)
    hand = HandOverTable(round(x, 1), round(y, 1), round(from_deg % 360, 1), chance.choice(SKINS))
    return replace(scene, hands=(hand,))

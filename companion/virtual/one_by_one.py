"""A virtual table on which somebody lays one card after the other, to be enrolled."""

from __future__ import annotations

from functools import partial
from random import Random

import cv2
import numpy as np

from companion.decks.proxies import draw_deck
from hardware.camera.base import Camera, CameraFactory, Image, Shot, TimeKind

PICTURE_PX = (1280, 960)
_CARD_PX = (420, 587)
_GROUND = (92, 104, 96)
"""Blue, green, red of the cloth."""


class OneByOneCamera:
    """Hands out a still of each card of the project's proxies, the back last; each lies a little askew."""

    def __init__(self, game: str, seed: int = 1) -> None:
        self.name = f"virtual cards, {game}"
        self.recorded = True
        self.time_kind = TimeKind.MEDIA
        art = draw_deck(game)
        self._cards = sorted(art.items(), key=lambda card: (card[0] == "back", card[0]))
        self._random = Random(seed)
        self._next = 0

    def read(self) -> Shot | None:
        """The next card's picture; None after the last."""
        if self._next >= len(self._cards):
            return None
        name, scan = self._cards[self._next]
        shot = Shot(lay(scan, self._random), self._next * 1_000_000_000, 0, name, settled=True)
        self._next += 1
        return shot

    def close(self) -> None:
        """Nothing is held open."""


def lay(scan: Image, random: Random) -> Image:
    """A picture from above of a card on a cloth."""
    width, height = PICTURE_PX
    turn = random.uniform(-12, 12)
    card = cv2.resize(scan, _CARD_PX, interpolation=cv2.INTER_AREA)
    matrix = cv2.getRotationMatrix2D((_CARD_PX[0] / 2, _CARD_PX[1] / 2), -turn, 1.0)
    matrix[0, 2] += width / 2 - _CARD_PX[0] / 2 + random.uniform(-80, 80)
    matrix[1, 2] += height / 2 - _CARD_PX[1] / 2
    ground = np.full((height, width, 3), _GROUND, np.float32)
    flags = cv2.INTER_LINEAR
    share = cv2.warpAffine(np.ones((*_CARD_PX[::-1], 1), np.float32), matrix, PICTURE_PX, flags=flags)[..., None]
    laid = cv2.warpAffine(card.astype(np.float32), matrix, PICTURE_PX, flags=flags)
    picture = cv2.GaussianBlur((ground * (1 - share) + 0.9 * laid * share), (0, 0), 0.7)
    noise = np.random.default_rng(random.getrandbits(32)).normal(0, 1.5, picture.shape)
    return np.asarray(np.clip(picture + noise, 0, 255), np.uint8)


def open_one_by_one(game: str) -> Camera:
    """Opens the camera over the cards of a game."""
    return OneByOneCamera(game)


def one_by_one_factory(game: str) -> CameraFactory:
    """What opens it in the capture process; it pickles."""
    return partial(open_one_by_one, game)

"""A card that was found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.identity import Identity
from vision.cards.layers import Lying
from vision.cards.matching import Catalogue, crop
from vision.cards.outlines import Placement
from vision.cards.sheets import Sheet, drawn_alike
from vision.frame import Image
from vision.table import TablePose

Mask = NDArray[np.bool_]
_IN_SIGHT = 0.6
_SHOWS, _LACKS = 0.5, 0.2
"""Likeness of a cell's drawing at which it is there, and at which it isn't."""


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A card that was found, with what it shows."""

    catalogue: Catalogue
    placement: Placement
    identity: Identity
    quality: float
    """How well picture and outline bear the card out, 0 to 1."""
    outline: float = 1.0
    """Share of its outline, where it is in sight, that is edge; of its worst side where what is printed repeats."""
    faint: bool = False
    """Whether it is there only if the evidence says so without doubt."""
    seen: Mask | None = None
    """Pixels of its canonical picture, the placement's way up, that nothing settled before hides."""

    @property
    def doubt(self) -> str:
        """For people: what keeps the card from being stated; the weakest link where it is stated."""
        return self.identity.doubt.value

    @property
    def scan(self) -> Image | None:
        """The reference that it is held against; None where none fits."""
        reference = self.identity.reference
        return None if reference < 0 else self.catalogue.references[reference].picture

    def lying(self) -> Lying:
        """For what lies over what."""
        width, height = self.catalogue.grid.size_px
        seen = self.seen if self.seen is not None else np.ones((height, width), bool)
        return Lying(self.placement, self.identity.reference, seen, self.quality)

    def sheet(self) -> Sheet:
        """For what else may lie over it or under it."""
        grid, identity = self.catalogue.grid, self.identity
        accounted = identity.accounted
        if identity.reference < 0 or identity.described is None:
            return Sheet(self.placement, accounted & ~identity.plain, np.zeros_like(accounted))
        like, drawn = drawn_alike(identity.described, self.catalogue.detail[identity.reference].astype(np.float32))
        seen = np.ones_like(accounted)
        if self.seen is not None:
            share = cv2.resize(self.seen.astype(np.float32), (grid.columns, grid.rows), interpolation=cv2.INTER_AREA)
            seen = share.ravel() >= _IN_SIGHT
        return Sheet(self.placement, seen & drawn & (like > _SHOWS), seen & drawn & (like < _LACKS))

    def told(self) -> Settled:
        """Without what it was weighed by, which is large."""
        return replace(self, identity=replace(self.identity, laid=None))

    def picture(self, image: Image, pose: TablePose) -> Image:
        """What lies there, in canonical form, the reference's way up."""
        grid = self.catalogue.grid
        return crop(image, pose, self.placement, grid, grid.size_px)

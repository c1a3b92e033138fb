"""Backs of cards: some look the same both ways round, some do not."""

from __future__ import annotations

import numpy as np

from companion.virtual.styles.canvas import PX_PER_MM, Canvas, Colour, clouds, ellipse, shaded, star
from hardware.camera.base import Image

Size = tuple[float, float]


def woven(size_mm: Size, dark: Colour, light: Colour, cell_mm: float = 3.25) -> Image:
    """A chequered weave in a white frame; the same both ways round."""
    canvas = Canvas(size_mm, (238, 238, 238))
    height, width = canvas.image.shape[:2]
    rows, columns = np.mgrid[0:height, 0:width]
    across, down = columns - (width - 1) / 2, rows - (height - 1) / 2
    cell = cell_mm * PX_PER_MM
    lit = ((across + down) // cell + (across - down) // cell) % 2 < 1
    edge = round(2.25 * PX_PER_MM)
    inside = (slice(edge, height - edge), slice(edge, width - edge))
    canvas.image[inside] = np.where(lit[..., None], light, dark).astype(np.uint8)[inside]
    canvas.both_ways()
    return canvas.image


def rosette(size_mm: Size, ground: Colour, ink: Colour) -> Image:
    """Rings of petals on a plain ground to the very edge; the same both ways round."""
    canvas = Canvas(size_mm, ground)
    petal = ellipse(40) * np.array([1.0, 0.45]) + np.array([1.2, 0.0])
    for ring, count in ((5.5, 8), (10.5, 16), (15.0, 24)):
        for n in range(count):
            canvas.shape(petal * ring / 2.2, canvas.middle, 1.0, ink, 0.45, turn=360 * n / count)
    canvas.frame(3.0, ink, 0.5)
    canvas.frame(4.4, ink, 0.25)
    canvas.both_ways()
    return canvas.image


def crest(size_mm: Size, ground: Colour, ink: Colour, title: str) -> Image:
    """A crest over a name, as publishers print; it has a top."""
    canvas = Canvas(size_mm, ground)
    x, y = canvas.middle
    canvas.frame(2.5, ink, 0.8)
    canvas.shape(star(8, 0.5), (x, y - 0.12 * canvas.height), 0.26 * canvas.width, ink)
    canvas.ring((x, y - 0.12 * canvas.height), (0.11 * canvas.width,) * 2, ground)
    canvas.text(title, (x, y + 0.25 * canvas.height), 0.085 * canvas.width, ink)
    return canvas.image


def nebula(size_mm: Size, seed: int, *stops: Colour) -> Image:
    """A cloudy picture to the very edge; it has a top, though nobody would say so."""
    random = np.random.default_rng((seed, 83))
    canvas = Canvas(size_mm, stops[0])
    canvas.paint(shaded(clouds(random, size_mm, 22.0), *stops))
    for _ in range(60):
        place = (float(random.uniform(0, size_mm[0])), float(random.uniform(0, size_mm[1])))
        canvas.ring(place, (float(random.uniform(0.1, 0.4)),) * 2, (235, 240, 240))
    return canvas.image

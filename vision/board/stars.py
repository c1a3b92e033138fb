"""Finds the star magnets: up to twelve round things of one size on the board, of whatever colour.

Every edge point of the board's view votes for the middles of the circles on which it could lie; the radius at which twelve places
gather most votes is the magnets'. Each place is then measured from its own rim.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.edges import find_edges
from vision.frame import Image

VOTE_PX_PER_MM = 1.6
RADII_MM = np.arange(4.5, 13.01, 0.5)
MOST_STARS = 12
LEAST_VOTES = 0.38
LEAST_RIM = 0.42
"""Share of a magnet's rim that must show as an edge."""
RAYS = 40
RAY_STEP_MM = 0.25
RIM_TOLERANCE_MM = 0.6
WIDE_REACH, NARROW_REACH = 0.22, 0.14
"""How far from its expected radius a rim is looked for, as a share of it."""

Floats = NDArray[np.float64]
Layer = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Star:
    """A magnet on the board, in board mm."""

    x: float
    y: float
    radius: float
    rim: float
    """Share of its rim that shows as an edge, 0 to 1."""
    odd: bool = False
    """True where its colour is not that of the others: a magnet in a glare, or no magnet at all."""


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """Edge points of the view: place in px, unit direction of the gradient."""

    u: Layer
    v: Layer
    du: Layer
    dv: Layer


def find_stars(picture: Image, px_per_mm: float) -> tuple[Star, ...]:
    """The magnets in a view of the board (see `plane.view`), in no order; empty where there are none."""
    factor = VOTE_PX_PER_MM / px_per_mm
    small = picture
    if factor < 1:
        small = np.asarray(cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
    scale = small.shape[0] / picture.shape[0] * px_per_mm
    edges = _edges(small)
    coarse = [_worth(edges, small.shape[:2], float(radius) * scale) for radius in RADII_MM[::2]]
    middle = float(RADII_MM[::2][int(np.argmax(coarse))])
    radius = max((middle - 0.5, middle, middle + 0.5), key=lambda r: _worth(edges, small.shape[:2], r * scale))
    places, scores = _peaks(_votes(edges, small.shape[:2], radius * scale), radius * scale)
    grey = cv2.GaussianBlur(picture, (0, 0), 0.25 * px_per_mm).astype(np.float32)
    likely = [(place + 0.5) / scale for place, score in zip(places, scores, strict=True) if score >= LEAST_VOTES]
    rough = [star for place in likely if (star := _measure(grey, px_per_mm, place, radius, WIDE_REACH)) is not None]
    if not rough:
        return ()
    # Once the magnets' own size is known, a plaque's or a digit's edge can't pass for the rim.
    size = float(np.median([star.radius for star in sorted(rough, key=lambda star: -star.rim)[:MOST_STARS]]))
    found = [star for place in likely if (star := _measure(grey, px_per_mm, place, size, NARROW_REACH)) is not None]
    return _of_one_look(picture, px_per_mm, found)


def _worth(edges: _Edges, shape: tuple[int, int], radius: float) -> float:
    """How well twelve circles of one radius (px) explain the edges."""
    _, scores = _peaks(_votes(edges, shape, radius), radius)
    return float((np.minimum(scores[:MOST_STARS], 1.0) ** 2).sum())


def _measure(picture: Layer, px_per_mm: float, place: Floats, radius: float, share: float) -> Star | None:
    """The circle that best follows the rim near a coarse place (board mm), or None where too little of it shows.

    The rim is looked for within `share` of the radius.
    """
    turns = np.arange(RAYS) * (2 * np.pi / RAYS)
    rays = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    reach = max(1.2, share * radius)
    steps = np.arange(radius - reach, radius + reach + 1e-6, RAY_STEP_MM)
    points = (place + steps[None, :, None] * rays[:, None, :]) * px_per_mm - 0.5
    columns, rows = cv2.split(points.astype(np.float32))
    samples = cv2.remap(picture, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    change = np.abs(samples[:, 2:] - samples[:, :-2])
    slope = np.pad(np.maximum(np.maximum(change[..., 0], change[..., 1]), change[..., 2]), ((0, 0), (1, 1)))
    usual = float(np.median(slope.max(axis=1)))
    # The circle on which most rays agree, before any single ray is believed: a plaque's or a shadow's edge may be the stronger.
    shift = np.arange(-3, 4) * 2.0
    along = (rays[:, 0, None, None] * shift[None, :, None] + rays[:, 1, None, None] * shift[None, None, :]).reshape(
        RAYS, -1
    )
    middles = np.arange(2, len(steps) - 2)
    index = np.clip(np.rint(middles[None, :, None] + along[:, None, :]), 0, len(steps) - 1).astype(np.int64)
    agreed = np.minimum(slope, usual)[np.arange(RAYS)[:, None, None], index].sum(axis=0)
    size, which = np.unravel_index(int(agreed.argmax()), agreed.shape)
    expected = middles[size] + along[:, which]
    near = np.abs(np.arange(len(steps))[None, :] - expected[:, None]) <= RIM_TOLERANCE_MM / RAY_STEP_MM
    window = np.where(near, slope, 0.0)
    best = window.argmax(axis=1)
    clear = window[np.arange(RAYS), best] > max(0.6, 0.25 * usual)
    if clear.sum() < LEAST_RIM * RAYS:
        return None
    # Circle x² + y² = 2ax + 2by + c through the rim points.
    edge = steps[best[clear], None] * rays[clear]
    system = np.column_stack([2 * edge, np.ones(len(edge))])
    (a, b, c), *_ = np.linalg.lstsq(system, (edge**2).sum(axis=1), rcond=None)
    if np.hypot(a, b) > 0.4 * radius:
        return None
    return Star(
        float(place[0] + a), float(place[1] + b), float(np.sqrt(max(c + a * a + b * b, 0.0))), float(clear.mean())
    )


def _of_one_look(picture: Image, px_per_mm: float, found: list[Star]) -> tuple[Star, ...]:
    """The places that share one size, the most complete first, none over another, twelve at most."""
    found = sorted(found, key=lambda star: -star.rim)
    apart: list[Star] = []
    for star in found:
        if all(np.hypot(star.x - other.x, star.y - other.y) > 1.5 * star.radius for other in apart):
            apart.append(star)
    if not apart:
        return ()
    size = float(np.median([star.radius for star in apart[:MOST_STARS]]))
    apart = [star for star in apart if abs(star.radius - size) < 0.15 * size]
    lab = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB), np.uint8)
    looks = np.array([_look(lab, px_per_mm, star) for star in apart]).reshape(-1, 3)
    usual = np.median(looks[:MOST_STARS], axis=0)
    strange = np.linalg.norm(looks - usual, axis=1) > 60
    chosen = [replace(star, odd=bool(odd)) for star, odd in zip(apart, strange, strict=True)]
    return tuple(chosen[:MOST_STARS])


def _look(lab: Image, px_per_mm: float, star: Star) -> Floats:
    """The middle colour of the magnet's body, where the number does not stand, in Lab."""
    u, v, r = star.x * px_per_mm - 0.5, star.y * px_per_mm - 0.5, star.radius * px_per_mm
    left, top = max(0, int(u - r)), max(0, int(v - r))
    patch = lab[top : int(v + r) + 2, left : int(u + r) + 2]
    far = np.hypot(np.arange(patch.shape[0])[:, None] + top - v, np.arange(patch.shape[1])[None, :] + left - u)
    body = patch[(far > 0.68 * r) & (far < 0.92 * r)]
    return np.median(body, axis=0).astype(np.float64) if len(body) else np.zeros(3)


def _edges(small: Image) -> _Edges:
    edges = find_edges(small, 0.8)
    v, u = np.nonzero(edges.ridge & (edges.size > max(2.5, 3 * float(np.median(edges.size[::3, ::3])))))
    du, dv = (np.asarray(layer[v, u] / edges.size[v, u], np.float32) for layer in (edges.dx, edges.dy))
    return _Edges(u.astype(np.float32), v.astype(np.float32), du, dv)


def _votes(edges: _Edges, shape: tuple[int, int], radius: float) -> Layer:
    """Share of a circle of that radius around each pixel that shows as an edge facing it."""
    height, width = shape
    votes = np.zeros(height * width)
    for sign in (1.0, -1.0):
        u = np.rint(edges.u + sign * radius * edges.du).astype(np.int64)
        v = np.rint(edges.v + sign * radius * edges.dv).astype(np.int64)
        inside = (u >= 0) & (u < width) & (v >= 0) & (v < height)
        votes += np.bincount(v[inside] * width + u[inside], minlength=height * width)
    # Votes scatter by about a pixel; a circle's thinned rim has about 0.9 points a pixel of its length.
    grid = cv2.blur(votes.reshape(height, width).astype(np.float32), (3, 3)) * 9
    return grid / np.float32(0.9 * 2 * np.pi * radius)


def _peaks(votes: Layer, radius: float) -> tuple[Floats, Floats]:
    """Places (n x 2, px) and scores of the strongest circles, best first, none over another."""
    reach = 2 * int(radius) + 1
    top = cv2.dilate(votes, np.ones((reach, reach), np.uint8))
    v, u = np.nonzero((votes >= top) & (votes > 0.25))
    order = np.argsort(-votes[v, u])[:40]
    return np.stack([u[order], v[order]], axis=1).astype(np.float64), votes[v[order], u[order]].astype(np.float64)

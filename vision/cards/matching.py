"""Which card lies at a placement: descriptions compared cell by cell, placements pulled onto the reference, rivals told apart.

A comparison never assumes that the whole card is seen: cells that something covers are left out where that is known, and
count little where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.deck import EnrolledDeck, Reference
from vision.cards.features import CELL_PX, COARSE_PX, Floats, Grid, describe, in_cells, thumbnail
from vision.cards.outlines import VIEW_PX_PER_MM, Placement
from vision.frame import Image
from vision.table import TablePose

_NOISE = 0.0015
"""Energy of a pixel's description that noise alone explains."""
REFERENCE_BLUR_MM = 0.45
_MANY = 130
_MOST_SYSTEMS = 160
"""A few hundred kilobytes each."""
_MOST_PAIRS = 130
_SAME_FACE = 1e-4
"""Mean square difference of two thumbnails of one printed face, scanned twice."""
_TOPLESS = 0.05
"""Share of a reference's strongest detail that a half turn may change where there is no top to tell."""
_RIM_MM = 4.0
_WOVEN_MM, _LONGEST_PERIOD_MM = 20.0, 45.0
_REPEATS = 0.6
"""Correlation of what is printed with itself, from which on it repeats."""
_BLOWN_LEVEL = 246
_BLOWN_SHARE = 0.97
_MOST_BLOWN = 0.4
_DARK_INK, _INKED_SHARE = 0.6, 0.04
"""Share of the paper's brightness below which ink shows on blown paper, and of a cell that it must fill."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """All sides of all decks of one card size, described for comparison."""

    grid: Grid
    references: tuple[Reference, ...]
    decks: tuple[str, ...]
    """The deck's name of each reference."""
    coarse: Floats
    """References x cells x values."""
    coarse_energy: Floats
    """References x cells."""
    detail: NDArray[np.float16] | Floats
    """References x cells x values; in half precision where there are many."""
    detail_energy: Floats
    """References x cells."""
    pairs: tuple[tuple[int, int], ...] = ()
    """The cards of one deck that are most alike, the closest first; first < second."""
    traits: dict[float, Floats] = field(default_factory=dict)
    """How these pairs differ, by blur in px: filled as it is asked for (vision.cards.evidence)."""
    topless: tuple[bool, ...] = ()
    """Of each reference: whether it looks the same turned half round, so that it has no top to tell."""
    repeating: tuple[bool, ...] = ()
    """Of each reference: whether it is a back that looks nearly the same some way along, as woven ones do."""
    periodic: tuple[tuple[bool, bool], ...] = ()
    """Of each reference: whether it looks nearly the same some way down, and some way across, as rows of signs do."""
    systems: dict[tuple[int, int], _System] = field(default_factory=dict)
    """What placements were last pulled onto from afar, by reference and scale."""

    @classmethod
    def of(cls, decks: Sequence[EnrolledDeck]) -> Catalogue:
        """Of decks that share one card size."""
        grid = decks[0].grid
        references = tuple(reference for deck in decks for reference in deck.references)
        names = tuple(deck.name for deck in decks for _ in deck.references)
        described = [describe(r.picture, grid.px_per_mm, REFERENCE_BLUR_MM) for r in references]
        coarse = np.stack([in_cells(thumbnail(d, grid), grid) for d in described])
        kind = np.float32 if len(described) <= _MANY else np.float16
        detail = np.stack([in_cells(d, grid).astype(kind) for d in described])
        energies = [
            np.stack([(part.astype(np.float32) ** 2).sum(axis=1) for part in all_]) for all_ in (coarse, detail)
        ]
        pairs = _closest_pairs(references, names, coarse)
        topless = tuple(_is_topless(d) for d in described)
        backs = [reference.card is None for reference in references]
        repeating = tuple(b and any(_repeats(d, grid, _WOVEN_MM)) for b, d in zip(backs, described, strict=True))
        periodic = tuple(_repeats(d, grid, _LONGEST_PERIOD_MM) for d in described)
        return cls(
            grid,
            references,
            names,
            coarse,
            energies[0],
            detail,
            energies[1],
            pairs,
            topless=topless,
            repeating=repeating,
            periodic=periodic,
        )

    def picture(self, reference: int) -> Floats:
        """The description of a reference as a picture in full detail."""
        return as_picture(self.detail[reference].astype(np.float32), self.grid)

    def system(self, reference: int, side: int) -> _System:
        """What a placement is pulled onto, at `side` pixels a cell; one is wanted again for most of a picture's proposals."""
        system = self.systems.get((reference, side))
        if system is None:
            if len(self.systems) >= _MOST_SYSTEMS:
                self.systems.pop(next(iter(self.systems)))
            system = self.systems[(reference, side)] = _System.of(self.picture(reference), self.grid, side)
        return system


def _is_topless(described: Floats) -> bool:
    """Whether no place of a reference changes with a half turn: a mark of some mm is a top, a line a pixel off is none."""
    soft = cv2.GaussianBlur(described, (0, 0), 1.0)
    strongest = [
        float(cv2.blur((part * part).sum(axis=2), (8, 8))[8:-8, 8:-8].max()) for part in (soft - soft[::-1, ::-1], soft)
    ]
    return strongest[0] < _TOPLESS * strongest[1]


def _repeats(described: Floats, grid: Grid, longest_mm: float) -> tuple[bool, bool]:
    """Whether what is printed inside the rim is like itself, moved down or across, and less so moved less far."""
    rim = round(_RIM_MM * grid.px_per_mm)
    inner = described[rim:-rim, rim:-rim]
    drawn = inner - cv2.GaussianBlur(inner, (0, 0), _RIM_MM * grid.px_per_mm)
    down, across = (
        _is_like_itself(along, min(round(longest_mm * grid.px_per_mm), along.shape[0] * 2 // 3))
        for along in (drawn, drawn.transpose(1, 0, 2))
    )
    return down, across


def _is_like_itself(drawn: Floats, longest: int) -> bool:
    """Moved by so many rows at most."""
    like = np.array([_like_itself(drawn, step) for step in range(1, longest)])
    between = np.minimum.accumulate(like)
    return bool(((like > _REPEATS) & (like - between > _REPEATS / 2)).any())


def _like_itself(drawn: Floats, step: int) -> float:
    """Correlation of a picture with itself, so many rows further on."""
    a, b = drawn[step:], drawn[:-step]
    return float((a * b).sum() / max(np.sqrt(float((a * a).sum()) * float((b * b).sum())), 1e-9))


def _closest_pairs(
    references: Sequence[Reference], decks: Sequence[str], coarse: Floats
) -> tuple[tuple[int, int], ...]:
    """Each card with the two of its deck that are most like it; copies of one face are no pair."""
    found: dict[tuple[int, int], float] = {}
    flat = coarse.reshape(len(references), -1)
    for i, reference in enumerate(references):
        if reference.card is None:
            continue
        gap = flat - flat[i]
        energy = (gap * gap).mean(axis=1)
        fellows = [
            j
            for j in range(len(references))
            if decks[j] == decks[i] and references[j].card not in (None, reference.card) and energy[j] > _SAME_FACE
        ]
        for j in sorted(fellows, key=lambda j: float(energy[j]))[:2]:
            found[(min(i, j), max(i, j))] = float(energy[j])
    return tuple(sorted(found, key=lambda pair: found[pair])[:_MOST_PAIRS])


_FARTHEST = np.array([1.5, 1.5, 0.035])
"""Of one step of a pull: x mm, y mm, radians."""
_ANGLE_BY_OUTLINE = 30.0
"""What an outline says of a card's angle, in energy of description over square radians. Measured on six drawn decks: what is
printed says 0 to 3 where it is a disc, 800 where it is one diamond, thousands elsewhere."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How well a description agrees with references, cell by cell; arrays are references x cells."""

    similarity: Floats
    """-1 to 1; near 0 where a cell has nothing to show."""
    weight: Floats

    def scores(self, visible: Mask) -> Floats:
        """Mean similarity over the visible cells, a number for each reference."""
        weight = self.weight * visible
        total: Floats = (self.similarity * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-6)
        return total


def compare(cells: Floats, references: NDArray[np.float32] | NDArray[np.float16], energies: Floats) -> Likeness:
    """Cells x values against references x cells x values, whose energies are references x cells."""
    dot = np.stack([np.einsum("cd,cd->c", cells, reference.astype(np.float32, copy=False)) for reference in references])
    energy = (cells * cells).sum(axis=1)[None] + energies + _NOISE * cells.shape[1]
    return Likeness((2 * dot / energy).astype(np.float32), np.sqrt(energy).astype(np.float32))


def rank_all(
    thumbnails: Floats, catalogue: Catalogue, visible: Mask, best: int
) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
    """For proposals x cells x values and proposals x cells: the `best` likeliest readings of each proposal.

    Returns proposals x best of scores, references, and half turns (0 or 1), the likeliest first.
    """
    found = []
    for turned in (False, True):
        cells = np.stack([turn_half(t, catalogue.grid) for t in thumbnails]) if turned else thumbnails
        seen = (visible[:, ::-1] if turned else visible).astype(np.float32)
        dot = np.matmul(cells.transpose(1, 0, 2), catalogue.coarse.transpose(1, 2, 0))
        own = (cells * cells).sum(axis=2).T[:, :, None]
        energy = own + catalogue.coarse_energy.T[:, None, :] + _NOISE * cells.shape[2]
        weight = np.sqrt(energy) * seen.T[:, :, None]
        found.append((2 * dot / energy * weight).sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-6))
    scores = np.concatenate(found, axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :best]
    count = len(catalogue.references)
    return np.take_along_axis(scores, order, axis=1), order % count, order // count


def turn_half(cells: Floats, grid: Grid) -> Floats:
    """The cells of the same card turned by 180 degrees."""
    side = round((cells.shape[1] // 3) ** 0.5)
    turned = cells.reshape(grid.rows * grid.columns, side, side, 3)[::-1, ::-1, ::-1]
    return np.ascontiguousarray(turned.reshape(cells.shape))


def shrink_cells(cells: Floats, grid: Grid) -> Floats:
    """A full description in cells at the thumbnail's resolution."""
    count, share = grid.rows * grid.columns, CELL_PX // COARSE_PX
    split = cells.reshape(count, COARSE_PX, share, COARSE_PX, share, 3)
    return np.ascontiguousarray(split.mean(axis=(2, 4)).reshape(count, -1))


def crop(image: Image, pose: TablePose, placement: Placement, grid: Grid, size_px: tuple[int, int]) -> Image:
    """The placement's rectangle of a picture in canonical form at `size_px`."""
    corners = pose.to_px(placement.corners_mm(grid.width_mm, grid.height_mm)).astype(np.float32)
    return warp_quad(image, corners, size_px)


def warp_quad(image: Image, corners: NDArray[np.float32], size_px: tuple[int, int]) -> Image:
    """The part of a picture between four corners, TL, TR, BR, BL."""
    width, height = size_px
    own = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]], np.float32)
    matrix = cv2.getPerspectiveTransform(own, corners)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    warped = cv2.warpPerspective(image, matrix, size_px, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return warped.astype(np.uint8, copy=False)


def look_at(image: Image, pose: TablePose, placement: Placement, grid: Grid, visible: Mask | None = None) -> Floats:
    """The full canonical description of what lies at a placement."""
    seen = None if visible is None or visible.all() else pixels_of(visible, grid)
    return describe(crop(image, pose, placement, grid, grid.size_px), grid.px_per_mm, 0.2, seen)


def blown_out(image: Image, pose: TablePose, placement: Placement, grid: Grid) -> Mask:
    """Cells in which a lamp's reflection has left nothing to see: white all over, without any drawing."""
    side = COARSE_PX * 2
    picture = crop(image, pose, placement, grid, (grid.columns * side, grid.rows * side))
    white = (picture.min(axis=2) >= _BLOWN_LEVEL).reshape(grid.rows, side, grid.columns, side)
    blown: Mask = (white.mean(axis=(1, 3)) > _BLOWN_SHARE).ravel()
    return blown


def lost_in_light(image: Image, pose: TablePose, placement: Placement, grid: Grid, scan: Image) -> Mask:
    """Cells of a card with this canonical picture that light has left nothing of.

    Where most of the card is white all over, that is its paper: faint marks are lost on it, but dark ones would show.
    """
    blown = blown_out(image, pose, placement, grid)
    if blown.mean() <= _MOST_BLOWN:
        return blown
    grey = cv2.cvtColor(scan, cv2.COLOR_BGR2GRAY)
    dark = grey < _DARK_INK * float(np.percentile(grey, 95))
    inked = dark.reshape(grid.rows, CELL_PX, grid.columns, CELL_PX).mean(axis=(1, 3)).ravel() > _INKED_SHARE
    lost: Mask = blown & ~inked
    return lost


def pixels_of(cells: Mask, grid: Grid, side: int = CELL_PX) -> Mask:
    """A mask of cells as a mask of canonical pixels."""
    return cells.reshape(grid.rows, grid.columns).repeat(side, axis=0).repeat(side, axis=1)


@lru_cache(maxsize=8)
def _pixel_places(columns: int, rows: int, side: int, width_mm: float, height_mm: float) -> tuple[Floats, Floats]:
    x = ((np.arange(columns * side) + 0.5) / (columns * side) - 0.5) * width_mm
    y = ((np.arange(rows * side) + 0.5) / (rows * side) - 0.5) * height_mm
    across, down = np.meshgrid(x.astype(np.float32), y.astype(np.float32))
    return across, down


def align_roughly(
    view: Image,
    origin_mm: tuple[float, float],
    placement: Placement,
    catalogue: Catalogue,
    reference: int,
    visible: Mask,
) -> tuple[Placement, float]:
    """Pulls a placement onto a reference's picture in the table view, from coarse to fine; returns the likeness there too."""
    like, start_deg = 0.0, placement.angle_deg
    for side, rounds in ((COARSE_PX, 4), (2 * COARSE_PX, 4)):
        system = catalogue.system(reference, side)
        for _ in range(rounds):
            described = look_in_view(view, origin_mm, placement, catalogue.grid, side, visible)
            step, like = system.step(described, visible, placement.angle_deg - start_deg)
            placement = _moved(placement, step)
            if abs(step[0]) + abs(step[1]) < 0.12 and abs(step[2]) < 0.002:
                break
    return placement, like


def align(
    image: Image, pose: TablePose, placement: Placement, target: Floats, grid: Grid, visible: Mask, rounds: int = 4
) -> tuple[Placement, Floats]:
    """Pulls a placement that is right within about a millimetre onto a reference's picture, in full detail.

    Returns the placement and the full description there, or less than 0.04 mm beside it.
    """
    system, start_deg = _System.of(target, grid, CELL_PX), placement.angle_deg
    described = look_at(image, pose, placement, grid, visible)
    for _ in range(rounds):
        step, _like = system.step(described, visible, placement.angle_deg - start_deg)
        placement = _moved(placement, step)
        if abs(step[0]) + abs(step[1]) < 0.04 and abs(step[2]) < 0.0006:
            # So little changes nothing that could be seen.
            break
        described = look_at(image, pose, placement, grid, visible)
    return placement, described


def look_in_view(
    view: Image,
    origin_mm: tuple[float, float],
    placement: Placement,
    grid: Grid,
    side: int,
    visible: Mask | None = None,
) -> Floats:
    """A canonical description at `side` pixels a cell, from the table view: cheap and coarse."""
    size = (grid.columns * side, grid.rows * side)
    corners = (placement.corners_mm(grid.width_mm, grid.height_mm) - np.array(origin_mm)) * VIEW_PX_PER_MM - 0.5
    seen = None if visible is None or visible.all() else pixels_of(visible, grid, side)
    return describe(warp_quad(view, corners.astype(np.float32), size), size[0] / grid.width_mm, 0.0, seen)


def as_picture(cells: Floats, grid: Grid) -> Floats:
    """Cells in full detail as one picture."""
    split = cells.reshape(grid.rows, grid.columns, CELL_PX, CELL_PX, 3).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(split.reshape(grid.rows * CELL_PX, grid.columns * CELL_PX, 3))


@dataclass(frozen=True, slots=True, eq=False)
class _System:
    """The reference's slopes at one scale, for moves (x mm, y mm, radians)."""

    target: Floats
    slopes: Floats
    """3 x values of all pixels: a row lies together, so that two of them are multiplied ten times as fast."""
    cells: Floats
    """1 x cells x values: the target in cells."""
    energy: Floats
    """1 x cells."""
    grid: Grid
    side: int

    @classmethod
    def of(cls, target: Floats, grid: Grid, side: int) -> _System:
        size = (grid.columns * side, grid.rows * side)
        small = _softened(target, size)
        step_x, step_y = grid.width_mm / size[0], grid.height_mm / size[1]
        across = cv2.Scharr(small, cv2.CV_32F, 1, 0) / (32 * step_x)
        down = cv2.Scharr(small, cv2.CV_32F, 0, 1) / (32 * step_y)
        x, y = _pixel_places(grid.columns, grid.rows, side, grid.width_mm, grid.height_mm)
        turn = down * x[..., None] - across * y[..., None]
        cells = in_cells(small, grid)[None]
        slopes = np.stack([across.ravel(), down.ravel(), turn.ravel()])
        return cls(small, slopes, cells, (cells * cells).sum(axis=2), grid, side)

    def step(self, described: Floats, visible: Mask, turned_deg: float) -> tuple[NDArray[np.float64], float]:
        """How far the placement must move for the picture to agree with the reference, and how alike they are now.

        `turned_deg` is how far the placement has been turned from where its outline was: what is printed on some cards, a disc
        in the middle, tells nothing of the angle, and noise would turn them round and round.
        """
        size = (self.target.shape[1], self.target.shape[0])
        small = _softened(described, size)
        like = compare(in_cells(small, self.grid), self.cells, self.energy)
        trust = np.clip(like.similarity[0], 0.05, 1.0) * visible
        weights = trust.reshape(self.grid.rows, self.grid.columns).repeat(self.side, 0).repeat(3 * self.side, 1)
        residual = np.clip(small - self.target, -0.35, 0.35)
        weighted = self.slopes * weights.ravel()
        outline = _ANGLE_BY_OUTLINE * (self.side / CELL_PX) ** 2
        normal = np.array([[np.dot(one, other) for other in weighted] for one in self.slopes], np.float64)
        normal[0, 0] += 1e-3
        normal[1, 1] += 1e-3
        normal[2, 2] += outline
        pull = (weighted @ residual.ravel()).astype(np.float64)
        pull[2] += outline * np.radians(turned_deg)
        # Picture minus reference grows where the picture's content lies to the left: the placement must follow it.
        move = np.linalg.solve(normal, pull)
        return np.minimum(np.maximum(-move, -_FARTHEST), _FARTHEST), float(like.scores(visible)[0])


def _softened(described: Floats, size: tuple[int, int]) -> Floats:
    if (described.shape[1], described.shape[0]) != size:
        described = cv2.resize(described, size, interpolation=cv2.INTER_AREA).astype(np.float32, copy=False)
    return cv2.GaussianBlur(described, (0, 0), 0.8).astype(np.float32, copy=False)


def _moved(placement: Placement, step: NDArray[np.float64]) -> Placement:
    turn = np.radians(placement.angle_deg)
    x = placement.x_mm + step[0] * np.cos(turn) - step[1] * np.sin(turn)
    y = placement.y_mm + step[0] * np.sin(turn) + step[1] * np.cos(turn)
    angle = placement.angle_deg + float(np.degrees(step[2]))
    return Placement(float(x), float(y), angle, placement.support, placement.weakest)

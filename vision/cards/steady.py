"""Reads the cards of one table again and again: only what changed is looked at; a reading stands until evidence is against it.

Every reading is kept by its place, with the picture that it was made on (vision.cards.changes). Where the next picture shows
the same, the reading stands as it is: two nearly equal readings never take turns. Around a change the scene is searched
anew, with what the unchanged cards account for left out. Of a card that something was laid over, what was known is
still known as long as a part of it lies there unchanged. A reading whose place changed in nothing that can be seen for sure
gives way to stronger evidence only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.changes import Backdrop, Changes
from vision.cards.features import Grid, in_cells
from vision.cards.identity import accounted_by
from vision.cards.matching import look_at
from vision.cards.outlines import Placement
from vision.cards.places import same_place
from vision.cards.reader import CardReader, by_place, report
from vision.cards.scene import Area, CardScene, Outlook
from vision.cards.search import Search
from vision.cards.settled import Settled
from vision.frame import Image
from vision.observation import CardReading, Point, Polygon
from vision.table import TablePose

Mask = NDArray[np.bool_]
Raster = NDArray[np.uint8]

_AROUND_MM = 8.0
"""How far from a change the middle of a card may lie that made it, beside the change's own box."""
_REACH_MM = 25.0
"""How far around that is looked at: a card that made the change shows by it."""
_MOST_OF_TABLE = 0.5
"""Share of the table from which on it is read as a whole."""
_OTHER_LIGHT = 1.5
"""So many times brighter or darker, a picture may show what could not be read before: all is read."""
_SAME_VIEW_PX = 0.15
_SAME_IGNORED_MM = 4.0
_LEAST_LEFT = 0.15
"""Share of a card's cells that must lie there unchanged for it to be still the same card under a cover."""
_COVERED = 0.9
"""Share of what changed on a card that a cover must explain."""
_STRONGER = 0.05
"""By so much a new reading's confidence must exceed that of one whose place has not visibly changed."""
_CELL_PROBES = 4


@dataclass(frozen=True, slots=True, eq=False)
class _Memory:
    """What was last believed of a table, and the picture that bears it out."""

    pose: TablePose
    ignored_mm: tuple[Polygon, ...]
    backdrop: Backdrop
    cards: tuple[Settled, ...]
    """In the order in which they were settled: what lies above before what it lies over, as far as that was seen."""
    told: tuple[CardReading, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Last:
    """The latest look, until it is kept."""

    image: Image
    pose: TablePose
    ignored_mm: tuple[Polygon, ...]
    cards: tuple[Settled, ...]
    told: tuple[CardReading, ...]
    changes: Changes | None
    """Since what is remembered; None where all was read."""


class SteadyReader:
    """A CardReader with a memory. One for each camera; `keep` what was read with nothing in the way."""

    def __init__(self, reader: CardReader) -> None:
        self._reader = reader
        self._memory: _Memory | None = None
        self._last: _Last | None = None

    def forget(self) -> None:
        """The next picture is of another table, or by another camera."""
        self._memory = self._last = None

    def keep(self) -> None:
        """Remembers the last look: nothing stood in its way."""
        last, memory = self._last, self._memory
        self._last = None
        if last is None:
            return
        if last.changes is None or memory is None or last.changes.upset_light:
            self._memory = _Memory(last.pose, last.ignored_mm, Backdrop(last.image), last.cards, last.told)
        elif last.changes.any:
            memory.backdrop.renew(last.image, last.changes)
            self._memory = replace(memory, cards=last.cards, told=last.told)

    def read(
        self, image: Image, pose: TablePose, ignore_mm: Sequence[Polygon] = (), hidden_mm: Sequence[Polygon] = ()
    ) -> tuple[CardReading, ...]:
        """The cards on the table, as `CardReader.read`."""
        memory = self._memory
        changes = None
        if memory is not None and _same_view(memory.pose, pose) and _same_areas(memory.ignored_mm, ignore_mm):
            changes = memory.backdrop.changes(image)
        if memory is None or changes is None or changes.brighter > _OTHER_LIGHT:
            return self._read_all(image, pose, ignore_mm, hidden_mm)
        changes = _where_cards_lie(changes, ignore_mm, hidden_mm, pose)
        if not changes.any:
            self._last = _Last(image, pose, tuple(ignore_mm), memory.cards, memory.told, changes)
            return memory.told
        again = _Again(self._reader, image, pose, (tuple(ignore_mm), tuple(hidden_mm)), changes)
        cards = again.read(memory.cards)
        if cards is None:
            return self._read_all(image, pose, ignore_mm, hidden_mm)
        told = self._told(cards, pose)
        self._last = _Last(image, pose, tuple(ignore_mm), cards, told, changes)
        return told

    def _read_all(
        self, image: Image, pose: TablePose, ignore_mm: Sequence[Polygon], hidden_mm: Sequence[Polygon]
    ) -> tuple[CardReading, ...]:
        cards = self._reader.settle(image, pose, ignore_mm, hidden_mm)
        told = self._told(cards, pose)
        self._last = _Last(image, pose, tuple(ignore_mm), cards, told, None)
        return told

    def _told(self, cards: Sequence[Settled], pose: TablePose) -> tuple[CardReading, ...]:
        told = [(report(card, self._reader.thresholds, pose), card) for card in cards]
        return tuple(reading for reading, _ in by_place(told))


class _Again:
    """One picture in which a part has changed since what is remembered."""

    def __init__(
        self,
        reader: CardReader,
        image: Image,
        pose: TablePose,
        areas_mm: tuple[tuple[Polygon, ...], tuple[Polygon, ...]],
        changes: Changes,
    ) -> None:
        self._reader = reader
        self._image = image
        self._pose = pose
        self._ignored, self._hidden = areas_mm
        self._changes = changes

    def read(self, remembered: Sequence[Settled]) -> tuple[Settled, ...] | None:
        """The cards now; None where so much changed that all had better be read."""
        touched = {id(card): self._touched(card, self._changes.hint) for card in remembered}
        released = [card for card in remembered if self._must_be_read(card, touched[id(card)])]
        boxes = _joined([*self._parts_mm(), *(_box_of(card) for card in released)])
        width, height = self._pose.table_mm
        if sum(w * h for _, _, w, h in boxes) > _MOST_OF_TABLE * width * height:
            return None
        cards = [card for card in remembered if card not in released]
        for box in boxes:
            here = [card for card in released if _inside(card.placement, box)]
            cards = self._read_around(box, cards, here, touched)
        return tuple(cards)

    def _must_be_read(self, card: Settled, touched: Mask) -> bool:
        """Whether what bore the card out changed, or what may bear out a doubtful one."""
        if not touched.any():
            return False
        return bool((touched & card.identity.accounted).any()) or not self._stated(card)

    def _stated(self, card: Settled) -> bool:
        return card.identity.reference >= 0 and card.identity.confidence >= self._reader.acting

    def _read_around(
        self, box: Area, standing: list[Settled], released: Sequence[Settled], touched: dict[int, Mask]
    ) -> list[Settled]:
        outlook = Outlook.of(self._image, self._pose, self._ignored, self._hidden, _grown(box, _AROUND_MM), _REACH_MM)
        near = [card for card in standing if _meet(_box_of(card), outlook.area_mm)]
        for card in near:
            outlook.claims.take(card.placement, card.catalogue.grid, card.identity.accounted)
        for card in near:
            seen = touched.get(id(card))
            if seen is not None and seen.any() and self._stated(card):
                standing[standing.index(card)] = self._with_more_in_sight(card, seen, outlook)
        scene = CardScene.of(outlook)
        found: list[Settled] = []
        wanted = self._changed_in(outlook) | self._lay_in(outlook, released)
        for catalogue in self._reader.catalogues:
            known = [card for card in (*standing, *found) if card.catalogue is catalogue]
            likely = [card.placement for card in released if card.catalogue is catalogue]
            found += Search(scene, catalogue, self._reader.thresholds, known).run(likely, wanted)
        return [*standing, *self._weighed(found, released, touched)]

    def _changed_in(self, outlook: Outlook) -> Mask:
        """Where the outlook's view may have changed, with the gaps between what differs."""
        height, width = outlook.claims.free.shape
        x, y = outlook.claims.origin_mm
        corners = np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], np.float64)
        quad = (self._pose.to_px(corners) + 0.5) / self._changes.px - 0.5
        own = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - np.float32(0.5)
        matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), own)
        mask = cv2.warpPerspective(self._changes.hint, matrix, (width, height), flags=cv2.INTER_LINEAR)
        whole: Mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8)) > 0
        return whole

    def _lay_in(self, outlook: Outlook, released: Sequence[Settled]) -> Mask:
        """Where the outlook shows cards that must be read again: all of each, however little of it changed."""
        places = np.zeros(outlook.claims.free.shape, np.uint8)
        for card in released:
            grid = card.catalogue.grid
            _fill(places, card.placement.corners_mm(grid.width_mm, grid.height_mm) - np.array(outlook.claims.origin_mm))
        lie: Mask = places > 0
        return lie

    def _with_more_in_sight(self, card: Settled, touched: Mask, outlook: Outlook) -> Settled:
        """A card that stands, with the cells that came into sight: they are its own where they look like it."""
        grid = card.catalogue.grid
        visible = card.identity.accounted | (touched & outlook.claims.visible(card.placement, grid))
        cells = in_cells(look_at(outlook.image, outlook.pose, card.placement, grid, visible), grid)
        more = accounted_by(cells, card.catalogue, card.identity.reference, visible)
        accounted = card.identity.accounted | more
        outlook.claims.take(card.placement, grid, accounted)
        return replace(card, identity=replace(card.identity, accounted=accounted))

    def _weighed(
        self, found: Sequence[Settled], released: Sequence[Settled], touched: dict[int, Mask]
    ) -> list[Settled]:
        """What was found, held against what was known at the same places."""
        cards = list(found)
        for card in released:
            width = card.catalogue.grid.width_mm
            at = next((i for i, new in enumerate(cards) if same_place(new.placement, card.placement, width)), None)
            new = None if at is None else cards[at]
            kept = self._stronger(card, new, touched[id(card)], found)
            if kept is None:
                continue
            if at is None:
                cards.append(kept)
            else:
                cards[at] = kept
        return cards

    def _stronger(self, old: Settled, new: Settled | None, touched: Mask, found: Sequence[Settled]) -> Settled | None:
        """The better founded of two readings of one place; None where neither is."""
        if not self._stated(old):
            return new
        accounted = old.identity.accounted
        if not (self._touched(old, self._changes.sure) & accounted).any():
            if new is None or new.identity.reference < 0:
                return old
            same = new.identity.reference == old.identity.reference
            if same or new.identity.confidence < min(1.0, old.identity.confidence + _STRONGER):
                return _as_before(old, new) if same else old
            return new
        left = accounted & ~touched
        if left.mean() < _LEAST_LEFT or not self._is_covered(old, accounted & touched, found, new):
            return new
        if new is not None and self._stated(new):
            return new
        return replace(old, identity=replace(old.identity, accounted=left))

    def _is_covered(self, card: Settled, cells: Mask, found: Sequence[Settled], new: Settled | None) -> bool:
        """Whether cards that were found, or what hides the table, lie over these cells."""
        over = np.zeros(self._changes.hint.shape, np.uint8)
        for other in found:
            if other is not new and self._stated(other):
                _fill(over, self._quad_px(other.placement, other.catalogue.grid))
        for polygon in self._hidden:
            _fill(over, self._pose.to_px(list(polygon)) / self._changes.px)
        under = self._touched(card, np.asarray(cv2.dilate(over, np.ones((3, 3), np.uint8)), np.uint8))
        return bool((under & cells).sum() >= _COVERED * cells.sum())

    def _quad_px(self, placement: Placement, grid: Grid) -> NDArray[np.float64]:
        corners = placement.corners_mm(grid.width_mm, grid.height_mm)
        return np.asarray((self._pose.to_px(corners) + 0.5) / self._changes.px, np.float64)

    def _touched(self, card: Settled, mask: Raster) -> Mask:
        """Which cells of a card the mask reaches into."""
        grid = card.catalogue.grid
        quad = self._quad_px(card.placement, grid)
        none = np.zeros(grid.rows * grid.columns, bool)
        low, high = np.floor(quad.min(axis=0)).astype(int).clip(0), np.ceil(quad.max(axis=0)).astype(int) + 1
        part = mask[low[1] : high[1], low[0] : high[0]]
        if not part.size or not cv2.countNonZero(part):
            return none
        width, height = grid.columns * _CELL_PROBES, grid.rows * _CELL_PROBES
        own = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        matrix = cv2.getPerspectiveTransform((quad - low - 0.5).astype(np.float32), own - np.float32(0.5))
        flat = cv2.warpPerspective(np.ascontiguousarray(part), matrix, (width, height), flags=cv2.INTER_LINEAR) > 0
        hit: Mask = flat.reshape(grid.rows, _CELL_PROBES, grid.columns, _CELL_PROBES).any(axis=(1, 3)).ravel()
        return hit

    def _parts_mm(self) -> list[Area]:
        boxes = []
        for x, y, w, h in self._changes.parts():
            corners = np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], np.float64) * self._changes.px
            boxes.append(_box(self._pose.to_mm(corners - 0.5)))
        return [box for box in boxes if _meet(box, (0.0, 0.0, *self._pose.table_mm))]


def _as_before(old: Settled, new: Settled) -> Settled:
    """The card where it lies now, as surely as it was known before."""
    if new.identity.confidence >= old.identity.confidence:
        return new
    known = replace(
        new.identity,
        confidence=old.identity.confidence,
        upright=max(old.identity.upright, new.identity.upright),
        candidates=old.identity.candidates,
        doubt=old.identity.doubt,
    )
    return replace(new, identity=known)


def _where_cards_lie(
    changes: Changes, ignored_mm: Sequence[Polygon], hidden_mm: Sequence[Polygon], pose: TablePose
) -> Changes:
    """What is hidden may have changed; where nothing is looked for nothing has."""
    if not ignored_mm and not hidden_mm:
        return changes
    hint, sure = changes.hint.copy(), changes.sure.copy()
    for mask in (hint, sure):
        for polygon in hidden_mm:
            _fill(mask, pose.to_px(list(polygon)) / changes.px)
        for polygon in ignored_mm:
            _fill(mask, pose.to_px(list(polygon)) / changes.px, 0)
    return replace(changes, hint=hint, sure=sure)


def _fill(mask: Raster, points: NDArray[np.float64], value: int = 255) -> None:
    if len(points) >= 3 and np.isfinite(points).all():
        cv2.fillPoly(mask, [points.round().clip(-9999, 9999).astype(np.int32)], value)


def _same_view(one: TablePose, other: TablePose) -> bool:
    """Whether the table lies in both pictures at the same place."""
    if one is other:
        return True
    width, height = one.table_mm
    corners: list[Point] = [(0, 0), (width, 0), (width, height), (0, height)]
    return one.table_mm == other.table_mm and bool(
        np.abs(one.to_px(corners) - other.to_px(corners)).max() < _SAME_VIEW_PX
    )


def _same_areas(some: Sequence[Polygon], others: Sequence[Polygon]) -> bool:
    if len(some) != len(others) or any(len(a) != len(b) for a, b in zip(some, others, strict=True)):
        return False
    gaps = [np.abs(np.asarray(a) - np.asarray(b)).max() for a, b in zip(some, others, strict=True)]
    return max(gaps, default=0.0) < _SAME_IGNORED_MM


def _box(points: NDArray[np.float64]) -> Area:
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return float(x0), float(y0), float(x1 - x0), float(y1 - y0)


def _box_of(card: Settled) -> Area:
    grid = card.catalogue.grid
    return _box(card.placement.corners_mm(grid.width_mm, grid.height_mm))


def _grown(box: Area, by: float) -> Area:
    x, y, w, h = box
    return x - by, y - by, w + 2 * by, h + 2 * by


def _meet(one: Area, other: Area) -> bool:
    return all(one[i] < other[i] + other[i + 2] and other[i] < one[i] + one[i + 2] for i in (0, 1))


def _inside(placement: Placement, box: Area) -> bool:
    x, y, w, h = box
    return x <= placement.x_mm <= x + w and y <= placement.y_mm <= y + h


def _joined(boxes: Sequence[Area]) -> list[Area]:
    """Boxes that meet made one, until none do."""
    done: list[Area] = []
    for box in boxes:
        whole = box
        while (other := next((one for one in done if _meet(_grown(one, _AROUND_MM), whole)), None)) is not None:
            done.remove(other)
            (x, y, w, h), (u, v, s, t) = whole, other
            left, top = min(x, u), min(y, v)
            whole = (left, top, max(x + w, u + s) - left, max(y + h, v + t) - top)
        done.append(whole)
    return done

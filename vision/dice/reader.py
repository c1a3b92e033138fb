"""Reads the dice of one still picture of a table: where each lies, how many sides it has, what its top face shows.

No empty table and no enrolled colour is needed. A reading is acted on at ACTING and above; below it the symbol, or the number of
sides, is None and the guesses are candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arena import NO_ARENA, Arena, find_arena
from vision.dice.colour import PaperWhite, colour_of
from vision.dice.enrolled import EnrolledDie
from vision.dice.eye import Eye, eye_of
from vision.dice.faces import lay_flat, symbol_of_face
from vision.dice.find import Overview, Place, find_places
from vision.dice.fit import DiePose, EdgeMap, fit_die, overlap, rough_fits, standing_out, weighed
from vision.dice.identify import ACTING, FaceReading, known_faces, read_face
from vision.frame import Image
from vision.hands import find_reach, hidden_areas
from vision.observation import DieReading, Polygon
from vision.table import TablePose

Floats = NDArray[np.float64]

PX_PER_MM = 4.0
WINDOW_MM = 44.0
USUAL_MM = 14.5
"""Height of most dice."""
_ASTRAY_MM = 8.0
"""How far from a die's middle a place may be: a hard shadow looks like a part of the die."""
_SURE_SCORE = 0.86
"""From here on no other start is tried."""
_LEAST_ROUGH = 0.45
"""Coarse score times standing out below which no die lies at a place."""
_DIE = (0.66, 0.02)
"""Edges times standing out at which a die and something else are equally likely, and the width of the change."""
LEAST_DIE = 0.5
_SAME_TOP = 0.7
"""Overlap from which on two poses show the same top face."""
_POSE_WIDTH = 0.012
"""By how much a pose must be worthier than another to be e times as likely."""
_OFF_CENTRE = (0.5, 0.06)
"""A symbol so far from its face's middle, in incircle radii, speaks against the pose by so much."""
_OVERLAP = 0.25
_CLEAR_ON_HAND = 0.72
"""How clear what lies on a hand must be to be a die."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundDie:
    """A die on the table, with its poses, worthiest first."""

    poses: tuple[DiePose, ...]
    edges: EdgeMap
    clear: float
    """Edges times standing out: how much like a die on its ground it is."""
    likely: float
    """0 to 1: that it is a die at all."""

    @property
    def best(self) -> DiePose:
        return self.poses[0]


@dataclass(frozen=True, slots=True)
class DiceReading:
    """All dice of a picture and the loop."""

    dice: tuple[DieReading, ...]
    """From left to right."""
    arena: Arena


class DiceReader:
    """Reads dice that bear the faces of `dice`; without any, it says where dice lie and nothing of their faces."""

    def __init__(self, dice: Sequence[EnrolledDie] = (), acting: float = ACTING) -> None:
        self.dice = tuple(dice)
        self.acting = acting

    def read(
        self, image: Image, pose: TablePose, hidden_mm: Sequence[Polygon] = (), arena: Arena | None = None
    ) -> DiceReading:
        """The dice and the loop. `hidden_mm`: what is known to be covered beside the hands that the picture shows; `arena`:
        the loop where it is known already."""
        hands = _hands(image, pose, hidden_mm)
        found = [die for die in find_dice(image, pose) if die.clear >= _CLEAR_ON_HAND or not _lies_on(die, hands)]
        if arena is None:
            arena = find_arena(image, pose, hands, [_outline(die) for die in found])
        white = PaperWhite(image, pose)
        readings = [self._reading(image, pose, die, arena, white) for die in found]
        return DiceReading(tuple(sorted(readings, key=lambda die: die.x_mm)), arena)

    def read_top(self, image: Image, pose: TablePose, x: float, y: float) -> DieReading | None:
        """The die whose middle is near a place of the table, mm; None where none is to be seen there."""
        eye = eye_of(pose, image.shape[1], image.shape[0])
        shown = eye.shown(np.array([x, y, USUAL_MM / 2]))
        die = _fitted(image, pose, eye, Place(float(shown[0]), float(shown[1]), 1.0))
        if die is None or die.likely < LEAST_DIE:
            return None
        return self._reading(image, pose, die, NO_ARENA, PaperWhite(image, pose))

    def _reading(self, image: Image, pose: TablePose, die: FoundDie, arena: Arena, white: PaperWhite) -> DieReading:
        sides, sure = _sides(die)
        face = self._face(image, pose, die)
        confidence = face.confidence * die.likely * (sure if sides is not None else 1.0)
        best = die.best
        return DieReading(
            sides=sides if sure >= self.acting else None,
            symbol=face.candidates[0][0] if face.candidates and confidence >= self.acting else None,
            x_mm=best.x,
            y_mm=best.y,
            inside=arena.inside(best.x, best.y),
            colour=colour_of(die.edges, best, white),
            confidence=confidence,
            candidates=face.candidates,
            outline_px=tuple((float(u), float(v)) for u, v in pose.to_px(best.outline())),
        )

    def _face(self, image: Image, pose: TablePose, die: FoundDie) -> FaceReading:
        """The top face over all the poses that may be the true one, each by its likelihood."""
        shares: dict[str, float] = {}
        weighed = []
        for tried in distinct_tops(die.poses):
            view = lay_flat(image, pose.to_px(tried.shown_top()), tried.top())
            read = read_face(view, known_faces(self.dice, tried.sides))
            symbol = symbol_of_face(view) if read.candidates and read.candidates[0][0] != "blank" else None
            astray = symbol is not None and float(np.hypot(*symbol.offset)) > _OFF_CENTRE[0]
            weighed.append((tried.worth - (_OFF_CENTRE[1] if astray else 0.0), read))
        most = max((worth for worth, _ in weighed), default=0.0)
        weights = np.array([np.exp((worth - most) / _POSE_WIDTH) for worth, _ in weighed])
        for weight, (_, read) in zip(weights / max(float(weights.sum()), 1e-9), weighed, strict=True):
            for name, share in read.candidates:
                shares[name] = shares.get(name, 0.0) + float(weight) * share
        ranked = tuple(sorted(shares.items(), key=lambda each: -each[1])[:4])
        if not ranked:
            return FaceReading(None, 0.0, ())
        return FaceReading(ranked[0][0], ranked[0][1], ranked)


def find_dice(image: Image, pose: TablePose) -> list[FoundDie]:
    """Every die on the table, likeliest first, no two in one place."""
    eye = eye_of(pose, image.shape[1], image.shape[0])
    view = Overview.of_table(image, pose)
    tried = [_fitted(image, pose, eye, place) for place in find_places(view)]
    found = sorted((die for die in tried if die is not None and die.likely >= LEAST_DIE), key=lambda die: -die.likely)
    kept: list[FoundDie] = []
    for die in found:
        if all(overlap(die.best.outline(), other.best.outline()) < _OVERLAP for other in kept):
            kept.append(die)
    return kept


def _fitted(image: Image, pose: TablePose, eye: Eye, place: Place) -> FoundDie | None:
    left, top = place.x - WINDOW_MM / 2, place.y - WINDOW_MM / 2
    window = pose.rectify(image, PX_PER_MM, (left, top, WINDOW_MM, WINDOW_MM))
    edges = EdgeMap(window, PX_PER_MM, (left, top))
    x, y = eye.foot(place.x, place.y, USUAL_MM / 2)
    poses: list[DiePose] = []
    for rough in rough_fits(edges, eye, x, y, USUAL_MM, spread=_ASTRAY_MM, most=2):
        if rough.score * standing_out(edges, rough) < _LEAST_ROUGH:
            break
        poses += fit_die(edges, eye, rough.x, rough.y, rough.height, spread=2.0)
        if poses[0].score >= _SURE_SCORE:
            break
    if not poses:
        return None
    poses = weighed(edges, poses)
    clear = poses[0].score * standing_out(edges, poses[0])
    likely = float(1 / (1 + np.exp(-(clear - _DIE[0]) / _DIE[1])))
    return FoundDie(tuple(poses), edges, clear, likely)


def _hands(image: Image, pose: TablePose, hidden_mm: Sequence[Polygon]) -> tuple[Polygon, ...]:
    """What is hidden: by what reaches in, and what is known to be."""
    reach = find_reach(image, pose)
    return tuple(hidden_mm) if reach is None else (*hidden_mm, *hidden_areas(reach, pose))


def _lies_on(die: FoundDie, areas: Sequence[Polygon]) -> bool:
    """Whether most of what was found lies on a hand: knuckles have edges all round too."""
    outline = die.best.outline()
    places = np.vstack([outline, (outline + outline.mean(axis=0)) / 2])
    covered = [
        any(cv2.pointPolygonTest(np.asarray(area, np.float32), (float(x), float(y)), False) >= 0 for area in areas)
        for x, y in places
    ]
    return float(np.mean(covered)) > 0.5


def _outline(die: FoundDie) -> Polygon:
    return tuple((float(x), float(y)) for x, y in die.best.outline())


def _sides(die: FoundDie) -> tuple[int | None, float]:
    """The number of sides, and how sure it is."""
    best = die.best
    other = max((pose.worth for pose in die.poses if pose.sides != best.sides), default=-1.0)
    return best.sides, float(1 / (1 + np.exp(-(best.worth - other) / _POSE_WIDTH)))


def distinct_tops(poses: Sequence[DiePose]) -> list[DiePose]:
    """The poses, worthiest first, without those that show the same top face as a worthier one."""
    kept: list[DiePose] = []
    for pose in poses:
        if all(overlap(pose.shown_top(), other.shown_top()) < _SAME_TOP for other in kept):
            kept.append(pose)
        if len(kept) == 4:
            break
    return kept


def placed_in(arena: Arena, dice: Sequence[DieReading]) -> tuple[DieReading, ...]:
    """The dice, told anew whether they are inside."""
    return tuple(replace(die, inside=arena.inside(die.x_mm, die.y_mm)) for die in dice)

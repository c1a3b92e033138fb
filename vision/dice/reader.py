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
from vision.dice.cover import Cover
from vision.dice.edges import OUTLINE_WEIGHT, EdgeMap
from vision.dice.enrolled import BLANK, EnrolledDie
from vision.dice.eye import Eye, eye_of, eyes_of
from vision.dice.find import Overview, Place, find_places
from vision.dice.fit import USUAL_REACH, DiePose, fit_die, refit, rough_fits, standing_out, weighed
from vision.dice.identify import ACTING, known_faces
from vision.dice.silhouette import Silhouette, overlap, silhouette_in
from vision.dice.solids import LYING_AREA
from vision.dice.tilt import LEANS, LEANS_BY_HAND, LEANS_WITH_SYMBOL, leaning
from vision.dice.tops import Top, distinct_tops, over_all, read_tops
from vision.frame import Image
from vision.hands import find_reach, hidden_areas
from vision.observation import DieDoubt, DieReading, Polygon
from vision.table import TablePose

Floats = NDArray[np.float64]

PX_PER_MM = 4.0
WINDOW_MM = 44.0
_MIDDLE = slice(round(0.3 * WINDOW_MM * PX_PER_MM), round(0.7 * WINDOW_MM * PX_PER_MM))
_ALL_HAND = 0.85
"""Share of a place that is a hand's, where no die can be made out."""
USUAL_MM = 14.5
"""Height of most dice."""
_ASTRAY_MM = 8.0
"""How far from a die's middle a place may be: a hard shadow looks like a part of the die."""
_OFF_PLACE_MM = 7.0
"""A die so far off the place where it was looked for is looked at anew from its own."""
_SURE_CLEAR = 0.86
"""From here on no other start is tried."""
_SURE_OFF = 0.06
"""And only to here may its outline be off the die's."""
_RIVAL = 0.9
"""How near to the best start another one must come to be tried as well."""
_LEAST_ROUGH = 0.45
"""Coarse score times standing out below which no die lies at a place."""
_DIE = (0.63, 0.015)
"""Edges times standing out at which a die and something else are equally likely, and the width of the change."""
_HALF_BARE, _BARE = 0.7, 0.95
"""Share of a die in sight below which it must be the clearest, and from which on as clear as any."""
_CLEARER = 0.17
"""By how much: what a hand leaves of a die is easily taken for a smaller one some millimetres away."""
_SIDES_SURE, _SIDES_SURER = 0.95, 0.99
"""How likely a number of sides must be to be told; and of a die that stands out less, whose shadow may pass for a part of it."""
_STANDS_OUT = 0.96
_FACES = (0.27, 0.025)
"""The same of the edges between faces alone, and of each face's even light: coins and knuckles have neither."""
_EVEN_FACES, _MOST_EVEN = 0.5, 0.3
"""What even light counts beside those edges, and how much of it is as good as any more."""
_BORNE_OUT, _SIZED = 0.08, 0.3
"""By how much a die whose outline is known by its colour may be less clear, and from which share of the directions in which both
of its ends show: what peeps out from under a hand fits many a smaller die."""
_UNSIZED = 0.3
"""What an outline counts that shows no two opposite ends."""
_OFF_OUTLINE = (0.04, 0.08)
"""And how far off it that may be at most: borne out, and not at all."""
_BLANK_WORTH = (0.765, 0.006)
"""What a pose must be worth for its top to be told blank, and the width of the change: in a wrong pose any face is bare."""
_SYMBOL_TELLS = 60.0
"""How much likelier a known symbol right in the middle of a top face makes it that there is a die."""
LEAST_DIE = 0.5
_MAYBE_DIE = 0.01
"""Seen from a wrong place of the camera, a die is no likelier than this."""
_SURELY_FLAT = 0.87
"""A flat pose whose edges are so well borne out needs no comparison with tilted ones."""
_TILTED_TOP = 0.5
"""What the top face of a tilted die's best flat pose counts: it is no top."""
_OVERLAP = 0.25
_EYE_POSES = 3
_EYES = 15
"""So many heights of the camera are thought of where no lens is known."""
_EYE_DOUBT = 9.0
"""What may speak against a height, beside the best, for the dice to be asked."""
_TELLS_EYE, _TELLS_EYE_BARE = 0.75, 0.9
"""Dice with clearer edges than this, from where they are seen best, tell the camera's height."""
_MAY_TELL_EYE = 0.6
"""And as clear as this they must be from a wrong place: one far from the point under the camera is borne out badly from there."""
_SCORE_WIDTH = 0.012
_SAME_EYE = 0.02
_USUAL_LEAST_MM = 12.5
"""Few dice are smaller, knuckles and the gaps between fingers are."""
_LEAST_BARE = 0.37
"""Share of a die that a hand must leave to be seen."""
_BESIDE_HAND = 0.8
"""Share of a pose in sight from which on it ends where the hand begins."""
_OFF_BY_HAND = 0.05
"""What speaks against the flat pose of a die that a hand touches, by its outline, from which on it is thought to lean there."""
_OFF_WHEN_HELD = 0.07
"""The same from which on it is told no bare top, whether it leans or not: what lies flat there is off by 0.03, seldom 0.05."""
_OWN_OUTLINE = 0.5
"""Share of the directions in which both ends of something must show for a leaning die to be told by its outline."""
_CLEAR_ON_HAND = 0.7
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
    hidden_mm: tuple[Polygon, ...] = ()
    """What hands and things over the table hide of it."""


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
        maybe = [self._with_tops(image, pose, die) for die in find_dice(image, pose, hands, _MAYBE_DIE)]
        found = [(die, tops) for die, tops in maybe if self._is_found(die, self._told(tops), hands)]
        if arena is None:
            arena = find_arena(image, pose, hands, [_outline(die) for die, _ in found])
        white = PaperWhite(image, pose)
        readings = [self._reading(pose, die, tops, arena, white) for die, tops in found]
        return DiceReading(tuple(sorted(readings, key=lambda die: die.x_mm)), arena, hands)

    def read_top(self, image: Image, pose: TablePose, x: float, y: float) -> DieReading | None:
        """The die whose middle is near a place of the table, mm; None where none is to be seen there."""
        eye = eye_of(pose, image.shape[1], image.shape[0])
        shown = eye.shown(np.array([x, y, USUAL_MM / 2]))
        die = _fitted(image, pose, eye, Place(float(shown[0]), float(shown[1]), 1.0))
        if die is None:
            return None
        die, tops = self._with_tops(image, pose, die)
        if die.likely < LEAST_DIE:
            return None
        return self._reading(pose, die, tops, NO_ARENA, PaperWhite(image, pose))

    def _with_tops(self, image: Image, pose: TablePose, die: FoundDie) -> tuple[FoundDie, list[Top]]:
        """The die, as likely as what is on its top face makes it, and its tops."""
        tops = read_tops(image, die.poses, pose.to_px, self.dice, die.edges, _bare_share(die))
        tells = 1 + _SYMBOL_TELLS * sum(top.weight * top.read.centred for top in tops)
        return replace(die, likely=die.likely * tells / (1 - die.likely + die.likely * tells)), tops

    def _reading(
        self, pose: TablePose, die: FoundDie, tops: Sequence[Top], arena: Arena, white: PaperWhite
    ) -> DieReading:
        best = die.best
        sure = sum(top.weight for top in tops if top.pose.sides == best.sides)
        needed = _SIDES_SURE if die.clear >= _STANDS_OUT * best.score else _SIDES_SURER
        ranked = over_all(tops)
        tilted = best.score < _SURELY_FLAT and _leans(die, self._told(tops))
        confidence = die.likely * (ranked[0][1] if ranked else 0.0) * (_TILTED_TOP if tilted else 1.0)
        if ranked and ranked[0][0] == BLANK:
            confidence *= _step(best.worth, _BLANK_WORTH) * (_TILTED_TOP if _held_askew(die, _OFF_WHEN_HELD) else 1.0)
        colour = colour_of(die.edges, best, white)
        unknown = sum(top.weight * top.read.unknown for top in tops)
        reading = DieReading(
            sides=best.sides if sure >= max(self.acting, needed) and not _unsized(die) and not tilted else None,
            symbol=ranked[0][0] if ranked and confidence >= self.acting else None,
            x_mm=best.x,
            y_mm=best.y,
            inside=arena.inside(best.x, best.y),
            colour=colour,
            confidence=confidence,
            candidates=ranked,
            outline_px=_polygon(pose, best.outline()),
            top_px=_polygon(pose, best.shown_top()),
        )
        return replace(reading, doubts=self._doubts(reading, arena, tilted=tilted, unknown=unknown))

    def _told(self, tops: Sequence[Top]) -> str | None:
        """What lies on top for sure, if there is a die."""
        name, share = max(over_all(tops), key=lambda each: each[1], default=("", 0.0))
        return name if share >= self.acting else None

    def _is_found(self, die: FoundDie, told: str | None, hands: Sequence[Polygon]) -> bool:
        """Whether it is a die to be told of: one that may lie flat and is in sight, or one that leans."""
        flat = die.likely >= LEAST_DIE and self._is_seen(die, told, hands)
        return flat or (told in {None, BLANK} and _surely_leans(die))

    def _is_seen(self, die: FoundDie, told: str | None, hands: Sequence[Polygon]) -> bool:
        """Whether it is no part of a hand, and enough of it shows to say where it lies.

        No hand bears a known symbol, nor would a smaller die than there is have one right in the middle of its top; a bare side
        of a larger die may well pass for its top.
        """
        if told not in {None, BLANK}:
            return True
        return not _peeps_out(die) and (not _lies_on(die, hands) or _clear_on_hand(die))

    def _doubts(self, die: DieReading, arena: Arena, *, tilted: bool, unknown: float) -> tuple[DieDoubt, ...]:
        foreign = bool(self.dice) and (
            unknown >= self.acting or (die.sides is not None and not known_faces(self.dice, die.sides))
        )
        unclear = die.sides is None or (die.symbol is None and bool(self.dice))
        found = [
            (DieDoubt.ON_STRING, arena.is_one and die.inside is None),
            (DieDoubt.TILTED, tilted),
            (DieDoubt.FOREIGN, foreign and not tilted),
            (DieDoubt.UNCLEAR, unclear and not tilted and not foreign),
        ]
        return tuple(doubt for doubt, there in found if there)


def find_dice(
    image: Image, pose: TablePose, hands_mm: Sequence[Polygon] = (), least: float = LEAST_DIE
) -> list[FoundDie]:
    """Every die on the table that is so likely one, clearest first, no two in one place.

    `hands_mm`: where hands are, which may cover dice in part.
    """
    eyes = eyes_of(pose, image.shape[1], image.shape[0], _EYES)
    eye = eye_of(pose, image.shape[1], image.shape[0])
    view = Overview.of_table(image, pose)
    cover = Cover.of(view, hands_mm)
    found = _apart([_fitted(image, pose, eye, place, cover) for place in find_places(view)], _MAYBE_DIE)
    found = [
        die for die in found if _bare_share(die) >= _LEAST_BARE and not view.is_blocked(die.best.outline().mean(axis=0))
    ]
    better = _settled_eye(eye, eyes, found)
    return _apart(found if better is eye else [_seen_from(better, die) for die in found], least)


def _apart(tried: Sequence[FoundDie | None], least: float) -> list[FoundDie]:
    """Those that are so likely, clearest first, no two in one place."""
    kept: list[FoundDie] = []
    likely = [die for die in tried if die is not None and die.likely >= least]
    outlines = [die.edges.silhouette for die in likely if die.edges.silhouette is not None]
    whole = [outline for outline in outlines if outline.whole]
    for die in sorted(likely, key=lambda die: _off_outlines(die, whole) - die.clear):
        if all(overlap(die.best.outline(), other.best.outline()) < _OVERLAP for other in kept):
            kept.append(die)
    return kept


def _off_outlines(die: FoundDie, known: Sequence[Silhouette]) -> float:
    """What speaks against a die by its outline, as told around it or, where nothing was to be told there, around another place
    that shows the same die."""
    if die.edges.silhouette is not None:
        return die.best.off
    here = [outline for outline in known if overlap(die.best.outline(), outline.hull_mm) >= _OVERLAP]
    return max((OUTLINE_WEIGHT * float(each.misfits(die.best.shown()[None])[0]) for each in here), default=die.best.off)


def _settled_eye(eye: Eye, eyes: Sequence[tuple[Eye, float]], dice: Sequence[FoundDie]) -> Eye:
    """The camera's place as the dice tell it, where the table's corners leave its height open: how far a die leans outward."""
    least = min(cost for _, cost in eyes)
    open_ones = [(each, cost - least) for each, cost in eyes if cost - least < _EYE_DOUBT]
    if len(open_ones) < 2:
        return eye
    whole = [die for die in dice if die.best.score >= _MAY_TELL_EYE and _bare_share(die) >= _TELLS_EYE_BARE]
    scores = [[_score_from(each, die) for each, _ in open_ones] for die in whole]
    told = np.array([of_die for of_die in scores if max(of_die) >= _TELLS_EYE])
    if not told.size:
        return eye
    worths = told.sum(axis=0) / _SCORE_WIDTH - np.array([cost for _, cost in open_ones]) / 2
    weights = np.exp(worths - worths.max())
    weights /= weights.sum()
    settled = Eye(
        float(weights @ [each.x for each, _ in open_ones]),
        float(weights @ [each.y for each, _ in open_ones]),
        float(np.exp(weights @ [np.log(each.height) for each, _ in open_ones])),
    )
    return settled if abs(np.log(settled.height / eye.height)) > _SAME_EYE else eye


def _score_from(eye: Eye, die: FoundDie) -> float:
    """What share of its edges is borne out from another place of the camera."""
    return max(refit(die.edges, tried, eye).score for tried in distinct_tops(die.poses)[:_EYE_POSES])


def _seen_from(eye: Eye, die: FoundDie) -> FoundDie:
    """The same die, its pose sought anew from another place of the camera."""
    start = refit(die.edges, die.best, eye)
    poses = fit_die(die.edges, eye, start.x, start.y, start.height, spread=1.5)
    if not _is_sure(die.edges, poses[0]):
        # From a wrong place another pose may have looked better: that one leads nowhere.
        poses += _from_roughs(die.edges, eye, start.x, start.y)
    return _judged(die.edges, weighed(die.edges, poses))


def _fitted(
    image: Image, pose: TablePose, eye: Eye, place: Place, cover: Cover | None = None, *, again: bool = True
) -> FoundDie | None:
    left, top = place.x - WINDOW_MM / 2, place.y - WINDOW_MM / 2
    window = pose.rectify(image, PX_PER_MM, (left, top, WINDOW_MM, WINDOW_MM))
    covered = cover.over(window, PX_PER_MM, (left, top)) if cover is not None else None
    if covered is not None and float((covered[_MIDDLE, _MIDDLE] > 0).mean()) > _ALL_HAND:
        return None
    silhouette = silhouette_in(window, PX_PER_MM, (left, top), (place.x, place.y), covered)
    edges = EdgeMap(window, PX_PER_MM, (left, top), covered, silhouette)
    x, y = eye.foot(place.x, place.y, USUAL_MM / 2)
    poses = _from_roughs(edges, eye, x, y)
    if not poses:
        return None
    die = _judged(edges, weighed(edges, poses))
    x, y = (float(part) for part in die.best.outline().mean(axis=0))
    if again and np.hypot(x - place.x, y - place.y) > _OFF_PLACE_MM:
        # The place was its shadow, or another thing beside it.
        nearer = _fitted(image, pose, eye, replace(place, x=x, y=y), cover, again=False)
        return die if nearer is None else nearer
    return die


def _from_roughs(edges: EdgeMap, eye: Eye, x: float, y: float) -> list[DiePose]:
    """Poses from the best coarse starts around a place; none where nothing looks like a die even from afar."""
    poses = _from_silhouette(edges, eye)
    if poses and _is_sure(edges, poses[0]):
        return poses
    least = _LEAST_ROUGH
    for rough in rough_fits(edges, eye, x, y, USUAL_MM, spread=_ASTRAY_MM, most=2):
        worth = rough.score * standing_out(edges, rough)
        if worth < least:
            break
        found = fit_die(edges, eye, rough.x, rough.y, rough.height, spread=2.0)
        poses += found
        if _is_sure(edges, found[0]):
            break
        least = _RIVAL * worth
    return poses


def _from_silhouette(edges: EdgeMap, eye: Eye) -> list[DiePose]:
    """Poses of the die whose outline the colours tell; none where they don't, or something hides a part of it."""
    silhouette = edges.silhouette
    if silhouette is None or not silhouette.whole:
        return []
    height = float(np.clip(np.sqrt(silhouette.area_mm2 / LYING_AREA), *USUAL_REACH.heights_mm))
    x, y = eye.foot(*silhouette.middle_mm, height / 2)
    return fit_die(edges, eye, x, y, height, spread=2.0)


def _is_sure(edges: EdgeMap, pose: DiePose) -> bool:
    """Whether no other start need be tried."""
    return pose.score * standing_out(edges, pose) >= _SURE_CLEAR and pose.off < _SURE_OFF


def _judged(edges: EdgeMap, poses: Sequence[DiePose]) -> FoundDie:
    clear = poses[0].score * standing_out(edges, poses[0])
    hidden = (_BARE - _bare_of(edges, poses[0])) / (_BARE - _HALF_BARE)
    middle, width = _DIE
    borne_out = _borne_out(edges, poses[0])
    needed = middle + _CLEARER * float(np.clip(hidden, 0.0, 1.0)) * (1 - borne_out) - _BORNE_OUT * borne_out
    faces = poses[0].inner(edges) + _EVEN_FACES * float(np.clip(poses[0].even, 0.0, _MOST_EVEN))
    likely = _step(clear, (needed, width)) * _step(faces, _FACES)
    return FoundDie(tuple(poses), edges, clear, likely)


def _borne_out(edges: EdgeMap, pose: DiePose) -> float:
    """0 to 1: how far a die's outline by its colour says that it is there, and of this size."""
    if edges.silhouette is None:
        return 0.0
    least, most = _OFF_OUTLINE
    fits = float(np.clip((most - pose.off) / (most - least), 0.0, 1.0))
    return fits * (_UNSIZED + (1 - _UNSIZED) * min(edges.silhouette.sized / _SIZED, 1.0))


def _step(value: float, even: tuple[float, float]) -> float:
    middle, width = even
    return float(1 / (1 + np.exp(-np.clip((value - middle) / width, -40, 40))))


def _hands(image: Image, pose: TablePose, hidden_mm: Sequence[Polygon]) -> tuple[Polygon, ...]:
    """What is hidden: by what reaches in, and what is known to be."""
    reach = find_reach(image, pose)
    return tuple(hidden_mm) if reach is None else (*hidden_mm, *hidden_areas(reach, pose))


def _clear_on_hand(die: FoundDie) -> bool:
    silhouette = die.edges.silhouette
    if silhouette is not None and die.best.off < _SURE_OFF and silhouette.sized >= _SIZED:
        # It has an outline of its own, in a colour that is not the hand's: it shows between fingers.
        return True
    return die.clear >= (_CLEAR_ON_HAND if die.best.height >= _USUAL_LEAST_MM else _SURE_CLEAR)


def _leans(die: FoundDie, told: str | None) -> bool:
    """Whether a tilted pose explains a die so much better than a flat one, with that face up, that it must be tilted."""
    by_itself = LEANS_BY_HAND if _held_askew(die, _OFF_BY_HAND) else LEANS
    least = by_itself if told in {None, BLANK} else LEANS_WITH_SYMBOL
    return leaning(die.edges, die.best).gain >= least


def _held_askew(die: FoundDie, off: float) -> bool:
    """Whether something touches a die whose outline speaks by more than `off` against every flat pose, and its edges are none's
    for sure: its bare top may be a side."""
    silhouette = die.edges.silhouette
    touched = _bare_share(die) < 1 or (silhouette is not None and not silhouette.whole)
    return touched and die.best.off > off and die.best.score < _SURELY_FLAT


def _surely_leans(die: FoundDie) -> bool:
    """Whether what has an outline of its own, on a hand or off it, is a die that leans.

    No flat one explains it, so nothing that is asked of flat ones says whether it is one.
    """
    silhouette = die.edges.silhouette
    if silhouette is None or silhouette.sized < _OWN_OUTLINE or die.best.score >= _SURELY_FLAT:
        return False
    lean = leaning(die.edges, die.best)
    return lean.gain >= LEANS and _step(lean.worth, _DIE) * _step(lean.inner, _FACES) >= LEAST_DIE


def _unsized(die: FoundDie) -> bool:
    """Whether a hand ends what shows of it, no two opposite ends show, and the pose ends beside the hand rather than under it: a
    smaller die than there is explains it as well."""
    return _peeps_out(die) and _bare_share(die) > _BESIDE_HAND


def _peeps_out(die: FoundDie) -> bool:
    """Whether no two opposite ends of what shows beside a hand are its own: dice of many sizes explain it, each with its middle
    elsewhere."""
    silhouette = die.edges.silhouette
    return silhouette is not None and not silhouette.whole and silhouette.sized == 0


def _bare_share(die: FoundDie) -> float:
    """Share of what is taken for a die over which no hand lies."""
    return _bare_of(die.edges, die.best)


def _bare_of(edges: EdgeMap, pose: DiePose) -> float:
    cover = edges.cover
    if cover is None:
        return 1.0
    inside = np.zeros(cover.shape, np.uint8)
    cv2.fillPoly(inside, [np.rint(edges.px(pose.outline())).astype(np.int32)], 255)
    return float((cover[inside > 0] == 0).mean()) if inside.any() else 0.0


def _lies_on(die: FoundDie, areas: Sequence[Polygon]) -> bool:
    """Whether most of what was found lies on a hand: knuckles have edges all round too."""
    outline = die.best.outline()
    places = np.vstack([outline, (outline + outline.mean(axis=0)) / 2])
    covered = [
        any(cv2.pointPolygonTest(np.asarray(area, np.float32), (float(x), float(y)), False) >= 0 for area in areas)
        for x, y in places
    ]
    return float(np.mean(covered)) > 0.5


def _polygon(pose: TablePose, points_mm: Floats) -> Polygon:
    return tuple((float(u), float(v)) for u, v in pose.to_px(points_mm))


def _outline(die: FoundDie) -> Polygon:
    return tuple((float(x), float(y)) for x, y in die.best.outline())


def placed_in(arena: Arena, dice: Sequence[DieReading]) -> tuple[DieReading, ...]:
    """The dice, told anew whether they are inside."""
    return tuple(replace(die, inside=arena.inside(die.x_mm, die.y_mm)) for die in dice)

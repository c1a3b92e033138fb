"""Where the table is: four ArUco markers to a homography, and a rectified view in millimetres.

Markers are DICT_4X4_50, ids 0 to 3 at the top left, top right, bottom right and bottom left of the table rectangle, 40 mm
black squares whose black outer corner lies on the rectangle's corner (architecture, Contracts).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import BadPictureError, BadTableSizeError, PoseLostError
from vision.frame import Image
from vision.markers import IDS, Patch, best_of, find_markers, find_near, patch_of, unchanged
from vision.observation import Point, Polygon, PoseState, Quad

MARKER_MM = 40.0

Points = NDArray[np.float64]
"""N x 2, in mm or px."""


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """A lens's distortion in OpenCV's model. All-zero coefficients are a perfect lens."""

    matrix: NDArray[np.float64]
    """3 x 3 camera matrix, px."""
    coefficients: NDArray[np.float64]
    """k1, k2, p1, p2, k3."""

    def undistort(self, points_px: Points) -> Points:
        """Where a perfect lens would have put these points of the picture, px."""
        flat = np.asarray(points_px, np.float64).reshape(-1, 1, 2)
        return (
            cv2.undistortPoints(flat, self.matrix, self.coefficients, P=self.matrix).reshape(-1, 2).astype(np.float64)
        )

    def distort(self, points_px: Points) -> Points:
        """The reverse of `undistort`."""
        rays = cv2.undistortPoints(np.asarray(points_px, np.float64).reshape(-1, 1, 2), self.matrix, np.zeros(5))
        solid = cv2.convertPointsToHomogeneous(rays.reshape(-1, 1, 2))
        return (
            cv2.projectPoints(solid, np.zeros(3), np.zeros(3), self.matrix, self.coefficients)[0]
            .reshape(-1, 2)
            .astype(np.float64)
        )


@dataclass(frozen=True, slots=True, eq=False)
class TablePose:
    """The map between a picture and the table."""

    to_mm_matrix: NDArray[np.float64]
    """3 x 3 homography from undistorted picture px to table mm."""
    table_mm: tuple[float, float]
    state: PoseState
    lens: Lens | None = None
    warnings: tuple[str, ...] = ()

    def to_mm(self, points_px: Points | Sequence[Point]) -> Points:
        """Table mm of points of the picture, N x 2."""
        points = np.asarray(points_px, np.float64).reshape(-1, 2)
        if self.lens is not None:
            points = self.lens.undistort(points)
        return cv2.perspectiveTransform(points.reshape(-1, 1, 2), self.to_mm_matrix).reshape(-1, 2).astype(np.float64)

    def to_px(self, points_mm: Points | Sequence[Point]) -> Points:
        """Picture px of points of the table, N x 2."""
        inverse = np.linalg.inv(self.to_mm_matrix)
        flat = np.asarray(points_mm, np.float64).reshape(-1, 1, 2)
        points = cv2.perspectiveTransform(flat, inverse).reshape(-1, 2).astype(np.float64)
        return self.lens.distort(points) if self.lens is not None else points

    def rectify(
        self, image: Image, px_per_mm: float, area_mm: tuple[float, float, float, float] | None = None
    ) -> Image:
        """The table seen from straight above.

        `area_mm` is x, y, width, height on the table (it may reach past the rectangle); the whole rectangle by default. The
        middle of pixel (u, v) of the result shows the point (x + (u + 0.5) / px_per_mm, y + (v + 0.5) / px_per_mm) mm.
        """
        x, y, width, height = area_mm if area_mm is not None else (0.0, 0.0, *self.table_mm)
        size = (round(width * px_per_mm), round(height * px_per_mm))
        if self.lens is None:
            # warpPerspective wants the map from result pixels to picture pixels; pixel middles are at +0.5.
            to_mm = np.array(
                [[1 / px_per_mm, 0, x + 0.5 / px_per_mm], [0, 1 / px_per_mm, y + 0.5 / px_per_mm], [0, 0, 1]]
            )
            matrix = np.linalg.inv(self.to_mm_matrix) @ to_mm
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            return cv2.warpPerspective(image, matrix, size, flags=flags).astype(np.uint8, copy=False)
        u, v = np.meshgrid(x + (np.arange(size[0]) + 0.5) / px_per_mm, y + (np.arange(size[1]) + 0.5) / px_per_mm)
        source = self.to_px(np.stack([u.ravel(), v.ravel()], axis=1)).astype(np.float32)
        maps = source.reshape(size[1], size[0], 2)
        across, down = cv2.split(maps)
        return cv2.remap(image, across, down, cv2.INTER_LINEAR).astype(np.uint8, copy=False)


CORNER_NAMES = ("top left", "top right", "bottom right", "bottom left")

_FIT_MM = 1.5
"""Root mean square distance, mm, up to which markers agree with one plane and one table size."""
_SIZE_TOLERANCE = 0.04
_STILL_PX = 0.6
_BUMP_PX = 2.5
_SEARCH_EVERY = 8

Corners = dict[int, Points]
"""Marker id to its four corners in the picture, px."""


def locate_table(image: Image, table_mm: tuple[float, float], lens: Lens | None = None) -> TablePose:
    """The table's pose from the markers in one picture.

    Raises PoseLostError where fewer than two whole markers are seen, BadTableSizeError where the markers stand at other
    distances than `table_mm` says, BadPictureError where the picture is too small to hold a table.
    """
    return _locate(_look_for_markers(image), image, table_mm, lens)[0]


def pose_of_corners(corners_px: Quad, table_mm: tuple[float, float], lens: Lens | None = None) -> TablePose:
    """The pose of a table whose rectangle's corners were clicked: top left, top right, bottom right, bottom left, px."""
    width, height = table_mm
    px = np.asarray(corners_px, np.float64).reshape(4, 2)
    if lens is not None:
        px = lens.undistort(px)
    mm = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
    return TablePose(_homography(px, mm), table_mm, PoseState.LIVE, lens)


class PoseTracker:
    """Follows the table from picture to picture: steady while nothing moves, held while markers are covered.

    In the steady state only the markers' surroundings are searched. A marker seen elsewhere than the held pose has it means
    that camera or table was moved, and the pose is found anew. With `corners_px` (top left, top right, bottom right, bottom
    left of the table rectangle, from a profile) no marker is needed and none is looked for.
    """

    def __init__(self, table_mm: tuple[float, float], lens: Lens | None = None, corners_px: Quad | None = None) -> None:
        self.table_mm = table_mm
        self._lens = lens
        self._fixed = None if corners_px is None else pose_of_corners(corners_px, table_mm, lens)
        self._pose: TablePose | None = None
        self._corners: Corners = {}
        self._patches: tuple[Patch, ...] = ()
        self._shape: tuple[int, ...] = ()
        self._since_search = 0

    def __repr__(self) -> str:
        state = "never seen" if self._pose is None else self._pose.state.value
        return f"PoseTracker(table_mm={self.table_mm}, state={state}, markers={sorted(self._corners)})"

    def locate(self, image: Image) -> TablePose:
        """The table's pose in this picture.

        Raises PoseLostError where too few markers were ever seen, BadTableSizeError as `locate_table` does.
        """
        if self._fixed is not None:
            return self._fixed
        if image.shape != self._shape:
            self._pose, self._corners, self._patches, self._shape = None, {}, (), image.shape
        still = len(self._patches) == len(IDS) and all(unchanged(image, patch) for patch in self._patches)
        if still and self._pose is not None:
            return self._pose
        seen = find_near(image, self._corners)
        if self._pose is not None and self._rests(seen):
            return self._resting_pose(seen, image)
        return self._search(image)

    def _rests(self, seen: Corners) -> bool:
        """Whether what was seen near the last places agrees with the pose, and a full search can wait."""
        moved = _moves(seen, self._corners)
        if len(seen) == len(IDS):
            return max(moved.values()) <= _STILL_PX
        return bool(seen) and max(moved.values()) <= _BUMP_PX and self._since_search < _SEARCH_EVERY

    def _resting_pose(self, seen: Corners, image: Image) -> TablePose:
        if self._pose is None:
            return self._search(image)
        if len(seen) == len(IDS):
            self._since_search = 0
            return self._pose
        self._since_search += 1
        return _held(self._pose, seen)

    def _search(self, image: Image) -> TablePose:
        self._since_search = 0
        sightings = find_markers(image)
        try:
            pose, corners = _locate(sightings, image, self.table_mm, self._lens)
        except (PoseLostError, BadTableSizeError):
            if self._pose is None:
                raise
            return _held(self._pose, {n: places[0] for n, places in sightings.items() if self._agrees(n, places[0])})
        if self._pose is not None and pose.state is PoseState.PARTIAL and self._all_agree(corners):
            # Fewer markers can't say better where the table is than all of them did.
            return _held(self._pose, corners)
        self._pose, self._corners = pose, {**self._expected(pose), **corners}
        patches = [patch_of(image, places) for places in corners.values()]
        self._patches = tuple(patch for patch in patches if patch is not None)
        return pose

    def _expected(self, pose: TablePose) -> Corners:
        """Where the markers that are not seen must be, to notice when they show again."""
        return {n: pose.to_px(marker_mm(n, self.table_mm)) for n in IDS}

    def _agrees(self, marker: int, corners: Points) -> bool:
        return marker in self._corners and float(np.abs(corners - self._corners[marker]).max()) <= _BUMP_PX

    def _all_agree(self, corners: Corners) -> bool:
        return all(self._agrees(marker, places) for marker, places in corners.items())


def marker_mm(marker: int, table_mm: tuple[float, float]) -> Points:
    """The four corners of a marker on the table, 4 x 2: top left, top right, bottom right, bottom left."""
    width, height = table_mm
    m = MARKER_MM
    x, y = ((0.0, 0.0), (width - m, 0.0), (width - m, height - m), (0.0, height - m))[marker]
    return np.array([(x, y), (x + m, y), (x + m, y + m), (x, y + m)])


def _look_for_markers(image: Image) -> dict[int, list[Points]]:
    if image.ndim < 2 or min(image.shape[:2]) < 32:
        raise BadPictureError(f"a picture of {image.shape[1]} x {image.shape[0]} px is too small to show a table")
    return find_markers(image)


def _locate(
    sightings: dict[int, list[Points]], image: Image, table_mm: tuple[float, float], lens: Lens | None
) -> tuple[TablePose, Corners]:
    """The pose and the markers it rests on. One that the search missed is looked for once more where it must lie."""
    pose, corners = _solve(sightings, table_mm, lens, image.shape)
    missing = {n: pose.to_px(marker_mm(n, table_mm)) for n in IDS if n not in sightings}
    more = find_near(image, missing) if missing else {}
    if not more:
        return pose, corners
    return _solve({**sightings, **{n: [places] for n, places in more.items()}}, table_mm, lens, image.shape)


def _moves(seen: Corners, last: Corners) -> dict[int, float]:
    return {marker: float(np.abs(corners - last[marker]).max()) for marker, corners in seen.items()}


def _held(pose: TablePose, seen: Corners) -> TablePose:
    hidden = [n for n in IDS if n not in seen]
    if not hidden:
        return pose
    warning = f"{_named(hidden)} can't be seen: the table's last place is kept; uncover {_them(hidden)}"
    return TablePose(pose.to_mm_matrix, pose.table_mm, PoseState.HELD, pose.lens, (warning,))


def _named(markers: Sequence[int]) -> str:
    names = [f"{n} ({CORNER_NAMES[n]})" for n in markers]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"table marker{'s' if len(names) > 1 else ''} {listed}"


def _them(markers: Sequence[int]) -> str:
    return "it" if len(markers) == 1 else "them"


def _solve(
    sightings: dict[int, list[Points]], table_mm: tuple[float, float], lens: Lens | None, shape: tuple[int, ...]
) -> tuple[TablePose, Corners]:
    """The pose that the most markers agree on, and those markers."""
    if len(sightings) < 2:
        missing = _named([n for n in IDS if n not in sightings])
        raise PoseLostError(
            f"{len(sightings)} of the 4 table markers seen, at least 2 must be whole and in the picture: "
            f"{missing} not found; uncover them, light them evenly, keep their white margin in the picture"
        )
    choices = [_straightened(choice, lens) for choice in best_of(sightings)]
    whole = min(choices, key=lambda choice: _misfit(choice, table_mm))
    kept = whole
    if _misfit(whole, table_mm) > _FIT_MM:
        kept = _without_the_stray(choices, table_mm)
    taken = {n: _nearest(sightings[n], kept[n], lens) for n in kept}
    pose = _pose_of(kept, table_mm, lens, shape)
    return pose, taken


def _straightened(corners: Corners, lens: Lens | None) -> Corners:
    return corners if lens is None else {n: lens.undistort(quad) for n, quad in corners.items()}


def _nearest(places: Sequence[Points], straight: Points, lens: Lens | None) -> Points:
    """The sighting, in the picture as it came, that these straightened corners belong to."""
    return min(places, key=lambda quad: float(np.abs(_straightened({0: quad}, lens)[0] - straight).max()))


def _without_the_stray(choices: Sequence[Corners], table_mm: tuple[float, float]) -> Corners:
    """Markers that agree on the stated table once a false or shifted one is left out.

    Raises BadTableSizeError where they agree on another size, PoseLostError where they agree on nothing.
    """
    fewer = [
        {n: quad for n, quad in choice.items() if n != left_out}
        for choice in choices
        for left_out in choice
        if len(choice) > 3
    ]
    if fewer:
        best = min(fewer, key=lambda choice: _misfit(choice, table_mm))
        if _misfit(best, table_mm) <= _FIT_MM:
            return best
    for choice in (*choices, *fewer):
        size = fitting_size(choice, table_mm)
        if size is None:
            continue
        off = max(abs(size[0] / table_mm[0] - 1), abs(size[1] / table_mm[1] - 1))
        if off > _SIZE_TOLERANCE:
            raise BadTableSizeError(
                f"the markers stand on a table of about {size[0]:.0f}x{size[1]:.0f} mm, not {table_mm[0]:g}x{table_mm[1]:g}: "
                f"give --table {size[0]:.0f}x{size[1]:.0f}, or print the markers at 40 mm; where both are right, the lens "
                "bends the picture: measure it with `hoshiban calibrate lens`"
            )
        return choice
    raise PoseLostError(
        "the table markers don't fit one flat table: check that each lies flat on its own corner, numbers 0 to 3 clockwise "
        "from the top left, printed at 40 mm"
    )


def fitting_size(corners: Corners, table_mm: tuple[float, float]) -> tuple[float, float] | None:
    """The table size, mm, at which these (undistorted) markers of 40 mm fit best; None where none fits."""
    ids = sorted(corners)
    spans = (
        len({0, 3} & set(ids)) > 0 and len({1, 2} & set(ids)) > 0,
        len({0, 1} & set(ids)) > 0 and len({2, 3} & set(ids)) > 0,
    )
    size = np.array(_first_guess(corners, table_mm))
    for _ in range(25):
        base = _misfits(corners, (size[0], size[1]))
        slopes = np.zeros((len(base), 2))
        for axis in (0, 1):
            if spans[axis]:
                more = size.copy()
                more[axis] += 1.0
                slopes[:, axis] = _misfits(corners, (more[0], more[1])) - base
        step = np.linalg.lstsq(slopes.T @ slopes + 1e-6 * np.eye(2), -slopes.T @ base, rcond=None)[0]
        size = np.clip(size + np.clip(step, -120, 120), 85.0, 6000.0)
        if np.abs(step).max() < 0.05:
            break
    found = (float(size[0]), float(size[1]))
    return found if _misfit(corners, found) <= _FIT_MM else None


def _first_guess(corners: Corners, table_mm: tuple[float, float]) -> tuple[float, float]:
    """Sides from the markers' own mean size, without regard to perspective; the stated ones where nothing shows them."""
    unit = (
        float(np.mean([np.linalg.norm(np.roll(q, -1, axis=0) - q, axis=1).mean() for q in corners.values()]))
        / MARKER_MM
    )
    guess = list(table_mm)
    for axis, sides in ((0, ((0, 0, 1, 1), (3, 3, 2, 2))), (1, ((0, 0, 3, 3), (1, 1, 2, 2)))):
        lengths = [
            float(np.linalg.norm(corners[a][i] - corners[b][j])) / unit
            for a, i, b, j in sides
            if a in corners and b in corners
        ]
        if lengths:
            guess[axis] = float(np.mean(lengths))
    return max(guess[0], 90.0), max(guess[1], 90.0)


def _misfits(corners: Corners, table_mm: tuple[float, float]) -> Points:
    px = np.concatenate([corners[n] for n in corners])
    mm = np.concatenate([marker_mm(n, table_mm) for n in corners])
    mapped = cv2.perspectiveTransform(px.reshape(-1, 1, 2), _homography(px, mm)).reshape(-1, 2)
    return np.asarray((mapped - mm).ravel(), np.float64)


def _misfit(corners: Corners, table_mm: tuple[float, float]) -> float:
    """Root mean square distance, mm, of the markers' corners from where one plane has them."""
    return float(np.sqrt((_misfits(corners, table_mm) ** 2).mean() * 2))


def _homography(px: Points, mm: Points) -> NDArray[np.float64]:
    matrix, _ = cv2.findHomography(px.reshape(-1, 1, 2), mm.reshape(-1, 1, 2), 0)
    if matrix is None:
        raise PoseLostError("the table's corners lie on one line in the picture: look from above and mark them again")
    return matrix.astype(np.float64)


def _pose_of(corners: Corners, table_mm: tuple[float, float], lens: Lens | None, shape: tuple[int, ...]) -> TablePose:
    px = np.concatenate([corners[n] for n in corners])
    mm = np.concatenate([marker_mm(n, table_mm) for n in corners])
    matrix = _homography(px, mm)
    if len(corners) == len(IDS):
        return TablePose(matrix, table_mm, PoseState.LIVE, lens)
    if len(corners) == 2:
        matrix = _through_a_camera(px, mm, lens, shape)
    missing = [n for n in IDS if n not in corners]
    warning = (
        f"{_named(missing)} not used: the table's place is less sure; uncover {_them(missing)} or lay {_them(missing)} "
        "flat on the table's corner"
    )
    return TablePose(matrix, table_mm, PoseState.PARTIAL, lens, (warning,))


def _through_a_camera(px: Points, mm: Points, lens: Lens | None, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The homography of a real camera: two markers at one edge fix it far better than eight free numbers.

    Without a lens the focal length is taken from the usual range, and the picture's middle for the optical axis.
    """
    solid = np.column_stack([mm, np.zeros(len(mm))])
    best: tuple[float, NDArray[np.float64]] | None = None
    for matrix, prior in _cameras(lens, shape):
        count, rotations, shifts, errors = cv2.solvePnPGeneric(
            solid, px.reshape(-1, 1, 2), matrix, np.zeros(5), flags=cv2.SOLVEPNP_IPPE
        )
        for i in range(int(count)):
            cost = float(np.asarray(errors[i]).ravel()[0]) ** 2 + prior
            if best is None or cost < best[0]:
                rotation = cv2.Rodrigues(rotations[i])[0]
                to_px = matrix @ np.column_stack([rotation[:, 0], rotation[:, 1], np.asarray(shifts[i]).ravel()])
                best = (cost, np.asarray(np.linalg.inv(to_px), np.float64))
    if best is None or not np.isfinite(best[1]).all():
        return _homography(px, mm)
    return np.asarray(best[1] / best[1][2, 2], np.float64)


def _cameras(lens: Lens | None, shape: tuple[int, ...]) -> list[tuple[NDArray[np.float64], float]]:
    """Camera matrices to try and what each costs, px squared: unusual focal lengths only where the markers insist."""
    if lens is not None:
        return [(lens.matrix, 0.0)]
    height, width = shape[:2]
    tried = []
    for step in np.linspace(-0.6, 0.9, 16):
        focal = max(width, height) * float(np.exp(step))
        matrix = np.array([[focal, 0, width / 2 - 0.5], [0, focal, height / 2 - 0.5], [0, 0, 1.0]])
        tried.append((matrix, 0.02 * (float(step) - 0.1) ** 2))
    return tried


def marker_papers(table_mm: tuple[float, float], rim_mm: float) -> list[Polygon]:
    """The four markers with so much of the white paper around them, mm on the table."""
    width, height = table_mm
    low, high = -rim_mm, MARKER_MM + rim_mm
    return [
        ((x + low, y + low), (x + high, y + low), (x + high, y + high), (x + low, y + high))
        for x, y in (
            (0.0, 0.0),
            (width - MARKER_MM, 0.0),
            (width - MARKER_MM, height - MARKER_MM),
            (0.0, height - MARKER_MM),
        )
    ]

"""The solids against what is known of them from geometry books."""

from __future__ import annotations

import numpy as np
import pytest

from vision.dice.solids import solid


@pytest.mark.parametrize(("sides", "corners", "edges"), [(8, 6, 12), (10, 12, 20)])
def test_corners_edges_and_faces_are_those_of_the_solid(sides: int, corners: int, edges: int) -> None:
    die = solid(sides)
    assert (len(die.vertices), len(die.edges), len(die.faces)) == (corners, edges, sides)


@pytest.mark.parametrize("sides", [8, 10])
@pytest.mark.parametrize("apex", [0.95, 1.05, 1.15])
def test_every_face_is_flat_and_the_top_lies_level_one_height_over_the_table(sides: int, apex: float) -> None:
    die = solid(sides, apex)
    for face in die.faces:
        points = die.vertices[list(face)]
        spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
        assert spread[2] < 1e-9
    assert die.top[:, 2] == pytest.approx(np.ones(len(die.top)))
    assert die.vertices[list(die.faces[0])][:, 2] == pytest.approx(np.zeros(len(die.top)))
    assert die.vertices[:, 2].min() == pytest.approx(0.0)
    assert die.vertices[:, 2].max() == pytest.approx(1.0)


def test_all_edges_of_an_octahedron_are_equally_long_and_its_outline_from_above_is_a_regular_hexagon() -> None:
    die = solid(8)
    lengths = [np.linalg.norm(die.vertices[a] - die.vertices[b]) for a, b, _, _ in die.edges]
    assert lengths == pytest.approx([np.sqrt(1.5)] * 12)
    assert np.hypot(*die.vertices[:, :2].T) == pytest.approx([np.sqrt(0.5)] * 6)


def test_a_kite_has_two_pairs_of_equal_sides_beginning_at_its_tip() -> None:
    top = solid(10).top
    sides = np.linalg.norm(np.roll(top, -1, axis=0) - top, axis=1)
    assert sides[0] == pytest.approx(sides[3])
    assert sides[1] == pytest.approx(sides[2])
    assert sides[0] > sides[1]


def test_a_die_with_six_sides_is_refused() -> None:
    with pytest.raises(ValueError, match="6 sides"):
        solid(6)

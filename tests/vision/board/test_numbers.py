"""Numbers over a whole board: each is given once, and what is not sure is not said."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from vision.board.numbers import assign_numbers


def chances(*rows: dict[int, float]) -> np.ndarray:
    table = np.full((len(rows), 13), 1e-4)
    for row, given in zip(table, rows, strict=True):
        for number, chance in given.items():
            row[number - 1] = chance
    return table / table.sum(axis=1, keepdims=True)


def test_a_sure_six_makes_the_other_of_two_likenesses_a_nine() -> None:
    readings = assign_numbers(chances({6: 0.99}, {6: 0.55, 9: 0.45}))
    assert [reading.n for reading in readings] == [6, 9]


def test_two_magnets_that_both_look_like_one_number_are_not_both_it() -> None:
    readings = assign_numbers(chances({5: 0.5, 2: 0.5}, {5: 0.5, 2: 0.5}))
    assert {reading.n for reading in readings} == {None}
    assert {n for reading in readings for n, _ in reading.candidates} == {2, 5}


def test_the_assignment_is_the_likeliest_of_all() -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        table = random.dirichlet(np.ones(13) * 0.3, size=4)
        readings = assign_numbers(table)
        clipped = np.clip(table[:, :12], 1e-6, None)
        best = max(permutations(range(12), 4), key=lambda p: sum(np.log(clipped[i, n]) for i, n in enumerate(p)))
        for reading, number in zip(readings, best, strict=True):
            assert reading.n in (None, number + 1)


def test_no_magnets_no_numbers() -> None:
    assert assign_numbers(np.zeros((0, 13))) == ()

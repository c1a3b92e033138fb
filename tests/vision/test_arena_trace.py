"""Strings followed step by step, on pictures drawn here."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.arena_trace import Tracer, carried_on

PX_PER_MM = 3.0
RADIUS, MIDDLE = 60.0, np.array([100.0, 90.0])


def circle(count: int = 94) -> NDArray[np.float64]:
    turn = np.arange(count) * 2 * np.pi / count
    return MIDDLE + RADIUS * np.column_stack([np.cos(turn), np.sin(turn)])


def light(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    noise = np.random.default_rng(2).normal(0, 2, picture.shape)
    soft = cv2.GaussianBlur(picture, (0, 0), 1.0) + noise
    return np.log(np.clip(soft, 0, 255) + 16).astype(np.float32)


def with_string() -> NDArray[np.uint8]:
    picture = np.full((540, 600, 3), (150, 150, 140), np.uint8)
    ring = np.rint(circle(400) * PX_PER_MM * 16).astype(np.int32)
    cv2.polylines(picture, [ring], True, (40, 40, 200), 8, cv2.LINE_AA, 4)
    return picture


def off(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.abs(np.linalg.norm(points - MIDDLE, axis=1) - RADIUS)


def test_a_string_that_is_only_thought_hidden_is_followed_all_the_way() -> None:
    points, known = circle(), np.ones(94, np.bool_)
    known[10:50] = False
    points[~known] = MIDDLE
    course, seen = carried_on(Tracer(light(with_string()), PX_PER_MM), points, known, 4.0)
    assert seen.all()
    assert off(course).max() < 2.0


def test_a_string_is_followed_up_to_what_hides_it_and_no_further() -> None:
    picture = with_string()
    cv2.rectangle(picture, (0, 330), (600, 540), (90, 130, 190), -1)
    points, known = circle(), np.ones(94, np.bool_)
    known[5:60] = False
    course, seen = carried_on(Tracer(light(picture), PX_PER_MM), points, known, 4.0)
    assert off(course[seen]).max() < 2.5
    assert course[seen][:, 1].max() == pytest.approx(110, abs=9)
    assert not seen.all()


def test_the_edge_of_a_thing_is_no_string() -> None:
    picture = np.full((540, 600, 3), (150, 150, 140), np.uint8)
    cv2.rectangle(picture, (0, 270), (600, 540), (40, 40, 200), -1)
    tracer = Tracer(light(picture), PX_PER_MM)
    string = Tracer(light(with_string()), PX_PER_MM).look(circle())
    path, hit = tracer.follow(np.array([60.0, 90.0]), np.array([1.0, 0.0]), string)
    assert hit == -1
    assert len(path) == 1

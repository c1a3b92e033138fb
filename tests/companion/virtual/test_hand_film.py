"""Films of hands: what their truth says is what the scene shows."""

from __future__ import annotations

import numpy as np
import pytest

from companion.virtual.hand_film import STRIKE_S, HandFilm, Play, hand_film


def _apart(film: HandFilm, seconds: float) -> float:
    """Between the nearest corners of both hands' outlines, mm."""
    one, other = (np.concatenate(hand.outlines(seconds)) for hand in film.hands)
    return float(np.hypot(*(one[:, None] - other[None]).transpose(2, 0, 1)).min())


@pytest.mark.parametrize("play", [Play.ONE, Play.BOTH, Play.CHASED, Play.DRIFT])
def test_hands_meet_when_the_truth_says(play: Play) -> None:
    film = hand_film(1, list(Play).index(play))
    assert film.touch_s is not None
    assert _apart(film, film.touch_s) < 6.0
    assert _apart(film, STRIKE_S) > 10.0


def test_who_comes_far_is_who_strikes() -> None:
    for n in range(0, 24, len(Play)):
        came = hand_film(2, n).came()
        assert came is not None
        assert came[0] > 20.0
        assert came[1] == 0.0


def test_a_hand_that_draws_back_came_no_way() -> None:
    film = hand_film(1, list(Play).index(Play.CHASED))
    came = film.came()
    assert came is not None
    assert came[1] == pytest.approx(0.0, abs=0.5)
    velocity = np.array(film.velocity(1, STRIKE_S + 0.1))
    assert np.linalg.norm(velocity) > 0


@pytest.mark.parametrize("play", [Play.NEITHER, Play.RAISED])
def test_hands_that_keep_apart_have_no_touch(play: Play) -> None:
    film = hand_film(1, list(Play).index(play))
    assert film.touch_s is None
    assert film.came() is None


def test_a_raised_hand_is_higher_and_shows_larger() -> None:
    film = hand_film(1, list(Play).index(Play.RAISED))
    low, high = (film.hands[0].place(seconds)[2] for seconds in (STRIKE_S, film.end_s))
    assert high - low > 80
    part = film.hands[0].outlines(film.end_s)[0]
    flat, raised = (film.camera.project(part, height) for height in (low, high))
    assert np.ptp(raised, axis=0).max() > 1.1 * np.ptp(flat, axis=0).max()


def test_a_picture_shows_the_hand_where_the_scene_has_it() -> None:
    film = hand_film(3, 0)
    pictures = list(film.pictures())
    picture, t_ns = pictures[round(STRIKE_S * film.fps)]
    hand = film.hands[0]
    middle = np.concatenate(hand.outlines(t_ns / 1e9)[5:7]).mean(axis=0)
    u, v = np.rint(film.camera.project(middle[None], hand.place(t_ns / 1e9)[2])[0]).astype(int)
    assert 0 <= u < picture.shape[1]
    inside = picture[max(v - 2, 0) : v + 3, max(u - 2, 0) : u + 3].reshape(-1, 3).mean(axis=0)
    assert np.abs(inside / np.linalg.norm(inside) - hand.skin / np.linalg.norm(hand.skin)).max() < 0.15

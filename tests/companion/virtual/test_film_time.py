"""Which moment of the film a picture shows, as the camera notes it down and the service reads it."""

from __future__ import annotations

from companion.virtual.film_time import NEVER_NS, FilmLog, FilmTime

S = 10**9


def test_without_a_word_of_the_camera_pictures_and_film_have_one_time(tmp_path) -> None:
    film_time = FilmTime(str(tmp_path))
    assert [film_time(t) for t in (0, 5 * S, -1, NEVER_NS)] == [0, 5 * S, -1, NEVER_NS]


def test_while_the_film_stands_still_its_time_does(tmp_path) -> None:
    log, film_time = FilmLog(str(tmp_path)), FilmTime(str(tmp_path))
    log.note(1 * S, 0, runs=True)
    log.note(2 * S, 1 * S, runs=True)
    assert film_time(2 * S) == 1 * S
    log.note(3 * S, 1 * S, runs=False)
    log.note(8 * S, 1 * S, runs=False)
    log.note(9 * S, 2 * S, runs=True)
    assert [film_time(t * S) // S for t in (2, 3, 6, 8, 9, 11)] == [1, 1, 1, 1, 2, 4]
    assert len((tmp_path / "stretches").read_text().splitlines()) == 3, "only what does not follow is written down"


def test_a_clock_that_is_set_ahead_and_back_leaves_the_film_s_time(tmp_path) -> None:
    log, film_time = FilmLog(str(tmp_path)), FilmTime(str(tmp_path))
    log.note(1 * S, 1 * S, runs=True)
    log.note(3602 * S, 2 * S, runs=True)
    log.note(6 * S, 6 * S, runs=True)
    assert [film_time(t * S) // S for t in (1, 3602, 3605, 6, 7)] == [1, 2, 5, 6, 7]


def test_a_line_that_is_half_written_is_read_once_it_is_whole(tmp_path) -> None:
    film_time = FilmTime(str(tmp_path))
    path = tmp_path / "stretches"
    path.write_text("[0, 0, true]\n[2000000000, 10")
    assert film_time(3 * S) == 3 * S
    path.write_text("[0, 0, true]\n[2000000000, 1000000000, false]\n")
    assert film_time(3 * S) == 1 * S


def test_a_camera_that_is_opened_again_finds_its_place(tmp_path) -> None:
    log = FilmLog(str(tmp_path))
    assert log.place() == (0, 0)
    log.keep_place(17, 3 * S)
    log.close()
    log.close()
    assert FilmLog(str(tmp_path)).place() == (17, 3 * S)

"""Where a thrown die's way begins, and where it was out of sight."""

from __future__ import annotations

from vision.dice.track_flight import Place
from vision.dice.track_way import gap_before, out_of_hand


def _way(times: list[float]) -> list[Place]:
    return [Place(t, 100.0 + 300.0 * t, 80.0, 0.15) for t in times]


def test_a_stretch_out_of_sight_before_the_touch_is_told() -> None:
    """59 ms passed unseen, which is long enough for a die to touch and rise again."""
    way = _way([0.0, 0.059, 0.067, 0.075, 0.084, 0.092])
    assert gap_before(way, 0.09) == 1
    assert gap_before(way, 0.05) == 0


def test_a_picture_that_was_missed_is_no_stretch_out_of_sight() -> None:
    assert gap_before(_way([0.0, 1 / 60, 3 / 60, 4 / 60, 5 / 60]), 0.08) == 0
    assert gap_before(_way([0.0, 1 / 120, 3 / 120, 4 / 120]), 0.03) == 0


def test_a_way_that_is_known_well_is_kept_but_for_its_first_place() -> None:
    way = _way([n / 120 for n in range(8)])
    kept = out_of_hand(way, 0.3)
    assert [place.t_s for place in kept] == [place.t_s for place in way]
    assert kept[0].noise_mm > way[0].noise_mm
    assert kept[1:] == way[1:]


def test_a_die_that_swerves_beside_the_hand_may_have_been_in_the_air_before() -> None:
    """What was followed may have been the die under fingers: its way counts from the swerve, unseen since it came near."""
    way = _way([n / 120 for n in range(12)])
    way = [Place(p.t_s, p.x_mm - (12.0 if n < 4 else 0.0), p.y_mm, 0.5 if n < 6 else 0.15) for n, p in enumerate(way)]
    kept = out_of_hand(way, 0.3)
    assert kept[0].t_s == way[4].t_s
    assert kept[0].peeped_s >= way[4].t_s - way[0].t_s

"""What calibration says of a table whose camera is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibration.table import measure_table
from vision.errors import BadTableSizeError, PoseLostError
from vision.table import Lens


def test_scale_tilt_and_corners_are_those_of_the_camera(drawn_table: Any) -> None:
    table = drawn_table(tilt_deg=8.0, focal_px=1800.0)
    truth = table.project(np.array([(0, 0), (700, 0), (700, 420), (0, 420)], float))
    report = measure_table(table.draw(), (700, 420))
    assert [marker.marker for marker in report.markers] == [0, 1, 2, 3]
    assert report.residual_mm < 0.3
    assert np.abs(np.array(report.corners_px) - truth).max() < 0.7
    assert report.tilt_deg == pytest.approx(8.0, abs=1.5)
    # Across the tilt a millimetre at the far edge is focal length over depth.
    far = table.height_mm + 210 * np.sin(np.radians(8))
    assert report.px_per_mm == pytest.approx(table.focal_px / far * np.cos(np.radians(8)), rel=0.05)
    assert report.advice == ()


def test_with_a_measured_lens_the_tilt_is_exact(drawn_table: Any) -> None:
    table = drawn_table(tilt_deg=8.0, focal_px=1400.0, height_mm=640.0)
    lens = Lens(table.matrix, np.zeros(5))
    assert measure_table(table.draw(), (700, 420), lens).tilt_deg == pytest.approx(8.0, abs=0.2)


def test_a_marker_that_is_not_seen_is_named(drawn_table: Any) -> None:
    report = measure_table(drawn_table(hidden=(2,)).draw(), (700, 420))
    assert [marker.marker for marker in report.markers] == [0, 1, 3]
    assert report.advice[0].startswith("marker 2 (bottom right) is not seen")


def test_one_marker_is_too_few(drawn_table: Any) -> None:
    with pytest.raises(PoseLostError, match="at least 2"):
        measure_table(drawn_table(hidden=(0, 1, 2)).draw(), (700, 420))


def test_a_picture_that_is_too_small_is_told(drawn_table: Any) -> None:
    report = measure_table(drawn_table(picture_px=(960, 540), focal_px=875.0).draw(), (700, 420))
    assert report.px_per_mm == pytest.approx(875 / 800, rel=0.02)
    assert any("px a mm" in line and "at least 2" in line for line in report.advice)


def test_uneven_light_and_darkness_are_told_with_their_place(drawn_table: Any) -> None:
    uneven = measure_table(drawn_table(light=(1.15, 0.5)).draw(), (700, 420)).advice
    assert any(line.startswith("the light is uneven: ") and " left as at the " in line for line in uneven)
    dark = measure_table(drawn_table(light=(0.4, 0.35)).draw(), (700, 420)).advice
    assert any("the table is dark" in line and "right" in line for line in dark)


def test_a_marker_out_of_its_place_is_told(drawn_table: Any) -> None:
    report = measure_table(drawn_table(shift_mm={1: (-9.0, 7.0)}).draw(), (700, 420))
    assert report.residual_mm > 1.2
    assert any("the markers miss their places by up to" in line for line in report.advice)


def test_a_bent_picture_asks_for_the_lens_and_fits_with_it(drawn_table: Any) -> None:
    table = drawn_table(focal_px=1400.0, height_mm=620.0, coefficients=(-0.1, 0.03, 0.0, 0.0, 0.0))
    bent = measure_table(table.draw(), (700, 420))
    straight = measure_table(table.draw(), (700, 420), Lens(table.matrix, np.array(table.coefficients)))
    assert any("run `hoshiban calibrate lens`" in line for line in bent.advice)
    assert bent.residual_mm > 3 * straight.residual_mm
    assert straight.residual_mm < 0.3


def test_a_wrong_table_size_is_refused(drawn_table: Any) -> None:
    with pytest.raises(BadTableSizeError, match="800x420"):
        measure_table(drawn_table().draw(), (800, 420))

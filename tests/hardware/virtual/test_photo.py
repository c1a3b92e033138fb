"""A room's light and a camera in it: little light is noise, coloured light is colour, and blur is of light."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from hardware.camera.base import Image
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, Lamp, Photo, TableLook
from hardware.virtual.photo import tint
from hardware.virtual.render import Renderer
from hardware.virtual.scene import CardOnTable, Scene

CAMERA = VirtualCameraModel(size=(640, 360))
GREY = TableLook(ground=Ground.PLAIN, ground_bgr=(128, 128, 128), vignette=0.0, shadow=0.0)


def shot(art: dict[str, Image], scene: Scene, noise_seed: int = 0, **photo: object) -> np.ndarray:
    look = replace(GREY, photo=replace(Photo(kelvin=6500), **photo))
    return Renderer(art, look, CAMERA).render(scene, noise_seed).astype(float)


def table(picture: np.ndarray) -> np.ndarray:
    """A bare part of the table top."""
    return picture[140:220, 260:380]


def noise(art: dict[str, Image], lux: float) -> float:
    one, other = (table(shot(art, Scene(), seed, lux=lux)) for seed in (1, 2))
    return float((one - other).std() / np.sqrt(2))


def test_little_light_makes_noise_and_very_little_a_dark_picture(art: dict[str, Image]) -> None:
    assert noise(art, 50) > 1.4 * noise(art, 200) > 2 * noise(art, 2000)
    bright, dim = (table(shot(art, Scene(), lux=lux)).mean() for lux in (400, 50))
    assert 0.5 * bright < dim < 0.9 * bright


def test_the_same_seed_gives_the_same_picture(art: dict[str, Image]) -> None:
    scene = Scene(cards=(CardOnTable("green", 300, 200),))
    assert np.array_equal(shot(art, scene, 4), shot(art, scene, 4))
    assert not np.array_equal(shot(art, scene, 4), shot(art, scene, 5))


def test_warm_light_is_yellow_and_the_camera_takes_some_of_it_back(art: dict[str, Image]) -> None:
    blue, green, red = table(shot(art, Scene(), kelvin=2700, balanced=0.3)).mean(axis=(0, 1))
    assert blue < green - 20
    assert red > green + 20
    balanced = table(shot(art, Scene(), kelvin=2700, balanced=1.0)).mean(axis=(0, 1))
    assert np.ptp(balanced) < 6
    cold = table(shot(art, Scene(), kelvin=10000, balanced=0.3)).mean(axis=(0, 1))
    assert cold[0] > cold[2]


def test_the_colour_of_light_follows_a_black_body() -> None:
    """Blue and red over green of sRGB's primaries, from Planck's law over the CIE 1931 observer, rounded."""
    for kelvin, blue, red in ((2700, 0.20, 2.0), (4000, 0.53, 1.5), (6500, 1.0, 1.0), (10000, 1.5, 0.76)):
        found = tint(kelvin)
        assert found[0] == pytest.approx(blue, rel=0.3)
        assert found[2] == pytest.approx(red, rel=0.3)


@pytest.mark.parametrize("blur", [{"defocus_px": 8.0}, {"motion_px": (16.0, 0.0)}])
def test_blur_keeps_the_light(art: dict[str, Image], blur: dict[str, object]) -> None:
    """A bright card's light is spread, not lost: averaged in linear light, a part of the table is as bright as before."""
    scene = Scene(cards=(CardOnTable("magenta", 350, 210),))

    def light(picture: np.ndarray) -> float:
        return float(((picture[60:300, 200:440] / 255) ** 2.2).mean())

    sharp, soft = shot(art, scene, lux=1000), shot(art, scene, lux=1000, **blur)
    assert light(soft) == pytest.approx(light(sharp), rel=0.02)
    assert cv2.Laplacian(soft, cv2.CV_64F).var() < cv2.Laplacian(sharp, cv2.CV_64F).var()


def test_a_lamp_lights_the_table_below_it_most(art: dict[str, Image]) -> None:
    lamp = Lamp(-300, 210, 700, level=0)
    picture = shot(art, Scene(), lamps=(lamp,), lamp_share=0.8)
    assert picture[140:220, 130:180].mean() > 1.1 * picture[140:220, 460:510].mean()

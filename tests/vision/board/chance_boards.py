"""Boards as chance has them: look, light, table, magnets and lines by a seed."""

from __future__ import annotations

import numpy as np
from drawn_boards import FACES, LOOKS, Scene, Stroke, Xy, square_of, table_place

MAGNETS = [
    ((60, 200, 245), (30, 30, 30)),
    ((245, 245, 245), (25, 25, 25)),
    ((35, 35, 35), (240, 240, 240)),
    ((50, 50, 200), (250, 250, 250)),
    ((70, 160, 70), (250, 250, 250)),
    ((190, 110, 50), (250, 250, 250)),
    ((40, 130, 240), (20, 20, 20)),
    ((200, 200, 205), (150, 40, 20)),
    ((160, 60, 140), (240, 250, 255)),
    ((120, 220, 160), (20, 20, 40)),
]
"""Colour and number's colour."""
GROUNDS = np.array([
    (150, 155, 160), (70, 110, 165), (40, 60, 100), (60, 50, 45), (110, 60, 50),
    (40, 35, 110), (60, 90, 50), (215, 222, 228), (60, 60, 62), (180, 205, 225),
])  # fmt: skip


def random_scene(seed: int) -> Scene:
    """A board as chance has it: look, light, table, magnets, lines."""
    random = np.random.default_rng(seed)
    board, divider, red, blue = LOOKS[str(random.choice(list(LOOKS)))]

    def shift(colour, by: float):
        return tuple(int(c) for c in np.clip(np.array(colour) + random.normal(0, by, 3), 5, 250))

    scene = Scene({}, seed=seed)
    scene.board, scene.red, scene.blue = shift(board, 5), shift(red, 10), shift(blue, 10)
    scene.divider = tuple(
        int(c) for c in np.array(scene.board) + (np.array(divider) - np.array(board)) * random.uniform(0.4, 1.2)
    )
    scene.rim = scene.divider if random.random() < 0.6 else None
    scene.divider_mm = random.uniform(0.6, 1.6)
    scene.side = float(random.choice([300.0, 300.0, 240.0, 270.0, 330.0, 360.0]))
    turn = random.normal(0, 1.5) if random.random() < 0.75 else random.uniform(-20, 20)
    room = scene.side * (np.cos(np.radians(abs(turn))) + np.sin(np.radians(abs(turn))))
    if room > 400:
        turn, room = float(np.clip(turn, -1.5, 1.5)), scene.side * 1.03
    scene.turn_deg = float(turn)
    middle = (
        350 + random.uniform(-1, 1) * min(80, 290 - room / 2),
        210 + random.uniform(-1, 1) * max(0.0, 200 - room / 2),
    )
    half = np.array(table_place(Scene({}, corner=(0, 0), turn_deg=turn), (scene.side / 2, scene.side / 2)))
    scene.corner = (float(middle[0] - half[0]), float(middle[1] - half[1]))
    while True:
        magnet, ink = MAGNETS[int(random.integers(len(MAGNETS)))]
        if np.abs(np.array(magnet) - np.array(scene.board)).max() > 45:
            break
    scene.magnet, scene.ink = shift(magnet, 8), shift(ink, 5)
    scene.plaque = tuple(int(min(255, c + 25)) for c in scene.magnet) if random.random() < 0.4 else None
    scene.radius = random.uniform(6.5, 10.0)
    scene.digit_mm = scene.radius * random.uniform(0.55, 1.0)
    scene.height = random.uniform(2.0, 6.0)
    scene.face = int(random.integers(FACES))
    scene.mark = "bar" if random.random() < 0.6 else "dot"
    free = random.random() < 0.3
    scene.turns = {n: float(random.uniform(-180, 180) if free else random.normal(0, 12)) for n in range(1, 13)}
    _place_stars(scene, random)
    _draw_lines(scene, random)
    scene.ground = str(random.choice(["plain", "wood", "felt"]))
    scene.ground_colour = tuple(int(c) for c in random.choice(GROUNDS))
    scene.smudges = int(random.integers(0, 7)) if random.random() < 0.5 else 0
    scene.glares = int(random.integers(0, 3)) if random.random() < 0.5 else 0
    scene.shadows = int(random.integers(0, 2))
    scene.light = tuple(
        float(c)
        for c in random.uniform(0.7, 1.0) * np.array([random.uniform(0.78, 1.0), random.uniform(0.9, 1.0), 1.0])
    )
    scene.tilt = (float(random.normal(0, 2)), float(random.normal(0, 2)))
    scene.roll_deg = float(random.normal(0, 2))
    scene.focal = random.uniform(0.7, 1.1)
    scene.noise = random.uniform(0.5, 4.0)
    scene.blur = random.uniform(0.0, 0.9)
    scene.jpeg = int(random.integers(75, 96))
    return scene


def _place_stars(scene: Scene, random: np.random.Generator) -> None:
    squares = list(range(9)) + [int(s) for s in random.choice(9, 3, replace=False)]
    third = scene.side / 3
    numbers = random.permutation(12) + 1
    placed: dict[int, Xy] = {}
    for n, square in zip(numbers, squares, strict=True):
        while True:
            u = third * (square % 3) + random.uniform(scene.radius + 3, third - scene.radius - 3)
            v = third * (square // 3) + random.uniform(scene.radius + 3, third - scene.radius - 3)
            place = table_place(scene, (u, v))
            if all(np.hypot(place[0] - x, place[1] - y) > 2.4 * scene.radius + 2 for x, y in placed.values()):
                placed[int(n)] = (float(place[0]), float(place[1]))
                break
    scene.stars = dict(sorted(placed.items()))


def _draw_lines(scene: Scene, random: np.random.Generator) -> None:
    """Up to fourteen lines by the game's own limits: three at a star, two squares, no star closer than 3 mm to a line."""
    used = dict.fromkeys(scene.stars, 0)
    width = random.uniform(1.6, 3.8)
    pairs = [(a, b) for a in scene.stars for b in scene.stars if a < b]
    random.shuffle(pairs)
    wanted = int(random.integers(0, 15))
    for a, b in pairs:
        if len(scene.strokes) == wanted:
            break
        s, t = square_of(scene, scene.stars[a]), square_of(scene, scene.stars[b])
        if used[a] == 3 or used[b] == 3 or abs(s % 3 - t % 3) + abs(s // 3 - t // 3) > 2:
            continue
        if any(_beside(scene.stars[a], scene.stars[b], scene.stars[c]) < 3.0 for c in scene.stars if c not in (a, b)):
            continue
        used[a] += 1
        used[b] += 1
        gaps = ()
        if random.random() < 0.1:
            at = random.uniform(0.3, 0.7)
            gaps = ((at, at + 0.03),)
        off = tuple(float(o) for o in np.clip(random.normal(0, 0.55, 2), -1.3, 1.3))
        colour = "red" if random.random() < 0.5 else "blue"
        scene.strokes.append(
            Stroke(a, b, colour, width * random.uniform(0.85, 1.15), off, gaps, random.uniform(0.05, 0.25))
        )


def _beside(a: Xy, b: Xy, c: Xy) -> float:
    """Distance of c from the segment a-b."""
    p, q, r = (np.array(v) for v in (a, b, c))
    t = np.clip((r - p) @ (q - p) / ((q - p) @ (q - p)), 0, 1)
    return float(np.linalg.norm(p + t * (q - p) - r))

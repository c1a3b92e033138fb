"""Draws star boards with their truth, for tests and benchmarks: nothing of the reader is used here.

The digits stand in `digits.png`, rows of ten, one a face: Lato Regular, Bold, Black; Roboto Medium, Bold; Inter Regular,
SemiBold, Black; Caladea Regular, Bold; National Park Regular, Heavy (SIL Open Font Licence or Apache 2.0). No network was trained
on these faces.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

SHEET = cv2.imread(str(Path(__file__).parent / "digits.png"), cv2.IMREAD_GRAYSCALE)
CELL_W, CELL_H = 40, 48
FACES = SHEET.shape[0] // CELL_H
K = 3.0  # drawing px per mm

Picture = NDArray[np.uint8]
Xy = tuple[float, float]


@dataclass(frozen=True)
class Stroke:
    """A line between stars a and b."""

    a: int
    b: int
    colour: str
    width: float = 2.5
    off: tuple[float, float] = (0.0, 0.0)
    gaps: tuple[tuple[float, float], ...] = ()
    """Stretches without ink, as shares of the length."""
    wobble: float = 0.15


@dataclass
class Scene:
    """A board on a table. Star places are table mm; the board's corner and turn are those of its own square."""

    stars: dict[int, Xy]
    strokes: list[Stroke] = field(default_factory=list)
    table_mm: tuple[float, float] = (700.0, 420.0)
    corner: Xy = (200.0, 60.0)
    side: float = 300.0
    turn_deg: float = 0.0
    board: tuple[int, int, int] = (240, 245, 245)
    divider: tuple[int, int, int] = (190, 190, 190)
    divider_mm: float = 1.0
    rim: tuple[int, int, int] | None = (200, 200, 200)
    red: tuple[int, int, int] = (60, 55, 215)
    blue: tuple[int, int, int] = (190, 80, 50)
    magnet: tuple[int, int, int] = (60, 200, 245)
    plaque: tuple[int, int, int] | None = None
    ink: tuple[int, int, int] = (30, 30, 30)
    radius: float = 8.0
    height: float = 4.0
    digit_mm: float = 5.0
    face: int = 0
    mark: str = "bar"
    turns: dict[int, float] = field(default_factory=dict)
    ground: str = "plain"
    ground_colour: tuple[int, int, int] = (150, 155, 160)
    smudges: int = 0
    glares: int = 0
    shadows: int = 0
    light: tuple[float, float, float] = (1.0, 1.0, 1.0)
    hands: list[NDArray[np.float64]] = field(default_factory=list)
    cards: list[tuple[float, float, float]] = field(default_factory=list)
    tilt: tuple[float, float] = (0.0, 0.0)
    """Degrees, across and along the picture."""
    roll_deg: float = 0.0
    focal: float = 0.9
    """Focal length over picture width."""
    size: tuple[int, int] = (1920, 1080)
    noise: float = 2.0
    blur: float = 0.6
    jpeg: int = 90
    seed: int = 0
    with_board: bool = True


def square_of(scene: Scene, place: Xy) -> int:
    """The square, 0 to 8, in which a place of the table lies."""
    u, v = board_place(scene, place)
    return 3 * int(v // (scene.side / 3)) + int(u // (scene.side / 3))


def board_place(scene: Scene, place: Xy) -> Xy:
    """Table mm to the board's own mm."""
    c, s = np.cos(np.radians(scene.turn_deg)), np.sin(np.radians(scene.turn_deg))
    x, y = place[0] - scene.corner[0], place[1] - scene.corner[1]
    return x * c + y * s, y * c - x * s


def table_place(scene: Scene, place: Xy) -> Xy:
    """The reverse of `board_place`."""
    c, s = np.cos(np.radians(scene.turn_deg)), np.sin(np.radians(scene.turn_deg))
    return scene.corner[0] + place[0] * c - place[1] * s, scene.corner[1] + place[0] * s + place[1] * c


def draw(scene: Scene) -> Picture:
    """The picture that the overhead camera takes."""
    random = np.random.default_rng(scene.seed)
    margin = 60.0
    width, height = scene.table_mm[0] + 2 * margin, scene.table_mm[1] + 2 * margin
    canvas = _ground(scene, random, round(width * K), round(height * K))

    def px(x: float, y: float) -> Xy:
        return (x + margin) * K - 0.5, (y + margin) * K - 0.5

    _markers(canvas, scene, px)
    for x, y, turn in scene.cards:
        _card(canvas, px(x, y), turn, random)
    camera = _camera_place(scene)
    if scene.with_board:
        _board(canvas, scene, random, px)
        for n, place in scene.stars.items():
            _star(canvas, scene, n, place, camera, px)
    canvas = _light(canvas, scene, random, px)
    for hand in scene.hands:
        points = np.array([px(x, y) for x, y in hand])
        shade = np.zeros(canvas.shape[:2], np.uint8)
        cv2.fillPoly(shade, [np.rint(points + 6 * K).astype(np.int32)], 255)
        soft = cv2.GaussianBlur(shade, (0, 0), 4 * K).astype(np.float32)[..., None] / 255 * 0.35
        canvas = (canvas * (1 - soft)).astype(np.uint8)
        cv2.fillPoly(canvas, [np.rint(points).astype(np.int32)], (115, 150, 205), cv2.LINE_AA)
    return _photograph(canvas, scene, random, margin)


def _ground(scene: Scene, random: np.random.Generator, width: int, height: int) -> Picture:
    base = np.array(scene.ground_colour, np.float32)
    match scene.ground:
        case "wood":
            grain = random.normal(0, 1, (height // 3, max(2, width // 90))).astype(np.float32)
            grain = cv2.resize(cv2.GaussianBlur(grain, (0, 0), 0.8), (width, height), interpolation=cv2.INTER_CUBIC)
            tone = 1 + 0.16 * grain
        case "felt":
            tone = 1 + cv2.GaussianBlur(random.normal(0, 0.22, (height, width)).astype(np.float32), (0, 0), 1.0)
        case _:
            tone = np.ones((height, width), np.float32)
    return np.clip(base * tone[..., None], 0, 255).astype(np.uint8)


def _markers(canvas: Picture, scene: Scene, px) -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = round(40 * K)
    width, height = scene.table_mm
    for n, (x, y) in enumerate(((0, 0), (width - 40, 0), (width - 40, height - 40), (0, height - 40))):
        u, v = (round(value + 0.5) for value in px(x, y))
        edge = round(6 * K)
        canvas[v - edge : v + side + edge, u - edge : u + side + edge] = 245
        canvas[v : v + side, u : u + side] = cv2.aruco.generateImageMarker(dictionary, n, side)[..., None]


def _card(canvas: Picture, at: Xy, turn: float, random: np.random.Generator) -> None:
    box = cv2.boxPoints(((float(at[0]), float(at[1])), (63 * K, 88 * K), turn))
    cv2.fillPoly(canvas, [np.rint(box).astype(np.int32)], (240, 240, 240), cv2.LINE_AA)
    inner = cv2.boxPoints(((float(at[0]), float(at[1])), (55 * K, 80 * K), turn))
    colour = tuple(int(c) for c in random.integers(30, 220, 3))
    cv2.polylines(canvas, [np.rint(inner).astype(np.int32)], True, colour, 2, cv2.LINE_AA)
    cv2.putText(canvas, str(random.integers(1, 13)), (int(at[0]) - 40, int(at[1]) + 30), 0, 3, colour, 8, cv2.LINE_AA)


def _polygon(canvas: Picture, points, colour) -> None:
    cv2.fillPoly(canvas, [np.rint(np.array(points) * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def _board(canvas: Picture, scene: Scene, random: np.random.Generator, px) -> None:
    side = scene.side

    def at(u: float, v: float) -> Xy:
        return px(*table_place(scene, (u, v)))

    outline = [at(0, 0), at(side, 0), at(side, side), at(0, side)]
    _polygon(canvas, outline, scene.board)
    if scene.rim is not None:
        cv2.polylines(
            canvas, [np.rint(np.array(outline)).astype(np.int32)], True, scene.rim, max(1, round(K)), cv2.LINE_AA
        )
    half = scene.divider_mm / 2
    for third in (side / 3, 2 * side / 3):
        _polygon(
            canvas,
            [at(third - half, 0), at(third + half, 0), at(third + half, side), at(third - half, side)],
            scene.divider,
        )
        _polygon(
            canvas,
            [at(0, third - half), at(side, third - half), at(side, third + half), at(0, third + half)],
            scene.divider,
        )
    for _ in range(scene.smudges):
        _smudge(canvas, scene, random, at)
    for stroke in scene.strokes:
        _stroke(canvas, scene, stroke, random, px)


def _smudge(canvas: Picture, scene: Scene, random: np.random.Generator, at) -> None:
    u, v = random.uniform(0.1, 0.9, 2) * scene.side
    turn, length, wide = random.uniform(0, np.pi), random.uniform(15, 70), random.uniform(3, 8)
    along = np.array([np.cos(turn), np.sin(turn)]) * length / 2
    across = np.array([-np.sin(turn), np.cos(turn)]) * wide / 2
    corners = np.array([u, v]) + np.array([along + across, -along + across, -along - across, along - across])
    mask = np.zeros(canvas.shape[:2], np.uint8)
    _polygon(mask, [at(*corner) for corner in corners], 255)
    alpha = cv2.GaussianBlur(mask, (0, 0), random.uniform(0.5, 2.0) * K).astype(np.float32)[..., None] / 255
    alpha *= random.uniform(0.05, 0.14)
    ink = np.array(scene.red if random.random() < 0.5 else scene.blue, np.float32)
    canvas[:] = canvas * (1 - alpha) + ink * alpha


def _stroke(canvas: Picture, scene: Scene, stroke: Stroke, random: np.random.Generator, px) -> None:
    a, b = np.array(scene.stars[stroke.a]), np.array(scene.stars[stroke.b])
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    across = np.array([-along[1], along[0]])
    t = np.arange(0.0, length + 1e-6, 0.5)
    bend = stroke.off[0] * (1 - t / length) + stroke.off[1] * t / length
    bumps = np.interp(
        t, np.linspace(0, length, 2 + int(length / 12)), random.normal(0, stroke.wobble, 2 + int(length / 12))
    )
    middle = a + t[:, None] * along + (bend + bumps)[:, None] * across
    mask = np.zeros(canvas.shape[:2], np.uint8)
    keep = np.ones(len(t), np.bool_)
    for first, last in stroke.gaps:
        keep &= ~((t / length >= first) & (t / length <= last))
    wide = stroke.width * (1 + 0.06 * np.interp(t, np.linspace(0, length, 9), random.normal(0, 1, 9)))
    for i in range(len(t) - 1):
        if keep[i] and keep[i + 1]:
            ends = np.rint(np.array([px(*middle[i]), px(*middle[i + 1])]) * 16).astype(int)
            cv2.line(
                mask,
                tuple(map(int, ends[0])),
                tuple(map(int, ends[1])),
                255,
                max(1, round(wide[i] * K)),
                cv2.LINE_AA,
                4,
            )
    points = np.array([px(*p) for p in middle])
    low, high = np.maximum(points.min(0) - 20, 0).astype(int), (points.max(0) + 20).astype(int)
    part = np.s_[low[1] : high[1], low[0] : high[0]]
    tone = cv2.resize(random.normal(0.9, 0.05, (9, 9)).astype(np.float32), (high - low).tolist())[: mask[part].shape[0]]
    alpha = (mask[part].astype(np.float32) / 255 * np.clip(tone[:, : mask[part].shape[1]], 0.6, 1.0))[..., None]
    ink = np.array(scene.red if stroke.colour == "red" else scene.blue, np.float32)
    canvas[part] = canvas[part] * (1 - alpha) + ink * alpha


def _star(canvas: Picture, scene: Scene, n: int, place: Xy, camera: tuple[float, float, float], px) -> None:
    lean = scene.height / (camera[2] - scene.height)
    top = (place[0] + lean * (place[0] - camera[0]), place[1] + lean * (place[1] - camera[1]))

    def disc(at: Xy, radius: float, colour) -> None:
        u, v = px(*at)
        cv2.circle(canvas, (round(u * 16), round(v * 16)), round(radius * K * 16), colour, -1, cv2.LINE_AA, 4)

    shade = [int(c * 0.75) for c in scene.magnet]
    disc(place, scene.radius, shade)
    disc(top, scene.radius, shade)
    disc(top, scene.radius - 0.5, scene.magnet)
    turn = scene.turns.get(n, 0.0)
    if scene.plaque is not None:
        u, v = px(*top)
        box = cv2.boxPoints(((u, v), (1.25 * scene.radius * K, 1.25 * scene.radius * K), turn))
        _polygon(canvas, box, scene.plaque)
    _number(canvas, scene, n, px(*top), turn)


def _number(canvas: Picture, scene: Scene, n: int, at: Xy, turn: float) -> None:
    digits = [
        SHEET[scene.face * CELL_H : (scene.face + 1) * CELL_H, int(d) * CELL_W : (int(d) + 1) * CELL_W] for d in str(n)
    ]
    digits = [digit[:, np.flatnonzero(digit.max(0))[0] : np.flatnonzero(digit.max(0))[-1] + 1] for digit in digits]
    gap = np.zeros((CELL_H, 4), np.uint8)
    text = np.hstack([part for digit in digits for part in (digit, gap)][:-1])
    sprite = np.zeros((CELL_H + 24, text.shape[1] + 24), np.uint8)
    sprite[12 : 12 + CELL_H, 12 : 12 + text.shape[1]] = text
    if n in (6, 9):
        ink_bottom = 12 + int(np.flatnonzero(text.max(1))[-1])
        if scene.mark == "bar":
            cv2.rectangle(sprite, (12, ink_bottom + 5), (11 + text.shape[1], ink_bottom + 8), 255, -1)
        elif scene.mark == "dot":
            cv2.circle(sprite, (16 + text.shape[1], ink_bottom - 2), 4, 255, -1)
    scale = scene.digit_mm * K / 36
    if np.hypot(text.shape[1], 36) * scale > 1.6 * scene.radius * K:
        scale = 1.6 * scene.radius * K / np.hypot(text.shape[1], 36)
    matrix = cv2.getRotationMatrix2D((sprite.shape[1] / 2, sprite.shape[0] / 2), -turn, scale)
    span = int(4 * scene.radius * K)
    left, top = int(at[0]) - span // 2, int(at[1]) - span // 2
    matrix[:, 2] += np.array([at[0] - left, at[1] - top]) - np.array([sprite.shape[1] / 2, sprite.shape[0] / 2])
    fine = cv2.GaussianBlur(sprite, (0, 0), 0.35 / max(0.2, scale))
    alpha = cv2.warpAffine(fine, matrix, (span, span), flags=cv2.INTER_LINEAR).astype(np.float32)[..., None] / 255
    patch = canvas[top : top + span, left : left + span]
    patch[:] = patch * (1 - alpha) + np.array(scene.ink, np.float32) * alpha


def _light(canvas: Picture, scene: Scene, random: np.random.Generator, px) -> Picture:
    small = (canvas.shape[1] // 4, canvas.shape[0] // 4)
    gain = np.ones((small[1], small[0]), np.float32)
    u, v = np.meshgrid(np.linspace(-1, 1, small[0]), np.linspace(-1, 1, small[1]))
    gain *= (1 + 0.08 * random.normal() * u + 0.08 * random.normal() * v).astype(np.float32)
    for _ in range(scene.shadows):
        mask = _blob(scene, random, small, px)
        gain *= 1 - random.uniform(0.1, 0.4) * cv2.GaussianBlur(mask, (0, 0), random.uniform(1, 8))
    add = np.zeros_like(gain)
    for _ in range(scene.glares):
        mask = _blob(scene, random, small, px)
        add += random.uniform(15, 70) * cv2.GaussianBlur(mask, (0, 0), random.uniform(0.4, 10))
    gain, add = (cv2.resize(layer, canvas.shape[1::-1])[..., None] for layer in (gain, add))
    return np.clip((canvas * gain + add) * np.array(scene.light, np.float32), 0, 255).astype(np.uint8)


def _blob(scene: Scene, random: np.random.Generator, small: tuple[int, int], px) -> NDArray[np.float32]:
    """A window's reflection or a shadow somewhere on the board."""
    u, v = px(*table_place(scene, tuple(random.uniform(0, scene.side, 2))))
    box = cv2.boxPoints(((u / 4, v / 4), tuple(random.uniform(20, 150, 2) * K / 4), random.uniform(0, 90)))
    mask = np.zeros((small[1], small[0]), np.float32)
    cv2.fillPoly(mask, [np.rint(box).astype(np.int32)], 1.0)
    return mask


def _camera_place(scene: Scene) -> tuple[float, float, float]:
    """Where the camera hangs, mm: x, y, height. `tilt` leans its view from the plumb line, degrees."""
    width, height = scene.size
    room = min(width / (scene.table_mm[0] + 80), height / (scene.table_mm[1] + 80))
    far = scene.focal * width / room
    x, y = (far * np.tan(np.radians(lean)) for lean in scene.tilt)
    return float(scene.table_mm[0] / 2 + x), float(scene.table_mm[1] / 2 + y), float(far)


def _to_picture(scene: Scene) -> NDArray[np.float64]:
    """Homography from table mm to picture px: a pinhole that looks at the table's middle."""
    width, height = scene.size
    place = np.array(_camera_place(scene)) * (1, 1, -1)
    ahead = np.array([scene.table_mm[0] / 2, scene.table_mm[1] / 2, 0.0]) - place
    ahead /= np.linalg.norm(ahead)
    roll = np.radians(scene.roll_deg)
    right = np.array([np.cos(roll), np.sin(roll), 0.0])
    right -= ahead * (right @ ahead)
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(ahead, right), ahead])
    lens = np.array(
        [[scene.focal * width, 0, width / 2 - 0.5], [0, scene.focal * width, height / 2 - 0.5], [0, 0, 1.0]]
    )
    return lens @ np.column_stack([turn[:, 0], turn[:, 1], -turn @ place])


def _photograph(canvas: Picture, scene: Scene, random: np.random.Generator, margin: float) -> Picture:
    width, height = scene.size
    room = min(width / (scene.table_mm[0] + 80), height / (scene.table_mm[1] + 80))
    to_table = np.array([[1 / K, 0, 0.5 / K - margin], [0, 1 / K, 0.5 / K - margin], [0, 0, 1]])
    matrix = _to_picture(scene) @ to_table
    soft = cv2.GaussianBlur(canvas, (0, 0), 0.5 * K / room)
    picture = cv2.warpPerspective(
        soft, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    if scene.blur > 0:
        picture = cv2.GaussianBlur(picture, (0, 0), scene.blur)
    grain = cv2.resize(
        random.normal(0, scene.noise, (height // 2, width // 2)).astype(np.float32),
        (width, height),
        interpolation=cv2.INTER_NEAREST,
    )
    picture = np.clip(
        picture + grain[..., None] * 0.5 + random.normal(0, scene.noise, (height, width, 1)).astype(np.float32), 0, 255
    )
    coded = cv2.imencode(".jpg", picture.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, scene.jpeg])[1]
    return cv2.imdecode(coded, cv2.IMREAD_COLOR)


def crossings(scene: Scene) -> int:
    """Proper crossings of strokes of one colour, from the true star centres."""

    def side(p: Xy, q: Xy, r: Xy) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    count = 0
    for i, one in enumerate(scene.strokes):
        for two in scene.strokes[i + 1 :]:
            if one.colour != two.colour or {one.a, one.b} & {two.a, two.b}:
                continue
            p, q, r, s = (scene.stars[n] for n in (one.a, one.b, two.a, two.b))
            count += side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0
    return count


LOOKS = {
    "white": ((242, 245, 245), (185, 185, 185), (60, 55, 215), (190, 80, 50)),
    "cream": ((205, 228, 238), (150, 165, 175), (50, 45, 200), (175, 70, 40)),
    "grey": ((190, 192, 190), (130, 130, 130), (45, 40, 190), (170, 60, 35)),
    "black": ((42, 42, 44), (95, 92, 90), (85, 90, 235), (245, 165, 95)),
    "navy": ((70, 45, 30), (120, 100, 90), (90, 95, 240), (250, 185, 120)),
    "green": ((55, 70, 45), (110, 120, 100), (100, 100, 240), (250, 180, 110)),
    "slate": ((85, 80, 78), (125, 120, 118), (80, 80, 235), (245, 160, 90)),
}

"""Trains the small network that reads the numbers on star magnets, on magnets that this script draws itself.

    python -m vision.board.train_numbers [--samples 60000] [--epochs 14] [--out vision/board/data/numbers.onnx]

Needs the project's `train` extra (torch, onnx, pillow) and fonts from Debian packages, used to draw training pictures only and
never shipped: fonts-dejavu-core (Bitstream Vera licence), fonts-liberation, fonts-crosextra-carlito, fonts-cantarell,
fonts-cabin, fonts-comfortaa, fonts-dosis, fonts-ebgaramond, fonts-jura, fonts-karla, fonts-league-spartan, fonts-manrope,
fonts-paratype, fonts-play, fonts-quicksand, fonts-sora, fonts-vollkorn, fonts-bebas-neue, fonts-comic-neue,
fonts-yanone-kaffeesatz, fonts-oxygen, fonts-averia-sans-gwf, fonts-sil-andika, fonts-b612, fonts-courier-prime,
fonts-junction (SIL Open Font Licence), fonts-open-sans, fonts-roboto-slab, fonts-allerta (Apache 2.0 or OFL),
fonts-freefont-ttf, fonts-urw-base35, fonts-linuxlibertine (GPL with font exception), fonts-texgyre (GUST Font Licence),
fonts-hack (MIT), fonts-go (BSD), fonts-tuffy (public domain), fonts-adf-gillius (GPL with font exception), fonts-opendin (OFL).
Families named in `HELD_OUT` are kept away from training; the last line printed measures them.

The network reads a 48 x 48 blue-green-red crop, normalised by its own mean and spread, in which the magnet's radius is
`RADIUS_PX`, and answers 13 logits: the numbers 1 to 12, then "no number here".
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch  # type: ignore[import-not-found]
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont  # type: ignore[import-not-found]
from torch import nn

from vision.board.numbers import CROP_PX, RADIUS_PX, normalise_crops

CLASSES = 13
NONE = 12
FINE = 2
"""Pictures are drawn this much finer than the crop."""
FONT_DIR = Path("/usr/share/fonts")
FAMILIES = (
    "DejaVuSans", "DejaVuSerif", "Liberation", "Carlito", "Cantarell", "Cabin-", "Comfortaa", "Dosis", "EBGaramond12", "Jura",
    "Karla", "LeagueSpartan", "Manrope", "PTS", "PTN", "Play-", "Quicksand", "Sora", "Vollkorn-", "BebasNeue", "ComicNeue",
    "YanoneKaffeesatz", "Oxygen", "AveriaSans", "Andika", "B612-", "Courier Prime", "Junction", "OpenSans", "RobotoSlab",
    "Allerta", "FreeSans", "FreeSerif", "FreeMono", "Nimbus", "URWGothic", "URWBookman", "C059", "P052", "LinLibertine_R",
    "LinLibertine_RB", "LinBiolinum_R", "texgyreadventor", "texgyreheros", "texgyreschola", "Hack-", "Go-", "Tuffy", "Gillius",
    "OSP-DIN",
)  # fmt: skip
HELD_OUT = ("Lato", "Roboto-", "Inter", "Caladea", "Ubuntu", "NationalPark", "Tiresias", "Humor", "Baskervald", "OCRB")
SKIP = ("Math", "Symbol", "math", "Outline", "Hairline", "Thin", "ExtraLight", "Dingbats", "Standard", "Initials")


def font_files(families: tuple[str, ...]) -> list[Path]:
    """Font files of those families, at most six a family so that none outweighs the others."""
    files = sorted(p for p in FONT_DIR.rglob("*") if p.suffix.lower() in {".ttf", ".otf", ".t1"})
    chosen: list[Path] = []
    for family in families:
        own = [p for p in files if p.name.startswith(family) and not any(word in p.name for word in SKIP)]
        chosen += own[:: max(1, len(own) // 6)]
    return chosen


def draw_number(font: Path, text: str, mark: str) -> NDArray[np.uint8]:
    """The number as a mask whose digits are about 46 px high, cropped to its ink; `mark` is "", "bar" or "dot"."""
    face = ImageFont.truetype(str(font), 64)
    left, top, right, bottom = face.getbbox(text)
    canvas = Image.new("L", (int(right - left) + 60, int(bottom - top) + 60))
    pen = ImageDraw.Draw(canvas)
    pen.text((30 - left, 20 - top), text, fill=255, font=face)
    width, height = right - left, bottom - top
    if mark == "bar":
        pen.rectangle((30, 20 + height + 6, 30 + width, 20 + height + 11), fill=255)
    elif mark == "dot":
        pen.ellipse((30 + width + 3, 20 + height - 9, 30 + width + 12, 20 + height), fill=255)
    box = canvas.getbbox()
    return np.asarray(canvas.crop(box), np.uint8) if box else np.zeros((8, 8), np.uint8)


class Artist:
    """Draws magnets with their numbers as a camera would see them."""

    def __init__(self, fonts: list[Path], seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.sprites: dict[tuple[int, str], list[NDArray[np.uint8]]] = {}
        for n in range(1, 13):
            for mark in ("", "bar", "dot"):
                self.sprites[n, mark] = [draw_number(font, str(n), mark) for font in fonts]
        self.count = len(fonts)

    def colour(self) -> NDArray[np.float64]:
        """Any colour, saturated and plain ones alike."""
        hue, spread, value = self.random.uniform(0, 180), self.random.uniform(0, 255), self.random.uniform(10, 255)
        if self.random.random() < 0.35:
            spread *= 0.15
        pixel = np.array([[[hue, spread, value]]], np.uint8)
        return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0], np.float64)

    def ink_on(self, paper: NDArray[np.float64]) -> NDArray[np.float64]:
        """A colour that people could read on the given one."""
        while True:
            ink = self.colour()
            if self.random.random() < 0.6:
                ink = np.full(3, self.random.uniform(0, 60) if paper.mean() > 110 else self.random.uniform(190, 255))
            if abs(float((ink - paper) @ (0.11, 0.59, 0.3))) > 70:
                return ink

    def sample(self) -> tuple[NDArray[np.uint8], int, bool]:
        """One crop, 48 x 48 x 3, its class (0 to 11 for the numbers 1 to 12, 12 for none), and whether it may be turned."""
        rng = self.random
        number = int(rng.integers(1, 13)) if rng.random() < 0.93 else 0
        size = CROP_PX * FINE
        middle, radius = size / 2 - 0.5, RADIUS_PX * FINE
        board = self.colour() if rng.random() < 0.3 else np.full(3, rng.uniform(15, 255))
        canvas = np.empty((size, size, 3), np.float32)
        canvas[:] = board
        self.strokes(canvas, size)
        body = self.colour()
        self.disc(canvas, middle, radius, body)
        paper = self.plaque(canvas, middle, radius, body)
        turnable = True
        if number:
            turnable = self.print_number(canvas, number, middle, radius, self.ink_on(paper))
        label = number - 1 if number else NONE
        if number and rng.random() < 0.02:
            side = rng.uniform(0.55, 0.9)
            canvas[:, : int(size * side)] = self.colour()
            canvas = np.rot90(canvas, int(rng.integers(0, 4))).copy()
            label = NONE
        return self.photograph(canvas), label, turnable or label == NONE

    def strokes(self, canvas: NDArray[np.float32], size: int) -> None:
        """Marker lines and dividers around the magnet."""
        rng = self.random
        for _ in range(int(rng.integers(0, 4))):
            ends = rng.uniform(-size * 0.3, size * 1.3, (2, 2)).astype(int)
            width = int(rng.integers(2, 6 * FINE))
            cv2.line(
                canvas, tuple(map(int, ends[0])), tuple(map(int, ends[1])), self.colour().tolist(), width, cv2.LINE_AA
            )

    def disc(self, canvas: NDArray[np.float32], middle: float, radius: float, body: NDArray[np.float64]) -> None:
        """The magnet's shadow, body and rim."""
        rng = self.random
        centre = (int(middle), int(middle))
        if rng.random() < 0.5:
            shift = rng.uniform(-2.7 * FINE, 2.7 * FINE, 2).astype(int)
            shade = canvas * rng.uniform(0.4, 0.9)
            mask = np.zeros(canvas.shape[:2], np.uint8)
            cv2.circle(mask, (centre[0] + int(shift[0]), centre[1] + int(shift[1])), int(radius * 1.03), 255, -1)
            soft = cv2.GaussianBlur(mask, (9, 9), 2.0).astype(np.float32)[..., None] / 255
            canvas[:] = canvas * (1 - soft) + shade * soft
        rim = np.clip(body * rng.uniform(0.6, 1.2), 0, 255)
        cv2.circle(canvas, centre, int(radius), rim.tolist(), -1, cv2.LINE_AA)
        cv2.circle(canvas, centre, int(radius * rng.uniform(0.82, 1.0)), body.tolist(), -1, cv2.LINE_AA)

    def plaque(
        self, canvas: NDArray[np.float32], middle: float, radius: float, body: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """A label on the magnet, or a printed star, or nothing; answers the colour on which the number stands."""
        rng = self.random
        kind = rng.choice(["none", "square", "disc", "star"], p=[0.4, 0.3, 0.2, 0.1])
        if kind == "none":
            return body
        paper = np.clip(body * rng.uniform(0.7, 1.3), 0, 255) if rng.random() < 0.5 else self.colour()
        turn = rng.uniform(0, 2 * np.pi)
        reach = radius * rng.uniform(0.7, 0.95)
        match kind:
            case "disc":
                cv2.circle(canvas, (int(middle), int(middle)), int(reach), paper.tolist(), -1, cv2.LINE_AA)
            case _:
                corners = 4 if kind == "square" else 10
                steps = turn + np.arange(corners) * 2 * np.pi / corners
                far = reach * (np.where(np.arange(corners) % 2, 0.72, 1.0) if corners == 10 else 1.0)
                shape = np.stack([middle + far * np.cos(steps), middle + far * np.sin(steps)], 1)
                cv2.fillPoly(canvas, [shape.astype(np.int32)], paper.tolist(), cv2.LINE_AA)
        return paper

    def print_number(
        self, canvas: NDArray[np.float32], number: int, middle: float, radius: float, ink: NDArray[np.float64]
    ) -> bool:
        """The number in one of the fonts, turned and a little off the middle; answers whether it reads alike however turned."""
        rng = self.random
        bars = (6, 9) if rng.random() < 0.93 else tuple(range(1, 13))
        mark = str(rng.choice(["bar", "dot", ""], p=[0.5, 0.25, 0.25])) if number in bars else ""
        sprite = self.sprites[number, mark][int(rng.integers(self.count))]
        turn = rng.normal(0, 20) if rng.random() < 0.5 else rng.uniform(-180, 180)
        if number in (6, 9) and not mark:
            turn = float(np.clip(rng.normal(0, 25), -70, 70))
        high, wide = sprite.shape
        tall = radius * rng.uniform(0.5, 1.15)
        scale = min(tall / high, 1.62 * radius / float(np.hypot(wide, high)))
        matrix = cv2.getRotationMatrix2D((wide / 2, high / 2), turn, scale)
        matrix[0, 0] *= (stretch := rng.uniform(0.85, 1.15))
        matrix[0, 1] *= stretch
        place = np.array([middle, middle]) + rng.normal(0, radius * 0.05, 2)
        matrix[:, 2] += place - matrix @ np.array([wide / 2, high / 2, 1.0])
        mask = cv2.warpAffine(sprite, matrix, canvas.shape[1::-1], flags=cv2.INTER_AREA)
        if rng.random() < 0.25:
            mask = (cv2.dilate if rng.random() < 0.6 else cv2.erode)(mask, np.ones((3, 3), np.uint8))
        alpha = mask.astype(np.float32)[..., None] / 255 * rng.uniform(0.8, 1.0)
        canvas[:] = canvas * (1 - alpha) + ink.astype(np.float32) * alpha
        return number not in (6, 9) or bool(mark)

    def photograph(self, canvas: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Light, lens, sensor and JPEG, then the crop as the reader would cut it."""
        rng = self.random
        size = canvas.shape[0]
        picture = canvas * rng.uniform(0.7, 1.15) * rng.uniform(0.75, 1.1, 3)
        if rng.random() < 0.35:
            u, v = np.meshgrid(np.linspace(-1, 1, size), np.linspace(-1, 1, size))
            ramp = np.clip(u * rng.normal() + v * rng.normal() + rng.normal(), 0, 1)[..., None]
            picture = picture + ramp * rng.uniform(0, 140)
        native = (rng.uniform(0.6, 1.1) if rng.random() < 0.7 else rng.uniform(0.38, 0.6)) * CROP_PX
        shrink = native / size
        jitter = rng.normal(0, 0.045 * RADIUS_PX, 2)
        zoom = rng.normal(1, 0.07)
        small = max(12, round(native))
        soft = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), max(0.4, rng.uniform(0.3, 0.75) / shrink))
        native_size = cv2.resize(soft, (small, small), interpolation=cv2.INTER_AREA)
        grainy = native_size + rng.normal(0, rng.uniform(0, 7), native_size.shape)
        byte = np.clip(grainy, 0, 255).astype(np.uint8)
        if rng.random() < 0.8:
            coded = cv2.imencode(".jpg", byte, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(55, 97))])[1]
            byte = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
        ratio = CROP_PX / small * zoom
        offset = CROP_PX / 2 - 0.5 - ratio * (small / 2 - 0.5)
        matrix = np.array([[ratio, 0, offset + jitter[0]], [0, ratio, offset + jitter[1]]])
        crop = cv2.warpAffine(byte, matrix, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(crop, np.uint8)


@dataclass(frozen=True)
class Drawn:
    """Crops, their classes, and which of them may be turned."""

    crops: NDArray[np.uint8]
    labels: NDArray[np.int64]
    turnable: NDArray[np.bool_]


def draw(fonts: list[Path], count: int, seed: int) -> Drawn:
    """That many crops."""
    artist = Artist(fonts, seed)
    crops, labels, turnable = zip(*(artist.sample() for _ in range(count)), strict=True)
    return Drawn(np.stack(crops), np.array(labels, np.int64), np.array(turnable, np.bool_))


def varied(drawn: Drawn, take: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.uint8]:
    """A batch, each crop turned anew where it may be, in other inks on other papers."""
    batch = drawn.crops[take][..., random.permutation(3)]
    batch = np.ascontiguousarray(255 - batch if random.random() < 0.5 else batch)
    middle = CROP_PX / 2 - 0.5
    for i in np.flatnonzero(drawn.turnable[take] & (random.random(len(take)) < 0.7)):
        matrix = cv2.getRotationMatrix2D((middle, middle), random.uniform(-180, 180), random.uniform(0.94, 1.06))
        batch[i] = cv2.warpAffine(batch[i], matrix, (CROP_PX, CROP_PX), borderMode=cv2.BORDER_REPLICATE)
    return batch


class Network(nn.Module):  # type: ignore[misc]
    """Five convolutions and one linear layer, about 12 million multiplications a crop."""

    def __init__(self) -> None:
        super().__init__()

        def block(inside: int, outside: int, stride: int = 1) -> list[nn.Module]:
            conv = nn.Conv2d(inside, outside, 5 if stride == 2 else 3, stride, 2 if stride == 2 else 1, bias=False)
            return [conv, nn.BatchNorm2d(outside), nn.ReLU()]

        self.body = nn.Sequential(
            *block(3, 24, 2), *block(24, 32), nn.MaxPool2d(2), *block(32, 64), nn.MaxPool2d(2), *block(64, 96),
            *block(96, 96), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.25), nn.Linear(96 * 9, CLASSES),
        )  # fmt: skip

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        return self.body(crops)


def accuracy(network: Network, drawn: Drawn) -> tuple[float, float]:
    """Share read right, and share wrong with a probability of 0.9 or more."""
    network.eval()
    with torch.no_grad():
        batches = [
            torch.from_numpy(normalise_crops(drawn.crops[i : i + 500])) for i in range(0, len(drawn.labels), 500)
        ]
        chance = torch.cat([network(batch).softmax(1) for batch in batches]).numpy()
    right = chance.argmax(1) == drawn.labels
    return float(right.mean()), float((~right & (chance.max(1) >= 0.9)).mean())


def train(samples: int, epochs: int, seed: int) -> Network:
    """A network trained on freshly drawn magnets, with progress on standard output."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    drawn = draw(font_files(FAMILIES), samples, seed)
    print(json.dumps({"drawn": len(drawn.labels), "fonts": len(font_files(FAMILIES))}), flush=True)
    network = Network()
    steps = epochs * (samples // 128)
    optimiser = torch.optim.AdamW(network.parameters(), lr=3e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps, pct_start=0.15)
    random = np.random.default_rng(seed)
    for epoch in range(epochs):
        network.train()
        order = random.permutation(samples)
        total = 0.0
        for i in range(samples // 128):
            take = order[i * 128 : (i + 1) * 128]
            logits = network(torch.from_numpy(normalise_crops(varied(drawn, take, random))))
            loss = nn.functional.cross_entropy(logits, torch.from_numpy(drawn.labels[take]), label_smoothing=0.02)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        print(json.dumps({"epoch": epoch, "loss": round(total / (samples // 128), 4)}), flush=True)
    return network


def main() -> None:
    """Draws, trains, exports, compares cv2.dnn with torch, and measures the fonts kept away."""
    parser = argparse.ArgumentParser(description="train the star number reader")
    parser.add_argument("--samples", type=int, default=60000)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "data" / "numbers.onnx")
    options = parser.parse_args()
    began = time.monotonic()
    network = train(options.samples, options.epochs, options.seed)
    network.eval()
    # The dynamo exporter writes models that cv2.dnn computes wrongly.
    torch.onnx.export(
        network, torch.zeros(12, 3, CROP_PX, CROP_PX), str(options.out), input_names=["crops"], output_names=["logits"],
        dynamic_axes={"crops": {0: "n"}, "logits": {0: "n"}}, dynamo=False,
    )  # fmt: skip
    kept_away = draw(font_files(HELD_OUT), 4000, options.seed + 1)
    right, sure_wrong = accuracy(network, kept_away)
    crops = kept_away.crops
    net = cv2.dnn.readNetFromONNX(str(options.out))
    net.setInput(normalise_crops(crops[:12]))
    with torch.no_grad():
        gap = float(np.abs(net.forward() - network(torch.from_numpy(normalise_crops(crops[:12]))).numpy()).max())
    report = {
        "held_out_right": right, "held_out_wrong_and_sure": sure_wrong, "dnn_gap": gap,
        "bytes": options.out.stat().st_size, "seconds": round(time.monotonic() - began),
    }  # fmt: skip
    print(json.dumps(report))


if __name__ == "__main__":
    main()

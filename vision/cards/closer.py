"""A closer look at what tells two cards apart: at the picture's own resolution, where the two differ and nowhere else.

What is compared all over a card is coarse and rests on one placement. A small sign may need each pixel that the camera has of
it, and a place of its own: here both cards are laid over the sign as well as they can be, each at its best shift, sharpness
and light, and what they leave unexplained is compared with what they differ by. Where neither is there as a whole, under a finger
or on a third card, a spot says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.deck import Reference
from vision.cards.evidence import Odds
from vision.cards.features import CLOSE_PX_PER_MM, Floats, Grid
from vision.cards.outlines import Placement
from vision.frame import Image
from vision.table import TablePose

Mask = NDArray[np.bool_]

_BLURS = (0.35, 0.5, 0.7, 0.95, 1.3, 1.8)
"""Sharpness tried, in pixels of the picture (sigma)."""
_REACH_MM = 0.8
"""How far beside its placement a sign may be: cards bend."""
_MARGIN = round(_REACH_MM * CLOSE_PX_PER_MM)
_SPOT_SHARE = 0.1
"""Of the strongest difference: where two cards differ by less, nothing is looked for."""
_SPOTS = 3
_LARGEST_MM = 26.0
"""A spot's side: what differs over more is seen from afar."""
_PLAIN_MM = 4.0
"""Smoothed by so much a card shows no drawing (sigma)."""
_AROUND_MM = 5.0
_GAINS = (0.2, 1.6)
_INDEPENDENT = 0.35
"""Of a camera's pixels: neighbours share noise, and its compression."""
_LEAST_PX = 12.0
_FLOOR = 2.0
"""Unexplained grey levels, squared, that mean nothing."""
_NEITHER = (0.5, 1.5)
"""Energy that the better of two cards leaves unexplained, over half of what they differ by beyond noise, at which a pixel still
says all, and at which it says nothing."""
_SPEAKING = 0.5
_MOST_LEFT = 0.3
"""Of what is drawn in a spot, that a card may leave unexplained where it is there."""
_WOBBLE = 0.25
"""Of the camera's pixels: by so much an edge may be off, and mean nothing."""
_MOST_NOISE = 0.3
"""Of what two cards differ by."""


@dataclass(frozen=True, slots=True, eq=False)
class Closeup:
    """What lies at a placement, in canonical form at CLOSE_PX_PER_MM."""

    picture: Floats
    seen: Mask
    px: float
    """Pixels of this form a pixel of the camera's picture, along a side."""

    @classmethod
    def of(cls, image: Image, pose: TablePose, placement: Placement, grid: Grid, seen: Mask) -> Closeup:
        """`seen` are the canonical pixels that nothing lies over, the placement's way up."""
        width, height = grid.close_size_px
        corners = pose.to_px(placement.corners_mm(grid.width_mm, grid.height_mm)).astype(np.float32)
        own = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
        matrix = cv2.getPerspectiveTransform(own, corners)
        flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
        picture = cv2.warpPerspective(image, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        shown = cv2.resize(seen.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST)
        side = round(CLOSE_PX_PER_MM / 2) | 1
        clear = cv2.erode(shown, np.ones((side, side), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0
        area = cv2.contourArea(corners)
        return cls(picture.astype(np.float32), clear, float(np.sqrt(width * height / max(area, 1.0))))

    def against(self, best: Image, other: Image) -> Odds | None:
        """For one card and against another, of pictures in this form; None where no spot in sight shows one of the two."""
        told = [odds for spot in self._spots(best, other) if (odds := spot.odds(best, other)) is not None]
        return Odds(sum(odds.nats for odds in told), sum(odds.most for odds in told)) if told else None

    def _spots(self, best: Image, other: Image) -> Iterator[_Spot]:
        """Where the two differ most, the strongest first."""
        a, b = (cv2.GaussianBlur(one.astype(np.float32), (0, 0), _BLURS[0] * self.px) for one in (best, other))
        energy = (((a - b) ** 2).sum(axis=2) * self.seen).astype(np.float32)
        near = cv2.GaussianBlur(energy, (0, 0), self.px)
        strong = (near > max(_SPOT_SHARE * float(near.max()), _FLOOR)) & self.seen
        side = 2 * round(1.5 * self.px) + 1
        joined = cv2.dilate(strong.astype(np.uint8), np.ones((side, side), np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
        sums = np.bincount(labels.ravel(), energy.ravel(), count)
        for i in sorted(range(1, count), key=lambda i: -float(sums[i]))[:_SPOTS]:
            x, y, width, height = (int(value) for value in stats[i][:4])
            where = (labels == i) & self.seen
            small = max(width, height) <= _LARGEST_MM * CLOSE_PX_PER_MM
            if small and np.count_nonzero(where) / self.px**2 >= _LEAST_PX:
                yield _Spot.of(self, where, (x, y, width, height))


class CloserLook:
    """Closer looks at one placement, taken when they are asked for."""

    def __init__(self, references: Sequence[Reference], take: Callable[[], Closeup]) -> None:
        self._references = references
        self._take = take
        self._closeup: Closeup | None = None

    def at_rival(self, best: int, other: int) -> Odds | None:
        """For one reference and against another, by their indices."""
        return self._view().against(self._picture(best), self._picture(other))

    def at_top(self, best: int) -> Odds | None:
        """For one reference, and against the same the other way round."""
        picture = self._picture(best)
        return self._view().against(picture, np.ascontiguousarray(picture[::-1, ::-1]))

    def at_stranger(self, best: int, pair: tuple[int, int] | None) -> Odds | None:
        """For a reference and against a card that differs from it as a pair of others differ; without a pair, by its drawing."""
        picture = self._picture(best)
        if pair is None:
            return self._view().against(
                picture, cv2.GaussianBlur(picture, (0, 0), _PLAIN_MM * CLOSE_PX_PER_MM).astype(np.uint8)
            )
        a, b = (self._picture(one).astype(np.float32) for one in pair)
        return self._view().against(picture, np.clip(picture + (b - a), 0, 255).astype(np.uint8))

    def _view(self) -> Closeup:
        if self._closeup is None:
            self._closeup = self._take()
        return self._closeup

    def _picture(self, reference: int) -> Image:
        return self._references[reference].close_picture()


@dataclass(frozen=True, slots=True)
class _Fit:
    """A card laid over a spot."""

    rest: float
    """What it leaves unexplained; grey levels squared."""
    shift: tuple[int, int]
    blur_px: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Spot:
    """A part of a close-up in which two cards differ."""

    picture: Floats
    where: Floats
    """1 where they do."""
    around: Floats
    """1 where they don't, near by."""
    corner: tuple[int, int]
    """Of the part, x and y in the close-up."""
    px: float
    pixels: float
    """Of the camera's, that differ."""

    @classmethod
    def of(cls, view: Closeup, where: Mask, box: tuple[int, int, int, int]) -> _Spot:
        x, y, width, height = box
        pad = round(_AROUND_MM * CLOSE_PX_PER_MM)
        rows, columns = view.seen.shape
        x0, y0, x1, y1 = max(x - pad, 0), max(y - pad, 0), min(x + width + pad, columns), min(y + height + pad, rows)
        part = (slice(y0, y1), slice(x0, x1))
        inside = where[part].astype(np.float32)
        around = (view.seen[part] & ~where[part]).astype(np.float32)
        return cls(view.picture[part], inside, around, (x0, y0), view.px, float(inside.sum()) / view.px**2)

    def window(self, card: Image, blur_px: float) -> Floats:
        """What a card shows here and a margin around, as sharp as that."""
        x, y = self.corner
        height, width = self.where.shape
        padded = cv2.copyMakeBorder(card, _MARGIN, _MARGIN, _MARGIN, _MARGIN, cv2.BORDER_REPLICATE)
        part = padded[y : y + height + 2 * _MARGIN, x : x + width + 2 * _MARGIN].astype(np.float32)
        return np.asarray(cv2.GaussianBlur(part, (0, 0), blur_px), np.float32)

    def cut(self, card: Image, fit: _Fit) -> Floats:
        """The card as it was laid over the spot."""
        return self._shifted(self.window(card, fit.blur_px), fit.shift)

    def fitted(self, card: Image) -> _Fit:
        """At the sharpness and the shift that fit best."""
        blurs = [blur * self.px for blur in _BLURS]
        tried = [replace(self.laid(self.window(card, blur), self.picture), blur_px=blur) for blur in blurs]
        return min(tried, key=lambda fit: fit.rest)

    def laid(self, window: Floats, picture: Floats) -> _Fit:
        """A card's window laid over a picture of the spot at the shift that fits best."""
        # Nothing but where the two cards differ counts, and the ground around is several times as large.
        left, top, width, height = cv2.boundingRect(self.where.astype(np.uint8))
        part = (slice(top, top + height), slice(left, left + width))
        where, shown = self.where[part], picture[part]
        searched = window[top : top + height + 2 * _MARGIN, left : left + width + 2 * _MARGIN]
        like = cv2.matchTemplate(searched, shown, cv2.TM_CCOEFF_NORMED, mask=cv2.merge([where] * 3))
        _, _, _, (x, y) = cv2.minMaxLoc(np.nan_to_num(like, nan=-1.0, posinf=-1.0, neginf=-1.0))
        rest, _ = _rest(shown, searched[y : y + height, x : x + width], where)
        return _Fit(float(((rest * rest).sum(axis=2) * where).sum()), (x, y))

    def odds(self, best: Image, other: Image) -> Odds | None:
        """For one card and against another; None where most of it lies under something, or is a third card's."""
        first, second = self.fitted(best), self.fitted(other)
        laid = self.cut(best, first)
        mine, gain = self._unexplained(self.picture, laid)
        theirs, _ = self._unexplained(self.picture, self.cut(other, second))
        window = self.window(other, first.blur_px)
        # As strong as the picture shows the card: what a finger hides, or a lamp drowns, differs by little.
        between = self._unexplained(laid * gain, self._shifted(window, self.laid(window, laid).shift))[0]
        better = np.minimum(mine, theirs)
        noise = self._meaningless(better, between, laid * gain)
        speaks = np.clip((_NEITHER[1] - better / (between / 2 + noise)) / (_NEITHER[1] - _NEITHER[0]), 0, 1)
        says = np.asarray(speaks * self.where, np.float32)
        own, foreign, apart = (self._mean(energy, says) + _FLOOR for energy in (mine, theirs, between))
        pixels = 0.5 * _INDEPENDENT * self.pixels
        most = pixels * float(np.log((apart + own) / own))
        shown = self._mean(self._smooth(_centred(self.picture, self.where)), self.where)
        if self._mean(better, self.where) > _MOST_LEFT * (shown + self._mean(between, self.where)) + _FLOOR:
            # Neither card is there as a whole, so that neither could be laid over it.
            return None
        said = float((between * says).sum() / max((between * self.where).sum(), 1e-6))
        weight = float(says.sum() / self.where.sum())
        return Odds(pixels * weight * float(np.log(foreign / own)), weight * most) if said > _SPEAKING else None

    @staticmethod
    def _mean(energy: Floats, weight: Floats) -> float:
        return float((energy * weight).sum() / max(float(weight.sum()), 1e-6))

    def _meaningless(self, unexplained: Floats, between: Floats, laid: Floats) -> Floats:
        """Energy a pixel that speaks against no card: what is usual hereabouts, and edges that are a little off."""
        across, down = (
            np.asarray(cv2.Sobel(laid, cv2.CV_32F, *way, scale=1 / 8), np.float32) for way in ((1, 0), (0, 1))
        )
        wobble = (_WOBBLE * self.px) ** 2 * (self._smooth(across) + self._smooth(down))
        usual = float(np.median(unexplained[(self.where + self.around) > 0]))
        # Where most is unexplained it is no noise.
        most = _MOST_NOISE * float(between[self.where > 0].mean())
        return np.asarray(_FLOOR + min(usual, most) + wobble, np.float32)

    def _unexplained(self, picture: Floats, laid: Floats) -> tuple[Floats, Floats]:
        """Energy a pixel that a card leaves unexplained, smooth over a pixel of the camera's; and its contrast, by channel."""
        rest, gain = _rest(picture, laid, self.where)
        return self._smooth(rest), gain

    def _smooth(self, rest: Floats) -> Floats:
        energy = np.asarray((rest * rest).sum(axis=2), np.float32)
        return np.asarray(cv2.GaussianBlur(energy, (0, 0), self.px), np.float32)

    def _shifted(self, window: Floats, shift: tuple[int, int]) -> Floats:
        height, width = self.where.shape
        x, y = shift
        return window[y : y + height, x : x + width]


def _centred(picture: Floats, where: Floats) -> Floats:
    """Less its mean where that counts."""
    return np.asarray(picture - picture[where > 0].mean(axis=0), np.float32)


def _rest(picture: Floats, card: Floats, where: Floats) -> tuple[Floats, Floats]:
    """What a card leaves unexplained at the contrast and brightness that fit it best where that counts; and that contrast."""
    some = where > 0
    shown, drawn = picture[some], card[some]
    means = shown.mean(axis=0), drawn.mean(axis=0)
    shown, drawn = shown - means[0], drawn - means[1]
    gain = np.clip((shown * drawn).mean(axis=0) / ((drawn * drawn).mean(axis=0) + 1e-3), *_GAINS).astype(np.float32)
    return np.asarray((picture - means[0]) - gain * (card - means[1]), np.float32), gain

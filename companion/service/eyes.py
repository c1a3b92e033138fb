"""The vision process: takes pictures from the ring, watches until they settle, and sends observations as small values."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

import cv2
import numpy as np

from calibration.errors import CalibrationError
from calibration.profile import LensProfile
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import Picture, RingReader
from hardware.process import die_with_parent
from vision.cards import EnrolledDeck
from vision.cards.store import resolve_deck
from vision.errors import VisionError
from vision.frame import Frame, Image
from vision.look import Look
from vision.observation import ActivityChange, BoardReading, CardReading, Observation, Quad
from vision.watcher import Watcher, WatchSettings

log = logging.getLogger("companion.service.eyes")

FAULTS = 5
"""Pictures in a row on which the reading itself fails, before it is given up."""
CROP_PX = 360
"""Longer side of a part of a picture that a question shows."""


@dataclass(frozen=True, slots=True)
class EyesConfig:
    """What the vision process must know. Passes between processes."""

    table_mm: tuple[float, float]
    decks: tuple[str, ...] = ()
    """Names or directories."""
    lens: LensProfile | None = None
    """As calibrated; it is scaled to the size of the pictures that come."""
    corners_px: Quad | None = None
    """The table rectangle in the picture, for a table without markers."""
    corners_picture_px: tuple[int, int] | None = None
    """Size of the picture in which the corners were found."""
    board_area_mm: tuple[float, float, float, float] | None = None
    want_board: bool = True
    """Whether a star board is looked for at all."""
    source: str = "camera"
    """What observations and the page call it."""
    resume_after_ns: int = -1
    """Of a recording: pictures up to this time have been judged already, and are passed over."""
    keep_pictures: bool = False
    """Send each settled picture along, as JPEG."""
    watch: WatchSettings = field(default_factory=WatchSettings)


@dataclass(frozen=True, slots=True)
class Seen:
    """A settled observation on its way to the desk."""

    observation: Observation
    crops: dict[str, bytes]
    """PNG: "card:N" for each card N of the scene that is in doubt, "board" where a line or a star is."""
    picture: bytes | None
    """The whole picture as JPEG, where it is to be kept."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The vision process has read its decks and waits for pictures."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The vision process can't work: a line for people."""

    text: str


Word = Ready | Failed | Seen | ActivityChange | CameraNotice
"""Everything that the vision process says."""


def run_eyes(reader: RingReader, config: EyesConfig, words: Connection, parent_pid: int) -> None:
    """Entry point of the vision process; ends after a notice that nothing more comes, and with the service `parent_pid`."""
    die_with_parent(parent_pid)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the service ends us in order
    cv2.setNumThreads(1)
    try:
        decks = [resolve_deck(deck) for deck in config.decks]
    except VisionError as error:
        words.send(Failed(str(error)))
        return
    words.send(Ready())
    watcher: Watcher | None = None
    faults = 0
    for item in _taken(reader):
        if isinstance(item, CameraNotice):
            if item.final and watcher is not None:
                _pass_on(watcher.end(), watcher, config, words)
            if item.kind is NoticeKind.BACK and watcher is not None:
                watcher.look_again()
            words.send(item)
            if item.final:
                return
            continue
        if item.t_ns <= config.resume_after_ns:
            continue
        try:
            watcher = watcher or Watcher(look_of(config, decks, _size(item)), config.source, config.watch)
            _pass_on(watcher.feed(_frame(item)), watcher, config, words)
            faults = 0
        except CalibrationError as error:  # the lens was measured on another shape of picture: so will all others be
            words.send(Failed(str(error)))
            return
        except Exception as error:
            # One picture that we can't cope with must not end a final; many in a row are told and end the process.
            faults += 1
            log.exception("picture %s %s", item.frame_id, item.name)
            if faults >= FAULTS:
                words.send(Failed(f"{FAULTS} pictures in a row could not be read ({error!r}); see the log"))
                return
            where = item.name or f"picture {item.frame_id}"
            words.send(CameraNotice(NoticeKind.WARNING, f"{where} could not be read ({error!r}) and was passed over"))


def _pass_on(
    told: Iterable[Observation | ActivityChange], watcher: Watcher, config: EyesConfig, words: Connection
) -> None:
    for one in told:
        words.send(_seen(one, watcher, config) if isinstance(one, Observation) else one)


def look_of(config: EyesConfig, decks: Sequence[EnrolledDeck], picture_px: tuple[int, int]) -> Look:
    """What reads whole scenes for this table from pictures of this size (width, height).

    Raises BadProfileError where the lens was calibrated for another shape of picture.
    """
    lens = config.lens.lens(*picture_px) if config.lens is not None else None
    return Look(
        config.table_mm,
        decks,
        lens,
        board_area_mm=config.board_area_mm,
        want_board=config.want_board,
        corners_px=_corners(config, picture_px),
    )


def _corners(config: EyesConfig, picture_px: tuple[int, int]) -> Quad | None:
    """The clicked corners, scaled to the pictures that come."""
    if config.corners_px is None or config.corners_picture_px is None:
        return config.corners_px
    u, v = (now / then for now, then in zip(picture_px, config.corners_picture_px, strict=True))
    a, b, c, d = ((x * u, y * v) for x, y in config.corners_px)
    return a, b, c, d


def _size(picture: Picture) -> tuple[int, int]:
    """Width and height, px."""
    return picture.image.shape[1], picture.image.shape[0]


def _taken(reader: RingReader) -> Iterator[Picture | CameraNotice]:
    """Pictures and notices until the process is ended; pictures are views that are good until the next one."""
    while True:
        item = reader.get(1.0, copy=False)
        if item is not None:
            yield item


def _frame(picture: Picture) -> Frame:
    return Frame(
        picture.image, picture.frame_id, picture.t_ns, picture.t_err_ns, name=picture.name, settled=picture.settled
    )


def _seen(observation: Observation, watcher: Watcher, config: EyesConfig) -> Seen:
    frame = watcher.last_frame
    if frame is None:
        return Seen(observation, {}, None)
    picture = encode(".jpg", frame.image) if config.keep_pictures else None
    return Seen(observation, doubtful_parts(observation, frame.image), picture)


def doubtful_parts(observation: Observation, image: Image) -> dict[str, bytes]:
    """The parts of a picture that a person may be asked about, upright, as PNG."""
    scene = observation.scene
    parts = {
        f"card:{index}": encode(".png", _card_crop(image, card))
        for index, card in enumerate(scene.cards)
        if card.card is None and card.face != "down"
    }
    board = scene.board
    if board is not None and (board.doubts or any(star.n is None for star in board.stars)):
        parts["board"] = encode(".png", _board_crop(image, board, scene.table_mm))
    return parts


def encode(kind: str, image: Image) -> bytes:
    """A picture as PNG or JPEG."""
    _, data = cv2.imencode(kind, image, [cv2.IMWRITE_JPEG_QUALITY, 92] if kind == ".jpg" else [])
    return bytes(data)


def _card_crop(image: Image, card: CardReading) -> Image:
    corners = np.asarray(card.corners_px, np.float32)
    width = float(np.linalg.norm(corners[1] - corners[0]))
    height = float(np.linalg.norm(corners[3] - corners[0]))
    scale = CROP_PX / max(width, height, 1.0)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    target = np.array([(0, 0), (size[0], 0), size, (0, size[1])], np.float32)
    return cv2.warpPerspective(image, cv2.getPerspectiveTransform(corners, target), size).astype(np.uint8, copy=False)


def _board_crop(image: Image, board: BoardReading, table_mm: tuple[float, float]) -> Image:
    """Where the board lies, roughly: the picture's part that its share of the table takes up, kept small."""
    xs = [point[0] for point in board.outline_mm]
    ys = [point[1] for point in board.outline_mm]
    height, width = image.shape[:2]
    left, right = (round(max(0.0, value / table_mm[0]) * width) for value in (min(xs), max(xs)))
    top, bottom = (round(max(0.0, value / table_mm[1]) * height) for value in (min(ys), max(ys)))
    part = image[top : max(bottom, top + 1), left : max(right, left + 1)]
    scale = min(1.0, 2 * CROP_PX / max(part.shape[:2]))
    return cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)

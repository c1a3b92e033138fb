"""The vision process over the Arena: follows dice and hands in every picture, and says what a duel's judge needs to hear.

The last seconds of pictures are kept as JPEG; of each touch those around it are handed on, to be looked at again.
"""

from __future__ import annotations

import logging
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.duel.hearing import DiceHearing
from companion.duel.hearing_hands import HandsHearing
from companion.duel.reports import Key, Source
from companion.duel.timeline import Entry
from companion.rules.hoshi_battle.facts import Face
from companion.service.arena_beside import (
    ArenaConfig,
    AtOnce,
    Beside,
    InAProcess,
    TopAsked,
    Tops,
    TopTold,
    TouchAsked,
    TouchTold,
    touch_of,
)
from companion.service.arena_tops import TopsWanted
from companion.service.eyes import FAULTS, Failed, Ready
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import RingReader
from hardware.process import die_with_parent
from vision.arena import Arena, ArenaState, find_arena
from vision.arena_hands import ArenaHand, ArenaHands, Seat
from vision.dice.enrolled import enrol_die
from vision.dice.track import DiceTracker, TrackedDie
from vision.dice.track_colour import Ground, Mask
from vision.errors import VisionError
from vision.frame import Image
from vision.table import TablePose, locate_table

log = logging.getLogger("companion.service.arena")

TRACKED_PX = 640
"""Wide are the pictures in which dice and hands are followed; larger ones are made smaller for it, and used to read dice."""
KEPT_NS = 12 * 10**9
CLIP_BEFORE_NS, CLIP_AFTER_NS = 2 * 10**9, 10**9
STILL_PICTURES = 4
STILL_LEVELS = 18
"""A pixel that differs by so much from one picture to the next has changed, ..."""
STILL_SHARE = 0.0006
"""... and a table of which no more than this share did lies still."""
AFTER_TOUCH_NS = 20 * 10**6
"""Who closed in is asked of the picture that is so long past the touch."""
AHEAD_EACH = 3
"""The first touch of a throw that goes on is worked out ahead after every so-manieth picture."""
LEAST_CHANGE_PX = 25
"""A hand at the rim, or a die beside the string, shows larger."""
RIM_PX = 6
BESIDE_MM = 15.0
"""Cards and Stones lie no nearer to the string."""
SEAT_MM = 320.0
"""A player sits so far from the table's middle."""
CLIP_QUALITY = 80


# -- what is told to it ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seated:
    """Who duels, at the left and at the right chair, and with which dice."""

    seats: tuple[str, str]
    dice: tuple[tuple[int, ...], tuple[int, ...]]
    """Sides, of each seat's dice in their order."""


@dataclass(frozen=True, slots=True)
class FeltTouch:
    """The pad felt a touch, by the pictures' clock."""

    key: Key
    name: str
    """What the touch is called among all of the game."""
    t_ns: int


@dataclass(frozen=True, slots=True)
class FeltKnock:
    """Something knocked on the mat."""

    t_ns: int
    err_ns: int


@dataclass(frozen=True, slots=True)
class Played:
    """Whether dice may roll now: otherwise cards and Stones are moved, which look like dice, and only hands are followed."""

    is_on: bool


Order = Seated | Played | FeltTouch | FeltKnock


# -- what it says ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heard:
    """What a picture told: calls of companion.duel.hearing.Judge, in their order."""

    t_ns: int
    calls: tuple[tuple[str, tuple[Any, ...]], ...]


@dataclass(frozen=True, slots=True)
class Clip:
    """The pictures around a touch, as JPEG, each with its time from the touch, microseconds."""

    touch: str
    frames: tuple[tuple[int, bytes], ...]


@dataclass(slots=True)
class _Mouth:
    """A judge that only writes down what it is told."""

    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def tell(self, entry: Entry) -> None:
        self.calls.append(("tell", (entry,)))

    def told_through(self, source: Source, at_us: int) -> None:
        self.calls.append(("told_through", (source, at_us)))

    def blinded(self, source: Source, since_us: int, why: str, until_us: int | None = None) -> None:
        self.calls.append(("blinded", (source, since_us, why, until_us)))

    def sees_again(self, source: Source, at_us: int) -> None:
        self.calls.append(("sees_again", (source, at_us)))

    def taken(self) -> tuple[tuple[str, tuple[Any, ...]], ...]:
        """What was said since this was last asked."""
        said, self.calls = tuple(self.calls), []
        return said


class ArenaWatch:
    """Follows the Arena picture by picture. Give it every picture and every order, in their order."""

    def __init__(
        self,
        config: ArenaConfig,
        say: Callable[[Heard | Clip], None],
        touches: Beside[TouchAsked, TouchTold] | None = None,
        tops: Beside[TopAsked, TopTold] | None = None,
    ) -> None:
        """`touches`, `tops`: where first touches are worked out and tops are read; here and at once unless told.

        Raises VisionError where the dice's faces can't be used.
        """
        self._config, self._say = config, say
        self._touches_beside = touches or AtOnce(touch_of)
        self._tops = TopsWanted(tops or AtOnce(Tops(config).read), self._tell_top)
        self._table = 0
        """How often the table was learned."""
        self._since_ahead = 0
        self._mouth = _Mouth()
        self._seated: Seated | None = None
        self._wanted: Seated | None = None
        self._names: dict[str, tuple[str, int, int]] = {}
        self._pose: TablePose | None = None
        self._ground: Ground | None = None
        self._near: Mask | None = None
        """Where only dice lie."""
        self._rim: Mask | None = None
        """The picture's rim: every hand over the table comes in there, and no card lies so far out."""
        self._is_played = False
        self._grey: Mask | None = None
        self._empty = 0
        """In so many pictures since there was nothing but the table."""
        self._tracker: DiceTracker | None = None
        self._hands: ArenaHands | None = None
        self._dice_ears: DiceHearing | None = None
        self._hand_ears: HandsHearing | None = None
        self._still: deque[Image] = deque(maxlen=STILL_PICTURES)
        self._touches: list[FeltTouch] = []
        self._clips: list[FeltTouch] = []
        self._kept: deque[tuple[int, bytes]] = deque()
        self._t_ns = 0

    @property
    def is_alone(self) -> bool:
        """Whether a process beside it has ended."""
        return self._touches_beside.is_lost or self._tops.beside.is_lost

    def order(self, order: Order) -> None:
        """Takes an order."""
        match order:
            case Seated():
                self._wanted = order if order != self._seated else None
            case Played(is_on=is_on):
                self._is_played = is_on
            case FeltTouch():
                self._touches.append(order)
                self._clips.append(order)
            case FeltKnock(t_ns=t_ns, err_ns=err_ns):
                if self._tracker is not None:
                    self._tracker.knock(t_ns, err_ns)

    def feed(self, image: Image, t_ns: int) -> None:
        """Looks at a picture."""
        self._t_ns = t_ns
        small = _small(image)
        self._keep(small, t_ns)
        is_still = self._is_still(small)
        self._look(image, small, t_ns)
        self._hear_beside()
        self._empty = self._empty + 1 if is_still and self._is_empty(small) else 0
        if self._empty >= STILL_PICTURES and self._is_worth_learning(small):
            self._learn(t_ns)
        self._say(Heard(t_ns, self._mouth.taken()))
        self._hand_on_clips(t_ns)

    # -- following --------------------------------------------------------------------------------------------------------

    def _look(self, image: Image, small: Image, t_ns: int) -> None:
        """Shows a picture to both trackers."""
        tracker, hands = self._tracker, self._hands
        if tracker is None or hands is None or self._dice_ears is None or self._hand_ears is None:
            return
        seen = hands.feed(small, t_ns)
        if self._is_played:
            self._follow_dice(tracker, self._dice_ears, image, small, t_ns, seen)
        else:
            self._mouth.told_through(Source.DICE, t_ns // 1000)
        self._hand_ears.looked(t_ns, seen)
        while self._touches and t_ns > self._touches[0].t_ns + AFTER_TOUCH_NS:
            touch = self._touches.pop(0)
            self._hand_ears.touched(touch.key, touch.t_ns)

    def _is_empty(self, small: Image) -> bool:
        """Whether no hand comes in over the rim, and no die lies about the string."""
        return not self._changes(small, self._rim) and not self._changes(small, self._near)

    def _follow_dice(
        self,
        tracker: DiceTracker,
        ears: DiceHearing,
        image: Image,
        small: Image,
        t_ns: int,
        hands: Sequence[ArenaHand],
    ) -> None:
        for event in tracker.feed(small, t_ns):
            ears.hear(event)
            if event.die in self._names:
                self._tops.expect(event)
        self._ask_touches(tracker)
        self._tops.ask(image, t_ns)
        self._tops.ask_ahead(self._names, tracker, image, t_ns)
        ears.looked(t_ns, {name: (tracker.state(name), tracker.place(name)) for name in self._names}, hands)

    def _changes(self, small: Image, where: Mask | None = None) -> bool:
        """Whether the table lies otherwise than it was learned, somewhere or there."""
        if self._ground is None:
            return False
        changed = self._ground.changed(small)
        if where is not None:
            return int(cv2.countNonZero(cv2.bitwise_and(changed, where))) > LEAST_CHANGE_PX
        return bool(cv2.countNonZero(changed) > STILL_SHARE * small.shape[0] * small.shape[1])

    # -- what is worked out beside ------------------------------------------------------------------------------------------

    def _ask_touches(self, tracker: DiceTracker) -> None:
        """Where the throws that have settled first touched, and ahead of that those that go on."""
        for task in tracker.tasks():
            self._touches_beside.ask(TouchAsked(self._table, task))
        self._since_ahead += 1
        if self._touches_beside.works_ahead and self._since_ahead >= AHEAD_EACH:
            self._since_ahead = 0
            for task in tracker.ahead():
                # What lies on one side as a whole needs no working out.
                if task.at_once() is None:
                    self._touches_beside.ask(TouchAsked(self._table, task, is_ahead=True))

    def _hear_beside(self) -> None:
        """What has come of it, of the table as it lies now."""
        tracker, ears = self._tracker, self._dice_ears
        for touch in self._touches_beside.told():
            if tracker is not None and ears is not None and touch.table == self._table:
                for event in tracker.decided(touch.number, touch.touch):
                    ears.hear(event)
        self._tops.hear()

    def _tell_top(self, die: str, face: Face, rest_ns: int) -> None:
        if self._dice_ears is not None:
            self._dice_ears.read(die, face, rest_ns)

    # -- the empty table --------------------------------------------------------------------------------------------------

    def _is_still(self, small: Image) -> bool:
        """Whether nothing moved over the last pictures."""
        grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
        before, self._grey = self._grey, grey.astype(np.uint8, copy=False)
        if before is not None and before.shape == grey.shape:
            moved = cv2.threshold(cv2.absdiff(before, grey), STILL_LEVELS, 255, cv2.THRESH_BINARY)[1]
            if cv2.countNonZero(moved) > STILL_SHARE * grey.size:
                self._still.clear()
        self._still.append(small.copy())
        return len(self._still) == STILL_PICTURES

    def _is_worth_learning(self, small: Image) -> bool:
        """Whether others sit there now, or cards and Stones lie otherwise than they did."""
        return self._ground is None or self._wanted is not None or self._changes(small)

    def _learn(self, t_ns: int) -> None:
        """The table as it lies still now is what all else is seen before."""
        shots = list(self._still)
        try:
            pose = locate_table(shots[-1], self._config.table_mm)
        except VisionError:
            return
        arena = find_arena(shots[-1], pose)
        if arena.state is ArenaState.NONE:
            return
        self._pose, self._ground = pose, Ground.of(shots)
        self._near, self._rim = _near(arena, pose, shots[-1]), _rim(shots[-1])
        self._seated, self._wanted = self._wanted or self._seated, None
        if self._seated is None:
            return
        dice = self._followed(self._seated)
        seats = self._seated.seats
        middle = self._config.table_mm[0] / 2, self._config.table_mm[1] / 2
        places = [Seat(seat, middle[0] + side * SEAT_MM, middle[1]) for side, seat in zip((-1, 1), seats, strict=True)]
        self._table += 1
        self._tracker = DiceTracker(pose, self._ground, dice, arena)
        self._hands = ArenaHands(pose, self._ground, places)
        if self._dice_ears is None or self._hand_ears is None:
            # Reports of a process that was started anew must not bear the numbers of the one before.
            self._dice_ears = DiceHearing(self._mouth, self._names, t_ns // 1000)
            self._hand_ears = HandsHearing(self._mouth, self._hands, seats, t_ns // 1000)
        else:
            self._dice_ears.follow(self._names)
            self._hand_ears.follow(self._hands, seats)
        self._tops.learned(self._table)

    def _followed(self, seated: Seated) -> list[TrackedDie]:
        """The dice that are rolled now."""
        self._names = {}
        found = []
        for seat, dice, colours in zip(seated.seats, seated.dice, self._config.colours, strict=True):
            for number, sides in enumerate(dice):
                colour = colours.get(sides) or next(iter(colours.values()))
                name = f"{seat}/{number}"
                self._names[name] = (seat, number, sides)
                found.append(TrackedDie(name, colour, self._config.die_mm, sides))
        return found

    # -- pictures to look at again ----------------------------------------------------------------------------------------

    def _keep(self, small: Image, t_ns: int) -> None:
        _, packed = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, CLIP_QUALITY])
        self._kept.append((t_ns, packed.tobytes()))
        while self._kept and not t_ns - KEPT_NS <= self._kept[0][0] <= t_ns:
            self._kept.popleft()

    def _hand_on_clips(self, t_ns: int) -> None:
        for touch in [each for each in self._clips if t_ns >= each.t_ns + CLIP_AFTER_NS]:
            self._clips.remove(touch)
            first, last = touch.t_ns - CLIP_BEFORE_NS, touch.t_ns + CLIP_AFTER_NS
            frames = tuple(((at - touch.t_ns) // 1000, jpeg) for at, jpeg in self._kept if first <= at <= last)
            self._say(Clip(touch.name, frames))


def _near(arena: Arena, pose: TablePose, image: Image) -> Mask:
    """Where only dice lie, white."""
    mask = np.zeros(image.shape[:2], np.uint8)
    outline = pose.to_px(np.asarray(arena.polygon_mm, np.float64))
    cv2.fillPoly(mask, [np.rint(outline).astype(np.int32)], 255)
    across = pose.to_px(np.array([(0.0, 0.0), (BESIDE_MM, 0.0)]))
    reach = 2 * round(float(np.linalg.norm(across[1] - across[0]))) + 1
    return cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))).astype(np.uint8, copy=False)


def _rim(image: Image) -> Mask:
    """The picture's rim, white."""
    mask = np.full(image.shape[:2], 255, np.uint8)
    mask[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX] = 0
    return mask


def _small(image: Image) -> Image:
    if image.shape[1] <= TRACKED_PX:
        return image
    size = (TRACKED_PX, round(image.shape[0] * TRACKED_PX / image.shape[1]))
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def run_arena_eyes(
    reader: RingReader, config: ArenaConfig, words: Connection, parent_pid: int, *beside: Connection
) -> None:
    """Entry point of the process; ends after a notice that nothing more comes, and with the service `parent_pid`.

    `beside`: pipes to the processes of companion.service.arena_beside.BESIDE, if there are any; it ends with them as well.
    """
    die_with_parent(parent_pid)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the service ends us in order
    cv2.setNumThreads(1)
    try:
        watch = ArenaWatch(config, words.send, *_asking(config, beside))
    except VisionError as error:
        words.send(Failed(str(error)))
        return
    words.send(Ready())
    faults = 0
    while not watch.is_alone:
        item = reader.get(0.2, copy=False)
        while words.poll():
            watch.order(words.recv())
        if item is None:
            continue
        if isinstance(item, CameraNotice):
            words.send(item)
            if item.final:
                return
            continue
        try:
            watch.feed(item.image, item.t_ns)
            faults = 0
        except Exception as error:
            # As in companion.service.eyes: one picture must not end a duel.
            faults += 1
            log.exception("picture %s", item.frame_id)
            if faults >= FAULTS:
                words.send(Failed(f"{FAULTS} pictures in a row could not be read ({error!r}); see the log"))
                return
            text = f"picture {item.frame_id} could not be read ({error!r}) and was passed over"
            words.send(CameraNotice(NoticeKind.WARNING, text))
    sys.exit(1)  # the service starts all of them anew


def _asking(
    config: ArenaConfig, beside: Sequence[Connection]
) -> tuple[Beside[TouchAsked, TouchTold] | None, Beside[TopAsked, TopTold] | None]:
    """What asks the processes beside; None where there are none. Raises VisionError where the dice's faces can't be used."""
    if not beside:
        return None, None
    enrol_die(Path(config.symbols), "dice")
    touches, tops = beside
    return InAProcess(touches), InAProcess(tops)

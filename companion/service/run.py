"""The loop that brings what the pipeline says to the desk."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from companion.adjudicator.desk import GameDesk, SettledLook
from companion.adjudicator.people import People
from companion.adjudicator.told import Told
from companion.service.eyes import Failed, Ready, Seen, Word
from companion.service.pipeline import Pipeline
from companion.service.recorder import Recorder
from hardware.camera.notices import CameraNotice, NoticeKind
from vision.observation import ActivityChange

log = logging.getLogger("companion.service")

STATES = {
    NoticeKind.LOST: "lost",
    NoticeKind.FAILED: "lost",
    NoticeKind.BACK: "moving",
    NoticeKind.END: "ended",
}
"""What the page shows of a camera after a notice; a warning or an unreadable picture leaves it as it is."""


@dataclass(slots=True)
class RunResult:
    """How a source's pictures ended."""

    problems: list[str] = field(default_factory=list)
    """Bad input, one line each, in order."""
    failed: bool = False
    """The source or the vision could not go on."""
    pictures: int = 0
    """Settled pictures that were judged."""


def run_table(
    pipeline: Pipeline,
    desk: GameDesk,
    *,
    say: Callable[[str], None],
    recorder: Recorder | None = None,
    stop: threading.Event | None = None,
    source: str = "camera",
    told: Sequence[Told] = (),
    told_time: Callable[[int], int] = lambda t_ns: t_ns,
    on_word: Callable[[], None] = lambda: None,
) -> RunResult:
    """Takes words until the source ends, `stop` is set, or nothing more can come. `say` gets lines for people.

    `told` is what people tap meanwhile, by time: each act is told once everything before it was seen; `told_time` gives its time
    for one of the pictures. `on_word` is called with each word, and twice a second where there is none.
    """
    result = RunResult()
    people = People(desk, told, told_time)
    for word in pipeline.words():
        if stop is not None and stop.is_set():
            break
        on_word()
        people.tap_until(_time_of(word))
        match word:
            case None:
                desk.tick()
            case Seen(observation=observation, crops=crops, picture=picture):
                result.pictures += 1
                if recorder is not None and picture is not None and observation.changed:
                    recorder.keep(observation, picture, say)
                desk.observe(SettledLook(observation, crops))
                people.tap_until(observation.t_ns)
            case ActivityChange():
                desk.activity(word)
                if word.text and word.activity == "lost":
                    say(word.text)
                    result.problems.append(word.text)
            case CameraNotice():
                take_notice(word, desk, result, say, source)
            case Failed(text=text):
                say(text)
                result.problems.append(text)
                result.failed = True
                desk.source(source, "lost", text, journaled=True)
            case Ready():
                log.debug("vision is ready")
    return result


def _time_of(word: Word | None) -> int:
    """Until when all has been seen once a word is said; the end of the pictures is the end of time."""
    match word:
        case Seen(observation=observation):
            return observation.t_ns
        case ActivityChange(t_ns=t_ns):
            return t_ns
        case CameraNotice(final=True):
            return sys.maxsize
        case _:
            return -1


def take_notice(
    notice: CameraNotice, desk: GameDesk, result: RunResult, say: Callable[[str], None], source: str
) -> None:
    """What a camera's notice means for people, the desk and the result."""
    if notice.kind is not NoticeKind.END:
        say(notice.text)
    if notice.kind in (NoticeKind.UNREADABLE, NoticeKind.FAILED):
        result.problems.append(notice.text)
    result.failed = result.failed or notice.kind is NoticeKind.FAILED
    state = STATES.get(notice.kind)
    if state is not None:
        text = "the pictures have ended" if notice.kind is NoticeKind.END else notice.text
        desk.source(source, state, text, journaled=True)

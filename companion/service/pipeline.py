"""Pictures to words: runs the capture child and the vision process, and starts them again when they die."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from companion.service.eyes import Failed, Word, run_eyes
from hardware.camera.base import CameraFactory
from hardware.camera.capture import Capture
from hardware.camera.notices import CameraNotice, NoticeKind

RESTARTS = 5
"""Deaths of the vision process within `RESTART_WINDOW_S` before it is given up."""
RESTART_WINDOW_S = 120.0


class Pipeline:
    """One source, seen. `words` is to be read by one thread.

    Recordings lose no picture; live sources show the newest. Every process ends with this one.
    """

    def __init__(
        self,
        factory: CameraFactory,
        config: Any,
        source_name: str,
        *,
        pace_s: float = 0.0,
        python: str | None = None,
        eyes: Callable[..., None] = run_eyes,
        beside: Sequence[Callable[..., None]] = (),
    ) -> None:
        """`eyes` is the vision process, as `run_eyes`, and `config` what it must know; `source_name` is for messages.

        `beside`: processes that work things out for it; each gets the config, one end of a pipe and this process's id, the eyes
        get the other ends after their own arguments. They live and are started again with it.

        `pace_s`: least time between two pictures of a recording; `python`: interpreter of the capture child.
        """
        self._context = multiprocessing.get_context("spawn")
        self._config = config
        self._run_eyes, self._run_beside = eyes, tuple(beside)
        self._capture = Capture(factory, source_name, pace_s=pace_s, python=python)
        self._words: Connection | None = None
        self._eyes: SpawnProcess | None = None
        self._beside: list[SpawnProcess] = []
        self._deaths: list[float] = []

    def start(self) -> None:
        """Starts all processes. Returns at once."""
        self._start_eyes()
        self._capture.start()

    def stop(self) -> None:
        """Ends all processes. May be called twice."""
        self._capture.stop()
        _end([*([self._eyes] if self._eyes is not None else []), *self._beside])
        if self._words is not None:
            self._words.close()

    def __enter__(self) -> Pipeline:
        self.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.stop()

    def order(self, order: object) -> None:
        """Tells the vision process something, where it is one that is told; lost while there is none."""
        if self._words is None:
            return
        with contextlib.suppress(OSError):
            self._words.send(order)

    def words(self, patience_s: float = 0.5) -> Iterator[Any]:
        """What is said, in order; None whenever nothing was said for `patience_s`. Ends after a final notice or a failure."""
        while True:
            word = self._next_word(patience_s)
            if word is None:
                if (failure := self._look_after_eyes()) is not None:
                    yield failure
                    if isinstance(failure, Failed):
                        return
                yield None
                continue
            yield word
            if isinstance(word, Failed) or (isinstance(word, CameraNotice) and word.final):
                return

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the capture child and the vision process, as far as they run."""
        eyes = self._eyes.pid if self._eyes is not None else None
        return tuple(pid for pid in (self._capture.stats().pid, eyes) if pid is not None)

    def _next_word(self, patience_s: float) -> Word | None:
        """What the vision process says next; None where it says nothing in time, or died in the middle of a word."""
        if self._words is None:
            return None
        try:
            if not self._words.poll(patience_s):
                return None
            word: Word = self._words.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            time.sleep(0.05)  # its end is known a moment before its death is
            return None
        return word

    def _start_eyes(self) -> None:
        # A pipe of its own for each life, whose writing end only that process holds: nothing can be left locked by its death.
        self._words, told = self._context.Pipe()
        ends = self._start_beside()
        self._eyes = self._context.Process(
            target=self._run_eyes,
            args=(self._capture.reader(), self._config, told, os.getpid(), *ends),
            name="vision",
            daemon=True,
        )
        self._eyes.start()
        for end in (told, *ends):
            end.close()

    def _start_beside(self) -> list[Connection]:
        """Starts what works things out for the eyes; the eyes' ends of the pipes."""
        _end(self._beside)
        self._beside, ends = [], []
        for work in self._run_beside:
            mine, its = self._context.Pipe()
            process = self._context.Process(
                target=work, args=(self._config, its, os.getpid()), name=work.__name__, daemon=True
            )
            process.start()
            its.close()
            self._beside.append(process)
            ends.append(mine)
        return ends

    def _look_after_eyes(self) -> Word | None:
        """Starts a dead vision process again; what to tell of it, or None while it lives."""
        eyes = self._eyes
        if eyes is None or eyes.is_alive():
            return None
        now = time.monotonic()
        self._deaths = [died for died in self._deaths if now - died < RESTART_WINDOW_S] + [now]
        if len(self._deaths) > RESTARTS:
            return Failed(f"the vision process died {len(self._deaths)} times in {RESTART_WINDOW_S:.0f} s; see the log")
        self._start_eyes()
        return CameraNotice(
            NoticeKind.WARNING, f"the vision process ended (code {eyes.exitcode}) and was started again"
        )


def _end(processes: Sequence[SpawnProcess]) -> None:
    """Ends processes, asked first and then killed."""
    for process in processes:
        if process.is_alive():
            process.terminate()
    for process in processes:
        process.join(2.0)
        if process.is_alive():
            process.kill()

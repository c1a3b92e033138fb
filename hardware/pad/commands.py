"""Commands to the pad: one at a time, each with a tag, sent again until it is answered or its time is over."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field

from hardware.pad.errors import PadAnswerError, PadError, PadTimeoutError
from hardware.pad.messages import Command, Kind, Reply, Status

RESEND_NS = 60_000_000
BUSY_NS = 50_000_000
"""How long a busy pad is left alone."""
PATIENCE_S = 3.0
LAST_TAG = 255

_REFUSALS = {
    Status.UNKNOWN_COMMAND: "its firmware does not know this command; flash a newer one (`hoshiban pad flash`)",
    Status.BAD_ARGUMENT: "it does not take this value",
    Status.BUSY: "it is busy; try again",
    Status.FAILED: "it failed; see `hoshiban pad test`",
    Status.UNKNOWN_VERSION: "it speaks another version of the protocol",
}


@dataclass(slots=True)
class _Asked:
    command: Command
    deadline_ns: int
    future: Future[Reply] = field(default_factory=Future)
    tag: int = 0
    due_ns: int = 0
    sends: int = 0


class CommandQueue:
    """Commands in line. `ask` may be called from any thread; the rest belongs to the link's."""

    def __init__(self) -> None:
        self._waiting: deque[_Asked] = deque()
        self._lock = threading.Lock()
        self._flying: _Asked | None = None
        self._tag = 0
        self.resent = 0

    @property
    def flying(self) -> bool:
        """Whether an answer is waited for: until then the pad is asked nothing else."""
        return self._flying is not None

    def ask(self, command: Command, now_ns: int, patience_s: float = PATIENCE_S) -> Future[Reply]:
        """Puts a command in line. The future gives the answer of status 0, or raises PadAnswerError or PadTimeoutError."""
        asked = _Asked(command, now_ns + int(patience_s * 1e9))
        with self._lock:
            self._waiting.append(asked)
        return asked.future

    def next_tag(self) -> int:
        """A tag that has not been used for long, 1 to 255."""
        self._tag = self._tag % LAST_TAG + 1
        return self._tag

    def due(self, now_ns: int) -> bytes | None:
        """The body of a frame to send now, if any: the command under way again, or the next one."""
        self._expire(now_ns)
        if self._flying is None:
            with self._lock:
                # Whoever asked may have given up meanwhile.
                while self._waiting and self._flying is None:
                    asked = self._waiting.popleft()
                    if asked.future.set_running_or_notify_cancel():
                        asked.tag = self.next_tag()
                        self._flying = asked
        asked_now = self._flying
        if asked_now is None or now_ns < asked_now.due_ns:
            return None
        self.resent += asked_now.sends > 0
        asked_now.sends += 1
        asked_now.due_ns = now_ns + RESEND_NS
        return asked_now.command.pack(asked_now.tag)

    def wake_ns(self) -> int | None:
        """When `due` has something to do next; None while nothing is in line."""
        if self._flying is not None:
            return min(self._flying.due_ns, self._flying.deadline_ns)
        return 0 if self._waiting else None

    def answered(self, reply: Reply, now_ns: int) -> None:
        """Takes an answer; one that nobody waits for is a late second one."""
        asked = self._flying
        if asked is None or asked.tag != reply.tag:
            return
        if reply.status == Status.BUSY:
            asked.due_ns = now_ns + BUSY_NS
            return
        self._flying = None
        if reply.status == Status.DONE:
            asked.future.set_result(reply)
        else:
            asked.future.set_exception(_refusal(asked.command.kind, reply))

    def give_up(self, error: PadError) -> None:
        """Nobody answers any more: everything in line fails with that error."""
        with self._lock:
            asked = [*([self._flying] if self._flying else []), *self._waiting]
            self._waiting.clear()
            self._flying = None
        for one in asked:
            if one.future.running() or one.future.set_running_or_notify_cancel():
                one.future.set_exception(error)

    def _expire(self, now_ns: int) -> None:
        asked = self._flying
        if asked is not None and now_ns >= asked.deadline_ns:
            self._flying = None
            asked.future.set_exception(
                PadTimeoutError(f"the pad did not answer {_name(asked.command.kind)} in time; see `hoshiban pad test`")
            )


class RefusedError(PadAnswerError):
    """An answer with another status than 0."""

    def __init__(self, text: str, reply: Reply) -> None:
        super().__init__(text)
        self.reply = reply


def _refusal(kind: Kind, reply: Reply) -> RefusedError:
    try:
        why = _REFUSALS[Status(reply.status)]
    except (KeyError, ValueError):
        why = f"status {reply.status}"
    return RefusedError(f"the pad refused {_name(kind)}: {why}", reply)


def _name(kind: Kind) -> str:
    return kind.name.lower().replace("_", " ")

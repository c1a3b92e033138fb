"""What a source has to say besides its pictures, as plain values that pass between processes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class NoticeKind(StrEnum):
    """What happened to the source."""

    WARNING = "warning"
    """Something for people; pictures go on."""
    UNREADABLE = "unreadable"
    """One picture can't be read; the source goes on with the next."""
    LOST = "lost"
    """A live source stopped; it is being started again."""
    BACK = "back"
    """Pictures of a lost source come again."""
    FAILED = "failed"
    """The source is given up: nothing more comes, unless it is started again by hand."""
    END = "end"
    """A recording is over; nothing more comes."""


@dataclass(frozen=True, slots=True)
class CameraNotice:
    """One thing that a source has to say."""

    kind: NoticeKind
    text: str
    """One line for people: what, where and what to do. Never holds a password."""
    name: str = ""
    """File name of the picture that it speaks of, else empty."""
    t_ns: int = 0
    """Host's monotonic clock."""

    @property
    def final(self) -> bool:
        """True where no picture comes after it."""
        return self.kind in (NoticeKind.END, NoticeKind.FAILED)

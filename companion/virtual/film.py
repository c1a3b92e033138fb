"""What a director hands out: a film or its settled moments, with what people tap meanwhile; the same for every game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

from companion.adjudicator.told import Said, Told
from hardware.virtual.scene import Scene


class Shown(NamedTuple):
    """A picture of the film."""

    t_s: float
    """From the film's start."""
    scene: Scene
    said: tuple[Said, ...] = ()
    """What people say of what was to be seen before it."""


class Still(NamedTuple):
    """A settled moment."""

    name: str
    """As "04-trick2-down"."""
    scene: Scene
    said: tuple[Said, ...] = ()
    """What people say while it lasts."""
    t_us: int | None = None
    """When it is in the film, where that is known."""


class Films(Protocol):
    """A game's director. Each call of `film` or `stills` tells the whole game from its start."""

    def film(self) -> Iterator[Shown]:
        """The whole game, picture by picture."""

    def stills(self) -> Iterator[Still]:
        """The settled moments of the film."""


@runtime_checkable
class TimedFilms(Films, Protocol):
    """A director who also knows when everything happens."""

    def truth(self) -> dict[str, Any]:
        """What happens when, as JSON can hold it."""


def filmed(acts: Iterable[Scene | Said], fps: float) -> Iterator[Shown]:
    """Scenes as pictures of a film, each with what was said since the one before."""
    number, said = 0, []
    for act in acts:
        if isinstance(act, Said):
            said.append(act)
            continue
        yield Shown(number / fps, act, tuple(said))
        number, said = number + 1, []


def numbered(moments: Iterable[tuple[str, Scene, tuple[Said, ...]]]) -> Iterator[Still]:
    """Stills named so that their names sort in their order."""
    listed = list(moments)
    digits = max(2, len(str(len(listed) - 1)))
    for number, (name, scene, said) in enumerate(listed):
        yield Still(f"{number:0{digits}d}-{name}", scene, said)


def told_in_film(film: Iterable[Shown]) -> tuple[Told, ...]:
    """What is said, each at the time of the picture before which it is."""
    return tuple(Told(round(shown.t_s * 1e9), said) for shown in film for said in shown.said)


def told_in_stills(stills: Iterable[Still]) -> tuple[Told, ...]:
    """What is said, each halfway from its still to the next; a directory's pictures are a second apart, from 0."""
    return tuple(Told(index * 10**9 + 5 * 10**8, said) for index, still in enumerate(stills) for said in still.said)

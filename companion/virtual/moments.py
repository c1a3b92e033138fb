"""A game told moment by moment: what hands do, how the table lies then, what is said; film and stills tell the same moments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from companion.adjudicator.told import Said
from companion.games.book import Book
from companion.rules.core import Level
from companion.virtual.film import Shown, Still, filmed, numbered
from companion.virtual.reel import Reel, Timing
from companion.virtual.stage import Stage
from hardware.virtual.scene import Point, Scene

Handling = Callable[[Reel], Iterator[Scene]]


@dataclass(frozen=True, slots=True)
class Moment:
    """What hands do at the table, how it lies then, and what is said of it."""

    name: str | None
    """None where the table lies as before."""
    scene: Scene
    handling: Handling
    said: tuple[Said, ...] = ()
    said_before: tuple[Said, ...] = ()
    """What is said before it can be seen."""
    still_s: float | None = None
    """For how long nothing moves afterwards, if it is not the usual time."""


class MomentFilms(ABC):
    """Films moments. Each call of `film` or `stills` tells the whole game from its start; the same seed, the same game."""

    begins = "deal"
    """What the first still is called."""

    def __init__(self, stage: Stage, timing: Timing | None = None) -> None:
        self._timing = timing or Timing()
        self._films_on = stage

    @abstractmethod
    def moments(self) -> Iterator[Moment]:
        """The whole game."""

    def stills(self) -> Iterator[Still]:
        """The table before anything is played, then a picture for each moment that changes it."""
        return numbered(self._settled())

    def film(self) -> Iterator[Shown]:
        """The whole game, picture by picture."""
        return filmed(self._acts(Reel(self._films_on, self._timing)), self._timing.fps)

    def _settled(self) -> Iterator[tuple[str, Scene, tuple[Said, ...]]]:
        name, scene = self.begins, self._films_on.empty()
        said: list[Said] = []
        for moment in self.moments():
            said += moment.said_before
            if moment.name is not None:
                yield name, scene, tuple(said)
                name, scene, said = moment.name, moment.scene, []
            said += moment.said
        yield name, scene, tuple(said)

    def _acts(self, reel: Reel) -> Iterator[Scene | Said]:
        yield from reel.still(2.0)
        for number, moment in enumerate(self.moments()):
            yield from moment.said_before
            yield from moment.handling(reel)
            yield from moment.said
            if moment.name is not None:
                yield from reel.still(moment.still_s)
                yield from dawdle(reel, self._films_on, 0.12, number)
        yield from reel.still(1.0)


def dawdle(reel: Reel, stage: Stage, often: float, *what: object) -> Iterator[Scene]:
    """Now and then a hand rests over the table for no reason; `often` is the share of times at the clumsiest table."""
    chance = stage.chance("dawdle", *what)
    if chance.random() >= often * stage.settings.clumsiness:
        return
    seat = chance.choice(stage.seats)
    width, height = stage.settings.table_mm
    tip: Point = (chance.uniform(0.2, 0.8) * width, chance.uniform(0.2, 0.8) * height)
    yield from reel.idle(seat, tip, chance.uniform(0.3, 1.2))
    yield from reel.still()


def said_of(book: Book[Any, Any, Any, Any], before: Any, fact: Any, who: str) -> Said:
    """How a player tells a fact: what the rules call for once the page offers it, anything else at once."""
    wrong = any(finding.level is Level.ILLEGAL for finding in book.rules.judge(before, fact))
    return Said(book.facts.to_json(fact), who, when_offered=not wrong)


def nothing(_reel: Reel) -> Iterator[Scene]:
    """Nobody touches the table."""
    yield from ()

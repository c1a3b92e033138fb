"""Whole games on the virtual table through drawn pictures, the watcher, the resolver and the rules, held against their truth.

Pictures are the games' settled moments, or every picture of the film. Whoever sits there taps what the script has them tap, and
answers a question by what really happened, as honest people would.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from companion.adjudicator.desk import GameDesk, SettledLook
from companion.adjudicator.games import kit_of
from companion.adjudicator.people import People
from companion.adjudicator.places import UNREADABLE
from companion.adjudicator.record import Record, finding_json
from companion.bench.drawn import enrolled
from companion.games.start import Start, start_json
from companion.journal import EventKind, Journal, NewEvent
from companion.rules.core import Finding, Level
from companion.rules.ledger import Entry
from companion.virtual.film import Films, told_in_film, told_in_stills
from companion.virtual.table import VirtualTable
from hardware.virtual.look import Light
from hardware.virtual.scene import Scene
from vision.cards import EnrolledDeck
from vision.frame import Frame
from vision.look import Look
from vision.observation import Observation
from vision.watcher import Watcher

PLAYERS: Mapping[str, tuple[int, ...]] = {"hoshizora": (3,), "shuhari": (2, 3), "ahuha": (3,)}
"""How many players the games of a seed have, in turn."""
MOST_ANSWERS = 20
"""To one picture."""
SETTINGS = ("easy", "hard")


@dataclass(frozen=True, slots=True)
class GameTally:
    """How one game came out."""

    game: str
    setting: str
    seed: int
    players: int
    pictures: int
    """Settled ones that were judged."""
    is_right: bool
    """The outcome is the truth's, and so are all findings."""
    wrong: int
    """Breaches found that nobody committed."""
    missed: int
    """Findings of the truth that were not found."""
    questions: int
    by_hand: int
    """Acts told by hand, because no answer offered was true or a card could not be read."""
    prompts: int
    seconds: float
    """Processor time of it all."""

    def to_json(self) -> dict[str, Any]:
        """One JSON line."""
        return asdict(self) | {"seconds": round(self.seconds, 1)}


def table_of(game: str, seed: int, setting: str, *, revoke: bool = False, deck: str | None = None) -> VirtualTable:
    """The table that a seed is played on; a hard one is untidy, dimly lit and seen aslant."""
    seats = ("A", "B", "C")[: PLAYERS[game][seed % len(PLAYERS[game])]]
    table = VirtualTable(game=game, seed=seed, seats=seats, revoke=revoke, deck=deck)
    if setting == "easy":
        return table
    return replace(table, clumsiness=1.0, light=Light.LAMP, noise=5.0, tilt_deg=8.0, glare=0.3)


def play(table: VirtualTable, setting: str, *, film: bool = False) -> GameTally:
    """Plays, sees and judges one game."""
    began = time.process_time()
    script = table.script()
    start = Start(table.game, table.seats, table.lead or table.seats[0], table.cards(), table.settings())
    truth = start.ledger()
    for number, fact in enumerate(script.facts, start=1):
        truth.add(Entry(number, fact, "truth"))
    with (
        tempfile.TemporaryDirectory(prefix="hoshiban-bench-") as folder,
        Journal.open(Path(folder) / "j.db") as journal,
    ):
        seating = _Seating(table, start, script.facts, journal)
        pictures = seating.watch(table.director(script), film=film)
        record = Record.of(list(journal.events("bench")))
    wrong = _breaches(record.findings) - _breaches(truth.findings)
    missed = _all(truth.findings) - _all(record.findings)
    same = record.outcome() == truth.outcome() and not wrong and not missed
    return GameTally(
        game=table.game,
        setting=setting,
        seed=table.seed,
        players=len(table.seats),
        pictures=pictures,
        is_right=same,
        wrong=wrong.total(),
        missed=missed.total(),
        questions=seating.count["question"],
        by_hand=seating.count["by hand"],
        prompts=seating.count["prompt"],
        seconds=time.process_time() - began,
    )


class _Seating:
    """A desk over a drawn table, and the people around it."""

    def __init__(self, table: VirtualTable, start: Start, facts: Iterable[Any], journal: Journal) -> None:
        self._table = table
        self._renderer = table.renderer()
        self._codec = start.book.facts
        self._happened = [self._codec.to_json(fact) for fact in facts]
        self.count: Counter[str] = Counter()
        payload = start_json(start)
        started = journal.append([NewEvent(EventKind.GAME_STARTED, "bench", payload)]).wait(10)
        self.desk = GameDesk(journal, Record(started[0]), table.layout(), announce=self._hear)
        board = table.layout().zones.get("board")
        self._look = Look(
            table.table_mm,
            [_deck(table.game, table.deck)],
            want_board=kit_of(table.game).has_board,
            board_area_mm=None if board is None else (board.x_mm, board.y_mm, board.width_mm, board.height_mm),
        )

    def watch(self, director: Films, *, film: bool) -> int:
        """Shows the whole game; how many settled pictures were judged."""
        told = told_in_film(director.film()) if film else told_in_stills(director.stills())
        people = People(self.desk, told)
        watcher, judged = Watcher(self._look, "bench"), 0
        for frame in self._frames(director, film=film):
            for word in watcher.feed(frame):
                people.tap_until(word.t_ns)
                if isinstance(word, Observation):
                    judged += 1
                    self.desk.observe(SettledLook(word))
                    self._answer()
                    people.tap_until(word.t_ns)
                    self._answer()
        people.tap_until(sys.maxsize)
        return judged

    def _frames(self, director: Films, *, film: bool) -> Iterator[Frame]:
        scenes: Iterable[tuple[int, Scene]] = (
            ((round(shown.t_s * 1e9), shown.scene) for shown in director.film())
            if film
            else ((index * 10**9, still.scene) for index, still in enumerate(director.stills()))
        )
        for number, (t_ns, scene) in enumerate(scenes):
            yield Frame(self._renderer.render(scene, number), number, t_ns, 0, settled=not film)

    def _hear(self, event: dict[str, Any]) -> None:
        self.count[str(event["event"])] += 1

    def _answer(self) -> None:
        """Answers what is asked; what no answer offered is true is told by hand, and so is a card that nobody can read."""
        for _ in range(MOST_ANSWERS):
            view = self.desk.view()
            asked = view["questions"]
            unread = any(UNREADABLE in prompt["text"] for prompt in view["prompts"])
            if not asked and not unread:
                return
            options = [(one["id"], self._true_option(one["id"])) for one in asked]
            answered = next(((question, option) for question, option in options if option is not None), None)
            if answered is not None:
                self.desk.answer(*answered, "table")
            elif (act := self._next_act()) is not None:
                self.count["by hand"] += 1
                self.desk.tell(act, "table")
            else:
                return

    def _true_option(self, question_id: str) -> str | None:
        question = self.desk.question(question_id)
        for option in question.options if question is not None else ():
            acts = [*option.tell, *(act for _, act in option.correct)]
            if acts and all(dict(act) in self._happened for act in acts):
                return option.id
        return None

    def _next_act(self) -> dict[str, Any] | None:
        """The first act of the script that the record doesn't hold."""
        held = Counter(map(_in_short, self.desk.acts()))
        for act in self._happened:
            held[_in_short(act)] -= 1
            if held[_in_short(act)] < 0:
                return act
        return None


def _in_short(act: Mapping[str, Any]) -> str:
    """An act without what may be told apart from it."""
    return str({name: value for name, value in act.items() if name != "declared"})


@cache
def _deck(game: str, deck: str | None) -> EnrolledDeck:
    """A game's cards as the eyes know them: of a directory of scans, or the proxies."""
    return enrolled(game, VirtualTable(game=game, deck=deck).art(), (63.0, 88.0))


def _all(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(str(finding_json(finding) | {"evidence": None}) for finding in findings)


def _breaches(findings: Iterable[Finding]) -> Counter[str]:
    return _all(finding for finding in findings if finding.level in (Level.ILLEGAL, Level.PROVED))

"""Whole games on the virtual table through drawn pictures, the watcher, the resolver and the rules, held against their truth.

Pictures are the games' settled moments, or every picture of the film. Whoever sits there taps what the script has them tap, and
answers a question by what really happened, as honest people would.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from companion.adjudicator.desk import GameDesk, SettledLook
from companion.adjudicator.games import kit_of
from companion.adjudicator.people import People
from companion.adjudicator.record import Record, finding_json
from companion.bench.drawn import enrolled
from companion.bench.honest import HonestAnswers
from companion.games.start import Start, start_json
from companion.journal import EventKind, Journal, NewEvent
from companion.rules.core import Finding, Level
from companion.rules.ledger import Entry
from companion.virtual.ahuha import AhuhaScript, Breach
from companion.virtual.faulty_camera import BUMP_ROLL_DEG, BUMP_TILT_DEG
from companion.virtual.film import Films, Still, told_in_film, told_in_stills
from companion.virtual.mishaps import Taken, with_mishaps
from companion.virtual.table import VirtualTable
from companion.virtual.wrong import Wrong
from hardware.virtual.look import Ground, Light
from vision.cards import EnrolledDeck
from vision.frame import Frame
from vision.look import Look
from vision.observation import Observation
from vision.watcher import Watcher

PLAYERS: Mapping[str, tuple[int, ...]] = {"hoshizora": (3,), "shuhari": (2, 3), "ahuha": (3,)}
"""How many players the games of a seed have, in turn."""
EARLIER_NS = 2 * 10**8
"""A picture with a hand in it is taken so long before the one without."""
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
    breaches: Mapping[str, int]
    """What the players did wrong, by its kind in the script."""
    seconds: float
    """Processor time of it all."""

    def to_json(self) -> dict[str, Any]:
        """One JSON line."""
        return asdict(self) | {"seconds": round(self.seconds, 1)}


def table_of(
    game: str,
    seed: int,
    setting: str,
    *,
    revoke: bool = False,
    mischief: int = 0,
    greedy: bool = False,
    deck: str | None = None,
) -> VirtualTable:
    """The table that a seed is played on; a hard one is untidy, badly lit and badly seen, and people are in the way."""
    seats = ("A", "B", "C")[: PLAYERS[game][seed % len(PLAYERS[game])]]
    table = VirtualTable(game=game, seed=seed, seats=seats, revoke=revoke, mischief=mischief, greedy=greedy, deck=deck)
    if setting == "easy":
        return table
    return _hardened(table)


def _hardened(table: VirtualTable) -> VirtualTable:
    """The same game at a bad table: each seed's room, camera and people are bad in a way of their own."""
    chance = Random(f"hard:{table.seed}")
    return replace(
        table,
        clumsiness=round(chance.uniform(1.0, 1.8), 2),
        light=chance.choice(tuple(Light)),
        ground=chance.choice(tuple(Ground)),
        exposure=round(chance.uniform(0.4, 0.8), 2),
        noise=round(chance.uniform(4, 9), 1),
        blur_px=round(chance.uniform(0.6, 1.3), 2),
        glare=round(chance.uniform(0.2, 0.6), 2),
        tilt_deg=round(chance.uniform(4, 11), 1),
        k1=round(chance.uniform(-0.05, 0.03), 3),
        jpeg_quality=chance.randint(50, 90),
        mishaps=True,
    )


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
        breaches=dict(Counter(wrong.kind for wrong in wrongs_of(script))),
        seconds=time.process_time() - began,
    )


def _as_it_lies(still: Still) -> Taken:
    return Taken(still.scene, is_bumped=False, is_last=True)


def wrongs_of(script: Any) -> Sequence[Wrong | Breach]:
    """What the players of a script did against the rules, as only the script knows it."""
    wrongs: Sequence[Wrong | Breach] = script.breaches if isinstance(script, AhuhaScript) else script.wrongs
    return wrongs


class _Seating:
    """A desk over a drawn table, and the people around it."""

    def __init__(self, table: VirtualTable, start: Start, facts: Iterable[Any], journal: Journal) -> None:
        self._table = table
        self._renderer = table.renderer()
        self._bumped = table.renderer(bump_deg=(BUMP_TILT_DEG, BUMP_ROLL_DEG))
        self.count: Counter[str] = Counter()
        payload = start_json(start)
        started = journal.append([NewEvent(EventKind.GAME_STARTED, "bench", payload)]).wait(10)
        self.desk = GameDesk(journal, Record(started[0]), table.layout(), announce=self._hear)
        self._honest = HonestAnswers(self.desk, [start.book.facts.to_json(fact) for fact in facts])
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
        people = People(self.desk, told, before=self._honest.catch_up)
        watcher, judged = Watcher(self._look, "bench"), 0
        for frame in self._frames(director, film=film):
            for word in watcher.feed(frame):
                people.tap_until(word.t_ns)
                if isinstance(word, Observation):
                    judged += 1
                    self.desk.observe(SettledLook(word))
                    self._answer(people)
                    people.tap_until(word.t_ns)
                    self._answer(people)
        people.tap_until(sys.maxsize)
        self.count["by hand"] += self._honest.caught_up
        return judged

    def _frames(self, director: Films, *, film: bool) -> Iterator[Frame]:
        if film:
            for number, shown in enumerate(director.film()):
                yield Frame(self._renderer.render(shown.scene, number), number, round(shown.t_s * 1e9), 0)
            return
        stills, index = director.stills(), 0
        taken = with_mishaps(stills, self._table.seed) if self._table.mishaps else map(_as_it_lies, stills)
        for number, (scene, is_bumped, is_last) in enumerate(taken):
            renderer = self._bumped if is_bumped else self._renderer
            t_ns = index * 10**9 - (0 if is_last else EARLIER_NS)
            yield Frame(renderer.render(scene, number), number, t_ns, 0, settled=True)
            index += is_last

    def _answer(self, people: People) -> None:
        self.count["by hand"] += self._honest.answer(people)

    def _hear(self, event: dict[str, Any]) -> None:
        self.count[str(event["event"])] += 1


@cache
def _deck(game: str, deck: str | None) -> EnrolledDeck:
    """A game's cards as the eyes know them: of a directory of scans, or the proxies."""
    return enrolled(game, VirtualTable(game=game, deck=deck).art(), (63.0, 88.0))


def _all(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(str(finding_json(finding) | {"evidence": None}) for finding in findings)


def _breaches(findings: Iterable[Finding]) -> Counter[str]:
    return _all(finding for finding in findings if finding.level in (Level.ILLEGAL, Level.PROVED))

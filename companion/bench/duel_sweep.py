"""The moment when a symbol settles, or is lost, swept past a touch: where a ruling becomes sure, and that it is never wrong.

The pad is the real protocol on a real pseudo-terminal, with bytes spoilt and the line dead for a second; its times are what its
link made of them. The camera's reports are made from the truth, as in companion.bench.duel_sensors.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from companion.decks import builtin_deck
from companion.duel.happenings import FRAME_US
from companion.duel.judge import DuelJudge
from companion.duel.reports import ClosingReport, DieNews, DieReport, Report, Source, TouchReport
from companion.duel.rulings import Ruled
from companion.duel.timeline import Entry
from companion.rules.hoshi_battle.facts import (
    CardKind,
    CardsKept,
    CardsPlaced,
    DiePickedUp,
    DieRolled,
    Face,
    Fact,
    HandsTouched,
    HeroRevealed,
    PlayBegan,
    Where,
)
from companion.rules.hoshi_battle.fold import apply, start
from companion.rules.hoshi_battle.setup import HeroCard, HoshiBattleSetup, cards_of
from companion.rules.hoshi_battle.state import HoshiBattleState
from companion.rules.hoshi_battle.touches import Verdict, rule_touch
from hardware.pad.link import PadLink
from hardware.pad.messages import EventKind
from hardware.pad.reports import LinkState, PadEvent, PadState
from hardware.pad.reports import Report as PadReport
from hardware.virtual.pad import VirtualPad

MS = 1000
FARTHEST_MS, STEP_MS = 120, 2
CORRUPT = 0.01
STALL_S = 1.0
PPM = 340.0
_READY_S, _PAUSE_S, _HELD_S, _LAST_S = 20.0, 0.11, 0.02, 4.0
_LEARN_S = 3.0
_NEAR_NS = 45_000_000
_ROLL_US = 5_000 * MS
"""On the time line of one sweep's duel the touch lies about here."""


class What(StrEnum):
    """What is swept past the touch."""

    SETTLED = "settled"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class FeltTouch:
    """A touch as the pad's link told it, and how far that is from the truth."""

    off_us: float
    within_us: float
    late_ms: float
    """From the touch to its report."""


@dataclass(slots=True)
class Sweep:
    """What was ruled at each distance."""

    ruled: dict[tuple[What, int], Counter[str]] = field(default_factory=dict)
    """By what is swept and the touch's distance after it in ms: right, too close, wrong."""
    guard_ms: int = 0
    felt: tuple[FeltTouch, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """One JSON line."""
        counts: Counter[str] = Counter()
        for each in self.ruled.values():
            counts += each
        worst = max((abs(one.off_us) / max(one.within_us, 1e-9) for one in self.felt), default=0.0)
        return {
            "set": "sweep",
            "touches": counts.total(),
            "right": counts["right"],
            "too_close": counts["too close"],
            "wrong": counts["wrong"],
            "guard_ms": self.guard_ms,
            "sure_from_ms": {what.value: self._sure_from(what) for what in What},
            "pad": {
                "touches": len(self.felt),
                "off_us": round(max((abs(one.off_us) for one in self.felt), default=0.0)),
                "of_its_bound": round(worst, 2),
                "latest_ms": round(max((one.late_ms for one in self.felt), default=0.0)),
            },
        }

    def _sure_from(self, what: What) -> dict[str, int | None]:
        """From which distance on, before and after, every touch was ruled."""
        unsure = [at for (which, at), counts in self.ruled.items() if which is what and counts["too close"]]
        return {"before": min(unsure, default=None), "after": max(unsure, default=None)}


def sweep(repeats: int, seed: int) -> Sweep:
    """Sweeps both past a touch, so often at each distance."""
    distances = [(what, at_ms) for what in What for at_ms in range(-FARTHEST_MS, FARTHEST_MS + 1, STEP_MS)]
    felt = tuple(felt_touches(len(distances), seed))
    chance = random.Random(f"{seed}:sweep")
    state = plain_duel()
    found = Sweep(guard_ms=state.setup.settings.simultaneous_ms, felt=felt)
    for n, (what, at_ms) in enumerate(distances):
        counts = found.ruled.setdefault((what, at_ms), Counter())
        for _ in range(repeats):
            touch = felt[n] if n < len(felt) else chance.choice(felt)
            truth = _truth(state, what, at_ms)
            ruled = _judged(state, what, at_ms, touch, chance)
            if ruled is None or (ruled.verdict is not truth and not ruled.is_question):
                counts["wrong"] += 1
            elif ruled.is_question:
                counts["too close"] += 1
            else:
                counts["right"] += 1
    return found


def plain_duel() -> HoshiBattleState:
    """Two Heroes without abilities whose dice roll since 0."""
    heroes, duels = cards_of(builtin_deck("hoshi-battle").cards)
    plain = {name: HeroCard(name, name, 10, 1, ()) for name in ("plain-1", "plain-2")}
    state = start(HoshiBattleSetup(("A", "B"), "A", heroes | plain, duels))
    facts: list[Fact] = [CardsKept(seat, kind, 3) for kind in CardKind for seat in ("A", "B")]
    facts += [CardsPlaced(seat, duel=False) for seat in ("A", "B")]
    facts += [HeroRevealed("A", "plain-1"), HeroRevealed("B", "plain-2"), PlayBegan(0)]
    for fact in facts:
        state = apply(state, fact)
    return state


# -- the pad --------------------------------------------------------------------------------------------------------------


def felt_touches(count: int, seed: int) -> Iterator[FeltTouch]:
    """So many touches of a pad whose bytes are spoilt, and whose line is dead for a second half way through."""
    reports: list[tuple[PadReport, int]] = []
    truths: list[int] = []
    with tempfile.TemporaryDirectory(prefix="hoshiban-sweep-") as folder:
        port = Path(folder) / "pad"
        with (
            VirtualPad(port, seed=seed, ppm=PPM) as pad,
            PadLink(str(port), lambda report: reports.append((report, time.monotonic_ns()))),
        ):
            _wait(lambda: any(isinstance(r, PadState) and r.state is LinkState.READY for r, _ in reports))
            time.sleep(_LEARN_S)
            pad.faults.corrupt = CORRUPT
            for n in range(count):
                truths.append(time.monotonic_ns() + 20_000_000)
                pad.touch(seconds=_HELD_S, at_ns=truths[-1])
                if n == count // 2:
                    pad.stall(STALL_S)
                time.sleep(_PAUSE_S)
            time.sleep(_LAST_S)
    told = [
        (report, report.t_ns, taken_ns)
        for report, taken_ns in reports
        if isinstance(report, PadEvent) and report.kind == EventKind.CONTACT and report.t_ns is not None
    ]
    for truth_ns in truths:
        for event, t_ns, taken_ns in told:
            if abs(t_ns - truth_ns) < _NEAR_NS:
                within_ns = _NEAR_NS if event.bound_ns is None else event.bound_ns
                yield FeltTouch((t_ns - truth_ns) / 1e3, within_ns / 1e3, (taken_ns - truth_ns) / 1e6)
                break


def _wait(until: Any) -> None:
    give_up = time.monotonic() + _READY_S
    while not until():
        if time.monotonic() > give_up:
            raise TimeoutError("the virtual pad does not answer")
        time.sleep(0.01)


# -- one touch ------------------------------------------------------------------------------------------------------------


def _truth(state: HoshiBattleState, what: What, at_ms: int) -> Verdict:
    """What the rules say with every time exact."""
    for fact in _facts(what, at_ms):
        state = apply(state, fact)
    return rule_touch(state, HandsTouched(("A",), _ROLL_US)).verdict


def _facts(what: What, at_ms: int) -> Sequence[Fact]:
    event_us = _ROLL_US - at_ms * MS
    if what is What.SETTLED:
        return (DieRolled("A", Face.STRIKE, event_us, released_us=event_us - 400 * MS),)
    settled_us = event_us - 700 * MS
    return (
        DieRolled("A", Face.STRIKE, settled_us, released_us=settled_us - 400 * MS),
        DiePickedUp("A", event_us),
    )


def _judged(state: HoshiBattleState, what: What, at_ms: int, touch: FeltTouch, chance: random.Random) -> Ruled | None:
    """What the judge says of a touch so long after a die came to rest, or was taken up."""
    judge = DuelJudge(state)
    phase_us = chance.randrange(FRAME_US)
    number = 0

    def frame(at_us: int) -> int:
        return at_us + (phase_us - at_us) % FRAME_US

    def tell(source: Source, at_us: int, within_us: int, report: Report) -> tuple[int, ...]:
        nonlocal number
        number += 1
        judge.tell(Entry(at_us, within_us, source, (number,), report))
        return (number,)

    def die(news: DieNews, at_us: int, within_us: int, **more: Any) -> None:
        tell(Source.DICE, at_us, within_us, DieReport(news, "A", 0, 1, **more))

    event_us = _ROLL_US - at_ms * MS
    settled_us = event_us if what is What.SETTLED else event_us - 700 * MS
    die(DieNews.RELEASED, frame(settled_us - 380 * MS), 4 * FRAME_US)
    off = max(-2.0, min(2.0, chance.gauss(0, 0.7)))
    rest_us = settled_us + round(off * FRAME_US)
    die(DieNews.SETTLED, rest_us, round(chance.uniform(0.3, 1.2) * FRAME_US))
    die(DieNews.READ, rest_us, 0, face=Face.STRIKE)
    die(DieNews.DECIDED, rest_us, 0, inside=True)
    if what is What.LOST:
        last_us = frame(event_us - chance.randrange(10 * MS, 90 * MS)) - FRAME_US
        gone_us = frame(event_us + chance.randrange(10 * MS, 120 * MS))
        die(DieNews.TAKEN_UP, (last_us + gone_us) // 2, (gone_us - last_us) // 2 + 1)
    at_us = _ROLL_US + round(touch.off_us)
    key = tell(Source.PAD, at_us, round(touch.within_us) + 1, TouchReport())
    tell(Source.HANDS, at_us, 0, ClosingReport(key, ("A",), Where.HAND))
    for source in (Source.PAD, Source.DICE, Source.HANDS):
        judge.told_through(source, 2 * _ROLL_US)
    ruled = judge.step(_ROLL_US + round(touch.late_ms) * MS)
    return ruled[0] if len(ruled) == 1 else None


# -- the plot -------------------------------------------------------------------------------------------------------------

_WIDTH, _HEIGHT, _MARGIN, _PANEL = 760, 330, 44, 110
_FILL = {"right": "#2f7d4f", "too close": "#d9a520", "wrong": "#b3202a"}


def plot(found: Sweep) -> str:
    """The sweep as an SVG picture: a column a distance, its colours the shares of what was ruled."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
    ]
    step = (_WIDTH - 2 * _MARGIN) / (2 * FARTHEST_MS // STEP_MS + 1)
    titles = {
        What.SETTLED: "A die comes to rest with the symbol",
        What.LOST: "The die is taken up, and the symbol is lost",
    }
    for row, what in enumerate(What):
        top = _MARGIN - 14 + row * (_PANEL + 34)
        lines.append(f'<text x="{_MARGIN}" y="{top - 6}">{titles[what]}; the touch comes so many ms after it</text>')
        for n, at_ms in enumerate(range(-FARTHEST_MS, FARTHEST_MS + 1, STEP_MS)):
            lines += _column(found.ruled[what, at_ms], _MARGIN + n * step, top, step)
        lines += _guard(found.guard_ms, top, step)
        for at_ms in range(-FARTHEST_MS, FARTHEST_MS + 1, 40):
            x = _MARGIN + (at_ms + FARTHEST_MS) / STEP_MS * step + step / 2
            lines.append(f'<text x="{x:.1f}" y="{top + _PANEL + 14}" text-anchor="middle">{at_ms}</text>')
    for n, (name, fill) in enumerate(_FILL.items()):
        x = _MARGIN + n * 130
        lines.append(f'<rect x="{x}" y="{_HEIGHT - 22}" width="12" height="12" fill="{fill}"/>')
        lines.append(f'<text x="{x + 18}" y="{_HEIGHT - 12}">{name}</text>')
    lines.append(f'<text x="{_MARGIN + 400}" y="{_HEIGHT - 12}">dashed: the guard, {found.guard_ms} ms</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _column(counts: Counter[str], left: float, top: float, step: float) -> Iterator[str]:
    y = top + _PANEL
    for name, fill in _FILL.items():
        height = _PANEL * counts[name] / max(counts.total(), 1)
        if height:
            y -= height
            yield f'<rect x="{left:.2f}" y="{y:.2f}" width="{step:.2f}" height="{height:.2f}" fill="{fill}"/>'


def _guard(guard_ms: int, top: float, step: float) -> Iterator[str]:
    for at_ms in (-guard_ms, guard_ms):
        x = _MARGIN + (at_ms + FARTHEST_MS) / STEP_MS * step + step / 2
        yield (
            f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{top + _PANEL}" stroke="#000000" stroke-width="1"'
            ' stroke-dasharray="4 3"/>'
        )

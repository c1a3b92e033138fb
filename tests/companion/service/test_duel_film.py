"""A round of a virtual duel, drawn and seen: the eyes tell the desk enough to rule its touch, and hand on its pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.commands.table import virtual_session
from companion.journal import Journal
from companion.service.arena_beside import Tops, touch_of
from companion.service.arena_eyes import ArenaWatch, Clip, Heard
from companion.service.duelling import DuelSenses, PictureClock
from companion.service.session import open_desk
from companion.service.virtual_duel import VirtualDuel
from companion.virtual.battle_arena import arena_table, directed
from companion.virtual.table import VirtualTable
from companion.web.clips import strip

TABLE = VirtualTable("hoshi-battle", 1, ("Ami", "Ben"))
"""Its first round lasts a second."""
MS = 1000
EARLY_US, FAST_US, LATE_US = 2900 * MS, 200 * MS, 1300 * MS
"""The table lies still before the hands come; from shortly before play on each picture counts."""
LATE_PICTURES = 12
JPEG = b"\xff\xd8"


@pytest.fixture(autouse=True)
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


class Late:
    """Answers some pictures later, as a process beside the eyes does."""

    works_ahead, is_lost = True, False

    def __init__(self, work_out: Callable[[Any], Any]) -> None:
        self._work_out = work_out
        self._waits: list[list[Any]] = []

    def ask(self, asked: Any) -> None:
        if not getattr(asked, "is_ahead", False):
            self._waits.append([LATE_PICTURES, asked])

    def told(self) -> list[Any]:
        for one in self._waits:
            one[0] -= 1
        due, self._waits = [x for n, x in self._waits if n <= 0], [one for one in self._waits if one[0] > 0]
        return [self._work_out(asked) for asked in due]


@pytest.mark.parametrize("is_late", [False, True])
def test_a_drawn_round_is_ruled_as_it_was_and_leaves_its_pictures(tmp_path: Path, is_late: bool) -> None:
    """Also where sides of the string and tops are told long after the picture in which a die has settled."""
    session = virtual_session(TABLE, {})
    said: list[Heard | Clip] = []
    director, renderer = directed(TABLE), arena_table(TABLE).renderer()
    bout = director.line.bouts[0]
    slow = range(bout.begin_us - EARLY_US, bout.begin_us - FAST_US, 100 * MS)
    fast = range(bout.begin_us - FAST_US, bout.end_us + LATE_US, 16_667)
    with Journal.open(tmp_path / "j.db") as journal:
        desk, session, _ = open_desk(journal, session, announce=lambda _event: None, warn=print, resume=False)
        assert isinstance(desk, DuelDesk)
        assert session.arena is not None
        assert session.duel is not None
        assert isinstance(session.clock, PictureClock)
        beside = (Late(touch_of), Late(Tops(session.arena).read)) if is_late else ()
        watch = ArenaWatch(session.arena, said.append, *beside)
        senses = DuelSenses(desk, watch.order, session.clock)
        table = VirtualDuel(session.duel, desk, senses)
        session.clock.shown(slow[0])
        table.go_on(slow[0] * 1000)
        for number, t_us in enumerate((*slow, *fast)):
            senses.seat()
            watch.feed(renderer.render(director.scene(t_us), number), t_us * 1000)
            for word in said:
                if isinstance(word, Heard):
                    session.clock.shown(t_us)
                    senses.heard(word)
                else:
                    desk.keep_clip(word.touch, word.frames)
            said.clear()
            table.go_on(t_us * 1000)
            desk.step()
        touch = desk.touches[0]
        assert table.rulings.wrong == 0
        assert (table.rulings.right, table.rulings.questions) in ((1, 0), (0, 1))
        assert {"settled", "closing", "touch"} <= {line["what"] for line in touch["line"]}
        frames = desk.clip(touch["key"])
    times = [at for at, _ in frames]
    assert times == sorted(times)
    assert times[0] < -500 * MS
    assert times[-1] > 900 * MS
    assert min(abs(at) for at in times) < 17 * MS
    assert all(jpeg.startswith(JPEG) for _, jpeg in frames)
    assert strip(frames).startswith(JPEG)

"""A live camera over the table: a card is taken once it lies still, once only, and again when somebody asks for it."""

from __future__ import annotations

from random import Random
from threading import Event

import numpy as np

from companion.decks.proxies import draw_deck
from companion.service.taking import Taking
from companion.service.taking_feed import feed
from companion.virtual.one_by_one import lay
from hardware.camera.base import TimeKind
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import Picture


class Script:
    """A reader that plays pictures at ten a second, and calls what stands between them."""

    def __init__(self, steps) -> None:
        self._steps, self._n = iter(steps), 0

    def get(self, _timeout_s: float):
        for step in self._steps:
            if callable(step):
                step()
                continue
            self._n += 1
            return Picture(step, self._n, self._n * 100_000_000, 0, TimeKind.SENSOR, "", settled=False)
        return CameraNotice(NoticeKind.END, "over")


def test_a_live_card_is_taken_once_and_again_on_demand(tmp_path) -> None:
    art, random = draw_deck("hoshizora"), Random(3)
    first, second = lay(art["red-06"], random), lay(art["blue-03"], random)
    moving = [np.roll(first, 40 * n, axis=1) for n in range(8)]
    taking = Taking(tmp_path / "scans", "mine", (63.0, 88.0))
    seen: list[int | None] = []

    def note() -> None:
        take = taking.view()["take"]
        seen.append(take["number"] if take else None)

    def again() -> None:
        taking.drop(taking.view()["take"]["number"], again=True)

    def keep() -> None:
        taking.keep(taking.view()["take"]["number"], "red-06")

    still = [first] * 9
    steps = [*moving, note, *still, note, *still, note, again, *still, note, keep, *still, note, *[second] * 9, note]
    feed(Script(steps), taking, Event())
    assert seen == [None, 1, 1, 2, None, 3]
    assert taking.view()["kept"] == ["red-06"]
    assert taking.view()["take"]["suggested"] == "red-07"
    assert taking.view()["ended"] is True

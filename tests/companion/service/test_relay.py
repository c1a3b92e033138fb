"""One page over several games."""

from __future__ import annotations

import threading
import time

import pytest

from companion.errors import BadInputError
from companion.service.relay import DeskRelay


class Desk:
    """A game's desk whose version is moved by hand."""

    def __init__(self, name: str) -> None:
        self.name, self.version = name, 1
        self.told: list[tuple[str, str]] = []
        self._changed = threading.Condition()

    def view(self):
        return {"version": self.version, "game": self.name}

    def wait(self, after_version: int, timeout_s: float) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self.version > after_version, timeout_s)
            return self.version

    def change(self) -> None:
        with self._changed:
            self.version += 1
            self._changed.notify_all()

    def tell(self, act, who: str) -> None:
        self.told.append((act["fact"], who))

    def card_picture(self, card_id: str) -> bytes:
        return f"{self.name} {card_id}".encode()


def test_until_a_game_is_there_the_page_has_a_line_and_nothing_can_be_told() -> None:
    relay = DeskRelay("The table is being set")
    assert relay.view()["headline"] == "The table is being set"
    assert relay.view()["version"] == relay.wait(-1, 0.0)
    assert relay.card_picture("red-1") is None
    with pytest.raises(BadInputError, match="wait a moment"):
        relay.tell({"fact": "card-laid"}, "A")


def test_versions_rise_from_game_to_game_and_are_those_of_the_views() -> None:
    relay, one, other = DeskRelay("set"), Desk("one"), Desk("other")
    seen = []

    def look() -> None:
        seen.append(relay.view()["version"])
        assert seen[-1] == relay.wait(-1, 0.0)

    look()
    relay.turn_to(one)
    look()
    for _ in range(5):
        one.change()
    look()
    relay.turn_to("another")
    look()
    relay.turn_to(other)
    look()
    assert seen == sorted(set(seen))
    assert relay.view()["game"] == "other"


def test_who_waits_hears_of_the_game_and_of_the_next_one() -> None:
    relay, desk = DeskRelay("set"), Desk("one")
    relay.turn_to(desk)
    before = relay.wait(-1, 0.0)
    for change in (desk.change, lambda: relay.turn_to(Desk("other"))):
        threading.Timer(0.05, change).start()
        after = relay.wait(before, 20.0)
        assert after > before
        before = after


def test_without_news_a_wait_ends_with_its_time() -> None:
    relay = DeskRelay("set")
    for _ in range(2):
        began, version = time.monotonic(), relay.wait(-1, 0.0)
        assert relay.wait(version, 0.4) == version
        assert time.monotonic() - began >= 0.4
        relay.turn_to(Desk("one"))


def test_what_is_said_reaches_the_game_that_is_played_now() -> None:
    relay, one, other = DeskRelay("set"), Desk("one"), Desk("other")
    relay.turn_to(one)
    relay.tell({"fact": "a"}, "A")
    relay.turn_to(other)
    relay.tell({"fact": "b"}, "B")
    assert (one.told, other.told) == ([("a", "A")], [("b", "B")])
    assert relay.card_picture("x") == b"other x"

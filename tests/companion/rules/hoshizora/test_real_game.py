"""The whole game of the shared footage, from its truth: every winner, line, point and the outcome."""

from __future__ import annotations

import json
from pathlib import Path

from companion.decks import load_deck
from companion.rules.hoshizora import RULES, HoshizoraSetup, worlds
from companion.rules.hoshizora.facts import (
    BidRevealed,
    BoardSet,
    CardLaid,
    CardRevealed,
    Colour,
    DrawingEnded,
    Fact,
    LineDrawn,
    Star,
)
from companion.rules.hoshizora.setup import cards_of


def test_the_game_of_the_footage(shared: Path) -> None:
    truth = json.loads((shared / "footage" / "hoshizora-game-2" / "game.json").read_text())
    *tricks, last = truth["steps"]
    setup = HoshizoraSetup(("A", "B", "C"), "A", cards_of(load_deck(shared / "decks" / "hoshizora").cards))
    facts: list[Fact] = [BoardSet(tuple(Star(int(n), x, y, square) for n, (x, y, square) in truth["stars"].items()))]
    for trick in tricks:
        facts += [CardLaid(seat) for seat in trick["played"]]
        facts += [CardRevealed(seat, card) for seat, card in trick["played"].items()]
        facts += [LineDrawn(x["a"], x["b"], Colour(x["colour"])) for x in trick["drawn"]]
        facts.append(DrawingEnded())
    facts += [BidRevealed(seat, card) for seat, card in last["final"].items()]

    state = RULES.start(setup)
    for fact in facts:
        assert RULES.judge(state, fact) == ()
        state = RULES.apply(state, fact)

    assert len(state.done) == len(tricks) == 7
    for record, trick in zip(state.done, tricks, strict=True):
        assert (record.number, record.lead, record.majority) == (trick["trick"], trick["lead"], trick["majority"])
        assert (record.winner, record.points) == (trick["winner"], trick["points"])
        assert list(record.played.items()) == list(trick["played"].items())
    outcome = RULES.outcome(state)
    assert outcome is not None
    assert (list(outcome.winners), outcome.decided_by) == (last["outcome"]["winners"], last["outcome"]["decided_by"])
    assert (outcome.points, dict(outcome.bids)) == (last["points"], last["outcome"]["bids"])
    assert state.won == last["won"]
    assert worlds(state) == 1

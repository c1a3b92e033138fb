"""What people of a Hoshi Battle table tell with one tap: countdown, timeouts, card windows, what a hit asks for, and touches."""

from __future__ import annotations

from collections.abc import Iterator

from companion.adjudicator.kit import Tap
from companion.games.hoshi_battle import BOOK
from companion.rules.hoshi_battle import HoshiBattleState
from companion.rules.hoshi_battle.duels import defeated, opponents
from companion.rules.hoshi_battle.ending import cards_dealt
from companion.rules.hoshi_battle.facts import (
    SYMBOLS,
    ActAttested,
    CardDeclined,
    CardKind,
    CardsDealt,
    CardsKept,
    CardsPlaced,
    Face,
    Fact,
    HeroExiled,
    OpponentChosen,
    PlayBegan,
    SaveRolled,
    TimeoutCalled,
)
from companion.rules.hoshi_battle.setup import IN_USE
from companion.rules.hoshi_battle.state import Duel, Phase, count_index, seat_of


def taps_of(state: HoshiBattleState) -> tuple[Tap, ...]:
    """What is due now, the likeliest first."""
    return tuple(_due(state))


def _due(state: HoshiBattleState) -> Iterator[Tap]:  # noqa: PLR0912  (one branch a phase)
    duel = state.duel
    match state.phase:
        case Phase.DEAL:
            yield from _deal(state)
        case Phase.OPPONENT:
            seat = state.setup.seats[state.chooser]
            for place in opponents(state):
                other = state.setup.seats[place]
                yield _tap(f"{seat} challenges {other}", OpponentChosen(seat, other))
        case Phase.PLACE if duel is not None:
            for side, fighter in enumerate(duel.fighters):
                seat = seat_of(state, side)
                if not fighter.has_hero:
                    yield _tap(f"{seat} laid a Hero and a Duel card", CardsPlaced(seat))
                    yield _tap(f"{seat} laid a Hero only", CardsPlaced(seat, duel=False))
        case Phase.REVEAL if duel is not None:
            for side, fighter in enumerate(duel.fighters):
                if fighter.has_hero and fighter.hero is None:
                    yield _open("hero-revealed", seat_of(state, side), "reveals the Hero …")
        case Phase.READY | Phase.ROUND_START | Phase.ROUND_END if duel is not None:
            yield from _window(state, duel)
        case Phase.HIT if duel is not None:
            yield from _hits(state, duel)
            yield from _cards(state, duel)
        case Phase.ROLLING if duel is not None:
            yield from _rolling(state, duel)
        case _:
            pass


def _deal(state: HoshiBattleState) -> Iterator[Tap]:
    for seat, player in zip(state.setup.seats, state.players, strict=True):
        for kind in CardKind:
            index = count_index(kind)
            name = "Heroes" if kind is CardKind.HERO else "Duel cards"
            if not player.dealt[index]:
                yield _tap(f"{seat} was dealt {name}", CardsDealt(seat, kind, cards_dealt(state)))
            elif not player.kept[index]:
                yield _tap(f"{seat} chose three {name}", CardsKept(seat, kind, IN_USE))


def _window(state: HoshiBattleState, duel: Duel) -> Iterator[Tap]:
    gone = [seat_of(state, side) for side in defeated(state)]
    for seat in gone:
        yield _tap(f"{seat}'s Hero is exiled", HeroExiled(seat))
    if not gone:
        counted = state.phase is Phase.READY
        label = "Three, two, one, zero!" if counted else "Roll on!"
        yield _tap(label, PlayBegan(counted=counted))
    yield from _cards(state, duel)


def _cards(state: HoshiBattleState, duel: Duel) -> Iterator[Tap]:
    """Who may play the card that lies face down, in order."""
    for side in duel.deciding:
        seat = seat_of(state, side)
        yield _open("duel-card-revealed", seat, "plays the Duel card …")
        yield _tap(f"{seat} plays no card now", CardDeclined(seat))
    for side in duel.claims:
        if side not in duel.deciding:
            yield _open("duel-card-revealed", seat_of(state, side), "shows the card …")


def _hits(state: HoshiBattleState, duel: Duel) -> Iterator[Tap]:
    for hit in duel.hits:
        victim, hitter = seat_of(state, hit.victim), seat_of(state, 1 - hit.victim)
        for need in hit.needs:
            if need.act is not None:
                yield _tap(f"{hitter} did it: {need.act}", ActAttested(hitter, need.act, done=True))
                yield _tap(f"{hitter} did not: the hit is cancelled", ActAttested(hitter, need.act, done=False))
                continue
            sides = need.sides or None
            for face in (*SYMBOLS, Face.BLANK):
                yield _tap(f"{victim} rolled {face}", SaveRolled(victim, face, sides))


def _rolling(state: HoshiBattleState, duel: Duel) -> Iterator[Tap]:
    if duel.timeout is not None:
        yield _tap("Three, two, one, zero: go on", PlayBegan(counted=True))
    seats = [seat_of(state, side) for side in (0, 1)]
    if duel.timeout is None:
        for seat in seats:
            yield _tap(f"Timeout: {seat}", TimeoutCalled(seat))


def _open(kind: str, seat: str, label: str) -> Tap:
    return Tap(f"{seat} {label}", {"fact": kind, "seat": seat}, whole=False)


def _tap(label: str, fact: Fact) -> Tap:
    return Tap(label, BOOK.facts.to_json(fact))

"""A Hoshi Battle state as the page shows it (companion/web/desk.py, `HoshiBattleView`)."""

from __future__ import annotations

from typing import Any

from companion.adjudicator.hoshi_battle.words import card_name, effect_lines, headline, progress
from companion.rules.hoshi_battle import HoshiBattleState
from companion.rules.hoshi_battle.facts import Face
from companion.rules.hoshi_battle.reckoning import counted
from companion.rules.hoshi_battle.state import Fighter, Phase, Roll, heroes_left, seat_of, side_of

Json = Any


def hoshi_battle_view(state: HoshiBattleState) -> dict[str, Json]:
    """Seats, phase, headline, the two who duel with what lies before them, effects in force, Duels that are over."""
    duel = state.duel
    return {
        "seats": [_seat(state, place, seat) for place, seat in enumerate(state.setup.seats)],
        "phase": state.phase.value.replace(" ", "-"),
        "trick": 0 if duel is None else duel.round,
        "tricks_total": None,
        "progress": progress(state),
        "turn_word": "round",
        "past_title": "Duels",
        "headline": headline(state),
        "points": 0,
        "duel": None if duel is None else _duel(state),
        "effects": list(effect_lines(state)),
        "tricks": [_done(state, number) for number in range(len(state.done))],
        "cards": [
            *({"id": card.id, "kind": "hero", "label": card.name} for card in state.setup.heroes.values()),
            *({"id": card.id, "kind": "duel", "label": card.name} for card in state.setup.duels.values()),
        ],
        "worlds": None,
    }


def _seat(state: HoshiBattleState, place: int, seat: str) -> dict[str, Json]:
    player = state.players[place]
    duel = state.duel
    side = side_of(state, seat)
    return {
        "name": seat,
        "role": None,
        "turn": duel is not None and side in duel.deciding,
        "heroes_left": heroes_left(state, place),
        "exiled": [card_name(state.setup, card) for card in player.exiled],
        "aside": [{"label": card_name(state.setup, card), "stones": stones} for card, stones in player.aside],
        "duels": side is not None,
    }


def _duel(state: HoshiBattleState) -> dict[str, Json]:
    duel = state.duel
    if duel is None:
        return {}
    timeout = duel.timeout
    return {
        "number": duel.number,
        "round": duel.round,
        "rolling": state.phase is Phase.ROLLING and timeout is None,
        "timeout": None if timeout is None else seat_of(state, timeout[0]),
        "fighters": [_fighter(state, side, fighter) for side, fighter in enumerate(duel.fighters)],
        "waits_for": [
            {
                "victim": seat_of(state, hit.victim),
                "hitter": seat_of(state, 1 - hit.victim),
                "act": need.act,
                "sides": need.sides,
                "faces": sorted(need.faces),
                "card": card_name(state.setup, need.card),
            }
            for hit in duel.hits
            for need in hit.needs
        ],
        "claims": [seat_of(state, side) for side in duel.claims],
        "last_hitter": None if duel.last_hitter is None else seat_of(state, duel.last_hitter),
    }


def _fighter(state: HoshiBattleState, side: int, fighter: Fighter) -> dict[str, Json]:
    return {
        "seat": seat_of(state, side),
        "hero": None if fighter.hero is None else _card(state, fighter.hero),
        "hero_down": fighter.has_hero and fighter.hero is None,
        "card": None if fighter.card is None else _card(state, fighter.card),
        "card_down": fighter.is_hidden,
        "stones": fighter.stones,
        "full": fighter.full,
        "dice": list(fighter.dice),
        "rolls": [
            _roll(state, side, die, roll)
            for die, roll in enumerate(fighter.rolls)
            if die < len(fighter.dice) or roll is not None
        ],
        "raised": fighter.is_raised,
        "asleep": None if fighter.frees is None else fighter.frees.value,
        "was_hit": fighter.was_hit,
    }


def _card(state: HoshiBattleState, card: str) -> dict[str, Json]:
    hero, duel = state.setup.heroes.get(card), state.setup.duels.get(card)
    known = hero or duel
    return {
        "id": card,
        "label": card_name(state.setup, card),
        "cost": None if known is None else known.cost,
        "die": None if hero is None else hero.die,
        "type": None if duel is None or duel.kind is None else duel.kind.value,
        "known": known is not None and known.is_known,
    }


def _roll(state: HoshiBattleState, side: int, die: int, roll: Roll | None) -> dict[str, Json]:
    """What a die shows and counts as, and whether it is alive; no roll is one that is in the hand."""
    if roll is None:
        return {"die": die, "face": None, "state": "hand", "counts": []}
    counts = counted(state, side, roll.face)
    return {
        "die": die,
        "face": roll.face.value,
        "counts": [face.value for face in Face if face in counts and face is not roll.face],
        "inside": roll.inside,
        "state": _stands(roll),
    }


def _stands(roll: Roll) -> str:
    if roll.inside is False:
        return "outside"
    if roll.face is Face.BLANK:
        return "blank"
    if roll.is_lost:
        return "lost"
    if roll.spent:
        return "spent"
    return "open" if roll.inside is None or roll.face is Face.UNKNOWN else "alive"


def _done(state: HoshiBattleState, number: int) -> dict[str, Json]:
    record = state.done[number]
    return {
        "number": record.number,
        "seats": list(record.seats),
        "heroes": [None if hero is None else card_name(state.setup, hero) for hero in record.heroes],
        "rounds": record.rounds,
        "exiled": list(record.exiled),
        "winner": record.winner,
        "stones": record.stones,
    }

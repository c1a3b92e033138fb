"""What raised hands say: each seat's answer to the effect that asked, and when nothing follows from it any more."""

from __future__ import annotations

from typing import NamedTuple

from companion.rules.ahuha.effects import EffectKind
from companion.rules.ahuha.facts import EffectTold, FrozenPlaced, FrozenTaken, Side, Told
from companion.rules.ahuha.knowledge import Answered, Knowledge, with_answers
from companion.rules.ahuha.setup import ROUNDS
from companion.rules.ahuha.state import ALL_SEATS, AhuhaState
from companion.rules.ahuha.turns import effect_of_active


def asked_by(state: AhuhaState, fact: EffectTold | None = None) -> int:
    """The stars for which the active card asks, by its effect or as told; none where nobody knows."""
    current = state.round
    card = None if current.active is None else current.cards[current.active]
    if card is None or current.active is None:
        return 0
    if effect_of_active(state, current).kind is EffectKind.RAISE_HANDS:
        return state.setup.asked[card] if current.trusted >> current.active & 1 else 0
    return 0 if fact is None else state.setup.stars_of(fact.asked)


def answers_of(state: AhuhaState, fact: EffectTold) -> tuple[Answered, ...]:
    """What each seat said of its hand; nothing where answers don't bind or nobody knows what was asked."""
    current = state.round
    if fact.outcome is not Told.HANDS or current.active is None or current.number >= ROUNDS:
        return ()
    settings = state.setup.settings
    asked = asked_by(state, fact)
    if not asked or not settings.answers_bind:
        return ()
    card = current.cards[current.active]
    named = state.setup.named
    names = ", ".join(map(named, fact.asked or effect_of_active(state, current).of))
    found = []
    for place, seat in enumerate(state.seats):
        if place == current.active and not settings.active_answers:
            continue
        has = seat in fact.seats
        did = "raised a hand" if has else "raised no hand"
        act = f"series {state.series}, round {current.number}: {seat} {did} on {named(card or '')} ({names})"
        found.append(Answered(current.number, place, has, asked, act, card))
    return tuple(found)


class Answering(NamedTuple):
    """What the answers to an effect say."""

    answers: tuple[Answered, ...]
    after: Knowledge
    """With them."""
    false: tuple[Answered, ...]
    """Those that are false as the cards lie open already."""


class _Latest:
    """What was told last. Facts and states never change, so what was worked out of the same two stays right."""

    __slots__ = ("entry",)

    def __init__(self) -> None:
        self.entry: tuple[AhuhaState, EffectTold, Answering] | None = None


_latest = _Latest()


def answering(state: AhuhaState, fact: EffectTold) -> Answering:
    """What the answers say; asked for the same state and fact again, as when it is applied after it was judged, it is known."""
    latest = _latest.entry
    if latest is not None and latest[0] is state and latest[1] is fact:
        return latest[2]
    answers = answers_of(state, fact)
    found = Answering(answers, *with_answers(state.knowledge, state.setup, answers))
    _latest.entry = state, fact, found
    return found


def is_as_told(state: AhuhaState, place: int, fact: FrozenTaken | FrozenPlaced) -> bool:
    """Whether a frozen card moves as the rules say, so that what was known of the hands before can be carried on."""
    current, takes = state.round, isinstance(fact, FrozenTaken)
    if current.passing < 0 and not current.waits:
        at_tanabata = takes and current.number == ROUNDS and not current.is_revealed
        return at_tanabata and fact.side is state.setup.settings.frozen_in_front
    if fact.side is not (Side.RIGHT if takes else Side.LEFT):
        return False
    if current.passing < 0:  # the effect is told after it was seen
        return True
    moved = current.passing >> (place if takes else place + 3) & 1
    return not moved and (takes or current.passing & ALL_SEATS in (0, ALL_SEATS))


def without_answers(knowledge: Knowledge) -> Knowledge:
    """After frozen cards went another way than the rules know: any hand can have got any card, so no answer is held to."""
    timeline = tuple(entry for entry in knowledge.timeline if not isinstance(entry, Answered))
    return knowledge._replace(answers=(), timeline=timeline)

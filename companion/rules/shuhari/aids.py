"""Preparation and Review cards: whether one may be used, and what it may take."""

from __future__ import annotations

from companion.rules.shuhari.settings import ReviewNeeds
from companion.rules.shuhari.setup import CardKind
from companion.rules.shuhari.state import Pool, ShuhariState


def usable(state: ShuhariState, card: str) -> bool:
    """Whether a Preparation or Review card may be played in a trick that has been led."""
    if state.setup.cards[card].kind is CardKind.PREPARATION:
        return True
    if state.setup.settings.review_needs is ReviewNeeds.ANY:
        return bool(state.pool.pile or state.pool.aids)
    return bool(state.pool.pile & state.setup.takeable)


def takes(state: ShuhariState) -> tuple[str, ...]:
    """The cards that a Review card may take now."""
    return state.setup.names(state.pool.pile & state.setup.takeable)


def pile_size(pool: Pool) -> int:
    """How many cards lie in the discard pile."""
    return pool.pile.bit_count() + len(pool.aids)

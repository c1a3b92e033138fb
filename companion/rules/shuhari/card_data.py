"""What the cards say, and what is wrong with a deck of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum

from companion.rules.card_fields import CardFault, CardForm, DeckForm, FieldInfo, FieldKind, card_faults
from companion.rules.cards import CardData
from companion.rules.shuhari.facts import SUITS

RANKS = 12
PER_RANK = 5
RINGS = ("obey", "detach", "separate")
"""From the outside in (Description of Art Cards)."""


class CardKind(StrEnum):
    """What a card of the deck is; stage display cards are no part of it."""

    ART = "art"
    PREPARATION = "preparation"
    REVIEW = "review"


STAGE = "stage"
"""The kind of the stage display cards, which are never shuffled in."""


def _ring(name: str, place: str) -> FieldInfo:
    return FieldInfo(
        name, FieldKind.CHOICE, f"the suit of the {place} ring", f'"{SUITS[0]}"', choices=tuple(SUITS), needed=True
    )


DECK = DeckForm(
    "shuhari",
    (
        CardForm(
            CardKind.ART,
            "an art card, with a rank and three suits",
            (
                FieldInfo(
                    "rank",
                    FieldKind.WHOLE,
                    "the number at the top left; there are five cards of each",
                    "7",
                    least=1,
                    most=RANKS,
                    needed=True,
                ),
                *(_ring(ring, place) for ring, place in zip(RINGS, ("outer", "middle", "inner"), strict=True)),
            ),
            once="art card",
            in_box=RANKS * PER_RANK,
        ),
        CardForm(CardKind.PREPARATION, "the card that looks through the top of the deck", ()),
        CardForm(CardKind.REVIEW, "the card that takes an art card back from the discards", (), in_box=5),
        CardForm(
            STAGE,
            "a display card that shows the stage; it is not shuffled in",
            (
                FieldInfo(
                    "stage",
                    FieldKind.CHOICE,
                    "the stage that it announces",
                    '"detach"',
                    choices=RINGS[1:],
                    otherwise="it is only named",
                ),
            ),
            in_box=2,
        ),
    ),
)


def faults_of(cards: Mapping[str, CardData]) -> Iterator[CardFault]:
    """What is wrong: fields of single cards, a suit twice on a card, not five of a rank, no Preparation or Review card."""
    yield from card_faults(DECK, cards)
    for card, data in cards.items():
        if data.value("kind") == CardKind.ART:
            yield from _suits_twice(card, data)
    arts = [data for data in cards.values() if data.value("kind") == CardKind.ART]
    ranks = Counter(str(data.value("rank")) for data in arts)
    unread = len(arts) - sum(ranks[str(rank)] for rank in range(1, RANKS + 1))
    wrong = [(rank, ranks[str(rank)]) for rank in range(1, RANKS + 1) if ranks[str(rank)] != PER_RANK]
    if sum(PER_RANK - have for _, have in wrong) > unread or any(have > PER_RANK for _, have in wrong):
        for rank, have in wrong:
            yield CardFault(f"the deck must hold five art cards of rank {rank}, not {have}")
    for aid in (CardKind.PREPARATION, CardKind.REVIEW):
        if sum(data.value("kind") == aid for data in cards.values()) != 1:
            yield CardFault(f"the deck must hold the {aid} card once, with the number of its copies")


def _suits_twice(card: str, data: CardData) -> Iterator[CardFault]:
    suits: list[object] = []
    for ring in RINGS:
        suit = data.value(ring)
        if suit in suits and suit in tuple(SUITS):
            yield CardFault(f"{suit} is on the card already", card, (ring,))
        suits.append(suit)

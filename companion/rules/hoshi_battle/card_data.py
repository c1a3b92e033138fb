"""What the cards say, and what is wrong with a deck of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from companion.rules.card_fields import CardFault, CardForm, DeckForm, FieldInfo, FieldKind, card_faults
from companion.rules.cards import CardData
from companion.rules.hoshi_battle.effects import DICE
from companion.rules.hoshi_battle.facts import CardKind
from companion.rules.hoshi_battle.vocabulary import effect_faults

IN_BOX = 20
"""Heroes, and Duel cards, in a game (Components)."""


class Duelkind(StrEnum):
    """The three kinds of Duel cards."""

    ARTIFACT = "artifact"
    POWER = "power"
    LEGEND = "legend"


class Reveal(StrEnum):
    """When a Duel card may be revealed."""

    DUEL_START = "duel-start"
    ROUND_START = "round-start"
    ROUND_END = "round-end"


class Needs(StrEnum):
    """What must have happened for a Duel card to be revealed."""

    NOTHING = "nothing"
    WAS_HIT = "was-hit"
    """Its owner was hit in the round."""
    STONE_LOST = "stone-lost"
    """Somebody lost a Stone in the round before."""
    OWN_TOUCH = "own-touch"
    """Its owner touched the opponent's hand after the face of the card's touch."""
    DEFEATED = "defeated"
    """Its owner's Hero has lost its last Stone."""


_NAME = FieldInfo("name", FieldKind.TEXT, "the card's name", '"River Guard"', otherwise="the card's id")
_NUMBER = FieldInfo(
    "number", FieldKind.WHOLE, "the card's number in the set", "2", least=1, most=99, otherwise="not known"
)
_COST = FieldInfo(
    "cost",
    FieldKind.WHOLE,
    "the figure that constructed decks and some abilities look at",
    "4",
    least=0,
    otherwise="not known",
)
_EFFECTS = FieldInfo(
    "effects",
    FieldKind.EFFECTS,
    "what the card does, in the words that hoshiban decks effects lists; [] where it does nothing",
    '[{ do = "stones", amount = 2 }]',
    otherwise="it is read aloud, and a person tells what it did",
)
_DIE = FieldInfo("die", FieldKind.CHOICE, "the sides of the Hero's die", "10", choices=DICE, otherwise="not known")
_REVEALS = FieldInfo(
    "reveal",
    FieldKind.CHOICES,
    "the times at which it may be revealed",
    '["round-start"]',
    choices=tuple(Reveal),
    otherwise="at any of these times",
)
_NEEDS_MEANINGS = {
    Needs.NOTHING: "nothing more than the time",
    Needs.WAS_HIT: "its owner was hit in this round",
    Needs.STONE_LOST: "somebody lost a Stone in the round before",
    Needs.OWN_TOUCH: "its owner touched the other's hand after the symbol of the card's own touch effect",
    Needs.DEFEATED: "its owner's Hero has lost its last Stone",
}

DECK = DeckForm(
    "hoshi-battle",
    (
        CardForm(CardKind.HERO, "a Hero", (_NAME, _NUMBER, _DIE, _COST, _EFFECTS), in_box=IN_BOX),
        CardForm(
            CardKind.DUEL,
            "a Duel card",
            (
                _NAME,
                _NUMBER,
                FieldInfo(
                    "type",
                    FieldKind.CHOICE,
                    "which sort of Duel card it is",
                    '"power"',
                    choices=tuple(Duelkind),
                    otherwise="not known",
                ),
                _COST,
                _REVEALS,
                FieldInfo(
                    "also_reveal",
                    FieldKind.CHOICES,
                    "times that the card does not name but an example in the rulebook shows",
                    '["round-start"]',
                    choices=tuple(Reveal),
                    otherwise="no others",
                ),
                FieldInfo(
                    "needs",
                    FieldKind.CHOICE,
                    "what must have happened before it may be revealed",
                    '"was-hit"',
                    choices=tuple(Needs),
                    choice_meanings={str(need): said for need, said in _NEEDS_MEANINGS.items()},
                    otherwise=Needs.NOTHING,
                ),
                FieldInfo(
                    "stays",
                    FieldKind.SWITCH,
                    "whether it stays in play once it is resolved",
                    "false",
                    otherwise="not known",
                ),
                _EFFECTS,
            ),
            in_box=IN_BOX,
        ),
    ),
    apart=True,
)


def faults_of(cards: Mapping[str, CardData]) -> Iterator[CardFault]:
    """What is wrong: fields of single cards, effects that are not of the vocabulary, a need that the effects don't answer."""
    yield from card_faults(DECK, cards)
    for card, data in cards.items():
        told = data.value("effects")
        if isinstance(told, tuple) and all(isinstance(table, Mapping) for table in told):
            yield from effect_faults(data)
        words = [table.get("do") for table in told if isinstance(table, Mapping)] if isinstance(told, tuple) else []
        if data.value("kind") == CardKind.DUEL and data.value("needs") == Needs.OWN_TOUCH and "touch" not in words:
            yield CardFault(f"{Needs.OWN_TOUCH} needs an effect that is a touch", card, ("needs",))


def is_told(data: CardData) -> bool:
    """Whether the deck says what the card does."""
    told = data.value("effects")
    return isinstance(told, tuple) and not any(
        isinstance(table, Mapping) and table.get("do") == "ask" for table in told
    )

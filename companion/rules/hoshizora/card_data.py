"""What the cards say, and what is wrong with a deck of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from companion.rules.card_fields import CardFault, CardForm, DeckForm, FieldInfo, FieldKind, card_faults
from companion.rules.cards import CardData
from companion.rules.hoshizora.facts import Colour

NUMBERS = range(1, 13)
"""Each once in either colour (Components)."""

DECK = DeckForm(
    "hoshizora",
    (
        CardForm(
            "",
            "a number card",
            (
                FieldInfo(
                    "colour",
                    FieldKind.CHOICE,
                    "the colour of the card, which is also the colour of the line that it draws",
                    '"red"',
                    choices=tuple(Colour),
                    needed=True,
                ),
                FieldInfo(
                    "number",
                    FieldKind.WHOLE,
                    "the large number; it says at which star a line begins or ends",
                    "7",
                    least=NUMBERS[0],
                    most=NUMBERS[-1],
                    needed=True,
                ),
                FieldInfo(
                    "bid",
                    FieldKind.WHOLE,
                    "the small figure that counts when the card is kept as a bid",
                    "15",
                    least=0,
                    otherwise="the card's number stands in",
                ),
            ),
            once="card",
            in_box=24,
        ),
    ),
)


def faults_of(cards: Mapping[str, CardData]) -> Iterator[CardFault]:
    """What is wrong: fields of single cards, a colour and number that are there twice or not at all."""
    yield from card_faults(DECK, cards)
    faces: dict[tuple[object, object], str] = {}
    unread = 0
    for card, data in cards.items():
        face = (data.value("colour"), data.value("number"))
        if any(info.fault(data.value(info.name)) for info in DECK.forms[0].fields if info.needed):
            unread += 1
        elif face in faces:
            yield CardFault(f"{face[0]} {face[1]} is {faces[face]} already", card, ("number",))
        else:
            faces[face] = card
    missing = [f"{colour} {number}" for colour in Colour for number in NUMBERS if (colour, number) not in faces]
    if len(missing) > unread:
        yield CardFault(f"the deck lacks {', '.join(missing)}")

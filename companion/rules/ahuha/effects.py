"""The effect vocabulary of star cards: what the rules can resolve by themselves, and the effects that people must tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from companion.rules.card_fields import CardFault, EffectWord, FieldInfo, FieldKind, shown, text_of, texts_of
from companion.rules.cards import CardData


class EffectKind(StrEnum):
    """What an effect does, as `effect` in a deck's data; `WORDS` says what each means."""

    UNKNOWN = "unknown"
    NONE = "none"
    RAISE_HANDS = "raise-hands"
    PASS_FROZEN = "pass-frozen"
    MEET_HOME = "meet-home"
    MEET_FIELD = "meet-field"
    INVERT_AFTER_HOSIAHI = "invert-after-hosiahi"


NEEDS_CARDS = frozenset({EffectKind.RAISE_HANDS, EffectKind.MEET_HOME, EffectKind.MEET_FIELD})
"""The kinds that speak of certain cards."""
ON_HANDS = frozenset({EffectKind.RAISE_HANDS, EffectKind.PASS_FROZEN})
"""The kinds that are effects on hands without saying so."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A star card's effect."""

    kind: EffectKind = EffectKind.UNKNOWN
    name: str = ""
    of: tuple[str, ...] = ()
    """Of which cards it speaks: ids, or attributes as "kesiki:siro"."""
    needs_hand: bool = False
    """An effect on hands: there is nothing to resolve in the seventh round."""

    @property
    def title(self) -> str:
        """Its name, or a word for it."""
        return self.name or "its effect"


ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "arika": ("january", "april", "july", "october", "south"),
    "kesiki": ("sora", "siro", "kiku", "ihanu", "tachibana", "momiji"),
    "sugata": ("small", "slightly-large", "large", "quite-large", "extremely-large"),
}
"""The three attributes of a star and their values (What Is a "Hosiahi"?)."""


EFFECT_NAME = FieldInfo(
    "effect_name", FieldKind.TEXT, "the effect's name", '"Yukimeguritemo"', otherwise='it is called "its effect"'
)
EFFECT_OF = FieldInfo(
    "effect_of",
    FieldKind.WORDS,
    'the cards of which the effect speaks: ids, or an attribute such as "kesiki:siro" for all stars that have it',
    '["mimosa"]',
    items="card ids or attributes",
    otherwise=f"none; {', '.join(kind for kind in EffectKind if kind in NEEDS_CARDS)} need it",
)
NEEDS_HAND = FieldInfo(
    "effect_needs_hand",
    FieldKind.SWITCH,
    "whether the effect concerns hands, so that it is passed over in the seventh round",
    "true",
    otherwise="false, but for raise-hands and pass-frozen",
)

_MEANINGS: Mapping[EffectKind, str] = {
    EffectKind.UNKNOWN: "its text is not known here: it is read aloud, and a person tells what happened",
    EffectKind.NONE: "the card has no effect, or none that changes anything at the table",
    EffectKind.RAISE_HANDS: "whoever holds one of effect_of raises a hand (Amanokaharawo)",
    EffectKind.PASS_FROZEN: "all take the frozen card on the right, then all place one on the left (Madu Kohorikeru)",
    EffectKind.MEET_HOME: "meets one of effect_of that lies horizontally in any Home and turns it upright (Yukimeguritemo)",
    EffectKind.MEET_FIELD: "meets the lowest-numbered of effect_of in the Field, whatever they share (Kinohu Kehutoha "
    "is of this kind)",
    EffectKind.INVERT_AFTER_HOSIAHI: "goes Home upside down if there was a Hosiahi in this round already (Omohi Hanarenu)",
}

EFFECT = FieldInfo(
    "effect",
    FieldKind.CHOICE,
    "what the card's effect does",
    '"meet-home"',
    choices=tuple(EffectKind),
    choice_meanings={str(kind): meaning for kind, meaning in _MEANINGS.items()},
    otherwise=EffectKind.UNKNOWN,
)
EFFECT_FIELDS = (EFFECT, EFFECT_NAME, EFFECT_OF, NEEDS_HAND)
"""The fields of a star card that say its effect."""


def _word(kind: EffectKind) -> EffectWord:
    of = (replace(EFFECT_OF, needed=True),) if kind in NEEDS_CARDS else ()
    on_hands = () if kind in ON_HANDS or kind is EffectKind.NONE else (NEEDS_HAND,)
    lines = [f'effect = "{kind}"', *(f"{entry.name} = {entry.example}" for entry in of)]
    return EffectWord(kind, _MEANINGS[kind], "\n".join(lines), (EFFECT_NAME, *of, *on_hands))


WORDS = tuple(_word(kind) for kind in EffectKind)
"""The vocabulary, a word a kind."""


def effect_of(data: CardData) -> Effect:
    """A card's effect from its data, in which `effect_faults` finds nothing."""
    kind = EffectKind(text_of(data, "effect") or EffectKind.UNKNOWN)
    needs_hand = data.value("effect_needs_hand") is True or kind in ON_HANDS
    return Effect(kind, text_of(data, "effect_name") or "", texts_of(data, "effect_of"), needs_hand)


def effect_faults(card: str, data: CardData, cards: Mapping[str, object]) -> Iterator[CardFault]:
    """What is wrong with an effect beyond its single fields: no cards where it needs some, or cards that are not there."""
    kind, of = text_of(data, "effect"), texts_of(data, "effect_of")
    if kind in NEEDS_CARDS and (data.value("effect_of") is None or data.value("effect_of") == ()):
        yield CardFault(f"is missing; {kind} needs the cards of which it speaks", card, ("effect_of",))
    strange = [item for item in of if not is_criterion(item, cards)]
    if strange:
        text = f"{shown(strange[0])} is neither a card of this deck nor an attribute such as kesiki:siro"
        yield CardFault(text, card, ("effect_of",))


def is_criterion(item: str, cards: Mapping[str, object]) -> bool:
    """Whether an item of `effect_of` is a card of the deck or an attribute's value."""
    attribute, colon, value = item.partition(":")
    return item in cards or (bool(colon) and value in ATTRIBUTES.get(attribute, ()))

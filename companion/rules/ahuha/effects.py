"""The effect vocabulary of star cards: what the rules can resolve by themselves, and the effects that people must tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from companion.rules.cards import CardData


class EffectKind(StrEnum):
    """What an effect does, as `effect` in a deck's data."""

    UNKNOWN = "unknown"
    """Its text is not known here: read the card aloud and tell what happened."""
    NONE = "none"
    """The card has no effect, or none that changes anything at the table."""
    RAISE_HANDS = "raise-hands"
    """Whoever holds one of `effect_of` raises a hand (Amanokaharawo)."""
    PASS_FROZEN = "pass-frozen"
    """Everyone takes the frozen card on the right, then everyone places one on the left (Madu Kohorikeru)."""
    MEET_HOME = "meet-home"
    """Meets one of `effect_of` that lies horizontally in any Home and turns it upright (Yukimeguritemo)."""
    MEET_FIELD = "meet-field"
    """Meets the lowest-numbered of `effect_of` in the Field, whatever they share (Kinohu Kehutoha is of this kind)."""
    INVERT_AFTER_HOSIAHI = "invert-after-hosiahi"
    """Goes Home upside down if there was a Hosiahi in this round already (Omohi Hanarenu)."""


NEEDS_CARDS = frozenset({EffectKind.RAISE_HANDS, EffectKind.MEET_HOME, EffectKind.MEET_FIELD})
"""The kinds that speak of certain cards."""


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


def effect_of(card: str, data: CardData) -> Effect:
    """A card's effect from its data. Raises ValueError that names the card and the field."""
    kind, name = data.value("effect"), data.value("effect_name")
    of, needs_hand = data.value("effect_of"), data.value("effect_needs_hand")
    if kind is not None and kind not in tuple(EffectKind):
        raise ValueError(f"card.{card}.effect: must be one of {', '.join(EffectKind)}, not {kind!r}")
    if name is not None and not isinstance(name, str):
        raise ValueError(f"card.{card}.effect_name: must be a text, not {name!r}")
    if needs_hand is not None and not isinstance(needs_hand, bool):
        raise ValueError(f"card.{card}.effect_needs_hand: must be true or false, not {needs_hand!r}")
    if of is not None and not isinstance(of, tuple):
        raise ValueError(f"card.{card}.effect_of: must be a list of card ids or attributes, not {of!r}")
    items = tuple(item for item in of or () if isinstance(item, str))
    if len(items) < len(of or ()):
        raise ValueError(f"card.{card}.effect_of: must be a list of card ids or attributes, not of tables")
    known = EffectKind.UNKNOWN if kind is None else EffectKind(str(kind))
    if known in NEEDS_CARDS and not items:
        raise ValueError(f"card.{card}.effect_of: is missing; {known} needs the cards of which it speaks")
    on_hands = known in (EffectKind.RAISE_HANDS, EffectKind.PASS_FROZEN)
    return Effect(known, name or "", items, bool(needs_hand) or on_hands)


def is_criterion(item: str, cards: Mapping[str, object]) -> bool:
    """Whether an item of `effect_of` is a card of the deck or an attribute's value."""
    attribute, colon, value = item.partition(":")
    return item in cards or (bool(colon) and value in ATTRIBUTES.get(attribute, ()))

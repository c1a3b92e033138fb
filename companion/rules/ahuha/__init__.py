"""Ahuha Ahukaha: rules, effects, exact knowledge of the hidden cards, and the look back at a series."""

from companion.rules.ahuha.effects import Effect, EffectKind
from companion.rules.ahuha.hindsight import CouldHaveMet, Held, Hindsight, hindsight
from companion.rules.ahuha.knowledge import worlds
from companion.rules.ahuha.rules import RULES
from companion.rules.ahuha.settings import AhuhaSettings, Mode, NoStar
from companion.rules.ahuha.setup import AhuhaCard, AhuhaSetup, cards_of, shared
from companion.rules.ahuha.state import AhuhaState, Phase, Placed, RoundRecord, SeriesRecord

__all__ = [
    "RULES",
    "AhuhaCard",
    "AhuhaSettings",
    "AhuhaSetup",
    "AhuhaState",
    "CouldHaveMet",
    "Effect",
    "EffectKind",
    "Held",
    "Hindsight",
    "Mode",
    "NoStar",
    "Phase",
    "Placed",
    "RoundRecord",
    "SeriesRecord",
    "cards_of",
    "hindsight",
    "shared",
    "worlds",
]

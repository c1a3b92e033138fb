"""Shuhari: rules, learning table and what hidden hands can be proved to have held."""

from companion.rules.shuhari.knowledge import candidates, likelihood, playable
from companion.rules.shuhari.rules import RULES
from companion.rules.shuhari.settings import ShuhariSettings
from companion.rules.shuhari.setup import CardKind, ShuhariCard, ShuhariSetup, cards_of
from companion.rules.shuhari.state import Due, Phase, ShuhariState, TrickRecord

__all__ = [
    "RULES",
    "CardKind",
    "Due",
    "Phase",
    "ShuhariCard",
    "ShuhariSettings",
    "ShuhariSetup",
    "ShuhariState",
    "TrickRecord",
    "candidates",
    "cards_of",
    "likelihood",
    "playable",
]

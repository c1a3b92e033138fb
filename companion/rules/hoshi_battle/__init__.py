"""Hoshi Battle (Joshi): rules, card effects, and what a touch is."""

from companion.rules.hoshi_battle.effects import Effect
from companion.rules.hoshi_battle.reckoning import acts_asked, counts_as, dice_of
from companion.rules.hoshi_battle.rules import RULES
from companion.rules.hoshi_battle.settings import HoshiBattleSettings
from companion.rules.hoshi_battle.setup import DuelCard, HeroCard, HoshiBattleSetup, cards_of, completed
from companion.rules.hoshi_battle.state import HoshiBattleState, Phase
from companion.rules.hoshi_battle.touches import (
    Life,
    Meaning,
    TouchRuling,
    Verdict,
    alive_symbols,
    life_at,
    rule_touch,
    touch_reading,
)
from companion.rules.hoshi_battle.vocabulary import VOCABULARY, effects_of

__all__ = [
    "RULES",
    "VOCABULARY",
    "DuelCard",
    "Effect",
    "HeroCard",
    "HoshiBattleSettings",
    "HoshiBattleSetup",
    "HoshiBattleState",
    "Life",
    "Meaning",
    "Phase",
    "TouchRuling",
    "Verdict",
    "acts_asked",
    "alive_symbols",
    "cards_of",
    "completed",
    "counts_as",
    "dice_of",
    "effects_of",
    "life_at",
    "rule_touch",
    "touch_reading",
]

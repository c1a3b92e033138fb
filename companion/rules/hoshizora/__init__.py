"""Hoshizora (Starry Sky Trick-Taking): rules, knowledge and exact geometry."""

from companion.rules.hoshizora.board import Board, score, stars_in_line
from companion.rules.hoshizora.drawing import drawable, erasable, owed
from companion.rules.hoshizora.ending import advice
from companion.rules.hoshizora.knowledge import playable, worlds
from companion.rules.hoshizora.rules import RULES
from companion.rules.hoshizora.settings import HoshizoraSettings
from companion.rules.hoshizora.setup import HoshizoraCard, HoshizoraSetup
from companion.rules.hoshizora.state import HoshizoraState, Phase, TrickRecord, stated_colour

__all__ = [
    "RULES",
    "Board",
    "HoshizoraCard",
    "HoshizoraSettings",
    "HoshizoraSetup",
    "HoshizoraState",
    "Phase",
    "TrickRecord",
    "advice",
    "drawable",
    "erasable",
    "owed",
    "playable",
    "score",
    "stars_in_line",
    "stated_colour",
    "worlds",
]

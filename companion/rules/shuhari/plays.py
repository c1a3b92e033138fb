"""What a played card is: lead, practice, rest or break, by the stage and the cards before it."""

from __future__ import annotations

from typing import NamedTuple

from companion.rules.shuhari.facts import Play
from companion.rules.shuhari.settings import Played as Measured
from companion.rules.shuhari.setup import Art, ShuhariSetup
from companion.rules.shuhari.state import NO_ART, Due, Played, Trick, made


class Reading(NamedTuple):
    """How a card counts, and which rules it broke by itself."""

    play: Play | None
    """None where it may be a rest or a break and nobody told which."""
    fault: Play | None = None
    """What it was said to be and can't be."""


def practises(trick: Trick, art: Art) -> bool:
    """Whether the card shows the lead suit in the current stage's ring."""
    return art.kinds[trick.stage] == trick.stage * 5 + trick.art


def breaks(trick: Trick, art: Art) -> bool:
    """Whether the card may break the mold now."""
    return suits_next(trick, art) and measures_up(trick, art)


def suits_next(trick: Trick, art: Art) -> bool:
    """Condition 1 of breaking: the lead suit in the next stage's ring; never in the last stage."""
    following = trick.stage + 1
    return following < 3 and art.kinds[following] == following * 5 + trick.art


def measures_up(trick: Trick, art: Art) -> bool:
    """Condition 2 of breaking: in Obey as high as the highest, in Detach as low as the lowest."""
    return art.rank >= trick.best if trick.stage == 0 else art.rank <= trick.best


_LEADS = Reading(Play.LEAD)
_PRACTISES = Reading(Play.PRACTICE)
_RESTS = Reading(Play.REST)
_BREAKS = Reading(Play.BREAK)
_UNTOLD = Reading(None)
_AIDS = Reading(Play.AID)
_AID_LED = Reading(Play.AID, Play.LEAD)
_FALSE_REST = Reading(Play.REST, Play.REST)
_FALSE_PRACTICE = Reading(Play.VOID, Play.PRACTICE)
_FALSE_BREAK = Reading(Play.VOID, Play.BREAK)
_PRACTISES_INSTEAD = Reading(Play.PRACTICE, Play.BREAK)


def read(trick: Trick, art: Art | None, declared: Play | None) -> Reading:
    """How a card counts that is played next to a trick; `art` is None for a Preparation or Review card."""
    if art is None:
        return _AIDS if trick.cards else _AID_LED
    if trick.art == NO_ART:
        return _LEADS
    if practises(trick, art):
        if declared is Play.REST:
            return _FALSE_REST
        if declared is Play.BREAK:
            return _BREAKS if breaks(trick, art) else _PRACTISES_INSTEAD
        return _PRACTISES
    match declared:
        case Play.BREAK:
            return _BREAKS if breaks(trick, art) else _FALSE_BREAK
        case Play.REST:
            return _RESTS
        case Play.PRACTICE:
            return _FALSE_PRACTICE
        case _:
            return _UNTOLD if breaks(trick, art) else _RESTS


def with_card(setup: ShuhariSetup, trick: Trick, played: Played, art: Art | None, due: Due | None = None) -> Trick:
    """The trick with a card added that counts as its `play` says; its stage is filled in here."""
    number, lead, cards, suit, stage, best, _, _, doubtful, shown, _ = trick
    play = played.play
    if play is Play.PRACTICE:
        best = max(best, played.rank) if stage == 0 else min(best, played.rank)
    elif play is Play.LEAD and art is not None:
        suit, best = art.kinds[0], played.rank
    elif play is Play.BREAK:
        best = _measure_after_break(setup, trick, played.rank)
        stage += 1
    if stage != played.stage:
        played = played._replace(stage=stage)
    doubtful = doubtful or played.doubtful
    return made(Trick, (number, lead, (*cards, played), suit, stage, best, due, None, doubtful, shown, 0))


def _measure_after_break(setup: ShuhariSetup, trick: Trick, rank: int) -> int:
    """What the next breaking card is measured against once this one has opened a stage."""
    if trick.stage > 0 or setup.settings.already_played is Measured.STAGE:
        return rank
    ranks = [card.rank for card in trick.cards if card.play in (Play.LEAD, Play.PRACTICE)]
    return min(rank, *ranks)

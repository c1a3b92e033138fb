"""What a played card is: lead, practice, rest or break, by the stage and the cards before it."""

from __future__ import annotations

from typing import NamedTuple

from companion.rules.shuhari.facts import Play
from companion.rules.shuhari.settings import Played as Measured
from companion.rules.shuhari.setup import Art, ShuhariSetup
from companion.rules.shuhari.state import NO_ART, Played, Trick


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


def read(trick: Trick, art: Art | None, declared: Play | None) -> Reading:
    """How a card counts that is played next to a trick; `art` is None for a Preparation or Review card."""
    if art is None:
        return Reading(Play.AID) if trick.cards else Reading(Play.AID, Play.LEAD)
    if trick.art == NO_ART:
        return Reading(Play.LEAD)
    if practises(trick, art):
        if declared is Play.REST:
            return Reading(Play.REST, Play.REST)
        if declared is Play.BREAK:
            return Reading(Play.BREAK) if breaks(trick, art) else Reading(Play.PRACTICE, Play.BREAK)
        return Reading(Play.PRACTICE)
    match declared:
        case Play.BREAK:
            return Reading(Play.BREAK) if breaks(trick, art) else Reading(Play.VOID, Play.BREAK)
        case Play.REST:
            return Reading(Play.REST)
        case Play.PRACTICE:
            return Reading(Play.VOID, Play.PRACTICE)
        case _:
            return Reading(None) if breaks(trick, art) else Reading(Play.REST)


def with_card(setup: ShuhariSetup, trick: Trick, played: Played, art: Art | None) -> Trick:
    """The trick with a card added that counts as its `play` says; its stage is filled in here."""
    stage, best, suit = trick.stage, trick.best, trick.art
    match played.play:
        case Play.PRACTICE:
            best = max(best, played.rank) if stage == 0 else min(best, played.rank)
        case Play.LEAD:
            if art is not None:
                suit, best = art.kinds[0], played.rank
        case Play.BREAK:
            best = _measure_after_break(setup, trick, played.rank)
            stage += 1
    played = Played(played.place, played.card, played.play, stage, played.rank, played.time, played.doubtful)
    doubtful = trick.doubtful or played.doubtful
    return Trick(
        trick.number, trick.lead, (*trick.cards, played), suit, stage, best, trick.due, None, doubtful, trick.shown
    )


def _measure_after_break(setup: ShuhariSetup, trick: Trick, rank: int) -> int:
    """What the next breaking card is measured against once this one has opened a stage."""
    if trick.stage > 0 or setup.settings.already_played is Measured.STAGE:
        return rank
    ranks = [card.rank for card in trick.cards if card.play in (Play.LEAD, Play.PRACTICE)]
    return min(rank, *ranks)

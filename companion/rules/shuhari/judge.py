"""`judge`: what to think of a fact that is about to be applied."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.rules.core import Finding, Level
from companion.rules.shuhari import judge_cards, judge_hands, sections
from companion.rules.shuhari.aids import pile_size
from companion.rules.shuhari.facts import (
    STAGES,
    CardDrawn,
    CardPlayed,
    CardShown,
    CardTaken,
    ChartMarked,
    DeckRenewed,
    DeckSearched,
    Fact,
    HandPutAway,
    Play,
    PlayDeclared,
    StageShown,
    TrickCleared,
)
from companion.rules.shuhari.fold import AFTER_THE_GAME
from companion.rules.shuhari.learning import counted
from companion.rules.shuhari.settings import ShortDeck
from companion.rules.shuhari.setup import LOOK, CardKind
from companion.rules.shuhari.state import Due, ShuhariState

_JUDGED_AFTER_THE_GAME = (*AFTER_THE_GAME, ChartMarked)
_GRAVITY = {Level.ILLEGAL: 0, Level.PROVED: 1, Level.SUSPECT: 2, Level.NOTE: 3}


def judge(state: ShuhariState, fact: Fact) -> tuple[Finding, ...]:
    """What to think of a fact that is about to be applied to `state`, worst first; nothing of clearing up after the game."""
    if state.over and not isinstance(fact, _JUDGED_AFTER_THE_GAME):
        return ()
    seat: str | None = getattr(fact, "seat", None)
    if seat is not None and seat not in state.setup.places:
        text = f"{seat} is none of the players {', '.join(state.setup.seats)}."
        return (_finding(state, sections.SEATS, Level.ILLEGAL, text, seat),)
    found = _JUDGES[type(fact)](state, fact)
    return found if len(found) < 2 else tuple(sorted(found, key=lambda finding: _GRAVITY[finding.level]))


def _finding(state: ShuhariState, rule: str, level: Level, text: str, player: str | None = None) -> Finding:
    return Finding(rule, level, text, player, state.trick.number)


def _due_of(state: ShuhariState, seat: str) -> Due | None:
    """What a seat has still to do in its turn; None where its turn is over or another's."""
    trick, place = state.trick, state.setup.places[seat]
    if trick.owed and place == trick.lead:
        return Due.DRAW
    if trick.due is None or trick.cards[-1].place != place:
        return None
    return trick.due


def _drawn(state: ShuhariState, fact: CardDrawn) -> tuple[Finding, ...]:
    due, seat = _due_of(state, fact.seat), fact.seat
    if due is Due.DRAW and state.pool.deck:
        return ()
    found: tuple[Finding, ...] = ()
    match due:
        case None:
            text = f"{seat} drew a card that no turn of {seat} calls for."
            found = (_finding(state, sections.DRAW, Level.ILLEGAL, text, seat),)
        case Due.SEARCH:
            text = f"{seat} drew the top card; the Preparation card lets {seat} choose from the top four."
            found = (_finding(state, sections.PREPARATION, Level.NOTE, text, seat),)
        case Due.TAKE:
            text = f"{seat} drew from the deck; the Review card takes from the discard pile instead."
            found = (_finding(state, sections.REVIEW, Level.ILLEGAL, text, seat),)
        case Due.DRAW:
            pass
    if state.pool.deck == 0:
        text = "By count the deck was empty before this draw: shuffle the discard pile first."
        found += (_finding(state, sections.RENEW, Level.NOTE, text),)
    return found


def _searched(state: ShuhariState, fact: DeckSearched) -> tuple[Finding, ...]:
    seat, looked = fact.seat, fact.looked
    if _due_of(state, seat) is not Due.SEARCH:
        text = f"{seat} looked at cards of the deck without a Preparation card."
        return (_finding(state, sections.PREPARATION, Level.ILLEGAL, text, seat),)
    if looked > LOOK:
        text = f"{seat} looked at {looked} cards; a Preparation card shows four."
        return (_finding(state, sections.PREPARATION, Level.ILLEGAL, text, seat),)
    if looked < min(LOOK, state.pool.deck):
        text = f"{seat} looked at {looked} of the four cards that a Preparation card shows."
        return (_finding(state, sections.PREPARATION, Level.NOTE, text, seat),)
    if state.pool.deck < looked:
        text = f"By count the deck holds {state.pool.deck} of the {looked} cards that {seat} looked at."
        return (_finding(state, sections.PREPARATION, Level.NOTE, text, seat),)
    return ()


def _taken(state: ShuhariState, fact: CardTaken) -> tuple[Finding, ...]:
    seat, setup, pool = fact.seat, state.setup, state.pool
    card = setup.named(fact.card)
    found: tuple[Finding, ...] = ()
    last = state.trick.cards[-1].card if state.trick.cards else ""
    by_review = last in setup.cards and setup.cards[last].kind is CardKind.REVIEW
    if _due_of(state, seat) is None or not by_review:
        text = f"{seat} took {card} from the discard pile without a Review card."
        found = (_finding(state, sections.REVIEW, Level.ILLEGAL, text, seat),)
    art = setup.arts.get(fact.card)
    if art is None or not art.bit & setup.takeable:
        what = f"of rank {art.rank}" if art is not None else "no art card"
        text = f"{seat} took {card}, {what}; a Review card takes art cards of rank 2 to 11."
        found += (_finding(state, sections.REVIEW, Level.ILLEGAL, text, seat),)
    elif not art.bit & pool.pile:
        text = f"{seat} took {card}, which does not lie in the discard pile."
        found += (_finding(state, sections.REVIEW, Level.ILLEGAL, text, seat),)
    return found


def _renewed(state: ShuhariState, _: DeckRenewed) -> tuple[Finding, ...]:
    pool, trick = state.pool, state.trick
    if not pile_size(pool):
        return (_finding(state, sections.RENEW, Level.NOTE, "The discard pile holds nothing to shuffle."),)
    for_search = trick.due is Due.SEARCH and state.setup.settings.short_deck is ShortDeck.RENEW
    if pool.deck == 0 or (for_search and pool.deck < LOOK):
        return ()
    level = Level.ILLEGAL if pool.certain else Level.NOTE
    text = f"The discard pile was shuffled while the deck still held {pool.deck} by count."
    return (_finding(state, sections.RENEW, level, text),)


def _stage_shown(state: ShuhariState, fact: StageShown) -> tuple[Finding, ...]:
    trick = state.trick
    stage = STAGES.index(fact.stage)
    last = trick.cards[-1] if trick.cards else None
    if last is not None and last.play is None and stage == trick.stage + 1:
        return ()
    if last is not None and last.play is Play.BREAK and stage == trick.stage and trick.shown < stage:
        return ()
    if stage == trick.stage > 0:
        return ()
    text = f"The stage card shows {fact.stage}; the trick is in the {state.stage} stage."
    return (_finding(state, sections.STAGE_CARD, Level.NOTE, text),)


def _marked(state: ShuhariState, fact: ChartMarked) -> tuple[Finding, ...]:
    if fact.stage in state.learned(fact.seat, fact.art):
        return ()
    text = f"{fact.seat} has not learned {fact.art} in the {fact.stage} stage."
    return (_finding(state, sections.MASTERY, Level.ILLEGAL, text, fact.seat),)


def _cleared(state: ShuhariState, _: TrickCleared) -> tuple[Finding, ...]:
    setup, trick = state.setup, state.trick
    number = counted(setup, trick)
    if number < setup.length:
        text = f"The field was cleared after {number} of {setup.length} cards of trick {trick.number}."
        return (_finding(state, sections.TRICK_LENGTH, Level.NOTE, text),)
    if trick.due is not None:
        return judge_cards.draw_unseen(state)
    return ()


_JUDGES: Mapping[type[Fact], Callable[[ShuhariState, Any], tuple[Finding, ...]]] = {
    CardPlayed: judge_cards.played,
    CardDrawn: _drawn,
    DeckSearched: _searched,
    CardTaken: _taken,
    TrickCleared: _cleared,
    DeckRenewed: _renewed,
    PlayDeclared: judge_cards.declared,
    StageShown: _stage_shown,
    CardShown: judge_hands.laid_open,
    HandPutAway: judge_hands.redrawn,
    ChartMarked: _marked,
}

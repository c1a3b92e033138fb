"""What to think of a card that is played."""

from __future__ import annotations

from companion.rules.core import Finding, Level
from companion.rules.shuhari import judge_hands, sections
from companion.rules.shuhari.aids import usable
from companion.rules.shuhari.facts import STAGES, SUITS, CardPlayed, Play, PlayDeclared
from companion.rules.shuhari.fold import before_last
from companion.rules.shuhari.playing import playing
from companion.rules.shuhari.plays import Reading, measures_up, read, suits_next
from companion.rules.shuhari.settings import UntoldDraw
from companion.rules.shuhari.setup import Art, CardKind
from companion.rules.shuhari.state import NO_ART, ShuhariState, Trick, turn_of


def played(state: ShuhariState, fact: CardPlayed) -> tuple[Finding, ...]:
    """What to think of a card that a player of the table plays, in no order."""
    if state.trick.learned is not None:
        return (_beyond(state, fact),)
    found: tuple[Finding, ...] = ()
    turn = playing(state, fact)
    if turn.before is not state:
        found = draw_unseen(state)
        if turn.before.trick.learned is not None:
            return (*found, _beyond(turn.before, fact))
    expected = turn_of(turn.before)
    if turn.place != expected:
        setup = state.setup
        text = f"{fact.seat} played {setup.named(fact.card)}; it is the turn of {setup.seats[expected]}."
        found += (_finding(state, sections.TURN, Level.ILLEGAL, text, fact.seat),)
    if turn.reading.fault is not None or turn.art is None:
        found += _faults(turn.before, fact.seat, fact.card, turn.art, turn.reading)
    return found + judge_hands.of_play(turn, fact)


def _beyond(state: ShuhariState, fact: CardPlayed) -> Finding:
    trick, seat, setup = state.trick, fact.seat, state.setup
    text = f"{seat} played {setup.named(fact.card)} although trick {trick.number} has all its {setup.length} cards."
    return _finding(state, sections.TRICK_LENGTH, Level.ILLEGAL, text, seat)


def declared(state: ShuhariState, fact: PlayDeclared) -> tuple[Finding, ...]:
    """What to think of a card that is told to be a rest or a break after it was played."""
    setup, trick, seat = state.setup, state.trick, fact.seat
    place = setup.places[seat]
    if not trick.cards or trick.cards[-1].place != place or trick.cards[-1].card not in setup.arts:
        text = f"{seat} said {fact.play} of a card that is not the last one played."
        return (_finding(state, sections.REST, Level.NOTE, text, seat),)
    card = trick.cards[-1]
    before = before_last(setup, trick)
    art = setup.arts[card.card]
    if before.art == NO_ART:
        return ()
    reading = read(before, art, fact.play)
    earlier = state._replace(trick=before)
    found = _faults(earlier, seat, card.card, art, reading) if reading.fault is not None else ()
    if reading.play is Play.REST and card.play is not Play.REST and reading.fault is None:
        found += judge_hands.of_rest(earlier, place, card.card)
    return found


def draw_unseen(state: ShuhariState) -> tuple[Finding, ...]:
    """The last player's draw was not seen; that proves nothing."""
    trick = state.trick
    if state.setup.settings.untold_draw is UntoldDraw.SILENT:
        return ()
    seat = state.leader if trick.owed else state.setup.seats[trick.cards[-1].place]
    text = f"Nobody saw {seat} add a card to the hand; it is taken as done."
    return (_finding(state, sections.DRAW, Level.NOTE, text, seat),)


def _faults(state: ShuhariState, seat: str, card: str, art: Art | None, reading: Reading) -> tuple[Finding, ...]:
    trick, setup = state.trick, state.setup
    if art is None:
        data = setup.cards.get(card)
        if data is None:
            return ()
        if reading.fault is Play.LEAD:
            text = f"{seat} led {setup.named(card)}; only an art card can be led."
            return (_finding(state, sections.LEAD_AID, Level.ILLEGAL, text, seat),)
        if data.kind is CardKind.REVIEW and not usable(state, card):
            text = f"{seat} played a Review card, and the discard pile holds nothing that it could take."
            return (_finding(state, sections.REVIEW_EMPTY, Level.ILLEGAL, text, seat),)
        return ()
    suit, stage, name = SUITS[trick.art], STAGES[trick.stage], setup.named(card)
    match reading.fault:
        case Play.REST:
            text = f"{seat} rested with {name}, which practises {suit} in the {stage} stage."
            return (_finding(state, sections.FOLLOW, Level.ILLEGAL, text, seat),)
        case Play.PRACTICE:
            text = f"{seat} practised with {name}, which does not show {suit} in its {stage} ring."
            return (_finding(state, sections.PRACTICE, Level.ILLEGAL, text, seat),)
        case Play.BREAK:
            return (_broken(state, trick, seat, card, art),)
        case _:
            return ()


def _broken(state: ShuhariState, trick: Trick, seat: str, card: str, art: Art) -> Finding:
    """Why a card can't break the mold."""
    suit = SUITS[trick.art]
    if trick.stage == 2:
        rule, why = sections.BREAK_LAST, "there is no stage after Separate"
    elif not suits_next(trick, art):
        rule, why = sections.BREAK_SUIT, f"it does not show {suit} in its {STAGES[trick.stage + 1]} ring"
    elif not measures_up(trick, art):
        high = trick.stage == 0
        rule = sections.BREAK_HIGH if high else sections.BREAK_LOW
        why = f"its rank {art.rank} is {'below' if high else 'above'} {trick.best}"
    else:
        rule, why = sections.BREAK_SUIT, "it practises"
    text = f"{seat} broke the mold with {state.setup.named(card)}, but {why}."
    return _finding(state, rule, Level.ILLEGAL, text, seat)


def _finding(state: ShuhariState, rule: str, level: Level, text: str, player: str) -> Finding:
    return Finding(rule, level, text, player, state.trick.number)

"""What is expected now, and how the game ends."""

from __future__ import annotations

from companion.rules.core import Expectation, Outcome
from companion.rules.shuhari import sections
from companion.rules.shuhari.aids import pile_size, takes
from companion.rules.shuhari.facts import STAGES, Play
from companion.rules.shuhari.settings import FinalTie, ReviewNeeds, ShortDeck
from companion.rules.shuhari.setup import LOOK
from companion.rules.shuhari.state import FULL, NO_ART, Due, Phase, ShuhariState


def expects(state: ShuhariState) -> tuple[Expectation, ...]:
    """Who may or must do what now; nothing in it depends on a hidden card."""
    match state.phase:
        case Phase.PLAY:
            return (*_marks(state), _lead(state) if state.trick.art == NO_ART else _follow(state))
        case Phase.REFILL:
            return (*_marks(state), *_refill(state))
        case Phase.CLEAR:
            return (*_marks(state), *_clear(state))
        case Phase.OVER:
            return ()


def _marks(state: ShuhariState) -> tuple[Expectation, ...]:
    """What is to be said or laid of the cards in play."""
    trick = state.trick
    if not trick.cards:
        return ()
    last = trick.cards[-1]
    seat = state.setup.seats[last.place]
    if last.play is None:
        text = f"{seat}: say whether {state.setup.named(last.card)} is a rest or breaks the mold."
        options = (str(Play.REST), str(Play.BREAK))
        return (Expectation(seat, "say rest or break", sections.REST, text, options=options),)
    if trick.stage > trick.shown and last.play is Play.BREAK:
        text = f"Lay the {STAGES[trick.stage]} stage card on {state.setup.named(last.card)}."
        return (Expectation(None, "lay the stage card", sections.STAGE_CARD, text, options=(str(state.stage),)),)
    return ()


def _lead(state: ShuhariState) -> Expectation:
    seat = state.turn
    text = f"{seat} leads: play an art card; whoever holds none shows the hand and draws it anew."
    return Expectation(seat, "lead a card", sections.LEAD, text)


def _follow(state: ShuhariState) -> Expectation:
    """Conditional on a hand that nobody sees."""
    trick, seat, suit, stage = state.trick, state.turn, state.art, state.stage
    practise = f"if you hold {suit} in the {stage} ring, practise it"
    options = [f"practice: {suit} in the {stage} ring"]
    if trick.stage < 2:
        following = STAGES[trick.stage + 1]
        bound = "or higher" if trick.stage == 0 else "or lower"
        condition = f"{suit} in the {following} ring and rank {trick.best} {bound}"
        options.append(f"break: {condition}")
        text = f"{seat}: {practise}, or break the mold with {condition}; if you can't practise, rest with any art card"
    else:
        text = f"{seat}: {practise}; if you can't, rest with any art card"
    options.append("rest: only without a card that practises")
    options.append("Preparation")
    if takes(state) or (state.setup.settings.review_needs is ReviewNeeds.ANY and pile_size(state.pool)):
        options.append("Review")
        text += "; Preparation and Review may be played instead."
    else:
        text += "; Preparation may be played instead, Review has nothing to take."
    return Expectation(seat, "play a card", sections.FOLLOW, text, options=tuple(options))


def _refill(state: ShuhariState) -> tuple[Expectation, ...]:
    trick, pool, seat = state.trick, state.pool, state.turn
    if trick.due is Due.TAKE:
        text = f"{seat}: take one of these from the discard pile."
        return (
            Expectation(
                seat, "take a card", sections.REVIEW, text, options=tuple(map(state.setup.named, takes(state)))
            ),
        )
    if trick.due is Due.SEARCH:
        renews = state.setup.settings.short_deck is ShortDeck.RENEW and pile_size(pool) > 0
        if pool.deck == 0 or (pool.deck < LOOK and renews):
            text = f"The deck holds {pool.deck}: keep these, shuffle the discard pile and put it under them."
            return (Expectation(None, "shuffle the discard pile", sections.PREPARATION, text),)
        count = min(LOOK, pool.deck)
        text = f"{seat}: look at the top {count} cards, keep one, put the others under the deck."
        return (Expectation(seat, "look at the deck", sections.PREPARATION, text),)
    if pool.deck == 0:
        text = "The deck has run out: shuffle the discard pile to make a new one."
        return (Expectation(None, "shuffle the discard pile", sections.RENEW, text),)
    if trick.owed:
        text = f"{seat}: draw {trick.owed} cards for the hand that was put away."
        return (Expectation(seat, "draw a card", sections.NO_ART, text),)
    return (Expectation(seat, "draw a card", sections.DRAW, f"{seat}: add the top card of the deck to your hand."),)


def _clear(state: ShuhariState) -> tuple[Expectation, ...]:
    """The boxes to fill in, then the way to the next trick."""
    setup, trick = state.setup, state.trick
    found = [
        Expectation(
            setup.seats[place],
            "fill in a box",
            sections.MASTERY,
            f"{setup.seats[place]} learns {state.art} in the {STAGES[stage]} stage: fill in the box.",
            options=(f"{state.art} {STAGES[stage]}",),
        )
        for place, stage, new in trick.learned or ()
        if new
    ]
    leader = setup.after(state.leader)
    text = f"Move the cards in play to the discard pile; {leader} starts the next trick."
    return (*found, Expectation(None, "clear the field", sections.CLEAR, text))


def outcome(state: ShuhariState) -> Outcome | None:
    """The result once two arts are fully mastered (End Conditions, Scoring); `points` are the winners'."""
    if not state.over:
        return None
    points = state.points
    best = max(points.values())
    winners = [seat for seat in state.setup.seats if points[seat] == best]
    decided_by = "most points"
    if len(winners) > 1 and state.setup.settings.final_tie is FinalTie.MASTERIES:
        full = {seat: row.count(FULL) for seat, row in zip(state.setup.seats, state.chart, strict=True)}
        most = max(full[seat] for seat in winners)
        winners = [seat for seat in winners if full[seat] == most]
        decided_by = "most full masteries"
    return Outcome(tuple(winners), decided_by if len(winners) == 1 else "shared", best)

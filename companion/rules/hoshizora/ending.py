"""What is expected now, and how the game ends."""

from __future__ import annotations

from companion.rules.core import Expectation, Outcome
from companion.rules.hoshizora import sections
from companion.rules.hoshizora.board import stars_in_line
from companion.rules.hoshizora.drawing import drawable, erasable, owed
from companion.rules.hoshizora.facts import Colour, Line
from companion.rules.hoshizora.settings import FinalTie
from companion.rules.hoshizora.setup import SEATS
from companion.rules.hoshizora.state import HoshizoraState, Phase, in_turn, stated_colour


def _names(lines: tuple[Line, ...]) -> tuple[str, ...]:
    return tuple(f"{line.a}-{line.b} {line.colour}" for line in lines)


def expects(state: HoshizoraState) -> tuple[Expectation, ...]:
    """Who may or must do what now; nothing in it depends on a hidden card."""
    match state.phase:
        case Phase.SETUP:
            text = "Place the twelve stars, one or two in a square, and deal eight cards each."
            return (Expectation(None, "place the stars", sections.STARS_PLACED, text),)
        case Phase.LAY:
            return (_lay(state),)
        case Phase.REVEAL:
            return (Expectation(None, "reveal", sections.REVEAL, "Turn the three cards up together."),)
        case Phase.DRAW:
            return _draw(state)
        case Phase.BID:
            return tuple(
                Expectation(seat, "show your bid", sections.BID, f"{seat}: show the last card as your bid.")
                for seat, bid in zip(state.setup.seats, state.bids, strict=True)
                if bid is None
            )
        case Phase.OVER:
            return ()


def _lay(state: HoshizoraState) -> Expectation:
    trick = state.trick
    if trick.lead is None:
        text = "Who leads is not known: the drawer of the last trick leads and states the colour."
        return Expectation(None, "lay a card", sections.DRAWER_LEADS, text)
    place = next(place for place in in_turn(trick) if not trick.present >> place & 1)
    seat = state.setup.seats[place]
    if place == trick.lead:
        text = f"{seat} leads: lay a card face down and state its colour."
        return Expectation(seat, "lay a card", sections.LEAD, text)
    colour = stated_colour(state)
    if colour is None:
        text = f"{seat}: lay a card of the stated colour if you hold one, else any card."
    else:
        text = f"{seat}: if you hold {colour}, lay {colour}; else any card."
    return Expectation(seat, "lay a card", sections.FOLLOW, text)


def _draw(state: HoshizoraState) -> tuple[Expectation, ...]:
    drawer = state.drawer
    who = drawer or "The drawer"
    found: list[Expectation] = []
    lines = drawable(state)
    must = owed(state) > 0
    sets = erasable(state)
    if sets:
        options = tuple(" and ".join(_names(lines)) for lines in sets)
        text = f"{who} may erase, once in the game: {' or '.join(options)}."
        found.append(Expectation(drawer, "erase", sections.ERASE, text, must=False, options=options))
    if lines:
        options = _names(lines)
        verb = "must draw" if must else "may draw one more of"
        text = f"{who} {verb} {' or '.join(options)}."
        rule = sections.MUST_DRAW if must else sections.WINNER_DRAWS
        found.append(Expectation(drawer, "draw", rule, text, must=must, options=options))
    if not must:
        text = f"{who}: clear the cards and lead the next trick." if len(state.done) < 6 else "Clear the cards."
        found.append(Expectation(drawer, "end the drawing", sections.DRAWER_LEADS, text, must=not lines))
    return tuple(found)


def outcome(state: HoshizoraState) -> Outcome | None:
    """The result once all three bids are known (End of the game)."""
    if state.phase is not Phase.OVER:
        return None
    setup, points = state.setup, state.points
    shown = {seat: card for seat, card in zip(setup.seats, state.bids, strict=True) if card is not None}
    bids = {seat: bid for seat, card in shown.items() if (bid := setup.bid_of(card)) is not None}
    if len(bids) < SEATS:
        return None
    off = {seat: abs(bid - points) for seat, bid in bids.items()}
    best = [seat for seat in setup.seats if off[seat] == min(off.values())]
    decided_by = "closest bid"
    most = _most_drawn(state)
    if len(best) > 1 and most is not None:
        matching = [seat for seat in best if setup.cards[shown[seat]].colour is most]
        if matching:
            best, decided_by = matching, "bid card's colour has most lines"
    if len(best) > 1:
        won = state.won
        fewest = min(won[seat] for seat in best)
        best = [seat for seat in best if won[seat] == fewest]
        decided_by = "fewest tricks" if len(best) == 1 else "shared"
    if len(best) > 1 and setup.settings.final_tie is FinalTie.NOBODY:
        best, decided_by = [], "nobody: still level"
    return Outcome(tuple(best), decided_by, points, bids)


def _most_drawn(state: HoshizoraState) -> Colour | None:
    red, blue = state.red.bit_count(), state.blue.bit_count()
    if red == blue:
        return None
    return Colour.RED if red > blue else Colour.BLUE


def advice(state: HoshizoraState) -> tuple[str, ...]:
    """What to tell the table of its set-up; never a finding (readings: stars nearly in a line)."""
    if state.board is None:
        return ()
    return tuple(
        f"Star {star} stands nearly in the way from {a} to {b}: move it a little."
        for star, a, b in stars_in_line(state.board.stars, state.setup.settings)
    )

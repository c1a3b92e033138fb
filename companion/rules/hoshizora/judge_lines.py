"""What to think of lines drawn, lines erased, and the end of a drawing."""

from __future__ import annotations

from companion.rules.core import Finding, Level
from companion.rules.hoshizora import sections
from companion.rules.hoshizora.board import AT_STAR, PAIRS, lines_of, pair_number
from companion.rules.hoshizora.drawing import (
    crossed_sets,
    drawable,
    is_taken_back,
    lines_allowed,
    minority_star,
    owed,
    proper_lines,
    standing,
)
from companion.rules.hoshizora.facts import Colour, Line, LineDrawn, LinesErased
from companion.rules.hoshizora.settings import EraseColour, EraseTime, FewerLines
from companion.rules.hoshizora.setup import TRICKS
from companion.rules.hoshizora.state import HoshizoraState


def _illegal(state: HoshizoraState, rule: str, text: str) -> Finding:
    return Finding(rule, Level.ILLEGAL, text, state.drawer, state.trick.number)


def line_name(line: Line | LineDrawn) -> str:
    """A line for people: "1-5 red"."""
    return f"{min(line.a, line.b)}-{max(line.a, line.b)} {line.colour}"


def _names(lines: tuple[Line, ...]) -> str:
    return ", ".join(line_name(line) for line in lines)


def judge_line(state: HoshizoraState, fact: LineDrawn) -> tuple[Finding, ...]:
    """Every rule that a new line breaks."""
    pair = pair_number(fact.a, fact.b)
    if pair is None:
        return (_illegal(state, sections.LINE_STARS, f"Line {line_name(fact)} joins no two of the twelve stars."),)
    own, other = (state.red, state.blue) if fact.colour is Colour.RED else (state.blue, state.red)
    if own >> pair & 1:
        return (_illegal(state, sections.ONE_LINE, f"Line {line_name(fact)} stands already."),)
    return _trick_faults(state, fact) + _place_faults(state, fact, pair, other)


def _trick_faults(state: HoshizoraState, fact: LineDrawn) -> tuple[Finding, ...]:
    """Whether the trick calls for this line."""
    trick = state.trick
    if trick.number > TRICKS or not trick.is_revealed:
        return (
            _illegal(state, sections.WINNER_DRAWS, f"Line {line_name(fact)} was drawn outside the drawing of a trick."),
        )
    if trick.majority is None:
        text = f"Line {line_name(fact)} was drawn in a trick whose majority is not known."
        return (Finding(sections.WINNER_DRAWS, Level.NOTE, text, None, trick.number),)
    found: tuple[Finding, ...] = ()
    if fact.colour is not trick.majority:
        found += (_illegal(state, sections.LINE_COLOUR, f"Line {line_name(fact)}: the majority is {trick.majority}."),)
    stars = trick.stars
    if fact.a not in stars or fact.b not in stars:
        called = ", ".join(map(str, stars))
        found += (
            _illegal(
                state, sections.LINE_STARS, f"Line {line_name(fact)}: the majority's cards call for stars {called}."
            ),
        )
    elif not found:
        allowed = lines_allowed(state.setup, stars)
        if len(proper_lines(state)) >= allowed:
            text = f"Line {line_name(fact)}: this trick makes {allowed} {'line' if allowed == 1 else 'lines'} at most."
            found += (_illegal(state, sections.LINE_STARS, text),)
    return found


def _place_faults(state: HoshizoraState, fact: LineDrawn, pair: int, other: int) -> tuple[Finding, ...]:
    """What the squares, the stars and the standing lines have against it."""
    found: tuple[Finding, ...] = ()
    settings = state.setup.settings
    both = state.red | state.blue
    if other >> pair & 1:
        found += (
            _illegal(
                state, sections.BOTH_COLOURS, f"Line {line_name(fact)}: the other colour joins these stars already."
            ),
        )
    for star in PAIRS[pair]:
        if (both & AT_STAR[star]).bit_count() >= settings.max_lines_a_star:
            text = f"Line {line_name(fact)}: star {star} has {settings.max_lines_a_star} lines already."
            found += (_illegal(state, sections.JUNCTION, text),)
    board = state.board
    if board is None:
        text = f"Line {line_name(fact)} was drawn before the stars were known."
        return (*found, Finding(sections.STARS_PLACED, Level.NOTE, text, state.drawer, state.trick.number))
    if not board.has(pair):
        text = f"Line {line_name(fact)} ends at a star whose place is not known."
        return (*found, Finding(sections.STARS_ALL, Level.NOTE, text, state.drawer, state.trick.number))
    if not board.in_reach(pair, settings):
        text = f"Line {line_name(fact)} reaches more than {settings.reach_squares} squares."
        found += (_illegal(state, sections.REACH, text),)
    if other and (crossed := board.crossed(pair, other)):
        lines = lines_of(0, crossed) if fact.colour is Colour.RED else lines_of(crossed, 0)
        found += (_illegal(state, sections.CROSSING, f"Line {line_name(fact)} crosses {_names(lines)}."),)
    return found


def judge_ended(state: HoshizoraState) -> tuple[Finding, ...]:
    """Whether the drawer drew what had to be drawn."""
    trick = state.trick
    if trick.number > TRICKS or trick.cards == (None, None, None):
        text = "The end of a drawing was told, but no trick is on the table."
        return (Finding(sections.WINNER_DRAWS, Level.NOTE, text, None, trick.number),)
    if not trick.is_revealed:
        unseen = ", ".join(seat for seat, card in zip(state.setup.seats, trick.cards, strict=True) if card is None)
        text = f"Trick {trick.number} ended and the card of {unseen} was not seen."
        return (Finding(sections.REVEAL, Level.NOTE, text, None, trick.number),)
    drawn = len(proper_lines(state))
    if drawn == 0 and owed(state):
        could = _names(drawable(state))
        who = state.drawer or "The drawer"
        return (_illegal(state, sections.MUST_DRAW, f"{who} drew no line, but {could} could be drawn."),)
    setting = state.setup.settings.fewer_lines
    if drawn in (0, trick.largest) or drawn > trick.largest or setting is FewerLines.ALLOWED:
        return ()
    level = Level.ILLEGAL if setting is FewerLines.ILLEGAL else Level.NOTE
    text = f"{state.drawer or 'The drawer'} drew {drawn} of {trick.largest} lines that could be drawn."
    return (Finding(sections.MUST_DRAW, level, text, state.drawer, trick.number),)


def judge_erased(state: HoshizoraState, fact: LinesErased) -> tuple[Finding, ...]:
    """Whether lines may be wiped off now, and whether exactly these."""
    gone = standing(state, fact.lines)
    if not gone:
        text = f"No such line stands: {_names(fact.lines)}."
        return (Finding(sections.ERASE, Level.NOTE, text, state.drawer, state.trick.number),)
    trick = state.trick
    if is_taken_back(state, gone):
        text = f"{_names(gone)} was taken back while the drawing went on."
        return (Finding(sections.WINNER_DRAWS, Level.NOTE, text, state.drawer, trick.number),)
    return _right_faults(state, gone) or _set_faults(state, gone)


def _right_faults(state: HoshizoraState, gone: tuple[Line, ...]) -> tuple[Finding, ...]:
    """Whether the drawer has the right to erase at all, now; the first thing against it."""
    trick, settings = state.trick, state.setup.settings
    when = settings.erase_when
    if not settings.line_elimination:
        rule, why = sections.ERASE_OFF, "without that rule in play"
    elif trick.number > TRICKS or not trick.is_revealed:
        rule, why = sections.ERASE_TIME, "outside the drawing of a trick"
    elif trick.winner is None:
        text = f"{_names(gone)} was erased in a trick whose drawer is not known."
        return (Finding(sections.ERASE_TIME, Level.NOTE, text, None, trick.number),)
    elif state.erasers >> trick.winner & 1:
        rule, why = sections.ERASE_ONCE, f"by {state.drawer}, who erased before"
    elif minority_star(state.setup, trick) is None:
        rule, why = sections.ERASE_TRICK, "in a trick of one colour"
    elif when is EraseTime.BEFORE and proper_lines(state):
        rule, why = sections.ERASE_TIME, "after the drawing began"
    elif when is EraseTime.AFTER and owed(state):
        rule, why = sections.ERASE_TIME, "before the line was drawn"
    else:
        return ()
    return (_illegal(state, rule, f"{_names(gone)} was erased {why}."),)


def _set_faults(state: HoshizoraState, gone: tuple[Line, ...]) -> tuple[Finding, ...]:
    """Whether one segment explains exactly the erased lines; which segment was meant is never asked for."""
    could = crossed_sets(state)
    if state.board is None or gone in could:
        return ()
    trick = state.trick
    lonely = minority_star(state.setup, trick)
    ways = ", ".join(f"{star}-{lonely}" for star in trick.stars)
    allowed = " or ".join(f"all of {_names(lines)}" for lines in could) or "nothing"
    only = f" in {trick.majority}" if state.setup.settings.erase_colour is EraseColour.MAJORITY else ""
    text = f"{_names(gone)} was erased; the ways {ways} allow {allowed}{only}."
    return (_illegal(state, sections.ERASE_ALL, text),)

"""Counts legal ways to play on from a known deal, as proof that the rules allow what they should and nothing else.

One step is one decision: a card laid (the leader any, the others by following), or the drawing of a trick (a set of erased
lines or none, then a set of drawn lines or none, whatever draws no `illegal` finding).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from companion.errors import BadInputError
from companion.rules.core import Level
from companion.rules.hoshizora.drawing import drawable, erasable
from companion.rules.hoshizora.facts import (
    BoardSet,
    CardLaid,
    CardRevealed,
    DrawingEnded,
    Line,
    LineDrawn,
    LinesErased,
    Star,
)
from companion.rules.hoshizora.fold import apply, start
from companion.rules.hoshizora.judge import judge
from companion.rules.hoshizora.knowledge import playable
from companion.rules.hoshizora.settings import EraseTime
from companion.rules.hoshizora.setup import HAND, TRICKS, HoshizoraSetup
from companion.rules.hoshizora.state import HoshizoraState
from companion.virtual.deals import lead_of, read_deal

BUILTIN = "hoshizora-deal.toml"


@dataclass(frozen=True, slots=True)
class KnownDeal:
    """A deal with every hand open, and the stars."""

    lead: str
    stars: tuple[Star, ...]
    hands: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Node:
    """A point in the play: the public state, the cards still held, and those laid in this trick, in turn."""

    state: HoshizoraState
    hands: Mapping[str, tuple[str, ...]]
    laid: tuple[tuple[str, str], ...] = ()


def perft(setup: HoshizoraSetup, deal: KnownDeal, depth: int) -> tuple[int, ...]:
    """How many sequences of 1, 2, ... `depth` decisions are legal from the first lead on."""
    state = apply(start(replace(setup, lead=deal.lead)), BoardSet(deal.stars))
    counts = [0] * depth
    _count(_Node(state, deal.hands), 0, counts)
    return tuple(counts)


def _count(node: _Node, level: int, counts: list[int]) -> None:
    if level == len(counts) or len(node.state.done) == TRICKS:
        return
    for following in _decisions(node):
        counts[level] += 1
        _count(following, level + 1, counts)


def _decisions(node: _Node) -> Iterator[_Node]:
    if len(node.laid) == 3:
        yield from _drawings(node)
        return
    setup = node.state.setup
    seat = setup.after(node.state.leader or setup.lead, len(node.laid))
    stated = setup.cards[node.laid[0][1]].colour if node.laid else None
    for card in playable(setup, node.hands[seat], stated):
        hands = {**node.hands, seat: tuple(held for held in node.hands[seat] if held != card)}
        yield _Node(apply(node.state, CardLaid(seat)), hands, (*node.laid, (seat, card)))


def _drawings(node: _Node) -> Iterator[_Node]:
    state = node.state
    for seat, card in node.laid:
        state = apply(state, CardRevealed(seat, card))
    before = state.setup.settings.erase_when is not EraseTime.AFTER
    after = state.setup.settings.erase_when is not EraseTime.BEFORE
    starts = [state, *(apply(state, LinesErased(lines)) for lines in erasable(state) if before)]
    for begun in starts:
        for drawn in _line_sets(begun):
            ends = [drawn]
            if after:
                ends += [
                    apply(drawn, LinesErased(lines)) for lines in erasable(drawn) if drawn.trick.drawn or not before
                ]
            for end in ends:
                if all(finding.level is not Level.ILLEGAL for finding in judge(end, DrawingEnded())):
                    yield _Node(apply(end, DrawingEnded()), node.hands)


def _line_sets(state: HoshizoraState) -> Iterator[HoshizoraState]:
    """The state after each set of lines that can be drawn one after the other, the empty set first."""
    lines = drawable(state)
    for count in range(len(lines) + 1):
        for chosen in combinations(lines, count):
            drawn = _draw_all(state, chosen)
            if drawn is not None:
                yield drawn


def _draw_all(state: HoshizoraState, lines: tuple[Line, ...]) -> HoshizoraState | None:
    for line in lines:
        if line not in drawable(state):
            return None
        state = apply(state, LineDrawn(line.a, line.b, line.colour))
    return state


def load_deal(where: str, setup: HoshizoraSetup) -> KnownDeal:
    """A deal from a TOML file, or the one that comes with the program ("builtin"). Raises BadInputError naming file and field.

    It holds `lead`, `[hands]` seat = [eight card ids], `[stars]` number = [x mm, y mm, square].
    """
    raw = read_deal(where, BUILTIN)
    lead = lead_of(raw, where, setup.seats, setup.lead)
    return KnownDeal(lead, _stars(raw.get("stars"), where), _hands(raw.get("hands"), where, setup))


def _hands(raw: Any, source: str, setup: HoshizoraSetup) -> dict[str, tuple[str, ...]]:
    if not isinstance(raw, dict) or set(raw) != set(setup.seats):
        raise BadInputError(f"{source}: hands: must hold one list of cards for each of {', '.join(setup.seats)}")
    seen: set[str] = set()
    hands = {}
    for seat in setup.seats:
        cards = raw[seat]
        if not isinstance(cards, list) or len(cards) != HAND or not all(card in setup.cards for card in cards):
            raise BadInputError(f"{source}: hands.{seat}: must be {HAND} cards of the deck")
        if seen & set(cards) or len(set(cards)) != HAND:
            raise BadInputError(f"{source}: hands.{seat}: a card was dealt twice")
        seen |= set(cards)
        hands[seat] = tuple(sorted(cards))
    return hands


def _stars(raw: Any, source: str) -> tuple[Star, ...]:
    if not isinstance(raw, dict) or set(raw) != {str(n) for n in range(1, 13)}:
        raise BadInputError(f"{source}: stars: must hold 1 to 12, each as [x mm, y mm, square 0 to 8]")
    stars = []
    for n in range(1, 13):
        match raw[str(n)]:
            case [int() | float() as x, int() | float() as y, int() as square] if 0 <= square <= 8:
                stars.append(Star(n, float(x), float(y), square))
            case other:
                raise BadInputError(f"{source}: stars.{n}: must be [x mm, y mm, square 0 to 8], not {other!r}")
    return tuple(stars)

"""The questions that a Hoshizora table may have to ask, with what each answer does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import Any

from companion.adjudicator.hoshizora.table import STARS, Pair, Place, Spot, StarBoard
from companion.adjudicator.hoshizora.view import card_name
from companion.adjudicator.kit import FactCodec
from companion.adjudicator.resolution import Option, Question
from companion.rules.hoshizora.facts import FACTS, BoardSet, Colour, Fact, Line, LineDrawn, LinesErased

CODEC: FactCodec[Any] = FactCodec(FACTS)
OFFERED = 3
"""Cards offered as answers; any other can be told on the page."""
UNREAD_STARS = 2
"""So many unread stars can be asked about; with more, better light is the answer."""


def which_card(spot: Spot, seen: frozenset[str], fact: Callable[[str, str], Fact]) -> Question | None:
    """A card that could not be read for sure; None where nothing speaks for any card."""
    if spot.reading is None:
        return None
    offered = [card for card, _ in spot.reading.candidates if card not in seen][:OFFERED]
    if not offered:
        return None
    return Question(
        key=f"card:{spot.seat}:?",
        text=f"Which card did {spot.seat} play?",
        detail="It could not be read for sure. If it is none of these, tell it by hand, or straighten it.",
        options=tuple(_card_option(spot, card, fact) for card in offered),
        crops=(f"card:{spot.index}",),
    )


def seen_before(spot: Spot, seen: frozenset[str], fact: Callable[[str, str], Fact]) -> Question:
    """A card that has been on the table before: misread, or there twice."""
    reading = spot.reading
    best = spot.card or ""
    others = [
        card for card, _ in (reading.candidates if reading is not None else ()) if card not in seen and card != best
    ]
    return Question(
        key=f"card:{spot.seat}:?",
        text=f"{spot.seat}'s card looks like {card_name(best)}, which has been seen before. Which card is it?",
        detail="A card can only be played once. If it really is there twice, say so: it is recorded and judged.",
        options=(
            *(_card_option(spot, card, fact) for card in others[:OFFERED]),
            Option("again", f"It is {card_name(best)}", tell=(CODEC.to_json(fact(spot.seat, best)),)),
            Option("wait", "Wait: it will be changed", hold=(f"card:{spot.seat}:up:{best}",)),
        ),
        crops=(f"card:{spot.index}",),
    )


def taken_key(trick: int) -> str:
    """Key of the question about a trick whose cards were gone before they were read."""
    return f"trick:{trick}:?"


def which_were_they(trick: int, seats: Sequence[str]) -> Question:
    """Cards that were taken away before they could be read. They can be told by hand, or laid open once more."""
    return Question(
        key=taken_key(trick),
        text=f"The cards of trick {trick} were taken away before all were read. Lay them open once more?",
        detail=f"Missing: {', '.join(seats)}. They can also be told by hand; the game then goes on by itself.",
        options=(Option("again", "They will lie open again", hold=("empty:all",)),),
    )


def is_there_a_line(pair: Pair, likely: Colour) -> Question:
    """A stroke that is too faint, or of no clear colour, or against the rules."""
    other = Colour.BLUE if likely is Colour.RED else Colour.RED
    lines = {colour: CODEC.to_json(LineDrawn(pair.a, pair.b, colour)) for colour in (likely, other)}
    held = tuple(f"line:{pair}:{colour}" for colour in Colour)
    return Question(
        key=f"line:{pair}:?",
        text=f"Is there a line between stars {pair.a} and {pair.b}?",
        detail="The picture does not show it clearly.",
        options=(
            Option(f"{likely}", f"Yes, {likely}", tell=(lines[likely],)),
            Option(f"{other}", f"Yes, {other}", tell=(lines[other],)),
            Option("none", "No line", hold=(f"doubt:{pair}", *held)),
        ),
        crops=("board",),
    )


def was_it_wiped(gone: Iterable[Line]) -> Question:
    """Recorded lines that are no longer on the board, and that no rule explains."""
    lines = tuple(gone)
    named = ", ".join(f"{line.colour} {line.a}–{line.b}" for line in lines)
    keys = tuple(f"gone:{line.a}-{line.b}:{line.colour}" for line in lines)
    return Question(
        key=f"gone:{'+'.join(f'{line.a}-{line.b}' for line in lines)}:?",
        text=f"No longer on the board: {named}. Was it wiped off?",
        detail="If it was by mistake, draw it again: the record keeps it.",
        options=(
            Option("wiped", "Yes, it is gone", tell=(CODEC.to_json(LinesErased(lines)),)),
            Option("keep", "No, it still counts", hold=keys),
        ),
        crops=("board",),
    )


def which_numbers(board: StarBoard) -> Question | None:
    """Stars whose numbers could not be read, where few enough are left to choose from."""
    missing = sorted(set(range(1, STARS + 1)) - {star.n for star in board.stars})
    places = board.unread
    if not places or len(places) > UNREAD_STARS or len(places) != len(missing):
        return None
    options = []
    for order in permutations(missing):
        named = tuple(place.star(n) for n, place in zip(order, places, strict=True))
        stars = tuple(sorted((*board.stars, *named), key=lambda star: star.n))
        label = ", ".join(f"{_where(place, places)} {n}" for n, place in zip(order, places, strict=True))
        options.append(Option("-".join(map(str, order)), label, tell=(CODEC.to_json(BoardSet(stars)),)))
    return Question(
        key="board:numbers:?",
        text=f"Which star is {' and which is '.join(map(str, missing))}?",
        detail="Their numbers could not be read for sure.",
        options=tuple(options),
        crops=("board",),
    )


def _card_option(spot: Spot, card: str, fact: Callable[[str, str], Fact]) -> Option:
    return Option(card, card_name(card), tell=(CODEC.to_json(fact(spot.seat, card)),))


def _where(place: Place, places: tuple[Place, ...]) -> str:
    """ "left:" or "right:", "upper:" or "lower:", by what tells the places apart most."""
    xs, ys = [p.x_mm for p in places], [p.y_mm for p in places]
    if max(xs) - min(xs) >= max(ys) - min(ys):
        return "left:" if place.x_mm == min(xs) else "right:"
    return "upper:" if place.y_mm == min(ys) else "lower:"

"""The questions that a Hoshizora table may have to ask, with what each answer does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import permutations
from typing import Any

from companion.adjudicator import asking
from companion.adjudicator.hoshizora.table import STARS, Pair, Place, Spot, StarBoard
from companion.adjudicator.resolution import Option, Question
from companion.games.codec import FactCodec
from companion.rules.hoshizora.facts import (
    FACTS,
    BidRevealed,
    BoardSet,
    CardRevealed,
    Colour,
    Fact,
    Line,
    LineDrawn,
    LinesErased,
)
from companion.rules.hoshizora.setup import HoshizoraSetup

CODEC: FactCodec[Any] = FactCodec(FACTS)
UNREAD_STARS = 2
"""So many unread stars can be asked about; with more, better light is the answer."""


def which_card(
    setup: HoshizoraSetup, spot: Spot, possible: Set[str], fact: Callable[[str, str], Fact]
) -> Question | None:
    """A card that could not be read for sure; None where nothing speaks for any card that is still possible."""
    text = f"Which card did {spot.seat} play?"
    return asking.which_card(f"card:{spot.seat}:?", text, _likely(setup, spot, possible, fact), spot.index)


def seen_before(setup: HoshizoraSetup, spot: Spot, possible: Set[str], fact: Callable[[str, str], Fact]) -> Question:
    """A card that has been on the table before: misread, or there twice."""
    best = spot.card or ""
    return asking.cannot_be(
        f"card:{spot.seat}:?",
        f"{spot.seat}'s card looks like {setup.named(best)}, which has been seen before. Which card is it?",
        "A card can only be played once. If it really is there twice, say so: it is recorded and judged.",
        _likely(setup, spot, possible, fact),
        Option("again", f"It is {setup.named(best)}", tell=(CODEC.to_json(fact(spot.seat, best)),)),
        f"card:{spot.seat}:up:{best}",
        spot.index,
    )


def _likely(
    setup: HoshizoraSetup, spot: Spot, possible: Set[str], fact: Callable[[str, str], Fact]
) -> Iterator[Option]:
    """The cards for which something speaks and that are still possible, as answers."""
    for card, _ in spot.reading.candidates if spot.reading is not None else ():
        if card in possible:
            yield Option(card, setup.named(card), tell=(CODEC.to_json(fact(spot.seat, card)),))


def taken_key(trick: int) -> str:
    """Key of the question about a trick whose cards were gone before they were read."""
    return f"trick:{trick}:?"


def which_were_they(trick: int, seats: Sequence[str], hold: str) -> Question:
    """Cards that were taken away before they could be read. They can be told by hand, or laid open once more; `hold` is the
    evidence that stands for the promise."""
    return Question(
        key=taken_key(trick),
        text=f"The cards of trick {trick} were taken away before all were read. Lay them open once more?",
        detail=f"Missing: {', '.join(seats)}. They can also be told by hand; the game then goes on by itself.",
        options=(Option("again", "They will lie open again", hold=(hold,)),),
    )


def again_key(trick: int) -> str:
    """Key of the question about what was taken back and still lies there."""
    return f"again:{trick}:?"


def as_it_lies(setup: HoshizoraSetup, trick: int, facts: Sequence[Fact], hold: str) -> Question:
    """What was taken back and still lies on the table. `hold` is the evidence that keeps it from being asked again."""
    shown = [
        f"{fact.seat}'s {setup.named(fact.card)}" for fact in facts if isinstance(fact, CardRevealed | BidRevealed)
    ]
    shown += [f"the {fact.colour} line {fact.a}–{fact.b}" for fact in facts if isinstance(fact, LineDrawn)]
    return asking.as_it_lies(again_key(trick), ", ".join(shown), map(CODEC.to_json, facts), hold)


def whose_lines(board: StarBoard) -> Question:
    """Lines on the board before the first card: of an earlier game, or of one whose beginning nobody saw."""
    lines = sorted(board.lines, key=lambda line: (line.a, line.b))
    return Question(
        key="board:lines:?",
        text=f"Lines are on the board already ({', '.join(f'{line.a}–{line.b}' for line in lines)}). Where are they from?",
        detail="A game can only be judged from its first card on. Lines of an earlier game are wiped off first.",
        options=(
            Option("wipe", "An earlier game: they will be wiped off", hold=("leftover",)),
            Option(
                "ignore",
                "Begin now, without counting them",
                tell=(CODEC.to_json(BoardSet(board.stars)),),
                hold=tuple(f"line:{line.a}-{line.b}:{line.colour}" for line in lines),
            ),
        ),
        crops=("board",),
    )


def what_drew(lines: Sequence[Line], trick: int) -> Question:
    """New lines that the trick on the table can't explain: drawn against the rules, or in a trick that was not seen."""
    named = ", ".join(f"{line.colour} {line.a}–{line.b}" for line in lines)
    return Question(
        key=f"lines:{trick}:?",
        text=f"New on the board, but not by trick {trick}: {named}. Was it drawn now?",
        detail="If a trick was missed, tell its cards by hand: lines that they explain are then recorded by themselves.",
        options=(
            Option("drawn", "Yes, it was drawn now", tell=tuple(CODEC.to_json(_drawn(line)) for line in lines)),
            Option("wipe", "No: it does not count", hold=tuple(f"line:{x.a}-{x.b}:{x.colour}" for x in lines)),
        ),
        renewed=True,
        crops=("board",),
    )


def _drawn(line: Line) -> LineDrawn:
    return LineDrawn(line.a, line.b, line.colour)


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


def _where(place: Place, places: tuple[Place, ...]) -> str:
    """ "left:" or "right:", "upper:" or "lower:", by what tells the places apart most."""
    xs, ys = [p.x_mm for p in places], [p.y_mm for p in places]
    if max(xs) - min(xs) >= max(ys) - min(ys):
        return "left:" if place.x_mm == min(xs) else "right:"
    return "upper:" if place.y_mm == min(ys) else "lower:"

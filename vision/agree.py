"""Looks compared: whether two scenes say the same, and what several looks at one unchanged scene agree on.

A reading that flickers between two looks at the same table is not known, whatever confidence each look gave it: definite
readings that contradict each other become unknown or a doubt. An abstention contradicts nothing, but one vote is not enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

from vision.board.crossings import count_crossings
from vision.observation import (
    BoardReading,
    CardReading,
    Colour,
    DoubtReason,
    LineReading,
    PairDoubt,
    PoseState,
    SceneReading,
    StarReading,
)

SAME_PLACE_MM = 15.0
"""Readings of one thing in two looks lie nearer together than this."""
STILL_MM = 3.0
"""A thing that moved less lies where it lay."""
STILL_DEG = 4.0

V = TypeVar("V", bound=Hashable)
R = TypeVar("R", CardReading, StarReading)


def same_scene(one: SceneReading, other: SceneReading) -> bool:
    """True where two scenes say the same, but for what measuring again changes (jitter, confidences, warnings)."""
    if bool(one.hidden_mm) != bool(other.hidden_mm):
        return False
    return _same_cards(one.cards, other.cards) and _same_board(one.board, other.board)


def agreed(looks: Sequence[SceneReading]) -> SceneReading:
    """What looks at one unchanged scene agree on, the latest giving the measures.

    Of one look, its own reading. Otherwise a value needs two looks that say it and none that says another.
    Raises ValueError where there is no look.
    """
    if not looks:
        raise ValueError("at least one look is needed to agree on a scene")
    last = looks[-1]
    if len(looks) == 1:
        return last
    return replace(
        last,
        pose=max((look.pose for look in looks), key=list(PoseState).index),
        cards=_agreed_cards([look.cards for look in looks]),
        board=_agreed_board([look.board for look in looks]),
        hidden_mm=max((look.hidden_mm for look in looks), key=len),
        warnings=tuple(dict.fromkeys(line for look in looks for line in look.warnings)),
    )


def doubting_hidden_stars(scene: SceneReading, before: SceneReading | None) -> SceneReading:
    """The scene with a doubt for each pair of a star that `before` saw and that something hides now.

    A reader that does not see a star can't name its pairs; left out, they would read as seen clear.
    """
    if before is None or before.board is None or scene.board is None or not scene.hidden_mm:
        return scene
    seen = {star.n for star in scene.board.stars if star.n is not None}
    known = seen | {star.n for star in before.board.stars if star.n is not None}
    said = {(x.a, x.b) for x in scene.board.lines} | {(x.a, x.b) for x in scene.board.doubts}
    unseen = {(a, b) for a in known for b in known if a < b and not {a, b} <= seen} - said
    doubts = (*scene.board.doubts, *(PairDoubt(a, b, DoubtReason.HIDDEN) for a, b in unseen))
    ordered = tuple(sorted(doubts, key=lambda doubt: (doubt.a, doubt.b)))
    return replace(scene, board=replace(scene.board, doubts=ordered))


def _same_cards(one: tuple[CardReading, ...], other: tuple[CardReading, ...]) -> bool:
    pairs = _matched([one, other])
    return all(
        a is not None
        and b is not None
        and (a.card, a.face) == (b.card, b.face)
        and _near(a, b, STILL_MM)
        and _same_angle(a.angle_deg, b.angle_deg)
        for a, b in pairs
    )


def _same_angle(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs((one - other + 180.0) % 360.0 - 180.0) <= STILL_DEG


def _same_board(one: BoardReading | None, other: BoardReading | None) -> bool:
    if one is None or other is None:
        return one is other
    stars = all(
        a is not None and b is not None and a.n == b.n and _near(a, b, STILL_MM)
        for a, b in _matched([one.stars, other.stars])
    )
    return stars and _said(one) == _said(other)


def _said(board: BoardReading) -> tuple[frozenset[tuple[int, int, Colour]], frozenset[tuple[int, int]]]:
    return (
        frozenset((line.a, line.b, line.colour) for line in board.lines),
        frozenset((doubt.a, doubt.b) for doubt in board.doubts),
    )


def _near(one: R, other: R, within_mm: float) -> bool:
    return (one.x_mm - other.x_mm) ** 2 + (one.y_mm - other.y_mm) ** 2 <= within_mm**2


def _matched(looks: Sequence[Sequence[R]]) -> list[list[R | None]]:
    """One row for each thing, one column for each look; None where a look did not see it."""
    rows: list[list[R | None]] = []
    for column, readings in enumerate(looks):
        for reading in readings:
            row = _nearest_open_row(rows, column, reading)
            if row is None:
                row = [None] * len(looks)
                rows.append(row)
            row[column] = reading
    return rows


def _nearest_open_row(rows: list[list[R | None]], column: int, reading: R) -> list[R | None] | None:
    def far(row: list[R | None]) -> float:
        there = next(r for r in row if r is not None)
        return (there.x_mm - reading.x_mm) ** 2 + (there.y_mm - reading.y_mm) ** 2

    free = [row for row in rows if row[column] is None and far(row) <= SAME_PLACE_MM**2]
    return min(free, key=far) if free else None


def _vote(values: Sequence[V | None]) -> V | None:
    """The value that two looks name and none contradicts, else None."""
    counts = Counter(value for value in values if value is not None)
    if len(counts) != 1:
        return None
    value, votes = next(iter(counts.items()))
    return value if votes >= 2 else None


def _agreed_cards(looks: Sequence[tuple[CardReading, ...]]) -> tuple[CardReading, ...]:
    cards = []
    for row in _matched(looks):
        seen = [card for card in row if card is not None]
        if len(seen) == 1 and len(looks) > 2:
            # Two looks of three saw no card there: the third saw a ghost.
            continue
        last = seen[-1]
        face = _vote([card.face if card else None for card in row])
        name = _vote([card.card if card else None for card in row])
        angles = [card.angle_deg for card in seen if card.angle_deg is not None]
        turned = len(angles) >= 2 and all(_same_angle(angles[0], angle) for angle in angles)
        cards.append(
            replace(
                last,
                card=name if face is not None else None,
                face=face,
                angle_deg=angles[-1] if turned else None,
                confidence=min(card.confidence for card in seen) if len(seen) > 1 else 0.0,
                candidates=_candidates(seen, lambda card: card.candidates),
            )
        )
    return tuple(cards)


def _candidates(readings: Sequence[R], of: Callable[[R], tuple[tuple[V, float], ...]]) -> tuple[tuple[V, float], ...]:
    """The mean confidence of each candidate, best first."""
    total: dict[V, float] = {}
    for reading in readings:
        for value, confidence in of(reading):
            total[value] = total.get(value, 0.0) + confidence / len(readings)
    return tuple(sorted(total.items(), key=lambda item: (-item[1], str(item[0]))))


def _agreed_board(looks: Sequence[BoardReading | None]) -> BoardReading | None:
    boards = [board for board in looks if board is not None]
    if len(boards) < 2:
        return None
    stars = _agreed_stars([board.stars for board in boards])
    lines, doubts = _agreed_pairs(boards, {star.n for star in stars if star.n is not None})
    centres = {star.n: (star.x_mm, star.y_mm) for star in stars if star.n is not None}
    crossings = count_crossings(lines, centres)
    return replace(
        boards[-1],
        stars=stars,
        lines=lines,
        doubts=doubts,
        crossings=crossings,
        points=len(lines) + crossings,
    )


def _agreed_stars(looks: Sequence[tuple[StarReading, ...]]) -> tuple[StarReading, ...]:
    stars = []
    for row in _matched(looks):
        seen = [star for star in row if star is not None]
        if len(seen) == 1 and len(looks) > 2:
            continue
        stars.append(
            replace(
                seen[-1],
                n=_vote([star.n if star else None for star in row]),
                square=_vote([star.square if star else None for star in row]),
                confidence=min(star.confidence for star in seen),
                candidates=_candidates(seen, lambda star: star.candidates),
            )
        )
    return tuple(sorted(stars, key=lambda star: (star.n is None, star.n or 0, star.x_mm, star.y_mm)))


def _agreed_pairs(
    boards: Sequence[BoardReading], known: set[int]
) -> tuple[tuple[LineReading, ...], tuple[PairDoubt, ...]]:
    """Lines between `known` stars that two looks saw in one colour and none saw absent; any other hint is a doubt."""
    lines: list[LineReading] = []
    doubts: list[PairDoubt] = []
    pairs = {(line.a, line.b) for board in boards for line in board.lines}
    pairs |= {(doubt.a, doubt.b) for board in boards for doubt in board.doubts}
    for a, b in sorted(pairs):
        seen = [line for board in boards for line in board.lines if (line.a, line.b) == (a, b)]
        unsure = [doubt for board in boards for doubt in board.doubts if (doubt.a, doubt.b) == (a, b)]
        clear = len(boards) - len(seen) - len(unsure)
        colours = {line.colour for line in seen}
        if len(seen) >= 2 and len(colours) == 1 and not clear and {a, b} <= known:
            lines.append(replace(seen[-1], confidence=min(line.confidence for line in seen)))
        elif not seen and clear >= 2 and len(boards) > 2:
            # Two looks of three saw the corridor clear, the third only wondered.
            continue
        else:
            doubts.append(_doubt(a, b, seen, unsure))
    return tuple(lines), tuple(doubts)


def _doubt(a: int, b: int, seen: Sequence[LineReading], unsure: Sequence[PairDoubt]) -> PairDoubt:
    colours = {line.colour for line in seen} | {doubt.colour for doubt in unsure if doubt.colour is not None}
    reason = unsure[-1].reason if unsure else DoubtReason.FAINT
    if len({line.colour for line in seen}) > 1:
        reason = DoubtReason.COLOUR
    sure = [line.confidence for line in seen] + [doubt.confidence for doubt in unsure]
    return PairDoubt(a, b, reason, colours.pop() if len(colours) == 1 else None, sum(sure) / max(1, len(sure)))

"""The end of a series: points, winner, titles (End of a Series and Victory; Beginner Cooperative Rules)."""

from __future__ import annotations

from companion.rules.ahuha.facts import Orientation
from companion.rules.ahuha.knowledge import Knowledge
from companion.rules.ahuha.settings import AhuhaSettings, Mode, NoStar
from companion.rules.ahuha.setup import ROUNDS
from companion.rules.ahuha.state import POINTS, AhuhaState, Round, SeriesRecord, has_bonus, points_of

TITLES = ((21, "Sounashi"), (15, "Medetasi"), (9, "Yorosi"), (4, "Hasitanasi"), (0, "Atarasi"))
"""The least total for each cooperative title, best first."""
TOP = 25
"""The largest total that the rulebook names."""


def title_of(points: int, settings: AhuhaSettings) -> str:
    """The title that a cooperative total earns."""
    if points > TOP and not settings.open_top_title:
        return "beyond every title"
    return next(title for least, title in TITLES if points >= least)


def counted(state: AhuhaState) -> AhuhaState:
    """After the points are counted: the next series waits for its deal. Nothing where a series is still being played."""
    if not state.is_dealt or state.round.number <= ROUNDS:
        return state
    winners, decided_by = winners_of(state)
    record = SeriesRecord(
        state.series,
        state.seats,
        state.rounds,
        dict(zip(state.seats, state.homes, strict=True)),
        tuple(seat for place, seat in enumerate(state.seats) if has_bonus(state, place)),
        state.scores,
        winners,
        decided_by,
        state.knowledge.timeline,
    )
    wins = state.wins
    if state.setup.settings.mode is Mode.STANDARD:
        first, second, third = (won + (seat in winners) for won, seat in zip(wins, state.seats, strict=True))
        wins = first, second, third
    return AhuhaState(state.setup, state.seats, Round(1), wins=wins, knowledge=Knowledge(), done=(*state.done, record))


def winners_of(state: AhuhaState) -> tuple[tuple[str, ...], str]:
    """Who wins the series as the cards lie, and what decides it."""
    settings = state.setup.settings
    points = [points_of(state, place) for place in range(3)]
    if settings.mode is Mode.COOPERATIVE:
        return state.seats, title_of(sum(points), settings)
    best = [place for place in range(3) if points[place] == max(points)]
    if len(best) == 1:
        return (state.seats[best[0]],), "highest score"
    stars = {place: _highest_star(state, place) for place in best}
    highest = max(stars.values())
    if highest >= 0:
        winner = next(place for place in best if stars[place] == highest)
        return (state.seats[winner],), "highest-numbered star"
    if settings.no_star is NoStar.SHARED:
        return tuple(state.seats[place] for place in best), "shared"
    return (), "no star scored"


def _highest_star(state: AhuhaState, place: int) -> int:
    """The highest index of a star that shows points in a Home; -1 where none does."""
    inverted = state.setup.settings.tie_counts_inverted
    highest = -1
    for placed in state.homes[place]:
        if POINTS[placed.orientation] and (inverted or placed.orientation is not Orientation.INVERTED):
            highest = max(highest, state.setup.index.get(placed.card, -1))
    return highest

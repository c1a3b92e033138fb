"""Ahuha Ahukaha as the adjudicator handles it."""

from __future__ import annotations

from calibration.zones import Layout
from companion.adjudicator.ahuha.resolver import AhuhaResolver
from companion.adjudicator.ahuha.table import zone_names
from companion.adjudicator.ahuha.taps import taps_of
from companion.adjudicator.ahuha.view import ahuha_view
from companion.adjudicator.ahuha.words import described
from companion.adjudicator.kit import Tap, since
from companion.games.ahuha import BOOK
from companion.games.codec import Json
from companion.rules.ahuha import AhuhaSetup, AhuhaState
from companion.rules.ahuha.facts import Fact
from companion.rules.ahuha.state import RoundRecord, SeriesRecord


class AhuhaKit:
    """See companion.adjudicator.kit.Kit."""

    book = BOOK
    has_board = False

    def resolver(self, setup: AhuhaSetup, layout: Layout) -> AhuhaResolver:
        """What turns settled pictures into facts."""
        return AhuhaResolver(setup, layout)

    def announcements(self, before: AhuhaState, after: AhuhaState) -> list[dict[str, Json]]:
        """A `round` for each that is done since, and a `series`."""
        if len(after.done) == len(before.done):
            return since(before.rounds, after.rounds, "round", round_json)
        series = since(before.done, after.done, "series", series_json)
        rounds = since(before.rounds, after.done[len(before.done)].rounds, "round", round_json)
        return [*rounds, *series]

    def describe(self, fact: Fact, setup: AhuhaSetup) -> str:
        """A few words for the history."""
        return described(fact, setup.named)

    def view(self, state: AhuhaState) -> dict[str, Json]:
        """The page's part."""
        return ahuha_view(state)

    def taps(self, state: AhuhaState) -> tuple[Tap, ...]:
        """What came of an effect, helper cards, changed seats."""
        return taps_of(state)

    def zones(self, seats: int) -> tuple[str, ...]:
        """A spot of the Field, a Home and a frozen card for each player."""
        return zone_names(seats)


def round_json(record: RoundRecord) -> dict[str, Json]:
    """A round that is done, as it is announced."""
    return {
        "round": record.number,
        "played": dict(record.cards),
        "hosiahi": [list(pair) for pair in record.hosiahi],
        "overlooked": [list(pair) for pair in record.overlooked],
        "passed": record.passed,
    }


def series_json(record: SeriesRecord) -> dict[str, Json]:
    """A series that is done, as it is announced."""
    return {
        "series": record.number,
        "seats": list(record.seats),
        "homes": {
            seat: [{"card": placed.card, "lies": placed.orientation.value} for placed in home]
            for seat, home in record.homes.items()
        },
        "bonus": list(record.bonus),
        "points": dict(record.scores),
        "winners": list(record.winners),
        "decided_by": record.decided_by,
    }

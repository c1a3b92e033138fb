"""What a settled picture shows of an Ahuha Ahukaha table, in the game's own terms: Field, Homes, frozen cards, helper cards.

Zones belong to places, in the order of the players, and stay where they are when two players change seats. "field.A" is where
the first player lays a card, "home.A" that player's Home, "frozen.A" the frozen card on that player's left, and "tigiri.A", where
there is one, the Yono Tigiri card; else that lies in the Home.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from calibration.seats import Seats, Way, way_of
from calibration.zones import Layout, Zone, seat_letter
from companion.adjudicator.places import OnSpot, Shows, cards_in, hidden_mm2, is_hidden, on_spot, unclear
from companion.rules.ahuha.card_data import HELPERS
from companion.rules.ahuha.facts import Orientation
from companion.rules.ahuha.setup import SEATS
from vision.observation import CardReading, Face, SceneReading

FIELD, HOME, FROZEN, TIGIRI = "field", "home", "frozen", "tigiri"
ASITA, YONO_TIGIRI = HELPERS
ORIENTATIONS: Mapping[Way, Orientation] = {
    Way.UPRIGHT: Orientation.UPRIGHT,
    Way.SIDEWAYS: Orientation.HORIZONTAL,
    Way.UPSIDE_DOWN: Orientation.INVERTED,
}

CARD_MM2 = 63.0 * 88.0
LEAST_APART = 0.5
"""Cards of a Home lie side by side, so that at least such a share of each takes room of its own."""


@dataclass(frozen=True, slots=True)
class HomeCard:
    """An open card in a Home."""

    index: int
    """Of its reading in the scene."""
    reading: CardReading
    orientation: Orientation | None
    """As its player sees it; None where it lies askew or its angle could not be read."""

    @property
    def card(self) -> str | None:
        """Its id; None where it could not be read for sure."""
        return self.reading.card


@dataclass(frozen=True, slots=True)
class Place:
    """What lies at one of the three places."""

    letter: str
    """Of its zones: A, B or C."""
    field: OnSpot
    frozen: OnSpot
    """On the left of who sits here."""
    stars: tuple[HomeCard, ...]
    """Of the Home, without the helper cards."""
    asita: CardReading | None
    """The Asita card, where it lies open in the Home."""
    tigiri: CardReading | None
    """The Yono Tigiri card, where it lies open."""
    home_hidden: bool
    """Something lies over the Home, so that cards of it may be out of sight."""
    home_hidden_mm2: float
    """How much of the Home it lies over."""

    def is_bare(self, recorded: int) -> bool:
        """Whether plainly no star and no Asita card lies here any more, where so many stars are recorded in the Home: what
        lies over a part of it can't hide them all."""
        could_hide = self.home_hidden and self.home_hidden_mm2 >= recorded * CARD_MM2 * LEAST_APART
        on_spots = any(spot.shows not in (Shows.EMPTY, Shows.HIDDEN) for spot in (self.field, self.frozen))
        return not (on_spots or self.has_stars or self.asita is not None or could_hide)

    @property
    def has_stars(self) -> bool:
        """Whether cards lie in the Home; a thing of which neither face nor card can be told is none."""
        return any(lying.card is not None or lying.reading.face is Face.UP for lying in self.stars)


AhuhaTable = tuple[Place, Place, Place]
"""Everything that matters of a scene, by place."""


def table_of(scene: SceneReading, helpers: Mapping[str, str], layout: Layout) -> AhuhaTable:
    """Reads a scene; `helpers` are the cards that are no stars. Raises BadProfileError where a zone is missing."""
    directions = Seats.of(layout, scene.table_mm).directions
    first, second, third = (_place(scene, helpers, layout, number, directions) for number in range(SEATS))
    return first, second, third


def zone_names(seats: int) -> tuple[str, ...]:
    """The zones that a layout must have."""
    return tuple(f"{kind}.{seat_letter(seat)}" for seat in range(seats) for kind in (FIELD, HOME, FROZEN))


def _place(
    scene: SceneReading, helpers: Mapping[str, str], layout: Layout, number: int, directions: Mapping[str, float]
) -> Place:
    letter = seat_letter(number)
    home = layout.seat_zone(HOME, number)
    but = unclear(scene)
    lying = [
        (index, card)
        for index, card in cards_in(scene, home, margin_mm=0.0)
        if card.face is not Face.DOWN and index not in but
    ]
    open_helpers = {kind: card for _, card in lying if (kind := helpers.get(card.card or "")) is not None}
    apart = layout.zones.get(f"{TIGIRI}.{letter}")
    return Place(
        letter,
        on_spot(scene, layout.seat_zone(FIELD, number), but),
        on_spot(scene, layout.seat_zone(FROZEN, number), but),
        tuple(_in_home(index, card, directions[letter]) for index, card in lying if card.card not in helpers),
        open_helpers.get(ASITA),
        open_helpers.get(YONO_TIGIRI) or _helper_on(scene, apart, helpers),
        is_hidden(scene, home),
        hidden_mm2(scene, home),
    )


def _helper_on(scene: SceneReading, zone: Zone | None, helpers: Mapping[str, str]) -> CardReading | None:
    lying: Sequence[tuple[int, CardReading]] = () if zone is None else cards_in(scene, zone)
    return next((card for _, card in lying if helpers.get(card.card or "") == YONO_TIGIRI), None)


def _in_home(index: int, reading: CardReading, direction_deg: float) -> HomeCard:
    if reading.angle_deg is None:
        return HomeCard(index, reading, None)
    way = way_of((reading.angle_deg - direction_deg) % 360 % 360)
    return HomeCard(index, reading, None if way is None else ORIENTATIONS[way])

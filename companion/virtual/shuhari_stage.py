"""Where things come to lie on Shuhari's virtual table: the row, its stage cards, the deck and the discard pile."""

from __future__ import annotations

from calibration.zones import Layout, Zone, seat_letter
from companion.adjudicator.shuhari.table import DECK, PILE, row_zones
from companion.errors import BadInputError
from companion.rules.shuhari.facts import STAGES, Stage
from companion.rules.shuhari.setup import ShuhariSetup
from companion.virtual.stage import Stage as Table
from companion.virtual.stage import StageSettings
from hardware.virtual.scene import CardOnTable, Scene

BACK = "back"
PLACE_MM = (95.0, 100.0)
"""Of a card's place in the row: wide enough for one that lies sideways."""
OVER_MM = 50.0
"""How far below the middle of the card that opens a stage the stage card's middle lies."""
STAGES_ZONE = "stages"
"""Where the stage cards wait; they are off the table where the layout has no such zone."""
UPRIGHT_DEG = (180.0, 270.0, 0.0, 90.0)
"""Directions from the table to the players, clockwise, where the layout doesn't say."""


class ShuhariStage(Table):
    """Places of one game of Shuhari."""

    def __init__(self, layout: Layout, setup: ShuhariSetup, settings: StageSettings) -> None:
        """Raises BadProfileError where the layout lacks a zone, BadInputError where its row is too short for a trick."""
        self._places = [place for zone in row_zones(layout) for place in _places(zone)]
        if len(self._places) < setup.length:
            raise BadInputError(
                f"virtual table: the row has room for {len(self._places)} cards, and a trick has {setup.length}"
            )
        self._deck, self._pile = layout.zone(DECK), layout.zone(PILE)
        self._waiting = layout.zones.get(STAGES_ZONE)
        self.displays = _displays(setup)
        """Stage to the card that announces it."""
        sides = {
            seat: (layout.directions[letter] + 180) % 360 if letter in layout.directions else UPRIGHT_DEG[n]
            for n, (seat, letter) in enumerate((seat, seat_letter(n)) for n, seat in enumerate(setup.seats))
        }
        super().__init__(sides, settings)

    def empty(self) -> Scene:
        """The deck and the stage cards."""
        waiting = [card for stage in STAGES if (card := self.waiting(stage)) is not None]
        return Scene(self.settings.table_mm, cards=(self.deck(), *waiting))

    def deck(self) -> CardOnTable:
        """The deck's top card."""
        return self.lay_in(self._deck, BACK, "deck")

    def pile(self, art: str, size: int) -> CardOnTable:
        """The discard pile's top card."""
        return self.lay_in(self._pile, art, "pile", size)

    def waiting(self, stage: Stage) -> CardOnTable | None:
        """A stage card that lies on no card of the row; None where there is none or it is off the table."""
        if self._waiting is None or stage not in self.displays:
            return None
        half = self._waiting.width_mm / 2
        left = self._waiting.x_mm + (half if stage is STAGES[-1] else 0.0)
        place = Zone(left, self._waiting.y_mm, half, self._waiting.height_mm)
        return self.lay_in(place, self.displays[stage], "waiting", stage)

    def card(self, trick: int, place: int, art: str, *, sideways: bool) -> CardOnTable:
        """A card of the row, 0-based; sideways it may lie to either side."""
        turn = self.chance("side", trick, place).choice((90.0, 270.0)) if sideways else 0.0
        return self.lay_in(self._places[place], art, "row", trick, place, turn_deg=turn)

    def display(self, stage: Stage, on: CardOnTable, trick: int) -> CardOnTable | None:
        """A stage card on the card that opened its stage; None where the deck has none."""
        art = self.displays.get(stage)
        if art is None:
            return None
        chance = self.chance("display", trick, stage)
        mess = self.settings.clumsiness
        x = on.x_mm + chance.gauss(0, 1 + 2 * mess)
        y = on.y_mm + OVER_MM + max(-3.0, min(3.0, chance.gauss(0, 1 + mess)))
        return CardOnTable(art, round(x, 1), round(y, 1), round(chance.gauss(0, 1.2 + 2 * mess), 1))


def _displays(setup: ShuhariSetup) -> dict[Stage, str]:
    """The stage cards by what they announce; of those that don't say, the first by name announces the first stage left."""
    known = {stage: card for card, stage in sorted(setup.displays.items()) if stage is not None}
    unnamed = [card for card, stage in sorted(setup.displays.items()) if stage is None]
    return known | dict(zip([stage for stage in STAGES[1:] if stage not in known], unnamed, strict=False))


def _places(zone: Zone) -> list[Zone]:
    """A row's places from left to right."""
    width, height = PLACE_MM
    return [Zone(zone.x_mm + n * width, zone.y_mm, width, height) for n in range(int(zone.width_mm // width))]

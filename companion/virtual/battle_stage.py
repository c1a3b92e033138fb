"""Where things lie on the virtual table for duels: the string, two chairs with their cards, Stones, dice and hands.

Who duels takes a chair: the first seats the first two; with more players a winner keeps the chair and the next opponent takes the
other one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.zones import Layout, Zone
from companion.decks.proxies_hoshi_battle import DIE_SHAPES
from companion.rules.hoshi_battle.facts import Face
from companion.virtual.battle_ways import Place
from companion.virtual.stage import SKINS, Stage, StageSettings
from hardware.virtual.dice import BLANK, DieOnTable, Instant
from hardware.virtual.loop import LoopOnTable
from hardware.virtual.scene import CardOnTable, StoneOnTable
from hardware.virtual.symbols import Mask, symbol_mask

TABLE_MM = (420.0, 250.0)
MIDDLE_MM = (TABLE_MM[0] / 2, TABLE_MM[1] / 2)
LETTERS = ("A", "B")
"""Of the chairs, as the layout calls them: left, right."""
BACK = "back"
DIE_MM = 17.0
"""Distance of opposite faces."""
OWN_HALF_MM = 184.0
"""So near to the own edge of the table a player's die comes to rest and is taken up: hands meet only where they strike."""
STONE_MM = 11.0
_STONE_STEP_MM = 13.0
_COLOURS = ((35, 30, 190), (178, 84, 24))
"""Of the chairs' dice, blue-green-red."""
_SLEEVES = ((92, 70, 60), (60, 60, 160))
_STONE_BGR = ((216, 176, 96), (206, 168, 92))
_INK = (238, 238, 238)
_FACES = {0: Face.STRIKE, 3: Face.CHARM, 5: Face.SHIELD}
"""Which faces of a die carry a symbol."""


@dataclass(frozen=True, slots=True)
class Chair:
    """One of the two sides of the table at which duellists sit."""

    number: int
    """0 left, 1 right."""
    from_deg: float
    """Direction from the table to the body, degrees clockwise from up."""
    hero: Zone
    duel: Zone
    stones: Zone

    @property
    def is_left(self) -> bool:
        """Whether it stands at the table's left."""
        return self.number == 0

    def ahead(self, x_mm: float) -> float:
        """How far a place lies from the chair's own edge of the table."""
        return x_mm if self.is_left else TABLE_MM[0] - x_mm

    def place(self, ahead_mm: float, y_mm: float, height_mm: float | None = None) -> Place:
        """A place so far from the own edge."""
        x = ahead_mm if self.is_left else TABLE_MM[0] - ahead_mm
        return Place(x, y_mm) if height_mm is None else Place(x, y_mm, height_mm)

    @property
    def home(self) -> Place:
        """Where the hand waits."""
        return self.place(104.0, MIDDLE_MM[1])

    @property
    def away(self) -> Place:
        """Where the hand is while it is not over the table."""
        return self.place(-60.0, MIDDLE_MM[1])

    @property
    def skin(self) -> tuple[int, int, int]:
        """Of the hand, blue-green-red."""
        return SKINS[self.number]

    @property
    def sleeve(self) -> tuple[int, int, int]:
        """Blue-green-red."""
        return _SLEEVES[self.number]


class BattleStage(Stage):
    """Places of one game. Raises BadProfileError where the layout lacks a zone."""

    def __init__(self, layout: Layout, settings: StageSettings) -> None:
        super().__init__({"A": 270.0, "B": 90.0}, settings)
        self.chairs = tuple(
            Chair(n, (270.0, 90.0)[n], *(layout.zone(f"{what}.{letter}") for what in ("hero", "duel", "stones")))
            for n, letter in enumerate(LETTERS)
        )
        self.loop = self._loop()

    def hero(self, chair: Chair, art: str, number: int) -> CardOnTable:
        """A Hero of the game's so-manieth Duel, face up or "back"."""
        return self.lay_in(chair.hero, art, "hero", chair.number, number, turn_deg=chair.from_deg - 180)

    def duel_card(self, chair: Chair, art: str, number: int) -> CardOnTable:
        """A Duel card."""
        return self.lay_in(chair.duel, art, "duel", chair.number, number, turn_deg=chair.from_deg - 180)

    def stones(self, chair: Chair, count: int) -> tuple[StoneOnTable, ...]:
        """So many Stones in a row, as many as there is room for."""
        zone = chair.stones
        room = int(zone.height_mm // _STONE_STEP_MM)
        count = min(max(count, 0), room)
        x, y = zone.centre
        laid = []
        for n in range(count):
            chance = self.chance("stone", chair.number, n)
            off = 1.2 * min(self.settings.clumsiness, 1.0)
            at = (
                x + chance.uniform(-off, off),
                y + (n - (count - 1) / 2) * _STONE_STEP_MM + chance.uniform(-off, off) / 2,
            )
            laid.append(StoneOnTable(round(at[0], 1), round(at[1], 1), STONE_MM, _STONE_BGR[chair.number]))
        return tuple(laid)

    def die(self, chair: Chair, sides: int) -> DieOnTable:
        """A chair's die of so many sides."""
        faces = tuple(_FACES[n].value if n in _FACES else BLANK for n in range(sides))
        return DieOnTable(sides, Instant(0.0, 0.0, DIE_MM / 2), DIE_MM, _COLOURS[chair.number], _INK, faces)

    def _loop(self) -> LoopOnTable:
        """The string, laid by hand."""
        chance = self.chance("loop")
        turn = np.linspace(0, 2 * math.pi, 144, endpoint=False)
        rim = np.ones_like(turn)
        for waves in (2, 3, 4, 5):
            rim += chance.gauss(0, 0.012 / waves**0.5) * np.cos(waves * turn + chance.uniform(0, 6.3))
        across, down = MIDDLE_MM[0] + 78.0 * rim * np.cos(turn), MIDDLE_MM[1] + 88.0 * rim * np.sin(turn)
        return LoopOnTable(
            tuple((round(float(x), 2), round(float(y), 2)) for x, y in zip(across, down, strict=True)), 2.6
        )


def faces_with(face: Face, sides: int) -> tuple[int, ...]:
    """The faces of a die that show this. Raises ValueError for a face that none shows."""
    found = tuple(n for n in range(sides) if _FACES.get(n, Face.BLANK) is face)
    if not found:
        raise ValueError(f"no face of a die shows {face.value!r}")
    return found


def die_symbols() -> dict[str, Mask]:
    """The pictures of the dice's symbols by their names in the rules; 255 where there is ink."""
    drawn = {face: symbol_mask(shape) for face, shape in DIE_SHAPES.items()}
    return {face: mask for face, mask in drawn.items() if mask is not None}

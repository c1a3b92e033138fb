"""A virtual table as one value: which game, how it is played, how it looks; makes the script, the director and the renderer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

from calibration.zones import Layout, load_layout
from companion.decks.deck import BACK, load_deck
from companion.decks.proxies import deck_data, draw_deck
from companion.errors import BadInputError
from companion.rules.hoshizora.facts import Colour
from companion.rules.hoshizora.settings import HoshizoraSettings
from companion.rules.hoshizora.setup import HoshizoraCard, HoshizoraSetup, cards_of
from companion.virtual.director import Director
from companion.virtual.players import CheatPlan, GameScript, play_game
from companion.virtual.reel import Timing
from companion.virtual.stage import StageSettings
from hardware.camera.base import Image
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, Light, TableLook
from hardware.virtual.render import Renderer
from vision.cards.deck import read_scan
from vision.scans import first_scans

GAMES = ("hoshizora",)
ROOM_MM = 30.0
"""Between two stars' middles."""
MORE_SEEDS = 400
"""How many further deals are tried for one in which the wished-for act can happen."""


@dataclass(frozen=True, slots=True)
class VirtualTable:
    """Everything that a virtual game is made from. The same value, the same pictures. Pickles."""

    game: str = "hoshizora"
    seed: int = 1
    seats: tuple[str, str, str] = ("A", "B", "C")
    """Clockwise."""
    lead: str | None = None
    """Who leads first; the first seat if None."""
    revoke: bool = False
    """One player once does not follow the stated colour."""
    variant: bool = False
    """Line elimination is played, and lines are wiped at least once."""
    deck: str | None = None
    """A directory of scans to play with; the project's proxies if None."""
    clumsiness: float = 0.4
    dark_board: bool = False
    ground: Ground = Ground.FELT
    light: Light = Light.SOFT
    glare: float = 0.0
    noise: float = 2.0
    size: tuple[int, int] = (1280, 720)
    """Of the pictures, px."""
    tilt_deg: float = 2.0
    k1: float = 0.0
    """Lens distortion, as in the camera's model."""
    timing: Timing = field(default_factory=Timing)

    def setup(self) -> HoshizoraSetup:
        """Seats, cards and settings. Raises BadInputError for an unknown game, seat or an unfit deck."""
        if self.game not in GAMES:
            raise BadInputError(f"virtual table: {self.game!r} can't be played here yet; there is {', '.join(GAMES)}")
        settings = HoshizoraSettings(line_elimination=self.variant)
        try:
            return HoshizoraSetup(self.seats, self.lead or self.seats[0], self._cards(), settings)
        except ValueError as error:
            raise BadInputError(f"virtual table: {error}") from error

    def script(self) -> GameScript:
        """The game as it will be played.

        Where the seed's own board has two stars so close that their magnets nearly hide a line between them, or a revoke or a
        wiped line is wished for and its deal gives no occasion, the games that follow from it are tried. Raises
        BadInputError where none of them will do either.
        """
        setup = self.setup()
        cheat = CheatPlan(revoke=400, at_most=1) if self.revoke else None
        for attempt in range(MORE_SEEDS):
            script = play_game(setup, self.seed + attempt * 1_000_003, cheat)
            if _is_roomy(script) and (not self.revoke or script.revokes) and (not self.variant or _wipes(script)):
                return script
        raise BadInputError(f"virtual table: seed {self.seed} leads to no such game; try another seed")

    def layout(self) -> Layout:
        """The zones of the virtual table."""
        with as_file(files("companion.virtual") / "data" / f"{self.game}.toml") as path:
            return load_layout(path)

    def director(self, script: GameScript | None = None) -> Director:
        """Who films the game. Raises BadInputError as `script` does."""
        stage = StageSettings(clumsiness=self.clumsiness, dark_board=self.dark_board, seed=self.seed)
        return Director(script or self.script(), self.layout(), stage, self.timing)

    def renderer(self) -> Renderer:
        """The camera over the table. Raises BadInputError where the deck's scans can't be read."""
        look = TableLook(ground=self.ground, light=self.light, glare=self.glare, noise=self.noise, seed=self.seed)
        camera = VirtualCameraModel(
            self.size, tilt_deg=self.tilt_deg, tilt_toward_deg=float(self.seed * 47 % 360), k1=self.k1
        )
        return Renderer(self._art(), look, camera)

    def _cards(self) -> Mapping[str, HoshizoraCard]:
        if self.deck is not None:
            return cards_of(load_deck(self.deck, self.game).cards)
        return {
            card: HoshizoraCard(Colour(data["colour"]), int(data["number"]), int(data["bid"]))
            for card, data in deck_data(self.game).items()
        }

    def _art(self) -> Mapping[str, Image]:
        return draw_deck(self.game) if self.deck is None else load_scans(Path(self.deck))


def load_scans(folder: Path) -> dict[str, Image]:
    """A deck directory's pictures by card id, and "back".

    Raises BadInputError where there is no back, BadDeckScansError for a scan that can't be read.
    """
    scans = first_scans(folder.iterdir()) if folder.is_dir() else {}
    art = {side: read_scan(path) for side, path in scans.items()}
    if BACK not in art:
        raise BadInputError(f"{folder}: has no {BACK}.png: the virtual table needs the cards' back")
    return art


def _is_roomy(script: GameScript) -> bool:
    """Whether a line between any two stars could be seen beside their magnets."""
    return all(
        math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm) >= ROOM_MM
        for n, one in enumerate(script.stars)
        for other in script.stars[:n]
    )


def _wipes(script: GameScript) -> bool:
    return any(record.erased for record in script.final.done)

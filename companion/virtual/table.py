"""A virtual table as one value: which game, how it is played, how it looks; makes the script, the director and the renderer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from calibration.zones import Layout, load_layout
from companion.adjudicator.told import Told
from companion.decks.deck import BACK, load_deck, parse_deck
from companion.decks.proxies import deck_text, draw_deck
from companion.errors import BadInputError
from companion.rules.cards import CardData
from companion.virtual.film import Films, told_in_film
from companion.virtual.reel import Timing
from companion.virtual.stage import StageSettings
from companion.virtual.table_game import Wishes, settings_for, table_game
from hardware.camera.base import Image
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, Light, TableLook
from hardware.virtual.paint import Mask
from hardware.virtual.render import Renderer
from vision.cards.deck import read_scan
from vision.scans import first_scans


@dataclass(frozen=True, slots=True)
class VirtualTable:
    """Everything that a virtual game is made from. The same value, the same pictures. Pickles."""

    game: str = "hoshizora"
    seed: int = 1
    seats: tuple[str, ...] = ("A", "B", "C")
    """Clockwise."""
    lead: str | None = None
    """Who leads first; the first seat if None."""
    revoke: bool = False
    """A player once does not play what the own hand obliges to."""
    variant: bool = False
    """The game's optional rule is played, and comes up at least once."""
    short: bool = False
    """Of several deals that follow from the seed, one whose game is soon over, for people who watch."""
    mischief: int = 0
    """How often in a thousand the players misbehave, each in every way that the game has; not where a revoke is wished for."""
    greedy: bool = False
    """Players do what seems best at once, and not just anything. Those of a duel know no such thing."""
    deck: str | None = None
    """A directory of scans to play with; the project's proxies if None."""
    clumsiness: float = 0.4
    dark_board: bool = False
    ground: Ground = Ground.FELT
    light: Light = Light.SOFT
    glare: float = 0.0
    noise: float = 2.0
    exposure: float = 1.0
    """Factor on brightness, as in the look."""
    blur_px: float = 0.55
    """Of the optics, as in the look."""
    jpeg_quality: int | None = None
    """Of a camera that hands out JPEG pictures."""
    mishaps: bool = False
    """Hands, cups and bumps come in the way where settled moments are taken (companion.virtual.mishaps); not in the film."""
    size: tuple[int, int] = (1280, 720)
    """Of the pictures, px."""
    tilt_deg: float = 2.0
    k1: float = 0.0
    """Lens distortion, as in the camera's model."""
    timing: Timing = field(default_factory=Timing)

    def setup(self) -> Any:
        """Seats, cards and settings. Raises BadInputError for an unknown game, seat, wish or an unfit deck."""
        game = table_game(self.game)
        try:
            return game.setup(self.seats, self.lead or self.seats[0], self.cards(), self._wishes)
        except ValueError as error:
            raise BadInputError(f"virtual table: {error}") from error

    def settings(self) -> dict[str, Any]:
        """The game's settings that are not as they are by default. Raises BadInputError for an unknown game or wish."""
        return settings_for(self.game, self._wishes)

    @property
    def table_mm(self) -> tuple[float, float]:
        """Width and height. Raises BadInputError for an unknown game."""
        return table_game(self.game).table_mm

    def script(self) -> Any:
        """The game as it will be played. Raises BadInputError as `setup` does, or where no deal leads to what is wished for."""
        return table_game(self.game).script(self.setup(), self._wishes)

    def truth(self, script: Any = None) -> dict[str, Any]:
        """What happens in the game, as JSON can hold it. Raises BadInputError as `script` does."""
        return table_game(self.game).truth(script or self.script())

    def layout(self) -> Layout:
        """The zones of the virtual table."""
        with as_file(files("companion.virtual") / "data" / f"{self.game}.toml") as path:
            return load_layout(path)

    def director(self, script: Any = None) -> Films:
        """Who films the game. Raises BadInputError as `script` does."""
        stage = StageSettings(self.table_mm, self.clumsiness, self.seed)
        return table_game(self.game).director(
            script or self.script(), self.layout(), stage, self.timing, dark_board=self.dark_board
        )

    def told(self) -> tuple[Told, ...]:
        """What the players tap on the page while the film runs. Raises BadInputError as `script` does."""
        return told_in_film(self.director().film())

    def renderer(self, *, bump_deg: tuple[float, float] = (0.0, 0.0)) -> Renderer:
        """The camera over the table, bumped by so much tilt and roll.

        Raises BadInputError where the deck's scans can't be read.
        """
        look = TableLook(
            ground=self.ground,
            light=self.light,
            exposure=self.exposure,
            noise=self.noise,
            blur_px=self.blur_px,
            glare=self.glare,
            jpeg_quality=self.jpeg_quality,
            seed=self.seed,
        )
        camera = VirtualCameraModel(
            self.size,
            self.table_mm,
            tilt_deg=self.tilt_deg + bump_deg[0],
            tilt_toward_deg=float(self.seed * 47 % 360),
            roll_deg=bump_deg[1],
            k1=self.k1,
        )
        return Renderer(self.art(), look, camera, self.symbols())

    @property
    def _wishes(self) -> Wishes:
        return Wishes(self.seed, self.revoke, self.variant, self.short, self.mischief, self.greedy)

    def cards(self) -> Mapping[str, CardData]:
        """What the cards say. Raises BadInputError for an unfit deck."""
        if self.deck is not None:
            return load_deck(self.deck, self.game).cards
        return parse_deck(deck_text(self.game), "proxies", self.game, self.game).cards

    def art(self) -> Mapping[str, Image]:
        """The cards' pictures by id, and "back". Raises BadInputError where they can't be read."""
        return _proxies(self.game) if self.deck is None else load_scans(Path(self.deck))

    def symbols(self) -> Mapping[str, Mask]:
        """The pictures of the dice's symbols by their names; none where the game has no special dice."""
        if self.game != "hoshi-battle":
            return {}
        from companion.virtual.battle_stage import die_symbols

        return die_symbols()


@cache
def _proxies(game: str) -> Mapping[str, Image]:
    """The proxies' pictures, drawn once; not to be painted on."""
    return MappingProxyType(draw_deck(game))


def load_scans(folder: Path) -> dict[str, Image]:
    """A deck directory's pictures by card id, and "back".

    Raises BadInputError where there is no back, BadDeckScansError for a scan that can't be read.
    """
    scans = first_scans(folder.iterdir()) if folder.is_dir() else {}
    art = {side: read_scan(path) for side, path in scans.items()}
    if BACK not in art:
        raise BadInputError(f"{folder}: has no {BACK}.png: the virtual table needs the cards' back")
    return art

"""Renders a plain scene as an overhead camera would see it, with the truth beside it.

What stays the same from one scene to the next is kept, layer by layer, so that a settled table costs a copy and its noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image
from hardware.errors import BadSourceError
from hardware.virtual import sprites
from hardware.virtual.dice import DieOnTable
from hardware.virtual.dice_paint import lay_dice_shadows, lay_die, silhouette_px
from hardware.virtual.gloss import Mirror
from hardware.virtual.ground import ground_picture, light_map
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import TableLook
from hardware.virtual.loop import lay_loop
from hardware.virtual.paint import Easel, Mask, Place, Sprite
from hardware.virtual.photo import Darkroom, Linear
from hardware.virtual.placing import Lying, lying, sizes_of
from hardware.virtual.scene import BoardOnTable, CardOnTable, HandOverTable, Scene, StarOnBoard, StoneOnTable, Stroke
from hardware.virtual.sensor import Sensor
from hardware.virtual.strokes import ink, stroke_outline
from hardware.virtual.symbols import symbol_mask
from hardware.virtual.truth import stone_outline, truth_of

STAR_HEIGHT_MM = 2.0
STONE_SHARE = 0.5
"""Height of a stone over its diameter."""
ABOVE_HANDS_MM = 45.0
"""A die that flies higher is seen over the hands."""
SHADE_PER_MM = (0.35, 0.5)
"""How far a shadow falls beside what throws it, mm for each mm of height."""


class Renderer:
    """Pictures of one table by one camera. Deterministic: the scene, the look and the seed say every pixel.

    Raises BadSourceError where a scene names a card that has no picture.
    """

    def __init__(
        self,
        art: Mapping[str, Image],
        look: TableLook,
        camera: VirtualCameraModel,
        symbols: Mapping[str, Mask] | None = None,
    ) -> None:
        """`symbols`: pictures of dice's symbols by their names, beside those of hardware.virtual.symbols."""
        self.look = look
        self.camera = camera
        self._art = art
        self._symbols = symbols or {}
        self._easel = Easel(camera)
        self._sensor = Sensor(camera.size, look)
        self._density = camera.px_per_mm * 1.3
        self._pieces: dict[tuple[Any, ...], tuple[Sprite, ...]] = {}
        self._layers: dict[str, tuple[Any, Image]] = {}
        self._light: NDArray[np.uint8] | None = None
        self._seen: tuple[Scene, Image, NDArray[np.int16]] | None = None
        self._sizes = sizes_of(art, look.card_mm)
        self._darkroom = Darkroom(camera, look, look.photo) if look.photo is not None else None
        self._exposed: tuple[Scene, Linear] | None = None

    def render(self, scene: Scene, noise_seed: int = 0) -> Image:
        """The camera's picture of a scene; `noise_seed` is the picture's own, for its noise."""
        if self._darkroom is not None:
            return self._photographed(self._darkroom, scene, noise_seed)
        if self._seen is None or self._seen[0] != scene:
            picture = self._sensor.blurred(self._lit(self._scene_picture(scene)))
            self._seen = (scene, picture, self._sensor.spread(picture))
        return self._sensor.noisy(self._seen[1], self._seen[2], noise_seed)

    def truth(self, scene: Scene) -> dict[str, Any]:
        """Where everything lies, in mm and in px of this camera's picture; values that JSON can hold."""
        return truth_of(scene, self.camera, self.look, self._sizes)

    def _photographed(self, darkroom: Darkroom, scene: Scene, noise_seed: int) -> Image:
        if self._exposed is None or self._exposed[0] != scene:
            self._exposed = (scene, darkroom.exposed(self._scene_picture(scene), self.mirrored(scene)))
        return darkroom.developed(self._exposed[1], noise_seed)

    def mirrored(self, scene: Scene) -> NDArray[np.float32]:
        """The lamps' light that the cards throw into the lens where nothing lies over them, height x width, in units of white
        paper; none where the look has no lamps."""
        if self.look.photo is None:
            return np.zeros((self.camera.size[1], self.camera.size[0]), np.float32)
        mirror = Mirror(self._easel, self.look.photo)
        for card in sorted(scene.cards, key=lambda card: card.lift_mm > 0):
            mirror.lay(self._lying(card))
        for hand in scene.hands:
            mirror.cover(
                [
                    self.camera.project(outline, hand.height_mm)
                    for outline in sprites.hand_outline(hand.tip_x_mm, hand.tip_y_mm, hand.from_deg)
                ]
            )
        mirror.cover([self.camera.project(stone_outline(stone)) for stone in scene.stones])
        mirror.cover([silhouette_px(self.camera, die) for die in scene.dice])
        return mirror.light

    # Layers, from the table up

    def _scene_picture(self, scene: Scene) -> Image:
        resting = tuple(card for card in scene.cards if card.lift_mm <= 0)
        carried = tuple(card for card in scene.cards if card.lift_mm > 0)
        picture = self._with_loops(scene, resting).copy()
        self._lay_dice(picture, [die for die in scene.dice if die.at.height_mm <= ABOVE_HANDS_MM])
        for hand in scene.hands:
            self._lay_hand_shadow(picture, hand)
        for card in carried:
            self._lay_card(picture, card)
        for hand in scene.hands:
            self._lay_hand(picture, hand)
        self._lay_dice(picture, [die for die in scene.dice if die.at.height_mm > ABOVE_HANDS_MM])
        return picture

    def _with_loops(self, scene: Scene, cards: tuple[CardOnTable, ...]) -> Image:
        below = self._with_cards(scene, cards)
        if not scene.loops and not scene.stones:
            return below
        key = (scene.table_mm, scene.covered_markers, scene.board, cards, scene.loops, scene.stones)
        kept = self._layers.get("loops")
        if kept is not None and kept[0] == key:
            return kept[1]
        picture = below.copy()
        for loop in scene.loops:
            lay_loop(self._easel, picture, loop, self.look.shadow)
        for stone in scene.stones:
            self._lay_stone(picture, stone)
        self._layers["loops"] = (key, picture)
        return picture

    def _lay_dice(self, picture: Image, dice: list[DieOnTable]) -> None:
        for die in dice:
            lay_dice_shadows(self._easel, picture, die, self.look.shadow)
        for die in sorted(dice, key=lambda die: die.at.height_mm):
            lay_die(self._easel, picture, die, self._symbol)

    def _symbol(self, name: str) -> Mask:
        mask = self._symbols.get(name)
        if mask is None:
            mask = symbol_mask(name)
        if mask is None:
            raise BadSourceError(f"scene: no picture of a symbol called {name!r}; give one or use a known name")
        return mask

    def _with_cards(self, scene: Scene, cards: tuple[CardOnTable, ...]) -> Image:
        below = (scene.table_mm, scene.covered_markers, scene.board)
        done, picture = self._kept("cards", below, cards)
        if picture is None:
            picture = self._with_board(scene).copy()
        for card in cards[done:]:
            self._lay_card(picture, card)
        self._layers["cards"] = ((below, cards), picture)
        return picture

    def _with_board(self, scene: Scene) -> Image:
        board = scene.board
        if board is None:
            return self._ground(scene)
        below = (scene.table_mm, scene.covered_markers, board)
        kept = self._layers.get("board")
        if kept is not None and kept[0] == below:
            return kept[1]
        finished, growing = _split(board.strokes)
        picture = self._with_strokes(scene, board, finished).copy()
        for stroke in growing:
            self._lay_stroke(picture, stroke, board.dark)
        for star in board.stars:
            self._lay_star(picture, star)
        self._layers["board"] = (below, picture)
        return picture

    def _with_strokes(self, scene: Scene, board: BoardOnTable, strokes: tuple[Stroke, ...]) -> Image:
        bare = (board.x_mm, board.y_mm, board.side_mm, board.angle_deg, board.dark, board.smudges)
        below = (scene.table_mm, scene.covered_markers, bare)
        done, picture = self._kept("strokes", below, strokes)
        if picture is None:
            picture = self._ground(scene).copy()
            self._lay_board(picture, board)
        for stroke in strokes[done:]:
            self._lay_stroke(picture, stroke, board.dark)
        self._layers["strokes"] = ((below, strokes), picture)
        return picture

    def _ground(self, scene: Scene) -> Image:
        key = (scene.table_mm, scene.covered_markers)
        kept = self._layers.get("ground")
        if kept is not None and kept[0] == key:
            return kept[1]
        if scene.table_mm != self.camera.table_mm:
            raise BadSourceError(
                f"scene: its table is {scene.table_mm} mm, the camera's is {self.camera.table_mm}; use the same size"
            )
        picture = self._bare().copy()
        for n in sorted(scene.covered_markers):
            x, y = _marker_corner(n, scene.table_mm)
            middle = sprites.MARKER_MM / 2
            (cup,) = self._piece("cup", make=lambda: (sprites.cup_sprite(self._density),))
            self._lay_shadow(picture, (72.0, 72.0, 36.0), (x + middle, y + middle), 0.0, 6.0)
            self._easel.lay(picture, cup, (x + middle, y + middle), 0.0, 9.0)
        self._layers["ground"] = (key, picture)
        return picture

    def _bare(self) -> Image:
        """The table top with its markers."""
        kept = self._layers.get("bare")
        if kept is not None:
            return kept[1]
        picture = ground_picture(self.camera, self.look)
        for n in range(4):
            x, y = _marker_corner(n, self.camera.table_mm)
            middle = sprites.MARKER_MM / 2
            paper = sprites.MARKER_MM + 2 * sprites.MARKER_MARGIN_MM
            self._lay_shadow(picture, (paper, paper, 0.0), (x + middle, y + middle), 0.0, 0.3)
            # Sprites much finer than the picture keep the black corners where they belong.
            self._easel.lay(picture, sprites.marker_sprite(n, self._density), (x, y))
        self._layers["bare"] = (None, picture)
        return picture

    def _kept(self, layer: str, below: Any, pieces: tuple[Any, ...]) -> tuple[int, Image | None]:
        """How many of a layer's pieces a kept picture already shows, and that picture to go on with."""
        kept = self._layers.get(layer)
        if kept is None:
            return 0, None
        kept_below, kept_pieces = kept[0]
        if kept_below != below or pieces[: len(kept_pieces)] != kept_pieces:
            return 0, None
        # It is painted on only where more was laid down; a layer that is shared stays as it is.
        more = len(pieces) > len(kept_pieces)
        return len(kept_pieces), kept[1].copy() if more else kept[1]

    # Pieces

    def _lay_board(self, picture: Image, board: BoardOnTable) -> None:
        key = ("board", board.side_mm, board.dark)
        (sprite,) = self._piece(
            *key, make=lambda: (sprites.board_sprite(board.side_mm, board.dark, self.look.seed, self._density),)
        )
        turn = np.radians(board.angle_deg)
        half = board.side_mm / 2
        x = board.x_mm + half * float(np.cos(turn) - np.sin(turn))
        y = board.y_mm + half * float(np.sin(turn) + np.cos(turn))
        self._lay_shadow(picture, (board.side_mm, board.side_mm, 1.5), (x, y), board.angle_deg, 2.0)
        self._easel.lay(picture, sprite, (board.x_mm, board.y_mm), board.angle_deg)
        if self.look.glare > 0:
            (glare,) = self._piece(
                "glare",
                board.side_mm,
                make=lambda: (sprites.glare_sprite(self.look.glare, board.side_mm, self._density),),
            )
            self._easel.lay(picture, glare, (board.x_mm, board.y_mm), board.angle_deg)
        for smudge in board.smudges:
            seed = round(abs(smudge.x_mm) * 10) * 7919 + round(abs(smudge.y_mm) * 10)
            cloud = sprites.smudge_sprite(
                ink(smudge.colour, board.dark), smudge.radius_mm, smudge.strength, seed, self._density
            )
            self._easel.lay(picture, cloud, (smudge.x_mm, smudge.y_mm), float(seed % 180))

    def _lay_stroke(self, picture: Image, stroke: Stroke, dark: bool) -> None:
        outline = stroke_outline(stroke)
        if outline is not None:
            self._easel.ink(picture, outline, ink(stroke.colour, dark), 0.9)

    def _lay_star(self, picture: Image, star: StarOnBoard) -> None:
        (sprite,) = self._piece("star", star.n, make=lambda: (sprites.star_sprite(star.n, self.look, self._density),))
        side = self.look.star_mm
        self._lay_shadow(picture, (side, side, side / 2), (star.x_mm, star.y_mm), 0.0, STAR_HEIGHT_MM)
        self._easel.lay(picture, sprite, (star.x_mm, star.y_mm), star.angle_deg, STAR_HEIGHT_MM)

    def _lay_stone(self, picture: Image, stone: StoneOnTable) -> None:
        side, high = stone.diameter_mm, stone.diameter_mm * STONE_SHARE
        (sprite,) = self._piece(
            "stone", side, stone.bgr, make=lambda: (sprites.stone_sprite(side, stone.bgr, self._density),)
        )
        self._lay_shadow(picture, (side, side, side / 2), (stone.x_mm, stone.y_mm), 0.0, high)
        self._easel.lay(picture, sprite, (stone.x_mm, stone.y_mm), 0.0, high / 2)

    def _lay_card(self, picture: Image, card: CardOnTable) -> None:
        lies = self._lying(card)
        (sprite,) = self._piece(
            "card",
            card.art,
            make=lambda: (sprites.card_sprite(self._art[card.art], lies.size_mm, self.look, self._density),),
        )
        high = lies.lift_mm + (abs(lies.bow.rise_mm) / 2 if lies.bow is not None else 0.0)
        slab = (*lies.size_mm, self.look.card_corner_mm)
        self._lay_shadow(picture, slab, lies.place_mm, card.angle_deg, 0.8 + high)
        self._easel.lay(picture, sprite, lies.place_mm, card.angle_deg, lies.lift_mm, lies.bow)
        margin = lies.finish.sleeve_mm
        if margin is not None:
            size = (lies.size_mm[0] + 2 * margin, lies.size_mm[1] + 2 * margin)
            (film,) = self._piece("film", size, make=lambda: (sprites.film_sprite(size, self._density),))
            self._easel.lay(picture, film, lies.place_mm, card.angle_deg, lies.lift_mm, lies.bow)

    def _lying(self, card: CardOnTable) -> Lying:
        size = self._sizes.get(card.art)
        if size is None:
            raise BadSourceError(
                f"scene: no picture of card {card.art!r}; the deck in use has {len(self._art)} pictures"
            )
        return lying(card, size)

    def _lay_shadow(
        self, picture: Image, slab: tuple[float, float, float], place: Place, angle: float, height: float
    ) -> None:
        """The shadow of a flat piece (width, height, corner radius) whose middle hangs at a height over its place."""
        level = round(height)
        soft = 0.8 + 0.12 * level
        strength = self.look.shadow / (1 + 0.02 * level)

        def make() -> tuple[Sprite, ...]:
            return (sprites.box_shadow(slab[:2], slab[2], soft, strength, self._density),)

        (shadow,) = self._piece("shadow", slab, level, make=make)
        fallen = (place[0] + SHADE_PER_MM[0] * height, place[1] + SHADE_PER_MM[1] * height)
        self._easel.lay(picture, shadow, fallen, angle)

    def _hand(self, hand: HandOverTable) -> tuple[Sprite, ...]:
        sleeve = self.look.sleeve_bgr if hand.sleeve is None else hand.sleeve
        return self._piece(
            "hand",
            hand.skin,
            sleeve,
            make=lambda: sprites.hand_sprites(hand.skin, sleeve, self.look.shadow, self._density),
        )

    def _lay_hand_shadow(self, picture: Image, hand: HandOverTable) -> None:
        x = hand.tip_x_mm + SHADE_PER_MM[0] * hand.height_mm
        y = hand.tip_y_mm + SHADE_PER_MM[1] * hand.height_mm
        self._easel.lay(picture, self._hand(hand)[1], (x, y), hand.from_deg - 180)

    def _lay_hand(self, picture: Image, hand: HandOverTable) -> None:
        sprite = self._hand(hand)[0]
        self._easel.lay(picture, sprite, (hand.tip_x_mm, hand.tip_y_mm), hand.from_deg - 180, hand.height_mm)

    def _piece(self, *key: Any, make: Callable[[], tuple[Sprite, ...]]) -> tuple[Sprite, ...]:
        """A sprite made once and kept."""
        kept = self._pieces.get(key)
        if kept is None:
            kept = make()
            self._pieces[key] = kept
        return kept

    def _lit(self, picture: Image) -> Image:
        """The picture under the room's light; 255 in the light's map is a factor of 1.25."""
        if self._light is None:
            self._light = np.clip(light_map(self.camera, self.look) * (255 / 1.25), 0, 255).astype(np.uint8)
        return cv2.multiply(picture, self._light, scale=1.25 / 255).astype(np.uint8, copy=False)


def _split(strokes: tuple[Stroke, ...]) -> tuple[tuple[Stroke, ...], tuple[Stroke, ...]]:
    """Strokes that are finished, up to the first that still grows, and the rest."""
    for n, stroke in enumerate(strokes):
        if stroke.drawn < 1:
            return strokes[:n], strokes[n:]
    return strokes, ()


def _marker_corner(n: int, table_mm: tuple[float, float]) -> tuple[float, float]:
    """Where a marker's black square has its top left corner, mm."""
    width, height = table_mm
    right, low = width - sprites.MARKER_MM, height - sprites.MARKER_MM
    return ((0.0, 0.0), (right, 0.0), (right, low), (0.0, low))[n]

"""Decks in many styles, all drawn by code, for measuring how well cards are read that nobody tuned on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from companion.decks import proxies
from companion.errors import BadInputError
from companion.virtual.styles import painted, plain
from hardware.camera.base import Image


@dataclass(frozen=True, slots=True)
class Style:
    """How a deck looks."""

    draw: Callable[[], dict[str, Image]]
    """Pictures by card id, and "back"; 8 px/mm or so."""
    card_mm: tuple[float, float] = plain.POKER
    """Short and long side of a card, whichever way its print stands."""


STYLES: Mapping[str, Style] = MappingProxyType(
    {
        "abstract": Style(painted.abstract),
        "arcana": Style(painted.arcana, painted.TAROT),
        "digits": Style(plain.digits, plain.JAPANESE),
        "fantasy": Style(painted.fantasy),
        "french": Style(plain.french),
        "goods": Style(painted.goods, painted.MINI),
        "maps": Style(painted.maps),
        "pips": Style(plain.pips),
        "portraits": Style(painted.portraits),
        "prints": Style(painted.prints),
        "proxies": Style(lambda: proxies.draw_deck("hoshizora")),
        "scenery": Style(painted.scenery),
        "signs": Style(plain.signs),
        "symbols": Style(plain.symbols),
        "tiles": Style(painted.tiles, painted.SQUARE),
    }
)
"""By name; "proxies" is the project's own deck that people print."""


def style(name: str) -> Style:
    """A style by its name. Raises BadInputError."""
    found = STYLES.get(name)
    if found is None:
        raise BadInputError(f"deck style {name!r}: not one of {', '.join(STYLES)}")
    return found

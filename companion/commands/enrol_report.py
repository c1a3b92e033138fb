"""The report of an enrolment as one page: each confusable pair side by side, with what separates the two framed."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

import cv2

from vision.cards import EnrolledDeck
from vision.cards.confusable import ConfusablePair
from vision.cards.deck import Reference
from vision.frame import Image

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
ol {{ list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 2rem; }}
.two {{ display: flex; gap: .75rem; align-items: flex-start; }}
figure {{ margin: 0; flex: 1; }}
figcaption {{ font-weight: 600; overflow-wrap: anywhere; }}
.card {{ position: relative; }}
.card img {{ display: block; width: 100%; border-radius: 4%; }}
.card i {{ position: absolute; box-sizing: border-box; border: 3px solid #e0218a; outline: 2px solid #fff; border-radius: 4px; }}
p {{ margin: .5rem 0 0; }}
</style>
<h1>{title}</h1>
<p>{summary}</p>
<ol>
{pairs}
</ol>
</html>
"""


def report_page(deck: EnrolledDeck, pairs: Sequence[ConfusablePair]) -> str:
    """HTML that needs nothing beside it."""
    # The plain picture of a card comes first among its own.
    pictures = {reference.card or "back": reference for reference in reversed(deck.references)}
    width, height = deck.size_mm
    summary = (
        f"{len(deck.cards)} cards of {width:g} x {height:g} mm. "
        f"{len(pairs) or 'No'} {'pair is' if len(pairs) == 1 else 'pairs are'} easily confused"
        + ("; framed is what separates the two." if pairs else ".")
    )
    return _PAGE.format(
        title=escape(f"Deck {deck.name}"),
        summary=escape(summary),
        pairs="\n".join(_row(pair, pictures[pair.first], pictures[pair.second], deck.size_mm) for pair in pairs),
    )


def _row(pair: ConfusablePair, first: Reference, second: Reference, size_mm: tuple[float, float]) -> str:
    one, other = _upright(first), _upright(second)
    if pair.turned:
        other = cv2.rotate(other, cv2.ROTATE_180).astype(other.dtype)
    label = f"{pair.second}, upside down" if pair.turned else pair.second
    size = size_mm[::-1] if first.turned else size_mm
    return (
        f'<li><div class="two">{_figure(one, pair.first, pair, size)}{_figure(other, label, pair, size)}</div>'
        f"<p>{escape(str(pair))}</p></li>"
    )


def _figure(picture: Image, label: str, pair: ConfusablePair, size_mm: tuple[float, float]) -> str:
    x, y, width, height = pair.where_mm
    across, down = 100 / size_mm[0], 100 / size_mm[1]
    frame = f"left:{x * across:.1f}%;top:{y * down:.1f}%;width:{width * across:.1f}%;height:{height * down:.1f}%"
    data = base64.b64encode(cv2.imencode(".jpg", picture)[1].tobytes()).decode("ascii")
    return (
        f'<figure><div class="card"><img alt="" src="data:image/jpeg;base64,{data}"><i style="{frame}"></i></div>'
        f"<figcaption>{escape(label)}</figcaption></figure>"
    )


def _upright(reference: Reference) -> Image:
    """The card's own way up."""
    if not reference.turned:
        return reference.picture
    return cv2.rotate(reference.picture, cv2.ROTATE_90_COUNTERCLOCKWISE).astype(reference.picture.dtype)

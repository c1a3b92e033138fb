"""What hands do at any virtual table, as runs of scenes: lay, turn, carry, draw, take away, rest in the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from companion.virtual.stage import AHEAD_MM, Stage, direction
from hardware.virtual.scene import CardOnTable, HandOverTable, Point, Scene

LIFT_MM = 30.0
"""How high a hand carries a card."""
ASIDE_DEG = 16.0
"""How far a resting or turning hand may lean from its usual side."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How fast the hands are; seconds of the film."""

    fps: float = 8.0
    """Pictures a second."""
    still_s: float = 1.1
    """Between two acts nothing moves and no hand is there for so long."""
    reach_s: float = 0.45
    """A hand comes in or leaves."""
    rest_s: float = 0.2
    """A hand stays where it lays or turns a card."""
    draw_mm_s: float = 160.0
    """Speed of the pen and of the tissue."""


class Reel:
    """The table while it is being filmed. Each method is a run of scenes, one a picture; the table stays as it leaves it."""

    def __init__(self, stage: Stage, timing: Timing) -> None:
        self._stage = stage
        self._timing = timing
        self._table = stage.empty()

    # Acts

    def still(self, seconds: float | None = None) -> Iterator[Scene]:
        """Nothing moves."""
        yield from self._run(self._timing.still_s if seconds is None else seconds, lambda _: self._table)

    def lay(
        self, cards: Sequence[tuple[str, CardOnTable]], after: Sequence[CardOnTable] | None = None
    ) -> Iterator[Scene]:
        """Seats lay a card each, all at once; `after` lie on the table then, if not those before and these."""
        grips = [self._stage.holding(seat, card, self._lean("lay", seat, card.x_mm)) for seat, card in cards]
        outs = [self._stage.away(grip, carrying=True) for grip in grips]
        resting = self._table.cards

        def carried(share: float) -> Scene:
            hands = tuple(_between(out, grip, share) for out, grip in zip(outs, grips, strict=True))
            lift = LIFT_MM * (1 - share)
            moving = tuple(_held(card, hand, lift) for (_, card), hand in zip(cards, hands, strict=True))
            return replace(self._table, cards=(*resting, *moving), hands=hands)

        yield from self._run(self._timing.reach_s, carried)
        self._put_cards([*resting, *(card for _, card in cards)] if after is None else after)
        yield from self._rest(grips)
        yield from self._leave(grips)

    def turn(self, faces: Sequence[tuple[str, str]], places: Sequence[CardOnTable]) -> Iterator[Scene]:
        """Each seat's hand passes over its card, and its face shows."""
        grips = [
            self._stage.hand(seat, (card.x_mm, card.y_mm), self._lean("turn", seat, card.x_mm))
            for (seat, _), card in zip(faces, places, strict=True)
        ]
        yield from self._come(grips)
        turned = {card: replace(card, art=face) for (_, face), card in zip(faces, places, strict=True)}
        yield from self._rest(grips)
        self._put_cards([turned.get(card, card) for card in self._table.cards])
        yield from self._rest(grips)
        yield from self._leave(grips)

    def take(self, seat: str) -> Iterator[Scene]:
        """A seat's hand gathers all cards and takes them away."""
        yield from self.take_away(seat, self._table.cards, ())

    def take_away(self, seat: str, cards: Sequence[CardOnTable], left: Sequence[CardOnTable]) -> Iterator[Scene]:
        """A seat's hand gathers cards and takes them away; `left` lie on the table when it has gathered the last."""
        held: list[CardOnTable] = []
        hand = yield from self._gather(seat, cards, held)
        if hand is None:
            return
        yield from self._slide(hand, self._stage.away(hand, carrying=True), held, left)
        self._put_cards(left)

    def carry(
        self, seat: str, cards: Sequence[CardOnTable], to: CardOnTable, after: Sequence[CardOnTable]
    ) -> Iterator[Scene]:
        """A seat's hand gathers cards and puts them down together at a place; `after` lie on the table then."""
        held: list[CardOnTable] = []
        hand = yield from self._gather(seat, cards, held)
        if hand is None:
            return
        left = [card for card in self._table.cards if card not in held]
        grip = self._stage.holding(seat, to, self._lean("carry", seat, to.x_mm))
        yield from self._slide(hand, grip, held, left)
        self._put_cards(after)
        yield from self._rest([grip])
        yield from self._leave([grip])

    def draw_card(self, seat: str, card: CardOnTable, left: Sequence[CardOnTable]) -> Iterator[Scene]:
        """A seat's hand takes the top card of a pile away, turned as `card` lies there; `left` lie on the table from then on."""
        grip = self._stage.holding(seat, card, self._lean("fetch", seat, card.x_mm))
        yield from self._come([grip])
        self._put_cards(left)
        yield from self._slide(grip, self._stage.away(grip, carrying=True), [card], left)

    def _gather(
        self, seat: str, cards: Sequence[CardOnTable], held: list[CardOnTable]
    ) -> Generator[Scene, None, HandOverTable | None]:
        """The hand takes up cards, always the nearest, into `held`; where it is then, or None where there are none."""
        if not cards:
            return None
        resting = [card for card in self._table.cards if card not in cards]
        left = list(cards)
        lean = self._lean("take", seat, left[0].x_mm)
        hand = self._stage.holding(seat, left[0], lean)
        yield from self._come([hand])
        while left:
            nearest = min(left, key=lambda card: math.hypot(card.x_mm - hand.tip_x_mm, card.y_mm - hand.tip_y_mm))
            grip = self._stage.holding(seat, nearest, lean)
            yield from self._slide(hand, grip, held, (*resting, *left))
            left.remove(nearest)
            held.append(nearest)
            hand = grip
        return hand

    def idle(self, seat: str, tip: Point, seconds: float) -> Iterator[Scene]:
        """A seat's hand rests over the table for no reason."""
        hand = self._stage.hand(seat, tip, self._lean("idle", seat, tip[0]))
        yield from self._come([hand])
        yield from self._run(seconds, lambda _: replace(self._table, hands=(hand,)))
        yield from self._leave([hand])

    def cover_marker(self, seat: str, marker: int, is_covered: bool) -> Iterator[Scene]:
        """A seat's hand puts a cup on a marker, or takes it away."""
        width, height = self._table.table_mm
        middle = ((20.0, 20.0), (width - 20, 20.0), (width - 20, height - 20), (20.0, height - 20))[marker]
        hand = self._stage.hand(seat, middle)
        yield from self._come([hand])
        covered = self._table.covered_markers
        change = covered | {marker} if is_covered else covered - {marker}
        self._table = replace(self._table, covered_markers=frozenset(change))
        yield from self._leave([hand])

    # Runs

    def _run(self, seconds: float, scene_at: Callable[[float], Scene]) -> Iterator[Scene]:
        """Scenes for a time; `scene_at` gets the share of it that is over, in (0, 1]."""
        number = max(1, round(seconds * self._timing.fps))
        for n in range(1, number + 1):
            yield scene_at(n / number)

    def _come(self, hands: Sequence[HandOverTable]) -> Iterator[Scene]:
        outs = [self._stage.away(hand) for hand in hands]
        yield from self._run(self._timing.reach_s, lambda share: self._with_hands(outs, hands, share))

    def _leave(self, hands: Sequence[HandOverTable]) -> Iterator[Scene]:
        outs = [self._stage.away(hand) for hand in hands]
        yield from self._run(self._timing.reach_s, lambda share: self._with_hands(hands, outs, share))

    def _rest(self, hands: Sequence[HandOverTable]) -> Iterator[Scene]:
        yield from self._run(self._timing.rest_s, lambda _: replace(self._table, hands=tuple(hands)))

    def _slide(
        self,
        start: HandOverTable,
        end: HandOverTable,
        held: Sequence[CardOnTable] = (),
        left: Sequence[CardOnTable] = (),
    ) -> Iterator[Scene]:
        """A hand goes from one place to another, with the cards that it holds, if any; `left` lie on the table."""
        far = math.hypot(end.tip_x_mm - start.tip_x_mm, end.tip_y_mm - start.tip_y_mm)
        if far < 1:
            return

        def sliding(share: float) -> Scene:
            hand = _between(start, end, share)
            if not held:
                return replace(self._table, hands=(hand,))
            moving = tuple(_held(card, hand, LIFT_MM + n) for n, card in enumerate(held))
            return replace(self._table, cards=(*left, *moving), hands=(hand,))

        yield from self._run(max(self._timing.rest_s, far / 500), sliding)

    def _with_hands(self, starts: Sequence[HandOverTable], ends: Sequence[HandOverTable], share: float) -> Scene:
        moving = tuple(_between(start, end, share) for start, end in zip(starts, ends, strict=True))
        return replace(self._table, hands=moving)

    def _put_cards(self, cards: Sequence[CardOnTable]) -> None:
        self._table = replace(self._table, cards=tuple(cards))

    def _lean(self, *what: object) -> float:
        return self._stage.chance("lean", *what).uniform(-ASIDE_DEG, ASIDE_DEG)


def _between(start: HandOverTable, end: HandOverTable, share: float) -> HandOverTable:
    """On the way, slower at both ends."""
    eased = share * share * (3 - 2 * share)
    x = start.tip_x_mm + (end.tip_x_mm - start.tip_x_mm) * eased
    y = start.tip_y_mm + (end.tip_y_mm - start.tip_y_mm) * eased
    return replace(end, tip_x_mm=round(x, 2), tip_y_mm=round(y, 2))


def _held(card: CardOnTable, hand: HandOverTable, lift_mm: float) -> CardOnTable:
    """A card in the fingers of a hand."""
    out_x, out_y = direction(hand.from_deg)
    x, y = hand.tip_x_mm - out_x * AHEAD_MM, hand.tip_y_mm - out_y * AHEAD_MM
    return replace(card, x_mm=x, y_mm=y, lift_mm=max(0.1, lift_mm))

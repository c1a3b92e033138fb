"""How cards move between hands, deck and discard pile, and what that lets people know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from companion.rules.shuhari.knowledge import can_be, false_rests, no_room, no_room_since, shown_card, since
from companion.rules.shuhari.setup import ShuhariSetup
from companion.rules.shuhari.state import NEVER, Hand, Known, Pool, Rest, Shown, ShuhariState, made

Hands = tuple[Hand, ...]


def put(hands: Hands, place: int, hand: Hand) -> Hands:
    """The hands with one of them changed."""
    changed = list(hands)
    changed[place] = hand
    return tuple(changed)


def knows(hand: Hand, card: str) -> bool:
    """Whether everybody knows that the hand holds the card."""
    return bool(hand.known) and any(known.card == card for known in hand.known)


def can_come(state: ShuhariState, place: int, card: str) -> bool:
    """Whether a card can come from the hand at `place`, by what was seen of it so far."""
    hand = state.hands[place]
    art = state.setup.arts.get(card)
    has_hidden = hand.size > len(hand.known)
    if art is not None:
        return (has_hidden and state.pool.hidden & art.bit != 0) or knows(hand, card)
    if knows(hand, card):
        return True
    data = state.setup.cards.get(card)
    if data is None or not has_hidden:
        return False
    seen = state.pool.aids.count(card) + sum(played.card == card for played in state.trick.cards)
    elsewhere = sum(known.card == card for other in state.hands if other is not hand for known in other.known)
    return seen + elsewhere < data.copies


class Showing(NamedTuple):
    """What it says that everybody sees a card of a hand, which still holds it."""

    hand: Hand
    others: Hands
    """Every hand; that which shows the card is as before, see `hand`."""
    pool: Pool
    item: Shown | None = None
    """None where it tells nothing new, or where it was followed to a place that it can't have come from."""
    false: tuple[tuple[Rest, ...], ...] = ()
    """The rests of the same player that it proves false, as `false_rests` gives them."""
    crowded: tuple[tuple[int, tuple[Rest, ...]], ...] = ()
    """By place: the rests of the others that it proves false by leaving no room."""


def showing(state: ShuhariState, place: int, card: str, slot: int | None, *, laid_open: bool = False) -> Showing:
    """Everybody sees a card of the hand at `place`, one that can come from it; claims that this disproves are dropped."""
    setup, _, hands, pool, _, clock, _, _ = state
    hand = hands[place]
    art = setup.arts.get(card)
    if art is None or knows(hand, card):
        return Showing(hand, hands, pool)
    item = shown_card(pool, hand, card, art, slot, clock + 1)
    if not can_be(item):
        _, _, hands, pool, *_ = in_doubt(state, card)
        return Showing(hands[place], hands, without_card(pool, place, art.bit))
    false = false_rests(hand, item, laid_open=laid_open)
    kept = item
    if false:
        hand = without_rests(hand, [rest for rests in false for rest in rests])
        kept = item._replace(claimed=since(item, hand.rests))
    size, known, draws, shown, rests, last, slots, blind = hand
    hand = made(Hand, (size, known, draws, (*shown, kept), rests, last, slots, blind))
    left = without_card(pool, place, art.bit)
    if not pool.room or pool.fresh & art.bit:
        return Showing(hand, hands, left, item, false)
    crowded = _crowded(setup, left, hands, place)
    for other, gone in crowded:
        hands = put(hands, other, without_rests(hands[other], gone))
    return Showing(hand, hands, left, item, false, crowded)


def show(state: ShuhariState, place: int, card: str) -> ShuhariState:
    """The state after everybody saw a card of a hand laid open; the card is still in it."""
    seen = showing(state, place, card, None, laid_open=True)
    return state._replace(hands=put(seen.others, place, seen.hand), pool=seen.pool)


def without_card(pool: Pool, place: int, bit: int) -> Pool:
    """The pool after an art card, one of those hidden, was seen to be in the hand at `place`."""
    deck, hidden, fresh, pile, aids, renewals, ends, room, certain = pool
    if room and not fresh & bit:
        room = (*room[:place], max(0, room[place] - 1), *room[place + 1 :])
    return made(Pool, (deck, hidden & ~bit, fresh & ~bit, pile, aids, renewals, ends, room, certain))


def _crowded(setup: ShuhariSetup, pool: Pool, hands: Hands, place: int) -> tuple[tuple[int, tuple[Rest, ...]], ...]:
    """The rests of the others that have no room any more, now that the hand at `place` has shown so much of itself."""
    others = [(other, no_room_since(setup, pool, hands, other)) for other in range(len(hands)) if other != place]
    return tuple([(other, false) for other, false in others if false])


def contradicts(setup: ShuhariSetup, pool: Pool, hands: Hands, place: int, kind: int) -> bool:
    """Whether a rest now is proved false by what is known already."""
    known, arts = hands[place].known, setup.arts
    if known and any(kind in arts[item.card].kinds for item in known if item.card in arts):
        return True
    return no_room(setup, pool, hands, place, kind)


def with_rest(hand: Hand, rest: Rest) -> Hand:
    """A hand with a rest's claim added."""
    size, known, draws, shown, rests, last, slots, blind = hand
    last = (*last[: rest.kind], rest.time, *last[rest.kind + 1 :])
    return Hand(size, known, draws, shown, (*rests, rest), last, slots, blind)


def without_rest(hand: Hand, time: int) -> Hand:
    """A hand without the claim of a rest at that time, if there is one."""
    return without_rests(hand, [rest for rest in hand.rests if rest.time == time])


def without_rests(hand: Hand, gone: Sequence[Rest]) -> Hand:
    """A hand without these claims."""
    if not gone:
        return hand
    kept = tuple([rest for rest in hand.rests if rest not in gone])
    last = [NEVER] * 15
    for rest in kept:
        last[rest.kind] = rest.time
    shown = tuple([item._replace(claimed=since(item, kept)) for item in hand.shown])
    return hand._replace(shown=shown, rests=kept, last=tuple(last))


def not_known(hands: Hands, pile: int, setup: ShuhariSetup) -> Hands:
    """The hands without known cards that lie in the discard pile for all to see: what made them known was wrong."""
    for place, hand in enumerate(hands):
        kept = tuple(
            [item for item in hand.known if item.card not in setup.arts or not setup.arts[item.card].bit & pile]
        )
        if len(kept) < len(hand.known):
            hands = put(hands, place, hand._replace(known=kept))
    return hands


def with_known(hand: Hand, known: Known) -> Hand:
    """A hand with one of its cards known."""
    return hand._replace(known=(*hand.known, known))


def parted(hand: Hand, card: str, slot: int | None) -> Hand:
    """A hand after a card left it."""
    size, known, draws, shown, rests, last, slots, blind = hand
    if known:
        index = next((number for number, item in enumerate(known) if item.card == card), None)
        if index is not None:
            known = (*known[:index], *known[index + 1 :])
    if slots and slot is not None:
        slots = tuple([pair for pair in slots if pair[0] != slot])
    return made(Hand, (size - 1, known, draws, shown, rests, last, slots, blind))


def added(hand: Hand, now: int, slot: int | None) -> Hand:
    """A hand after a card of the deck came to it unseen."""
    size, known, draws, shown, rests, last, slots, blind = hand
    slots, blind = ((), True) if slot is None else (_followed(slots, now, slot), blind)
    return made(Hand, (size + 1, known, draws | 1 << now, shown, rests, last, slots, blind))


def _followed(slots: tuple[tuple[int, int], ...], now: int, slot: int) -> tuple[tuple[int, int], ...]:
    """The followed places of a hand after one was filled."""
    return (*[pair for pair in slots if pair[0] != slot], (slot, now))


def taken_from_pile(state: ShuhariState, place: int, known: Known, slot: int | None, now: int) -> ShuhariState:
    """A card of the discard pile came to a hand, seen by all."""
    pool, card = state.pool, known.card
    art = state.setup.arts.get(card)
    hand = state.hands[place]
    slots, blind = ((), True) if slot is None else (_followed(hand.slots, now, slot), hand.blind)
    hand = hand._replace(size=hand.size + 1, known=(*hand.known, known), slots=slots, blind=blind)
    state = state._replace(hands=put(state.hands, place, hand))
    if art is not None and pool.pile & art.bit:
        return state._replace(pool=pool._replace(pile=pool.pile & ~art.bit))
    if art is None and card in pool.aids:
        aids = list(pool.aids)
        aids.remove(card)
        return state._replace(pool=pool._replace(aids=tuple(aids)))
    state = in_doubt(state, card)
    state = state._replace(hands=put(state.hands, place, with_known(state.hands[place], known)))
    if art is not None:
        pool = state.pool
        state = state._replace(pool=pool._replace(hidden=pool.hidden & ~art.bit, fresh=pool.fresh & ~art.bit))
    return state


def drawn(pool: Pool, count: int) -> Pool:
    """The pool after cards were drawn from the deck."""
    deck, hidden, fresh, pile, aids, renewals, ends, room, certain = pool
    left = deck - count
    return made(Pool, (max(left, 0), hidden, fresh, pile, aids, renewals, ends, room, certain and left >= 0))


def discarded(pool: Pool, setup: ShuhariSetup, cards: Iterable[str]) -> Pool:
    """The pool after cards went to the discard pile; a stranger goes nowhere."""
    pile, aids = pool.pile, list(pool.aids)
    for card in cards:
        art = setup.arts.get(card)
        if art is not None:
            pile |= art.bit
        elif card in setup.cards:
            aids.append(card)
    deck, hidden, fresh, _, _, renewals, ends, room, certain = pool
    return Pool(deck, hidden & ~pile, fresh & ~pile, pile, tuple(aids), renewals, ends, room, certain)


def put_under(pool: Pool, setup: ShuhariSetup, card: str, now: int) -> Pool:
    """The pool after a card that all have seen went under the deck."""
    art = setup.arts.get(card)
    if art is None:
        return pool._replace(deck=pool.deck + 1)
    return pool._replace(
        deck=pool.deck + 1,
        hidden=pool.hidden | art.bit,
        fresh=pool.fresh | art.bit,
        pile=pool.pile & ~art.bit,
        renewals=(*pool.renewals, (now, art.bit)),
    )


def renewed(pool: Pool, sizes: Sequence[int], now: int) -> Pool:
    """The pool after the discard pile became the deck.

    Where the counts are certain and the deck had run out to its last card, the hidden cards that were in it are in hands now.
    """
    deck = pool.deck + pool.pile.bit_count() + len(pool.aids)
    renewals = (*pool.renewals, (now, pool.pile))
    if pool.certain and pool.deck == 0:
        ends = (*pool.ends, (now, pool.fresh))
        return Pool(deck, pool.hidden | pool.pile, pool.pile, 0, (), renewals, ends, tuple(sizes), True)
    return pool._replace(
        deck=deck, hidden=pool.hidden | pool.pile, fresh=pool.fresh | pool.pile, pile=0, aids=(), renewals=renewals
    )


def uncounted(state: ShuhariState) -> ShuhariState:
    """After a card moved that nobody saw: the deck may hold another number, so nothing rests on its running out."""
    pool = state.pool
    return state._replace(pool=pool._replace(certain=False, fresh=pool.hidden, ends=(), room=()))


def in_doubt(state: ShuhariState, card: str) -> ShuhariState:
    """After a card was seen where it can't be: one reading is wrong, so nothing rests on counts and rests so far."""
    state = uncounted(state)
    hands = []
    for hand in state.hands:
        known = tuple([item for item in hand.known if item.card != card])
        hands.append(without_rests(hand, hand.rests)._replace(known=known, shown=(), slots=(), blind=True))
    return state._replace(hands=tuple(hands))

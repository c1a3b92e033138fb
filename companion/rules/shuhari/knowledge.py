"""What public acts prove about hidden hands in Shuhari.

Whoever rests claims to hold no card that practises. A card that the same player shows later can disprove it only if it was in the
hand already, and nearly always a hidden draw in between explains it. It can't where the card

- was known to be in the hand (taken by Review, shown),
- came from a place of the hand that was followed and filled before the rest,
- was in no deck any more when the player rested: the deck had run out, and the card was not in the pile that renewed it,
- or where more cards that practise are hidden than the deck and the other hands have room for.

Shown cards that came unseen are jobs, hidden draws are the slots that must explain one each, and a rest or a renewal says after
which draw a card must have come; serving the earliest deadline first finds an explanation exactly when there is one.

Only the player's own rests count in the argument: others may have lied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.rules.shuhari.aids import usable
from companion.rules.shuhari.facts import SUITS
from companion.rules.shuhari.plays import breaks, practises
from companion.rules.shuhari.setup import Art, ShuhariSetup
from companion.rules.shuhari.state import DEALT, NEVER, NO_ART, Hand, Pool, Rest, Shown, ShuhariState, made


def explained(hidden: Iterable[tuple[int, int]], draws: int) -> bool:
    """Whether each of these cards can be given a draw of its own: one after its first number and before its second.

    `draws` has the bit of each time at which one was. Exact: the card whose time runs out first takes the earliest draw that is
    free and late enough for it; whoever else could take that draw can do with a later one as well.
    """
    for before, after in sorted([(before, after) for after, before in hidden]):
        late_enough = draws >> after + 1 << after + 1
        earliest = late_enough & -late_enough
        if not earliest or earliest >> before:
            return False
        draws ^= earliest
    return True


def since(item: Shown, rests: Iterable[Rest]) -> int:
    """After which moment a shown card must have come, if these rests of its player were true."""
    after = item.after
    for rest in rests:
        if after < rest.time < item.time and rest.kind in item.kinds:
            after = rest.time
    return after


def came(pool: Pool, bit: int) -> int:
    """The last time an art card went into the deck for all to see; NEVER where it was in it from the start."""
    for time, cards in reversed(pool.renewals):
        if cards & bit:
            return time
    return NEVER


def gone(pool: Pool, bit: int, now: int) -> int:
    """When the deck that a hidden card was in ran out; `now` where it may be in the deck still."""
    if pool.fresh & bit:
        return now
    for time, cards in reversed(pool.ends):
        if cards & bit:
            return time
    return now


def slot_time(hand: Hand, slot: int | None) -> int | None:
    """When a followed place of a hand was filled; None where nobody can tell."""
    if slot is None:
        return None
    for number, time in hand.slots:
        if number == slot:
            return time
    return None if hand.blind else DEALT


def shown_card(pool: Pool, hand: Hand, card: str, art: Art, slot: int | None, now: int) -> Shown:
    """A hidden art card of a hand that everybody sees now."""
    bit, _, kinds = art
    after = came(pool, bit) if pool.renewals else NEVER
    before = gone(pool, bit, now) if pool.ends else now
    last = hand.last
    claimed = max(after, last[kinds[0]], last[kinds[1]], last[kinds[2]])
    return made(Shown, (card, kinds, after, claimed, before, now, None if slot is None else slot_time(hand, slot)))


def can_be(item: Shown) -> bool:
    """Whether a followed card agrees with where its kind can have come from; otherwise one of the readings is wrong."""
    return item.slot is None or item.after < item.slot < item.before


def false_rests(hand: Hand, item: Shown, *, laid_open: bool = False) -> tuple[tuple[Rest, ...], ...]:
    """The rests that a shown card proves false: each by itself, else the smallest number of them that can't all be true.

    `laid_open`: it was shown beside the card of the turn.
    """
    if item.claimed == NEVER:
        return ()
    if item.slot is not None:
        if item.claimed <= item.slot:
            return ()
        return tuple([(r,) for r in hand.rests if item.slot < r.time < item.time and r.kind in item.kinds])
    beside = laid_open or (hand.known and any(known.shown for known in hand.known))
    if item.before == item.time and not beside and not hand.slots:
        return ()  # the draw of each turn since explains the card of each turn
    return _conflicts(hand, item)


def _conflicts(hand: Hand, item: Shown) -> tuple[tuple[Rest, ...], ...]:
    """Cards that may have been dealt, for all that was claimed, bind no draw and are left out of the argument."""
    draws = hand.draws
    items = [other for other in hand.shown if other.claimed != NEVER]
    items.append(item)
    followed = [other.slot for other in items if other.slot is not None]
    if followed:
        items = [other for other in items if other.slot is None]
        draws &= ~sum([1 << time for time in set(followed) if time >= 0])
    if explained([(other.claimed, other.before) for other in items], draws):
        return ()

    def holds(rests: Sequence[Rest]) -> bool:
        jobs = [(since(other, rests), other.before) for other in items]
        return explained([job for job in jobs if job[0] != NEVER], draws)

    if not holds(()):
        return ()
    alone = [(rest,) for rest in hand.rests if not holds((rest,))]
    if alone:
        return tuple(alone)
    kept = list(hand.rests)
    for rest in hand.rests:
        fewer = [other for other in kept if other is not rest]
        if not holds(fewer):
            kept = fewer
    return (tuple(kept),)


def no_room(setup: ShuhariSetup, pool: Pool, hands: Sequence[Hand], place: int, kind: int) -> bool:
    """Whether so many cards of a kind are hidden that the hand at `place` must hold one of them."""
    if not pool.certain:
        return False
    cards = pool.hidden & setup.of_kind[kind]
    old = cards & ~pool.fresh
    if old and old.bit_count() > _room_elsewhere(pool, hands, place):
        return True
    beyond_deck = cards.bit_count() - pool.deck
    return beyond_deck > 0 and beyond_deck > sum([hand.hidden for n, hand in enumerate(hands) if n != place])


def no_room_since(setup: ShuhariSetup, pool: Pool, hands: Sequence[Hand], place: int) -> tuple[Rest, ...]:
    """The rests of a hand since the deck last ran out that the room in the other hands disproves now."""
    if not pool.certain or not pool.ends:
        return ()
    since = pool.ends[-1][0]
    rests = hands[place].rests
    if not rests or rests[-1].time <= since:
        return ()
    room = _room_elsewhere(pool, hands, place)
    old = pool.hidden & ~pool.fresh
    if old.bit_count() <= room:
        return ()
    return tuple([x for x in rests if x.time > since and (old & setup.of_kind[x.kind]).bit_count() > room])


def _room_elsewhere(pool: Pool, hands: Sequence[Hand], place: int) -> int:
    """How many cards from before the deck last ran out the other hands can hold."""
    return sum([min(pool.room[n], hand.hidden) for n, hand in enumerate(hands) if n != place])


def likelihood(state: ShuhariState, place: int, card: str) -> int:
    """How likely honest draws are, in a thousand at most, to have brought the cards shown since the last rest on such a card.

    1000 where nothing was claimed. A bound from the hidden cards now, with every draw since put to use; never proof.
    """
    setup, hand, pool = state.setup, state.hands[place], state.pool
    kinds = setup.arts[card].kinds
    kind = max(kinds, key=lambda number: hand.last[number])
    claimed = hand.last[kind]
    if claimed <= came(pool, setup.arts[card].bit):
        return 1000
    needed = 1 + sum([kind in setup.arts[x.card].kinds for x in hand.shown if x.after < claimed < x.time])
    draws = (hand.draws >> claimed + 1).bit_count()
    cards = (pool.hidden & setup.of_kind[kind]).bit_count() + needed - 1
    hidden = pool.deck + sum([other.hidden for other in state.hands]) + needed - 1
    if needed < draws or draws == 0:
        return 1000
    share = 1000
    for taken in range(needed):
        share = share * max(cards - taken, 1) // max(hidden - taken, 1)
    return share


def kind_text(kind: int) -> str:
    """A kind of art card for people: "ikebana in the Obey ring"."""
    return f"{SUITS[kind % 5]} in the {('Obey', 'Detach', 'Separate')[kind // 5]} ring"


def rest_act(setup: ShuhariSetup, place: int, rest: Rest) -> str:
    """The public act of a rest, for people."""
    name = setup.named(rest.card)
    return f"trick {rest.trick}: {setup.seats[place]} rested with {name}, claiming no {kind_text(rest.kind)}"


def candidates(state: ShuhariState, seat: str) -> tuple[str, ...]:
    """The art cards that the unknown part of a hand may hold, as far as its own rests and the places of cards tell."""
    setup, pool = state.setup, state.pool
    place = setup.places[seat]
    hand = state.hands[place]
    if hand.hidden <= 0:
        return ()
    last_draw = hand.draws.bit_length() - 1  # DEALT where there was none
    found = []
    for card, art in setup.arts.items():
        if pool.hidden & art.bit:
            claimed = max(hand.last[kind] for kind in art.kinds)
            if pool.fresh & art.bit or claimed <= came(pool, art.bit):
                if claimed < last_draw or claimed <= came(pool, art.bit):
                    found.append(card)
            elif claimed < gone(pool, art.bit, state.clock):
                found.append(card)
    return tuple(found)


def playable(state: ShuhariState, hand: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What a known hand may play now, by play: lead, practice, rest, break, aid; those without a card are left out."""
    setup, trick = state.setup, state.trick
    arts = [(card, setup.arts[card]) for card in hand if card in setup.arts]
    if trick.art == NO_ART:
        return {"lead": tuple(card for card, _ in arts)} if arts else {}
    practice = tuple(card for card, art in arts if practises(trick, art))
    found = {
        "practice": practice,
        "break": tuple(card for card, art in arts if breaks(trick, art)),
        "rest": () if practice else tuple(card for card, _ in arts),
        "aid": tuple(card for card in hand if card in setup.cards and card not in setup.arts and usable(state, card)),
    }
    return {play: cards for play, cards in found.items() if cards}

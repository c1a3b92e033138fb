"""Counting by leading each seat back by itself, then putting the three together."""

from __future__ import annotations

from functools import lru_cache
from math import perm

from companion.rules.ahuha.bags import FREE_BITS, Bag, cards_in, contents, one, orders, renamed
from companion.rules.ahuha.stretches import (
    DRAWS,
    HAS,
    LACKS,
    TAKES,
    Step,
    Stretch,
    agrees,
    asks_only,
    hands_now,
    returns,
)
from companion.rules.ahuha.work import Work

Way = tuple[Bag, ...]
"""Cards that went around, the latest pass first, each by the kind it has before the pass at which it came."""
Table = dict[Bag, int]
"""By the hidden cards that seats take up: in how many patterns."""
Seat = dict[tuple[Way, Way], Table]
"""A seat's table by what it took back and by what it returned on the way."""


def patterns_by_seats(
    pool: Bag, hands: tuple[int, ...], frozen: tuple[int, ...], stretches: tuple[Stretch, ...], work: Work
) -> int:
    """In how many patterns the pool can lie. Raises TooManyWaysError where that is too much work.

    The seats share what is hidden and, where cards were passed twice or more, the cards on their way: what a seat takes back
    must be what the next one returned.
    """
    if len(stretches) == 1:
        return _without_passes(pool, hands, stretches[0], work)
    seats = []
    for place in range(3):
        seat = _led_back(pool, hands[place], frozen[place], place, stretches, work)
        if not seat:
            return 0
        seats.append(seat)
    return _put_together(pool, seats, work)


def _without_passes(pool: Bag, hands: tuple[int, ...], stretch: Stretch, work: Work) -> int:
    """Only the seats that answered count one by one; of the last of them only how many hands it can hold."""
    used: Table = {0: 1}
    asked = [place for place in range(3) if stretch.steps[place]]
    plain = [place for place in asked if all(what in (HAS, LACKS) for what, _ in stretch.steps[place])]
    last = min(plain, key=lambda place: sum([what == LACKS for what, _ in stretch.steps[place]]), default=None)
    for place in asked:
        if place != last:
            used = _joined(pool, used, _seat_without_passes(pool, hands[place], stretch.steps[place], work), work)
    if last is None:
        return sum([ways * orders(pool - cards) for cards, ways in used.items()])
    size, lacking = hands[last], _lacking(stretch.steps[last], work)
    work.spend(len(used) * len(lacking))
    return sum([ways * _completions(pool - cards, size, lacking) for cards, ways in used.items()])


def _seat_without_passes(pool: Bag, size: int, steps: tuple[Step, ...], work: Work) -> Table:
    hands, before = hands_now(pool, size, steps)
    work.spend(len(hands))
    if not before:
        return dict(hands)
    states = {(hand, hand): ways for hand, ways in hands}
    for step in before:
        states = _step_back(pool, states, step, work)
    table: Table = {}
    for (cards, _), ways in states.items():
        table[cards] = table.get(cards, 0) + ways
    return table


def _step_back(pool: Bag, states: dict[tuple[Bag, Bag], int], step: Step, work: Work) -> dict[tuple[Bag, Bag], int]:
    """The hidden cards taken up and the hand, one step earlier."""
    what, cards = step
    work.spend(len(states) * (len(contents(pool)) if what == DRAWS else 1))
    if what == TAKES:
        return {(used, hand + cards): ways for (used, hand), ways in states.items()}
    if what != DRAWS:
        return {state: ways for state, ways in states.items() if agrees(state[1], step)}
    after: dict[tuple[Bag, Bag], int] = {}
    for (used, hand), ways in states.items():
        for _, drawn in contents(pool - used):
            key = used + drawn, hand + drawn
            after[key] = after.get(key, 0) + ways
    return after


def _lacking(steps: tuple[Step, ...], work: Work) -> tuple[tuple[int, int], ...]:
    """A seat's answers as signed counts of hands that lack cards: those with one are all less those without."""
    signed = {0: 1}
    for what, asked in steps:
        work.spend(len(signed))
        after = {} if what == LACKS else dict(signed)
        for lacked, sign in signed.items():
            more = lacked | asked
            after[more] = after.get(more, 0) + (sign if what == LACKS else -sign)
        signed = after
    return tuple([(lacked, sign) for lacked, sign in signed.items() if sign])


@lru_cache(maxsize=1 << 14)
def _completions(pool: Bag, size: int, lacking: tuple[tuple[int, int], ...]) -> int:
    """In how many patterns a pool can lie of which the first so many cards are the last seat's hand."""
    number = cards_in(pool)
    chosen = sum([sign * perm(number - cards_in(pool & lacked), size) for lacked, sign in lacking])
    return orders(pool) * chosen // perm(number, size) if chosen else 0


def _joined(pool: Bag, used: Table, more: Table, work: Work) -> Table:
    """The cards that two groups of seats can take up together."""
    work.spend(len(used) * len(more))
    after: Table = {}
    get = after.get
    for cards, ways in used.items():
        room = pool - cards | FREE_BITS
        for others, times in more.items():
            if room - others & FREE_BITS == FREE_BITS:
                both = cards + others
                after[both] = get(both, 0) + ways * times
    return after


State = tuple[Bag, Bag, Way, Way]
"""Hidden cards taken up, the hand, and what was taken back and returned so far."""


def _led_back(pool: Bag, size: int, frozen: int, place: int, stretches: tuple[Stretch, ...], work: Work) -> Seat:
    """A seat led back through the stretches: at the latest pass it takes back what lies in its frozen place, later any card."""
    hands, before = hands_now(pool, size, stretches[0].steps[place])
    placed = [(card, card) for _, card in contents(pool)] if frozen < 0 else [(one(frozen), 0)]
    work.spend(len(placed) * len(hands))
    if len(stretches) == 2 and asks_only(stretches[1].steps[place]) and all(what == TAKES for what, _ in before):
        shown = sum([cards for _, cards in before])
        table = _over_only_pass(pool, hands, placed, shown, stretches[0].names, stretches[1].steps[place])
        return {((), ()): table} if table else {}
    states: dict[State, int] = {}
    for card, own in placed:
        room = pool - own | FREE_BITS
        for hand, ways in hands:
            if room - hand & FREE_BITS == FREE_BITS:
                states[hand + own, hand, (card,), ()] = ways
    states = _through(pool, states, before, stretches[0].called, work)
    last = len(stretches) - 1
    for at in range(1, last + 1):
        names, steps = stretches[at - 1].names, stretches[at].steps[place]
        if at == last and asks_only(steps):
            return _at_first_pass(states, names, steps, work, is_latest=at == 1)
        on = stretches[at].names if at < last else None
        states = _unpass(states, names, on, work, is_latest=at == 1)
        states = _through(pool, states, steps, stretches[at].called, work)
    seat: Seat = {}
    for (used, _, taken, returned), ways in states.items():
        table = seat.setdefault((taken, returned), {})
        table[used] = table.get(used, 0) + ways
    return seat


def _over_only_pass(
    pool: Bag,
    hands: tuple[tuple[Bag, int], ...],
    placed: list[tuple[Bag, Bag]],
    shown: Bag,
    names: tuple[int, ...],
    steps: tuple[Step, ...],
) -> Table:
    """As `_at_first_pass`, from now; `placed` is each card that can lie in the frozen place, and what of it is hidden."""
    table: Table = {}
    get = table.get
    for card, own in placed:
        room, more = pool - own | FREE_BITS, shown + card
        for hand, ways in hands:
            if room - hand & FREE_BITS == FREE_BITS:
                number = returns(renamed(hand + more, names), steps)
                if number:
                    used = hand + own
                    table[used] = get(used, 0) + ways * number
    return table


def _at_first_pass(
    states: dict[State, int], names: tuple[int, ...], steps: tuple[Step, ...], work: Work, *, is_latest: bool
) -> Seat:
    """As `_unpass` for the earliest pass, where only answers come before it: which card was returned is only counted."""
    seat: Seat = {}
    kinds = [one(kind) for kind in set(names)]
    work.spend(len(states) * (1 if is_latest else len(kinds)))
    for (used, held, taken, returned), ways in states.items():
        hand = renamed(held, names)
        for took in [renamed(taken[0], names)] if is_latest else kinds:
            number = returns(hand + took, steps)
            if number:
                table = seat.setdefault((() if is_latest else (*taken, took), returned), {})
                table[used] = table.get(used, 0) + ways * number
    return seat


def _through(
    pool: Bag, states: dict[State, int], steps: tuple[Step, ...], called: tuple[int, ...], work: Work
) -> dict[State, int]:
    """The states led back through a stretch."""
    for step in steps:
        what, cards = step
        work.spend(len(states) * (len(contents(pool)) if what == DRAWS else 1))
        if what == TAKES:
            states = {(used, hand + cards, *ways): n for (used, hand, *ways), n in states.items()}  # type: ignore[misc]
        elif what == DRAWS:
            after: dict[State, int] = {}
            for (used, hand, taken, returned), n in states.items():
                for _, drawn in contents(pool - used):
                    key = used + drawn, hand + renamed(drawn, called), taken, returned
                    after[key] = after.get(key, 0) + n
            states = after
        else:
            states = {state: n for state, n in states.items() if agrees(state[1], step)}
    return states


def _unpass(
    states: dict[State, int], names: tuple[int, ...], on: tuple[int, ...] | None, work: Work, *, is_latest: bool
) -> dict[State, int]:
    """The seat takes the card on its left back and returns one of its cards to the right.

    At the latest pass the card is the one that `taken` names; at earlier ones it may be any. `on` renames what is returned for
    the pass before; None at the earliest, of which nobody asks what became of it.
    """
    after: dict[State, int] = {}
    get = after.get
    kinds = [one(kind) for kind in set(names)]
    work.spend(len(states) * len(kinds) * (1 if is_latest else len(kinds)))
    for (used, held, taken, returned), ways in states.items():
        hand = renamed(held, names)
        for took in [renamed(taken[0], names)] if is_latest else kinds:
            full = hand + took
            all_taken = () if is_latest else (*taken, took)
            for number, gave in contents(full):
                all_returned = returned if on is None else (*returned, renamed(gave, on))
                key = used, full - gave, all_taken, all_returned
                after[key] = get(key, 0) + ways * number
    return after


def _put_together(pool: Bag, seats: list[Seat], work: Work) -> int:
    """The three seats: what one took back the next one returned, and together they take up no card twice."""
    first, second, third = seats
    work.spend(len(first) * len(second))
    total = 0
    for (taken, returned), table in first.items():
        for (its_taken, its_returned), its_table in second.items():
            if its_returned != taken:
                continue
            last = third.get((returned, its_taken))
            if last is not None:
                total += _fitting(pool, table, its_table, last, work)
    return total


def _fitting(pool: Bag, first: Table, second: Table, third: Table, work: Work) -> int:
    """Where nothing is left over one seat's cards follow from the others'."""
    rest = cards_in(pool) - sum([cards_in(next(iter(table))) for table in (first, second, third)])
    if rest:
        both = _joined(pool, _joined(pool, first, second, work), third, work)
        return sum([ways * orders(pool - cards) for cards, ways in both.items()])
    small, middle, large = sorted((first, second, third), key=len)
    work.spend(len(small) * len(middle))
    others = tuple(middle.items())
    get = large.get
    total = 0
    for cards, ways in small.items():
        room = pool - cards
        total += ways * sum([times * get(room - more, 0) for more, times in others])
    return total

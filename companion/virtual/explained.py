"""Could it have been honest? A second way of reasoning about hidden hands, for breaches that the rules did not prove.

It shares nothing with the rules' own counting. Only the one breach is asked about; what other acts claim is not believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product, takewhile

from companion.rules.ahuha import facts as ahuha
from companion.rules.ahuha import fold as ahuha_fold
from companion.rules.ahuha.answers import asked_by
from companion.rules.ahuha.setup import ROUNDS, AhuhaSetup
from companion.rules.shuhari import facts as shuhari
from companion.rules.shuhari.facts import STAGES, Play, Suit
from companion.rules.shuhari.setup import HAND, ShuhariSetup
from companion.virtual.wrong import Wrong

# -- Ahuha: an answer ---------------------------------------------------------------------------------------------------

Hands = tuple[tuple[int, int, int], tuple[int, int, int]]
"""How many of the asked stars each hand holds, and whether each frozen card is one (by place; place n lies on the left of n)."""


def ahuha_is_explained(setup: AhuhaSetup, facts: Sequence[ahuha.Fact], wrong: Wrong) -> bool:
    """Whether what everybody saw leaves room for an honest reading of a breach that was not proved.

    A false answer does where some hands make it true; an Asita card does where an effect of the series did what no rule foresees,
    for that can have brought the point.
    """
    if wrong.kind != "false_asita":
        return wrong.kind == "false_answer" and answer_is_explained(setup, facts, wrong)
    earlier = reversed(facts[: wrong.act])
    series = takewhile(lambda fact: not isinstance(fact, ahuha.SeriesEnded), earlier)
    return any(isinstance(fact, ahuha.EffectTold) and fact.outcome is ahuha.Told.OTHER for fact in series)


def answer_is_explained(setup: AhuhaSetup, facts: Sequence[ahuha.Fact], wrong: Wrong) -> bool:
    """Whether some hands, seen back from the end of the series, make this raised or unraised hand true.

    Every card has come to light by then; what stays open is only who passed which frozen card. So the hands are followed
    backwards from empty ones by the number of asked stars in each.
    """
    state = ahuha_fold.start(setup)
    for fact in facts[: wrong.act]:
        state = ahuha_fold.apply(state, fact)
    told = facts[wrong.act]
    if not isinstance(told, ahuha.EffectTold):
        return False
    asked = setup.names(asked_by(state, told))
    events: list[tuple[int, bool] | None] = []  # None is a pass
    frozen = [0, 0, 0]
    number, turned, placed = state.round.number, 0, 0
    for fact in facts[wrong.act + 1 :]:
        match fact:
            case ahuha.SeriesEnded():
                break
            case ahuha.FrozenPlaced():
                placed += 1
                if placed % 3 == 0:
                    events.append(None)
            case ahuha.CardRevealed(seat, card):
                number += turned % 3 == 0
                turned += 1
                place = state.seats.index(seat)
                if number < ROUNDS:
                    events.append((place, card in asked))
                else:
                    side = setup.settings.frozen_in_front
                    frozen[(place + 2) % 3 if side is ahuha.Side.RIGHT else place] = int(card in asked)
    place = state.seats.index(wrong.player)
    raised = wrong.player in told.seats
    return any((hands[place] > 0) is raised for hands, _ in _backwards(events, (frozen[0], frozen[1], frozen[2])))


def _backwards(events: Sequence[tuple[int, bool] | None], frozen: tuple[int, int, int]) -> set[Hands]:
    """Every way the asked stars can have lain before these events, after which the hands are empty."""
    ways: set[Hands] = {((0, 0, 0), frozen)}
    sizes = [0, 0, 0]
    for event in reversed(events):
        if event is None:
            ways = {before for way in ways for before in _before_pass(way, sizes)}
        else:
            place, is_asked = event
            sizes[place] += 1
            ways = {(_plus(hands, place, int(is_asked)), spots) for hands, spots in ways}
    return ways


def _plus(hands: tuple[int, int, int], place: int, more: int) -> tuple[int, int, int]:
    first, second, third = hands
    return first + more * (place == 0), second + more * (place == 1), third + more * (place == 2)


def _before_pass(way: Hands, sizes: Sequence[int]) -> Iterable[Hands]:
    """Each seat gave the card on its left, and had taken one of the cards that it held then from its right."""
    hands, frozen = way
    held = [hands[place] + frozen[place] for place in range(3)]
    for taken in product((0, 1), repeat=3):
        if all(held[n] >= taken[n] and sizes[n] + 1 - held[n] >= 1 - taken[n] for n in range(3)):
            # the right of seat n is the left of the seat before it
            yield (held[0] - taken[0], held[1] - taken[1], held[2] - taken[2]), (taken[1], taken[2], taken[0])


# -- Shuhari: a rest ----------------------------------------------------------------------------------------------------


def rest_is_explained(
    setup: ShuhariSetup, facts: Sequence[shuhari.Fact], wrong: Wrong, held: Sequence[str], *, followed: bool
) -> bool:
    """Whether draws that nobody saw can have brought every card that would have practised after this rest.

    `held` are those cards. Where the hands are followed, one that its player shows later was there all the time.
    """
    if followed:
        later = facts[wrong.act + 1 :]
        return not any(isinstance(x, shuhari.CardPlayed) and x.seat == wrong.player and x.card in held for x in later)
    hand = _Arrivals(setup, wrong.player, wrong.act)
    return all(hand.tell(number, fact) for number, fact in enumerate(facts))


class _Arrivals:
    """Matches the cards that a seat shows to the draws that can have brought them."""

    def __init__(self, setup: ShuhariSetup, seat: str, rest: int) -> None:
        self._setup, self._seat, self._rest = setup, seat, rest
        self._draws = [-1] * HAND
        """When each hidden card came; -1 is the deal."""
        self._shown: list[set[int]] = []
        """Which of the draws can have brought each card shown."""
        self._deck = setup.size - HAND * len(setup.seats)
        self._in_deck: dict[str, tuple[int, int | None]] = dict.fromkeys(setup.arts, (-1, None))
        """Between which moments each card may have been drawn last; None while there is no end."""
        self._place = dict.fromkeys(setup.arts, "unseen")
        self._taken_by: dict[str, str] = {}
        self._aids = 0
        self._field: list[str] = []
        self._suit: Suit | None = None
        self._stage = 0
        self._kind: tuple[Suit, int] | None = None
        """What the rest says its player held none of."""

    def tell(self, now: int, fact: shuhari.Fact) -> bool:
        """Takes a fact in; whether an explanation is left."""
        match fact:
            case shuhari.CardPlayed(seat, card, declared):
                return self._played(now, seat, card, declared)
            case shuhari.CardDrawn(seat) | shuhari.DeckSearched(seat):
                self._deck -= 1
                if seat == self._seat:
                    self._draws.append(now)
            case shuhari.CardTaken(seat, card):
                self._place[card] = "taken"
                self._taken_by[card] = seat
            case shuhari.TrickCleared():
                self._clear()
            case shuhari.DeckRenewed():
                self._renew(now)
            case shuhari.HandPutAway(_, cards):
                self._aids += len(cards)
            case _:
                pass
        return True

    def _played(self, now: int, seat: str, card: str, declared: Play | None) -> bool:
        suits = self._setup.cards[card].suits
        self._field.append(card)
        if not suits:
            return True
        if seat == self._seat and self._place[card] == "unseen":
            self._shown.append(self._possible(card))
        self._place[card] = "field"
        self._taken_by.pop(card, None)
        if self._suit is None:
            self._suit = suits[0]
        elif declared is Play.BREAK:
            self._stage = min(self._stage + 1, len(STAGES) - 1)
        if now == self._rest:
            self._kind = self._suit, self._stage
            if any(who == self._seat and self._practises(taken) for taken, who in self._taken_by.items()):
                return False
        return seat != self._seat or self._can_be_matched()

    def _practises(self, card: str) -> bool:
        return self._kind is not None and self._setup.cards[card].suits[self._kind[1]] is self._kind[0]

    def _possible(self, card: str) -> set[int]:
        first, last = self._in_deck[card]
        barred = self._rest if self._practises(card) else -2
        return {
            n
            for n, draw in enumerate(self._draws)
            if draw >= first and (last is None or draw <= last) and draw > barred
        }

    def _clear(self) -> None:
        for card in self._field:
            if card in self._place:
                self._place[card] = "pile"
            else:
                self._aids += 1
        self._field, self._suit, self._stage = [], None, 0

    def _renew(self, now: int) -> None:
        """What nobody had seen when the deck was empty was in a hand by then; the pile can be drawn from now on."""
        ran_out = self._deck == 0
        for card, place in self._place.items():
            if place == "pile":
                self._in_deck[card] = now, None
                self._place[card] = "unseen"
                self._deck += 1
            elif place == "unseen" and ran_out and self._in_deck[card][1] is None:
                self._in_deck[card] = self._in_deck[card][0], now
        self._deck += self._aids
        self._aids = 0

    def _can_be_matched(self) -> bool:
        """Whether each card shown has a draw of its own, by augmenting paths."""
        given: dict[int, int] = {}

        def give(number: int, tried: set[int]) -> bool:
            for draw in self._shown[number] - tried:
                tried.add(draw)
                if draw not in given or give(given[draw], tried):
                    given[draw] = number
                    return True
            return False

        return all(give(number, set()) for number in range(len(self._shown)))

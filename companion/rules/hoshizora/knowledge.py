"""What the cards of Hoshizora say of the hands: whoever plays off the stated colour claims to hold none of it."""

from __future__ import annotations

from companion.rules.core import Finding
from companion.rules.hoshizora.facts import Colour
from companion.rules.hoshizora.sections import FOLLOW
from companion.rules.hoshizora.setup import HAND, HoshizoraSetup
from companion.rules.hoshizora.state import Hands, HoshizoraState, Trick
from companion.rules.knowledge import Claim, count_deals, disproved, proved, without


def trick_claims(state: HoshizoraState, trick: Trick) -> tuple[Claim, ...]:
    """The claims that the open cards of a trick make; cards that contradict other cards on the table claim nothing."""
    colour = _followed(state, trick)
    if colour is None:
        return ()
    cards = state.setup.cards
    off = [
        (place, card)
        for place, card in enumerate(trick.cards)
        if card is not None and place != trick.lead and trick.trusted >> place & 1 and cards[card].colour is not colour
    ]
    return tuple([_claim(state, trick, place, card, colour) for place, card in off]) if off else ()


def _claim(state: HoshizoraState, trick: Trick, place: int, card: str, colour: Colour) -> Claim:
    seat = state.setup.seats[place]
    act = f"trick {trick.number}: {seat} played {state.setup.named(card)} on {colour}"
    lead = None if trick.told is not None or trick.lead is None else trick.cards[trick.lead]
    rests_on = (card,) if lead is None else (lead, card)
    return Claim(seat, trick.number, str(colour), act, rests_on, state.hands.unseen[place])


def _followed(state: HoshizoraState, trick: Trick) -> Colour | None:
    """The colour that had to be followed, where that is beyond doubt."""
    if trick.told is not None:
        return trick.told
    if trick.lead is None or not trick.trusted >> trick.lead & 1:
        return None
    card = trick.cards[trick.lead]
    return None if card is None else state.setup.cards[card].colour


def show(hands: Hands, setup: HoshizoraSetup, place: int, card: str) -> Hands:
    """After a seat showed a card that nobody had shown before; claims that it disproves are dropped."""
    first, second, third = hands.shown
    bit = setup.bits[card]
    if place == 0:
        first |= bit
    elif place == 1:
        second |= bit
    else:
        third |= bit
    claims = hands.claims
    if claims:
        false = disproved(claims, setup.seats[place], setup.cards[card].colour)
        if false:
            claims = tuple(claim for claim in claims if claim not in false)
    return Hands((first, second, third), hands.unseen, claims)


def doubt(hands: Hands, card: str) -> Hands:
    """After a card was seen that had been shown before: one of the two readings is wrong, so nothing may rest on either."""
    return Hands(hands.shown, hands.unseen, without(hands.claims, card))


def with_claims(hands: Hands, claims: tuple[Claim, ...]) -> Hands:
    """With a trick's claims added."""
    return Hands(hands.shown, hands.unseen, hands.claims + claims) if claims else hands


def false_at_once(state: HoshizoraState, claims: tuple[Claim, ...]) -> tuple[tuple[Claim, str], ...]:
    """Those of new claims that a bid card disproves which was shown too early, with that card."""
    if not claims or not any(state.bids):
        return ()
    setup = state.setup
    found = []
    for claim in claims:
        bid = state.bids[setup.places[claim.player]]
        data = None if bid is None else setup.cards.get(bid)
        if bid is not None and data is not None and data.colour == claim.kind:
            found.append((claim, bid))
    return tuple(found)


def revokes(state: HoshizoraState, place: int, card: str, *, bid: bool) -> tuple[Finding, ...]:
    """The findings that a newly shown card proves: one for each earlier trick in which it could have been played."""
    claims = state.hands.claims
    if not claims:
        return ()
    seat = state.setup.seats[place]
    at = state.trick.number
    name = state.setup.named(card)
    act = f"bids: {seat} showed {name}" if bid else f"trick {at}: {seat} played {name}"
    found = disproved(claims, seat, state.setup.cards[card].colour)
    return tuple(revoke(claim, name, at, act) for claim in found)


def revoke(claim: Claim, card: str, at: int, act: str) -> Finding:
    """The finding on one revoke; `card` is the name of the one that was held."""
    text = f"{claim.player} did not follow {claim.kind} in trick {claim.trick} but held {card}."
    return proved(claim, FOLLOW, text, at, act)


def worlds(state: HoshizoraState) -> int:
    """How many deals of the hidden cards agree with every act that is not proved false.

    0 where the claims that still stand contradict each other by number: somebody has revoked, and the card that will say who
    is hidden still (or the cards seen are not those of one deck).
    """
    hands, setup = state.hands, state.setup
    first, second, third = hands.shown
    shown = first | second | third
    reds = (shown & setup.reds).bit_count()
    slots = (HAND - first.bit_count(), HAND - second.bit_count(), HAND - third.bit_count())
    most = _most(hands, setup) if hands.claims else _NO_LIMIT
    return count_deals((12 - reds, 12 - shown.bit_count() + reds), slots, most)


_NO_LIMIT = ((HAND, HAND), (HAND, HAND), (HAND, HAND))


def _most(hands: Hands, setup: HoshizoraSetup) -> tuple[tuple[int, int], ...]:
    """By place: how many of its hidden cards can be red, and how many blue."""
    most = [[HAND, HAND] for _ in setup.seats]
    for claim in hands.claims:
        row = most[setup.places[claim.player]]
        kind = 0 if claim.kind == Colour.RED else 1
        row[kind] = min(row[kind], claim.unseen)
    return tuple((row[0], row[1]) for row in most)


def playable(setup: HoshizoraSetup, hand: tuple[str, ...], stated: Colour | None) -> tuple[str, ...]:
    """The cards of a known hand that may be played: those of the stated colour, any where there is none."""
    following = tuple(card for card in hand if setup.cards[card].colour is stated)
    return following or hand

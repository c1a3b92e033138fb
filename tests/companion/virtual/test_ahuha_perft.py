"""Legal ways to play a series on, against a second count written from the rulebook alone."""

from __future__ import annotations

import pytest

from companion.decks import builtin_deck
from companion.errors import BadInputError
from companion.rules.ahuha import AhuhaSetup
from companion.virtual.ahuha import builtin_setup
from companion.virtual.ahuha_perft import KnownDeal, load_deal, perft
from companion.virtual.chance import Chance

DECK = {
    card: (data.value("number"), {data.value("arika"), data.value("kesiki"), data.value("sugata")})
    for card, data in builtin_deck("ahuha").cards.items()
    if data.value("number")
}
PASSES = "rigel"


def takes_its_turn(cards: tuple[str, ...], wanted: str) -> bool:
    """Whether a card is still in the Field when its turn comes: a lower one that meets it takes it along.

    Effects of cards below Rigel bring nothing, so that attributes alone decide who is left.
    """
    field = sorted(cards, key=lambda card: DECK[card][0])
    while field:
        card = field.pop(0)
        if card == wanted:
            return True
        partner = next((other for other in field if len(DECK[card][1] & DECK[other][1]) > 1), None)
        if partner is not None:
            field.remove(partner)
    return False


def slow_counts(hands: list[set[str]], frozen: list[str], depth: int) -> list[int]:
    """By depth the number of sequences of choices: three cards a round, three more where frozen cards are passed."""
    counts = [0] * depth

    def choose(
        hands: list[set[str]], frozen: list[str], laid: list[str], round_: int, passing: bool, level: int
    ) -> None:
        if level == depth or round_ == 7:
            return
        seat = len(laid)
        for card in hands[seat]:
            counts[level] += 1
            after = [hand - {card} if n == seat else hand for n, hand in enumerate(hands)]
            chosen = [*laid, card]
            if len(chosen) < 3:
                choose(after, frozen, chosen, round_, passing, level + 1)
            elif passing:
                choose(after, chosen, [], round_ + 1, False, level + 1)
            elif takes_its_turn(tuple(chosen), PASSES):
                taken = [hand | {frozen[(n + 2) % 3]} for n, hand in enumerate(after)]
                choose(taken, [], [], round_, True, level + 1)
            else:
                choose(after, frozen, [], round_ + 1, False, level + 1)

    choose(hands, frozen, [], 1, False, 0)
    return counts


def slow(setup: AhuhaSetup, deal: KnownDeal, depth: int) -> tuple[int, ...]:
    return tuple(slow_counts([set(deal.hands[seat]) for seat in setup.seats], list(deal.frozen), depth))


def test_ways_from_the_builtin_deal() -> None:
    setup = builtin_setup()
    deal = load_deal("builtin", setup)
    assert perft(setup, deal, 6) == slow(setup, deal, 6)


@pytest.mark.parametrize("seed", range(3))
def test_ways_from_any_deal(seed) -> None:
    setup = builtin_setup()
    cards = list(setup.ids)
    Chance(seed).shuffle(cards)
    deal = KnownDeal({seat: tuple(cards[n * 6 : n * 6 + 6]) for n, seat in enumerate(setup.seats)}, tuple(cards[18:]))
    assert perft(setup, deal, 4) == slow(setup, deal, 4)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"rigel"', '"polaris"', "hands.A: must be 6 cards"),
        ('"canopus"', '"rigel"', "rigel was dealt twice"),
        ("[hands]", "[hand]", "hands: must hold one list"),
        ('"altair"]', '"altair"', "is not valid TOML"),
        (', "altair"', "", "frozen: must be 3 cards"),
    ],
)
def test_a_deal_that_cannot_be_names_file_and_field(old, new, what, tmp_path) -> None:
    from importlib.resources import files

    text = (files("companion.virtual") / "data" / "ahuha-deal.toml").read_text("utf-8")
    mine = tmp_path / "my.toml"
    mine.write_text(text.replace(old, new))
    with pytest.raises(BadInputError, match=r"my\.toml: ") as error:
        load_deal(str(mine), builtin_setup())
    assert what in str(error.value)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(BadInputError, match=r"none\.toml: no such file"):
        load_deal("none.toml", builtin_setup())

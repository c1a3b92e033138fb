"""Every way in which three cards can meet in a round, against a second set of rules written from the attributes alone."""

from __future__ import annotations

from itertools import permutations

from companion.decks import builtin_deck
from companion.rules.ahuha import Effect, EffectKind
from companion.virtual.chance import Chance

DECK = {
    card: (data.value("number"), {data.value("arika"), data.value("kesiki"), data.value("sugata")})
    for card, data in builtin_deck("ahuha").cards.items()
    if data.value("number")
}


def slow_round(cards: tuple[str, ...]) -> tuple[set[str], list[str]]:
    """The cards that stand upright at the end, and the order in which cards had their turn."""
    field = sorted(cards, key=lambda card: DECK[card][0])
    upright: set[str] = set()
    turns = []
    while field:
        card = field.pop(0)
        turns.append(card)
        partner = next((other for other in field if len(DECK[card][1] & DECK[other][1]) > 1), None)
        if partner is not None:
            field.remove(partner)
            upright |= {card, partner}
    return upright, turns


def played_round(table, cards: tuple[str, ...]) -> tuple[set[str], list[str]]:
    game = table(effects={card: Effect(EffectKind.NONE) for card in DECK})
    game.show(*cards)
    turns = []
    while game.state.round.active is not None:
        place = game.state.round.active
        turns.append(game.state.round.cards[place])
        seat, due = game.state.seats[place], game.state.round.due
        mark = "-" if due.partner is None else "|"
        game.home(f"{seat}{mark}{turns[-1]}")
        if due.partner is not None:
            game.home(f"{game.state.seats[due.partner]}|{game.state.round.cards[due.partner]}")
    assert game.findings == []
    upright = {placed.card for home in game.state.homes for placed in home if placed.orientation == "upright"}
    assert sum(game.state.scores.values()) == len(upright)
    return upright, turns


def test_rounds_of_plain_cards(table) -> None:
    triples = list(permutations(sorted(DECK), 3))
    Chance(5).shuffle(triples)
    met = 0
    for cards in triples[:600]:
        assert played_round(table, cards) == slow_round(cards), cards
        met += bool(slow_round(cards)[0])
    assert met > 100


def test_meetings_over_all_rounds_are_counted(table) -> None:
    """Of the 1330 triples, those in which two cards meet: by the table of partners and by the slow rules."""
    from itertools import combinations

    setup = table().setup
    by_partners = by_slow = 0
    for cards in combinations(sorted(DECK), 3):
        stars = [setup.index[card] for card in cards]
        by_partners += any(setup.partners[a] >> b & 1 for a in stars for b in stars)
        by_slow += bool(slow_round(cards)[0])
    assert by_partners == by_slow > 0

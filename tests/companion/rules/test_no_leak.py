"""Nothing hidden shows: two tables whose hidden cards differ look alike, to the byte, until a differing card lies open.

The other world is made here, from the true hands: hidden cards change names all through the past, and it is kept where every
answer, every card that did not follow and every rest is as honest in it as it was. Then both tables play on by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import pytest
from watched import GAMES

from companion.decks import builtin_deck
from companion.rules.ahuha.answers import asked_by
from companion.rules.ahuha.facts import CardPlaced, Dealt, EffectTold, SeriesEnded, Told
from companion.rules.core import Level
from companion.rules.hoshi_battle import HoshiBattleSettings, sections
from companion.rules.hoshi_battle import Phase as DuelPhase
from companion.rules.hoshi_battle.facts import DeckBrought
from companion.rules.hoshi_battle.settings import Deal
from companion.rules.hoshizora import HoshizoraSetup
from companion.rules.hoshizora import facts as stars
from companion.rules.hoshizora.setup import cards_of
from companion.rules.shuhari import Phase
from companion.rules.shuhari import facts as arts
from companion.virtual import ahuha, battle, hoshi_battle, players, shuhari
from companion.virtual.chance import Chance

ACCUSING = (Level.ILLEGAL, Level.PROVED, Level.SUSPECT)


@dataclass
class Table:
    """A game in the playing, with all that its players hide."""

    game: Any
    acts: Iterator[Any]
    hidden: Callable[[], list[list[Any]]]
    """Where cards lie hidden: lists that can be written to."""
    facts: list[Any] = field(default_factory=list)
    claims: list[tuple[frozenset[str], frozenset[str], bool]] = field(default_factory=list)
    """(a hand as it was, cards asked about, whether it held one): what the players have said of their hands so far."""

    def step(self) -> bool:
        fact = next(self.acts, None)
        if fact is not None:
            self.facts.append(fact)
        return fact is not None

    def rename(self, names: dict[str, str]) -> None:
        for cards in self.hidden():
            cards[:] = [names.get(card, card) for card in cards]

    def stays_honest(self, names: dict[str, str]) -> bool:
        """Whether every claim is as true where the hidden cards have these names."""
        return all(bool({names.get(card, card) for card in hand} & asked) is has for hand, asked, has in self.claims)


def hoshizora_table(seed: int) -> Table:
    setup = HoshizoraSetup(("A", "B", "C"), "A", cards_of(builtin_deck("hoshizora").cards))
    game = players.Game(setup, seed, players.HONEST, say_colours=True)
    table = Table(game, iter(()), lambda: list(game._hands.values()))

    def acts() -> Iterator[Any]:
        stated = None
        for act in game.acts():
            fact = act.fact
            if isinstance(fact, stars.ColourStated):
                stated = fact.colour
            if isinstance(fact, stars.CardRevealed) and setup.cards[fact.card].colour is not stated:
                asked = frozenset(card for card, data in setup.cards.items() if data.colour is stated)
                table.claims.append((frozenset(game._hands[fact.seat]), asked, False))
            yield fact

    table.acts = acts()
    return table


def ahuha_table(seed: int) -> Table:
    setup = ahuha.builtin_setup()
    game = ahuha.Game(setup, seed)
    table = Table(game, iter(()), lambda: [*game.hands.values(), game.frozen])

    def acts() -> Iterator[Any]:
        before = game.state
        for fact in game.acts():
            if isinstance(fact, Dealt):
                table.claims.clear()
            if isinstance(fact, EffectTold) and fact.outcome is Told.HANDS and before.round.number < 7:
                asked = frozenset(setup.names(asked_by(before, fact)))
                for seat in before.seats if asked else ():
                    table.claims.append((frozenset(game.hands[seat]), asked, seat in fact.seats))
            before = game.state
            yield fact

    table.acts = acts()
    return table


def shuhari_table(seed: int) -> Table:
    setup = shuhari.standard_setup(2 + seed % 2)
    game = shuhari.Game(setup, seed, shuhari.HONEST, followed=seed % 4 > 1)
    table = Table(game, iter(()), lambda: [*game.hands.values(), game.deck])

    def acts() -> Iterator[Any]:
        suit, stage = None, 0
        for fact in game.facts():
            if isinstance(fact, arts.TrickCleared):
                suit, stage = None, 0
            if isinstance(fact, arts.CardPlayed) and (suits := setup.cards[fact.card].suits):
                suit = suit or suits[0]
                stage += fact.declared is arts.Play.BREAK
                if fact.declared is arts.Play.REST:
                    asked = frozenset(
                        card for card, data in setup.cards.items() if data.suits and data.suits[stage] is suit
                    )
                    hand = frozenset(card for card in game.hands[fact.seat] if card is not None)
                    table.claims.append((hand, asked, False))
            yield fact

    table.acts = acts()
    return table


def battle_table(seed: int) -> Table:
    game = battle.Battle(hoshi_battle.setup_for(), seed)
    return Table(game, game.facts(), lambda: [*game._heroes.values(), *game._duels.values()])


def can_be_renamed(name: str, table: Table) -> bool:
    """Whether the hidden cards lie where `hidden` says, none of them on its way."""
    last, state = table.facts[-1], table.game.state
    match name:
        case "hoshizora":
            return isinstance(last, stars.DrawingEnded)
        case "ahuha":
            return isinstance(last, CardPlaced) and not state.round.laid and 1 < state.round.number < 8
        case "shuhari":
            return state.phase is Phase.PLAY and not state.over and isinstance(last, arts.CardDrawn)
        case _:
            return state.phase is DuelPhase.PLACE and state.duel is not None and not state.duel.fighters[0].has_hero


def may_change(name: str, table: Table) -> list[str]:
    """The hidden cards that may change places with each other."""
    setup, cards = table.game.setup, {card for cards in table.hidden() for card in cards if card is not None}
    match name:
        case "shuhari":
            known = {item.card for hand in table.game.state.hands for item in hand.known}
            return sorted(card for card in cards & set(setup.arts) if card not in known)
        case "hoshi-battle":
            gone = {x for p in table.game.state.players for x in p.shown} | set(table.game._lying.values())
            return sorted((set(setup.heroes) | set(setup.duels)) - gone)
        case _:
            return sorted(cards)


TABLES = {"hoshizora": hoshizora_table, "ahuha": ahuha_table, "shuhari": shuhari_table, "hoshi-battle": battle_table}
GOES_ON = {"hoshi-battle": 400}
"""Acts that both tables play on after the world was changed; 70 in the other games."""


def played(name: str, seed: int, cut: int, names: dict[str, str]) -> list[Any]:
    """The facts of a game in whose hidden cards have other names from the `cut`-th fact on (and, as nobody saw, before)."""
    table = TABLES[name](seed)
    while len(table.facts) < cut and table.step():
        pass
    table.rename(names)
    while len(table.facts) < cut + GOES_ON.get(name, 70) and table.step():
        if isinstance(table.facts[-1], SeriesEnded):
            break
    return table.facts


def moments(name: str, seed: int, chance: Chance) -> Iterator[tuple[int, Table]]:
    """Some moments at which the world can be changed: how many facts there were, and the table as it is then."""
    table = TABLES[name](seed)
    while table.step():
        if can_be_renamed(name, table) and chance.per_mille(250):
            yield len(table.facts), table


def swaps(name: str, table: Table, chance: Chance) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """Two cards that can change places though all claims stay true, and two that can't; None where there are none."""
    pairs = list(combinations(may_change(name, table), 2))
    chance.shuffle(pairs)
    honest = lying = None
    for x, y in pairs:
        names = {x: y, y: x}
        where = [(x in cards, y in cards) for cards in table.hidden()]
        if (True, True) in where or not any(map(any, where)):  # of one hand, or in nobody's
            continue
        if name == "hoshi-battle" and (x in table.game.setup.heroes) is not (y in table.game.setup.heroes):
            continue
        if table.stays_honest(names):
            honest = honest or names
        else:
            lying = lying or names
        if honest and lying:
            break
    return honest, lying


def difference(first: list[Any], second: list[Any]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def accusations(name: str, setup: Any, facts: list[Any]) -> list[Any]:
    return [x for found in GAMES[name].fold(setup, facts)[1] for x in found if x.level in ACCUSING]


@pytest.mark.parametrize("name", TABLES)
def test_another_world_that_explains_all_acts_looks_the_same_until_a_differing_card_lies_open(name) -> None:
    chance, game = Chance(3), GAMES[name]
    worlds = alike = parted = 0
    for seed in range(40):
        for cut, table in moments(name, seed, chance):
            names, _ = swaps(name, table, chance)
            if names is None:
                continue
            setup = table.game.setup
            first, second = played(name, seed, cut, {}), played(name, seed, cut, names)
            there = difference(first, second)
            assert there >= cut
            views = game.views(setup, first), game.views(setup, second)  # each to its end: no cache tells the other
            assert views[0][:there] == views[1][:there], (seed, cut, names)
            assert not accusations(name, setup, second), (seed, cut, names)
            worlds, alike = worlds + 1, alike + there - cut
            parted += there < len(first)
        if worlds >= 24:
            break
    assert worlds >= 12
    assert alike > 2 * worlds
    assert parted > worlds // 3


@pytest.mark.parametrize("name", ["hoshizora", "ahuha", "shuhari"])
def test_a_world_that_makes_a_claim_false_is_found_out_now_and_then(name) -> None:
    """The worlds above are told from false ones by more than luck: these are proved, and only against who claimed."""
    chance = Chance(4)
    worlds = proofs = 0
    for seed in range(60):
        for cut, table in moments(name, seed, chance):
            _, names = swaps(name, table, chance)
            if names is not None:
                worlds += 1
                proofs += bool(accusations(name, table.game.setup, played(name, seed, cut, names)))
        if proofs >= 6:
            break
    assert worlds >= 6
    assert proofs >= 6


# -- decks that were brought --------------------------------------------------------------------------------------------


def other_decks(setup: Any, fact: DeckBrought, keeps: frozenset[str]) -> Iterator[DeckBrought]:
    """Every lawful deck that differs in one card which nobody has seen, and some that differ in two."""
    prices = {card: data.cost for cards in (setup.heroes, setup.duels) for card, data in cards.items()}

    def lawful(deck: DeckBrought) -> bool:
        costs = [prices[card] for card in (*deck.heroes, *deck.duels)]
        return None not in costs and sum(costs) <= setup.settings.cost_limit

    def changed(cards: tuple[str, ...], of: Any) -> Iterator[tuple[str, ...]]:
        for at, card in enumerate(cards):
            if card not in keeps:
                for other in sorted(set(of) - set(cards)):
                    yield (*cards[:at], other, *cards[at + 1 :])

    for heroes in (fact.heroes, *changed(fact.heroes, setup.heroes)):
        for duels in (fact.duels, *changed(fact.duels, setup.duels)):
            deck = DeckBrought(fact.seat, heroes, duels)
            if deck != fact and lawful(deck):
                yield deck


def test_brought_decks_show_in_nothing_before_a_card_that_was_not_in_them_lies_open() -> None:
    """All other lawful decks give the same findings, expectations and scores up to the first card that they lack."""
    setup = hoshi_battle.setup_for(("A", "B"), HoshiBattleSettings(deal=Deal.CONSTRUCTED))
    game = GAMES["hoshi-battle"]
    chance = Chance(9)
    decks = told = 0
    for seed in range(6):
        facts = list(battle.play_battle(setup, seed).facts)
        true_views = game.views(setup, facts)
        for at, fact in enumerate(facts):
            if not isinstance(fact, DeckBrought):
                continue
            shown = [(n, x.card) for n, x in enumerate(facts) if getattr(x, "seat", None) == fact.seat and _reveals(x)]
            alternatives = list(other_decks(setup, fact, frozenset()))
            chance.shuffle(alternatives)
            for deck in alternatives[:12]:
                world = [*facts[:at], deck, *facts[at + 1 :]]
                lacks = next((n for n, card in shown if card not in (*deck.heroes, *deck.duels)), None)
                until = len(facts) if lacks is None else lacks
                views = game.views(setup, world[: until + 1])
                assert views[:until] == true_views[:until], (seed, deck)
                if lacks is not None:
                    found = game.fold(setup, world[: lacks + 1])[1][-1]
                    assert [x.rule for x in found if x.level is Level.ILLEGAL] == [sections.DECK_SIZE]
                    told += 1
                decks += 1
    assert decks > 100
    assert told > 30


def _reveals(fact: Any) -> bool:
    return type(fact).__name__ in ("HeroRevealed", "DuelCardRevealed")


def test_what_is_wrong_with_brought_decks_is_said_without_a_card_or_a_sum() -> None:
    """Two decks that break the same rule in other ways are told in the same words."""
    setup = hoshi_battle.setup_for(("A", "B"), HoshiBattleSettings(deal=Deal.CONSTRUCTED, cost_limit=20))
    game = GAMES["hoshi-battle"]
    heroes = sorted(card for card, data in setup.heroes.items() if data.cost is not None)
    duels = sorted(card for card, data in setup.duels.items() if data.cost is not None)
    said = set()
    for dear in (heroes[:4], heroes[2:6]):
        for cards in (duels[:4], duels[4:8]):
            said.add(repr(game.fold(setup, [DeckBrought("A", tuple(dear), tuple(cards))])[1]))
    assert len(said) == 1
    assert not any(card in text for text in said for card in (*heroes, *duels))

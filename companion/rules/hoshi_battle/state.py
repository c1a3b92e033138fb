"""The state of a game: a fold over its facts. All of it is public, but for decks that were brought (see `Player.brought`)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from companion.rules.hoshi_battle.effects import Effect, Lasts
from companion.rules.hoshi_battle.facts import CardKind, Face, HandsTouched
from companion.rules.hoshi_battle.setup import IN_USE, DuelCard, HeroCard, HoshiBattleSetup


class Phase(StrEnum):
    """Where the game is."""

    DEAL = "deal"
    OPPONENT = "opponent"
    """Three and more players: who duels with whom."""
    PLACE = "place"
    """Heroes and Duel cards are chosen face down."""
    REVEAL = "reveal"
    READY = "ready"
    """Heroes lie open: Duel cards of the Duel's beginning, dice, Stones, countdown."""
    ROLLING = "rolling"
    HIT = "hit"
    """A hit waits for what a card asks: an act attested, a roll."""
    ROUND_END = "round end"
    ROUND_START = "round start"
    OVER = "over"


class Roll(NamedTuple):
    """What a die shows, and what became of it."""

    face: Face
    at_us: int | None
    within_us: int
    inside: bool | None
    spent: bool = False
    """Used for a touch or a miss, lost to the defence, or never worth anything."""
    lost_us: int | None = None
    """When it was picked up."""
    lost_within_us: int = 0
    is_lost: bool = False


class Active(NamedTuple):
    """An effect that holds for a while."""

    effect: Effect
    owner: int
    """0 or 1: which of the two in the Duel."""
    card: str
    is_hero: bool
    """It is the ability of the owner's Hero."""
    stamp: int
    """When it was played, or its condition became true; the highest has priority. 0 while it doesn't hold."""
    lasts: Lasts


class Fighter(NamedTuple):
    """One of the two in a Duel."""

    place: int
    """Of the seat, 0-based clockwise."""
    hero: str | None = None
    card: str | None = None
    """The open Duel card in play."""
    has_hero: bool = False
    """A Hero lies there, face down or open."""
    is_hidden: bool = False
    """A Duel card lies face down."""
    stones: int = 0
    full: int = 0
    """Full health."""
    began: int = 0
    """Stones at the Duel's beginning."""
    dice: tuple[int | None, ...] = (None,)
    """Sides of the dice to roll now; None where they aren't known."""
    rolls: tuple[Roll | None, ...] = (None, None)
    raised_us: int | None = None
    """Since when the hand is in the defensive position, where that is known."""
    is_raised: bool = False
    freed: bool = False
    """Rolled the face that wakes its Hero's ability."""
    frees: Face | None = None
    """The face that would wake it; None while it is awake."""
    was_hit: bool = False
    """In this round."""


class Need(NamedTuple):
    """What a hit waits for."""

    act: str | None
    """To be attested of the hitter; None for a roll of the one who was hit."""
    sides: int = 0
    faces: frozenset[Face] = frozenset()
    """Any of these cancels the hit."""
    card: str = ""


class Hit(NamedTuple):
    """A hit that is not settled yet."""

    victim: int
    needs: tuple[Need, ...] = ()
    is_bluff: bool = False


class TouchMade(NamedTuple):
    """The touch that ended the round."""

    fact: HandsTouched
    before: HoshiBattleState
    """The state it was made in, without a touch of its own."""
    verdict: str
    is_settled: bool = False
    """A referee ruled it, or a card was played since: nothing changes it any more."""


class Duel(NamedTuple):
    """A Duel."""

    number: int
    fighters: tuple[Fighter, Fighter]
    """The one who reveals first is the first."""
    chooser: int
    """Place of the seat that reveals and decides first in its first round."""
    round: int = 0
    """1-based; 0 before the first."""
    actives: tuple[Active, ...] = ()
    stamp: int = 0
    """The last one given."""
    deciding: tuple[int, ...] = ()
    """Who may still play a face-down Duel card in this window, in order; 0 or 1."""
    claims: tuple[int, ...] = ()
    """Who touched after a face that only a hidden card gives a meaning, and has not shown it."""
    hits: tuple[Hit, ...] = ()
    last_hitter: int | None = None
    touch: TouchMade | None = None
    stone_lost: bool = False
    """Somebody lost a Stone in the round that ends, or ended last, be it the last of the Duel before (or, by `after_stone`,
    in any round of this Duel)."""
    timeout: tuple[int, int | None] | None = None
    """Who called it, and when."""
    is_continued: bool = False
    """A Hero was replaced within the Duel: its rounds go on."""
    barred: str | None = None
    """The Hero that went back to hand: the Duel starts over with a different one."""


class Player(NamedTuple):
    """What is publicly known of a seat's cards outside the Duel."""

    heroes: int = IN_USE
    """In hand, not in the Duel and not exiled; set-aside ones apart."""
    duels: int = IN_USE
    aside: tuple[tuple[str, int], ...] = ()
    """Heroes set aside, with their Stones; to be used later."""
    exiled: tuple[str, ...] = ()
    discarded: tuple[str, ...] = ()
    """Open Duel cards that left play."""
    shown: tuple[str, ...] = ()
    """Every card that this seat has revealed, in order."""
    bonus: int = 0
    """Stones more for the next Hero."""
    dealt: tuple[int, int] = (0, 0)
    """Heroes and Duel cards dealt to this seat."""
    kept: tuple[bool, bool] = (False, False)
    """Whether Heroes and Duel cards have been chosen."""
    passed: tuple[int, int] = (0, 0)
    """How often Heroes and Duel cards were handed on in the draft."""
    brought: tuple[str, ...] | None = None
    """The constructed decks, hidden: only for the judge once a card lies open."""

    @property
    def left(self) -> int:
        """Heroes that can still be sent into a Duel."""
        return self.heroes + len(self.aside)


class DuelRecord(NamedTuple):
    """A Duel that ended."""

    number: int
    seats: tuple[str, str]
    heroes: tuple[str | None, str | None]
    """By seat."""
    rounds: int
    exiled: tuple[str, ...]
    """Seats whose Hero was exiled: one, or both at once."""
    winner: str | None
    stones: int
    """The winner's, at the end."""


class Standing(NamedTuple):
    """The winner of the last Duel, who fights on as it stands."""

    fighter: Fighter
    actives: tuple[Active, ...]
    """What goes on into the next Duel."""
    stamp: int


class HoshiBattleState(NamedTuple):
    """A game."""

    setup: HoshiBattleSetup
    phase: Phase
    players: tuple[Player, ...]
    """By place."""
    duel: Duel | None = None
    done: tuple[DuelRecord, ...] = ()
    chooser: int = 0
    """Place of the seat that starts, or that chooses the opponent."""
    standing: Standing | None = None
    """Between Duels of three and more players."""

    @property
    def heroes_left(self) -> dict[str, int]:
        """Heroes not exiled by seat, the one in the Duel included."""
        return {seat: heroes_left(self, place) for place, seat in enumerate(self.setup.seats)}

    @property
    def duellists(self) -> tuple[str, ...]:
        """The two seats in the Duel, the one who reveals first before the other; empty between Duels."""
        duel = self.duel
        return () if duel is None else tuple(self.setup.seats[fighter.place] for fighter in duel.fighters)


def heroes_left(state: HoshiBattleState, place: int) -> int:
    """Heroes of a seat that are not exiled."""
    fighting = state.duel is not None and any(x.place == place and x.has_hero for x in state.duel.fighters)
    stands = state.standing is not None and state.standing.fighter.place == place
    return state.players[place].left + (fighting or stands)


def side_of(state: HoshiBattleState, seat: str) -> int | None:
    """Which of the two in the Duel a seat is, 0 or 1; None where it is neither."""
    duel = state.duel
    if duel is None:
        return None
    place = state.setup.places.get(seat)
    first, second = duel.fighters
    if place == first.place and place is not None:
        return 0
    return 1 if place == second.place and place is not None else None


def seat_of(state: HoshiBattleState, side: int) -> str:
    """The seat on a side of the Duel. Raises ValueError where there is no Duel."""
    if state.duel is None:
        raise ValueError("there is no Duel")
    return state.setup.seats[state.duel.fighters[side].place]


def hero_of(state: HoshiBattleState, side: int) -> HeroCard | None:
    """The open Hero on a side, where the deck knows it."""
    hero = None if state.duel is None else state.duel.fighters[side].hero
    return None if hero is None else state.setup.heroes.get(hero)


def card_of(state: HoshiBattleState, side: int) -> DuelCard | None:
    """The open Duel card on a side, where the deck knows it."""
    card = None if state.duel is None else state.duel.fighters[side].card
    return None if card is None else state.setup.duels.get(card)


def with_fighter(state: HoshiBattleState, side: int, fighter: Fighter) -> HoshiBattleState:
    """The state with another fighter on a side of its Duel."""
    duel = state.duel
    if duel is None:
        return state
    pair = (fighter, duel.fighters[1]) if side == 0 else (duel.fighters[0], fighter)
    changed = Duel(duel.number, pair, *duel[2:])
    return HoshiBattleState(state.setup, state.phase, state.players, changed, state.done, state.chooser, state.standing)


def with_player(state: HoshiBattleState, place: int, player: Player) -> HoshiBattleState:
    """The state with another player at a place."""
    players = (*state.players[:place], player, *state.players[place + 1 :])
    return state._replace(players=players)


def count_index(kind: CardKind) -> int:
    """Where a kind stands in the pairs of `Player`."""
    return 0 if kind is CardKind.HERO else 1

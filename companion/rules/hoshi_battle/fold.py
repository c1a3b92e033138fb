"""`apply`: the state after a fact, whatever the fact."""

from __future__ import annotations

from companion.rules.hoshi_battle import duels, playing, rolling, rounds
from companion.rules.hoshi_battle.facts import (
    ActAttested,
    CardDeclined,
    CardKind,
    CardsDealt,
    CardsKept,
    CardsPassed,
    CardsPlaced,
    DeckBrought,
    DieFell,
    DiePickedUp,
    DiePutBack,
    DieRolled,
    DuelCardRevealed,
    EffectTold,
    Fact,
    HandLowered,
    HandRaised,
    HandsTouched,
    HeroExiled,
    HeroRevealed,
    OpponentChosen,
    PlayBegan,
    SaveRolled,
    SwingMissed,
    TimeoutCalled,
    TouchRuled,
)
from companion.rules.hoshi_battle.setup import HoshiBattleSetup
from companion.rules.hoshi_battle.state import (
    HoshiBattleState,
    Phase,
    Player,
    count_index,
    side_of,
    with_player,
)


def start(setup: HoshiBattleSetup) -> HoshiBattleState:
    """The state before anything happened."""
    players = tuple(Player() for _ in setup.seats)
    return HoshiBattleState(setup, Phase.DEAL, players, chooser=setup.places[setup.lead])


def apply(state: HoshiBattleState, fact: Fact) -> HoshiBattleState:  # noqa: PLR0911, PLR0912  (one line a fact)
    """The state after a fact. Once the game is over nothing changes any more: the table is cleared."""
    if state.phase is Phase.OVER:
        return state
    match fact:
        case DieRolled():
            return rolling.rolled(state, fact)
        case DiePickedUp():
            return rolling.picked_up(state, fact)
        case HandsTouched():
            return rounds.touched(state, fact)
        case SwingMissed():
            return rolling.missed(state, fact)
        case HandRaised():
            return rolling.raised(state, fact.seat, fact.at_us)
        case HandLowered():
            return rolling.lowered(state, fact.seat, fact.at_us)
        case PlayBegan():
            return rolling.resumed(state)
        case CardDeclined():
            return playing.decline(state, fact.seat)
        case DuelCardRevealed():
            return playing.play(state, fact.seat, fact.card)
        case HeroExiled():
            return _exiled(state, fact)
        case CardsPlaced():
            return duels.place_cards(_closed(state), fact)
        case HeroRevealed():
            return duels.reveal_hero(_closed(state), fact)
        case ActAttested():
            return rounds.attested(state, fact)
        case SaveRolled():
            return rounds.saved(state, fact)
        case TouchRuled():
            return rounds.rule(state, fact.ruling, fact.seat)
        case TimeoutCalled():
            return rolling.timeout(state, fact.seat, fact.at_us)
        case EffectTold():
            return playing.tell(state, fact)
        case DieFell():
            return rolling.fell(state, fact.seat, fact.die)
        case DiePutBack():
            return rolling.put_back(state, fact.seat, fact.die, fact.face)
        case OpponentChosen():
            state = duels.next_duel(state) if state.phase is Phase.DEAL else _closed(state)
            return duels.choose_opponent(state, fact.seat, fact.opponent)
        case CardsDealt() | CardsPassed() | CardsKept() | DeckBrought():
            return _set_up(state, fact)
        case _:
            return state  # counted Stones, dice taken and fouls change nothing by themselves


def _closed(state: HoshiBattleState) -> HoshiBattleState:
    """Whoever goes on to the next Duel has closed the last round: what still waited in it is settled and the defeated exiled."""
    if state.phase is Phase.HIT and state.duel is not None:
        state = rounds.give_up_waiting(state)
    if state.phase is Phase.ROUND_END and duels.defeated(state):
        return rounds.end_round(state)
    return state


def _exiled(state: HoshiBattleState, fact: HeroExiled) -> HoshiBattleState:
    side = side_of(state, fact.seat)
    if side is None:
        return state
    state = _closed(state) if state.phase is Phase.HIT else state
    if state.phase is Phase.ROUND_END and side in duels.defeated(state):
        return rounds.end_round(state)
    return state


def _set_up(state: HoshiBattleState, fact: CardsDealt | CardsPassed | CardsKept | DeckBrought) -> HoshiBattleState:
    place = state.setup.places.get(fact.seat)
    if place is None or state.phase is not Phase.DEAL:
        return state
    player = state.players[place]
    match fact:
        case CardsDealt(kind=kind, count=count):
            player = player._replace(dealt=_put(player.dealt, kind, count))
        case CardsPassed(kind=kind):
            player = player._replace(passed=_put(player.passed, kind, player.passed[count_index(kind)] + 1))
        case CardsKept(kind=CardKind.HERO, count=count):
            player = player._replace(heroes=max(0, count), kept=(True, player.kept[1]))
        case CardsKept(count=count):
            player = player._replace(duels=max(0, count), kept=(player.kept[0], True))
        case DeckBrought():
            player = player._replace(brought=(*fact.heroes, *fact.duels))
    state = with_player(state, place, player)
    if all(player.kept == (True, True) for player in state.players):
        return duels.next_duel(state)
    return state


def _put(pair: tuple[int, int], kind: CardKind, value: int) -> tuple[int, int]:
    return (value, pair[1]) if kind is CardKind.HERO else (pair[0], value)

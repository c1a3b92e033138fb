"""What is expected now, and how the game ends."""

from __future__ import annotations

from companion.rules.core import Expectation, Outcome
from companion.rules.hoshi_battle import sections
from companion.rules.hoshi_battle.duels import defeated, in_game, opponents
from companion.rules.hoshi_battle.facts import CardKind
from companion.rules.hoshi_battle.settings import Deal, Unshown
from companion.rules.hoshi_battle.setup import IN_USE
from companion.rules.hoshi_battle.state import (
    Duel,
    HoshiBattleState,
    Phase,
    card_of,
    count_index,
    hero_of,
    seat_of,
)


def is_draft(state: HoshiBattleState) -> bool:
    """Whether the cards are drafted: three and more players, unless they agreed on something else."""
    return state.setup.settings.deal is Deal.RULEBOOK and len(state.setup.seats) > 2


def cards_dealt(state: HoshiBattleState) -> int:
    """How many cards of each kind a player is dealt, or draws."""
    match state.setup.settings.deal:
        case Deal.COMBINED:
            return 4
        case Deal.CONSTRUCTED:
            return IN_USE
        case Deal.RULEBOOK:
            return 4 if is_draft(state) else 5


def expects(state: HoshiBattleState) -> tuple[Expectation, ...]:
    """Who may or must do what now; nothing in it depends on a hidden card."""
    duel = state.duel
    match state.phase:
        case Phase.DEAL:
            return _deal(state)
        case Phase.OPPONENT:
            seat = state.setup.seats[state.chooser]
            names = tuple(state.setup.seats[place] for place in opponents(state))
            text = f"{seat}: choose who to duel with: {', '.join(names)}."
            return (Expectation(seat, "choose an opponent", sections.OPPONENT, text, options=names),)
        case Phase.OVER:
            return ()
        case _:
            return () if duel is None else _in_duel(state, duel)


def _in_duel(state: HoshiBattleState, duel: Duel) -> tuple[Expectation, ...]:
    match state.phase:
        case Phase.PLACE:
            return _place(state, duel)
        case Phase.REVEAL:
            return _reveal(state, duel)
        case Phase.READY:
            text = "Take dice and Stones, count from three to zero, and roll."
            return (
                *_told(state),
                *_equipment(state, duel),
                *_window(state, duel),
                Expectation(None, "begin", sections.COUNTDOWN, text),
            )
        case Phase.HIT:
            return _hits(state, duel)
        case Phase.ROUND_END:
            return (*_told(state), *_claims(state, duel), *_window(state, duel), *_exile(state))
        case Phase.ROUND_START:
            text = f"Round {duel.round + 1}: roll on."
            return (*_told(state), *_window(state, duel), Expectation(None, "roll", sections.HIT, text, must=False))
        case _:
            return _rolling(state, duel)


def _deal(state: HoshiBattleState) -> tuple[Expectation, ...]:
    count = cards_dealt(state)
    deal = state.setup.settings.deal
    if is_draft(state):
        rule = sections.DRAFT
        text = "Draft four Heroes, passing to the left, then four Duel cards, passing to the right; keep three of each."
    elif deal is Deal.CONSTRUCTED:
        rule, text = sections.DECK_DRAW, "Shuffle the brought decks and draw three Heroes and three Duel cards each."
    elif deal is Deal.COMBINED:
        rule, text = sections.DEAL_VARIANT, f"Deal {count} Heroes and {count} Duel cards each; choose three of each."
    else:
        rule, text = sections.DEAL, f"Deal {count} Heroes, choose three; deal {count} Duel cards, choose three."
    found = [Expectation(None, "deal", rule, text)]
    for seat, player in zip(state.setup.seats, state.players, strict=True):
        for kind in CardKind:
            index = count_index(kind)
            if player.dealt[index] and not player.kept[index]:
                name = "Heroes" if kind is CardKind.HERO else "Duel cards"
                found.append(Expectation(seat, f"keep {name}", sections.KEEP, f"{seat}: choose three {name}."))
    return tuple(found)


def _place(state: HoshiBattleState, duel: Duel) -> tuple[Expectation, ...]:
    found = []
    for side, fighter in enumerate(duel.fighters):
        if fighter.has_hero:
            continue
        seat = seat_of(state, side)
        rule = sections.NEXT_DUEL if state.done or duel.is_continued or duel.barred else sections.CHOOSE
        other = f" other than {duel.barred}" if duel.barred and fighter.place >= 0 and _is_back(state, side) else ""
        text = f"{seat}: choose a Hero{other} and, if you have one, a Duel card; lay them face down."
        found.append(Expectation(seat, "place cards", rule, text))
    return tuple(found)


def _is_back(state: HoshiBattleState, side: int) -> bool:
    duel = state.duel
    return duel is not None and duel.barred in state.players[duel.fighters[side].place].shown


def _reveal(state: HoshiBattleState, duel: Duel) -> tuple[Expectation, ...]:
    order = sorted((0, 1), key=lambda side: duel.fighters[side].place != duel.chooser)
    for side in order:
        if duel.fighters[side].hero is None:
            seat = seat_of(state, side)
            text = f"{seat}: reveal your Hero and read its ability aloud."
            return (*_told(state), Expectation(seat, "reveal your Hero", sections.REVEAL_HERO, text))
    return ()


def _equipment(state: HoshiBattleState, duel: Duel) -> tuple[Expectation, ...]:
    found = []
    for side, fighter in enumerate(duel.fighters):
        seat = seat_of(state, side)
        dice = " and ".join("the die of the Hero" if sides is None else f"a d{sides}" for sides in fighter.dice)
        text = f"{seat}: take {dice}; {fighter.stones} Hoshi Stones."
        found.append(Expectation(seat, "take dice and Stones", sections.TAKE_DIE, text))
    return tuple(found)


def _window(state: HoshiBattleState, duel: Duel) -> tuple[Expectation, ...]:
    """Who decides about a face-down card now; the other after that."""
    if not duel.deciding:
        return ()
    seat = seat_of(state, duel.deciding[0])
    text = f"{seat}: play your face-down Duel card if its time is now, or keep it."
    return (Expectation(seat, "play or keep the Duel card", sections.ORDER, text, must=False),)


def _claims(state: HoshiBattleState, duel: Duel) -> tuple[Expectation, ...]:
    found = []
    is_bluff = state.setup.settings.unshown_touch is Unshown.BLUFF
    worth = "it was a bluff and you are hit" if is_bluff else "it is worth nothing"
    for side in duel.claims:
        seat = seat_of(state, side)
        text = f"{seat}: show the card that you touched for, else {worth}."
        found.append(Expectation(seat, "show a card for the touch", sections.SPECIAL, text, must=False))
    return tuple(found)


def _exile(state: HoshiBattleState) -> tuple[Expectation, ...]:
    return tuple(
        Expectation(
            seat_of(state, side),
            "exile the Hero",
            sections.EXILE,
            f"{seat_of(state, side)}: without Stones the Hero and its Duel card leave the game.",
        )
        for side in defeated(state)
    )


def _hits(state: HoshiBattleState, duel: Duel) -> tuple[Expectation, ...]:
    found = []
    for hit in duel.hits:
        victim, hitter = seat_of(state, hit.victim), seat_of(state, 1 - hit.victim)
        for need in hit.needs:
            if need.act is not None:
                text = f"Did {hitter} do this when hitting: {need.act}? Otherwise the hit is cancelled."
                found.append(Expectation(None, "attest", sections.CARD_FIRST, text, options=(f"{hitter}: {need.act}",)))
            else:
                faces = " or ".join(sorted(need.faces))
                text = f"{victim}: roll a d{need.sides} for {need.card}; {faces} cancels the hit."
                found.append(Expectation(victim, "roll against the hit", sections.CARD_FIRST, text))
    return tuple(found)


def _told(state: HoshiBattleState) -> tuple[Expectation, ...]:
    """Open cards whose effect nobody entered yet: never in the way of play."""
    found = []
    for side in (0, 1):
        for card in (hero_of(state, side), card_of(state, side)):
            if card is not None and not card.is_known:
                seat = seat_of(state, side)
                text = f"{seat}: read {card.name} aloud and tell what it does."
                found.append(Expectation(seat, "tell what the card does", sections.CARD_FIRST, text, must=False))
    return tuple(found)


def _rolling(state: HoshiBattleState, duel: Duel) -> tuple[Expectation, ...]:
    if duel.timeout is not None:
        other = seat_of(state, 1 - duel.timeout[0])
        text = f"Timeout as soon as {other} has finished; go on with a countdown."
        return (Expectation(None, "count down", sections.TIMEOUT, text),)
    found = []
    for side, fighter in enumerate(duel.fighters):
        seat = seat_of(state, side)
        dice = " and ".join("the die" if sides is None else f"a d{sides}" for sides in fighter.dice)
        found.append(Expectation(seat, "roll", sections.HIT, f"{seat}: roll {dice} inside the Arena.", must=False))
    return tuple(found)


def outcome(state: HoshiBattleState) -> Outcome | None:
    """The result, once at most one player has a Hero left. Where both last Heroes went at once, the two share it."""
    if state.phase is not Phase.OVER:
        return None
    seats = state.setup.seats
    alive = in_game(state)
    if alive:
        rule = "no Heroes left" if len(seats) == 2 else "last player with Heroes"
        return Outcome(tuple(seats[place] for place in alive), rule)
    last = state.done[-1].exiled if state.done else seats
    return Outcome(tuple(seat for seat in seats if seat in last), "shared")

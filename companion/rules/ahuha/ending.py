"""What is expected now, and how the game ends."""

from __future__ import annotations

from companion.rules.ahuha import sections
from companion.rules.ahuha.answers import asked_by
from companion.rules.ahuha.counted import winners_of
from companion.rules.ahuha.effects import EffectKind
from companion.rules.ahuha.facts import Orientation, Told
from companion.rules.ahuha.placing import due_now
from companion.rules.ahuha.settings import Mode
from companion.rules.ahuha.setup import ROUNDS, shared
from companion.rules.ahuha.state import AhuhaState, Due, Phase
from companion.rules.ahuha.turns import effect_of_active
from companion.rules.core import Expectation, Outcome


def expects(state: AhuhaState) -> tuple[Expectation, ...]:
    """Who may or must do what now; nothing in it depends on a hidden card."""
    match state.phase:
        case Phase.DEAL:
            return _deal(state)
        case Phase.LAY:
            return _lay(state)
        case Phase.REVEAL:
            return (Expectation(None, "reveal", sections.REVEAL, "Turn the three cards up together."),)
        case Phase.EFFECT:
            return (_effect(state),)
        case Phase.HOSIAHI:
            return _home(state)
        case Phase.COUNT:
            return _count(state)
        case Phase.OVER:
            return ()


def _deal(state: AhuhaState) -> tuple[Expectation, ...]:
    text = "Shuffle the stars, deal six to each player and lay one face down between each pair."
    found = [Expectation(None, "deal", sections.DEAL, text)]
    if state.done:
        text = "Any two players may change seats before the next series."
        found.append(Expectation(None, "swap seats", sections.SWAP, text, must=False))
    return tuple(found)


def _lay(state: AhuhaState) -> tuple[Expectation, ...]:
    current = state.round
    waiting = [seat for place, seat in enumerate(state.seats) if not current.present >> place & 1]
    if current.number == ROUNDS:
        side = state.setup.settings.frozen_in_front
        return tuple(
            Expectation(
                seat,
                "lay the frozen card",
                sections.FROZEN_PLAY,
                f"{seat}: lay the frozen card on your {side} face down.",
            )
            for seat in waiting
        )
    return tuple(
        Expectation(seat, "lay a card", sections.ONE_CARD, f"{seat}: lay any card of your hand face down in the Field.")
        for seat in waiting
    )


def _effect(state: AhuhaState) -> Expectation:
    current, setup = state.round, state.setup
    card = "" if current.active is None else setup.named(current.cards[current.active] or "")
    effect = effect_of_active(state, current)
    if effect.kind is EffectKind.RAISE_HANDS:
        names = tuple(map(setup.named, setup.names(asked_by(state)) or effect.of))
        who = "Everyone" if setup.settings.active_answers else f"Everyone but {state.active}"
        text = f"{card}, {effect.title}. {who}: if you hold {' or '.join(names)}, raise a hand; if not, don't."
        return Expectation(None, "raise hands", sections.EFFECT_HANDS, text, options=names)
    text = f"{state.active}: read {effect.title} of {card} aloud, do what it says, and tell what happened."
    return Expectation(state.active, "tell the effect", sections.EFFECT, text, options=tuple(map(str, Told)))


def _home(state: AhuhaState) -> tuple[Expectation, ...]:
    current, named = state.round, state.setup.named
    due = due_now(state)
    found: list[Expectation] = []
    if current.passing >= 0:
        text = (
            "Everyone: take the frozen card on your right into your hand, then lay any card of your hand on your left."
        )
        found.append(Expectation(None, "pass frozen cards", sections.EFFECT_PASS, text))
    active = current.active
    if active is None:
        return tuple(found)
    card = current.cards[active] or ""
    if due is None:
        text = f"{state.active}: lay {named(card)} Home as its effect says."
        found.append(Expectation(state.active, "lay Home", sections.EFFECT, text, options=tuple(map(str, Orientation))))
        return tuple(found)
    rule, why = _reason(state, card, due)
    if current.field >> active & 1:
        text = f"{state.active}: lay {named(card)} {due.orientation} in your Home{why}."
        found.append(Expectation(state.active, "lay Home", rule, text, options=(str(due.orientation),)))
    if due.partner is not None and current.field >> due.partner & 1:
        seat, other = state.seats[due.partner], named(current.cards[due.partner] or "")
        text = f"{seat}: lay {other} upright in your Home{why}."
        found.append(Expectation(seat, "lay Home", rule, text, options=(str(Orientation.UPRIGHT),)))
    if due.turned is not None:
        seat = state.seats[due.turned[0]]
        text = f"{seat}: turn {named(due.turned[1])} upright{why}."
        found.append(Expectation(seat, "turn upright", rule, text, options=(str(Orientation.UPRIGHT),)))
    return tuple(found)


def _reason(state: AhuhaState, card: str, due: Due) -> tuple[str, str]:
    setup, current = state.setup, state.round
    name = setup.named(card)
    if due.turned is not None:
        return sections.EFFECT_HOSIAHI, f": {name} meets {setup.named(due.turned[1])}"
    if due.partner is not None:
        other = current.cards[due.partner] or ""
        if due.by_effect:
            return sections.EFFECT_HOSIAHI, f": {name} meets {setup.named(other)}"
        common = " and ".join(shared(setup.cards[card], setup.cards[other]))
        return sections.MUST_MEET, f": {name} meets {setup.named(other)}, they share {common}"
    if due.orientation is Orientation.INVERTED:
        return sections.EFFECT_INVERTED, ", upside down for 2 points"
    return sections.LEVEL, ""


def _count(state: AhuhaState) -> tuple[Expectation, ...]:
    found = [
        Expectation(seat, "turn Asita up", sections.BONUS, f"{seat}: turn your Asita card up for 1 point more.")
        for place, seat in enumerate(state.seats)
        if state.earned >> place & 1 and not state.asita >> place & 1
    ]
    winners, decided_by = winners_of(state)
    points = ", ".join(f"{seat} {score}" for seat, score in state.scores.items())
    if state.setup.settings.mode is Mode.COOPERATIVE:
        total = sum(state.scores.values())
        text = f"Together {total} points ({points}): {decided_by}."
        return (*found, Expectation(None, "count", sections.COUNT, text))
    for seat in winners:
        if not state.tigiri >> state.seats.index(seat) & 1:
            text = f"{seat} wins the series ({decided_by}): turn your Yono Tigiri card up."
            found.append(Expectation(seat, "turn Yono Tigiri up", sections.WINNER, text))
    text = f"Points: {points}. Talk the series over, then gather the cards."
    if not winners:
        text = f"Points: {points}. Nobody wins this series ({decided_by}); play another."
    found.append(Expectation(None, "count", sections.COUNT, text))
    return tuple(found)


def outcome(state: AhuhaState) -> Outcome | None:
    """The result: who won two series, or what the three earned together (End of a Series and Victory; cooperative rules)."""
    if not state.done or not state.is_over:
        return None
    last = state.done[-1]
    if state.setup.settings.mode is Mode.COOPERATIVE:
        return Outcome(last.winners, last.decided_by, sum(last.scores.values()))
    most = max(state.wins)
    winners = tuple(seat for seat, won in zip(state.seats, state.wins, strict=True) if won == most)
    decided_by = "two series" if len(winners) == 1 else "shared"
    points = last.scores[winners[0]] if len(winners) == 1 else None
    return Outcome(winners, decided_by, points)

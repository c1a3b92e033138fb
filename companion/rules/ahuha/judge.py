"""`judge`: what to think of a fact that is about to be applied."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.rules.ahuha import sections
from companion.rules.ahuha.answers import answering
from companion.rules.ahuha.counted import winners_of
from companion.rules.ahuha.effects import EffectKind
from companion.rules.ahuha.facts import (
    AsitaShown,
    CardLaid,
    CardPlaced,
    CardRevealed,
    Dealt,
    EffectTold,
    Fact,
    FrozenPlaced,
    FrozenTaken,
    RoundEnded,
    SeatsSwapped,
    SeriesEnded,
    Side,
    Told,
    YonoTigiriShown,
)
from companion.rules.ahuha.judge_home import judge_placed
from companion.rules.ahuha.knowledge import (
    Knowledge,
    Shown,
    is_new,
    lie,
    show,
    shows,
    worlds,
)
from companion.rules.ahuha.placing import placing
from companion.rules.ahuha.settings import Mode
from companion.rules.ahuha.setup import ROUNDS
from companion.rules.ahuha.state import ALL_SEATS, AhuhaState, Phase, has_bonus, home_of, place_of
from companion.rules.ahuha.turns import effect_of_active
from companion.rules.core import Finding, Level

_GRAVITY = {Level.ILLEGAL: 0, Level.PROVED: 1, Level.SUSPECT: 2, Level.NOTE: 3}


def judge(state: AhuhaState, fact: Fact) -> tuple[Finding, ...]:
    """What to think of a fact that is about to be applied to `state`, worst first; nothing once the game is over."""
    if not state.is_dealt and state.is_over:
        return ()
    found = _JUDGES[type(fact)](state, fact)
    return found if len(found) < 2 else tuple(sorted(found, key=lambda finding: _GRAVITY[finding.level]))


def _finding(state: AhuhaState, rule: str, level: Level, text: str, player: str | None = None) -> Finding:
    return Finding(rule, level, text, player, min(state.round.number, ROUNDS))


def _placed(state: AhuhaState, fact: CardPlaced) -> tuple[Finding, ...]:
    return _stranger(state, fact.seat) if placing(state, fact).place is None else judge_placed(state, fact)


def _stranger(state: AhuhaState, seat: str) -> tuple[Finding, ...]:
    text = f"{seat} is none of the players {', '.join(state.seats)}."
    return (_finding(state, sections.SEATS, Level.ILLEGAL, text, seat),)


def _dealt(state: AhuhaState, fact: Dealt) -> tuple[Finding, ...]:
    if not state.is_dealt:
        return ()
    if state.round.number > ROUNDS:
        return _series_ended(state, fact)
    text = f"Cards were dealt in round {state.round.number}; this series is not done."
    return (_finding(state, sections.DEAL, Level.NOTE, text),)


def _laid(state: AhuhaState, fact: CardLaid) -> tuple[Finding, ...]:
    seat, current = fact.seat, state.round
    place = place_of(state, seat)
    if place is None:
        return _stranger(state, seat)
    if current.number > ROUNDS:
        text = f"{seat} laid a card after the seventh round."
        return (_finding(state, sections.ONE_CARD, Level.NOTE, text, seat),)
    if current.is_revealed:
        text = f"{seat} laid a card before round {current.number} was done."
        return (_finding(state, sections.NEXT_TURN, Level.NOTE, text, seat),)
    if current.laid >> place & 1 or current.cards[place] is not None:
        text = f"{seat} laid a second card in round {current.number}."
        return (_finding(state, sections.ONE_CARD, Level.ILLEGAL, text, seat),)
    return ()


def _revealed(state: AhuhaState, fact: CardRevealed) -> tuple[Finding, ...]:
    seat, card, current = fact.seat, fact.card, state.round
    place = place_of(state, seat)
    if place is None:
        return _stranger(state, seat)
    if current.number > ROUNDS:
        text = f"{seat} showed {state.setup.named(card)} after the seventh round."
        return (_finding(state, sections.ONE_CARD, Level.NOTE, text, seat),)
    open_card = current.cards[place]
    if open_card is not None:
        if open_card == card:
            return ()
        both = f"{state.setup.named(card)} beside {state.setup.named(open_card)}"
        text = f"{seat} showed {both} in round {current.number}; the first card counts."
        return (_finding(state, sections.ONE_CARD, Level.ILLEGAL, text, seat),)
    found = what_a_card_shows(state, place, card)
    if current.laid not in (0, ALL_SEATS) and current.present | 1 << place != ALL_SEATS:
        text = f"{seat} turned a card up before all three cards lay."
        found += (_finding(state, sections.REVEAL, Level.ILLEGAL, text, seat),)
    return found


def what_a_card_shows(state: AhuhaState, place: int, card: str) -> tuple[Finding, ...]:
    """What a card that comes to light says: it can't be what it seems, or it proves answers false."""
    setup, knowledge, number = state.setup, state.knowledge, state.round.number
    if not is_new(knowledge, setup, card):
        return (_card_fault(state, state.seats[place], card),)
    if not knowledge.answers:
        return ()
    after, false = shows(knowledge, setup, number, place, card)
    if false:
        full = show(knowledge, setup, number, place, card)
        return tuple(lie(full, setup, state.seats, answer, number) for answer in false)
    return _contradiction(state, after)


def _contradiction(state: AhuhaState, after: Knowledge) -> tuple[Finding, ...]:
    """The answers that are open can't all be true any more, and nothing says whose is not; what can't be counted says nothing."""
    if worlds(after, state.setup) != 0 or worlds(state.knowledge, state.setup) == 0:
        return ()
    answers = after.answers
    text = "The raised hands of this series can't all be right."
    acts = tuple(answer.act for answer in answers)
    return (Finding(sections.LYING, Level.SUSPECT, text, None, state.round.number, None, acts),)


def _card_fault(state: AhuhaState, seat: str, card: str) -> Finding:
    """Why a card can't be what it seems: it is no star of the deck, or it was shown before."""
    if card not in state.setup.cards:
        text = f"{seat} showed {card}, which is no star of this deck."
    else:
        entries = state.knowledge.timeline
        before = next((x.place for x in entries if isinstance(x, Shown) and x.card == card), None)
        whose = "" if before is None else f" by {state.seats[before]}"
        text = f"{seat} showed {state.setup.named(card)}, which was shown{whose} before in this series."
    return _finding(state, sections.COMPONENTS_DECK, Level.ILLEGAL, text, seat)


def _told(state: AhuhaState, fact: EffectTold) -> tuple[Finding, ...]:
    current = state.round
    strangers = [seat for seat in fact.seats if place_of(state, seat) is None]
    if strangers:
        return _stranger(state, strangers[0])
    if current.active is None or not current.waits:
        text = "No effect has to be told now; what was told changes nothing."
        return (_finding(state, sections.EFFECT, Level.NOTE, text),)
    card = current.cards[current.active] or ""
    name = state.setup.named(card)
    found: tuple[Finding, ...] = ()
    if effect_of_active(state, current).kind is EffectKind.RAISE_HANDS and fact.outcome is not Told.HANDS:
        text = f"{name} asks for raised hands; nobody told who raised one."
        found = (_finding(state, sections.EFFECT_HANDS, Level.NOTE, text),)
    match fact.outcome:
        case Told.HANDS:
            found += _hands(state, fact)
        case Told.HOSIAHI:
            met = fact.card or "no card"
            if not _is_there(state, met, card):
                text = (
                    f"{name} was told to meet {state.setup.named(met)}, which lies neither in the Field nor in a Home."
                )
                found += (_finding(state, sections.EFFECT_HOSIAHI, Level.NOTE, text),)
        case Told.INVERTED:
            data = state.setup.cards.get(card)
            if data is not None and not data.two_point:
                text = f"{name} has no icon for 2 points by this deck's data."
                found += (_finding(state, sections.EFFECT_INVERTED, Level.NOTE, text),)
        case Told.PASSED if current.number == ROUNDS:
            text = "Frozen cards are not passed in the seventh round: there are no hands."
            found += (_finding(state, sections.EFFECT_PASS, Level.NOTE, text),)
        case _:
            pass
    return found


def _hands(state: AhuhaState, fact: EffectTold) -> tuple[Finding, ...]:
    current = state.round
    if current.number == ROUNDS:
        text = "Nobody has a hand in the seventh round."
        return (_finding(state, sections.EFFECT_HANDS, Level.NOTE, text),) if fact.seats else ()
    answers, after, false = answering(state, fact)
    if not answers:
        return ()
    if false:
        return tuple(lie(after, state.setup, state.seats, answer, current.number) for answer in false)
    return _contradiction(state, after)


def _is_there(state: AhuhaState, met: str, card: str) -> bool:
    current = state.round
    for place, open_card in enumerate(current.cards):
        if open_card == met and current.field >> place & 1:
            return met != card
    return home_of(state, met) is not None


def _frozen(state: AhuhaState, fact: FrozenTaken | FrozenPlaced) -> tuple[Finding, ...]:
    seat, current = fact.seat, state.round
    place = place_of(state, seat)
    if place is None:
        return _stranger(state, seat)
    takes = isinstance(fact, FrozenTaken)
    verb = "took" if takes else "placed"
    if current.passing < 0:
        if takes and current.number == ROUNDS and not current.is_revealed:
            return _in_front(state, seat, fact.side)
        if current.waits:
            card = state.setup.named(current.cards[current.active or 0] or "")
            text = f"{seat} {verb} a frozen card; tell what the effect of {card} brings."
            return (_finding(state, sections.EFFECT, Level.NOTE, text, seat),)
        text = f"{seat} {verb} a frozen card, and no effect passes any."
        return (_finding(state, sections.FROZEN_ALONE, Level.ILLEGAL, text, seat),)
    found = []
    bit = 1 << place if takes else 1 << place + 3
    if current.passing & bit:
        text = f"{seat} {verb} a second frozen card."
        found.append(_finding(state, sections.EFFECT_PASS, Level.ILLEGAL, text, seat))
    if fact.side is not (Side.RIGHT if takes else Side.LEFT):
        text = f"{seat} {verb} the frozen card on the {fact.side}; take from the right, place on the left."
        found.append(_finding(state, sections.EFFECT_PASS, Level.ILLEGAL, text, seat))
    if not takes and current.passing & ALL_SEATS not in (0, ALL_SEATS):
        text = f"{seat} placed a frozen card before everyone had taken one."
        found.append(_finding(state, sections.EFFECT_PASS, Level.NOTE, text, seat))
    return tuple(found)


def _in_front(state: AhuhaState, seat: str, side: Side) -> tuple[Finding, ...]:
    wanted = state.setup.settings.frozen_in_front
    if side is wanted:
        return ()
    text = f"{seat} took the frozen card on the {side}; the one in front is on the {wanted}."
    return (_finding(state, sections.FROZEN_PLAY, Level.ILLEGAL, text, seat),)


def _round_ended(state: AhuhaState, _: RoundEnded) -> tuple[Finding, ...]:
    current = state.round
    if current.number > ROUNDS or current.present == 0:
        return ()
    missing = [seat for seat, card in zip(state.seats, current.cards, strict=True) if card is None]
    left = [
        state.setup.named(card)
        for place, card in enumerate(current.cards)
        if card is not None and current.field >> place & 1
    ]
    found = []
    if missing:
        text = f"Nobody saw the card of {' and '.join(missing)} in round {current.number}."
        found.append(_finding(state, sections.NEXT_TURN, Level.NOTE, text))
    if left:
        text = f"Nobody saw where {' and '.join(left)} went in round {current.number}."
        found.append(_finding(state, sections.NEXT_TURN, Level.NOTE, text))
    return tuple(found)


def _asita(state: AhuhaState, fact: AsitaShown) -> tuple[Finding, ...]:
    seat = fact.seat
    place = place_of(state, seat)
    if place is None:
        return _stranger(state, seat)
    if state.earned >> place & 1 or state.loose:
        return ()
    if state.round.number == ROUNDS and state.round.active is not None:
        level, text = Level.NOTE, f"{seat} turned the Asita card up before a Hosiahi of {seat}'s was done."
    else:
        level, text = Level.ILLEGAL, f"{seat} turned the Asita card up without a Hosiahi at Tanabata."
    return (_finding(state, sections.BONUS, level, text, seat),)


def _tigiri(state: AhuhaState, fact: YonoTigiriShown) -> tuple[Finding, ...]:
    seat = fact.seat
    place = place_of(state, seat)
    if place is None:
        return _stranger(state, seat)
    if state.setup.settings.mode is Mode.COOPERATIVE:
        text = f"{seat} turned the Yono Tigiri card up; nobody wins a cooperative series alone."
        return (_finding(state, sections.WINNER, Level.NOTE, text, seat),)
    if state.phase is not Phase.COUNT:
        text = f"{seat} turned the Yono Tigiri card up before the series was counted."
        return (_finding(state, sections.WINNER, Level.NOTE, text, seat),)
    winners, decided_by = winners_of(state)
    if seat in winners:
        return ()
    who = " and ".join(winners) or "nobody"
    text = f"{seat} turned the Yono Tigiri card up, but {who} won the series ({decided_by})."
    return (_finding(state, sections.WINNER, Level.ILLEGAL, text, seat),)


def _series_ended(state: AhuhaState, _: SeriesEnded | Dealt) -> tuple[Finding, ...]:
    if state.phase is not Phase.COUNT:
        text = "No series is ready to be counted."
        return (_finding(state, sections.COUNT, Level.NOTE, text),)
    found = []
    if state.asita:
        for place, seat in enumerate(state.seats):
            if has_bonus(state, place) and not state.asita >> place & 1:
                text = f"{seat} met at Tanabata: the Asita point counts though the card was not turned up."
                found.append(_finding(state, sections.BONUS, Level.NOTE, text, seat))
    return tuple(found)


def _swapped(state: AhuhaState, fact: SeatsSwapped) -> tuple[Finding, ...]:
    for seat in (fact.first, fact.second):
        if place_of(state, seat) is None:
            return _stranger(state, seat)
    if state.is_dealt:
        text = f"{fact.first} and {fact.second} changed seats during a series."
        return (_finding(state, sections.SWAP, Level.ILLEGAL, text, fact.first),)
    if not state.done:
        text = f"{fact.first} and {fact.second} changed seats before the first series."
        return (_finding(state, sections.SWAP, Level.NOTE, text, fact.first),)
    return ()


_JUDGES: Mapping[type[Fact], Callable[[AhuhaState, Any], tuple[Finding, ...]]] = {
    Dealt: _dealt,
    CardLaid: _laid,
    CardRevealed: _revealed,
    EffectTold: _told,
    FrozenTaken: _frozen,
    FrozenPlaced: _frozen,
    CardPlaced: _placed,
    RoundEnded: _round_ended,
    AsitaShown: _asita,
    YonoTigiriShown: _tigiri,
    SeriesEnded: _series_ended,
    SeatsSwapped: _swapped,
}

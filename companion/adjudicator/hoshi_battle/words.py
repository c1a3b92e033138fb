"""What is said of a game of Hoshi Battle: facts for the history, effects in force, what happens now."""

from __future__ import annotations

from collections.abc import Iterator

from companion.rules.hoshi_battle import HoshiBattleSetup, HoshiBattleState
from companion.rules.hoshi_battle.effects import (
    AskAct,
    CountAlso,
    CountInstead,
    Effect,
    ExtraDie,
    KeepDice,
    Lasts,
    SaveRoll,
    SetDie,
    SuppressUntil,
    Then,
    Touch,
    Who,
)
from companion.rules.hoshi_battle.facts import (
    ActAttested,
    CardDeclined,
    CardsDealt,
    CardsKept,
    CardsPassed,
    CardsPlaced,
    DeckBrought,
    DieFell,
    DiePickedUp,
    DiePutBack,
    DieRolled,
    DieTaken,
    DuelCardRevealed,
    EffectTold,
    Face,
    Fact,
    FoulSeen,
    HandLowered,
    HandRaised,
    HandsTouched,
    HeroExiled,
    HeroRevealed,
    OpponentChosen,
    PlayBegan,
    SaveRolled,
    StonesCounted,
    SwingMissed,
    TimeoutCalled,
    TouchRuled,
    Where,
)
from companion.rules.hoshi_battle.state import Phase, seat_of

_LASTS = {Lasts.CARD: "while the card is in play", Lasts.ROUND: "this round", Lasts.DUEL: "this Duel"}


def card_name(setup: HoshiBattleSetup, card: str) -> str:
    """A card as people call it; its id where the deck doesn't know it."""
    known = setup.heroes.get(card) or setup.duels.get(card)
    return card if known is None else known.name


def describe(fact: Fact, setup: HoshiBattleSetup) -> str:  # noqa: PLR0911, PLR0912  (one line a fact)
    """A fact in a few words."""
    match fact:
        case DeckBrought(seat=seat):
            return f"{seat} brought two decks"
        case CardsDealt(seat=seat, kind=kind, count=count):
            return f"{seat} was dealt {count} {kind} cards"
        case CardsPassed(seat=seat, to=to, kind=kind, count=count):
            return f"{seat} passed {count} {kind} cards to {to}"
        case CardsKept(seat=seat, kind=kind, count=count):
            return f"{seat} kept {count} {kind} cards"
        case OpponentChosen(seat=seat, opponent=opponent):
            return f"{seat} challenged {opponent}"
        case CardsPlaced(seat=seat, hero=hero, duel=duel):
            laid = " and ".join(name for name, is_laid in (("a Hero", hero), ("a Duel card", duel)) if is_laid)
            return f"{seat} laid {laid or 'nothing'} face down"
        case HeroRevealed(seat=seat, card=card) | DuelCardRevealed(seat=seat, card=card):
            return f"{seat} revealed {card_name(setup, card)}"
        case CardDeclined(seat=seat):
            return f"{seat} plays no card now"
        case EffectTold(seat=seat, card=card):
            return f"{seat} told what {card_name(setup, card)} did"
        case DieTaken(seat=seat, sides=sides):
            return f"{seat} took a d{sides}"
        case StonesCounted(seat=seat, count=count):
            return f"{count} Stones lie before {seat}"
        case PlayBegan(counted=counted):
            return "three, two, one, zero: play began" if counted else "play went on"
        case DieRolled(seat=seat):
            return f"{seat} rolled {_face_words(fact)}"
        case DiePickedUp(seat=seat):
            return f"{seat} picked the die up"
        case DiePutBack(seat=seat):
            return f"{seat} put the die back"
        case DieFell(seat=seat):
            return f"{seat}'s die fell off the table"
        case SwingMissed(seat=seat):
            return f"{seat} reached out and touched nothing"
        case HandRaised(seat=seat):
            return f"{seat} pulled the hand up"
        case HandLowered(seat=seat):
            return f"{seat} lowered the hand"
        case HandsTouched():
            return _touch_words(fact)
        case TouchRuled(ruling=ruling, seat=seat):
            return f"referee: {ruling}" + (f" by {seat}" if seat is not None else "")
        case ActAttested(seat=seat, act=act, done=done):
            return f"{seat} did {'' if done else 'not '}do it: {act}"
        case SaveRolled(seat=seat, face=face):
            return f"{seat} rolled {face} against the hit"
        case TimeoutCalled(seat=seat):
            return f"{seat} called a timeout"
        case HeroExiled(seat=seat):
            return f"{seat}'s Hero was exiled"
        case FoulSeen(seat=seat, foul=foul):
            return f"{seat}: {foul}"


def _face_words(fact: DieRolled) -> str:
    face = "a face that nobody could read" if fact.face is Face.UNKNOWN else str(fact.face)
    side = {True: "", False: ", outside the Arena", None: ", nobody knows on which side of the string"}[fact.inside]
    return face + side


def _touch_words(fact: HandsTouched) -> str:
    where = {Where.HAND: "", Where.ELSEWHERE: ", on an arm", Where.UNKNOWN: ""}[fact.where]
    if not fact.by:
        return f"hands touched{where}"
    return f"{' and '.join(fact.by)} touched the other{where}"


# -- effects in force -----------------------------------------------------------------------------------------------------


def effect_lines(state: HoshiBattleState) -> Iterator[dict[str, object]]:
    """The effects in force, the last played first: in words, by which card, whose, for how long."""
    duel = state.duel
    if duel is None:
        return
    for active in sorted((x for x in duel.actives if x.stamp), key=lambda x: -x.stamp):
        owner = seat_of(state, active.owner)
        yield {
            "owner": owner,
            "card": card_name(state.setup, active.card),
            "text": effect_words(active.effect, owner, seat_of(state, 1 - active.owner)),
            "lasts": _LASTS[active.lasts],
        }


def effect_words(effect: Effect, owner: str, other: str) -> str:  # noqa: PLR0911  (one line an effect)
    """What an effect does now, in words; it speaks of the two by their names."""
    who = {Who.SELF: owner, Who.OPPONENT: other, Who.ALL: "both"}.get(getattr(effect, "who", Who.SELF), owner)
    verb = "battle" if who == "both" else "battles"
    match effect:
        case SetDie(sides=sides):
            return f"{who} {verb} with the d{sides}"
        case ExtraDie(sides=sides):
            return f"{who} {verb} with an additional d{sides}"
        case KeepDice():
            return f"nothing changes the dice of {who}"
        case CountAlso(rolled=rolled, counts=counts):
            return f"for {who} {rolled} counts also as {counts}"
        case CountInstead(rolled=rolled, counts=counts):
            return f"for {who} {rolled} counts instead as {counts}"
        case AskAct(act=act):
            return f"a hit on {who} counts only with this: {act}"
        case SaveRoll(sides=sides, face=face):
            return f"{who}, when hit, rolls a d{sides}: {face} cancels the hit"
        case SuppressUntil(face=face):
            return f"the Hero of {who} sleeps until {face} is rolled"
        case Touch(face=face, then=Then.HIT):
            return f"{owner} may touch after {face}: that is a hit"
        case Touch(face=face, sides=sides):
            return f"{owner} may touch after {face}: {other} then battles with the d{sides}"
        case _:
            return "read the card aloud"


# -- what happens now -----------------------------------------------------------------------------------------------------


def headline(state: HoshiBattleState) -> str:  # noqa: PLR0911  (one line a phase)
    """What happens now, in a few words that can be read across a room."""
    duel = state.duel
    match state.phase:
        case Phase.DEAL:
            return "Deal and choose the cards"
        case Phase.OPPONENT:
            return f"{state.setup.seats[state.chooser]} chooses an opponent"
        case Phase.PLACE:
            return "Choose a Hero and a Duel card, face down"
        case Phase.REVEAL:
            return "Reveal the Heroes"
        case Phase.READY:
            return "Three, two, one, zero"
        case Phase.ROLLING if duel is not None and duel.timeout is not None:
            return f"Timeout, called by {seat_of(state, duel.timeout[0])}"
        case Phase.ROLLING:
            return "Roll!"
        case Phase.HIT:
            return "Does the hit count?"
        case Phase.ROUND_END:
            return "The round is over"
        case Phase.ROUND_START:
            return "Roll on when both are ready"
        case Phase.OVER:
            return "The game is over"


def progress(state: HoshiBattleState) -> str:
    """Where the game is."""
    duel = state.duel
    if state.phase is Phase.OVER:
        return "Game over"
    if duel is None:
        return f"After Duel {len(state.done)}" if state.done else "Set-up"
    return f"Duel {duel.number}, round {duel.round}" if duel.round else f"Duel {duel.number}"

"""Judging what is done with cards, dice and Stones around the rounds."""

from __future__ import annotations

from companion.rules.core import Finding, Level
from companion.rules.hoshi_battle import sections
from companion.rules.hoshi_battle.duels import in_game, opponents
from companion.rules.hoshi_battle.effects import Move, ReplaceExile, RestartDuel, What
from companion.rules.hoshi_battle.ending import cards_dealt, is_draft
from companion.rules.hoshi_battle.facts import (
    CardDeclined,
    CardKind,
    CardsDealt,
    CardsKept,
    CardsPassed,
    CardsPlaced,
    DeckBrought,
    DieTaken,
    DuelCardRevealed,
    EffectTold,
    Fact,
    HeroRevealed,
    OpponentChosen,
    StonesCounted,
)
from companion.rules.hoshi_battle.findings import finding, stranger
from companion.rules.hoshi_battle.playing import at_its_time, needs_met, time_of, times_of
from companion.rules.hoshi_battle.settings import Deal, Unshown
from companion.rules.hoshi_battle.setup import IN_USE, DuelCard, HeroCard, Needs
from companion.rules.hoshi_battle.state import (
    Duel,
    Fighter,
    HoshiBattleState,
    Phase,
    count_index,
    seat_of,
    side_of,
)

_NAMES = {CardKind.HERO: "Heroes", CardKind.DUEL: "Duel cards"}
_NEEDS = {
    Needs.WAS_HIT: "after being hit",
    Needs.STONE_LOST: "after a Stone was lost",
    Needs.OWN_TOUCH: "after a touch with its symbol",
    Needs.DEFEATED: "when its Hero is defeated",
}


def judge_card(state: HoshiBattleState, fact: Fact) -> tuple[Finding, ...]:  # noqa: PLR0911  (one line a fact)
    """What to think of a fact about cards, dice taken or Stones counted."""
    match fact:
        case DuelCardRevealed():
            return _duel_card(state, fact)
        case HeroRevealed():
            return _hero(state, fact)
        case CardsPlaced():
            return _placed(state, fact)
        case CardDeclined():
            return _declined(state, fact)
        case EffectTold():
            return () if side_of(state, fact.seat) is not None else stranger(state, fact.seat)
        case StonesCounted():
            return _stones(state, fact)
        case DieTaken():
            return _die(state, fact)
        case OpponentChosen():
            return _opponent(state, fact)
        case CardsDealt() | CardsPassed() | CardsKept():
            return _dealt(state, fact)
        case DeckBrought():
            return _brought(state, fact)
        case _:
            return ()


def _dealt(state: HoshiBattleState, fact: CardsDealt | CardsPassed | CardsKept) -> tuple[Finding, ...]:
    place = state.setup.places.get(fact.seat)
    if place is None:
        return stranger(state, fact.seat)
    if state.phase is not Phase.DEAL:
        text = f"{fact.seat} handled undealt cards after the game had begun."
        return (finding(state, sections.DEAL, Level.ILLEGAL, text, fact.seat),)
    match fact:
        case CardsDealt():
            return _dealt_count(state, fact)
        case CardsPassed():
            return _passed(state, fact, place)
        case CardsKept():
            return _kept(state, fact, place)


def _dealt_count(state: HoshiBattleState, fact: CardsDealt) -> tuple[Finding, ...]:
    wanted = cards_dealt(state)
    if fact.count == wanted:
        return ()
    rule = {Deal.COMBINED: sections.DEAL_VARIANT, Deal.CONSTRUCTED: sections.DECK_DRAW, Deal.RULEBOOK: sections.DEAL}
    section = sections.DRAFT if is_draft(state) else rule[state.setup.settings.deal]
    text = f"{fact.seat} got {fact.count} {_NAMES[fact.kind]}, not {wanted}."
    return (finding(state, section, Level.ILLEGAL, text, fact.seat),)


def _passed(state: HoshiBattleState, fact: CardsPassed, place: int) -> tuple[Finding, ...]:
    if not is_draft(state):
        text = f"{fact.seat} passed cards on; this table does not draft."
        return (finding(state, sections.DRAFT, Level.ILLEGAL, text, fact.seat),)
    found: tuple[Finding, ...] = ()
    step = 1 if fact.kind is CardKind.HERO else -1
    to = state.setup.after(fact.seat, step)
    name = _NAMES[fact.kind]
    if fact.to != to:
        way = "left" if step == 1 else "right"
        text = f"{fact.seat} passed {name} to {fact.to}; they go to the {way}, to {to}."
        found = (finding(state, sections.DRAFT, Level.ILLEGAL, text, fact.seat),)
    done = state.players[place].passed[count_index(fact.kind)]
    wanted = 3 - done
    if wanted <= 0:
        text = f"{fact.seat} passed {name} on a fourth time."
        found += (finding(state, sections.DRAFT, Level.ILLEGAL, text, fact.seat),)
    elif fact.count != wanted:
        text = f"{fact.seat} passed {fact.count} {name} on, not {wanted}."
        found += (finding(state, sections.DRAFT, Level.ILLEGAL, text, fact.seat),)
    return found


def _kept(state: HoshiBattleState, fact: CardsKept, place: int) -> tuple[Finding, ...]:
    found: tuple[Finding, ...] = ()
    name = _NAMES[fact.kind]
    if fact.count != IN_USE:
        text = f"{fact.seat} kept {fact.count} {name}, not three."
        found = (finding(state, sections.KEEP, Level.ILLEGAL, text, fact.seat),)
    if is_draft(state) and state.players[place].passed[count_index(fact.kind)] not in (0, 3):
        text = f"{fact.seat} chose {name} before the draft was over."
        found += (finding(state, sections.DRAFT, Level.ILLEGAL, text, fact.seat),)
    return found


def _brought(state: HoshiBattleState, fact: DeckBrought) -> tuple[Finding, ...]:
    if fact.seat not in state.setup.places:
        return stranger(state, fact.seat)
    if state.setup.settings.deal is not Deal.CONSTRUCTED:
        text = f"{fact.seat} brought decks; this table does not play with constructed decks."
        return (finding(state, sections.DECK_SIZE, Level.NOTE, text, fact.seat),)
    found = []
    setup = state.setup
    for name, cards, known in (("Heroes", fact.heroes, setup.heroes), ("Duel cards", fact.duels, setup.duels)):
        if len(cards) != 4:
            text = f"{fact.seat} brought {len(cards)} {name}, not four."
            found.append(finding(state, sections.DECK_SIZE, Level.ILLEGAL, text, fact.seat))
        if len(set(cards)) != len(cards):
            text = f"{fact.seat} brought one of the {name} more than once."
            found.append(finding(state, sections.DECK_TWICE, Level.ILLEGAL, text, fact.seat))
        if any(card not in known for card in cards):
            text = f"{fact.seat} brought {name} that are in no deck of this game."
            found.append(finding(state, sections.CONTENTS, Level.ILLEGAL, text, fact.seat))
    return (*found, *_cost(state, fact))


def _cost(state: HoshiBattleState, fact: DeckBrought) -> tuple[Finding, ...]:
    """Findings are public and decks are not: no sum is told."""
    setup = state.setup
    cards: list[HeroCard | DuelCard | None] = [setup.heroes.get(card) for card in fact.heroes]
    cards += [setup.duels.get(card) for card in fact.duels]
    costs = [None if card is None else card.cost for card in cards]
    total = sum(cost for cost in costs if cost is not None)
    limit = setup.settings.cost_limit
    if total > limit:
        text = f"The decks of {fact.seat} cost more than the agreed {limit}."
        return (finding(state, sections.DECK_COST, Level.ILLEGAL, text, fact.seat),)
    if None in costs:
        text = (
            f"The decks of {fact.seat} hold cards of unknown cost; the known ones cost no more than the agreed {limit}."
        )
        return (finding(state, sections.DECK_COST, Level.NOTE, text, fact.seat),)
    return ()


def _opponent(state: HoshiBattleState, fact: OpponentChosen) -> tuple[Finding, ...]:
    places = state.setup.places
    for seat in (fact.seat, fact.opponent):
        if seat not in places:
            return stranger(state, seat)
    if state.phase not in (Phase.OPPONENT, Phase.DEAL, Phase.ROUND_END):
        text = f"{fact.seat} chose an opponent while a Duel goes on."
        return (finding(state, sections.OPPONENT, Level.NOTE, text, fact.seat),)
    if state.phase is not Phase.OPPONENT:
        return ()
    chooser = state.setup.seats[state.chooser]
    if fact.seat != chooser:
        text = f"{fact.seat} chose an opponent; {chooser} does."
        return (finding(state, sections.OPPONENT, Level.ILLEGAL, text, fact.seat),)
    allowed = [state.setup.seats[place] for place in opponents(state)]
    if fact.opponent in allowed:
        return ()
    if places[fact.opponent] not in in_game(state) or fact.opponent == fact.seat:
        text = f"{fact.seat} can't choose {fact.opponent}: {', '.join(allowed)} can be chosen."
    else:
        text = f"{fact.seat} must choose who has the most Heroes left: {' or '.join(allowed)}."
    return (finding(state, sections.OPPONENT, Level.ILLEGAL, text, fact.seat),)


def _placed(state: HoshiBattleState, fact: CardsPlaced) -> tuple[Finding, ...]:
    place = state.setup.places.get(fact.seat)
    if place is None:
        return stranger(state, fact.seat)
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None or state.phase not in (Phase.PLACE, Phase.REVEAL):
        return ()  # it belongs to the next Duel
    fighter, player = duel.fighters[side], state.players[place]
    found: tuple[Finding, ...] = ()
    if fact.hero and fighter.has_hero:
        text = f"{fact.seat} laid a second Hero; a winner goes on with the same one."
        found = (finding(state, sections.WINNER_STAYS, Level.ILLEGAL, text, fact.seat),)
    if fact.duel and (fighter.is_hidden or fighter.card is not None):
        text = f"{fact.seat} laid a second Duel card."
        found += (finding(state, sections.PLAYED_ONCE, Level.ILLEGAL, text, fact.seat),)
    elif fact.duel and player.duels <= 0:
        text = f"{fact.seat} has no Duel card left."
        found += (finding(state, sections.CHOOSE, Level.ILLEGAL, text, fact.seat),)
    elif fact.duel and fighter.hero is not None and not state.setup.settings.winner_takes_new_card:
        text = f"{fact.seat} took a new Duel card; a winner goes on with the same cards."
        found += (finding(state, sections.WINNER_STAYS, Level.ILLEGAL, text, fact.seat),)
    return found


def _hero(state: HoshiBattleState, fact: HeroRevealed) -> tuple[Finding, ...]:
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None:
        if fact.seat not in state.setup.places:
            return stranger(state, fact.seat)
        return ()
    fighter = duel.fighters[side]
    if fighter.hero is not None and state.phase is not Phase.ROUND_END:
        if fighter.hero == fact.card:
            return ()
        text = f"{fact.seat} showed {fact.card} beside {fighter.hero}; the first Hero counts."
        return (finding(state, sections.CHOOSE, Level.ILLEGAL, text, fact.seat),)
    found = _identity(state, fact.seat, fact.card, CardKind.HERO)
    if fact.card == duel.barred and fact.card in state.players[fighter.place].shown:
        text = f"{fact.seat} brought back {fact.card}; the Duel starts over with a different Hero."
        found += (finding(state, sections.CARD_FIRST, Level.ILLEGAL, text, fact.seat),)
    other = duel.fighters[1 - side]
    if fighter.place != duel.chooser and other.hero is None and state.phase is Phase.REVEAL:
        first = seat_of(state, 1 - side)
        text = f"{fact.seat} revealed the Hero before {first}, who reveals first."
        found += (finding(state, sections.REVEAL_HERO, Level.NOTE, text, fact.seat),)
    return found


def _identity(state: HoshiBattleState, seat: str, card: str, kind: CardKind) -> tuple[Finding, ...]:
    """Whether a card can be what it seems: in the deck, of the right kind, not used up, and among those that were brought."""
    setup = state.setup
    known, others = (setup.heroes, setup.duels) if kind is CardKind.HERO else (setup.duels, setup.heroes)
    data: HeroCard | DuelCard | None = known.get(card)
    if data is None:
        what = "is not that kind of card" if card in others else "is not in this deck"
        text = f"{seat} showed {card}, which {what}."
        return (finding(state, sections.CONTENTS, Level.ILLEGAL, text, seat),)
    player = state.players[setup.places[seat]]
    gone = (*player.exiled, *player.discarded).count(card)
    if gone >= data.copies:
        what = "exiled" if card in player.exiled else "discarded"
        text = f"{seat} showed {card}, which had been {what}."
        return (finding(state, sections.EXILE, Level.ILLEGAL, text, seat),)
    if player.brought is not None and card not in player.brought:
        text = f"{seat} showed {card}, which was not in the decks that {seat} brought."
        return (finding(state, sections.DECK_SIZE, Level.ILLEGAL, text, seat),)
    holders = {s for s, p in zip(setup.seats, state.players, strict=True) if card in p.shown} - {seat}
    if setup.settings.deal is not Deal.CONSTRUCTED and gone + len(holders) >= data.copies:
        text = f"{seat} showed {card}, which {' and '.join(sorted(holders))} had shown before."
        return (finding(state, sections.CONTENTS, Level.ILLEGAL, text, seat),)
    return ()


def _duel_card(state: HoshiBattleState, fact: DuelCardRevealed) -> tuple[Finding, ...]:
    side = side_of(state, fact.seat)
    if side is None or state.duel is None:
        return stranger(state, fact.seat)
    state = at_its_time(state, side, fact.card)
    duel = state.duel
    if duel is None:
        return ()
    fighter = duel.fighters[side]
    if fighter.card is not None:
        if fighter.card == fact.card:
            return ()
        text = f"{fact.seat} showed {fact.card} beside {fighter.card}; there is one Duel card in a Duel."
        return (finding(state, sections.PLAYED_ONCE, Level.ILLEGAL, text, fact.seat),)
    found = _identity(state, fact.seat, fact.card, CardKind.DUEL)
    if not fighter.is_hidden:
        text = f"{fact.seat} showed {fact.card}, which did not lie face down for this Duel."
        found += (finding(state, sections.CHOOSE, Level.ILLEGAL, text, fact.seat),)
    known = state.setup.duels.get(fact.card)
    if known is not None:
        found += _timing(state, duel, side, fighter, known)
        found += _no_effect(state, side, fighter, known)
    return found


def _declined(state: HoshiBattleState, fact: CardDeclined) -> tuple[Finding, ...]:
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None:
        return stranger(state, fact.seat)
    if side in duel.claims and state.setup.settings.unshown_touch is Unshown.BLUFF:
        text = f"{fact.seat} touched without the hit symbol and shows no card for it: {fact.seat} is hit."
        return (finding(state, sections.BLUFF, Level.NOTE, text, fact.seat),)
    if duel.deciding and duel.deciding[0] != side and side in duel.deciding:
        text = f"{fact.seat} decided before {seat_of(state, duel.deciding[0])}, whose decision comes first."
        return (finding(state, sections.ORDER, Level.NOTE, text, fact.seat),)
    return ()


def _timing(state: HoshiBattleState, duel: Duel, side: int, fighter: Fighter, card: DuelCard) -> tuple[Finding, ...]:
    seat = seat_of(state, side)
    now = time_of(state)
    times = times_of(state, card)
    if now is None or (times and now not in times):
        allowed = " or ".join(sorted(times)) or "a round's start or end"
        text = f"{seat} played {card.name} at another time than its own: {allowed}."
        return (finding(state, sections.WINDOW, Level.ILLEGAL, text, seat),)
    if not needs_met(state, side, card):
        text = f"{seat} played {card.name}, which can be played only {_NEEDS[card.needs]}."
        return (finding(state, sections.WINDOW, Level.ILLEGAL, text, seat),)
    if state.phase is Phase.REVEAL:
        if fighter.hero is not None:
            return ()
        text = f"{seat} played {card.name} before revealing the Hero."
        return (finding(state, sections.REVEAL_CARD, Level.NOTE, text, seat),)
    if state.phase is Phase.HIT or not fighter.is_hidden:
        return ()
    if side not in duel.deciding:
        text = f"{seat} had decided not to play and must wait until the next round starts or ends."
        return (finding(state, sections.WAIT, Level.ILLEGAL, text, seat),)
    if duel.deciding[0] != side:
        text = f"{seat} played {card.name} before {seat_of(state, duel.deciding[0])} had decided."
        return (finding(state, sections.ORDER, Level.ILLEGAL, text, seat),)
    return ()


def _no_effect(state: HoshiBattleState, side: int, fighter: Fighter, card: DuelCard) -> tuple[Finding, ...]:
    """A card that is played where it can't do anything."""
    seat = seat_of(state, side)
    last = state.players[fighter.place].left <= 0
    moves_hero = any(
        isinstance(x, ReplaceExile | RestartDuel) or (isinstance(x, Move) and x.what is What.HERO) for x in card.effects
    )
    if last and moves_hero:
        text = f"{card.name} does nothing for the last Hero of {seat}."
        return (finding(state, sections.CARD_FIRST, Level.NOTE, text, seat),)
    return ()


def _die(state: HoshiBattleState, fact: DieTaken) -> tuple[Finding, ...]:
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None:
        return stranger(state, fact.seat)
    dice = duel.fighters[side].dice
    if not 0 <= fact.die < len(dice):
        text = f"{fact.seat} took a second die; {fact.seat} battles with one."
    elif dice[fact.die] in (None, fact.sides):
        return ()
    else:
        text = f"{fact.seat} took a d{fact.sides}; {fact.seat} battles with the d{dice[fact.die]}."
    return (finding(state, sections.TAKE_DIE, Level.ILLEGAL, text, fact.seat),)


def _stones(state: HoshiBattleState, fact: StonesCounted) -> tuple[Finding, ...]:
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None:
        return () if fact.seat in state.setup.places else stranger(state, fact.seat)
    owed = duel.fighters[side].stones
    if fact.count == owed or duel.fighters[side].hero is None or state.phase is Phase.HIT:
        return ()
    rule = sections.TAKE_STONES if state.phase in (Phase.REVEAL, Phase.READY) else sections.STONE
    text = f"{fact.count} Stones lie before {fact.seat}; there should be {owed}."
    return (finding(state, rule, Level.NOTE, text, fact.seat),)

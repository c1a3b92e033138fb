"""What played and shown cards say of the hands they come from: cards that can't be there, and rests that were none."""

from __future__ import annotations

from companion.rules.core import Finding, Level
from companion.rules.shuhari import hands as holding
from companion.rules.shuhari import sections
from companion.rules.shuhari.facts import CardPlayed, CardShown, HandPutAway, Play
from companion.rules.shuhari.knowledge import kind_text, likelihood, no_room, rest_act
from companion.rules.shuhari.playing import Playing
from companion.rules.shuhari.state import NO_ART, Rest, Shown, ShuhariState


def of_play(turn: Playing, fact: CardPlayed) -> tuple[Finding, ...]:
    """What a card says of the hand that it is played from; the turn before it is over."""
    state, place, art, reading, showing = turn
    if showing is None:
        return (_misplaced(state, place, fact.card),)
    if art is None:
        return ()
    act = f"{fact.seat} played {state.setup.named(fact.card)}"
    found = _of_shown(state, place, showing, act)
    if reading.play is Play.REST and reading.fault is None:
        found += of_rest(state, place, fact.card)
    limit = state.setup.settings.suspect_per_mille
    if limit and not found and not holding.knows(state.hands[place], fact.card):
        found = _suspect(state, place, fact.card, act, limit)
    return found


def of_rest(state: ShuhariState, place: int, card: str) -> tuple[Finding, ...]:
    """The finding on a rest that is proved false at once: by a known card of the hand, or by having no room elsewhere."""
    setup, trick = state.setup, state.trick
    kind = trick.stage * 5 + trick.art
    if trick.doubtful or trick.art == NO_ART:
        return ()
    rest = Rest(state.clock + 1, kind, trick.number, card)
    for known in state.hands[place].known:
        art = setup.arts.get(known.card)
        if known.card != card and art is not None and kind in art.kinds:
            return (_proved(state, place, (rest,), setup.named(known.card), (known.act, rest_act(setup, place, rest))),)
    if no_room(setup, state.pool, state.hands, place, kind):
        count = (state.pool.hidden & setup.of_kind[kind]).bit_count()
        act = f"{count} such cards are hidden, more than the deck and the other hands can hold"
        return (_proved(state, place, (rest,), "a card that practises", (rest_act(setup, place, rest), act)),)
    return ()


def laid_open(state: ShuhariState, fact: CardShown) -> tuple[Finding, ...]:
    """What to think of a hand card that everybody sees."""
    place = state.setup.places[fact.seat]
    if not holding.can_come(state, place, fact.card):
        return (_misplaced(state, place, fact.card),)
    seen = holding.showing(state, place, fact.card, fact.slot, laid_open=True)
    return _of_shown(state, place, seen, f"{fact.seat} showed {state.setup.named(fact.card)}")


def redrawn(state: ShuhariState, fact: HandPutAway) -> tuple[Finding, ...]:
    """What to think of a hand that was shown to be drawn anew."""
    setup, seat = state.setup, fact.seat
    if state.trick.cards or seat != state.leader:
        text = f"{seat} showed a hand to draw it anew; only the start player may, before leading."
        return (_finding(state, sections.NO_ART, text, seat),)
    arts = [setup.named(card) for card in fact.cards if card in setup.arts]
    if arts:
        text = f"{seat} drew a hand anew that held {', '.join(arts)}, which could be led."
        return (_finding(state, sections.NO_ART, text, seat),)
    place = setup.places[seat]
    for card in fact.cards:
        if not holding.can_come(state, place, card):
            return (_misplaced(state, place, card),)
    return ()


def _of_shown(state: ShuhariState, place: int, seen: holding.Showing, what: str) -> tuple[Finding, ...]:
    """The findings on earlier rests that a card of this hand proves false, its player's and others'."""
    item, setup = seen.item, state.setup
    if item is None or not (seen.false or seen.crowded):
        return ()
    name = setup.named(item.card)
    act = _in_trick(state, what)
    found: tuple[Finding, ...] = ()
    for rests in seen.false:
        acts = tuple(rest_act(setup, place, rest) for rest in rests)
        found += (_proved(state, place, rests, name, (*acts, *_why(item, name), act)),)
    for other, others_rests in seen.crowded:
        for rest in others_rests:
            evidence = (rest_act(setup, other, rest), "the deck ran out since", act)
            found += (_proved(state, other, (rest,), "a card that practises", evidence),)
    return found


def _in_trick(state: ShuhariState, what: str) -> str:
    return f"trick {state.trick.number}: {what}"


def _why(item: Shown, name: str) -> tuple[str, ...]:
    """What ties a card to the time of a rest, for people."""
    if item.slot is not None:
        return (f"{name} came from a place of the hand that was filled before",)
    if item.before < item.time:
        return (f"the deck ran out while {name} was in a hand",)
    return ()


def _proved(state: ShuhariState, place: int, rests: tuple[Rest, ...], holds: str, evidence: tuple[str, ...]) -> Finding:
    seat = state.setup.seats[place]
    if len(rests) == 1:
        trick: int | None = rests[0].trick
        text = f"{seat} rested in trick {trick} but held {holds}: {kind_text(rests[0].kind)}."
    else:
        trick = None
        tricks = ", ".join(str(rest.trick) for rest in rests)
        text = f"{seat} can't have rested rightly in all of the tricks {tricks}: too few draws explain {holds}."
    return Finding(sections.FOLLOW, Level.PROVED, text, seat, trick, state.trick.number, evidence)


def _suspect(state: ShuhariState, place: int, card: str, what: str, limit: int) -> tuple[Finding, ...]:
    share = likelihood(state, place, card)
    if share >= limit:
        return ()
    seat = state.setup.seats[place]
    name = state.setup.named(card)
    text = f"{seat} shows {name} soon after a rest: honest draws bring that about {share} times in a thousand."
    return (Finding(sections.FOLLOW, Level.SUSPECT, text, seat, state.trick.number, None, (_in_trick(state, what),)),)


def _misplaced(state: ShuhariState, place: int, card: str) -> Finding:
    """Why a card can't be what it seems: it is in no deck, or somewhere else."""
    setup, seat = state.setup, state.setup.seats[place]
    art, name = setup.arts.get(card), setup.named(card)
    if card not in setup.cards:
        text = f"{seat} showed {name}, which is not in this deck."
    elif art is not None and state.pool.pile & art.bit:
        text = f"{seat} showed {name}, which lies in the discard pile."
    elif any(played.card == card for played in state.trick.cards) and art is not None:
        text = f"{seat} showed {name}, which lies in the field."
    else:
        text = f"{seat} showed {name}, which is elsewhere by all that was seen."
    return _finding(state, sections.CARDS, text, seat)


def _finding(state: ShuhariState, rule: str, text: str, player: str) -> Finding:
    return Finding(rule, Level.ILLEGAL, text, player, state.trick.number)

"""A Shuhari state as the page shows it (companion/web/desk.py, `View`)."""

from __future__ import annotations

from typing import Any

from companion.rules.shuhari.facts import STAGES, SUITS, Play
from companion.rules.shuhari.state import FULL, POINTS, Due, Phase, Played, ShuhariState, TrickRecord

Json = Any

PLAYS = {
    Play.LEAD: "led",
    Play.PRACTICE: "practised",
    Play.REST: "rested",
    Play.BREAK: "broke the mold",
    Play.AID: "used",
    Play.VOID: "counts for nothing",
    None: "rest or break?",
}
"""What a card was played as, in words."""


def shuhari_view(state: ShuhariState) -> dict[str, Json]:
    """Seats, phase, headline, the row with its stages, the learning table, the piles and the tricks that are done."""
    setup = state.setup
    points = state.points
    return {
        "seats": [_seat(state, seat, points[seat]) for seat in setup.seats],
        "phase": state.phase.value,
        "trick": state.trick.number,
        "tricks_total": None,
        "headline": headline(state),
        "points": max(points.values()),
        "trick_points": points,
        "art": state.art,
        "stage": state.stage.value,
        "row": [_row_card(state, played) for played in state.trick.cards],
        "row_length": setup.length,
        "chart": _chart(state),
        "deck": state.pool.deck,
        "pile": {
            "size": state.pool.pile.bit_count() + len(state.pool.aids),
            "cards": [card_json(state, card) for card in (*setup.names(state.pool.pile), *sorted(state.pool.aids))],
        },
        "tricks": [_trick(state, record) for record in state.done],
        "cards": [card_json(state, card) for card in sorted(setup.cards)],
        "worlds": None,
    }


def headline(state: ShuhariState) -> str:
    """What happens now, in a few words that can be read across a room."""
    trick, seat = state.trick, state.turn
    match state.phase:
        case Phase.PLAY if trick.cards and trick.cards[-1].play is None:
            return f"{state.setup.seats[trick.cards[-1].place]}: a rest or a break?"
        case Phase.PLAY if not trick.cards:
            return f"{seat} leads trick {trick.number}"
        case Phase.PLAY:
            return f"{seat} plays on {state.art}" if state.art is not None else f"{seat} plays"
        case Phase.REFILL:
            return f"{seat} {_refill_words(state)}"
        case Phase.CLEAR:
            learned = [x for x in trick.learned or () if x.new]
            if not learned:
                return "The trick is done: nothing new is learned"
            names = dict.fromkeys(state.setup.seats[x.place] for x in learned)
            return f"{_listed(tuple(names))} learned {state.art}"
        case Phase.OVER:
            return "The game is over"


def _refill_words(state: ShuhariState) -> str:
    match state.trick.due:
        case Due.SEARCH:
            return "looks through the deck"
        case Due.TAKE:
            return "takes a card back"
        case _:
            return "draws a card"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def card_json(state: ShuhariState, card: str) -> dict[str, Json]:
    """A card as the page draws it; one that is not in the deck has only its id."""
    data = state.setup.cards.get(card)
    return {
        "id": card,
        "kind": data.kind.value if data is not None else "",
        "rank": data.rank if data is not None else 0,
        "suits": [suit.value for suit in data.suits] if data is not None else [],
        "label": state.setup.named(card),
    }


def _row_card(state: ShuhariState, played: Played) -> dict[str, Json]:
    return {
        "seat": state.setup.seats[played.place],
        "card": card_json(state, played.card),
        "play": played.play.value if played.play is not None else None,
        "play_text": PLAYS[played.play],
        "stage": STAGES[played.stage].value,
        "sideways": played.play is Play.REST,
        "opens": played.play is Play.BREAK,
        "learns": any(
            learned.place == played.place and learned.stage == played.stage and _is_learner(state, played)
            for learned in state.trick.learned or ()
        ),
    }


def _is_learner(state: ShuhariState, played: Played) -> bool:
    """Whether this card, of its player's in the stage, is the one that learned: the highest, in Detach the lowest."""
    counting = (Play.LEAD, Play.PRACTICE, Play.BREAK)
    own = [
        card.rank
        for card in state.trick.cards
        if card.place == played.place and card.stage == played.stage and card.play in counting
    ]
    return played.play in counting and played.rank == (min(own) if played.stage == 1 else max(own))


def _seat(state: ShuhariState, seat: str, points: int) -> dict[str, Json]:
    place = state.setup.places[seat]
    hand = state.hands[place]
    playing = state.phase in (Phase.PLAY, Phase.REFILL)
    return {
        "name": seat,
        "role": "lead" if state.leader == seat and state.phase is not Phase.OVER else None,
        "turn": playing and state.turn == seat,
        "points": points,
        "hand_left": hand.size,
        "known": [card_json(state, known.card) for known in hand.known],
        "mastered": [suit.value for suit, boxes in zip(SUITS, state.chart[place], strict=True) if boxes == FULL],
    }


def _chart(state: ShuhariState) -> list[dict[str, Json]]:
    """By art, what each seat has learned and what it counts."""
    fresh = {(x.place, x.stage) for x in state.trick.learned or () if x.new}
    rows = []
    for number, suit in enumerate(SUITS):
        rows.append(
            {
                "art": suit.value,
                "mastered": any(row[number] == FULL for row in state.chart),
                "seats": [
                    {
                        "seat": seat,
                        "stages": [stage.value for n, stage in enumerate(STAGES) if row[number] >> n & 1],
                        "fresh": [
                            stage.value for n, stage in enumerate(STAGES) if suit == state.art and (place, n) in fresh
                        ],
                        "points": POINTS[row[number]],
                    }
                    for place, (seat, row) in enumerate(zip(state.setup.seats, state.chart, strict=True))
                ],
            }
        )
    return rows


def _trick(state: ShuhariState, record: TrickRecord) -> dict[str, Json]:
    return {
        "trick": record.number,
        "lead": record.lead,
        "art": record.art,
        "stage": record.stage.value,
        "row": [
            {"seat": seat, "card": card_json(state, card), "play": play, "play_text": PLAYS[play]}
            for seat, card, play in record.played
        ],
        "learned": [{"stage": stage.value, "seat": seat, "new": new} for stage, seat, new in record.learned],
        "points": dict(record.points),
    }

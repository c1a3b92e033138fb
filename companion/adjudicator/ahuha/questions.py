"""The questions that an Ahuha Ahukaha table may have to ask, with what each answer does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from companion.adjudicator import asking
from companion.adjudicator.resolution import Option, Question
from companion.games.codec import FactCodec
from companion.rules.ahuha.facts import FACTS, CardPlaced, CardRevealed, Fact, Orientation, RoundEnded
from companion.rules.ahuha.setup import AhuhaSetup
from vision.observation import CardReading

CODEC: FactCodec[Any] = FactCodec(FACTS)


def which_card(
    setup: AhuhaSetup, seat: str, letter: str, seen: tuple[int | None, CardReading], is_possible: Callable[[str], bool]
) -> Question | None:
    """A card of the Field that could not be read for sure; None where nothing speaks for any card that is still possible."""
    index, reading = seen
    answers = _likely(setup, seat, reading, is_possible)
    return asking.which_card(_which_key(letter), f"Which card did {seat} play?", answers, index)


def shown_before(
    setup: AhuhaSetup,
    seat: str,
    letter: str,
    seen: tuple[int | None, CardReading],
    is_possible: Callable[[str], bool],
    hold: str,
) -> Question:
    """A card of the Field that was shown before in this series, or is in no deck: misread, or there twice."""
    index, reading = seen
    best = reading.card or ""
    name = setup.named(best)
    return asking.cannot_be(
        _which_key(letter),
        f"{seat}'s card looks like {name}, which has been seen before in this series. Which card is it?",
        "Each star is there once. If it really is that card, say so: it is recorded and judged.",
        _likely(setup, seat, reading, is_possible),
        Option("again", f"It is {name}", tell=(CODEC.to_json(CardRevealed(seat, best)),)),
        hold,
        index,
    )


def is_it_so(fact: Fact, words: str, hold: str, why: str) -> Question:
    """A weak reading that would be against the rules; `words` say what it shows."""
    return asking.is_it_so(f"weak:{hold}", f"Is it so: {words}?", CODEC.to_json(fact), hold, why)


def another_card(setup: AhuhaSetup, seq: int, was: CardRevealed, shown: str, hold: str) -> Question:
    """A card of the Field is gone, and another that nobody saw there lies in a Home: one of the two readings is wrong."""
    before, now = setup.named(was.card), setup.named(shown)
    text = f"{was.seat} played {before}, it was recorded; now {now} lies in the Home. Which is right?"
    act = CODEC.to_json(CardRevealed(was.seat, shown))
    return asking.another_card(f"home:another:{seq}", text, now, (seq, act), before, hold)


def what_did_it_do(
    setup: AhuhaSetup, card: str, answers: Sequence[tuple[str, Mapping[str, Any]]], placed: CardPlaced
) -> Question:
    """A card that lies in a Home while its effect was not told. `answers` are what can be told, in words and as JSON."""
    return Question(
        key=f"effect:{card}:?",
        text=f"What came of the effect of {setup.named(card)}?",
        detail="It lies in the Home already. Its effect comes first; what it did is nothing that can be seen.",
        options=(
            *(Option(f"told-{n}", label, tell=(act,)) for n, (label, act) in enumerate(answers)),
            Option("unknown", "Nobody knows: take it as it lies", tell=(CODEC.to_json(placed),)),
        ),
    )


def how_did_it_go_home(setup: AhuhaSetup, seat: str, card: str) -> Question:
    """A card of the Field of which nobody saw where it went, while the next round's card lies in its place."""
    name = setup.named(card)
    return Question(
        key=f"home:gone:{card}",
        text=f"How was {name} laid in {seat}'s Home?",
        detail="The next round's card lies in its place already.",
        options=(
            *(
                Option(way.value, way.value.capitalize(), tell=(CODEC.to_json(CardPlaced(seat, card, way)),))
                for way in Orientation
            ),
            Option("over", "Nobody knows: the round is over", tell=(CODEC.to_json(RoundEnded()),)),
        ),
    )


def as_it_lies(series: int, number: int, shown: Sequence[str], facts: Sequence[Fact], hold: str) -> Question:
    """What was taken back and still lies on the table."""
    return asking.as_it_lies(f"again:{series}:{number}:?", ", ".join(shown), map(CODEC.to_json, facts), hold)


def _which_key(letter: str) -> str:
    return f"field:{letter}:?"


def _likely(setup: AhuhaSetup, seat: str, reading: CardReading, is_possible: Callable[[str], bool]) -> Iterator[Option]:
    for card, _ in reading.candidates:
        if card != reading.card and card in setup.cards and is_possible(card):
            yield Option(card, setup.named(card), tell=(CODEC.to_json(CardRevealed(seat, card)),))

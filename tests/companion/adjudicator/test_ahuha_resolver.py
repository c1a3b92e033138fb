"""Single pictures of an Ahuha Ahukaha table, written by hand: what they record, what they ask, what they leave alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import BadProfileError
from calibration.zones import Layout
from companion.adjudicator.ahuha.kit import AhuhaKit
from companion.adjudicator.ahuha.resolver import AhuhaResolver
from companion.adjudicator.ahuha.table import table_of
from companion.decks import builtin_deck
from companion.games.start import Start
from companion.journal import Journal
from companion.rules.ahuha.counted import winners_of
from companion.rules.ahuha.facts import (
    AsitaShown,
    CardPlaced,
    CardRevealed,
    EffectTold,
    FrozenTaken,
    Orientation,
    SeatsSwapped,
    SeriesEnded,
    Side,
    Told,
    YonoTigiriShown,
)
from companion.rules.ahuha.state import Phase
from companion.virtual.ahuha import play_game
from companion.virtual.table import VirtualTable
from vision.observation import CardReading, Face, Polygon, PoseState, SceneReading

from .seated import CORNERS, Seating

LAYOUT = VirtualTable(game="ahuha").layout()
CARDS = builtin_deck("ahuha").cards
UPRIGHT = {"A": 0.0, "B": 90.0, "C": 270.0}
WAYS = {"upright": 0.0, "horizontal": 90.0, "inverted": 180.0}


def reading(card: str | None, zone: str, dx: float = 0.0, dy: float = 0.0, **more: Any) -> CardReading:
    x, y = LAYOUT.zone(zone).centre
    face = more.pop("face", Face.DOWN if card == "back" else Face.UP)
    usual = {"angle_deg": UPRIGHT[zone[-1]], "confidence": 0.99}
    values = {**usual, **more}
    return CardReading(
        None if card == "back" else card, face, x + dx, y + dy, values["angle_deg"], CORNERS, values["confidence"],
        tuple((one, 0.4) for one in values.get("candidates", ())),
    )  # fmt: skip


@dataclass
class Lying:
    """What lies on the table."""

    field: dict[str, CardReading] = dataclasses.field(default_factory=dict)
    frozen: set[str] = dataclasses.field(default_factory=lambda: set("ABC"))
    homes: list[CardReading] = dataclasses.field(default_factory=list)
    more: list[CardReading] = dataclasses.field(default_factory=list)
    hidden: tuple[Polygon, ...] = ()

    @property
    def scene(self) -> SceneReading:
        frozen = [reading("back", f"frozen.{letter}") for letter in sorted(self.frozen)]
        cards = (*self.field.values(), *frozen, *self.homes, *self.more)
        return SceneReading(PoseState.LIVE, (840.0, 472.0), cards, hidden_mm=self.hidden)


class Table(Seating):
    """A desk over a table of which every look is told."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal, Start("ahuha", ("A", "B", "C"), "A", CARDS), LAYOUT)
        self.lying = Lying()
        self.spots = 0

    def see(self) -> None:
        self.look(self.lying.scene)

    def open(self, **cards: str) -> None:
        """The deal, three cards laid, and revealed."""
        self.see()
        self.lay()
        self.reveal(**cards)

    def lay(self) -> None:
        self.lying.field = {letter: reading("back", f"field.{letter}") for letter in "ABC"}
        self.see()

    def reveal(self, **cards: str) -> None:
        self.lying.field.update({letter: reading(card, f"field.{letter}") for letter, card in cards.items()})
        self.see()

    def bring(self, card: str, home: str, way: str = "horizontal", see: bool = True, **more: Any) -> None:
        """A card goes from the Field to a Home."""
        self.lying.field = {letter: lying for letter, lying in self.lying.field.items() if lying.card != card}
        dx = -140.0 + 95 * (self.spots % 4) if home == "A" else 0.0
        dy = 0.0 if home == "A" else -140.0 + 95 * (self.spots % 4)
        angle = (UPRIGHT[home] + WAYS[way]) % 360
        self.lying.homes.append(reading(card, f"home.{home}", dx, dy, **{"angle_deg": angle, **more}))
        self.spots += 1
        if see:
            self.see()

    def say(self, outcome: Told = Told.NOTHING, **more: Any) -> None:
        self.desk.tell(self.record.start.book.facts.to_json(EffectTold(outcome, **more)), "A")

    @property
    def facts(self) -> list[Any]:
        return [entry.fact for entry in self.record.entries]

    @property
    def breaches(self) -> list[str]:
        return [found.text for found in self.record.findings if found.level in ("illegal", "proved")]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Journal.open(tmp_path / "journal.db") as journal:
        yield Table(journal)


PAIR = {"A": "antares", "B": "pollux", "C": "arcturus"}
"""Pollux is first and meets Arcturus; all three have effects that are told."""


def test_a_card_lies_upright_as_its_own_player_sees_it(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    table.bring("pollux", "B", "upright", see=False)
    table.bring("arcturus", "C", "upright")
    assert table.facts[-2:] == [
        CardPlaced("B", "pollux", Orientation.UPRIGHT),
        CardPlaced("C", "arcturus", Orientation.UPRIGHT),
    ]
    assert not table.breaches


def test_the_partner_seen_first_is_no_breach(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    table.bring("arcturus", "C", "upright")
    table.bring("pollux", "B", "upright")
    assert not table.breaches
    assert table.record.state.round.hosiahi == (("pollux", "arcturus"),)


def test_a_meeting_that_is_laid_sideways_is_found(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    table.bring("pollux", "B", "horizontal")
    assert len(table.breaches) == 1
    assert "Arcturus" in table.breaches[0]


def test_a_card_out_of_its_turn_is_found_while_the_one_on_turn_lies_in_the_field(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    table.bring("antares", "A")
    assert table.facts[-1] == CardPlaced("A", "antares", Orientation.HORIZONTAL)
    assert len(table.breaches) == 1


def test_a_card_out_of_its_turn_accuses_nobody_while_the_one_on_turn_is_out_of_sight(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    del table.lying.field["B"]
    table.bring("antares", "A")
    assert not table.breaches
    assert isinstance(table.facts[-1], EffectTold)
    assert [event["text"] for event in table.of_kind("prompt")] == [
        "Antares lies in a Home before its turn can be seen",
        "Pollux of B is seen neither in the Field nor in a Home",
    ]


def test_an_effect_that_was_not_told_is_asked_for_before_its_card_is_recorded(table: Table) -> None:
    table.open(**PAIR)
    table.bring("pollux", "B", "upright")
    (asked,) = table.of_kind("question")
    assert asked["text"] == "What came of the effect of Pollux?"
    table.desk.answer(asked["id"], "told-0", "B")
    assert table.facts[-2:] == [EffectTold(Told.NOTHING), CardPlaced("B", "pollux", Orientation.UPRIGHT)]


def test_nobody_knowing_what_an_effect_did_is_an_answer_too(table: Table) -> None:
    table.open(**PAIR)
    table.bring("pollux", "B", "upright")
    (asked,) = table.of_kind("question")
    table.desk.answer(asked["id"], "unknown", "B")
    assert table.facts[-1] == CardPlaced("B", "pollux", Orientation.UPRIGHT)
    assert not table.breaches


@pytest.mark.parametrize("angle", [None, 130.0])
def test_a_card_askew_is_asked_to_be_straightened(table: Table, angle: float | None) -> None:
    table.open(**PAIR)
    table.say()
    table.bring("pollux", "B", angle_deg=angle)
    assert not any(isinstance(fact, CardPlaced) for fact in table.facts)
    assert "askew" in table.of_kind("prompt")[0]["text"]


def test_open_cards_beside_an_empty_spot_are_a_prompt_and_no_finding(table: Table) -> None:
    table.see()
    table.lying.field = {"A": reading("deneb", "field.A"), "B": reading("back", "field.B")}
    table.see()
    assert not table.record.findings
    assert not any(isinstance(fact, CardRevealed) for fact in table.facts)
    assert "open already" in table.of_kind("prompt")[0]["text"]


def test_a_card_seen_before_in_the_series_is_asked_about(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    table.bring("pollux", "B", "upright", see=False)
    table.bring("arcturus", "C", "upright")
    table.say()
    table.bring("antares", "A")
    table.lay()
    again = reading("pollux", "field.A", candidates=("pollux", "capella"))
    table.lying.field["A"] = again
    table.reveal(B="rigel", C="hadar")
    (asked,) = table.of_kind("question")
    assert "Pollux" in asked["text"]
    assert [option["label"] for option in asked["options"]] == ["Capella", "It is Pollux", "Wait: it will be changed"]
    table.desk.answer(asked["id"], "capella", "A")
    assert CardRevealed("A", "capella") in table.facts
    assert not table.breaches


def test_a_weak_reading_that_would_be_illegal_is_asked_about(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    table.bring("pollux", "B", "horizontal", confidence=0.8)
    (asked,) = table.of_kind("question")
    assert not table.breaches
    table.desk.answer(asked["id"], "no", "B")
    table.see()
    assert not table.breaches
    assert not any(isinstance(fact, CardPlaced) for fact in table.facts)


def test_something_unread_over_a_read_card_counts_for_nothing(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    table.lying.more = [reading(None, "field.A", 20, -10, face=None, confidence=0.0)]
    table.bring("pollux", "B", "upright")
    assert table.facts[-1] == CardPlaced("B", "pollux", Orientation.UPRIGHT)
    assert not table.of_kind("prompt")


def test_frozen_cards_that_are_passed_are_seen_to_go_and_come(table: Table) -> None:
    table.open(A="rigel", B="hadar", C="vega")
    table.lying.frozen = {"B"}
    table.see()
    assert [(fact.seat, fact.side) for fact in table.facts if isinstance(fact, FrozenTaken)] == [
        ("A", Side.RIGHT),
        ("B", Side.RIGHT),
    ]
    table.lying.frozen = set()
    table.see()
    table.lying.frozen = set("ABC")
    table.see()
    assert table.record.state.round.passing == 0b111111
    assert not table.breaches


def test_a_frozen_card_that_is_gone_accuses_nobody(table: Table) -> None:
    table.see()
    table.lying.frozen = {"A", "B"}
    table.lay()
    assert not table.breaches
    assert table.of_kind("prompt")[0]["text"].startswith("the frozen card between C and A is not there")


def test_a_card_of_which_nobody_saw_where_it_went_is_asked_about(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    table.lying.field = {"A": reading("antares", "field.A"), "B": reading("back", "field.B")}
    table.bring("arcturus", "C", "upright")
    (asked,) = table.of_kind("question")
    assert asked["text"] == "How was Pollux laid in B's Home?"
    table.desk.answer(asked["id"], "upright", "B")
    assert CardPlaced("B", "pollux", Orientation.UPRIGHT) in table.facts


def test_a_misread_card_of_the_field_can_be_put_right_when_it_lies_in_a_home(table: Table) -> None:
    table.open(A="antares", B="capella", C="arcturus")
    del table.lying.field["B"]
    table.bring("pollux", "B", "upright")
    (asked,) = table.of_kind("question")
    assert asked["text"] == "B played Capella, it was recorded; now Pollux lies in the Home. Which is right?"
    table.desk.answer(asked["id"], "now", "B")
    assert table.record.state.round.cards[1] == "pollux"


def test_what_was_taken_back_and_still_lies_there_is_a_question(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    table.bring("pollux", "B", "upright")
    table.desk.undo(None, "B")
    table.see()
    (asked,) = table.of_kind("question")
    assert "Pollux upright in B's Home" in asked["text"]
    table.desk.answer(asked["id"], "record", "B")
    assert CardPlaced("B", "pollux", Orientation.UPRIGHT) == table.facts[-1]


def test_a_card_turned_in_its_home_for_no_reason_is_found_and_can_be_put_right(table: Table) -> None:
    table.open(**PAIR)
    table.say()
    table.bring("pollux", "B", "upright", see=False)
    table.bring("arcturus", "C", "upright")
    table.say()
    table.bring("antares", "A")
    lying = table.lying.homes[0]
    table.lying.homes[0] = replace(lying, angle_deg=0.0)
    table.see()
    assert len(table.breaches) == 1
    table.lying.homes[0] = lying
    table.see()
    assert table.record.state.homes[1][0].orientation is Orientation.UPRIGHT


def counting(table: Table) -> None:
    """Seven rounds of a game that C wins are on record, and nothing lies there any more."""
    for fact in play_game(table.record.start.setup, seed=10).facts:
        if isinstance(fact, AsitaShown | YonoTigiriShown | SeriesEnded):
            break
        table.desk.tell(table.record.start.book.facts.to_json(fact), "A")
    assert table.record.state.phase is Phase.COUNT
    assert winners_of(table.record.state)[0] == ("C",)
    table.lying.frozen = set()


def corner_of(home: str, share: float = 0.3) -> Polygon:
    """What lies over so much of a Home's sides, from its corner on."""
    zone = LAYOUT.zone(f"home.{home}")
    x, y, width, height = zone.x_mm, zone.y_mm, zone.width_mm * share, zone.height_mm * share
    return (x - 5, y - 5), (x + width, y - 5), (x + width, y + height), (x - 5, y + height)


def test_seven_cards_can_not_hide_under_what_lies_over_a_corner(table: Table) -> None:
    counting(table)
    table.lying.hidden = (corner_of("C"),)
    table.see()
    assert SeriesEnded() == table.facts[-1]


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_what_lies_over_a_whole_home_may_hide_its_cards(table: Table, share: float) -> None:
    counting(table)
    table.lying.hidden = (corner_of("C", share),)
    table.see()
    assert SeriesEnded() not in table.facts
    table.lying.hidden = ()
    table.see()
    assert SeriesEnded() == table.facts[-1]


def test_few_cards_may_hide_under_what_lies_over_a_corner() -> None:
    seen = table_of(Lying(frozen=set(), hidden=(corner_of("C"),)).scene, {}, LAYOUT)
    assert [place.is_bare(1) for place in seen] == [True, True, False]
    assert [place.is_bare(7) for place in seen] == [True, True, True]


def tigiri(seat: str) -> CardReading:
    return reading("yono-tigiri", f"tigiri.{seat}" if f"tigiri.{seat}" in LAYOUT.zones else f"home.{seat}")


def test_a_yono_tigiri_card_on_a_bare_table_may_have_changed_its_seat(table: Table) -> None:
    """Nobody saw the table bare before two players had changed seats: whoever sits there now did not win."""
    counting(table)
    table.desk.tell({"fact": "yono-tigiri-shown", "seat": "C"}, "C")
    table.lying.more = [tigiri("A")]
    table.see()
    assert not table.breaches
    assert SeriesEnded() == table.facts[-1]
    table.desk.tell({"fact": "seats-swapped", "first": "A", "second": "C"}, "A")
    assert SeatsSwapped("A", "C") == table.facts[-1]


def test_a_yono_tigiri_card_beside_the_cards_of_the_series_is_its_players(table: Table) -> None:
    counting(table)
    table.lying.homes = [reading("achernar", "home.A", angle_deg=90.0)]
    table.lying.more = [tigiri("A")]
    table.see()
    assert YonoTigiriShown("A") == table.facts[-1]


def test_a_card_that_can_not_be_read_beside_face_down_ones_is_not_asked_about(table: Table) -> None:
    """The three are turned together: what a glass stands on lies face down as well."""
    table.see()
    table.lay()
    table.lying.field["C"] = reading(None, "field.C", face=None)
    table.see()
    assert not table.of_kind("prompt")
    table.reveal(A="antares", B="pollux")
    assert [prompt["text"] for prompt in table.of_kind("prompt")] == [
        "C's card can't be read: straighten it, or tell which it is"
    ]


def test_an_open_card_that_went_home_unseen_was_played_all_the_same(table: Table) -> None:
    """A hand lay over it in the Field: its effect is told and its turn comes as if it had been seen."""
    table.see()
    table.lay()
    table.lying.field = {"A": reading("antares", "field.A"), "C": reading("arcturus", "field.C")}
    x, y = LAYOUT.zone("field.B").centre
    table.lying.hidden = (((x - 40, y - 40), (x + 40, y - 40), (x + 40, y + 40), (x - 40, y + 40)),)
    table.see()
    table.lying.hidden = ()
    table.bring("pollux", "B", "upright")
    assert CardRevealed("B", "pollux") in table.facts
    (asked,) = table.of_kind("question")
    assert asked["text"] == "What came of the effect of Pollux?"
    told = next(option["id"] for option in asked["options"] if option["label"] == "Nothing came of it")
    table.desk.answer(asked["id"], told, "B")
    table.bring("arcturus", "C", "upright")
    assert [fact for fact in table.facts if isinstance(fact, CardPlaced)] == [
        CardPlaced("B", "pollux", Orientation.UPRIGHT),
        CardPlaced("C", "arcturus", Orientation.UPRIGHT),
    ]
    assert not table.record.findings


def test_the_hands_of_a_known_effect_are_offered_in_every_way() -> None:
    kit = AhuhaKit()
    setup = Start("ahuha", ("A", "B", "C"), "A", CARDS).setup
    state = kit.book.rules.start(setup)
    for seat, card in (("A", "deneb"), ("B", "hadar"), ("C", "vega")):
        state = kit.book.rules.apply(state, CardRevealed(seat, card))
    assert state.phase is Phase.EFFECT
    labels = [tap.label for tap in kit.taps(state)]
    assert labels[0] == "Nobody raised a hand"
    assert labels[-1] == "A, B and C raised a hand"
    assert len(labels) == 8
    told = {"fact": "effect-told", "outcome": "hands-raised", "seats": ["A"], "card": None, "asked": []}
    assert kit.taps(state)[1].offers(told)  # as a file holds it: lists


def test_a_layout_without_a_home_says_which() -> None:
    setup = Start("ahuha", ("A", "B", "C"), "A", CARDS).setup
    zones = {name: zone for name, zone in LAYOUT.zones.items() if name != "home.B"}
    with pytest.raises(BadProfileError, match=r"home\.B"):
        AhuhaResolver(setup, Layout(zones))

"""Single pictures of a Shuhari table, written by hand: what they record, what they ask, what they leave alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from calibration.zones import Layout, Zone
from companion.decks import builtin_deck
from companion.errors import BadInputError
from companion.games.start import Start
from companion.journal import Journal
from companion.rules.shuhari.facts import CardPlayed
from vision.observation import CardReading, Face, PoseState, SceneReading

from .seated import CORNERS, Seating

LAYOUT = Layout(
    {
        "row": Zone(40, 40, 480, 150),
        "row-2": Zone(40, 230, 480, 150),
        "deck": Zone(540, 40, 70, 100),
        "discard": Zone(620, 40, 70, 100),
    }
)
CARDS = builtin_deck("shuhari").cards


def art(rank: int, **rings: str) -> str:
    """The first card of a rank at least, or of any for 0, with these rings."""
    return next(
        card
        for card, data in sorted(CARDS.items())
        if data.value("kind") == "art"
        and (rank == 0 or data.value("rank") == rank)
        and all(data.value(ring) == suit for ring, suit in rings.items())
    )


LEAD = art(5, obey="koto")
PRACTICE = art(7, obey="koto")
BREAK = art(9, detach="koto")
LOW_BREAK = art(2, detach="koto")
NOTHING = next(
    card
    for card, data in sorted(CARDS.items())
    if data.value("kind") == "art" and "koto" not in (data.value("obey"), data.value("detach"))
)


@dataclass
class Row:
    """What lies on the table."""

    cards: list[CardReading] = field(default_factory=list)
    stages: list[CardReading] = field(default_factory=list)
    deck: bool = True
    pile: str | None = None
    hidden: tuple[tuple[tuple[float, float], ...], ...] = ()

    def lay(self, card: str | None, *, angle: float | None = 2.0, confidence: float = 0.99, **more: Any) -> None:
        row, column = divmod(len(self.cards), 5)
        face = more.get("face", Face.UP)
        candidates = tuple((one, 0.4) for one in more.get("candidates", ()))
        x, y = 90.0 + 95 * column, 90.0 + 190 * row
        self.cards.append(CardReading(card, face, x, y, angle, CORNERS, confidence, candidates))

    def mark(self, stage: str, place: int = -1) -> None:
        under = self.cards[place]
        self.stages.append(CardReading(stage, Face.UP, under.x_mm + 3, under.y_mm + 48, 1.0, CORNERS, 0.99))

    def turn(self, angle: float, place: int = -1) -> None:
        self.cards[place] = replace(self.cards[place], angle_deg=angle)

    def clear(self) -> None:
        self.cards.clear()
        self.stages.clear()

    @property
    def scene(self) -> SceneReading:
        piles = [CardReading(None, Face.DOWN, 575, 90, 0, CORNERS, 0.99)] if self.deck else []
        if self.pile is not None:
            piles.append(CardReading(self.pile, Face.UP, 655, 90, 0, CORNERS, 0.99))
        cards = (*self.cards, *self.stages, *piles)
        return SceneReading(PoseState.LIVE, (700.0, 420.0), cards, hidden_mm=self.hidden)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


class Table(Seating):
    """A desk over a row."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal, Start("shuhari", ("A", "B"), "A", CARDS), LAYOUT)
        self.row = Row()

    def see(self) -> None:
        self.look(self.row.scene)

    @property
    def played(self) -> list[Any]:
        return [entry.fact for entry in self.record.entries if isinstance(entry.fact, CardPlayed)]

    def play(self, card: str, seat: str, **how: Any) -> None:  # type: ignore[override]
        """A card laid, seen, and the draw told."""
        self.row.lay(card, **how)
        self.see()
        self.draw(seat)

    def draw(self, seat: str) -> None:
        self.desk.tell({"fact": "card-drawn", "seat": seat}, seat)

    @property
    def plays(self) -> list[tuple[str, str, str | None]]:
        state = self.record.state
        return [(state.setup.seats[card.place], card.card, card.play) for card in state.trick.cards]

    @property
    def asked(self) -> list[dict[str, Any]]:
        return list(self.desk.view()["questions"])

    @property
    def prompts(self) -> list[str]:
        return [prompt["text"] for prompt in self.desk.view()["prompts"]]

    def answer(self, option: str) -> None:
        (question,) = self.asked
        self.desk.answer(question["id"], option, "A")


@pytest.fixture
def table(journal: Journal) -> Table:
    return Table(journal)


def test_cards_are_played_in_turn_as_they_lie(table: Table) -> None:
    table.play(LEAD, "A")
    table.play(PRACTICE, "B")
    table.play(NOTHING, "A", angle=92.0)
    table.row.lay("preparation")
    table.see()
    assert table.plays == [
        ("A", LEAD, "lead"),
        ("B", PRACTICE, "practice"),
        ("A", NOTHING, "rest"),
        ("B", "preparation", "aid"),
    ]
    assert not table.asked
    assert not table.of_kind("finding")


def test_a_card_upside_down_lies_upright_too(table: Table) -> None:
    table.play(LEAD, "A", angle=181.0)
    table.play(NOTHING, "B", angle=268.0)
    assert [play for *_, play in table.plays] == ["lead", "rest"]
    assert not table.prompts


def test_a_stage_card_makes_a_break_and_its_stage(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(BREAK)
    table.row.mark("stage-ha")
    table.see()
    assert table.plays[-1] == ("B", BREAK, "break")
    assert table.record.state.stage == "detach"
    assert table.record.state.trick.shown == 1


def test_a_stage_card_that_comes_later_makes_a_break_too(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(BREAK)
    table.see()
    assert table.plays[-1][2] is None
    table.row.mark("stage-ha")
    table.see()
    assert table.plays[-1][2] == "break"
    assert table.record.state.trick.shown == 1
    assert not table.of_kind("finding")


def test_a_card_turned_sideways_later_is_a_rest(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(BREAK)
    table.see()
    table.row.turn(88.0)
    table.see()
    assert table.plays[-1] == ("B", BREAK, "rest")


def test_an_upright_card_that_may_rest_or_break_is_asked_about_once_the_turn_is_over(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(BREAK)
    table.see()
    assert not table.asked
    table.draw("B")
    table.see()
    assert "break the mold" in table.asked[0]["text"]
    table.row.lay(PRACTICE)
    table.see()
    assert len(table.plays) == 2
    table.answer("rest")
    assert [play for *_, play in table.plays] == ["lead", "rest", "practice"]


def test_a_break_that_can_not_be_is_illegal_once_and_its_stage_card_is_to_go(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(LOW_BREAK)
    table.row.mark("stage-ha")
    for _ in range(3):
        table.see()
    (finding,) = table.of_kind("finding")
    assert (finding["level"], finding["player"]) == ("illegal", "B")
    assert any("take the stage card away" in prompt for prompt in table.prompts)
    assert table.record.state.stage == "obey"


def test_a_rest_with_a_card_that_practises_is_illegal(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(PRACTICE, angle=90.0)
    table.see()
    (finding,) = table.of_kind("finding")
    assert finding["level"] == "illegal"


def test_a_weak_reading_against_the_rules_is_asked(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(PRACTICE, angle=90.0, confidence=0.8)
    table.see()
    assert len(table.plays) == 1
    assert "against the rules" in table.asked[0]["detail"]
    table.answer("yes")
    assert table.plays[-1] == ("B", PRACTICE, "rest")


def test_a_practising_card_that_is_turned_later_is_asked_about(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(PRACTICE)
    table.see()
    table.row.turn(90.0)
    table.see()
    table.answer("no")
    table.see()
    assert table.plays[-1][2] == "practice"
    assert not table.asked
    assert any("turn it upright" in prompt for prompt in table.prompts)


def test_an_unread_card_is_asked_and_nothing_after_it_is_read(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(None, angle=None, face=None, confidence=0.4, candidates=(LEAD, PRACTICE, BREAK))
    table.row.lay(NOTHING, angle=90.0)
    table.see()
    assert len(table.plays) == 1
    assert [option["id"] for option in table.asked[0]["options"]] == [PRACTICE, BREAK]
    table.answer(PRACTICE)
    assert [card for _, card, _ in table.plays] == [LEAD, PRACTICE, NOTHING]


def test_a_card_that_is_known_to_lie_elsewhere_is_asked(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(LEAD)
    table.see()
    assert len(table.plays) == 1
    assert "known to be elsewhere" in table.asked[0]["text"]


def test_an_unread_thing_over_a_read_card_is_none_of_the_rows(table: Table) -> None:
    table.play(LEAD, "A")
    over = CardReading(None, None, 95, 110, None, CORNERS, 0.0)
    table.row.stages.append(over)
    table.play(PRACTICE, "B")
    assert len(table.plays) == 2
    assert not table.asked
    assert any("can't be read" in prompt for prompt in table.prompts)


def test_of_unread_things_over_each_other_one_is_a_card_of_the_row(table: Table) -> None:
    """A hand lies over a card and its stage card: the second thing is not the next player's card."""
    table.play(LEAD, "A")
    table.row.lay(None, confidence=0.0)
    table.row.mark("stage-ha")
    table.row.stages = [replace(table.row.stages[0], card=None, face=None, confidence=0.0)]
    table.see()
    assert table.prompts == ["B's card can't be read: straighten it, or tell which it is"]
    table.desk.tell({"fact": "card-played", "seat": "B", "card": PRACTICE}, "B")
    assert not any("can't be read" in prompt for prompt in table.prompts)


def test_a_face_down_or_askew_card_waits(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(None, face=Face.DOWN)
    table.see()
    assert "turn it up" in table.prompts[0]
    table.row.cards.pop()
    table.row.lay(PRACTICE, angle=45.0)
    table.see()
    assert "askew" in table.prompts[0]
    assert len(table.plays) == 1


def test_a_hand_over_the_row_takes_no_card_away(table: Table) -> None:
    table.play(LEAD, "A")
    table.play(PRACTICE, "B")
    table.row.clear()
    table.row.hidden = (((40, 40), (520, 40), (520, 190), (40, 190)),)
    table.see()
    assert not table.asked
    assert not table.prompts
    assert len(table.plays) == 2


def over(place: int, cards: int = 1) -> tuple[tuple[float, float], ...]:
    """A hand over so many cards' places of the first row."""
    left, right = 62.0 + 95 * place, 118.0 + 95 * (place + cards - 1)
    return (left, 0.0), (right, 0.0), (right, 150.0), (left, 150.0)


@pytest.mark.parametrize("laid", [0, 1, 2])
def test_a_card_waits_while_one_may_lie_unseen_before_it(table: Table, laid: int) -> None:
    """The row's order is the turns': taken for the one before, it would be its player's no more."""
    played = [LEAD, PRACTICE, NOTHING, BREAK]
    for card, seat in list(zip(played, "ABAB", strict=True))[:laid]:
        table.play(card, seat)
    table.row.lay(played[laid])
    unseen = table.row.cards.pop()
    table.row.cards.append(replace(unseen, card=played[laid + 1], x_mm=unseen.x_mm + 95))
    table.row.hidden = (over(laid),)
    table.see()
    assert len(table.played) == laid
    table.row.hidden = ()
    table.row.cards.insert(laid, unseen)
    table.see()
    assert [fact.seat for fact in table.played][: laid + 1] == list("ABAB")[: laid + 1]
    assert not [found for found in table.of_kind("finding") if found["level"] != "note"]


def test_a_hand_over_recorded_cards_holds_no_new_one_up(table: Table) -> None:
    table.play(LEAD, "A")
    table.play(PRACTICE, "B")
    table.row.lay(art(8, obey="koto"))
    shown = list(table.row.cards)
    del table.row.cards[:2]
    table.row.hidden = (over(0, 2),)
    table.see()
    assert len(table.played) == 3
    table.row.cards = shown


def test_a_hand_over_free_room_behind_a_card_holds_it_not_up(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(PRACTICE)
    table.row.hidden = (over(2, 2),)
    table.see()
    assert len(table.played) == 2


def test_of_two_cards_seen_at_once_the_second_waits_for_the_draw_where_draws_are_told(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(PRACTICE)
    table.row.lay(art(8, obey="koto"))
    table.see()
    assert len(table.played) == 2
    table.desk.tell({"fact": "card-drawn", "seat": "B"}, "B")
    assert len(table.played) == 3
    assert not table.of_kind("finding")


def test_a_draw_that_is_not_told_by_the_next_picture_is_taken_as_done(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(PRACTICE)
    table.row.lay(art(8, obey="koto"))
    table.see()
    table.see()
    assert len(table.played) == 3
    assert [found["text"] for found in table.of_kind("finding")] == [
        "Nobody saw B add a card to the hand; it is taken as done."
    ]


def test_where_no_draws_are_told_nothing_waits_for_them(table: Table) -> None:
    for card in (LEAD, PRACTICE, art(8, obey="koto")):
        table.row.lay(card)
    table.see()
    assert len(table.played) == 3


def test_a_stage_card_beside_a_hand_may_lie_on_what_the_hand_hides(table: Table) -> None:
    table.play(LEAD, "A")
    table.play(PRACTICE, "B")
    table.row.mark("stage-ha")
    table.row.cards.pop()
    table.see()
    assert any("on no card" in text for text in table.prompts)
    table.row.hidden = (((150, 40), (240, 40), (240, 190), (150, 190)),)
    table.see()
    assert not table.prompts


def full_trick(table: Table) -> None:
    """Eight cards of two players: the lead, then Preparation and rests."""
    rests = [card for card, data in sorted(CARDS.items()) if data.value("kind") == "art"]
    rests = [card for card in rests if "koto" not in card and card != NOTHING][:7]
    table.play(LEAD, "A")
    for number, card in enumerate(rests):
        table.play(card, "BA"[number % 2], angle=90.0)


def test_a_full_row_that_is_gone_ends_the_trick(table: Table) -> None:
    full_trick(table)
    assert table.record.state.phase == "clear"
    table.row.clear()
    table.row.pile = NOTHING
    table.see()
    (trick,) = table.of_kind("trick")
    assert (trick["trick"], trick["art"], len(trick["played"])) == (1, "koto", 8)
    assert trick["learned"] == [{"stage": "obey", "seat": "A", "new": True}]


def test_the_next_lead_in_the_place_of_a_full_row_ends_it_too(table: Table) -> None:
    full_trick(table)
    table.row.clear()
    table.row.lay(PRACTICE)
    table.see()
    assert len(table.of_kind("trick")) == 1
    assert table.plays == [("B", PRACTICE, "lead")]


def test_a_row_cleared_too_early_is_asked_about(table: Table) -> None:
    table.play(LEAD, "A")
    table.play(PRACTICE, "B")
    table.row.clear()
    table.see()
    assert "2 of its 8 cards" in table.asked[0]["text"]
    table.answer("over")
    assert table.record.state.trick.number == 2


def test_a_row_that_will_lie_there_again_goes_on(table: Table) -> None:
    table.play(LEAD, "A")
    kept = list(table.row.cards)
    table.row.clear()
    table.see()
    table.answer("again")
    assert "once more" in table.prompts[0]
    table.row.cards = kept
    table.play(PRACTICE, "B")
    assert len(table.plays) == 2


def test_another_card_in_the_place_of_a_recorded_one_is_asked_and_corrected(table: Table) -> None:
    table.play(LEAD, "A")
    table.play(PRACTICE, "B")
    table.row.cards[1] = replace(table.row.cards[1], card=NOTHING)
    table.see()
    table.answer("now")
    assert [card for _, card, _ in table.plays] == [LEAD, NOTHING]
    table.see()
    assert not table.asked


def test_a_pile_that_is_gone_before_the_deck_ran_out_renews_nothing(table: Table) -> None:
    full_trick(table)
    table.row.clear()
    table.row.pile = NOTHING
    table.see()
    assert not table.prompts
    table.row.pile = None
    table.see()
    assert "not in its place" in table.prompts[0]
    assert table.record.state.pool.renewals == ()


def test_what_was_taken_back_is_not_read_again_but_offered(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(PRACTICE)
    table.see()
    table.desk.undo(None, "B")
    assert len(table.plays) == 1
    table.see()
    assert len(table.plays) == 1
    table.answer("record")
    assert table.plays[-1] == ("B", PRACTICE, "practice")


def test_a_card_that_was_taken_back_and_changed_is_read_anew(table: Table) -> None:
    table.play(LEAD, "A")
    table.row.lay(PRACTICE)
    table.see()
    table.desk.undo(None, "B")
    table.row.cards.pop()
    table.row.lay(NOTHING, angle=90.0)
    table.see()
    assert table.plays[-1] == ("B", NOTHING, "rest")
    assert not table.asked


def test_people_are_offered_what_no_camera_sees(table: Table) -> None:
    table.row.lay(LEAD)
    table.see()
    (tap,) = table.desk.view()["taps"]
    assert tap["act"] == {"fact": "card-drawn", "seat": "A", "slot": None}
    assert table.desk.offers(tap["act"])
    table.draw("A")
    assert not table.desk.offers(tap["act"])


def test_a_layout_without_a_row_is_refused(journal: Journal) -> None:
    with pytest.raises(Exception, match="row"):
        Seating(journal, Start("shuhari", ("A", "B"), "A", CARDS), Layout({"deck": Zone(0, 0, 70, 100)}))


def test_an_act_of_a_card_that_is_not_there_is_refused(table: Table) -> None:
    with pytest.raises(BadInputError):
        table.desk.tell({"fact": "card-played", "seat": "A", "card": "13-koto"}, "A")

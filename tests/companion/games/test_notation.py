"""Games in words and as JSON Lines: written the same byte for byte, read from whatever people make of them."""

from __future__ import annotations

import dataclasses
import json
import random
import types
import typing
from enum import Enum
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from companion.errors import BadInputError
from companion.games.book import GAMES, book_of, phrase_of
from companion.games.files import parse_game
from companion.games.lines import read_lines, write_lines
from companion.games.notation import write_game
from companion.games.reading import NotationError, read_game
from companion.games.saying import act_text, choices, plain_template, read_step, step_text
from companion.games.start import Start, builtin_start, start_json, start_of
from companion.games.steps import Act, Correct, Remark, RuleFinding, RuleGame, TakeBack, Undo
from companion.games.words import normal
from companion.games.written import Written
from companion.rules.cards import Provenance
from companion.rules.core import Level
from companion.rules.hoshi_battle.facts import CardDeclined, EffectTold
from companion.rules.hoshizora.facts import CardLaid, CardRevealed, Colour, Line, LineDrawn, Star
from companion.rules.ledger import Life, Verdict
from companion.rules.penalties import HouseRule, Penalty, PenaltyKind

ODD = ("Ann", "Bo C", "nobody")
"""Players whose names hold a space, or are words of the notation."""


def start_for(game: str, seats: tuple[str, ...] = ODD) -> Start:
    return builtin_start(game, seats[:2] if game == "hoshi-battle" else seats)


def values_for(hint: Any, name: str, start: Start) -> st.SearchStrategy[Any]:
    """Any value of a field's type; seats, cards and texts may be ones that are not at the table, but no card by its name."""
    spellings = start.names.spellings
    text = st.text(st.characters(codec="utf-8"), max_size=8).filter(lambda one: normal(one) not in spellings)
    if name == "look":
        return st.none() | st.integers(0, 10**9)
    if hint is str:
        return text | st.sampled_from([*start.seats, *start.cards, "winners", "a b", 'q"', "d8"])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    if hint is bool:
        return st.booleans()
    if hint is int:
        return st.integers(-(10**12), 10**12)
    if hint is float:
        return st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: x + 0.0)
    if hint is types.NoneType:
        return st.none()
    if typing.get_origin(hint) is tuple:
        return st.lists(values_for(typing.get_args(hint)[0], name, start), max_size=3).map(tuple)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return st.one_of([values_for(one, name, start) for one in typing.get_args(hint)])
    return facts_of(hint, start)


def facts_of(kind: type, start: Start) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(kind)
    fields = {entry.name: values_for(hints[entry.name], entry.name, start) for entry in dataclasses.fields(kind)}
    return st.builds(kind, **fields)


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_act_is_read_as_it_was_written(game: str, data: st.DataObject) -> None:
    start = start_for(game)
    kind = data.draw(st.sampled_from(list(start.book.facts.kinds.values())))
    fact = data.draw(facts_of(kind, start))
    text = act_text(start, fact)
    assert read_step(start, text) == Act(fact), text
    assert start.book.facts.of_json(json.loads(json.dumps(start.book.facts.to_json(fact)))) == fact


@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_act_can_be_said(game: str) -> None:
    book = book_of(game)
    assert {phrase.made for phrase in book.phrases} == set(book.facts.kinds.values())
    for phrase in book.phrases:
        named = {slot.name for slot in phrase.slots}
        assert named == {entry.name for entry in dataclasses.fields(phrase.made)}, phrase.made


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("cheat", [0, 300])
def test_a_whole_game_comes_back_as_it_was(game: str, cheat: int, scripts) -> None:
    start = start_for(game)
    for seed in range(3):
        written = Written.of(start, [Act(fact) for fact in scripts(start, seed, cheat=cheat)], {"Event": "Spring, 2"})
        if written.findings():
            written.take(RuleFinding(1, Verdict.DISMISSED, by="Kim", text='shown "at once"; # so what'))
        text, lines = write_game(written), write_lines(written)
        reading = read_game(text)
        assert reading.warnings == ()
        assert (reading.game.steps, reading.game.start, reading.game.tags) == (written.steps, start, written.tags)
        assert write_game(reading.game) == text
        again, warnings = read_lines(lines)
        assert warnings == ()
        assert (again.steps, again.start, again.tags) == (written.steps, start, written.tags)
        assert write_lines(again) == lines
        assert again.ledger.found() == written.ledger.found()


def rich_game() -> Written:
    """Every kind of step in a few lines."""
    house = (HouseRule(Penalty(PenaltyKind.POINTS, 2), Level.ILLEGAL, 'drawing "a" line'), HouseRule(Penalty()))
    start = builtin_start("hoshizora", ("A", "B", "C"), "B", {"line_elimination": True, "lines_for_three": 1}, house)
    game = Written(start, {"Place": "Kyoto"})
    for step in (
        Remark("the first round"),
        Act(LineDrawn(1, 2, Colour.RED)),
        Act(CardLaid("A")),
        Act(CardLaid("B", 4)),
        Undo(3),
        TakeBack(2),
        Act(CardRevealed("B", "red-07")),
        Correct(4, CardRevealed("B", "no such card")),
        Remark(""),
    ):
        game.take(step)
    game.take(RuleFinding(1, Verdict.UPHELD, PenaltyKind.POINTS, 3, "Kim B", "as agreed"))
    game.take(RuleGame(("B", "A"), "Kim", ""))
    return game


def test_every_kind_of_step_comes_back_as_it_was() -> None:
    game = rich_game()
    text = write_game(game)
    reading = read_game(text)
    assert reading.warnings == ()
    assert reading.game.steps == game.steps
    assert reading.game.start == game.start
    assert write_game(reading.game) == text
    assert read_lines(write_lines(game))[0].steps == game.steps


def test_the_text_of_a_small_game_is_what_people_would_write() -> None:
    game = Written(builtin_start("hoshizora", ("A", "B", "C")), {"Place": "Kyoto"})
    for fact in (CardLaid("A"), CardRevealed("A", "red-07"), LineDrawn(3, 10, Colour.RED)):
        game.take(Act(fact))
    lines = [line for line in write_game(game).splitlines() if not line.startswith("Edition:")]
    assert [line for line in lines if "!" not in line] == [
        "Hoshiban game 1",
        "Game: hoshizora",
        "Players: A, B, C",
        "Leads: A",
        "Place: Kyoto",
        "",
        "Preparation:",
        "  1. A lays a card",
        "  2. A plays red-07",
        "  3. line 3-10 red",
        "",
        "",
        "= not over",
    ]
    assert lines[10].startswith("     ! F2 illegal, A: ")


SLOPPY = """\ufeffgame:   Hoshizora\r
PLAYERS: Ann,  Bo ,Cy

    # who knows
Trick one:
  1) ann LAYS
  2. Bo laid a card.
- cy lay a card   # at last
  Ann played Red 7;  bo reveals  BLUE-5 ; Cy plays blue 005
 red  line 3 \u2013 10
undo 2
correct 5: bo plays red 12
"""


def test_what_people_write_is_read() -> None:
    game = read_game(SLOPPY).game
    assert game.start.seats == ("Ann", "Bo", "Cy")
    assert game.start.lead == "Ann"
    assert game.steps == [
        Remark("who knows"),
        Act(CardLaid("Ann")),
        Act(CardLaid("Bo")),
        Act(CardLaid("Cy")),
        Remark("at last"),
        Act(CardRevealed("Ann", "red-07")),
        Act(CardRevealed("Bo", "blue-05")),
        Act(CardRevealed("Cy", "blue-05")),
        Act(LineDrawn(3, 10, "red")),
        Undo(2),
        Correct(5, CardRevealed("Bo", "red-12")),
    ]


def test_corrections_name_acts_by_the_numbers_of_the_file() -> None:
    text = "Game: hoshizora\nPlayers: A, B, C\n10. A lays\n20. B lays\nundo 20\ncorrect 10: C lays\n"
    assert read_game(text).game.steps[2:] == [Undo(2), Correct(1, CardLaid("C"))]


@pytest.mark.parametrize(
    ("game", "said", "fact"),
    [
        ("ahuha", "Ann plays rigil kentaurus", "rigil-kentaurus"),
        ("ahuha", "Ann turns Rigil Kentaurus & Toliman", "rigil-kentaurus"),
        ("hoshi-battle", "Ann reveals card F'Nex Swamp Magic", "fnex-swamp-magic"),
        ("hoshi-battle", "Ann reveals hero Yoss, the Desperate One", "yoss"),
        ("shuhari", "Ann plays 09 koto ikebana buyo", "09-koto-ikebana-buyo"),
        ("hoshizora", "Ann plays red 7", "red-07"),
        ("hoshi-battle", 'Ann reveals hero "Fire Harpy"', "fire-harpy"),
    ],
)
def test_cards_are_called_by_their_names(game: str, said: str, fact: str) -> None:
    start = start_for(game)
    step = read_step(start, said)
    assert isinstance(step, Act)
    assert step.fact.card == next(card for card in start.cards if card.startswith(fact))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "Game is missing"),
        ("Game: hoshizora\n\nA lays", 2, "Players is missing"),
        ("Game: chess\nPlayers: A, B", 2, "known are ahuha"),
        ("Game: hoshizora\nPlayers: A, B\nA lays", 2, "three players"),
        ("Game: hoshizora\nPlayers: A, B, C\nSetting: reach_squares = many\nA lays", 3, "setting reach_squares"),
        ("Game: hoshizora\nPlayers: A, B, C\nA lays\nA plays red-77\n", 4, "'red-77' is no card of this deck"),
        ("Game: hoshizora\nPlayers: A, B, C\nD lays\n", 3, "SEAT lays a card"),
        ("Game: hoshizora\nPlayers: A, B, C\nA sings\n", 3, "hoshiban rules acts --game hoshizora"),
        ("Game: hoshizora\nPlayers: A, B, C\nA lays\nundo 2\n", 4, "there is no act 2"),
        ("Game: hoshizora\nPlayers: A, B, C\n1. A lays\n1. B lays\n", 4, "two acts with the number 1"),
        ("Game: hoshizora\nPlayers: A, B, C\nA lays\nundo 1\nundo 1\n", 5, "doesn't stand"),
        ("Game: hoshizora\nPlayers: A, B, C\nruling f1 upheld\n", 3, "no finding F1"),
        ("Game: hoshizora\nPlayers: A, B, C\nwinners D\n", 3, ""),
        ("Hoshiban game 2\nGame: hoshizora\nPlayers: A, B, C\n", 1, "version"),
        ("Game: hoshizora\nPlayers: A, B, C\nCard: red-01 = 7\nA lays", 3, "JSON object"),
        ("Game: hoshizora\nPlayers: A, B, C\nHouse: {}\nA lays", 3, "house rule"),
    ],
)
def test_what_can_not_be_read_is_named_with_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(NotationError) as refused:
        read_game(text, "game.txt")
    assert str(refused.value).startswith(f"game.txt, line {line}: ")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_card_that_was_misspelt_is_suggested() -> None:
    with pytest.raises(BadInputError, match="is it sirius"):
        read_step(start_for("ahuha"), "Ann plays sirus")


def test_an_act_that_was_nearly_said_is_hinted_at_with_what_its_parts_can_be() -> None:
    with pytest.raises(BadInputError, match=r": effect OUTCOME .* \(OUTCOME: nothing, hands-raised, hosiahi"):
        read_step(start_for("ahuha"), "effect raised hands by Ann")
    with pytest.raises(
        BadInputError, match=r": SEAT places cards .* \(HERO: yes, no; DUEL: yes, no\); SEAT gets COUNT"
    ):
        read_step(start_for("hoshi-battle"), "Ann places cards hero duel")


def test_the_parts_of_a_part_are_named_too() -> None:
    told = choices(phrase_of(book_of("hoshi-battle"), EffectTold))
    assert told["OUTCOMES"] == ("KIND SEAT [amount AMOUNT] [rolled ROLLED] [as COUNTS] [for LASTS]",)
    assert "stones" in told["KIND"]
    assert choices(phrase_of(book_of("hoshi-battle"), CardDeclined)) == {}


def test_own_cards_are_written_in_one_order_however_they_came() -> None:
    usual = builtin_start("hoshizora", ("A", "B", "C"))
    cards = {card: dataclasses.replace(data, copies_source=Provenance.USER) for card, data in usual.cards.items()}
    backwards = dict(reversed(cards.items()))
    texts = {write_game(Written(Start("hoshizora", usual.seats, "A", deck, {}))) for deck in (cards, backwards)}
    assert len(texts) == 1
    (text,) = texts
    assert write_game(read_game(text, "game.txt").game) == text


def test_a_remark_that_ends_like_a_heading_is_kept() -> None:
    text = "Game: ahuha\nPlayers: A, B, C\n# Round one:\nRound one:\n# now; the deal:\ndeal\n"
    game = read_game(text, "game.txt").game
    assert [step.text for step in game.steps if isinstance(step, Remark)] == ["Round one:", "now; the deal:"]
    assert write_game(read_game(write_game(game)).game) == write_game(game)


@pytest.mark.parametrize("odd", ["red=", "Red One", 'a"b', "#1", "red-01 = none"])
def test_a_card_of_any_id_comes_back_as_it_was(odd: str) -> None:
    usual = builtin_start("hoshizora", ("A", "B", "C"))
    cards = {**usual.cards, odd: dataclasses.replace(usual.cards["red-01"], id=odd)}
    del cards["red-01"]
    game = Written(Start("hoshizora", usual.seats, "A", cards, {}))
    game.take(Act(CardRevealed("A", odd)))
    text = write_game(game)
    again = read_game(text, "game.txt").game
    assert again.start.cards == cards
    assert (again.steps, write_game(again)) == (game.steps, text)


def test_cards_of_ones_own_are_in_the_file() -> None:
    usual = builtin_start("hoshizora", ("A", "B", "C"))
    cards = {
        ("rot-1" if card == "red-01" else card): dataclasses.replace(data, id="rot-1" if card == "red-01" else card)
        for card, data in usual.cards.items()
    }
    start = Start("hoshizora", usual.seats, "A", cards)
    game = Written.of(start, [Act(CardRevealed("A", "rot-1"))])
    text = write_game(game)
    assert "Card: red-01 = none" in text
    assert read_game(text).game.start == start
    assert start_of(json.loads(json.dumps(start_json(start)))) == start


def test_a_game_judged_by_another_edition_says_so() -> None:
    text = write_game(rich_game())
    edition = rich_game().start.edition
    other = text.replace(edition.rules, "0" * 64).replace(edition.deck, "1" * 64)
    (warning,) = read_game(other, "g.txt").warnings
    assert warning == "g.txt: Edition: it was written with other rules and deck than this program has now"
    lines = write_lines(rich_game()).replace(edition.settings, "0" * 64)
    assert read_lines(lines, "g")[1] == ("g: it was written with other settings than this program has now",)


def test_what_the_file_says_of_findings_is_compared() -> None:
    text = write_game(rich_game())
    shown = next(line for line in text.splitlines() if line.strip().startswith("! F1 "))
    assert read_game(text.replace(shown, shown.replace("F1 ", "F1 not "))).warnings
    assert read_game(text.replace("= won by", "= lost by")).warnings


def test_an_edition_follows_rules_settings_and_cards() -> None:
    plain = builtin_start("hoshizora", ("A", "B", "C"))
    other = builtin_start("hoshizora", ("A", "B", "C"), settings={"line_elimination": True})
    assert plain.edition.differs(other.edition) == ("settings",)
    assert len({builtin_start(game, ODD[:2] if game == "hoshi-battle" else ODD).edition.rules for game in GAMES}) == 4


def test_taking_back_and_ruling_are_seen_in_the_findings() -> None:
    game = rich_game()
    lives = {one.number: one.life for one in game.findings()}
    assert Life.RULED in lives.values() or Life.PUT_RIGHT in lives.values()
    assert game.ledger.outcome().winners == ("B", "A")


MUTATIONS = "abzAB019 ,;:#!=\"'\\{}[]()-–\n\t\r\0é星"


def read_or_refused(text: str) -> tuple[Written | None, str]:
    """The game, or what was said instead; anything but a clear refusal is raised."""
    try:
        return parse_game(text, "damaged").game, ""
    except BadInputError as error:
        return None, str(error)


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**32), many=st.integers(1, 12), lines=st.booleans())
@example(seed=465839, many=1, lines=True)
def test_a_damaged_game_is_read_or_refused_in_one_line(seed: int, many: int, lines: bool) -> None:
    chance = random.Random(seed)
    text = list(write_lines(rich_game()) if lines else write_game(rich_game()))
    for _ in range(many):
        place = chance.randrange(len(text))
        text[place : place + chance.randrange(4)] = chance.choices(MUTATIONS, k=chance.randrange(4))
    game, refused = read_or_refused("".join(text))
    if game is None:
        assert refused.startswith("damaged")
        assert "\n" not in refused
    else:
        assert write_game(read_game(write_game(game)).game) == write_game(game)


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=200))
@example('Game: hoshizora\nPlayers: "')
@example("{" * 5000)
@example("Game: ahuha\nPlayers: A,B,C\n" + "A plays " + "x" * 300_000)
def test_any_text_is_read_or_refused(text: str) -> None:
    game, refused = read_or_refused(text)
    assert game is not None or refused.startswith(("damaged, line ", "damaged: "))


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=60), game=st.sampled_from(GAMES))
def test_any_line_is_an_act_or_refused(text: str, game: str) -> None:
    start = start_for(game)
    try:
        step = read_step(start, text)
    except BadInputError:
        return
    assert read_step(start, step_text(start, step)) == step


def test_templates_are_shown_in_plain_words() -> None:
    assert plain_template("{seat} plays|played {card} [as {declared}] (now) {at_us:time}") == (
        "SEAT plays CARD [as DECLARED] now AT"
    )


def test_lines_and_stars_within_an_act_are_read_both_ways() -> None:
    start = start_for("hoshizora")
    assert read_step(start, "erased 3-10 red, blue 1-2").fact.lines == (
        Line(3, 10, Colour.RED),
        Line(1, 2, Colour.BLUE),
    )
    assert read_step(start, "moves star 3 at 10 20.5").fact.star == Star(3, 10.0, 20.5, None)
    assert phrase_of(start.book, CardLaid).templates[0].startswith("{seat} lays")


def test_equal_findings_are_ruled_apart() -> None:
    game = Written(builtin_start("ahuha", ("A", "B", "C")))
    for text in ("deal", "A lays", "A lays", "A lays"):
        game.take(read_step(game.start, text))
    first, second = game.findings()
    assert first.finding == second.finding
    game.take(RuleFinding(1, Verdict.DISMISSED))
    game.take(RuleFinding(2, Verdict.UPHELD, PenaltyKind.POINTS, 2))
    assert [one.found.ruling.verdict for one in game.findings()] == [Verdict.DISMISSED, Verdict.UPHELD]
    assert game.ledger.points_off() == {"A": 2}
    game.take(read_step(game.start, "A lays"))
    assert game.findings()[2].life is Life.CORRECTABLE
    assert write_game(read_game(write_game(game)).game) == write_game(game)


def test_a_file_of_many_findings_is_read_in_one_pass() -> None:
    """As many foldings of one act as there are acts: counted, not timed."""
    game = Written(builtin_start("hoshizora", ("A", "B", "C")))
    asked = 0
    plain = game.ledger.found

    def found() -> tuple[Any, ...]:
        nonlocal asked
        asked += 1
        return plain()

    game.ledger.found = found  # type: ignore[method-assign]
    for _ in range(300):
        game.take(Act(CardLaid("A")))
    assert len(game.known) > 200
    assert asked == 0

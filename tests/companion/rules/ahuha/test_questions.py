"""Q&A, Clarifications and Tips: one test an answer."""

from __future__ import annotations

import pytest

from companion.rules.ahuha import RULES, AhuhaSettings, Effect, EffectKind, Mode, Phase
from companion.rules.ahuha.facts import AsitaShown, FrozenPlaced, FrozenTaken, SeatsSwapped, SeriesEnded, Side, Told
from companion.rules.core import Level
from companion.rules.settings import describe_settings

KINOHU = {"canopus": Effect(EffectKind.MEET_FIELD, "Kinohu Kehutoha", ("sugata:extremely-large", "kesiki:siro"))}


def test_no_points_the_cooperative_mode_is_there_to_try() -> None:
    (mode,) = [info for info in describe_settings(AhuhaSettings) if info.name == "mode"]
    assert mode.choices == (str(Mode.STANDARD), str(Mode.COOPERATIVE))


def test_lying_is_found_out(table) -> None:
    game = table()
    game.show("deneb", "canopus", "procyon")
    game.told(Told.HANDS)
    game.finish()
    found = game.play("rigel", "antares", "vega")
    assert [(x.level, x.player, x.rule) for x in found] == [
        (Level.PROVED, "C", "Q&A: no lying about the effects"),
    ]


def test_talking_is_no_fact_of_the_game(table) -> None:
    from companion.rules.ahuha.facts import FACTS

    assert not any("talk" in kind or "said" in kind for kind in FACTS)


def test_raised_hands_are_about_the_hand_not_the_field(table) -> None:
    game = table()
    game.show("deneb", "vega", "altair")
    assert game.told(Told.HANDS) == []
    assert game.finish() == []


def test_raising_a_hand_for_a_card_in_the_field_is_false(table) -> None:
    game = table()
    game.show("deneb", "vega", "altair")
    (found,) = game.told(Told.HANDS, "B")
    assert (found.level, found.player) == (Level.PROVED, "B")
    assert found.evidence[1:] == ("round 1: B played Vega", "round 1: C played Altair")


def test_the_frozen_card_just_taken_can_be_placed_and_played(table) -> None:
    """Its taker may place it at once: then every hand is what it was, which is one of the choices counted."""
    game = table()
    before = game.worlds
    game.show("rigel", "canopus", "procyon")
    assert game.worlds == before * 18 * 17 * 16 // (21 * 20 * 19 * 18 * 17 * 16) * 6**3 * 6**3


def test_madu_kohorikeru_in_round_six_passes_on_what_was_taken(table) -> None:
    game = table()
    game.skip_to(6)
    ways = game.worlds
    game.show("rigel", "canopus", "procyon")
    shown = game.worlds
    assert game.state.round.passed == 1
    assert shown * 21 * 20 * 19 == ways  # three cards shown; the pass itself leaves no choice
    assert game.tell(*(FrozenTaken(seat, Side.RIGHT) for seat in "ABC")) == []
    assert game.tell(*(FrozenPlaced(seat, Side.LEFT) for seat in "ABC")) == []


def test_madu_kohorikeru_at_tanabata_does_not_resolve(table) -> None:
    game = table()
    game.skip_to(7)
    game.show("rigel", "canopus", "procyon")
    assert game.state.phase is Phase.HOSIAHI
    assert game.state.round.passed == 0
    (found,) = game.tell(FrozenTaken("A", Side.RIGHT))
    assert found.level is Level.ILLEGAL


def test_madu_kohorikeru_may_never_come(table) -> None:
    game = table()
    game.skip_to(7)
    game.play("canopus", "antares", "procyon")
    assert game.end() == []
    assert all(done.passed == 0 for done in game.state.done[0].rounds)


def test_kinohu_kehutoha_does_not_meet_rigel_that_left_before(table) -> None:
    game = table(effects=KINOHU)
    game.show("canopus", "rigel", "procyon")
    game.home("B-rigel")
    assert game.state.active == "A"
    assert game.state.round.due.partner is None
    assert game.home("A-canopus") == []


def test_kinohu_kehutoha_meets_the_lower_numbered_of_two(table) -> None:
    game = table(effects=KINOHU)
    game.show("canopus", "vega", "sirius")
    assert game.state.round.due.partner == 2
    assert game.home("A|canopus", "C|sirius") == []


@pytest.mark.parametrize("by_effect", [False, True])
def test_omohi_hanarenu_any_hosiahi_counts(table, by_effect) -> None:
    game = table()
    if by_effect:
        game.play("canopus", "mimosa", "procyon")
        game.show("hadar", "antares", "rigil-kentaurus")
        game.home("A|hadar", "B|mimosa")
    else:
        game.show("rigel", "betelgeuse", "rigil-kentaurus")
        game.home("A|rigel", "B|betelgeuse")
    assert game.home("C!rigil-kentaurus") == []


def test_omohi_hanarenu_vega_and_altair_come_too_late(table) -> None:
    game = table()
    game.show("vega", "rigil-kentaurus", "altair")
    assert game.home("B-rigil-kentaurus") == []
    game.told()
    assert game.home("A|vega", "C|altair") == []


def test_asita_cards_are_no_star_cards(table) -> None:
    """What is told of star cards leaves the Asita point alone."""
    game = table()
    game.skip_to(7)
    game.show("rigel", "betelgeuse", "procyon")
    game.home("A|rigel", "B|betelgeuse")
    game.told(Told.OTHER)
    game.home("C-procyon")
    assert game.tell(AsitaShown("A"), AsitaShown("B")) == []
    assert game.state.scores == {"A": 2, "B": 2, "C": 0}
    assert "asita" not in game.setup.cards


def test_seats_of_two_players_are_swapped_between_series(table) -> None:
    game = table()
    game.skip_to(7)
    game.play("rigel", "betelgeuse", "procyon")
    game.tell(SeriesEnded())
    assert "swap seats" in [x.act for x in RULES.expects(game.state)]
    wins = dict(zip(game.state.seats, game.state.wins, strict=True))
    assert game.tell(SeatsSwapped("A", "C")) == []
    assert game.state.seats == ("C", "B", "A")
    assert dict(zip(game.state.seats, game.state.wins, strict=True)) == wins


def test_seats_swapped_during_a_series_are_illegal_and_nothing_moves(table) -> None:
    game = table()
    (found,) = game.tell(SeatsSwapped("A", "C"))
    assert found.level is Level.ILLEGAL
    assert game.state.seats == ("A", "B", "C")


def test_seats_swapped_before_the_first_series_are_a_note(table) -> None:
    game = table(dealt=False)
    assert [x.level for x in game.tell(SeatsSwapped("A", "C"))] == [Level.NOTE]
    assert [x.rule for x in game.tell(SeatsSwapped("A", "D"))] == ["Players: three"]


def test_tip_mimosa_and_hadar_make_hosiahi_easier(table) -> None:
    setup = table().setup
    assert setup.partners[setup.index["mimosa"]].bit_count() >= 4
    assert setup.partners[setup.index["hadar"]].bit_count() >= 4


def test_tip_raised_hands_hint_at_what_is_held(table) -> None:
    game = table()
    game.show("deneb", "canopus", "procyon")
    before = game.worlds
    game.told(Told.HANDS, "B")
    assert 0 < game.worlds < before

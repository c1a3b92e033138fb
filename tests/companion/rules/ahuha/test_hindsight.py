"""End of a Series: who held what when, and which stars could have met."""

from __future__ import annotations

from companion.rules.ahuha import hindsight

ROUNDS = [
    ("spica", "canopus", "procyon"),
    ("rigel", "acrux", "antares"),
    ("deneb", "vega", "pollux"),
    ("fomalhaut", "sirius", "capella"),
    ("arcturus", "aldebaran", "mimosa"),
    ("altair", "regulus", "betelgeuse"),
    ("hadar", "achernar", "rigil-kentaurus"),
]


def series(table, rounds):
    game = table()
    for cards in rounds:
        game.play(*cards)
    game.end()
    return hindsight(game.state.done[0], game.setup)


def test_without_passes_every_hand_is_known(table) -> None:
    rounds = [ROUNDS[0], ("regulus", "acrux", "antares"), *ROUNDS[2:5], ("altair", "hadar", "betelgeuse"), ROUNDS[6]]
    rounds[6] = ("rigel", "achernar", "rigil-kentaurus")
    back = series(table, rounds)
    first = back.hands[0]["A"]
    assert set(first.sure) == {"spica", "regulus", "deneb", "fomalhaut", "arcturus", "altair"}
    assert first.possible == ()
    assert back.hands[5]["B"].sure == ("hadar",)
    assert back.frozen == {"A": "rigel", "B": "achernar", "C": "rigil-kentaurus"}


def test_a_pass_leaves_some_cards_in_doubt(table) -> None:
    back = series(table, ROUNDS)
    before, after = back.hands[0]["A"], back.hands[2]["A"]
    assert {"spica", "rigel"} <= set(before.sure)
    assert {"deneb", "fomalhaut", "arcturus", "altair"} <= set(before.sure) | set(before.possible)
    assert set(after.sure) == {"deneb", "fomalhaut", "arcturus", "altair"}  # what is played later was there
    assert after.possible == ()
    assert "achernar" in before.possible  # it may have been A's before it was passed on


def test_stars_that_could_have_met(table) -> None:
    rounds = [ROUNDS[0], ("regulus", "acrux", "antares"), *ROUNDS[2:5], ("altair", "hadar", "betelgeuse"), ROUNDS[6]]
    rounds[6] = ("rigel", "achernar", "rigil-kentaurus")
    found = {(x.first, x.second): x for x in series(table, rounds).could_have_met}
    assert found["acrux", "mimosa"].rounds == (1, 2)
    assert found["acrux", "mimosa"].seats == ("B", "C")
    assert ("deneb", "vega") not in found  # they met
    assert ("acrux", "hadar") not in found  # both were B's
    assert ("rigel", "betelgeuse") not in found  # one was frozen


def test_overlooked_meetings_are_remembered(table) -> None:
    game = table()
    game.show("rigel", "betelgeuse", "procyon")
    game.home("A-rigel")
    game.finish()
    game.skip_to(7)
    game.play("hadar", "achernar", "rigil-kentaurus")
    game.end()
    back = hindsight(game.state.done[0], game.setup)
    assert back.overlooked == ((1, "rigel", "betelgeuse"),)

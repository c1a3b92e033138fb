"""The film and the stills tell the script, and between acts the table lies still."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, pairwise
from math import hypot

import pytest

from companion.games.hoshizora import BOOK
from companion.virtual.film import Still
from companion.virtual.plan import tricks_of
from companion.virtual.players import GameScript
from companion.virtual.reel import Timing
from companion.virtual.table import VirtualTable
from hardware.virtual.placing import corners_mm, lying
from hardware.virtual.scene import Scene

GAMES = [
    VirtualTable(seed=1, clumsiness=0.0),
    VirtualTable(seed=2, clumsiness=1.0),
    VirtualTable(seed=3, variant=True),
    VirtualTable(seed=4, revoke=True, seats=("Ami", "Ben", "Cho"), lead="Cho"),
]

CHEATED = VirtualTable(seed=3, mischief=200)


def named(stills: list[Still]) -> dict[str, Scene]:
    return {still.name.split("-", 1)[1]: still.scene for still in stills}


def joined(scene: Scene, script: GameScript) -> set[tuple[int, int, str]]:
    """The lines of a scene, by the stars nearest to the strokes' ends on a board at (200, 60)."""
    assert scene.board is not None
    found = set()
    for stroke in scene.board.strokes:
        ends = [
            min(script.stars, key=lambda star: hypot(star.x_mm + 200 - x, star.y_mm + 60 - y)).n
            for x, y in (stroke.start, stroke.end)
        ]
        found.add((min(ends), max(ends), stroke.colour))
    return found


@pytest.mark.parametrize("table", GAMES)
def test_stills_show_the_script_trick_by_trick(table: VirtualTable) -> None:
    script = table.script()
    scenes = named(list(table.director(script).stills()))
    layout = table.layout()
    standing: set[tuple[int, int, str]] = set()
    for record in script.final.done:
        down, up, drawn = (scenes[f"trick{record.number}-{step}"] for step in ("down", "up", "drawn"))
        assert [card.art for card in down.cards] == ["back"] * 3
        assert drawn.cards == ()
        shown = {}
        for n, seat in enumerate(table.seats):
            (card,) = [c for c in up.cards if layout.seat_zone("play", n).contains(c.x_mm, c.y_mm)]
            shown[seat] = card.art
        assert shown == dict(record.played)
        standing -= {(line.a, line.b, line.colour.value) for line in record.erased}
        standing |= {(line.a, line.b, line.colour.value) for line in record.drawn}
        assert joined(drawn, script) == standing
    assert {card.art for card in scenes["bids"].cards} == set(script.final.bids)


def test_cheats_are_shown_or_told_at_the_moment_at_which_they_happen() -> None:
    script, stills = CHEATED.script(), list(CHEATED.director().stills())
    kinds = {wrong.kind for wrong in script.wrongs}
    assert {"early_reveal", "second_card", "wrong_line"} <= kinds
    for still in stills:
        for said in still.said:
            shown = [card.art for card in still.scene.cards]
            if said.act["fact"] == "card-revealed":
                assert said.act["card"] in shown
            if said.act["fact"] == "card-laid":
                assert len(shown) in (1, 2, 3)
    told = [said.act for still in stills for said in still.said]
    facts = [BOOK.facts.to_json(fact) for fact in script.facts]
    assert all(act in facts for act in told)
    misdrawn = {wrong.trick for wrong in script.wrongs if wrong.kind == "wrong_line"}
    beside = {int(still.name.split("trick")[1][0]) for still in stills if still.name.endswith("-misdrawn")}
    assert beside == misdrawn  # the line is seen while the cards still lie there, as in the film


def test_film_and_stills_tell_the_same_things() -> None:
    director = CHEATED.director()
    filmed = [said for shown in director.film() for said in shown.said]
    assert filmed == [said for still in director.stills() for said in still.said]
    assert filmed


def test_stills_are_named_in_order() -> None:
    names = [still.name for still in GAMES[0].director().stills()]
    assert names[:4] == ["00-setup", "01-trick1-down", "02-trick1-up", "03-trick1-drawn"]
    assert names[-1] == "22-bids"
    assert len(names) == 23


@pytest.mark.parametrize("table", [*GAMES, CHEATED])
def test_every_still_is_shown_in_the_film_hands_off_and_long_enough_to_settle(table: VirtualTable) -> None:
    director = table.director()
    film = list(director.film())
    spells = []
    for scene, run in groupby(shown.scene for shown in film):
        length = len(list(run)) / table.timing.fps
        if not scene.hands and length >= 0.8:
            spells.append(replace(scene, covered_markers=frozenset()))
    reached = 0
    for still in director.stills():
        while spells[reached] != still.scene:
            reached += 1
    assert reached == len(spells) - 1 or spells[-1] == spells[reached]


def test_film_runs_at_its_frame_rate() -> None:
    table = VirtualTable(seed=1, timing=Timing(fps=5.0))
    times = [shown.t_s for shown in table.director().film()]
    assert times[0] == 0
    assert {round(b - a, 9) for a, b in pairwise(times)} == {0.2}


@pytest.mark.parametrize("table", [*GAMES, CHEATED])
def test_nothing_changes_on_the_table_without_a_hand(table: VirtualTable) -> None:
    scenes = [shown.scene for shown in table.director().film()]
    for before, after in pairwise(scenes):
        if before != after:
            assert before.hands or after.hands


@pytest.mark.parametrize("table", [*GAMES, CHEATED])
def test_lines_grow_and_shrink_under_the_hand(table: VirtualTable) -> None:
    for scene in (shown.scene for shown in table.director().film()):
        growing = [stroke for stroke in (scene.board.strokes if scene.board else ()) if stroke.drawn < 1]
        assert len(growing) <= 1
        for stroke in growing:
            (hand,) = scene.hands
            x = stroke.start[0] + (stroke.end[0] - stroke.start[0]) * stroke.drawn
            y = stroke.start[1] + (stroke.end[1] - stroke.start[1]) * stroke.drawn
            assert hypot(hand.tip_x_mm - x, hand.tip_y_mm - y) < 0.1


def test_wiped_lines_leave_smudges() -> None:
    table = GAMES[2]
    script = table.script()
    stills = named(list(table.director(script).stills()))
    wiped = [
        trick.number
        for trick in tricks_of(script)
        if any(r.erased for r in script.final.done if r.number == trick.number)
    ]
    assert wiped
    for number in wiped:
        before, after = stills[f"trick{number}-up"].board, stills[f"trick{number}-wiped"].board
        assert before is not None
        assert after is not None
        assert len(after.strokes) < len(before.strokes)
        assert len(after.smudges) > len(before.smudges)


def test_a_clumsy_table_covers_markers_and_rests_hands_and_a_tidy_one_does_not() -> None:
    tidy = [shown.scene for shown in VirtualTable(seed=1, clumsiness=0.0).director().film()]
    assert not any(scene.covered_markers for scene in tidy)
    covered = 0
    for seed in range(6):
        film = VirtualTable(seed=seed, clumsiness=1.0).director().film()
        covered += any(shown.scene.covered_markers for shown in film)
    assert covered


def test_cards_stay_whole_in_their_zones_however_clumsy() -> None:
    for seed in range(4):
        table = VirtualTable(seed=seed, clumsiness=1.0)
        layout = table.layout()
        for still in table.director().stills():
            for card in still.scene.cards:
                zones = [layout.seat_zone("play", n) for n in range(3)]
                (zone,) = [z for z in zones if z.contains(card.x_mm, card.y_mm)]
                for x, y in corners_mm(lying(card, (63.0, 88.0))):
                    assert -0.2 <= x - zone.x_mm <= zone.width_mm + 0.2
                    assert -0.2 <= y - zone.y_mm <= zone.height_mm + 0.2


def test_the_same_seed_films_the_same_game() -> None:
    assert list(VirtualTable(seed=9).director().film()) == list(VirtualTable(seed=9).director().film())
    assert list(VirtualTable(seed=9).director().stills()) != list(VirtualTable(seed=10).director().stills())

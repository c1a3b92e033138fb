"""The filmed duel does what its script says, when it says so, and nothing else; its truth is what the scenes show."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import BadInputError
from companion.rules.hoshi_battle.facts import (
    DiePickedUp,
    DiePutBack,
    DieRolled,
    FoulSeen,
    HandLowered,
    HandRaised,
    HandsTouched,
    PlayBegan,
    SwingMissed,
    Where,
)
from companion.rules.hoshi_battle.fold import apply, start
from companion.rules.hoshi_battle.touches import rule_touch
from companion.virtual.battle_director import BattleDirector
from companion.virtual.battle_hands import Touch
from companion.virtual.battle_rolls import Roll, with_face
from companion.virtual.battle_stage import TABLE_MM, die_symbols
from companion.virtual.battle_ways import HAND_PARTS, Way
from companion.virtual.battle_writing import write_roll, write_symbols
from companion.virtual.table import VirtualTable
from companion.virtual.throws import SETTLED_MM, throws
from hardware.virtual.dice import DieOnTable, Instant, corners_mm, die_solid, matrix_of
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import TableLook
from hardware.virtual.render import Renderer
from hardware.virtual.sprites import hand_outline
from vision.dice.enrolled import enrol_die
from vision.dice.reader import DiceReader
from vision.table import locate_table

MS = 1000


def _director(seed: int, seats: str, mischief: int) -> BattleDirector:
    director = VirtualTable("hoshi-battle", seed, tuple(seats), mischief=mischief).director()
    assert isinstance(director, BattleDirector)
    return director


@pytest.fixture(scope="module")
def honest() -> BattleDirector:
    return _director(4, "AB", 0)


@pytest.fixture(scope="module", params=[(11, "AB", 120), (8, "ABC", 90)], ids=["two", "three"])
def wild(request: pytest.FixtureRequest) -> BattleDirector:
    """Games with every kind of misbehaviour; in one a die is put back just before a touch."""
    return _director(*request.param)


def _lowest(roll: Roll, t_us: int) -> float:
    at = roll.at(t_us)
    assert at is not None
    return float(_corners(roll, at)[:, 2].min())


def _corners(roll: Roll, at: Instant) -> np.ndarray:
    return corners_mm(DieOnTable(roll.die.sides, at, roll.die.size_mm, tip=roll.die.tip), at)


def _is_in(polygon: np.ndarray, x: float, y: float) -> bool:
    """By a ray to the right."""
    crossings = 0
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if (y0 > y) != (y1 > y) and x0 + (y - y0) / (y1 - y0) * (x1 - x0) > x:
            crossings += 1
    return crossings % 2 == 1


def _covered(way: Way, t_us: int) -> np.ndarray:
    """The hand with its arm, painted at four pixels a millimetre."""
    place = way.at(t_us)
    mask = np.zeros((1000, 1680), np.uint8)
    for ring in hand_outline(place.x_mm, place.y_mm, way.from_deg):
        cv2.fillPoly(mask, [np.rint(ring * 4 * 16).astype(np.int32)], 1, shift=4)
    return mask


def _shared_px(director: BattleDirector, t_us: int) -> int:
    one, other = director.hands.playing
    return int(np.count_nonzero(_covered(one, t_us) & _covered(other, t_us)))


# -- the script on film -------------------------------------------------------------------------------------------------


def test_every_fact_of_the_script_is_filmed_but_pick_ups_of_dice_in_the_hand(wild: BattleDirector) -> None:
    filmed = dict(wild.line.facts)
    held = {(fact.seat, fact.die): True for fact in wild.script.facts if isinstance(fact, DieRolled | DiePickedUp)}
    for act, fact in enumerate(wild.script.facts):
        match fact:
            case DieRolled(seat=seat, die=die) | DiePutBack(seat=seat, die=die):
                held[seat, die] = False
            case PlayBegan():
                held = dict.fromkeys(held, True)
        if act not in filmed:
            assert isinstance(fact, DiePickedUp)
            assert held[fact.seat, fact.die]
        elif isinstance(fact, DiePickedUp):
            held[fact.seat, fact.die] = True
            assert type(filmed[act]) is DiePickedUp


def test_rounds_keep_the_scripts_own_times_to_the_microsecond(wild: BattleDirector) -> None:
    shift: int | None = None
    for act, fact in wild.line.facts:
        at = getattr(wild.script.facts[act], "at_us", None)
        if isinstance(fact, PlayBegan):
            shift = fact.at_us - at
        elif shift is not None and at is not None:
            during = any(bout.begin_us <= fact.at_us <= bout.end_us for bout in wild.line.bouts)
            if during:
                assert fact.at_us - at == shift


def test_what_is_filmed_is_ruled_as_the_players_meant_it_and_ends_the_same(wild: BattleDirector) -> None:
    meant = dict(wild.script.touches)
    state = start(wild.script.setup)
    seen = []
    for (act, _), fact in zip(wild.line.facts, wild.facts, strict=True):
        if isinstance(fact, HandsTouched):
            seen.append(act)
            assert rule_touch(state, fact).verdict is meant[act]
        state = apply(state, fact)
    assert seen == sorted(meant)
    assert state.done == wild.script.final.done
    assert state.phase is wild.script.final.phase


def test_a_round_begins_after_a_countdown_in_which_nobody_acts(wild: BattleDirector) -> None:
    for before, bout in pairwise(wild.line.bouts):
        assert bout.begin_us - before.end_us >= 1500 * MS
    for _, fact in wild.line.facts:
        if isinstance(fact, PlayBegan) and fact.counted:
            acts = [timed.at_us for timed in wild.line.timed if timed.at_us < fact.at_us]
            assert not acts or fact.at_us - max(acts) >= 3000 * MS


# -- rolls --------------------------------------------------------------------------------------------------------------


def test_every_roll_comes_down_and_rests_as_told(wild: BattleDirector) -> None:
    rolled = {act: fact for act, fact in wild.line.facts if isinstance(fact, DieRolled)}
    rolls = {roll.wanted.act: roll for roll in wild.rolls if roll.throw is not None}
    assert set(rolled) <= set(rolls)
    ring = np.array(wild.stage.loop.polygon_mm)
    for act, fact in rolled.items():
        roll = rolls[act]
        assert roll.throw is not None
        assert roll.touched_us is not None
        assert (roll.wanted.settled_us, roll.symbol, roll.die.sides) == (fact.at_us, fact.face.value, fact.sides)
        assert roll.released_us < roll.touched_us < roll.wanted.settled_us < roll.wanted.lifted_us
        assert _is_in(ring, *roll.throw.contact_mm) is fact.inside
        # It hangs in the air before, is down then, and its lowest corner is the point that is told.
        assert _lowest(roll, roll.touched_us - 12 * MS) > 0.2
        assert abs(_lowest(roll, roll.touched_us)) < 1.0
        at = roll.at(roll.touched_us)
        assert at is not None
        corners = _corners(roll, at)
        assert math.dist(corners[corners[:, 2].argmin(), :2], roll.throw.contact_mm) < 6.0
        # And moves no more from its rest on.
        settled = roll.at(roll.wanted.settled_us)
        assert settled is not None
        assert np.linalg.norm(_corners(roll, settled) - _corners(roll, roll.rest), axis=1).max() < SETTLED_MM + 0.2
        up = (die_solid(roll.die.sides).normals @ matrix_of(roll.rest.turn)[2]).max()
        assert up == pytest.approx(1, abs=1e-3)


def test_a_die_is_in_one_place_and_no_die_is_in_another(wild: BattleDirector) -> None:
    of: dict[tuple[str, int], list[Roll]] = {}
    for roll in wild.rolls:
        of.setdefault((roll.wanted.seat, roll.wanted.die), []).append(roll)
    for rolls in of.values():
        for before, after in pairwise(rolls):
            assert before.wanted.lifted_us <= after.released_us
    for n, roll in enumerate(wild.rolls):
        for other in wild.rolls[n + 1 : n + 4]:
            for t_us in (other.released_us, other.touched_us or other.released_us, other.wanted.settled_us):
                one, two = roll.at(t_us), other.at(t_us)
                if one is not None and two is not None:
                    assert math.dist((one.x_mm, one.y_mm, one.height_mm), (two.x_mm, two.y_mm, two.height_mm)) > 24


def test_pick_ups_end_rests(wild: BattleDirector) -> None:
    lifted = {(roll.wanted.seat, roll.wanted.die, roll.wanted.lifted_us): roll for roll in wild.rolls}
    for _, fact in wild.line.facts:
        if isinstance(fact, DiePickedUp):
            roll = lifted[fact.seat, fact.die, fact.at_us]
            last = roll.at(fact.at_us - 1)
            assert last is not None
            moved = math.dist((last.x_mm, last.y_mm), (roll.rest.x_mm, roll.rest.y_mm))
            assert moved < SETTLED_MM or roll.wanted.is_snatched or roll.pushed_mm
            assert roll.at(fact.at_us) is None


@pytest.mark.parametrize("sides", [8, 10])
def test_another_face_on_top_is_the_same_motion_of_the_same_solid(sides: int) -> None:
    throw = next(throw for throw in throws() if throw.sides == sides)
    solid = die_solid(sides)
    for face in range(sides):
        turned = with_face(throw, face)
        for seconds in (0.0, throw.touch_s, throw.settle_s):
            one, other = throw.at(seconds), turned.at(seconds)
            mine, theirs = (np.sort((solid.vertices @ matrix_of(at.turn).T).round(3), axis=0) for at in (one, other))
            assert mine == pytest.approx(theirs, abs=3e-3)
        assert int(np.argmax(solid.normals @ matrix_of(turned.at(9.0).turn)[2])) == face


def test_a_die_that_was_rolled_too_early_still_lies_there_when_play_begins() -> None:
    """The rules count it from then on, whoever strikes with it or pushes it: so it must not be taken away meanwhile."""
    early = 0
    for seed in (89, 92, 95):
        director = _director(seed, "ABC", 120)
        rolls = {roll.wanted.act: roll for roll in director.rolls}
        for trick in director.script.tricks:
            if trick.what == "early_roll":
                roll = rolls[trick.act]
                begin_us = min(b.begin_us for b in director.line.bouts if b.begin_us > roll.wanted.settled_us)
                assert roll.at(begin_us) == roll.rest
                early += 1
    assert early > 2


def test_a_die_that_is_snatched_was_down_and_still_rolls(wild: BattleDirector) -> None:
    snatched = {trick.act for trick in wild.script.tricks if trick.what == "snatched"}
    rolls = {roll.wanted.act: roll for roll in wild.rolls if roll.wanted.is_snatched}
    assert set(rolls) == snatched
    assert snatched
    told = {roll["act"]: roll for roll in wild.truth()["rolls"]}
    for act, roll in rolls.items():
        lifted = roll.wanted.lifted_us
        assert roll.touched_us is not None
        assert roll.touched_us < lifted < roll.wanted.settled_us
        moving = roll.at(lifted - 1)
        assert moving is not None
        assert np.linalg.norm(_corners(roll, moving) - _corners(roll, roll.rest), axis=1).max() > SETTLED_MM
        assert roll.at(lifted) is None
        assert (told[act]["symbol"], told[act]["settled_us"], told[act]["lifted_us"]) == (None, None, lifted)


def test_a_pushed_die_slides_with_its_face_and_stays_clear(wild: BattleDirector) -> None:
    acts = {act: fact for act, fact in wild.line.facts if isinstance(fact, FoulSeen)}
    pushes = {push.act: (roll, push) for roll in wild.rolls for push in roll.wanted.pushes}
    assert set(pushes) == {trick.act for trick in wild.script.tricks if trick.what == "pushed"}
    assert pushes
    for act, (roll, push) in pushes.items():
        before, after = roll.at(push.from_us), roll.at(push.to_us)
        assert push.from_us == acts[act].at_us
        assert before is not None
        assert after is not None
        assert 5 < math.dist((before.x_mm, before.y_mm), (after.x_mm, after.y_mm)) < 36
        assert (before.turn, before.height_mm) == (after.turn, after.height_mm)
        assert roll.at(push.from_us - 20 * MS) == before
        assert roll.at(push.to_us + 20 * MS) == after or push is not roll.wanted.pushes[-1]
        (bout,) = (bout for bout in wild.line.bouts if bout.begin_us <= push.from_us <= bout.end_us)
        hand = wild.hands.playing[bout.seats.index(roll.wanted.seat)].at(push.from_us)
        assert math.dist((hand.x_mm, hand.y_mm), (before.x_mm, before.y_mm)) < 20
        for other in wild.rolls:
            there = other.at(push.to_us)
            if other is not roll and there is not None:
                assert math.dist((there.x_mm, there.y_mm), (after.x_mm, after.y_mm)) > 17 or there.height_mm > 30


# -- hands --------------------------------------------------------------------------------------------------------------


_GOING_US = {Where.HAND: 30 * MS, Where.ELSEWHERE: 320 * MS}


def _from_us(touch: Touch) -> int:
    """From when on hands may overlap as seen from above: one that strikes an arm passes high over the hand before it."""
    return touch.start_us - (160 * MS + 60 * MS if touch.where == Where.ELSEWHERE else 0)


def test_hands_overlap_from_a_touchs_start_to_its_end_and_never_else(wild: BattleDirector) -> None:
    touches = wild.hands.touches
    assert [touch.act for touch in touches] == [act for act, fact in wild.line.facts if isinstance(fact, HandsTouched)]
    filmed = dict(wild.line.facts)
    for touch in touches:
        assert touch.start_us == filmed[touch.act].at_us
        assert 40 * MS < touch.end_us - touch.start_us < 200 * MS
        if touch.where == Where.ELSEWHERE:
            continue
        assert not _shared_px(wild, touch.start_us - 6 * MS)
        assert _shared_px(wild, touch.start_us + 8 * MS)
        assert _shared_px(wild, touch.end_us - 8 * MS)
        assert not _shared_px(wild, touch.end_us + 30 * MS)
    for bout in wild.line.bouts:
        for t_us in range(bout.begin_us - 1000 * MS, bout.end_us + 1500 * MS, 90 * MS):
            if not any(_from_us(touch) <= t_us <= touch.end_us + _GOING_US[touch.where] for touch in touches):
                one, other = (way.at(t_us) for way in wild.hands.playing)
                assert one.x_mm < other.x_mm or not _shared_px(wild, t_us)


def test_a_hand_that_strikes_an_arm_lies_on_it_from_the_touchs_start(wild: BattleDirector) -> None:
    struck = [touch for touch in wild.hands.touches if touch.where == Where.ELSEWHERE]
    assert [touch.act for touch in struck] == [t.act for t in wild.script.tricks if t.what == "arm"]
    assert struck
    for touch in struck:
        (bout,) = (bout for bout in wild.line.bouts if bout.begin_us <= touch.start_us <= bout.end_us)
        one, other = (wild.hands.playing[n] for n in (bout.seats.index(touch.by[0]), 1 - bout.seats.index(touch.by[0])))
        arm = hand_outline(other.at(touch.start_us).x_mm, other.at(touch.start_us).y_mm, other.from_deg)[HAND_PARTS:]
        tip = one.at(touch.start_us)
        assert any(cv2.pointPolygonTest(ring.astype(np.float32), (tip.x_mm, tip.y_mm), False) >= 0 for ring in arm)
        gaps = [
            one.at(t_us).height_mm - other.at(t_us).height_mm
            for t_us in (touch.start_us - 40 * MS, touch.start_us, touch.end_us)
        ]
        assert gaps[0] > gaps[1] + 10
        assert gaps[1] == pytest.approx(gaps[2], abs=0.5)


def test_who_touches_has_come_far_and_who_is_touched_has_not_come_farther(wild: BattleDirector) -> None:
    for touch in wild.hands.touches:
        (bout,) = (bout for bout in wild.line.bouts if bout.begin_us <= touch.start_us <= bout.end_us)
        came = dict(zip(bout.seats, touch.closed_mm, strict=True))
        assert all(came[seat] > 28 for seat in touch.by)
        assert all(came[seat] < 0.6 * max(came.values()) for seat in bout.seats if seat not in touch.by)


def test_a_swing_that_misses_comes_near_and_a_raised_hand_is_high_until_it_is_lowered(honest: BattleDirector) -> None:
    facts = [fact for _, fact in honest.line.facts]
    assert [swing.at_us for swing in honest.hands.swings] == [f.at_us for f in facts if isinstance(f, SwingMissed)]
    for swing in honest.hands.swings:
        (bout,) = (bout for bout in honest.line.bouts if bout.begin_us <= swing.at_us <= bout.end_us)
        chair = honest.stage.chairs[bout.seats.index(swing.seat)]
        before, nearest = (
            chair.ahead(honest.hands.playing[chair.number].at(t_us).x_mm)
            for t_us in (swing.at_us - 150 * MS, swing.at_us)
        )
        assert nearest > before + 10
        assert not _shared_px(honest, swing.at_us)
    raised = honest.hands.raised
    assert [each.from_us for each in raised] == [f.at_us for f in facts if isinstance(f, HandRaised)]
    assert [each.to_us for each in raised] == [f.at_us for f in facts if isinstance(f, HandLowered)]
    assert raised
    for each in raised:
        (bout,) = (bout for bout in honest.line.bouts if bout.begin_us <= each.from_us <= bout.end_us)
        way = honest.hands.playing[bout.seats.index(each.seat)]
        heights = [way.at(t_us).height_mm for t_us in range(each.from_us + 130 * MS, each.to_us - 160 * MS, 50 * MS)]
        assert min(heights) > 100
        assert way.at(each.to_us).height_mm < 40


# -- the table ----------------------------------------------------------------------------------------------------------


def test_cards_and_stones_lie_as_the_record_has_them_between_rounds(wild: BattleDirector) -> None:
    states, state = [], start(wild.script.setup)
    for fact in wild.script.facts:
        state = apply(state, fact)
        states.append(state)
    for change, after in zip(wild.line.changes, [*wild.line.changes[1:], None], strict=True):
        duel = states[change.act].duel
        if duel is None or change.in_play or (after is not None and after.at_us < change.at_us + 800 * MS):
            continue
        scene = wild.scene(change.at_us + 760 * MS)
        heroes = [fighter.hero for fighter in duel.fighters if fighter.hero is not None]
        shown = [card.art for card in scene.cards]
        assert set(heroes) <= set(shown)
        hidden = sum(fighter.has_hero and fighter.hero is None for fighter in duel.fighters)
        hidden += sum(fighter.is_hidden for fighter in duel.fighters)
        assert shown.count("back") == hidden
        assert len(scene.stones) == sum(max(f.stones, 0) for f in duel.fighters if f.hero is not None)
        assert not scene.hands


def test_a_card_that_is_turned_over_stays_where_it_lies(honest: BattleDirector) -> None:
    backs: dict[tuple[float, float], int] = {}
    for change in honest.line.changes[:8]:
        for card in honest.scene(change.at_us).cards:
            place = (card.x_mm, card.y_mm)
            backs[place] = backs.get(place, 0) + (card.art != "back")
    assert any(turned for turned in backs.values())
    assert len(backs) == 4


def test_the_truth_is_json_and_of_the_same_seed_the_same() -> None:
    one, other = (_director(2, "AB", 60) for _ in range(2))
    assert json.dumps(one.truth()) == json.dumps(other.truth())
    t_us = one.line.bouts[0].begin_us + 700 * MS
    assert one.scene(t_us) == other.scene(t_us)
    assert one.scene(t_us) != _director(3, "AB", 60).scene(t_us)
    times = [t for t, _ in one.still_times()]
    assert times == sorted(times)


def test_a_picture_of_the_arena_is_read_as_its_truth_says(tmp_path: Path, honest: BattleDirector) -> None:
    write_symbols(tmp_path)
    camera = VirtualCameraModel((1920, 1080), TABLE_MM, tilt_toward_deg=188.0)
    renderer = Renderer({}, TableLook(seed=4), camera, die_symbols())
    truths = []
    for roll in honest.rolls:
        scene = replace(honest.scene(roll.wanted.settled_us + 25 * MS), cards=(), stones=(), hands=())
        truth = renderer.truth(scene)
        if roll.symbol != "blank" and len(truth["dice"]) == 2 and all(die["resting"] for die in truth["dice"]):
            truths.append(truth)
            break
    picture = renderer.render(scene, 1)
    read = DiceReader([enrol_die(tmp_path, "battle")]).read(picture, locate_table(picture, TABLE_MM)).dice
    (truth,) = truths
    assert len(read) == 2
    for die in truth["dice"]:
        (found,) = (each for each in read if math.hypot(each.x_mm - die["x"], each.y_mm - die["y"]) < 3)
        assert (found.sides, found.symbol, found.inside) == (die["sides"], die["symbol"], die["inside"])


def test_whole_pictures_have_cards_stones_and_hands_with_their_truth_beside_them(honest: BattleDirector) -> None:
    plain = np.full((88, 63, 3), 190, np.uint8)
    bout = honest.line.bouts[0]
    scene = honest.scene(bout.begin_us + 100 * MS)
    art = {card.art: plain for card in scene.cards}
    renderer = Renderer(art, TableLook(seed=4), VirtualCameraModel((640, 360), TABLE_MM), die_symbols())
    picture, truth = renderer.render(scene, 1), json.loads(json.dumps(renderer.truth(scene)))
    assert {card["card"] for card in truth["cards"] if card["face_up"]} == {c.art for c in scene.cards} - {"back"}
    assert len(truth["hands"]) == 2
    assert len(truth["stones"]) == 4
    bare = renderer.render(replace(scene, stones=()), 1)
    for stone in truth["stones"]:
        u, v = np.rint(renderer.camera.project(np.array([[stone["x"], stone["y"]]]))[0]).astype(int)
        changed = np.abs(picture[v - 2 : v + 3, u - 2 : u + 3].astype(int) - bare[v - 2 : v + 3, u - 2 : u + 3]).max()
        assert bool(changed > 40) is (stone["visible"] > 0.5)


def test_a_roll_is_written_frame_by_frame_with_its_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = VirtualTable("hoshi-battle", 4, ("A", "B"))
    plain = np.full((88, 63, 3), 190, np.uint8)
    monkeypatch.setattr(VirtualTable, "art", lambda self: dict.fromkeys((*self.cards(), "back"), plain))
    count = write_roll(table, 2, tmp_path, 15.0)
    roll = json.loads((tmp_path / "roll.json").read_text())
    times = [json.loads(path.read_text())["t_us"] for path in sorted(tmp_path.glob("0*.json"))]
    assert len(times) == count == len(list(tmp_path.glob("*.jpg")))
    assert times[0] < roll["released_us"] < roll["touched_us"] < roll["settled_us"] < times[-1] + 70 * MS
    with pytest.raises(BadInputError, match="there is no roll 9999"):
        write_roll(table, 9999, tmp_path, 15.0)
    with pytest.raises(BadInputError, match="nobody can revoke"):
        VirtualTable("hoshi-battle", 4, ("A", "B"), revoke=True).script()

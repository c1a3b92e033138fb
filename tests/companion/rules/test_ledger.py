"""What becomes of a finding: put right in time, established, ruled; and what it costs by house rule."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest

from companion.games.start import Start, builtin_start
from companion.rules.core import Level
from companion.rules.hoshizora import RULES
from companion.rules.hoshizora.facts import (
    BidRevealed,
    CardLaid,
    Colour,
    DrawingEnded,
    LineDrawn,
)
from companion.rules.ledger import Entry, GameRuling, Ledger, Life, Ruling, Verdict
from companion.rules.penalties import REPORT_ONLY, HouseRule, Penalty, PenaltyKind, penalty_for
from companion.virtual.players import CheatPlan, play_game

SEATS = ("A", "B", "C")
POINTS = HouseRule(Penalty(PenaltyKind.POINTS, 2), Level.PROVED, "FOLLOW")
FORFEIT = HouseRule(Penalty(PenaltyKind.GAME))


def ledger_of(facts, house=()) -> Ledger:
    ledger = builtin_start("hoshizora", SEATS, house=house).ledger()
    for number, fact in enumerate(facts, 1):
        ledger.add(Entry(number, fact))
    return ledger


def opening():
    """The first trick of a seeded game up to the open cards."""
    facts = play_game(builtin_start("hoshizora", SEATS).setup, 3).facts
    last = next(n for n, fact in enumerate(facts) if isinstance(fact, DrawingEnded))
    return [fact for fact in facts[: last + 1] if not isinstance(fact, LineDrawn | DrawingEnded)]


def strange_line() -> LineDrawn:
    """A line that breaks one rule in that trick."""
    state = ledger_of(opening()).state
    lines = [LineDrawn(a, b, colour) for a in range(1, 13) for b in range(a + 1, 13) for colour in Colour]
    return next(line for line in lines if [found.level for found in RULES.judge(state, line)] == [Level.ILLEGAL])


STRANGE = strange_line()


def revoking_game(house=()):
    script = play_game(builtin_start("hoshizora", SEATS).setup, 3, CheatPlan(revoke=1000, at_most=1))
    return ledger_of(script.facts, house), script.revokes[0]


def test_a_wrong_line_can_be_put_right_while_its_trick_goes_on() -> None:
    ledger = ledger_of([*opening(), STRANGE])
    (found,) = ledger.found()
    assert (found.finding.level, found.life, found.number) == (Level.ILLEGAL, Life.CORRECTABLE, len(opening()) + 1)


def test_a_line_that_was_not_drawn_can_be_drawn_until_the_next_card_lies() -> None:
    ledger = ledger_of([*opening(), DrawingEnded()])
    assert [found.life for found in ledger.found()] == [Life.CORRECTABLE]
    leader = ledger.state.leader
    ledger.add(Entry(99, CardLaid(leader)))
    assert [found.life for found in ledger.found()] == [Life.ESTABLISHED]


def test_a_revoke_that_a_later_card_proves_is_established_at_once() -> None:
    ledger, revoke = revoking_game()
    (found,) = [found for found in ledger.found() if found.finding.level is Level.PROVED]
    assert found.finding.player == revoke.player
    numbers = [entry.number for entry in ledger.entries]
    upto = ledger_of([entry.fact for entry in ledger.entries[: numbers.index(found.number) + 1]])
    assert upto.found()[-1].life is Life.ESTABLISHED


def test_a_line_taken_back_in_time_stays_on_record_as_put_right() -> None:
    ledger = ledger_of([*opening(), STRANGE])
    ledger.undo([len(ledger.entries)], as_play=True)
    (found,) = ledger.found()
    assert found.life is Life.PUT_RIGHT
    assert ledger.findings == []
    assert found.penalty == REPORT_ONLY


def test_an_act_that_never_happened_leaves_no_finding() -> None:
    ledger = ledger_of([*opening(), STRANGE])
    before = ledger_of(opening())
    ledger.undo([len(ledger.entries)])
    assert ledger.found() == ()
    assert ledger.state == before.state


def test_what_is_taken_back_too_late_is_not_put_right() -> None:
    facts = [*opening(), STRANGE, DrawingEnded()]
    ledger = ledger_of(facts)
    ledger.add(Entry(99, CardLaid(ledger.state.leader)))
    ledger.undo([len(opening()) + 1], as_play=True)
    assert Life.PUT_RIGHT not in [found.life for found in ledger.found()]


def test_a_correction_folds_the_game_anew() -> None:
    facts = [*opening(), STRANGE]
    ledger = ledger_of(facts)
    ledger.correct(len(facts), DrawingEnded())
    assert ledger.state == ledger_of([*opening(), DrawingEnded()]).state
    assert ledger.findings == ledger_of([*opening(), DrawingEnded()]).findings
    assert ledger.entries[-1].corrected


def test_numbers_that_name_nothing_change_nothing() -> None:
    ledger = ledger_of([*opening(), STRANGE])
    state, findings = ledger.state, ledger.findings
    ledger.undo([500])
    ledger.correct(500, DrawingEnded())
    assert (ledger.state, ledger.findings) == (state, findings)


def test_a_dismissed_finding_costs_nothing_and_an_upheld_one_what_was_ruled() -> None:
    ledger, _ = revoking_game((POINTS,))
    (found,) = ledger.found()
    assert (found.life, found.penalty) == (Life.ESTABLISHED, Penalty(PenaltyKind.POINTS, 2))
    assert ledger.points_off() == {found.finding.player: 2}
    ledger.rule(found.number, found.finding, Ruling(Verdict.DISMISSED, "Kim", "the card was read wrongly"))
    assert [(one.life, one.penalty) for one in ledger.found()] == [(Life.RULED, REPORT_ONLY)]
    assert ledger.points_off() == {}
    ledger.rule(found.number, found.finding, Ruling(Verdict.UPHELD, "Kim", penalty=Penalty(PenaltyKind.POINTS, 7)))
    assert ledger.points_off() == {found.finding.player: 7}


def test_a_ruling_is_on_one_finding_and_not_on_the_same_words_about_another_act() -> None:
    ledger = ledger_of([*opening(), STRANGE])
    (first,) = ledger.found()
    ledger.rule(first.number, first.finding, Ruling(Verdict.UPHELD, "Kim", penalty=Penalty(PenaltyKind.POINTS, 2)))
    ledger.undo([first.number])
    ledger.add(Entry(99, STRANGE))
    (again,) = ledger.found()
    assert again.finding == first.finding
    assert (again.life, again.ruling) == (Life.CORRECTABLE, None)
    assert ledger.points_off() == {}


def test_what_can_still_be_put_right_costs_nothing_yet() -> None:
    ledger = ledger_of([*opening(), STRANGE], (FORFEIT,))
    assert [found.penalty for found in ledger.found()] == [REPORT_ONLY]


def test_by_default_findings_are_only_reported() -> None:
    ledger, _ = revoking_game()
    assert [found.penalty for found in ledger.found()] == [REPORT_ONLY]


def test_who_lost_the_game_by_a_penalty_has_not_won_it() -> None:
    for seed in range(60):
        script = play_game(builtin_start("hoshizora", SEATS).setup, seed, CheatPlan(revoke=500))
        plain = ledger_of(script.facts).outcome()
        ledger = ledger_of(script.facts, (FORFEIT,))
        guilty = {revoke.player for revoke in script.revokes}
        assert set(ledger.outcome().winners) == set(plain.winners) - guilty
        if guilty & set(plain.winners):
            assert "by house rule" in ledger.outcome().decided_by


def test_a_referee_has_the_last_word_on_the_game() -> None:
    ledger, _ = revoking_game()
    ledger.rule_game(GameRuling(("B",), "Kim", "the others left"))
    outcome = ledger.outcome()
    assert outcome.winners == ("B",)
    assert "Kim" in outcome.decided_by
    ledger.rule_game(None)
    assert ledger.outcome() == ledger_of([entry.fact for entry in ledger.entries]).outcome()


def test_a_ruling_before_the_end_ends_the_game() -> None:
    ledger = ledger_of(opening())
    assert ledger.outcome() is None
    ledger.rule_game(GameRuling(("A", "C"), "Kim"))
    assert ledger.outcome().winners == ("A", "C")


def test_a_copy_goes_its_own_way() -> None:
    ledger = ledger_of([*opening(), STRANGE])
    other = ledger.copy()
    other.undo([len(ledger.entries)])
    other.rule_game(GameRuling(("A",), "Kim"))
    assert len(ledger.found()) == 1
    assert ledger.outcome() is None


def test_notes_and_suspicions_never_cost_anything() -> None:
    ledger, _ = revoking_game()
    finding = ledger.findings[0]
    house = (FORFEIT,)
    assert penalty_for(finding, house).kind is PenaltyKind.GAME
    for level in (Level.NOTE, Level.SUSPECT):
        assert penalty_for(replace(finding, level=level), house) == REPORT_ONLY
    assert penalty_for(replace(finding, player=None), house) == REPORT_ONLY


def test_the_first_house_rule_that_fits_counts() -> None:
    ledger, _ = revoking_game((HouseRule(Penalty(PenaltyKind.WARNING), Level.PROVED), FORFEIT))
    assert [found.penalty.kind for found in ledger.found()] == [PenaltyKind.WARNING]


@pytest.mark.parametrize(("kind", "points"), [("points", 0), ("points", 100), ("warning", 1)])
def test_a_penalty_that_can_not_be_is_refused(kind: str, points: int) -> None:
    with pytest.raises(ValueError, match="points"):
        Penalty(PenaltyKind(kind), points)


@pytest.mark.parametrize("game", ["ahuha", "shuhari", "hoshi-battle", "hoshizora"])
def test_the_moment_of_every_game_changes_from_one_trick_or_round_to_the_next(game: str, scripts) -> None:
    """Seeded whole games: it changes several times, and never less often than the number of the trick or round."""
    start: Start = builtin_start(game, ("A", "B") if game == "hoshi-battle" else SEATS)
    ledger = start.ledger()
    moments, headings = [], []
    for number, fact in enumerate(scripts(start, 5), 1):
        ledger.add(Entry(number, fact))
        moments.append(start.book.rules.moment(ledger.state))
        headings.append(start.book.heading(ledger.state))
    changes = sum(now != before for before, now in itertools.pairwise(moments))
    assert changes >= 6
    for before, now, was, heading in zip(moments, moments[1:], headings, headings[1:], strict=False):
        numbered = re.compile(r".*(round|Trick) \d+")
        assert was == heading or before != now or not (numbered.fullmatch(was) and numbered.fullmatch(heading))


def test_bids_are_a_moment_of_their_own() -> None:
    ledger, _ = revoking_game()
    facts = [entry.fact for entry in ledger.entries]
    first = next(n for n, fact in enumerate(facts) if isinstance(fact, BidRevealed))
    before, after = ledger_of(facts[:first]), ledger_of(facts[: first + 1])
    assert before.rules.moment(before.state) != after.rules.moment(after.state)

"""Mastering the arts: what a trick teaches, the learning table, the end of the game."""

from __future__ import annotations

from companion.rules.shuhari.facts import Play
from companion.rules.shuhari.settings import JointMastery, Tie
from companion.rules.shuhari.setup import ShuhariSetup
from companion.rules.shuhari.state import ARTS_TO_END, FULL, NO_ART, Learning, Played, ShuhariState, Trick

Chart = tuple[tuple[int, ...], ...]

_COUNTING = (Play.LEAD, Play.PRACTICE, Play.BREAK)


def teaches(setup: ShuhariSetup, trick: Trick, chart: Chart) -> tuple[Learning, ...]:
    """Who learns which stage of the lead suit, for each stage that was reached; nobody once the art is mastered."""
    if trick.art == NO_ART:
        return ()
    mastered = any(row[trick.art] == FULL for row in chart)
    found: list[Learning] = []
    completed = False
    for stage in range(trick.stage + 1):
        card = _learner(setup, trick, stage)
        if card is None:
            continue
        place = card.place
        boxes = chart[place][trick.art] | sum([1 << x.stage for x in found if x.place == place and x.new])
        new = not mastered and not boxes >> stage & 1
        if new and boxes | 1 << stage == FULL:
            new = not completed or setup.settings.joint_mastery is JointMastery.BOTH
            completed = True
        found.append(Learning(place, stage, new))
    return tuple(found)


def _learner(setup: ShuhariSetup, trick: Trick, stage: int) -> Played | None:
    """The card that learns a stage: the highest rank, in Detach the lowest; rests and aids count for nothing."""
    best: Played | None = None
    later_wins = setup.settings.equal_ranks is Tie.LATER
    for card in trick.cards:
        if card.stage != stage or card.play not in _COUNTING or card.rank == 0:
            continue
        if best is None or _beats(card.rank, best.rank, stage, later_wins=later_wins):
            best = card
    return best


def _beats(rank: int, best: int, stage: int, *, later_wins: bool) -> bool:
    if rank == best:
        return later_wins
    return rank < best if stage == 1 else rank > best


def with_learning(chart: Chart, art: int, learned: tuple[Learning, ...]) -> Chart:
    """The learning table with what a trick taught written into it."""
    rows = list(chart)
    for place, stage, new in learned:
        if new:
            row = rows[place]
            rows[place] = (*row[:art], row[art] | 1 << stage, *row[art + 1 :])
    return tuple(rows)


def without_learning(chart: Chart, art: int, learned: tuple[Learning, ...]) -> Chart:
    """The learning table as it was before; the reverse of `with_learning`."""
    rows = list(chart)
    for place, stage, new in learned:
        if new:
            row = rows[place]
            rows[place] = (*row[:art], row[art] & ~(1 << stage), *row[art + 1 :])
    return tuple(rows)


def ends(chart: Chart) -> bool:
    """Whether two different arts are fully mastered, by whomever."""
    return sum([FULL in boxes for boxes in zip(*chart, strict=True)]) >= ARTS_TO_END


def completed(state: ShuhariState) -> ShuhariState:
    """With the learning of a trick that is complete; the same state where it isn't, or is no longer."""
    setup, trick, chart = state.setup, state.trick, state.chart
    if trick.learned is not None:
        chart = without_learning(chart, trick.art, trick.learned)
    if trick.due is not None or counted(setup, trick) < setup.length:
        return state
    learned = teaches(setup, trick, chart)
    chart = with_learning(chart, trick.art, learned)
    return state._replace(trick=trick._replace(learned=learned), chart=chart, over=ends(chart))


def counted(setup: ShuhariSetup, trick: Trick) -> int:
    """How many of the trick's cards count towards its length."""
    if setup.settings.aids_count:
        return len(trick.cards)
    return sum([card.play is not Play.AID for card in trick.cards])

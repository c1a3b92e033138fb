"""What public acts prove about hidden hands.

Each act can claim something about the hand it came from ("no red card left"). A card that the same player shows later can
disprove the claim; a claim alone never accuses anybody. The deals of the hidden cards that agree with every claim are
counted exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

from companion.rules.core import Finding, Level


@dataclass(frozen=True, slots=True)
class Claim:
    """By an act, a player claims to hold no card of a kind any more."""

    player: str
    trick: int
    """1-based; when it was claimed."""
    kind: str
    """What the player claims not to hold, in the game's words: "red"."""
    act: str
    """The public act that makes the claim, for people: "trick 2: C played blue 5 on red"."""
    rests_on: tuple[str, ...] = ()
    """The cards whose reading it rests on; where one is in doubt, so is the claim."""
    unseen: int = 0
    """Cards that the player had parted with before without anybody seeing which; they are hidden still, yet not in the hand."""


def disproved(claims: tuple[Claim, ...], player: str, kind: str) -> tuple[Claim, ...]:
    """The claims that a card of this kind, shown by this player after them, proves false; oldest first."""
    return tuple(claim for claim in claims if claim.player == player and claim.kind == kind)


def without(claims: tuple[Claim, ...], card: str) -> tuple[Claim, ...]:
    """The claims that do not rest on a card which turned out to be in doubt."""
    return tuple(claim for claim in claims if card not in claim.rests_on)


def proved(claim: Claim, rule: str, text: str, at: int, act: str) -> Finding:
    """The finding on a false claim, with the smallest evidence: the act that claimed and the act that disproves."""
    return Finding(rule, Level.PROVED, text, claim.player, claim.trick, at, (claim.act, act))


@lru_cache(maxsize=1 << 16)
def count_deals(hidden: tuple[int, ...], slots: tuple[int, ...], most: tuple[tuple[int, ...], ...]) -> int:
    """How many ways the hidden cards can be dealt out to the hands.

    `hidden` holds the number of hidden cards of each kind (all cards are different); `slots` how many hidden cards each hand
    has; `most[hand][kind]` how many of that kind the hand can have at most. 0 where nothing agrees.
    """
    if not slots:
        return 0 if any(hidden) else 1
    if sum(hidden) != sum(slots) or min(slots) < 0:
        return 0
    return sum(ways * count_deals(rest, slots[1:], most[1:]) for ways, rest in _one_hand(hidden, slots[0], most[0]))


def _one_hand(hidden: tuple[int, ...], size: int, most: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
    """Every make-up of one hand by kinds: in how many ways it can be, and what it leaves of each kind."""
    if not hidden:
        return [(1, ())] if size == 0 else []
    found = []
    for taken in range(min(hidden[0], size, most[0]) + 1):
        ways = comb(hidden[0], taken)
        left = hidden[0] - taken
        found += [(ways * more, (left, *rest)) for more, rest in _one_hand(hidden[1:], size - taken, most[1:])]
    return found

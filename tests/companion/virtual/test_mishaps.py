"""Hands, cups and bumps come between the eyes and a table that lies as it lay."""

from __future__ import annotations

from dataclasses import replace

from companion.virtual.mishaps import with_mishaps
from companion.virtual.table import VirtualTable

STILLS = list(VirtualTable(game="shuhari", seed=1).director().stills())


def test_each_moment_is_taken_once_or_again_without_the_hand() -> None:
    taken = list(with_mishaps(STILLS, 7))
    assert sum(one.is_last for one in taken) == len(STILLS)
    moments = iter(STILLS)
    still = next(moments)
    for one in taken:
        assert replace(one.scene, hands=(), stones=(), covered_markers=frozenset()) == still.scene
        if one.is_last:
            still = next(moments, still)


def test_all_kinds_happen_and_the_same_seed_has_the_same_ones() -> None:
    taken = list(with_mishaps(STILLS, 7))
    assert taken == list(with_mishaps(STILLS, 7))
    assert taken != list(with_mishaps(STILLS, 8))
    assert any(one.scene.hands and one.is_last for one in taken)
    assert any(one.scene.hands and not one.is_last for one in taken)
    assert any(one.scene.covered_markers for one in taken)
    assert any(one.scene.stones for one in taken)
    assert any(one.is_bumped for one in taken)
    assert not all(one.is_bumped for one in taken)
    assert all(len(one.scene.covered_markers) <= 1 for one in taken)


def test_no_hand_rests_on_the_table_in_the_end() -> None:
    """A game's last card would stay unseen for good."""
    for seed in range(100):
        *_, last = with_mishaps(STILLS[-2:], seed)
        assert not last.scene.hands

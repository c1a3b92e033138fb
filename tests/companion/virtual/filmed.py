"""What holds of every game's film: it shows the stills, and nothing on the table changes without a hand."""

from __future__ import annotations

from itertools import groupby, pairwise

from companion.virtual.table import VirtualTable


def shows_every_still_hands_off(table: VirtualTable) -> None:
    """The film comes to rest in each still, in their order, long enough to settle."""
    director = table.director()
    spells = [
        scene
        for scene, run in groupby(shown.scene for shown in director.film())
        if not scene.hands and len(list(run)) / table.timing.fps >= 0.8
    ]
    reached = 0
    for still in director.stills():
        while spells[reached] != still.scene:
            reached += 1


def changes_by_hands_alone(table: VirtualTable) -> None:
    """Between two pictures without a hand nothing differs."""
    for before, after in pairwise(shown.scene for shown in table.director().film()):
        assert before == after or before.hands or after.hands

"""A die tried on itself: faces that look alike are named, and pictures that show another face than they are said to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.dice.enrolled import BLANK, EnrolledDie, EnrolledFace
from vision.dice.faces import Symbol, symbol_of_picture
from vision.dice.selftest import Misread, alike_faces, misread
from vision.dice.taking import Taken, take_die

from .conftest import MARKS, Arena, flat_picture


def known(mark: str, turn: int = 0) -> Symbol:
    symbol = symbol_of_picture(np.ascontiguousarray(np.rot90(flat_picture(mark), turn)))
    assert symbol is not None
    return symbol


def die(**faces: Symbol) -> EnrolledDie:
    named = tuple(EnrolledFace(name, (symbol,)) for name, symbol in faces.items())
    return EnrolledDie("tried", 8, (*named, EnrolledFace(BLANK, ())))


def test_different_symbols_are_not_alike_and_the_same_one_turned_is() -> None:
    assert alike_faces(die(**{mark: known(mark) for mark in MARKS})) == ()
    (pair,) = alike_faces(die(up=known("wedge"), down=known("wedge", 2), plus=known("plus")))
    assert (pair.a, pair.b) == ("up", "down")


def test_a_picture_named_wrongly_or_twice_is_told(arena: Arena) -> None:
    arena.die(205.0, 130.0, 19.0, 0.7, (60, 40, 190), "plus")
    taken = take_die(arena.finished(), 8)
    assert isinstance(taken, Taken)
    whole = die(**{mark: known(mark) for mark in MARKS})
    assert misread(whole, [("plus", "plus", taken.picture)]) == ()
    assert misread(whole, [("wedge-2", "wedge", taken.picture)]) == (Misread("wedge-2", "wedge", "plus"),)
    twice = replace(whole, faces=(*whole.faces, EnrolledFace("cross", (known("plus"),))))
    assert misread(twice, [("plus", "plus", taken.picture)]) == (Misread("plus", "plus", None),)

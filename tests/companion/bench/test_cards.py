"""Shots go through the whole look, and what a reader says is held against the renderer's truth alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.bench.cards import Shot, measure
from companion.bench.cards_tally import ShownCard
from companion.bench.drawn import hard, styles
from companion.bench.misses import MissFolder
from companion.errors import BadInputError
from vision.cards import CardReader
from vision.look import ReadsCards
from vision.observation import CardReading, Face

Take = Callable[..., Shot]
Said = Callable[..., CardReading]
Answering = Callable[..., ReadsCards]
CARDS = (("no-16", 200.0, 200.0, 20.0), ("back", 330.0, 200.0, 5.0), ("no-09", 460.0, 210.0, 190.0))


@pytest.fixture(scope="module")
def shot(take: Take) -> Shot:
    return take(*CARDS)


def test_a_deliberately_wrong_reader_is_counted_as_wrong(shot: Shot, said: Said, answering: Answering) -> None:
    first, back, last = shot.shown
    wrong = answering(said(first, "no-18"), said(back, "no-01"), said(last, None, Face.DOWN))
    line = measure(iter([shot]), lambda _: wrong).line("test")
    assert (line["found"], line["wrong"]) == (3, 3)
    assert (line["identity_right"], line["orientation_right"], line["face_down_right"]) == (0, 0, 0)


def test_a_reader_that_turns_cards_round_and_invents_some_is_found_out(
    shot: Shot, said: Said, answering: Answering
) -> None:
    first, back, last = shot.shown
    nowhere = replace(said(first, "no-03"), x_mm=600.0, y_mm=350.0)
    told = answering(said(first, "no-16", turn=180), said(back, None, Face.DOWN), said(last, "no-09"), nowhere)
    line = measure(iter([shot]), lambda _: told).line("test")
    assert (line["identity_right"], line["orientation_right"], line["turned"]) == (2, 1, 1)
    assert (line["face_down_right"], line["wrong"], line["invented"]) == (1, 0, 1)


def test_the_real_reader_reads_a_plain_table(shot: Shot) -> None:
    line = measure(iter([shot]), CardReader).line("test")
    assert (line["detection"], line["identity"], line["orientation"], line["face_down"]) == (1.0, 1.0, 1.0, 1.0)
    assert (line["wrong"], line["invented"]) == (0, 0)
    assert 0 < line["ms"] <= line["look_ms"]


def test_a_picture_without_a_table_is_lost(shot: Shot) -> None:
    dark = replace(shot, image=np.zeros_like(shot.image))
    assert measure(iter([dark])).line("test")["lost"] == 1


@pytest.mark.parametrize("make", [hard, styles])
def test_a_drawn_set_follows_from_its_seed(make: Callable[[int, int], object]) -> None:
    one, same = list(make(1, 8)), list(make(1, 8))  # type: ignore[call-overload]
    assert [shot.shown for shot in one] == [shot.shown for shot in same]
    assert all(np.array_equal(a.image, b.image) for a, b in zip(one, same, strict=True))
    assert [shot.shown for shot in one] != [shot.shown for shot in make(1, 9)]  # type: ignore[attr-defined]


def test_the_truth_lies_where_the_picture_shows_the_card(shot: Shot) -> None:
    """Cut out by its true corners, a card is its own print and no other's."""
    from companion.bench.drawn import drawn_deck

    art = drawn_deck("digits").art
    for card in shot.shown:
        flat = np.array([(0, 0), (118, 0), (118, 172), (0, 172)], np.float32)
        cut = cv2.warpPerspective(
            shot.image, cv2.getPerspectiveTransform(np.array(card.corners_px, np.float32), flat), (118, 172)
        )
        gaps = {
            name: float(np.abs(cv2.resize(picture, (118, 172), interpolation=cv2.INTER_AREA).astype(int) - cut).mean())
            for name, picture in art.items()
        }
        assert min(gaps, key=gaps.__getitem__) == (card.card or "back")


def test_misses_are_kept_as_pictures_with_what_was_read(
    shot: Shot, said: Said, answering: Answering, tmp_path: Path
) -> None:
    first = shot.shown[0]
    candidates = (("no-18", 0.9), ("no-16", 0.2))
    told = answering(replace(said(first, "no-18"), candidates=candidates))
    folder = MissFolder(tmp_path / "misses", "test")
    measure(iter([shot]), lambda _: told, folder.keep)
    lines = [json.loads(line) for line in (tmp_path / "misses" / "test.jsonl").read_text().splitlines()]
    assert [(line["card"], line["fault"]) for line in lines] == [
        ("no-16", "wrong"),
        ("back", "unseen"),
        ("no-09", "unseen"),
    ]
    assert lines[0]["read"] == "no-18"
    assert lines[0]["candidates"] == [["no-18", 0.9], ["no-16", 0.2]]
    cut = cv2.imread(str(tmp_path / "misses" / lines[0]["file"]))
    assert cut.shape[0] > cut.shape[1] > 200
    # White paper in the middle of a card on dark felt.
    assert cut[60:80, 100:200].mean() > cut[2:20].mean() + 50


def test_a_folder_for_misses_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="--misses"):
        MissFolder(tmp_path / "file" / "below", "test")


def test_a_truth_files_card_is_a_shown_card() -> None:
    truth = {"card": "sirius", "face_up": True, "x": 142, "y": 70.7, "angle": 6.1, "visible": 0.85}
    card = ShownCard.of({**truth, "corners_px": [[1, 2], [3, 4], [5, 6], [7, 8]]})
    assert (card.card, card.x_mm, card.angle_deg, card.visible) == ("sirius", 142.0, 6.1, 0.85)

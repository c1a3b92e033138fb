"""Enrolment: what a directory of scans gives, what it refuses, and a cache that nothing can spoil."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from drawn_cards import Image, draw_back, draw_number, draw_picture

from companion.commands.enrol import enrol
from vision.cards import enrol_deck
from vision.cards.confusable import confusable_pairs
from vision.cards.store import install_deck, resolve_deck
from vision.errors import BadDeckScansError


def write(folder: Path, scans: dict[str, Image]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, scan in scans.items():
        cv2.imwrite(str(folder / name), scan)
    return folder


def test_ids_are_file_stems_and_backs_are_no_cards(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a.png": draw_picture(1), "b.jpg": draw_picture(2), "back.png": draw_back()})
    deck = enrol_deck(folder, "mine")
    assert (deck.name, deck.cards, deck.has_back, deck.warnings) == ("mine", ("a", "b"), True, ())


def test_a_deck_without_a_back_warns(tmp_path: Path) -> None:
    deck = enrol_deck(write(tmp_path, {"only.png": draw_picture(1)}))
    assert deck.cards == ("only",)
    assert "no back.png" in deck.warnings[0]
    assert enrol_deck(tmp_path).warnings == deck.warnings


@pytest.mark.parametrize("kind", ["grey", "16 bit", "transparent"])
def test_scans_of_other_pixel_kinds(tmp_path: Path, kind: str) -> None:
    scan = draw_picture(1)
    picture = {
        "grey": cv2.cvtColor(scan, cv2.COLOR_BGR2GRAY),
        "16 bit": scan.astype(np.uint16) * 257,
        "transparent": cv2.cvtColor(scan, cv2.COLOR_BGR2BGRA),
    }[kind]
    cv2.imwrite(str(tmp_path / "a.png"), picture)
    assert enrol_deck(tmp_path).references[0].picture.shape[2] == 3


def test_bad_directories_and_scans_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadDeckScansError, match="no such directory"):
        enrol_deck(tmp_path / "absent")
    with pytest.raises(BadDeckScansError, match="no scans"):
        enrol_deck(tmp_path)
    (tmp_path / "broken.png").write_bytes(b"not a picture")
    with pytest.raises(BadDeckScansError, match=r"broken\.png.*not a readable picture"):
        enrol_deck(tmp_path)
    (tmp_path / "broken.png").write_bytes(b"")
    with pytest.raises(BadDeckScansError, match=r"broken\.png"):
        enrol_deck(tmp_path)


def test_a_square_scan_is_no_card_and_two_scans_of_one_id_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.png": np.zeros((500, 500, 3), np.uint8)})
    with pytest.raises(BadDeckScansError, match=r"a\.png.*63 x 88"):
        enrol_deck(tmp_path)
    write(tmp_path, {"a.png": draw_picture(1), "a.jpg": draw_picture(1)})
    with pytest.raises(BadDeckScansError, match="both scans of a"):
        enrol_deck(tmp_path)


def test_the_cache_is_used_and_a_spoilt_one_is_replaced(tmp_path: Path, own_cache: Path) -> None:
    folder = write(tmp_path, {"a.png": draw_picture(31), "back.png": draw_back()})
    seen: list[str] = []
    first = enrol_deck(folder, progress=lambda _done, _total, name: seen.append(name))
    entry = own_cache / "cache" / "decks" / f"{first.digest}.npz"
    kept = enrol_deck(folder, progress=lambda _done, _total, name: seen.append(name))
    assert seen == ["a.png", "back.png"]
    assert np.array_equal(kept.references[0].picture, first.references[0].picture)
    for spoilt in (b"", b"nonsense", entry.read_bytes()[: entry.stat().st_size // 2]):
        entry.write_bytes(spoilt)
        assert enrol_deck(folder).cards == ("a",)
        assert entry.stat().st_size > 1000
    assert not list(entry.parent.glob("*.part"))


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "scans", {"a.png": draw_picture(1)})
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("HOSHIBAN_CACHE", str(blocked))
    assert enrol_deck(folder).cards == ("a",)


def test_changed_scans_are_another_deck(tmp_path: Path) -> None:
    before = enrol_deck(write(tmp_path, {"a.png": draw_picture(1)}))
    after = enrol_deck(write(tmp_path, {"a.png": draw_picture(2)}))
    assert before.digest != after.digest


def test_confusable_cards_are_reported_with_what_separates_them(tmp_path: Path) -> None:
    face = draw_picture(5)
    marked = face.copy()
    cv2.circle(marked, (420, 640), 30, (0, 0, 0), -1)
    deck = enrol_deck(write(tmp_path, {"a.png": face, "b.png": marked, "c.png": draw_number("3", (0, 0, 200))}))
    (pair,) = confusable_pairs(deck)
    assert (pair.first, pair.second) == ("a", "b")
    x, y, width, height = pair.where_mm
    assert x <= 420 / 8 <= x + width
    assert y <= 640 / 8 <= y + height


def test_a_pair_that_is_alike_upside_down_is_found_once(tmp_path: Path) -> None:
    face = draw_picture(5)
    other = cv2.rotate(face, cv2.ROTATE_180)
    cv2.circle(other, (80, 90), 30, (0, 0, 0), -1)
    deck = enrol_deck(write(tmp_path, {"a.png": face, "b.png": other}))
    (pair,) = confusable_pairs(deck)
    assert (pair.first, pair.second, pair.turned) == ("a", "b", True)
    # On card a the spot lies half a turn away from where b has it.
    x, y, width, height = pair.where_mm
    assert x <= 63 - 80 / 8 <= x + width
    assert y <= 88 - 90 / 8 <= y + height
    assert pair.where.startswith("at the bottom right")
    assert "b upside down" in str(pair)


def test_what_separates_two_landscape_cards_is_told_in_their_own_frame(tmp_path: Path) -> None:
    face = cv2.rotate(draw_picture(5), cv2.ROTATE_90_CLOCKWISE)
    marked = face.copy()
    cv2.circle(marked, (600, 60), 30, (0, 0, 0), -1)
    (pair,) = confusable_pairs(enrol_deck(write(tmp_path, {"a.png": face, "b.png": marked})))
    x, y, width, height = pair.where_mm
    assert x <= 600 / 8 <= x + width
    assert y <= 60 / 8 <= y + height
    assert pair.where.startswith("at the top right")


def test_pictures_of_one_face_and_several_backs_are_no_confusable_pairs(tmp_path: Path) -> None:
    face = draw_picture(5)
    worn = cv2.GaussianBlur(face, (0, 0), 2)
    backs = {"back.png": draw_back(), "back-worn.png": draw_back(), "back@2.jpg": draw_back()}
    deck = enrol_deck(write(tmp_path, {"a.png": face, "a@worn.png": worn, **backs}))
    assert deck.cards == ("a",)
    assert [reference.card for reference in deck.references] == ["a", "a", None, None, None]
    assert confusable_pairs(deck) == ()


def test_a_card_whose_id_ends_in_a_number_is_a_card_of_its_own(tmp_path: Path) -> None:
    scans = {"a.png": draw_picture(1), "a-2.png": draw_picture(2), ".a-3.png": draw_picture(3)}
    assert enrol_deck(write(tmp_path, scans)).cards == ("a", "a-2")


def test_the_size_of_a_card_is_told_by_its_deck_file(tmp_path: Path) -> None:
    scan = cv2.resize(draw_picture(1), (590, 860))
    write(tmp_path, {"a.png": scan})
    (tmp_path / "deck.toml").write_text('game = "ahuha"\ncard_mm = [59, 86]\n')
    assert resolve_deck(tmp_path).size_mm == (59.0, 86.0)
    result = CliRunner().invoke(enrol, [str(tmp_path), "--deck", "slim"])
    assert '"size_mm": [59.0, 86.0]' in result.stdout
    assert resolve_deck("slim").size_mm == (59.0, 86.0)
    for bad in ("[59]", '"59x86"', "[0, 86]", "[59, true]", "[nan, 86]", "59"):
        (tmp_path / "deck.toml").write_text(f"card_mm = {bad}\n")
        with pytest.raises(BadDeckScansError, match=r"deck\.toml: card_mm: must be"):
            resolve_deck(tmp_path)


def test_the_report_frames_what_separates_two_cards(tmp_path: Path) -> None:
    marked = draw_picture(5)
    cv2.circle(marked, (420, 640), 30, (0, 0, 0), -1)
    folder = write(tmp_path / "scans", {"<a>.png": draw_picture(5), "b.png": marked})
    result = CliRunner().invoke(enrol, [str(folder), "--deck", "pair", "--report", str(tmp_path / "out.html")])
    assert result.exit_code == 0
    page = (tmp_path / "out.html").read_text("utf-8")
    assert page.count("data:image/jpeg;base64,") == 2
    assert "&lt;a&gt;" in page
    assert "<a>" not in page


def test_a_named_deck_outlives_its_folder_and_keeps_its_size(tmp_path: Path) -> None:
    folder = write(tmp_path / "scans", {"a.png": draw_picture(1), "back.png": draw_back()})
    small = (44.0, 44.0 * 88 / 63)
    install_deck(folder, "mini", small)
    for path in folder.iterdir():
        path.unlink()
    deck = resolve_deck("mini")
    assert (deck.name, deck.cards) == ("mini", ("a",))
    assert deck.size_mm == pytest.approx(small)
    with pytest.raises(BadDeckScansError, match=r"maxi.*enrolled are mini"):
        resolve_deck("maxi")
    with pytest.raises(BadDeckScansError, match="letters"):
        install_deck(folder, "../x", small)


def test_enrol_prints_one_line_for_programs_and_words_for_people(tmp_path: Path) -> None:
    folder = write(tmp_path / "scans", {"a.png": draw_picture(1)})
    result = CliRunner().invoke(enrol, [str(folder), "--deck", "lone"])
    assert result.exit_code == 0
    assert '"cards": 1' in result.stdout
    assert "no back.png" in result.stderr
    assert "%" not in result.stderr, "a bar belongs on a terminal only"
    assert resolve_deck("lone").cards == ("a",)
    assert (Path(os.environ["HOSHIBAN_DATA"]) / "decks" / "lone" / "a.png").is_file()

"""`hoshiban pad` as a user runs it, against a stand-in pad that speaks the real protocol."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.pad.messages import EventKind
from hardware.virtual.pad import VirtualPad


@pytest.fixture
def pad(tmp_path: Path) -> Iterator[VirtualPad]:
    with VirtualPad(tmp_path / "pad") as pad:
        yield pad


def test_list_says_which_port_is_a_pad(program, pad: VirtualPad, tmp_path: Path) -> None:
    done = program.run("pad", "list", pad.path, tmp_path / "none")
    assert done.returncode == 0
    lines = {line["port"]: line for line in program.events(done)}
    assert lines[str(pad.path)]["pad"] is True
    assert lines[str(pad.path)]["firmware"] == "0.0.1"
    assert lines[str(tmp_path / "none")] | {"text": ""} == {
        "port": str(tmp_path / "none"),
        "name": str(tmp_path / "none"),
        "description": "",
        "usb": None,
        "state": "searching",
        "pad": False,
        "firmware": None,
        "text": "",
    }
    assert "a contact pad, firmware 0.0.1" in done.stderr


def test_list_ends_with_1_where_no_pad_is(program, tmp_path: Path) -> None:
    done = program.run("pad", "list", tmp_path / "none")
    assert done.returncode == 1
    assert "there is no such port; plug the pad in" in done.stderr


def test_watch_prints_every_event_with_the_hosts_time(program, pad: VirtualPad) -> None:
    running = program.start("pad", "watch", "--port", pad.path)
    lines = []
    for line in running.stdout:
        lines.append(json.loads(line))
        if lines[-1].get("state") == "ready":
            before = time.monotonic_ns()
            pad.touch(at_ns=before)
        if lines[-1]["event"] == "contact-released":
            break
    running.send_signal(signal.SIGINT)
    assert running.wait(20) == 0
    running.stdout.close()
    assert running.stderr.read() == ""
    running.stderr.close()
    touch = next(line for line in lines if line["event"] == "contact-made")
    truth = next(one for one in pad.truth if one.kind == EventKind.CONTACT)
    assert (touch["ring"], touch["seq"]) == (truth.ring, truth.seq)
    assert abs(touch["t_ns"] - before) <= touch["bound_ns"]
    assert touch["channel"] == "contact"
    assert [line["state"] for line in lines if line["event"] == "state"] == ["connecting", "ready"]


def test_watch_ends_by_itself_and_waits_for_a_pad_that_is_not_there(program, tmp_path: Path) -> None:
    done = program.run("pad", "watch", "--port", tmp_path / "none", "--seconds", 0.5)
    assert done.returncode == 0
    (line,) = program.events(done)
    assert (line["event"], line["state"]) == ("state", "searching")


def test_watch_says_once_a_second_how_the_link_does(program, pad: VirtualPad) -> None:
    done = program.run("pad", "watch", "--port", pad.path, "--seconds", 2.5, "--stats")
    lines = [line for line in done.stderr.splitlines() if "clock_error=" in line]
    assert len(lines) >= 2
    assert "ready sent=" in lines[-1]


def test_test_says_in_words_that_all_is_well(program, pad: VirtualPad) -> None:
    done = program.run("pad", "test", "--port", pad.path)
    assert done.returncode == 0, done.stderr
    assert "all is well" in done.stderr
    (line,) = program.events(done)
    assert line["failed"] == []
    assert line["measures"]["supply"] == 4980
    assert line["clock_bound_us"] > 0


def test_test_names_what_failed_and_ends_with_1(program, pad: VirtualPad) -> None:
    pad.fail_checks(0b1000001)
    done = program.run("pad", "test", "--port", pad.path)
    assert done.returncode == 1
    assert program.events(done)[0]["failed"] == ["sense-1", "piezo"]
    assert "sense-1 failed" in done.stderr


def test_settings_are_shown_with_their_ranges(program, pad: VirtualPad) -> None:
    done = program.run("pad", "settings", "show", "--port", pad.path)
    assert done.returncode == 0
    assert program.events(done)[0] == {
        "setting": "contact-dwell",
        "value": 5000,
        "unit": "us",
        "least": 500,
        "most": 50000,
        "default": 5000,
    }
    assert len(program.events(done)) == len(pad.settings)


def test_a_setting_is_set_saved_and_put_back(program, pad: VirtualPad) -> None:
    done = program.run("pad", "settings", "set", "contact-dwell", 8000, "--save", "--port", pad.path)
    assert done.returncode == 0
    assert pad.settings[0] == 8000
    pad.unplug(power=False)
    pad.replug()
    assert pad.settings[0] == 8000
    assert program.run("pad", "settings", "defaults", "--port", pad.path).returncode == 0
    assert pad.settings[0] == 5000


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("set", "dwell", 5), "'dwell' is no setting of this pad; it has contact-dwell, "),
        (("set", "contact-dwell", 5), "contact-dwell: 5 is out of range; it may be 500 to 50000 us"),
    ],
)
def test_a_setting_that_can_not_be_is_told_in_one_line(program, pad: VirtualPad, words: tuple, line: str) -> None:
    done = program.run("pad", "settings", *words, "--port", pad.path)
    assert done.returncode == 2
    assert line in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert pad.settings[0] == 5000


def test_the_contact_level_is_found_from_the_hands(program, pad: VirtualPad) -> None:
    done = program.run("pad", "settings", "calibrate", "touching", "--port", pad.path)
    assert done.returncode == 0
    assert program.events(done) == [{"hands": "touching", "level_mv": 1750}]


def test_a_port_without_a_pad_is_told_in_one_line(program, tmp_path: Path) -> None:
    done = program.run("pad", "test", "--port", tmp_path / "none")
    assert done.returncode == 2
    assert (
        done.stderr
        == f"hoshiban: {tmp_path / 'none'}: there is no such port; plug the pad in, and see `hoshiban pad list`\n"
    )


def test_the_profile_names_the_port(program, pad: VirtualPad, tmp_path: Path) -> None:
    profile = tmp_path / "table.toml"
    profile.write_text(f'[table]\nwidth_mm = 700\nheight_mm = 420\n[pad]\nport = "{pad.path}"\n', "utf-8")
    done = program.run("pad", "settings", "show", "--profile", profile)
    assert done.returncode == 0
    assert len(program.events(done)) == len(pad.settings)


def test_flash_prints_what_it_would_do(program) -> None:
    done = program.run("pad", "flash", "--dry-run", "--board", "nano-old", "--port", "/dev/ttyUSB0")
    assert done.returncode == 0
    (line,) = program.events(done)
    assert line["command"][:9] == ["avrdude", "-p", "m328p", "-c", "arduino", "-b", "57600", "-P", "/dev/ttyUSB0"]
    assert line["command"][-1].endswith("pad-328p.hex:i")


def test_flash_without_a_port_or_a_firmware_says_what_is_missing(program, tmp_path: Path) -> None:
    assert "give --port" in program.run("pad", "flash").stderr
    done = program.run("pad", "flash", "--port", "/dev/ttyUSB0", "--hex", tmp_path / "none.hex")
    assert done.returncode == 2
    assert "there is no such firmware; build it" in done.stderr


def test_flash_without_avrdude_says_how_to_get_it(program, tmp_path: Path) -> None:
    (tmp_path / "pad.hex").write_text(":00000001FF\n")
    program.environment["PATH"] = str(tmp_path)
    done = program.run("pad", "flash", "--port", "/dev/ttyUSB0", "--hex", tmp_path / "pad.hex")
    assert done.returncode == 2
    assert "sudo apt install avrdude" in done.stderr

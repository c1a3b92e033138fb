"""Both images build from nothing without a warning, fit their chips, and the build says what they need."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

RAM_BYTES = 2048
FLASH_BYTES = 30720
"""Of the ATmega328P without the largest boot loader."""
STACK_BYTES = 64
"""Must be left over beyond the deepest that was ever seen."""
LONGEST_INTERRUPT_US = 25


@pytest.fixture(scope="module")
def told(firmware: Path, simulator: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("firmware")
    done = subprocess.run(
        ["make", "-C", firmware, f"BUILD={folder}"], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_both_images_fit_their_chips(told: str) -> None:
    sizes = re.findall(r"(pad-\w+): flash (\d+) bytes, RAM (\d+) bytes", told)

    assert {name for name, _, _ in sizes} == {"pad-328p", "pad-32u4"}
    assert all(int(flash) <= FLASH_BYTES and int(ram) < RAM_BYTES for _, flash, ram in sizes)


def test_the_longest_interrupt_leaves_room_for_a_stamp_within_50_us(told: str) -> None:
    found = re.search(
        r"longest interrupt \d+ cycles \(([\d.]+) us\), an edge waits at most \d+ cycles \(([\d.]+) us\)", told
    )

    assert found
    assert 0 < float(found[1]) <= LONGEST_INTERRUPT_US
    assert 0 < float(found[2]) <= LONGEST_INTERRUPT_US


def test_the_stack_does_not_come_near_the_variables(told: str) -> None:
    found = re.search(r"(\d+) bytes of RAM never touched", told)

    assert found
    assert int(found[1]) >= STACK_BYTES


def test_no_electrode_carries_ten_microamperes(told: str) -> None:
    found = re.search(r"at most ([\d.]+) uA through an electrode", told)

    assert found
    assert 0 < float(found[1]) < 10


def test_the_sources_pass_a_checker(firmware: Path) -> None:
    if shutil.which("cppcheck") is None:
        pytest.skip("needs cppcheck")
    options = [
        "--enable=warning,performance,portability",
        "--inline-suppr",
        "--error-exitcode=1",
        "--std=c11",
        "--quiet",
    ]

    done = subprocess.run(["cppcheck", *options, firmware / "src"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr

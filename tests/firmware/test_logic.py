"""The firmware's logic on this computer, under the address and undefined-behaviour sanitizers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

LOGIC = Path(__file__).parent / "logic"
ROUNDS = 300_000


@pytest.mark.parametrize("name", sorted(path.stem for path in LOGIC.glob("test_*.c")))
def test_logic(logic_programs: Path, name: str) -> None:
    done = subprocess.run([logic_programs / name], capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_noise_into_the_frame_reader(logic_programs: Path, seed: int) -> None:
    fuzz = [logic_programs / "fuzz_frame", str(ROUNDS), str(seed)]
    done = subprocess.run(fuzz, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stderr


@pytest.mark.soak
def test_noise_that_a_fuzzer_finds(firmware: Path, tmp_path: Path) -> None:
    if shutil.which("clang") is None:
        pytest.skip("needs clang with libFuzzer")
    sources = [LOGIC / "fuzz_frame.c", firmware / "src" / "frame.c"]
    fuzz = tmp_path / "fuzz"
    flags = ["-DFUZZER", "-g", "-O1", "-fsanitize=fuzzer,address,undefined", f"-I{firmware / 'src'}", f"-I{LOGIC}"]
    subprocess.run(["clang", *flags, *sources, "-o", fuzz], check=True)

    done = subprocess.run(
        [fuzz, "-runs=5000000", "-seed=1", "-max_len=80"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr

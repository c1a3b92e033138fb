"""How much memory the whole service takes while it watches 1920x1080 pictures: JSON lines, one a sample, the highest last.

    .venv/bin/python tests/benchmarks/memory.py

`rss_mb` adds up what every process has resident, shared libraries counted in each; `pss_mb` counts shared pages once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("hoshiban")
PORT = 8791


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        game = Path(folder) / "game"
        subprocess.run([PROGRAM, "virtual", "render", game, "--size", "1920x1080"], check=True, capture_output=True)
        words = ["serve", "--camera", game, "--game", "hoshizora", "--players", "A,B,C", "--table", "700x420"]
        words += ["--deck", game / "deck", "--layout", game / "layout.toml", "--port", str(PORT), "--pace", "0.5"]
        service = subprocess.Popen(
            [PROGRAM, *words], env={**os.environ, "HOSHIBAN_DATA": folder}, stderr=subprocess.DEVNULL
        )
        try:
            samples = [sample for _ in range(12) if (sample := measured(service.pid))]
        finally:
            service.terminate()
            service.wait(30)
    print(
        json.dumps(
            {"highest_rss_mb": max(s["rss_mb"] for s in samples), "highest_pss_mb": max(s["pss_mb"] for s in samples)}
        )
    )


def measured(parent: int) -> dict[str, float]:
    time.sleep(2.5)
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    sizes = [size for pid in (parent, *map(int, listed.stdout.split())) if (size := memory_of(pid))]
    line = {
        "processes": len(sizes),
        "rss_mb": round(sum(s[0] for s in sizes), 1),
        "pss_mb": round(sum(s[1] for s in sizes), 1),
    }
    print(json.dumps(line), flush=True)
    return line


def memory_of(pid: int) -> tuple[float, float] | None:
    """Resident and proportional size, MB; None for a process that is gone."""
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]
    except (OSError, ProcessLookupError):
        return None
    sizes = {row.split(":")[0]: int(row.split()[1]) / 1024 for row in rows}
    return sizes["Rss"], sizes["Pss"]


if __name__ == "__main__":
    main()

"""How long a fact takes from hand-in to acknowledged: one after the other, and from many threads at once.

Run: python tests/benchmarks/journal.py [DIR]; prints one JSON line. DIR decides the disk that is measured.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from pathlib import Path

from companion.journal import EventKind, Journal, NewEvent

GAME = "bench"
PAYLOAD = {
    "fact": "card-revealed",
    "seat": "A",
    "card": "red-7",
    "observations": [{"id": 1_000_000_000 + n, "sha256": "0" * 64} for n in range(3)],
}


def fact_and_finding() -> list[NewEvent]:
    return [
        NewEvent(EventKind.FACT, GAME, PAYLOAD, 5),
        NewEvent(EventKind.FINDING, GAME, {"rule": "x", "level": "note"}),
    ]


def timed_ms(journal: Journal, times: int) -> list[float]:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        journal.append(fact_and_finding()).wait()
        taken.append((time.perf_counter() - begun) * 1000)
    return taken


def spread(taken: list[float]) -> dict[str, float]:
    ordered = sorted(taken)
    return {name: round(ordered[int(len(ordered) * q)], 3) for name, q in (("p50_ms", 0.5), ("p99_ms", 0.99))}


def crowd(journal: Journal, size: int, times: int) -> tuple[list[float], float]:
    taken: list[float] = []
    threads = [threading.Thread(target=lambda: taken.extend(timed_ms(journal, times))) for _ in range(size)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken, size * times / (time.perf_counter() - begun)


def main() -> None:
    parent = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=parent) as folder, Journal.open(Path(folder) / "journal.db") as journal:
        journal.append([NewEvent(EventKind.GAME_STARTED, GAME, {"game": "hoshizora", "seats": []})]).wait()
        timed_ms(journal, 50)
        alone = timed_ms(journal, 500)
        together, rate = crowd(journal, 200, 10)
        begun = time.perf_counter()
        events = tuple(journal.events(GAME, after=0))
        read_ms = (time.perf_counter() - begun) * 1000
        begun = time.perf_counter()
        result = journal.verify(GAME)
        verify_ms = (time.perf_counter() - begun) * 1000
        print(
            json.dumps(
                {
                    "single": spread(alone),
                    "concurrent_200": spread(together) | {"calls_per_s": round(rate)},
                    "events": len(events),
                    "read_us_an_event": round(read_ms * 1000 / len(events), 1),
                    "verify_us_an_event": round(verify_ms * 1000 / len(events), 1),
                    "ok": result.ok,
                }
            )
        )


if __name__ == "__main__":
    main()

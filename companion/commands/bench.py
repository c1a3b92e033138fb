"""`hoshiban bench cards`: how well cards are read, set by set."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
import cv2

SETS = ("footage", "game", "hard")


@click.group()
def bench() -> None:
    """Measure the eyes on pictures whose truth is known."""


@bench.command()
@click.option(
    "--set",
    "sets",
    multiple=True,
    type=click.Choice(SETS),
    help="Which pictures; all unless told. May be given several times.",
)
@click.option("--pictures", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Of each drawn set.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same pictures.")
@click.option(
    "--shared",
    metavar="DIR",
    default=None,
    type=click.Path(path_type=Path),
    help="The folder that holds footage/ and decks/; ../shared beside the checkout unless told.",
)
@click.option(
    "--misses",
    metavar="DIR",
    default=None,
    type=click.Path(path_type=Path, file_okay=False),
    help="Write a cut-out of each card that was not read right.",
)
def cards(sets: tuple[str, ...], pictures: int, seed: int, shared: Path | None, misses: Path | None) -> None:
    """Show sets of pictures to the card reader and print a JSON line a set.

    A set's line counts cards at least half in sight: found at their place, named right, turned right (within 3 degrees and the
    right way up), face down told; then the same of cards between a third and a half in sight; wrong ids above the acting
    threshold; readings where no card lies; milliseconds of one thread a picture.
    """
    from companion.bench import cards as bench_cards
    from companion.bench.misses import MissFolder

    cv2.setNumThreads(1)
    folder = shared if shared is not None else Path(__file__).resolve().parents[3] / "shared"
    wanted = [name for name in SETS if not sets or name in sets]
    makers = {
        "footage": lambda: bench_cards.footage(folder),
        "game": lambda: bench_cards.game(folder),
        "hard": lambda: bench_cards.hard(pictures, seed),
    }
    for name in wanted:
        kept = MissFolder(misses, name) if misses is not None else None
        tally = bench_cards.measure(makers[name](), on_misses=kept.keep if kept is not None else None)
        line = tally.line(name)
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
        _tell(line)


def _tell(line: dict[str, Any]) -> None:
    third = line["third"]
    sys.stderr.write(
        f"{line['set']}: {line['pictures']} pictures, {line['cards']} cards: {_percent(line['detection'])} found, "
        f"{_percent(line['identity'])} named, {_percent(line['orientation'])} turned right, "
        f"{_percent(line['face_down'])} of {line['down']} face down; {line['wrong']} wrong, {line['invented']} invented; "
        f"{third['cards']} mostly covered: {_percent(third['identity'])} named; {line['ms']} ms\n"
    )


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.2f} %"

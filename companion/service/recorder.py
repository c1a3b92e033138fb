"""Keeps settled pictures, and beside them all that `hoshiban watch` needs to judge them again."""

from __future__ import annotations

import json
import logging
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tomli_w

from calibration.zones import Layout
from companion.adjudicator.told import Said, Told, told_lines
from companion.errors import BadInputError
from vision.observation import Observation

log = logging.getLogger("companion.service")

COMMAND_FILE = "watch.txt"
TOLD_FILE = "told.jsonl"


class Recorder:
    """Writes into one directory. A full disk is told once and does not stop the game."""

    def __init__(
        self,
        directory: Path,
        *,
        game: str,
        seats: Sequence[str],
        lead: str,
        table_mm: tuple[float, float],
        layout: Layout,
        decks: Sequence[Path],
        settings: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Makes the directory. Raises BadInputError where it can't be, or already holds pictures of another game."""
        self.directory = directory
        self._kept = 0
        self._failing = False
        if directory.is_dir() and any(directory.glob("*.jpg")):
            raise BadInputError(f"--record {directory}: holds pictures already; give an empty or a new directory")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            zones = {name: [zone.x_mm, zone.y_mm, zone.width_mm, zone.height_mm] for name, zone in layout.zones.items()}
            kept = {"zones": zones, **({"seats": dict(layout.directions)} if layout.directions else {})}
            (directory / "layout.toml").write_text(tomli_w.dumps(kept), encoding="utf-8")
            names = self._copy_decks(decks)
            command = ["hoshiban", "watch", ".", "--game", game, "--players", ",".join(seats), "--lead", lead]
            command += ["--table", f"{table_mm[0]:g}x{table_mm[1]:g}", "--layout", "layout.toml"]
            command += [word for name in names for word in ("--deck", name)]
            command += [word for name, value in settings.items() for word in ("--setting", _setting(name, value))]
            command += ["--told", TOLD_FILE]
            (directory / TOLD_FILE).write_text("", encoding="utf-8")
            (directory / COMMAND_FILE).write_text(
                "Judge these pictures again, from inside this directory:\n" + shlex.join(command) + "\n",
                encoding="utf-8",
            )
        except OSError as error:
            raise BadInputError(f"--record {directory}: can't be written ({error.strerror})") from None

    def keep(self, observation: Observation, picture: bytes, say: Callable[[str], None]) -> None:
        """Writes one settled picture; a failure is told once, and once more when writing works again."""
        stem = Path(observation.name).stem if observation.name else f"{observation.t_ns / 1e9:.2f}s"
        path = self.directory / f"{self._kept:05d}-{stem}.jpg"
        try:
            partial = path.with_suffix(".part")
            partial.write_bytes(picture)
            partial.replace(path)
        except OSError as error:
            if not self._failing:
                say(f"--record {self.directory}: pictures are not kept now ({error.strerror}); the game goes on")
            self._failing = True
            return
        if self._failing:
            say(f"--record {self.directory}: pictures are kept again")
        self._failing = False
        self._kept += 1

    def hear(self, said: Said) -> None:
        """Writes down what was said, as coming after the last picture that was kept and before the next."""
        told = Told(self._kept * 10**9 - 5 * 10**8, said)
        try:
            with (self.directory / TOLD_FILE).open("a", encoding="utf-8") as file:
                file.write(told_lines([told]))
        except OSError as error:
            if not self._failing:
                log.warning("--record %s: what was told is not kept (%s)", self.directory, error.strerror)

    def _copy_decks(self, decks: Sequence[Path]) -> list[str]:
        """Copies of the decks' scans, so that the directory can be judged on another machine."""
        names = []
        for index, deck in enumerate(decks):
            name = "deck" if index == 0 else f"deck-{index + 1}"
            shutil.copytree(deck, self.directory / name, dirs_exist_ok=True)
            names.append(name)
        return names


def _setting(name: str, value: Any) -> str:
    """A setting as `--setting` reads it."""
    return f"{name}={json.dumps(value)}"

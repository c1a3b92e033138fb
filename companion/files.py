"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from companion.errors import BadInputError


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Puts the file in place only when it is whole, so that a full disk leaves no half of a game under its name.

    A file that is there already keeps its mode. Raises BadInputError where it can't be written.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or a device is written to, never replaced
            with path.open("wb") as stream:
                write(stream)
            return
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        part = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                write(stream)
                stream.flush()
                os.fsync(stream.fileno())
            part.chmod(_mode(path))
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        raise BadInputError(f"{path}: can't be written ({error.strerror or error}); nothing was changed") from None


def _mode(path: Path) -> int:
    """Of the file that is there, else of any new file of this process."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask

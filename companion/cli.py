"""The `hoshiban` program: one group, whose commands are imported only when they are called.

Machine-readable output is JSON Lines on stdout, people's words go to stderr. Exit 0 done, 1 a finding or failure that the
command exists to report, 2 bad usage or input.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import NoReturn

import click

COMMANDS: dict[str, str] = {
    "bench": "companion.commands.bench:bench",
    "demo": "companion.commands.demo:demo",
    "serve": "companion.commands.serve:serve",
    "watch": "companion.commands.watch:watch",
    "look": "companion.commands.look:look",
    "enrol": "companion.commands.enrol:enrol",
    "enrol-die": "companion.commands.enrol_die:enrol_die",
    "enrol-loop": "companion.commands.enrol_loop:enrol_loop",
    "calibrate": "companion.commands.calibrate:calibrate",
    "decks": "companion.commands.decks:decks",
    "rules": "companion.commands.rules:rules",
    "log": "companion.commands.log:log",
    "pad": "companion.commands.pad:pad",
    "virtual": "companion.commands.virtual:virtual",
}
"""Command name to "module:attribute"; a module that is not there yet is not listed."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is asked for."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        where = COMMANDS.get(cmd_name)
        if where is None:
            return None
        module, _, attribute = where.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        return command if isinstance(command, click.Command) else None


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="hoshiban", prog_name="hoshiban")
def cli() -> None:
    """Watches a real game table and keeps it honest."""


def fail(line: str, code: int = 2) -> NoReturn:
    """Ends the program with one line for people on stderr."""
    sys.stderr.write(f"hoshiban: {line}\n")
    raise SystemExit(code)


def main() -> None:
    """Entry point of the console script."""
    from calibration.errors import CalibrationError
    from companion.errors import CompanionError
    from hardware.errors import HardwareError
    from vision.errors import VisionError

    try:
        # click hands a command's `Exit` back as a number, where it does not end the program by itself.
        code = cli.main(standalone_mode=False)
        if isinstance(code, int) and code:
            raise SystemExit(code)
    except click.UsageError as error:
        error.show()
        raise SystemExit(2) from None
    except click.ClickException as error:
        fail(error.format_message())
    except (CompanionError, VisionError, HardwareError, CalibrationError) as error:
        fail(str(error))
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing is wrong; keep the interpreter from flushing again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except (KeyboardInterrupt, click.Abort):
        raise SystemExit(130) from None

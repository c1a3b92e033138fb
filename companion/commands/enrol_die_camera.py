"""The taking of dice from the camera, on a page of its own, until somebody says that all dice are enrolled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from companion.commands.enrol_camera import run_taking
from companion.commands.table import say
from companion.errors import BadInputError
from companion.service.die_taking import DieTaking, Enrolled
from companion.virtual.dice_one_by_one import open_dice_one_by_one
from companion.web.enrol_die import create_die_app
from companion.web.server import AppServer


class DieServer(AppServer):
    """The page on a port."""

    title = "The page for taking dice"


def take_dice(
    folder: Path | None,
    name: str,
    sides: int | None,
    source: str,
    on_enrolled: Callable[[Enrolled], None],
    *,
    port: int,
    lan: bool,
) -> bool:
    """Enrols dice on a page, each told to `on_enrolled`; False where it was ended before somebody said that all are.

    `folder`: where the first die's pictures are kept, else with the user's data. `name` and `sides`, where both are known, are
    the first die's; it is begun at once unless that name is taken. Raises the error trees' errors, a line each.
    """
    taking = DieTaking(folder, name, sides)
    if name and sides is not None:
        try:
            taking.begin(name, sides)
        except BadInputError as error:
            say(str(error))
    told = 0

    def tell() -> None:
        nonlocal told
        for each in taking.enrolled[told:]:
            told += 1
            on_enrolled(each)

    server = DieServer(create_die_app(taking, lan=lan), port=port, lan=lan)
    run_taking(taking, server, source, open_dice_one_by_one, tell)
    if not taking.done:
        say(
            "ended before somebody said that all dice are enrolled; kept pictures stay, and the same name goes on with them"
        )
    return taking.done

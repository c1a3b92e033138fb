"""`hoshiban pad`: finds the contact pad, shows what it feels, tests it, flashes its firmware, reads and sets its settings."""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.commands.ending import stopping
from companion.commands.options import profile_option
from companion.errors import BadInputError

if TYPE_CHECKING:
    from hardware.pad.dictionary import Setting
    from hardware.pad.link import PadLink
    from hardware.pad.reports import Report

CONNECT_S = 15.0
"""A board that is reset by the opening of its port waits in its boot loader first."""
ANSWER_S = 6.0
TEST_S = 2.0
"""How long the clock is watched by `pad test`."""
FIRMWARE = Path(__file__).resolve().parents[2] / "firmware" / "build"
BOARDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "nano": ("328p", ("-p", "m328p", "-c", "arduino", "-b", "115200")),
    "nano-old": ("328p", ("-p", "m328p", "-c", "arduino", "-b", "57600")),
    "uno": ("328p", ("-p", "m328p", "-c", "arduino", "-b", "115200")),
    "leonardo": ("32u4", ("-p", "m32u4", "-c", "avr109", "-b", "57600")),
    "micro": ("32u4", ("-p", "m32u4", "-c", "avr109", "-b", "57600")),
}
"""A board's chip, and how avrdude talks to its boot loader. Cheap Nanos come with the old, slow boot loader."""

port_option = click.option(
    "--port", help="The pad's port; usually the profile's, else the only pad that is plugged in."
)


@click.group()
def pad() -> None:
    """The contact pad: find it, watch it, test it, flash it, set it."""


@pad.command("list")
@click.argument("ports", nargs=-1)
@click.option("--ask/--no-ask", default=True, help="Greet whoever is at each port, which may restart a board.")
def list_ports(ports: tuple[str, ...], ask: bool) -> None:
    """List the serial ports (and the named PORTS), a JSON line each, and say which of them is a pad.

    USB ports and named ones are greeted; others may be a console and are only listed.
    """
    from hardware.pad.ports import find_pads
    from hardware.pad.reports import LinkState

    found = find_pads(ports, ask=ask)
    for one in found:
        _print(
            {
                "port": one.port,
                "name": one.name,
                "description": one.description,
                "usb": one.usb,
                "state": one.state,
                "pad": None if one.state is None else one.state is LinkState.READY,
                "firmware": ".".join(map(str, one.hello.firmware)) if one.hello is not None else None,
                "text": one.text,
            }
        )
        click.echo(one.text, err=True)
    if not found:
        click.echo("no serial port: plug the pad in; see docs/pad.md", err=True)
    if ask and not any(one.state is LinkState.READY for one in found):
        raise click.exceptions.Exit(1)


@pad.command()
@port_option
@profile_option
@click.option("--seconds", type=click.FloatRange(0), help="End by itself after so long; else with Ctrl-C.")
@click.option("--stats", is_flag=True, help="Say on stderr, once a second, how the link does.")
def watch(port: str | None, profile: Path | None, seconds: float | None, stats: bool) -> None:
    """Print what the pad feels, a JSON line each, with the host's time in ns and within how many ns it is true."""
    from hardware.pad.link import PadLink

    said: queue.SimpleQueue[Report] = queue.SimpleQueue()
    if stats:
        logging.basicConfig(level=logging.INFO, format="%(message)s")
    told = threading.Event()
    with stopping(told), PadLink(chosen_port(port, profile), said.put):
        until = time.monotonic() + seconds if seconds is not None else None
        while not told.is_set() and (until is None or time.monotonic() < until):
            with contextlib.suppress(queue.Empty):
                _print(report_json(said.get(timeout=0.1)))


@pad.command()
@port_option
@profile_option
def test(port: str | None, profile: Path | None) -> None:
    """Let the pad test itself, measure its clock, and say in words what is well and what is not."""
    from hardware.pad import messages

    with connected(chosen_port(port, profile)) as link:
        data = link.ask(messages.Command(messages.Kind.SELF_TEST), ANSWER_S).result(ANSWER_S)
        failed_bits, *measured = messages.words(data.data, "SELF_TEST")
        time.sleep(TEST_S)
        stats, hello, names = link.stats, link.hello, link.dictionary
        failed = [
            names.checks.get(bit, f"check {bit}") for bit in range(failed_bits.bit_length()) if failed_bits >> bit & 1
        ]
        measures = {one.name: value for one, value in zip(names.measures, measured, strict=False)}
        link_port = link.port
    trouble = [f"{name} failed: see the table of checks in docs/pad.md" for name in failed]
    if stats.bad_crc > stats.received // 100:
        trouble.append(
            f"{stats.bad_crc} of {stats.received} frames came broken: try another cable, away from the mains"
        )
    line = {
        "port": link_port,
        "firmware": ".".join(map(str, hello.firmware)) if hello is not None else None,
        "boot": hello.boot if hello is not None else None,
        "failed": failed,
        "measures": measures,
        "rtt_us": stats.rtt_us,
        "clock_bound_us": stats.clock_bound_us,
        "frequency_ppm": round(stats.frequency_ppm),
        "broken_frames": stats.bad_crc,
    }
    _print(line)
    units = {one.name: one.unit for one in names.measures}
    for name, value in measures.items():
        click.echo(f"  {name}: {value} {units[name]}", err=True)
    click.echo(
        f"  clock: {stats.frequency_ppm:+.0f} millionths beside the host's, known to within {stats.clock_bound_us} us "
        f"(a question takes {stats.rtt_us} us)",
        err=True,
    )
    for words in trouble:
        click.echo(f"{link_port}: {words}", err=True)
    if trouble:
        raise click.exceptions.Exit(1)
    click.echo(f"{link_port}: all is well", err=True)


@pad.command()
@port_option
@profile_option
@click.option("--board", type=click.Choice(sorted(BOARDS)), default="nano", show_default=True)
@click.option(
    "--hex", "image", type=click.Path(path_type=Path, dir_okay=False), help="The firmware; usually firmware/build's."
)
@click.option("--dry-run", is_flag=True, help="Only print the command.")
def flash(port: str | None, profile: Path | None, board: str, image: Path | None, dry_run: bool) -> None:
    """Write the firmware into the pad with avrdude."""
    chip, how = BOARDS[board]
    image = image or FIRMWARE / f"pad-{chip}.hex"
    where = port or _profile_port(profile)
    if where is None and not dry_run:
        raise BadInputError("no port: give --port; `hoshiban pad list --no-ask` names them")
    words = ["avrdude", *how, "-P", where or "PORT", "-D", "-U", f"flash:w:{image}:i"]
    if dry_run:
        _print({"command": words})
        click.echo(shlex.join(words), err=True)
        return
    if not image.is_file():
        raise BadInputError(f"{image}: there is no such firmware; build it (`make -C firmware`) or name one with --hex")
    if shutil.which("avrdude") is None:
        raise BadInputError("avrdude is not installed: `sudo apt install avrdude`, or flash with another programmer")
    if chip == "32u4":
        _call_boot_loader(str(where))
    done = subprocess.run(words, check=False)
    if done.returncode:
        click.echo(
            f"avrdude failed ({done.returncode}): is this board a {board}? A cheap Nano may need --board nano-old",
            err=True,
        )
        raise click.exceptions.Exit(1)


@pad.group()
def settings() -> None:
    """The pad's settings: thresholds and times, by its own names and ranges."""


@settings.command()
@port_option
@profile_option
def show(port: str | None, profile: Path | None) -> None:
    """Show every setting, a JSON line each."""
    with connected(chosen_port(port, profile)) as link:
        for setting in link.dictionary.settings:
            _tell_setting(setting, _value(link, setting))


@settings.command("set")
@click.argument("name")
@click.argument("value", type=int)
@click.option("--save", is_flag=True, help="Keep it over a loss of power.")
@port_option
@profile_option
def set_one(name: str, value: int, save: bool, port: str | None, profile: Path | None) -> None:
    """Set NAME to VALUE; it works at once."""
    from hardware.pad import messages
    from hardware.pad.errors import PadMessageError

    with connected(chosen_port(port, profile)) as link:
        try:
            setting = link.dictionary.setting(name)
            setting.check(value)
        except PadMessageError as error:
            raise BadInputError(str(error)) from None
        link.ask(messages.set_value(setting.index, value), ANSWER_S).result(ANSWER_S)
        _tell_setting(setting, _value(link, setting))
        if save:
            _save(link)


@settings.command()
@port_option
@profile_option
def save(port: str | None, profile: Path | None) -> None:
    """Keep the settings as they are now over a loss of power."""
    with connected(chosen_port(port, profile)) as link:
        _save(link)


@settings.command()
@click.option("--save", "keep", is_flag=True, help="Keep them over a loss of power.")
@port_option
@profile_option
def defaults(keep: bool, port: str | None, profile: Path | None) -> None:
    """Set everything to the firmware's own values."""
    from hardware.pad import messages

    with connected(chosen_port(port, profile)) as link:
        link.ask(messages.Command(messages.Kind.DEFAULTS), ANSWER_S).result(ANSWER_S)
        click.echo("the settings are the firmware's own", err=True)
        if keep:
            _save(link)


@settings.command()
@click.argument("hands", type=click.Choice(["apart", "touching"]))
@click.option("--save", "keep", is_flag=True, help="Keep the level over a loss of power.")
@port_option
@profile_option
def calibrate(hands: str, keep: bool, port: str | None, profile: Path | None) -> None:
    """Find the contact level for these players: first with both hands laid and HANDS apart, then touching."""
    from hardware.pad import messages

    with connected(chosen_port(port, profile)) as link:
        command = messages.calibrate(0 if hands == "apart" else 1)
        (level,) = messages.words(link.ask(command, ANSWER_S).result(ANSWER_S).data, "CALIBRATE")
        _print({"hands": hands, "level_mv": level})
        click.echo(f"hands {hands}: the contact level is {level} mV now", err=True)
        if keep:
            _save(link)


@contextlib.contextmanager
def connected(port: str) -> Iterator[PadLink]:
    """A link to a pad that answers. Raises PadError in one line where none does.

    What the pad felt is left in it: only the service may let it go.
    """
    from hardware.pad.errors import PadError
    from hardware.pad.link import PadLink
    from hardware.pad.reports import LinkState, PadState

    states: queue.SimpleQueue[PadState] = queue.SimpleQueue()

    def take(report: Report) -> None:
        if isinstance(report, PadState):
            states.put(report)

    until = time.monotonic() + CONNECT_S
    with PadLink(port, take, confirm_at_once=False) as link:
        text = f"{port}: the pad does not answer; see docs/pad.md"
        while True:
            try:
                state = states.get(timeout=max(until - time.monotonic(), 0))
            except queue.Empty:
                raise PadError(text) from None
            if state.state is LinkState.READY:
                break
            if state.state is not LinkState.CONNECTING:
                raise PadError(state.text)
        yield link


def chosen_port(port: str | None, profile: Path | None) -> str:
    """The port that was named, else the profile's, else the only pad there is. Raises BadInputError."""
    named = port or _profile_port(profile)
    if named is not None:
        return named
    from hardware.pad.ports import find_pads
    from hardware.pad.reports import LinkState

    pads = [one for one in find_pads() if one.state is LinkState.READY]
    match pads:
        case [one]:
            return one.name
        case []:
            raise BadInputError(
                "no contact pad was found: plug it in, or give --port; `hoshiban pad list` says what is there"
            )
        case _:
            names = ", ".join(one.name for one in pads)
            raise BadInputError(f"{len(pads)} contact pads are plugged in ({names}): choose one with --port")


def report_json(report: Report) -> dict[str, Any]:
    """A report as a line of JSON: `event` is the event's name, "gap" or "state"."""
    from hardware.pad.reports import PadEvent, PadGap

    match report:
        case PadEvent():
            return {
                "event": report.name,
                "channel": report.channel_name,
                "t_ns": report.t_ns,
                "bound_ns": report.bound_ns,
                "within_us": report.within_us,
                "uncertain": report.uncertain,
                "dwell_us": report.dwell_us,
                "strength": report.strength,
                "ring": report.ring,
                "seq": report.seq,
                "boot": report.boot,
                "onset_us": report.onset_us,
                "flags": report.flags,
            }
        case PadGap():
            return {
                "event": "gap",
                "gap": report.kind,
                "since_ns": report.since_ns,
                "until_ns": report.until_ns,
                "lost": report.lost,
                "text": report.text,
            }
        case _:
            return {"event": "state", "state": report.state, "t_ns": report.t_ns, "text": report.text}


def _profile_port(profile: Path | None) -> str | None:
    from calibration.profile import default_path, load_profile

    path = profile or default_path()
    if profile is None and not path.exists():
        return None
    return load_profile(path).pad.port or None


def _value(link: PadLink, setting: Setting) -> int:
    from hardware.pad import messages

    (value,) = messages.words(link.ask(messages.get(setting.index), ANSWER_S).result(ANSWER_S).data, "GET")
    return value


def _tell_setting(setting: Setting, value: int) -> None:
    _print(
        {
            "setting": setting.name,
            "value": value,
            "unit": setting.words,
            "least": setting.least,
            "most": setting.most,
            "default": setting.default,
        }
    )
    click.echo(
        f"  {setting.name:16} {value} {setting.words}  ({setting.least} to {setting.most}, usually {setting.default})",
        err=True,
    )


def _save(link: PadLink) -> None:
    from hardware.pad import messages

    link.ask(messages.Command(messages.Kind.SAVE), ANSWER_S).result(ANSWER_S)
    click.echo("saved: the settings stay over a loss of power", err=True)


def _call_boot_loader(port: str) -> None:
    """A 32U4's own USB starts its boot loader where the port is opened at 1200 baud and closed."""
    import serial

    with contextlib.suppress(serial.SerialException), serial.Serial(port, 1200):
        pass
    time.sleep(2.0)


def _print(line: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()

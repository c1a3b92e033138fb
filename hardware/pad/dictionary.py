"""What this pad's firmware has: settings with their ranges, channels, events, lights and measures, by its own word.

The text is one line a thing, words with a space between (docs/pad-protocol.md):
`setting <index> <name> <unit> <min> <max> <default>`, `channel <index> <name>`, `event <index> <name>`, `light <index> <name>`,
`pattern <index> <name>`, `measure <index> <name> <unit>`, `check <bit> <name>`. Lines of another kind are a newer firmware's
and are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from hardware.pad.errors import PadMessageError

BIGGEST = 0xFFFF


@dataclass(frozen=True, slots=True)
class Setting:
    """A number that the pad keeps."""

    index: int
    name: str
    unit: str
    """"-" where it has none."""
    least: int
    most: int
    default: int

    def check(self, value: int) -> int:
        """The value itself. Raises PadMessageError where it is out of range."""
        if not self.least <= value <= self.most:
            raise PadMessageError(
                f"{self.name}: {value} is out of range; it may be {self.least} to {self.most} {self.words}"
            )
        return value

    @property
    def words(self) -> str:
        """Its unit for people."""
        return "" if self.unit == "-" else self.unit


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that MEASURE or SELF_TEST tells, in the order of their index."""

    index: int
    name: str
    unit: str


Names = Mapping[int, str]


def _no_names() -> Names:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Everything that a pad names."""

    settings: tuple[Setting, ...] = ()
    """By index."""
    channels: Names = field(default_factory=_no_names)
    events: Names = field(default_factory=_no_names)
    lights: Names = field(default_factory=_no_names)
    patterns: Names = field(default_factory=_no_names)
    measures: tuple[Measure, ...] = ()
    checks: Names = field(default_factory=_no_names)
    """Bits of the self-test's result, by number."""

    def setting(self, name: str) -> Setting:
        """The setting of that name. Raises PadMessageError, which names the ones that there are."""
        for setting in self.settings:
            if setting.name == name:
                return setting
        known = ", ".join(setting.name for setting in self.settings)
        raise PadMessageError(f"{name!r} is no setting of this pad; it has {known or 'none'}")


def parse_dictionary(text: bytes) -> Dictionary:
    """The dictionary of its text. Raises PadMessageError naming the line that does not fit."""
    try:
        lines = text.decode("ascii").splitlines()
    except UnicodeDecodeError:
        raise PadMessageError("the pad's dictionary is not plain text") from None
    settings: dict[int, Setting] = {}
    measures: dict[int, Measure] = {}
    names: dict[str, dict[int, str]] = {"channel": {}, "event": {}, "light": {}, "pattern": {}, "check": {}}
    for number, line in enumerate(lines, 1):
        try:
            match line.split():
                case ["setting", index, name, unit, least, most, default]:
                    setting = Setting(int(index), name, unit, int(least), int(most), int(default))
                    if not 0 <= setting.least <= setting.default <= setting.most <= BIGGEST:
                        raise ValueError("its range does not hold its default")
                    settings[setting.index] = setting
                case ["measure", index, name, unit]:
                    measures[int(index)] = Measure(int(index), name, unit)
                case ["channel" | "event" | "light" | "pattern" | "check" as what, index, name, *_]:
                    names[what][int(index)] = name
                case ["setting" | "measure" | "channel" | "event" | "light" | "pattern" | "check", *_]:
                    raise ValueError("words are missing")
                case _:
                    pass
        except ValueError as error:
            raise PadMessageError(f"line {number} of the pad's dictionary, {line!r}, can't be used: {error}") from None
    return Dictionary(
        settings=tuple(settings[index] for index in sorted(settings)),
        channels=MappingProxyType(names["channel"]),
        events=MappingProxyType(names["event"]),
        lights=MappingProxyType(names["light"]),
        patterns=MappingProxyType(names["pattern"]),
        measures=tuple(measures[index] for index in sorted(measures)),
        checks=MappingProxyType(names["check"]),
    )

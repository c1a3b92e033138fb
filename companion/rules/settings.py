"""Table settings: every reading that a rulebook leaves open has a name, a title, a description and a visible default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, TypeVar

SettingsT = TypeVar("SettingsT")


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """What people should know of a setting."""

    name: str
    title: str
    description: str
    section: str
    """The rulebook section whose reading this is."""
    default: str | int | float | bool
    choices: tuple[str, ...] = ()
    """Of a choice; empty for numbers and switches."""
    least: float | None = None
    most: float | None = None
    """Bounds of a number, both included."""


def about(
    *, title: str, description: str, section: str, least: float | None = None, most: float | None = None
) -> Mapping[str, Any]:
    """What people should know of a setting, as the metadata of its dataclass field."""
    return {"title": title, "description": description, "section": section, "least": least, "most": most}


def describe_settings(settings_class: type) -> tuple[SettingInfo, ...]:
    """The settings of a dataclass whose fields carry what `about` says, in their order."""
    described = []
    for entry in fields(settings_class):
        default = entry.default
        choices: tuple[str, ...] = ()
        if isinstance(default, Enum):
            choices = tuple(str(choice.value) for choice in type(default))
            default = str(default.value)
        described.append(SettingInfo(name=entry.name, default=default, choices=choices, **entry.metadata))
    return tuple(described)


def check_settings(settings: Any) -> None:
    """Raises ValueError, naming the setting, where a value is of another kind than its default or out of bounds."""
    for entry in fields(settings):
        value = getattr(settings, entry.name)
        wanted = type(entry.default)
        fits = isinstance(value, wanted) and not (wanted is not bool and isinstance(value, bool))
        if wanted is float:
            fits = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits:
            raise ValueError(f"setting {entry.name}: {value!r} is not a {wanted.__name__}")
        least, most = entry.metadata["least"], entry.metadata["most"]
        if (least is not None and value < least) or (most is not None and value > most):
            raise ValueError(f"setting {entry.name}: {value!r} is not between {least} and {most}")


def settings_from(settings_class: type[SettingsT], values: Mapping[str, Any]) -> SettingsT:
    """Settings with these differing from their defaults; a choice may be given as its text.

    Raises ValueError that names the setting which is unknown or can't be so, and what it can be.
    """
    known = {entry.name: entry.default for entry in fields(settings_class)}  # type: ignore[arg-type]
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"setting {name}: is not known; there are {', '.join(known)}")
        default = known[name]
        chosen[name] = _choice(name, type(default), value) if isinstance(default, Enum) else value
    return settings_class(**chosen)


def _choice(name: str, choices: type[Enum], value: Any) -> Enum:
    try:
        return choices(value)
    except ValueError:
        allowed = ", ".join(str(choice.value) for choice in choices)
        raise ValueError(f"setting {name}: {value!r} is none of {allowed}") from None

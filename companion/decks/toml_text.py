"""Values as TOML text, as a person would write them."""

from __future__ import annotations

from collections.abc import Mapping

import tomlkit

from companion.rules.cards import Scalar, Value

_LONG = 90
"""Characters up to which a list of tables stands on one line."""


def toml_text(value: Value) -> str:
    """A value as TOML; several effects, or a long one, stand on lines of their own."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return tomlkit.string(value).as_string()
    items = [table_text(item) if isinstance(item, Mapping) else toml_text(item) for item in value]
    line = f"[{', '.join(items)}]"
    tables = [item for item in value if isinstance(item, Mapping)]
    if tables and (len(tables) > 1 or len(line) > _LONG):
        return "\n".join(["[", *(f"    {item}," for item in items), "]"])
    return line


def table_text(table: Mapping[str, Scalar]) -> str:
    """An inline table on one line."""
    inside = ", ".join(f"{toml_key(key)} = {toml_text(value)}" for key, value in table.items())
    return f"{{ {inside} }}" if inside else "{}"


def toml_key(key: str) -> str:
    """A key, quoted where it has to be."""
    return tomlkit.key(key).as_string()

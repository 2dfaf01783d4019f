"""Configs from and to plain values and TOML files.

An unknown key or a value of the wrong type is a `ConfigError` that names the key and the nearest
known one; nothing is dropped silently.
"""

import dataclasses
import json
import math
import typing
from pathlib import Path
from typing import Any, TypeVar

from graphpool import documents
from graphpool.config.renamed import current_names, renamed_hint
from graphpool.config.setting import section_of
from graphpool.errors import ConfigError
from graphpool.files import atomic_write
from graphpool.shapes import fit

T = TypeVar("T")


def from_dict(kind: type[T], values: dict[str, Any], where: str = "config") -> T:
    """Build the dataclass `kind` from plain values, checking every key and type."""
    return typing.cast(T, fit(kind, values, where, ConfigError, _renamed))


def _renamed(kind: type[Any], key: str) -> str | None:
    return renamed_hint(section_of(kind), key)


def to_dict(config: Any) -> dict[str, Any]:
    """Return the values of a config as plain ones, ready for JSON or TOML."""
    return typing.cast(dict[str, Any], json.loads(json.dumps(dataclasses.asdict(config))))


def read_toml(kind: type[T], path: str | Path, *, written_by_us: bool = False) -> T:
    """Read a config file.

    Args:
        written_by_us: accept the names of settings that graphpool 0.1.0 wrote.
    """
    return from_dict(kind, toml_values(path, written_by_us=written_by_us), str(path))


def toml_values(path: str | Path, *, written_by_us: bool = False) -> dict[str, Any]:
    """Read a config file as plain values, unchecked; the arguments are those of `read_toml`."""
    values = documents.read_toml(path)
    return current_names(values) if written_by_us else values


def write_toml(config: Any, path: str | Path) -> None:
    """Write a config file from which `read_toml` makes the same config."""
    with atomic_write(path, "w") as handle:
        handle.write(_toml(to_dict(config), ()))


def _toml(values: dict[str, Any], prefix: tuple[str, ...]) -> str:
    plain = {key: value for key, value in values.items() if not isinstance(value, dict)}
    lines = [f"{key} = {_toml_value(value)}" for key, value in plain.items() if value is not None]
    text = "\n".join(lines) + "\n" if lines else ""
    for key, value in values.items():
        if isinstance(value, dict):
            text += f"\n[{'.'.join((*prefix, key))}]\n{_toml(value, (*prefix, key))}"
    return text


def _toml_value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_toml_value(item) for item in value)}]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    # TOML wants characters outside the basic plane as they are, and DEL escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

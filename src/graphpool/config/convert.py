"""Configs from and to plain values and TOML files.

An unknown key or a value of the wrong type is a `ConfigError` that names the key and the nearest
known one; nothing is dropped silently.
"""

import dataclasses
import json
import math
import tomllib
import types
import typing
from pathlib import Path
from typing import Any, Literal, TypeVar

from graphpool.config.renamed import current_names, renamed_hint
from graphpool.config.setting import section_of
from graphpool.errors import ConfigError, nearest
from graphpool.files import atomic_write

T = TypeVar("T")


def from_dict(kind: type[T], values: dict[str, Any], where: str = "config") -> T:
    """Build the dataclass `kind` from plain values, checking every key and type."""
    hints = typing.get_type_hints(kind)
    known = {item.name: hints[item.name] for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    converted = {}
    for key, value in values.items():
        if key not in known:
            if hint := renamed_hint(section_of(kind), key):
                raise ConfigError(f"{where}: {hint}")
            raise ConfigError(f"{where}: unknown key {key!r}; {nearest(key, known)}")
        converted[key] = _convert(known[key], value, f"{where}.{key}")
    return kind(**converted)


def _convert(hint: Any, value: Any, where: str) -> Any:
    """Check `value` against the type `hint` and convert it to that type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: a table is needed here, not {value!r}")
        return from_dict(typing.cast(type[Any], hint), value, where)
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(f"{where}: unknown value {value!r}; {nearest(str(value), arguments)}")
        return value
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{where}: a list is needed here, not {value!r}")
        return tuple(_convert(arguments[0], item, where) for item in value)
    if origin in (typing.Union, types.UnionType):
        return _convert_union(arguments, value, where)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise ConfigError(f"{where}: {value!r} is not of type {hint.__name__}")
    return value


def _convert_union(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    """Convert to the first type that fits."""
    if value is None and type(None) in kinds:
        return None
    problem = ConfigError(f"{where}: a value is needed here")
    for kind in (kind for kind in kinds if kind is not type(None)):
        try:
            return _convert(kind, value, where)
        except ConfigError as error:
            problem = error
    raise problem


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
    path = Path(path)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such config file") from None
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
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

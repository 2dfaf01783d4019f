"""Plain values, as JSON and TOML give them, checked against a declared shape.

A shape is a type: a dataclass or a `TypedDict` declares keys, `Literal` choices, and `list[str]`,
`dict[str, float]`, `tuple[int, ...]` and `int | None` mean what they say. A value of another
type, an unknown key or a missing one is an error that names the key and the next step.
"""

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any, Literal, NotRequired, Required

from graphpool.errors import ConfigError, GraphpoolError, brief, nearest

Renamed = Callable[[type[Any], str], str | None]
"""Given a class and an unknown key: what to say about it, if it is known otherwise."""

_NOUNS = {int: "a whole number", float: "a number", str: "text", bool: "true or false",
          list: "a list", tuple: "a list", dict: "an object"}  # fmt: skip
_PLAIN = (int, str, bool)


def fit(
    shape: Any,
    value: Any,
    where: str,
    error: type[GraphpoolError] = ConfigError,
    renamed: Renamed = lambda kind, key: None,
) -> Any:
    """Check `value` against `shape`, and convert it: dataclasses are made, lists become tuples.

    Args:
        where: of the value, for messages; keys are appended to it.
        error: what is raised.
        renamed: see `Renamed`.
    """
    return _Fitter(error, renamed).fit(shape, value, where)


@dataclasses.dataclass(frozen=True)
class _Fitter:
    error: type[GraphpoolError]
    renamed: Renamed

    def fit(self, shape: Any, value: Any, where: str) -> Any:
        origin, arguments = typing.get_origin(shape), typing.get_args(shape)
        if shape is Any:
            return value
        if origin in (Required, NotRequired):
            return self.fit(arguments[0], value, where)
        if dataclasses.is_dataclass(shape) or typing.is_typeddict(shape):
            return self._fit_keys(shape, value, where)
        if origin is Literal:
            # `value in arguments` would take 1 for True.
            if not any(type(value) is type(each) and value == each for each in arguments):
                known = nearest(value, map(str, arguments))
                raise self.error(f"{where}: unknown value {brief(value)}; {known}")
            return value
        if origin in (typing.Union, types.UnionType):
            return self._fit_union(arguments, value, where)
        if origin in (list, tuple):
            items = self._typed((list, tuple), value, where)
            return origin(self._fit_items(arguments[0], items, where))
        if origin is dict:
            found = self._typed(dict, value, where)
            return {key: self.fit(arguments[1], item, f"{where}.{key}")
                    for key, item in found.items()}  # fmt: skip
        if shape is float and type(value) is int:
            try:
                return float(value)
            except OverflowError:
                raise self.error(f"{where}: the number is too large") from None
        return self._typed(shape, value, where)

    def _typed(self, kind: Any, value: Any, where: str) -> Any:
        if isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool):
            if isinstance(value, str):
                self._check_text(value, where)
            return value
        kind = kind[0] if isinstance(kind, tuple) else kind
        raise self.error(f"{where}: {brief(value)} is not of type {kind.__name__}; "
                         f"{_NOUNS.get(kind, 'another value')} is needed here")  # fmt: skip

    def _check_text(self, text: str, where: str) -> None:
        """Refuse text that no file and no path can hold."""
        if "\0" in text or not _encodes(text):
            raise self.error(f"{where}: {text!r} has characters that UTF-8 text can't hold")

    def _fit_items(self, shape: Any, items: Sequence[Any], where: str) -> Sequence[Any]:
        # Many items of a plain type are checked at once.
        kinds = typing.get_args(shape) or (shape,)
        if set(kinds) <= set(_PLAIN) and set(map(type, items)) <= set(kinds):
            for text in (item for item in items if type(item) is str):
                self._check_text(text, where)
            return items
        return [self.fit(shape, item, where) for item in items]

    def _fit_keys(self, kind: Any, value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            raise self.error(f"{where}: a table is needed here, not {brief(value)}")
        hints, needed = _keys(kind)
        found = {}
        for key, item in value.items():
            if key not in hints:
                if hint := self.renamed(kind, key):
                    raise self.error(f"{where}: {hint}")
                raise self.error(f"{where}: unknown key {key!r}; {nearest(key, hints)}")
            found[key] = self.fit(hints[key], item, f"{where}.{key}")
        for key in needed:
            if key not in found:
                raise self.error(f"{where}: the key {key!r} is missing; add it")
        return found if typing.is_typeddict(kind) else kind(**found)

    def _fit_union(self, kinds: tuple[Any, ...], value: Any, where: str) -> Any:
        """Convert to the first type that fits."""
        if value is None and type(None) in kinds:
            return None
        problem = self.error(f"{where}: a value is needed here")
        for kind in (kind for kind in kinds if kind is not type(None)):
            try:
                return self.fit(kind, value, where)
            except self.error as error:
                problem = error
        raise problem


@functools.cache
def _keys(kind: Any) -> tuple[dict[str, Any], list[str]]:
    """The shapes of all keys, and the keys that must be there; once a class, for this is slow."""
    hints = typing.get_type_hints(kind)
    if not typing.is_typeddict(kind):
        hints = {item.name: hints[item.name] for item in dataclasses.fields(kind)}
    return hints, _needed(kind)


def _needed(kind: type[Any]) -> list[str]:
    """The keys without which the shape is not whole, in the order of declaration."""
    if typing.is_typeddict(kind):
        required: frozenset[str] = kind.__required_keys__
        return [key for key in kind.__annotations__ if key in required]
    missing = dataclasses.MISSING
    return [
        item.name
        for item in dataclasses.fields(kind)
        if item.init and item.default is missing and item.default_factory is missing
    ]


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

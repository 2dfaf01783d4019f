"""Read parts that recur from plain values, and refuse what `RecurringParts` didn't write."""

import math
from collections.abc import Mapping
from typing import Any

from graphpool.errors import CheckpointError
from graphpool.graphs.parts.colours import DEPTHS
from graphpool.graphs.parts.learn import MOST, Entry
from graphpool.graphs.parts.recurring import MOST_TYPES, PartType, RecurringParts

_MOST_TEXT, _MOST_COUNT = 4096, 2**62


def read_parts(data: Mapping[str, Any]) -> RecurringParts:
    """Return the parts of a document; one error says what is wrong with it."""
    try:
        return _read(data)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise CheckpointError(
            f"stored parts can't be read ({reason[:200]}); fit them again with this version"
        ) from None


def _read(data: Mapping[str, Any]) -> RecurringParts:
    _expect(isinstance(data, Mapping), "not an object")
    entries = _items(data["entries"], MOST)
    vocabulary = _items(data["vocabulary"], MOST_TYPES)
    bits = data["bits"]
    _expect(isinstance(bits, list) and len(bits) == 2, "bits are not two numbers")
    return RecurringParts(
        entries=tuple(map(_entry, entries)),
        words=tuple(_text(entry["words"]) for entry in entries),
        vocabulary=tuple(map(_part, vocabulary)),
        largest=_whole(data["largest"], 1),
        graphs=_whole(data["graphs"]),
        nodes=_whole(data["nodes"]),
        parts=_whole(data["parts"]),
        bits=(_real(bits[0]), _real(bits[1])),
    )


def _entry(data: Mapping[str, Any]) -> Entry:
    _expect(data["depth"] in DEPTHS and type(data["depth"]) is int, "an unknown depth")
    _expect(isinstance(data["cut"], bool), "cut is neither true nor false")
    return Entry(
        data["depth"], _hash(data["type"]), data["cut"], _real(data["gain"]), _whole(data["edges"])
    )


def _part(data: Mapping[str, Any]) -> PartType:
    example = data["example"]
    _expect(isinstance(example, list), "an example that is no list")
    return PartType(
        _hash(data["type"]),
        _whole(data["count"], 1),
        _whole(data["nodes"], 1),
        _text(data["name"]),
        _text(data["graph"]),
        tuple(map(_whole, example)),
    )


def _items(value: Any, most: int) -> list[Mapping[str, Any]]:
    _expect(isinstance(value, list) and len(value) <= most, f"not a list of at most {most}")
    _expect(all(isinstance(each, Mapping) for each in value), "a list of other than objects")
    return list(value)


def _hash(value: Any) -> int:
    _expect(isinstance(value, str) and len(value) == 16 and value.isalnum(), "not a type")
    return int(value, 16)


def _whole(value: Any, least: int = 0) -> int:
    _expect(type(value) is int and least <= value <= _MOST_COUNT, "not a count")
    return int(value)


def _real(value: Any) -> float:
    _expect(type(value) in (int, float) and math.isfinite(value), "not a number")
    return float(value)


def _text(value: Any) -> str:
    _expect(isinstance(value, str) and len(value) <= _MOST_TEXT, "not a text")
    return str(value)


def _expect(true: bool, otherwise: str) -> None:
    if not true:
        raise ValueError(otherwise)

"""The setting `train.class_weight` as text, and what it says."""

import json
import math
from collections.abc import Mapping
from typing import Any

from graphpool.errors import ConfigError

BALANCED = "balanced"


def read_class_weight(text: str) -> dict[str, float] | None:
    """Return the weight of each class that is named; None for `balanced`.

    Args:
        text: `balanced`, `toxic=4,safe=1`, or the same as a JSON object, for names that hold a
            comma or an equals sign; empty for no weights.
    """
    if text == BALANCED:
        return None
    given: Any = {}
    if text.lstrip().startswith("{"):
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            raise _wrong(text) from None
    elif text.strip():
        for item in text.split(","):
            name, equals, number = item.rpartition("=")
            if not equals or name.strip() in given:
                raise _wrong(text)
            given[name.strip()] = number
    try:
        weights = {name: float(weight) for name, weight in given.items()}
    except (TypeError, ValueError):
        raise _wrong(text) from None
    for name, weight in weights.items():
        if not (weight >= 0 and math.isfinite(weight)):
            raise ConfigError(
                f"train.class_weight of {name} is {weight:g}; it must be finite and can't be "
                "negative"
            )
    return weights


def write_class_weight(value: Any) -> Any:
    """Return the setting for what scikit-learn users give: `balanced`, a dict, or None."""
    if isinstance(value, Mapping):
        try:
            return json.dumps({class_key(name): float(weight) for name, weight in value.items()})
        except (TypeError, ValueError):
            raise _wrong(str(dict(value))) from None
    return "" if value is None else value


def class_key(name: Any) -> str:
    """Return the name of a class as the setting has it; the class 1.0 is the class 1."""
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)


def _wrong(text: str) -> ConfigError:
    return ConfigError(
        f"train.class_weight is {text[:60]!r}; give balanced, or weights such as toxic=4,safe=1"
    )

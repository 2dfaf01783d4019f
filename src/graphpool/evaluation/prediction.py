"""Predictions of a method for one split, and a stopwatch."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class UnitPrediction:
    """Predictions for the test graphs, and what was chosen on the way.

    Attributes:
        predicted: `[test graphs]`, class codes in the order of the split.
        valid_accuracy: on the validation graphs, of the model that was chosen.
        chosen: settings that the validation graphs decided.
    """

    predicted: Array
    valid_accuracy: float
    chosen: dict[str, int | float | str] = field(default_factory=dict)


@dataclass
class Stopwatch:
    """Seconds spent in named parts of the work."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time until the block ends."""
        begin = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - begin


def accuracy(predicted: Array, actual: Array) -> float:
    """Share of equal entries."""
    return float(np.mean(predicted == actual))

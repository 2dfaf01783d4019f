"""Predictions of test graphs that a report shows: probabilities of classes or labels, numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ClassPredictions:
    """Classes of test graphs, and the probabilities that a classifier gives them.

    Args:
        names: of the classes.
        y: `[graphs]`, true class of each graph, a position in `names`.
        probabilities: `[graphs, classes]`; the predicted class is the most probable one.
    """

    names: Sequence[str]
    y: Array
    probabilities: Array

    def __post_init__(self) -> None:
        shape = (len(self.y), len(self.names))
        if self.probabilities.shape != shape:
            raise ValueError(f"probabilities of shape {self.probabilities.shape}, not {shape}")

    @property
    def confusion(self) -> Array:
        """`[classes, classes]` counts: row is the true class, column the predicted one."""
        counts = np.zeros((len(self.names), len(self.names)), dtype=int)
        np.add.at(counts, (self.y, self.probabilities.argmax(axis=1)), 1)
        return counts


@dataclass(frozen=True, eq=False)
class BinaryPredictions:
    """Whether test graphs are of a class or have a label, and the probabilities of that.

    Args:
        name: of the class or label, as a key has it.
        truth: `[graphs]`, whether each of them is; graphs where it is unknown are left out.
        probability: `[graphs]`.
        colour: position in the palette.
    """

    name: str
    truth: Array
    probability: Array
    colour: int = 0

    def __post_init__(self) -> None:
        if self.truth.shape != self.probability.shape:
            raise ValueError(f"{self.name}: as many true values as probabilities are needed")

    @property
    def mixed(self) -> bool:
        """Whether it is true of some graphs and not of others, as curves need it."""
        return bool(self.truth.any() and not self.truth.all())


@dataclass(frozen=True, eq=False)
class NumberPlot:
    """True and predicted numbers of test graphs, `[graphs]` each.

    Args:
        name: of the target.
        true: NaN where unknown.
        lower, upper: ends of the predicted intervals, if there are some.
        ids: of the graphs.
    """

    name: str
    true: Array
    predicted: Array
    lower: Array | None
    upper: Array | None
    ids: Sequence[str]

    def __post_init__(self) -> None:
        if not len(self.true) == len(self.predicted) == len(self.ids):
            raise ValueError(
                f"{self.name}: as many true numbers, predicted ones and ids are needed"
            )

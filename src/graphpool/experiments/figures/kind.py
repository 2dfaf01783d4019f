"""What a kind of figure is: what it keeps of a trained network, and how it is drawn."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphpool.experiments.figure_entry import FigureEntry
from graphpool.experiments.figures.trained import TrainedUnit

Numbers = dict[str, Any]
"""Plain values, as they stand in the file of a figure."""


@dataclass(frozen=True)
class MeasuredSet:
    """What the file of a figure has of some data.

    Attributes:
        name: of the data.
        facts: of the set, the same for every method.
        methods: title and numbers of every method, in the order in which they are drawn.
    """

    name: str
    facts: Numbers
    methods: Sequence[tuple[str, Numbers]]


class FigureKind(ABC):
    """A kind of figure."""

    def request(self, figure: FigureEntry, data: str) -> Numbers:
        """Return what decides the numbers of a method on some data, beside its unit.

        Its key is `asked`; without it the figure asks for nothing unusual.
        """
        return {}

    @abstractmethod
    def measure(self, figure: FigureEntry, trained: TrainedUnit) -> tuple[Numbers, Numbers]:
        """Return facts of the set, and numbers of the method."""

    @abstractmethod
    def draw(self, figure: FigureEntry, sets: Sequence[MeasuredSet]) -> str | None:
        """Return an SVG document without styles, or None where numbers are missing."""

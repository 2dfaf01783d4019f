"""What an edit-distance method answers: for one pair, and for many at once."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import ConfigError
from graphpool.ged.path import Operation


@dataclass(frozen=True)
class Limits:
    """When to stop a search and answer with the bounds it has.

    Args:
        seconds: for one pair; None for no limit. Only "exact" and "astar" look at the clock: the
            other methods take a time that grows no faster than a power of the size.
        expanded: partial mappings expanded for one pair; None for no limit.
    """

    seconds: float | None = None
    expanded: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds >= 0:
            raise ConfigError(f"a time limit of {self.seconds} seconds; give 0 or more, or none")
        if self.expanded is not None and self.expanded < 0:
            raise ConfigError(
                f"a limit of {self.expanded} expanded partial mappings; give 0 or more, or none"
            )


class Answers(NamedTuple):
    """Answers for many pairs, in whole numbers (see `Tables.scale`).

    Args:
        lower, upper: `[pairs]`; a method that has no upper bound gives -1, one without lower 0.
        mapping: `[pairs, size]` permutations of the filled-up nodes (see `pair`), -1 beyond each
            pair's size, and -1 everywhere for a method without upper bound.
        expanded: `[pairs]`, partial mappings that were expanded.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    mapping: NDArray[np.int32]
    expanded: NDArray[np.int64]

    @classmethod
    def empty(cls, pairs: int, size: int) -> "Answers":
        """Room for the answers to `pairs` pairs of up to `size` nodes."""
        return cls(
            np.zeros(pairs, dtype=np.int64),
            np.full(pairs, -1, dtype=np.int64),
            np.full((pairs, size), -1, dtype=np.int32),
            np.zeros(pairs, dtype=np.int64),
        )


@dataclass(frozen=True)
class EditDistance:
    """The edit distance of two graphs, or what is known of it.

    Args:
        distance: the answer of the method: the best upper bound, or the lower bound of a method
            that has only that.
        lower, upper: the true distance lies between them; `upper` is the cost of `path`.
        optimal: whether they are equal, so that `distance` is proved.
        mapping: for each node of the first graph its node in the second, None if deleted.
        path: the edits that turn the first graph into the second.
        expanded: partial mappings that the search expanded.
    """

    distance: float
    lower: float
    upper: float
    optimal: bool
    mapping: tuple[int | None, ...]
    path: tuple[Operation, ...]
    method: str
    expanded: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        made = asdict(self)
        made["upper"] = None if self.upper == float("inf") else self.upper
        made["path"] = [{**asdict(step), "text": str(step)} for step in self.path]
        return made

"""Results of edit-distance methods, and the limits of a search."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import check_real, check_whole
from graphpool.ged.path import Operation


@dataclass(frozen=True)
class Limits:
    """Limits after which a search returns the bounds found so far.

    Args:
        seconds: time for one pair; None for no limit. Only "exact" and "astar" use it: the other
            methods take polynomial time.
        expanded: partial mappings expanded for one pair; None for no limit.
    """

    seconds: float | None = None
    expanded: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None:
            check_real("the time limit in seconds", self.seconds, 0.0)
        if self.expanded is not None:
            check_whole("the limit on partial mappings", self.expanded, 0)


class Answers(NamedTuple):
    """Answers for many pairs, as integers (see `Tables.scale`).

    Args:
        lower, upper: `[pairs]`; -1 stands for no upper bound, 0 for no lower bound.
        mapping: `[pairs, size]`, permutations of the padded nodes (see `pair`), -1 beyond the
            size of each pair, and -1 everywhere for a method without upper bound.
        expanded: `[pairs]`, number of partial mappings expanded.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    mapping: NDArray[np.int32]
    expanded: NDArray[np.int64]

    @classmethod
    def empty(cls, pairs: int, size: int) -> "Answers":
        """Allocate answers for `pairs` pairs of up to `size` nodes."""
        return cls(
            np.zeros(pairs, dtype=np.int64),
            np.full(pairs, -1, dtype=np.int64),
            np.full((pairs, size), -1, dtype=np.int32),
            np.zeros(pairs, dtype=np.int64),
        )


@dataclass(frozen=True)
class EditDistance:
    """The edit distance of two graphs, or bounds of it.

    Args:
        distance: the answer of the method: the best upper bound, or the lower bound if the method
            has no other.
        lower, upper: bounds of the distance; `upper` is the cost of `path`.
        optimal: whether they are equal, so that `distance` is proved.
        mapping: the node of the second graph for each node of the first, None if deleted.
        path: the edits that turn the first graph into the second.
        method: name of the method.
        expanded: number of partial mappings expanded.
        seconds: time taken.
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
        """Return the result as JSON values."""
        values = asdict(self)
        values["upper"] = None if self.upper == float("inf") else self.upper
        values["path"] = [{**asdict(step), "text": str(step)} for step in self.path]
        return values

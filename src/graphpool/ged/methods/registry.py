"""The edit-distance methods by name: what each one answers, and where it lives."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import ConfigError, nearest
from graphpool.ged.pair import Task
from graphpool.ged.result import Answers, Limits

Solve = Callable[[Task, NDArray[np.int64], Limits], Answers]


@dataclass(frozen=True)
class Method:
    """One method.

    Args:
        answer: "exact", "upper" (a valid edit path) or "lower".
        home: module that holds `solve`, and the function's name.
    """

    name: str
    answer: str
    about: str
    home: tuple[str, str]

    @property
    def solve(self) -> Solve:
        """The function that answers pairs `[pairs, 2]` of graph numbers."""
        found: Solve = getattr(import_module(f"graphpool.ged.{self.home[0]}"), self.home[1])
        return found


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("exact", "exact", "depth-first branch and bound", ("exact", "solve")),
        Method("astar", "exact", "A*, best first; takes memory", ("methods.astar", "solve")),
        Method("beam1", "upper", "beam search that keeps 1 path", ("methods.beam", "solve_1")),
        Method("beam80", "upper", "beam search that keeps 80 paths", ("methods.beam", "solve_80")),
        Method("hungarian", "upper", "bipartite, Hungarian algorithm (Riesen and Bunke, 2009)",
               ("methods.bipartite", "solve_hungarian")),
        Method("vj", "upper", "bipartite, Volgenant and Jonker (Fankhauser et al., 2011)",
               ("methods.bipartite", "solve_vj")),
        Method("branch", "lower", "each node with its edges, matched as cheaply as possible",
               ("methods.lower_bounds", "solve_branch")),
        Method("label", "lower", "counts of labels alone", ("methods.lower_bounds", "solve_label")),
    )
}  # fmt: skip


def method(name: str) -> Method:
    """The method called `name`."""
    if name not in METHODS:
        raise ConfigError(f"there is no edit-distance method {name!r}; {nearest(name, METHODS)}")
    return METHODS[name]

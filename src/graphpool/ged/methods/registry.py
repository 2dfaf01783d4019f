"""The edit-distance methods by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import ConfigError, brief, check_type, nearest
from graphpool.ged.pair import GedProblem, check_problem
from graphpool.ged.result import Answers, Limits

Solve = Callable[[GedProblem, NDArray[np.int64], Limits], Answers]


@dataclass(frozen=True)
class Method:
    """An edit-distance method.

    Args:
        answer: "exact", "upper" (the cost of an edit path) or "lower" (a lower bound).
        about: one line for lists.
        home: module in `graphpool.ged` and name of the function that solves pairs.
        options: further arguments of that function.
    """

    name: str
    answer: str
    about: str
    home: tuple[str, str]
    options: Mapping[str, int] = field(default_factory=dict)

    @property
    def solve(self) -> Solve:
        """The function that solves pairs, `[pairs, 2]` graph numbers, after a check of both."""
        function = self.function

        def solve(problem: GedProblem, pairs: NDArray[np.int64], limits: Limits) -> Answers:
            check_problem(problem, pairs)
            check_type("limits", limits, Limits, "Limits()")
            return function(problem, np.ascontiguousarray(pairs), limits)

        return solve

    @property
    def function(self) -> Solve:
        """The same without checks, for many calls with the problem of `make_problem`."""
        function = getattr(import_module(f"graphpool.ged.{self.home[0]}"), self.home[1])
        return partial(function, **self.options)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("exact", "exact", "depth-first branch and bound", ("exact", "solve")),
        Method("astar", "exact", "A*, best first; takes memory", ("methods.astar", "solve")),
        Method("beam1", "upper", "beam search that keeps 1 path", ("methods.beam", "solve_beam"),
               {"width": 1}),
        Method("beam80", "upper", "beam search that keeps 80 paths", ("methods.beam", "solve_beam"),
               {"width": 80}),
        Method("hungarian", "upper", "bipartite, Hungarian algorithm (Riesen and Bunke, 2009)",
               ("methods.bipartite", "solve_bipartite"), {"jonker": 0}),
        Method("vj", "upper", "bipartite, Volgenant and Jonker (Fankhauser et al., 2011)",
               ("methods.bipartite", "solve_bipartite"), {"jonker": 1}),
        Method("branch", "lower", "each node with its edges, matched as cheaply as possible",
               ("methods.lower_bounds", "solve_branch")),
        Method("label", "lower", "counts of labels alone", ("methods.lower_bounds", "solve_label")),
    )
}  # fmt: skip


def find_method(name: str) -> Method:
    """Return the method called `name`."""
    if not isinstance(name, str) or name not in METHODS:
        raise ConfigError(
            f"there is no edit-distance method {brief(name)}; {nearest(name, METHODS)}"
        )
    return METHODS[name]

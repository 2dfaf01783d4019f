"""Random-walk structural encoding: the probability that a walk returns to its start."""

from typing import Any

import torch

from graphpool.errors import DataError
from graphpool.features.base import Feature, whole_number
from graphpool.features.returns import return_probabilities
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor


class RandomWalk(Feature):
    """The diagonal of (D^-1 A)^k for k = 1 … steps, one column each.

    The walk follows edges in their direction, in proportion to their weights; self-loops are
    edges like others. A node without edges gets zeros.

    Args:
        steps: the longest walk.
    """

    kind = "rw"
    summary = "return probabilities of random walks of 1 … K steps: rw:K"

    def __init__(self, steps: int = 8) -> None:
        self.steps = steps

    @classmethod
    def parse(cls, argument: str | None) -> "RandomWalk":
        """`rw` or `rw:STEPS`."""
        return cls() if argument is None else cls(whole_number(cls.kind, argument, 1))

    def fit(self, graphs: GraphSet) -> "RandomWalk":
        """Do nothing: there is nothing to fit."""
        return self

    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Compute the return probabilities."""
        if graphs.edge_weight is not None and bool((graphs.edge_weight < 0).any()):
            raise DataError(
                f"{graphs.name} has negative edge weights, which are not probabilities of a walk; "
                "use other features"
            )
        found = torch.from_numpy(return_probabilities(graphs, self.steps))
        return found.float().to(graphs.device)

    @property
    def names(self) -> tuple[str, ...]:
        """`return in 1`, `return in 2` and so on."""
        return tuple(f"return in {step}" for step in range(1, self.steps + 1))

    def state(self) -> dict[str, Any]:
        """Number of steps."""
        return {"steps": self.steps}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "RandomWalk":
        """Return the feature."""
        return cls(int(state["steps"]))

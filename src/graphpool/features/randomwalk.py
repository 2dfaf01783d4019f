"""Random-walk structural encoding: the probability that a walk returns to its start."""

import torch

from graphpool.features.base import Feature, refuse_negative_weights
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
    stored = ("steps",)
    least = 1

    def __init__(self, steps: int = 8) -> None:
        self.steps = steps

    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Compute the return probabilities."""
        refuse_negative_weights(graphs, "which are not probabilities of a walk")
        found = torch.from_numpy(return_probabilities(graphs, self.steps))
        return found.float().to(graphs.device)

    @property
    def names(self) -> tuple[str, ...]:
        """`return in 1`, `return in 2` and so on."""
        return tuple(f"return in {step}" for step in range(1, self.steps + 1))

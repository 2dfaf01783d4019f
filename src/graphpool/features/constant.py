"""The same number for every node."""

import torch

from graphpool.features.base import Feature
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor


class Constant(Feature):
    """One column of ones: a model then uses the structure alone."""

    kind = "constant"
    summary = "1 for every node"
    names = ("constant",)

    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes 1"]:
        """Return ones."""
        return torch.ones(graphs.num_nodes, 1, device=graphs.device)

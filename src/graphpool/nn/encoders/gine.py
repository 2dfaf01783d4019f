"""GINE layer (Hu et al. 2020): GIN with features of edges."""

import torch
from torch import Tensor, nn

from graphpool.errors import check_known
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.nn.encoders.base import EdgeLayer, Prepared
from graphpool.nn.level import Level
from graphpool.nn.module import reset_children
from graphpool.nn.ops.messages import relu_messages
from graphpool.nn.ops.normalise import NORMS, make_norm, normalised
from graphpool.nn.ops.products import spmm


class GINELayer(EdgeLayer):
    """`MLP((1 + ε) h_i + Σ_j A_ij ReLU(h_j + W_e e_ij))`, ε learned, MLP = Linear, ReLU, Linear.

    Without features of edges the messages are ReLU(h_j).

    Args:
        edge_channels: channels of the features of edges; 0: none.
        norm: `"batch"` or `"layer"` normalises between the first linear map and the ReLU.
    """

    def __init__(
        self, in_channels: int, out_channels: int, edge_channels: int = 0, norm: str = "none"
    ) -> None:
        super().__init__()
        check_known("norm", norm, NORMS)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.edge_channels = edge_channels
        self.eps = nn.Parameter(torch.zeros(()))
        self.edge = nn.Linear(edge_channels, in_channels) if edge_channels else None
        self.first = nn.Linear(in_channels, out_channels)
        self.norm = make_norm(norm, out_channels)
        self.second = nn.Linear(out_channels, out_channels)

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        nn.init.zeros_(self.eps)
        reset_children(self)

    def propagate(self, x: Tensor, prepared: Prepared, activate: bool = False) -> Tensor:
        """Sum the messages, then apply the perceptron."""
        assert isinstance(prepared, Level), "prepared by this layer"
        out = (1 + self.eps) * x + self._messages(x, prepared)
        out = self._perceptron(out, prepared.normalised_rows)
        return out.relu() if activate else out

    def _perceptron(self, x: Tensor, rows: ClusterMask | Tensor | None) -> Tensor:
        inner = self.first(x)
        if self.norm is not None:
            inner = normalised(self.norm, inner, rows)
        out: Tensor = self.second(inner.relu())
        return out

    def _messages(self, x: Tensor, level: Level) -> Tensor:
        adjacency, edges = level.adjacency, level.edges
        if isinstance(adjacency, Tensor):
            if self.edge is None:
                return adjacency @ x.relu()
            assert isinstance(edges, Tensor), "a dense level has dense features of edges"
            inner: Tensor = (x.unsqueeze(-3) + self.edge(edges)).relu()
            return (adjacency.unsqueeze(-2) @ inner).squeeze(-2)
        assert adjacency is not None, "messages pass along edges"
        if self.edge is None:
            return spmm(adjacency, adjacency.weight, x.relu())
        assert isinstance(edges, EdgeFeatures), "checked by read_level"
        return relu_messages(x, adjacency, edges.with_table(self.edge(edges.table)))

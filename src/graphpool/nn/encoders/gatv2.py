"""GATv2 layer (Brody et al. 2022), with features of edges."""

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.nn.encoders.base import EdgeLayer, Prepared
from graphpool.nn.encoders.gat import log_looped, softmax_sum
from graphpool.nn.level import Level
from graphpool.nn.module import reset_children
from graphpool.nn.ops.messages import pair_logits


class GATv2Layer(EdgeLayer):
    """`h_i' = ‖_heads Σ_j α_ij W h_j + b` over the neighbours j of i and i itself.

    α_ij is the softmax over j of a · LeakyReLU(W h_j + V h_i + W_e e_ij) + log A_ij; as in
    `GATLayer` a self-loop that the graph does not have counts with weight 1, and it has no
    features. (PyG gives it the mean features of the node's edges, or zeros with `fill_value=0`.)

    Args:
        edge_channels: channels of the features of edges; 0: none.
        heads: `out_channels` must be a multiple.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        edge_channels: int = 0,
        heads: int = 4,
        slope: float = 0.2,
    ) -> None:
        super().__init__()
        if out_channels % heads:
            raise ConfigError(
                f"out_channels ({out_channels}) must be a multiple of heads ({heads})"
            )
        self.in_channels, self.out_channels, self.heads = in_channels, out_channels, heads
        self.edge_channels, self.slope = edge_channels, slope
        self.source = nn.Linear(in_channels, out_channels)
        self.target = nn.Linear(in_channels, out_channels)
        self.edge = nn.Linear(edge_channels, out_channels, bias=False) if edge_channels else None
        self.vector = nn.Parameter(torch.empty(heads, out_channels // heads))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self._draw()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        reset_children(self)
        self._draw()

    def _draw(self) -> None:
        nn.init.xavier_uniform_(self.vector)
        nn.init.zeros_(self.bias)

    def propagate(self, x: Tensor, prepared: Prepared, activate: bool = False) -> Tensor:
        """Attend over neighbours."""
        assert isinstance(prepared, Level), "prepared by this layer"
        source, target = self._split(self.source(x)), self._split(self.target(x))
        adjacency, edges = prepared.adjacency, prepared.edges
        if isinstance(adjacency, Adjacency):
            assert not isinstance(edges, Tensor), "a ragged level"
            out = self._ragged(source, target, adjacency, edges)
        else:
            assert adjacency is not None, "attention is along edges"
            assert not isinstance(edges, EdgeFeatures), "a dense level"
            out = self._dense(source, target, adjacency, edges)
        out = out + self.bias
        return out.relu() if activate else out

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:-1], *self.vector.shape)

    def _ragged(
        self, source: Tensor, target: Tensor, adjacency: Adjacency, edges: EdgeFeatures | None
    ) -> Tensor:
        if self.edge is None or edges is None:
            none = adjacency.col.new_full(adjacency.col.shape, -1)
            mapped = EdgeFeatures(source.flatten(1)[:0], none)
        else:
            mapped = edges.with_table(self.edge(edges.table))
        logits = pair_logits(source, target, self.vector, adjacency, mapped, self.slope)
        return softmax_sum(source, logits, adjacency)

    def _dense(
        self, source: Tensor, target: Tensor, adjacency: Tensor, edges: Tensor | None
    ) -> Tensor:
        # [graphs, i, j, heads, channels]
        inner = target.unsqueeze(-3) + source.unsqueeze(-4)
        if self.edge is not None and edges is not None:
            inner = inner + self._split(self.edge(edges))
        logits = (nn.functional.leaky_relu(inner, self.slope) * self.vector).sum(-1)
        logits = logits + log_looped(adjacency).unsqueeze(-1)
        out = torch.einsum("gijh,gjhc->gihc", logits.softmax(-2), source)
        return out.flatten(-2)

"""GatedGCN layer (Bresson & Laurent 2017, with features of edges as Dwivedi et al. 2020)."""

import torch
from torch import Tensor, nn

from graphpool.errors import check_known
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.checks import derived
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.nn.encoders.base import EdgeLayer, Prepared
from graphpool.nn.level import Level
from graphpool.nn.ops.normalise import NORMS, make_norm, normalised
from graphpool.nn.ops.products import slot_sum, take_col, take_row

# Added to the sum of gates, which may be near 0.
FLOOR = 1e-6


class GatedLayer(EdgeLayer):
    """`h_i' = U h_i + Σ_j A_ij σ(ê_ij) ⊙ V h_j / (Σ_j |A_ij| σ(ê_ij) + 1e-6)`.

    ê_ij = B h_i + C h_j + D e_ij. With `carry` the next layer has e_ij' = ReLU(norm(ê_ij)) as
    features of edges, plus e_ij with `residual` where both have as many channels. This state is a
    row per edge, unlike features, of which there are few distinct ones.

    Args:
        edge_channels: channels of the features of edges; 0: none.
        carry: whether edges have a state for another layer.
        norm: normalisation of that state, over all edges of a batch with `"batch"`.
        residual: whether the state adds up.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        edge_channels: int = 0,
        carry: bool = False,
        norm: str = "none",
        residual: bool = False,
    ) -> None:
        super().__init__()
        check_known("norm", norm, NORMS)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.edge_channels, self.carry = edge_channels, carry
        self.residual = residual and edge_channels == out_channels
        # U, V, B and C.
        self.nodes = nn.Linear(in_channels, 4 * out_channels)
        self.edge = nn.Linear(edge_channels, out_channels, bias=False) if edge_channels else None
        self.norm = make_norm(norm if carry else "none", out_channels)
        # Batch norm of edges would be over those of the padding, too.
        self.replayable = not isinstance(self.norm, nn.BatchNorm1d)

    def propagate(self, x: Tensor, prepared: Prepared, activate: bool = False) -> Tensor:
        """Sum the neighbours through their gates."""
        return self.step(x, prepared, activate)[0]

    def step(self, x: Tensor, prepared: Prepared, activate: bool) -> tuple[Tensor, Prepared]:
        """The new features of nodes, and with `carry` the level with the new state of edges."""
        assert isinstance(prepared, Level), "prepared by this layer"
        own, value, target, source = self.nodes(x).split(self.out_channels, -1)
        edges: EdgeFeatures | Tensor | None
        if isinstance(prepared.adjacency, Adjacency):
            total, edges = self._ragged(value, target, source, prepared.adjacency, prepared.edges)
        else:
            assert prepared.adjacency is not None, "gates are of edges"
            total, edges = self._dense(value, target, source, prepared.adjacency, prepared.edges)
        out = own + total
        out = out.relu() if activate else out
        return out, derived(prepared, edges=edges) if self.carry else prepared

    def _ragged(
        self,
        value: Tensor,
        target: Tensor,
        source: Tensor,
        adjacency: Adjacency,
        edges: EdgeFeatures | Tensor | None,
    ) -> tuple[Tensor, EdgeFeatures | None]:
        state = take_row(target, adjacency) + take_col(source, adjacency)
        assert not isinstance(edges, Tensor), "a ragged level"
        if self.edge is not None and edges is not None:
            state = state + edges.with_table(self.edge(edges.table)).rows()
        gate, weight = state.sigmoid(), adjacency.weight.unsqueeze(-1)
        gated = torch.cat([gate * weight * take_col(value, adjacency), gate * weight.abs()], -1)
        total, sizes = slot_sum(gated, adjacency).chunk(2, -1)
        out = total / (sizes + FLOOR)
        if not self.carry:
            return out, None
        present = adjacency.present
        old = edges.rows()[present] if self.residual and edges is not None else None
        rows = self._next(state[present], old)
        count = torch.arange(rows.shape[0], device=rows.device)
        return out, EdgeFeatures.of_slots(rows, count, present)

    def _dense(
        self,
        value: Tensor,
        target: Tensor,
        source: Tensor,
        adjacency: Tensor,
        edges: EdgeFeatures | Tensor | None,
    ) -> tuple[Tensor, Tensor | None]:
        state = target.unsqueeze(-2) + source.unsqueeze(-3)
        assert not isinstance(edges, EdgeFeatures), "a dense level"
        if self.edge is not None and edges is not None:
            state = state + self.edge(edges)
        gate, weight = state.sigmoid(), adjacency.unsqueeze(-1)
        total = (gate * weight * value.unsqueeze(-3)).sum(-2)
        out = total / ((gate * weight.abs()).sum(-2) + FLOOR)
        if not self.carry:
            return out, None
        present = adjacency != 0
        old = edges[present] if self.residual and edges is not None else None
        rows = self._next(state[present], old)
        return out, torch.zeros_like(state).index_put((present,), rows)

    def _next(self, state: Tensor, old: Tensor | None) -> Tensor:
        """The state for the next layer of the edges that there are, `[edges, out_channels]`."""
        if self.norm is not None:
            state = normalised(self.norm, state)
        state = state.relu()
        return state if old is None else old + state

"""AttPool, the attention pooling of Huang et al. (ICCV 2019), global and local.

The text of the paper was not at hand: this follows its abstract, what HAP's related work says of
it, and what the authors' program computes (github.com/hjjpku/Attention_in_Graph, `gcn1.py` with
`softmax` global or neibor, the latter with `dnorm`). Its versions differ: some of them normalise
A + I by degrees before anything else, and then the degree d of local attention is that of a
normalised matrix. Here A + I is taken as it is, so that d is a degree.
"""

from abc import abstractmethod

import torch
from torch import Tensor

from graphpool.errors import ConfigError, nearest
from graphpool.graphs.adjacency import Adjacency, lay_slots
from graphpool.graphs.checks import trusted
from graphpool.graphs.ragged import gather
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.level import Level
from graphpool.nn.ops.products import (
    segment_max,
    segment_sum,
    slot_max,
    slot_sum,
    spmm,
    spread,
    take_col,
    take_row,
)
from graphpool.nn.ops.spgemm import Sparse
from graphpool.nn.pool.topk_base import (
    ProjectionPool,
    among,
    gathered_edges,
    select_topk,
    selected,
)

CONNECTIONS = ("gathered", "induced")


class AttPool(ProjectionPool):
    """Keep the nodes with the largest attention α; each gathers what lies around it.

    With Ã = A + I, and S the rows of Ã of the kept nodes, each column divided by its sum (so that
    a node is shared among the kept ones that it touches), X' = S (α ⊙ X) and A' = S Ã Sᵀ. A node
    that touches no kept one is lost.

    S is the choice's and has no gradient; α has, by way of X'. Nodes are ranked by log α, which
    doesn't underflow; `select_topk` says how ties are broken.

    Deviations from the authors' program: every attention starts near even, where theirs draws
    weights so large that one node takes nearly all; an edge with a negative weight, which they
    don't have, attends and shares by its absolute value.

    Args:
        ratio: share of nodes to keep.
        connect: `"gathered"` is A' = S Ã Sᵀ, which joins kept nodes up to three steps apart, and
            all those around one hub: its size may be the square of their number. `"induced"` has
            the edges of A among the kept nodes.
    """

    shown = (*ProjectionPool.shown, "connect")

    def __init__(self, in_channels: int, ratio: float = 0.5, connect: str = "gathered") -> None:
        super().__init__(in_channels, ratio)
        if connect not in CONNECTIONS:
            raise ConfigError(f"unknown connect {connect!r}; {nearest(connect, CONNECTIONS)}")
        self.connect = connect

    def pool_level(self, level: Level) -> PoolOutput:
        """The nodes with most attention, and what each of them gathers."""
        x, adjacency, segments = level.ragged()
        score = self.log_attention(x @ self.weight, adjacency, segments)
        scale = 1 + x.detach().norm(dim=-1) * self.weight.detach().norm()
        index = select_topk(score, segments, self.ratio, scale)
        share = _shares(adjacency, index).to(x.dtype)
        around = spmm(adjacency, share, x * score.exp().unsqueeze(-1))
        around = around.index_select(0, index)
        if self.connect == "gathered":
            slots, ptr = gather(adjacency.row_ptr, index)
            members = Sparse(ptr, adjacency.col[slots], share[slots], adjacency.num_nodes)
            coarse = _gathered(adjacency, members)
            edges = gathered_edges(level, members, coarse)
            return selected(level, around, coarse, edges, index, score)
        return selected(level, around, *among(level, index), index, score)

    def coarse_edge_channels(self, channels: int) -> int:
        """Edges that stay keep their features; gathered ones have their number and means."""
        return channels + 1 if self.connect == "gathered" else channels

    @abstractmethod
    def log_attention(self, logit: Tensor, adjacency: Adjacency, segments: Segments) -> Tensor:
        """log α of each node, `[nodes]`, from its X w."""


class AttPoolGlobal(AttPool):
    """AttPool with α = softmax of X w over the nodes of each graph."""

    def log_attention(self, logit: Tensor, adjacency: Adjacency, segments: Segments) -> Tensor:
        """log α, which sums to 1 over a graph."""
        column = logit.unsqueeze(-1)
        column = column - spread(segment_max(column.detach(), segments), segments)
        total = segment_sum(column.exp(), segments)
        return (column - spread(total.log(), segments)).squeeze(-1)


class AttPoolLocal(AttPool):
    """AttPool with attention among neighbours, times the degree.

    α_i = d_i · Ã_ii e_i / Σ_j Ã_ij e_j with e = exp(X w) and d_i = Σ_j Ã_ij. A node competes with
    its neighbours alone, so kept nodes lie dispersed over the graph; without d_i, nodes with few
    neighbours would win by having few rivals: where all neighbours are alike, α is Ã_ii, which is
    1 but for self-loops.
    """

    def log_attention(self, logit: Tensor, adjacency: Adjacency, segments: Segments) -> Tensor:
        """log α, at most the logarithm of the degree."""
        column, looped = logit.unsqueeze(-1), _looped(adjacency).to(logit.dtype).unsqueeze(-1)
        # The largest of each neighbourhood, not of the graph: nothing then underflows to 0 / 0.
        top = slot_max(take_col(column.detach(), adjacency), adjacency)
        rivals = (take_col(column, adjacency) - take_row(top, adjacency)).exp()
        total = slot_sum(looped * rivals, adjacency)
        own = looped[adjacency.row_ptr[:-1]] * slot_sum(looped, adjacency)
        return (column - top + (own / total).log()).squeeze(-1)


def _looped(adjacency: Adjacency) -> Tensor:
    """|A| + I in the slots of A: what attention and sharing go by."""
    looped = adjacency.weight.detach().abs()
    looped[adjacency.row_ptr[:-1]] += 1
    return looped


def _shares(adjacency: Adjacency, index: Tensor) -> Tensor:
    """S in the slots of A; 0 in the rows of nodes that are not kept."""
    looped = _looped(adjacency)
    kept = torch.zeros(adjacency.num_nodes, dtype=torch.bool, device=index.device)
    kept[index] = True
    looped = looped * kept[adjacency.row]
    total = looped.new_zeros(adjacency.num_nodes).index_add(0, adjacency.col, looped)
    return looped / total.masked_fill(total == 0, 1)[adjacency.col]


def _gathered(adjacency: Adjacency, members: Sparse) -> Adjacency:
    """S Ã Sᵀ as two sparse products; S has the rows `members`."""
    nodes, count = adjacency.num_nodes, members.ptr.shape[0] - 1
    weight = adjacency.weight.detach().to(members.value.dtype).clone()
    weight[adjacency.row_ptr[:-1]] += 1
    target, source, values = _sandwich(
        (members.ptr, members.col, members.value, (count, nodes)),
        (adjacency.row_ptr, adjacency.col, weight, (nodes, nodes)),
    )
    row_ptr, _, col, values = lay_slots(source, target, values, count)
    # Symmetric if A is, but for the rounding of its entries.
    symmetric = adjacency.symmetric
    return trusted(Adjacency, row_ptr=row_ptr, col=col, weight=values, symmetric=symmetric)


Csr = tuple[Tensor, Tensor, Tensor, tuple[int, int]]


def _sandwich(outer: Csr, inner: Csr) -> tuple[Tensor, Tensor, Tensor]:
    """Row, column and value of the entries of S M Sᵀ by row; S and M as CSR."""
    if outer[1].is_cuda:
        s, m = (torch.sparse_csr_tensor(*part, check_invariants=False) for part in (outer, inner))
        made = torch.sparse.mm(torch.sparse.mm(s, m), s.t().to_sparse_csr()).to_sparse_coo()
        made = made.coalesce()
        return made.indices()[0], made.indices()[1], made.values()
    from scipy.sparse import csr_array

    s, m = (
        csr_array((part[2].numpy(), part[1].numpy(), part[0].numpy()), shape=part[3])
        for part in (outer, inner)
    )
    coarse = (s @ m @ s.T).tocsr()
    coarse.sort_indices()
    row = torch.repeat_interleave(torch.from_numpy(coarse.indptr).long().diff())
    return row, torch.from_numpy(coarse.indices).long(), torch.from_numpy(coarse.data)

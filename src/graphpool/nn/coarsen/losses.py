"""Auxiliary losses of a soft assignment M: what a good grouping should look like, as numbers.

Each loss is first a number per graph, from that graph alone, and then the mean over graphs: what a
graph is taught doesn't depend on its batch-mates, nor on how wide the batch's widest graph is.
`LOSSES` has them by name; `auxiliary_losses` weighs and averages those that are asked for.

None makes a matrix of nodes by nodes: everything is read off M, MᵀM and A' = MᵀAM. Every graph has
its own number k of clusters: columns past it are 0 in M and False in the mask. Rows of zeros are
no nodes (a dense level whose graphs differ in size has them) and count nowhere.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from graphpool.errors import ConfigError, check_known
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.level import Level
from graphpool.nn.ops.products import bag_sum, segment_mm, segment_sum
from graphpool.typing import Bool, Float

# A mean square below this is rounding: its root is taken for 0, where it has no gradient.
SQUARE_FLOOR = 1e-12


@dataclass(frozen=True, eq=False)
class LossInputs:
    """What the losses look at; what several of them need is worked out once.

    Args:
        assignment: M, `[nodes, clusters]`, or `[graphs, nodes, clusters]` of a dense level.
        coarse_adj: MᵀAM, `[graphs, clusters, clusters]`, before `connect`.
        adjacency: A of the level below, `[graphs, nodes, nodes]` of a dense one.
        segments: the graphs of a ragged level's nodes; `None` for a dense one.
        mask: `[graphs, clusters]`, which clusters a graph has; all of them if absent.
    """

    assignment: Float[Tensor, "*nodes clusters"]
    coarse_adj: Float[Tensor, "graphs clusters clusters"]
    adjacency: Adjacency | Tensor
    segments: Segments | None = None
    mask: Bool[Tensor, "graphs clusters"] | None = None

    @cached_property
    def gram(self) -> Float[Tensor, "graphs clusters clusters"]:
        """MᵀM of each graph."""
        return segment_mm(self.assignment, self.assignment, self.segments)

    @cached_property
    def sizes(self) -> Float[Tensor, "graphs clusters"]:
        """Nodes of each cluster, n_j = Σ_i M_ij."""
        return segment_sum(self.assignment, self.segments)

    @cached_property
    def nodes(self) -> Float[Tensor, " graphs"]:
        """Nodes of each graph, N; a constant, as rows sum to one whatever is learned."""
        return self.sizes.detach().sum(-1)

    @cached_property
    def real(self) -> Float[Tensor, "graphs clusters"]:
        """1 for each cluster that a graph has, 0 for the others."""
        if self.mask is None:
            return torch.ones_like(self.sizes)
        return self.mask.to(self.sizes.dtype)

    @cached_property
    def count(self) -> Float[Tensor, " graphs"]:
        """Clusters of each graph, k."""
        return self.real.sum(-1)

    @cached_property
    def inside(self) -> Float[Tensor, " graphs"]:
        """tr(MᵀAM): the weight of edges inside clusters, each seen from both ends."""
        return self.coarse_adj.diagonal(dim1=-2, dim2=-1).sum(-1)

    @cached_property
    def degree(self) -> Float[Tensor, "*nodes 1"]:
        """Weight of the edges at each node; of a directed graph the mean of in and out."""
        adjacency = self.adjacency
        if isinstance(adjacency, Tensor):
            return ((adjacency.sum(-1) + adjacency.sum(-2)) / 2).unsqueeze(-1)
        weight = adjacency.weight.unsqueeze(-1)
        into = bag_sum(weight, adjacency.slots, adjacency.row_ptr)
        if adjacency.symmetric:
            return into
        return (into + bag_sum(weight, adjacency.reverse, adjacency.reverse_ptr)) / 2

    @cached_property
    def square(self) -> Float[Tensor, " graphs"]:
        """‖A‖²_F of each graph."""
        adjacency = self.adjacency
        if isinstance(adjacency, Tensor):
            return adjacency.square().sum((-2, -1))
        assert self.segments is not None, "a sparse adjacency needs segments"
        squares = (adjacency.weight * _entries(adjacency)).unsqueeze(-1)
        bounds = adjacency.row_ptr[self.segments.ptr]
        return bag_sum(squares, adjacency.slots, bounds).squeeze(-1)


def _entries(adjacency: Adjacency) -> Tensor:
    """The entry of A at each slot: repeated edges, which lie side by side, are one entry."""
    step = torch.zeros_like(adjacency.col)
    step[1:] = (adjacency.row.diff() != 0) | (adjacency.col.diff() != 0)
    entry = step.cumsum(0)
    return torch.zeros_like(adjacency.weight).index_add(0, entry, adjacency.weight)[entry]


def cut(level: LossInputs) -> Float[Tensor, " graphs"]:
    """Share of edges between clusters, 1 - tr(MᵀAM) / tr(MᵀDM) (Bianchi et al. 2020, eq. 4).

    0 when no edge is cut, which one cluster for all nodes achieves too; 0 without edges; at most 1
    unless weights are negative.

    Deviation from the paper: 1 is added, so that nothing to gain is 0.
    """
    own = level.assignment.square().sum(-1, keepdim=True)
    total = segment_sum(level.degree * own, level.segments).squeeze(-1)
    some = total > 0
    return torch.where(some, 1 - level.inside / torch.where(some, total, 1.0), 0.0)


def orthogonality(level: LossInputs) -> Float[Tensor, " graphs"]:
    """‖MᵀM / ‖MᵀM‖_F - I/√k‖_F (Bianchi et al. 2020, eq. 4): 0 for hard clusters of equal size.

    Below √2; with one cluster 0.
    """
    norm = torch.linalg.matrix_norm(level.gram, keepdim=True)
    wanted = torch.diag_embed(level.real) / level.count.sqrt()[:, None, None]
    distance: Tensor = torch.linalg.matrix_norm(level.gram / norm - wanted)
    return distance


def balance(level: LossInputs) -> Float[Tensor, " graphs"]:
    """(k Σ_j (n_j/N)² - 1) / (k - 1): 0 when all clusters are of one size, 1 with all in one.

    0 with one cluster. It doesn't ask for hard clusters: an even share of each node has them of
    one size too.
    """
    share = level.sizes / level.nodes.unsqueeze(-1)
    spare = (level.count - 1).clamp(min=1)
    uneven = (level.count * share.square().sum(-1) - 1) / spare
    return torch.where(level.count > 1, uneven, 0.0)


def link(level: LossInputs) -> Float[Tensor, " graphs"]:
    """‖A - MMᵀ‖_F / N (Ying et al. 2018, L_LP): joined nodes should share clusters.

    The square is ‖A‖² - 2 tr(MᵀAM) + ‖MᵀM‖², which takes no matrix of nodes by nodes.

    Deviation from the paper: it is divided by the graph's own N, which makes it the root mean
    square over all pairs of nodes, alike for small and large graphs and at most 1 for edges of
    weight 1. (PyG divides by N² and by the padding of the batch.)
    """
    square = level.square - 2 * level.inside + level.gram.square().sum((-2, -1))
    mean = square / level.nodes.square()
    some = mean > SQUARE_FLOOR
    return torch.where(some, torch.where(some, mean, 1.0).sqrt(), 0.0)


def entropy(level: LossInputs) -> Float[Tensor, " graphs"]:
    """Mean over nodes of -Σ_j M_ij log M_ij (Ying et al. 2018, L_E): 0 hard, log k even."""
    share = level.assignment
    # A share of exactly 0 has an infinite slope, which times 0 would be NaN.
    log = share.clamp(min=torch.finfo(share.dtype).tiny).log()
    rows = -(share * log).sum(-1, keepdim=True)
    return segment_sum(rows, level.segments).squeeze(-1) / level.nodes


def modularity(level: LossInputs) -> Float[Tensor, " graphs"]:
    """-tr(Sᵀ B S) / 2m with B = A - d dᵀ / 2m (Tsitsulin et al. 2023).

    Minus the modularity of the clusters: above -1, 0 when all nodes are in one or shared evenly,
    0 without edges. B is never made: tr(Sᵀ B S) is tr(Sᵀ A S) - ‖Sᵀ d‖² / 2m. A directed graph
    counts as the mean of its two directions.
    """
    held = segment_sum(level.degree * level.assignment, level.segments)
    total = segment_sum(level.degree, level.segments).squeeze(-1)
    some = total > 0
    total = torch.where(some, total, 1.0)
    gain = level.inside / total - (held / total.unsqueeze(-1)).square().sum(-1)
    return torch.where(some, -gain, 0.0)


def collapse(level: LossInputs) -> Float[Tensor, " graphs"]:
    """√k ‖Σ_i S_i‖ / N - 1 (Tsitsulin et al. 2023): 0 for even sizes, √k - 1 at worst."""
    size: Tensor = torch.linalg.vector_norm(level.sizes, dim=-1)
    return level.count.sqrt() * size / level.nodes - 1


LOSSES: dict[str, Callable[[LossInputs], Tensor]] = {
    "cut": cut,
    "orthogonality": orthogonality,
    "balance": balance,
    "link": link,
    "entropy": entropy,
    "modularity": modularity,
    "collapse": collapse,
}


def check_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights that are not 0; a name that is no loss, or a negative weight, is an error."""
    for name, weight in weights.items():
        check_known("loss", name, LOSSES)
        if not 0 <= weight < float("inf"):
            raise ConfigError(f"the weight of the loss {name!r} is {weight}; it must be 0 or more")
    return {name: weight for name, weight in weights.items() if weight}


def auxiliary_losses(
    weights: Mapping[str, float],
    assignment: Tensor,
    coarse_adj: Tensor,
    level: Level,
    mask: Tensor | None = None,
) -> dict[str, Tensor]:
    """Weight times mean over graphs of each loss, scalars by name, as `PoolOutput.losses` has them.

    `weights` are as `check_weights` returns them, `level` is what was pooled; see `LossInputs`.
    """
    assert level.adjacency is not None, "losses look at the edges"
    inputs = LossInputs(assignment, coarse_adj, level.adjacency, level.segments, mask)
    return {name: weight * LOSSES[name](inputs).mean() for name, weight in weights.items()}

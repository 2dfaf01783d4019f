"""Places: which nodes of a graph belong together, from its edges alone.

A graph's places are a partition of high modularity, found as in Louvain's method by moving nodes
and merging clusters. The partition doesn't depend on the node numbering: relabelled nodes keep
their clusters, also in symmetric and disconnected graphs. To ensure this, all sums are integers,
nodes that refinement can't distinguish are moved together or not at all, and tied clusters are
merged. As a result, a cycle, a complete graph or any graph whose nodes all look alike is one
cluster. Components are joined only if there are more than `PlaceRule.most`.

Both directions of an edge count equally (A + Aᵀ), and only the ratios of weights matter.
Self-loops and weights that are negative, zero or not finite are ignored; so are labels and
features.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from graphpool.errors import DataError, InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.checks import FLOATS, INTEGERS, check_range, check_tensor, trusted
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.places.cache import CACHE, Graphs, Result
from graphpool.graphs.places.rings import ring_parts
from graphpool.graphs.places.rule import MOST_EDGES, SIXTEENTHS, PlaceRule
from graphpool.graphs.segments import Segments

# Smaller than every nonzero share, (2 · degree)^-steps.
TINY = 1e-37


class Places:
    """The clusters of several graphs, concatenated along the nodes.

    Args:
        cluster: `[nodes]` int64, the cluster of each node, numbered from 0 in each graph.
        counts: `[graphs]` int64, the number of clusters of each graph.
        share: `[nodes, width]` float32, the share of each cluster in a node; rows sum to 1, and
            columns beyond a graph's number of clusters are 0. Without it the places are hard:
            every node belongs to its cluster alone, and the memory is linear in the nodes,
            however many clusters there are.

    Attributes:
        soft: the given shares; None for hard places.
        width: the number of columns of `share`, at least the largest count.
    """

    cluster: Tensor
    counts: Tensor
    soft: Tensor | None
    width: int

    def __init__(self, cluster: Tensor, counts: Tensor, share: Tensor | None = None) -> None:
        check_tensor("cluster", cluster, INTEGERS, (None,))
        nodes, device = cluster.shape[0], cluster.device
        check_tensor("counts", counts, INTEGERS, (None,), device)
        dtypes = {cluster.dtype, counts.dtype, torch.int64}
        if share is not None:
            check_tensor("share", share, FLOATS, (nodes, None), device)
        if dtypes != {torch.int64} or (share is not None and share.dtype is not torch.float32):
            raise InputError("places have int64 clusters and counts, and float32 shares")
        self.cluster, self.counts, self.soft = cluster, counts, share
        self.width = _largest(counts) if share is None else share.shape[1]
        check_range("counts", counts, 1, self.width)
        check_range("cluster", cluster, 0, self.width - 1)

    def __repr__(self) -> str:
        kind = "hard" if self.soft is None else "soft"
        graphs, nodes = self.counts.shape[0], self.cluster.shape[0]
        return f"Places({kind}, graphs={graphs}, nodes={nodes}, width={self.width})"

    def check(self, nodes: int, graphs: int) -> None:
        """Refuse places of other graphs, by their numbers of nodes and graphs."""
        if self.cluster.shape[0] != nodes or self.counts.shape[0] != graphs:
            raise InputError(
                f"places of {self.cluster.shape[0]} nodes in {self.counts.shape[0]} graphs for "
                f"{nodes} nodes in {graphs} graphs"
            )

    @cached_property
    def share(self) -> Tensor:
        """The shares `[nodes, width]`; those of hard places are 0 and 1, made when asked for."""
        if self.soft is not None:
            return self.soft
        zeros = torch.zeros(self.cluster.shape[0], self.width, device=self.cluster.device)
        return zeros.scatter_(1, self.cluster.unsqueeze(-1), 1.0)

    @cached_property
    def log(self) -> Tensor:
        """Logarithms of the shares, `[nodes, width]`, with zeros clamped to `TINY`."""
        return self.share.clamp(min=TINY).log()

    @cached_property
    def columns(self) -> Tensor:
        """Shares and their logarithms, contiguous along the nodes, `[2, width, nodes]`.

        The logarithms in columns beyond a graph's number of clusters are undefined.
        """
        return torch.stack([self.share.t(), self.log.t()])

    @cached_property
    def mask(self) -> ClusterMask:
        """Mask of the clusters that each graph has, out of `width`."""
        return ClusterMask.first(self.counts, self.width)

    def widened(self, width: int) -> "Places":
        """Return the same places with at least `width` columns."""
        if width <= self.width:
            return self
        soft = self.soft
        if soft is not None:
            soft = torch.nn.functional.pad(soft, (0, width - self.width))
        return trusted(Places, cluster=self.cluster, counts=self.counts, soft=soft, width=width)

    def take(self, node: Tensor, index: Tensor) -> "Places":
        """Select the places of the graphs `index` `[graphs]`, whose nodes are `node` `[nodes]`."""
        counts = self.counts.index_select(0, index)
        cluster = self.cluster.index_select(0, node)
        width = _largest(counts)
        soft = self.soft
        if soft is not None:
            soft = soft.index_select(0, node)
            if width < self.width:
                soft = soft[:, :width].contiguous()
        return trusted(Places, cluster=cluster, counts=counts, soft=soft, width=width)

    @classmethod
    def join(cls, parts: Sequence["Places"]) -> "Places":
        """Return the places of all graphs, those of one part after those of the other."""
        width = max(part.width for part in parts)
        soft = None
        if any(part.soft is not None for part in parts):
            soft = torch.cat(
                [torch.nn.functional.pad(each.share, (0, width - each.width)) for each in parts]
            )
        return trusted(
            cls,
            cluster=torch.cat([part.cluster for part in parts]),
            counts=torch.cat([part.counts for part in parts]),
            soft=soft,
            width=width,
        )

    def batch(self, node: Tensor, index: Tensor, ptr: Tensor) -> "Places":
        """Do the same as `take`, faster and with `columns`; `ptr` is where each graph begins."""
        if self.soft is None or not self.soft.is_cpu or not index.shape[0]:
            return self.take(node, index)
        from graphpool.graphs.places.compiled import gather_columns

        counts = self.counts.index_select(0, index)
        cluster = self.cluster.index_select(0, node)  # which checks the positions
        width = _largest(counts)
        columns = self.soft.new_zeros(2, width, node.shape[0])
        gather_columns(
            self.soft.numpy(), self.log.numpy(), node.numpy(), ptr.numpy(), counts.numpy(),
            columns.numpy(),
        )  # fmt: skip
        soft = columns[0].t()
        taken = trusted(Places, cluster=cluster, counts=counts, soft=soft, width=width)
        taken.__dict__["columns"] = columns
        return taken

    def to(self, device: torch.device | str) -> "Places":
        """Move the places to a device; returns `self` if they are already there."""
        if torch.device(device) == self.cluster.device:
            return self
        return trusted(
            Places,
            cluster=self.cluster.to(device),
            counts=self.counts.to(device),
            soft=None if self.soft is None else self.soft.to(device),
            width=self.width,
        )


def _largest(counts: Tensor) -> int:
    return int(counts.max()) if counts.shape[0] else 0


def places_of(
    adjacency: Adjacency, segments: Segments, rule: PlaceRule, *, local: bool = False
) -> Places:
    """Find the places of graphs given as raw tensors, on any device; computed on the CPU.

    Each graph is searched only once per process; see `cache`. With `local`, the columns of
    `adjacency` count from the first node of each graph.
    """
    if rule.learned:
        raise DataError(
            f"the graphs have no parts of the learned rule {rule.learned}, which needs labels; "
            "give them with RecurringParts.attach(graphs)"
        )
    ptr = segments.ptr.cpu().numpy()
    row_ptr, col = adjacency.row_ptr.cpu().numpy(), adjacency.col.int().cpu().numpy()
    widest = int(np.diff(row_ptr[ptr]).max(initial=0))
    if widest > MOST_EDGES:
        raise DataError(
            f"a graph has {widest} edges; places are found in graphs of up to {MOST_EDGES}"
        )
    if not local:
        col = col - np.repeat(ptr[:-1], np.diff(row_ptr[ptr])).astype(col.dtype)
    weight = adjacency.weight.detach().float().cpu().numpy()
    symmetric = adjacency.symmetric
    cluster, counts, share = CACHE.find(
        Graphs(row_ptr, col, weight, ptr),
        (rule, symmetric),
        lambda graphs: _search(graphs, rule, symmetric),
    )
    places = trusted(
        Places,
        cluster=torch.from_numpy(cluster),
        counts=torch.from_numpy(counts),
        soft=None if share is None else torch.from_numpy(share),
        width=int(counts.max(initial=0)),
    )
    return places.to(adjacency.col.device)


def _search(graphs: Graphs, rule: PlaceRule, symmetric: bool) -> Result:
    """Return the cluster of each node, the number of clusters of each graph, and soft shares."""
    from graphpool.graphs.places.compiled import find_places, walk

    row_ptr, col, weight, ptr = graphs
    wanted = np.zeros(len(ptr) - 1, dtype=np.int64)
    if rule.count == "eigengap":
        from graphpool.graphs.places.eigengap import eigengaps

        wanted = np.minimum(eigengaps(row_ptr, col, weight, ptr), rule.most)
    elif rule.count != "auto":
        wanted = np.array([rule.wanted(int(nodes)) for nodes in np.diff(ptr)], dtype=np.int64)
    resolution = max(1, round(rule.resolution * SIXTEENTHS))
    if rule.units == "none":
        label, counts = np.zeros(int(ptr[-1]), dtype=np.int64), np.zeros_like(wanted)
        most = np.full_like(wanted, rule.most)
        find_places(*graphs, symmetric, resolution, wanted, most, label, counts)
    else:
        label, counts = ring_parts(graphs, rule, symmetric, resolution, wanted)
    if rule.steps == 0:
        return label, counts, None
    share = np.zeros((len(label), int(counts.max(initial=0))), dtype=np.float32)
    walk(*graphs, symmetric, rule.steps, label, counts, share)
    return label, counts, share

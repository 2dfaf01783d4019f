"""A flat pooler where a coarsening stands: the whole graph becomes one cluster."""

from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.base import read_level
from graphpool.nn.coarsen.outputs import Coarsened
from graphpool.nn.ops.cluster_mask import Rows
from graphpool.nn.pool.flat import FlatPool


class OneCluster(nn.Module):
    """X' is the vector that a flat pooler reads from a graph; its one cluster has no edges.

    HAP's ablation puts MeanPool and MeanAttPool in the place of the coarsening module and says no
    more. As they make one vector of a graph, we read it as a coarsening to one cluster: what
    follows is a graph of one node. Every node belongs to the cluster wholly, and a loop at the
    only node would tell an encoder nothing but the graph's size.

    Args:
        pool: with as many channels out as in.
    """

    clusters = 1

    def __init__(self, pool: FlatPool) -> None:
        super().__init__()
        if pool.out_channels != pool.in_channels:
            raise ValueError(
                f"a cluster has the channels of a node; {pool} makes {pool.out_channels} of "
                f"{pool.in_channels}"
            )
        self.pool = pool

    def forward(
        self,
        x: Tensor,
        adjacency: Tensor | Adjacency,
        batch: Tensor | Segments | Rows | None = None,
    ) -> Coarsened:
        """Coarsen every graph of a batch; arguments as for `Grouping`."""
        _, segments, rows = read_level(x, adjacency, batch)
        vector: Tensor = self.pool(x, segments, rows)
        share = x.new_ones(*x.shape[:-1], 1)
        return Coarsened(
            x=vector.unsqueeze(1),
            adj=vector.new_zeros(vector.shape[0], 1, 1),
            assignment=share if rows is None else rows.keep(share),
            segments=segments,
        )

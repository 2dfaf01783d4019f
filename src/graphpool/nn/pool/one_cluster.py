"""A flat pooler in place of a coarsening: the whole graph becomes one cluster."""

from graphpool.errors import ConfigError
from graphpool.nn.coarsen.base import Pooler
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.level import Level
from graphpool.nn.pool.flat import FlatPool


class OneCluster(Pooler[PoolOutput]):
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
            raise ConfigError(
                f"a cluster has the channels of a node; {pool} makes {pool.out_channels} of "
                f"{pool.in_channels}"
            )
        self.pool, self.in_channels = pool, pool.in_channels

    def pool_level(self, level: Level) -> PoolOutput:
        """Coarsen every graph to one cluster."""
        vector = self.pool.pool_level(level)
        share = level.x.new_ones(*level.x.shape[:-1], 1)
        return PoolOutput(
            Level(vector.unsqueeze(1), vector.new_zeros(vector.shape[0], 1, 1)),
            assignment=share if level.mask is None else level.mask.keep(share),
            node_segments=level.segments,
        )

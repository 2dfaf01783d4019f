"""Flat poolers: one vector per graph, from a ragged or a dense level."""

from torch import Tensor

from graphpool.errors import ConfigError
from graphpool.graphs.checks import trusted
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.base import Pooler
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.level import Level
from graphpool.nn.ops.products import segment_max, segment_sum, spread
from graphpool.nn.readout import Readout
from graphpool.typing import Float


class FlatPool(Pooler[Tensor]):
    """A pooler to one vector per graph: a readout that learns.

    A subclass writes `pool_level`, which returns `[graphs, out_channels]`, and sets `in_channels`
    and `out_channels`. `Level.flat` gives it the nodes of a dense level without padding.
    """

    in_channels: int
    out_channels: int


class ReducePool(FlatPool):
    """Sum, mean or maximum over the nodes, as a module: SumPool, MeanPool, MaxPool.

    Args:
        reductions: any of `"sum"`, `"mean"`, `"max"`; of several the results stand side by side.
    """

    shown = ("in_channels", "reductions")

    def __init__(self, in_channels: int, reductions: tuple[str, ...] = ("sum",)) -> None:
        super().__init__()
        self.reductions, self.readout = reductions, Readout(reductions)
        self.in_channels, self.out_channels = in_channels, self.readout.width(in_channels)

    def pool_level(self, level: Level) -> Tensor:
        """Reduce the nodes of each graph."""
        x, segments = level.flat()
        return self.readout(trusted(Level, x=x, segments=segments))


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
            trusted(
                Level, x=vector.unsqueeze(1), adjacency=vector.new_zeros(vector.shape[0], 1, 1)
            ),
            assignment=share if level.mask is None else level.mask.keep(share),
            node_segments=level.segments,
        )


def segment_softmax(
    score: Float[Tensor, "nodes channels"], segments: Segments
) -> Float[Tensor, "nodes channels"]:
    """Softmax over the nodes of each graph, channel by channel."""
    # Without its maximum, which changes nothing, no exponential overflows.
    share = (score - spread(segment_max(score.detach(), segments), segments)).exp()
    return share / spread(segment_sum(share, segments), segments)

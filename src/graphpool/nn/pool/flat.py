"""Flat poolers: one vector per graph, from a ragged or a dense level."""

from torch import Tensor

from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.base import Pooler
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
        return self.readout(Level(x, segments=segments))


def segment_softmax(
    score: Float[Tensor, "nodes channels"], segments: Segments
) -> Float[Tensor, "nodes channels"]:
    """Softmax over the nodes of each graph, channel by channel."""
    # Without its maximum, which changes nothing, no exponential overflows.
    share = (score - spread(segment_max(score.detach(), segments), segments)).exp()
    return share / spread(segment_sum(share, segments), segments)

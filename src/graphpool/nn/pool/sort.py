"""SortPool, the SortPooling layer of DGCNN and the convolutions behind it (AAAI 2018)."""

import math

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError, check_whole
from graphpool.graphs.segments import Segments
from graphpool.nn.level import Level
from graphpool.nn.module import MOST
from graphpool.nn.pool.flat import FlatPool
from graphpool.typing import Float, Int


class SortPool(FlatPool):
    """The first `k` nodes in the order of their last channel, read like a sequence.

    Zhang et al. sort the nodes of a graph by their last channel, largest first, and keep k of
    them, with zeros where a graph has fewer. Over the k nodes goes a layer per node, ReLU, the
    maximum of each two neighbours, a convolution over five of these, and ReLU. What comes out is
    laid flat.

    Ties: nodes equal in the last channel are ordered by the one before it, and so on, as the paper
    has it (its released code, and PyG, leave ties to the numbering). Nodes equal in all channels
    are interchangeable, so the result doesn't depend on the numbering of nodes. That matters
    behind ReLU, where the last channel of many nodes is exactly 0. Values that are equal on paper
    and differ by rounding are not ties.

    Deviations from the paper: its nodes bring the outputs of all encoder layers (`ConcatNetwork`
    with this pooler does that), made by tanh and the last one a single channel; the convolution
    spans fewer than five where k is below 10.

    Args:
        k: nodes to keep; `nodes_to_keep` gives the paper's choice for a collection. In a network
            by name it is the first of `clusters`, if there are any.
        channels: of the layer per node and of the convolution.
        span: nodes, after taking maxima of two, that the convolution sees at once.
    """

    shown = ("k",)

    def __init__(
        self, in_channels: int, k: int = 30, channels: tuple[int, int] = (16, 32), span: int = 5
    ) -> None:
        super().__init__()
        if len(channels) != 2:
            raise ConfigError(f"channels are {channels}; give two numbers, such as (16, 32)")
        for number in channels:
            check_whole("a number of channels", number, 1, MOST)
        if k < 1:
            raise ConfigError(f"k is {k}; SortPool needs to keep at least 1 node")
        if span < 1:
            raise ConfigError(f"span is {span}; the convolution needs at least 1")
        self.in_channels, self.k = in_channels, k
        self.pair = min(2, k)
        length = k // self.pair
        self.each = nn.Linear(in_channels, channels[0])
        self.along = nn.Conv1d(channels[0], channels[1], min(span, length))
        self.out_channels = channels[1] * (length - min(span, length) + 1)

    def pool_level(self, level: Level) -> Tensor:
        """Sort, select, convolve."""
        x, segments = level.flat()
        hidden = self.each(first_nodes(x, segments, self.k)).relu()
        hidden = nn.functional.max_pool1d(hidden.mT, self.pair)
        return self.along(hidden).relu().flatten(1)  # type: ignore[no-any-return]


def first_nodes(
    x: Float[Tensor, "nodes channels"], segments: Segments, k: int
) -> Float[Tensor, "graphs k channels"]:
    """The k nodes of each graph with the largest last channels, in order; zeros behind them."""
    order = order_by_last_channel(x, segments)
    end = segments.ptr[1:, None]
    position = segments.ptr[:-1, None] + torch.arange(k, device=x.device)
    taken = order[position.minimum(end - 1)]
    missing = (position >= end).unsqueeze(-1)
    kept = x.index_select(0, taken.flatten()).view(*taken.shape, -1)
    return kept.masked_fill(missing, 0.0)


@torch.no_grad()
def order_by_last_channel(
    x: Float[Tensor, "nodes channels"], segments: Segments
) -> Int[Tensor, " nodes"]:
    """The nodes graph by graph, largest last channel first, ties by the channel before it, ….

    One comparison sort of whole rows, which hardly ever looks past the first difference.
    """
    # NaN has no place in an order and would break the sort; what is wrong shows in the values.
    keys = x.detach().nan_to_num().flip(-1)
    rank: Tensor = torch.unique(keys, dim=0, return_inverse=True)[1]
    return (segments.batch * x.shape[0] - rank).argsort(stable=True)


def nodes_to_keep(counts: Int[Tensor, " graphs"], share: float = 0.6) -> int:
    """The paper's k: the largest that at least `share` of the training graphs have nodes for."""
    if not 0 < share <= 1:
        raise ConfigError(f"share is {share}; it must be above 0 and at most 1")
    largest = counts.sort(descending=True).values
    return int(largest[math.ceil(share * counts.shape[0] - 1e-9) - 1])

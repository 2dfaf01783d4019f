"""What every flat pooler offers: one vector per graph, from a ragged or a dense level."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from graphpool.graphs.segments import Segments
from graphpool.nn.ops.cluster_mask import Rows
from graphpool.nn.ops.products import segment_max, segment_sum, spread
from graphpool.nn.readout import Readout
from graphpool.typing import Float


class FlatPool(nn.Module, ABC):
    """A readout that learns.

    A pooler writes `pool` for ragged nodes; a dense level is laid flat before, its rows that are
    no nodes left out, so that padding can't reach the result.
    """

    in_channels: int
    out_channels: int

    def forward(
        self, x: Tensor, batch: Segments | Tensor | None = None, rows: Rows | None = None
    ) -> Tensor:
        """One row per graph, `[graphs, out_channels]`.

        Args:
            x: `[nodes, in_channels]`, or dense `[graphs, nodes, in_channels]`.
            batch: of ragged nodes `Segments`, or the graph of each node, sorted; one graph if
                absent.
            rows: those of a dense level that are nodes; all of them if absent.
        """
        if x.shape[-1] != self.in_channels:
            raise ValueError(f"features {tuple(x.shape)} do not have {self.in_channels} channels")
        return self.pool(*lay_flat(x, batch, rows))

    @abstractmethod
    def pool(
        self, x: Float[Tensor, "nodes channels"], segments: Segments
    ) -> Float[Tensor, "graphs pooled"]:
        """The same for ragged nodes."""


class ReducePool(FlatPool):
    """Sum, mean or maximum over the nodes, as a module: SumPool, MeanPool, MaxPool.

    Args:
        in_channels: channels of the node features.
        reductions: any of `"sum"`, `"mean"`, `"max"`; of several the results stand side by side.
    """

    def __init__(self, in_channels: int, reductions: tuple[str, ...] = ("sum",)) -> None:
        super().__init__()
        self.readout = Readout(reductions)
        self.in_channels, self.out_channels = in_channels, self.readout.width(in_channels)

    def pool(self, x: Tensor, segments: Segments) -> Tensor:
        """Reduce the nodes of each graph."""
        return self.readout(x, segments)

    def extra_repr(self) -> str:
        """What `print(module)` adds."""
        return f"{self.in_channels}, {self.readout.reductions}"


def lay_flat(
    x: Tensor, batch: Segments | Tensor | None, rows: Rows | None
) -> tuple[Tensor, Segments]:
    """The nodes of a ragged or a dense level one graph after the other, and whose they are."""
    if x.ndim == 3:
        if batch is not None:
            raise ValueError(f"features {tuple(x.shape)} are dense and take Rows, not Segments")
        if rows is not None:
            return rows.compact(x), rows.segments
        return x.flatten(0, 1), Segments.equal(x.shape[0], x.shape[1], x.device)
    if rows is not None:
        raise ValueError(f"features {tuple(x.shape)} are ragged and need Segments, not Rows")
    if batch is None:
        batch = torch.zeros(x.shape[0], dtype=torch.long, device=x.device)
    return x, batch if isinstance(batch, Segments) else Segments.from_batch(batch)


def segment_softmax(
    score: Float[Tensor, "nodes channels"], segments: Segments
) -> Float[Tensor, "nodes channels"]:
    """Softmax over the nodes of each graph, channel by channel."""
    # Without its maximum, which changes nothing, no exponential overflows.
    share = (score - spread(segment_max(score.detach(), segments), segments)).exp()
    return share / spread(segment_sum(share, segments), segments)

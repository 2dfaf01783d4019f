"""What every encoder layer offers: one set of weights, ragged and dense."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar, cast

from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.ops.cluster_mask import Rows

Prepared = TypeVar("Prepared")


class EncoderLayer(nn.Module, ABC, Generic[Prepared]):
    """One round of message passing.

    `forward(x, adjacency)` takes a ragged batch (`x` `[nodes, in_channels]` with an `Adjacency`)
    or a dense one (`x` `[graphs, nodes, in_channels]` with weights `[graphs, nodes, nodes]`, where
    entry (i, j) is the edge from j to i). What depends on the adjacency alone is done by
    `prepare`, once for all layers of an encoder.
    """

    in_channels: int
    out_channels: int

    def forward(self, x: Tensor, adjacency: Adjacency | Tensor) -> Tensor:
        """New node features, `[..., out_channels]`."""
        return self.propagate(x, self.prepare(adjacency))

    @abstractmethod
    def prepare(self, adjacency: Adjacency | Tensor) -> Prepared:
        """Work out what depends on the adjacency alone."""

    @abstractmethod
    def propagate(self, x: Tensor, prepared: Prepared, activate: bool = False) -> Tensor:
        """Pass messages over a prepared adjacency; `activate` adds ReLU, in the same step."""

    @classmethod
    def run_stack(
        cls,
        layers: Sequence[nn.Module],
        x: Tensor,
        prepared: Prepared,
        column: Tensor | None = None,
        rows: Rows | None = None,
    ) -> Tensor:
        """Several layers of this kind, each with ReLU, one after the other.

        `column` says where the 1 of each node stands when `x` is one-hot; it may save work.
        `rows` are those that count in a dense batch; the others come out as zeros.
        """
        for layer in layers:
            x = cast("EncoderLayer[Prepared]", layer).propagate(x, prepared, activate=True)
        return x if rows is None else rows.keep(x)

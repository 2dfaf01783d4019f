"""What every encoder layer offers: one set of weights, ragged and dense."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from torch import Tensor

from graphpool.errors import InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.nn.arguments import Batch, Edges, Features, read_level
from graphpool.nn.level import Level
from graphpool.nn.module import Module

# What `prepare` makes of a level: its adjacency, of a dense one a matrix; or the level.
Prepared = Adjacency | Tensor | Level


class MessagePassing(Module, ABC):
    """A module from node features to node features: an encoder, or one layer of it.

    It is called with a `Level`, or as the layers of PyTorch Geometric are called.
    """

    in_channels: int
    out_channels: int
    edge_channels: int = 0  # of the features of edges that it uses
    replayable = True

    def forward(
        self,
        x: Features,
        edge_index: Edges = None,
        edge_weight: Tensor | None = None,
        batch: Batch = None,
        edge_attr: Tensor | EdgeFeatures | None = None,
    ) -> Tensor:
        """New node features, `[..., out_channels]`.

        Args:
            x: `[nodes, in_channels]`, or dense `[graphs, nodes, in_channels]`; or a `Level` or a
                `GraphBatch`, alone.
            edge_index: `[2, edges]`, or an `Adjacency`; of dense features weights
                `[graphs, nodes, nodes]`, where entry (i, j) is the edge from j to i.
            edge_weight: `[edges]`; 1 for every edge if absent.
            batch: `[nodes]`, the graph of each node, sorted; of dense features a mask
                `[graphs, nodes]`, and zeros come out for rows that are no nodes.
            edge_attr: `[edges, edge_channels]`, features of edges, for modules that use them; of
                dense features `[graphs, nodes, nodes, edge_channels]`.
        """
        return self.encode(read_level(x, edge_index, batch, edge_weight, self, edge_attr))

    @abstractmethod
    def encode(self, level: Level) -> Tensor:
        """New node features of a level."""


class EncoderLayer(MessagePassing):
    """One round of message passing.

    What depends on the adjacency alone is done by `prepare`, once for all layers of an encoder.
    """

    def encode(self, level: Level) -> Tensor:
        """New node features of a level."""
        return level.keep(self.propagate(level.x, self.prepare(level)))

    def prepare(self, level: Level) -> Prepared:
        """Work out what depends on the edges alone; by default their adjacency as it is."""
        return edges_of(level)

    @abstractmethod
    def propagate(self, x: Tensor, prepared: Prepared, activate: bool = False) -> Tensor:
        """Pass messages over prepared edges; `activate` adds ReLU, in the same step."""

    def step(self, x: Tensor, prepared: Prepared, activate: bool) -> tuple[Tensor, Prepared]:
        """Propagate, and return what the next layer takes: edges may have a state as nodes do."""
        return self.propagate(x, prepared, activate), prepared

    @classmethod
    def run_stack(cls, layers: Sequence["EncoderLayer"], level: Level) -> Tensor:
        """Several layers of this kind, each with ReLU, one after the other."""
        x, prepared = level.x, layers[0].prepare(level)
        for layer in layers:
            x, prepared = layer.step(x, prepared, activate=True)
        return level.keep(x)


class EdgeLayer(EncoderLayer):
    """A layer that uses features of edges, where there are any."""

    def prepare(self, level: Level) -> Prepared:
        """The level itself."""
        edges_of(level)
        return level


def edges_of(level: Level) -> Adjacency | Tensor:
    """The adjacency of a level; one without is an error."""
    if level.adjacency is None:
        raise InputError("messages pass along edges; give edge_index, or a dense adjacency")
    return level.adjacency

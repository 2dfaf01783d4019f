"""The encode-coarsen loop: a graph classifier as one sentence, head(readout(levels(graph)))."""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.coarsen.outputs import PoolOutput, Trace
from graphpool.nn.encoders import Encoder
from graphpool.nn.head import Head
from graphpool.nn.label_embedding import embed_labels, reset_labels
from graphpool.nn.level import Level
from graphpool.nn.module import Module, reset
from graphpool.nn.pool.flat import FlatPool
from graphpool.nn.readout import Readout


class GraphNetwork(Module, ABC):
    """A network over graphs: everything that it makes is in its `trace`."""

    @abstractmethod
    def trace(self, batch: GraphBatch) -> Trace:
        """Run the whole model and keep every level."""

    def forward(self, batch: GraphBatch) -> Tensor:
        """Logits, `[graphs, classes]`."""
        return self.trace(batch).logits

    def embed(self, batch: GraphBatch) -> Tensor:
        """Graph vectors h_G, `[graphs, embedding_channels]`."""
        return self.trace(batch).embedding

    def levels(self, batch: GraphBatch) -> tuple[PoolOutput, ...]:
        """One `PoolOutput` (features, adjacency, assignment or selection) per pooling module."""
        return self.trace(batch).levels

    def measure(self, graphs: GraphSet) -> None:
        """Set constants that depend on the training graphs; by default there are none.

        What is set is kept with the weights.
        """


class Hierarchy(GraphNetwork):
    """Encoder, coarsening, encoder, coarsening, …, readout, two fully connected layers.

    With no coarsening it is a flat network: encoder and readout.

    Args:
        encoders: one before each coarsening, and one for the last level if there is one more.
        coarsenings: group or Top-K poolers such as `HAPCoarsening`, which make a `PoolOutput` of a
            `Level`. An attribute `clusters` says how many nodes it has at most.
        readouts: one per level, nodes first, each a `Readout` or a flat pooler: the graph vector
            is the concatenation of what they read; `None` leaves a level out.
        out_channels: classes; 0 leaves the head out; see `Head`.
        dropout: before the last layer, while training.
        compare_last: whether nodes and clusters of graphs are compared at the last level alone.

    Attributes:
        level_channels: channels of each level in the `nodes` of a trace.
        level_edges: whether each of them has sparse edges.
        compared_levels: which of them are compared; none if that is a last single cluster.
    """

    def __init__(
        self,
        encoders: Sequence[Encoder],
        coarsenings: Sequence[nn.Module],
        readouts: Sequence[Readout | FlatPool | None],
        out_channels: int,
        dropout: float = 0.0,
        compare_last: bool = False,
    ) -> None:
        super().__init__()
        if len(encoders) - len(coarsenings) not in (0, 1) or not encoders:
            raise ValueError(f"{len(encoders)} encoders for {len(coarsenings)} coarsenings")
        if len(readouts) != len(coarsenings) + 1 or not any(readouts):
            raise ValueError(f"{len(readouts)} readouts for {len(coarsenings) + 1} levels")
        self.encoders, self.coarsenings = nn.ModuleList(encoders), nn.ModuleList(coarsenings)
        self.readouts = tuple(readouts)
        # A dense level does not say which of its graphs are padding.
        dense = itertools.chain.from_iterable(each.modules() for each in encoders[1:])
        self.replayable = not any(isinstance(each, nn.BatchNorm1d) for each in dense)
        # Registered, so that the weights of readouts that learn are found.
        self.learned = nn.ModuleList(item for item in readouts if isinstance(item, nn.Module))
        hidden = encoders[-1].out_channels
        nodes = [None, *(getattr(module, "clusters", None) for module in coarsenings)]
        channels = [encoder.out_channels for encoder in encoders] + [hidden]
        self.vector_channels = tuple(
            _width(readout, width, count)
            for readout, width, count in zip(readouts, channels, nodes, strict=False)
            if readout
        )
        # A last level of one cluster says nothing that the one before it does not.
        kept = len(readouts) - (nodes[-1] == 1)
        self.level_channels = tuple(channels[:kept])
        self.level_edges = tuple(count is None for count in nodes[:kept])
        first = len(coarsenings) if compare_last else 0
        self.compared_levels = tuple(range(first, kept))
        self.embedding_channels = sum(self.vector_channels)
        self.head = Head(self.embedding_channels, hidden, out_channels, dropout)

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        for part in self._in_order_of_construction():
            reset(part)
        reset_labels(self)

    def _in_order_of_construction(self) -> tuple[nn.Module, ...]:
        """Parts in the order in which the networks of this library make them."""
        if not self.coarsenings:
            return self.learned, self.encoders, self.head
        return self.coarsenings, self.encoders, self.learned, self.head

    def trace(self, batch: GraphBatch) -> Trace:
        """Run the whole model and keep every level."""
        level = Level.from_batch(embed_labels(self, batch))
        outputs: list[PoolOutput] = []
        vectors: list[Tensor] = []
        nodes: list[Level] = []
        encoders = cast("list[Encoder]", list(self.encoders))
        parts = itertools.zip_longest(self.readouts, encoders, self.coarsenings)
        for number, (readout, encoder, coarsening) in enumerate(parts, 1):
            if encoder is not None:
                level = level.with_x(encoder(level))
            if len(nodes) < len(self.level_channels):
                nodes.append(level)
            if readout:
                vectors.append(readout(level))
            if coarsening is not None:
                if level.edges is not None and not _uses_edges(encoders[number:]):
                    level = level.without_edge_features()
                outputs.append(coarsening(level))
                level = outputs[-1].level
        embedding = torch.cat(vectors, -1) if len(vectors) > 1 else vectors[0]
        losses = {
            f"level{number}/{name}": value
            for number, output in enumerate(outputs, 1)
            for name, value in output.losses.items()
        }
        logits = self.head(embedding)
        return Trace(logits, embedding, tuple(outputs), losses, tuple(vectors), tuple(nodes))


def _uses_edges(encoders: Sequence[Encoder]) -> bool:
    """Whether the features of coarse edges are used by any of them."""
    return any(encoder.edge_channels for encoder in encoders)


def _width(readout: Readout | FlatPool, channels: int, nodes: int | None) -> int:
    return readout.out_channels if isinstance(readout, FlatPool) else readout.width(channels, nodes)

"""The encode-coarsen loop: a graph classifier as one sentence, head(readout(levels(graph)))."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.outputs import Kept, Level, Nodes, Trace
from graphpool.nn.encoders import Encoder
from graphpool.nn.head import Head
from graphpool.nn.ops.cluster_mask import Rows
from graphpool.nn.pool.flat import FlatPool
from graphpool.nn.readout import Readout


class Hierarchy(nn.Module):
    """Encoder, coarsening, encoder, coarsening, …, readout, two fully connected layers.

    With no coarsening it is a flat network: encoder and readout.

    Args:
        encoders: one before each coarsening, and one for the last level if there is one more.
        coarsenings: modules such as `HAPCoarsening`: called with features, adjacency and
            `Segments` (at a dense level `Rows`, or `None` if all graphs have all clusters) they
            return a `Coarsened`, and their `clusters` says how many nodes it has at most; or, from
            a ragged level, a `Kept`, which is ragged as well. One with a `rule` is also given the
            places of the graphs by that rule.
        readouts: one per level, nodes first, each a `Readout` or a flat pooler: the graph vector
            is the concatenation of what they read; `None` leaves a level out.
        out_channels: classes; 0 leaves the head out; see `Head`.
        dropout: before the last layer, while training.
    """

    def __init__(
        self,
        encoders: Sequence[Encoder],
        coarsenings: Sequence[nn.Module],
        readouts: Sequence[Readout | FlatPool | None],
        out_channels: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if len(encoders) - len(coarsenings) not in (0, 1) or not encoders:
            raise ValueError(f"{len(encoders)} encoders for {len(coarsenings)} coarsenings")
        if len(readouts) != len(coarsenings) + 1 or not any(readouts):
            raise ValueError(f"{len(readouts)} readouts for {len(coarsenings) + 1} levels")
        self.encoders, self.coarsenings = nn.ModuleList(encoders), nn.ModuleList(coarsenings)
        self.readouts = tuple(readouts)
        # Those that learn once more, where their weights are found.
        self.learned = nn.ModuleList(item for item in readouts if isinstance(item, nn.Module))
        hidden = encoders[-1].out_channels
        nodes = [None, *(getattr(module, "clusters", None) for module in coarsenings)]
        channels = [encoder.out_channels for encoder in encoders] + [hidden]
        self.vector_channels = tuple(
            _width(readout, width, count)
            for readout, width, count in zip(readouts, channels, nodes, strict=False)
            if readout
        )
        # A last level of one cluster has nothing to tell that the one before it has not.
        self.level_channels = tuple(channels[: len(readouts) - (nodes[-1] == 1)])
        self.embedding_channels = sum(self.vector_channels)
        self.head = Head(self.embedding_channels, hidden, out_channels, dropout)

    def trace(self, batch: GraphBatch) -> Trace:
        """Run the whole model and keep every level."""
        x: Tensor = batch.x
        adjacency: Adjacency | Tensor = batch.adjacency
        segments: Segments | None = batch.segments
        rows: Rows | None = None
        levels: list[Level] = []
        vectors: list[Tensor] = []
        nodes: list[Nodes] = []
        for position, readout in enumerate(self.readouts):
            if position < len(self.encoders):
                column = None if position else batch.one_hot_index
                x = self.encoders[position](x, adjacency, column, rows)
            if len(nodes) < len(self.level_channels):
                nodes.append(Nodes(x, segments, rows, adjacency))
            if readout:
                vectors.append(readout(x, segments, rows))
            if position < len(self.coarsenings):
                level = self._coarsened(position, x, adjacency, rows or segments, batch)
                levels.append(level)
                if isinstance(level, Kept):
                    x, adjacency, segments = level.x, level.adjacency, level.segments
                else:
                    x, adjacency, segments, rows = level.x, level.adj, None, level.rows
        embedding = torch.cat(vectors, -1) if len(vectors) > 1 else vectors[0]
        losses = {
            f"level{number}/{name}": value
            for number, level in enumerate(levels, 1)
            for name, value in level.losses.items()
        }
        logits = self.head(embedding)
        return Trace(logits, embedding, tuple(levels), losses, tuple(vectors), tuple(nodes))

    def _coarsened(
        self,
        position: int,
        x: Tensor,
        adjacency: Adjacency | Tensor,
        where: Segments | Rows | None,
        batch: GraphBatch,
    ) -> Level:
        module = self.coarsenings[position]
        rule = getattr(module, "rule", None)
        if position or rule is None:
            return module(x, adjacency, where)  # type: ignore[no-any-return]
        # The set that the batch comes from knows its graphs' places already.
        return module(x, adjacency, where, batch.places(rule))  # type: ignore[no-any-return]

    def forward(self, batch: GraphBatch) -> Tensor:
        """Logits, `[graphs, classes]`."""
        return self.trace(batch).logits

    def embed(self, batch: GraphBatch) -> Tensor:
        """Graph vectors h_G, `[graphs, embedding_channels]`."""
        return self.trace(batch).embedding

    def levels(self, batch: GraphBatch) -> tuple[Level, ...]:
        """One `Coarsened` (features, adjacency, assignment) or `Kept` per coarsening module."""
        return self.trace(batch).levels


def _width(readout: Readout | FlatPool, channels: int, nodes: int | None) -> int:
    return readout.out_channels if isinstance(readout, FlatPool) else readout.width(channels, nodes)

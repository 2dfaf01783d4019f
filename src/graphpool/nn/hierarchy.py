"""The encode-coarsen loop: a graph classifier as one sentence, head(readout(levels(graph)))."""

from collections.abc import Sequence
from typing import Literal, Protocol

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsened import Coarsened, Trace
from graphpool.nn.encoders import Encoder
from graphpool.nn.readout import Readout


class Coarsening(Protocol):
    """What a coarsening module must offer to stand in a hierarchy."""

    clusters: int

    def __call__(
        self, x: Tensor, adjacency: Tensor | Adjacency, batch: Tensor | Segments | None = None
    ) -> Coarsened:
        """Coarsen every graph of a batch."""


class Hierarchy(nn.Module):
    """Encoder, coarsening, encoder, coarsening, …, readout, two fully connected layers.

    With no coarsening it is a flat network: encoder and readout.

    Args:
        encoders: one before each coarsening; with no coarsening just one.
        coarsenings: modules such as `HAPCoarsening`.
        readout: reductions of each level.
        out_channels: classes.
        gather: `"levels"` reads out every level, nodes included, and concatenates;
            `"last"` (the paper) takes the last level alone.
        dropout: before the last layer, while training.
    """

    def __init__(
        self,
        encoders: Sequence[Encoder],
        coarsenings: Sequence[nn.Module],
        readout: Readout,
        out_channels: int,
        gather: Literal["levels", "last"] = "levels",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if len(encoders) != max(1, len(coarsenings)):
            raise ValueError(f"{len(encoders)} encoders for {len(coarsenings)} coarsenings")
        self.encoders, self.coarsenings = nn.ModuleList(encoders), nn.ModuleList(coarsenings)
        self.readout, self.gather, self.dropout = readout, gather, dropout
        hidden = encoders[-1].out_channels
        widths = [readout.width(encoder.out_channels) for encoder in encoders]
        if coarsenings:
            widths.append(readout.width(hidden, int(coarsenings[-1].clusters)))  # type: ignore[arg-type]
        self.embedding_channels = sum(widths) if gather == "levels" else widths[-1]
        self.head = nn.ModuleList(
            [nn.Linear(self.embedding_channels, hidden), nn.Linear(hidden, out_channels)]
        )

    def trace(self, batch: GraphBatch) -> Trace:
        """Run the whole model and keep every level."""
        x, adjacency, segments = batch.x, batch.adjacency, batch.segments
        level_x: Tensor = x
        level_adjacency: Adjacency | Tensor = adjacency
        level_segments: Segments | None = segments
        levels: list[Coarsened] = []
        vectors = []
        for position, encoder in enumerate(self.encoders):
            level_x = encoder(level_x, level_adjacency)
            if self.gather == "levels" or not self.coarsenings:
                vectors.append(self.readout(level_x, level_segments))
            if self.coarsenings:
                level = self.coarsenings[position](level_x, level_adjacency, level_segments)
                levels.append(level)
                level_x, level_adjacency, level_segments = level.x, level.adj, None
        if self.coarsenings:
            vectors.append(self.readout(level_x, None))
        embedding = torch.cat(vectors, -1) if len(vectors) > 1 else vectors[0]
        hidden = self.head[0](embedding).relu()
        if self.dropout:
            hidden = nn.functional.dropout(hidden, self.dropout, self.training)
        losses = {
            f"level{number}/{name}": value
            for number, level in enumerate(levels, 1)
            for name, value in level.losses.items()
        }
        return Trace(self.head[1](hidden), embedding, tuple(levels), losses)

    def forward(self, batch: GraphBatch) -> Tensor:
        """Logits, `[graphs, classes]`."""
        return self.trace(batch).logits

    def embed(self, batch: GraphBatch) -> Tensor:
        """Graph vectors h_G, `[graphs, embedding_channels]`."""
        return self.trace(batch).embedding

    def levels(self, batch: GraphBatch) -> tuple[Coarsened, ...]:
        """One `Coarsened` per coarsening module: features, adjacency, assignment."""
        return self.trace(batch).levels

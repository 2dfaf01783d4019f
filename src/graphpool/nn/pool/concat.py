"""GCN-concat: nodes that carry the outputs of all encoder layers, read out together."""

from typing import Any, cast

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.nn.coarsened import Level, Trace
from graphpool.nn.encoders import Encoder, EncoderLayer
from graphpool.nn.pool.flat import FlatPool
from graphpool.nn.readout import Readout
from graphpool.nn.rows import Rows, batch_normalised


class ConcatEncoder(Encoder):
    """An `Encoder` that gives the outputs of all its layers side by side, first layer first.

    Args: as for `Encoder`; `out_channels` is `layers` times `hidden_channels`.
    """

    def __init__(
        self,
        kind: str,
        in_channels: int,
        hidden_channels: int,
        layers: int = 2,
        heads: int = 4,
        norm: str = "none",
        dropout: float = 0.0,
    ) -> None:
        super().__init__(kind, in_channels, hidden_channels, layers, heads, norm, dropout)
        self.out_channels = layers * hidden_channels

    def forward(
        self,
        x: Tensor,
        adjacency: Adjacency | Tensor,
        column: Tensor | None = None,
        rows: Rows | None = None,
    ) -> Tensor:
        """Embed the nodes, `[..., layers · hidden_channels]`; `column` is not needed."""
        layers = cast("list[EncoderLayer[Any]]", list(self.layers))
        prepared = layers[0].prepare(adjacency)
        made = []
        for position, layer in enumerate(layers):
            x = layer.propagate(x, prepared, activate=not self.norms)
            if self.norms:
                norm = cast(nn.BatchNorm1d, self.norms[position])
                x = batch_normalised(norm, x, rows).relu()
            if self.dropout:
                x = nn.functional.dropout(x, self.dropout, self.training)
            made.append(x)
        joined = torch.cat(made, -1)
        return joined if rows is None else rows.keep(joined)


class ConcatNetwork(nn.Module):
    """Encoder, concatenation of its layers, readout, head.

    The HAP paper has GCN-concat as a baseline, "concatenation of GCN-based node-level
    representations", and no more about it. We read it so: the nodes carry the outputs of all
    layers, the input features left out, and are summed. With `SortPool` as its readout it is DGCNN
    but for the layers' kind and width.

    Args: as for `FlatNetwork`, but
        readout: reductions over the nodes, or a flat pooler of `layers · hidden_channels` channels.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        out_channels: int = 2,
        *,
        encoder: str = "gcn",
        layers: int = 2,
        heads: int = 4,
        norm: str = "none",
        dropout: float = 0.0,
        readout: tuple[str, ...] | FlatPool = ("sum",),
    ) -> None:
        super().__init__()
        self.encoder = ConcatEncoder(
            encoder, in_channels, hidden_channels, layers, heads, norm, dropout
        )
        joined = self.encoder.out_channels
        self.readout: Readout | FlatPool
        if isinstance(readout, FlatPool):
            if readout.in_channels != joined:
                raise ConfigError(
                    f"the readout takes {readout.in_channels} channels; {layers} layers of "
                    f"{hidden_channels} have {joined} together"
                )
            self.readout, self.embedding_channels = readout, readout.out_channels
        else:
            self.readout = Readout(readout)
            self.embedding_channels = self.readout.width(joined)
        self.dropout = dropout
        self.head = nn.ModuleList(
            [
                nn.Linear(self.embedding_channels, hidden_channels),
                nn.Linear(hidden_channels, out_channels),
            ]
        )

    def trace(self, batch: GraphBatch) -> Trace:
        """Run the model; there are no levels."""
        x = self.encoder(batch.x, batch.adjacency)
        embedding = self.readout(x, batch.segments)
        hidden = self.head[0](embedding).relu()
        if self.dropout:
            hidden = nn.functional.dropout(hidden, self.dropout, self.training)
        return Trace(self.head[1](hidden), embedding)

    def forward(self, batch: GraphBatch) -> Tensor:
        """Logits, `[graphs, classes]`."""
        return self.trace(batch).logits

    def embed(self, batch: GraphBatch) -> Tensor:
        """Graph vectors, `[graphs, embedding_channels]`."""
        return self.trace(batch).embedding

    def levels(self, batch: GraphBatch) -> tuple[Level, ...]:
        """No levels."""
        return ()

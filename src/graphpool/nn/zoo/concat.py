"""GCN-concat: nodes that carry the outputs of all encoder layers, read out together."""

import torch
from torch import Tensor

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.encoders import Encoder
from graphpool.nn.head import Head
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.ops.cluster_mask import Rows
from graphpool.nn.pool.flat import FlatPool
from graphpool.nn.readout import Readout


class ConcatEncoder(Encoder):
    """An `Encoder` that gives the outputs of all its layers side by side, first layer first.

    Args: as for `Encoder`; `out_channels` is `layers` times `hidden_channels`.
    """

    def forward(
        self,
        x: Tensor,
        adjacency: Adjacency | Tensor,
        column: Tensor | None = None,
        rows: Rows | None = None,
    ) -> Tensor:
        """Embed the nodes, `[..., layers · hidden_channels]`; `column` is not needed."""
        joined = torch.cat(list(self._outputs(x, adjacency, rows)), -1)
        return joined if rows is None else rows.keep(joined)

    def _width(self, hidden_channels: int) -> int:
        return len(self.layers) * hidden_channels


class ConcatNetwork(Hierarchy):
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
        jump: bool = False,
        readout: tuple[str, ...] | FlatPool = ("sum",),
    ) -> None:
        if jump:
            raise ConfigError("concat carries all layers' outputs already; leave out jump")
        joined = ConcatEncoder(encoder, in_channels, hidden_channels, layers, heads, norm, dropout)
        if isinstance(readout, FlatPool) and readout.in_channels != joined.out_channels:
            raise ConfigError(
                f"the readout takes {readout.in_channels} channels; {layers} layers of "
                f"{hidden_channels} have {joined.out_channels} together"
            )
        read = readout if isinstance(readout, FlatPool) else Readout(readout)
        super().__init__([joined], [], [read], out_channels=0)
        # As wide as that of other networks, and not as the nodes are.
        self.head = Head(self.embedding_channels, hidden_channels, out_channels, dropout)

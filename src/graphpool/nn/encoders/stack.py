"""A stack of encoder layers: the paper's node & cluster embedding module."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn

from graphpool.config import USES_EDGES
from graphpool.errors import ConfigError, check_known, check_whole
from graphpool.graphs.checks import derived
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.encoders.base import EncoderLayer, MessagePassing, Prepared
from graphpool.nn.encoders.gat import GATLayer
from graphpool.nn.encoders.gated import GatedLayer
from graphpool.nn.encoders.gatv2 import GATv2Layer
from graphpool.nn.encoders.gcn import GCNLayer
from graphpool.nn.encoders.gin import GINLayer, GraphConvLayer
from graphpool.nn.encoders.gine import GINELayer
from graphpool.nn.level import Level
from graphpool.nn.module import MOST
from graphpool.nn.ops.normalise import NORMS, normalised
from graphpool.nn.random import dropout as drop

_LAYERS: dict[str, Callable[..., EncoderLayer]] = {
    "gcn": GCNLayer,
    "gat": GATLayer,
    "graphconv": GraphConvLayer,
    "gin": GINLayer,
    "gine": GINELayer,
    "gatv2": GATv2Layer,
    "gated": GatedLayer,
}


def encoder_names() -> list[str]:
    """Names that `Encoder` takes."""
    return sorted(_LAYERS)


class Encoder(MessagePassing):
    """`layers` rounds of message passing, each followed by ReLU.

    With `residual` a layer adds to what it is given: h ← h + Drop ReLU Norm layer(h).

    Args:
        kind: `"gcn"`, `"gat"`, `"gin"`, `"graphconv"`, or with features of edges `"gine"`,
            `"gatv2"`, `"gated"`.
        in_channels: channels of the input features.
        hidden_channels: channels of every layer's output.
        layers: how many layers; the paper has two before each coarsening.
        heads: attention heads of `"gat"` and `"gatv2"`.
        norm: `"batch"` normalises every layer's output over the nodes of a batch, `"layer"` over
            the channels of a node; with `"gine"` also inside of its perceptron.
        dropout: share of channels zeroed after every layer while training.
        jump: whether the result is made of all layers' outputs side by side, by a linear map and
            ReLU, in place of the last one alone (jumping knowledge, Xu et al. 2018).
        edge_channels: channels of the features of edges, where the layers use them.
        residual: whether layers add to their input; a linear map brings it to `hidden_channels`
            first, where it has others.
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
        jump: bool = False,
        edge_channels: int = 0,
        residual: bool = False,
    ) -> None:
        super().__init__()
        check_known("encoder", kind, _LAYERS)
        check_known("norm", norm, NORMS)
        check_whole("layers", layers, 0 if in_channels == hidden_channels else 1, MOST)
        if kind in ("gat", "gatv2") and hidden_channels % heads:
            raise ConfigError(
                f"hidden_channels ({hidden_channels}) must be a multiple of heads ({heads})"
            )
        self.edge_channels = edge_channels if kind in USES_EDGES and layers else 0
        lift = residual and in_channels != hidden_channels
        self.start = nn.Linear(in_channels, hidden_channels) if lift else None
        widths = [hidden_channels if lift else in_channels] + [hidden_channels] * layers
        lift = residual and kind == "gated" and self.edge_channels not in (0, hidden_channels)
        self.edge_start = nn.Linear(self.edge_channels, hidden_channels) if lift else None
        edges = hidden_channels if lift else self.edge_channels

        def options(position: int) -> dict[str, Any]:
            if kind == "gated":
                carry, width = position + 1 < layers, hidden_channels if position else edges
                own = {"carry": carry, "norm": norm, "residual": residual}
                return {"edge_channels": width, **own}
            given = {"heads": heads} if kind in ("gat", "gatv2") else {}
            given |= {"edge_channels": edges} if kind in USES_EDGES else {}
            return given | ({"norm": norm} if kind == "gine" else {})

        self.layers = nn.ModuleList(
            _LAYERS[kind](*between, **options(position))
            for position, between in enumerate(itertools.pairwise(widths))
        )
        self.norms = nn.ModuleList(
            NORMS[norm](hidden_channels) for _ in range(layers if norm != "none" else 0)
        )
        self.dropout, self.residual = dropout, residual
        self.jump = nn.Linear(layers * hidden_channels, hidden_channels) if jump else None
        self.in_channels, self.out_channels = in_channels, self._width(hidden_channels)

    def encode(self, level: Level) -> Tensor:
        """Embed the nodes of a level, `[..., hidden_channels]`.

        Where `x` is one-hot, `level.one_hot_index` makes a lookup of the first product. Rows of a
        dense level that are no clusters come out as zeros.
        """
        if not self.layers:
            return level.x
        if self.jump is None and not self.norms and not self.dropout and not self.residual:
            return self._layers()[0].run_stack(self._layers(), level)
        return level.keep(self.finish(self._outputs(level)))

    def _outputs(self, level: Level) -> list[Tensor]:
        """The output of each layer, in order."""
        (x, prepared), outputs = self.begin(level), []
        for position in range(len(self.layers)):
            x, prepared = self.round(position, x, prepared, level.normalised_rows)
            outputs.append(x)
        return outputs

    def begin(self, level: Level) -> tuple[Tensor, Prepared]:
        """Return what the first round takes: features of nodes, and the prepared edges."""
        x = level.x if self.start is None else self.start(level.x)
        return x, self._layers()[0].prepare(self._with_edges(level))

    def round(
        self, position: int, x: Tensor, prepared: Prepared, rows: ClusterMask | Tensor | None = None
    ) -> tuple[Tensor, Prepared]:
        """One layer with its norm, ReLU, dropout and residual; returns what the next one takes.

        Networks that change nodes between the layers call the rounds one by one.
        """
        before, layer = x, self._layers()[position]
        x, prepared = layer.step(x, prepared, activate=not self.norms)
        if self.norms:
            norm = cast("nn.BatchNorm1d | nn.LayerNorm", self.norms[position])
            x = normalised(norm, x, rows).relu()
        if self.dropout:
            x = drop(x, self.dropout, self.training)
        return before + x if self.residual else x, prepared

    def finish(self, outputs: Sequence[Tensor]) -> Tensor:
        """Return the result of the outputs of all rounds: the last, or all of them mixed."""
        if self.jump is None:
            return outputs[-1]
        return cast(Tensor, self.jump(torch.cat(list(outputs), -1))).relu()

    def _with_edges(self, level: Level) -> Level:
        """The level with features of edges as wide as their states."""
        if self.edge_start is None or level.edges is None:
            return level
        edges = level.edges
        if isinstance(edges, Tensor):
            return derived(level, edges=self.edge_start(edges))
        return derived(level, edges=edges.with_table(self.edge_start(edges.table)))

    def _layers(self) -> list[EncoderLayer]:
        return cast("list[EncoderLayer]", list(self.layers))

    def _width(self, hidden_channels: int) -> int:
        return hidden_channels


class ConcatEncoder(Encoder):
    """An `Encoder` that gives the outputs of all its layers side by side, first layer first.

    Args: as for `Encoder`; `out_channels` is `layers` times `hidden_channels`.
    """

    def encode(self, level: Level) -> Tensor:
        """Embed the nodes of a level, `[..., layers · hidden_channels]`."""
        return level.keep(torch.cat(self._outputs(level), -1))

    def _width(self, hidden_channels: int) -> int:
        return len(self.layers) * hidden_channels

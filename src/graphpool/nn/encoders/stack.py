"""A stack of encoder layers: the paper's node & cluster embedding module."""

import itertools
from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError, check_known, check_whole
from graphpool.nn.encoders.base import EncoderLayer, MessagePassing, edges_of
from graphpool.nn.encoders.gat import GATLayer
from graphpool.nn.encoders.gcn import GCNLayer
from graphpool.nn.encoders.gin import GINLayer, GraphConvLayer
from graphpool.nn.level import Level
from graphpool.nn.module import MOST
from graphpool.nn.ops.normalise import batch_normalised
from graphpool.nn.random import dropout as drop

_LAYERS: dict[str, Callable[..., EncoderLayer]] = {
    "gcn": GCNLayer,
    "gat": GATLayer,
    "graphconv": GraphConvLayer,
    "gin": GINLayer,
}


def encoder_names() -> list[str]:
    """Names that `Encoder` takes."""
    return sorted(_LAYERS)


class Encoder(MessagePassing):
    """`layers` rounds of message passing, each followed by ReLU.

    Args:
        kind: `"gcn"`, `"gat"`, `"gin"` or `"graphconv"`.
        in_channels: channels of the input features.
        hidden_channels: channels of every layer's output.
        layers: how many layers; the paper has two before each coarsening.
        heads: attention heads of `"gat"`.
        norm: `"batch"` normalises every layer's output over the nodes of a batch.
        dropout: share of channels zeroed after every layer while training.
        jump: whether the result is made of all layers' outputs side by side, by a linear map and
            ReLU, in place of the last one alone (jumping knowledge, Xu et al. 2018).
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
    ) -> None:
        super().__init__()
        check_known("encoder", kind, _LAYERS)
        check_known("norm", norm, ("none", "batch"))
        check_whole("layers", layers, 0 if in_channels == hidden_channels else 1, MOST)
        if kind == "gat" and hidden_channels % heads:
            raise ConfigError(
                f"hidden_channels ({hidden_channels}) must be a multiple of heads ({heads})"
            )
        widths = [in_channels] + [hidden_channels] * layers
        options = {"heads": heads} if kind == "gat" else {}
        self.layers = nn.ModuleList(
            _LAYERS[kind](*between, **options) for between in itertools.pairwise(widths)
        )
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(hidden_channels) for _ in range(layers if norm == "batch" else 0)
        )
        self.dropout = dropout
        self.jump = nn.Linear(layers * hidden_channels, hidden_channels) if jump else None
        self.in_channels, self.out_channels = in_channels, self._width(hidden_channels)

    def encode(self, level: Level) -> Tensor:
        """Embed the nodes of a level, `[..., hidden_channels]`.

        Where `x` is one-hot, `level.one_hot_index` makes a lookup of the first product. Rows of a
        dense level that are no clusters come out as zeros.
        """
        if not self.layers:
            return level.x
        if self.jump is None and not self.norms and not self.dropout:
            return self._layers()[0].run_stack(self._layers(), level)
        *_, last = outputs = self._outputs(level)
        if self.jump is not None:
            last = self.jump(torch.cat(outputs, -1)).relu()
        return level.keep(last)

    def _outputs(self, level: Level) -> list[Tensor]:
        """The output of each layer, in order."""
        layers, x, outputs = self._layers(), level.x, []
        prepared = layers[0].prepare(edges_of(level))
        for position, layer in enumerate(layers):
            x = layer.propagate(x, prepared, activate=not self.norms)
            if self.norms:
                norm = cast(nn.BatchNorm1d, self.norms[position])
                x = batch_normalised(norm, x, level.mask).relu()
            if self.dropout:
                x = drop(x, self.dropout, self.training)
            outputs.append(x)
        return outputs

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

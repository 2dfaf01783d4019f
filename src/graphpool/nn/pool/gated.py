"""GatedPool, the soft attention of gated graph networks (Li et al., ICLR 2016)."""

from torch import Tensor, nn

from graphpool.errors import ConfigError, nearest
from graphpool.nn.level import Level
from graphpool.nn.ops.products import segment_sum
from graphpool.nn.pool.flat import FlatPool, segment_softmax

ATTENTIONS = ("sigmoid", "softmax")


class GatedPool(FlatPool):
    """h_G = Σ_i σ(i(x_i)) ⊙ tanh(j(x_i)), with the gate i and the transform j each one layer.

    The source has sigmoids, one per channel: a gate doesn't know of the other nodes, and the
    result grows with the graph. The HAP paper cites it (equation ssa) with a softmax over the
    nodes, one number per node: `attention="softmax"`. Its gate has no bias, which would cancel.

    Deviations from the source: the gate sees the encoder's output alone, not the input features
    beside it; and the tanh around the sum is left out, for a sum over a graph of some dozens of
    nodes is far into its flat ends, where nothing is learned. `squash=True` puts it back.

    Args:
        out_channels: channels of the result; by default those of the nodes.
        attention: `"sigmoid"` or `"softmax"`.
        squash: take the tanh of the sum.
    """

    shown = ("attention", "squash")
    replayable = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int | None = None,
        attention: str = "sigmoid",
        squash: bool = False,
    ) -> None:
        super().__init__()
        if attention not in ATTENTIONS:
            raise ConfigError(f"unknown attention {attention!r}; {nearest(attention, ATTENTIONS)}")
        self.in_channels, self.out_channels = in_channels, out_channels or in_channels
        self.attention, self.squash = attention, squash
        by_node = attention == "softmax"
        self.gate = nn.Linear(in_channels, 1 if by_node else self.out_channels, bias=not by_node)
        self.transform = nn.Linear(in_channels, self.out_channels)

    def pool_level(self, level: Level) -> Tensor:
        """Sum what the gates let through."""
        x, segments = level.flat()
        gate: Tensor = self.gate(x)
        share = segment_softmax(gate, segments) if self.attention == "softmax" else gate.sigmoid()
        total = segment_sum(share * self.transform(x).tanh(), segments)
        return total.tanh() if self.squash else total

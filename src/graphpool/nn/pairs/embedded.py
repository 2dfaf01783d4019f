"""Pooling of nodes that are already embedded, for networks with an encoder of their own."""

from torch import Tensor

from graphpool.nn.encoders import Encoder
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.level import Level
from graphpool.nn.pool.flat import FlatPool


class IdentityEncoder(Encoder):
    """An `Encoder` without layers, which returns its input.

    Args:
        channels: number of channels of the node features.
    """

    def __init__(self, channels: int) -> None:
        super().__init__("gcn", channels, channels, layers=0)

    def encode(self, level: Level) -> Tensor:
        """The features as they are."""
        return level.x


def flat_pooling(pool: FlatPool) -> Hierarchy:
    """Make a hierarchy with one readout of the nodes."""
    return Hierarchy([IdentityEncoder(pool.in_channels)], [], [pool], out_channels=0)


def without_encoder(network: Hierarchy, channels: int) -> Hierarchy:
    """Replace the first encoder of the network by the identity."""
    network.encoders[0] = IdentityEncoder(channels)
    return network

"""Pooling of nodes that are embedded already, for networks with an encoder of their own."""

from torch import Tensor

from graphpool.nn.encoders import Encoder
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.level import Level
from graphpool.nn.pool.flat import FlatPool


class Embedded(Encoder):
    """An `Encoder` of no layers, which gives back what it is given.

    Args:
        channels: of the node features.
    """

    def __init__(self, channels: int) -> None:
        super().__init__("gcn", channels, channels, layers=0)

    def encode(self, level: Level) -> Tensor:
        """The features as they are."""
        return level.x


def flat_pooling(pool: FlatPool) -> Hierarchy:
    """One readout of the nodes."""
    return Hierarchy([Embedded(pool.in_channels)], [], [pool], out_channels=0)


def without_encoder(network: Hierarchy, channels: int) -> Hierarchy:
    """The network with its first encoder, of `channels` to `channels`, left out."""
    network.encoders[0] = Embedded(channels)
    return network

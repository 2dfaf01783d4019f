"""From two graph vectors to one number: SimGNN's neural tensor network and its layers."""

import math

import torch
from torch import Tensor, nn

from graphpool.typing import Float


class TensorNetwork(nn.Module):
    """g(h₁, h₂) = ReLU(h₁ᵀ W_k h₂ + V [h₁, h₂] + b), k = 1 … slices (Socher et al., 2013).

    Args:
        channels: of the graph vectors.
        slices: channels of the result.
    """

    def __init__(self, channels: int, slices: int = 16) -> None:
        super().__init__()
        self.tensor = nn.Parameter(torch.empty(slices, channels, channels))
        self.linear = nn.Linear(2 * channels, slices)
        # A slice sums up channels² products: with this they are as large as the vectors. Larger
        # ones put whole slices out for all pairs, for good.
        limit = math.sqrt(3) / channels
        nn.init.uniform_(self.tensor, -limit, limit)

    def forward(
        self, one: Float[Tensor, "pairs channels"], other: Float[Tensor, "pairs channels"]
    ) -> Float[Tensor, "pairs slices"]:
        """How the two vectors act on each other; not symmetric."""
        moved = torch.tensordot(one, self.tensor, ([1], [1]))
        product = (moved @ other.unsqueeze(-1)).squeeze(-1)
        together: Tensor = product + self.linear(torch.cat([one, other], -1))
        return together.relu()


class PairHead(nn.Module):
    """A tensor network, the histogram beside it, and fully connected layers to one number.

    The layers are the source's, 32 to 16 to 8 to 4 to 1. Deviations from it: a tensor network
    knows which graph comes first, so the number is the mean over both orders; and the layers have
    a leaky ReLU, for four units that are all off would learn nothing ever again.

    Args:
        channels: of the graph vectors.
        slices: of the tensor network.
        bins: of the histogram; 0 if there is none.
    """

    def __init__(self, channels: int, slices: int = 16, bins: int = 16) -> None:
        super().__init__()
        self.tensor = TensorNetwork(channels, slices)
        self.layers = nn.Sequential(
            nn.Linear(slices + bins, 16),
            nn.LeakyReLU(),
            nn.Linear(16, 8),
            nn.LeakyReLU(),
            nn.Linear(8, 4),
            nn.LeakyReLU(),
            nn.Linear(4, 1),
        )

    def forward(
        self,
        one: Float[Tensor, "pairs channels"],
        other: Float[Tensor, "pairs channels"],
        histogram: Float[Tensor, "pairs bins"],
    ) -> Float[Tensor, " pairs"]:
        """How alike the graphs are: any number, the larger the more."""
        made = self.tensor(torch.cat([one, other]), torch.cat([other, one]))
        made = self.layers(torch.cat([made, torch.cat([histogram, histogram])], -1)).squeeze(-1)
        there, back = made.chunk(2)
        return (there + back) / 2  # type: ignore[no-any-return]

"""Map the distance of two graphs to the probability that they match."""

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from graphpool.nn.module import Module
from graphpool.typing import Float

# The paper's scale.
SCALE = 0.5
# Added to scale · d in log(1 - s), which is -inf at d = 0.
FLOOR = 1e-6
# A learned score does not distinguish distances far below its square root.
EPSILON = 1e-5
# The logit of identical graphs is never below this: s(G, G) > 0.99908.
SURE = 7.0


class Score(Module, ABC):
    """Scores s of distances d, one row per level, decreasing in d and at least 0.999 at 0."""

    @abstractmethod
    def forward(
        self, distances: Float[Tensor, "levels pairs"]
    ) -> tuple[Float[Tensor, "levels pairs"], Float[Tensor, "levels pairs"]]:
        """Return log s and log(1 - s), each computed directly, without cancellation."""


class ExpScore(Score):
    """s = exp(-scale · d), equation norml-for-loss of the paper, which sets the scale to 0.5.

    Deviation from the paper: it has a negative scale, with which s exceeds 1; ours is positive.
    log(1 - s) is -inf at d = 0, so 1e-6 is added to scale · d in it.

    Args:
        scale: factor of the distance, above 0.
    """

    shown = ("scale",)

    def __init__(self, scale: float = SCALE) -> None:
        super().__init__()
        if not 0 < scale < math.inf:
            raise ValueError(f"scale is {scale}; it must be positive")
        self.scale = scale

    def forward(self, distances: Tensor) -> tuple[Tensor, Tensor]:
        """Return log s and log(1 - s)."""
        scaled = self.scale * distances
        return -scaled, (-torch.expm1(-(scaled + FLOOR))).log()


class LearnedScore(Score):
    """s = σ(b - a · log(d² + ε)): learned scale and bias on the logarithm of the distance.

    So the scale of the distances and the sharpness of the decision are learned.
    a = exp(log_scale) > 0, so s decreases in d; b is never so low that s(G, G) would be below
    0.999. Initially s = ½ at d = 1.

    Args:
        levels: number of levels; each has its own a and b.
    """

    shown = ("levels",)

    def __init__(self, levels: int) -> None:
        super().__init__()
        self.levels = levels
        self.log_scale = nn.Parameter(torch.zeros(levels, 1))
        self.bias = nn.Parameter(torch.zeros(levels, 1))

    def reset_parameters(self) -> None:
        """Set scale and bias to their initial values."""
        nn.init.zeros_(self.log_scale)
        nn.init.zeros_(self.bias)

    def logits(self, distances: Float[Tensor, "levels pairs"]) -> Float[Tensor, "levels pairs"]:
        """Return log s - log(1 - s)."""
        scale = self.log_scale.exp()
        bias = torch.maximum(self.bias, SURE + scale * math.log(EPSILON))
        return bias - scale * (distances.square() + EPSILON).log()

    def forward(self, distances: Tensor) -> tuple[Tensor, Tensor]:
        """Return log s and log(1 - s)."""
        logits = self.logits(distances)
        return logsigmoid(logits), logsigmoid(-logits)

"""The learning rate of each epoch: constant, cosine, or lowered on a plateau of validation."""

import math
from dataclasses import dataclass

from graphpool.config import TrainConfig


@dataclass
class Plateau:
    """State of the plateau schedule.

    Attributes:
        scale: factor of the learning rate.
        best: lowest loss so far.
        stale: epochs since the lowest loss.
    """

    scale: float = 1.0
    best: float | None = None
    stale: int = 0

    def observe(self, loss: float, config: TrainConfig) -> None:
        """Update the state with the loss of an epoch."""
        if self.best is None or loss < self.best:
            self.best, self.stale = loss, 0
            return
        self.stale += 1
        if self.stale >= config.plateau_epochs:
            self.scale *= config.plateau_factor
            self.stale = 0


def learning_rate(config: TrainConfig, epoch: int, plateau: Plateau) -> float:
    """Return the learning rate of epoch number `epoch`, counted from 0.

    The cosine schedule starts at the full rate and would reach 0 one epoch after the last.
    """
    if config.schedule == "cosine":
        return config.learning_rate * 0.5 * (1 + math.cos(math.pi * epoch / config.epochs))
    if config.schedule == "plateau":
        return config.learning_rate * plateau.scale
    return config.learning_rate

"""The learning rate of each epoch: constant, cosine, or lowered when validation stands still."""

import math
from dataclasses import dataclass

from graphpool.config import TrainConfig


@dataclass
class Plateau:
    """What the plateau schedule remembers from one epoch to the next.

    Attributes:
        scale: the learning rate is multiplied by this.
        best: lowest loss so far.
        stale: epochs since then.
    """

    scale: float = 1.0
    best: float | None = None
    stale: int = 0

    def observe(self, loss: float, config: TrainConfig) -> None:
        """Take an epoch's loss into account."""
        if self.best is None or loss < self.best:
            self.best, self.stale = loss, 0
            return
        self.stale += 1
        if self.stale >= config.plateau_epochs:
            self.scale *= config.plateau_factor
            self.stale = 0


def learning_rate(config: TrainConfig, epoch: int, plateau: Plateau) -> float:
    """Rate of epoch number `epoch`, counted from 0.

    Cosine starts at the full rate and would reach 0 one epoch after the last.
    """
    if config.schedule == "cosine":
        return config.learning_rate * 0.5 * (1 + math.cos(math.pi * epoch / config.epochs))
    if config.schedule == "plateau":
        return config.learning_rate * plateau.scale
    return config.learning_rate

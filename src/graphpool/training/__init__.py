"""Training: one plain loop that can be stopped at any step and resumed to the bit."""

from graphpool.training.checkpoint import Checkpoint, read_checkpoint
from graphpool.training.events import read_events
from graphpool.training.guard import NonFiniteError
from graphpool.training.loop import FitResult, fit
from graphpool.training.seeding import seed_everything
from graphpool.training.signals import Interrupted

__all__ = [
    "Checkpoint",
    "FitResult",
    "Interrupted",
    "NonFiniteError",
    "fit",
    "read_checkpoint",
    "read_events",
    "seed_everything",
]

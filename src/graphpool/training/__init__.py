"""Training: one plain loop that can be stopped at any step and resumed to the bit."""

from typing import TYPE_CHECKING

from graphpool.imports import lazy_names

if TYPE_CHECKING:
    from graphpool.training.checkpoint import Checkpoint as Checkpoint
    from graphpool.training.checkpoint import read_checkpoint as read_checkpoint
    from graphpool.training.events import read_events as read_events
    from graphpool.training.guard import NonFiniteError as NonFiniteError
    from graphpool.training.loop import FitResult as FitResult
    from graphpool.training.loop import fit as fit
    from graphpool.training.seeding import seed_everything as seed_everything
    from graphpool.training.signals import Interrupted as Interrupted

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "checkpoint": ("Checkpoint", "read_checkpoint"),
        "events": ("read_events",),
        "guard": ("NonFiniteError",),
        "loop": ("FitResult", "fit"),
        "seeding": ("seed_everything",),
        "signals": ("Interrupted",),
    },
)

"""Replayed steps: a training step on a GPU is recorded once and then replayed.

A step over a few small graphs is hundreds of short operations, and a GPU waits for each of them to
be launched. CUDA can record them ("CUDA graphs") and launch them all at once, if they read and
write the same memory every time. So batches are padded to a few sizes, each size has a recording
of its own, and a batch is copied to where its recording reads it.
"""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from graphpool.config import TrainConfig
from graphpool.errors import GraphpoolWarning, warn
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.padded import LevelSize, PaddedBatch, PaddedSizes
from graphpool.nn.module import Module
from graphpool.training.objective import Examples

logger = logging.getLogger(__name__)

Update = Callable[[PaddedBatch, int], Any]
Record = Callable[[Callable[[], Any], torch.Generator], Callable[[], None]]
Key = tuple[int, tuple[LevelSize, ...]]

MOST = 16
"""Sizes of batches that have a recording; others are trained on without."""

AFTER = 3
"""Batches of a size before it is recorded: by then the optimizer has its state."""


def record_cuda(run: Callable[[], Any], generator: torch.Generator) -> Callable[[], None]:
    """Record the operations of a function on a CUDA device; nothing is executed yet."""
    recording = torch.cuda.CUDAGraph()
    recording.register_generator_state(generator)
    with torch.cuda.graph(recording):
        run()
    return recording.replay


class ReplayedSteps:
    """The recorded steps of one training run.

    Args:
        update: trains on a batch; it is given the number of its real graphs.
        rules: of the places that the network looks at.
        batch_size: graphs in a batch.
        learning_rate: a scalar on the device.
        record: records a function and returns what replays it.
    """

    train: GraphSet
    generator: torch.Generator
    sizes: PaddedSizes

    def __init__(
        self,
        update: Update,
        rules: Sequence[Any],
        batch_size: int,
        learning_rate: Tensor,
        record: Record = record_cuda,
    ) -> None:
        self.update, self.rules, self.batch_size = update, tuple(rules), batch_size
        self.learning_rate, self.record = learning_rate, record
        self.seen: Counter[Key] = Counter()
        self.recorded: dict[Key, tuple[list[Tensor], Callable[[], None]]] = {}
        self.broken = False

    @classmethod
    def of(
        cls,
        update: Update,
        model: nn.Module,
        train: Examples,
        config: TrainConfig,
        device: torch.device,
    ) -> "ReplayedSteps | None":
        """Return the steps of a run, or None if they can't or shall not be replayed."""
        if not config.replay:
            return None
        if device.type != "cuda":
            reason = f"steps are recorded on CUDA devices alone, and this run is on {device}"
        elif not isinstance(train, GraphSet):
            reason = "steps are recorded of tasks over single graphs alone"
        elif not can_replay(model):
            reason = "steps of this network can't be recorded"
        else:
            reason = ""
        if reason:
            warn(f"train.replay changes nothing: {reason}", GraphpoolWarning)
            return None
        rate = torch.tensor(config.learning_rate, device=device)
        return cls(update, getattr(model, "rules", ()), config.batch_size, rate)

    def begin(self, train: GraphSet, generator: torch.Generator) -> None:
        """Take the training graphs, on the device, and the generator of the run."""
        self.train, self.generator = train, generator
        self.sizes = PaddedSizes(train, self.batch_size, self.rules)

    def forget(self) -> None:
        """Drop all recordings: what they read and write has moved."""
        self.seen.clear()
        self.recorded.clear()

    def run(self, index: Tensor) -> bool:
        """Train on these graphs by a recording; return False if there is none for them."""
        if self.broken:
            return False
        sizes = self.sizes.of(index.numpy())
        key = index.shape[0], sizes
        if key not in self.recorded and not self._due(key):
            return False
        batch = self.sizes.batch(index, sizes)
        if key not in self.recorded:
            try:
                replay = self.record(lambda: self.update(batch, key[0]), self.generator)
            except RuntimeError as error:
                logger.warning("steps can't be replayed: %s", error)
                self.broken = True
                self.recorded.clear()
                return False
            # Taken down first: what networks work out from the batch is kept with it.
            self.recorded[key] = batch.tensors(), replay
        places, replay = self.recorded[key]
        for place, value in zip(places, batch.tensors(), strict=True):
            if place is not value:
                place.copy_(value)
        replay()
        return True

    def _due(self, key: Key) -> bool:
        """Whether a size is to be recorded now."""
        self.seen[key] += 1
        return self.seen[key] > AFTER and len(self.recorded) < MOST


def can_replay(model: nn.Module) -> bool:
    """Whether every part of a network says that its steps can be replayed.

    Layers of torch don't depend on the numbers that they compute with; batch normalisation, which
    would count the padding, is asked for by the modules around it.
    """
    return isinstance(model, Module) and all(
        module.replayable for module in model.modules() if _decides(module)
    )


def _decides(module: nn.Module) -> bool:
    from graphpool.nn.coarsen.base import Pooler
    from graphpool.nn.encoders.base import MessagePassing
    from graphpool.nn.hierarchy import GraphNetwork

    return isinstance(module, (Pooler, MessagePassing, GraphNetwork))

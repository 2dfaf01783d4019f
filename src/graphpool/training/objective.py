"""What the training loop asks of a task: losses, metrics, and which epoch is better."""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple, Protocol, cast, runtime_checkable

import torch
from torch import Tensor, nn

from graphpool.data.pairs.pairset import PairBatch, PairSet
from graphpool.data.pairs.triplets import TripletBatch, TripletSet
from graphpool.errors import DataError
from graphpool.evaluation.metrics import LOWER_IS_BETTER
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.checks import derived
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.padded import PaddedBatch

Examples = GraphSet | PairSet | TripletSet
"""What a task learns from."""
ExampleBatch = GraphBatch | PairBatch | TripletBatch
"""Some examples, with every graph that is in one of them once."""


@runtime_checkable
class TraceOutputs(Protocol):
    """What a task reads of a model's trace."""

    @property
    def logits(self) -> Tensor:
        """`[B, classes]`."""

    @property
    def losses(self) -> Mapping[str, Tensor]:
        """Auxiliary losses of the poolers, scalars, already weighted."""


class Step(NamedTuple):
    """One training step's forward pass, still on the device.

    Attributes:
        loss: scalar to differentiate.
        correct: scalar, number of correct predictions in the batch; or whatever else the
            objective counts, under the name `Objective.counted`.
        recorded: scalar, the loss as `evaluate` counts it, where that differs.
    """

    loss: Tensor
    correct: Tensor
    recorded: Tensor | None = None


class Criterion(NamedTuple):
    """A metric that selects epochs, and whether more of it is better."""

    metric: str
    higher: bool


@runtime_checkable
class Objective(Protocol):
    """A loss and metrics over graphs, pairs or triplets; every `Task` is one.

    Attributes:
        counted: the metric whose sum over the examples a `Step` holds as `correct`.
    """

    counted: ClassVar[str] = "accuracy"

    @abstractmethod
    def check(self, examples: Any) -> None:
        """Raise a `DataError` if these examples can't be learned from."""

    @abstractmethod
    def step(self, model: nn.Module, batch: Any) -> Step:
        """Forward pass of one training step."""

    @abstractmethod
    def losses(self, model: nn.Module, batch: Any) -> Tensor:
        """`[B]`, the loss of each example; auxiliary losses of the batch are added to each."""

    @abstractmethod
    def evaluate(self, model: nn.Module, examples: Any, batch_size: int) -> dict[str, float]:
        """Metrics in eval mode, without gradients; the model's mode is restored."""


def trace(model: nn.Module, batch: GraphBatch) -> TraceOutputs:
    """`model.trace(batch)`, typed; of a padded batch without the logits of its padding."""
    traced = cast(Any, model).trace(batch)
    if isinstance(batch, PaddedBatch):
        assert not traced.losses, "auxiliary losses would count the padding"
        traced = derived(traced, logits=traced.logits[: batch.real_graphs])
    return cast(TraceOutputs, traced)


def selection(scoring: str) -> tuple[Criterion, ...]:
    """Return the metrics by which epochs are compared; later ones decide ties.

    Args:
        scoring: of `TrainConfig`.
    """
    loss = Criterion("loss", higher=False)
    if scoring == loss.metric:
        return (loss,)
    return Criterion(scoring, higher=scoring not in LOWER_IS_BETTER), loss


def is_better(
    criteria: Sequence[Criterion], new: Mapping[str, float], best: Mapping[str, float]
) -> bool:
    """Whether `new` beats `best`; NaN beats nothing, and anything finite beats NaN.

    An empty `best` is beaten by everything.
    """
    for metric, higher in criteria:
        if metric not in best:
            return True
        sign = 1.0 if higher else -1.0
        ours, theirs = (
            -math.inf if math.isnan(value) else sign * value
            for value in (new[metric], best[metric])
        )
        if ours != theirs:
            return ours > theirs
    return False


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Eval mode without gradients; afterwards every module has the mode it had before."""
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for module in training:
            module.training = True


def device_of(model: nn.Module) -> torch.device:
    """Device of the model's weights."""
    weight = next(model.parameters(), None)
    return torch.device("cpu") if weight is None else weight.device


def batches(examples: Examples, batch_size: int) -> Iterator[Any]:
    """The examples in their own order, `batch_size` at a time."""
    for start in range(0, len(examples), batch_size):
        yield examples.batch(slice(start, start + batch_size))


def evaluate_batches(
    model: nn.Module,
    examples: Examples,
    batch_size: int,
    compute: Callable[[Any], Tensor],
    what: str = "examples",
) -> Tensor:
    """Concatenate `compute(batch)` over all examples, in eval mode, on the CPU.

    Args:
        what: the examples that an error says are missing if there are none.
    """
    examples = examples.to(device_of(model))
    with evaluating(model):
        parts = [compute(batch).cpu() for batch in batches(examples, batch_size)]
    if not parts:
        raise DataError(f"{examples.name} has no {what}")
    return torch.cat(parts)

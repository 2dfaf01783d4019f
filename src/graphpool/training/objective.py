"""What the training loop asks of a task: losses, metrics, and which epoch is better."""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import torch
from torch import Tensor, nn

from graphpool.errors import DataError
from graphpool.graphs.batch import GraphBatch


@runtime_checkable
class TraceOutputs(Protocol):
    """What a task reads of a model's trace."""

    @property
    def logits(self) -> Tensor:
        """`[B, classes]`."""

    @property
    def losses(self) -> Mapping[str, Tensor]:
        """Auxiliary losses of the poolers, scalars, already weighted."""


@runtime_checkable
class ExampleBatch(Protocol):
    """Some examples of a set, with every graph that is in one of them."""

    @property
    def graphs(self) -> GraphBatch:
        """Each graph once, however many of the examples it is in."""

    @property
    def index(self) -> Tensor:
        """`[B]`, positions of the examples in their set."""

    def examples_of(self, flags: Tensor) -> Tensor:
        """`[B]`, which of the examples a flagged graph (`[graphs]`) is in."""


@runtime_checkable
class Examples(Protocol):
    """What a task learns from: graphs (`GraphSet`), pairs (`PairSet`), triplets (`TripletSet`)."""

    @property
    def name(self) -> str:
        """Name of the set of graphs."""

    @property
    def ids(self) -> tuple[str, ...]:
        """One name per example."""

    @property
    def num_nodes(self) -> int:
        """Nodes of all graphs."""

    @property
    def num_edges(self) -> int:
        """Edges of all graphs."""

    def __len__(self) -> int:
        """Number of examples."""

    def batch(self, item: Any = None) -> Any:
        """The examples at these positions, an `ExampleBatch`."""

    def to(self, device: torch.device | str) -> Any:
        """A copy on a device."""


class Step(NamedTuple):
    """One training step's forward pass, still on the device.

    Attributes:
        loss: scalar to differentiate.
        correct: scalar, number of correct predictions in the batch.
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
    """A loss and metrics over graphs, pairs or triplets; every `Task` is one."""

    @property
    def selection(self) -> tuple[Criterion, ...]:
        """Metrics by which epochs are compared; later ones decide ties."""

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
    """`model.trace(batch)`, typed."""
    return cast(TraceOutputs, cast(Any, model).trace(batch))


def is_better(
    selection: Sequence[Criterion], new: Mapping[str, float], best: Mapping[str, float]
) -> bool:
    """Whether `new` beats `best`; NaN beats nothing, and anything finite beats NaN.

    An empty `best` is beaten by everything.
    """
    for metric, higher in selection:
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

"""Detect numbers that are not finite, and find the graphs that they come from.

The guard costs the loop almost nothing: it checks sums that are computed anyway, and the weights
every `CHECK_STEPS` steps. When a number is not finite, the loop goes back to the last good state,
repeats the steps one by one with full checks, and stops before the step that fails.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm

from graphpool.errors import TrainingError
from graphpool.graphs.batch import GraphBatch
from graphpool.training.objective import ExampleBatch, Examples, Objective, batches, evaluating

CHECK_STEPS = 64
_SHOWN = 10


class NonFiniteError(TrainingError):
    """A number in training is not finite.

    Attributes:
        epoch: counted from 1.
        step: optimizer step that was not taken, counted from 1.
        graph_ids: the graphs that cause it, or the whole batch if they can't be identified.
    """

    def __init__(self, message: str, epoch: int, step: int, graph_ids: tuple[str, ...]) -> None:
        super().__init__(message)
        self.epoch = epoch
        self.step = step
        self.graph_ids = graph_ids


def all_finite(tensors: Sequence[Tensor]) -> bool:
    """Whether no entry is NaN or infinite."""
    # The largest absolute value can't overflow, as a sum of squares could.
    return not tensors or math.isfinite(float(get_total_norm(tensors, math.inf)))


def gradients(model: nn.Module) -> list[Tensor]:
    """Return the gradients of the parameters that have one."""
    return [weight.grad for weight in model.parameters() if weight.grad is not None]


def guilty_positions(
    task: Objective, model: nn.Module, examples: Examples, index: Tensor
) -> Tensor:
    """Find the examples that cause a non-finite loss or gradient of the batch `index`.

    Returns the positions of those with non-finite features or edge weights; else of those with a
    non-finite loss in the batch; else of those with a non-finite loss or gradient by themselves;
    else of the whole batch. Gradients and random number generators are not restored.
    """
    batch = examples.batch(index)
    bad = batch.examples_of(_bad_inputs(batch.graphs)).to(index.device)
    if bad.any():
        return index[bad]
    with torch.no_grad(), _restore_buffers(model):
        bad = ~task.losses(model, batch).isfinite().to(index.device)
    # If all are bad, one example may have affected the others, for instance through batch norm.
    if bad.any() and not bad.all():
        return index[bad]
    alone = [_bad_alone(task, model, examples.batch(one)) for one in torch.split(index, 1)]
    bad = torch.tensor(alone, device=index.device)
    return index[bad] if bad.any() else index


def guilty_when_evaluated(
    task: Objective, model: nn.Module, examples: Examples, batch_size: int
) -> Tensor:
    """Return the positions of the examples whose loss is not finite in eval mode."""
    bad = []
    with evaluating(model):
        for batch in batches(examples, batch_size):
            bad.append(batch.index[~task.losses(model, batch).isfinite()])
    return torch.cat(bad)


@contextmanager
def _restore_buffers(model: nn.Module) -> Iterator[None]:
    """Restore the buffers, because batch norm adds a bad batch to its running statistics."""
    before = [buffer.clone() for buffer in model.buffers()]
    try:
        yield
    finally:
        for buffer, value in zip(model.buffers(), before, strict=True):
            buffer.copy_(value)


def _bad_inputs(batch: GraphBatch) -> Tensor:
    """Return `[B]`, True for graphs with a feature or edge weight that is not finite."""
    bad = torch.zeros(batch.num_graphs, dtype=torch.bool, device=batch.x.device)
    bad[batch.batch[~batch.x.isfinite().all(dim=1)]] = True
    edges = batch.adjacency
    bad[batch.batch[edges.row[~edges.weight.isfinite()]]] = True
    return bad


def _bad_alone(task: Objective, model: nn.Module, batch: ExampleBatch) -> bool:
    model.zero_grad(set_to_none=True)
    with evaluating(model), torch.enable_grad():
        loss = task.losses(model, batch).mean()
        loss.backward()  # type: ignore[no-untyped-call]
    return not (math.isfinite(loss.item()) and all_finite(gradients(model)))


def stop_message(
    what: str, name: str, ids: Sequence[str], epoch: int, step: int, saved: Path | None
) -> str:
    """Return the message that names the problem, the graphs that cause it and the next step."""
    shown = ", ".join(ids[:_SHOWN])
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    state = f"; the state before it is in {saved}" if saved is not None else ""
    noun = "graph" if len(ids) == 1 else "graphs"
    return (
        f"epoch {epoch}, step {step}: {what} is not finite; {noun} of {name}: {shown}{more}"
        f"{state}; check the features of these graphs, or lower learning_rate or set clip"
    )

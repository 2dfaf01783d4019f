"""Numbers that are not finite: noticing them cheaply, and finding the graphs they come from.

The loop pays almost nothing for the guard: it looks at sums that it keeps anyway, and every so
many steps at the weights. When something is wrong it goes back to the last state known to be
good, repeats the steps one by one under full checks, and stops before the guilty one.
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
from graphpool.tasks.base import ExampleBatch, Examples, Task, batches, evaluating

CHECK_STEPS = 64
_SHOWN = 10


class NonFiniteError(TrainingError):
    """Training met a number that is not finite.

    Attributes:
        epoch: counted from 1.
        step: optimizer step that was not taken, counted from 1.
        graph_ids: the graphs it comes from, or the whole batch if none can be singled out.
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
    """Gradients of the parameters that have one."""
    return [weight.grad for weight in model.parameters() if weight.grad is not None]


def guilty_positions(task: Task, model: nn.Module, examples: Examples, index: Tensor) -> Tensor:
    """Positions of the examples behind a non-finite loss or gradient of the batch `index`.

    First those with non-finite features or edge weights in a graph; then those with a non-finite
    loss in the batch; then those with a non-finite loss or gradient alone; else the whole batch.
    The model's gradients and the random number generators are not put back.
    """
    batch = examples.batch(index)
    bad = batch.examples_of(_bad_inputs(batch.graphs))
    if bad.any():
        return index[bad]
    with torch.no_grad(), _buffers_kept(model):
        bad = ~task.losses(model, batch).isfinite()
    # If all are bad, one example may have spoilt the others, through batch norm for instance.
    if bad.any() and not bad.all():
        return index[bad]
    alone = [_bad_alone(task, model, examples.batch(one)) for one in torch.split(index, 1)]
    bad = torch.tensor(alone, device=index.device)
    return index[bad] if bad.any() else index


def guilty_when_evaluated(
    task: Task, model: nn.Module, examples: Examples, batch_size: int
) -> Tensor:
    """Positions of the examples whose loss is not finite in eval mode."""
    bad = []
    with evaluating(model):
        for batch in batches(examples, batch_size):
            bad.append(batch.index[~task.losses(model, batch).isfinite()])
    return torch.cat(bad)


@contextmanager
def _buffers_kept(model: nn.Module) -> Iterator[None]:
    """Put the buffers back: batch norm takes a bad batch into its running statistics."""
    before = [buffer.clone() for buffer in model.buffers()]
    try:
        yield
    finally:
        for buffer, value in zip(model.buffers(), before, strict=True):
            buffer.copy_(value)


def _bad_inputs(batch: GraphBatch) -> Tensor:
    """`[B]`, True for graphs with a feature or edge weight that is not finite."""
    bad = torch.zeros(batch.num_graphs, dtype=torch.bool, device=batch.x.device)
    bad[batch.batch[~batch.x.isfinite().all(dim=1)]] = True
    edges = batch.adjacency
    bad[batch.batch[edges.row[~edges.weight.isfinite()]]] = True
    return bad


def _bad_alone(task: Task, model: nn.Module, batch: ExampleBatch) -> bool:
    model.zero_grad(set_to_none=True)
    with evaluating(model), torch.enable_grad():
        loss = task.loss(model, batch)
        loss.backward()  # type: ignore[no-untyped-call]
    return not (math.isfinite(loss.item()) and all_finite(gradients(model)))


def stop_message(
    what: str, name: str, ids: Sequence[str], epoch: int, step: int, saved: Path | None
) -> str:
    """What is wrong, where, whose fault it is, and what to do."""
    shown = ", ".join(ids[:_SHOWN])
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    kept = f"; the state before it is in {saved}" if saved is not None else ""
    noun = "graph" if len(ids) == 1 else "graphs"
    return (
        f"epoch {epoch}, step {step}: {what} is not finite; {noun} of {name}: {shown}{more}"
        f"{kept}; look at the features of these graphs, or lower learning_rate or set clip"
    )

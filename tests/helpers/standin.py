"""A small model and small graphs for the tests of the training loop.

Run as a script it trains in a process of its own and can end that process by a signal.
"""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from graphpool.config import TrainConfig
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.tasks.classification import ClassificationTask
from graphpool.training import FitResult, fit, seed_everything
from graphpool.training.signals import interrupts_exit


@dataclass
class Trace:
    logits: Tensor
    losses: dict[str, Tensor] = field(default_factory=dict)


class Standin(nn.Module):
    """Two linear layers around a sum over nodes, with dropout and batch norm: RNG and buffers."""

    def __init__(self, hidden: int = 6, dropout: float = 0.5) -> None:
        super().__init__()
        self.inner = nn.Linear(3, hidden)
        self.norm = nn.BatchNorm1d(hidden)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(hidden, 2)

    def trace(self, batch: GraphBatch) -> Trace:
        nodes = self.dropout(self.norm(torch.relu(self.inner(batch.x))))
        sums = nodes.new_zeros(batch.num_graphs, nodes.shape[1]).index_add(0, batch.batch, nodes)
        return Trace(self.head(sums), {"small": 0.01 * self.inner.weight.square().sum()})


class SignallingTask(ClassificationTask):
    """Sends a signal to its own process in the middle of a training step."""

    def __init__(self, signum: int, at: int) -> None:
        super().__init__(2)
        self.signum, self.left = signum, at

    def step(self, model: nn.Module, batch: GraphBatch) -> Any:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), self.signum)
        return super().step(model, batch)


def make_graphs(count: int = 22, seed: int = 0, name: str = "toy") -> GraphSet:
    """Paths of two to five nodes; the class is whether the first feature's sum is positive."""
    generator = torch.Generator().manual_seed(seed)
    nodes = torch.randint(2, 6, (count,), generator=generator)
    x = torch.randn(int(nodes.sum()), 3, generator=generator)
    sums = torch.zeros(count).index_add(0, torch.repeat_interleave(nodes), x[:, 0])
    path = torch.cat([torch.stack([torch.arange(n - 1), torch.arange(1, n)]) for n in nodes], 1)
    ids = [f"g{position}" for position in range(count)]
    return GraphSet.build(
        name, nodes, nodes - 1, path, ids=ids, undirected=True, x=x, y=(sums > 0).long()
    )


def make_model(seed: int = 1, **options: Any) -> Standin:
    seed_everything(seed)
    return Standin(**options)


def settings(**changes: Any) -> TrainConfig:
    """Four steps an epoch (22 graphs), and no checkpoint in the middle of one."""
    values = {
        "epochs": 4,
        "batch_size": 6,
        "learning_rate": 0.01,
        "threads": 1,
        "checkpoint_seconds": 1000.0,
    }
    return TrainConfig(**{**values, **changes})


def train(
    folder: Path | None = None,
    *,
    task: Any = None,
    model: nn.Module | None = None,
    resume: bool = False,
    valid: bool = True,
    extra: dict[str, Any] | None = None,
    graphs: GraphSet | None = None,
    **changes: Any,
) -> tuple[nn.Module, FitResult]:
    model = make_model() if model is None else model
    result = fit(
        model,
        task or ClassificationTask(2),
        make_graphs() if graphs is None else graphs,
        make_graphs(10, seed=5, name="held") if valid else None,
        settings(**changes),
        folder=folder,
        resume=resume,
        progress=False,
        extra=extra,
    )
    return model, result


if __name__ == "__main__":
    target, signum, at, pause = sys.argv[1:]
    with interrupts_exit():
        train(
            Path(target),
            task=SignallingTask(int(signum), int(at)),
            schedule="plateau",
            plateau_epochs=1,
            checkpoint_seconds=float(pause),
        )

"""What tasks on pairs and on triplets share: a loss per example, and batches with losses added."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn

from graphpool.errors import DataError
from graphpool.nn.pairs.base import PairDistances, PairModel
from graphpool.tasks.base import Criterion, Examples, Step, batches, device_of, evaluating

# Of evaluation: a graph is embedded once a batch, so few large batches are the least work.
PAIRS_AT_ONCE = 1024
# Nodes and edges of such a batch: of large graphs fewer are taken at once.
ROOM_AT_ONCE = 1 << 21


class Judged(NamedTuple):
    """What a model said about a batch.

    Attributes:
        losses: `[levels, B]`, of each example at every level; the network learns from their mean.
        said: `[B]`, the answer as a number: a score, or a difference of distances.
        correct: `[B]`, 1 for a right answer, 0 for a wrong one, ½ for none.
        added: auxiliary losses, a scalar.
    """

    losses: Tensor
    said: Tensor
    correct: Tensor
    added: Tensor


class ComparingTask(ABC):
    """A task whose model compares graphs; a task says what an answer is, and what it costs."""

    selection = (Criterion("accuracy", higher=True), Criterion("loss", higher=False))
    examples = "examples"  # what they are called in messages

    @abstractmethod
    def judge(self, model: PairModel, batch: Any) -> Judged:
        """Compare the graphs of a batch."""

    @abstractmethod
    def metrics(self, said: Tensor, truth: Tensor) -> dict[str, float]:
        """Numbers over all examples, beside loss and accuracy."""

    @abstractmethod
    def truth(self, batch: Any) -> Tensor:
        """`[B]`, the right answers."""

    def check(self, examples: Examples) -> None:
        """There must be something to compare."""
        if len(examples) == 0:
            raise DataError(f"{examples.name} has no {self.examples}; give at least one")

    def step(self, model: nn.Module, batch: Any) -> Step:
        """Mean loss plus auxiliary losses, and the number of right answers."""
        judged = self.judge(cast(PairModel, model), batch)
        answered = cast(PairModel, model).overall(judged.losses.detach()).mean()
        return Step(
            judged.losses.mean() + judged.added,
            judged.correct.sum(),
            answered + judged.added.detach(),
        )

    def losses(self, model: nn.Module, batch: Any) -> Tensor:
        """`[B]`, the loss of each example; auxiliary losses are added to each."""
        judged = self.judge(cast(PairModel, model), batch)
        return judged.losses.mean(0) + judged.added

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        """Mean of `losses`."""
        return self.losses(model, batch).mean()

    def evaluate(self, model: nn.Module, examples: Examples, batch_size: int) -> dict[str, float]:
        """Loss, accuracy and the task's own metrics, over all examples.

        The loss is that of the rows that answer: of distances between multisets the last one.
        """
        self.check(examples)
        examples = examples.to(device_of(model))
        found, truth = [], []
        size = (examples.num_nodes + examples.num_edges) / len(examples)
        at_once = max(batch_size, min(PAIRS_AT_ONCE, int(ROOM_AT_ONCE / max(1, size))))
        with evaluating(model):
            for batch in batches(examples, at_once):
                found.append(self.judge(cast(PairModel, model), batch))
                truth.append(self.truth(batch))
        overall = cast(PairModel, model).overall
        losses = torch.cat([overall(judged.losses) + judged.added for judged in found])
        correct = torch.cat([judged.correct for judged in found])
        said = torch.cat([judged.said for judged in found])
        return {
            "loss": float(losses.double().mean()),
            "accuracy": float(correct.double().mean()),
            **self.metrics(said.cpu(), torch.cat(truth).cpu()),
        }


def added_losses(compared: PairDistances, like: Tensor) -> Tensor:
    """The sum of a comparison's auxiliary losses, a scalar."""
    return sum(compared.losses.values(), like.new_zeros(()))

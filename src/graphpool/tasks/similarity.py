"""Which of two graphs is more like a third: squared error of differences of distances."""

import torch
from torch import Tensor

from graphpool.data.pairs.triplets import TripletBatch, TripletSet
from graphpool.errors import DataError
from graphpool.nn.pairs.base import PairModel
from graphpool.tasks.compared import ComparingTask, Judged, added_losses


class SimilarityTask(ComparingTask):
    """Learn and judge triplets: r = g(query, first) - g(query, second), g the true distance.

    The loss of a triplet is the mean over levels of ((d(query, first) - d(query, second)) - r)².
    What is said is that difference for the distance of all levels together, by default the mean;
    it is right if its sign is that of r, and half right if it is 0.

    Deviation from the paper: its equation loss-triple has no square and no lower bound.
    """

    examples = "triplets"

    def check(self, examples: TripletSet) -> None:  # type: ignore[override]
        """Every triplet must have an order."""
        super().check(examples)
        tied = (examples.r == 0) | ~examples.r.isfinite()
        if bool(tied.any()):
            position = int(tied.nonzero()[0])
            raise DataError(
                f"{examples.name}, triplet {examples.ids[position]}: r is "
                f"{float(examples.r[position]):g}, which says no order; leave such triplets out"
            )

    def judge(self, model: PairModel, batch: TripletBatch) -> Judged:
        """Compare the query of every triplet with both others."""
        query, others = batch.query, torch.cat([batch.first, batch.second])
        compared = model.compare(batch.graphs, torch.cat([query, query]), others)
        first, second = compared.distances.chunk(2, dim=1)
        differences = first - second
        losses = (differences - batch.r).square()
        said = model.overall(differences.detach())
        correct = (1 + said.sign() * batch.r.sign()) / 2
        return Judged(losses, said, correct, added_losses(compared, losses))

    def truth(self, batch: TripletBatch) -> Tensor:
        """r."""
        return batch.r

    def metrics(self, said: Tensor, truth: Tensor) -> dict[str, float]:
        """Mean absolute error of the differences."""
        return {"error": float((said - truth).abs().double().mean())}

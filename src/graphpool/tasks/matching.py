"""Do two graphs match: binary cross entropy at every level; accuracy, AUC, F1."""

import torch
from torch import Tensor

from graphpool.data.pairs.pairset import PairBatch, PairSet
from graphpool.errors import DataError
from graphpool.nn.pairs.base import PairModel
from graphpool.tasks.compared import ComparingTask, Judged, added_losses


class MatchingTask(ComparingTask):
    """Learn and judge whether pairs match (y = 1) or not (y = 0).

    The loss of a pair is the mean over levels of -y log s - (1 - y) log(1 - s). It matches if the
    score of all levels together, by default their mean, is above ½.

    Deviation from the paper: its equation loss-pair has no term for pairs that don't match, and
    is least when all graphs have the same vector.
    """

    examples = "pairs"

    def check(self, examples: PairSet) -> None:  # type: ignore[override]
        """Every pair must match or not."""
        super().check(examples)
        strange = (examples.y != 0) & (examples.y != 1)
        if bool(strange.any()):
            position = int(strange.nonzero()[0])
            raise DataError(
                f"{examples.name}, pair {examples.ids[position]}: y is "
                f"{float(examples.y[position]):g}; say 1 for a match and 0 for none"
            )

    def judge(self, model: PairModel, batch: PairBatch) -> Judged:
        """Score every pair."""
        compared = model.compare(batch.graphs, batch.left, batch.right)
        yes, no = model.log_scores(compared)
        losses = -(batch.y * yes + (1 - batch.y) * no)
        said = model.overall(yes.detach().exp())
        correct = ((said > 0.5) == (batch.y > 0.5)).to(said.dtype)
        return Judged(losses, said, correct, added_losses(compared, losses))

    def truth(self, batch: PairBatch) -> Tensor:
        """y."""
        return batch.y

    def metrics(self, said: Tensor, truth: Tensor) -> dict[str, float]:
        """Area under the ROC curve, and F1 of the matching pairs."""
        return {"auc": area_under_roc(said, truth), "f1": f1_score(said > 0.5, truth > 0.5)}


def area_under_roc(score: Tensor, truth: Tensor) -> float:
    """How often a matching pair scores above one that doesn't match; ties count one half.

    NaN if all pairs are of one kind.
    """
    yes, no = score[truth > 0.5].double(), score[truth <= 0.5].double().sort().values
    if not len(yes) or not len(no):
        return float("nan")
    below, upto = (torch.searchsorted(no, yes, right=right).sum() for right in (False, True))
    return float(below + upto) / (2 * len(yes) * len(no))


def f1_score(said: Tensor, truth: Tensor) -> float:
    """2 · right yes / (said yes + true yes); 0 if there is neither."""
    both = int((said & truth).sum())
    total = int(said.sum()) + int(truth.sum())
    return 2 * both / total if total else 0.0

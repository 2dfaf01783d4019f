import math
from itertools import product

import pytest
import torch
from sklearn.metrics import f1_score as sklearn_f1
from sklearn.metrics import roc_auc_score
from torch import Tensor

from graphpool.data.pairs.pairset import PairSet
from graphpool.data.pairs.triplets import TripletSet
from graphpool.errors import DataError
from graphpool.evaluation.metrics import area_under_roc, f1_score
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.pairs.base import PairDistances, PairModel
from graphpool.tasks.matching import MatchingTask
from graphpool.tasks.similarity import SimilarityTask


class Apart(PairModel):
    """Distances |a - b| and 2 |a - b| of the only nodes' only features."""

    def __init__(self, auxiliary: float = 0.0) -> None:
        super().__init__(levels=2)
        self.factor = torch.nn.Parameter(torch.tensor([[1.0], [2.0]]))
        self.auxiliary = auxiliary
        self.embedded = 0

    def compare(self, graphs: GraphBatch, left: Tensor, right: Tensor) -> PairDistances:
        self.embedded += graphs.num_graphs
        d = (graphs.x[left, 0] - graphs.x[right, 0]).abs()
        losses = {"extra": torch.tensor(self.auxiliary)} if self.auxiliary else {}
        return PairDistances(self.factor * d, losses)


class LastAnswers(Apart):
    """The same, with the last row as the answer."""

    def overall(self, rows: Tensor) -> Tensor:
        return rows[-1]


def points(*values: float) -> GraphSet:
    count = len(values)
    return GraphSet.build(
        "points",
        torch.ones(count, dtype=torch.long),
        torch.zeros(count, dtype=torch.long),
        torch.zeros(2, 0, dtype=torch.long),
        x=torch.tensor(values).unsqueeze(1),
    )


def pairs(*rows: tuple[int, int, float]) -> PairSet:
    left, right, y = zip(*rows, strict=True)
    graphs = points(0.0, 1.0, 3.0)
    return PairSet(graphs, torch.tensor(left), torch.tensor(right), torch.tensor(y))


def triplets(*rows: tuple[int, int, int, float]) -> TripletSet:
    query, first, second, r = zip(*rows, strict=True)
    return TripletSet(points(0.0, 1.0, 3.0), *map(torch.tensor, (query, first, second, r)))


def test_matching_loss_is_cross_entropy_at_every_level() -> None:
    batch = pairs((0, 1, 1.0), (0, 2, 0.0)).batch()
    losses = MatchingTask().losses(Apart(), batch)
    # s = exp(-d / 2) with d = 1 and 2 for the first pair, 3 and 6 for the second.
    matching = (0.5 + 1.0) / 2
    other = -(math.log1p(-math.exp(-1.5)) + math.log1p(-math.exp(-3.0))) / 2
    torch.testing.assert_close(losses.detach(), torch.tensor([matching, other]))


def test_matching_is_told_from_the_mean_score_of_all_levels() -> None:
    # exp(-1/2) and exp(-1): the mean, 0.487, is below one half though the first is above.
    metrics = MatchingTask().evaluate(Apart(), pairs((0, 1, 1.0), (0, 0, 1.0)), 8)
    assert metrics["accuracy"] == 0.5


def test_auxiliary_losses_are_added_once() -> None:
    batch = pairs((0, 1, 1.0), (0, 2, 0.0)).batch()
    task = MatchingTask()
    plain, more = task.step(Apart(), batch), task.step(Apart(0.25), batch)
    assert more.loss.item() == pytest.approx(plain.loss.item() + 0.25)
    assert task.losses(Apart(0.25), batch).mean().item() == pytest.approx(more.loss.item())


def test_similarity_loss_is_the_squared_error_of_differences_at_every_level() -> None:
    batch = triplets((0, 1, 2, -1.5)).batch()
    # d(0, 1) - d(0, 2) is 1 - 3 = -2 at the first level and 2 - 6 = -4 at the second.
    losses = SimilarityTask().losses(Apart(), batch)
    assert losses.item() == pytest.approx((0.5**2 + 2.5**2) / 2)


def test_a_predicted_tie_counts_one_half() -> None:
    examples = triplets((0, 1, 2, -1.0), (0, 1, 2, 4.0), (1, 0, 0, 2.0))
    metrics = SimilarityTask().evaluate(Apart(), examples, 8)
    assert metrics["accuracy"] == pytest.approx((1 + 0 + 0.5) / 3)


def test_each_graph_of_a_batch_is_embedded_once() -> None:
    model = Apart()
    rows = [(q, a, b, 1.0) for q, a, b in product(range(3), repeat=3) if a != b]
    SimilarityTask().step(model, triplets(*rows).batch())
    assert model.embedded == 3


def test_metrics_of_matching_agree_with_scikit_learn() -> None:
    draw = torch.Generator().manual_seed(0)
    truth = torch.rand(200, generator=draw) < 0.4
    score = (torch.rand(200, generator=draw) + 0.3 * truth).mul(20).round() / 20  # with ties
    assert area_under_roc(score, truth.float()) == pytest.approx(roc_auc_score(truth, score))
    assert f1_score(score > 0.5, truth) == pytest.approx(sklearn_f1(truth, score > 0.5))


def test_area_under_roc_needs_both_kinds() -> None:
    assert math.isnan(area_under_roc(torch.rand(3), torch.ones(3)))


def test_no_f1_without_a_match() -> None:
    assert f1_score(torch.zeros(3, dtype=torch.bool), torch.zeros(3, dtype=torch.bool)) == 0


def test_odd_examples_are_named() -> None:
    with pytest.raises(DataError, match=r"pair 0 & 2: y is 0.5"):
        MatchingTask().check(pairs((0, 1, 1.0), (0, 2, 0.5)))
    with pytest.raises(DataError, match=r"gives no order"):
        SimilarityTask().check(triplets((0, 1, 2, 0.0)))
    with pytest.raises(DataError, match="no pairs"):
        MatchingTask().check(pairs((0, 1, 1.0)).select([]))


def test_the_loss_that_counts_is_that_of_the_row_that_answers() -> None:
    """All rows are learnt from, but a row that answers nothing must not choose the epoch."""
    examples, model = triplets((0, 1, 2, -3.5), (2, 1, 0, -1.0)), LastAnswers(auxiliary=0.25)
    task, batch = SimilarityTask(), examples.batch()
    rows = task.outcome(model, batch).losses.detach()
    assert rows[0].mean() != rows[1].mean()
    step = task.step(model, batch)
    assert step.loss.detach().item() == pytest.approx(float(rows.mean()) + 0.25)
    assert step.recorded is not None
    assert step.recorded.item() == pytest.approx(float(rows[1].mean()) + 0.25)
    assert task.evaluate(model, examples, 1)["loss"] == pytest.approx(step.recorded.item())

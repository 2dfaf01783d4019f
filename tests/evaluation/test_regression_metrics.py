"""Metrics of predicted numbers equal those of scikit-learn and SciPy, with gaps."""

import numpy as np
import pytest
import scipy.stats
import torch
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from graphpool.evaluation.metrics import LOWER_IS_BETTER
from graphpool.evaluation.regression import coverage, number_metrics, target_metrics
from graphpool.training.objective import is_better, selection


def drawn() -> tuple[torch.Tensor, torch.Tensor]:
    """Numbers with many ties, and gaps in the second target."""
    generator = torch.Generator().manual_seed(0)
    actual = torch.randn(200, 3, generator=generator).round(decimals=1)
    predicted = (actual + torch.randn(200, 3, generator=generator)).round(decimals=1)
    actual[::7, 1] = float("nan")
    return predicted, actual


def test_every_metric_is_that_of_scikit_learn_and_scipy() -> None:
    predicted, actual = drawn()
    found = target_metrics(predicted, actual)
    for target in range(3):
        known = ~actual[:, target].isnan()
        guess, true = (part[known, target].double().numpy() for part in (predicted, actual))
        expected = {
            "mae": mean_absolute_error(true, guess),
            "rmse": root_mean_squared_error(true, guess),
            "r2": r2_score(true, guess),
            "spearman": scipy.stats.spearmanr(guess, true).statistic,
        }
        for name, value in expected.items():
            assert float(found[name][target]) == pytest.approx(value, rel=1e-9)
    mean = number_metrics(predicted, actual)
    assert mean["rmse"] == pytest.approx(float(found["rmse"].mean()))


def test_constant_predictions_and_constant_targets() -> None:
    actual = torch.tensor([[1.0, 2.0], [3.0, 2.0], [5.0, 2.0]])
    found = target_metrics(torch.full((3, 2), 3.0), actual)
    assert found["spearman"][0] == 0
    assert found["r2"][0] == 0
    assert found["r2"][1].isnan()
    assert found["spearman"][1].isnan()
    assert target_metrics(actual, torch.full((3, 2), torch.nan))["mae"].isnan().all()


def test_coverage_counts_known_values() -> None:
    actual = torch.tensor([[0.0], [1.0], [5.0], [float("nan")]])
    lower, upper = torch.full((4, 1), -1.0), torch.full((4, 1), 1.0)
    assert coverage(lower, upper, actual).item() == pytest.approx(2 / 3)


@pytest.mark.parametrize(("scoring", "better", "worse"), [("mae", 1, 2), ("r2", 2, 1)])
def test_errors_choose_the_smallest_and_shares_the_largest(scoring, better, worse) -> None:
    criteria = selection(scoring)
    new, old = {scoring: better, "loss": 0.0}, {scoring: worse, "loss": 0.0}
    assert is_better(criteria, new, old)
    assert not is_better(criteria, old, new)
    assert (scoring in LOWER_IS_BETTER) == (better < worse)
    assert np.isfinite(better)

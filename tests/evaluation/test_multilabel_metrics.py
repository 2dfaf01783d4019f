"""Metrics of labels with gaps are scikit-learn's, over the known values of each label."""

import math

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, average_precision_score, f1_score, roc_auc_score

from graphpool.evaluation.multilabel import LABEL_METRICS, label_metrics, multilabel_metrics


def example(seed: int, graphs: int = 60, labels: int = 5) -> tuple[torch.Tensor, torch.Tensor]:
    """Probabilities with many ties, and labels with gaps."""
    stream = np.random.default_rng(seed)
    probability = stream.integers(0, 12, (graphs, labels)) / 11
    actual = (stream.random((graphs, labels)) < 0.3).astype(float)
    actual[stream.random((graphs, labels)) < 0.4] = np.nan
    return torch.from_numpy(probability), torch.from_numpy(actual)


@pytest.mark.parametrize("seed", range(5))
def test_each_label_is_as_scikit_learn_has_it(seed: int) -> None:
    probability, actual = example(seed)
    found = label_metrics(probability, actual)
    for column in range(actual.shape[1]):
        known = ~actual[:, column].isnan()
        y, share = actual[known, column].numpy(), probability[known, column].numpy()
        predicted = (share > 0.5).astype(float)
        assert float(found["roc_auc"][column]) == pytest.approx(roc_auc_score(y, share))
        precision = average_precision_score(y, share)
        assert float(found["average_precision"][column]) == pytest.approx(precision)
        assert float(found["f1"][column]) == pytest.approx(f1_score(y, predicted))
        assert float(found["accuracy"][column]) == pytest.approx(accuracy_score(y, predicted))


def test_means_are_over_the_labels_and_micro_over_all_values() -> None:
    probability, actual = example(7)
    each, found = label_metrics(probability, actual), multilabel_metrics(probability, actual)
    assert list(found) == list(LABEL_METRICS)
    for name in ("roc_auc", "average_precision"):
        assert found[name] == pytest.approx(float(each[name].mean()))
    known = ~actual.isnan()
    y, predicted = actual[known].numpy(), (probability[known] > 0.5).double().numpy()
    assert found["f1_micro"] == pytest.approx(f1_score(y, predicted))
    assert found["accuracy"] == pytest.approx(accuracy_score(y, predicted))


def test_without_gaps_the_means_are_those_of_scikit_learn() -> None:
    probability, actual = example(3)
    actual = actual.nan_to_num()
    found = multilabel_metrics(probability, actual)
    y, share = actual.numpy(), probability.numpy()
    assert found["roc_auc"] == pytest.approx(roc_auc_score(y, share, average="macro"))
    precision = average_precision_score(y, share, average="macro")
    assert found["average_precision"] == pytest.approx(precision)
    for kind in ("macro", "micro"):
        assert found[f"f1_{kind}"] == pytest.approx(f1_score(y, share > 0.5, average=kind))


def test_labels_of_one_kind_or_none_are_left_out_of_the_means() -> None:
    probability, actual = example(1)
    whole = multilabel_metrics(probability, actual)
    gaps = torch.full((len(actual), 1), torch.nan)
    more = torch.cat([actual, gaps, torch.where(gaps.isnan(), 0.0, 0.0), gaps.nan_to_num(1.0)], 1)
    shares = torch.cat([probability, torch.full((len(actual), 3), 0.2)], 1)
    each, found = label_metrics(shares, more), multilabel_metrics(shares, more)
    for name in ("roc_auc", "average_precision"):
        assert each[name][5:].isnan().all()
        assert found[name] == pytest.approx(whole[name])
    assert math.isnan(float(each["accuracy"][5]))
    assert float(each["f1"][7]) == 0  # ones that were not found


def test_a_constant_has_the_prevalence_as_average_precision() -> None:
    _, actual = example(2)
    found = label_metrics(torch.full_like(actual, 0.1), actual)
    assert found["roc_auc"].tolist() == [0.5] * 5
    assert found["average_precision"].tolist() == pytest.approx(actual.nanmean(0).tolist())


def test_unknown_values_may_have_any_probability() -> None:
    probability, actual = example(4)
    other = torch.where(actual.isnan(), torch.rand(actual.shape).double(), probability)
    assert multilabel_metrics(other, actual) == multilabel_metrics(probability, actual)

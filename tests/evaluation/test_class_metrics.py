"""Metrics of classifiers, against scikit-learn."""

import math
import warnings

import numpy as np
import pytest
import torch
from sklearn import metrics as sk

from graphpool.evaluation.metrics import class_metrics


def sample(
    classes: int, graphs: int, seed: int, rounded: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(graphs, classes, generator=generator, dtype=torch.float64)
    if rounded:  # so that many graphs have equal scores
        logits = logits.round()
    actual = torch.randint(classes, (graphs,), generator=generator)
    actual[:classes] = torch.arange(classes)
    return logits.softmax(dim=1), actual


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize(("classes", "graphs"), [(2, 7), (2, 200), (3, 30), (6, 150)])
def test_every_metric_is_that_of_scikit_learn(classes, graphs, rounded):
    for seed in range(3):
        probability, actual = sample(classes, graphs, seed, rounded)
        y, p = actual.numpy(), probability.numpy()
        answer, hot = p.argmax(axis=1), np.eye(classes)[y]
        ranked = (y, p[:, 1]) if classes == 2 else (hot, p)
        wanted = {
            "accuracy": sk.accuracy_score(y, answer),
            "balanced_accuracy": sk.balanced_accuracy_score(y, answer),
            "f1_macro": sk.f1_score(y, answer, average="macro"),
            "matthews_corrcoef": sk.matthews_corrcoef(y, answer),
            "roc_auc": sk.roc_auc_score(*ranked, average="macro"),
            "average_precision": sk.average_precision_score(*ranked, average="macro"),
        }
        assert class_metrics(probability, actual) == pytest.approx(wanted)


def test_a_constant_answer_has_no_correlation():
    metrics = class_metrics(torch.tensor([[0.9, 0.1]] * 4), torch.tensor([0, 0, 1, 1]))
    assert metrics["matthews_corrcoef"] == 0
    assert metrics["roc_auc"] == 0.5
    assert metrics["f1_macro"] == pytest.approx(1 / 3)


def test_graphs_of_one_class_can_not_be_ranked():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metrics = class_metrics(torch.tensor([[0.9, 0.1], [0.4, 0.6]]), torch.tensor([0, 0]))
    assert math.isnan(metrics["roc_auc"])
    assert math.isnan(metrics["average_precision"])
    assert metrics["accuracy"] == 0.5


def test_a_class_that_does_not_occur_is_left_out_of_the_mean():
    probability, _ = sample(3, 20, 0, rounded=False)
    actual = torch.arange(20) % 2
    found = class_metrics(probability, actual)["roc_auc"]
    each = [sk.roc_auc_score(actual == code, probability[:, code]) for code in (0, 1)]
    assert found == pytest.approx(np.mean(each))

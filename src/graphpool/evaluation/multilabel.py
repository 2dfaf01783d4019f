"""Metrics of labels of 0 and 1, label by label, where a label may be unknown for some graphs.

They are worked out after every epoch; the tests compare them with scikit-learn's.
"""

import torch
from torch import Tensor

from graphpool.evaluation.metrics import ranking_areas

# Metrics of a multi-label classifier, and the title of each; shares end in `%`.
LABEL_METRICS = {
    "roc_auc": "ROC-AUC, %",
    "average_precision": "average precision, %",
    "f1_macro": "macro F1, %",
    "f1_micro": "micro F1, %",
    "accuracy": "accuracy, %",
}
THRESHOLD = 0.5
"""A label is predicted if its probability is larger."""


def multilabel_metrics(probability: Tensor, actual: Tensor) -> dict[str, float]:
    """Return every metric of `LABEL_METRICS`.

    `roc_auc`, `average_precision` and `f1_macro` are means over the labels for which they are
    defined, as those of the Open Graph Benchmark (Hu et al. 2020); NaN if there is none.
    `f1_micro` and `accuracy` count all known values alike.

    Args:
        probability: `[graphs, labels]`, of a 1.
        actual: likewise 0, 1, or NaN where unknown.
    """
    each = label_metrics(probability, actual)
    known, right, both, either = _counts(probability, actual)
    return {
        "roc_auc": float(each["roc_auc"].nanmean()),
        "average_precision": float(each["average_precision"].nanmean()),
        "f1_macro": float(each["f1"].nanmean()),
        "f1_micro": float(2 * both.sum() / either.sum()),
        "accuracy": float(right.sum() / known.sum()),
    }


def label_metrics(probability: Tensor, actual: Tensor) -> dict[str, Tensor]:
    """Return ROC-AUC, average precision, F1 and accuracy of each label, `[labels]` each.

    The first two are NaN unless both 0 and 1 are known for some graph, F1 if no 1 is known or
    predicted, and accuracy if nothing is known.
    """
    known, right, both, either = _counts(probability, actual)
    truth = actual == 1
    roc, precision = ranking_areas(probability.double(), truth, ~actual.isnan())
    found = truth.sum(0)
    mixed = (found > 0) & (found < known)
    return {
        "roc_auc": torch.where(mixed, roc, torch.nan),
        "average_precision": torch.where(mixed, precision, torch.nan),
        "f1": 2 * both / either,
        "accuracy": right / known,
    }


def _counts(probability: Tensor, actual: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Of each label: known values, right ones, ones found, and ones true or predicted (twice both).

    All are `[labels]`, float64.
    """
    known, truth = ~actual.isnan(), actual == 1
    predicted = (probability > THRESHOLD) & known
    both = (predicted & truth).sum(0).double()
    either = predicted.sum(0).double() + truth.sum(0)
    return known.sum(0).double(), ((predicted == truth) & known).sum(0).double(), both, either

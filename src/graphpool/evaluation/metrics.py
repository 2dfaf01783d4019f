"""Metrics of predictions: accuracies from a confusion matrix, area under the ROC curve, F1.

They are worked out after every epoch, in about 0.3 ms; scikit-learn's functions, which the tests
compare them with, take 10 ms together.
"""

import math

import torch
from torch import Tensor

# Metrics of a classifier, and the title of each; shares end in `%`.
CLASS_METRICS = {
    "accuracy": "accuracy, %",
    "balanced_accuracy": "balanced, %",
    "f1_macro": "macro F1, %",
    "matthews_corrcoef": "MCC",
    "roc_auc": "ROC-AUC, %",
    "average_precision": "average precision, %",
}


def class_metrics(probability: Tensor, actual: Tensor) -> dict[str, float]:
    """Return every metric of `CLASS_METRICS`, under the names of scikit-learn's scorers.

    With two classes `roc_auc` and `average_precision` are those of the second class; with more,
    the mean over the classes of each against the rest. Classes for which a metric is undefined,
    because no graph, or every graph, is of them, are left out; NaN if none is left.

    Args:
        probability: `[graphs, classes]`.
        actual: `[graphs]`, codes of classes.
    """
    count = probability.shape[1]
    matrix = confusion_matrix(probability.argmax(dim=1), actual, count)
    ranked = [1] if count == 2 else range(count)
    pairs = [(probability[:, code], actual == code) for code in ranked]
    return {
        **matrix_metrics(matrix),
        "roc_auc": _mean([area_under_roc(score, truth) for score, truth in pairs]),
        "average_precision": _mean([average_precision(score, truth) for score, truth in pairs]),
    }


def matrix_metrics(matrix: Tensor) -> dict[str, float]:
    """Return the metrics that need nothing but a confusion matrix."""
    return {
        "accuracy": accuracy(matrix),
        "balanced_accuracy": balanced_accuracy(matrix),
        "f1_macro": macro_f1(matrix),
        "matthews_corrcoef": matthews_correlation(matrix),
    }


def confusion_matrix(predicted: Tensor, actual: Tensor, num_classes: int) -> Tensor:
    """`[classes, classes]` counts: row is the actual class, column the predicted one."""
    cell = actual * num_classes + predicted
    return torch.bincount(cell, minlength=num_classes**2).view(num_classes, num_classes)


def accuracy(matrix: Tensor) -> float:
    """Share of correct predictions in a confusion matrix."""
    return int(matrix.diagonal().sum()) / int(matrix.sum())


def balanced_accuracy(matrix: Tensor) -> float:
    """Mean recall over the classes that occur in a confusion matrix."""
    actual = matrix.sum(dim=1)
    occurs = actual > 0
    return float((matrix.diagonal()[occurs].double() / actual[occurs]).mean())


def macro_f1(matrix: Tensor) -> float:
    """Mean F1 over the classes that occur or are predicted."""
    total = matrix.sum(dim=0) + matrix.sum(dim=1)
    occurs = total > 0
    return float((2 * matrix.diagonal()[occurs].double() / total[occurs]).mean())


def matthews_correlation(matrix: Tensor) -> float:
    """Correlation of predicted and actual classes (Gorodkin 2004); 0 if either is constant."""
    matrix = matrix.double()
    predicted, actual, total = matrix.sum(dim=0), matrix.sum(dim=1), matrix.sum()
    covariance = matrix.trace() * total - predicted @ actual
    spread = (total**2 - predicted @ predicted) * (total**2 - actual @ actual)
    return float(covariance / spread.sqrt()) if float(spread) > 0 else 0.0


def average_precision(score: Tensor, truth: Tensor) -> float:
    """Area under the curve of precision over recall, as steps; NaN without a positive example."""
    score, order = score.double().sort(descending=True)
    hits = truth[order].double().cumsum(0)
    if not len(hits) or not float(hits[-1]):
        return float("nan")
    # Examples of one score can't be told apart: the curve has a point behind the last of them.
    last = torch.cat([(score.diff() != 0).nonzero()[:, 0], torch.tensor([len(score) - 1])])
    gained = hits[last].diff(prepend=hits.new_zeros(1)) / hits[-1]
    return float((gained * hits[last] / (last + 1)).sum())


def area_under_roc(score: Tensor, truth: Tensor) -> float:
    """Probability that a positive example scores above a negative one; ties count one half.

    NaN if all examples are of one kind.
    """
    positive, negative = score[truth > 0.5].double(), score[truth <= 0.5].double().sort().values
    if not len(positive) or not len(negative):
        return float("nan")
    below, upto = (
        torch.searchsorted(negative, positive, right=right).sum() for right in (False, True)
    )
    return float(below + upto) / (2 * len(positive) * len(negative))


def f1_score(predicted: Tensor, truth: Tensor) -> float:
    """2 · true positives / (predicted positives + actual positives); 0 if there are neither."""
    both = int((predicted & truth).sum())
    total = int(predicted.sum()) + int(truth.sum())
    return 2 * both / total if total else 0.0


def _mean(values: list[float]) -> float:
    """Mean of the values that are defined."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else float("nan")

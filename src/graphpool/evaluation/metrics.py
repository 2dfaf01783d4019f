"""Metrics of predictions: accuracies from a confusion matrix, area under the ROC curve, F1."""

import torch
from torch import Tensor


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

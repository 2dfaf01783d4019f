"""Metrics of predictions: accuracies from a confusion matrix, area under the ROC curve, F1.

They are worked out after every epoch, in about 0.5 ms; scikit-learn's functions, which the tests
compare them with, take 10 ms together.
"""

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

# Metrics of which less is better.
LOWER_IS_BETTER = {"loss", "mae", "rmse"}


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
    ranked = slice(1, None) if count == 2 else slice(None)
    truth = actual.unsqueeze(1) == torch.arange(count)
    roc, precision = ranking_areas(probability[:, ranked], truth[:, ranked])
    return {
        **matrix_metrics(matrix),
        "roc_auc": float(roc.nanmean()),
        "average_precision": float(precision.nanmean()),
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


def ranking_areas(
    score: Tensor, truth: Tensor, known: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Areas under the ROC curve and, as steps, under precision over recall, `[classes]` each.

    NaN for a class that no example, or (ROC) every example, is of.

    Args:
        score: `[examples, classes]`.
        truth: likewise, whether the example is of the class.
        known: likewise, whether that is known; examples where it is not are left out.
    """
    if known is not None:
        score, truth = torch.where(known, score, -torch.inf), truth & known
    score, order = score.sort(dim=0, descending=True)
    seen = torch.arange(1, len(score) + 1, dtype=torch.float64).unsqueeze(1)
    if known is not None:  # unknown ones are the last, and neither hits nor misses
        seen = torch.minimum(seen, known.sum(0).double())
    hits = truth.gather(0, order).double().cumsum(0)
    misses = seen - hits
    # Examples of one score can't be told apart: curves have a point behind the last of them.
    point = torch.ones_like(score, dtype=torch.bool)
    point[:-1] = score[1:] != score[:-1]

    def gained(count: Tensor) -> Tensor:
        """What a point has more than the point before it; 0 for other examples."""
        upto = torch.where(point, count, 0.0).cummax(0).values
        return torch.cat([upto[:1], upto.diff(dim=0)])

    height = hits - gained(hits) / 2  # of the trapezium between two points
    roc = (gained(misses) * height).sum(0) / (hits[-1] * misses[-1])
    return roc, (gained(hits) * hits / seen).sum(0) / hits[-1]


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

"""Graphs with classes: opening sets of them, matching classes by name, logits, loss, baselines."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from graphpool.config.class_weight import class_key, read_class_weight
from graphpool.data import load as datasets
from graphpool.data.splits import Split
from graphpool.errors import DataError, InputError, check_known, plural
from graphpool.evaluation.baselines.kernel import SVM_C, WL_ITERATIONS, majority, wl_svm
from graphpool.evaluation.metrics import confusion_matrix, matrix_metrics
from graphpool.evaluation.prediction import Stopwatch
from graphpool.evaluation.prediction import accuracy as share_equal
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.tasks.base import Array, Baseline, Figures
from graphpool.tasks.graph_task import SplitData, missing_values, normalised
from graphpool.training.objective import TraceOutputs

ONLY_CLASSES = (
    "a classifier predicts classes, whole numbers or words; numbers on a scale are for "
    "GraphRegressor, and --task regression"
)
BASELINES = {
    "wl": Baseline(
        "kernel",
        "Weisfeiler–Lehman subtree kernel and SVM, h and C chosen on validation graphs",
        {"iterations": list(WL_ITERATIONS), "C": list(SVM_C)},
    ),
    "majority": Baseline("rule", "always the most frequent class of the training graphs"),
}


def open_classes(data: str | GraphSet, root: Path | None = None) -> GraphSet:
    """Open a set whose graphs must have classes."""
    graphs = datasets.find(data, root, features=None) if isinstance(data, str) else data
    if graphs.y is None and graphs.target is not None:
        raise DataError(f"{graphs.name} has numbers to predict and no classes; {ONLY_CLASSES}")
    if graphs.y is None:
        raise DataError(f"{graphs.name} has no classes; {missing_values(graphs)}")
    return graphs


def check_targets(y: Any) -> None:
    """Raise an `InputError` for values that can't be classes, as scikit-learn does: gaps, floats.

    Args:
        y: one value per graph, an array of any kind; floats that are whole numbers are classes.
    """
    if y.dtype.kind == "O":
        gaps = np.array([value is None or value != value for value in y.tolist()], dtype=bool)
        numbers = np.array([value for value in y.tolist() if isinstance(value, float)], dtype=float)
    elif y.dtype.kind == "f":
        gaps, numbers = np.isnan(y), y
    else:
        return
    if gaps.any():
        raise InputError(
            f"y is NaN or None for {int(gaps.sum())} of {plural(len(y), 'graph')}, first at "
            f"position {int(gaps.argmax())}; leave these graphs out"
        )
    broken = numbers[~np.isfinite(numbers) | (numbers != np.round(numbers))]
    if len(broken):
        raise InputError(
            f"y holds the number {broken[0]:g}, a continuous target and no class; {ONLY_CLASSES}"
        )


def class_array(names: Sequence[Any], dtype: str = "") -> Array:
    """Return names of classes as an array, `[classes]`, of the type of a user's own labels."""
    if dtype and np.dtype(dtype).kind not in "biufO":
        raise ValueError(f"{dtype!r} is not a type of classes")
    mixed = len({isinstance(name, str) for name in names}) > 1
    return np.array(names, dtype=dtype or (object if mixed else None))


def align_classes(graphs: GraphSet, classes: tuple[Any, ...]) -> GraphSet:
    """Return the same graphs with `y` counted in `classes`, matched by name."""
    own = graphs.classes
    if graphs.y is None or not own or own == classes:
        return graphs
    # The class 1 of one file and the class "1" of another are the same to a user.
    code_of = {str(name): code for code, name in enumerate(classes)}
    strange = [
        name
        for code, name in enumerate(own)
        if str(name) not in code_of and bool((graphs.y == code).any())
    ]
    if strange:
        raise DataError(
            f"{graphs.name} has the class {strange[0]!r}, which the model does not know; its "
            f"classes are {', '.join(str(name) for name in classes)}"
        )
    codes = torch.tensor([code_of.get(str(name), -1) for name in own], device=graphs.device)
    return replace(graphs, y=codes[graphs.y], classes=classes)


def check_codes(graphs: GraphSet) -> Tensor:
    """Return the classes of graphs to learn from; refuse graphs without, and numbers instead."""
    if graphs.y is None:
        about = f"; {ONLY_CLASSES}" if graphs.target is not None else ""
        raise DataError(f"{graphs.name} has no classes; a classifier can't learn from it{about}")
    if graphs.y.is_floating_point():
        raise InputError(
            f"{graphs.name}: y is of type {graphs.y.dtype}, not codes of classes; {ONLY_CLASSES}"
        )
    return graphs.y


def classes_of(graphs: GraphSet | GraphBatch) -> Tensor:
    """Return the classes of graphs, which must have them."""
    if graphs.y is None:
        raise DataError("these graphs have no classes to compare with")
    return graphs.y


def class_loss(traced: TraceOutputs, batch: GraphBatch, reduction: str) -> Tensor:
    """Cross entropy, `[B]` or its mean, times the weights of the graphs, plus auxiliary losses."""
    weight = batch.graph_weight
    if weight is None:
        loss = functional.cross_entropy(traced.logits, classes_of(batch), reduction=reduction)
    else:
        loss = functional.cross_entropy(traced.logits, classes_of(batch), reduction="none") * weight
        loss = loss.mean() if reduction == "mean" else loss
    for value in traced.losses.values():
        loss = loss + value
    return loss


def weighted(
    train: GraphSet, valid: GraphSet | None, classes: Sequence[Any], class_weight: str
) -> tuple[GraphSet, GraphSet | None]:
    """Return the graphs with the weight of each in the loss: that of its class times its own.

    Weights are divided by their mean over the training graphs, those of validation graphs by their
    own mean; see `normalised`.

    Args:
        train, valid: their `graph_weight`, if any, are weights of single graphs.
        classes: the name of each class.
        class_weight: of `TrainConfig`.
    """
    codes = check_codes(train).cpu()
    of_class = torch.ones(len(classes), dtype=torch.float64)
    given = read_class_weight(class_weight)
    if given is None:
        counts = codes.bincount(minlength=len(classes))
        of_class = len(codes) / (counts * (counts > 0).sum()).clamp(min=1).double()
    else:
        names = [class_key(name) for name in classes]
        for name, weight in given.items():
            check_known("class in train.class_weight", name, names)
            of_class[names.index(name)] = weight

    def changed(graphs: GraphSet) -> GraphSet:
        own = graphs.graph_weight
        weight = of_class[classes_of(graphs).cpu()] * (1 if own is None else own.cpu().double())
        return normalised(graphs, weight)

    return changed(train), None if valid is None else changed(valid)


def majority_share(graphs: GraphSet) -> float:
    """Return the share of the most frequent class."""
    return float(classes_of(graphs).bincount().max()) / len(graphs)


def split_majority_share(graphs: GraphSet, split: Split) -> float:
    """Return the share of test graphs with the most frequent class of the training graphs."""
    codes = classes_of(graphs).cpu().numpy()
    return share_equal(majority(codes, split).predicted, codes[list(split.test)])


def same_answer(
    classes: Sequence[Any],
    graphs: GraphSet,
    metrics: Mapping[str, float],
    probabilities: Callable[[GraphSet], Any],
) -> list[str]:
    """Warn if graphs of several classes all get the same one.

    Args:
        metrics: on these graphs. Predictions that are all the same have the balanced accuracy of
            one class, or of none, so most models need no second look.
        probabilities: returns those of graphs, `[graphs, classes]`.
    """
    occurring = len(torch.unique(classes_of(graphs)))
    share = metrics["balanced_accuracy"] * occurring
    if occurring < 2 or min(abs(share), abs(share - 1)) > 1e-6:
        return []
    answers = set(probabilities(graphs).argmax(axis=1).tolist())
    if len(answers) > 1:
        return []
    return [
        f"the model answers {classes[answers.pop()]} for every graph: it separates nothing; "
        "train it longer, or set train.class_weight to balanced"
    ]


def baseline_figures(name: str, data: SplitData, num_classes: int, watch: Stopwatch) -> Figures:
    """Run a baseline on a split, and return its accuracies."""
    assert data.split is not None
    codes = classes_of(data.graphs).cpu().numpy()
    if name == "majority":
        with watch.part("train"):
            answer = majority(codes, data.split)
    else:
        answer = wl_svm(data.graphs, codes, data.split, watch)
    predicted = torch.from_numpy(np.asarray(answer.predicted, dtype=np.int64))
    actual = torch.from_numpy(codes[list(data.split.test)]).long()
    matrix = confusion_matrix(predicted, actual, num_classes)
    return Figures(
        {"test": matrix_metrics(matrix)}, {"accuracy": answer.valid_accuracy}, answer.chosen
    )

"""Baselines of classification: the majority class, and a kernel with an SVM.

Both get what a network gets: the training graphs to learn from, the validation graphs to choose
settings on, and of the test graphs everything but the classes. (The structure-free baseline is a
network; it stands in `graphpool.nn.zoo.build`.)
"""

import numpy as np

from graphpool.data.splits import Split
from graphpool.evaluation.baselines.wl import wl_kernels
from graphpool.evaluation.prediction import Array, Stopwatch, UnitPrediction, accuracy
from graphpool.graphs.graphset import GraphSet

WL_ITERATIONS = (1, 2, 3, 4, 5)
SVM_C = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


def majority(classes: Array, split: Split) -> UnitPrediction:
    """Predict the most frequent class of the training graphs; the lowest one if several are.

    Args:
        classes: `[graphs]` class codes.
    """
    most = int(np.bincount(classes[list(split.train)]).argmax())
    hits = accuracy(np.full(len(split.valid), most), classes[list(split.valid)])
    return UnitPrediction(predicted=np.full(len(split.test), most), valid_accuracy=hits)


def wl_svm(graphs: GraphSet, classes: Array, split: Split, watch: Stopwatch) -> UnitPrediction:
    """Weisfeiler–Lehman subtree kernel and support vector machine.

    Rounds h and penalty C are those with the highest accuracy on the validation graphs, and the
    lowest hinge loss on them where accuracies are equal; what then ties goes to fewer rounds and
    the smaller C. The machine learns from the training graphs alone, like every other method.

    Args:
        classes: `[graphs]` class codes.
    """
    from sklearn.svm import SVC

    train, valid, test = (np.array(part) for part in (split.train, split.valid, split.test))
    best: tuple[float, float] | None = None
    chosen: dict[str, int | float | str] = {}
    kernels = wl_kernels(graphs, max(WL_ITERATIONS))
    for rounds in range(max(WL_ITERATIONS) + 1):
        with watch.part("features"):
            kernel = next(kernels)
        if rounds not in WL_ITERATIONS:
            continue
        with watch.part("train"):
            known, held = kernel[np.ix_(train, train)], kernel[np.ix_(valid, train)]
            for penalty in SVM_C:
                machine = SVC(C=penalty, kernel="precomputed").fit(known, classes[train])
                hits = accuracy(machine.predict(held), classes[valid])
                loss = hinge_loss(machine.decision_function(held), classes[valid], machine.classes_)
                if best is None or (hits, -loss) > best:
                    best, chosen = (hits, -loss), {"h": rounds, "C": penalty}
                    winner, unseen = machine, kernel[np.ix_(test, train)]
    with watch.part("test"):
        predicted = winner.predict(unseen)
    assert best is not None
    return UnitPrediction(predicted=predicted, valid_accuracy=best[0], chosen=chosen)


def hinge_loss(decision: Array, actual: Array, classes: Array) -> float:
    """Mean of max(0, 1 − margin), the margin being the own class's score less the best other one.

    Graphs of a class that the machine has never seen are left out: nothing could help them.

    Args:
        decision: `[graphs]` for two classes (positive: the second), else `[graphs, classes]`.
        actual: `[graphs]` classes of the graphs.
        classes: the machine's classes, in the order of the columns.
    """
    scores = np.stack([-decision, decision], axis=1) / 2 if decision.ndim == 1 else decision.copy()
    known = np.isin(actual, classes)
    if not known.any():
        return 0.0
    scores, column = scores[known], np.searchsorted(classes, actual[known])
    rows = np.arange(len(column))
    own = scores[rows, column]
    scores[rows, column] = -np.inf
    return float(np.maximum(0, 1 - (own - scores.max(axis=1))).mean())

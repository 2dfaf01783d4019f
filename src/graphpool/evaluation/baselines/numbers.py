"""Baselines of regression: the mean of the training graphs, and a kernel with ridge regression.

Both get what a network gets: the training graphs to learn from, the validation graphs to choose
settings on, and of the test graphs everything but the targets.
"""

from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from graphpool.data.splits import Split
from graphpool.evaluation.baselines.kernel import WL_ITERATIONS
from graphpool.evaluation.baselines.wl import wl_kernels
from graphpool.evaluation.prediction import Array, Stopwatch
from graphpool.graphs.graphset import GraphSet

RIDGE = (0.001, 0.01, 0.1, 1.0, 10.0)


@dataclass(frozen=True, eq=False)
class NumberPrediction:
    """Predictions for the validation and the test graphs, `[graphs, targets]` each.

    Attributes:
        chosen: settings that the validation graphs decided.
    """

    valid: Array
    test: Array
    chosen: dict[str, int | float | str] = field(default_factory=dict)


def mean_value(target: Array, split: Split) -> NumberPrediction:
    """Predict the mean of the training graphs, whatever the graph.

    Args:
        target: `[graphs, targets]`, NaN where unknown.
    """
    mean = np.nanmean(target[list(split.train)], axis=0)
    valid, test = (np.tile(mean, (len(part), 1)) for part in (split.valid, split.test))
    return NumberPrediction(valid, test)


def wl_ridge(graphs: GraphSet, target: Array, split: Split, watch: Stopwatch) -> NumberPrediction:
    """Weisfeiler–Lehman subtree kernel and ridge regression, each target by itself.

    Rounds h and penalty are those with the smallest mean squared error on the validation graphs, in
    units of the targets' spread; what ties goes to fewer rounds and the smaller penalty.

    Args:
        target: `[graphs, targets]`, NaN where unknown.
    """
    train, valid, test = (np.array(part) for part in (split.train, split.valid, split.test))
    mean = np.nanmean(target[train], axis=0)
    spread = np.nanstd(target[train], axis=0)
    scaled = (target - mean) / np.where(spread > 0, spread, 1.0)
    best = np.inf
    chosen: dict[str, int | float | str] = {}
    outputs = mean_value(target, split)
    with watch.part("features"):
        kernels = list(islice(wl_kernels(graphs, max(WL_ITERATIONS)), max(WL_ITERATIONS) + 1))
    for rounds in WL_ITERATIONS:
        for penalty in RIDGE:
            with watch.part("train"):
                held, unseen = _ridge(kernels[rounds], scaled, train, (valid, test), penalty)
                error = float(np.nanmean((held - scaled[valid]) ** 2))
            if error < best:
                best, chosen = error, {"h": rounds, "ridge": penalty}
                scale = np.where(spread > 0, spread, 1.0)
                outputs = NumberPrediction(mean + scale * held, mean + scale * unseen)
    return NumberPrediction(outputs.valid, outputs.test, chosen)


def _ridge(
    kernel: Array, scaled: Array, train: Array, parts: tuple[Array, Array], penalty: float
) -> tuple[Array, Array]:
    """Predictions for the parts; graphs where a target is unknown don't train it."""
    found = [np.zeros((len(part), scaled.shape[1])) for part in parts]
    masks = ~np.isnan(scaled[train])
    for pattern in np.unique(masks, axis=1).T:
        columns = np.flatnonzero((masks == pattern[:, None]).all(axis=0))
        known = train[pattern]
        if not len(known):
            continue
        matrix = kernel[np.ix_(known, known)] + penalty * np.eye(len(known))
        weights = np.linalg.solve(matrix, scaled[np.ix_(known, columns)])
        for output, part in zip(found, parts, strict=True):
            output[:, columns] = kernel[np.ix_(part, known)] @ weights
    return found[0], found[1]

"""Random splits over graphs: stratified folds, cross-validation and the paper's 8:1:1.

Splits depend on the seed and nothing else: they are made from the raw stream of PCG64, whose
numbers never change, and not from library functions whose results may change with a version.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from graphpool.data.splits.split import Split
from graphpool.errors import ConfigError, plural
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.vocabulary import is_labels

Classes = Sequence[int] | NDArray[Any] | Tensor


def stratified_folds(y: Classes, folds: int, seed: int | Sequence[int]) -> list[tuple[int, ...]]:
    """Cut graphs of the classes `y` into parts with the same mix of classes.

    Sizes of parts differ by at most one, and so does the number of graphs of each class.
    """
    classes = np.asarray(y)
    if not 2 <= folds <= len(classes):
        raise ConfigError(
            f"{plural(len(classes), 'graph')} can't be cut into {folds} folds; "
            f"choose 2 … {len(classes)}"
        )
    order = shuffle(len(classes), seed)
    # Deal the shuffled graphs out like cards, one class after the other.
    order = order[np.argsort(classes[order], kind="stable")]
    return [positions(order[fold::folds]) for fold in range(folds)]


def strata_of(graphs: GraphSet, parts: int = 10) -> NDArray[Any]:
    """Return the class of each graph, `[graphs]`, which folds should have equal shares of.

    Of graphs with numbers to predict it is the tenth of the first number, from the lowest tenth to
    the highest; graphs where it is unknown are the last. Of graphs with several labels of 0 and 1
    it is the rarest label that is 1. Graphs without any are all alike.
    """
    if graphs.y is not None:
        return np.asarray(graphs.y.cpu())
    if graphs.target is None:
        return np.zeros(len(graphs), dtype=np.int64)
    if is_labels(graphs.target):
        ones = np.asarray(graphs.target.cpu() == 1)
        count = np.where(ones, ones.sum(axis=0), len(ones) + 1)
        return np.asarray(np.where(ones.any(axis=1), count.argmin(axis=1), ones.shape[1]))
    order = np.argsort(graphs.target[:, 0].cpu().numpy(), kind="stable")
    strata = np.empty(len(order), dtype=np.int64)
    strata[order] = np.arange(len(order)) * parts // max(len(order), 1)
    return strata


def cv_splits(y: Classes, folds: int = 10, seed: int = 0) -> tuple[Split, ...]:
    """Make the splits of stratified cross-validation; `valid` is as large as one fold."""
    classes = np.asarray(y)
    if folds == 2 and len(classes) < 4:
        raise ConfigError(
            f"{plural(len(classes), 'graph')}: too few for 2 folds that train and validate"
        )
    tests = stratified_folds(classes, folds, seed)
    splits = []
    for number, test in enumerate(tests, start=1):
        rest = np.setdiff1d(np.arange(len(classes)), test)
        inner = stratified_folds(classes[rest], max(2, folds - 1), (seed, number))
        valid = rest[list(inner[0])]
        splits.append(Split(positions(np.setdiff1d(rest, valid)), positions(valid), test))
    return tuple(splits)


def random_splits(
    y_or_n: Classes | int,
    seed: int = 0,
    fractions: tuple[float, float, float] = (0.8, 0.1, 0.1),
    repeats: int = 1,
) -> tuple[Split, ...]:
    """Split at random, whatever the classes are, as the paper does.

    Args:
        y_or_n: number of graphs, or one entry per graph.
        seed: each repeat draws its own split from it.
        fractions: of `train`, `valid` and `test`; what rounding leaves goes to `train`.
        repeats: number of splits.
    """
    graphs = y_or_n if isinstance(y_or_n, int) else len(y_or_n)
    if min(fractions) < 0 or abs(sum(fractions) - 1) > 1e-6:
        raise ConfigError(f"fractions {fractions} of a split can't be negative and add up to 1")
    valid, test = (round(graphs * fraction) for fraction in fractions[1:])
    empty = (fractions[1] > 0 and not valid) or (fractions[2] > 0 and not test)
    if empty or valid + test >= graphs:
        raise ConfigError(f"{plural(graphs, 'graph')}: too few for a split of {fractions}")
    splits = []
    for repeat in range(repeats):
        order = shuffle(graphs, (seed, repeat))
        parts = order[test + valid :], order[test : test + valid], order[:test]
        splits.append(Split(*(positions(part) for part in parts)))
    return tuple(splits)


def shuffle(count: int, seed: int | Sequence[int]) -> NDArray[np.int64]:
    """Return a random order of 0 … count - 1."""
    entropy = [seed] if isinstance(seed, int) else list(seed)
    stream = np.random.PCG64(np.random.SeedSequence(entropy))
    return np.argsort(stream.random_raw(count), kind="stable")


def positions(values: NDArray[Any]) -> tuple[int, ...]:
    """Sorted positions of graphs, as splits hold them."""
    return tuple(sorted(values.tolist()))

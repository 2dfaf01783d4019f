"""Splits for similarity: over graphs, and over whole classes of isomorphic graphs.

A triplet belongs to the part of its query. Drawing triplets after the graphs are split keeps a
query of the test part out of training; splitting by isomorphism class keeps its copies out too.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.data.splits.folds import random_splits
from graphpool.data.splits.split import Split
from graphpool.errors import ConfigError, plural
from graphpool.graphs.graphset import GraphSet


def query_splits(n: int, seed: int, shares: tuple[int, int, int] = (8, 1, 1)) -> Split:
    """Cut `n` graphs at random into those that train, validate and test; 8:1:1 in the paper."""
    return random_splits(n, seed, _fractions(shares))[0]


def class_split(
    classes: Sequence[int] | NDArray[Any],
    seed: int,
    shares: tuple[int, int, int] = (8, 1, 1),
) -> Split:
    """Split at random with all graphs of one class in one part.

    Classes come in a random order. One after the other goes to the test part if that brings the
    part closer to its share of the graphs, then to the validation part, and the rest trains. A
    class that is larger than a part's share would be all of it, and goes elsewhere; a part that
    nothing suits gets the smallest class.

    Args:
        classes: class of each graph, `[graphs]`, such as those of isomorphic graphs
            (`graphpool.ged.duplicates.isomorphic`).
    """
    _, label, size = np.unique(np.asarray(classes), return_inverse=True, return_counts=True)
    label = label.reshape(-1)
    fractions = _fractions(shares)
    wanted = sum(fraction > 0 for fraction in fractions)
    if len(size) < wanted:
        raise ConfigError(
            f"{plural(len(size), 'class', 'classes')} of graphs can't be cut into {wanted} parts; "
            "split by graph, or give a part the share 0"
        )
    stream = np.random.PCG64(np.random.SeedSequence(seed))
    left = np.argsort(stream.random_raw(len(size)), kind="stable").tolist()
    parts = []
    for part in (2, 1):
        later = sum(fraction > 0 for fraction in fractions[:part])
        taken = _closest(left, size, fractions[part] * len(label), later)
        parts.append(taken)
        left = [item for item in left if item not in taken]
    test, valid, train = (
        tuple(np.flatnonzero(np.isin(label, sorted(part))).tolist()) for part in (*parts, left)
    )
    return Split(train, valid, test)


def divide(graphs: GraphSet, kind: str, seed: int, published: Split | None) -> Split:
    """Split a set for similarity learning.

    Args:
        kind: `graphs`, at random; `classes`, isomorphic graphs in one part; or `published`.
        seed: decides the first two, and which tenth of the published training graphs validates.
        published: the set's own split, where it has one.
    """
    if kind == "published":
        if published is None:
            raise ConfigError(f"{graphs.name} has no published split; use graphs or classes")
        cut = query_splits(len(published.train), seed, (9, 1, 0))
        train, valid = (
            tuple(published.train[at] for at in part) for part in (cut.train, cut.valid)
        )
        return Split(train, valid, published.test)
    if kind == "classes":
        from graphpool.ged.collection import collect
        from graphpool.ged.duplicates import isomorphic

        return class_split(isomorphic(collect(graphs, edge_labels=False)), seed)
    return query_splits(len(graphs), seed)


def _closest(left: list[int], size: NDArray[np.int64], target: float, later: int) -> set[int]:
    """Classes for a part of `target` graphs, leaving at least `later` for the other parts."""
    if target <= 0:
        return set()
    taken: set[int] = set()
    filled = 0
    for item in left:
        if len(left) - len(taken) <= later:
            break
        if size[item] <= target and abs(filled + size[item] - target) < abs(filled - target):
            taken.add(item)
            filled += int(size[item])
    return taken or {min(left, key=lambda item: int(size[item]))}


def _fractions(shares: tuple[int, int, int]) -> tuple[float, float, float]:
    if min(shares) < 0 or shares[0] <= 0:
        raise ConfigError(
            f"shares {shares} of a split: give whole numbers such as 8, 1, 1, the first above 0"
        )
    train, valid, test = (share / sum(shares) for share in shares)
    return train, valid, test

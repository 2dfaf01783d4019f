"""Ranking metrics: how well predicted distances order the candidates of each query.

All functions take `[queries, candidates]` matrices. A true distance that is not finite is not
known, and that candidate does not count for that query; a query that is among its own candidates
is left out by writing NaN there.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import ConfigError, DataError

Array = NDArray[Any]
_AT_ONCE = 1 << 22  # numbers of a block of queries, which bounds the memory


class PairCounts(NamedTuple):
    """Pairs of known candidates of each query, `[queries]` each, by how both orders agree.

    Attributes:
        concordant: the truth and the prediction put the same one first.
        discordant: they don't.
        undecided: the truth has an order and the prediction a tie.
        unordered: the prediction has an order and the truth a tie.
    """

    concordant: Array
    discordant: Array
    undecided: Array
    unordered: Array


def ranking_metrics(predicted: Array, true: Array) -> dict[str, float]:
    """Triplet accuracy, rank correlations and precision at 10 and 20, each 1 at best."""
    _check(predicted, true)
    counts = pair_counts(predicted, true)
    return {
        "accuracy": _accuracy(counts),
        "spearman": spearman(predicted, true),
        "kendall": kendall(counts),
        "precision@10": precision_at(predicted, true, 10),
        "precision@20": precision_at(predicted, true, 20),
    }


def triplet_accuracy(predicted: Array, true: Array) -> float:
    """Share of all triplets (query, two candidates) that are put in the right order.

    Candidates that are equally far in truth make no triplet, and a predicted tie counts one half.
    """
    return _accuracy(pair_counts(predicted, true))


def spearman(predicted: Array, true: Array) -> float:
    """Spearman's rank correlation, mean over queries; ties share their mean rank.

    A query whose candidates are all equally far in truth is left out. A prediction that puts
    all at one distance gets 0.
    """
    _check(predicted, true)
    known = np.isfinite(true)
    middle = known.sum(axis=1, keepdims=True) - 1
    ours, theirs = (
        np.where(known, _ranks(values, known) - middle, 0).astype(np.float64)
        for values in (predicted, true)
    )
    return _mean_correlation(
        (ours * theirs).sum(axis=1), (ours**2).sum(axis=1), (theirs**2).sum(axis=1)
    )


def kendall(counts: PairCounts) -> float:
    """Kendall's tau-b, mean over queries; both orders may have ties.

    What is left out or gets 0 is as in `spearman`.
    """
    right, wrong, undecided, unordered = (part.astype(np.float64) for part in counts)
    return _mean_correlation(right - wrong, right + wrong + unordered, right + wrong + undecided)


def precision_at(predicted: Array, true: Array, k: int) -> float:
    """Share of the `k` nearest candidates by prediction that are among the truly `k` nearest.

    It is the p@k of SimGNN (Bai et al. 2019), mean over queries. Edit distances are whole
    numbers, so the true k-th is often tied: every candidate as near as it counts as one of the
    nearest, for nothing tells them apart. Predicted ties at the k-th place are broken at random
    and the expected share is given, so that a method that predicts few different values gains
    nothing from them, and the order of candidates doesn't matter.

    Queries with fewer than `k` known candidates are left out; NaN if there are no others.
    """
    if k < 1:
        raise ConfigError(f"precision at {k}: give at least 1")
    _check(predicted, true)
    known = np.isfinite(true)
    enough = known.sum(axis=1) >= k
    if not enough.any():
        return float("nan")
    known = known[enough]
    ours, theirs = (_ranks(values[enough], known) for values in (predicted, true))
    last, edge = (np.partition(ranks, k - 1, axis=1)[:, k - 1 : k] for ranks in (ours, theirs))
    near = known & (theirs <= edge)
    surely, perhaps = ours < last, ours == last
    places = k - surely.sum(axis=1)
    hits = (near & surely).sum(axis=1)
    hits = hits + places * (near & perhaps).sum(axis=1) / perhaps.sum(axis=1)
    return float((hits / k).mean())


def pair_counts(predicted: Array, true: Array) -> PairCounts:
    """Compare both orders on all pairs of candidates, in O(candidates log² candidates) a query."""
    _check(predicted, true)
    queries, candidates = true.shape
    step = max(1, _AT_ONCE // candidates)
    blocks = [
        _counts(predicted[start : start + step], true[start : start + step])
        for start in range(0, queries, step)
    ]
    return PairCounts(*(np.concatenate(part) for part in zip(*blocks, strict=True)))


def _counts(predicted: Array, true: Array) -> PairCounts:
    known = np.isfinite(true)
    amount = known.sum(axis=1)
    ours, theirs = _ranks(predicted, known), _ranks(true, known)
    base = 2 * true.shape[1] + 1
    both = np.sort(theirs * base + ours, axis=1)
    # Sorted by truth and then by prediction, a pair is discordant if it stands the wrong way.
    discordant = _inversions(both % base)
    tied_both = _tied_pairs(both, amount)
    tied_true = _tied_pairs(both // base, amount)
    undecided = _tied_pairs(np.sort(ours, axis=1), amount) - tied_both
    ordered = amount * (amount - 1) // 2 - tied_true
    return PairCounts(
        ordered - discordant - undecided, discordant, undecided, tied_true - tied_both
    )


def _ranks(values: Array, known: Array) -> NDArray[np.int64]:
    """Twice the rank of each known value in its row, ties sharing the mean rank of their places.

    What is not known gets a rank above all others.
    """
    width = values.shape[1]
    filled = np.where(known, values, np.inf)
    # Unknown values go last, also where a known one is infinite.
    order = np.lexsort((filled, ~known), axis=1)
    ordered = np.take_along_axis(filled, order, axis=1)
    place = np.broadcast_to(np.arange(width), values.shape)
    begins = np.ones(values.shape, dtype=bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    begins |= place == known.sum(axis=1, keepdims=True)
    ends = np.ones(values.shape, dtype=bool)
    ends[:, :-1] = begins[:, 1:]
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, place, width)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, first + last, axis=1)
    return np.where(known, ranks, 2 * width)


def _tied_pairs(ordered: Array, amount: Array) -> NDArray[np.int64]:
    """Pairs of equal values among the first `amount` of each sorted row, `[rows]`."""
    place = np.broadcast_to(np.arange(ordered.shape[1]), ordered.shape)
    begins = np.ones(ordered.shape, dtype=bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    within = np.where(place < amount[:, None], place - first, 0)
    return np.asarray(within.sum(axis=1), dtype=np.int64)


def _inversions(rows: Array) -> NDArray[np.int64]:
    """Pairs of each row whose first is greater than its second, `[rows]`: a merge sort counts."""
    count, width = rows.shape
    full = 1 << max(0, width - 1).bit_length()
    merged = np.full((count, full), rows.max(initial=0), dtype=np.int64)
    merged[:, :width] = rows
    found = np.zeros(count, dtype=np.int64)
    half = 1
    while half < full:
        pairs = merged.reshape(count, -1, 2, half) * 2
        pairs[:, :, 1] += 1  # the last bit says which half, so that equal ones of the left go first
        pairs = np.sort(pairs.reshape(count, -1, 2 * half), axis=2)
        right = (pairs & 1).astype(bool)
        passed = np.cumsum(~right, axis=2)
        found += np.where(right, half - passed, 0).sum(axis=(1, 2))
        merged = pairs >> 1
        half *= 2
    return found


def _accuracy(counts: PairCounts) -> float:
    right, wrong, half = (int(part.sum()) for part in counts[:3])
    if not right + wrong + half:
        raise DataError(
            "there is no triplet: all known candidates of each query are equally far; give other "
            "queries or candidates"
        )
    return (right + half / 2) / (right + wrong + half)


def _mean_correlation(product: Array, ours: Array, theirs: Array) -> float:
    """Mean of product / √(ours · theirs); 0 if we have no order, left out if they have none."""
    ordered = theirs > 0
    if not ordered.any():
        return float("nan")
    product, scale = product[ordered], np.sqrt(ours[ordered]) * np.sqrt(theirs[ordered])
    return float(np.divide(product, scale, out=np.zeros_like(product), where=scale > 0).mean())


def _check(predicted: Array, true: Array) -> None:
    if true.ndim != 2 or predicted.shape != true.shape or not true.size:
        raise DataError(
            f"predicted distances have the shape {list(predicted.shape)} and true ones "
            f"{list(true.shape)}; give one row per query and one column per candidate in both"
        )
    missing = np.isnan(predicted) & np.isfinite(true)
    if missing.any():
        row, column = (int(part[0]) for part in np.nonzero(missing))
        raise DataError(
            f"the predicted distance of query {row} and candidate {column} is NaN; a model that "
            "predicts it has diverged, or the method left the pair out"
        )

"""Ranking metrics against literal loops and SciPy."""

import time
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from graphpool.errors import ConfigError, DataError
from graphpool.evaluation import ranking
from graphpool.evaluation.ranking import (
    kendall,
    pair_counts,
    precision_at,
    ranking_metrics,
    spearman,
    triplet_accuracy,
)

Array = NDArray[Any]


def case(seed: int, gaps: bool = True) -> tuple[Array, Array]:
    """Predictions and truths with ties in both, and with gaps in the truth."""
    draw = np.random.default_rng(seed)
    shape = int(draw.integers(1, 6)), int(draw.integers(12, 40))
    true = draw.integers(0, 8, shape).astype(float)
    predicted = np.round(true + draw.normal(0, 2, shape)) / 2
    if gaps:
        true[draw.random(shape) < 0.2] = np.nan
    return predicted, true


def literal_accuracy(predicted: Array, true: Array) -> float:
    right = total = 0.0
    for ours, theirs in zip(predicted, true, strict=True):
        for j, k in combinations(range(len(theirs)), 2):
            r = theirs[j] - theirs[k]
            if np.isnan(r) or r == 0:
                continue
            total += 1
            right += {1: 1.0, 0: 0.5, -1: 0.0}[int(np.sign(r) * np.sign(ours[j] - ours[k]))]
    return right / total


def rows(predicted: Array, true: Array) -> list[tuple[Array, Array]]:
    """Known values of each query."""
    return [
        (ours[np.isfinite(theirs)], theirs[np.isfinite(theirs)])
        for ours, theirs in zip(predicted, true, strict=True)
    ]


@pytest.mark.parametrize("seed", range(12))
def test_metrics_equal_loops_and_scipy(seed: int) -> None:
    predicted, true = case(seed)
    found = ranking_metrics(predicted, true)
    assert found["accuracy"] == pytest.approx(literal_accuracy(predicted, true), abs=1e-12)
    known = rows(predicted, true)
    rho = np.mean([stats.spearmanr(ours, theirs).statistic for ours, theirs in known])
    tau = np.mean([stats.kendalltau(ours, theirs).statistic for ours, theirs in known])
    assert found["spearman"] == pytest.approx(rho, abs=1e-12) == spearman(predicted, true)
    assert found["kendall"] == pytest.approx(tau, abs=1e-12)
    assert found["accuracy"] == triplet_accuracy(predicted, true)


@pytest.mark.parametrize("width", [1, 2, 3, 7, 8, 9, 64, 65])
def test_pairs_are_counted_at_every_width(width: int) -> None:
    draw = np.random.default_rng(width)
    predicted, true = draw.integers(0, 5, (2, 4, width)).astype(float)
    counts = pair_counts(predicted, true)
    for row in range(4):
        signs = [
            (np.sign(true[row, j] - true[row, k]), np.sign(predicted[row, j] - predicted[row, k]))
            for j, k in combinations(range(width), 2)
        ]
        assert counts.concordant[row] == sum(a * b > 0 for a, b in signs)
        assert counts.discordant[row] == sum(a * b < 0 for a, b in signs)
        assert counts.undecided[row] == sum(a != 0 and b == 0 for a, b in signs)
        assert counts.unordered[row] == sum(a == 0 and b != 0 for a, b in signs)


def test_blocks_of_queries_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    predicted, true = (np.concatenate(part) for part in zip(
        *(tuple(matrix[:, :12] for matrix in case(seed)) for seed in range(5)), strict=True
    ))  # fmt: skip
    whole = pair_counts(predicted, true)
    monkeypatch.setattr(ranking, "_AT_ONCE", 30)
    for one, other in zip(whole, pair_counts(predicted, true), strict=True):
        assert np.array_equal(one, other)


def test_a_perfect_order_and_its_reverse() -> None:
    true = np.random.default_rng(0).permuted(np.tile(np.arange(30.0), (3, 1)), axis=1)
    assert list(ranking_metrics(np.exp(true), true).values()) == pytest.approx([1.0] * 5)
    worst = ranking_metrics(-true, true)
    assert list(worst.values()) == pytest.approx([0.0, -1.0, -1.0, 0.0, 0.5])


def test_a_prediction_without_order_gains_nothing() -> None:
    true = np.tile(np.arange(40.0), (2, 1))
    found = ranking_metrics(np.zeros((2, 40)), true)
    assert found == {
        "accuracy": 0.5, "spearman": 0.0, "kendall": 0.0, "precision@10": 0.25, "precision@20": 0.5,
    }  # fmt: skip


def test_a_query_without_order_is_left_out() -> None:
    true = np.array([[1.0, 2, 3], [4, 4, 4], [np.nan, 2, np.nan]])
    predicted = np.array([[1.0, 2, 3], [3, 2, 1], [1, 2, 3]])
    assert triplet_accuracy(predicted, true) == 1.0
    assert spearman(predicted, true) == pytest.approx(1.0)
    assert kendall(pair_counts(predicted, true)) == pytest.approx(1.0)
    with pytest.raises(DataError, match="there is no triplet"):
        triplet_accuracy(predicted[1:], true[1:])
    assert np.isnan(kendall(pair_counts(predicted[1:], true[1:])))


def test_infinite_predictions_are_far_and_gaps_are_not_there() -> None:
    true = np.array([[1.0, 2, 3, np.nan, np.inf]])
    predicted = np.array([[0.0, np.inf, np.inf, np.inf, -1.0]])
    counts = pair_counts(predicted, true)
    assert [int(part[0]) for part in counts] == [2, 0, 1, 0]
    assert precision_at(predicted, true, 2) == 0.75  # the first, and one of two at random


def literal_precision(ours: Array, theirs: Array, k: int) -> float:
    """Mean over random orders of the candidates, in which a stable sort breaks ties."""
    draw = np.random.default_rng(0)
    near = set(np.flatnonzero(theirs <= np.sort(theirs)[k - 1]))
    found = []
    for _ in range(4000):
        order = draw.permutation(len(ours))
        top = order[np.argsort(ours[order], kind="stable")[:k]]
        found.append(len(near & set(top.tolist())) / k)
    return float(np.mean(found))


@pytest.mark.parametrize("seed", range(3))
def test_precision_is_the_mean_over_orders_of_ties(seed: int) -> None:
    predicted, true = case(seed)
    expected = np.mean([literal_precision(*known, k=5) for known in rows(predicted, true)])
    assert precision_at(predicted, true, 5) == pytest.approx(expected, abs=0.01)


def test_precision_by_hand() -> None:
    true = np.array([[0.0, 1, 1, 1, 2, 3]])
    # The third nearest is at 1, so that four are among the nearest three.
    assert precision_at(np.array([[9.0, 0, 1, 2, 8, 7]]), true, 3) == 1.0
    assert precision_at(np.array([[0.0, 9, 8, 7, 1, 2]]), true, 3) == pytest.approx(1 / 3)
    # Last place shared by the candidates at 1 and 2: half of a hit.
    assert precision_at(np.array([[0.0, 1, 9, 5, 5, 9]]), true, 3) == pytest.approx(2.5 / 3)


def test_precision_needs_k_known_candidates() -> None:
    predicted, true = np.arange(24.0).reshape(2, 12), np.arange(24.0).reshape(2, 12)
    assert np.isnan(ranking_metrics(predicted, true)["precision@20"])
    true[0, :5] = np.nan
    predicted[1] *= -1
    assert precision_at(predicted, true, 10) == pytest.approx(0.8)  # of the second query alone
    with pytest.raises(ConfigError, match="precision at 0"):
        precision_at(predicted, true, 0)


def test_what_cannot_be_judged_is_refused() -> None:
    true = np.array([[1.0, 2], [3, np.nan]])
    with pytest.raises(DataError, match="query 0 and candidate 1 is NaN"):
        ranking_metrics(np.array([[1.0, np.nan], [1, 1]]), true)
    triplet_accuracy(np.array([[1.0, 2], [1, np.nan]]), true)  # nobody knows better
    with pytest.raises(DataError, match=r"shape \[1, 2\] and true ones \[2, 2\]"):
        ranking_metrics(true[:1], true)


def test_a_thousand_queries_take_no_cube_of_time() -> None:
    draw = np.random.default_rng(0)
    predicted, true = draw.random((2, 300, 2000))
    began = time.perf_counter()
    ranking_metrics(predicted, true)
    assert time.perf_counter() - began < 10  # 0.6 s; listing 600 million triplets takes minutes

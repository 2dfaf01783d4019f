from importlib import import_module
from itertools import combinations

import numpy as np
import pytest

from graphpool import ged
from graphpool.errors import ConfigError, DataError
from graphpool.ged import compare, sample_pairs
from graphpool.ged.compare import order_accuracy

GRAPHS = [
    (["C"], []),
    (["C", "N"], [(0, 1)]),
    (["N", "C", "C"], [(0, 1), (1, 2)]),
    (["O", "C", "C"], [(0, 1), (1, 2), (0, 2)]),
    (["O", "C", "C", "N"], [(0, 1), (2, 3)]),
    (["N", "N", "N", "N", "C"], [(0, 1), (1, 2), (2, 3), (3, 4)]),
]


def row(found, name):
    return next(score for score in found.scores if score.method == name)


def test_pairs_are_drawn_once_each():
    pairs = sample_pairs(30, 200, seed=1)
    assert len({tuple(pair) for pair in pairs.tolist()}) == 200
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert pairs.min() >= 0
    assert pairs.max() < 30
    assert not np.array_equal(pairs, sample_pairs(30, 200, seed=2))
    np.testing.assert_array_equal(pairs, sample_pairs(30, 200, seed=1))


def test_every_pair_can_be_drawn():
    drawn = {tuple(pair) for seed in range(60) for pair in sample_pairs(5, 3, seed).tolist()}
    assert drawn == set(combinations(range(5), 2))


def test_a_sample_larger_than_the_set_is_all_of_it():
    assert sample_pairs(4, 100, seed=0).tolist() == [list(p) for p in combinations(range(4), 2)]


def test_a_wrong_sample_is_refused_before_anything_is_compiled(monkeypatch):
    def compiled(*_):
        pytest.fail("the problem was made first")

    monkeypatch.setattr(import_module("graphpool.ged.compare"), "make_problem", compiled)
    with pytest.raises(ConfigError, match="sample is 0"):
        compare([("C", []), ("N", [])], 0)


def test_samples_of_nothing_are_refused():
    with pytest.raises(ConfigError, match="sample is 0"):
        sample_pairs(4, 0, seed=0)
    with pytest.raises(DataError, match="at least 2 graphs"):
        sample_pairs(1, 5, seed=0)


def test_order_accuracy_by_hand():
    # Pairs 0, 1, 2 at distances 1, 2, 3. The answers put 0 before 2 (right), call 0 and 1 equal
    # (one half) and put 2 before 1 (wrong).
    distance, answer = np.array([1.0, 2.0, 3.0]), np.array([5.0, 5.0, 4.0])
    triplets = np.array([[0, 1], [1, 2], [0, 2]])
    assert order_accuracy(answer, distance, triplets) == pytest.approx((0.5 + 0 + 0) / 3)
    answer = np.array([5.0, 5.0, 6.0])
    assert order_accuracy(answer, distance, triplets) == pytest.approx((0.5 + 1 + 1) / 3)


def test_the_exact_method_makes_no_error():
    score = row(compare(GRAPHS, methods=["exact"]), "exact")
    assert score.mean_error == score.relative_error == 0
    assert score.exactly_right == score.order_accuracy == 1
    assert score.spearman == pytest.approx(1)
    assert score.kendall == pytest.approx(1)
    assert score.microseconds > 0


@pytest.mark.parametrize("method", ["label", "hungarian"])
def test_scores_are_those_of_plain_loops(method):
    found = compare(GRAPHS, methods=[method])
    true, answer = {}, {}
    for i, j in combinations(range(len(GRAPHS)), 2):
        true[i, j] = true[j, i] = ged.distance(GRAPHS[i], GRAPHS[j]).distance
        answer[i, j] = answer[j, i] = ged.distance(GRAPHS[i], GRAPHS[j], method=method).distance
    errors = [answer[p] - true[p] for p in combinations(range(6), 2)]
    hits = [
        0.5
        if answer[a, b] == answer[a, c]
        else (answer[a, b] > answer[a, c]) == (true[a, b] > true[a, c])
        for a in range(6)
        for b, c in combinations(sorted({*range(6)} - {a}), 2)
        if true[a, b] != true[a, c]
    ]
    score = row(found, method)
    assert found.pairs == found.proved == 15
    assert found.triplets == len(hits)
    assert score.mean_error == pytest.approx(np.mean(errors))
    assert score.exactly_right == pytest.approx(np.mean(np.array(errors) == 0))
    relative = [abs(answer[p] - true[p]) / true[p] for p in combinations(range(6), 2) if true[p]]
    assert score.relative_error == pytest.approx(np.mean(relative))
    assert score.order_accuracy == pytest.approx(np.mean(hits))


def test_many_triplets_are_sampled(monkeypatch):
    whole = compare(GRAPHS, methods=["label"])
    # The package's name for the function hides the module.
    monkeypatch.setattr(import_module("graphpool.ged.compare"), "MOST_TRIPLETS", 50)
    found = compare(GRAPHS, methods=["label"])
    assert 10 < found.triplets <= 50 < whole.triplets


def test_every_method_keeps_its_side_of_the_distance():
    for score in compare(GRAPHS).scores:
        side = {"exact": 0, "upper": 1, "lower": -1}[score.answer]
        assert score.mean_error * side >= 0
        assert score.mean_error == 0 or score.answer != "exact"


def test_pairs_without_proof_are_left_out():
    ring = [
        (14, [(i, (i + k) % 14) for i in range(14) for k in steps]) for steps in ((1, 3), (2, 5, 6))
    ]
    found = compare([*GRAPHS, *ring], methods=["label"], max_nodes_expanded=5)
    assert found.proved < found.pairs
    with pytest.raises(DataError, match="raise them"):
        compare(ring, methods=["label"], max_nodes_expanded=1)


def test_a_search_that_was_stopped_is_an_upper_bound():
    ring = [
        (14, [(i, (i + k) % 14) for i in range(14) for k in steps]) for steps in ((1, 3), (2, 5, 6))
    ]
    graphs = [*GRAPHS, *ring]
    found = compare(graphs, methods=["astar", "exact", "label"], max_nodes_expanded=5)
    astar = row(found, "astar")
    assert astar.answer == "upper"
    assert 0 <= astar.proved < 1
    assert row(found, "exact").proved == found.proved / found.pairs
    assert row(found, "label").proved is None
    assert row(compare(GRAPHS, methods=["astar"]), "astar").answer == "exact"


def test_answers_that_are_all_equal_have_no_correlation():
    score = row(compare([(1, []), (2, []), (3, [])], methods=["exact"], sample=1), "exact")
    assert np.isnan(score.spearman)
    assert np.isnan(score.kendall)

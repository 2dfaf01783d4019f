"""Rules for matching: scores by hand, thresholds by brute force, and chance where it should be."""

import functools

import networkx as nx
import numpy as np
import pytest
import torch

from graphpool.data.pairs import PairSet
from graphpool.data.synthetic.matching import matching_pairs
from graphpool.data.synthetic.matching.rules import (
    RULES,
    degree_rule,
    edge_rule,
    rule_accuracy,
    size_rule,
    spectrum_rule,
    wl_rule,
)
from graphpool.errors import DataError
from graphpool.graphs import GraphSet


def by_hand() -> PairSet:
    """A path of 3, a triangle, a cycle of 6, two triangles; every pair of them once or twice."""
    edges = [(0, 1), (1, 2), (0, 1), (1, 2), (0, 2)]
    edges += [(i, (i + 1) % 6) for i in range(6)]
    edges += [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    graphs = GraphSet.build(
        "hand", torch.tensor([3, 3, 6, 6]), torch.tensor([2, 3, 6, 6]),
        torch.tensor(edges).T, undirected=True,
    )  # fmt: skip
    left, right = torch.tensor([0, 1, 2, 1]), torch.tensor([1, 2, 3, 0])
    return PairSet(graphs, left, right, torch.tensor([0.0, 0.0, 1.0, 1.0]))


@functools.cache
def drawn(kind: str, hardness: str) -> tuple[PairSet, PairSet]:
    pairs = matching_pairs(kind, 20, 2000, 0, hardness, verify=False)
    return pairs.select(slice(0, 1000)), pairs.select(slice(1000, None))


def test_scores_by_hand() -> None:
    pairs = by_hand()
    assert size_rule(pairs).tolist() == [0, 3, 0, 0]
    # Directed edges: each counts twice.
    assert edge_rule(pairs).tolist() == [2, 6, 0, -2]
    # Degrees 1 1 2 against 2 2 2; 0 0 0 2 2 2 against six 2s; six 2s twice.
    assert degree_rule(pairs).tolist() == [2, 6, 0, 2]
    # One-dimensional colour refinement can't tell the cycle from the two triangles.
    assert wl_rule(pairs).tolist() == [1, 1, 0, 1]


def test_spectra_are_those_of_networkx() -> None:
    pairs = by_hand()
    made = [nx.path_graph(3), nx.cycle_graph(3), nx.cycle_graph(6),
            nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))]  # fmt: skip
    spectra = [np.sort(nx.adjacency_spectrum(graph).real) for graph in made]
    spectra[1], padded = np.sort(np.append(spectra[1], [0, 0, 0])), spectra[1]
    wanted = [
        np.linalg.norm(spectra[0] - padded),
        np.linalg.norm(spectra[1] - spectra[2]),
        np.linalg.norm(spectra[2] - spectra[3]),
        np.linalg.norm(spectra[0] - padded),
    ]
    assert spectrum_rule(pairs) == pytest.approx(wanted, abs=1e-6)


def test_only_the_pairs_chosen_count() -> None:
    pairs = by_hand()
    for rule in RULES.values():
        assert rule(pairs.select([2, 0])) == pytest.approx(rule(pairs)[[2, 0]])


@pytest.mark.parametrize("seed", range(8))
def test_no_threshold_is_better_by_brute_force(seed: int) -> None:
    draw = np.random.default_rng(seed)
    score = draw.integers(0, 6, 30).astype(float)
    y = draw.random(30) < (score / 6 if seed % 2 else 1 - score / 6)
    pairs = PairSet(by_hand().graphs, torch.zeros(30, dtype=torch.long),
                    torch.zeros(30, dtype=torch.long), torch.tensor(y).float())  # fmt: skip
    best = max(
        float((((score <= threshold) == up_to) == y).mean())
        for threshold in np.arange(-0.5, 6)
        for up_to in (True, False)
    )
    assert rule_accuracy(pairs, pairs, lambda _: score) == pytest.approx(best)


def test_a_threshold_lies_between_the_scores_it_parts() -> None:
    graphs, zeros = by_hand().graphs, torch.zeros(4, dtype=torch.long)
    pairs = PairSet(graphs, zeros, zeros, torch.tensor([1.0, 1.0, 0.0, 0.0]))
    scores = iter([np.array([1.0, 2.0, 4.0, 5.0]), np.array([2.9, 3.1, 3.1, 2.9])])
    assert rule_accuracy(pairs, pairs, lambda _: next(scores)) == 0.5


def test_the_size_rule_solves_the_pairs_of_the_paper() -> None:
    assert rule_accuracy(*drawn("paper", "easy"), size_rule) == 1.0


@pytest.mark.parametrize(
    ("hardness", "rule"),
    [(hardness, rule) for hardness in ("easy", "medium", "hard") for rule in ("size", "edges")]
    + [("medium", "degrees")],
)
def test_rules_are_at_chance_where_they_should_be(hardness: str, rule: str) -> None:
    _, test = drawn("balanced", hardness)
    # All scores are equal, so that one answer is given to all.
    share = float(test.y.mean())
    accuracy = rule_accuracy(*drawn("balanced", hardness), RULES[rule])
    assert accuracy == pytest.approx(share) or accuracy == pytest.approx(1 - share)
    assert abs(accuracy - 0.5) < 0.05


@pytest.mark.parametrize(
    ("hardness", "least", "most"),
    [("easy", 0.97, 1.0), ("medium", 0.89, 0.96), ("hard", 0.88, 0.95)],
)
def test_the_spectrum_rule_is_good_but_not_perfect(
    hardness: str, least: float, most: float
) -> None:
    assert least < rule_accuracy(*drawn("balanced", hardness), spectrum_rule) < most


@pytest.mark.parametrize("hardness", ["easy", "medium", "hard"])
def test_refinement_finds_copies_alone(hardness: str) -> None:
    assert abs(rule_accuracy(*drawn("balanced", hardness), wl_rule) - 0.75) < 0.05


def test_a_rule_needs_pairs() -> None:
    pairs = by_hand()
    with pytest.raises(DataError, match="not 0 and 4"):
        rule_accuracy(pairs.select([]), pairs, size_rule)


def test_without_its_sign_the_difference_of_sizes_is_right_in_90_percent() -> None:
    """A lack of 3 nodes is a match, 3 too many are none, and both differ by 3."""
    train, test = (matching_pairs("paper", 20, 4000, seed, verify=False) for seed in (0, 1))

    def unsigned(pairs: PairSet) -> np.ndarray:
        return np.abs(size_rule(pairs))

    assert rule_accuracy(train, test, size_rule) == 1
    assert rule_accuracy(train, test, unsigned) == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize(("size", "accuracy"), [(20, 1.0), (100, 1.0), (21, 11 / 15)])
def test_half_of_an_even_size_tells_which_graph_was_first(size: int, accuracy: float) -> None:
    """Rounded up, half of 17 and of 20 differ by 1, half of 20 and of 23 by 2: a leak."""
    train = matching_pairs("paper", 20, 1000, 0, verify=False)
    # A share needs more pairs than a rule that is always right.
    test = matching_pairs("paper", size, 1000 if accuracy == 1 else 4000, 1, verify=False)

    def halves(pairs: PairSet) -> np.ndarray:
        nodes = pairs.graphs.node_counts.numpy()
        left, right = (-(-nodes[end.numpy()] // 2) for end in (pairs.left, pairs.right))
        return np.abs(left - right).astype(np.float64)

    assert rule_accuracy(train, test, halves) == pytest.approx(accuracy, abs=0.02)

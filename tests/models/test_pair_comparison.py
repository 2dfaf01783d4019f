"""What users of a model that compares graphs take for granted."""

import numpy as np
import pytest
import torch

from graphpool.config import CompareConfig, ModelConfig, RunConfig, TrainConfig
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.graphs.canonical import reordered
from graphpool.models.model import TrainedModel

METHODS = [
    "hap",
    "hap-sorted",
    "hap-euclidean",
    "gmn",
    "gmn-hap",
    "simgnn",
    "simgnn-hap",
    "sagpool",
]


# What SimGNN says of a graph and itself is learned.
by_distance = pytest.mark.parametrize(
    "comparer", [name for name in METHODS if not name.startswith("simgnn")], indirect=True
)


@pytest.fixture(scope="module")
def pairs():
    return matching_pairs("balanced", 10, 40, seed=0, verify=False)


@pytest.fixture(scope="module", params=METHODS)
def comparer(request, pairs):
    name, _, distance = request.param.partition("-")
    if distance not in ("sorted", "euclidean"):
        name, distance = request.param, "aligned"
    config = RunConfig(
        task="matching",
        features="constant+logdegree+rw:4",
        model=ModelConfig(
            pooler=name,
            encoder="gin",
            norm="batch",
            hidden_channels=8,
            distance=distance,
        ),
        train=TrainConfig(epochs=2, batch_size=20, threads=1),
        compare=CompareConfig(),
    )
    comparer = TrainedModel.fit(pairs, None, config)
    if request.param == "hap":
        # As sharp as it may become: five steps are then far from enough.
        torch.nn.init.constant_(comparer.network.multisets.log_sharpness, 4.0)
    return comparer


def one(pairs, position):
    return pairs.graphs[[position]]


def shuffled(graphs, seed):
    order = np.random.default_rng(seed).permutation(graphs.num_nodes)
    return reordered(graphs, torch.from_numpy(order))


def test_both_ways_round_are_equal_to_the_bit(comparer, pairs):
    for left, right in [(0, 1), (2, 50), (7, 31), (40, 3)]:
        there = comparer.compare(one(pairs, left), one(pairs, right))
        back = comparer.compare(one(pairs, right), one(pairs, left))
        assert there == back


@by_distance
def test_a_graph_matches_itself(comparer, pairs):
    for position in (0, 5, 60):
        found = comparer.compare(one(pairs, position), one(pairs, position))
        assert max(*found.distances, found.distance) < 1e-6
        assert min(*found.scores, found.score) >= 0.999


def test_numbers_of_nodes_mean_nothing(comparer, pairs):
    for left, right in [(0, 1), (2, 50)]:
        plain = comparer.compare(one(pairs, left), one(pairs, right))
        moved = comparer.compare(shuffled(one(pairs, left), 1), shuffled(one(pairs, right), 2))
        assert moved.distances == pytest.approx(plain.distances, abs=2e-5, rel=1e-4)
        assert moved.score == pytest.approx(plain.score, abs=1e-4)


@by_distance
def test_a_relabelled_copy_matches(comparer, pairs):
    graph = one(pairs, 4)
    found = comparer.compare(graph, shuffled(graph, 5))
    assert max(found.distances) < 1e-4
    assert found.score >= 0.999


def test_what_is_said_of_two_graphs_is_what_is_said_of_them_among_others(comparer, pairs):
    ready = pairs.with_graphs(comparer.prepare(pairs.graphs)).batch()
    with torch.no_grad():
        compared = comparer.network.compare(ready.graphs, ready.left, ready.right)
        scores = comparer.network(ready.graphs, ready.left, ready.right)
    for pair in (0, 13):
        left, right = int(pairs.left[pair]), int(pairs.right[pair])
        found = comparer.compare(one(pairs, left), one(pairs, right))
        levels = len(found.scores)  # without a last row that sums them up
        expected = compared.distances[:levels, pair].tolist()
        assert found.distances == pytest.approx(expected, abs=1e-4)
        assert found.score == pytest.approx(float(scores[pair]), abs=1e-4)
        assert levels == comparer.network.levels - bool(
            getattr(comparer.network, "multisets", None)
        )

"""What a page about a comparer shows: which pairs and graphs, and how they are drawn."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from graphpool.config import CompareConfig, ModelConfig, RunConfig, defaults_for
from graphpool.data.interop import from_networkx
from graphpool.data.pairs.pairset import PairSet
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.models.model import TrainedModel
from graphpool.report.draw.side import node_labels, one_side
from graphpool.tasks.pages.pairs import (
    distance_plot,
    pair_examples,
    query_examples,
)


@pytest.fixture(scope="module")
def pairs() -> PairSet:
    return matching_pairs("balanced", 12, 24, 0, "hard")


@pytest.fixture(scope="module")
def comparer(pairs: PairSet) -> TrainedModel:
    base = defaults_for("matching")
    config: RunConfig = replace(
        base,
        model=ModelConfig(hidden_channels=4, num_layers=1),
        train=replace(base.train, epochs=1),
        compare=CompareConfig(),
    )
    return TrainedModel.fit(pairs, None, config)


def test_scores_are_those_that_the_metrics_are_of(comparer: TrainedModel, pairs: PairSet) -> None:
    scores = comparer.probabilities(pairs)
    right = (scores > 0.5) == (pairs.y.numpy() > 0.5)
    assert comparer.score(pairs)["accuracy"] == pytest.approx(right.mean())


def test_examples_are_right_and_wrong_ones_of_either_kind(
    comparer: TrainedModel, pairs: PairSet
) -> None:
    # Three right and three wrong ones of either kind, whatever the model says of them.
    matches = pairs.y.numpy() > 0.5
    chosen = np.concatenate([np.flatnonzero(matches)[:6], np.flatnonzero(~matches)[:6]])
    some = pairs.select(chosen)
    scores = np.array([0.6, 0.7, 0.9, 0.4, 0.3, 0.1, 0.4, 0.3, 0.1, 0.6, 0.7, 0.9])
    found = pair_examples(comparer, some, scores)
    wanted = [1, 7, 5, 11]  # the middle of three that are right, the worst of three that aren't
    names = [some.ids[at].replace(" & ", " and ") for at in wanted]
    assert [each.title.split(",")[0] for each in found] == [f"Pair {name}" for name in names]
    assert [each.matches for each in found] == [True, False, True, False]
    for each in found:
        assert list(each.scores) == [*(f"level {k}" for k in range(1, len(each.scores))),
                                     "all together"]  # fmt: skip


def test_pairs_are_drawn_upon_each_other_with_the_edits_between_them(
    comparer: TrainedModel, pairs: PairSet
) -> None:
    for each in pair_examples(comparer, pairs, pairs.y.numpy().astype(np.float64)):
        changed = len(each.left.edge_kind) + len(each.right.edge_kind)
        assert each.aligned
        # What is left of both without the edits is the same graph at the same places.
        left, right = (
            {
                frozenset((side.slot[i], side.slot[j]))
                for i, j in side.edges
                if (i, j) not in side.edge_kind
            }
            for side in (each.left, each.right)
        )
        assert left == right
        # A match is at most one rewired edge, which is two edits; others are more.
        assert changed <= 2 if each.matches else changed > 2
        said = {0: "the same graph", 1: "1 edit apart"}.get(changed, f"{changed} edits apart")
        assert each.note.startswith(said)


def test_large_graphs_are_drawn_by_themselves(comparer: TrainedModel) -> None:
    graphs = from_networkx([nx.path_graph(70), nx.cycle_graph(70)], name="large")
    one = PairSet(graphs, torch.tensor([0]), torch.tensor([1]), torch.zeros(1))
    (found,) = pair_examples(comparer, one, np.array([0.2]))
    assert not found.aligned
    assert not found.left.edge_kind
    assert found.note == ""


def test_queries_are_the_usual_and_the_worst_with_their_nearest_graphs() -> None:
    graphs = from_networkx([nx.path_graph(n) for n in range(2, 12)], name="paths")
    queries, candidates = np.array([0, 1, 2]), np.arange(3, 10)
    true = np.abs(queries[:, None] - candidates).astype(float)
    true[1, 0] = np.nan
    predicted = true.copy()
    predicted[0] = 20 - true[0]  # all triplets in the wrong order
    predicted[2, :2] = predicted[2, [1, 0]]  # one of 21
    predicted[1] = np.nan_to_num(true[1])
    usual, worst = query_examples(graphs, predicted, true, queries, candidates)
    assert usual.query.title.startswith("graph 2:")
    assert "95.2 %" in usual.note
    assert [(each.predicted, each.true, each.rank) for each in usual.nearest[:3]] == [
        (1.0, 2.0, 2), (2.0, 1.0, 1), (3.0, 3.0, 3),
    ]  # fmt: skip
    assert len(usual.nearest) == 5
    assert worst.query.title.startswith("graph 0:")
    assert "0.0 %" in worst.note
    assert worst.nearest[0].rank == 7
    plot = distance_plot(predicted, true)
    assert len(plot.true) == 20


def test_queries_without_an_order_are_none() -> None:
    graphs = from_networkx([nx.path_graph(3)] * 4, name="alike")
    same = np.zeros((1, 3))
    assert query_examples(graphs, same, same, np.array([0]), np.array([1, 2, 3])) == []


def test_frequent_labels_come_first() -> None:
    sides = [one_side((["N", "C"], []), "a"), one_side((["C", "O"], []), "b"),
             one_side((2, []), "c")]  # fmt: skip
    assert node_labels(sides) == ["C", "N", "O"]

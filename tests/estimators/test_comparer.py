import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import graphpool
from graphpool import ged
from graphpool.data.pairs.distances import Distances
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.errors import CheckpointError, ConfigError, DataError
from graphpool.estimators.comparer import GraphComparer
from graphpool.graphs.graphset import GraphSet

QUICK = {"epochs": 6, "hidden_channels": 16, "triplets": 3000, "batch_size": 128, "threads": 1}


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    """Connected graphs of 5 to 8 nodes, and others like them."""
    return matching_pairs("paper", (6, 8), 30, seed=0).graphs


@pytest.fixture(scope="module")
def true(graphs: GraphSet) -> np.ndarray:
    return ged.matrix(graphs, method="hungarian", edge_labels=False).values


@pytest.fixture(scope="module")
def fitted(graphs: GraphSet, true: np.ndarray) -> GraphComparer:
    return GraphComparer(**QUICK).fit(graphs[:50], true[:50, :50])


def test_it_learns_the_order_of_graphs_it_has_not_seen(
    fitted: GraphComparer, graphs: GraphSet, true: np.ndarray
) -> None:
    assert graphpool.GraphComparer is GraphComparer
    assert fitted.score(graphs[50:], true[50:, :50]) > 0.8
    assert fitted.result_ is not None
    assert len(fitted.result_.history) == QUICK["epochs"]


def test_distances_are_symmetric_and_0_between_a_graph_and_itself(
    fitted: GraphComparer, graphs: GraphSet
) -> None:
    found = fitted.distances(graphs[:20])
    np.testing.assert_array_equal(found, found.T)
    assert (np.diag(found) == 0).all()
    across = fitted.distances(graphs[:5], graphs[5:12])
    np.testing.assert_allclose(across, found[:5, 5:12], rtol=1e-5, atol=1e-5)


def test_the_nearest_come_first(fitted: GraphComparer, graphs: GraphSet) -> None:
    far, where = fitted.kneighbors(graphs[3:6], 4)
    assert where.shape == far.shape == (3, 4)
    assert (np.diff(far) >= 0).all()
    assert (far[:, 0] == 0).all()  # itself, or one that it can't tell from it
    every = fitted.distances(graphs[3:6], graphs[:50])
    np.testing.assert_allclose(far, np.sort(every)[:, :4])
    _, there = fitted.kneighbors(graphs[3:6], n_neighbors=1, among=graphs[3:6])
    assert there.shape == (3, 1)


def test_the_same_seed_gives_the_same_to_the_bit(
    fitted: GraphComparer, graphs: GraphSet, true: np.ndarray
) -> None:
    again = clone(fitted).fit(graphs[:50], true[:50, :50])
    np.testing.assert_array_equal(again.distances(graphs), fitted.distances(graphs))


def test_saved_and_loaded_it_says_the_same(
    fitted: GraphComparer, graphs: GraphSet, tmp_path: Path
) -> None:
    loaded = GraphComparer.load(fitted.save(tmp_path / "comparer.safetensors"))
    np.testing.assert_array_equal(loaded.distances(graphs), fitted.distances(graphs))
    assert loaded.get_params() == {
        **fitted.get_params(),
        "threads": loaded.threads,
        "residual": "off",
        "readout": ("sum",),
        "max_clusters": 16,
        "gate": "off",
    }
    assert loaded.graphs_.ids == graphs[:50].ids
    for one, other in zip(
        loaded.kneighbors(graphs[:2]), fitted.kneighbors(graphs[:2]), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    assert loaded.kneighbors(graphs[:2], 2, among=graphs)[0].shape == (2, 2)
    (tmp_path / "broken").write_bytes(b"nothing")
    with pytest.raises(CheckpointError, match="broken"):
        GraphComparer.load(tmp_path / "broken")


def test_exact_edit_distances_are_worked_out_if_none_are_given(graphs: GraphSet) -> None:
    few = graphs[:12]
    quick = {**QUICK, "epochs": 1, "triplets": 100}
    exact = ged.matrix(few, edge_labels=False).values
    found = GraphComparer(**quick, validation=0.0).fit(few).distances(few)
    given = GraphComparer(**quick, validation=0.0).fit(few, exact).distances(few)
    np.testing.assert_array_equal(found, given)


def test_what_the_network_does_not_read_need_not_be_alike(
    fitted: GraphComparer, graphs: GraphSet
) -> None:
    labelled = dataclasses.replace(graphs[:4], y=torch.zeros(4, dtype=torch.long), classes=("a",))
    found = fitted.distances(labelled, graphs[4:9])
    np.testing.assert_array_equal(found, fitted.distances(graphs[:4], graphs[4:9]))
    assert fitted.distances(graphs[:0], graphs[:3]).shape == (0, 3)


def test_distances_of_a_set_and_numbers_of_a_search_are_taken(
    graphs: GraphSet, true: np.ndarray
) -> None:
    few, known = graphs[:15], true[:15, :15]
    quick = GraphComparer(**{**QUICK, "epochs": 1}).set_params(triplets=np.int64(50))
    one = quick.fit(few, known).distances(few)
    other = quick.fit(few, Distances("few", few.ids, known)).distances(few)
    np.testing.assert_array_equal(one, other)


def test_what_can_not_be_learned_is_refused(graphs: GraphSet, true: np.ndarray) -> None:
    with pytest.raises(NotFittedError):
        GraphComparer().distances(graphs)
    with pytest.raises(DataError, match="give at least 10"):
        GraphComparer().fit(graphs[:5])
    with pytest.raises(DataError, match=r"shape \(3, 3\) for 60 .*data\.Distances"):
        GraphComparer().fit(graphs, np.zeros((3, 3)))
    with pytest.raises(DataError, match="nearer"):
        GraphComparer().fit(graphs, np.ones_like(true))
    with pytest.raises(DataError, match="too many for exact edit distances"):
        GraphComparer().fit(matching_pairs("paper", (30,), 6, seed=0).graphs)
    with pytest.raises(DataError, match="give NaN where none is known"):
        GraphComparer().fit(graphs, np.where(true == true.max(), -1, true))
    with pytest.raises(ConfigError, match="is for hap, hap-one-way, flat"):
        GraphComparer("sum", distance="sorted").fit(graphs, true)
    with pytest.raises(ConfigError, match="validation is 2"):
        GraphComparer(validation=2.0).fit(graphs, true)
    with pytest.raises(ConfigError, match="unknown pooler"):
        GraphComparer("happ").fit(graphs, true)
    with pytest.raises(ConfigError, match="k is 0"):
        GraphComparer(**{**QUICK, "epochs": 1}).fit(graphs, true).kneighbors(graphs, 0)

import numpy as np
import pytest
import torch

from graphpool.config import CompareConfig, RunConfig
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.true_distances import (
    TrueDistances,
    computed_distances,
    has_split,
    known_distances,
    open_similar,
    split_graphs,
)
from graphpool.errors import DataError
from graphpool.ged.collection import collect
from graphpool.ged.duplicates import isomorphic
from graphpool.ged.matrix import matrix
from graphpool.graphs.graphset import GraphSet
from graphpool.tasks import SimilarityTask, similarity


def paths(*nodes):
    """Paths with so many nodes; two are as far apart as their lengths say."""
    edges = [[(i, i + 1) for i in range(count - 1)] for count in nodes]
    flat = torch.tensor([edge for part in edges for edge in part]).T
    counts = torch.tensor([len(part) for part in edges])
    return GraphSet.build("paths", torch.tensor(nodes), counts, flat, undirected=True)


def drawn(own, **compare):
    compare = CompareConfig(split="graphs", **compare)
    return SimilarityTask.open(RunConfig(task="similarity", data=str(own), compare=compare))


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "paths.jsonl"
    write_jsonl(paths(*range(2, 14)), path)
    return path


def test_distances_are_computed_kept_and_read_again(own, tmp_path):
    graphs = open_similar(str(own))
    assert known_distances(graphs, str(own)) is None
    out = tmp_path / "distances.ged"
    found = computed_distances(graphs, out)
    # A longer path has a node and an edge more for each step.
    steps = np.arange(12)
    assert np.array_equal(found.values, 2 * np.abs(steps[:, None] - steps))
    given = known_distances(graphs[[3, 1, 0]], str(own), str(out))
    assert given is not None
    assert given.values.tolist() == [[0, 4, 6], [4, 0, 2], [6, 2, 0]]
    assert given.digest != found.digest


def test_published_distances_and_split_come_with_the_set(data_root):
    graphs = open_similar("LINUX", data_root)
    true = known_distances(graphs, "LINUX", root=data_root)
    assert true is not None
    assert true.origin == "published"
    assert has_split("LINUX", data_root)
    split = split_graphs(graphs, "LINUX", "published", 0, data_root)
    assert split.test == tuple(range(800, 1000))
    assert (len(split.train), len(split.valid)) == (720, 80)
    assert not set(split.train) & set(split.valid)
    classes = isomorphic(collect(graphs))
    apart = split_graphs(graphs, "LINUX", "classes", 0, data_root)
    seen = set(classes[[*apart.train, *apart.valid]])
    assert not seen & set(classes[list(apart.test)])


def test_a_set_of_ones_own_has_no_split(own):
    assert not has_split(str(own))


def test_triplets_ask_about_graphs_of_their_part_and_answer_with_training_graphs(own):
    data = drawn(own, examples=50, valid=5, test=7)
    split, true = split_graphs(data.graphs, str(own), "graphs", 0), data.distances
    train, valid, test = (set(part) for part in (split.train, split.valid, split.test))
    members = {key: set(getattr(data.train, key).tolist()) for key in ("query", "first", "second")}
    assert all(places <= train for places in members.values())
    for part, queries, candidates in (
        (data.valid, valid, train),
        (data.test, test, train | valid),
    ):
        assert set(part.query.tolist()) <= queries
        assert {*part.first.tolist(), *part.second.tolist()} <= candidates
    assert [len(data.train), len(data.valid), len(data.test)] == [50, 5, 7]
    assert data.source.held_out == split.test
    assert data.queries.tolist() == sorted(test)
    assert data.candidates.tolist() == sorted(train | valid)
    apart = true.values[data.train.query, data.train.first]
    apart -= true.values[data.train.query, data.train.second]
    assert data.train.r.tolist() == apart.tolist()


def test_of_fewer_triplets_than_asked_for_all_are_taken(own):
    data = drawn(own)
    # Ten training paths: of each query's nine others, two are equally far or not.
    assert 0 < len(data.train) <= 10 * 9 * 8 // 2


def test_distances_without_any_order_are_refused(own, monkeypatch):
    flat = TrueDistances(np.ones((12, 12)), "computed")
    monkeypatch.setattr(similarity, "known_distances", lambda *_: flat)
    with pytest.raises(DataError, match="the train part is known to be nearer"):
        drawn(own)


def test_graphs_too_large_for_exact_distances_need_a_file(tmp_path):
    path = tmp_path / "long.jsonl"
    write_jsonl(paths(*range(12, 23)), path)
    graphs = open_similar(str(path))
    with pytest.raises(DataError, match=r"22 nodes: too many .* give distances with --distances"):
        known_distances(graphs, str(path))
    made = tmp_path / "long.ged"
    matrix(graphs, method="vj", out=made)
    assert known_distances(graphs, str(path), str(made)) is not None


def test_other_files_and_small_sets_are_refused(own, tmp_path):
    graphs = open_similar(str(own))
    with pytest.raises(DataError, match="no file of distances"):
        known_distances(graphs, str(own), str(own))
    small = tmp_path / "small.jsonl"
    write_jsonl(graphs[[0, 1, 2]], small)
    with pytest.raises(DataError, match="3 graphs; give at least 10"):
        open_similar(str(small))

"""Features of edges: in sets, parts of sets, batches and slots of an adjacency."""

import pytest
import torch
from random_graphs import packed, random_graphs

from graphpool.data import open_set, save
from graphpool.errors import InputError
from graphpool.graphs import Adjacency, EdgeFeatures, GraphBatch, GraphSet, concatenate, reordered
from graphpool.graphs.edge_features import distinct_rows
from graphpool.nn.pairs.layout import repeat_graphs


def labelled(directed: bool = False, seed: int = 1) -> GraphSet:
    """A set with self-loops whose features of edges are one-hot labels, three of them."""
    graphs = packed(random_graphs(seed, 12, directed))
    assert graphs.edge_label is not None
    return graphs.with_edge_x(torch.nn.functional.one_hot(graphs.edge_label.long(), 3).float())


def assert_labels(batch: GraphBatch) -> None:
    """The features of every slot are those of its edge, and none where none is."""
    assert batch.edges is not None
    assert batch.edge_label is not None
    rows, present = batch.edges.rows(), batch.adjacency.present
    assert torch.equal(rows[present].argmax(1), batch.edge_label.long())
    assert not rows[~present].any()


@pytest.mark.parametrize("directed", [False, True])
def test_batches_have_the_features_of_their_edges(directed: bool) -> None:
    graphs = labelled(directed)
    for chosen in ([0, 3, 4], [7, 2, 7], [5], list(range(12))):
        assert_labels(graphs.batch(chosen))


def test_distinct_rows_are_found_once_and_shared_by_parts_and_batches() -> None:
    graphs = labelled()
    table = graphs.batch().edges.table
    assert table.shape == (3, 3)
    part = graphs[[8, 2, 3]]
    assert part.batch([1, 0]).edges.table is table
    assert graphs.with_x(graphs.x * 2).batch().edges.table is table
    assert_labels(part.batch([2, 0]))
    assert_labels(graphs[[2, 4, 7, 9]][1:].batch())


def test_other_features_replace_what_was_found() -> None:
    graphs = labelled()
    graphs.batch()
    other = graphs.with_edge_x(graphs.edge_x * 2)
    assert other.batch().edges.table.max() == 2
    assert graphs.with_edge_x(None).batch().edges is None


def test_features_that_differ_on_every_edge_are_gathered() -> None:
    graphs = labelled()
    graphs = graphs.with_edge_x(torch.randn(graphs.num_edges, 2))
    batch = graphs.batch([2, 3])
    assert batch.edges.table.shape[0] == batch.edge_index.shape[1]
    assert torch.equal(batch.edges.rows()[batch.adjacency.present], graphs[[2, 3]].edge_x)


def test_sets_without_features_of_edges_have_none() -> None:
    batch = packed(random_graphs(0)).batch()
    assert batch.edges is None


def test_files_sets_side_by_side_and_renumbered_nodes_keep_them(tmp_path) -> None:
    graphs = labelled()
    save(graphs, tmp_path / "set.safetensors")
    assert_labels(open_set(tmp_path / "set.safetensors").batch())
    assert_labels(concatenate([graphs, labelled(seed=5)]).batch())
    position = torch.cat([torch.randperm(int(count)) for count in graphs.node_counts])
    assert_labels(reordered(graphs, position).batch())
    assert torch.equal(graphs[3].edge_x, graphs[[3]].edge_x)


def test_repeated_graphs_keep_them() -> None:
    batch = labelled().batch([2, 3, 4])
    twice = repeat_graphs(batch, torch.tensor([1, 1, 0]))
    again = labelled().batch([3, 3, 2])
    assert torch.equal(twice.edges.rows(), again.edges.rows())


def test_wrong_features_of_edges_are_refused() -> None:
    graphs = labelled()
    with pytest.raises(InputError, match="edge_x has shape"):
        graphs.with_edge_x(torch.randn(3, 2))
    with pytest.raises(InputError, match="features of 1 slots"):
        EdgeFeatures(torch.randn(1, 2), torch.tensor([0])).check(5, torch.device("cpu"))


def test_rows_follow_edges_in_any_order_with_repeated_ones_and_loops() -> None:
    edge_index = torch.tensor([[2, 0, 1, 1, 0, 2], [1, 1, 1, 1, 2, 1]])
    edge_attr = torch.arange(6.0).unsqueeze(1)
    adjacency = Adjacency.from_edge_index(edge_index, 3)
    rows = EdgeFeatures.of_edges(edge_attr, adjacency, edge_index).rows().flatten()
    found = list(zip(adjacency.row.tolist(), adjacency.col.tolist(), rows.tolist(), strict=True))
    # Node 1 has two loops, 2 and 3, of which the first counts, and two edges from node 2.
    assert found == [(0, 0, 0), (1, 1, 2), (1, 0, 1), (1, 2, 0), (1, 2, 5), (2, 2, 0), (2, 0, 4)]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_distinct_rows_are_those_of_numpy(dtype: torch.dtype) -> None:
    values = torch.randint(-1, 2, (500, 4)).to(dtype) * 0.5
    values[0] = -0.0
    table, kind = distinct_rows(values)
    assert torch.equal(table[kind], values)
    assert table.shape[0] == torch.unique(values, dim=0).shape[0]
    assert distinct_rows(values[:0])[0].shape == (0, 4)

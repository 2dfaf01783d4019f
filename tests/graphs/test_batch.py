import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import packed, random_graphs

from graphpool.data import to_pyg
from graphpool.graphs import GraphBatch, GraphSet, PlaceRule

FEW = settings(max_examples=25, deadline=None, derandomize=True, database=None)


def edge_set(edge_index: torch.Tensor, *values: torch.Tensor | None) -> set[tuple[object, ...]]:
    columns = [edge_index[0].tolist(), edge_index[1].tolist()]
    columns += [[repr(item) for item in value.tolist()] for value in values if value is not None]
    return set(zip(*columns, strict=True))


def assert_equal_batches(one: GraphBatch, two: GraphBatch) -> None:
    for name in ("x", "batch", "ptr", "y", "edge_index", "edge_weight", "edge_label", "edge_attr"):
        assert torch.equal(getattr(one, name), getattr(two, name)), name
    for name in ("row_ptr", "col", "weight", "gcn"):
        assert torch.equal(getattr(one.adjacency, name), getattr(two.adjacency, name)), name


@FEW
@given(st.integers(0, 10_000), st.lists(st.integers(-6, 5), min_size=1, max_size=7), st.booleans())
def test_batch_equals_pygs(seed: int, chosen: list[int], directed: bool) -> None:
    from torch_geometric.data import Batch

    graphs = packed(random_graphs(seed, directed=directed))
    ours, data = graphs.batch(chosen), to_pyg(graphs)
    theirs = Batch.from_data_list([data[position] for position in chosen])
    assert torch.equal(ours.x, theirs.x)
    assert torch.equal(ours.ptr, theirs.ptr)
    assert torch.equal(ours.batch, theirs.batch)
    assert ours.y is not None
    assert torch.equal(ours.y, theirs.y)
    assert ours.edge_index.shape == theirs.edge_index.shape
    mine = edge_set(ours.edge_index, ours.edge_label, ours.edge_attr, ours.edge_weight)
    assert mine == edge_set(
        theirs.edge_index, theirs.edge_label, theirs.edge_attr, theirs.edge_weight
    )
    assert ours.index.tolist() == [position % 6 for position in chosen]


@FEW
@given(st.integers(0, 10_000), st.permutations(range(6)))
def test_batch_of_a_permutation_is_the_batch_of_permuted_graphs(
    seed: int, order: list[int]
) -> None:
    graphs = packed(random_graphs(seed))
    assert_equal_batches(graphs.batch(order), graphs[order].batch())


def test_whole_set_slice_and_mask_choose_the_same_graphs() -> None:
    graphs = packed(random_graphs(2))
    assert_equal_batches(graphs.batch(), graphs.batch(slice(None)))
    assert_equal_batches(graphs.batch(), graphs.batch(torch.ones(6, dtype=torch.bool)))


def test_negative_positions_count_from_the_end() -> None:
    graphs = packed(random_graphs(2))
    assert_equal_batches(graphs.batch([-1, -6]), graphs.batch([5, 0]))


def test_graph_may_stand_twice_in_a_batch() -> None:
    graphs = packed(random_graphs(2))
    twice = graphs.batch([2, 2])
    nodes = graphs[2].num_nodes
    assert twice.ptr.tolist() == [0, nodes, 2 * nodes]
    dense = twice.adjacency.dense()
    assert torch.equal(dense[:nodes, :nodes], dense[nodes:, nodes:])
    assert not dense[:nodes, nodes:].any()


def test_repr_of_a_batch_shows_the_sizes() -> None:
    graphs = GraphSet.build(
        "two", torch.tensor([2, 1]), torch.tensor([1, 0]), torch.tensor([[0], [1]]),
        x=torch.ones(3, 4),
    )  # fmt: skip
    shown = "GraphBatch(graphs=2, nodes=3, edges=1, features=4, device='cpu')"
    assert repr(graphs.batch([0, 1])) == shown


def test_empty_batch_has_shapes_but_no_graphs() -> None:
    batch = packed(random_graphs(2)).batch([])
    assert (batch.num_graphs, batch.num_nodes) == (0, 0)
    assert batch.x.shape == (0, 3)
    assert batch.edge_index.shape == (2, 0)
    assert batch.adjacency.dense().shape == (0, 0)


def test_single_nodes_and_graphs_without_edges() -> None:
    graphs = GraphSet.build(
        "bare",
        torch.tensor([1, 3, 1]),
        torch.tensor([0, 0, 1]),
        torch.tensor([[0], [0]]),
        x=torch.arange(5.0).unsqueeze(1),
    )
    batch = graphs.batch([2, 0, 1])
    assert batch.edge_index.tolist() == [[0], [0]]
    assert batch.x.flatten().tolist() == [4.0, 0.0, 1.0, 2.0, 3.0]
    assert batch.batch.tolist() == [0, 1, 2, 2, 2]
    # A + I normalised: a lone node has 1; with a self-loop (2 / 2) it has 1 too.
    assert batch.adjacency.gcn.tolist() == pytest.approx([1.0] * 5)


@pytest.mark.parametrize("directed", [False, True])
def test_adjacency_holds_the_weight_of_source_to_target_at_target_source(directed: bool) -> None:
    plain = random_graphs(8, directed=directed)
    dense = packed(plain).batch([3, 4]).adjacency.dense()
    expected = torch.zeros_like(dense)
    shift = 0
    for graph in plain[3:5]:
        for (source, target), (_, _, weight) in graph.edges.items():
            expected[shift + target, shift + source] = weight
        shift += graph.nodes
    assert torch.equal(dense, expected)


@pytest.mark.parametrize("directed", [False, True])
def test_batch_and_its_edge_index_give_the_same_adjacency(directed: bool) -> None:
    from graphpool.graphs import Adjacency

    batch = packed(random_graphs(4, directed=directed)).batch()
    again = Adjacency.from_edge_index(batch.edge_index, batch.num_nodes, batch.edge_weight)
    assert torch.equal(again.row_ptr, batch.adjacency.row_ptr)
    assert torch.equal(again.col, batch.adjacency.col)
    assert torch.equal(again.weight, batch.adjacency.weight)
    assert again.symmetric is batch.adjacency.symmetric is not directed


def test_moving_a_batch_moves_every_tensor() -> None:
    batch = packed(random_graphs(2)).batch().to("meta")
    assert batch.edge_attr is not None
    tensors = (batch.x, batch.edge_attr, batch.adjacency.col, batch.adjacency.gcn, batch.ptr)
    assert {tensor.device.type for tensor in tensors} == {"meta"}


def test_batch_keeps_its_places() -> None:
    graphs = packed(random_graphs(2))
    batch = graphs.batch([2, 0])
    places = batch.places()
    assert batch.places(PlaceRule()) is places
    assert batch.places(PlaceRule(count="given", clusters=2, most=2)) is not places
    assert torch.equal(places.mask.counts, graphs.places().counts[[2, 0]])
    assert torch.equal(graphs.batch([2, 0]).places().share, places.share)

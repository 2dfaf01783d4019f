"""SortPool: the order, its ties, what is kept, and the convolutions, against literal forms."""

import pytest
import torch
from plain import CHANNELS, batch_of, from_edges, random_graph
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.segments import Segments
from graphpool.nn.pool.sort import SortPool, first_nodes, nodes_to_keep, order_by_last_channel


def two_graphs(dtype: torch.dtype = torch.float64) -> tuple[Tensor, Segments]:
    batch = batch_of([random_graph(n, n).to(dtype) for n in (9, 4)])
    return batch.x, batch.segments


def tied() -> Tensor:
    """Nodes with the same last channel, as behind ReLU, some of them equal altogether."""
    return torch.tensor(
        [[1.0, 2.0, 0.0], [3.0, 1.0, 0.0], [0.0, 5.0, 0.5], [2.0, 2.0, 0.0], [3.0, 1.0, 0.0]]
    )


@pytest.mark.parametrize("k", [1, 3, 6, 12])
def test_first_nodes_are_those_of_pyg_where_no_two_tie(k: int) -> None:
    aggr = pytest.importorskip("torch_geometric.nn.aggr")
    x, segments = two_graphs()
    theirs = aggr.SortAggregation(k)(x, segments.batch)
    assert torch.equal(first_nodes(x, segments, k).flatten(1), theirs)


def test_ties_are_broken_by_the_channels_before() -> None:
    x = tied()
    expected = sorted(x.tolist(), key=lambda node: node[::-1], reverse=True)
    assert expected[:2] == [[0.0, 5.0, 0.5], [2.0, 2.0, 0.0]]
    order = order_by_last_channel(x, Segments(torch.tensor([0, 5])))
    assert x[order].tolist() == expected


def test_order_keeps_graphs_apart() -> None:
    x, segments = (
        torch.tensor([[1.0], [2.0], [9.0], [0.0], [5.0]]),
        Segments(torch.tensor([0, 2, 5])),
    )
    assert order_by_last_channel(x, segments).tolist() == [1, 0, 2, 4, 3]


@torch.no_grad()
def test_numbering_decides_ties_in_pyg_and_not_here() -> None:
    aggr = pytest.importorskip("torch_geometric.nn.aggr")
    x, turned = tied(), tied().flip(0)
    segments, batch = Segments(torch.tensor([0, 5])), torch.zeros(5, dtype=torch.long)
    theirs = aggr.SortAggregation(3)
    assert not torch.equal(theirs(x, batch), theirs(turned, batch))
    assert torch.equal(first_nodes(x, segments, 3), first_nodes(turned, segments, 3))
    module = SortPool(3, 3)
    assert torch.equal(module(x), module(turned))


def test_a_batch_mate_changes_pyg_where_one_less_is_the_same_float() -> None:
    aggr = pytest.importorskip("torch_geometric.nn.aggr")
    # PyG pads with the batch's minimum less one and turns what equals it into zeros.
    large = -(2.0**25)
    x, segments = torch.tensor([[large], [1.0], [2.0]]), Segments(torch.tensor([0, 1, 3]))
    assert aggr.SortAggregation(1)(x, segments.batch)[0].item() == 0.0
    assert first_nodes(x, segments, 1)[0].item() == large


def test_graphs_with_fewer_nodes_are_filled_with_zeros() -> None:
    x, segments = two_graphs()
    kept = first_nodes(x, segments, 7)
    assert kept.shape == (2, 7, CHANNELS)
    assert not kept[1, 4:].any()
    assert kept[1, :4].abs().sum(-1).all()


def test_nodes_that_are_not_kept_get_no_gradient() -> None:
    x, segments = two_graphs()
    x.requires_grad_()
    first_nodes(x, segments, 5).sum().backward()
    assert x.grad is not None
    assert x.grad.sum().item() == (5 + 4) * CHANNELS
    assert set(x.grad.flatten().tolist()) == {0.0, 1.0}


@torch.no_grad()
def test_convolutions_are_those_of_the_paper() -> None:
    module, (x, segments) = SortPool(CHANNELS, 12).double(), two_graphs()
    # One convolution that steps from node to node over the flat sequence of k · channels numbers.
    first = nn.Conv1d(1, 16, CHANNELS, CHANNELS).double()
    first.weight.copy_(module.each.weight.unsqueeze(1))
    first.bias.copy_(module.each.bias)  # type: ignore[union-attr]
    flat = first_nodes(x, segments, 12).flatten(1).unsqueeze(1)
    hidden = nn.MaxPool1d(2, 2)(first(flat).relu())
    expected = module.along(hidden).relu().flatten(1)
    assert expected.shape == (2, 32 * 2)
    torch.testing.assert_close(module(x, None, segments), expected)


@torch.no_grad()
@pytest.mark.parametrize(("k", "length"), [(1, 1), (2, 1), (3, 1), (9, 1), (10, 1), (30, 11)])
def test_any_number_of_kept_nodes_has_a_width(k: int, length: int) -> None:
    module = SortPool(CHANNELS, k)
    assert module(torch.randn(4, CHANNELS)).shape == (1, module.out_channels) == (1, 32 * length)


@torch.no_grad()
def test_nan_is_passed_on_and_stays_in_its_graph() -> None:
    x, segments = two_graphs(torch.float32)
    module = SortPool(CHANNELS, 12)
    expected = module(x, None, segments)
    x[2] = float("nan")
    out = module(x, None, segments)
    assert out[0].isnan().any()
    torch.testing.assert_close(out[1], expected[1])


@torch.no_grad()
def test_equal_nodes_may_stand_in_any_order() -> None:
    graph = from_edges(7, [(0, 1), (1, 2)])
    module = SortPool(CHANNELS, 5)
    assert torch.equal(module(graph.x), module(graph.x.flip(0)))


def test_the_papers_k_is_what_sixty_percent_of_the_graphs_have() -> None:
    counts = torch.tensor([10, 20, 30, 40, 50])
    assert nodes_to_keep(counts) == 30
    assert nodes_to_keep(counts, 0.2) == 50
    assert nodes_to_keep(counts, 1.0) == 10
    with pytest.raises(ConfigError, match="share"):
        nodes_to_keep(counts, 0.0)

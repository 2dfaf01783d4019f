import math

import pytest
import torch
from plain import batch_of, from_edges, odd_graphs, random_graph
from torch import Tensor

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.arguments import read_level
from graphpool.nn.pool.topk import TopKPool
from graphpool.nn.pool.topk_base import induced, select_segments, select_topk


def one_graph(nodes: int) -> Segments:
    return Segments(torch.tensor([0, nodes]))


def kept_of(scores: list[float], ratio: float) -> list[int]:
    return select_topk(torch.tensor(scores), one_graph(len(scores)), ratio).tolist()


@pytest.mark.parametrize("ratio", [0.1, 0.25, 0.5, 0.8, 1.0])
def test_the_choice_is_that_of_a_loop_over_graphs(ratio: float) -> None:
    sizes = [1, 7, 2, 30, 1, 12, 3]
    segments = Segments(torch.tensor([0, *sizes]).cumsum(0))
    score = torch.randn(sum(sizes))
    wanted = []
    for start, nodes in zip(segments.ptr.tolist(), sizes, strict=False):
        best = sorted(range(nodes), key=lambda node: -float(score[start + node]))
        wanted += sorted(start + node for node in best[: math.ceil(ratio * nodes)])
    index = select_topk(score, segments, ratio)
    assert index.tolist() == wanted
    kept = select_segments(index, segments)
    assert kept.batch.tolist() == segments.batch[index].tolist()
    assert kept.ptr.diff().tolist() == [math.ceil(ratio * nodes) for nodes in sizes]


def test_a_product_a_hair_above_a_number_is_that_number() -> None:
    assert 0.55 * 100 > 55
    assert len(kept_of([float(score) for score in range(100)], 0.55)) == 55


def test_a_tie_that_fits_changes_nothing() -> None:
    assert kept_of([3.0, 1.0, 3.0, 2.0], 0.5) == [0, 2]


def test_a_tie_across_the_limit_is_kept_if_that_is_nearer() -> None:
    # Three wanted: four with the tie, or one without it.
    assert kept_of([9.0, 5.0, 5.0, 5.0, 1.0, 0.0], 0.5) == [0, 1, 2, 3]


def test_a_tie_across_the_limit_is_dropped_if_that_is_nearer() -> None:
    # Three wanted: six with the tie, or two without it.
    assert kept_of([9.0, 8.0, 5.0, 5.0, 5.0, 5.0], 0.5) == [0, 1]


def test_a_tie_as_near_as_its_absence_is_kept() -> None:
    assert kept_of([9.0, 5.0, 5.0, 1.0], 0.5) == [0, 1, 2]


def test_a_graph_keeps_something_even_if_all_are_tied() -> None:
    assert kept_of([4.0] * 10, 0.1) == list(range(10))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_scores_that_differ_by_rounding_are_tied(dtype: torch.dtype) -> None:
    score = 1000 + torch.zeros(8, dtype=dtype)
    score[::3] += 1000 * 4 * torch.finfo(dtype).eps
    assert select_topk(score, one_graph(8), 0.5).tolist() == list(range(8))
    score[::3] += 1000 * 1000 * torch.finfo(dtype).eps
    assert select_topk(score, one_graph(8), 0.4).tolist() == [0, 3, 6]


def test_rounding_is_measured_by_what_scores_were_made_from() -> None:
    score = torch.tensor([1e-6, 0.0, -1e-6, 2e-6])  # differences of numbers near 1
    assert select_topk(score, one_graph(4), 0.25).tolist() == [3]
    assert select_topk(score, one_graph(4), 0.25, torch.ones(4)).tolist() == [0, 1, 2, 3]


def test_ties_of_one_graph_do_not_concern_another() -> None:
    segments = Segments(torch.tensor([0, 4, 8]))
    score = torch.tensor([5.0, 5.0, 5.0, 5.0, 5.0, 5.001, 5.002, 5.003])
    assert select_topk(score, segments, 0.5).tolist() == [0, 1, 2, 3, 6, 7]
    score[:4] *= 1e6
    assert select_topk(score, segments, 0.5).tolist() == [0, 1, 2, 3, 6, 7]


def test_nan_is_kept_to_be_noticed() -> None:
    segments = Segments(torch.tensor([0, 3, 6]))
    score = torch.tensor([1.0, math.nan, 2.0, 1.0, 2.0, 3.0])
    assert select_topk(score, segments, 0.3).tolist() == [0, 1, 2, 5]


@pytest.mark.parametrize("directed", [False, True])
def test_the_subgraph_is_the_block_of_the_dense_matrix(directed: bool) -> None:
    graphs = [random_graph(n, n, directed=directed, weighted=True, loops=True) for n in (6, 1, 9)]
    batch = batch_of([*graphs, odd_graphs()["no edges"]])
    index = torch.tensor([0, 2, 3, 6, 8, 11, 15, 17, 21])
    part = induced(batch.adjacency, index)
    full = batch.adjacency.dense()
    assert torch.equal(part.dense(), full[index][:, index])
    assert part.symmetric is not directed
    assert torch.equal(part.col[part.row_ptr[:-1]], torch.arange(9))  # the diagonal comes first
    again = Adjacency.from_edge_index(torch.stack([part.col, part.row]), 9, part.weight)
    torch.testing.assert_close(part.gcn, again.gcn)


def test_repeated_edges_stay_repeated() -> None:
    edge_index = torch.tensor([[0, 0, 1, 2], [1, 1, 2, 0]])
    part = induced(Adjacency.from_edge_index(edge_index, 3), torch.tensor([0, 1]))
    assert part.dense().tolist() == [[0, 0], [2, 0]]


def test_subgraphs_of_subgraphs_are_subgraphs() -> None:
    adjacency = batch_of([random_graph(10, weighted=True)]).adjacency
    first, second = torch.tensor([1, 2, 4, 5, 8]), torch.tensor([0, 2, 4])
    twice = induced(induced(adjacency, first), second)
    assert torch.equal(twice.dense(), induced(adjacency, first[second]).dense())


@pytest.mark.parametrize("ratio", [0.0, -0.5, 1.01, math.nan])
def test_a_ratio_that_is_no_share_is_refused(ratio: float) -> None:
    with pytest.raises(ConfigError, match="ratio"):
        TopKPool(3, ratio)


def test_dense_features_are_refused() -> None:
    with pytest.raises(ValueError, match="ragged"):
        TopKPool(4)(torch.zeros(2, 3, 4), torch.zeros(2, 3, 3))


def test_edge_index_gets_weights_of_the_features_type() -> None:
    graph = from_edges(3, [(0, 1)])
    edges: Tensor = graph.adj.nonzero().t()
    _, adjacency, segments = read_level(graph.x.double(), edges).ragged()
    assert adjacency.weight.dtype is torch.float64
    assert segments.num_graphs == 1

import pytest
import torch

from graphpool.errors import DataError
from graphpool.graphs import Segments

SEGMENTS = Segments(torch.tensor([0, 3, 4, 6]))


def test_batch_nodes_and_counts_follow_from_the_pointers() -> None:
    assert SEGMENTS.num_graphs == 3
    assert SEGMENTS.batch.tolist() == [0, 0, 0, 1, 2, 2]
    assert SEGMENTS.nodes.tolist() == [0, 1, 2, 3, 4, 5]
    assert SEGMENTS.counts.tolist() == [[3.0], [1.0], [2.0]]


def test_from_batch_gives_the_pointers_back() -> None:
    made = Segments.from_batch(torch.tensor([0, 0, 0, 1, 2, 2]))
    assert made.ptr.tolist() == [0, 3, 4, 6]
    assert Segments.from_batch(torch.zeros(0, dtype=torch.long)).num_graphs == 0


@pytest.mark.parametrize("batch", [[0, 1, 0], [0, 0, 2], [1, 1], [2, 1, 0]])
def test_from_batch_refuses_disorder_and_graphs_without_nodes(batch: list[int]) -> None:
    with pytest.raises(DataError, match="sort the nodes by graph"):
        Segments.from_batch(torch.tensor(batch))


def test_equal_runs() -> None:
    made = Segments.equal(3, 2)
    assert made.ptr.tolist() == [0, 2, 4, 6]
    assert made.batch.tolist() == [0, 0, 1, 1, 2, 2]


def test_columns_are_the_nodes_of_each_graph_once_per_lane() -> None:
    index, offsets = SEGMENTS.columns(2)
    bags = [index[first:last].tolist() for first, last in offsets.unfold(0, 2, 1)]
    assert bags == [[0, 1, 2], [3], [4, 5]] * 2
    # In the second lane the entries stand one whole round later.
    assert offsets.tolist() == [0, 3, 4, 6, 9, 10, 12]


def test_rows_are_the_block_of_each_nodes_graph() -> None:
    index, offsets = SEGMENTS.rows(2)
    assert index.view(-1, 2).tolist() == [[0, 1], [0, 1], [0, 1], [2, 3], [4, 5], [4, 5]]
    assert offsets.tolist() == [0, 2, 4, 6, 8, 10, 12]


def test_index_arrays_are_made_once() -> None:
    assert SEGMENTS.columns(3)[0] is SEGMENTS.columns(3)[0]
    assert SEGMENTS.rows(3)[0] is SEGMENTS.rows(3)[0]

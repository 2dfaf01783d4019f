import itertools

import numpy as np
import pytest
import torch
from multisets import SIZES, all_pairs, ragged
from scipy.stats import wasserstein_distance
from torch import Tensor

from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.segments import Segments
from graphpool.nn.level import Level
from graphpool.nn.pairs.distances import SortedDistance
from graphpool.nn.pairs.distances.sorted import sorted_distance, sorted_nodes


def test_channels_are_sorted_by_themselves_within_each_graph() -> None:
    x, segments = ragged()
    found = sorted_nodes(x, segments)
    for begin, end in itertools.pairwise(segments.ptr.tolist()):
        assert torch.equal(found[begin:end], x[begin:end].sort(0, descending=True).values)


def test_distance_is_a_wasserstein_distance_with_zeros_for_missing_nodes() -> None:
    x, segments = ragged()
    left, right = all_pairs()
    found = sorted_distance(sorted_nodes(x, segments), segments, left, right)
    parts = [part.numpy() for part in x.split(SIZES)]
    for d, one, other in zip(found.tolist(), left.tolist(), right.tolist(), strict=True):
        most = max(SIZES[one], SIZES[other])
        sides = [np.vstack([part, np.zeros((most - len(part), 3))]) for part in
                 (parts[one], parts[other])]  # fmt: skip
        each = [most * wasserstein_distance(sides[0][:, c], sides[1][:, c]) for c in range(3)]
        assert d == pytest.approx(np.mean(each))


def test_distance_is_symmetric_and_a_graph_is_at_0_from_itself() -> None:
    x, segments = ragged()
    left, right = all_pairs()
    ranked = sorted_nodes(x, segments)
    one = sorted_distance(ranked, segments, left, right)
    assert torch.equal(one, sorted_distance(ranked, segments, right, left))
    assert (one[left == right] == 0).all()
    assert (one[left != right] > 0).all()


def test_the_order_of_nodes_does_not_matter() -> None:
    x, segments = ragged()
    order = torch.cat([begin + torch.randperm(size) for begin, size in
                       zip(segments.ptr.tolist(), SIZES, strict=False)])  # fmt: skip
    assert torch.equal(sorted_nodes(x, segments), sorted_nodes(x[order], segments))


def test_gradients() -> None:
    x, segments = ragged()
    left, right = all_pairs()
    apart = left != right

    def distance(x: Tensor) -> Tensor:
        return sorted_distance(sorted_nodes(x, segments), segments, left[apart], right[apart])

    assert torch.autograd.gradcheck(distance, x.requires_grad_())


def test_last_row_sums_the_levels_up_with_learned_weights() -> None:
    x, segments = ragged()
    dense = torch.rand(len(SIZES), 5, 3)
    rows = ClusterMask.first(torch.tensor([5, 2, 3, 1, 4]), 5)
    levels = (Level(x.float(), None, segments), Level(rows.keep(dense), mask=rows))
    module = SortedDistance((3, 3))
    with torch.no_grad():
        module.slow_log_weight[:] = torch.tensor([0.03, -0.07]).reshape(2, 1, 1)
        module.log_scale[:] = torch.tensor([[1.0], [2.0]])
    found = module(levels, *all_pairs())
    assert found.shape == (3, len(SIZES) ** 2)
    # Rows of levels have a scale of their own besides.
    scales = torch.tensor([[1.0], [2.0]]).exp()
    torch.testing.assert_close(found[2], (found[:2] / scales).sum(0))
    once = found[2].clone()
    with torch.no_grad():
        module.slow_log_weight[1] = -100
    torch.testing.assert_close(once - module(levels, *all_pairs())[2], found[1] / scales[1])


def test_rows_that_are_no_clusters_count_nowhere() -> None:
    dense = torch.rand(2, 5, 3)
    rows = ClusterMask.first(torch.tensor([2, 4]), 5)
    module = SortedDistance((3,))
    pair = torch.tensor([0]), torch.tensor([1])
    masked = module((Level(rows.keep(dense), mask=rows),), *pair)
    flat, segments = rows.compact(dense), Segments.from_counts(torch.tensor([2, 4]))
    torch.testing.assert_close(masked, module((Level(flat, None, segments),), *pair))

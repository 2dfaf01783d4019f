import itertools

import pytest
import torch

from graphpool.data.pairs import PairSet, split_pairs
from graphpool.errors import DataError
from graphpool.graphs import GraphSet


def pairs_of(graphs, sides):
    none = torch.zeros(2, 0, dtype=torch.long)
    points = GraphSet.build("set", torch.ones(graphs).long(), torch.zeros(graphs).long(), none)
    left, right = torch.tensor(sides).T
    return PairSet(points, left.contiguous(), right.contiguous(), torch.ones(len(sides)))


def graphs_of(pairs, part):
    chosen = list(part)
    return {*pairs.left[chosen].tolist(), *pairs.right[chosen].tolist()}


def parts(found):
    return found.split.train, found.split.valid, found.split.test


def assert_apart(pairs, found):
    for one, other in itertools.combinations(parts(found), 2):
        assert not graphs_of(pairs, one) & graphs_of(pairs, other)


def test_pairs_without_common_graphs_are_all_kept_8_1_1():
    pairs = pairs_of(100, [(2 * i, 2 * i + 1) for i in range(50)])
    found = split_pairs(pairs, seed=0)
    assert [len(part) for part in parts(found)] == [40, 5, 5]
    assert (found.left_out, found.groups) == (0, 50)
    assert_apart(pairs, found)


def test_groups_of_pairs_stay_together():
    # Twenty triangles: each is three pairs over three graphs.
    sides = [(3 * i + a, 3 * i + b) for i in range(20) for a, b in ((0, 1), (1, 2), (0, 2))]
    pairs = pairs_of(60, sides)
    found = split_pairs(pairs, seed=1)
    assert (found.left_out, found.groups) == (0, 20)
    assert sorted(itertools.chain(*parts(found))) == list(range(60))
    assert all(len(part) % 3 == 0 for part in parts(found))
    assert_apart(pairs, found)


def test_pairs_that_all_hang_together_are_cut_by_graphs_and_crossing_ones_left_out():
    sides = list(itertools.combinations(range(30), 2))
    pairs = pairs_of(30, sides)
    found = split_pairs(pairs, seed=0)
    # 24, 3 and 3 graphs, and the pairs inside each part.
    assert [len(part) for part in parts(found)] == [276, 3, 3]
    assert found.left_out == len(sides) - 282
    assert found.groups == 1
    assert_apart(pairs, found)


def test_the_seed_decides():
    pairs = pairs_of(100, [(2 * i, 2 * i + 1) for i in range(50)])
    assert split_pairs(pairs, 3) == split_pairs(pairs, 3)
    assert split_pairs(pairs, 3) != split_pairs(pairs, 4)


def test_too_few_pairs_are_refused():
    with pytest.raises(DataError, match="can't be cut into three parts without common graphs"):
        split_pairs(pairs_of(4, [(0, 1), (2, 3)]), seed=0)
    with pytest.raises(DataError, match="more different graphs"):
        split_pairs(pairs_of(40, [(0, i) for i in range(1, 40)]), seed=0)  # a star: one in all

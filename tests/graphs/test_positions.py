"""Selections of graphs, pairs and triplets mean what NumPy says they mean, or are refused."""

from typing import Any

import numpy as np
import pytest
import torch

from graphpool.graphs.selection import positions


@pytest.mark.parametrize(
    "item",
    [
        slice(None), slice(1, 4), slice(None, None, -1), slice(4, 1), slice(-3, 99, 2),
        [0, 4, -5, -1], np.array([3, 3], dtype=np.uint8), np.array([-2]),
        np.array([True, False, True, False, False]), [True] * 5,
    ],
)  # fmt: skip
def test_positions_are_those_of_numpy(item: Any) -> None:
    found = positions(item, 5, "pair")
    assert found.dtype == np.int64
    assert found.tolist() == np.arange(5)[item].tolist()
    if not isinstance(item, slice):
        assert positions(torch.as_tensor(item), 5, "pair").tolist() == found.tolist()


def test_nothing_is_a_selection_too() -> None:
    assert positions([], 0, "pair").tolist() == []
    assert positions(slice(None), 0, "pair").tolist() == []


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ([0, 5], "pair 5 of a set of 5"),
        ([-6, 2], "pair -6 of a set of 5"),
        (np.array([0.5]), "pairs are chosen by integers, not float64"),
        (np.array([True, False]), r"a mask of \(2,\) for 5 pairs"),
    ],
)
def test_what_is_not_there_is_named(item: Any, said: str) -> None:
    with pytest.raises(IndexError, match=said):
        positions(item, 5, "pair")

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from graphpool.nn.ops.spgemm import Sparse, joined_product, sparse_product

Way = Callable[[Sparse, Sparse], Sparse]
WAYS: dict[str, Way] = {"compiled": sparse_product, "joined": joined_product}
ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def random_sparse(rows: int, width: int, seed: int, share: float = 0.4) -> Sparse:
    draw = torch.Generator().manual_seed(seed)
    full = torch.randn(rows, width, generator=draw).double()
    row, col = (torch.rand(rows, width, generator=draw) < share).nonzero().t()
    ptr = torch.zeros(rows + 1, dtype=torch.long)
    ptr[1:] = torch.bincount(row, minlength=rows).cumsum(0)
    return Sparse(ptr, col, full[row, col], width)


def full(matrix: Sparse) -> Tensor:
    empty = matrix.value.new_zeros(matrix.ptr.shape[0] - 1, matrix.width)
    return empty.index_put((matrix.row, matrix.col), matrix.value, accumulate=True)


@ways
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_the_product_is_that_of_the_full_matrices(way: Way, share: float) -> None:
    left, right = random_sparse(6, 9, 1, share), random_sparse(9, 4, 2, share)
    made = way(left, right)
    torch.testing.assert_close(full(made), full(left) @ full(right))
    places = made.row * made.width + made.col
    assert places.unique().shape == places.shape


@ways
def test_gradients_are_those_of_the_full_product(way: Way) -> None:
    left, right = random_sparse(6, 9, 1), random_sparse(9, 4, 2)
    left.value.requires_grad_()
    right.value.requires_grad_()
    weight = torch.randn(6, 4).double()
    found = torch.autograd.grad((full(way(left, right)) * weight).sum(), (left.value, right.value))
    wanted = torch.autograd.grad(
        (full(left) @ full(right) * weight).sum(), (left.value, right.value)
    )
    torch.testing.assert_close(found, wanted)


@ways
def test_entries_of_one_place_add_up(way: Way) -> None:
    twice = Sparse(torch.tensor([0, 2]), torch.tensor([0, 0]), torch.tensor([2.0, 3.0]), 1)
    made = way(twice, Sparse(torch.tensor([0, 1]), torch.tensor([0]), torch.tensor([7.0]), 1))
    assert made.value.tolist() == [35.0]


def test_the_transpose_is_the_transpose() -> None:
    matrix = random_sparse(6, 9, 3)
    assert torch.equal(full(matrix.transposed()), full(matrix).t())

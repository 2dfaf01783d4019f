"""Sums over edges with features: literal loops, gradients, and what is kept for the backward."""

from typing import Any

import pytest
import torch
from plain import batch_of, random_graph
from torch import Tensor

from graphpool.errors import InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.checks import trusted
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.nn.ops.messages import EdgeRows, _ReluRows, pair_logits, relu_messages

CHANNELS, KINDS, HEADS, SLOPE = 6, 4, 2, 0.2


def example(dtype: torch.dtype, directed: bool = True) -> tuple[Adjacency, Tensor]:
    """An adjacency, and a kind for every edge, -1 in diagonal slots without one."""
    graphs = [
        random_graph(n, n, directed=directed, weighted=True, loops=True).to(dtype)
        for n in (6, 1, 9)
    ]
    adjacency = batch_of(graphs).adjacency
    kind = torch.randint(KINDS, adjacency.col.shape)
    return adjacency, kind.masked_fill(~adjacency.present, -1)


def weighing(adjacency: Adjacency, weight: Tensor) -> Adjacency:
    return trusted(Adjacency, row_ptr=adjacency.row_ptr, col=adjacency.col, weight=weight,
                   symmetric=False)  # fmt: skip


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_messages_are_the_literal_sum(dtype: torch.dtype) -> None:
    adjacency, kind = example(dtype)
    x, table = torch.randn(16, CHANNELS, dtype=dtype), torch.randn(KINDS, CHANNELS, dtype=dtype)
    wanted = torch.zeros_like(x)
    for slot, (i, j, k) in enumerate(zip(adjacency.row, adjacency.col, kind, strict=True)):
        if k >= 0:
            wanted[i] += adjacency.weight[slot] * (x[j] + table[k]).relu()
    torch.testing.assert_close(relu_messages(x, adjacency, EdgeFeatures(table, kind)), wanted)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_logits_are_literal(dtype: torch.dtype) -> None:
    adjacency, kind = example(dtype)
    source, target = torch.randn(2, 16, HEADS, 3, dtype=dtype)
    table, vector = torch.randn(KINDS, HEADS, 3, dtype=dtype), torch.randn(HEADS, 3, dtype=dtype)
    rows = []
    for i, j, k in zip(adjacency.row, adjacency.col, kind, strict=True):
        inner = source[j] + target[i] + (table[k] if k >= 0 else 0)
        rows.append((vector * torch.nn.functional.leaky_relu(inner, SLOPE)).sum(-1))
    found = pair_logits(
        source, target, vector, adjacency, EdgeFeatures(table.flatten(1), kind), SLOPE
    )
    torch.testing.assert_close(found, torch.stack(rows))


@pytest.mark.parametrize("directed", [False, True])
def test_gradients_in_double_precision(directed: bool) -> None:
    adjacency, kind = example(torch.float64, directed)
    given = torch.randn(16, CHANNELS), torch.randn(KINDS, CHANNELS), adjacency.weight
    x, table, weight = (value.double().requires_grad_() for value in given)

    def messages(x: Tensor, table: Tensor, weight: Tensor) -> Tensor:
        return relu_messages(x, weighing(adjacency, weight), EdgeFeatures(table, kind))

    assert torch.autograd.gradcheck(messages, (x, table, weight))
    parts = (torch.randn(16, 2, 3), torch.randn(16, 2, 3), torch.randn(2, 3), torch.randn(4, 2, 3))
    inputs = tuple(value.double().requires_grad_() for value in parts)

    def logits(source: Tensor, target: Tensor, vector: Tensor, table: Tensor) -> Tensor:
        return pair_logits(
            source, target, vector, adjacency, EdgeFeatures(table.flatten(1), kind), SLOPE
        )

    assert torch.autograd.gradcheck(logits, inputs)


def test_compiled_gradients_are_those_of_autograd() -> None:
    adjacency, kind = example(torch.float32)
    x, table = torch.randn(16, CHANNELS), torch.randn(KINDS, CHANNELS)
    grad = torch.randn_like(x)
    found, wanted = [], []
    for dtype, made in ((torch.float32, found), (torch.float64, wanted)):
        given = [value.to(dtype).requires_grad_() for value in (x, table, adjacency.weight)]
        out = relu_messages(given[0], weighing(adjacency, given[2]), EdgeFeatures(given[1], kind))
        made += torch.autograd.grad((out * grad.to(dtype)).sum(), given)
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one.double(), other, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kinds", [KINDS, 100])  # by a product, and by sorting
def test_gradients_by_rows_as_on_a_gpu_are_those_of_autograd(kinds: int) -> None:
    adjacency, kind = example(torch.float64)
    kind = torch.where(kind < 0, kind, torch.randint(kinds, kind.shape))
    shapes = ((16, CHANNELS), (kinds, CHANNELS), (16, CHANNELS))
    x, table, grad = (torch.randn(shape, dtype=torch.float64) for shape in shapes)
    given = [value.requires_grad_() for value in (x, table, adjacency.weight.clone())]
    weighed = weighing(adjacency, given[2])
    out = relu_messages(given[0], weighed, EdgeFeatures(given[1], kind))
    wanted = torch.autograd.grad((out * grad).sum(), given)
    rows = EdgeRows(weighed, kind, kinds)
    again = _ReluRows.apply(given[0], given[1], weighed.weight, rows)
    torch.testing.assert_close(again, out)
    found = torch.autograd.grad((again * grad).sum(), given)
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other)


def test_layers_of_a_batch_share_what_depends_on_its_edges_alone() -> None:
    adjacency, kind = example(torch.float64)
    edges = EdgeFeatures(torch.randn(KINDS, CHANNELS, dtype=torch.float64), kind)
    first = EdgeRows.of(adjacency, edges)
    assert EdgeRows.of(adjacency, edges.with_table(edges.table * 2)) is first
    weighed = weighing(adjacency, adjacency.weight * 3)  # other weights are other edges
    other = EdgeRows.of(weighed, edges)
    assert other is not first
    assert torch.equal(other.weight, first.weight * 3)
    assert EdgeRows.of(adjacency, EdgeFeatures(edges.table, kind)) is not first


def test_compiled_gradients_of_logits_are_those_of_autograd() -> None:
    adjacency, kind = example(torch.float32)
    parts = (torch.randn(16, 2, 3), torch.randn(16, 2, 3), torch.randn(2, 3), torch.randn(4, 2, 3))
    grad = torch.randn(kind.shape[0], 2)
    found, wanted = [], []
    for dtype, made in ((torch.float32, found), (torch.float64, wanted)):
        s, t, v, table = (value.to(dtype).requires_grad_() for value in parts)
        out = pair_logits(s, t, v, adjacency, EdgeFeatures(table.flatten(1), kind), SLOPE)
        made += torch.autograd.grad((out * grad.to(dtype)).sum(), [s, t, v, table])
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one.double(), other, atol=1e-5, rtol=1e-5)


def test_no_row_per_edge_is_kept_for_the_backward_pass() -> None:
    nodes, edges = 50, 2000
    adjacency = Adjacency.from_edge_index(torch.randint(nodes, (2, edges)), nodes)
    kind = torch.zeros_like(adjacency.col).masked_fill(~adjacency.present, -1)
    x, table = torch.randn(nodes, 8, requires_grad=True), torch.randn(3, 8, requires_grad=True)
    sizes: list[int] = []

    def keep(value: Any) -> Any:
        sizes.append(value.numel())
        return value

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda value: value):
        relu_messages(x, adjacency, EdgeFeatures(table, kind))
        heads = [value.view(-1, 2, 4) for value in (x, x)]
        edges = EdgeFeatures(table, kind)
        pair_logits(heads[0], heads[1], torch.randn(2, 4), adjacency, edges, SLOPE)
    assert max(sizes) <= adjacency.col.shape[0] + nodes


@pytest.mark.usefixtures("both_ways")
def test_numbers_that_are_not_finite_come_out_again() -> None:
    adjacency, kind = example(torch.float32)
    x, table = torch.randn(16, CHANNELS), torch.randn(KINDS, CHANNELS)
    x[2] = torch.nan
    assert relu_messages(x, adjacency, EdgeFeatures(table, kind)).isnan().any()


def test_tensors_of_other_sizes_are_refused() -> None:
    adjacency, kind = example(torch.float32)
    x, table = torch.randn(16, CHANNELS), torch.randn(KINDS, CHANNELS)
    for nodes, edges in ((x[1:], (table, kind)), (x, (table[:, 1:], kind)), (x, (table, kind[1:]))):
        with pytest.raises(InputError):
            relu_messages(nodes, adjacency, EdgeFeatures(*edges))
    with pytest.raises(InputError, match="kind holds 3"):
        EdgeFeatures(table[:3], kind)

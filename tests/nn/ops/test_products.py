from collections.abc import Callable

import pytest
import torch
from plain import Plain, batch_of, random_graph
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.ops import products

SIZES = (3, 1, 4)
SEGMENTS = Segments(torch.tensor([0, 3, 4, 8]))
Function = Callable[..., Tensor]
pytestmark = pytest.mark.usefixtures("both_ways")


def graphs(directed: bool) -> list[Plain]:
    options = {"weighted": True, "loops": True, "directed": directed}
    return [random_graph(n, n, **options).to(torch.float64) for n in SIZES]


def adjacency(directed: bool) -> Adjacency:
    return batch_of(graphs(directed)).adjacency


def rows(width: int) -> Tensor:
    return torch.randn(sum(SIZES), width, dtype=torch.float64)


def matrices(*shape: int) -> Tensor:
    return torch.randn(len(SIZES), *shape, dtype=torch.float64)


def parts(x: Tensor) -> tuple[Tensor, ...]:
    return x.split(list(SIZES))


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("values", ["weight", "gcn"])
def test_spmm_is_the_dense_product(directed: bool, transpose: bool, values: str) -> None:
    edges = adjacency(directed)
    assert edges.symmetric is not directed
    value, x = getattr(edges, values), rows(3)
    full = torch.zeros(8, 8, dtype=torch.float64)
    full.index_put_((edges.row, edges.col), value, accumulate=True)
    wanted = (full.t() if transpose else full) @ x
    torch.testing.assert_close(products.spmm(edges, value, x, transpose), wanted)


def test_spmm_with_values_of_its_own_transposes_them_too() -> None:
    edges = adjacency(directed=False)
    value, x = torch.rand_like(edges.weight), rows(2)
    full = torch.zeros(8, 8, dtype=torch.float64).index_put_((edges.row, edges.col), value)
    torch.testing.assert_close(products.spmm(edges, value, x, True), full.t() @ x)


def test_segment_mm_multiplies_within_each_graph() -> None:
    a, b = rows(2), rows(5)
    wanted = torch.stack([p.t() @ q for p, q in zip(parts(a), parts(b), strict=True)])
    torch.testing.assert_close(products.segment_mm(a, b, SEGMENTS), wanted)


def test_row_mm_multiplies_rows_by_their_graphs_matrix() -> None:
    a, y = rows(2), matrices(2, 5)
    wanted = torch.cat([p @ q for p, q in zip(parts(a), y, strict=True)])
    torch.testing.assert_close(products.row_mm(a, y, SEGMENTS), wanted)


@pytest.mark.parametrize(
    ("function", "reduce"),
    [
        (products.segment_sum, lambda part: part.sum(0)),
        (products.segment_mean, lambda part: part.mean(0)),
        (products.segment_max, lambda part: part.amax(0)),
    ],
)
@pytest.mark.parametrize("shift", [0.0, -5.0])
def test_reductions_within_each_graph(function: Function, reduce: Function, shift: float) -> None:
    x = rows(4) + shift
    wanted = torch.stack([reduce(part) for part in parts(x)])
    torch.testing.assert_close(function(x, SEGMENTS), wanted)


def test_spread_repeats_a_graphs_row_for_its_nodes() -> None:
    y = matrices(4)
    wanted = torch.cat([row.expand(n, -1) for row, n in zip(y, SIZES, strict=True)])
    assert torch.equal(products.spread(y, SEGMENTS), wanted)


def test_dense_batches_need_no_segments() -> None:
    a, b, y = torch.randn(2, 4, 3), torch.randn(2, 4, 5), torch.randn(2, 3, 5)
    torch.testing.assert_close(products.segment_mm(a, b, None), torch.einsum("bnp,bnq->bpq", a, b))
    torch.testing.assert_close(products.row_mm(a, y, None), torch.einsum("bnp,bpq->bnq", a, y))
    assert torch.equal(products.segment_sum(a, None), a.sum(1))
    assert torch.equal(products.segment_max(a, None), a.amax(1))
    assert products.spread(a.sum(1), None).shape == (2, 1, 3)


@pytest.mark.parametrize("directed", [False, True])
def test_slot_products_gather_and_sum_along_edges(directed: bool) -> None:
    edges = adjacency(directed)
    x, slots = rows(3), torch.randn(len(edges.col), 3, dtype=torch.float64)
    assert torch.equal(products.take_col(x, edges), x[edges.col])
    assert torch.equal(products.take_row(x, edges), x[edges.row])
    total = torch.zeros(8, 3, dtype=torch.float64).index_add(0, edges.row, slots)
    torch.testing.assert_close(products.slot_sum(slots, edges), total)
    groups = [slots[edges.row == node].amax(0) for node in range(8)]
    assert torch.equal(products.slot_max(slots, edges), torch.stack(groups))


def _cases() -> dict[str, tuple[Function, tuple[Tensor, ...]]]:
    torch.manual_seed(1)
    made: dict[str, tuple[Function, tuple[Tensor, ...]]] = {
        "segment_mm": (lambda a, b: products.segment_mm(a, b, SEGMENTS), (rows(2), rows(3))),
        "row_mm": (lambda a, y: products.row_mm(a, y, SEGMENTS), (rows(2), matrices(2, 3))),
        "segment_sum": (lambda x: products.segment_sum(x, SEGMENTS), (rows(3),)),
        "segment_mean": (lambda x: products.segment_mean(x, SEGMENTS), (rows(3),)),
        "segment_max": (lambda x: products.segment_max(x, SEGMENTS), (rows(3),)),
        "spread": (lambda y: products.spread(y, SEGMENTS), (matrices(3),)),
    }
    for directed in (False, True):
        edges = adjacency(directed)
        kind = "directed" if directed else "symmetric"
        slots = torch.rand_like(edges.weight).unsqueeze(-1).repeat(1, 2)
        for flip in (False, True):
            made[f"spmm {kind} {flip}"] = (
                lambda x, value, edges=edges, flip=flip: products.spmm(edges, value, x, flip),
                (rows(2), edges.weight.clone()),
            )
        made[f"spmm own {kind}"] = (
            lambda x, edges=edges: products.spmm(edges, edges.weight, x),
            (rows(2),),
        )
        made[f"take_col {kind}"] = (lambda x, e=edges: products.take_col(x, e), (rows(2),))
        made[f"take_row {kind}"] = (lambda x, e=edges: products.take_row(x, e), (rows(2),))
        made[f"slot_sum {kind}"] = (lambda x, e=edges: products.slot_sum(x, e), (slots,))
    return made


CASES = _cases()


@pytest.mark.parametrize("case", CASES)
def test_first_and_second_derivatives(case: str) -> None:
    function, inputs = CASES[case]
    inputs = tuple(tensor.detach().clone().requires_grad_() for tensor in inputs)
    assert gradcheck(function, inputs)
    # A square makes the second derivative something else than zero.
    assert gradgradcheck(lambda *given: function(*given).square(), inputs)


@pytest.mark.parametrize("where", range(4, 8))
def test_maximum_is_nan_wherever_nan_stands(where: int) -> None:
    x = rows(2)
    x[where, 1] = torch.nan
    found = products.segment_max(x, SEGMENTS)
    assert found.isnan().tolist() == [[False, False], [False, False], [False, True]]

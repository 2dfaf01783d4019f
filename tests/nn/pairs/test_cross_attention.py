"""Attention between two graphs, against a loop over pairs, and how its runs are cut."""

import numpy as np
import pytest
import torch
from literal_pairs import unmatched
from torch import Tensor

from graphpool.nn.pairs import cross_attention as cross
from graphpool.nn.pairs.cross_attention import CrossAttention

CPU = torch.device("cpu")
SIZES = np.array([[1, 3, 2, 4, 4, 1], [1, 3, 5, 5, 9, 12]], dtype=np.int64)


@pytest.fixture(params=[1 << 14, 0], ids=["one run", "many runs"])
def attention(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> CrossAttention:
    monkeypatch.setattr(cross, "SMALL", request.param)
    monkeypatch.setattr(cross, "SLACK", 1.0)
    made = CrossAttention(SIZES, CPU)
    assert (len(made.runs) > 1) == (request.param == 0)
    return made


def nodes(dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(int(SIZES.sum()), 3, dtype=dtype)


def test_attention_is_that_of_a_loop_over_pairs(attention: CrossAttention) -> None:
    h = nodes()
    ones, others = h.split([int(SIZES[0].sum()), int(SIZES[1].sum())])
    pairs = list(zip(ones.split(SIZES[0].tolist()), others.split(SIZES[1].tolist()), strict=True))
    wanted = [unmatched(x, y) for x, y in pairs] + [unmatched(y, x) for x, y in pairs]
    torch.testing.assert_close(h - attention.attend(h), torch.cat(wanted))


def test_gradients_of_attention_are_right(attention: CrossAttention) -> None:
    assert torch.autograd.gradcheck(attention.attend, nodes().requires_grad_())


def test_large_products_do_not_overflow(attention: CrossAttention) -> None:
    h = (100 * nodes(torch.float32)).requires_grad_()
    made = attention.attend(h)
    made.sum().backward()
    assert h.grad is not None
    assert made.isfinite().all()
    assert h.grad.isfinite().all()


def test_one_large_pair_does_not_pad_the_others() -> None:
    small = np.full((2, 64), 20, dtype=np.int64)
    sizes = np.concatenate([small, [[300], [300]]], 1)
    runs = CrossAttention(sizes, CPU).runs
    padded = sum(run.one.pairs * run.one.width * run.other.width for run in runs)
    real = int((sizes[0] * sizes[1]).sum())
    assert padded <= cross.SLACK * real
    assert len(runs) <= 8
    assert [run.pairs.start for run in runs[1:]] == [run.pairs.stop for run in runs[:-1]]


@pytest.mark.parametrize("seed", range(5))
def test_memory_is_linear_in_the_list_of_node_pairs(seed: int) -> None:
    draw = np.random.default_rng(seed)
    sizes = np.sort(draw.integers(1, 200, (2, 300)), 0)
    sizes = sizes[:, np.lexsort(sizes)]
    runs = CrossAttention(sizes, CPU).runs
    padded = [run.one.pairs * run.one.width * run.other.width for run in runs]
    real = [int((sizes[0, run.pairs] * sizes[1, run.pairs]).sum()) for run in runs]
    assert all(p <= max(cross.SMALL, cross.SLACK * r) for p, r in zip(padded, real, strict=True))
    assert sum(run.one.pairs for run in runs) == 300
    assert len(runs) < 100


def test_no_pairs_are_no_runs() -> None:
    h = torch.zeros(0, 3)
    assert CrossAttention(np.zeros((2, 0), dtype=np.int64), CPU).attend(h).shape == (0, 3)

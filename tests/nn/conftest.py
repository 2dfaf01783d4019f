"""One thread and a fixed seed for every test of this folder; its helpers are importable below."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from plain import fix_seed

from graphpool.nn.ops.switch import plain_operations


@pytest.fixture(autouse=True)
def _steady() -> None:
    torch.set_num_threads(1)
    fix_seed()


@pytest.fixture(scope="session")
def pyg() -> Any:
    """PyTorch Geometric's layers, to compare ours with."""
    return pytest.importorskip("torch_geometric.nn")


@pytest.fixture(params=["compiled", "plain"])
def both_ways(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run a test twice: with compiled loops, and with plain tensor operations alone."""
    with plain_operations() if request.param == "plain" else nullcontext():
        yield

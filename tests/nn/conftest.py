"""One thread and a fixed seed for every test of this folder; its helpers are importable below."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _steady() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)

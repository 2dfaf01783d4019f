"""Seed all random number generators, and store their states without pickle."""

import hashlib
import random
from typing import Any

import numpy as np
import torch
from torch import Tensor


def seed_everything(seed: int) -> None:
    """Seed Python, NumPy and torch, on every device."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def epoch_order(seed: int, epoch: int, count: int) -> Tensor:
    """Return the order in which epoch number `epoch` visits `count` graphs, `[count]`.

    It depends on nothing else, so a resumed run only needs the position at which it stopped.
    """
    mixed = hashlib.sha256(f"order/{seed}/{epoch}".encode()).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(mixed[:7], "little"))
    return torch.randperm(count, generator=generator)


def rng_state() -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the states of all generators: of torch as tensors, of Python and NumPy as JSON."""
    tensors = {"torch": torch.get_rng_state()}
    if torch.cuda.is_available() and torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        for device, state in enumerate(torch.cuda.get_rng_state_all()):
            tensors[f"cuda/{device}"] = state
    version, words, gauss = random.getstate()
    drawn: Any = np.random.get_state(legacy=False)
    plain = {
        "python": [version, list(words), gauss],
        "numpy": {
            **drawn,
            "state": {"key": drawn["state"]["key"].tolist(), "pos": drawn["state"]["pos"]},
        },
    }
    return tensors, plain


def set_rng_state(tensors: dict[str, Tensor], plain: dict[str, Any]) -> None:
    """Restore what `rng_state` returned; ignore states of devices that don't exist."""
    torch.set_rng_state(tensors["torch"])
    if torch.cuda.is_available():
        for device in range(torch.cuda.device_count()):
            if (state := tensors.get(f"cuda/{device}")) is not None:
                torch.cuda.set_rng_state(state, device)
    version, words, gauss = plain["python"]
    random.setstate((version, tuple(words), gauss))
    drawn = plain["numpy"]
    key = np.array(drawn["state"]["key"], dtype=np.uint32)
    np.random.set_state({**drawn, "state": {"key": key, "pos": drawn["state"]["pos"]}})

"""Seeds and states of random number generators, and the order of the examples."""

import hashlib
import random
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor


def seed_everything(seed: int) -> None:
    """Seed the global generators of Python, NumPy and torch, on every device.

    `fit` does not need it: it draws from a generator of its own.
    """
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


def fit_generator(seed: int, device: torch.device) -> torch.Generator:
    """Return the generator of one training run, which all its random numbers come from."""
    return torch.Generator(device).manual_seed(seed)


def generator_state(generator: torch.Generator) -> dict[str, Tensor]:
    """Return the state of a generator, by its kind of device."""
    return {_name(generator.device): generator.get_state()}


def set_generator_state(generator: torch.Generator, states: Mapping[str, Tensor]) -> None:
    """Restore what `generator_state` returned; the state of another device is ignored."""
    if (state := states.get(_name(generator.device))) is not None:
        generator.set_state(state.cpu())


def _name(device: torch.device) -> str:
    # As version 0.1.0 named the states of the global generators.
    return "torch" if device.type == "cpu" else f"{device.type}/{device.index or 0}"

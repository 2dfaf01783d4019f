"""The device of a run, and what is allocated on it: optimizer and running sums."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from graphpool.config import TrainConfig
from graphpool.errors import ConfigError


def find_device(name: str, setting: str = "train.device") -> torch.device:
    """Return the device with this name, including its index; raise a `ConfigError` if unavailable.

    Args:
        name: a device of torch, such as `"cpu"` or `"cuda:1"`.
        setting: the setting that the error names.
    """
    try:
        device = torch.device(name)
        # An allocation is a check that works for every kind of device.
        return torch.empty(0, device=device).device
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{setting} {name!r} can't be used here: {reason}; try 'cpu'") from None


def make_optimizer(
    parameters: Sequence[nn.Parameter], config: TrainConfig, device: torch.device
) -> torch.optim.Adam:
    """Make an Adam optimizer, fused where torch supports it."""
    return torch.optim.Adam(
        parameters,
        lr=config.learning_rate,
        weight_decay=config.weight_decay,
        fused=device.type in ("cpu", "cuda"),
    )


def make_sums(device: torch.device) -> Tensor:
    """Return `[2]` zeros in double precision, or single on devices without it."""
    precise = torch.float32 if device.type == "mps" else torch.float64
    return torch.zeros(2, dtype=precise, device=device)

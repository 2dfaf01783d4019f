"""What a run needs before its first step: device, optimizer, running sums."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from graphpool.config import TrainConfig
from graphpool.errors import ConfigError


def find_device(name: str, setting: str = "train.device") -> torch.device:
    """The device of this name, with its number; a `ConfigError` if it is not there.

    `setting` is what the error calls the place where the name was given.
    """
    try:
        device = torch.device(name)
        # An allocation is the one check that every kind of device answers alike.
        return torch.empty(0, device=device).device
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{setting} {name!r} can't be used here: {reason}; try 'cpu'") from None


def make_optimizer(
    parameters: Sequence[nn.Parameter], config: TrainConfig, device: torch.device
) -> torch.optim.Adam:
    """Adam, as one fused call where torch has it."""
    return torch.optim.Adam(
        parameters,
        lr=config.learning_rate,
        weight_decay=config.weight_decay,
        fused=device.type in ("cpu", "cuda"),
    )


def make_sums(device: torch.device) -> Tensor:
    """`[2]` zeros in double precision, where the device has it."""
    precise = torch.float32 if device.type == "mps" else torch.float64
    return torch.zeros(2, dtype=precise, device=device)

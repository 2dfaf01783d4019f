"""The device of a run."""

import torch

from graphpool.errors import ConfigError, brief


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
        raise ConfigError(
            f"{setting} {brief(name)} can't be used here: {reason}; try 'cpu'"
        ) from None

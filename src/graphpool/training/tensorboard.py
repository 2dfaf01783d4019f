"""TensorBoard curves of a run, if TensorBoard is installed."""

import importlib
from pathlib import Path
from typing import Any

from graphpool.errors import ConfigError
from graphpool.files import writing


class TensorBoardLog:
    """Writes the metrics of each epoch as scalars; does nothing unless `active`."""

    def __init__(self, folder: Path | None, active: bool, first_epoch: int) -> None:
        self._writer: Any = None
        if not active:
            return
        if folder is None:
            raise ConfigError("train.tensorboard needs a run folder to write to; give one")
        try:
            module = importlib.import_module("torch.utils.tensorboard")
        except ImportError:
            raise ConfigError(
                "train.tensorboard is on, but TensorBoard is not installed; "
                "pip install 'graphpool[track]', or turn it off"
            ) from None
        # A resumed run hides what an earlier process wrote after its checkpoint.
        self._folder = folder / "tensorboard"
        with writing(self._folder):
            self._writer = module.SummaryWriter(str(self._folder), purge_step=first_epoch)

    def write(self, row: dict[str, Any]) -> None:
        """Add a row of the history."""
        if self._writer is None:
            return
        with writing(self._folder):
            for name, value in row.items():
                if isinstance(value, dict):
                    for key, number in value.items():
                        self._writer.add_scalar(f"{name}/{key}", number, row["epoch"])
            self._writer.add_scalar("lr", row["lr"], row["epoch"])

    def close(self) -> None:
        """Flush and close the file."""
        if self._writer is not None:
            with writing(self._folder):
                self._writer.close()

"""Save the latest state and the best weights of a run in its folder."""

import time
from pathlib import Path
from typing import Any

from graphpool.errors import CheckpointError
from graphpool.files import writing
from graphpool.training.checkpoint import (
    BEST,
    LAST,
    check_weights,
    read_checkpoint,
    write_checkpoint,
)
from graphpool.training.run_identity import check_same_run
from graphpool.training.state import RunState, Snapshot


class Saver:
    """Writes and reads the checkpoints of a run; without a folder it does nothing.

    Args:
        folder: folder of `last.safetensors` and `best.safetensors`.
        header: JSON of every checkpoint: versions, config, data digests, extra.
        seconds: time between two checkpoints.
    """

    def __init__(self, folder: Path | None, header: dict[str, Any], seconds: float) -> None:
        self.folder, self.header, self.seconds = folder, header, seconds
        self._written_best = 0
        self._next = time.monotonic() + seconds

    @property
    def last(self) -> Path | None:
        """The file that a run resumes from."""
        return None if self.folder is None else self.folder / LAST

    def due(self) -> bool:
        """Whether it is time for the next checkpoint."""
        return self.folder is not None and time.monotonic() >= self._next

    def begin(self, state: RunState) -> None:
        """Write the untrained state, to replace the files of an earlier run."""
        self.save(state)
        if self.folder is not None:
            with writing(self.folder / BEST):
                (self.folder / BEST).unlink(missing_ok=True)

    def save(self, state: RunState) -> None:
        """Write the state, and the best weights if they are new."""
        if self.folder is None:
            return
        snapshot = state.capture()
        self._save_best(state)
        write_checkpoint(self.folder / LAST, snapshot.tensors, {**self.header, **snapshot.values})
        self._next = time.monotonic() + self.seconds

    def resume(self, state: RunState) -> bool:
        """Restore the last checkpoint; return False if there is none."""
        if self.last is None or not self.last.exists():
            return False
        checkpoint = read_checkpoint(self.last)
        # Tensors first: a wrong shape is a clearer message than the setting that causes it.
        check_weights(state.model, checkpoint)
        check_same_run(self.last, checkpoint.header, self.header)
        try:
            values = {"state": checkpoint.header["state"]}
            state.restore(Snapshot(checkpoint.tensors, values))
        except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError,
                CheckpointError) as error:  # fmt: skip
            raise CheckpointError.at(
                self.last,
                f"damaged: no run can go on from it ({error})",
                hint="remove it to start again",
            ) from None
        # A finished run saves nothing more: replace a lost or damaged file now.
        self._save_best(state)
        return True

    def _save_best(self, state: RunState) -> None:
        counters = state.counters
        if self.folder is None or state.best is None or counters.best_epoch == self._written_best:
            return
        best = {f"weights/{name}": value for name, value in state.best.items()}
        selected = {"epoch": counters.best_epoch, "metrics": counters.best_metrics}
        write_checkpoint(self.folder / BEST, best, {**self.header, "best": selected})
        self._written_best = counters.best_epoch

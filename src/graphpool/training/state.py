"""The state of a training run, with exact capture and restore."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from graphpool.errors import CheckpointError
from graphpool.shapes import fit
from graphpool.training.schedule import Plateau
from graphpool.training.seeding import generator_state, set_generator_state

Weights = dict[str, Tensor]


class Snapshot(NamedTuple):
    """The state of a run at one moment: tensors by name, and JSON values."""

    tensors: dict[str, Tensor]
    values: dict[str, Any]


def part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Return the tensors whose name begins with `prefix/`, by the rest of the name."""
    start = f"{prefix}/"
    return {
        name.removeprefix(start): value for name, value in tensors.items() if name.startswith(start)
    }


@dataclass
class Counters:
    """The progress of a run.

    Attributes:
        epoch: number of finished epochs.
        position: number of batches of the current epoch that are done.
        step: number of optimizer steps.
        seconds: time spent in the current epoch so far.
        history: one row per finished epoch.
        best_epoch: number of the selected epoch, counted from 1; 0 before the first.
        best_metrics: its validation metrics, or its training metrics without validation graphs.
        stale: epochs since the best one.
        stopped: why the run ended; empty while it continues.
        plateau: state of the learning-rate schedule.
    """

    epoch: int = 0
    position: int = 0
    step: int = 0
    seconds: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)
    best_epoch: int = 0
    best_metrics: dict[str, float] = field(default_factory=dict)
    stale: int = 0
    stopped: str = ""
    plateau: Plateau = field(default_factory=Plateau)

    def copy(self) -> "Counters":
        """Return a copy that further training does not change; rows of the history are shared."""
        return dataclasses.replace(
            self, history=list(self.history), plateau=dataclasses.replace(self.plateau)
        )

    def plain(self) -> dict[str, Any]:
        """Return the counters as JSON values."""
        return {**vars(self), "plateau": vars(self.plateau)}

    @classmethod
    def from_plain(cls, values: dict[str, Any]) -> "Counters":
        """Make counters from JSON values."""
        counters: Counters = fit(cls, values, "state", CheckpointError)
        return counters


class RunState:
    """Model, optimizer, counters, running sums and random numbers of one training run.

    Attributes:
        sums: `[2]` float64 on the device: loss and correct predictions of the current epoch so far.
        generator: all random numbers of the run come from it.
        best: weights of the selected epoch; their tensors are never modified.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        sums: Tensor,
        generator: torch.Generator,
    ) -> None:
        self.model = model
        self.optimizer = optimizer
        self.sums = sums
        self.generator = generator
        self.counters = Counters()
        self.best: Weights | None = None

    def weights(self) -> Weights:
        """Return a copy of the weights and buffers of the model."""
        return {name: value.clone() for name, value in self.model.state_dict().items()}

    def capture(self) -> Snapshot:
        """Copy the whole state; the snapshot shares no memory with what training changes."""
        tensors = {f"weights/{name}": value for name, value in self.weights().items()}
        for name, parameter in self.model.named_parameters():
            for key, value in self.optimizer.state.get(parameter, {}).items():
                tensors[f"optimizer/{name}/{key}"] = value.clone()
        tensors["sums"] = self.sums.clone()
        states = generator_state(self.generator)
        tensors.update({f"rng/{name}": value for name, value in states.items()})
        if self.best is not None:
            tensors.update({f"best/{name}": value for name, value in self.best.items()})
        return Snapshot(tensors, {"state": self.counters.copy().plain()})

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot of the same model, so that training continues exactly from there."""
        tensors = snapshot.tensors
        load_weights(self.model, part(tensors, "weights"))
        self.optimizer.zero_grad(set_to_none=True)
        self.optimizer.state.clear()
        for name, parameter in self.model.named_parameters():
            moments = part(tensors, f"optimizer/{name}")
            stored = {key: value.clone() for key, value in moments.items() if "/" not in key}
            if stored:
                self.optimizer.state[parameter] = self._to_device(stored, parameter)
        self.sums.copy_(tensors["sums"])
        self.counters = Counters.from_plain(snapshot.values["state"]).copy()
        best = part(tensors, "best")
        self.best = {name: value.to(self.sums.device) for name, value in best.items()} or None
        set_generator_state(self.generator, part(tensors, "rng"))

    def _to_device(self, stored: dict[str, Tensor], parameter: Tensor) -> dict[str, Tensor]:
        """Move moments to the device of their parameter; the step count only if fused."""
        fused = self.optimizer.defaults.get("fused")
        return {
            key: value.to(parameter.device) if fused or key != "step" else value.cpu()
            for key, value in stored.items()
        }


def load_weights(model: nn.Module, weights: Weights) -> None:
    """Copy weights and buffers into the model, in place."""
    with torch.no_grad():
        for name, value in model.state_dict().items():
            value.copy_(weights[name])

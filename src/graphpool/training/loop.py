"""The training loop: guarded against numbers that are not finite, and resumable to the bit."""

import logging
import math
import time
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, cast

import torch
from torch import Tensor, nn

from graphpool.config import TrainConfig, to_dict
from graphpool.errors import TrainingWarning, warn
from graphpool.graphs.graphset import GraphSet
from graphpool.locks import file_lock
from graphpool.nn.random import RedirectedDraws, drawing_from, draws_by_itself
from graphpool.progress import ProgressBar
from graphpool.training.checkpoint import LAST, versions
from graphpool.training.device import find_device
from graphpool.training.environment import deterministic, suitable_threads, thread_count
from graphpool.training.events import EventLog
from graphpool.training.guard import (
    CHECK_STEPS,
    NonFiniteError,
    all_finite,
    gradients,
    guilty_positions,
    guilty_when_evaluated,
    stop_message,
)
from graphpool.training.health_warnings import health_warnings
from graphpool.training.objective import Examples, Objective, is_better, selection
from graphpool.training.replay import ReplayedSteps
from graphpool.training.run_identity import run_header
from graphpool.training.saver import Saver
from graphpool.training.schedule import learning_rate
from graphpool.training.seeding import epoch_order, fit_generator
from graphpool.training.signals import Interrupted, StopRequest, watch_signals
from graphpool.training.state import RunState, Snapshot, load_weights
from graphpool.training.tensorboard import TensorBoardLog

logger = logging.getLogger(__name__)

EVALUATION_BATCH = 128


@dataclass(frozen=True)
class FitResult:
    """The result of a training run; the model holds the weights of the best epoch.

    Attributes:
        best_epoch: the selected epoch, counted from 1; the last one without validation graphs.
        best_metrics: its validation metrics (training metrics without validation graphs).
        history: one row per epoch: epoch, step, lr, train, valid, diagnostics, seconds.
        stopped: `epochs` or `patience`.
        warnings: sentences about levels that collapsed.
    """

    best_epoch: int
    best_metrics: dict[str, float]
    history: tuple[dict[str, Any], ...] = field(repr=False)
    stopped: str
    warnings: tuple[str, ...]


def fit(
    model: nn.Module,
    task: Objective,
    train: Examples,
    valid: Examples | None,
    config: TrainConfig,
    *,
    folder: Path | None = None,
    resume: bool = False,
    progress: bool = True,
    extra: dict[str, Any] | None = None,
) -> FitResult:
    """Train `model` in place, on `config.device`, and leave it in eval mode with its best weights.

    All random numbers come from a generator of this call, seeded with `config.seed`; torch's
    global one is neither used nor changed. The weights are not initialized again. The best epoch
    is selected on `valid` only.

    Args:
        folder: folder for checkpoints and `events.jsonl`. A run in it is replaced, unless
            `resume` is set. With a folder, SIGINT and SIGTERM write a checkpoint and raise
            `Interrupted`; without one they have their usual effect.
        resume: continue from the last checkpoint in the folder; start a new run if there is
            none. On a CPU with the same number of threads the result equals that of an
            uninterrupted run to the bit.
        progress: show a bar if stderr is a terminal.
        extra: JSON to store in the checkpoints, for instance the settings of the model and
            the state of the features; it must be the same to resume.
    """
    run = _Run(model, task, train, valid, config, folder, extra or {})
    with ExitStack() as stack:
        threads = config.threads or suitable_threads(train, config.batch_size)
        stack.enter_context(thread_count(threads))
        stack.enter_context(deterministic(run.device))
        stack.enter_context(drawing_from(run.state.generator))
        run.stop = stack.enter_context(watch_signals(active=folder is not None))
        if folder is not None:
            stack.enter_context(file_lock(folder / LAST))
        run.begin(resume)
        counters = run.state.counters
        run.board = stack.enter_context(
            closing(TensorBoardLog(folder, config.tensorboard, counters.epoch + 1))
        )
        run.bar = stack.enter_context(
            closing(training_bar(run.steps * config.epochs, config.epochs, progress))
        )
        run.train_epochs()
        return run.result()


def training_bar(steps: int, epochs: int, active: bool) -> ProgressBar:
    """A bar over all steps that shows epoch, training loss and a validation metric."""
    return ProgressBar(
        steps,
        active=active,
        before=f"epoch {{task.fields[epoch]}}/{epochs}",
        after="loss {task.fields[loss]}  valid {task.fields[valid]}",
        counts=False,
        epoch=0, loss="-", valid="-",
    )  # fmt: skip


def show_epoch(bar: ProgressBar, row: dict[str, Any]) -> None:
    """Show a row of the history on the bar."""
    counted = next(name for name in row["train"] if name != "loss")
    value = row["valid"].get(counted)
    shown = "-" if value is None else f"{value:.1%}" if counted == "accuracy" else f"{value:.4g}"
    bar.update(
        row["step"],
        epoch=row["epoch"],
        loss=f"{row['train']['loss']:.4f}",
        valid=shown,
    )


class _Run:
    """One call of `fit`."""

    stop: StopRequest
    board: TensorBoardLog
    bar: ProgressBar
    good: Snapshot  # the last state known to be finite

    def __init__(
        self,
        model: nn.Module,
        task: Objective,
        train: Examples,
        valid: Examples | None,
        config: TrainConfig,
        folder: Path | None,
        extra: dict[str, Any],
    ) -> None:
        task.check(train)
        if valid is not None:
            task.check(valid)
        self.task, self.config = task, config
        self.device = find_device(config.device)
        self.model = model.to(self.device)
        self.parameters = [weight for weight in model.parameters() if weight.requires_grad]
        # Buffers that contain infinities from the start, such as masks, are not watched.
        buffers = (buffer for buffer in model.buffers() if buffer.is_floating_point())
        self.watched = [*self.parameters, *(b for b in buffers if b.isfinite().all())]
        self.replay = ReplayedSteps.of(self._update, model, train, config, self.device)
        self.optimizer = torch.optim.Adam(
            self.parameters,
            # A replayed step reads the rate from where it was when the step was recorded.
            lr=config.learning_rate if self.replay is None else self.replay.learning_rate,
            weight_decay=config.weight_decay,
            fused=self.device.type in ("cpu", "cuda"),
            capturable=self.replay is not None and self.device.type == "cuda",
        )
        # The first steps are not recorded; torch would warn that they might have been.
        vars(self.optimizer)["_warned_capturable_if_run_uncaptured"] = True
        precise = torch.float32 if self.device.type == "mps" else torch.float64
        sums = torch.zeros(2, dtype=precise, device=self.device)
        generator = fit_generator(config.seed, self.device)
        self.state = RunState(model, self.optimizer, sums, generator)
        self.redirect = RedirectedDraws(generator) if draws_by_itself(model) else nullcontext()
        self.loss_sum, self.correct_sum = self.state.sums
        header = {}
        if folder is not None:
            header = {"versions": versions(), **run_header(config, train, valid, extra)}
        self.saver = Saver(folder, header, config.checkpoint_seconds)
        self.events = EventLog(folder)
        self.train = train.to(self.device)
        if self.replay is not None:
            self.replay.begin(cast(GraphSet, self.train), generator)
        self.valid = None if valid is None else valid.to(self.device)
        self.steps = math.ceil(len(train) / config.batch_size)
        self.careful_until = 0

    def begin(self, resume: bool) -> None:
        """Restore the last checkpoint, or start from the weights of the model."""
        if resume and self.saver.resume(self.state):
            counters = self.state.counters
            if counters.stopped == "epochs" and counters.epoch < self.config.epochs:
                counters.stopped = ""
            if not counters.stopped:
                self.events.rewind(counters.epoch, counters.step)
                self.events.write("resume", epoch=counters.epoch, step=counters.step)
                logger.info("resuming after epoch %d, step %d", counters.epoch, counters.step)
        else:
            self.events.clear()
            self.saver.begin(self.state)
            sizes = {"train": len(self.train), "valid": len(self.valid or ())}
            self.events.write(
                "start", config=to_dict(self.config), versions=versions(), graphs=sizes
            )
        self.good = self.state.capture()

    def train_epochs(self) -> None:
        """Train until the epochs or the patience are exhausted, or a signal arrives."""
        self.model.train()
        finished = bool(self.state.counters.stopped)
        while not self.state.counters.stopped:
            if not (self._train_epoch() and self._finish_epoch()):
                self._retreat()
        if not finished:
            self.saver.save(self.state)
            self._log_stop(self.state.counters.stopped)
        if self.stop.signum is not None:
            raise Interrupted(self.stop.signum)

    def result(self) -> FitResult:
        """Load the best weights into the model and return the result."""
        counters = self.state.counters
        if self.state.best is not None:
            load_weights(self.model, self.state.best)
        self.model.zero_grad(set_to_none=True)
        self.model.eval()
        metrics = counters.best_metrics
        if self.valid is None:
            metrics = self.task.evaluate(self.model, self.train, self._evaluation_batch)
        warnings = health_warnings(metrics)
        for warning in warnings:
            warn(warning, TrainingWarning)
        return FitResult(
            best_epoch=counters.best_epoch,
            best_metrics=dict(metrics),
            history=tuple(counters.history),
            stopped=counters.stopped,
            warnings=tuple(warnings),
        )

    # ------------------------------------------------------------------ one epoch

    def _train_epoch(self) -> bool:
        """Train on the rest of the current epoch; return False if a number is not finite."""
        state, stop, saver, bar = self.state, self.stop, self.saver, self.bar
        counters, epoch = state.counters, state.counters.epoch
        self._set_rate(learning_rate(self.config, epoch, counters.plateau))
        # On the host, where batches are chosen: to ask the device would wait for the last step.
        order = epoch_order(self.config.seed, epoch, len(self.train))
        on_cpu = self.device.type == "cpu"
        started = time.monotonic() - counters.seconds
        for index in torch.split(order, self.config.batch_size)[counters.position :]:
            before = state.capture() if counters.step < self.careful_until else None
            replayed = before is None and self.replay is not None and self.replay.run(index)
            if not replayed:
                loss = self._update(self.train.batch(index), index.shape[0])
                if before is not None:
                    self._inspect(loss, index, before)
                elif on_cpu and not math.isfinite(loss.item()):  # a GPU would have to synchronize
                    return False
            counters.position += 1
            counters.step += 1
            bar.update_often(counters.step, epoch=epoch + 1)
            if counters.step % CHECK_STEPS == 0:
                if not self._healthy():
                    return False
                self.good = state.capture()
            if stop.signum is not None or saver.due():
                if not self._healthy():
                    return False
                counters.seconds = time.monotonic() - started
                saver.save(state)
                if stop.signum is not None:
                    interrupted = Interrupted(stop.signum)
                    self._log_stop(interrupted.name)
                    raise interrupted
        counters.seconds = time.monotonic() - started
        return math.isfinite(float(self.loss_sum))

    def _set_rate(self, rate: float) -> None:
        """Set the learning rate; where steps are replayed, in place."""
        group = self.optimizer.param_groups[0]
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate

    def _update(self, batch: Any, examples: int) -> Tensor:
        """Run forward, backward and update; return the loss, on the device.

        Args:
            batch: examples, padded or not.
            examples: how many they are without padding.
        """
        with self.redirect:
            loss, correct, recorded = self.task.step(self.model, batch)
        for weight in self.parameters:  # Optimizer.zero_grad does the same, 20 times slower
            weight.grad = None
        loss.backward()  # type: ignore[no-untyped-call]
        if self.config.clip_norm:
            nn.utils.clip_grad_norm_(self.parameters, self.config.clip_norm)
        self.optimizer.step()
        loss = loss.detach()
        if recorded is None:
            recorded = loss
        # The sum is not finite if any loss is not, even if another value is recorded.
        self.loss_sum.add_(torch.where(loss.isfinite(), recorded, loss), alpha=examples)
        self.correct_sum.add_(correct)
        return loss

    def _finish_epoch(self) -> bool:
        """Evaluate, select and log; return False if a number is not finite."""
        counters, started = self.state.counters, time.monotonic()
        loss, correct = (self.state.sums / len(self.train)).tolist()
        trained = {"loss": loss, self.task.counted: correct}
        metrics: dict[str, float] = {}
        if self.valid is not None:
            metrics = self.task.evaluate(self.model, self.valid, self._evaluation_batch)
            if not math.isfinite(metrics["loss"]):
                if not self._healthy():
                    return False
                self._blame_validation(self.valid)
        counters.epoch += 1
        row = {
            "epoch": counters.epoch,
            "step": counters.step,
            "lr": float(self.optimizer.param_groups[0]["lr"]),
            "train": trained,
            "valid": {name: value for name, value in metrics.items() if "/" not in name},
            "diagnostics": {name: value for name, value in metrics.items() if "/" in name},
            "seconds": counters.seconds + time.monotonic() - started,
        }
        counters.history.append(row)
        counters.position, counters.seconds = 0, 0.0
        self.state.sums.zero_()
        self._select(metrics, trained)
        if counters.stopped and not self._healthy():
            return False
        self.events.write("epoch", **row)
        self.board.write(row)
        show_epoch(self.bar, row)
        return True

    def _select(self, metrics: dict[str, float], trained: dict[str, float]) -> None:
        """Copy the weights if they are the best so far, and decide whether to stop."""
        counters, config = self.state.counters, self.config
        criteria = selection(config.scoring)
        if not metrics or is_better(criteria, metrics, counters.best_metrics):
            self.state.best = self.state.weights()
            counters.best_epoch, counters.stale = counters.epoch, 0
            counters.best_metrics = metrics or trained
        else:
            counters.stale += 1
        counters.plateau.observe((metrics or trained)["loss"], config)
        if config.patience and counters.stale >= config.patience:
            counters.stopped = "patience"
        elif counters.epoch >= config.epochs:
            counters.stopped = "epochs"

    @property
    def _evaluation_batch(self) -> int:
        return max(self.config.batch_size, EVALUATION_BATCH)

    def _log_stop(self, reason: str, **values: Any) -> None:
        counters = self.state.counters
        self.events.write(
            "stop", reason=reason, epoch=counters.epoch, step=counters.step,
            best_epoch=counters.best_epoch, **values,
        )  # fmt: skip

    # ------------------------------------------------------------------ not finite

    def _healthy(self) -> bool:
        return math.isfinite(float(self.loss_sum)) and all_finite(self.watched)

    def _retreat(self) -> None:
        """Restore the last good state; the steps up to here are then repeated with checks."""
        self.careful_until = self.state.counters.step + 1
        self.state.restore(self.good)
        if self.replay is not None:
            self.replay.forget()
        self.events.rewind(self.state.counters.epoch, self.state.counters.step)

    def _inspect(self, loss: Tensor, index: Tensor, before: Snapshot) -> None:
        """Stop if a number in the step just taken from the state `before` is not finite."""
        if not math.isfinite(loss.item()):
            what = "the loss"
        elif not all_finite(gradients(self.model)):
            what = "the gradient"
        elif not all_finite(self.watched):
            what = "a weight or buffer after the step"
        else:
            return
        self.state.restore(before)
        self.saver.save(self.state)
        with self.redirect:
            positions = guilty_positions(self.task, self.model, self.train, index)
        self.state.restore(before)
        self._stop_not_finite(what, self.train, positions, self.state.counters.step + 1)

    def _blame_validation(self, valid: Examples) -> NoReturn:
        self.saver.save(self.state)
        positions = guilty_when_evaluated(self.task, self.model, valid, self._evaluation_batch)
        self._stop_not_finite("the validation loss", valid, positions, self.state.counters.step)

    def _stop_not_finite(
        self, what: str, examples: Examples, positions: Tensor, step: int
    ) -> NoReturn:
        names = examples.ids
        ids = tuple(names[position] for position in positions.tolist())
        self._log_stop("not finite", graph_ids=ids)
        epoch = self.state.counters.epoch + 1
        message = stop_message(what, examples.name, ids, epoch, step, self.saver.last)
        raise NonFiniteError(message, epoch, step, ids)

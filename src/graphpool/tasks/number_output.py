"""Outputs of a network as numbers: their loss, their scale, and the intervals around them."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import torch
from torch import Tensor
from torch.nn import functional

from graphpool.config import TrainConfig

LEVEL = 0.9
"""Share of the values that an interval should hold."""
_NORMAL = 1.6448536269514722  # standard deviations on either side that hold 90 %
_NARROWEST = (
    1e-9  # width of an interval in units of the spread, so that errors can be divided by it
)
_LOG_VARIANCE = 12.0  # beyond it, exp would leave single precision far behind
_LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "huber": partial(functional.huber_loss, reduction="none"),
    "mae": partial(functional.l1_loss, reduction="none"),
    "mse": partial(functional.mse_loss, reduction="none"),
}
# Outputs of the network for each target, by `train.interval`.
_WIDTH = {"none": 1, "gaussian": 2, "quantile": 3}


@dataclass(frozen=True)
class NumberOutput:
    """What outputs of a network, `[graphs, width × targets]`, mean.

    Args:
        mean, spread: of each target over the training graphs; the network's numbers are in units of
            the spread, from the mean.
        loss, interval: of `TrainConfig`.
        stretch: of each target, by how much its intervals are widened on either side of the value,
            as `calibrated` found it; empty for intervals as they were learned.
    """

    mean: tuple[float, ...]
    spread: tuple[float, ...]
    loss: str = TrainConfig.loss
    interval: str = TrainConfig.interval
    stretch: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.interval not in _WIDTH or self.loss not in _LOSSES:
            raise ValueError(f"the loss {self.loss!r} or the interval {self.interval!r} is unknown")
        if self.stretch and len(self.stretch) != len(self.mean):
            raise ValueError("intervals need one stretch for each target")

    @property
    def width(self) -> int:
        """Number of outputs of the network."""
        return _WIDTH[self.interval] * len(self.mean)

    def losses(self, outputs: Tensor, target: Tensor) -> Tensor:
        """Return the loss of each target in units of its spread, `[graphs, targets]`."""
        mean, spread = self._scale(target)
        scaled = ((target - mean) / spread).to(outputs.dtype)
        value, *more = self._parts(outputs)
        if self.interval == "gaussian":
            return 0.5 * (more[0] + (value - scaled) ** 2 * (-more[0]).exp())
        loss = _LOSSES[self.loss](value, scaled)
        for share, end in zip(((1 - LEVEL) / 2, (1 + LEVEL) / 2), more, strict=False):
            over = scaled - end
            loss = loss + torch.maximum(share * over, (share - 1) * over)
        return loss

    def errors(self, outputs: Tensor, target: Tensor) -> Tensor:
        """Return the absolute error of each target, `[graphs, targets]`."""
        mean, spread = self._scale(target)
        return (mean + spread * self._parts(outputs)[0] - target).abs()

    def values(self, outputs: Tensor) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Return numbers and the ends of their intervals, `[graphs, targets]` each.

        Both ends are None without intervals.
        """
        value, *more = self._parts(outputs.double())
        mean, spread = self._scale(value)
        if self.interval == "gaussian":
            half = _NORMAL * (0.5 * more[0]).exp()
            more = [value - half, value + half]
        if self.stretch:
            stretch = value.new_tensor(self.stretch)
            more = [value + stretch * (end - value) for end in more]
        ends = [mean + spread * end for end in more] if more else [None, None]
        return mean + spread * value, ends[0], ends[1]

    def calibrated(self, outputs: Tensor, target: Tensor) -> "NumberOutput":
        """Return the same with intervals that hold 90 % of the values of these graphs.

        This is split conformal prediction: the error of each graph is measured in units of the
        interval on its side, and the intervals are stretched by the ⌈0.9 (n + 1)⌉-th smallest of
        these n numbers (Romano, Patterson and Candès 2019, whose intervals grow by an amount where
        these grow by a factor, so that they always hold the value). If graphs to come are drawn
        like these ones, at least 90 % of their values are expected inside. Fewer than 9 graphs
        can't promise that much; the largest of the numbers is taken.

        Args:
            outputs: of the network, for graphs that did not train it.
            target: their true numbers, NaN where unknown.
        """
        value, lower, upper = replace(self, stretch=()).values(outputs)
        if lower is None or upper is None:
            return self
        least = _NARROWEST * value.new_tensor(self.spread)
        width = torch.where(target >= value, upper - value, value - lower).maximum(least)
        scores = (target - value).abs() / width
        stretch = []
        for column, found in enumerate(scores.t()):
            known = found[~target[:, column].isnan()].sort().values
            count = len(known)
            rank = min(math.ceil(round(LEVEL * (count + 1), 6)), count)
            stretch.append(float(known[rank - 1]) if count else 1.0)
        return replace(self, stretch=tuple(stretch))

    def _parts(self, outputs: Tensor) -> list[Tensor]:
        """The value, and its logarithmic variance or the ends of its interval, standardised."""
        value, *more = outputs.chunk(_WIDTH[self.interval], dim=1)
        if self.interval == "gaussian":
            return [value, more[0].clamp(-_LOG_VARIANCE, _LOG_VARIANCE)]
        if self.interval == "quantile":
            # Ends lie on either side of the value, which they don't pull at.
            below, above = (functional.softplus(each) for each in more)
            return [value, value.detach() - below, value.detach() + above]
        return [value]

    def _scale(self, like: Tensor) -> tuple[Tensor, Tensor]:
        where = like.dtype, like.device
        return _on_device(self.mean, *where), _on_device(self.spread, *where)


@lru_cache(maxsize=64)
def _on_device(values: tuple[float, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Numbers as a tensor, copied to a device once: each copy waits for it."""
    return torch.tensor(values, dtype=dtype, device=device)

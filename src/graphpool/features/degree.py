"""Degree features: one-hot with a cap, one-hot in bins, and the logarithm.

The degree of a node is the number of edges that reach it, self-loops left out.
"""

from itertools import pairwise

import torch
from torch.nn.functional import one_hot

from graphpool.features.base import Feature, fitted
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor


def _largest(graphs: GraphSet) -> int:
    return int(graphs.degree.max()) if graphs.num_nodes else 0


class Degree(Feature):
    """One column per degree 0, 1, …, cap; larger degrees fall into the last column.

    Args:
        limit: the cap is the largest degree of the fitted graphs, but at most this.
    """

    kind = "degree"
    summary = "one-hot degree, capped: degree:64 (default 128 or the largest degree)"
    stored = ("limit", "cap")
    least = 1

    def __init__(self, limit: int = 128) -> None:
        self.limit = limit
        self.cap: int | None = None

    def fit(self, graphs: GraphSet) -> "Degree":
        """Choose the cap."""
        self.cap = min(_largest(graphs), self.limit)
        return self

    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Set one column of each row."""
        cap = fitted(self.kind, self.cap)
        return one_hot(graphs.degree.clamp(max=cap), cap + 1).float()

    @property
    def names(self) -> tuple[str, ...]:
        """`degree=0`, …, `degree>=cap`."""
        cap = fitted(self.kind, self.cap)
        return (*(f"degree={degree}" for degree in range(cap)), f"degree>={cap}")


class BinnedDegree(Feature):
    """One column per bin 0, 1, 2–3, 4–7, 8–15, …: transfers to larger graphs.

    Args:
        limit: at most this many bins; the last one has no upper end.
    """

    kind = "bindegree"
    summary = "one-hot degree in bins 0, 1, 2-3, 4-7, …: bindegree:8 (default 16 bins at most)"
    stored = ("limit", "bins")
    least = 2

    def __init__(self, limit: int = 16) -> None:
        self.limit = limit
        self.bins: int | None = None

    def fit(self, graphs: GraphSet) -> "BinnedDegree":
        """Choose as many bins as the largest degree needs."""
        self.bins = min(_largest(graphs).bit_length() + 1, self.limit)
        return self

    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Set one column of each row."""
        bins = fitted(self.kind, self.bins)
        starts = 2 ** torch.arange(bins - 1, device=graphs.device)
        return one_hot(torch.bucketize(graphs.degree, starts, right=True), bins).float()

    @property
    def names(self) -> tuple[str, ...]:
        """`degree=0`, `degree=1`, `degree=2-3`, …, `degree>=START`."""
        bins = fitted(self.kind, self.bins)
        starts = [0, *(2**power for power in range(bins - 1))]
        closed = [
            f"degree={start}" if after == start + 1 else f"degree={start}-{after - 1}"
            for start, after in pairwise(starts)
        ]
        return (*closed, f"degree>={starts[-1]}")


class LogDegree(Feature):
    """log(1 + degree) in one column, standardised with mean and deviation of the fitted nodes."""

    kind = "logdegree"
    summary = "log(1 + degree), one standardised column"
    stored = ("mean", "scale")
    names = ("log(1+degree)",)

    mean: float | None = None
    scale: float | None = None

    def fit(self, graphs: GraphSet) -> "LogDegree":
        """Compute mean and standard deviation."""
        values = graphs.degree.double().log1p()
        regular = not values.numel() or bool((values == values[0]).all())
        self.mean = float(values.mean()) if values.numel() else 0.0
        self.scale = 1.0 if regular else float(values.std(correction=0))
        return self

    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes 1"]:
        """Standardise with the fitted mean and scale."""
        mean, scale = fitted(self.kind, self.mean), fitted(self.kind, self.scale)
        return ((graphs.degree.double().log1p() - mean) / scale).float().unsqueeze(1)

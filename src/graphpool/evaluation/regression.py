"""Metrics of predicted numbers, target by target, where a target may be unknown for some graphs.

They are worked out after every epoch; the tests compare them with scikit-learn's and SciPy's.
"""

import torch
from torch import Tensor

# Metrics of a regressor, and the title of each.
NUMBER_METRICS = {"mae": "MAE", "rmse": "RMSE", "r2": "R²", "spearman": "Spearman"}


def number_metrics(predicted: Tensor, actual: Tensor) -> dict[str, float]:
    """Return every metric of `NUMBER_METRICS`, the mean over the targets for which it is defined.

    Args:
        predicted: `[graphs, targets]`.
        actual: likewise, NaN where unknown.
    """
    return {
        name: float(values.nanmean()) for name, values in target_metrics(predicted, actual).items()
    }


def target_metrics(predicted: Tensor, actual: Tensor) -> dict[str, Tensor]:
    """Return every metric of `NUMBER_METRICS` for each target, `[targets]`.

    NaN for a target that no graph has; R² and the rank correlation also for one that is the same in
    all graphs. Constant predictions have the rank correlation 0.
    """
    predicted, actual = predicted.double(), actual.double()
    known = ~actual.isnan()
    count = known.sum(0).double()
    error = torch.where(known, predicted - actual, 0.0)
    squared = (error**2).sum(0)
    centred = torch.where(known, actual - actual.nanmean(0), 0.0)
    spread = (centred**2).sum(0)
    return {
        "mae": error.abs().sum(0) / count,
        "rmse": (squared / count).sqrt(),
        "r2": torch.where(spread > 0, 1 - squared / spread, torch.nan),
        "spearman": rank_correlation(predicted, actual),
    }


def rank_correlation(predicted: Tensor, actual: Tensor) -> Tensor:
    """Return Spearman's correlation for each target, `[targets]`, over the graphs that have it."""
    known = ~actual.isnan()
    ranks = [_ranks(torch.where(known, values, torch.inf)) for values in (predicted, actual)]
    one, other = (
        torch.where(known, rank - torch.where(known, rank, torch.nan).nanmean(0), 0.0)
        for rank in ranks
    )
    lengths = (one**2).sum(0).sqrt(), (other**2).sum(0).sqrt()
    product = (one * other).sum(0)
    correlation = torch.where(lengths[0] > 0, product / (lengths[0] * lengths[1]), 0.0)
    return torch.where(lengths[1] > 0, correlation, torch.nan)


def coverage(lower: Tensor, upper: Tensor, actual: Tensor) -> Tensor:
    """Return the share of known values inside their intervals, for each target, `[targets]`."""
    known = ~actual.isnan()
    inside = (lower <= actual) & (actual <= upper) & known
    return inside.sum(0).double() / known.sum(0).double()


def _ranks(values: Tensor) -> Tensor:
    """Return the rank of each value in its column; equal ones share the mean of theirs."""
    ordered, order = values.double().sort(dim=0)
    places = torch.arange(len(values), dtype=torch.float64).unsqueeze(1).expand_as(ordered)
    begins = torch.ones_like(ordered, dtype=torch.bool)
    begins[1:] = ordered[1:] != ordered[:-1]
    ends = torch.ones_like(begins)
    ends[:-1] = begins[1:]
    # Of equal values: the place of the first, from above; and of the last, from below.
    first = torch.where(begins, places, -1.0).cummax(0).values
    last = torch.where(ends, places, torch.inf).flip(0).cummin(0).values.flip(0)
    return torch.empty_like(ordered).scatter_(0, order, (first + last) / 2)

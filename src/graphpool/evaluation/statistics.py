"""Statistics of repeated measurements: mean, spread, 95 % interval, paired differences, ranks.

Accuracies of splits of one set are not independent: training parts overlap, and with several
seeds test parts do, too. Treating them as independent makes intervals too narrow, the more so the
more splits there are. `summarise` therefore takes the `overlap` of the splits, the number of test
graphs over the number of training graphs, and uses the variance of Nadeau & Bengio (2003),
(1/J + overlap) · s² for J splits with sample variance s²; overlap 0 is the textbook formula for
independent values.
"""

import math
import statistics
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

# Means of equal sums may differ in the last bits; scores that agree in so many decimals are a tie.
TIE_DIGITS = 12

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Summary:
    """Mean, sample standard deviation, and Student's 95 % interval of the mean.

    One value has a mean and nothing else.

    Attributes:
        error: standard error of the mean, with the overlap of the splits taken into account.
    """

    mean: float
    std: float | None
    low: float | None
    high: float | None
    count: int
    error: float | None = None


def mean(values: Sequence[float | int]) -> float:
    """Return the exact mean, so that no float error decides how a tie such as 88.65 rounds."""
    return float(statistics.mean(values))


def summarise(values: Sequence[float | int], overlap: float = 0.0) -> Summary:
    """Describe repeated measurements of one quantity.

    Args:
        overlap: test graphs over training graphs, if the values come from splits of one set.
    """
    from scipy.special import stdtrit

    count = len(values)
    middle = mean(values)
    if count < 2:
        return Summary(middle, None, None, None, count)
    # Equal values have no spread; their mean may differ from them in the last bit.
    std = 0.0 if min(values) == max(values) else float(np.std(values, ddof=1))
    error = math.sqrt(1 / count + overlap) * std
    reach = float(stdtrit(count - 1, 0.975)) * error
    return Summary(middle, std, middle - reach, middle + reach, count, error)


def paired_difference(
    ours: Sequence[float], theirs: Sequence[float], overlap: float = 0.0
) -> Summary:
    """Gain of `ours` over `theirs`, split by split; both must be of the same splits, in order."""
    gains = [mine - other for mine, other in zip(ours, theirs, strict=True)]
    return summarise(gains, overlap)


@dataclass(frozen=True)
class SeedSummary:
    """Spread of accuracies between folds and between seeds.

    Attributes:
        means: for each seed, the mean over its splits. Their mean is the mean of all splits.
        std: standard deviation of these means: what other folds and first weights change.
        fold_error: standard error over the folds of one seed (their deviation over the root of
            their number), as root mean square over the seeds. More seeds don't make it smaller,
            because they bring no new graphs. None with one split per seed.
    """

    means: dict[int, float]
    std: float | None
    fold_error: float | None


def by_seed(accuracies: Mapping[int, Sequence[float]]) -> SeedSummary:
    """Summarise accuracies given as seed → one value per fold."""
    each = {seed: summarise(values) for seed, values in accuracies.items()}
    means = {seed: summary.mean for seed, summary in each.items()}
    errors = [summary.error for summary in each.values() if summary.error is not None]
    return SeedSummary(
        means=means,
        std=summarise(list(means.values())).std,
        fold_error=float(np.sqrt(np.mean(np.square(errors)))) if errors else None,
    )


def wilson(correct: int, count: int) -> tuple[float, float]:
    """95 % interval of a share, good for few graphs too (Wilson 1927)."""
    z, share = 1.959964, correct / count
    middle = share + z * z / (2 * count)
    reach = z * (share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5
    scale = 1 + z * z / count
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def mean_ranks(scores: Mapping[K, Sequence[float]]) -> dict[K, float]:
    """Mean over sets of each method's rank, 1 for the highest score; equal scores share a rank.

    Args:
        scores: method → one score per set, the same sets for every method.
    """
    if not scores:
        return {}
    ranks = ranks_by_set(np.array(list(scores.values()), dtype=float)).mean(axis=1)
    return dict(zip(scores, ranks.tolist(), strict=True))


def ranks_by_set(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks of methods on each set, 1 for the highest score; equal scores share a rank.

    Args:
        scores: `[methods, sets]`.
    """
    from scipy.stats import rankdata

    ranks: NDArray[np.float64] = rankdata(-np.round(scores, TIE_DIGITS), axis=0)
    return ranks

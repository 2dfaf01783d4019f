"""Tests of methods against each other: pairs of them on one set, and all of them over several sets.

Two methods on the splits of one set are compared by the corrected resampled t-test of Nadeau &
Bengio (2003), whose p-values Holm's procedure (1979) corrects where there are several. Methods
over several sets are compared by their mean ranks, as Demšar (2006) recommends: Friedman's test
tells whether they differ at all, and Nemenyi's critical difference which of them do.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from graphpool.evaluation.statistics import Summary, ranks_by_set

K = TypeVar("K", bound=Hashable)


def p_value(gain: Summary) -> float | None:
    """Return the two-sided p-value of a paired difference: Student's t of its corrected error.

    Equal gains on all splits have no spread: p is 1 if they are 0, else 0. One split has no
    p-value.
    """
    from scipy.special import stdtr

    if gain.error is None:
        return None
    if gain.error == 0:
        return 1.0 if gain.mean == 0 else 0.0
    return float(2 * stdtr(gain.count - 1, -abs(gain.mean) / gain.error))


def corrected_p_values(gains: Mapping[K, Summary | None]) -> dict[K, float]:
    """Return the p-value of each gain, by Holm's correction; what has none is left out."""
    found = {
        name: p
        for name, gain in gains.items()
        if gain is not None and (p := p_value(gain)) is not None
    }
    return dict(zip(found, holm(list(found.values())), strict=True))


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values of several tests (Holm 1979), in the order given.

    The i-th smallest of m is multiplied by m - i + 1; none becomes less than a smaller one's, nor
    more than 1.
    """
    if not p_values:
        return []
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return [float(value) for value in corrected]


@dataclass(frozen=True)
class RankTest:
    """Friedman's test of several methods over several sets.

    Attributes:
        methods, sets: how many there are.
        chi_square, p: Friedman's statistic, corrected for ties, and its p-value by the χ²
            distribution with `methods - 1` degrees of freedom.
        f, f_p: the statistic of Iman and Davenport (1980), which is less conservative, and its
            p-value by the F distribution with `degrees` of freedom.
    """

    methods: int
    sets: int
    chi_square: float
    p: float
    f: float
    f_p: float

    @property
    def degrees(self) -> tuple[int, int]:
        """Degrees of freedom of `f`."""
        return self.methods - 1, (self.methods - 1) * (self.sets - 1)


def friedman(scores: Mapping[K, Sequence[float]]) -> RankTest:
    """Test whether several methods differ over several sets.

    Args:
        scores: method → one score per set, higher is better; the same sets for every method, at
            least two methods and two sets.
    """
    from scipy.special import chdtrc, fdtrc

    table = np.array(list(scores.values()), dtype=float)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError("Friedman's test needs at least two methods and two sets")
    if not np.isfinite(table).all():
        raise ValueError("Friedman's test needs a score of every method on every set")
    methods, sets = table.shape
    ranks = ranks_by_set(table)
    centre = (methods + 1) / 2
    within = float(np.square(ranks - centre).sum())
    between = float(np.square(ranks.mean(axis=1) - centre).sum())
    # Scores that are all equal show no difference.
    chi = (methods - 1) * sets**2 * between / within if within else 0.0
    rest = sets * (methods - 1) - chi
    # The same order on all sets leaves nothing but float error.
    f = (sets - 1) * chi / rest if rest > 1e-9 * chi else math.inf
    first, second = methods - 1, (methods - 1) * (sets - 1)
    f_p = 0.0 if math.isinf(f) else float(fdtrc(first, second, f))
    return RankTest(methods, sets, chi, float(chdtrc(first, chi)), f, f_p)


def critical_difference(methods: int, sets: int, alpha: float = 0.05) -> float:
    """Return how far apart mean ranks must be to differ significantly (Nemenyi 1963).

    It is q · sqrt(k (k + 1) / 6 N) for k methods and N sets, where q is the quantile of the
    studentized range over √2 (Demšar 2006, section 3.2.2).
    """
    from scipy.stats import studentized_range

    if methods < 2 or sets < 1:
        raise ValueError(f"{methods} methods on {sets} sets; at least two on one are needed")
    q = float(studentized_range.ppf(1 - alpha, methods, np.inf)) / math.sqrt(2)
    return q * math.sqrt(methods * (methods + 1) / (6 * sets))


def rank_groups(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Return the largest groups of methods whose ranks differ by no more than `difference`.

    Args:
        ranks: in rising order.

    Returns:
        Positions of the first and the last of each group; groups of one are left out.
    """
    groups: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(at for at, each in enumerate(ranks) if each - rank <= difference)
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups

import math

import pytest
import scipy.stats

from graphpool.evaluation.statistics import (
    by_seed,
    mean_ranks,
    paired_difference,
    summarise,
    wilson,
)

VALUES = [0.80, 0.90, 0.85, 0.95]  # mean .875, squared deviations .0125, variance .0125 / 3


def test_standard_error_of_independent_values_is_scipys():
    assert summarise(VALUES).error == pytest.approx(scipy.stats.sem(VALUES))


def test_overlap_widens_the_interval_as_nadeau_and_bengio_say():
    found = summarise(VALUES, overlap=1 / 8)
    error = math.sqrt((1 / 4 + 1 / 8) * 0.0125 / 3)
    assert found.error == pytest.approx(error)
    assert found.high == pytest.approx(0.875 + 3.182446305284263 * error)
    assert found.std == pytest.approx(math.sqrt(0.0125 / 3))


def test_paired_difference_looks_at_each_split():
    found = paired_difference([0.9, 0.7, 0.8], [0.8, 0.62, 0.74], overlap=0.5)
    gains = [0.1, 0.08, 0.06]
    assert found.mean == pytest.approx(0.08)
    assert found.std == pytest.approx(0.02)
    reach = scipy.stats.t.ppf(0.975, 2) * 0.02 * math.sqrt(1 / 3 + 0.5)
    assert (found.low, found.high) == pytest.approx((0.08 - reach, 0.08 + reach))
    assert found.count == len(gains)


def test_paired_difference_needs_the_same_splits():
    with pytest.raises(ValueError, match="zip"):
        paired_difference([0.9, 0.8], [0.9])


def test_more_seeds_do_not_shrink_the_error_over_folds():
    once = by_seed({0: [0.8, 0.9]})
    often = by_seed({seed: [0.8, 0.9] for seed in range(10)})
    assert once.fold_error == pytest.approx(0.05)  # deviation .0707 over the root of 2
    assert often.fold_error == pytest.approx(once.fold_error)


def test_spread_over_seeds_is_that_of_their_means():
    found = by_seed({0: [0.8, 0.9], 7: [0.9, 1.0]})
    assert found.means == pytest.approx({0: 0.85, 7: 0.95})
    assert found.std == pytest.approx(0.1 / math.sqrt(2))


def test_one_split_per_seed_has_no_error_over_folds():
    assert by_seed({0: [0.8], 1: [0.9]}).fold_error is None


def test_ranks_count_from_the_best_and_ties_share():
    ranks = mean_ranks({"a": [0.9, 0.5], "b": [0.8, 0.5], "c": [0.7, 0.4]})
    assert ranks == {"a": 1.25, "b": 1.75, "c": 3.0}


def test_wilson_interval_of_sixteen_out_of_nineteen():
    low, high = wilson(16, 19)
    # Worked out with the closed formula: (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).
    assert low == pytest.approx(0.6243, abs=1e-4)
    assert high == pytest.approx(0.9448, abs=1e-4)

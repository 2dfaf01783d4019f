import math
from collections.abc import Sequence

import numpy as np
import pytest
import scipy.stats

from graphpool.evaluation.significance import (
    corrected_p_values,
    critical_difference,
    friedman,
    holm,
    p_value,
    rank_groups,
)
from graphpool.evaluation.statistics import mean_ranks, paired_difference

OURS = [0.90, 0.82, 0.88, 0.85]
THEIRS = [0.86, 0.80, 0.82, 0.81]


# ---------------------------------------------------------------------- pairs


def test_independent_splits_give_scipys_paired_t_test() -> None:
    p = p_value(paired_difference(OURS, THEIRS))
    assert p == pytest.approx(scipy.stats.ttest_rel(OURS, THEIRS).pvalue)


def test_overlap_divides_by_the_variance_of_nadeau_and_bengio() -> None:
    # By hand: gains .04, .02, .06, .04 have the mean .04 and the variance .0008 / 3; with an
    # overlap of 1/9, t is .04 / sqrt((1/4 + 1/9) · .0008 / 3) = 4.0762 with 3 degrees of freedom.
    p = p_value(paired_difference(OURS, THEIRS, overlap=1 / 9))
    assert 0.04 / math.sqrt((1 / 4 + 1 / 9) * 0.0008 / 3) == pytest.approx(4.0762, abs=1e-4)
    # Student's distribution with 3 degrees of freedom has a closed form.
    u = 4.0762 / math.sqrt(3)
    tail = 0.5 - (math.atan(u) + u / (1 + u * u)) / math.pi
    assert p == pytest.approx(2 * tail, abs=1e-5)


def test_which_method_comes_first_does_not_change_a_p_value() -> None:
    there = p_value(paired_difference(OURS, THEIRS, 0.1))
    assert p_value(paired_difference(THEIRS, OURS, 0.1)) == pytest.approx(there)


def test_gains_without_spread() -> None:
    assert p_value(paired_difference([0.5, 0.7], [0.5, 0.7])) == 1.0
    assert p_value(paired_difference([0.75, 0.5], [0.5, 0.25])) == 0.0
    assert p_value(paired_difference([0.75], [0.5])) is None


def test_tests_against_several_methods_are_corrected_together() -> None:
    gains = {
        "near": paired_difference(OURS, [0.89, 0.83, 0.87, 0.86], 1 / 9),
        "far": paired_difference(OURS, THEIRS, 1 / 9),
    }
    near, far = (p_value(gain) for gain in gains.values())
    assert near is not None
    assert far is not None
    assert 2 * far < near
    assert corrected_p_values(gains) == pytest.approx({"near": near, "far": 2 * far})


def test_a_test_on_one_split_has_no_p_value_and_does_not_count() -> None:
    gains = {
        "one": paired_difference([0.9], [0.8]),
        "none": None,
        "all": paired_difference(OURS, THEIRS),
    }
    assert corrected_p_values(gains) == {"all": p_value(paired_difference(OURS, THEIRS))}


# ---------------------------------------------------------------------- Holm


def literal_holm(p_values: Sequence[float]) -> list[float]:
    """The largest (m - i + 1) · p of those that are not larger, at most 1."""
    corrected = []
    for own in range(len(p_values)):
        order = sorted(range(len(p_values)), key=lambda at: (p_values[at], at))
        worst = 0.0
        for place, at in enumerate(order):
            worst = max(worst, (len(p_values) - place) * p_values[at])
            if at == own:
                break
        corrected.append(min(1.0, worst))
    return corrected


def test_holm_by_hand() -> None:
    # .01 · 4 = .04; .03 · 3 = .09; .04 · 2 = .08, not less than .09; .5 · 1.
    assert holm([0.04, 0.01, 0.5, 0.03]) == pytest.approx([0.09, 0.04, 0.5, 0.09])


def test_holm_is_the_literal_loop() -> None:
    rng = np.random.default_rng(0)
    for count in (1, 2, 5, 30):
        values = np.round(rng.uniform(0, 0.5, count) ** 2, 3).tolist()
        assert holm(values) == pytest.approx(literal_holm(values))
    assert holm([]) == []


# ---------------------------------------------------------------------- ranks


def draw_scores(methods: int, sets: int, digits: int) -> dict[str, list[float]]:
    table = np.random.default_rng(methods).uniform(0, 1, (methods, sets)).round(digits)
    return {f"m{at}": row.tolist() for at, row in enumerate(table)}


@pytest.mark.parametrize("digits", [6, 1])
@pytest.mark.parametrize(("methods", "sets"), [(3, 4), (5, 12), (20, 6)])
def test_friedmans_test_is_scipys(methods: int, sets: int, digits: int) -> None:
    """With one digit there are ties."""
    scores = draw_scores(methods, sets, digits)
    test, wanted = friedman(scores), scipy.stats.friedmanchisquare(*scores.values())
    assert test.chi_square == pytest.approx(wanted.statistic)
    assert test.p == pytest.approx(wanted.pvalue)
    assert (test.methods, test.sets) == (methods, sets)


def test_iman_and_davenports_f_by_hand() -> None:
    # Ranks of a: 1 1 1 2, b: 2 2 3 1, c: 3 3 2 3; sums 5, 8, 11.
    # χ² = 12 / (4·3·4) · (25 + 64 + 121) - 3·4·4 = 4.5; F = 3 · 4.5 / (4·2 - 4.5) = 27 / 7.
    test = friedman({"a": [0.9, 0.9, 0.9, 0.8], "b": [0.8, 0.8, 0.7, 0.9], "c": [0.7, 0.7, 0.8, 0]})
    assert test.chi_square == pytest.approx(4.5)
    assert test.f == pytest.approx(27 / 7)
    assert test.degrees == (2, 6)
    # F with 2 and 6 degrees of freedom exceeds f with probability (1 + f / 3)^-3.
    assert test.f_p == pytest.approx((1 + 27 / 21) ** -3)


def test_methods_that_never_differ_and_methods_in_one_order() -> None:
    same = friedman({"a": [0.5, 0.6], "b": [0.5, 0.6]})
    assert (same.chi_square, same.p, same.f, same.f_p) == (0.0, 1.0, 0.0, 1.0)
    rows = {f"m{at}": [at / 7.0] * 5 for at in range(7)}
    ordered = friedman(rows)
    assert ordered.chi_square == pytest.approx(5 * 6)
    assert (ordered.f, ordered.f_p) == (math.inf, 0.0)


def test_the_last_bit_of_a_score_breaks_no_tie() -> None:
    scores = {"a": [0.1 + 0.2, 0.5], "b": [0.3, 0.6], "c": [0.2, 0.4]}
    exact = {**scores, "a": [0.3, 0.5]}
    assert scores != exact
    assert friedman(scores) == friedman(exact)
    assert mean_ranks(scores) == mean_ranks(exact) == {"a": 1.75, "b": 1.25, "c": 3.0}


def test_friedmans_test_needs_a_whole_table() -> None:
    with pytest.raises(ValueError, match="two methods and two sets"):
        friedman({"a": [0.5, 0.6]})
    with pytest.raises(ValueError, match="every method on every set"):
        friedman({"a": [0.5, 0.6], "b": [0.5, -math.inf]})


@pytest.mark.parametrize(
    ("methods", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (10, 3.164)]
)
def test_nemenyis_difference_has_the_tabulated_quantiles(methods: int, q: float) -> None:
    """Demšar (2006), table 5a."""
    wanted = q * math.sqrt(methods * (methods + 1) / (6 * 14))
    assert critical_difference(methods, 14) == pytest.approx(wanted, rel=5e-4)


def test_nemenyis_difference_of_demsars_example() -> None:
    """Section 3.2.2 and figure 1a: four methods on 14 sets, 1.25 at 5 % and 1.12 at 10 %."""
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.005)


def test_groups_are_the_largest_ones() -> None:
    assert rank_groups([1.0, 1.5, 2.0, 3.2, 3.3], 1.0) == [(0, 2), (3, 4)]
    assert rank_groups([1.0, 2.0, 3.0], 1.0) == [(0, 1), (1, 2)]
    assert rank_groups([1.0, 2.0, 3.0], 0.5) == []
    assert rank_groups([1.0, 2.0, 3.0], 2.0) == [(0, 2)]

import math

import pytest
import scipy.stats

from graphpool.evaluation.statistics import summarise
from graphpool.report.data import Report, ResultRow
from graphpool.report.sections.accuracies import difference, results_table

VALUES = [0.80, 0.90, 0.85, 0.95]


def test_mean_and_std_equal_hand_computed_values():
    found = summarise(VALUES)
    assert found.mean == pytest.approx(0.875)
    # deviations -.075 .025 -.025 .075: squares sum to .0125, over n - 1 = 3
    assert found.std == pytest.approx(math.sqrt(0.0125 / 3))


def test_interval_is_students_t():
    found = summarise(VALUES)
    low, high = scipy.stats.t.interval(0.95, df=3, loc=0.875, scale=scipy.stats.sem(VALUES))
    assert (found.low, found.high) == pytest.approx((low, high))


def test_one_value_has_no_spread():
    found = summarise([0.7])
    assert found.mean == 0.7
    assert found.std is None
    assert found.low is None


def test_equal_values_have_exactly_no_spread():
    assert summarise([0.665] * 30).std == 0.0


def test_table_prints_the_numbers():
    table = results_table(Report("t", results=[ResultRow("HAP", "ours", VALUES)]))
    assert "<b>87.5</b>" in table
    assert "± 6.5" in table
    assert "77.2 – 97.8" in table  # 0.875 ± 3.1824 · 0.06455 / 2


def test_rows_stand_best_first_and_the_model_is_marked():
    rows = [
        ResultRow("HAP", "ours", [0.7, 0.72]),
        ResultRow("WL", "baseline", [0.8, 0.82]),
        ResultRow("Majority", "rule", [0.6, 0.6]),
    ]
    table = results_table(Report("t", results=rows))
    assert table.index(">WL<") < table.index(">HAP ") < table.index(">Majority<")
    assert table.count("this model") == 1
    assert '<tr class="ours main"><th scope="row">HAP ' in table


def test_majority_is_a_line_in_every_row():
    rows = [ResultRow("HAP", "ours", [0.7, 0.8]), ResultRow("Majority", "rule", [0.6, 0.6])]
    assert results_table(Report("t", results=rows)).count('<line class="majority"') == len(rows)
    assert '<line class="majority"' not in results_table(Report("t", results=rows[:1]))


def test_every_split_is_a_dot():
    table = results_table(Report("t", results=[ResultRow("HAP", "ours", VALUES)]))
    assert table.count('<circle class="split"') == len(VALUES)
    assert table.count('<circle class="mean"') == 1


def test_difference_is_taken_split_by_split():
    ours = ResultRow("a", "ours", [0.9, 0.7, 0.8])
    other = ResultRow("b", "baseline", [0.88, 0.68, 0.78])
    found = difference(ours, other)
    assert found is not None
    assert found.mean == pytest.approx(0.02)
    assert found.std == pytest.approx(0.0, abs=1e-12)  # though each varies by 0.1


def test_no_difference_between_different_numbers_of_splits():
    ours = ResultRow("a", "ours", [0.9, 0.7])
    assert difference(ours, ResultRow("b", "baseline", [0.9])) is None


def test_equal_accuracies_of_one_hundred_percent_still_have_an_axis():
    assert "100.0" in results_table(Report("t", results=[ResultRow("a", "ours", [1.0, 1.0])]))


def test_percentages_are_refused():
    with pytest.raises(ValueError, match="fractions"):
        ResultRow("a", "ours", [85.0])

import math

import numpy as np
import pytest

from graphpool.report.data import Curve
from graphpool.report.draw.curves import MOST_POINTS, learning_curves, mean_curve


def curve(epochs=20, best=7, label="fold 1", loss=None):
    falling = [1.0 / (1 + epoch) for epoch in range(epochs)] if loss is None else loss
    rising = [1 - value / 2 if math.isfinite(value) else 0.5 for value in falling]
    return Curve(label, list(range(1, epochs + 1)), falling, falling, rising, rising, best)


def test_one_run_draws_four_lines_and_marks_the_kept_epoch_twice():
    page = learning_curves([curve()])
    assert page.count("<path") == 4
    assert page.count('<circle class="best"') == 2
    assert "epoch 7 was chosen" in page


def test_several_runs_are_faint_below_their_mean():
    page = learning_curves([curve(), curve(), curve()])
    assert page.count("faint") == 3 * 4
    assert page.count("<path") == 3 * 4 + 4


def test_mean_ends_where_fewer_than_half_of_the_runs_go_on():
    epochs, values = mean_curve(
        [
            (np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0])),
            (np.array([1, 2]), np.array([3.0, 4.0])),
            (np.array([1]), np.array([5.0])),
        ]
    )
    assert epochs.tolist() == [1, 2]
    assert values.tolist() == [3.0, 3.0]


def test_a_loss_that_is_not_finite_breaks_the_line():
    page = learning_curves([curve(5, 1, loss=[1.0, 0.8, math.nan, 0.6, 0.5])])
    assert "nan" not in page
    first = page.split('<path class="train" d="')[1].split('"')[0]
    assert first.count("M") == 2


def test_a_spike_is_cut_and_said_so():
    page = learning_curves([curve(60, 9, loss=[400.0] + [0.5] * 59)])
    assert "lie outside the picture" in page


def test_long_runs_stay_small():
    page = learning_curves([curve(5000, 7)])
    assert max(path.count("L") for path in page.split("<path")) < MOST_POINTS


def test_one_epoch_is_enough():
    assert '<circle class="best"' in learning_curves([curve(1, 1)])


def test_no_curves_draw_nothing():
    assert learning_curves([]) == ""


def test_labels_are_escaped():
    assert "<b>" not in learning_curves([curve(label="<b>")])


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="valid_loss has 1 values for 2 epochs"):
        Curve("a", [1, 2], [1.0, 1.0], [1.0], [1.0, 1.0], [1.0, 1.0])

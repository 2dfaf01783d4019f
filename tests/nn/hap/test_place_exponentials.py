"""The exponential of the compiled place assignment."""

import numpy as np

from graphpool.nn.hap.places import _exponentials


def exponentials(values: np.ndarray) -> np.ndarray:
    made, bits = values.astype(np.float32), np.empty(len(values), np.int32)
    _exponentials(made, bits, bits.view(np.float32))
    return made


def test_exponentials_are_right_to_rounding() -> None:
    values = np.linspace(-86, 0, 20011).astype(np.float32)
    wanted = np.exp(values.astype(np.float64))
    assert np.abs(exponentials(values) / wanted - 1).max() < 5e-7
    assert exponentials(np.zeros(1))[0] == 1


def test_far_below_zero_nothing_is_left_and_nan_stays() -> None:
    low = exponentials(np.array([-100, -1e30, -np.inf]))
    assert (low < 2e-38).all()
    assert (low >= 0).all()
    assert np.isnan(exponentials(np.array([np.nan]))[0])

"""Cells beside published values and p-values are read from the Markdown of a table."""

import pytest

from graphpool.report.cell_marks import find_difference, heads_p_values, is_low_p


@pytest.mark.parametrize(
    ("cell", "text", "share", "above"),
    [
        ("85.3 ± 8.6 *(95.0)*", "-9.7", 9.7 / 14.25, False),
        ("**82.1 ± 0.7 (7 of 10)** *(80.5)*", "+1.6", 1.6 / 12.075, True),
        ("79.5 ± 1.2 ↓ *(79.5)*", "0.0", 0.0, False),
        ("81.4 ± 1.8 *(63.2)*", "+18.2", 1.0, True),
        ("0.5 *(0.512)*", "-0.012", 0.012 / 0.0768, False),
        ("1,200 *(1,000)*", "+200", 1.0, True),
        ("0.1 *(0.0)*", "+0.1", 1.0, True),
    ],
)
def test_differences_from_published_values(cell: str, text: str, share: float, above: bool) -> None:
    found = find_difference(cell)
    assert found is not None
    assert (found.text, found.above) == (text, above)
    assert found.share == pytest.approx(share)


@pytest.mark.parametrize("cell", ["– *(71.3)*", "76.8 ± 3.5", "*(95.0)*", "", "85.3 (95.0)"])
def test_other_cells_have_no_difference(cell: str) -> None:
    assert find_difference(cell) is None


def test_p_values_are_known_by_their_head_and_low_ones_by_their_value() -> None:
    assert all(map(heads_p_values, ("p of hap against", "p", "*p*", "p-value", "p-values of")))
    assert not any(map(heads_p_values, ("places", "p-norm", "PTC", "", "hap")))
    assert all(map(is_low_p, ("0.049", "< 0.001", "**0.012**", "< 0.05")))
    assert not any(map(is_low_p, ("0.050", "1.000", "–", "", "0.03 ± 0.01")))

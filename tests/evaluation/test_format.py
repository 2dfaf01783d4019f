"""Cells of CSV files: a spreadsheet must not read a formula, and nothing is lost."""

import pytest

from graphpool.evaluation.format import csv_cell, plain_cell


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1",
                                  "-inf", "-", "=", "'=1", "''@x", "-1_000", "+1+1"])  # fmt: skip
def test_text_that_a_spreadsheet_would_run_is_escaped_and_read_back(text: str) -> None:
    assert csv_cell(text) == f"'{text}"
    assert plain_cell(csv_cell(text)) == text


@pytest.mark.parametrize("value", ["-1", "+1", "-1.5e-3", "-.5", "C=O", "a-b", "", "'quoted'", "7",
                                   "p(=1)"])  # fmt: skip
def test_numbers_and_other_text_are_left_alone(value: str) -> None:
    assert csv_cell(value) == value
    assert plain_cell(value) == value


def test_values_that_are_no_text_are_left_alone() -> None:
    assert csv_cell(-1) == -1
    assert csv_cell(-0.5) == -0.5
    assert csv_cell(None) is None

import math
import re
from itertools import pairwise
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest

from graphpool.report.draw.chart import Chart
from graphpool.report.draw.curve_grid import (
    STEP,
    WINDOW,
    MethodCurve,
    Panel,
    curve_grid,
    running_mean,
)
from graphpool.report.draw.svg import log_ticks

SVG = "{http://www.w3.org/2000/svg}"


def curve(values: list[float], label: str = "hap", chosen: int = 1) -> MethodCurve:
    return MethodCurve(label, np.array(values), chosen)


def draw(*curves: MethodCurve, percent: bool = True) -> Element:
    rows = {"A": [Panel("accuracy, %", curves, percent)]}
    return ElementTree.fromstring(curve_grid(rows, "A title"))


def lines(picture: Element) -> list[Element]:
    """Lines of the chart, without those of the legend."""
    (chart,) = picture.findall(f"{SVG}g")
    return [each for each in chart.findall(f"{SVG}path") if each.get("fill") == "none"]


def points(line: Element) -> list[tuple[float, float]]:
    found = re.findall(r"[ML]([\d.]+) ([\d.]+)", line.get("d", ""))
    return [(float(x), float(y)) for x, y in found]


def words(picture: Element) -> list[str]:
    return [each.text or "" for each in picture.iter(f"{SVG}text")]


def test_a_mean_has_the_epochs_around_it() -> None:
    values = np.arange(40.0) ** 2
    means = running_mean(values)
    half = WINDOW // 2
    for at in (0, 3, 20, 39):
        assert means[at] == pytest.approx(values[max(0, at - half) : at + half + 1].mean())


def test_values_that_are_not_finite_are_left_out_of_means() -> None:
    values = np.ones(30)
    values[10] = math.nan
    assert running_mean(values).tolist() == [1.0] * 30


def test_every_value_is_drawn_pale_below_the_mean() -> None:
    picture = draw(curve([50.0 + 40 * (at % 2) for at in range(30)]))
    pale, dark = lines(picture)
    assert float(pale.get("opacity", "1")) < 0.5
    assert dark.get("opacity") is None
    high, low = sorted({y for _, y in points(pale)})
    assert all((low - high) / 3 < y - high < 2 * (low - high) / 3 for _, y in points(dark)[4:-4])
    assert any(f"mean of the {WINDOW} epochs" in each for each in words(picture))


def test_few_epochs_are_not_averaged() -> None:
    picture = draw(curve([50.0, 90.0, 50.0]))
    assert len(lines(picture)) == 1
    assert not any("mean" in each for each in words(picture))


def test_the_epoch_that_was_kept_is_marked_at_its_own_value() -> None:
    values = [50.0] * 30
    values[11] = 90.0
    picture = draw(curve(values, chosen=12))
    (chart,) = picture.findall(f"{SVG}g")
    (mark,) = (each for each in chart.findall(f"{SVG}path") if each.get("transform"))
    assert mark.findtext(f"{SVG}title") == "hap: epoch 12 was kept, 90"
    x, y = (float(each) for each in re.findall(r"[\d.]+", mark.get("transform", "")))
    assert (x, y) == points(lines(picture)[0])[11]


def test_names_at_the_ends_of_lines_do_not_overlap() -> None:
    picture = draw(*(curve([70.0, 70.0 + at / 10], f"method {at}") for at in range(5)))
    (chart,) = picture.findall(f"{SVG}g")
    heights = sorted(
        float(each.get("y", "0"))
        for each in chart.iter(f"{SVG}text")
        if (each.text or "").startswith("method")
    )
    assert len(heights) == 5
    assert all(b - a >= STEP - 0.11 for a, b in pairwise(heights))


def test_methods_have_different_colours_and_marks() -> None:
    picture = draw(*(curve([70.0, 80.0], f"method {at}") for at in range(5)))
    marks = [each for each in picture.iter(f"{SVG}path") if each.get("transform")]
    assert len({(each.get("d"), each.get("stroke")) for each in marks}) == 5


def test_a_loss_has_a_logarithmic_axis_and_says_so() -> None:
    assert "accuracy, % (logarithmic)" in words(draw(curve([3.0, 0.3, 0.03]), percent=False))
    assert "accuracy, %" in words(draw(curve([3.0, 0.0, -1.0]), percent=False))


def test_equal_factors_are_equally_far_on_a_logarithmic_axis() -> None:
    chart = Chart(200, 200, 10, 10, 10, (0.0, 1.0), (0.01, 1.0), log=True)
    top, middle, base = (float(chart.down(value)) for value in (1.0, 0.1, 0.01))
    assert (top, base) == (chart.top, chart.base)
    assert middle == pytest.approx((top + base) / 2)


def test_numbers_of_a_logarithmic_axis() -> None:
    assert log_ticks(0.07, 3.3) == [0.1, 0.2, 0.5, 1.0, 2.0]
    assert log_ticks(0.55, 0.95) == [0.6, 0.7, 0.8, 0.9]  # too few of them: round numbers


def test_names_are_escaped() -> None:
    assert "<b>" in words(draw(curve([1.0, 2.0], "<b>")))

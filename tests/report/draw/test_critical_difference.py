import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from graphpool.report.draw.critical_difference import critical_difference_picture, text_width
from graphpool.report.style import plain_style

SVG = "{http://www.w3.org/2000/svg}"
FIVE = [("hap", 1.2), ("sum", 2.1), ("mean", 3.0), ("topk", 3.9), ("sag", 4.8)]


def draw(ranks: Sequence[tuple[str, float]], difference: float) -> Element:
    return ElementTree.fromstring(critical_difference_picture(ranks, difference, "A title"))


def of_class(picture: Element, name: str) -> list[Element]:
    return [each for each in picture.iter() if each.get("class") == name]


def place(leader: Element) -> tuple[float, float, float, float]:
    """Where a leader line starts, and where it ends."""
    found = re.fullmatch(r"M([\d.]+) ([\d.]+)V([\d.]+)H([\d.]+)", leader.get("d", ""))
    assert found is not None
    x, top, y, side = map(float, found.groups())
    return x, top, y, side


def test_ranks_stand_on_the_axis_in_proportion() -> None:
    picture = draw(FIVE, 1.0)
    names = [each.text for each in of_class(picture, "method")]
    assert names == ["hap", "sum", "mean", "sag", "topk"]  # the outermost first on either side
    assert [each.text for each in of_class(picture, "rank")] == [
        "1.20", "2.10", "3.00", "4.80", "3.90",
    ]  # fmt: skip
    at = dict(zip(names, (place(each)[0] for each in of_class(picture, "leader")), strict=True))
    step = (at["sag"] - at["hap"]) / 3.6
    for name, rank in FIVE:
        assert at[name] == pytest.approx(at["hap"] + step * (rank - 1.2), abs=0.11)


def test_the_critical_difference_has_the_scale_of_the_axis() -> None:
    picture = draw(FIVE, 1.5)
    (scale,), (axis,) = of_class(picture, "difference"), of_class(picture, "axis")
    first, last = (
        next(float(each) for each in re.findall(pattern, scale.get("d", "")))
        for pattern in (r"^M([\d.]+)", r"H([\d.]+)")
    )
    start, end = map(float, re.findall(r"^M([\d.]+) [\d.]+H([\d.]+)", axis.get("d", ""))[0])
    assert first == start
    assert (last - first) / (end - start) == pytest.approx(1.5 / 4, abs=1e-3)
    assert any(each.text == "CD 1.50" for each in picture.iter())


def test_bars_join_what_is_not_further_apart() -> None:
    picture = draw(FIVE, 1.0)
    at = sorted(place(each)[0] for each in of_class(picture, "leader"))
    bars = of_class(picture, "group")
    joined = [
        [
            index
            for index, x in enumerate(at)
            if float(bar.get("x1", "")) <= x <= float(bar.get("x2", ""))
        ]
        for bar in bars
    ]
    assert joined == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert of_class(draw(FIVE, 0.5), "group") == []
    assert len(of_class(draw(FIVE, 4.0), "group")) == 1


def test_bars_on_one_level_do_not_touch() -> None:
    ranks = [(f"m{at}", 1.0 + 0.9 * at) for at in range(30)]
    levels: dict[str, list[tuple[float, float]]] = {}
    for bar in of_class(draw(ranks, 4.0), "group"):
        ends = float(bar.get("x1", "")), float(bar.get("x2", ""))
        levels.setdefault(bar.get("y1", ""), []).append(ends)
    assert len(levels) > 1
    for bars in levels.values():
        assert all(
            one[1] < two[0] for one, two in zip(sorted(bars), sorted(bars)[1:], strict=False)
        )


@pytest.mark.parametrize("count", [2, 3, 5, 20, 39, 40])
@pytest.mark.parametrize("difference", [0.3, 5.0, 60.0])
def test_all_is_inside_and_no_leader_line_crosses_another(count: int, difference: float) -> None:
    names = [f"{'a long name of a method ' * (at % 3)}{at}" for at in range(count)]
    ranks = [(name, 1.0 + (7 * at % count) * 0.97) for at, name in enumerate(names)]
    picture = draw(ranks, difference)
    width, height = float(picture.get("width", "")), float(picture.get("height", ""))
    labels = of_class(picture, "method")
    assert sorted(each.text or "" for each in labels) == sorted(names)
    for each in picture.iter(f"{SVG}text"):
        x, room = (
            float(each.get("x", "")),
            text_width(each.text or "", float(each.get("font-size", 13))),
        )
        low = {"end": x - room, "middle": x - room / 2}.get(each.get("text-anchor", ""), x)
        assert low >= 0, each.text
        assert low + room <= width, each.text
        assert 0 < float(each.get("y", "")) < height
    lines = [place(each) for each in of_class(picture, "leader")]
    assert all(top < y < height for _, top, y, _ in lines)
    for own, (x, top, y, _) in enumerate(lines):
        for other, (start, _, level, side) in enumerate(lines):
            if own != other and top < level < y:
                assert not min(start, side) < x < max(start, side)


def test_names_are_escaped() -> None:
    picture = draw([('<script>"&', 1.0), ("b", 2.0)], 1.0)
    assert [each.text for each in of_class(picture, "method")] == ['<script>"&', "b"]


def test_colours_are_those_of_the_page_and_can_be_written_into_a_file() -> None:
    drawn = critical_difference_picture(FIVE, 1.0)
    assert not re.search("#[0-9a-f]{3}", drawn)
    assert "var(--ink)" in drawn
    plain = plain_style(drawn)
    assert "var(" not in plain
    ElementTree.fromstring(plain)


def test_one_method_is_not_drawn() -> None:
    with pytest.raises(ValueError, match="at least two"):
        critical_difference_picture([("a", 1.0)], 1.0)

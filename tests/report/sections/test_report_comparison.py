"""The page about a model that compares graphs: its charts, its drawn graphs, its words."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from balanced_html import EVIL, parse

from graphpool import ged
from graphpool.report import Curve, FigureRow, FigureTable, HeroFigure, Report, render
from graphpool.report.data import DistancePlot, Scores
from graphpool.report.draw.chart import BOTTOM
from graphpool.report.draw.comparison_charts import (
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    distance_chart,
    score_chart,
)
from graphpool.report.draw.side import one_side, two_sides
from graphpool.report.pictures import Neighbour, PairExample, QueryExample

PATH = (["C", "N", "O"], [(0, 1), (1, 2)])
TRIANGLE = (["C", "N", "O"], [(0, 1), (1, 2), (0, 2)])


def pair(word: str = "x", **changes: Any) -> PairExample:
    sides = two_sides(PATH, TRIANGLE, ged.distance(PATH, TRIANGLE), (word, word), False)
    values: dict[str, Any] = {
        "title": word, "left": sides[0], "right": sides[1], "aligned": True, "matches": True,
        "scores": {word: 0.9, "all": 0.4}, "note": word,
    }  # fmt: skip
    return PairExample(**{**values, **changes})


def full(word: str = "hap") -> Report:
    alone = one_side(PATH, word)
    return Report(
        title=word,
        noun="pairs",
        subtitle=word,
        command=word,
        hero=[HeroFigure(word, "80.0", "%", word), HeroFigure(word, "0.5", "", word)],
        verdict=word,
        dataset={word: word},
        tables=[
            FigureTable(
                word,
                "words",
                ["Accuracy, %", word],
                [FigureRow(word, {"Accuracy, %": "80.0"}, 0.8, True, word)],
            )
        ],
        curves=[Curve(word, [1, 2], [1.0, 0.5], [1.0, 0.7], [0.5, 0.9], [0.5, 0.8], 2)],
        scores=Scores(np.array([0.9, 0.4]), np.array([0.1])),
        pairs=[pair(word), pair(word, aligned=False)],
        distances=DistancePlot(np.array([1.0, 2.0]), np.array([1.5, 2.5])),
        queries=[QueryExample(word, alone, [Neighbour(alone, 1.25, 2.0, 3)], word)],
        labels=["C", "N", word],
        environment={word: word},
    )


def test_a_full_page_is_balanced_and_fetches_nothing() -> None:
    page = render(full())
    parser = parse(page)
    assert parser.tags.count("section") == 7
    assert "script" not in parser.tags
    assert not re.search(r"https?:|@import|url\((?!#)", page)


def test_an_empty_page_is_a_page() -> None:
    parse(render(Report("nothing")))


def test_everything_a_user_wrote_is_escaped() -> None:
    page = render(full(EVIL))
    parser = parse(page)
    assert "img" not in parser.tags
    assert not any(name == "onerror" for _, name, _ in parser.attributes)
    assert page.count("&lt;img src=x onerror=") > 20


def test_missing_figures_are_dashes_and_bars_are_as_long_as_the_share() -> None:
    table = render(full()).split("<tbody>")[1].split("</tbody>")[0]
    assert re.findall(r'class="num" data-name="(.*?)">(.*?)<', table) == [
        ("Accuracy, %", "80.0"), ("hap", "–"),
    ]  # fmt: skip
    assert "width:80.0%" in table


def test_what_an_edit_changes_is_marked_where_it_is() -> None:
    page = render(Report("t", pairs=[pair()]))
    left, right = page.split('<div class="level">')[1:]
    assert left.count("<line") == 2
    assert "insert" not in left
    assert right.count("<line") == 3
    assert right.count('<line class="insert"') == 1
    # Both sides have one layout: the nodes stand at the same places.
    places = [re.findall(r'<circle class="node" cx="(.*?)" cy="(.*?)"', s) for s in (left, right)]
    assert places[0] == places[1]
    assert len(places[0]) == 3


@pytest.mark.parametrize(("matches", "word"), [(True, "wrong"), (False, "correct")])
def test_the_last_score_is_the_answer(matches: bool, word: str) -> None:
    page = render(Report("t", pairs=[pair(matches=matches)]))
    assert f">{word}</span>" in page


def test_a_graph_without_nodes_is_named() -> None:
    nothing = one_side((0, []), "none")
    page = render(Report("t", pairs=[pair(left=nothing, right=nothing, aligned=False)]))
    assert page.count("0 nodes, 0 edges") == 2


def test_histograms_have_the_share_of_each_kind_and_count_mistakes() -> None:
    drawn = score_chart(Scores(np.array([0.99, 0.99, 0.99, 0.01]), np.array([0.01, 0.6])))
    assert "1 of the former lie left of the line" in drawn
    assert "1 of the latter right of it" in drawn
    path = re.search(r'class="hist yes" d="(.*?)"', drawn)
    assert path is not None
    points = [tuple(map(float, each.split())) for each in re.split("[ML]", path[1]) if each]
    inner = HEIGHT - TOP - BOTTOM
    # Three quarters, the most of all, stand at 1 / 1.08 of the height.
    assert min(y for _, y in points) == pytest.approx(TOP + inner * (1 - 1 / 1.08), abs=0.1)
    first = TOP + inner * (1 - 0.25 / 0.75 / 1.08)
    assert points[1] == pytest.approx((LEFT, first), abs=0.1)


def test_whole_distances_have_a_column_each_with_its_median() -> None:
    true = np.repeat([0.0, 1.0, 3.0], 5)
    predicted = np.array([0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3], dtype=float)
    drawn = distance_chart(DistancePlot(true, predicted))
    path = re.search(r'class="median" d="(.*?)"', drawn)
    assert path is not None
    points = [tuple(map(float, each.split())) for each in re.split("[ML]", path[1]) if each]
    wide = (WIDTH - LEFT - RIGHT) / 4  # columns of 0, 1, 2 and 3
    assert [x for x, _ in points] == pytest.approx(
        [LEFT + 0.5 * wide, LEFT + 1.5 * wide, LEFT + 3.5 * wide], abs=0.1
    )
    zero, two, three = (y for _, y in points)
    assert (zero - two) / (zero - three) == pytest.approx(2 / 3, abs=0.01)
    assert drawn.count('<rect class="cell"') == 5


def test_distances_must_be_known_to_be_drawn() -> None:
    with pytest.raises(ValueError, match="finite"):
        DistancePlot(np.array([np.nan]), np.array([1.0]))
    with pytest.raises(ValueError, match="predicted"):
        DistancePlot(np.array([1.0]), np.array([1.0, 2.0]))


def test_molecules_are_drawn_as_such_unless_their_edits_are() -> None:
    alone = replace(one_side(PATH, "a"), smiles="CNO")
    query = Report("t", queries=[QueryExample("q", alone, [Neighbour(alone, 1.0, 1.0, 1)])])
    assert render(query).count('<svg class="molecule"') == 2
    sides = {"left": alone, "right": alone}
    assert '<svg class="molecule"' not in render(Report("t", pairs=[pair(**sides)]))
    apart = render(Report("t", pairs=[pair(**sides, aligned=False)]))
    assert apart.count('<svg class="molecule"') == 2

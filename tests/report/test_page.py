import re

import numpy as np
import pytest
from balanced_html import EVIL, parse

from graphpool.report import (
    Curve,
    EmbeddingPlot,
    HierarchyExample,
    Level,
    LevelHealth,
    Report,
    ResultRow,
    render,
    write,
)
from graphpool.report.sections.accuracies import comparison
from graphpool.report.sections.health import verdict


def full_report(word="HAP"):
    rng = np.random.default_rng(0)
    ring = np.roll(np.eye(6), 1, axis=0)
    pairs = np.repeat(np.eye(3), 2, axis=0)
    levels = [
        Level(ring, pairs, [word] * 6, {word: 1.5}),
        Level(pairs.T @ ring @ pairs, np.ones((3, 1))),
        Level(np.ones((1, 1))),
    ]
    return Report(
        title=word,
        subtitle=word,
        command=word,
        dataset={word: word, "graphs": 1234},
        results=[
            ResultRow(word, "ours", [0.8, 0.9, 0.85], word),
            ResultRow(f"{word} b", "baseline", [0.7, 0.8, 0.9], word),
            ResultRow(f"{word} c", "rule", [0.6, 0.6, 0.6], word),
        ],
        curves=[Curve(word, [1, 2], [1.0, 0.5], [1.0, 0.7], [0.5, 0.9], [0.5, 0.8], 2)],
        embedding=EmbeddingPlot(
            rng.normal(size=(8, 3)),
            np.arange(8) % 2,
            [word, f"{word} d"],
            [word] * 8,
            np.arange(8) % 3 % 2,
            word,
        ),
        hierarchy=[HierarchyExample(word, word, f"{word} e", levels)],
        health=[LevelHealth(1, 3, 2.1, 2.5, 0.4, 0.6), LevelHealth(2, 1, 1.0, 1.0, 0.0, 0.0)],
        warnings=[word],
        environment={word: word, "seed": 12345},
    )


def test_a_full_page_is_balanced_html_with_every_section():
    parser = parse(render(full_report()))
    assert parser.tags.count("section") == 6
    assert parser.tags.count("h1") == 1


def test_nothing_is_fetched_from_elsewhere():
    page = render(full_report())
    parser = parse(page)
    assert "script" not in parser.tags
    for tag, name, value in parser.attributes:
        if name in ("src", "href", "srcset", "xlink:href", "data", "action"):
            assert value.startswith(("#", "data:")), (tag, name, value)
    assert not re.search(r"https?:|@import|url\((?!#)", page)


def test_everything_a_user_wrote_is_escaped():
    page = render(full_report(EVIL))
    parser = parse(page)
    assert "img" not in parser.tags
    assert not any(name == "onerror" for _, name, _ in parser.attributes)
    assert page.count("&lt;img src=x onerror=") > 20
    assert "".join(parser.said).count(EVIL) > 20


def test_the_headline_stands_beside_majority_and_best_baseline():
    hero = render(full_report()).split('<div class="hero">')[1].split("</header>")[0]
    assert re.findall(r'class="big">([\d.]+)<', hero) == ["85.0", "80.0", "60.0"]
    assert "3 splits" in hero


def test_warnings_stand_before_the_results():
    page = render(full_report())
    assert page.index('class="warning"') < page.index("Results beside baselines")


def test_no_warning_box_without_warnings():
    assert '<aside class="warning"' not in render(Report("t"))


def test_every_part_but_the_title_may_be_missing():
    parser = parse(render(Report("only a title")))
    assert parser.tags.count("section") == 0
    assert "only a title" in parser.said


def test_one_split_one_class_one_level():
    report = Report(
        "tiny",
        results=[ResultRow("HAP", "ours", [1.0])],
        embedding=EmbeddingPlot(np.ones((1, 2)), np.zeros(1, dtype=int), ["only"], ["0"]),
        hierarchy=[HierarchyExample("0", "only", "only", [Level(np.zeros((1, 1)))])],
    )
    page = render(report)
    parse(page)
    assert "on one split" in page
    assert "nan" not in page.split("</style>")[1]


def test_a_model_no_better_than_the_majority_is_told_so():
    rows = [ResultRow("HAP", "ours", [0.6, 0.6]), ResultRow("Majority", "rule", [0.66, 0.66])]
    assert "no better than always answering" in render(Report("t", results=rows))


def test_a_difference_within_chance_is_called_equal():
    ours = ResultRow("HAP", "ours", [0.80, 0.90, 0.85])
    other = ResultRow("WL", "baseline", [0.84, 0.82, 0.86])
    # differences -.04 .08 -.01: mean .01, far inside its own interval
    assert "1.0 points above WL, no more than chance explains" in comparison(ours, other)


def test_a_clear_difference_is_stated_with_its_sign():
    good = ResultRow("good", "ours", [0.80, 0.90, 0.85])
    poor = ResultRow("poor", "baseline", [0.70, 0.79, 0.75])
    # differences .10 .11 .10: mean .10333, standard error .00333, t 4.3027
    assert "10.3 points above poor (95 %" in comparison(good, poor)
    assert "8.9 to 11.8" in comparison(good, poor)
    assert "10.3 points below good" in comparison(poor, good)
    assert "−11.8 to −8.9" in comparison(poor, good)


@pytest.mark.parametrize(
    ("health", "expected"),
    [
        (LevelHealth(1, 8, 1.02, 1.0, 1.0, 0.9), "bad"),
        (LevelHealth(1, 8, 3.0, 4.0, 0.4, 0.001), "bad"),
        (LevelHealth(1, 8, 1.4, 2.0, 0.8, 0.5), "weak"),
        (LevelHealth(1, 8, 3.0, 4.0, 0.4, 0.5), "good"),
        (LevelHealth(2, 1, 1.0, 1.0, 0.0, 0.0), "none"),
        (LevelHealth(1, 4.6, 3.0, 4.0, 0.4, 0.5, places=True), "good"),
        (LevelHealth(1, 1.1, 1.05, 1.1, 0.1, 0.5, places=True), "none"),
        (LevelHealth(1, 8), "none"),
    ],
)
def test_health_is_judged(health, expected):
    assert verdict(health)[0] == expected


def test_health_of_places_names_the_mean_number_of_a_graph():
    page = render(Report("t", health=[LevelHealth(1, 5.1436, 4.92, 5.1, 0.3, 1.0, places=True)]))
    assert "5.1 places a graph" in page
    assert "4.92 of 5.1" in page
    assert "Places in use" in page
    # (4.92 - 1) / (5.1436 - 1) of the meter
    assert "width:94.6%" in page


def test_health_of_clusters_is_told_as_before():
    page = render(Report("t", health=[LevelHealth(1, 8, 3.0, 4.0, 0.3, 1.0)]))
    assert ">8 clusters<" in page
    assert "Clusters in use" in page
    assert "places" not in page


def test_numbers_of_places_are_said_to_mean_nothing():
    pair = HierarchyExample("1", "a", "a", [Level(np.ones((2, 2)))])
    assert "numbers and colours mean nothing" not in render(Report("t", hierarchy=[pair]))
    placed = HierarchyExample("1", "a", "a", [Level(np.ones((2, 2)))], places=True)
    assert "numbers and colours mean nothing" in render(Report("t", hierarchy=[placed]))


def test_the_file_is_the_page_and_nothing_else_is_left_behind(tmp_path):
    report = full_report()
    path = write(report, tmp_path / "deep" / "report.html")
    assert path.read_text(encoding="utf-8") == render(report)
    assert [item.name for item in path.parent.iterdir()] == ["report.html"]


def test_the_page_follows_the_readers_colour_scheme_and_prints_light():
    page = render(Report("t"))
    assert "@media screen and (prefers-color-scheme:dark)" in page
    assert "@media print" in page

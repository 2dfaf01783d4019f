"""Pages say what the records say: the project's own, and a small one made here."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from small import write_records

from graphpool.errors import ConfigError, DataError
from graphpool.evaluation.statistics import mean
from graphpool.experiments.experiment_file import read_experiment
from graphpool.experiments.pages import write_pages
from graphpool.experiments.plan import planned_cells
from graphpool.experiments.records import Record

PROJECT = Path(__file__).resolve().parents[2]
TOY = """
title = "Toy"
task = "classification"
protocol = "cv10"
folds = 3
seeds = [0]

[paper]
source = "a paper"
[paper.values.HAP]
A = 95.01

[settings]
features = "auto"
[settings.model]
encoder = "gcn"
[settings.train]
epochs = 7

[[data]]
name = "A"
[[data]]
name = "B"

[methods.hap]
model = {pooler = "hap-one-way", assignment = "places", connect = "offdiagonal"}
[methods.sum]
title = "SumPool"
model = {pooler = "sum"}
[methods.majority]
rule = "majority"

[[blocks]]
page = "README.md"
name = "toy: table"
BLOCK
"""


def write_project(
    folder: Path,
    accuracies: dict[tuple[str, str], Sequence[float]],
    block: str = "",
    toml: str = TOY,
    pictures: Sequence[str] = (),
) -> str:
    """Records of a toy experiment, and the text of its block; pictures are written with it."""
    path = folder / "experiments" / "toy.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(toml.replace("BLOCK", block), encoding="utf-8")
    page = folder / "README.md"
    page.write_text("before\n<!-- toy: table -->\nold\n<!-- end -->\nafter\n", encoding="utf-8")
    records = []
    for cell, units in planned_cells(read_experiment(path)).items():
        for unit, value in zip(units, accuracies.get(cell, ()), strict=False):
            about: dict[str, Any] = {
                "machine": {"processor": "A chip", "cores": 2},
                "versions": {"python": "3.12.1", "torch": "2.11.0", "code": "abc"},
            }
            records.append(
                Record(
                    task=unit.task, data=unit.data.name, method=unit.method, kind=unit.kind,
                    seed=unit.seed, fold=unit.fold, facts=unit.data.facts, settings=unit.settings,
                    metrics={"test": {"accuracy": value}}, parameters=1234,
                    sizes={"train": 8, "valid": 1, "test": 1}, **about,
                )
            )  # fmt: skip
    write_records(folder / "results" / "toy.jsonl", records, "toy")
    written = [page, *(folder / each for each in pictures)]
    assert write_pages(folder, check=True) == written
    assert "old" in page.read_text(encoding="utf-8")
    assert write_pages(folder) == written
    assert write_pages(folder, check=True) == []
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- toy: table -->\n")
    assert text.endswith("<!-- end -->\nafter\n")
    return text.split("-->\n")[1].removesuffix("<!-- end ")


VALUES = {
    ("hap", "A"): (0.8, 0.9, 1.0), ("hap", "B"): (0.7, 0.7),
    ("sum", "A"): (0.6, 0.7, 0.5), ("sum", "B"): (0.9, 0.9, 0.9),
    ("majority", "A"): (0.6, 0.7, 0.5), ("majority", "B"): (0.5, 0.5, 0.6),
}  # fmt: skip


def test_cells_are_means_over_units_and_the_command_stands_below(tmp_path: Path) -> None:
    text = write_project(tmp_path, VALUES, 'bold = true\npaper = ["HAP"]')
    # By hand: the sample deviation of 80, 90 and 100 is 10, of 50, 50 and 60 √(100 / 3).
    assert text.splitlines() == [
        "| accuracy, % | A | B |",
        "|---|---:|---:|",
        "| `hap` | **90.0 ± 10.0** | 70.0 ± 0.0 (2 of 3) |",
        "| SumPool | 60.0 ± 10.0 | **90.0 ± 0.0** |",
        "| `majority` | 60.0 ± 10.0 | 53.3 ± 5.8 |",
        "| *HAP, as printed* | 95.01 | – |",
        "",
        "7 epochs in batches of 32 at a learning rate of 0.003; 3 folds, 1 seed. A chip (2 cores), "
        "Python",
        "3.12.1, torch 2.11.0, code `abc`.",
        "",
        "`graphpool experiments run toy`",
    ]


def test_means_of_fewer_folds_are_neither_best_nor_ranked(tmp_path: Path) -> None:
    values = {**VALUES, ("hap", "B"): (1.0, 1.0)}
    columns = 'columns = ["A", "B", {title = "mean rank", metric = "mean rank"}]'
    text = write_project(tmp_path, values, f"bold = true\ncaption = false\n{columns}")
    # By hand: 60.0 and 60.0 share rank 1.5; 90.0 and 53.3 have ranks 1 and 2.
    assert text.splitlines()[2:5] == [
        "| `hap` | **90.0 ± 10.0** | 100.0 ± 0.0 (2 of 3) | – |",
        "| SumPool | 60.0 ± 10.0 | **90.0 ± 0.0** | **1.25** |",
        "| `majority` | 60.0 ± 10.0 | 53.3 ± 5.8 | 1.75 |",
    ]
    assert "Not ranked, because results are missing: `hap`." in text


def test_the_last_bits_of_a_mean_do_not_decide_which_is_best(tmp_path: Path) -> None:
    halves = (0.1, 0.2, 0.3)  # their mean is 0.2, but for the last bit
    values = {("hap", "A"): halves, ("sum", "A"): (0.15, 0.15, 0.3), ("majority", "A"): (0.1,) * 3}
    assert mean(halves) != mean(values["sum", "A"])
    text = write_project(tmp_path, values, 'bold = true\ncolumns = ["A"]\ncaption = false')
    assert text.count("**20.0 ± ") == 2


def test_rows_can_be_gains_with_corrected_errors(tmp_path: Path) -> None:
    rows = "".join(
        f'{{method = "hap", against = "sum", figure = "{figure}", title = "{figure}"}},'
        for figure in ("difference", "plain error", "error", "interval")
    )
    text = write_project(tmp_path, VALUES, f'rows = [{rows}]\ncolumns = ["A"]\ncaption = false')
    # By hand: gains 20, 20 and 50 have the mean 30 and the deviation √300; 4.303 is Student's.
    assert text.splitlines()[2:6] == [
        "| difference | +30.0 |",
        "| plain error | 10.0 |",
        "| error | 11.7 |",
        "| interval | -20.5 … +80.5 |",
    ]


def test_rows_are_sorted_and_what_is_not_above_a_floor_is_marked(tmp_path: Path) -> None:
    columns = (
        'columns = [{title = "family", metric = "family"}, "A", {title = "parameters", '
        'metric = "parameters", data = "A / B"}]'
    )
    text = write_project(tmp_path, VALUES, f'floor = "majority"\ncaption = false\n{columns}')
    assert "| SumPool | flat | 60.0 ± 10.0 ↓ | 1,234 / 1,234 |" in text
    assert "↓ is not above `majority` (A: `sum`)." in text
    sorted_rows = write_project(tmp_path, VALUES, 'sort = true\ncolumns = ["B"]').splitlines()
    assert [line.split("|")[1].strip() for line in sorted_rows[2:5]] == [
        "SumPool", "`hap`", "`majority`",
    ]  # fmt: skip


def test_published_values_stand_in_brackets(tmp_path: Path) -> None:
    text = write_project(tmp_path, VALUES, 'rows = [{method = "hap", paper = "HAP"}, "sum"]')
    assert "| `hap` | 90.0 ± 10.0 *(95.01)* | 70.0 ± 0.0 (2 of 3) |" in text
    assert "| SumPool | 60.0 ± 10.0 | 90.0 ± 0.0 |" in text
    with pytest.raises(ConfigError, match=r"no paper\.values\.GMN"):
        write_project(tmp_path, VALUES, 'rows = [{method = "hap", paper = "GMN"}]')


def test_lines_can_be_data_with_the_best_of_several_methods(tmp_path: Path) -> None:
    rows = """rows = [
        "hap",
        {method = "hap", against = "plain", figure = "difference", title = "gain"},
        {figure = "best", title = "best", among = ["plain", "majority"]},
    ]"""
    columns = """columns = [
        {title = "A", data = "A", methods = {plain = "sum"}},
        {title = "B", data = "B", methods = {plain = "sum", majority = "nothing"}},
    ]"""
    block = f"data_down = true\ncaption = false\nhead = 'set'\n{rows}\n{columns}"
    assert write_project(tmp_path, VALUES, block).splitlines()[:4] == [
        "| set | `hap` | gain | best |",
        "|---|---:|---:|---:|",
        "| A | 90.0 ± 10.0 | +30.0 | 60.0 ± 10.0 (SumPool) |",
        "| B | 70.0 ± 0.0 (2 of 3) | -20.0 | 90.0 ± 0.0 (SumPool) |",
    ]
    nothing = write_project(tmp_path, {("hap", "A"): (0.5,)}, block)
    assert "| A | 50.0 (1 of 3) | – | – |" in nothing


def test_a_method_can_be_left_out_of_ranks(tmp_path: Path) -> None:
    block = """caption = false
    rows = ["hap", "sum", {method = "majority", ranked = false}]
    columns = ["A", "B", {title = "mean rank", metric = "mean rank"}]"""
    whole = {**VALUES, ("hap", "B"): (0.7, 0.7, 0.7)}
    lines = write_project(tmp_path, whole, block).splitlines()
    # By hand: of two methods each is first on one set.
    assert [line.split(" | ")[-1] for line in lines[2:5]] == ["1.50 |", "1.50 |", "– |"]
    assert "Not ranked" not in " ".join(lines)


def test_columns_of_fewer_seeds_say_so(tmp_path: Path) -> None:
    block = 'columns = ["A", {title = "B", data = "B", seeds = [0]}]'
    toml = TOY.replace("seeds = [0]", "seeds = [0, 1]")
    assert toml != TOY
    values = {key: each * 2 for key, each in VALUES.items()}
    text = " ".join(write_project(tmp_path, values, block, toml).split())
    steps = "7 epochs in batches of 32 at a learning rate of 0.003"
    assert f"A: {steps}; 3 folds, 2 seeds; B: {steps}; 3 folds, 1 seed. A chip" in text


def test_p_values_of_a_column_are_corrected_together(tmp_path: Path) -> None:
    rows = "".join(
        f'{{method = "hap", against = "{name}", figure = "p", title = "{name}"}},'
        for name in ("sum", "majority")
    )
    text = write_project(tmp_path, VALUES, f'rows = [{rows}]\ncolumns = ["A"]\ncaption = false')
    # By hand: gains .2, .2 and .5 have the variance .03, an eighth as many graphs test as train, so
    # t is .3 / sqrt((1/3 + 1/8) · .03) = 2.558, and p = 1 - t / sqrt(2 + t²) = .125 with 2 degrees
    # of freedom. Holm doubles the first of two equal ones, and the second is not less.
    assert text.splitlines()[2:4] == ["| sum | 0.250 |", "| majority | 0.250 |"]
    assert "corrected by Holm for all comparisons of a column" in " ".join(text.split())


def test_mean_ranks_are_tested_and_drawn(tmp_path: Path) -> None:
    block = 'caption = false\npicture = "docs/ranks.svg"'
    whole = {**VALUES, ("hap", "B"): (0.7, 0.7, 0.7)}
    (tmp_path / "docs").mkdir()
    text = write_project(tmp_path, whole, block, pictures=["docs/ranks.svg"])
    text = " ".join(text.split())
    # By hand: ranks on A are 1, 2.5 and 2.5, on B 2, 1 and 3; their squares around 2 sum to 3.5,
    # those of the means to .875, so χ² = 2 · 4 · .875 / 3.5 = 2 and F = 2 / (4 - 2) = 1.
    assert (
        "Mean ranks of 3 methods on 2 sets: Friedman's χ² with 2 degrees of freedom is 2.00 (p = "
        "0.368), Iman and Davenport's F with 2 and 2 is 1.00 (p = 0.500). Two methods differ at "
        "5 % by the Nemenyi test if their mean ranks are more than 2.34 apart."
    ) in text
    assert "![Critical differences of mean ranks](docs/ranks.svg)" in text
    drawn = (tmp_path / "docs" / "ranks.svg").read_text(encoding="utf-8")
    assert [f">{rank}<" in drawn for rank in ("1.50", "1.75", "2.75")] == [True] * 3


def test_the_best_of_several_methods_has_all_units_if_one_of_them_has(tmp_path: Path) -> None:
    rows = 'rows = [{figure = "best", title = "best", among = ["hap", "sum", "majority"]}]'
    block = f"caption = false\n{rows}"
    values = {("hap", "A"): (1.0, 1.0), ("sum", "A"): (0.6, 0.6, 0.6), ("hap", "B"): (0.8,)}
    text = write_project(tmp_path, values, block)
    assert "| best | 60.0 ± 0.0 (SumPool) | 80.0 (1 of 3) (`hap`) |" in text


@pytest.mark.parametrize(
    "columns",
    [
        '{title = "A", data = "A"}, {title = "again", data = "A"}',
        '{title = "A", data = "A"}, {title = "again", data = "A", experiment = "other"}',
        '{title = "A", data = "A"}, {title = "again", data = "C"}',
    ],
)
def test_a_picture_counts_every_set_once(tmp_path: Path, columns: str) -> None:
    other = tmp_path / "experiments" / "other.toml"
    other.parent.mkdir()
    other.write_text(TOY.partition("[[blocks]]")[0], encoding="utf-8")
    toml = TOY.replace("[methods.hap]", '[[data]]\nname = "C"\nset = "A"\n\n[methods.hap]')
    block = f'caption = false\npicture = "ranks.svg"\ncolumns = [{columns}]'
    with pytest.raises(ConfigError, match="a set of its own for every column, but two are of A"):
        write_project(tmp_path, VALUES, block, toml)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ('rows = [{figure = "best", title = "best"}]', "'best' and among"),
        ('rows = [{method = "hap", among = ["sum"]}]', "'best' and among"),
        ('rows = [{title = "nobody"}]', "a row has no method"),
        ('rows = [{figure = "best", among = ["sum"]}]', "a row has no method"),
        ("data_down = true\nsort = true", "data_down goes without"),
    ],
)
def test_rows_without_a_method_are_refused(tmp_path: Path, block: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        write_project(tmp_path, VALUES, block)


def test_a_column_shows_some_seeds_alone(tmp_path: Path) -> None:
    toml = TOY.replace("seeds = [0]", "seeds = [0, 1]")
    columns = """columns = [
        {title = "first", data = "A", seeds = [0]},
        {title = "second", data = "A", seeds = [1]},
        {title = "both", data = "A"},
    ]
    rows = ["sum"]
    caption = false"""
    accuracies = {("sum", "A"): (0.6, 0.6, 0.6, 0.8, 0.8)}
    text = write_project(tmp_path, accuracies, columns, toml)
    assert "| SumPool | 60.0 ± 0.0 | 80.0 ± 0.0 (2 of 3) | 68.0 ± 11.0 (5 of 6) |" in text


def test_what_is_not_measured_is_left_open(tmp_path: Path) -> None:
    text = write_project(tmp_path, {("sum", "A"): (0.5,)}, 'missing = ""')
    assert "| `hap` |  |  |" in text
    assert "| SumPool | 50.0 (1 of 3) |  |" in text


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ('columns = [{title = "a", data = "C"}]', "column 'a': no data 'C'"),
        ('columns = [{title = "a", data = "A", test = "tset"}]', "no test 'tset'.*'test'"),
        ('columns = [{title = "a", data = "A", seeds = [7]}]', "no seed '7'"),
        ('columns = [{title = "a", data = "A", methods = {smu = "hap"}}]', "has the method 'smu'"),
        ('rows = [{method = "smu", title = "x"}]', "no method 'smu'; did you mean 'sum'"),
        ('rows = [{title = "x", figure = "best", among = ["hap", "smu"]}]', "no method 'smu'"),
        ('floor = "majorty"', "floor: no method 'majorty'"),
    ],
)
def test_names_that_no_record_can_have_are_refused(
    tmp_path: Path, block: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        write_project(tmp_path, VALUES, block)


def test_best_family_and_parameters_of_another_experiment(tmp_path: Path) -> None:
    path = tmp_path / "experiments" / "other.toml"
    write_project(tmp_path, VALUES)
    path.write_text(
        'title = "Other"\ntask = "classification"\nuses = ["toy"]\n[[blocks]]\npage = "README.md"\n'
        'name = "toy: other"\ncaption = false\nrows = [{title = "best", experiment = "toy", '
        'figure = "best", among = ["hap", "sum"]}, {title = "sum", experiment = "toy", method = '
        '"flat"}]\ncolumns = [{title = "A", data = "A", experiment = "toy"}, {title = "family", '
        'experiment = "toy", metric = "family", methods = {flat = "sum"}}, {title = "parameters", '
        'experiment = "toy", metric = "parameters", data = "A", methods = {flat = "sum"}}]\n',
        encoding="utf-8",
    )
    page = tmp_path / "README.md"
    page.write_text(f"{page.read_text('utf-8')}<!-- toy: other -->\n<!-- end -->\n", "utf-8")
    write_pages(tmp_path)
    rows = page.read_text("utf-8").partition("<!-- toy: other -->")[2].splitlines()[3:5]
    assert rows == ["| best | 90.0 ± 10.0 (`hap`) | – | – |", "| sum | – | flat | 1,234 |"]


def test_damaged_records_do_not_stop_a_page(tmp_path: Path) -> None:
    columns = 'columns = ["A", {title = "s", data = "A", metric = "seconds"}]'
    rows = 'rows = ["sum", {method = "hap", against = "sum", figure = "error", title = "e"}]'
    write_project(tmp_path, VALUES, f"{rows}\n{columns}")
    path = tmp_path / "results" / "toy.jsonl"
    text = path.read_text(encoding="utf-8")
    for damage in ('"processor": "A chip", ', '"train": 8, ', '"batch_size": 32, '):
        assert damage in text
        text = text.replace(damage, "")
    path.write_text(text, encoding="utf-8")
    write_pages(tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| SumPool | 60.0 ± 10.0 | – |" in text
    assert "| e | 10.0 | – |" in text  # the error of independent splits
    assert "in batches of 32" in text
    assert "processor not recorded (2 cores)" in text.replace("\n", " ")


def test_a_page_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    write_project(tmp_path, VALUES)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "latin.md").write_bytes(b"caf\xe9")
    with pytest.raises(DataError, match=r"latin\.md: is not UTF-8; save it as UTF-8"):
        write_pages(tmp_path)


def test_unknown_names_in_blocks_and_pages_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no method 'mean'"):
        write_project(tmp_path, VALUES, 'rows = ["mean"]')
    with pytest.raises(ConfigError, match="no data 'C'"):
        write_project(tmp_path, VALUES, 'columns = ["C"]')
    with pytest.raises(ConfigError, match="no experiment 'tou'; did you mean 'toy'"):
        write_project(tmp_path, VALUES, 'columns = [{title = "A", data = "A", experiment = "tou"}]')
    write_project(tmp_path, VALUES)
    (tmp_path / "README.md").write_text("<!-- toys -->\n<!-- end -->\n", encoding="utf-8")
    with pytest.raises(DataError, match="no results fill the block <!-- toys -->"):
        write_pages(tmp_path)


def test_the_projects_pages_say_what_its_results_say() -> None:
    assert write_pages(PROJECT, check=True) == [], "run graphpool experiments pages"

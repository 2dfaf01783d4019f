import json
from dataclasses import replace

import pytest
from small import CV3

from graphpool.experiments.records import Record
from graphpool.experiments.report import result_rows
from graphpool.experiments.results import (
    ExperimentResult,
    Failure,
    SetFacts,
    result_document,
    write_results,
)
from graphpool.experiments.tables import merged_table, results_table


def unit(method: str, fold: int, accuracy: float, **changes: object) -> Record:
    made = Record(
        task="classification", data="toy", method=method, kind="network", seed=0, fold=fold,
        facts={}, settings={}, best_epoch=2, epochs=4, parameters=10,
        metrics={"test": {"accuracy": accuracy, "balanced_accuracy": accuracy}},
        sizes={"train": 8, "valid": 1, "test": 1}, seconds={"train": 1.5, "test": 0.5},
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def result(name: str = "toy", **accuracies: list[float]) -> ExperimentResult:
    units = [
        unit(method, fold, value)
        for method, values in accuracies.items()
        for fold, value in enumerate(values)
    ]
    return ExperimentResult(
        task="classification",
        data=name,
        facts=SetFacts(name, "hash", 10, ("no", 1), (4, 6)),
        methods=tuple(accuracies),
        protocol=CV3,
        seeds=(0,),
        config={},
        splits={"splits/cv3-seed0.json": "f00"},
        units=tuple(units),
        failures=(),
        machine={"cores": 2},
        versions={"graphpool": "0"},
        command="test",
    )


TWO = result(hap=[0.8, 0.9, 0.7], majority=[0.6, 0.6, 0.6])


def test_the_document_has_every_figure_and_what_made_it(tmp_path):
    failed = replace(TWO, failures=(Failure("hap", 0, 1, "because"),))
    write_results(failed, tmp_path)
    written = json.loads((tmp_path / "results.json").read_text())
    document = result_document(failed, tmp_path)
    assert document.items() <= written.items()
    assert document["methods"]["hap"]["accuracies"] == [0.8, 0.9, 0.7]
    assert document["failures"] == [{"method": "hap", "seed": 0, "fold": 1, "error": "because"}]
    assert written["splits"] == {"splits/cv3-seed0.json": "f00"}
    assert written["gains"]["majority"]["mean"] == pytest.approx(0.2)
    assert written["command"] == "test"


def test_table_prints_mean_deviation_and_corrected_interval():
    row = next(line for line in results_table(TWO).splitlines() if line.startswith("| hap"))
    assert "80.0 ± 10.0" in row
    # 80 ± 4.3027 · 10 · sqrt(1/3 + 1/8) = ± 29.1, cut at 100
    assert "50.9 … 100.0" in row
    assert "2.00" in row  # seconds


def test_table_prints_the_paired_gain():
    row = next(line for line in results_table(TWO).splitlines() if line.startswith("| majority"))
    assert "+20.0 (-9.1 … +49.1)" in row


def test_effective_rank_is_the_mean_over_units():
    healthy = [
        unit("hap", fold, 0.8, health={"level1/effective_rank": rank, "level1/clusters": 8.0})
        for fold, rank in enumerate((1.5, 2.5, None))
    ]
    table = results_table(replace(result(hap=[0.8]), units=tuple(healthy)))
    assert "2.00 of 8" in table


def test_missing_units_are_counted():
    assert "(1 missing)" in results_table(result(hap=[0.8, 0.9]))


def test_difference_takes_splits_that_both_have():
    found = result(hap=[0.8, 0.9, 0.7], sum=[0.7, 0.9]).difference("hap", "sum")
    assert found is not None
    assert found.count == 2
    assert found.mean == pytest.approx(0.05)


def test_merged_table_ranks_over_sets_and_leaves_the_majority_out():
    first = result("A", hap=[0.8, 0.9], sum=[0.7, 0.7], majority=[0.99, 0.99])
    second = result("B", hap=[0.6, 0.6], sum=[0.7, 0.7], majority=[0.99, 0.99])
    lines = merged_table([first, second]).splitlines()
    assert lines[0].replace(" ", "") == "|method|A|B|meanrankof2|"
    ranks = {line.split("|")[1].strip(): line.split("|")[-2].strip() for line in lines[2:]}
    assert ranks == {"hap": "1.5", "sum": "1.5", "majority": "–"}


def test_method_without_result_on_some_set_has_no_rank():
    lines = merged_table([result("A", hap=[0.8, 0.9], wl=[0.9, 0.9]), result("B", hap=[0.6, 0.6])])
    assert "| wl     | 90.0 ± 0.0 |          – |              – |" in lines


def test_rows_of_the_report():
    rows = result_rows(result(hap=[0.8], wl=[0.7], majority=[0.6]))
    assert [(row.name, row.family) for row in rows] == [
        ("hap", "ours"),
        ("wl", "baseline"),
        ("majority", "rule"),
    ]
    assert rows[0].accuracies == [0.8]
    assert rows[0].overlap == 0.125


def compared(method: str, seed: int, accuracy: float, sizes: dict[str, int]) -> Record:
    return Record(
        task="similarity", data="LINUX", method=method, kind="network", seed=seed, fold=0,
        facts={}, settings={}, metrics={"ranking": {"accuracy": accuracy, "spearman": None}},
        sizes=sizes, seconds={"test": 1.0},
    )  # fmt: skip


@pytest.mark.parametrize(("sizes", "reach"), [({}, 0.2484), ({"train": 8, "test": 1}, 0.2913)])
def test_every_task_has_intervals_that_know_of_shared_graphs(sizes, reach):
    units = [compared("hap", seed, value, sizes) for seed, value in enumerate((0.8, 0.9, 0.7))]
    units += [compared("sum", seed, 0.6, sizes) for seed in range(3)]
    found = ExperimentResult(
        task="similarity", data="LINUX", methods=("hap", "sum"), seeds=(0, 1, 2),
        units=tuple(units), failures=(),
    )  # fmt: skip
    tested = result_document(found, "here")["methods"]
    spread = tested["hap"]["tested"]["ranking"]["accuracy"]
    # 4.3027 · 0.1 · sqrt(1/3), and sqrt(1/3 + 1/8) for splits that share graphs.
    assert spread["high"] - spread["mean"] == pytest.approx(reach, abs=1e-4)
    assert tested["sum"]["gain_of_hap"]["ranking"]["mean"] == pytest.approx(0.2)
    assert tested["hap"]["tested"]["ranking"]["spearman"]["mean"] is None
    assert "+20.0" in results_table(found)

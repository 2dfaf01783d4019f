import dataclasses
import json
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import small
import torch
from small import CV3, QUICK, evaluate, mutag, quick, unit

from graphpool.errors import ConfigError, DataError, GraphpoolWarning
from graphpool.experiments import engine as experiment
from graphpool.experiments.engine import find_finished, run_units
from graphpool.experiments.executor import LocalExecutor
from graphpool.experiments.records import RecordFile
from graphpool.experiments.run_unit import empty_record
from graphpool.training.signals import Interrupted


def lines(folder: Path) -> list[str]:
    """Lines of units in the record file."""
    path = folder / "records.jsonl"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [line for line in text.splitlines() if line.startswith('{"unit"')]


def measured(result):
    """Everything but times, and the hash of code that someone may be editing."""
    return [replace(unit, seconds={}, versions={}) for unit in result.units]


def test_every_method_seed_and_fold_is_run(tmp_path):
    result = evaluate(tmp_path, methods=("sum", "majority"), seeds=(5, 1))
    places = [(unit.method, unit.seed, unit.fold) for unit in result.units]
    expected = [(m, s, f) for m in ("sum", "majority") for s in (5, 1) for f in range(3)]
    assert places == expected
    assert len(lines(tmp_path)) == 12


def test_finished_units_are_not_run_again(tmp_path):
    first = evaluate(tmp_path)
    before = (tmp_path / "records.jsonl").read_bytes()
    second = evaluate(tmp_path)
    assert (tmp_path / "records.jsonl").read_bytes() == before
    assert second.units == first.units


def test_only_what_is_missing_or_damaged_is_run(tmp_path, caplog):
    first = evaluate(tmp_path)
    path = tmp_path / "records.jsonl"
    whole = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lost, cut, *_ = (line for line in whole if '"method": "hap"' in line)
    kept = [line for line in whole if line not in (lost, cut)]
    path.write_text("".join([*kept[:-1], cut[:100] + "\n", kept[-1]]), encoding="utf-8")
    with caplog.at_level("WARNING"):
        second = evaluate(tmp_path)
    assert len(lines(tmp_path)) == 4 + 1 + 2
    assert measured(second) == measured(first)
    assert "run again" in caplog.text


def test_half_a_line_at_the_end_is_cut_off(tmp_path):
    first = evaluate(tmp_path)
    path = tmp_path / "records.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-30])
    assert measured(evaluate(tmp_path)) == measured(first)
    assert len(RecordFile(path).read()) == 6
    assert len(lines(tmp_path)) == 6


def without_edge_labels():
    return replace(mutag(), edge_label=None, edge_label_names=())


def test_records_of_another_meaning_of_auto_are_run_again(tmp_path):
    graphs = without_edge_labels()
    attributes = torch.linspace(-1, 1, graphs.num_nodes)[:, None]
    graphs = replace(graphs, node_attr=attributes, node_label=None, node_label_names=())
    first = evaluate(tmp_path, graphs=graphs, methods=("sum", "majority"))
    assert {unit.features for unit in first.of("sum")} == {"attributes+degree"}
    path = tmp_path / "records.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"features": "attributes+degree", ', ""), encoding="utf-8")
    with pytest.warns(GraphpoolWarning, match="3 records .* made with the features degree, and"):
        second = evaluate(tmp_path, graphs=graphs, methods=("sum", "majority"))
    assert measured(second) == measured(first)
    assert len(lines(tmp_path)) == 9


def test_records_older_than_features_stay_where_auto_has_not_changed(tmp_path):
    graphs = without_edge_labels()
    first = evaluate(tmp_path, methods=("sum",), graphs=graphs)
    assert {unit.features for unit in first.units} == {"labels"}
    path = tmp_path / "records.jsonl"
    text = path.read_text(encoding="utf-8").replace('"features": "labels", ', "")
    path.write_text(text, encoding="utf-8")
    evaluate(tmp_path, methods=("sum",), graphs=graphs)
    assert path.read_text(encoding="utf-8") == text


def test_units_use_an_x_that_the_graphs_bring(tmp_path):
    graphs = without_edge_labels()
    own = replace(graphs, x=torch.linspace(-1, 1, graphs.num_nodes)[:, None], x_from="")
    without, with_x = (
        evaluate(tmp_path / name, graphs=each, methods=("sum",))
        for name, each in (("a", graphs), ("b", own))
    )
    assert with_x.units[0].features == "labels+x"
    assert with_x.units[0].parameters > without.units[0].parameters


def test_another_setting_is_another_result(tmp_path):
    first = evaluate(tmp_path, methods=("sum", "majority"))
    second = evaluate(tmp_path, methods=("sum", "majority"), config=quick(epochs=1))
    assert [unit.epochs for unit in first.of("sum")] == [3, 3, 3]
    assert [unit.epochs for unit in second.of("sum")] == [1, 1, 1]
    assert second.of("majority") == first.of("majority")  # which the setting does not touch


def test_results_of_other_code_are_named(tmp_path, monkeypatch):
    evaluate(tmp_path, methods=("majority",))
    monkeypatch.setattr(experiment, "code_digest", lambda: "another")
    with pytest.warns(GraphpoolWarning, match="other code"):
        evaluate(tmp_path, methods=("majority",))


def test_another_set_is_refused(tmp_path):
    evaluate(tmp_path, methods=("majority",))
    with pytest.raises(DataError, match="another set"):
        evaluate(tmp_path, methods=("majority",), graphs=mutag()[:-1])


def test_features_that_load_made_do_not_matter(tmp_path):
    graphs = mutag()
    dressed = graphs.with_x(torch.rand(graphs.num_nodes, 2), "rw:2")
    bare, with_x = (
        evaluate(tmp_path / name, methods=("sum",), graphs=given)
        for name, given in (("bare", graphs), ("x", dressed))
    )
    assert measured(bare) == measured(with_x)


def test_parallel_equals_serial_to_the_bit(tmp_path):
    methods = ("hap", "sum", "wl", "majority")
    serial = evaluate(tmp_path / "serial", methods=methods)
    parallel = evaluate(tmp_path / "parallel", methods=methods, jobs=2)
    assert measured(parallel) == measured(serial)
    assert parallel.splits == serial.splits
    assert not parallel.failures


def test_a_choice_that_contradicts_itself_is_refused_before_any_unit(tmp_path):
    config = replace(
        QUICK, model=replace(QUICK.model, cluster_count="validation")
    )  # and clusters 3, 1
    with pytest.raises(ConfigError, match="leave out one of them"):
        evaluate(tmp_path, config=config)
    assert not (tmp_path / "records.jsonl").exists()


def test_a_unit_that_fails_is_reported_and_the_rest_goes_on(tmp_path):
    impossible = replace(QUICK, features="attributes")  # of which these graphs have none
    result = evaluate(tmp_path, config=impossible)
    assert [(f.method, f.fold) for f in result.failures] == [("hap", 0), ("hap", 1), ("hap", 2)]
    assert "no node attributes" in result.failures[0].error
    assert len(result.of("majority")) == 3
    assert "failed" in (tmp_path / "results.md").read_text()


def test_a_failed_unit_is_recorded_and_run_again_when_asked(tmp_path):
    impossible = replace(QUICK, features="attributes")
    evaluate(tmp_path, methods=("sum",), config=impossible)
    records = RecordFile(tmp_path / "records.jsonl")
    assert [bool(record.error) for record in records.read()] == [True] * 3
    units = [unit("sum", impossible, fold) for fold in range(3)]
    left = experiment.run_units(units, records, retry=False, progress=False)
    assert len(left.failures) == 3
    assert len(records.read()) == 3
    again = experiment.run_units(units, records, retry=True, progress=False)
    assert len(again.failures) == 3
    assert len(records.read()) == 6


def test_no_unit_is_begun_when_the_time_is_up(tmp_path):
    result = evaluate(tmp_path, minutes=0.0)
    assert result.units == ()
    assert lines(tmp_path) == []
    assert len(evaluate(tmp_path, minutes=60.0).units) == 6


def test_ctrl_c_keeps_what_is_finished(tmp_path, monkeypatch):
    real, calls = experiment.run_unit, []

    def interrupted(*values):
        calls.append(values)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*values)

    monkeypatch.setattr(experiment, "run_unit", interrupted)
    with pytest.raises(Interrupted, match="2 of 6 units are finished") as stop:
        evaluate(tmp_path)
    assert stop.value.exit_code == 130
    before = lines(tmp_path)
    assert len(before) == 2
    monkeypatch.setattr(experiment, "run_unit", real)
    evaluate(tmp_path)
    assert len(lines(tmp_path)) == 6
    assert lines(tmp_path)[:2] == before


def test_killed_run_goes_on_and_ends_the_same(tmp_path):
    script = [sys.executable, small.__file__, str(tmp_path / "killed"), "80"]
    process = subprocess.Popen(script)
    until = time.monotonic() + 120
    while not lines(tmp_path / "killed"):
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = lines(tmp_path / "killed")
    assert not (tmp_path / "killed" / "results.json").exists()
    assert 1 <= len(kept) < CV3.folds
    settings = {"methods": ("sum",), "config": quick(epochs=80)}
    result = evaluate(tmp_path / "killed", **settings)
    assert lines(tmp_path / "killed")[: len(kept)] == kept
    assert len(lines(tmp_path / "killed")) == CV3.folds
    assert measured(result) == measured(evaluate(tmp_path / "whole", **settings))


def test_unknown_method_names_the_nearest(tmp_path):
    with pytest.raises(ConfigError, match="'majority'"):
        evaluate(tmp_path, methods=("hap", "majorty"))


def test_set_without_classes_is_refused(tmp_path):
    with pytest.raises(DataError, match="no classes"):
        evaluate(tmp_path, graphs=dataclasses.replace(mutag(), y=None))


def test_records_are_plain_json_without_nan(tmp_path):
    evaluate(tmp_path)

    def refuse(word):
        raise AssertionError(word)

    for line in (tmp_path / "records.jsonl").read_text(encoding="utf-8").splitlines():
        json.loads(line, parse_constant=refuse)
    assert len(lines(tmp_path)) == 2 * CV3.folds


def test_another_executor_can_take_the_place_of_processes(tmp_path):
    class Backwards:
        """Runs the last unit first."""

        def run(self, work, items, deadline=None):
            yield from LocalExecutor().run(work, list(reversed(items)), deadline)

    ours = evaluate(tmp_path / "a", methods=("sum", "majority"))
    theirs = evaluate(tmp_path / "b", methods=("sum", "majority"), executor=Backwards())
    assert measured(theirs) == measured(ours)
    order = [json.loads(line)["method"] for line in lines(tmp_path / "b")]
    assert order == ["majority"] * 3 + ["sum"] * 3


def test_a_failure_does_not_hide_what_another_file_has_finished(tmp_path):
    work = unit("sum")
    done, failed = small.run(work), empty_record(work, "out of memory")
    files = [RecordFile(tmp_path / f"{number}.jsonl") for number in range(3)]
    for file, record in zip(files, (failed, failed, done), strict=True):
        file.append(record)
    own, second, third = (RecordFile(file.path) for file in files)
    assert find_finished([work], own, second, third)[work].accuracy == done.accuracy
    assert find_finished([work], third, own)[work].accuracy == done.accuracy
    assert find_finished([work], own, second)[work].error == "out of memory"


def test_what_another_run_has_just_finished_is_not_run_again(tmp_path, monkeypatch):
    work, file = unit("sum"), RecordFile(tmp_path / "records.jsonl")
    record, lock = small.run(work), experiment.file_lock

    @contextmanager
    def late(path):
        RecordFile(path).append(record)  # the other run ends just before the file is free
        with lock(path):
            yield

    monkeypatch.setattr(experiment, "file_lock", late)
    run_units([work], file, progress=False)
    assert len(lines(tmp_path)) == 1


def test_results_of_0_1_0_are_named(tmp_path):
    (tmp_path / "units").mkdir()
    with pytest.warns(GraphpoolWarning, match=r"results of graphpool 0\.1\.0"):
        evaluate(tmp_path, methods=("majority",))


@pytest.mark.parametrize("methods", [("hap", "majority"), ("majority",)])
def test_a_result_writes_its_page(methods, tmp_path):
    result = evaluate(tmp_path, methods=methods)
    page = result.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{methods[0]} on MUTAG" in page
    assert "always the most frequent class" in page

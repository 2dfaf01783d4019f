import dataclasses
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import small
import torch
from small import CV3, QUICK, evaluate, mutag, quick

from graphpool.errors import ConfigError, DataError
from graphpool.experiments import engine as experiment
from graphpool.training.signals import Interrupted


def files(folder: Path) -> dict[str, int]:
    """Unit files and when they were written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "units").glob("*.json")}


def measured(result):
    """Everything but times, and the hash of code that someone may be editing."""
    return [replace(unit, seconds={}, versions={}) for unit in result.units]


def test_every_method_seed_and_fold_is_run(tmp_path):
    result = evaluate(tmp_path, methods=("sum", "majority"), seeds=(5, 1))
    places = [(unit.method, unit.seed, unit.fold) for unit in result.units]
    expected = [(m, s, f) for m in ("sum", "majority") for s in (5, 1) for f in range(3)]
    assert places == expected
    assert len(files(tmp_path)) == 12


def test_finished_units_are_not_run_again(tmp_path):
    first = evaluate(tmp_path)
    before = files(tmp_path)
    second = evaluate(tmp_path)
    assert files(tmp_path) == before
    assert second.units == first.units


def test_only_what_is_missing_or_damaged_is_run(tmp_path, caplog):
    first = evaluate(tmp_path)
    lost, cut, *_ = sorted((tmp_path / "units").glob("hap-*.json"))
    before = files(tmp_path)
    lost.unlink()
    cut.write_text(cut.read_text()[:100])
    with caplog.at_level("WARNING"):
        second = evaluate(tmp_path)
    changed = {name for name, when in files(tmp_path).items() if before[name] != when}
    assert changed == {lost.name, cut.name}
    assert measured(second) == measured(first)
    assert "run again" in caplog.text


def test_another_setting_is_another_result(tmp_path):
    first = evaluate(tmp_path, methods=("sum", "majority"))
    second = evaluate(tmp_path, methods=("sum", "majority"), config=quick(epochs=1))
    assert [unit.epochs for unit in first.of("sum")] == [3, 3, 3]
    assert [unit.epochs for unit in second.of("sum")] == [1, 1, 1]
    assert second.of("majority") == first.of("majority")  # which the setting does not touch


def test_results_of_other_code_are_named(tmp_path, caplog, monkeypatch):
    evaluate(tmp_path, methods=("majority",))
    monkeypatch.setattr(experiment, "code_digest", lambda: "another")
    with caplog.at_level("WARNING"):
        evaluate(tmp_path, methods=("majority",))
    assert "other code" in caplog.text


def test_another_set_is_refused(tmp_path):
    evaluate(tmp_path, methods=("majority",))
    with pytest.raises(DataError, match="belong to another set"):
        evaluate(tmp_path, methods=("majority",), graphs=mutag()[:-1])


def test_features_that_the_set_brings_do_not_matter(tmp_path):
    graphs = mutag()
    dressed = graphs.with_x(torch.rand(graphs.num_nodes, 2))
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
    assert not (tmp_path / "units").exists()


def test_a_unit_that_fails_is_reported_and_the_rest_goes_on(tmp_path):
    impossible = replace(QUICK, features="attributes")  # of which these graphs have none
    result = evaluate(tmp_path, config=impossible)
    assert [(f.method, f.fold) for f in result.failures] == [("hap", 0), ("hap", 1), ("hap", 2)]
    assert "no node attributes" in result.failures[0].error
    assert len(result.of("majority")) == 3
    assert "failed" in (tmp_path / "results.md").read_text()


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
    before = files(tmp_path)
    monkeypatch.setattr(experiment, "run_unit", real)
    evaluate(tmp_path)
    assert len(files(tmp_path)) == 6
    assert before.items() <= files(tmp_path).items()


def test_killed_run_goes_on_and_ends_the_same(tmp_path):
    script = [sys.executable, small.__file__, str(tmp_path / "killed"), "150"]
    process = subprocess.Popen(script)
    until = time.monotonic() + 60
    while not files(tmp_path / "killed"):
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = files(tmp_path / "killed")
    assert not (tmp_path / "killed" / "results.json").exists()
    assert 1 <= len(kept) < CV3.folds
    settings = {"methods": ("sum",), "config": quick(epochs=150)}
    result = evaluate(tmp_path / "killed", **settings)
    assert kept.items() <= files(tmp_path / "killed").items()
    assert measured(result) == measured(evaluate(tmp_path / "whole", **settings))


def test_unknown_method_names_the_nearest(tmp_path):
    with pytest.raises(ConfigError, match="'majority'"):
        evaluate(tmp_path, methods=("hap", "majorty"))


def test_set_without_classes_is_refused(tmp_path):
    with pytest.raises(DataError, match="no classes"):
        evaluate(tmp_path, graphs=dataclasses.replace(mutag(), y=None))


def test_unit_files_are_plain_json_without_nan(tmp_path):
    evaluate(tmp_path)

    def refuse(word):
        raise AssertionError(word)

    for path in (tmp_path / "units").glob("*.json"):
        json.loads(path.read_text(), parse_constant=refuse)
    assert len(files(tmp_path)) == 2 * CV3.folds

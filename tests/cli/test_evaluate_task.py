"""Methods that compare graphs, side by side on the command line."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphpool.cli.evaluate import compare_methods
from graphpool.config import CompareConfig, ModelConfig, RunConfig, defaults_for
from graphpool.data.formats.jsonl import write_jsonl
from graphpool.data.load import load
from graphpool.errors import ConfigError


def quick(task: Any, **compare: Any) -> RunConfig:
    base = defaults_for(task)
    return replace(
        base,
        model=ModelConfig(hidden_channels=4, num_layers=1),
        train=replace(base.train, epochs=1),
        compare=CompareConfig(examples=40, valid=10, test=20, **compare),
    )


def test_pairs_of_every_size_have_their_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compare_methods(
        quick("matching"), ["matching-paper-8-10"], ["sum"], "", seeds=2, jobs=1, out=tmp_path,
        report=True,
    )  # fmt: skip
    said = capsys.readouterr().out
    assert "results.json, results.md, report.html" in said
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h2>8 nodes</h2>" in page
    assert "<h2>10 nodes</h2>" in page
    assert "numbers of nodes" in page
    assert "matching-paper-8-10, 8 nodes" in said
    assert "matching-paper-8-10, 10 nodes" in said
    written = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    size = written["methods"]["size"]
    assert size["tested"]["10"]["accuracy"] == {
        "mean": 1.0, "deviation": 0.0, "low": 1.0, "high": 1.0
    }  # fmt: skip
    assert written["methods"]["size"]["gain_of_sum"]["10"]["mean"] <= 0
    values = [
        one["metrics"]["8"]["accuracy"] for one in written["results"] if one["method"] == "sum"
    ]
    assert written["methods"]["sum"]["tested"]["8"]["accuracy"]["mean"] == pytest.approx(
        sum(values) / 2
    )


def test_sets_of_graphs_are_ranked(
    data_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compare_methods(
        quick("similarity"), ["AIDS700nef"], ["sum"], "", seeds=1, jobs=1, out=tmp_path,
        root=data_root, baselines=False, json=True,
    )  # fmt: skip
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert set(found["methods"]) == {"sum"}
    assert 0.4 < found["methods"]["sum"]["tested"]["ranking"]["accuracy"]["mean"] < 1


def test_unknown_methods_and_own_pairs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'simgnn'"):
        compare_methods(quick("matching"), ["matching-paper-8"], ["simgn"], "", out=tmp_path)
    with pytest.raises(ConfigError, match="pairs that are drawn"):
        compare_methods(quick("matching"), ["MUTAG"], ["sum"], "", jobs=1, out=tmp_path)


def test_few_graphs_of_ones_own_are_ranked_by_distances_that_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer triplets than are asked for, and fewer candidates than 20."""
    graphs = load("MUTAG", features=None)
    own = tmp_path / "own.jsonl"
    write_jsonl(graphs[(graphs.node_counts <= 12).nonzero()[:16, 0]], own)
    config = quick("similarity", split="graphs")
    many = replace(config, compare=replace(config.compare, examples=10**6, valid=10**6))
    out = tmp_path / "out"
    compare_methods(many, [str(own)], ["sum"], "", seeds=2, jobs=1, out=out, json=True)
    (found,) = json.loads(capsys.readouterr().out)["results"]
    tested = found["methods"]["sum"]["tested"]["ranking"]
    assert 0 < tested["accuracy"]["mean"] < 1
    assert set(tested["precision@20"].values()) == {None}
    assert not found["failures"]
    # A second call computes no distance again.
    monkeypatch.setattr(sys.modules["graphpool.ged.matrix"], "_run", None)
    compare_methods(many, [str(own)], ["sum"], "", seeds=2, jobs=1, out=out)
    assert "–" in capsys.readouterr().out


SMALL = ("--hidden", "4", "--layers", "1", "--epochs", "1", "--jobs", "1", "--examples", "24",
         "--set", "compare.valid=8", "--set", "compare.test=8")  # fmt: skip
MATCHING = ("evaluate", "--task", "matching", "matching-paper-8", "--methods", "sum,gmn", *SMALL)


def test_the_command_begins_with_the_settings_of_the_task_and_goes_on(cli: Any) -> None:
    done = cli(*MATCHING, "--seeds", "1", "--json")
    assert done.code == 0, done.err
    (found,) = json.loads(done.out)["results"]
    assert set(found["methods"]) == {"sum", "gmn", "size", "edges", "degrees", "wl", "spectrum"}
    settings = found["results"][0]["settings"]
    assert settings["model"]["encoder"] == defaults_for("matching").model.encoder
    assert settings["model"]["hidden_channels"] == 4
    assert settings["features"] == defaults_for("matching").features
    assert found["methods"]["sum"]["tested"]["8"]["accuracy"]["deviation"] is None
    assert "gmn, seed 0:" in done.err
    assert Path("runs/evaluation-matching-paper-8/results.json").is_file()
    again = cli(*MATCHING, "--seeds", "1", "--json")
    assert json.loads(again.out) == json.loads(done.out)
    assert "seed 0:" not in again.err
    table = cli(*MATCHING, "--seeds", "2").out
    assert "Mean ± standard deviation over seeds." in table
    assert "±" not in cli(*MATCHING, "--seeds", "1").out


def test_graphs_of_ones_own_are_ranked_by_distances_of_a_file(cli: Any, small: Path) -> None:
    made = cli("ged", "matrix", small, "--method", "beam1", "--out", "own.ged")
    assert made.code == 0, made.err
    done = cli("evaluate", "--task", "similarity", small, "--distances", "own.ged", "--split",
               "graphs", "--methods", "sum", "--no-baselines", "--seeds", "1", *SMALL)  # fmt: skip
    assert done.code == 0, done.err
    assert "Spearman" in done.out
    assert "label-edge" not in done.out
    assert "Written to runs/evaluation-small-similarity" in done.out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--task", "matching", "matching-paper-8", "matching-balanced-eazy-20"], "what is 'eazy'"),
        (["--task", "matching", "MUTAG"], "pairs that are drawn"),
        (["--task", "matching"], "evaluate --task matching matching-balanced-hard-20"),
        (["--task", "similarity", "MUTAGG"], "did you mean 'MUTAG'"),
        (["--task", "similarity", "MUTAG", "--methods", "simgn"], "did you mean 'simgnn'"),
        (["--task", "similarity", "MUTAG", "--methods", "label-edge"], "without being named"),
        (["--task", "matchin", "MUTAG"], "did you mean 'matching'"),
        (["--task", "similarity", "MUTAG", "--pairs", "x.csv"], "--pairs is for --task matching"),
        (["--task", "similarity", "MUTAG", "--protocol", "cv10"], "has one of its own"),
        (["MUTAG", "--distances", "x.ged"], "--distances with --task similarity"),
        (["MUTAG", "--examples", "9"], "--examples is for --task"),
        (["MUTAG", "--methods", "gmn"], "with --task matching or"),
        (
            ["--task", "matching", "matching-paper-8", "--methods", "sum", "--distance", "sorted"],
            "--distance is for hap and flat",
        ),
        (["MUTAG", "--model", "run", "--epochs", "3"], "train.epochs can't be set"),
    ],
)
def test_what_cannot_be_evaluated_is_said_in_one_line(
    cli: Any, given: list[str], said: str
) -> None:
    done = cli("evaluate", *given)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not Path("runs").exists()

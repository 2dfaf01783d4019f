"""Methods that compare graphs, side by side on the command line."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from graphpool.config import defaults_for
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.load import load

SMALL = ("--hidden", "4", "--layers", "1", "--epochs", "1", "--jobs", "1", "--examples", "24",
         "--set", "compare.valid=8", "--set", "compare.test=8")  # fmt: skip
MATCHING = ("evaluate", "--task", "matching", "matching-paper-8", "--methods", "sum,gmn", *SMALL)


def test_pairs_of_every_size_have_their_table(cli: Any) -> None:
    done = cli("evaluate", "--task", "matching", "matching-paper-8-10", "--methods", "sum",
               "--seeds", "2", "--out", "out", "--report", *SMALL)  # fmt: skip
    assert done.code == 0, done.err
    assert "results.json, results.md, report.html" in done.out
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "<h2>8 nodes</h2>" in page
    assert "<h2>10 nodes</h2>" in page
    assert "numbers of nodes" in page
    assert "matching-paper-8-10, 8 nodes" in done.out
    assert "matching-paper-8-10, 10 nodes" in done.out
    written = json.loads(Path("out/results.json").read_text(encoding="utf-8"))
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


def test_sets_of_graphs_are_ranked(cli: Any, data_root: Path) -> None:
    done = cli("evaluate", "--task", "similarity", "AIDS700nef", "--methods", "sum", "--seeds", "1",
               "--no-baselines", "--data-root", data_root, "--json", *SMALL)  # fmt: skip
    (found,) = json.loads(done.out)["results"]
    assert set(found["methods"]) == {"sum"}
    assert 0.4 < found["methods"]["sum"]["tested"]["ranking"]["accuracy"]["mean"] < 1


def test_few_graphs_of_ones_own_are_ranked_by_distances_that_are_kept(
    cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer triplets than are asked for, and fewer candidates than 20."""
    graphs = load("MUTAG", features=None)
    write_jsonl(graphs[(graphs.node_counts <= 12).nonzero()[:16, 0]], Path("own.jsonl"))
    many = ("evaluate", "--task", "similarity", "own.jsonl", "--split", "graphs", "--methods",
            "sum", "--seeds", "2", *SMALL, "--examples", "1000000", "--set",
            "compare.valid=1000000")  # fmt: skip
    (found,) = json.loads(cli(*many, "--json").out)["results"]
    tested = found["methods"]["sum"]["tested"]["ranking"]
    assert 0 < tested["accuracy"]["mean"] < 1
    assert set(tested["precision@20"].values()) == {None}
    assert not found["failures"]
    # A second call computes no distance again.
    monkeypatch.setattr(sys.modules["graphpool.ged.matrix"], "_run", None)
    assert "–" in cli(*many).out


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
        (["--task", "matching", "matching-paper-8", "--methods", "simgn"], "mean 'simgnn'"),
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
            "--distance is for hap, hap-one-way, flat",
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

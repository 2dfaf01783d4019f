"""Metrics, class weights, the choice of the epoch and early stopping on the command line."""

import json
from pathlib import Path

from graphpool.evaluation.metrics import CLASS_METRICS
from graphpool.experiments import list_experiments
from graphpool.experiments.plan import plan_units

QUICK = ("--pooler", "sum", "--hidden", "4", "--threads", "1")
PROJECT = Path(__file__).resolve().parents[2]


def test_train_reports_metrics_and_chooses_the_epoch_by_one(cli, small):
    done = cli(
        "train", small, *QUICK, "--epochs", "2", "--scoring", "roc_auc",
        "--class-weight", "balanced", "--out", "run",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "Also: macro F1" in done.out
    assert "chosen on validation graphs (roc_auc" in done.out
    result = json.loads(Path("run/result.json").read_text())
    assert set(CLASS_METRICS) <= set(result["test"])
    assert result["config"]["train"]["class_weight"] == "balanced"
    scored = cli("evaluate", small, "--model", "run", "--json")
    assert set(CLASS_METRICS) <= set(json.loads(scored.out)["scores"][0])


def test_train_says_that_it_stopped_early(cli, small):
    done = cli(
        "train", small, *QUICK, "--epochs", "30", "--patience", "2", "--learning-rate", "1e-9",
        "--out", "run",
    )  # fmt: skip
    epochs = json.loads(Path("run/result.json").read_text())["epochs"]
    assert epochs < 30
    assert f"stopped early after epoch {epochs} of at most 30, 2 without improvement" in done.out


def test_wrong_names_are_refused_before_data_is_read(cli):
    for option, value, message in (
        ("--scoring", "auc", "roc_auc"),
        ("--class-weight", "toxic", "toxic=4,safe=1"),
    ):
        done = cli("train", "nosuch.jsonl", option, value)
        assert done.code == 2
        assert message in done.err
    done = cli("evaluate", "nosuch.jsonl", "--metric", "auc")
    assert done.code == 2
    assert "unknown metric 'auc'" in done.err


def test_a_class_that_the_set_does_not_have_is_named(cli, small):
    done = cli("train", small, *QUICK, "--class-weight", "toxic=2", "--out", "run")
    assert done.code == 2
    assert "unknown class in train.class_weight 'toxic'" in done.err


def test_evaluate_shows_another_metric_and_writes_all(cli, small):
    done = cli(
        "evaluate", small, "--hidden", "4", "--methods", "sum", "--seeds", "1", "--protocol", "cv2",
        "--epochs", "1", "--learning-rate", "1e-9", "--no-baselines", "--jobs", "1", "--metric",
        "matthews_corrcoef", "--out", "out",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "MCC" in done.out
    assert "for every graph" in done.out  # nothing was learned
    figures = json.loads(Path("out/results.json").read_text())["methods"]["sum"]["metrics"]
    assert set(figures) == set(CLASS_METRICS)
    assert "ROC-AUC, % |" in Path("out/results.md").read_text()


def test_recorded_experiments_never_stop_early():
    for experiment in list_experiments(PROJECT).values():
        for unit in plan_units(experiment):
            assert unit.config is None or unit.config.train.patience == 0

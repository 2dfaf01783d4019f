"""What the commands do, from Python: runs in folders, pages, and the methods of each task."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graphpool.config import ModelConfig, RunConfig, TrainConfig, settings_in
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.load import load
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.errors import ConfigError
from graphpool.estimators.classifier import GraphClassifier
from graphpool.estimators.comparer import GraphComparer
from graphpool.graphs.graphset import GraphSet
from graphpool.models import RunFolder, TrainedModel, report_run, train_run
from graphpool.tasks import TASKS, find_task

QUICK = TrainConfig(epochs=2, threads=1)


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    return load("MUTAG", features=None)[:60]


@pytest.fixture(scope="module")
def run(graphs: GraphSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write_jsonl(graphs, folder / "own.jsonl")
    config = RunConfig(
        data=str(folder / "own.jsonl"), model=ModelConfig(hidden_channels=8), train=QUICK
    )
    model, document = train_run(config, folder / "run", progress=False)
    assert model.result is not None
    assert document["best_epoch"] == model.result.best_epoch
    return folder / "run"


def test_a_run_is_trained_tested_and_read_again(run: Path, graphs: GraphSet) -> None:
    folder = RunFolder(run)
    result = folder.result()
    assert result["graphs"] == {"train": 48, "valid": 6, "test": 6}
    assert [row["epoch"] for row in folder.history()] == [1, 2]
    model = TrainedModel.load(run)
    data = model.task.open(folder.config(), store=folder)
    again = json.loads(json.dumps(model.test(data)))
    for key in ("test", "majority", "health", "places", "warnings", "config", "valid"):
        assert again[key] == result[key]
    scored = model.test_set(folder.config().data)
    assert scored["held_out"]["accuracy"] == result["test"]["accuracy"]
    assert "accuracy" in model.task.score_lines(scored)[0]


def test_a_page_about_a_run_is_that_of_its_model(run: Path, tmp_path: Path) -> None:
    page = report_run(run, tmp_path / "run.html").read_text(encoding="utf-8")
    assert "hap on own" in page
    assert "These are the 6 test graphs" in page
    assert f"graphpool train --config {run / 'config.toml'}" in page
    assert (run / "report.html").exists() is False


def test_estimators_write_pages(graphs: GraphSet, tmp_path: Path) -> None:
    small = {"hidden_channels": 8, "epochs": 2, "threads": 1}
    classifier = GraphClassifier(**small).fit(graphs[:45])
    page = classifier.report(tmp_path / "classes.html", graphs[45:]).read_text(encoding="utf-8")
    assert f'Accuracy of hap</p><p class="big">{100 * classifier.score(graphs[45:]):.1f}' in page
    assert "Learning curves" in page
    words = np.array(["no", "yes"])[graphs.y]
    named = GraphClassifier("sum", **small).fit(graphs[:45], words[:45])
    page = named.report(tmp_path / "names.html", graphs[45:], words[45:]).read_text("utf-8")
    assert f"{100 * named.score(graphs[45:], words[45:]):.1f}" in page
    true = np.abs(np.arange(60)[:, None] - np.arange(60)).astype(float)
    comparer = GraphComparer(**small, num_layers=1, triplets=200).fit(graphs[:45], true[:45, :45])
    path = comparer.report(tmp_path / "near.html", graphs[45:], true[45:, :45])
    page = path.read_text(encoding="utf-8")
    reached = comparer.score(graphs[45:], true[45:, :45])
    assert f'<p class="big">{100 * reached:.1f}<small>%' in page
    assert "Nearest graphs" in page


def test_models_refuse_what_their_task_does_not_answer(run: Path, graphs: GraphSet) -> None:
    model = TrainedModel.load(run)
    with pytest.raises(ConfigError, match="asked about single graphs, not pairs"):
        model.compare(graphs[:1], graphs[1:2])
    with pytest.raises(ConfigError, match="takes no --pairs"):
        model.test_set("MUTAG", files={"pairs": "x.csv"})
    pairs = matching_pairs("paper", 8, 24, seed=0, verify=False)
    config = replace(TASKS["matching"].defaults(), model=ModelConfig(hidden_channels=8))
    matcher = TrainedModel.fit(pairs, None, replace(config, train=QUICK))
    with pytest.raises(ConfigError, match="asked about pairs of graphs"):
        matcher.embed(graphs)
    far, near = matcher.kneighbors(pairs.graphs[:3], pairs.graphs[3:20], 4)
    every = matcher.between(pairs.graphs[:3], pairs.graphs[3:20])
    np.testing.assert_allclose(far, np.take_along_axis(every, near, axis=1))
    assert (np.diff(far) >= 0).all()


def test_every_task_of_the_settings_has_its_class() -> None:
    setting = next(item for item in settings_in(RunConfig) if item.key == "task")
    assert list(TASKS) == list(setting.choices or ())
    for name, task in TASKS.items():
        assert find_task(name) is task
        assert task.defaults().task == task.name == name
        assert "hap" in task.methods()
        task.check_settings(task.defaults())
        assert task.use.format(path="run").startswith("graphpool ")
    with pytest.raises(ConfigError, match="did you mean 'matching'"):
        find_task("matchin")

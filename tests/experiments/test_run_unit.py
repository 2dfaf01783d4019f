from dataclasses import replace
from pathlib import Path

import pytest
import torch
from small import CV3, DATA, QUICK, mutag, opened, run, unit

from graphpool.config import RunConfig, current_names
from graphpool.data.splits import Split
from graphpool.errors import ConfigError
from graphpool.evaluation.prediction import Stopwatch
from graphpool.experiments.comparison import unit_of
from graphpool.experiments.example_files import Graphs
from graphpool.experiments.examples import GraphData
from graphpool.experiments.methods import check_methods
from graphpool.experiments.records import RecordFile
from graphpool.experiments.run_unit import fit_unit, run_unit
from graphpool.experiments.unit import Unit
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.models.model import TrainedModel
from graphpool.nn.zoo.build import METHODS, build_model
from graphpool.tasks import TASKS, TaskData
from graphpool.tasks.base import Baseline, Figures
from graphpool.tasks.classification import ClassificationTask
from graphpool.tasks.graph_task import predict_logits
from graphpool.training import loop
from graphpool.training.loop import fit
from graphpool.training.seeding import seed_everything


def with_test_changed(graphs: GraphSet, split: Split) -> GraphSet:
    """Test graphs with other classes and other node labels; all else as it was."""
    assert graphs.y is not None
    assert graphs.node_label is not None
    y, label = graphs.y.clone(), graphs.node_label.clone()
    tested = torch.zeros(len(graphs), dtype=torch.bool)
    tested[list(split.test)] = True
    y[tested] = 1 - y[tested]
    nodes = tested[graphs.node_graph]
    label[nodes] = (label[nodes] + 1) % len(graphs.node_label_names)
    return replace(graphs, y=y, node_label=label)


def trained(graphs: GraphSet, config: RunConfig = QUICK, method: str = "hap") -> TrainedModel:
    """The model of a unit on the first split."""
    work, data = unit(method, config), opened(graphs).examples(0, 0)
    assert work.config is not None
    return fit_unit(work, work.config, ClassificationTask.of_data(data), data, Stopwatch())


def features(graphs: GraphSet, split: Split, spec: str) -> tuple[GraphSet, GraphSet]:
    """Training and test graphs with the features of the model of a unit."""
    model = trained(graphs, replace(QUICK, features=spec), "sum")
    train, test = (model.prepare(graphs[list(part)]) for part in (split.train, split.test))
    return train, test


def test_unit_equals_the_steps_taken_one_by_one():
    graphs, work = mutag(), unit("hap")
    found, split = run(work), opened().split(0, 0)
    train, valid, test = (graphs[list(part)] for part in vars(split).values())
    pipeline = FeaturePipeline("auto").fit(train)
    seed = DATA.training_seed(0, 0, 0)
    seed_everything(seed)
    model = build_model(QUICK.model, pipeline.channels, 2, edge_channels=pipeline.edge_channels)
    model.measure(train)
    task = ClassificationTask(2)
    made = fit(
        model, task, pipeline.transform(train), pipeline.transform(valid),
        replace(QUICK.train, seed=seed, threads=1), progress=False,
    )  # fmt: skip
    predicted = predict_logits(model, pipeline.transform(test), 128).argmax(1)
    assert trained(graphs).probabilities(test).argmax(1).tolist() == predicted.tolist()
    assert found.accuracy == pytest.approx(float((predicted == test.y).float().mean()))
    assert found.best_epoch == made.best_epoch
    assert found.valid["accuracy"] == made.best_metrics["accuracy"]
    assert found.epochs == 3
    assert found.parameters == sum(p.numel() for p in model.parameters())


@pytest.mark.parametrize("method", ["hap", "wl"])
def test_test_graphs_have_no_say_in_what_is_chosen(method):
    work = unit(method, epochs=6)
    changed = with_test_changed(mutag(), opened().split(0, 0))
    split = opened().split(0, 0)
    # The same split, whatever the classes are.
    before, after = (
        run_unit(work, Graphs(DATA, graphs, {0: (split,)})) for graphs in (mutag(), changed)
    )
    chosen = ("best_epoch", "epochs", "valid", "chosen", "parameters")
    assert [getattr(before, name) for name in chosen] == [getattr(after, name) for name in chosen]


def test_label_of_test_graphs_only_is_unknown():
    graphs = mutag()
    split = opened().split(0, 0)
    rare = split.test[0]
    label = graphs.node_label.clone()
    start = int(graphs.node_ptr[rare])
    label[start] = len(graphs.node_label_names)
    graphs = replace(
        graphs, node_label=label, node_label_names=(*graphs.node_label_names, "unheard-of")
    )
    _, usual = features(mutag(), split, "labels")
    train, test = features(graphs, split, "labels")
    assert train.x.shape[1] == test.x.shape[1]
    assert test.x[0].tolist() == [0.0] * test.x.shape[1]
    assert usual.x[0].sum() == 1
    assert torch.equal(test.x[1:], usual.x[1:])
    notes = run(unit("sum"), graphs).notes
    assert any("not seen in training" in note for note in notes)


def test_attributes_are_standardised_on_training_graphs():
    graphs, split = mutag(), opened().split(0, 0)
    values = torch.arange(float(graphs.num_nodes)).unsqueeze(1)
    train, _ = features(replace(graphs, node_attr=values), split, "attributes")
    assert float(train.x.mean()) == pytest.approx(0, abs=1e-5)
    assert float(train.x.std(correction=0)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("method", [*METHODS, "wl", "majority"])
def test_every_method_gives_a_whole_result(method, tmp_path):
    work, split = unit(method), opened().split(0, 0)
    result = run(work)
    sizes = {"train": len(split.train), "valid": len(split.valid), "test": len(split.test)}
    assert result.sizes == sizes
    assert 0 <= result.accuracy <= 1
    RecordFile(tmp_path / "records.jsonl").append(result)
    assert RecordFile(tmp_path / "records.jsonl").read() == [result]
    assert result.key == work.key


def test_health_of_every_level_is_kept():
    graphs = mutag()
    counts = graphs.places(PlaceRule("given", clusters=3, most=3)).counts
    tested = counts[list(opened().split(0, 0).test)].double().mean()
    for name in ("hap", "hap-one-way"):
        health = run(unit(name)).health
        assert health["level1/clusters"] == pytest.approx(float(tested))
    assert 1 <= health["level1/effective_rank"] <= 3


def test_a_unit_chooses_on_its_own_validation_graphs():
    config = replace(QUICK, model=replace(QUICK.model, clusters=(), cluster_count="validation"))
    found = run(unit("hap", config))
    chosen = replace(config.model, **current_names({"model": found.chosen})["model"])
    # The same unit with what was chosen: nothing of the pilots is left in it.
    plain = run(unit("hap", replace(config, model=chosen)))
    assert found.metrics == plain.metrics
    assert (found.best_epoch, found.valid) == (plain.best_epoch, plain.valid)
    assert found.seconds["choose"] > 0
    assert plain.chosen == {}


@pytest.mark.parametrize("method", ["hap-paper", "diffpool", "sum"])
def test_methods_without_places_have_nothing_to_choose(method):
    config = replace(QUICK, model=replace(QUICK.model, clusters=(), cluster_count="validation"))
    assert run(unit(method, config)).chosen == {}


def test_folds_and_seeds_start_from_other_weights():
    assert (
        len(
            {
                DATA.training_seed(base, seed, fold)
                for base in (0, 1)
                for seed in (0, 1)
                for fold in (0, 1)
            }
        )
        == 8
    )


def key(method: str = "hap", name: str = "a", seed: int = 0, **changes: object) -> str:
    config = replace(QUICK, **changes)  # type: ignore[arg-type]
    return unit_of(method, GraphData(name, CV3), config, seed, 0).key


@pytest.mark.parametrize(
    "other",
    [
        {"method": "sum"},
        {"name": "b"},
        {"seed": 1},
        {"features": "degree"},
        {"model": replace(QUICK.model, hidden_channels=9)},
        {"train": replace(QUICK.train, epochs=4)},
    ],
    ids=lambda values: next(iter(values)),
)
def test_what_matters_changes_the_key(other):
    assert key(**other) != key()


def test_what_does_not_matter_keeps_the_key():
    other = replace(QUICK.train, threads=2, checkpoint_seconds=1.0, device="cuda")
    assert key(train=other) == key()
    assert key("majority", train=replace(QUICK.train, epochs=9)) == key("majority")


class FirstClass(ClassificationTask):
    """A task that the package does not know, with a baseline of its own."""

    name = "first class"

    @classmethod
    def baselines(cls) -> dict[str, Baseline]:
        return {"first": Baseline("rule", "always the first class", {"class": 0})}

    def baseline_figures(self, name: str, data: TaskData, watch: Stopwatch) -> Figures:
        assert data.test.y is not None
        share = float((data.test.y == 0).double().mean())
        return Figures({"test": {"accuracy": share}})


def test_experiments_need_not_know_a_task(monkeypatch):
    monkeypatch.setitem(TASKS, "first class", FirstClass)
    data = replace(DATA, task="first class")
    work = unit_of("first", data, QUICK, 0)
    found = run_unit(work, Graphs(data, mutag()))
    test = mutag()[list(opened().split(0, 0).test)]
    assert found.accuracy == pytest.approx(float((test.y == 0).float().mean()))
    assert (found.task, found.kind) == ("first class", "rule")
    assert found.settings == {"rule": "first", "class": 0}
    assert check_methods(["first", "sum"], "first class") == ("first", "sum")
    with pytest.raises(ConfigError, match="no rule 'majority'"):
        Unit(data, "majority", None, 0)


def test_methods_of_another_task_are_refused_by_name_of_that_task():
    with pytest.raises(ConfigError, match="with --task matching or --task similarity"):
        check_methods(["gmn"])


class _Stopped(BaseException):
    """A worker that ends in the middle of a unit."""


def test_a_stopped_unit_goes_on_from_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = unit("sum", epochs=4, checkpoint_seconds=0.0)
    whole = run(work)
    epochs: list[int] = []
    finish = loop._Run._finish_epoch

    def counted(self: loop._Run) -> bool:
        epochs.append(self.state.counters.epoch)
        if len(epochs) == 3:
            raise _Stopped
        return finish(self)

    monkeypatch.setattr(loop._Run, "_finish_epoch", counted)
    folder = tmp_path / work.key
    with pytest.raises(_Stopped):
        run_unit(work, opened(), folder)
    record = run_unit(work, opened(), folder)
    assert epochs == [0, 1, 2, 2, 3]
    assert replace(record, seconds={}) == replace(whole, seconds={})
    assert not folder.exists()

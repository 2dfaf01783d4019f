"""Train the network of a unit for figures, and add its record unless there is one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from graphpool.data import load as datasets
from graphpool.data.splits import Split
from graphpool.errors import FeatureWarning, TrainingWarning, collect_warnings
from graphpool.evaluation.prediction import Stopwatch
from graphpool.experiments.example_files import Graphs
from graphpool.experiments.examples import GraphData
from graphpool.experiments.experiment import Experiment
from graphpool.experiments.experiment_records import ExperimentRecords
from graphpool.experiments.plan import open_sources
from graphpool.experiments.run_unit import empty_record, fit_unit, trained_fields
from graphpool.experiments.unit import Unit
from graphpool.files import scratch_folder, strict_json
from graphpool.graphs.graphset import GraphSet
from graphpool.models.model import TrainedModel
from graphpool.tasks import find_task
from graphpool.tasks.graph_task import SplitData
from graphpool.training.environment import thread_count
from graphpool.training.health_warnings import health_warnings


@dataclass(frozen=True, eq=False)
class TrainedUnit:
    """A unit and its network.

    Attributes:
        experiment: name of the experiment.
        unit: with facts of its set.
        graphs: the whole set, without features that were made.
        split: positions of the parts that trained, chose the epoch and tested.
        model: what was trained.
        accuracy: on the test graphs.
    """

    experiment: str
    unit: Unit
    graphs: GraphSet
    split: Split
    model: TrainedModel
    accuracy: float


@contextmanager
def trained_unit(
    own: Experiment, unit: Unit, project: Path, root: str | Path | None
) -> Iterator[TrainedUnit]:
    """Train a unit in one thread; what is measured of it inside the `with` has one thread, too."""
    with scratch_folder() as folder:
        (unit,) = open_sources([unit], folder, root)
    assert isinstance(unit.data, GraphData)
    graphs = datasets.find(unit.data.set, root, features=None)
    if graphs.x_from:
        graphs = replace(graphs, x=None, x_from="", edge_x=None)
    with (
        thread_count(1),
        collect_warnings(FeatureWarning) as notes,
        collect_warnings(TrainingWarning),
    ):
        examples = Graphs(unit.data, graphs).examples(unit.seed, unit.fold, unit.rules)
        model, accuracy = _train(own, unit, examples, notes, project)
        assert examples.split is not None
        yield TrainedUnit(own.name, unit, graphs, examples.split, model, accuracy)


def _train(
    own: Experiment, unit: Unit, data: SplitData, notes: list[str], project: Path
) -> tuple[TrainedModel, float]:
    """Train and test a unit, and add its record unless there is one; return test accuracy, too."""
    assert unit.config is not None
    watch = Stopwatch()
    task = find_task(unit.task).of_data(data)
    model = fit_unit(unit, unit.config, task, data, watch)
    with watch.part("test"):
        figures = model.task.figures(model, data)
    records = ExperimentRecords(own, project)
    finished = {known.key for known, record in records.records.items() if not record.error}
    if unit.key not in finished:
        values = {**trained_fields(model), "metrics": figures.metrics, "health": figures.health}
        more = (*figures.warnings, *health_warnings(figures.health))
        values["warnings"] = list(dict.fromkeys((*values["warnings"], *more)))
        values |= {
            "notes": notes,
            **data.facts,
            "command": f"graphpool experiments figures {own.name}",
        }
        values["seconds"] = {name: round(each, 4) for name, each in watch.seconds.items()}
        records.file.append(replace(empty_record(unit), **strict_json(values)))
    (tested,) = figures.metrics.values()
    return model, float(tested["accuracy"])

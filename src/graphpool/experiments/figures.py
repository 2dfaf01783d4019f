"""Figures of experiments: maps of the graph vectors of trained networks.

`make_figures` trains the network of every map that is not finished, on the first fold of the first
seed, and keeps coordinates and numbers in `results/figures/NAME.json`. The picture is drawn from
that file, together with the pages.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.data import load as datasets
from graphpool.documents import read_json
from graphpool.errors import FeatureWarning, TrainingWarning, collect_warnings
from graphpool.evaluation.prediction import Stopwatch
from graphpool.experiments.cells import RESULTS, ExperimentRecords
from graphpool.experiments.example_files import Graphs
from graphpool.experiments.examples import GraphData
from graphpool.experiments.experiment import Experiment, MapFigure, list_experiments
from graphpool.experiments.machine import machine, provenance
from graphpool.experiments.methods import check_known
from graphpool.experiments.plan import open_sources, planned_cells
from graphpool.experiments.run_unit import empty_record, fit_unit, trained_fields
from graphpool.experiments.unit import Unit
from graphpool.files import scratch_folder, strict_json, write_json
from graphpool.models.model import TrainedModel
from graphpool.report.draw.map_grid import Map, map_grid
from graphpool.report.draw.tsne import layout
from graphpool.report.style import plain_style
from graphpool.tasks import find_task
from graphpool.tasks.graph_task import SplitData
from graphpool.training.environment import thread_count

FOLDER = "figures"
NEIGHBOURS = 5
SCALE = 1000  # of stored coordinates, from 0 on

Array = NDArray[Any]


def figure_file(figure: MapFigure, project: Path) -> Path:
    """Where the coordinates and numbers of a figure are kept."""
    return project / RESULTS / FOLDER / f"{figure.name}.json"


def make_figures(
    name: str,
    project: str | Path = ".",
    *,
    root: str | Path | None = None,
    again: bool = False,
) -> list[Path]:
    """Train what the figures of an experiment need, and return the files of their numbers.

    Args:
        name: of the file `experiments/NAME.toml`.
        project: folder with `experiments/` and `results/`.
        root: folder of data files.
        again: train finished maps once more.
    """
    experiments, project = list_experiments(project), Path(project)
    check_known(name, experiments, "no experiment")
    own = experiments[name]
    files = []
    for figure in own.figures:
        path = figure_file(figure, project)
        found = _read(path)
        for (method, data), unit in figure_units(own, figure).items():
            known = found["sets"].get(data, {}).get("methods", {}).get(method)
            if known and known["unit"] == unit.key and not again:
                continue
            _add_map(found, own, figure, method, data, unit, project, root)
            write_json(path, found)
        files.append(path)
    return files


def figure_units(own: Experiment, figure: MapFigure) -> dict[tuple[str, str], Unit]:
    """The units whose networks a figure shows, by method and data."""
    cells = planned_cells(own)
    methods = figure.methods or tuple(name for name, each in own.methods.items() if not each.rule)
    names = figure.data or tuple(entry.name for entry in own.data)
    return {
        (method, data): cells[method, data][0]
        for data in names
        for method in methods
        if (method, data) in cells
    }


def figure_picture(own: Experiment, figure: MapFigure, project: Path) -> str | None:
    """The picture as an SVG document; None while a map is missing."""
    path = figure_file(figure, project)
    found, units = _read(path), figure_units(own, figure)
    rows: dict[str, list[Map]] = {}
    for method, data in units:
        measured = found["sets"].get(data, {})
        if method not in measured.get("methods", {}):
            return None
        row = measured["methods"][method]
        title = (own.methods[method].title or method).replace("`", "")
        numbers = (
            f"accuracy {100 * row['accuracy']:.1f} %, "
            f"{NEIGHBOURS} neighbours {100 * row['neighbours']:.1f} %"
        )
        points = np.array(row["points"].split(), dtype=float).reshape(-1, 2) / SCALE
        rows.setdefault(data, []).append(
            Map(title, numbers, points, _flags(measured["class"]), _flags(measured["tested"]) > 0)
        )
    named = {
        f"{data}: {found['sets'][data]['test graphs']:,} test graphs (dark) and "
        f"{len(maps[0].y) - int(maps[0].strong.sum()):,} that trained or chose the epoch (pale)":
        maps
        for data, maps in rows.items()
    }  # fmt: skip
    return plain_style(map_grid(named, figure.title))


def neighbour_accuracy(train: Array, y: Array, test: Array, wanted: Array) -> float:
    """Share of test vectors whose nearest training vectors are mostly of their class."""
    from sklearn.neighbors import KNeighborsClassifier

    judge = KNeighborsClassifier(min(NEIGHBOURS, len(y))).fit(train, y)
    return float((judge.predict(test) == wanted).mean())


def chosen_graphs(tested: Sequence[int], others: Sequence[int], most: int, seed: int) -> Array:
    """Positions of graphs to draw, in order: test graphs, then random ones of the others."""
    drawn = np.random.default_rng(seed)
    first = np.array(tested, dtype=np.int64)
    if len(first) > most:
        first = drawn.choice(first, most, replace=False)
    rest = np.array(others, dtype=np.int64)
    free = most - len(first)
    rest = drawn.choice(rest, free, replace=False) if len(rest) > free else rest
    return np.sort(np.concatenate([first, rest]))


# ---------------------------------------------------------------------- one map


def _add_map(
    found: dict[str, Any], own: Experiment, figure: MapFigure, method: str, data: str,
    unit: Unit, project: Path, root: str | Path | None,
) -> None:  # fmt: skip
    """Train a unit, put its map into a document, and its record into the record file."""
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
        vectors = model.embed(graphs)
    assert graphs.y is not None
    assert examples.split is not None
    y, split = graphs.y.numpy(), examples.split
    others = [*split.train, *split.valid]
    shown = chosen_graphs(split.test, others, figure.graphs, unit.seed)
    tested = np.isin(shown, np.array(split.test))
    train, test = list(split.train), list(split.test)
    plane = layout(vectors[shown], unit.seed)
    plane = (plane - plane.min(0)) / max(float(np.ptp(plane, axis=0).max()), 1e-9)
    found |= {"machine": machine(), "versions": provenance()}
    row = found["sets"].setdefault(data, {})
    row |= {
        "test graphs": int(tested.sum()),
        "class": " ".join(map(str, y[shown].tolist())),
        "tested": " ".join(map(str, tested.astype(int).tolist())),
    }
    row.setdefault("methods", {})[method] = {
        "unit": unit.key,
        "accuracy": accuracy,
        "neighbours": neighbour_accuracy(vectors[train], y[train], vectors[test], y[test]),
        "points": " ".join(map(str, np.rint(SCALE * plane).astype(int).ravel().tolist())),
    }


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
    if unit.key not in {known.key for known in records.records}:
        values = {**trained_fields(model), "metrics": figures.metrics, "health": figures.health}
        values |= {
            "notes": notes,
            **data.facts,
            "command": f"graphpool experiments figures {own.name}",
        }
        values["seconds"] = {name: round(each, 4) for name, each in watch.seconds.items()}
        records.file.append(replace(empty_record(unit), **strict_json(values)))
    (tested,) = figures.metrics.values()
    return model, float(tested["accuracy"])


def _read(path: Path) -> dict[str, Any]:
    return read_json(path, dict[str, Any]) if path.exists() else {"sets": {}}


def _flags(text: str) -> Array:
    return np.array(text.split(), dtype=int)

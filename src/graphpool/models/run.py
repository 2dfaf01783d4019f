"""Training runs from settings to result, and pages about them: what the commands do, in Python."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from graphpool.config import RunConfig, resolve
from graphpool.data import load as datasets
from graphpool.data.bad_rows import collect_bad_rows, write_bad_rows
from graphpool.data.molecules.published import published_metric
from graphpool.data.source import set_digest
from graphpool.errors import DataError, GraphpoolError
from graphpool.features.pipeline import has_edge_features
from graphpool.files import write_json
from graphpool.graphs.graphset import GraphSet
from graphpool.models.model import TrainedModel
from graphpool.models.run_folder import CONFIG, LEFT_OUT, REPORT, RESULT, RunFolder
from graphpool.tasks import TaskData, find_task


def train_run(
    config: RunConfig,
    folder: str | Path | RunFolder,
    *,
    root: Path | None = None,
    progress: bool = True,
    started: Callable[[TaskData, RunConfig], None] = lambda data, config: None,
) -> tuple[TrainedModel, dict[str, Any]]:
    """Open examples, train a model on them, test it, and keep everything in one folder.

    Args:
        config: settings of the run.
        folder: where it goes; a `RunFolder` says whether to go on with the run that is there.
        root: folder of data files.
        progress: show a bar if stderr is a terminal.
        started: called with the examples and the settings, as resolved for them, before training.

    Returns:
        The model, and the document that the folder holds as `result.json`.
    """
    with folder if isinstance(folder, RunFolder) else RunFolder(folder, config) as run:
        task = find_task(config.task)
        with collect_bad_rows() as bad:
            data = task.open(config, root, run)
        posed = task.of(data.train)
        graphs = posed.used(data.train)
        metric, count = published_metric(graphs.notes), posed.single_graphs(graphs)
        config = resolve(config, has_edge_features(graphs), metric, count)
        config = replace(config, split=getattr(data, "split_name", config.split))
        run.write_settings(config, data.facts)
        if bad:
            write_bad_rows(run.path / LEFT_OUT, bad)
        started(data, config)
        model = TrainedModel.fit(
            data.train,
            data.valid,
            config,
            source=data.source,
            folder=run.path,
            resume=run.resume,
            progress=progress,
        )
        document = model.test(data)
        write_json(run.path / RESULT, document)
    return model, document


def report_run(
    folder: str | Path, path: str | Path | None = None, root: Path | None = None
) -> Path:
    """Write the page about a finished run.

    Args:
        folder: of the run.
        path: of the page; by default `report.html` in the folder.
        root: folder of data files.
    """
    run = RunFolder(folder)
    config, document = run.config(), run.result()
    data = find_task(config.task).open_test(config, root, run)
    run.check_examples(data.facts)
    document["command"] = f"graphpool train --config {run.path / CONFIG}"
    model = TrainedModel.load(run.path)
    try:
        return model.report(path or run.path / REPORT, data, document, run.history())
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, GraphpoolError):
            raise
        raise run.unusable_result(f"{type(error).__name__}: {error}") from error


def training_graphs(model: TrainedModel, root: Path | None = None) -> GraphSet:
    """Return the graphs that trained a model and chose its epoch.

    They are those in its file, or else opened again from the set that it was trained on.

    Args:
        root: folder of data files.
    """
    if model.graphs is not None:
        return model.graphs
    graphs, source = datasets.find(model.config.data, root, features=None), model.source
    if source is None or set_digest(graphs) != source.digest:
        raise DataError(f"{graphs.name} has changed since the model was trained on it")
    return graphs[np.setdiff1d(np.arange(len(graphs)), source.held_out).astype(np.int64)]

"""Graphs with numbers to predict: opening sets of them, matching targets by name, baselines."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphpool.data import load as datasets
from graphpool.errors import DataError, plural
from graphpool.evaluation.baselines.kernel import WL_ITERATIONS
from graphpool.evaluation.baselines.numbers import RIDGE, mean_value, wl_ridge
from graphpool.evaluation.prediction import Stopwatch
from graphpool.evaluation.regression import number_metrics
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.tasks.base import Baseline, Figures
from graphpool.tasks.graph_task import SplitData, is_omission, missing_values

BASELINES = {
    "wl": Baseline(
        "kernel",
        "Weisfeiler–Lehman subtree kernel and ridge regression, h and penalty chosen on validation "
        "graphs",
        {"iterations": list(WL_ITERATIONS), "ridge": list(RIDGE)},
    ),
    "constant": Baseline("rule", "always the mean of the training graphs"),
}


def open_targets(data: str | GraphSet, root: Path | None = None) -> GraphSet:
    """Open a set whose graphs have numbers to predict; classes that are numbers are taken as such.

    Graphs for which no target is known are left out, and `notes` say how many.
    """
    graphs = datasets.find(data, root, features=None) if isinstance(data, str) else data
    graphs = with_numbers(graphs)
    known = known_rows(graphs)
    if bool(known.all()):
        return graphs
    if not bool(known.any()):
        names = ", ".join(graphs.target_names[:5])
        problems = [f"no graph has a known value of {names}", *filter(is_omission, graphs.notes)]
        raise DataError(f"{graphs.name}: {'; '.join(problems)}; give another target")
    left_out = int((~known).sum())
    note = f"{plural(left_out, 'graph')} without a known target left out"
    return replace(graphs[known], notes=(*graphs.notes, note))


def with_numbers(graphs: GraphSet) -> GraphSet:
    """Return the graphs with targets alone: their own, or classes that are numbers."""
    if graphs.target is not None:
        return replace(graphs, y=None, classes=()) if graphs.y is not None else graphs
    if graphs.y is None:
        raise DataError(f"{graphs.name} has no numbers to predict; {missing_values(graphs)}")
    names = graphs.classes or tuple(range(int(graphs.y.max()) + 1))
    if not all(isinstance(name, int) for name in names):
        word = next(name for name in names if not isinstance(name, int))
        raise DataError(
            f"{graphs.name} has the class {word!r}, which is no number; learn classes with "
            "GraphClassifier, or --task classification"
        )
    values = torch.tensor(names, dtype=torch.float32, device=graphs.device)
    return replace(graphs, y=None, classes=()).with_target(values[graphs.y].unsqueeze(1))


def known_rows(graphs: GraphSet) -> Tensor:
    """Return whether some target of each graph is known, `[graphs]`."""
    return ~targets_of(graphs).isnan().all(dim=1)


def targets_of(graphs: GraphSet | GraphBatch) -> Tensor:
    """Return the numbers to predict of graphs, which must have them."""
    if graphs.target is None:
        raise DataError("these graphs have no targets to compare with")
    return graphs.target


def align_targets(graphs: GraphSet, names: tuple[str, ...]) -> GraphSet:
    """Return the graphs with the targets of these names, in this order.

    Targets without names of their own, as many as the names, are taken as they come.
    """
    graphs = with_numbers(graphs)
    own = graphs.target_names
    if own == names:
        return graphs
    target = targets_of(graphs)
    if set(names) <= set(own):
        return graphs.with_target(target[:, [own.index(name) for name in names]], names)
    if len(own) == len(names) == 1:
        return graphs.with_target(target, names)
    raise DataError(
        f"{graphs.name} has the targets {', '.join(own)}; the model predicts {', '.join(names)}"
    )


def baseline_figures(name: str, data: SplitData, watch: Stopwatch) -> Figures:
    """Run a baseline on a split, and return its errors."""
    assert data.split is not None
    target = targets_of(data.graphs).cpu().double().numpy()
    if name == "constant":
        with watch.part("train"):
            answer = mean_value(target, data.split)
    else:
        answer = wl_ridge(data.graphs, target, data.split, watch)

    def metrics(predicted: Any, part: tuple[int, ...]) -> dict[str, float]:
        actual = torch.from_numpy(target[np.array(part)])
        return number_metrics(torch.from_numpy(predicted), actual)

    tested = metrics(answer.test, data.split.test)
    return Figures({"test": tested}, metrics(answer.valid, data.split.valid), answer.chosen)

"""Graphs with classes: opening sets of them, and matching classes by name."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from graphpool.data import load as datasets
from graphpool.errors import DataError
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet

LEAST_GRAPHS = 10


def open_classes(data: str, root: Path | None = None) -> GraphSet:
    """Open a set whose graphs must have classes."""
    graphs = datasets.find(data, root, features=None)
    if graphs.y is None:
        raise DataError(f"{graphs.name} has no classes; give every graph a y, or use predict")
    return graphs


def open_training(data: str, root: Path | None = None) -> GraphSet:
    """Open a set to learn from: enough graphs for ten parts, of more than one class."""
    graphs = open_classes(data, root)
    assert graphs.y is not None
    if len(graphs) < LEAST_GRAPHS:
        raise DataError(
            f"{graphs.name} has {len(graphs)} graphs; at least {LEAST_GRAPHS} are needed, to "
            "train, to choose the epoch and to test on"
        )
    if bool((graphs.y == graphs.y[0]).all()):
        raise DataError(
            f"all graphs of {graphs.name} are of one class; a classifier needs at least two"
        )
    return graphs


def align_classes(graphs: GraphSet, classes: tuple[Any, ...]) -> GraphSet:
    """Return the same graphs with `y` counted in `classes`, matched by name."""
    own = graphs.classes
    if graphs.y is None or not own or own == classes:
        return graphs
    # The class 1 of one file and the class "1" of another are the same to a user.
    code_of = {str(name): code for code, name in enumerate(classes)}
    strange = [
        name
        for code, name in enumerate(own)
        if str(name) not in code_of and bool((graphs.y == code).any())
    ]
    if strange:
        raise DataError(
            f"{graphs.name} has the class {strange[0]!r}, which the model does not know; its "
            f"classes are {', '.join(str(name) for name in classes)}"
        )
    codes = torch.tensor([code_of.get(str(name), -1) for name in own], device=graphs.device)
    return replace(graphs, y=codes[graphs.y], classes=classes)


def classes_of(batch: GraphBatch) -> Tensor:
    """Return the classes of a batch, which must have them."""
    if batch.y is None:
        raise DataError("these graphs have no classes to compare with")
    return batch.y


def majority_share(graphs: GraphSet) -> float:
    """Return the share of the most frequent class."""
    assert graphs.y is not None
    return float(graphs.y.bincount().max()) / len(graphs)

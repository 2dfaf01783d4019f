"""What estimators of values about graphs share: numbers, or labels of 0 and 1, some unknown."""

from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from graphpool.data.splits import strata_of
from graphpool.errors import InputError, plural, warn
from graphpool.estimators.base import GraphEstimator, Graphs, packed
from graphpool.estimators.parts import held_out_part, validation_parts, weighted_graphs
from graphpool.estimators.values import as_array
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.tasks import find_task
from graphpool.tasks.graph_task import SplitData
from graphpool.tasks.targets import align_targets, known_rows, targets_of, with_numbers

Array = NDArray[Any]
T = TypeVar("T", bound="TargetEstimator")


class TargetEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GraphEstimator):
    """An estimator whose `y` is `[graphs]` or `[graphs, targets]`, NaN where unknown."""

    def fit_transform(self, graphs: Graphs, y: Any = None, **fit_params: Any) -> Array:
        """Train on `graphs`, as `fit` does, and return their vectors, `[graphs, channels]`."""
        fitted: TargetEstimator = self.fit(graphs, y, **fit_params)
        return fitted._model.embed(packed(graphs, classes=False))

    def predict(self, graphs: Graphs) -> Array:
        """Return what the model predicts for each graph."""
        return self._model.predict(packed(graphs, classes=False))

    def transform(self, graphs: Graphs) -> Array:
        """Return graph vectors, `[graphs, channels]`."""
        return self._model.embed(packed(graphs, classes=False))

    def levels(self, graphs: Graphs) -> tuple[PoolOutput, ...]:
        """Return every level of all graphs as one batch: features, adjacency, assignment."""
        graphs = packed(graphs, classes=False)
        self._model.check_labels(graphs)
        return self._model.levels(graphs)

    def report(self, path: str | Path, graphs: Graphs, y: Any = None) -> Path:
        """Write an HTML page about the model and these test graphs.

        Args:
            graphs: which the model has not seen.
            y: their true values, as in `fit`; by default those of the set.
        """
        graphs = with_target(packed(graphs, classes=y is None), y)
        return self._model.report(path, SplitData(graphs, graphs=graphs))

    # ------------------------------------------------------------------ inside

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        tags.transformer_tags.preserves_dtype = []  # graphs have none
        return tags

    @property
    def _n_features_out(self) -> int:
        network: Any = self._model.network
        return int(network.embedding_channels)

    def _fit_values(self: T, graphs: Graphs, y: Any, sample_weight: Any, validation_data: Any) -> T:
        """Train on the graphs for which some value is known."""
        graphs = packed(graphs, classes=y is None)
        config = self._run_config(graphs.name)
        known = _known(weighted_graphs(with_target(graphs, y), sample_weight))
        if validation_data is None:
            train, valid = self._parts(known)
        else:
            given, more, weight = validation_parts(validation_data, "targets")
            held = weighted_graphs(with_target(given, more), weight)
            train, valid = known, _known(align_targets(held, known.target_names))
        return self._fit(graphs, train, valid, config, task=find_task(self._task).of(train))

    def _parts(self, graphs: GraphSet) -> tuple[GraphSet, GraphSet | None]:
        """Graphs to learn from, and a part with the same mix of values that chooses the epoch."""
        if not self._validation_share():
            return graphs, None
        valid = held_out_part(graphs.name, strata_of(graphs), self.validation, self.seed)
        return graphs[np.flatnonzero(~valid)], graphs[np.flatnonzero(valid)]


def with_target(graphs: GraphSet, y: Any) -> GraphSet:
    """Return the graphs with values to predict: those of `y`, or their own."""
    if y is None or y is graphs.target:
        return with_numbers(graphs)
    if y is graphs.y:
        return with_numbers(graphs.with_target(None))
    values = as_array("y", y)
    if values.dtype.kind in "mMc":
        what = "complex numbers" if values.dtype.kind == "c" else f"dates or times ({values.dtype})"
        raise InputError(f"y holds {what}; give numbers")
    if values.dtype.kind not in "biuf":
        values = as_array("y", values, np.float64)  # an error names what is no number
    if values.ndim not in (1, 2) or len(values) != len(graphs) or 0 in values.shape[1:]:
        raise InputError(
            f"y has shape {values.shape} for {plural(len(graphs), 'graph')}; give one number each, "
            "or [graphs, targets]"
        )
    if np.isinf(values).any() or (np.abs(values) > np.finfo(np.float32).max).any():
        raise InputError("y holds a number that is not finite; leave that graph out")
    target = torch.from_numpy(values.astype(np.float32).reshape(len(values), -1))
    names = _names(y, target.shape[1], graphs)
    return with_numbers(graphs.with_target(target.to(graphs.device), names))


def scored_target(graphs: GraphSet, y: Any, names: tuple[str, ...]) -> GraphSet:
    """Return the graphs with the values of these names: those of `y`, or their own."""
    given = with_target(graphs, y)
    width = len(given.target_names)
    own = y is None or y is graphs.target or getattr(y, "columns", None) is not None
    if not own and width != len(names):
        raise InputError(f"y has {plural(width, 'column')}; the model predicts {len(names)}")
    return align_targets(given, names)


def _names(y: Any, width: int, graphs: GraphSet) -> tuple[str, ...]:
    """Names of the columns of `y`: those of a data frame, or of as many targets of the set."""
    columns = getattr(y, "columns", None)
    if columns is not None:
        return tuple(map(str, columns))
    return graphs.target_names if len(graphs.target_names) == width > 1 else ()


def _known(graphs: GraphSet) -> GraphSet:
    """The graphs for which some target is known."""
    known = known_rows(graphs)
    if not bool(known.any()):
        raise InputError(f"{graphs.name}: y is NaN for every graph; give numbers")
    for column in targets_of(graphs).isnan().all(dim=0).nonzero().flatten().tolist():
        name = graphs.target_names[column]
        warn(f"{graphs.name}: {name} is unknown for every graph: nothing is learned about it")
    return graphs if bool(known.all()) else graphs[known]

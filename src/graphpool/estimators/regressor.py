"""`GraphRegressor`: numbers about graphs, in scikit-learn style."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, RegressorMixin, TransformerMixin
from sklearn.metrics import r2_score

from graphpool.data.splits import strata_of
from graphpool.errors import ConfigError, DataError, InputError, plural
from graphpool.estimators.base import GraphEstimator, Graphs, packed
from graphpool.estimators.parts import held_out_part, validation_parts, weighted_graphs
from graphpool.estimators.values import as_array, as_weights
from graphpool.graphs.graphset import GraphSet
from graphpool.models.model import TrainedModel
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.tasks.graph_task import SplitData
from graphpool.tasks.regression import RegressionTask
from graphpool.tasks.targets import align_targets, known_rows, targets_of, with_numbers

Array = NDArray[Any]


class GraphRegressor(
    ClassNamePrefixFeaturesOutMixin,
    RegressorMixin,
    TransformerMixin,
    GraphEstimator,
    task="regression",
):
    """Hierarchical adaptive pooling, or any other pooler, as a regressor of graphs.

    It learns one number about a graph or several. Inside they are standardised by the mean and the
    spread of the training graphs; `predict` returns them in their own units. A number that is
    unknown is NaN in `y` and counts neither in the loss nor in a metric.

    `interval="quantile"` or `"gaussian"` also learns an interval that holds 90 % of the values;
    `predict_interval` returns it. The same graphs, settings and seed give the same model to the bit
    on a CPU.

    Args:
        <arguments>

    Attributes:
        target_names_: name of each target.
        result_: history, best epoch and warnings; None for a model that was loaded.
        model_: the `TrainedModel`, with its network and its features.
    """

    target_names_: tuple[str, ...]

    def fit(
        self,
        graphs: Graphs,
        y: Any = None,
        sample_weight: Any = None,
        *,
        validation_data: Any = None,
    ) -> "GraphRegressor":
        """Train on graphs with numbers.

        Args:
            graphs: to learn from.
            y: `[graphs]` or `[graphs, targets]`, NaN where unknown; by default the targets of the
                set, or its classes if they are numbers. Graphs without any are left out.
            sample_weight: one number per graph, how much it counts in the loss; a graph of weight 0
                is left out.
            validation_data: graphs that choose the epoch, as a set with targets, `(graphs, y)` or
                `(graphs, y, sample_weight)`; by default the share `validation` of `graphs`.
        """
        graphs = packed(graphs, classes=y is None)
        config = self._run_config(graphs.name)
        known = _known(weighted_graphs(_with_target(graphs, y), sample_weight))
        if validation_data is None:
            train, valid = self._parts(known)
        else:
            given, more, weight = validation_parts(validation_data, "targets")
            held = weighted_graphs(_with_target(given, more), weight)
            train, valid = known, _known(align_targets(held, known.target_names))
        return self._fit(graphs, train, valid, config, task=RegressionTask.of(train))

    def fit_transform(self, graphs: Graphs, y: Any = None, **fit_params: Any) -> Array:
        """Train on `graphs`, as `fit` does, and return their vectors, `[graphs, channels]`."""
        return self.fit(graphs, y, **fit_params)._model.embed(packed(graphs, classes=False))

    def predict(self, graphs: Graphs) -> Array:
        """Return the numbers, `[graphs]`; of several targets `[graphs, targets]`."""
        return self._model.predict(packed(graphs, classes=False))

    def predict_interval(self, graphs: Graphs) -> tuple[Array, Array]:
        """Return the lower and the upper end of the 90 % interval, shaped like `predict`."""
        model, graphs = self._model, packed(graphs, classes=False)
        model.check_labels(graphs)
        _, lower, upper = model.task.intervals(model, graphs)
        if lower is None or upper is None:
            raise ConfigError(
                "this model has no intervals; fit one with interval='quantile' or 'gaussian'"
            )
        one = len(self.target_names_) == 1
        return (lower[:, 0], upper[:, 0]) if one else (lower, upper)

    def transform(self, graphs: Graphs) -> Array:
        """Return graph vectors, `[graphs, channels]`."""
        return self._model.embed(packed(graphs, classes=False))

    def score(self, graphs: Graphs, y: Any = None, sample_weight: Any = None) -> float:
        """Return R², the mean over the targets; without `y`, against the targets of the set.

        `model_.score(graphs)` has all metrics: MAE, RMSE, R², Spearman.
        """
        model, graphs = self._model, packed(graphs, classes=y is None)
        aligned = align_targets(_with_target(graphs, y), self.target_names_)
        actual = targets_of(aligned).cpu().double().numpy()
        weight = None if sample_weight is None else as_weights(sample_weight, len(graphs), "graph")
        predicted = model.predict(aligned).reshape(actual.shape)
        known = ~np.isnan(actual)
        scores = [
            r2_score(
                actual[chosen, column],
                predicted[chosen, column],
                sample_weight=None if weight is None else weight[chosen],
            )
            for column, chosen in enumerate(known.T)
            if chosen.any()
        ]
        if not scores:
            raise DataError(f"{graphs.name} has no known targets to compare with; give y")
        return float(np.mean(scores))

    def levels(self, graphs: Graphs) -> tuple[PoolOutput, ...]:
        """Return every level of all graphs as one batch: features, adjacency, assignment."""
        graphs = packed(graphs, classes=False)
        self._model.check_labels(graphs)
        return self._model.levels(graphs)

    def report(self, path: str | Path, graphs: Graphs, y: Any = None) -> Path:
        """Write an HTML page about the model and these test graphs.

        Args:
            graphs: which the model has not seen.
            y: their numbers, as in `fit`; by default those of the set.
        """
        graphs = _with_target(packed(graphs, classes=y is None), y)
        return self._model.report(path, SplitData(graphs, graphs=graphs))

    # ------------------------------------------------------------------ inside

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False  # a set has targets
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        tags.regressor_tags.poor_score = True  # on a few vectors, which are no graphs
        tags.transformer_tags.preserves_dtype = []  # graphs have none
        return tags

    @property
    def _n_features_out(self) -> int:
        network: Any = self._model.network
        return int(network.embedding_channels)

    def _take(self, model: TrainedModel) -> "GraphRegressor":
        self.target_names_ = model.task.names
        return super()._take(model)

    def _parts(self, graphs: GraphSet) -> tuple[GraphSet, GraphSet | None]:
        """Graphs to learn from, and a part with the same mix of numbers that chooses the epoch."""
        if not self._validation_share():
            return graphs, None
        valid = held_out_part(graphs.name, strata_of(graphs), self.validation, self.seed)
        return graphs[np.flatnonzero(~valid)], graphs[np.flatnonzero(valid)]


def _with_target(graphs: GraphSet, y: Any) -> GraphSet:
    """The graphs with numbers to predict: those of `y`, or their own."""
    if y is None or y is graphs.target:
        return with_numbers(graphs)
    if y is graphs.y:
        return with_numbers(graphs.with_target(None))
    values = as_array("y", y)
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
    bare = graphs.with_target(target.to(graphs.device))
    return with_numbers(bare)


def _known(graphs: GraphSet) -> GraphSet:
    """The graphs for which some target is known."""
    known = known_rows(graphs)
    if not bool(known.any()):
        raise InputError(f"{graphs.name}: y is NaN for every graph; give numbers")
    return graphs if bool(known.all()) else graphs[known]

"""`GraphRegressor`: numbers about graphs, in scikit-learn style."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from graphpool.errors import ConfigError, DataError
from graphpool.estimators.base import Graphs, packed
from graphpool.estimators.targets import TargetEstimator, scored_target
from graphpool.estimators.values import as_weights
from graphpool.models.model import TrainedModel
from graphpool.tasks.targets import targets_of

Array = NDArray[Any]


class GraphRegressor(RegressorMixin, TargetEstimator, task="regression"):
    """Hierarchical adaptive pooling, or any other pooler, as a regressor of graphs.

    It learns one number about a graph or several. Inside they are standardised by the mean and the
    spread of the training graphs; `predict` returns them in their own units. A number that is
    unknown is NaN in `y` and counts neither in the loss nor in a metric.

    `interval="quantile"` or `"gaussian"` also learns an interval that should hold 90 % of the
    values, calibrated on the validation graphs; `predict_interval` returns it. The same graphs,
    settings and seed give the same model to the bit on a CPU.

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
        return self._fit_values(graphs, y, sample_weight, validation_data)

    def predict(self, graphs: Graphs) -> Array:
        """Return the numbers, `[graphs]`; of several targets `[graphs, targets]`."""
        return super().predict(graphs)

    def predict_interval(self, graphs: Graphs) -> tuple[Array, Array]:
        """Return the lower and the upper end of the 90 % interval, shaped like `predict`.

        The share of 90 % is an average over graphs drawn like the validation graphs. It is not
        promised for graphs of another kind, or if `fit` had no validation graphs.
        """
        model, graphs = self._model, packed(graphs, classes=False)
        model.check_labels(graphs)
        _, lower, upper = model.task.intervals(model, graphs)
        if lower is None or upper is None:
            raise ConfigError(
                "this model has no intervals; fit one with interval='quantile' or 'gaussian'"
            )
        one = len(self.target_names_) == 1
        return (lower[:, 0], upper[:, 0]) if one else (lower, upper)

    def score(self, graphs: Graphs, y: Any = None, sample_weight: Any = None) -> float:
        """Return R², the mean over the targets; without `y`, against the targets of the set.

        `model_.score(graphs)` has all metrics: MAE, RMSE, R², Spearman.
        """
        model, graphs = self._model, packed(graphs, classes=y is None)
        aligned = scored_target(graphs, y, self.target_names_)
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

    # ------------------------------------------------------------------ inside

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False  # a set has targets
        tags.regressor_tags.poor_score = True  # on a few vectors, which are no graphs
        return tags

    def _take(self, model: TrainedModel) -> "GraphRegressor":
        self.target_names_ = model.task.names
        return super()._take(model)

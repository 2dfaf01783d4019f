"""`GraphMultiLabelClassifier`: several labels of 0 and 1 about graphs, in scikit-learn style."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import roc_auc_score

from graphpool.errors import DataError
from graphpool.estimators.base import Graphs, packed
from graphpool.estimators.targets import TargetEstimator, scored_target
from graphpool.estimators.values import as_weights
from graphpool.models.model import TrainedModel
from graphpool.tasks.targets import targets_of

Array = NDArray[Any]


class GraphMultiLabelClassifier(ClassifierMixin, TargetEstimator, task="multilabel"):
    """Hierarchical adaptive pooling, or any other pooler, as a multi-label classifier of graphs.

    Each label of a graph is 0 or 1 by itself: a graph may have none of them, or several. A label
    that is unknown is NaN in `y` and counts neither in the loss nor in a metric. `class_weight`
    is `"balanced"`, so that zeros and ones of a label count the same, or a dict with the weight of
    the ones of some labels.

    The same graphs, settings and seed give the same model to the bit on a CPU.

    Args:
        <arguments>

    Attributes:
        label_names_: name of each label.
        classes_: the values 0 and 1 for each label, as scikit-learn's forests have them.
        result_: history, best epoch and warnings; None for a model that was loaded.
        model_: the `TrainedModel`, with its network and its features.
    """

    label_names_: tuple[str, ...]
    classes_: list[Array]

    def fit(
        self,
        graphs: Graphs,
        y: Any = None,
        sample_weight: Any = None,
        *,
        validation_data: Any = None,
    ) -> "GraphMultiLabelClassifier":
        """Train on graphs with labels.

        Args:
            graphs: to learn from.
            y: `[graphs, labels]` of 0, 1, and NaN where unknown; by default the targets of the set.
                Graphs without any are left out.
            sample_weight: one number per graph, how much it counts in the loss; a graph of weight 0
                is left out.
            validation_data: graphs that choose the epoch, as a set with targets, `(graphs, y)` or
                `(graphs, y, sample_weight)`; by default the share `validation` of `graphs`.
        """
        return self._fit_values(graphs, y, sample_weight, validation_data)

    def predict(self, graphs: Graphs) -> Array:
        """Return the labels, `[graphs, labels]` of 0 and 1: 1 for a probability above 0.5."""
        return super().predict(graphs)

    def predict_proba(self, graphs: Graphs) -> Array:
        """Return the probability that each label is 1, `[graphs, labels]`.

        It is one array, as that of scikit-learn's `MLPClassifier`, and no list with an array for
        each label; rows don't add up to 1.
        """
        return self._model.probabilities(packed(graphs, classes=False))

    def score(self, graphs: Graphs, y: Any = None, sample_weight: Any = None) -> float:
        """Return the mean ROC-AUC of the labels that are 0 for some graphs and 1 for others.

        Without `y`, against the labels of the set. Values that are unknown are left out.
        `model_.score(graphs)` has all metrics: average precision, F1, accuracy.
        """
        model, graphs = self._model, packed(graphs, classes=y is None)
        aligned = scored_target(graphs, y, self.label_names_)
        actual = targets_of(aligned).cpu().numpy()
        weight = np.ones(len(actual))
        if sample_weight is not None:
            weight = as_weights(sample_weight, len(graphs), "graph")
        shares = model.probabilities(aligned)
        scores = [
            roc_auc_score(values[known], share[known], sample_weight=weight[known])
            for values, share in zip(actual.T, shares.T, strict=True)
            for known in [~np.isnan(values) & (weight > 0)]
            if len(np.unique(values[known])) == 2
        ]
        if not scores:
            raise DataError(
                f"{graphs.name} has no label that is 0 for some graphs and 1 for others, which "
                "ROC-AUC needs; score it on more graphs"
            )
        return float(np.mean(scores))

    # ------------------------------------------------------------------ inside

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False  # a set has labels
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags

    def _take(self, model: TrainedModel) -> "GraphMultiLabelClassifier":
        self.label_names_ = model.task.names
        self.classes_ = [np.array([0, 1]) for _ in self.label_names_]
        return super()._take(model)

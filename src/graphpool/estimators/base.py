"""Base class of the estimators: fitted state, saving and loading, and lists of graphs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import torch
from sklearn.exceptions import NotFittedError

from graphpool.errors import ConfigError, DataError
from graphpool.estimators.arguments import ConfigEstimator
from graphpool.graphs.graphset import Graph, GraphSet
from graphpool.models.model import TrainedModel
from graphpool.training.loop import FitResult

Graphs = GraphSet | Sequence[Graph]
E = TypeVar("E", bound="GraphEstimator")


class GraphEstimator(ConfigEstimator):
    """A trained model in scikit-learn style.

    Attributes:
        model_: the `TrainedModel`, with its network and its features.
    """

    model_: TrainedModel
    # Tasks whose models `load` reads; by default that of the estimator.
    _loads: ClassVar[tuple[str, ...]] = ()

    @property
    def result_(self) -> FitResult | None:
        """History, best epoch and warnings of the training; None for a model that was loaded."""
        return self._model.result

    def save(self, path: str | Path) -> Path:
        """Write the fitted model as one file, which `load` and the commands read."""
        return self._model.save(path)

    @classmethod
    def load(cls: type[E], path: str | Path, device: str = "cpu") -> E:
        """Read a model that was saved, or the best one of a run folder of `graphpool train`."""
        model = TrainedModel.load(path, device, tasks=cls._loads or (cls._task,))
        estimator = cls._with_config(model.config, device)
        estimator._take(model)
        return estimator

    # ------------------------------------------------------------------ inside

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)

    @property
    def _model(self) -> TrainedModel:
        if "model_" not in vars(self):
            name = type(self).__name__
            raise NotFittedError(f"this {name} is not fitted yet; call fit first")
        return self.model_

    def _take(self: E, model: TrainedModel) -> E:
        """Take a model that was trained or loaded."""
        self.model_ = model
        return self

    def _validation_share(self) -> float:
        """Return the share of the examples that choose the epoch, checked."""
        if not 0 <= self.validation < 1:
            raise ConfigError(f"validation is {self.validation}; it must lie in [0, 1)")
        return float(self.validation)


def packed(graphs: Graphs) -> GraphSet:
    """Return a set as it is, and a list of graphs, as scikit-learn's splitters make it, packed."""
    if isinstance(graphs, GraphSet):
        return graphs
    if not (isinstance(graphs, Sequence) and graphs and isinstance(graphs[0], Graph)):
        raise DataError(
            f"graphs must be a GraphSet, not {type(graphs).__name__}; "
            "graphpool.read, from_networkx and from_pyg make one"
        )
    first = graphs[0]
    names = ("classes", "node_label_names", "edge_label_names")
    vocabulary = {name: getattr(first, name) for name in names}
    if any(getattr(graph, name) != vocabulary[name] for graph in graphs for name in names):
        raise DataError("a list of graphs must come from one set; concatenate the sets instead")

    def joined(name: str) -> Any:
        parts = [getattr(graph, name) for graph in graphs]
        return None if parts[0] is None else torch.cat(parts)

    rows = [graph.graph_attr for graph in graphs if graph.graph_attr is not None]
    known = [graph.y for graph in graphs if graph.y is not None]
    return GraphSet.build(
        "graphs",
        torch.tensor([graph.num_nodes for graph in graphs]),
        torch.tensor([graph.edge_index.shape[1] for graph in graphs]),
        torch.cat([graph.edge_index for graph in graphs], dim=1),
        ids=[graph.id for graph in graphs],
        graph_attr=torch.stack(rows) if rows else None,
        y=torch.tensor(known) if known else None,
        **{
            name: joined(name)
            for name in ("edge_weight", "edge_label", "edge_attr", "node_label", "node_attr", "x")
        },
        **vocabulary,
    )

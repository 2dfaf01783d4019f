"""Base class of the estimators: arguments, fitted state, saving and loading, lists of graphs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from graphpool.config import (
    CompareConfig,
    ModelConfig,
    RunConfig,
    Setting,
    Task,
    TrainConfig,
    defaults_for,
    from_dict,
    to_dict,
)
from graphpool.config.class_weight import write_class_weight
from graphpool.data.interop import Graphs as Graphs
from graphpool.data.interop import as_graphs
from graphpool.data.source import Source, set_digest
from graphpool.errors import ConfigError, check_real, check_type, nearest
from graphpool.estimators.arguments import (
    argument_settings,
    explain_arguments,
    make_signature,
    refuse_old,
)
from graphpool.features.summary import warn_unused
from graphpool.graphs.graphset import GraphSet
from graphpool.models.model import TrainedModel
from graphpool.training.loop import FitResult

packed = as_graphs
E = TypeVar("E", bound="GraphEstimator")


class GraphEstimator(BaseEstimator):
    """A trained model in scikit-learn style, whose arguments are settings.

    A subclass names its task, and arguments that stand for a setting under another name:
    `class GraphComparer(GraphEstimator, task="similarity", arguments={"triplets":
    "compare.examples"})`.

    Attributes:
        model_: the `TrainedModel`, with its network and its features.
    """

    features: str
    seed: int
    validation: float
    progress: bool
    model_: TrainedModel

    _task: ClassVar[Task]
    # Setting of each argument that is one.
    _settings: ClassVar[Mapping[str, Setting]] = {}
    # Tasks whose models `load` reads; by default that of the estimator.
    _loads: ClassVar[tuple[str, ...]] = ()

    def __init__(self, pooler: str = ModelConfig.pooler, **arguments: Any) -> None:
        """Store the arguments; `fit` checks them."""
        raise TypeError("GraphEstimator is a base class; use one of its subclasses")

    def __init_subclass__(
        cls, task: Task | None = None, arguments: Mapping[str, str] | None = None, **others: Any
    ) -> None:
        super().__init_subclass__(**others)
        if task is None:
            return
        cls._task = task
        cls._settings = argument_settings(task, arguments or {})
        signature = make_signature(task, cls._settings)
        known = list(signature.parameters)[1:]

        def init(self: GraphEstimator, *values: Any, **named: Any) -> None:
            for name in named:
                if name not in known:
                    refuse_old(cls.__name__, name)
                    raise TypeError(
                        f"{cls.__name__} has no argument {name!r}; {nearest(name, known)}"
                    )
            bound = signature.bind(self, *values, **named)
            bound.apply_defaults()
            for name in known:
                setattr(self, name, bound.arguments[name])

        init.__signature__ = signature  # type: ignore[attr-defined]
        init.__name__, init.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
        init.__doc__ = GraphEstimator.__init__.__doc__
        cls.__init__ = init  # type: ignore[method-assign]
        cls.__doc__ = explain_arguments(cls.__doc__ or "", cls._settings)

    @property
    def n_features_in_(self) -> int:
        """Features of each node."""
        return self._model.features.channels

    @property
    def result_(self) -> FitResult | None:
        """History, best epoch and warnings of the training; None for a model that was loaded."""
        return self._model.result

    def set_params(self: E, **params: Any) -> E:
        """Set arguments, as scikit-learn does; an old name is an error that names the new one."""
        for name in params:
            refuse_old(type(self).__name__, name)
        super().set_params(**params)
        return self

    def save(self, path: str | Path, overwrite: bool = False) -> Path:
        """Write the fitted model as one file, which `load` and the commands read.

        Args:
            overwrite: replace a file that exists; else it is an error.
        """
        return self._model.save(path, overwrite)

    @classmethod
    def load(cls: type[E], path: str | Path, device: str = "cpu") -> E:
        """Read a model that was saved, or the best one of a run folder of `graphpool train`."""
        model = TrainedModel.load(path, device, tasks=cls._loads or (cls._task,))
        values = {name: item.value_in(model.config) for name, item in cls._settings.items()}
        return cls(**{**values, "device": device})._take(model)

    # ------------------------------------------------------------------ inside

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # graphs, or pairs of them
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)

    @property
    def _model(self) -> TrainedModel:
        if "model_" not in vars(self):
            name = type(self).__name__
            raise NotFittedError(f"this {name} is not fitted yet; call fit first")
        return self.model_

    def _run_config(self, data: str) -> RunConfig:
        """Return the settings, checked as those of a file are."""
        check_type("progress", self.progress, (bool, np.bool_, int), "True or False")
        values = to_dict(defaults_for(self._task))
        for name, item in self._settings.items():
            section = values[item.section] if item.section else values
            value = getattr(self, name)
            if item.key == "train.class_weight":
                value = write_class_weight(value)
            # Searches over parameters hand over numbers of NumPy.
            section[item.name] = value.item() if isinstance(value, np.generic) else value
        where = type(self).__name__
        return RunConfig(
            task=self._task,
            data=data,
            features=values["features"],
            model=from_dict(ModelConfig, values["model"], where),
            train=from_dict(TrainConfig, values["train"], where),
            compare=from_dict(CompareConfig, values["compare"], where),
        )

    def _fit(
        self: E, graphs: GraphSet, train: Any, valid: Any, config: RunConfig, **task: Any
    ) -> E:
        """Train on examples of these graphs; warn of what they have that is not used."""
        source = Source(set_digest(graphs))
        model = TrainedModel.fit(
            train, valid, config, source=source, progress=self.progress, **task
        )
        warn_unused(model.features.about())
        return self._take(model)

    def _take(self: E, model: TrainedModel) -> E:
        """Take a model that was trained or loaded."""
        self.model_ = model
        return self

    def _validation_share(self) -> float:
        """Return the share of the examples that choose the epoch, checked."""
        check_real("validation", self.validation, 0.0, 1.0)
        if self.validation == 1:
            raise ConfigError("validation is 1; it must lie in [0, 1)")
        return float(self.validation)


def log_probabilities(shares: NDArray[Any]) -> NDArray[Any]:
    """Return logarithms, minus infinity for a probability of 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(shares))

"""The base class of tasks: from examples to the page about a result.

A `Task` opens its examples from a `RunConfig`, builds its network, has the loss and the metrics
that the training loop uses, and knows the baselines that stand beside its results and how a result
reads. Trained models, estimators, experiments and commands are written once over this class.

To add a task:

1. Write one file in `graphpool/tasks` with a subclass of `Task`. Its class attributes are names;
   the methods that the training loop calls are those of its base class
   `graphpool.training.objective.Objective`, those under "examples" open data, and those under
   "results" test a trained model and describe the result. A task over single graphs derives from
   `graphpool.tasks.graph_task.GraphTask`, one over pairs or triplets from
   `graphpool.tasks.pairwise.PairwiseTask`, and inherits most of them.
2. Name it: add the class to `TASKS` in `graphpool/tasks/__init__.py`, and its name, help and
   default settings to `RunConfig.task` and `defaults_for` in `graphpool/config/run.py`.
3. Write a thin estimator in `graphpool/estimators`: a subclass of `GraphEstimator` with
   `task=` and a `fit` that turns its arguments into examples.

Nothing else has to change: `graphpool train`, `evaluate`, `report`, model files, run folders and
experiments ask the task.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, TypeVar, runtime_checkable

from numpy.typing import NDArray
from torch import nn

from graphpool.config import ModelConfig, RunConfig, TrainConfig, defaults_for
from graphpool.config.run import Task as TaskName
from graphpool.data.source import Source, set_digest
from graphpool.data.splits import Split
from graphpool.errors import ConfigError, nearest
from graphpool.evaluation.format import Lines
from graphpool.evaluation.prediction import Stopwatch
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.zoo.build import METHODS, check_settings
from graphpool.report.data import Report
from graphpool.training.objective import Objective

Array = NDArray[Any]
Document = dict[str, Any]
T = TypeVar("T", bound="Task")
History = Sequence[Mapping[str, Any]]
"""One row per epoch, as `graphpool.training.loop.FitResult` has them."""


class Store:
    """Keeps what a run must find again: its split, distances that were computed.

    This one keeps nothing; `graphpool.models.run.RunFolder` writes files.
    """

    def split(self, graphs: GraphSet, protocol: str, seed: int, make: Callable[[], Split]) -> Split:
        """Return the stored split of these graphs; make and store it if there is none."""
        return make()

    def distances(self) -> Path | None:
        """Return the file for distances that are about to be computed, if they are kept."""
        return None


@dataclass(frozen=True, eq=False)
class TaskData:
    """Examples that train, choose the epoch and test.

    Args:
        test: examples that are tested.
        train, valid: None where only a test is wanted.
        source: the set that the graphs come from, if it is one set.
        facts: what decided the examples, and their digests, as JSON; empty if the stored split
            says everything.
        notes: lines about the examples, for a user.
    """

    test: Any
    train: Any = None
    valid: Any = None
    source: Source | None = None
    facts: Document = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def sizes(self) -> dict[str, int]:
        """Number of examples of each part that is there."""
        parts = {"train": self.train, "valid": self.valid, "test": self.test}
        return {name: len(part) for name, part in parts.items() if part is not None}


@dataclass(frozen=True)
class Baseline:
    """A method that trains no network.

    Attributes:
        kind: `kernel`, `rule` or `edit distance`.
        summary: one line about it.
        settings: everything that can change its result, as JSON.
    """

    kind: str
    summary: str = ""
    settings: Document = field(default_factory=dict)


@dataclass(frozen=True)
class Figures:
    """Figures of one method on the test examples of an experiment.

    Attributes:
        metrics: by the name of the test, such as `test`, `20` (nodes) or `ranking`.
        valid: metrics of a baseline on the validation examples; a model has its own.
        chosen: settings of a baseline that the validation examples decided.
        health: of the levels of a model on the test graphs.
        warnings: of `Task.warnings` about the test examples.
    """

    metrics: dict[str, dict[str, float]]
    valid: dict[str, float] = field(default_factory=dict)
    chosen: dict[str, int | float | str] = field(default_factory=dict)
    health: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


@runtime_checkable
class TaskModel(Protocol):
    """The parts of a trained model that tasks use."""

    @property
    def network(self) -> Any:
        """The network, in eval mode."""

    @property
    def config(self) -> RunConfig:
        """Its settings."""

    @property
    def features(self) -> FeaturePipeline:
        """Fitted on the training graphs."""

    @property
    def mean_nodes(self) -> float:
        """Mean number of nodes of a training graph."""

    @property
    def source(self) -> Source | None:
        """Source of the training graphs, if it is known."""

    @property
    def choice(self) -> Any:
        """Choice of the number of places, if validation graphs made it."""

    def prepare(self, graphs: GraphSet) -> GraphSet:
        """Return the graphs with the network's features, on its device."""

    def check_labels(self, graphs: GraphSet) -> None:
        """Refuse graphs none of whose node labels the features know."""

    def embed(self, graphs: GraphSet) -> Array:
        """Return graph vectors, `[graphs, channels]`."""


class Task(Objective):
    """A question about graphs, or about pairs or triplets of them.

    Attributes:
        name: value of `RunConfig.task`.
        question: a few words for `--help`.
        kind: what a model file of this task holds.
        takes: whether a trained model is asked about single graphs or about two.
        use: the command that uses a trained model, with `{path}` for its file.
        noun: what examples are called.
        files: settings of `CompareConfig` that name files which `evaluate --model` may be given.
        columns: metrics that tables show, and the title of each; shares end in `%`.
        main: the metric that methods are compared by.
        main_title: its name in a sentence.
        test_title: title of one of several tests, with `{}` for its name in `Figures.metrics`.
    """

    name: ClassVar[TaskName]
    question: ClassVar[str]
    kind: ClassVar[str]
    takes: ClassVar[Literal["graphs", "pairs"]]
    use: ClassVar[str]
    noun: ClassVar[str]
    files: ClassVar[tuple[str, ...]] = ()
    columns: ClassVar[Mapping[str, str]] = {"accuracy": "accuracy, %"}
    main: ClassVar[str] = "accuracy"
    main_title: ClassVar[str] = "accuracy"
    test_title: ClassVar[str] = ""

    # ------------------------------------------------------------------ settings and network

    @classmethod
    def defaults(cls) -> RunConfig:
        """Return the settings that the task starts from."""
        return defaults_for(cls.name)

    @classmethod
    def check_settings(cls, config: RunConfig) -> None:
        """Raise a `ConfigError` for settings that can't work, before any data is read."""
        methods, pooler = cls.methods(), config.model.pooler
        if pooler not in methods:
            raise ConfigError(f"unknown pooler {pooler!r}; {nearest(pooler, methods)}")
        check_settings(config.model)

    @classmethod
    def methods(cls) -> dict[str, str]:
        """Return the networks that the task can train: name and summary; by default all poolers."""
        return {name: method.summary for name, method in METHODS.items()}

    @classmethod
    @abstractmethod
    def baselines(cls) -> Mapping[str, Baseline]:
        """Return the methods of the task that train no network, by name."""

    @classmethod
    def standard_baselines(cls) -> tuple[str, ...]:
        """Return the methods that stand beside every evaluation; by default all `baselines`."""
        return tuple(cls.baselines())

    @classmethod
    @abstractmethod
    def place_rules(cls, settings: ModelConfig) -> tuple[PlaceRule, ...]:
        """Return every rule by which training with these settings finds places."""

    @abstractmethod
    def build(
        self, settings: ModelConfig, channels: int, mean_nodes: float, edge_channels: int = 0
    ) -> nn.Module:
        """Build the network for features of nodes and of edges with so many channels."""

    def header(self, config: RunConfig) -> Document:
        """Return what a model file says of the task, as JSON."""
        return {"task": self.name}

    @classmethod
    @abstractmethod
    def from_header(cls, about: Document) -> "Task":
        """Rebuild the task from the header of a model file."""

    # ------------------------------------------------------------------ examples

    @classmethod
    @abstractmethod
    def open(
        cls, config: RunConfig, root: Path | None = None, store: Store | None = None
    ) -> TaskData:
        """Open the examples that `config` asks for.

        Args:
            root: folder of data files.
            store: keeps the split and computed distances; by default nothing is kept.
        """

    @classmethod
    def open_test(
        cls, config: RunConfig, root: Path | None = None, store: Store | None = None
    ) -> TaskData:
        """Open the test examples alone, where that is quicker."""
        return cls.open(config, root, store)

    @classmethod
    @abstractmethod
    def of(cls, examples: Any, **options: Any) -> "Task":
        """Return the task that these training examples pose."""

    @classmethod
    def of_data(cls, data: TaskData) -> "Task":
        """Return the task that examples of an experiment pose."""
        return cls.of(data.train)

    @abstractmethod
    def used(self, examples: Any) -> GraphSet:
        """Return the graphs that occur in some example."""

    def single_graphs(self, used: GraphSet) -> int:
        """Return how many graphs answers are learned from one by one: none of those compared."""
        return len(used) if self.noun == "graphs" else 0

    @abstractmethod
    def map_graphs(self, change: Callable[[GraphSet], GraphSet], examples: Any) -> Any:
        """Return the same examples over their graphs as `change` returns them."""

    def configured(self, config: RunConfig) -> "Task":
        """Return the task with what the settings say of it; by default nothing."""
        return self

    def weighted(self, train: Any, valid: Any, settings: TrainConfig) -> tuple[Any, Any]:
        """Return examples with features and the weight of each in the loss; by default all count.

        Args:
            train: examples to learn from.
            valid: examples that choose the epoch, or None.
        """
        return train, valid

    def calibrated(self: T, network: nn.Module, valid: Any) -> T:
        """Return the task with what a trained network is corrected by; by default nothing.

        Args:
            valid: validation examples with features and weights.
        """
        return self

    # ------------------------------------------------------------------ results

    @abstractmethod
    def probabilities(self, model: TaskModel, examples: Any) -> Array:
        """Return the probability of each answer, or of a match."""

    @abstractmethod
    def predict(self, model: TaskModel, examples: Any) -> Array:
        """Return the answer to each example."""

    def prediction_rows(self, model: TaskModel, graphs: GraphSet) -> list[Document]:
        """Return id and prediction of each graph; for tasks over single graphs."""
        answers = self.predict(model, graphs).tolist()
        return [
            {"id": name, "prediction": answer}
            for name, answer in zip(graphs.ids, answers, strict=True)
        ]

    @abstractmethod
    def score(self, model: TaskModel, examples: Any) -> dict[str, float]:
        """Return the metrics of `evaluate` on other examples."""

    def warnings(self, model: TaskModel, examples: Any, metrics: Mapping[str, float]) -> list[str]:
        """Return sentences about predictions that can't be right, such as one for all examples.

        Args:
            metrics: of `evaluate` on these examples.
        """
        return []

    @abstractmethod
    def test(self, model: TaskModel, data: TaskData) -> Document:
        """Return figures on the test examples, beside baselines, as JSON."""

    @abstractmethod
    def test_set(
        self, model: TaskModel, data: str, root: Path | None = None, files: Mapping[str, str] = {}
    ) -> Document:
        """Return figures of a trained model on the set `data`, as JSON.

        Args:
            files: paths by their setting, of those in `Task.files`.
        """

    @abstractmethod
    def figures(self, model: TaskModel, data: TaskData) -> Figures:
        """Return the figures of a trained model in an experiment."""

    @abstractmethod
    def baseline_figures(self, name: str, data: TaskData, watch: Stopwatch) -> Figures:
        """Run one of the `baselines`, and return its figures in an experiment.

        Args:
            watch: counts the seconds of the parts `features`, `train` and `test`.
        """

    @abstractmethod
    def result_lines(self, document: Document) -> Lines:
        """Describe the result of a training run: what `test` returns and how it was trained."""

    @abstractmethod
    def score_lines(self, document: Document) -> Lines:
        """Describe what `test_set` returns."""

    @abstractmethod
    def report(
        self, model: TaskModel, data: TaskData, document: Document, history: History = ()
    ) -> Report:
        """Collect what the page about a trained model shows.

        Args:
            document: of `test`, with what `graphpool.models.model.TrainedModel.test` adds.
            history: rows of the training's epochs.
        """


def held_out(model: TaskModel, graphs: GraphSet) -> tuple[int, ...] | None:
    """Return the graphs that the model has not seen; None for a set that is not its own."""
    source = model.source
    own = source is not None and source.digest == set_digest(graphs)
    return source.held_out if source is not None and own else None


def parts_text(train: Sized, valid: Sized, test: Sized) -> str:
    """`80 train, 10 choose the epoch, 10 test`."""
    return f"{len(train):,} train, {len(valid):,} choose the epoch, {len(test):,} test"

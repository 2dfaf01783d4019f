"""Everything that a report shows, as plain frozen values.

Accuracies are fractions between 0 and 1. Arrays are numpy, on purpose: a report holds no model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from graphpool.report.pictures import ExampleGroup, HierarchyExample, PairExample, QueryExample
from graphpool.report.predictions import Array as Array
from graphpool.report.predictions import BinaryPredictions as BinaryPredictions
from graphpool.report.predictions import ClassPredictions as ClassPredictions
from graphpool.report.predictions import NumberPlot as NumberPlot

Family: TypeAlias = Literal["ours", "baseline", "rule"]


@dataclass(frozen=True)
class ResultRow:
    """One method and every accuracy that was measured for it.

    Args:
        family: `ours` (the first such row is the headline), `baseline` (learns too), or `rule`
            (learns nothing; the first such row is the majority class).
        accuracies: one per fold and seed, in the same order for every row of a report.
        note: a few words beside the name.
        overlap: test graphs over training graphs of the splits, which share graphs and so say
            less than independent measurements; 0 if they are independent.
        interval: 95 % interval of a single accuracy, from the number of its test graphs.
    """

    name: str
    family: Family
    accuracies: Sequence[float]
    note: str = ""
    overlap: float = 0.0
    interval: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not self.accuracies:
            raise ValueError(f"result {self.name!r} has no accuracies")
        if not all(0.0 <= value <= 1.0 for value in self.accuracies):
            raise ValueError(f"result {self.name!r}: accuracies are fractions in [0, 1]")


@dataclass(frozen=True)
class Curve:
    """Learning curves of one run; all sequences have one entry per epoch of `epochs`.

    Args:
        metric: title of the figure beside the loss; a share if it ends in `%`.
    """

    label: str
    epochs: Sequence[int]
    train_loss: Sequence[float]
    valid_loss: Sequence[float]
    train_metric: Sequence[float]
    valid_metric: Sequence[float]
    best_epoch: int | None = None
    metric: str = "Accuracy, %"

    def __post_init__(self) -> None:
        epochs = len(self.epochs)
        for name in ("train_loss", "valid_loss", "train_metric", "valid_metric"):
            found = len(getattr(self, name))
            if found != epochs:
                raise ValueError(
                    f"curve {self.label!r}: {name} has {found} values for {epochs} epochs"
                )


@dataclass(frozen=True, eq=False)
class EmbeddingPlot:
    """The vector of every graph, to be drawn as a map.

    Args:
        vectors: `[graphs, channels]`.
        y: `[graphs]`, true class of each graph, a position in `class_names`.
        predicted: `[graphs]`, the predicted class, if known.
        note: which graphs these are, e.g. that the model has seen them in training.
    """

    vectors: Array
    y: Array
    class_names: Sequence[str]
    ids: Sequence[str]
    predicted: Array | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2:
            raise ValueError(f"embedding vectors of shape {self.vectors.shape}; one row per graph")
        graphs = len(self.vectors)
        for name in ("y", "ids", "predicted"):
            values = getattr(self, name)
            if values is not None and len(values) != graphs:
                raise ValueError(f"embedding of {graphs} graphs has {len(values)} values in {name}")


@dataclass(frozen=True)
class LevelHealth:
    """Health of one coarsening, averaged over graphs.

    Args:
        level: 1 for the first coarsening.
        clusters: of a graph.
        effective_rank: of the assignment, 1 (collapsed) to `clusters`.
        clusters_in_use: clusters that are some node's strongest.
        entropy: of a node's memberships, as a share of the largest possible, 0 to 1.
        off_identity: how far the coarse adjacency is from the identity; 0 means switched off.
        places: whether the clusters are places, of which every graph has its own number.
    """

    level: int
    clusters: int | float
    effective_rank: float | None = None
    clusters_in_use: float | None = None
    entropy: float | None = None
    off_identity: float | None = None
    places: bool = False


@dataclass(frozen=True, eq=False)
class ValuePlot:
    """How values are spread over graphs: a histogram.

    Args:
        name: what is counted.
        values: NaN where unknown.
        whole: whether they are whole numbers.
    """

    name: str
    values: Array
    whole: bool = False


@dataclass(frozen=True)
class CountPlot:
    """How often each of some names occurs, as bars.

    Args:
        name: of what.
        counts: by name.
        noun: what is counted.
    """

    name: str
    counts: Sequence[tuple[str, int]]
    noun: str


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of test pairs, `[pairs]` each: of those that match, and of the others."""

    matching: Array
    others: Array


@dataclass(frozen=True, eq=False)
class DistancePlot:
    """True and predicted distance of test graphs to others, `[pairs]` each."""

    true: Array
    predicted: Array

    def __post_init__(self) -> None:
        if self.true.shape != self.predicted.shape:
            raise ValueError(f"{self.true.shape} true and {self.predicted.shape} predicted ones")
        if not (np.isfinite(self.true).all() and np.isfinite(self.predicted).all()):
            raise ValueError("distances that are drawn must be finite")


@dataclass(frozen=True)
class FigureRow:
    """Figures of one model, method or rule.

    Args:
        figures: by the columns of the table, as they are printed; a missing one is unknown.
        share: the first of them as a fraction, which is drawn as a bar.
        main: whether the page is about this row.
        learns: whether it is a network; rules are drawn paler.
    """

    name: str
    figures: Mapping[str, str]
    share: float
    main: bool = False
    note: str = ""
    learns: bool = False


@dataclass(frozen=True)
class FigureTable:
    """A table of figures, under a title and a sentence.

    Args:
        badge: marks the page's own row.
        first: what the rows are.
    """

    title: str
    words: str
    columns: Sequence[str]
    rows: Sequence[FigureRow]
    badge: str = ""
    first: str = "Method"


@dataclass(frozen=True)
class HeroFigure:
    """A figure in large print at the top of a page, with a few words below it."""

    name: str
    value: str
    unit: str
    below: str


@dataclass(frozen=True, eq=False)
class Report:
    """All that one page shows; every part but the title may be left out.

    Args:
        noun: what examples are called: graphs, pairs or triplets.
        hero: figures at the top, the model's own first; by default those of `results`.
        verdict: a sentence below them.
        metrics: other figures of the model, as they are printed.
        results: accuracies of methods over splits.
        tables: other figures, where a row is not a list of accuracies.
        classes: predictions of test graphs, class by class.
        label_predictions: likewise, label by label.
        numbers: predictions of test graphs, target by target.
        spreads, counts: of a set: histograms, and bars.
        examples: graphs in grids, under a title and a sentence.
        examples_first: whether these stand before the tables.
        labels: names of node labels, which have the same colours in all graphs that are drawn.
    """

    title: str
    subtitle: str = ""
    command: str = ""
    noun: str = "graphs"
    hero: Sequence[HeroFigure] = ()
    verdict: str = ""
    metrics: Mapping[str, str] = field(default_factory=dict)
    dataset: Mapping[str, str | int | float] = field(default_factory=dict)
    results: Sequence[ResultRow] = ()
    tables: Sequence[FigureTable] = ()
    classes: ClassPredictions | None = None
    label_predictions: Sequence[BinaryPredictions] = ()
    numbers: Sequence[NumberPlot] = ()
    scores: Scores | None = None
    distances: DistancePlot | None = None
    queries: Sequence[QueryExample] = ()
    pairs: Sequence[PairExample] = ()
    spreads: Sequence[ValuePlot] = ()
    counts: Sequence[CountPlot] = ()
    examples: Sequence[ExampleGroup] = ()
    examples_title: str = "Examples"
    examples_words: str = ""
    examples_first: bool = False
    labels: Sequence[str] = ()
    curves: Sequence[Curve] = ()
    embedding: EmbeddingPlot | None = None
    hierarchy: Sequence[HierarchyExample] = ()
    health: Sequence[LevelHealth] = ()
    warnings: Sequence[str] = ()
    environment: Mapping[str, str | int | float] = field(default_factory=dict)

    @property
    def headline(self) -> ResultRow | None:
        """The result that the page is about."""
        return next((row for row in self.results if row.family == "ours"), None)

    @property
    def majority(self) -> ResultRow | None:
        """The result of always answering the most frequent class."""
        return next((row for row in self.results if row.family == "rule"), None)

    @property
    def learned(self) -> bool:
        """Whether the model is better than always answering the most frequent class."""
        if self.headline is None or self.majority is None:
            return True
        means = [float(np.mean(row.accuracies)) for row in (self.headline, self.majority)]
        return means[0] > means[1]

    @property
    def best_baseline(self) -> ResultRow | None:
        """The baseline with the highest mean accuracy."""
        rows = [row for row in self.results if row.family == "baseline"]
        return max(rows, key=lambda row: float(np.mean(row.accuracies)), default=None)

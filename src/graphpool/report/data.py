"""Everything that a report shows, as plain frozen values.

Accuracies are fractions between 0 and 1. Arrays are numpy, on purpose: a report holds no model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from graphpool.report.predictions import Array as Array
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


@dataclass(frozen=True, eq=False)
class Level:
    """One level of one graph's hierarchy.

    Args:
        adjacency: `[nodes, nodes]` weights; read as undirected, the diagonal is not drawn.
        assignment: `[nodes, clusters]`, the share of each node in each node of the next level;
            None at the last level. A row of zeros is a node that pooling dropped.
        node_labels: a short text per node (an atom's symbol), if known.
        health: figures of this graph at this level, printed under its picture.
    """

    adjacency: Array
    assignment: Array | None = None
    node_labels: Sequence[str] | None = None
    health: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = self.adjacency.shape[0]
        if self.adjacency.shape != (nodes, nodes) or nodes == 0:
            raise ValueError(f"adjacency of shape {self.adjacency.shape}; [nodes, nodes] is needed")
        if self.assignment is not None and self.assignment.shape[:1] != (nodes,):
            raise ValueError(f"assignment of shape {self.assignment.shape} for {nodes} nodes")
        if self.node_labels is not None and len(self.node_labels) != nodes:
            raise ValueError(f"{len(self.node_labels)} node labels for {nodes} nodes")


@dataclass(frozen=True, eq=False)
class HierarchyExample:
    """One graph at every level, finest first.

    Args:
        places: whether the first clusters are places.
        judged: whether a prediction is right or wrong, as that of a class is.
    """

    graph: str
    true_class: str
    predicted_class: str
    levels: Sequence[Level]
    places: bool = False
    judged: bool = True

    def __post_init__(self) -> None:
        if not self.levels:
            raise ValueError(f"hierarchy of graph {self.graph} has no levels")
        for number, (fine, coarse) in enumerate(pairwise(self.levels)):
            clusters = coarse.adjacency.shape[0]
            if fine.assignment is None or fine.assignment.shape[1:] != (clusters,):
                raise ValueError(
                    f"hierarchy of graph {self.graph}: level {number} must be assigned to the "
                    f"{clusters} nodes of level {number + 1}"
                )


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
class Side:
    """One graph, ready to be drawn."""

    title: str  # its name and size
    slot: Sequence[int]  # for each node its row of the positions
    labels: Sequence[str]  # a short text per node, "" for none
    edges: Mapping[tuple[int, int], str]  # labels; in both directions only if directed
    node_kind: Mapping[int, str]  # the edit of each node that has one
    edge_kind: Mapping[tuple[int, int], str]
    directed: bool


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of test pairs, `[pairs]` each: of those that match, and of the others."""

    matching: Array
    others: Array


@dataclass(frozen=True, eq=False)
class PairExample:
    """Two graphs beside each other, with the scores that the model gives them.

    If they are `aligned`, what an edit path changes is marked, and a node stands where the node is
    that it is mapped to.
    """

    title: str
    left: Side
    right: Side
    aligned: bool
    matches: bool  # the truth
    scores: Mapping[str, float]  # of every level, by name, the last of all together
    note: str = ""

    @property
    def predicted(self) -> bool:
        """Whether the model predicts a match."""
        return list(self.scores.values())[-1] > 0.5


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


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A graph that the model finds near."""

    graph: Side
    predicted: float
    true: float
    rank: int  # by true distance, 1 for the nearest; equally far ones share the best


@dataclass(frozen=True, eq=False)
class QueryExample:
    """A test graph and those that the model finds nearest, nearest first."""

    title: str
    query: Side
    nearest: Sequence[Neighbour]
    note: str = ""


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
        numbers: predictions of test graphs, target by target.
        labels: names of node labels, which have the same colours in all drawn pairs and queries.
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
    numbers: Sequence[NumberPlot] = ()
    scores: Scores | None = None
    distances: DistancePlot | None = None
    queries: Sequence[QueryExample] = ()
    pairs: Sequence[PairExample] = ()
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

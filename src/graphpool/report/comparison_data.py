"""Everything that a page about a model that compares graphs shows, as plain frozen values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphpool.report.data import Array, Curve
from graphpool.report.draw.side import Side


@dataclass(frozen=True)
class ComparedRow:
    """What the model or a rule reaches.

    Args:
        figures: by the names of `ComparerReport.columns`, as they are printed; what lacks is not
            known.
        share: the first of them as a fraction, which is drawn.
        main: whether it is what the page is about.
        note: a few words beside the name.
        learns: whether it is a network; rules are drawn paler.
    """

    name: str
    figures: Mapping[str, str]
    share: float
    main: bool = False
    note: str = ""
    learns: bool = False


@dataclass(frozen=True, eq=False)
class Scores:
    """How the model scores test pairs, `[pairs]` each: those that match, and the others."""

    matching: Array
    others: Array


@dataclass(frozen=True, eq=False)
class PairExample:
    """Two graphs beside each other, and what the model says of them.

    Args:
        title: which pair it is, and why it is shown.
        left, right: with marks on what an edit path changes if they are `aligned`: then a node
            stands where the node is that it is mapped to.
        matches: the truth.
        scores: of every level, by name, the last of all together.
        note: how far apart the graphs are.
    """

    title: str
    left: Side
    right: Side
    aligned: bool
    matches: bool
    scores: Mapping[str, float]
    note: str = ""

    @property
    def said(self) -> bool:
        """Whether the model takes them for a match."""
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
    """A graph that the model finds near.

    Args:
        rank: its place by true distance, 1 for the nearest; equally far ones share the best.
    """

    graph: Side
    predicted: float
    true: float
    rank: int


@dataclass(frozen=True, eq=False)
class QueryExample:
    """A test graph and those that the model finds nearest, nearest first."""

    title: str
    query: Side
    nearest: Sequence[Neighbour]
    note: str = ""


@dataclass(frozen=True, eq=False)
class ComparerReport:
    """All that one page shows; every part but the title may be left out.

    Args:
        examples: what the model learns from and is tested on: `pairs` or `triplets`.
        hero: name, value, unit and a few words of the figures on top; the model's own first.
        columns: of the table of rows.
        labels: names of node labels, which have the same colours throughout.
    """

    title: str
    examples: str
    subtitle: str = ""
    command: str = ""
    hero: Sequence[tuple[str, str, str, str]] = ()
    verdict: str = ""
    dataset: Mapping[str, str | int | float] = field(default_factory=dict)
    columns: Sequence[str] = ()
    rows: Sequence[ComparedRow] = ()
    curves: Sequence[Curve] = ()
    scores: Scores | None = None
    pairs: Sequence[PairExample] = ()
    distances: DistancePlot | None = None
    queries: Sequence[QueryExample] = ()
    labels: Sequence[str] = ()
    environment: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class MethodsReport:
    """Methods side by side; every part but the title may be left out.

    Args:
        hero, columns: as in `ComparerReport`.
        tables: the rows of every test, by its name; a name may be empty.
        warnings: what failed.
    """

    title: str
    subtitle: str = ""
    command: str = ""
    hero: Sequence[tuple[str, str, str, str]] = ()
    columns: Sequence[str] = ()
    tables: Mapping[str, Sequence[ComparedRow]] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    environment: Mapping[str, str | int | float] = field(default_factory=dict)

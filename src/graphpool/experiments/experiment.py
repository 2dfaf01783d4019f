"""Experiments as data: what is measured, with which settings, and where it is shown.

`experiment_file` reads them, and describes their files.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from graphpool.config import ModelConfig, RunConfig, Task, TrainConfig, from_dict, resolve_model
from graphpool.errors import ConfigError
from graphpool.evaluation.protocols import Protocol, find_protocol
from graphpool.experiments.figure_entry import FigureEntry
from graphpool.experiments.methods import check_known
from graphpool.experiments.search import Search

FOLDER = "experiments"
HOLDOUT = "holdout"
Figure = Literal[
    "value", "mean", "best", "difference", "plain error", "error", "interval", "p", "clusters",
    "rank",
]  # fmt: skip
# Figures of a method by itself, and figures of its gain over another.
PLAIN: tuple[Figure, ...] = ("value", "mean")
GAINS: tuple[Figure, ...] = ("difference", "plain error", "error", "interval", "p")
MEAN_RANK, COST = "mean rank", "cost"
# Metrics of columns that say nothing of how good a method is on some data.
FACTS = ("seconds", COST, "parameters", "family", MEAN_RANK)


@dataclass(frozen=True)
class Row:
    """A row of a block: a method and what is shown of it.

    Args:
        method: of this experiment, or of `experiment`.
        title: by default that of the method.
        figure: `value` is the mean ± standard deviation, `mean` the mean alone, `best` the value
            of the method of `among` that has the best mean, with its name; `difference` is the
            gain over `against`, split by split, `plain error` its standard error as if splits
            were independent, `error` the corrected one and `interval` the corrected 95 %
            interval; `p` is its p-value by the corrected t-test, corrected by Holm for all rows of
            the block with this figure, column by column; `clusters` and `rank` are means over the
            test graphs of the first level.
        against: a method, for figures of a gain.
        among: methods, for the figure `best`; those that some data don't have are passed over.
        paper: name in `paper.values`; what is printed there stands in brackets behind the values.
        ranked: whether it takes part in mean ranks and their test; a method that everybody is
            ahead of makes all others look alike.
    """

    method: str = ""
    title: str = ""
    experiment: str = ""
    figure: Figure = "value"
    against: str = ""
    among: tuple[str, ...] = ()
    paper: str = ""
    ranked: bool = True


@dataclass(frozen=True)
class Column:
    """A column of a block: some data and a metric.

    Args:
        data: name of the data; of `parameters` several are possible, joined by " / ".
        test: what was tested of it, by default the first.
        metric: of the records; also `seconds` (of the test), `cost` (mean seconds of whole
            units, training and test, on a CPU or, marked `GPU`, on a GPU if none was made on a
            CPU), `parameters`, `family`, and `mean rank` over all columns of metrics, among the
            methods of which no unit is missing there. By default the one published with the set,
            else the task's main one.
        methods: what methods of rows are called here, where they have another name.
        seeds: of the records that are shown; by default all of them.
    """

    title: str
    data: str = ""
    experiment: str = ""
    test: str = ""
    metric: str = ""
    methods: dict[str, str] = field(default_factory=dict, hash=False)
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True)
class Block:
    """A marked region of a page, `<!-- NAME -->` to `<!-- end -->`, and the table that fills it.

    Args:
        page: relative to the project.
        intro: a paragraph before the table.
        head: title of the first column.
        rows: methods or rows; by default all methods.
        columns: data or columns; by default all data.
        paper: names in `paper.values` that are shown as further rows.
        digits: of percentages.
        bold: whether the best mean of every column is bold; means of which units are missing are
            not compared.
        sort: whether rows are sorted by the first column, best first.
        floor: a method; what is not above its mean is marked.
        missing: the cell of what is not measured.
        caption: whether training, seeds and machines are named below.
        data_down: whether every line is of some data, and columns are methods.
        picture: an SVG file, relative to the project, with the critical differences of the mean
            ranks; it is written with the page and shown below the table.
    """

    page: str
    name: str
    intro: str = ""
    head: str = "accuracy, %"
    rows: tuple[str | Row, ...] = ()
    columns: tuple[str | Column, ...] = ()
    paper: tuple[str, ...] = ()
    digits: int = 1
    bold: bool = False
    sort: bool = False
    floor: str = ""
    missing: str = "–"
    caption: bool = True
    data_down: bool = False
    picture: str = ""


class Settings(TypedDict, total=False):
    """Settings of networks in a file; `config` checks those of `model` and `train`."""

    features: str
    model: dict[str, Any]
    train: dict[str, Any]


@dataclass(frozen=True)
class DataEntry:
    """Some data of an experiment.

    Args:
        name: what it is called in records and blocks.
        set: what is loaded, by default the name.
        learn: of the protocol `holdout`: graphs that are learned from.
        kind, nodes, hardness, tested: of pairs; see `examples.PairData`.
        train, valid, test: numbers of pairs or triplets.
        split: of triplets.
        seeds: those of the experiment that these data are measured with, if not all.
        settings: that all methods have on these data.
    """

    name: str
    title: str = ""
    set: str = ""
    learn: int = 0
    kind: Literal["paper", "balanced"] = "balanced"
    nodes: tuple[int, ...] = ()
    hardness: Literal["easy", "medium", "hard"] = "easy"
    tested: tuple[int, ...] = ()
    train: int = 0
    valid: int = 0
    test: int = 0
    split: Literal["published", "graphs", "classes"] = "published"
    seeds: tuple[int, ...] = ()
    settings: Settings = field(default_factory=Settings, hash=False)

    @property
    def set_name(self) -> str:
        """The name of the set that is loaded."""
        return self.set or self.name


@dataclass(frozen=True)
class MethodEntry:
    """A method of an experiment: settings of a network, or a rule.

    Args:
        rule: its name, for what is not trained.
        model, train, features: what differs from the settings of the experiment.
        data, seeds: where it is measured, if not everywhere.
    """

    title: str = ""
    rule: str = ""
    features: str = ""
    model: dict[str, Any] = field(default_factory=dict, hash=False)
    train: dict[str, Any] = field(default_factory=dict, hash=False)
    data: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True)
class Paper:
    """Published values: by the name of a row, then of data."""

    source: str = ""
    unsaid: tuple[str, ...] = ()
    values: dict[str, dict[str, float]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Experiment:
    """One experiment; see the module for its file."""

    name: str
    title: str
    task: Task
    seeds: tuple[int, ...] = ()
    protocol: str = ""
    folds: int = 0
    uses: tuple[str, ...] = ()
    networks_of: str = ""
    remarks: tuple[str, ...] = ()
    paper: Paper = field(default_factory=Paper)
    settings: Settings = field(default_factory=Settings, hash=False)
    search: Search | None = None
    data: tuple[DataEntry, ...] = ()
    methods: dict[str, MethodEntry] = field(default_factory=dict, hash=False)
    blocks: tuple[Block, ...] = ()
    figures: tuple[FigureEntry, ...] = ()

    def protocol_of(self, entry: DataEntry) -> Protocol:
        """How some data are split."""
        if self.protocol == HOLDOUT:
            return Protocol(HOLDOUT, "holdout", 1, self.seeds, learn=entry.learn)
        return find_protocol(self.protocol)

    def seeds_of(self, method: MethodEntry, entry: DataEntry) -> tuple[int, ...]:
        """Seeds of a method on some data: those that both are measured with."""
        seeds = method.seeds or self.seeds
        return tuple(seed for seed in seeds if not entry.seeds or seed in entry.seeds)

    def config(self, method: MethodEntry, entry: DataEntry) -> RunConfig:
        """All settings of a network on some data; those that depend on the encoder, resolved."""
        parts: dict[str, dict[str, Any]] = {"model": {}, "train": {}}
        features = ""
        sources: tuple[Mapping[str, Any], ...] = (self.settings, entry.settings, vars(method))
        for source in sources:
            features = source.get("features") or features
            for name, part in parts.items():
                part.update(source.get(name, {}))
        where = f"{FOLDER}/{self.name}.toml: settings"
        if parts["model"].get("encoder", "auto") == "auto":
            raise ConfigError(
                f"{where}.model.encoder is auto, which depends on the graphs; name the encoder"
            )
        return RunConfig(
            task=self.task,
            data=entry.set_name,
            features=features,
            model=resolve_model(from_dict(ModelConfig, parts["model"], f"{where}.model")),
            train=from_dict(TrainConfig, parts["train"], f"{where}.train"),
        )

    def entry(self, name: str) -> DataEntry:
        """The data of this name."""
        entries = {each.name: each for each in self.data}
        check_known(name, entries, f"{self.name}: no data")
        return entries[name]

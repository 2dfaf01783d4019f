"""Columns and rows of the arrangement table: which sets, and what each model differs in.

A row is a name and what it has otherwise than `BASE`; a new line of the table is a new `Row` here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.data.splits import Split
from graphpool.data.synthetic.arrangements.build import make
from graphpool.graphs.graphset import GraphSet

GRAPHS = 4000
"""Graphs of a set: the first half to learn from, the second to test."""

DRAW = 1
"""Seed of the graphs. Settings were settled on graphs of seed 0: those here test them once."""

BASE = RunConfig(
    features="auto",
    model=ModelConfig(
        encoder="gin", hidden_channels=64, num_layers=2, norm="batch", readout=("mean", "max")
    ),
    train=TrainConfig(epochs=40, batch_size=32, learning_rate=0.001, schedule="cosine"),
)
"""What all rows share unless they say otherwise."""


@dataclass(frozen=True)
class Column:
    """A set of graphs.

    Attributes:
        kind, knobs: what `graphpool.data.synthetic.arrangements.build.make` draws.
        learn: graphs to learn from at most; the last tenth of them chooses the epoch.
        train: settings of the training that this set needs, the same for every row.
    """

    name: str
    title: str
    kind: str
    knobs: Mapping[str, Any] = field(default_factory=dict)
    learn: int = GRAPHS // 2
    train: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, graphs: int) -> GraphSet:
        """The set, of so many graphs."""
        return make(self.kind, graphs=graphs, seed=DRAW, **self.knobs)

    def split(self, graphs: int) -> Split:
        """Who trains, chooses and tests; few graphs to learn from leave the test as it is."""
        half = graphs // 2
        learn = min(self.learn, half)
        train = learn - max(1, learn // 10)
        return Split(tuple(range(train)), tuple(range(train, learn)), tuple(range(half, graphs)))


@dataclass(frozen=True)
class Row:
    """A model.

    Attributes:
        group: the table it stands in.
        features: node features.
        model, train: settings that differ from `BASE`.
    """

    name: str
    title: str
    group: str = "models"
    features: str = BASE.features
    model: Mapping[str, Any] = field(default_factory=dict)
    train: Mapping[str, Any] = field(default_factory=dict)

    def config(self, **train: Any) -> RunConfig:
        """All settings; `train` holds those of this call."""
        return replace(
            BASE,
            features=self.features,
            model=replace(BASE.model, **self.model),
            train=replace(BASE.train, **{**self.train, **train}),
        )


def _flat(layers: int, features: str = "", title: str = "") -> Row:
    """A network without coarsening, with or without further features."""
    word = features.partition(":")[0]
    return Row(
        name="-".join(filter(None, ["flat", str(layers), word])),
        title=f"flat, {layers} layers{title}",
        features=f"{BASE.features}+{features}" if features else BASE.features,
        model={"pooler": "flat", "num_layers": layers},
    )


def _own(model: ModelConfig) -> dict[str, Any]:
    """The settings of `BASE` as this model has them."""
    return {"pooler": "hap", "encoder": model.encoder, "norm": model.norm, "readout": model.readout}


FEW: dict[str, Any] = {"learn": 200, "train": {"epochs": 300}}
"""A tenth of the graphs has a tenth of the steps in an epoch."""

COLUMNS = {
    column.name: column
    for column in (
        Column("ring", "ring", "ring"),
        Column("marks", "marks", "marks"),
        Column("marksmix", "marksmix", "marksmix"),
        Column("order", "order", "order"),
        Column("spider", "spider", "spider"),
        Column("ring-200", "ring, 200 graphs", "ring", **FEW),
        Column("marks-200", "marks, 200 graphs", "marks", **FEW),
        Column("ring-bridges", "ring, 6 bridges", "ring", {"bridges": 6}),
    )
}

ROWS = {
    row.name: row
    for row in (
        Row("hap", "`hap`", model={"pooler": "hap"}),
        Row(
            "hap-default",
            "`hap` with the settings of `graphpool train`",
            model=_own(ModelConfig()),
            train={"learning_rate": TrainConfig().learning_rate},
        ),
        Row("hap-content", "`hap`, content", model={"pooler": "hap", "assignment": "content"}),
        Row("hap-paper", "`hap-paper`", model={"pooler": "hap-paper"}),
        _flat(2),
        _flat(4),
        _flat(8),
        _flat(4, "eigen:8", " + 8 Laplacian eigenvectors"),
        _flat(4, "rw:8", " + 8 random-walk features"),
        *(
            Row(name, title, "ablations", model={"pooler": "hap", **changes})
            for name, title, changes in (
                ("no-content", "places alone, no content", {"assignment": "places-only"}),
                ("no-profile", "no profile of clusters", {"cluster_profile": False}),
                ("gumbel", "the paper's sampling", {"connect": "gumbel"}),
                ("gumbel-off", "sampling off the diagonal", {"connect": "offdiagonal-gumbel"}),
                ("plain", "A' as it is", {"connect": "plain"}),
                ("eigengap", "number of places by eigengap", {"cluster_count": "eigengap"}),
                ("eight", "8 places for every graph", {"clusters": (8, 1)}),
                ("cut", "with the cut loss, 0.1", {"cut_loss": 0.1}),
                ("balance", "with the balance loss, 0.1", {"balance": 0.1}),
                ("orthogonality", "with the orthogonality loss, 0.1", {"orthogonality": 0.1}),
                ("diffpool", "DiffPool in its place", {"pooler": "diffpool"}),
            )
        ),
    )
}

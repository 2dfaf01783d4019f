"""The settings of a run: frozen dataclasses, each field declared once with `setting`."""

import math
from dataclasses import dataclass, field
from typing import Literal

from graphpool.config.class_weight import read_class_weight
from graphpool.config.setting import CheckedConfig, Range, setting
from graphpool.errors import ConfigError

Task = Literal["classification", "matching", "similarity"]
COMPARING = ("matching", "similarity")
MODEL_PANEL, COMPARE_PANEL = "Model", "Comparing graphs"
LOSS_PANEL = "Auxiliary losses"
POSITIVE, FINITE = Range(above=0, below=math.inf), Range(low=0, below=math.inf)
NOT_NEGATIVE = Range(low=0)


@dataclass(frozen=True)
class ModelConfig(CheckedConfig):
    """The network; `graphpool list settings` explains the fields."""

    pooler: str = setting("hap", "Pooling method; see graphpool list.", option="--pooler")
    encoder: Literal["auto", "gcn", "gat", "gin", "graphconv", "gine", "gatv2", "gated"] = setting(
        "auto",
        "Graph convolution before each coarsening.",
        choices={
            "auto": "gine where edges of the training graphs differ in labels or attributes, else "
            "gcn",
            "gcn": "graph convolution (Kipf & Welling 2017)",
            "gat": "graph attention, several heads (Veličković et al. 2018)",
            "gin": "graph isomorphism network (Xu et al. 2019)",
            "graphconv": "sum over neighbours and the node itself, each with its weights (Morris "
            "et al. 2019)",
            "gine": "gin with features of edges (Hu et al. 2020)",
            "gatv2": "attention to nodes and edges, several heads (Brody et al. 2022)",
            "gated": "a gate for each edge and channel, GatedGCN (Bresson & Laurent 2018)",
        },
        option="--encoder",
    )
    hidden_channels: int = setting(64, "Width of every layer.", range=POSITIVE, option="--hidden")
    num_layers: int = setting(
        0,
        "Encoder layers before each coarsening; 0 takes 2, or 5 with gine, gatv2 and gated.",
        range=NOT_NEGATIVE,
        option="--layers",
    )
    heads: int = setting(4, "Attention heads of the encoders gat and gatv2.", range=POSITIVE)
    clusters: tuple[int, ...] = setting(
        (),
        "Clusters of each level, such as 8,1; by default as many as a graph has places, then 1 "
        "(methods without places: 8, then 1).",
        range=Range(low=1),
        option="--clusters",
    )
    ratio: float = setting(
        0.0,
        "Share of the nodes that become clusters, or that top-k poolers keep; 0 uses clusters as "
        "they are given, and half of the nodes in top-k poolers.",
        range=Range(low=0, below=1),
    )
    dropout: float = setting(
        0.0, "Dropout, in [0, 1).", range=Range(low=0, below=1), option="--dropout"
    )
    norm: Literal["auto", "none", "batch"] = setting(
        "auto",
        "Normalisation after each encoder layer.",
        choices={
            "auto": "batch with gine, gatv2 and gated, else none",
            "none": "no normalisation",
            "batch": "batch normalisation over all nodes",
        },
    )
    residual: Literal["auto", "on", "off"] = setting(
        "auto",
        "Whether each encoder layer adds its input to its output.",
        choices={
            "auto": "on with gine, gatv2 and gated, else off",
            "on": "it does, where both have as many channels",
            "off": "it does not",
        },
    )
    jumping_knowledge: bool = setting(
        False, "Mix the outputs of all encoder layers instead of using only the last."
    )
    readout: tuple[Literal["sum", "mean", "max"], ...] = setting(
        ("sum",),
        "How the nodes of a level become one vector; several are concatenated.",
        choices={
            "sum": "sum over the nodes",
            "mean": "mean over the nodes",
            "max": "largest value of each channel",
        },
    )
    assignment: Literal["default", "places", "places-only", "content", "static"] = setting(
        "default",
        "How HAP assigns nodes to clusters.",
        choices={
            "default": "what the pooler stands for: places for hap, static for hap-paper",
            "places": "clusters are places, parts of the graph dense in edges, weighted by content",
            "places-only": "the same without content: the edges alone assign a node",
            "content": "standardised dot product of a node's row with the cluster's column",
            "static": "the paper's additive attention; every node gets nearly the same clusters",
        },
        option="--assignment",
    )
    relaxation: Literal["gram", "sort", "truncate", "tile"] = setting(
        "gram",
        "How HAP brings cluster columns to one length.",
        choices={
            "gram": "a column becomes its products with all columns; permutation invariant",
            "sort": "its largest values; permutation invariant",
            "truncate": "its first entries; depends on the order of the nodes",
            "tile": "what the authors' code does; depends on the order of the nodes",
        },
    )
    connect: Literal["default", "offdiagonal", "gumbel", "offdiagonal-gumbel", "plain"] = setting(
        "default",
        "How HAP weights the edges between clusters.",
        choices={
            "default": "what the pooler stands for: offdiagonal for hap, gumbel for hap-paper",
            "offdiagonal": "zero diagonal, then symmetric normalisation",
            "gumbel": "the paper's soft sampling; nearly the identity",
            "offdiagonal-gumbel": "zero diagonal, then soft sampling",
            "plain": "the coarse adjacency as it is",
        },
        option="--connect",
    )
    cluster_count: Literal["modularity", "eigengap", "validation"] = setting(
        "modularity",
        "How the number of places is found, unless clusters gives it.",
        choices={
            "modularity": "as many places as modularity finds at model.resolution, for each graph",
            "eigengap": "where the spectrum of the graph has its largest gap",
            "validation": "modularity from coarse to fine and eigengap, each tried for a fifth of "
            "the epochs; validation graphs choose",
        },
        option="--count",
    )
    resolution: float = setting(
        1.5,
        "How fine places are: a higher one gives more and smaller places.",
        range=Range(low=1 / 16, high=64),
        option="--resolution",
    )
    max_clusters: int = setting(16, "Largest number of places of a graph.", range=POSITIVE)
    cluster_profile: bool = setting(
        True, "Add the size, inner edges and outer edges of a place to its cluster's features."
    )
    distance: Literal["aligned", "nodes", "sorted", "euclidean"] = setting(
        "aligned",
        "HAP's distance between two graphs at a level; other methods have their own.",
        choices={
            "aligned": "nodes or clusters of a level, each softly matched to one of the other "
            "graph: what is left to move, and which edges are left over",
            "nodes": "the same without the edges, for graphs that differ in size",
            "sorted": "nodes or clusters of a level, sorted channel by channel and compared by "
            "rank",
            "euclidean": "the paper's: between the vectors that are read out of a level",
        },
        option="--distance",
        panel=COMPARE_PANEL,
        tasks=COMPARING,
    )
    score: Literal["learned", "exp"] = setting(
        "learned",
        "How a distance becomes the probability of a match.",
        choices={
            "learned": "a learned logistic curve over the logarithm of the distance",
            "exp": "the paper's exp(-distance / 2)",
        },
        option="--score",
        panel=COMPARE_PANEL,
        tasks=COMPARING,
        estimator=False,  # there it is a method
    )
    cut_loss: float = setting(
        0.0,
        "Weight of the loss for few edges between clusters (Bianchi et al. 2020).",
        range=FINITE,
        panel=LOSS_PANEL,
    )
    balance: float = setting(
        0.0, "Weight of the loss for clusters of one size.", range=FINITE, panel=LOSS_PANEL
    )
    orthogonality: float = setting(
        0.0,
        "Weight of the loss for clusters of one size that don't overlap (Bianchi et al. 2020).",
        range=FINITE,
        panel=LOSS_PANEL,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cluster_count == "eigengap" and (self.clusters or self.ratio):
            raise ConfigError(
                "model.cluster_count 'eigengap' sets how many places a graph has, and so does "
                f"model.{'clusters' if self.clusters else 'ratio'}; leave out one of them"
            )


CLASSES = ("classification",)


@dataclass(frozen=True)
class TrainConfig(CheckedConfig):
    """The training; `graphpool list settings` explains the fields."""

    epochs: int = setting(100, "Largest number of epochs.", range=POSITIVE, option="--epochs")
    batch_size: int = setting(
        32, "Graphs, pairs or triplets per step.", range=POSITIVE, option="--batch-size"
    )
    learning_rate: float = setting(
        0.003, "Learning rate of Adam.", range=POSITIVE, option="--learning-rate"
    )
    weight_decay: float = setting(0.0, "Weight decay of Adam.", range=NOT_NEGATIVE)
    schedule: Literal["constant", "cosine", "plateau"] = setting(
        "constant",
        "How the learning rate changes.",
        choices={
            "constant": "not at all",
            "cosine": "along half a cosine, down to 0 at the last epoch",
            "plateau": "multiplied by train.plateau_factor after train.plateau_epochs epochs "
            "without a better validation loss",
        },
    )
    plateau_epochs: int = setting(
        10,
        "Epochs without a better validation loss before the schedule plateau lowers the rate.",
        range=POSITIVE,
    )
    plateau_factor: float = setting(
        0.5, "Factor by which the schedule plateau lowers the rate.", range=Range(above=0, below=1)
    )
    patience: int = setting(
        30,
        "Stop after so many epochs without a better validation metric; 0 never stops early.",
        range=NOT_NEGATIVE,
        option="--patience",
    )
    scoring: Literal[
        "accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef", "roc_auc",
        "average_precision", "loss",
    ] = setting(
        "accuracy",
        "Validation metric that chooses the epoch; the loss decides between equals.",
        choices={
            "accuracy": "share of correct predictions",
            "balanced_accuracy": "mean over the classes of the share that is found",
            "f1_macro": "mean F1 of the classes",
            "matthews_corrcoef": "correlation of predictions and classes (MCC)",
            "roc_auc": "area under the ROC curve, with more than two classes their mean",
            "average_precision": "area under precision over recall, of the second class of two, or "
            "the mean of all",
            "loss": "the loss, which should be small",
        },
        option="--scoring",
        tasks=CLASSES,
    )  # fmt: skip
    class_weight: str = setting(
        "",
        "Weights of classes in the loss: balanced, so that each class counts the same, or "
        "NAME=WEIGHT,NAME=WEIGHT; the others have weight 1.",
        option="--class-weight",
        tasks=CLASSES,
    )
    clip_norm: float = setting(
        0.0, "Largest norm of the gradient; 0 does not clip it.", range=NOT_NEGATIVE
    )
    seed: int = setting(
        0, "Seed of weights, split and order.", range=Range(low=0, below=2**63), option="--seed"
    )
    device: str = setting("cpu", "Device: cpu, cuda, cuda:1, mps.", option="--device")
    threads: int = setting(
        0,
        "Threads of torch; 0 takes one for small batches and torch's choice for large ones.",
        range=NOT_NEGATIVE,
        option="--threads",
    )
    checkpoint_seconds: float = setting(
        30.0,
        "Seconds between checkpoints; 0 writes one after every step.",
        range=NOT_NEGATIVE,
        estimator=False,
    )
    tensorboard: bool = setting(
        False, "Write a log for TensorBoard into the folder of the run.", estimator=False
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        read_class_weight(self.class_weight)


@dataclass(frozen=True)
class CompareConfig(CheckedConfig):
    """The pairs or triplets of a task that compares graphs; see `graphpool list settings`."""

    examples: int = setting(
        40_000,
        "Pairs or triplets to train on.",
        range=POSITIVE,
        option="--examples",
        tasks=COMPARING,
    )
    valid: int = setting(
        2_000, "Pairs or triplets that choose the epoch.", range=POSITIVE, tasks=COMPARING
    )
    test: int = setting(2_000, "Pairs or triplets to test on.", range=POSITIVE, tasks=COMPARING)
    pairs: str = setting(
        "",
        "CSV file of left, right, match, for graphs of your own.",
        option="--pairs",
        tasks=("matching",),
        file=True,
    )
    distances: str = setting(
        "",
        "File of graphpool ged matrix; by default published or exact distances.",
        option="--distances",
        tasks=("similarity",),
        file=True,
    )
    split: Literal["published", "graphs", "classes"] = setting(
        "published",
        "How graphs are split for triplets.",
        choices={
            "published": "as published with the set, where it is; else graphs",
            "graphs": "at random",
            "classes": "at random, with isomorphic graphs in one part",
        },
        tasks=("similarity",),
    )


@dataclass(frozen=True)
class RunConfig:
    """One training run; `compare` is used by tasks that compare graphs."""

    task: Task = setting(  # noqa: RUF009
        "classification",
        "What is learnt.",
        choices={
            "classification": "the class of a graph",
            "matching": "whether two graphs match",
            "similarity": "which of two graphs is nearer to a third",
        },
        option="--task",
        panel="",
    )
    data: str = setting("MUTAG", "Name of a set, or a file or folder of graphs.")
    features: str = setting(
        "auto", "Features of nodes and edges, such as labels+rw:8+edge_labels; see graphpool list.",
        option="--features", panel=MODEL_PANEL)  # fmt: skip
    split: str = setting(
        "",
        "JSON file of a split of your own; with --task similarity published, graphs or classes.",
        option="--split",
        panel="",
        tasks=("classification", "similarity"),
        estimator=False,
    )
    model: ModelConfig = field(default_factory=ModelConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    compare: CompareConfig = field(default_factory=CompareConfig)

    def __post_init__(self) -> None:
        if self.task != "classification" and self.split:
            raise ConfigError(
                f"split {self.split}: a file of a split is for classification; with --task "
                "similarity give published, graphs or classes"
            )
        if self.task != "classification" and self.model.cluster_count == "validation":
            raise ConfigError(
                "model.cluster_count 'validation' is for classification; choose 'modularity' or "
                "'eigengap'"
            )


def defaults_for(task: Task) -> RunConfig:
    """Return the settings that a task starts from.

    Comparing graphs takes an encoder that tells nodes apart by their surroundings: sums, the
    outputs of all layers, random-walk features, batch normalisation and thousands of steps.
    """
    if task == "classification":
        return RunConfig()
    matching = task == "matching"
    return RunConfig(
        task=task,
        data="matching-balanced-hard-20" if matching else "AIDS700nef",
        features="constant+logdegree+rw:8" if matching else "auto+logdegree+rw:8",
        model=ModelConfig(encoder="graphconv", norm="batch", jumping_knowledge=True, num_layers=3),
        train=TrainConfig(
            epochs=25 if matching else 5,
            batch_size=256 if matching else 512,
            schedule="cosine",
            clip_norm=5.0,
        ),
        compare=CompareConfig(examples=40_000 if matching else 200_000),
    )

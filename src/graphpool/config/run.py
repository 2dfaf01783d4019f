"""The settings of a run: frozen dataclasses, each field declared once with `setting`."""

from dataclasses import dataclass, field
from typing import Literal

from graphpool.config.class_weight import read_class_weight
from graphpool.config.model import COMPARING, MODEL_PANEL, NOT_NEGATIVE, POSITIVE, ModelConfig
from graphpool.config.setting import CheckedConfig, Range, setting
from graphpool.errors import ConfigError

Task = Literal["classification", "regression", "multilabel", "matching", "similarity"]
CLASSES, NUMBERS, LABELS = ("classification",), ("regression",), ("multilabel",)
# Tasks over single graphs.
SINGLE = (*CLASSES, *NUMBERS, *LABELS)
# Metrics that may choose the epoch, by task; the first is what `auto` means for a set without a
# published one. The other tasks take the accuracy.
SCORING: dict[str, tuple[str, ...]] = {
    "classification": (
        "accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef", "roc_auc",
        "average_precision", "loss",
    ),
    "regression": ("mae", "rmse", "r2", "spearman", "loss"),
    "multilabel": ("roc_auc", "average_precision", "f1_macro", "accuracy", "loss"),
}  # fmt: skip


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
        "auto", "accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef", "roc_auc",
        "average_precision", "loss", "mae", "rmse", "r2", "spearman",
    ] = setting(
        "accuracy",
        "Validation metric that chooses the epoch; the loss decides between equals.",
        choices={
            "auto": "the published metric of a set that has one, else accuracy (classification), "
            "mae (regression) or roc_auc (multilabel)",
            "accuracy": "share of correct predictions",
            "balanced_accuracy": "mean over the classes of the share that is found",
            "f1_macro": "mean F1 of the classes",
            "matthews_corrcoef": "correlation of predictions and classes (MCC)",
            "roc_auc": "area under the ROC curve, with more than two classes, or labels, their "
            "mean",
            "average_precision": "area under precision over recall, of the second class of two, or "
            "the mean of all classes or labels",
            "loss": "the loss, which should be small",
            "mae": "mean absolute error (regression)",
            "rmse": "root of the mean squared error (regression)",
            "r2": "share of the variance that is explained (regression)",
            "spearman": "correlation of ranks (regression)",
        },
        option="--scoring",
        tasks=SINGLE,
    )  # fmt: skip
    loss: Literal["huber", "mae", "mse"] = setting(
        "huber",
        "Loss of regression, over targets in units of their spread.",
        choices={
            "huber": "squared error up to one spread, absolute error beyond it",
            "mae": "absolute error",
            "mse": "squared error",
        },
        option="--loss",
        tasks=NUMBERS,
    )
    interval: Literal["none", "gaussian", "quantile"] = setting(
        "none",
        "Whether regression also predicts an interval that should hold 90 % of the values, "
        "calibrated on the validation graphs.",
        choices={
            "none": "no interval",
            "gaussian": "mean and variance of a normal distribution, by likelihood; it replaces "
            "the loss",
            "quantile": "the quantiles 5 % and 95 %, beside the value",
        },
        option="--interval",
        tasks=NUMBERS,
    )
    class_weight: str = setting(
        "",
        "Weights of classes in the loss: balanced, so that each class counts the same, or "
        "NAME=WEIGHT,NAME=WEIGHT; the others have weight 1. With --task multilabel, of the zeros "
        "and ones of each label, or NAME=WEIGHT for the ones of that label.",
        option="--class-weight",
        tasks=(*CLASSES, *LABELS),
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
    replay: bool = setting(
        False,
        "On a CUDA device, record a step of training once for each size of a batch, and replay it: "
        "small graphs spend most of their time on launching operations. Networks and tasks that "
        "can't be recorded are trained as without it.",
        tasks=SINGLE,
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
            "regression": "one number or several about a graph",
            "multilabel": "several labels of 0 and 1 about a graph, some of them unknown",
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
        "How graphs are split: published, scaffold, random, cv5, group:NAME, column:NAME, "
        "time:NAME or a JSON file, see graphpool list splits; with --task similarity published, "
        "graphs or classes. By default as the set brings it, else one fold of ten tests.",
        option="--split",
        panel="",
        estimator=False,
    )
    model: ModelConfig = field(default_factory=ModelConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    compare: CompareConfig = field(default_factory=CompareConfig)

    def __post_init__(self) -> None:
        for key, others in (("cluster_count", "'eigengap'"), ("units", "'auto'")):
            if self.task not in SINGLE and getattr(self.model, key) == "validation":
                raise ConfigError(
                    f"model.{key} 'validation' is for tasks over single graphs; leave it out, or "
                    f"choose another, such as {others}"
                )
        known, scoring = SCORING.get(self.task, ("accuracy",)), self.train.scoring
        if scoring not in known and not (scoring == "auto" and self.task in SINGLE):
            raise ConfigError(
                f"train.scoring {scoring!r} is no metric of {self.task}; choose among "
                f"{', '.join(known)}"
            )


def defaults_for(task: Task) -> RunConfig:
    """Return the settings that a task starts from.

    Comparing graphs takes an encoder that tells nodes apart by their surroundings: sums, the
    outputs of all layers, random-walk features, batch normalisation and thousands of steps; soft
    places, whose distances were developed with it.
    """
    if task in SINGLE:
        data = {"regression": "ESOL", "multilabel": "Tox21"}.get(task, RunConfig.data)
        return RunConfig(task=task, data=data, train=TrainConfig(scoring="auto"))
    matching = task == "matching"
    return RunConfig(
        task=task,
        data="matching-balanced-hard-20" if matching else "AIDS700nef",
        features="constant+logdegree+rw:8" if matching else "auto+logdegree+rw:8",
        model=ModelConfig(
            pooler="hap-one-way",
            encoder="graphconv",
            norm="batch",
            jumping_knowledge=True,
            num_layers=3,
        ),
        train=TrainConfig(
            epochs=25 if matching else 5,
            batch_size=256 if matching else 512,
            schedule="cosine",
            clip_norm=5.0,
        ),
        compare=CompareConfig(examples=40_000 if matching else 200_000),
    )

"""A trained classifier: made from graphs, kept in one file, and read back ready to use.

The file is a checkpoint of `graphpool.training` (safetensors with JSON inside). Everything that a
prediction needs stands in its header, so the `best.safetensors` of a run folder is such a file.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from graphpool.config import ModelConfig, RunConfig, TrainConfig, from_dict, to_dict
from graphpool.data.source import Source, read_source, source_values
from graphpool.errors import DataError
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.models.file import CLASSIFIER, check_known, open_trained, reading, save_trained
from graphpool.nn.coarsen.health import level_health
from graphpool.nn.coarsen.outputs import Level
from graphpool.nn.zoo.build import build_model
from graphpool.tasks.base import batches, device_of, evaluating
from graphpool.tasks.classification import ClassificationTask, predict_logits
from graphpool.training.checkpoint import load_model_weights, versions
from graphpool.training.device import find_device
from graphpool.training.loop import EVALUATION_BATCH, FitResult, fit
from graphpool.training.seeding import rng_state, seed_everything, set_rng_state
from graphpool.training.select_place_rule import (
    VALIDATION,
    PlaceChoice,
    choice_from,
    select_place_rule,
)

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A network together with what it needs to read graphs and to name its answers.

    Args:
        network: in eval mode.
        config: features, model and training settings; in place of `model.cluster_count =
            "validation"` what was chosen.
        features: fitted on the training graphs.
        classes: the name of each output.
        node_label_names: of the training set, for pictures.
        mean_nodes: nodes per training graph.
        labels: what an estimator's `predict` answers: the `codes` of `GraphSet.y`, or the
            `names` in `classes`.
        best: the selected epoch and its validation metrics.
        versions: of what trained it.
        source: where the training graphs come from, if that is known.
        choice: how the number of places was chosen, if validation graphs chose it.
    """

    network: nn.Module
    config: RunConfig
    features: FeaturePipeline
    classes: tuple[Any, ...]
    node_label_names: tuple[Name, ...] = ()
    mean_nodes: float = 0.0
    labels: Literal["codes", "names"] = "codes"
    best: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)
    source: Source | None = None
    choice: PlaceChoice | None = None

    def prepare(self, graphs: GraphSet) -> GraphSet:
        """The graphs with the features that the network was trained on."""
        return self.features.transform(graphs)

    def probabilities(self, graphs: GraphSet) -> Array:
        """`[graphs, classes]`; each row adds up to 1."""
        logits = predict_logits(self.network, self.prepare(graphs), EVALUATION_BATCH)
        return np.asarray(torch.softmax(logits.double(), dim=1).numpy())

    def embed(self, graphs: GraphSet) -> Array:
        """Graph vectors, `[graphs, channels]`."""
        prepared = self.prepare(graphs).to(device_of(self.network))
        network: Any = self.network
        with evaluating(self.network):
            parts = [network.embed(batch).cpu() for batch in batches(prepared, EVALUATION_BATCH)]
        if not parts:
            raise DataError(f"{graphs.name} has no graphs to embed")
        return np.asarray(torch.cat(parts).numpy())

    def levels(self, graphs: GraphSet) -> tuple[Level, ...]:
        """Every level of all graphs, as one batch; none for a network without coarsening."""
        prepared = self.prepare(graphs).to(device_of(self.network))
        network: Any = self.network
        with evaluating(self.network):
            levels: tuple[Level, ...] = network.levels(prepared.batch())
        return levels

    def score(self, graphs: GraphSet) -> dict[str, float]:
        """Loss, accuracies and level health on graphs that have classes."""
        task = ClassificationTask(len(self.classes), diagnose=level_health)
        aligned = align_classes(graphs, self.classes)
        return task.evaluate(self.network, self.prepare(aligned), EVALUATION_BATCH)

    def only_answer(self, graphs: GraphSet, metrics: dict[str, float]) -> Any:
        """The class that every graph gets, if they are of several classes; else None.

        Args:
            metrics: what `score` says of these graphs. Answers that are all the same have a
                balanced accuracy of one class, or of none, so most models need no second look.
        """
        occurring = 0 if graphs.y is None else len(torch.unique(graphs.y))
        share = metrics["balanced_accuracy"] * occurring
        if occurring < 2 or min(abs(share), abs(share - 1)) > 1e-6:
            return None
        answers = set(self.probabilities(graphs).argmax(axis=1).tolist())
        return self.classes[answers.pop()] if len(answers) == 1 else None

    def check_labels(self, graphs: GraphSet) -> None:
        """Refuse graphs of whose node labels the model knows not a single one."""
        check_known(self.features, graphs)


def train_model(
    train: GraphSet,
    valid: GraphSet | None,
    config: RunConfig,
    *,
    classes: tuple[Any, ...] = (),
    labels: Literal["codes", "names"] = "codes",
    source: Source | None = None,
    folder: Path | None = None,
    resume: bool = False,
    progress: bool = True,
) -> tuple[TrainedModel, FitResult]:
    """Fit features on the training graphs, build the network and train it.

    `model.cluster_count = "validation"` first chooses the number of places on validation graphs.

    The same graphs and settings give the same model to the bit on a CPU. The random number
    generators of Python, NumPy and torch are afterwards as they were before.

    Args:
        classes: names of the codes in `y`; by default those of the set.
        labels, source: see `TrainedModel`.
        folder, resume, progress: of `graphpool.training.loop.fit`.
    """
    if train.y is None:
        raise DataError(f"{train.name} has no classes; a classifier can't learn from it")
    classes = classes or train.classes or tuple(range(int(train.y.max()) + 1))
    pipeline = FeaturePipeline(config.features).fit(train)
    mean_nodes = float(train.node_counts.double().mean())
    task = ClassificationTask(len(classes), diagnose=level_health)
    learnt, held = pipeline.transform(train), None if valid is None else pipeline.transform(valid)

    def build(settings: ModelConfig) -> nn.Module:
        return build_model(settings, pipeline.channels, len(classes), mean_nodes)

    generators, choice = rng_state(), None
    try:
        if config.model.cluster_count == VALIDATION:
            choice = select_place_rule(
                config.model, config.train, task, learnt, held, build,
                folder=folder, resume=resume, progress=progress,
            )  # fmt: skip
            config = replace(config, model=choice.applied(config.model))
        seed_everything(config.train.seed)
        network = build(config.model)
        model = TrainedModel(
            network,
            config,
            pipeline,
            classes,
            train.node_label_names,
            mean_nodes,
            labels,
            source=source,
            choice=choice,
        )
        result = fit(
            network,
            task,
            learnt,
            held,
            config.train,
            folder=folder,
            resume=resume,
            progress=progress,
            extra=_about(model),
        )
    finally:
        set_rng_state(*generators)
    best = {"epoch": result.best_epoch, "metrics": result.best_metrics}
    return replace(model, best=best), result


def align_classes(graphs: GraphSet, classes: tuple[Any, ...]) -> GraphSet:
    """The same graphs with `y` counted in `classes`, matched by name."""
    own = graphs.classes
    if graphs.y is None or not own or own == classes:
        return graphs
    # The class 1 of one file and the class "1" of another are the same to a user.
    place = {str(name): code for code, name in enumerate(classes)}
    strange = [
        name
        for code, name in enumerate(own)
        if str(name) not in place and bool((graphs.y == code).any())
    ]
    if strange:
        raise DataError(
            f"{graphs.name} has the class {strange[0]!r}, which the model does not know; its "
            f"classes are {', '.join(str(name) for name in classes)}"
        )
    codes = torch.tensor([place.get(str(name), -1) for name in own], device=graphs.device)
    return replace(graphs, y=codes[graphs.y], classes=classes)


def save_model(model: TrainedModel, path: str | Path) -> Path:
    """Write the model as one file, atomically."""
    about, train = _about(model), model.config.train
    return save_trained(path, model.network, train, about, model.best, model.versions)


def load_model(path: str | Path, device: str = "cpu") -> TrainedModel:
    """Read a model file, or the best model of a run folder."""
    checkpoint, about = open_trained(path, CLASSIFIER)
    with reading(checkpoint):
        config = RunConfig(
            data=about["data"],
            features=about["features"]["spec"],
            model=from_dict(ModelConfig, about["model"], "model"),
            train=from_dict(TrainConfig, checkpoint.header["config"], "train"),
        )
        features = FeaturePipeline.from_state(about["features"])
        classes = tuple(about["classes"])
        network = build_model(config.model, features.channels, len(classes), about["mean_nodes"])
        model = TrainedModel(
            network=network.eval(),
            config=config,
            features=features,
            classes=classes,
            node_label_names=tuple(about["node_label_names"]),
            mean_nodes=about["mean_nodes"],
            labels=about["labels"],
            best=checkpoint.header.get("best", {}),
            versions=checkpoint.header["versions"],
            source=read_source(about),
            choice=choice_from(about["choice"]) if "choice" in about else None,
        )
    load_model_weights(network, checkpoint)
    network.to(find_device(device))
    return model


def _about(model: TrainedModel) -> dict[str, Any]:
    """What a file says about the model beside its weights and training settings."""
    return {
        "kind": CLASSIFIER,
        "data": model.config.data,
        "model": to_dict(model.config.model),
        "features": model.features.state(),
        "classes": list(model.classes),
        "node_label_names": list(model.node_label_names),
        "mean_nodes": model.mean_nodes,
        "labels": model.labels,
        **source_values(model.source),
        **({} if model.choice is None else {"choice": to_dict(model.choice)}),
    }

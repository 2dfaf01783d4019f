"""A first look: HAP beside its baselines on MUTAG, one model in pictures, one page about it all.

The numbers come from ten-fold cross-validation, by default with one seed, which is a first look
and decides nothing; the pictures come from one model that was trained on half of the graphs, so
that enough are left which it has not seen.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from graphpool.config import ModelConfig, RunConfig
from graphpool.data import load as datasets
from graphpool.data.formats.safetensors import content_hash
from graphpool.data.splits import Split, save_splits, stratified_folds
from graphpool.errors import MissingPackageError, plural
from graphpool.experiments.comparison import evaluate
from graphpool.experiments.report import methods_page
from graphpool.experiments.results import ExperimentResult
from graphpool.files import write_json
from graphpool.graphs.graphset import GraphSet
from graphpool.models.model import TrainedModel
from graphpool.nn.zoo.build import place_rule
from graphpool.report import Report, draw_hierarchy_png, write
from graphpool.tasks.pages.classes import graph_map, true_and_predicted
from graphpool.tasks.pages.levels import hierarchy_example, learning_curve, typical_graph
from graphpool.training.health_warnings import health_warnings

DATA = "MUTAG"
METHODS = ("hap", "sum", "mean", "structure-free", "wl", "majority")


@dataclass(frozen=True, eq=False)
class Demo:
    """What a demo made: its page, the experiment behind it, and how long it took."""

    report: Path
    experiment: ExperimentResult
    pictures: dict[str, Any]
    seconds: float


def run_demo(
    folder: str | Path = "demo",
    *,
    methods: tuple[str, ...] = METHODS,
    seeds: tuple[int, ...] = (0,),
    config: RunConfig | None = None,
    jobs: int | None = None,
    progress: bool = True,
    tell: Callable[[str], None] = lambda line: None,
) -> Demo:
    """Compare methods, train one model for the pictures, and write `report.html`.

    Parts that the folder already holds are not measured again.

    Args:
        folder: gets everything.
        methods: the first is what the page is about.
        seeds: of the cross-validation; one is a first look, `cv10` asks for three.
        config: settings of all networks.
        jobs: processes; by default one per core.
        progress: show bars if stderr is a terminal.
        tell: called with a line about each step.
    """
    begin, folder = time.monotonic(), Path(folder)
    config = config or RunConfig(data=DATA)
    graphs = datasets.load(DATA, features=None)
    tell(
        f"{graphs.name}: {plural(len(graphs), 'graph')}. Ten-fold cross-validation of "
        f"{plural(len(methods), 'method')}; each fold is tested once, by a model that "
        "has not seen it."
    )
    command = "graphpool demo" + (f" --seeds {len(seeds)}" if len(seeds) > 1 else "")
    experiment = evaluate(
        graphs, methods, "cv10", seeds, config, folder, baselines=False, jobs=jobs,
        progress=progress, command=command,
    )  # fmt: skip
    split = picture_split(graphs)
    tell(f"One {methods[0]} model for the pictures, trained on {len(split.train)} graphs.")
    save_splits(folder / "model" / "split.json", [split], content_hash(graphs), "pictures", 0)
    model = TrainedModel.fit(
        graphs[split.train], graphs[split.valid], config,
        folder=folder / "model", progress=progress,
    )  # fmt: skip
    tell("Drawing the report.")
    metrics = model.score(graphs[split.test])
    page = build_report(experiment, graphs, split, model, metrics)
    path = write(page, folder / "report.html")
    try:
        draw_hierarchy_png(page.hierarchy[0], folder / "hierarchy.png")
    except MissingPackageError as error:
        tell(f"No hierarchy.png beside the report: {error}.")
    pictures = {
        "graphs": {name: len(part) for name, part in vars(split).items()},
        "accuracy": metrics["accuracy"],
        "model": str(folder / "model"),
    }
    write_json(folder / "pictures.json", pictures)
    return Demo(path, experiment, pictures, time.monotonic() - begin)


def picture_split(graphs: GraphSet, seed: int = 0) -> Split:
    """Half of the graphs train, a tenth chooses the epoch, four tenths are left to look at."""
    assert graphs.y is not None
    parts = [np.asarray(part) for part in stratified_folds(graphs.y, 10, (seed, 1))]

    def joined(first: int, last: int) -> tuple[int, ...]:
        return tuple(sorted(np.concatenate(parts[first:last]).tolist()))

    return Split(train=joined(5, 10), valid=joined(4, 5), test=joined(0, 4))


def build_report(
    experiment: ExperimentResult,
    graphs: GraphSet,
    split: Split,
    model: TrainedModel,
    metrics: dict[str, float],
) -> Report:
    """Everything that the page shows."""
    assert experiment.protocol is not None
    test, first, trained = graphs[split.test], experiment.methods[0], model.result
    assert trained is not None
    classes, shares = model.task.classes, model.probabilities(test)
    typical = typical_graph(model, test)
    places = place_rule(model.config.model) is not None
    label = (
        f"one {first} model, trained on {len(split.train)} graphs; {len(split.valid)} others "
        "choose the epoch"
    )
    shown = (
        f"Shown are the {len(test)} graphs that the one model of these pictures has not seen, "
        f"neither to learn nor to choose the epoch; it answers {100 * metrics['accuracy']:.1f} % "
        f"of the {len(test)} rightly."
    )
    page = methods_page(experiment)
    return replace(
        page,
        title=f"{first.upper()} on {graphs.name}",
        subtitle=_about(experiment),
        dataset=_facts(graphs, model.config.model),
        curves=[learning_curve(label, trained.history, trained.best_epoch)],
        embedding=graph_map(model, classes, test, shares.argmax(axis=1), shown),
        hierarchy=[
            hierarchy_example(
                model, test, typical, true_and_predicted(classes, test, shares, typical), places
            )
        ],
        warnings=[
            *experiment.warning_lines,
            *(f"the model of the pictures: {line}" for line in health_warnings(metrics)),
            *experiment.failure_lines,
        ],
        environment={
            **page.environment,
            "protocol": experiment.protocol.name,
            "seeds": ", ".join(map(str, experiment.seeds)),
            "epochs": model.config.train.epochs,
        },
    )


def _about(experiment: ExperimentResult) -> str:
    assert experiment.protocol is not None
    folds, seeds = experiment.protocol.folds, len(experiment.seeds)
    few = seeds < len(experiment.protocol.seeds)
    return (
        "Molecules as graphs of atoms and bonds: does the compound cause mutations in bacteria? "
        f"Accuracies are those of {folds} stratified folds"
        + (" with one seed" if seeds == 1 else f", {seeds} seeds")
        + (": a first look, not a ranking of methods." if few else ".")
    )


def _facts(graphs: GraphSet, model: ModelConfig) -> dict[str, str | int | float]:
    assert graphs.y is not None
    counts = graphs.y.bincount(minlength=len(graphs.classes)).tolist()
    rule = place_rule(model)
    classes = ", ".join(
        f"{name} ({count})" for name, count in zip(graphs.classes, counts, strict=True)
    )
    return {
        "graphs": len(graphs),
        "classes": classes,
        "nodes per graph": _range(graphs.node_counts),
        **({} if rule is None else {"places per graph": _range(graphs.places(rule).counts)}),
        "node labels": len(graphs.node_label_names),
    }


def _range(counts: Tensor) -> str:
    mean = float(counts.double().mean())
    return f"{int(counts.min())} to {int(counts.max())}, mean {mean:.1f}"
